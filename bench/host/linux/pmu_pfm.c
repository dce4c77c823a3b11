/* SPDX-License-Identifier: MIT */
#include <pthread.h>

#include <perfmon/pfmlib_perf_event.h>

#include "pmu.h"

const char tkf_pmu_named_missing[] = "";

/* The same two events under each maker's names. */
static const char *const names[][2] = {
    {"CPU_CYCLES", "INST_RETIRED"},                  /* Arm */
    {"UNHALTED_CORE_CYCLES", "INSTRUCTION_RETIRED"}, /* Intel */
    {"CYCLES_NOT_IN_HALT", "RETIRED_INSTRUCTIONS"},  /* AMD */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised;

/* pfm_initialize() may be called by one thread only. */
static void initialise(void)
{
    initialised = pfm_initialize();
}

static bool encode(const char *name, struct tkf_pmu_event *ret_event)
{
    struct perf_event_attr attr = {.size = sizeof(attr)};
    pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
    if (pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg) != PFM_SUCCESS)
        return false;
    *ret_event = (struct tkf_pmu_event){attr.type, attr.config};
    return true;
}

int tkf_pmu_named(struct tkf_pmu_event ret_pair[2])
{
    pthread_once(&once, initialise);
    if (initialised != PFM_SUCCESS)
        return TKF_EUNSUPPORTED;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct tkf_pmu_event pair[2];
        if (encode(names[i][0], &pair[0]) && encode(names[i][1], &pair[1])) {
            ret_pair[0] = pair[0];
            ret_pair[1] = pair[1];
            return 0;
        }
    }
    return TKF_EUNSUPPORTED;
}
