/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <libproc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host.h"
#include "system.h"

struct tkf_pmu {
    bool of_thread; /* otherwise the whole process is counted */
};

bool tkf_selfcounts(uint32_t kind, struct tkf_selfcounts *ret_counts, size_t size)
{
    typedef int selfcounts_fn(uint32_t kind, void *counts, size_t size);
    static selfcounts_fn *selfcounts;
    if (selfcounts == NULL)
        selfcounts = (selfcounts_fn *)dlsym(RTLD_DEFAULT, "thread_selfcounts");
    return selfcounts != NULL && selfcounts(kind, ret_counts, size) == 0;
}

int tkf_pmu_read(struct tkf_pmu *pmu, struct tkf_events *ret_events)
{
    if (pmu == NULL || ret_events == NULL)
        return TKF_EINVAL;

    struct tkf_selfcounts counts;
    if (pmu->of_thread) {
        if (!tkf_selfcounts(TKF_THSC_CPI, &counts, sizeof(counts)))
            return TKF_EUNSUPPORTED;
        *ret_events =
            (struct tkf_events){.cycles = counts.cycles, .instructions = counts.instructions};
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
    pmu->of_thread = true;
    if (!counts(pmu)) {
        how = "proc_pid_rusage";
        pmu->of_thread = false;
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

const char tkf_pmu_counter_rate[] = "machdep.tsc.frequency";

double tkf_pmu_counter_hz(void)
{
    uint64_t hz; /* of Intel's counter; that of arm64 the CPU tells itself, in CNTFRQ_EL0 */
    return tkf_sysctl_number(tkf_pmu_counter_rate, &hz) && hz != 0 ? (double)hz : NAN;
}

void tkf_pmu_device(const char *root, unsigned cpu, char *ret_name, size_t size)
{
    (void)root, (void)cpu, (void)size; /* the system has no drivers that one could name */
    ret_name[0] = '\0';
}
