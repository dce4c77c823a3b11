/* SPDX-License-Identifier: MIT */
/** Reading the generic timer's virtual count. Include <tickfloor/now.h>, not this. */
#ifndef TICKFLOOR_ARCH_READ_H
#define TICKFLOOR_ARCH_READ_H

#include <stdint.h>

/*
 * A read of CNTVCT_EL0 may be done early or late (Arm ARM, "Synchronization requirements for AArch64 System registers"):
 * ISB before it waits for every earlier instruction, ISB after it holds back every later one.
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
