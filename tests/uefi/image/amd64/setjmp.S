/* SPDX-License-Identifier: MIT */
/* What a function has to keep in the Microsoft x64 convention: rbx, rbp, rdi, rsi, r12 to r15, rsp, xmm6 to xmm15. */
    .text
    .globl setjmp
setjmp:
    movq (%rsp), %rax
    movq %rax, (%rcx)
    leaq 8(%rsp), %rax
    movq %rax, 8(%rcx)
    movq %rbx, 16(%rcx)
    movq %rbp, 24(%rcx)
    movq %rdi, 32(%rcx)
    movq %rsi, 40(%rcx)
    movq %r12, 48(%rcx)
    movq %r13, 56(%rcx)
    movq %r14, 64(%rcx)
    movq %r15, 72(%rcx)
    movups %xmm6, 80(%rcx)
    movups %xmm7, 96(%rcx)
    movups %xmm8, 112(%rcx)
    movups %xmm9, 128(%rcx)
    movups %xmm10, 144(%rcx)
    movups %xmm11, 160(%rcx)
    movups %xmm12, 176(%rcx)
    movups %xmm13, 192(%rcx)
    movups %xmm14, 208(%rcx)
    movups %xmm15, 224(%rcx)
    xorl %eax, %eax
    ret

    .globl longjmp
longjmp:
    movl %edx, %eax
    movq 16(%rcx), %rbx
    movq 24(%rcx), %rbp
    movq 32(%rcx), %rdi
    movq 40(%rcx), %rsi
    movq 48(%rcx), %r12
    movq 56(%rcx), %r13
    movq 64(%rcx), %r14
    movq 72(%rcx), %r15
    movups 80(%rcx), %xmm6
    movups 96(%rcx), %xmm7
    movups 112(%rcx), %xmm8
    movups 128(%rcx), %xmm9
    movups 144(%rcx), %xmm10
    movups 160(%rcx), %xmm11
    movups 176(%rcx), %xmm12
    movups 192(%rcx), %xmm13
    movups 208(%rcx), %xmm14
    movups 224(%rcx), %xmm15
    movq 8(%rcx), %rsp
    jmpq *(%rcx)
