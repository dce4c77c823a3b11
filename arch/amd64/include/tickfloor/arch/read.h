/* SPDX-License-Identifier: MIT */
/** Reading the Time Stamp Counter. Include <tickfloor/now.h>, not this. */
#ifndef TICKFLOOR_ARCH_READ_H
#define TICKFLOOR_ARCH_READ_H

#include <stdint.h>

/*
 * RDTSC is not ordered with its neighbours (Intel SDM vol. 2B, RDTSC). LFENCE before it waits until every earlier
 * instruction has completed; LFENCE after it keeps every later one from starting before the counter was read. On AMD this
 * holds when LFENCE is dispatch-serialising, which Linux and macOS see to (AMD APM vol. 2, MSR C001_1029 bit 1).
 *
 * RDTSC clears the upper halves of RAX and RDX (Intel SDM, same place): 64-bit variables save the compiler clearing them.
 */
static inline uint64_t tkf_arch_now(void)
{
    uint64_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return high << 32 | low;
}

static inline uint64_t tkf_arch_now_unfenced(void)
{
    uint64_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return high << 32 | low;
}

#endif
