/* SPDX-License-Identifier: MIT */
/** Reading time on a CPU that tickfloor has no folder for. Include <tickfloor/now.h>, not this. */
#ifndef TICKFLOOR_ARCH_READ_H
#define TICKFLOOR_ARCH_READ_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The system's monotonic clock, ns. Defined by libtickfloor: here the reads are calls, and need it
 * linked.
 */
__attribute__((visibility("default"))) uint64_t tkf_env_clock_ns(void);

#ifdef __cplusplus
}
#endif

/* No fence is known for a CPU that is not known. The call keeps the compiler from moving memory
 * accesses across it, and the clock behind it orders its own counter as the system sees fit. */
static inline uint64_t tkf_arch_now(void)
{
    return tkf_env_clock_ns();
}

static inline uint64_t tkf_arch_now_unfenced(void)
{
    return tkf_env_clock_ns();
}

#endif
