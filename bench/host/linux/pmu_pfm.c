/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdio.h>

#include <perfmon/pfmlib_perf_event.h>

#include "pmu.h"

const char tkf_pmu_named_missing[] = "";

/* The same two events under each maker's names. */
static const struct {
    const char *cycles, *instructions;
    bool
        common; /* one number on every core of the maker's: libpfm4 knows the first CPU's kind alone */
} names[] = {
    {"CPU_CYCLES", "INST_RETIRED", true},                   /* Arm */
    {"UNHALTED_CORE_CYCLES", "INSTRUCTION_RETIRED", false}, /* Intel */
    {"CYCLES_NOT_IN_HALT", "RETIRED_INSTRUCTIONS", false},  /* AMD */
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised;

/* pfm_initialize() may be called by one thread only. */
static void initialise(void)
{
    initialised = pfm_initialize();
}

/* Qualified by libpfm4's name for the kind of core, "adl_grt": without it the first kind is taken that has the event. */
static bool encode(const char *kind, const char *event, struct tkf_pmu_event *ret_event)
{
    char name[128];
    snprintf(name, sizeof(name), "%s::%s", kind, event);
    struct perf_event_attr attr = {.size = sizeof(attr)};
    pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
    if (pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg) != PFM_SUCCESS)
        return false;
    *ret_event = (struct tkf_pmu_event){attr.type, attr.config};
    return true;
}

/* The two events of one kind of core, for the driver `type`. */
static bool encode_pair(const char *kind, uint32_t type, struct tkf_pmu_event ret_pair[2])
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct tkf_pmu_event pair[2];
        if (!encode(kind, names[i].cycles, &pair[0]) ||
            !encode(kind, names[i].instructions, &pair[1]))
            continue;
        /* Where libpfm4 does not know which driver serves a kind, it answers with a raw event. */
        for (int k = 0; k < 2 && type != 0; k++)
            if (names[i].common && pair[k].type == TKF_PMU_RAW)
                pair[k].type = type;
        if (type != 0 && (pair[0].type != type || pair[1].type != type))
            continue;
        ret_pair[0] = pair[0];
        ret_pair[1] = pair[1];
        return true;
    }
    return false;
}

int tkf_pmu_named(uint32_t type, struct tkf_pmu_event ret_pair[2])
{
    pthread_once(&once, initialise);
    if (initialised != PFM_SUCCESS)
        return TKF_EUNSUPPORTED;
    int kind;
    pfm_for_all_pmus(kind)
    {
        pfm_pmu_info_t info = {.size = sizeof(info)};
        if (pfm_get_pmu_info(kind, &info) == PFM_SUCCESS && info.is_present &&
            encode_pair(info.name, type, ret_pair))
            return 0;
    }
    return TKF_EUNSUPPORTED;
}
