/* SPDX-License-Identifier: MIT */
/*
 * The timed kernels, once for each source. A kernel is one straight line:
 *
 *     read the counter; set registers up; align; run the body `iters` times; read the counter again; store both.
 *
 * What is not the body runs once, at a constant cost that measuring at two lengths removes.
 *
 * Registers (System V): rdi = iters, rsi = ret_ticks. r8 and r9 hold the first reading and ret_ticks through the body;
 * a body may use rax, rcx, rdx, rdi, rsi, r10 and r11. Nothing here touches vector registers.
 *
 * The file assembles to the same instructions as ELF, Mach-O and COFF: the firmware measures with these very bytes.
 */

#include "kernels.h"

/* Mach-O puts an underscore before C's names; COFF has no hidden symbols, and needs none. */
#if defined(__MACH__)
#define SYMBOL(name) _##name
.macro HIDDEN name
    .private_extern \name
.endm
#else
#define SYMBOL(name) name
.macro HIDDEN name
#if defined(__ELF__)
    .hidden \name
#endif
.endm
#endif

/*
 * Fences. Intel SDM vol. 2B, RDTSC: "if software requires RDTSC to be executed only after all previous instructions have
 * executed [and loads are visible], it can execute LFENCE immediately before"; and LFENCE after it so that no later
 * instruction begins first. RDTSCP waits for earlier instructions by itself, but not for later ones: LFENCE follows.
 * Leaves the reading in rax; clobbers rdx, and rcx with RDTSCP.
 */
.macro READ_rdtsc
    lfence
    rdtsc
    lfence
    shlq $(32), %rdx
    orq %rdx, %rax
.endm

.macro READ_rdtscp
    rdtscp
    lfence
    shlq $(32), %rdx
    orq %rdx, %rax
.endm

/* The environment's clock, called like any function: it may change every caller-saved register, so what lives is saved.
 * 40 bytes saved and 8 of return address keep the stack at a multiple of 16 at the call. */
.macro READ_clock
    pushq %rdi
    pushq %rsi
    pushq %r8
    pushq %r9
    pushq %r10
    call SYMBOL(tkf_env_clock_ns)
    popq %r10
    popq %r9
    popq %r8
    popq %rsi
    popq %rdi
.endm

/* Constants stand in parentheses because Apple's assembler takes a bare $1 for a macro's first argument. */

/* ---- bodies: PRE_x runs once before BODY_x ------------------------------------------------------------------------ */

.macro CHAIN operation, links
1:
    .rept \links / 2
    \operation %r10, %rax
    \operation %r11, %rax
    .endr
    decq %rdi
    jnz 1b
.endm

/* Two source registers whose values the renamer does not know: xor of a register with itself, and on newer Intel cores adding
 * a small constant, cost nothing there. All three are odd, so that a product never becomes zero. */
.macro PRE_chain
    movq %rdi, %r10
    orq $(3), %r10
    movq %r9, %r11
    orq $(1), %r11
    orq $(1), %rax
.endm
.macro BODY_xor
    CHAIN xorq, 64
.endm
.macro BODY_add
    CHAIN addq, 64
.endm
.macro BODY_mul
    CHAIN imulq, 32
.endm
.macro BODY_add_immediate
1:
    .rept 64
    addq $(1), %rax
    .endr
    decq %rdi
    jnz 1b
.endm

.macro PRE_none
.endm
.macro BODY_fused
1:
    decq %rdi
    jnz 1b
.endm

.macro PRE_compare
    xorl %eax, %eax
.endm
.macro BODY_compare
1:
    incq %rax
    cmpq %rdi, %rax
    jl 1b
.endm

/* The step comes out of an instruction that no renamer sees through, so the decrement is never removed at rename. */
.macro PRE_register
    movq $(-1), %r10
    negq %r10
.endm
.macro BODY_register
1:
    subq %r10, %rdi
    jnz 1b
.endm

.macro BODY_call
1:
    call empty_function
    decq %rdi
    jnz 1b
.endm

.macro PRE_call_indirect
    leaq empty_function(%rip), %r10
.endm
.macro BODY_call_indirect
1:
    call *%r10
    decq %rdi
    jnz 1b
.endm

.macro BODY_sink_register
1:
    movq %rdi, %rax
    decq %rdi
    jnz 1b
.endm

/* Below the stack pointer, in the red zone of the System V convention: nothing else writes there in user space. In firmware
 * an interrupt may; nobody reads the value. */
.macro BODY_sink_memory
1:
    movq %rdi, -8(%rsp)
    decq %rdi
    jnz 1b
.endm

/* ---- one kernel -------------------------------------------------------------------------------------------------------- */

/*
 * The loop starts `offset` bytes into a 64-byte line.
 */
.macro KERNEL source, name, pre, body, offset
    .globl SYMBOL(tkf_amd64_\source\()_\name)
    HIDDEN SYMBOL(tkf_amd64_\source\()_\name)
    .p2align 6
SYMBOL(tkf_amd64_\source\()_\name):
    movq %rsi, %r9
    READ_\source
    movq %rax, %r8
    \pre
    .p2align 6
    .if \offset
    .skip \offset, 0x90
    .endif
    \body
    READ_\source
    movq %r8, (%r9)
    movq %rax, 8(%r9)
    ret
.endm

.macro BODY_read_pair_rdtsc
1:
    READ_rdtsc
    READ_rdtsc
    decq %rdi
    jnz 1b
.endm
.macro BODY_read_pair_rdtscp
1:
    READ_rdtscp
    READ_rdtscp
    decq %rdi
    jnz 1b
.endm
.macro BODY_read_pair_clock
1:
    READ_clock
    READ_clock
    decq %rdi
    jnz 1b
.endm

.macro BURST source
    .globl SYMBOL(tkf_amd64_\source\()_burst)
    HIDDEN SYMBOL(tkf_amd64_\source\()_burst)
    .p2align 6
SYMBOL(tkf_amd64_\source\()_burst):
    movq %rdi, %r9
    movq %rsi, %r10
    .p2align 6
1:
    READ_\source
    movq %rax, (%r9)
    addq $(8), %r9
    decq %r10
    jnz 1b
    ret
.endm

.macro SOURCE source
    BURST \source
    KERNEL \source, xor, PRE_chain, BODY_xor, 0
    KERNEL \source, add, PRE_chain, BODY_add, 0
    KERNEL \source, mul, PRE_chain, BODY_mul, 0
    KERNEL \source, add_immediate, PRE_chain, BODY_add_immediate, 0
    KERNEL \source, fused, PRE_none, BODY_fused, 0
    KERNEL \source, compare, PRE_compare, BODY_compare, 0
    KERNEL \source, register, PRE_register, BODY_register, 0
    .irp at, 30, 60, 61, 62, 63
    KERNEL \source, fused_\at, PRE_none, BODY_fused, \at
    KERNEL \source, register_\at, PRE_register, BODY_register, \at
    .endr
    .irp at, 28, 57, 58, 59, 60, 61, 62, 63
    KERNEL \source, compare_\at, PRE_compare, BODY_compare, \at
    .endr
    KERNEL \source, call, PRE_none, BODY_call, 0
    KERNEL \source, call_indirect, PRE_call_indirect, BODY_call_indirect, 0
    KERNEL \source, sink_register, PRE_none, BODY_sink_register, 0
    KERNEL \source, sink_memory, PRE_none, BODY_sink_memory, 0
    KERNEL \source, read_pair, PRE_none, BODY_read_pair_\source, 0
.endm

    .text
    .p2align 6
empty_function:
    ret

    SOURCE rdtsc
    SOURCE rdtscp
    SOURCE clock

#if defined(__ELF__)
    .section .note.GNU-stack, "", @progbits
#endif
