/* SPDX-License-Identifier: MIT */
/**
 * The list of timed kernels, read by kernels.c (which defines them) and by sources.c.
 *
 * X(name, shape, role, offset_bytes, ops, text): the fields of struct tkf_kernel. `name` is also
 * the end of the symbol.
 */
#ifndef TKF_KERNELS_H
#define TKF_KERNELS_H

/* Before arch.h declares the clock again: the inline read calls it from outside the library, so
 * it has to be visible. */
#include <tickfloor/arch/read.h>

#define TKF_KERNEL_ABI

/* In C nothing places a loop within its line: offset 0 stands for "as the compiler left it", and
 * there are no others. */
#define TKF_KERNELS(X)                                                          \
    X(xor, "xor", CHAIN, 0, 64, "x ^= r")                                       \
    X(add, "add", CHAIN, 0, 64, "x += r")                                       \
    X(mul, "mul", CHAIN, 0, 32, "x *= r")                                       \
    X(add_immediate, "add_immediate", CHAIN, 0, 64, "x += 1")                   \
    X(fused, "fused", LOOP, 0, 1, "while (--n)")                                \
    X(compare, "compare", LOOP, 0, 1, "while (++i < n)")                        \
    X(register, "register", LOOP, 0, 1, "while (n -= r)")                       \
    X(call, "call", COST, 0, 1, "a call of an empty function")                  \
    X(call_indirect, "call_indirect", COST, 0, 1, "the same through a pointer") \
    X(sink_register, "sink_register", COST, 0, 1, "a value kept in a register") \
    X(sink_memory, "sink_memory", COST, 0, 1, "a value stored on the stack")    \
    X(read_pair, "read_pair", COST, 0, 1, "two reads of the clock")

#endif
