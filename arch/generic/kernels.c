/* SPDX-License-Identifier: MIT */
/*
 * The timed kernels for a CPU whose assembly nobody has written yet: this file stands where the
 * other folders have kernels.S.
 *
 * The compiler chooses the instructions and where they lie, so these measure what it makes of a
 * loop, not a known loop: build them optimised, and prefer a folder of the CPU's own. An empty asm
 * that claims to change a variable costs no instruction and hides the value, so that nothing is
 * folded, hoisted or removed.
 */
#include "arch.h"

#define OPAQUE(variable) __asm__ volatile("" : "+r"(variable))

/* Read the clock, set up, run the body, read the clock again, store both. Setup and body see
 * `iters` and `start`. */
#define KERNEL(name, setup, body)                                        \
    tkf_kernel_fn tkf_generic_clock_##name;                              \
    void tkf_generic_clock_##name(uint64_t iters, uint64_t ret_ticks[2]) \
    {                                                                    \
        uint64_t start = tkf_env_clock_ns();                             \
        setup;                                                           \
        body;                                                            \
        uint64_t end = tkf_env_clock_ns();                               \
        ret_ticks[0] = start;                                            \
        ret_ticks[1] = end;                                              \
    }

/* Run the statement `iters` times. */
#define REPEAT(statement) \
    do {                  \
        statement;        \
        OPAQUE(iters);    \
    } while (--iters)

/* A chain works on unsigned long, the width at which one link is one instruction. Links
 * alternate between two steps. */
#define LINKS_2(op, r, s) \
    x op r;               \
    OPAQUE(x);            \
    x op s;               \
    OPAQUE(x);
#define LINKS_8(op, r, s)  LINKS_2(op, r, s) LINKS_2(op, r, s) LINKS_2(op, r, s) LINKS_2(op, r, s)
#define LINKS_32(op, r, s) LINKS_8(op, r, s) LINKS_8(op, r, s) LINKS_8(op, r, s) LINKS_8(op, r, s)
#define LINKS_64(op, r, s) LINKS_32(op, r, s) LINKS_32(op, r, s)

/* All three are odd, so that a product never becomes zero. */
#define CHAIN_SETUP                                            \
    unsigned long x = start | 1, a = iters | 3, b = start | 1; \
    OPAQUE(x);                                                 \
    OPAQUE(a);                                                 \
    OPAQUE(b)

KERNEL(xor, CHAIN_SETUP, REPEAT(LINKS_64(^=, a, b)))
KERNEL(add, CHAIN_SETUP, REPEAT(LINKS_64(+=, a, b)))
KERNEL(mul, CHAIN_SETUP, REPEAT(LINKS_32(*=, a, b)))
KERNEL(add_immediate, unsigned long x = start, REPEAT(LINKS_64(+=, 1, 1)))

KERNEL(fused, , REPEAT())
KERNEL(
    compare, uint64_t i = 0, do { OPAQUE(i); } while (++i < iters))
KERNEL(
    register, uint64_t step = 1; OPAQUE(step), do { OPAQUE(iters); } while (iters -= step))

static __attribute__((noinline)) void empty_function(void)
{
    __asm__ volatile("");
}

KERNEL(call, , REPEAT(empty_function()))
KERNEL(call_indirect, void (*function)(void) = empty_function; OPAQUE(function), REPEAT(function()))
KERNEL(sink_register, , REPEAT(uint64_t value = iters; OPAQUE(value)))
KERNEL(sink_memory, uint64_t sink, REPEAT(sink = iters; __asm__ volatile("" : : "m"(sink))))
KERNEL(read_pair, , REPEAT(tkf_env_clock_ns(); tkf_env_clock_ns()))

tkf_burst_fn tkf_generic_clock_burst;
void tkf_generic_clock_burst(uint64_t *ret_ticks, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        ret_ticks[i] = tkf_env_clock_ns();
}
