/* SPDX-License-Identifier: MIT */
/*
 * DeadAlloc: a 64-byte allocation that nobody needs. Inlined, with its result discarded, the compiler sees both ends of it and
 * deletes it: what is measured is the empty loop, and the allocation count says so, because it has no floor. Run it with --mem.
 */
#include <stdlib.h>
#include <string.h>

#include "suite.h"

#define BUFFER_BYTES 64

static inline void *make_buffer(void)
{
    return malloc(BUFFER_BYTES);
}

static NOINLINE void *make_buffer_apart(void)
{
    void *buffer = malloc(BUFFER_BYTES);
    tkf_clobber(); /* or the compiler would see from outside that it only allocates */
    return buffer;
}

static NOINLINE void fill_buffer(unsigned char *buffer, int fill)
{
    memset(buffer, fill, BUFFER_BYTES);
    tkf_keep(buffer);
}

/* Dead: allocated, inlined, discarded. The allocation is deleted; 0 allocs/op, at the floor. */
TKF_BENCH_NAMED(DeadAlloc_discarded, "DeadAlloc/discarded")
{
    while (tkf_loop(b))
        free(make_buffer());
}

/* The same with a call that cannot be inlined: the compiler cannot know what it does, and the allocation is back. */
TKF_BENCH_NAMED(DeadAlloc_noinline, "DeadAlloc/noinline")
{
    while (tkf_loop(b))
        free(make_buffer_apart());
}

/* Inlined again, but the pointer is used: what an allocation and its release really cost. */
TKF_BENCH_NAMED(DeadAlloc_sink, "DeadAlloc/sink")
{
    while (tkf_loop(b)) {
        void *buffer = make_buffer();
        tkf_keep(buffer);
        free(buffer);
    }
}

/* A buffer of the same size that is used as well, on the stack: 0 allocs/op too, and this time it is the truth. */
TKF_BENCH_NAMED(DeadAlloc_kept, "DeadAlloc/kept")
{
    while (tkf_loop(b)) {
        unsigned char buffer[BUFFER_BYTES];
        fill_buffer(buffer, 7);
    }
}
