/* SPDX-License-Identifier: MIT */
#include <time.h>

#include "host.h"

bool tkf_clock_works(void)
{
    return true;
}

uint64_t tkf_clock_ns(void *ctx)
{
    (void)ctx;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t TKF_KERNEL_ABI tkf_env_clock_ns(void)
{
    return tkf_clock_ns(NULL);
}
