/* SPDX-License-Identifier: MIT */
/*
 * near-floor: a good part of the number is the loop, or the clock, and not the body. Not flagged.
 */
#include <math.h>

#include "../judge.h"

/*
 * Go's -8 is how many threads there may be, and most benchmarks have it that use one: the name says
 * nothing of it.
 */
static void say_sharers(struct tkf_case *c)
{
    if (c->sharers > 1)
        tkf_say(c, "may-be-shared",
                "if it is one that runs in parallel (RunParallel), up to %.0f threads shared the "
                "work, and the number says nothing of the floor",
                c->sharers);
}

static void say_slow(struct tkf_case *c, const struct tkf_form_floor *form, bool by_fastest)
{
    char compared[TKF_COMPARED_SIZE], range[TKF_RANGE_SIZE];
    tkf_say(
        c, "slow-empty-loop",
        "%s, where an empty %s takes %s here; on an unlucky address, or while a neighbour "
        "keeps the core busy, one cycle becomes two, so that it cannot be told from an empty %s",
        tkf_compared_text(compared, c, by_fastest), tkf_empty_text(c),
        tkf_range_text(range, form->low, form->slow), tkf_empty_text(c));
    say_sharers(c);
}

static void say_share(struct tkf_case *c, const struct tkf_form_floor *form, double share)
{
    char floor[TKF_TIME_SIZE];
    tkf_say(
        c, "floor-share",
        "about %.0f %% of it is what an empty %s takes (%s); compare such numbers by what is above "
        "that",
        fmin(share, 1) * 100, tkf_empty_text(c), tkf_time_text(floor, form->mid));
    say_sharers(c);
}

bool tkf_rule_near_floor(struct tkf_case *c)
{
    const struct tkf_form_floor *form = tkf_floor_nearest(c);
    bool subtracts = c->timing == TKF_TIMING_SUBTRACTED;
    if (!tkf_number_is_known(c) || subtracts || !form || c->rate_explains || c->row->threads > 1 ||
        c->parallel)
        return false;
    double share = form->mid / c->mid;
    bool by_fastest;
    if (tkf_floor_may_be_slow(c, form, &by_fastest))
        say_slow(c, form, by_fastest);
    else if (share >= TKF_NEAR_SHARE)
        say_share(c, form, share);
    else
        return false;
    return true;
}
