/* SPDX-License-Identifier: MIT */
/**
 * The list of timed kernels, read by kernels.S (which defines each one once for every source) and by sources.c.
 *
 * X(name, shape, role, offset_bytes, ops, text): the fields of struct tkf_kernel. `name` is also the end of the symbol.
 */
#ifndef TKF_KERNELS_H
#define TKF_KERNELS_H

/* One register convention for ELF, Mach-O and the firmware's COFF, so that the machine code is the same in each. */
#define TKF_KERNEL_ABI __attribute__((sysv_abi))

/*
 * A loop that crosses a 64-byte line pays for two fetches; one that touches a 32-byte boundary pays on the Intel cores with
 * the JCC erratum (Intel SKX102). Both are measured apart from the aligned loop: that is why an empty loop is a band.
 */
#define TKF_KERNELS(X)                                                                             \
    X(xor, "xor", CHAIN, 0, 64, "xor r,r")                                                         \
    X(add, "add", CHAIN, 0, 64, "add r,r")                                                         \
    X(mul, "mul", CHAIN, 0, 32, "imul r,r")                                                        \
    X(add_immediate, "add_immediate", CHAIN, 0, 64, "add $1,r")                                    \
    X(fused, "fused", LOOP, 0, 1, "dec; jnz")                                                      \
    X(compare, "compare", LOOP, 0, 1, "inc; cmp; jl")                                              \
    X(register, "register", LOOP, 0, 1, "sub r,r; jnz")                                            \
    X(fused_30, "fused", LOOP, 30, 1, "dec; jnz")                                                  \
    X(fused_60, "fused", LOOP, 60, 1, "dec; jnz")                                                  \
    X(fused_61, "fused", LOOP, 61, 1, "dec; jnz")                                                  \
    X(fused_62, "fused", LOOP, 62, 1, "dec; jnz")                                                  \
    X(fused_63, "fused", LOOP, 63, 1, "dec; jnz")                                                  \
    X(compare_28, "compare", LOOP, 28, 1, "inc; cmp; jl")                                          \
    X(compare_57, "compare", LOOP, 57, 1, "inc; cmp; jl")                                          \
    X(compare_58, "compare", LOOP, 58, 1, "inc; cmp; jl")                                          \
    X(compare_59, "compare", LOOP, 59, 1, "inc; cmp; jl")                                          \
    X(compare_60, "compare", LOOP, 60, 1, "inc; cmp; jl")                                          \
    X(compare_61, "compare", LOOP, 61, 1, "inc; cmp; jl")                                          \
    X(compare_62, "compare", LOOP, 62, 1, "inc; cmp; jl")                                          \
    X(compare_63, "compare", LOOP, 63, 1, "inc; cmp; jl")                                          \
    X(register_30, "register", LOOP, 30, 1, "sub r,r; jnz")                                        \
    X(register_60, "register", LOOP, 60, 1, "sub r,r; jnz")                                        \
    X(register_61, "register", LOOP, 61, 1, "sub r,r; jnz")                                        \
    X(register_62, "register", LOOP, 62, 1, "sub r,r; jnz")                                        \
    X(register_63, "register", LOOP, 63, 1, "sub r,r; jnz")                                        \
    X(call, "call", COST, 0, 1, "a call of an empty function")                                     \
    X(call_indirect, "call_indirect", COST, 0, 1, "the same through a pointer")                    \
    X(sink_register, "sink_register", COST, 0, 1, "a value kept in a register")                    \
    X(sink_memory, "sink_memory", COST, 0, 1, "a value stored on the stack")                       \
    X(read_pair, "read_pair", COST, 0, 1, "two fenced reads")

#endif
