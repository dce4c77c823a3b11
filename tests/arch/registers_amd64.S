/* SPDX-License-Identifier: MIT */
/* See test_registers.c. System V convention: rbx, rbp and r12 to r15 survive a call, and rsp is
 * a multiple of 16 at it. */

#if defined(__MACH__)
#define SYMBOL(name) _##name
#else
#define SYMBOL(name) name
#endif

    .text
    .globl SYMBOL(tkf_test_changed_registers)
SYMBOL(tkf_test_changed_registers):
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $(8), %rsp
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsi
    .irp register, rbx, rbp, r12, r13, r14, r15
    movabsq $(0x5a5a123456785a5a), %\register
    .endr
    call *%rax
    movabsq $(0x5a5a123456785a5a), %rdx
    xorl %eax, %eax
    .irp register, rbx, rbp, r12, r13, r14, r15
    xorl %ecx, %ecx
    cmpq %rdx, %\register
    setne %cl
    addq %rcx, %rax
    .endr
    addq $(8), %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret

/* A stack that is not aligned at the call ends the test here, and not one day in somebody's
 * vector code. */
    .globl SYMBOL(tkf_env_clock_ns)
SYMBOL(tkf_env_clock_ns):
    leaq 8(%rsp), %rax
    testq $(15), %rax
    jz 1f
    ud2
1:
    incq SYMBOL(tkf_test_clock_calls)(%rip)
    movq SYMBOL(tkf_test_clock_calls)(%rip), %rax
    .irp register, rcx, rdx, rsi, rdi, r8, r9, r10, r11
    movq $(77), %\register
    .endr
    ret

    .data
    .p2align 3
    .globl SYMBOL(tkf_test_clock_calls)
SYMBOL(tkf_test_clock_calls):
    .quad 0

#if defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
