/* SPDX-License-Identifier: MIT */
/**
 * The CPU limit that cgroups set on this process, version 1 or 2.
 *
 * Source: Documentation/admin-guide/cgroup-v2.rst (cpu.max, cpu.stat) and scheduler/sched-bwc.rst of the kernel;
 * cgroups(7) and proc_pid_mountinfo(5).
 */
#ifndef TKF_CGROUP_H
#define TKF_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The tightest limit on the way from this process's cgroup to the root. */
struct tkf_cgroup_quota {
    bool limited;         /**< false: there is none up to the root cgroup; the rest is 0 then */
    double cpus;          /**< CPU time for each unit of time */
    char group[64];       /**< where it is set, below the mount point; its end when it is longer */
    bool throttled_known; /**< cpu.stat could be read */
    uint64_t periods;     /**< enforcement periods since the cgroup was made */
    uint64_t throttled;   /**< of them, those in which it was stopped */
};

/**
 * Find the CPU limit of this process.
 *
 * A limit binds from any ancestor, so every level is read. A cgroup namespace hides the levels above its own root; "none"
 * is said only when the true root was reached.
 *
 * @param root       as for tkf_sysfile_open().
 * @param ret_reason [size], written on failure: one clause.
 * Errors: TKF_EUNSUPPORTED there are no cgroups, or some levels are hidden · TKF_EPERM · TKF_EIO · TKF_EFORMAT.
 */
int tkf_cgroup_quota(const char *root, struct tkf_cgroup_quota *ret_quota, char *ret_reason,
                     size_t size);

#endif
