/* SPDX-License-Identifier: MIT */
/**
 * Inside pmu.c on Linux: the parts that can be right or wrong without hardware, and the events of libpfm4.
 *
 * <linux/perf_event.h> cannot be included here: libpfm4's headers hold a copy of it, and the two exclude each other.
 */
#ifndef TKF_LINUX_PMU_H
#define TKF_LINUX_PMU_H

#include "host.h"

/** Which event to ask the kernel for: perf_event_attr's type and config. */
struct tkf_pmu_event {
    uint32_t type;
    uint64_t config;
};

/** PERF_TYPE_RAW: the first kind's driver. On Intel's hybrid CPUs it is also the number of the P cores' own. */
#define TKF_PMU_RAW 4

/** The kernel's driver for the counters of one kind of core, as /sys/bus/event_source/devices names it. */
struct tkf_pmu_device {
    char name[32];    /**< "" when no driver says which CPUs it covers */
    uint32_t type;    /**< 0 when no driver says which CPUs it covers: a machine of one kind */
    unsigned devices; /**< how many drivers say which CPUs they cover */
    uint64_t
        user_config; /**< what to set in perf_event_attr.config1 to be let read the counter; 0: nothing */
    bool has_events;
    struct tkf_pmu_event events[2]; /**< cycles and instructions, as the driver itself names them */
};

/**
 * Find the driver whose `cpus` file holds the CPU.
 * @param root  "" for this machine, or a folder with a recorded sys/ tree.
 */
void tkf_pmu_find(const char *root, unsigned cpu, struct tkf_pmu_device *ret_device);

/** The most that tkf_pmu_plan() asks for. */
#define TKF_PMU_PAIRS 4

/**
 * What to ask for, in order: cycles first, instructions second of each pair.
 * @return how many were written; 0 on a machine of several kinds where no driver says that it covers the CPU.
 */
unsigned tkf_pmu_plan(const struct tkf_pmu_device *device,
                      struct tkf_pmu_event ret_pairs[TKF_PMU_PAIRS][2]);

/** As tkf_pmu_named(): why it never has any, "" when it was built to have them. For the reader of a refusal. */
extern const char tkf_pmu_named_missing[];

/**
 * The CPU's own names for cycles and instructions, encoded by libpfm4 for the kind of core whose driver has that type.
 * @param type  0 on a machine of one kind: whatever libpfm4 answers with.
 * Errors: TKF_EUNSUPPORTED libpfm4 does not know this kind, or is not built in. Context: any thread.
 */
int tkf_pmu_named(uint32_t type, struct tkf_pmu_event ret_pair[2]);

/**
 * Say why perf_event_open() failed.
 * @param error       its errno.
 * @param paranoid    kernel.perf_event_paranoid, INT_MIN when it cannot be read.
 * @param ret_status  every member is written; available is false.
 */
void tkf_pmu_explain(int error, int paranoid, struct tkf_pmu_status *ret_status);

/**
 * What a group read returns, judged.
 * @param values  the words of PERF_FORMAT_GROUP with both times: number, enabled, running, cycles, instructions.
 * Errors: TKF_EUNSUPPORTED a counter was not running all the time.
 */
int tkf_pmu_judge(const uint64_t values[5], struct tkf_events *ret_events);

/**
 * A counter of `width` bits as the signed number that the kernel's offset is to be added to.
 * @param width  1..64
 */
int64_t tkf_pmu_extend(uint64_t raw, unsigned width);

/** The rate of the time counter, Hz, from a perf page's time_mult and time_shift; NAN when they cannot be one. */
double tkf_pmu_page_hz(uint32_t mult, unsigned shift);

#endif
