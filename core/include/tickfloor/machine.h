/* SPDX-License-Identifier: MIT */
/**
 * A machine described without measuring it: what it is, its kinds of core, and what makes it unfit to benchmark. This
 * one, or a recorded one: a folder with its proc/ and sys/.
 *
 * The JSON is "schema": "tickfloor.machine/1"; doc/machine.schema.json describes each member. What is unknown is "" or 0
 * here and null there. Context: hosted; the structs alone are freestanding.
 */
#ifndef TICKFLOOR_MACHINE_H
#define TICKFLOOR_MACHINE_H

#include <tickfloor/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A kind of core. */
struct tkf_core_kind {
    char name[32];     /**< "IntelAtom", "Arm Cortex-A55"; "" where there is one kind */
    char cpus[80];     /**< those of it that the process may use, "0-3,8" */
    unsigned ncpus;    /**< how many these are */
    unsigned ncores;   /**< of how many cores */
    unsigned max_mhz;  /**< as the system declares it */
    unsigned capacity; /**< work in a unit of time, of the largest core's 1024 (arm64 Linux) */
    char pmu[32];      /**< the kernel's driver of its hardware counters: "cpu_atom" */
};

#define TKF_CORE_KINDS_MAX 16

struct tkf_description {
    char tool[48];
    char root[256]; /**< the folder of a recorded machine; "" for this one */
    struct tkf_machine machine;
    unsigned packages, numa_nodes, cores;
    struct tkf_core_kind kinds[TKF_CORE_KINDS_MAX]; /**< fastest first */
    unsigned nkinds;
    char kinds_reason[200]; /**< why there are none; "" when there are */
    struct tkf_check checks[TKF_CHECKS_MAX];
    unsigned nchecks;
};

#if __STDC_HOSTED__

/**
 * Describe a machine.
 *
 * @param root             NULL for this one, or a folder that holds what was recorded of /proc and /sys; README.md says how
 *                         to record one. Linux only.
 * @param ret_description  written only on success.
 * @param ret_error        written only on failure.
 *
 * Errors:   TKF_EINVAL there is no recorded machine in root.
 * Context:  one thread at a time in a process: it may catch a signal, and for a recorded machine it sets an environment
 *           variable (hwloc's HWLOC_FSROOT) and removes it again.
 * Cost:     some ms. Nothing is measured, no thread is bound.
 */
int tkf_machine_describe(const char *root, struct tkf_description *ret_description,
                         struct tkf_input_error *ret_error);

/**
 * Write a description as JSON, indented by two spaces, with a final newline.
 * Errors: TKF_EIO the stream failed · TKF_ENOMEM.
 */
int tkf_description_write(const struct tkf_description *description, FILE *out);

#endif

#ifdef __cplusplus
}
#endif
#endif
