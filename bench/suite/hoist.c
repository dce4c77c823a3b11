/* SPDX-License-Identifier: MIT */
/*
 * Hoist: what does not change from one iteration to the next is computed once, before the loop. HoistSum shows how that betrays
 * itself without a look at the machine code: the time does not grow with the size.
 */
#include "suite.h"

/* One round of a hash: xor, shift, multiply. */
static inline uint64_t round_of(uint64_t x)
{
    return (x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
}

static inline uint64_t mix(uint64_t x)
{
    x = round_of(round_of(round_of(round_of(x))));
    return round_of(round_of(round_of(round_of(x))));
}

/* 0 + 1 + ... + (n - 1), which is n(n - 1)/2, and compilers know that. */
static inline uint64_t sum_below(uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += i;
    return sum;
}

/* Dead: the argument never changes, so the result is computed once, before the loop. */
TKF_BENCH_NAMED(Hoist_call, "Hoist/call")
{
    uint64_t x = tkf_opaque(UINT64_C(42));
    while (tkf_loop(b))
        tkf_keep(mix(x));
}

/* The argument is hidden in each iteration: the result is computed each time. */
TKF_BENCH_NAMED(Hoist_opaque, "Hoist/opaque")
{
    uint64_t x = 42;
    while (tkf_loop(b))
        tkf_keep(mix(tkf_opaque(x)));
}

/* Dead: a constant number of terms has a constant sum. */
TKF_BENCH_NAMED(HoistSum_8, "HoistSum/8")
{
    while (tkf_loop(b))
        tkf_keep(sum_below(8));
}

/* Dead, and 8 times as many terms take no longer. */
TKF_BENCH_NAMED(HoistSum_64, "HoistSum/64")
{
    while (tkf_loop(b))
        tkf_keep(sum_below(64));
}

/* Dead, and 64 times as many take no longer. */
TKF_BENCH_NAMED(HoistSum_512, "HoistSum/512")
{
    while (tkf_loop(b))
        tkf_keep(sum_below(512));
}

/* Dead: 4096 numbers in the time of an empty loop, which no sum can be. */
TKF_BENCH_NAMED(HoistSum_4096, "HoistSum/4096")
{
    while (tkf_loop(b))
        tkf_keep(sum_below(4096));
}
