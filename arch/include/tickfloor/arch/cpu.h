/* SPDX-License-Identifier: MIT */
/** What is known of a CPU: by the environment, and by the CPU itself. The same for every architecture. */
#ifndef TICKFLOOR_ARCH_CPU_H
#define TICKFLOOR_ARCH_CPU_H

#include <stdbool.h>
#include <stdint.h>

#define TKF_CPU_RATES_MAX 6

/** A rate that the hardware or its firmware declares for the counter. */
struct tkf_declared_rate {
    const char *name; /**< "cpuid-15h", "cntfrq" */
    double hz;
};

/** What the environment knows of the CPU and the CPU itself cannot say; zeros where unknown. */
struct tkf_cpu_hints {
    uint64_t hwcap, hwcap2; /**< the ELF auxiliary vector's words, arm64 Linux */
    uint64_t midr;          /**< MIDR_EL1 as the kernel publishes it, arm64 */
    bool
        has_ecv; /**< CNTVCTSS_EL0 may be read, where the environment says so other than by hwcap2 */
    bool
        lfence_serialises; /**< the environment vouches that LFENCE is dispatch-serialising (amd64) */
    const char *model_name; /**< the CPU's name as the environment knows it, NULL if it does not */
    const char *emulator;   /**< an emulator the environment recognised, NULL otherwise */
};

/** What the CPU says of itself. */
struct tkf_cpu {
    char vendor[32];
    char model_name[96];
    char hypervisor[32];              /**< "" without one */
    char emulator[32];                /**< "" when not known to be emulated */
    uint32_t family, model, stepping; /**< amd64 */
    uint64_t midr;                    /**< arm64 */
    bool has_counter;                 /**< the main counter exists at all */
    bool has_ordered_read;            /**< RDTSCP; CNTVCTSS */
    bool invariant;   /**< the counter's rate does not follow the core clock and it does not stop */
    bool fence_known; /**< the fence that the reads rely on is known to serialise here */
    bool counter_emulated; /**< the hypervisor says that each read of the counter traps to it */
    bool has_core_clock; /**< user mode may be able to read the core's own cycles: tkf_arch_core_clock() */
    struct tkf_declared_rate rates[TKF_CPU_RATES_MAX];
    unsigned nrates;
};

#endif
