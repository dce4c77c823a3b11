/* SPDX-License-Identifier: MIT */
/*
 * SinkPlace: where the result goes. A store in each iteration is work of its own; a local that is stored once after the loop is
 * not. On CPUs with room for the store beside the work the two times agree. The work is a chain, each result the next one's input,
 * so that it can be neither deleted nor hoisted. The sink's address is given away first: a variable of this file that nobody reads
 * is no sink, its stores are deleted, and with them the work.
 */
#include "suite.h"

static uint64_t sink;

static inline uint64_t step(uint64_t x)
{
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

/* The result is stored in each iteration. */
TKF_BENCH_NAMED(SinkPlace_inside, "SinkPlace/inside")
{
    uint64_t x = tkf_opaque(UINT64_C(88172645463325252));
    tkf_keep(&sink);
    while (tkf_loop(b)) {
        x = step(x);
        sink = x;
        tkf_clobber();
    }
}

/* The result is kept in a local, and stored once after the loop. */
TKF_BENCH_NAMED(SinkPlace_after, "SinkPlace/after")
{
    uint64_t x = tkf_opaque(UINT64_C(88172645463325252));
    tkf_keep(&sink);
    while (tkf_loop(b))
        x = step(x);
    sink = x;
    tkf_clobber();
}
