/* SPDX-License-Identifier: MIT */
/**
 * The bare counter reads, inline.
 *
 * Units:    ticks of the CPU's main counter: the TSC on amd64, CNTVCT on arm64, nanoseconds on other CPUs. A tick is
 *           not a core cycle and, on most machines, not the smallest step either: see the profile's counter.step_ticks.
 * Errors:   none; the instruction traps where the operating system forbids it. tkf_counter_probe() finds out safely.
 * Context:  any thread, any environment. Compare two readings only when both were taken on the same CPU.
 */
#ifndef TICKFLOOR_NOW_H
#define TICKFLOOR_NOW_H

#include <stdint.h>

#include <tickfloor/arch/read.h>

/**
 * Read the counter, fenced: every earlier instruction has completed, no later one has begun.
 * Cost: the profile's counter.read_ns, 8 to 30 ns on the machines known.
 */
static inline uint64_t tkf_now(void)
{
    return tkf_arch_now();
}

/**
 * Read the counter without fences: the CPU may move the read across its neighbours by tens of cycles.
 * For timestamps of events far longer than that; never to time something short.
 */
static inline uint64_t tkf_now_unfenced(void)
{
    return tkf_arch_now_unfenced();
}

#endif
