/* SPDX-License-Identifier: MIT */
/** Reading the generic timer's virtual count. Include <tickfloor/now.h>, not this. */
#ifndef TICKFLOOR_ARCH_READ_H
#define TICKFLOOR_ARCH_READ_H

#include <stdint.h>

/*
 * CNTVCT_EL0 may be read speculatively and out of order relative to other instructions (Arm ARM DDI
 * 0487, "The Generic Timer in AArch64 state", on reading the counters; D6.1.2 in issue A). What
 * follows an ISB is fetched after the ISB has completed and does nothing before (same manual, ISB,
 * C6.2; "Context synchronization event", glossary): the one before the read keeps it behind every
 * earlier instruction, the one after it keeps every later instruction behind the read. CNTVCTSS_EL0
 * would need only the second, but it is undefined on a CPU without FEAT_ECV, and an inline read
 * does not choose.
 */
static inline uint64_t tkf_arch_now(void)
{
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

static inline uint64_t tkf_arch_now_unfenced(void)
{
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

#endif
