/* SPDX-License-Identifier: MIT */
#include "pmu.h"

const char tkf_pmu_named_missing[] = " (built without libpfm4: named events not tried)";

int tkf_pmu_named(struct tkf_pmu_event ret_pair[2])
{
    (void)ret_pair;
    return TKF_EUNSUPPORTED;
}
