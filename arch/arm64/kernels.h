/* SPDX-License-Identifier: MIT */
/**
 * The list of timed kernels, read by kernels.S (which defines each one once for every source) and
 * by sources.c.
 *
 * X(name, shape, role, offset_bytes, ops, text): the fields of struct tkf_kernel. `name` is also
 * the end of the symbol.
 */
#ifndef TKF_KERNELS_H
#define TKF_KERNELS_H

/* ELF, Mach-O and the firmware's COFF all pass the first arguments in x0, x1, …: nothing to
 * choose. */
#define TKF_KERNEL_ABI

/*
 * Every instruction is 4 bytes, so few offsets differ: those at which a loop crosses a 64-byte line
 * (fused and register, 8 bytes: 60; compare, 12 bytes: 56 and 60), and one that crosses the middle
 * of the line, where a core that fetches 32 bytes at a time pays. compare_24 and compare_56 part
 * cmp from the branch that would fuse with it.
 */
#define TKF_KERNELS(X)                                                          \
    X(xor, "xor", CHAIN, 0, 64, "eor x,x,r")                                    \
    X(add, "add", CHAIN, 0, 64, "add x,x,r")                                    \
    X(mul, "mul", CHAIN, 0, 32, "mul x,x,r")                                    \
    X(add_immediate, "add_immediate", CHAIN, 0, 64, "add x,x,#1")               \
    X(fused, "fused", LOOP, 0, 1, "subs x,x,#1; b.ne")                          \
    X(compare, "compare", LOOP, 0, 1, "add x,x,#1; cmp x,r; b.lt")              \
    X(register, "register", LOOP, 0, 1, "subs x,x,r; b.ne")                     \
    X(fused_28, "fused", LOOP, 28, 1, "subs x,x,#1; b.ne")                      \
    X(fused_60, "fused", LOOP, 60, 1, "subs x,x,#1; b.ne")                      \
    X(compare_24, "compare", LOOP, 24, 1, "add x,x,#1; cmp x,r; b.lt")          \
    X(compare_56, "compare", LOOP, 56, 1, "add x,x,#1; cmp x,r; b.lt")          \
    X(compare_60, "compare", LOOP, 60, 1, "add x,x,#1; cmp x,r; b.lt")          \
    X(register_28, "register", LOOP, 28, 1, "subs x,x,r; b.ne")                 \
    X(register_60, "register", LOOP, 60, 1, "subs x,x,r; b.ne")                 \
    X(call, "call", COST, 0, 1, "a call of an empty function")                  \
    X(call_indirect, "call_indirect", COST, 0, 1, "the same through a pointer") \
    X(sink_register, "sink_register", COST, 0, 1, "a value kept in a register") \
    X(sink_memory, "sink_memory", COST, 0, 1, "a value stored on the stack")    \
    X(read_pair, "read_pair", COST, 0, 1, "two fenced reads")

#endif
