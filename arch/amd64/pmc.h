/* SPDX-License-Identifier: MIT */
/** Reading a performance counter by instruction, where the operating system lets user mode do it. */
#ifndef TKF_ARCH_PMC_H
#define TKF_ARCH_PMC_H

#include <stdbool.h>
#include <stdint.h>

/** The instruction, as tkf_pmu_status.how names it; "" on a CPU where there is none. */
#define TKF_PMC_NAME "rdpmc"

/**
 * Read one counter. Traps where it is forbidden.
 * @param counter  as the operating system numbers it for user mode.
 * @return false when there is no such counter.
 *
 * RDPMC is not ordered with its neighbours (Intel SDM vol. 2B, RDPMC): LFENCE keeps it from being read before the work
 * that it is to count has finished.
 */
static inline bool tkf_arch_pmc(uint32_t counter, uint64_t *ret_value)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdpmc" : "=a"(low), "=d"(high) : "c"(counter) : "memory");
    *ret_value = (uint64_t)high << 32 | low;
    return true;
}

#endif
