/* SPDX-License-Identifier: MIT */
/**
 * What every architecture folder provides, and all that core may ask of a CPU.
 *
 * An architecture folder holds the CPU and nothing else: how its counter is read, the machine code that is timed, and
 * how the CPU names itself. No operating system, no allocation, no output. The build chooses the folder; nothing here
 * is selected by the preprocessor.
 */
#ifndef TKF_ARCH_H
#define TKF_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickfloor/arch/cpu.h>

#include "kernels.h" /* of the chosen folder: TKF_KERNEL_ABI and the list of kernels */

/** What one tick of a counter is. A tick of the TSC or of CNTVCT is never a core cycle. */
enum tkf_unit {
    TKF_UNIT_REF_TICK,   /**< a fixed-rate reference tick (TSC, CNTVCT) */
    TKF_UNIT_CORE_CYCLE, /**< one cycle of the core's own clock */
    TKF_UNIT_NS,         /**< one nanosecond of the environment's clock */
};

/** What a kernel is for. */
enum tkf_role {
    TKF_ROLE_CHAIN, /**< a chain of dependent operations: latency-bound, its speed is the core clock */
    TKF_ROLE_LOOP, /**< an empty loop of one shape at one offset within its 64-byte line */
    TKF_ROLE_COST, /**< something small repeated: a call, a sink, a fenced read pair */
};

/**
 * A timed kernel: straight-line code that reads the counter, runs its body `iters` times, reads the counter again.
 *
 * @param iters      >= 1, how often the body runs.
 * @param ret_ticks  [2]: the first and the second reading, in ticks of the source the kernel belongs to.
 */
typedef void TKF_KERNEL_ABI tkf_kernel_fn(uint64_t iters, uint64_t ret_ticks[2]);

/** `n` fenced readings, back to back, into ret_ticks [n]. */
typedef void TKF_KERNEL_ABI tkf_burst_fn(uint64_t *ret_ticks, uint64_t n);

/** What the kernel of one index does; the same for every source of the architecture. */
struct tkf_kernel {
    const char *name;  /**< unique, as in the profile: "xor", "fused", "fused+62" */
    const char *shape; /**< a loop's shape ("fused"); for other roles the same as name */
    enum tkf_role role;
    uint16_t
        offset_bytes; /**< where in its 64-byte line a loop's first instruction lies; 0 is aligned */
    uint16_t ops; /**< operations for each iteration of the body: links of a chain, 1 for a loop */
    const char *text; /**< the instructions, for people */
};

extern const struct tkf_kernel tkf_arch_kernels[];
extern const unsigned tkf_arch_nkernels;

/** Indices into tkf_arch_kernels that core/measure needs by name. */
struct tkf_arch_roles {
    unsigned
        chain_cycle; /**< the chain that defines a core cycle: register XOR, one cycle a link */
    unsigned chain_check; /**< the chain that must agree with it: register ADD */
    unsigned loop_fused;  /**< the aligned decrement-and-branch loop */
};
extern const struct tkf_arch_roles tkf_arch_roles;

/**
 * Ask the CPU who it is. May execute an instruction that traps (CNTFRQ_EL0): call it under the environment's guard.
 * @param hints    what the environment knows; not NULL.
 * @param ret_cpu  zeroed by the caller, filled as far as it gets.
 */
void tkf_arch_identify(const struct tkf_cpu_hints *hints, struct tkf_cpu *ret_cpu);

/** The name of the folder: "amd64", "arm64", "generic". */
extern const char tkf_arch_name[];

/**
 * Given by the environment: its monotonic clock, ns. The source "os-clock" of every architecture reads it, so that a CPU whose
 * counter is forbidden still gets its floor measured, more coarsely.
 */
uint64_t TKF_KERNEL_ABI tkf_env_clock_ns(void);

/** One way to read time on this architecture. */
struct tkf_source {
    const char *name;  /**< as in `--source` and the profile: "rdtsc" */
    const char *fence; /**< the instructions of a fenced read: "lfence;rdtsc;lfence" */
    const char *next;  /**< what a user can do when this source is refused; NULL: nothing */
    const char *trapped; /**< who may be behind it where each read traps, and what to do; NULL: nothing traps */
    bool
        is_cpu_counter; /**< reads the CPU itself: may be forbidden, may trap, and declared rates are its own */
    enum tkf_unit unit;
    /** NULL when the CPU can have it; otherwise the reason, one clause. Nothing is executed that could trap. */
    const char *(*refuse)(const struct tkf_cpu *cpu);
    tkf_burst_fn *burst;
    tkf_kernel_fn *const *kernels; /**< [tkf_arch_nkernels] */
};

/** The sources, best first. */
extern const struct tkf_source tkf_arch_sources[];
extern const unsigned tkf_arch_nsources;

#endif
