/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

/*
 * Where prctl(PR_SET_TSC) forbids the time stamp counter, clock_gettime() dies of it: the vDSO reads that counter in user mode.
 * The kernel itself may, so then it is asked. Found out once: the question costs more than the clock.
 */
static bool must_ask_kernel(void)
{
    static enum { UNDECIDED, VDSO, KERNEL } way; /* two threads would find the same */
    int now = __atomic_load_n(&way, __ATOMIC_RELAXED);
    if (now == UNDECIDED) {
        now = tkf_facts_forbidden(NULL) != NULL ? KERNEL : VDSO;
        __atomic_store_n(&way, now, __ATOMIC_RELAXED);
    }
    return now == KERNEL;
}

uint64_t tkf_clock_ns(void *ctx)
{
    (void)ctx;
    struct timespec now;
    if (must_ask_kernel())
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now);
    else
        clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t TKF_KERNEL_ABI tkf_env_clock_ns(void)
{
    return tkf_clock_ns(NULL);
}
