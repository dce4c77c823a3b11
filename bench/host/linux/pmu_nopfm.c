/* SPDX-License-Identifier: MIT */
#include "pmu.h"

const char tkf_pmu_named_missing[] = " (built without libpfm4: named events not tried)";

int tkf_pmu_named(uint32_t type, struct tkf_pmu_event ret_pair[2])
{
    (void)type, (void)ret_pair;
    return TKF_EUNSUPPORTED;
}
