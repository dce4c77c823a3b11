/* SPDX-License-Identifier: MIT */
/*
 * near-floor: a good part of the number is the loop, or the clock, and not the body. Not flagged.
 */
#include <math.h>

#include "../judge.h"

#define NEAR_SHARE 0.3

bool tkf_rule_near_floor(struct tkf_case *c)
{
    char floor[TKF_TIME_SIZE];
    const struct tkf_form_floor *form = tkf_floor_nearest(c);
    bool subtracts = c->timing == TKF_TIMING_SUBTRACTED;
    if (!tkf_number_is_known(c) || subtracts || !form || c->rate_explains || c->sharers > 1 ||
        c->parallel)
        return false;
    double share = form->mid / c->mid;
    if (!(share >= NEAR_SHARE))
        return false;
    tkf_say(
        c, "floor-share",
        "about %.0f %% of it is what an empty %s takes (%s); compare such numbers by what is above "
        "that",
        fmin(share, 1) * 100, tkf_empty_text(c->timing), tkf_time_text(floor, form->mid));
    return true;
}
