/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <errno.h>
#include <libproc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host.h"

/*
 * Counts of the calling thread, for any user; macOS 12.4 and later. Exported by libSystem without a public header (XNU,
 * bsd/sys/resource_private.h), so it is looked up by name. Kind 1 fills { instructions, cycles }. ENOTSUP in a VM.
 */
typedef int selfcounts_fn(uint32_t kind, void *ret_counts, size_t size);
#define THSC_CPI 1

struct tkf_pmu {
    selfcounts_fn *selfcounts; /* NULL: the whole process is counted */
};

int tkf_pmu_read(struct tkf_pmu *pmu, struct tkf_events *ret_events)
{
    if (pmu == NULL || ret_events == NULL)
        return TKF_EINVAL;

    if (pmu->selfcounts != NULL) {
        uint64_t counts[2];
        if (pmu->selfcounts(THSC_CPI, counts, sizeof(counts)) != 0)
            return TKF_EUNSUPPORTED;
        *ret_events = (struct tkf_events){.cycles = counts[1], .instructions = counts[0]};
        return 0;
    }

    struct rusage_info_v4 usage;
    if (proc_pid_rusage(getpid(), RUSAGE_INFO_V4, (rusage_info_t *)&usage) != 0)
        return TKF_EUNSUPPORTED;
    *ret_events =
        (struct tkf_events){.cycles = usage.ri_cycles, .instructions = usage.ri_instructions};
    return 0;
}

/* Counters that cannot count read as zero, or stand still. */
static bool counts(struct tkf_pmu *pmu)
{
    struct tkf_events before, after;
    return tkf_pmu_read(pmu, &before) == 0 && tkf_pmu_read(pmu, &after) == 0 &&
           after.cycles > before.cycles && after.instructions > before.instructions;
}

void tkf_pmu_open(unsigned cpu, struct tkf_pmu **ret_pmu, struct tkf_pmu_status *ret_status)
{
    (void)cpu; /* both ways follow the thread over every kind of core */
    *ret_pmu = NULL;
    *ret_status = (struct tkf_pmu_status){.available = false};

    struct tkf_pmu *pmu = malloc(sizeof(*pmu));
    if (pmu == NULL) {
        snprintf(ret_status->reason, sizeof(ret_status->reason), "out of memory");
        snprintf(ret_status->next, sizeof(ret_status->next), "free some memory and try again");
        return;
    }

    const char *how = "thread_selfcounts";
    pmu->selfcounts = (selfcounts_fn *)dlsym(RTLD_DEFAULT, how);
    if (pmu->selfcounts == NULL || !counts(pmu)) {
        how = "proc_pid_rusage";
        pmu->selfcounts = NULL;
        if (!counts(pmu)) {
            tkf_pmu_close(pmu);
            snprintf(ret_status->reason, sizeof(ret_status->reason),
                     "this system counts no cycles: usual in a virtual machine");
            snprintf(ret_status->next, sizeof(ret_status->next),
                     "nothing to do: results stand on the dependent chain alone");
            return;
        }
    }
    ret_status->available = true;
    snprintf(ret_status->how, sizeof(ret_status->how), "%s", how);
    *ret_pmu = pmu;
}

void tkf_pmu_close(struct tkf_pmu *pmu)
{
    free(pmu);
}

double tkf_pmu_counter_hz(void)
{
    return NAN; /* macOS has no perf page */
}

void tkf_pmu_device(const char *root, unsigned cpu, char *ret_name, size_t size)
{
    (void)root, (void)cpu, (void)size; /* the system has no drivers that one could name */
    ret_name[0] = '\0';
}
