/* SPDX-License-Identifier: MIT */
/** Reading a performance counter by instruction, where the operating system lets user mode do it. */
#ifndef TKF_ARCH_PMC_H
#define TKF_ARCH_PMC_H

#include <stdbool.h>
#include <stdint.h>

/** The instruction, as tkf_pmu_status.how names it; "" on a CPU where there is none. */
#define TKF_PMC_NAME "mrs"

#define TKF_PMC_CASE(n)                                                                   \
    case n:                                                                               \
        __asm__ volatile("isb\n\tmrs %0, pmevcntr" #n "_el0" : "=r"(value) : : "memory"); \
        break

/**
 * Read one counter. Traps where it is forbidden.
 * @param counter  0..30 an event counter (PMEVCNTR<n>_EL0), 31 the cycle counter (PMCCNTR_EL0).
 * @return false when there is no such counter.
 *
 * A read may be done early (Arm ARM, "Synchronization requirements for AArch64 System registers"): ISB keeps it behind
 * the work that it is to count. The register's number is part of the instruction, so each has its own; the indirect way, PMSELR_EL0 and
 * PMXEVCNTR_EL0, is not safe in user mode, where the selector is not kept over a context switch.
 */
static inline bool tkf_arch_pmc(uint32_t counter, uint64_t *ret_value)
{
    uint64_t value;
    switch (counter) {
        TKF_PMC_CASE(0);
        TKF_PMC_CASE(1);
        TKF_PMC_CASE(2);
        TKF_PMC_CASE(3);
        TKF_PMC_CASE(4);
        TKF_PMC_CASE(5);
        TKF_PMC_CASE(6);
        TKF_PMC_CASE(7);
        TKF_PMC_CASE(8);
        TKF_PMC_CASE(9);
        TKF_PMC_CASE(10);
        TKF_PMC_CASE(11);
        TKF_PMC_CASE(12);
        TKF_PMC_CASE(13);
        TKF_PMC_CASE(14);
        TKF_PMC_CASE(15);
        TKF_PMC_CASE(16);
        TKF_PMC_CASE(17);
        TKF_PMC_CASE(18);
        TKF_PMC_CASE(19);
        TKF_PMC_CASE(20);
        TKF_PMC_CASE(21);
        TKF_PMC_CASE(22);
        TKF_PMC_CASE(23);
        TKF_PMC_CASE(24);
        TKF_PMC_CASE(25);
        TKF_PMC_CASE(26);
        TKF_PMC_CASE(27);
        TKF_PMC_CASE(28);
        TKF_PMC_CASE(29);
        TKF_PMC_CASE(30);
    case 31:
        __asm__ volatile("isb\n\tmrs %0, pmccntr_el0" : "=r"(value) : : "memory");
        break;
    default:
        return false;
    }
    *ret_value = value;
    return true;
}

#undef TKF_PMC_CASE

/** The instruction that reads the core's own cycles, as a profile names it; "" on a CPU where there is none. */
#define TKF_CORE_CLOCK_NAME ""

/** Read the core's own cycles. @return false: this CPU has no such counter that user mode may read. */
static inline bool tkf_arch_core_clock(uint64_t *ret_cycles)
{
    (void)ret_cycles;
    return false;
}

#endif
