/* SPDX-License-Identifier: MIT */
#include <tickfloor/explore.h>

#include <string.h>

#include "profile_fields.h"

const char *tkf_explore_part_name(unsigned part)
{
    return part < TKF_EXPLORE_PARTS ? tkf_explore_part_names[part] : NULL;
}

const struct tkf_step *tkf_explore_step(const struct tkf_explore *explore, const char *name)
{
    for (unsigned i = 0; i < explore->nsteps; i++)
        if (strcmp(explore->steps[i].name, name) == 0)
            return &explore->steps[i];
    return NULL;
}
