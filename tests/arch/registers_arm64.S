/* SPDX-License-Identifier: MIT */
/* See test_registers.c. AAPCS64: x19 to x28, x29 and the low halves of v8 to v15 survive a call. */

#if defined(__MACH__)
#define SYMBOL(name) _##name
.macro ADDRESS register, name
    adrp \register, \name@PAGE
    add \register, \register, \name@PAGEOFF
.endm
#else
#define SYMBOL(name) name
.macro ADDRESS register, name
    adrp \register, \name
    add \register, \register, :lo12:\name
.endm
#endif

    .text
    .p2align 2
    .globl SYMBOL(tkf_test_changed_registers)
SYMBOL(tkf_test_changed_registers):
    hint #34
    stp x29, x30, [sp, #-160]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x16, x0
    mov x0, x1
    mov x1, x2
    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    mov x\n, #(0x5a00 + \n)
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    mov x9, #(0x5a00 + \n)
    fmov d\n, x9
    .endr
    blr x16
    mov x0, #0
    .irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29
    mov x9, #(0x5a00 + \n)
    cmp x\n, x9
    cinc x0, x0, ne
    .endr
    .irp n, 8, 9, 10, 11, 12, 13, 14, 15
    mov x9, #(0x5a00 + \n)
    fmov x10, d\n
    cmp x10, x9
    cinc x0, x0, ne
    .endr
    ldp d14, d15, [sp, #144]
    ldp d12, d13, [sp, #128]
    ldp d10, d11, [sp, #112]
    ldp d8, d9, [sp, #96]
    ldp x27, x28, [sp, #80]
    ldp x25, x26, [sp, #64]
    ldp x23, x24, [sp, #48]
    ldp x21, x22, [sp, #32]
    ldp x19, x20, [sp, #16]
    ldp x29, x30, [sp], #160
    ret

/* x18 is the platform's, and stays. */
    .globl SYMBOL(tkf_env_clock_ns)
SYMBOL(tkf_env_clock_ns):
    ADDRESS x16, SYMBOL(tkf_test_clock_calls)
    ldr x0, [x16]
    add x0, x0, #1
    str x0, [x16]
    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
    mov x\n, #77
    .endr
    ret

    .data
    .p2align 3
    .globl SYMBOL(tkf_test_clock_calls)
SYMBOL(tkf_test_clock_calls):
    .quad 0

#if defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
