/* SPDX-License-Identifier: MIT */
/** Reading a performance counter by instruction: a CPU that this tree does not know has none. */
#ifndef TKF_ARCH_PMC_H
#define TKF_ARCH_PMC_H

#include <stdbool.h>
#include <stdint.h>

/** The instruction, as tkf_pmu_status.how names it; "" on a CPU where there is none. */
#define TKF_PMC_NAME ""

/** @return false: there is no such counter. */
static inline bool tkf_arch_pmc(uint32_t counter, uint64_t *ret_value)
{
    (void)counter;
    (void)ret_value;
    return false;
}

/** The instruction that reads the core's own cycles, as a profile names it; "" on a CPU where there is none. */
#define TKF_CORE_CLOCK_NAME ""

/** Read the core's own cycles. @return false: this CPU has no such counter that user mode may read. */
static inline bool tkf_arch_core_clock(uint64_t *ret_cycles)
{
    (void)ret_cycles;
    return false;
}

#endif
