/* SPDX-License-Identifier: MIT */
/*
 * at-floor: the number cannot be told from an empty loop of this framework. It does not say that
 * the body is gone.
 */
#include <math.h>
#include <string.h>

#include "../judge.h"

/*
 * An empty loop counts, compares, branches; one that keeps its body's value moves it. More was done
 * for each operation.
 */
bool tkf_work_is_seen(const struct tkf_case *c)
{
    enum { LOOP_INSTRUCTIONS = 5 };
    return c->row->instructions * c->batch > LOOP_INSTRUCTIONS;
}

/*
 * What an overhead was taken off: the rest is nothing when it is less than its own spread, or than
 * a quarter of a cycle.
 */
static bool is_rest_of_nothing(struct tkf_case *c)
{
    char rest[TKF_TIME_SIZE];
    double quarter_ns = 0.25 * c->floor->cycle_min_ns;
    if (c->row->ns > quarter_ns && !(c->row->ns_lo <= 0 && c->row->ns_hi > 0))
        return false;
    tkf_say(c, "nothing-left",
            "%s are left after the framework took its own overhead off, less than can be told from "
            "nothing; the body costs no more "
            "than an empty one, or too much was taken off",
            tkf_time_text(rest, c->row->ns));
    return true;
}

static bool is_empty_loop(struct tkf_case *c)
{
    char compared[TKF_COMPARED_SIZE], range[TKF_RANGE_SIZE];
    bool by_fastest;
    const struct tkf_form_floor *form = tkf_floor_form(c, &by_fastest);
    if (!form)
        return false;
    const char *empty = tkf_empty_text(c);
    bool loop = strcmp(empty, "loop") == 0; /* in which work can hide */
    tkf_compared_text(compared, c, by_fastest);
    if (c->row->is_floor)
        tkf_say(c, "empty-loop",
                "%s; it is an empty benchmark, the floor that the others are held against",
                compared);
    else
        tkf_say(
            c, "empty-loop",
            "%s, where an empty %s takes %s; it cannot be told from an empty %s, be it that the work "
            "is gone or that it %s",
            compared, empty, tkf_range_text(range, form->low, form->mid_most), empty,
            loop ? "fits beside the loop's own" : "takes next to nothing");
    if (c->sharers > 1)
        tkf_say(
            c, "may-be-shared",
            "up to %.0f threads may have shared the work; if they did, the number is the time of "
            "one operation divided by them, "
            "and says nothing of the floor",
            c->sharers);
    return true;
}

bool tkf_rule_at_floor(struct tkf_case *c)
{
    bool one_thread = !(c->row->threads > 1);
    if (!tkf_number_is_known(c) || !one_thread || c->parallel ||
        c->timing == TKF_TIMING_EACH_CALL || tkf_clock_is_coarse(c) || tkf_work_is_seen(c))
        return false;
    if (c->rate_explains && tkf_below_one_cycle(c))
        return false;
    if (c->sharers > 1 && c->mid < c->floor->cycle_min_ns * TKF_CYCLE_SHARE &&
        c->timing == TKF_TIMING_BATCHED)
        return false; /* below the floor only threads that share can bring it: see undecided */
    if (c->timing == TKF_TIMING_SUBTRACTED && is_rest_of_nothing(c))
        return true;
    return is_empty_loop(c);
}
