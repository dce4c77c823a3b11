/* SPDX-License-Identifier: MIT */
#include <tickfloor/explore.h>

#include <string.h>

const char *tkf_explore_part_name(unsigned part)
{
    static const char *const names[TKF_EXPLORE_PARTS] = {
        [TKF_EXPLORE_LADDER] = "ladder",       [TKF_EXPLORE_BANDWIDTH] = "bandwidth",
        [TKF_EXPLORE_SYSTEM] = "system",       [TKF_EXPLORE_PAIRS] = "pairs",
        [TKF_EXPLORE_FREQUENCY] = "frequency", [TKF_EXPLORE_NOISE] = "noise",
    };
    return part < TKF_EXPLORE_PARTS ? names[part] : NULL;
}

const struct tkf_step *tkf_explore_step(const struct tkf_explore *explore, const char *name)
{
    for (unsigned i = 0; i < explore->nsteps; i++)
        if (strcmp(explore->steps[i].name, name) == 0)
            return &explore->steps[i];
    return NULL;
}
