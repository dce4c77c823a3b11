/* SPDX-License-Identifier: MIT */
/* went-quiet: it was well above the floor in the baseline, and is at it now. */
#include <math.h>

#include "../judge.h"

/* A compiler's real gains seldom are. */
#define MANY_TIMES 5

/* Allocations that are gone count where little more than the loop is left. */
#define NEAR_FLOORS 2.5

/* A run on a busy machine hides an empty loop that is a cycle slower than it should be. */
static bool may_be_slow(const struct tkf_case *c)
{
    const struct tkf_form_floor *form = tkf_floor_nearest(c);
    bool by_fastest;
    return form && tkf_floor_may_be_slow(c, form, &by_fastest) && !c->rate_explains &&
           !c->parallel && !(c->row->threads > 1);
}

bool tkf_rule_went_quiet(struct tkf_case *c)
{
    struct tkf_case silent = *c;
    char then[TKF_TIME_SIZE], now[TKF_TIME_SIZE];
    const struct tkf_result *row = c->row, *base = c->base;
    silent.to = NULL;
    if (!base || !tkf_number_is_known(c) || !(base->ns > MANY_TIMES * row->ns))
        return false;
    bool lost_allocs = base->allocs >= 1 && row->allocs == 0 && !(row->alloc_bytes > 0) &&
                       c->mid <= NEAR_FLOORS * c->floor->plain_ns;
    if (!tkf_rule_at_floor(&silent) && !may_be_slow(c) && !lost_allocs)
        return false;
    tkf_time_text(then, base->ns);
    tkf_time_text(now, row->ns);
    if (lost_allocs)
        tkf_say(
            c, "went-quiet",
            "%s and %.4g allocations in the baseline, %s and none now, about what an empty loop "
            "takes; the compiler may have learned "
            "to remove the work",
            then, base->allocs, now);
    else
        tkf_say(
            c, "went-quiet",
            "%s in the baseline, %s now, which cannot be told from an empty loop; the compiler may "
            "have learned to remove the work",
            then, now);
    return true;
}
