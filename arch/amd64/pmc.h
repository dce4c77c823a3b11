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

/** The instruction that reads the core's own cycles, as a profile names it; "" on a CPU where there is none. */
#define TKF_CORE_CLOCK_NAME "rdpru"

/**
 * Read APERF: cycles of the core's own clock, whoever uses it, while it does not sleep (AMD APM vol. 2, "Effective
 * Frequency"). Traps where CPUID does not announce RDPRU, where a hypervisor keeps it (KVM: #UD), and under CR4.TSD, by which
 * the TSC is forbidden too.
 * @return false: this CPU has no such counter that user mode may read.
 *
 * RDPRU is not ordered with its neighbours (APM vol. 3, RDPRU): the fences are those of the counter's reads. The bytes are
 * written out for assemblers that do not know it.
 */
static inline bool tkf_arch_core_clock(uint64_t *ret_cycles)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\t.byte 0x0f, 0x01, 0xfd\n\tlfence"
                     : "=a"(low), "=d"(high)
                     : "c"(1)
                     : "memory");
    *ret_cycles = (uint64_t)high << 32 | low;
    return true;
}

#endif
