/* SPDX-License-Identifier: MIT */
/** What the files of this folder share. */
#ifndef TKF_HOST_MACOS_SYSTEM_H
#define TKF_HOST_MACOS_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** facts.c: a sysctl's number. False when there is no such name. */
bool tkf_sysctl_number(const char *name, uint64_t *ret_number);

/** What thread_selfcounts() fills: one of these, or one for each performance level, fastest first. */
struct tkf_selfcounts {
    uint64_t instructions;
    uint64_t cycles;
};

/** Its kinds (XNU, bsd/sys/resource_private.h). */
enum { TKF_THSC_CPI = 1, TKF_THSC_CPI_PER_PERF_LEVEL = 2 };

/**
 * pmu.c: thread_selfcounts(), what the calling thread has executed; for any user, since macOS 12.4. libSystem exports it
 * without a public header, so it is looked up by name.
 * @return false where it is missing, or does not count: in a virtual machine.
 */
bool tkf_selfcounts(uint32_t kind, struct tkf_selfcounts *ret_counts, size_t size);

#endif
