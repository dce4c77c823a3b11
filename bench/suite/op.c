/* SPDX-License-Identifier: MIT */
/*
 * Op: small operations, honestly measured. One addition would hide under the loop, which has a cycle for it to hide in; so
 * the fast ones are chains of 16, each link waiting for the one before, and one operation is such a chain. None of them is flagged.
 */
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "suite.h"

#define CHAIN16(link) \
    link;             \
    link;             \
    link;             \
    link;             \
    link;             \
    link;             \
    link;             \
    link;             \
    link;             \
    link;             \
    link;             \
    link;             \
    link;             \
    link;             \
    link;             \
    link

/* Not optimised away nor reordered: the value passes through an empty asm at each link. */
#define LINK(x, operation) \
    x operation;           \
    __asm__ volatile("" : "+r"(x))

/* 16 additions, one cycle each. */
TKF_BENCH_NAMED(Op_add, "Op/add")
{
    uint64_t x = 1, y = tkf_opaque(UINT64_C(3));
    while (tkf_loop(b)) {
        CHAIN16(LINK(x, += y));
    }
    tkf_keep(x);
}

/* 16 multiplications, three cycles or so each. */
TKF_BENCH_NAMED(Op_mul, "Op/mul")
{
    uint64_t x = 1, y = tkf_opaque(UINT64_C(3));
    while (tkf_loop(b)) {
        CHAIN16(LINK(x, *= y));
    }
    tkf_keep(x);
}

/* 16 loads, each from the address that the one before gave: the latency of the first cache. */
TKF_BENCH_NAMED(Op_load, "Op/load")
{
    void *self = &self, **p = tkf_opaque((void **)&self);
    while (tkf_loop(b)) {
        CHAIN16(LINK(p, = (void **)*p));
    }
    tkf_keep(p);
}

/* The same with atomic loads that acquire: on most CPUs they cost no more. */
TKF_BENCH_NAMED(Op_atomic_load, "Op/atomic_load")
{
    void *self = &self, **p = tkf_opaque((void **)&self);
    while (tkf_loop(b)) {
        CHAIN16(LINK(p, = (void **)__atomic_load_n(p, __ATOMIC_ACQUIRE)));
    }
    tkf_keep(p);
}

/* A mutex that nobody else wants, locked and unlocked. */
TKF_BENCH_NAMED(Op_lock, "Op/lock")
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    while (tkf_loop(b)) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_destroy(&mutex);
}

/* Asking the system for the time. */
TKF_BENCH_NAMED(Op_clock, "Op/clock")
{
    struct timespec now;
    while (tkf_loop(b)) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        tkf_keep(&now);
    }
}

/* The way into the kernel and back. */
TKF_BENCH_NAMED(Op_syscall, "Op/syscall")
{
    while (tkf_loop(b))
        tkf_keep(getppid());
}
