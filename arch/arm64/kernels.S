/* SPDX-License-Identifier: MIT */
/*
 * The timed kernels, once for each source. A kernel is one straight line:
 *
 *     read the counter; set registers up; align; run the body `iters` times; read the counter
 *     again; store both.
 *
 * What is not the body runs once, at a constant cost that measuring at two lengths removes.
 *
 * Registers (AAPCS64): x0 = iters, x1 = ret_ticks. x8 and x9 hold the first reading and ret_ticks
 * through the body; a body may use x0 to x7, x10 and x11. x18 belongs to the platform on macOS and
 * Windows, and nothing here touches it, nor a vector register, nor one that a callee must keep.
 *
 * The file assembles to the same instructions as ELF, Mach-O and COFF: the firmware measures with
 * these very bytes. For that it keeps to one instruction a line, as ';' starts a comment in Apple's
 * assembler.
 */

#include "kernels.h"

/* Mach-O puts an underscore before C's names; COFF has no hidden symbols, and needs none. LOCAL
 * is a name that stays in the assembler, so that its uses are resolved here and not by three
 * linkers. */
#if defined(__MACH__)
#define SYMBOL(name) _##name
#define LOCAL(name)  L##name
.macro HIDDEN name
    .private_extern \name
.endm
#else
#define SYMBOL(name) name
#define LOCAL(name)  .L##name
.macro HIDDEN name
#if defined(__ELF__)
    .hidden \name
#endif
.endm
#endif

/*
 * Fences. Each read leaves its value in x2 and changes nothing else.
 *
 * Arm ARM (DDI 0487), "The Generic Timer in AArch64 state", on reading the counters (D6.1.2 in
 * issue A): reads of CNTVCT_EL0 may occur speculatively and out of order relative to other
 * instructions; an ISB before the read orders it. Same manual, ISB (C6.2) and "Context
 * synchronization event" (glossary): what follows an ISB is fetched after the ISB has completed and
 * performs no part of its work before. So the first ISB keeps the read behind the body, and the
 * second keeps the body behind the read. What an ISB does not wait for is a load or a store
 * becoming visible to others: that would need a DSB, and no body asks for it.
 */
.macro READ_cntvct
    isb
    mrs x2, cntvct_el0
    isb
.endm

/*
 * Arm ARM, CNTVCTSS_EL0 (FEAT_ECV): reads of it "appear to occur in program order relative to other
 * instructions", so it needs no ISB before it. That places the read, not its successors: an
 * instruction that does not use the value may still begin before it, which the ISB after it
 * forbids, as above. The register is spelled by its encoding for assemblers older than Armv8.6.
 */
.macro READ_cntvctss
    mrs x2, S3_3_C14_C0_6
    isb
.endm

/* The environment's clock, called like any function: it may change every caller-saved register,
 * so what lives is saved. The link register is in the kernel's frame. */
.macro READ_clock
    stp x0, x8, [sp, #-32]!
    stp x9, x10, [sp, #16]
    bl SYMBOL(tkf_env_clock_ns)
    mov x2, x0
    ldp x9, x10, [sp, #16]
    ldp x0, x8, [sp], #32
.endm

/* ---- bodies: PRE_x runs once before BODY_x ---------------------------------------------------- */

.macro CHAIN operation, links
1:
    .rept \links / 2
    \operation x2, x2, x10
    \operation x2, x2, x11
    .endr
    subs x0, x0, #1
    b.ne 1b
.endm

/* Two source registers whose values the renamer does not know: eor of a register with itself
 * costs nothing on some cores. All three are odd, so that a product never becomes zero. */
.macro PRE_chain
    orr x10, x0, #3
    orr x11, x9, #1
    orr x2, x2, #1
.endm
.macro BODY_xor
    CHAIN eor, 64
.endm
.macro BODY_add
    CHAIN add, 64
.endm
.macro BODY_mul
    CHAIN mul, 32
.endm
.macro BODY_add_immediate
1:
    .rept 64
    add x2, x2, #1
    .endr
    subs x0, x0, #1
    b.ne 1b
.endm

.macro PRE_none
.endm
.macro BODY_fused
1:
    subs x0, x0, #1
    b.ne 1b
.endm

.macro PRE_compare
    mov x2, #0
.endm
.macro BODY_compare
1:
    add x2, x2, #1
    cmp x2, x0
    b.lt 1b
.endm

/* The step comes out of an instruction that no renamer sees through, so the decrement is never
 * removed at rename. */
.macro PRE_register
    mov x10, #-1
    neg x10, x10
.endm
.macro BODY_register
1:
    subs x0, x0, x10
    b.ne 1b
.endm

.macro BODY_call
1:
    bl LOCAL(empty_function)
    subs x0, x0, #1
    b.ne 1b
.endm

.macro PRE_call_indirect
    adr x10, LOCAL(empty_function)
.endm
.macro BODY_call_indirect
1:
    blr x10
    subs x0, x0, #1
    b.ne 1b
.endm

.macro BODY_sink_register
1:
    mov x2, x0
    subs x0, x0, #1
    b.ne 1b
.endm

/* Into the kernel's frame: AAPCS64 has no red zone. */
.macro BODY_sink_memory
1:
    str x0, [sp, #16]
    subs x0, x0, #1
    b.ne 1b
.endm

.macro BODY_read_pair_cntvct
1:
    READ_cntvct
    READ_cntvct
    subs x0, x0, #1
    b.ne 1b
.endm
.macro BODY_read_pair_cntvctss
1:
    READ_cntvctss
    READ_cntvctss
    subs x0, x0, #1
    b.ne 1b
.endm
.macro BODY_read_pair_clock
1:
    READ_clock
    READ_clock
    subs x0, x0, #1
    b.ne 1b
.endm

/* ---- one kernel ------------------------------------------------------------------------------- */

/*
 * Entered through pointers, so each begins with BTI C, spelled as the hint that it is on CPUs and
 * assemblers without it. The frame is a frame record (AAPCS64, "The Frame Pointer") and 16 bytes
 * for BODY_sink_memory.
 */
.macro ENTER
    hint #34
    stp x29, x30, [sp, #-32]!
    mov x29, sp
.endm
.macro LEAVE
    ldp x29, x30, [sp], #32
    ret
.endm

/* The loop starts `offset` bytes into a 64-byte line. */
.macro KERNEL source, name, pre, body, offset
    .globl SYMBOL(tkf_arm64_\source\()_\name)
    HIDDEN SYMBOL(tkf_arm64_\source\()_\name)
    .p2align 6
SYMBOL(tkf_arm64_\source\()_\name):
    ENTER
    mov x9, x1
    READ_\source
    mov x8, x2
    \pre
    .p2align 6
    .rept \offset / 4
    nop
    .endr
    \body
    READ_\source
    stp x8, x2, [x9]
    LEAVE
.endm

.macro BURST source
    .globl SYMBOL(tkf_arm64_\source\()_burst)
    HIDDEN SYMBOL(tkf_arm64_\source\()_burst)
    .p2align 6
SYMBOL(tkf_arm64_\source\()_burst):
    ENTER
    mov x9, x0
    mov x10, x1
    .p2align 6
1:
    READ_\source
    str x2, [x9], #8
    subs x10, x10, #1
    b.ne 1b
    LEAVE
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
    .irp at, 28, 60
    KERNEL \source, fused_\at, PRE_none, BODY_fused, \at
    KERNEL \source, register_\at, PRE_register, BODY_register, \at
    .endr
    .irp at, 24, 56, 60
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
LOCAL(empty_function):
    hint #34
    ret

    SOURCE cntvct
    SOURCE cntvctss
    SOURCE clock

#if defined(__ELF__)
/* GNU_PROPERTY_AARCH64_FEATURE_1_AND = BTI: without it the linker drops BTI for a whole program
 * that has it (AAELF64). */
    .section .note.gnu.property, "a"
    .p2align 3
    .word 4
    .word 16
    .word 5
    .asciz "GNU"
    .word 0xc0000000
    .word 4
    .word 1
    .word 0

    .section .note.GNU-stack, "", %progbits
#endif
