/* SPDX-License-Identifier: MIT */
/* undecided: the data cannot decide, and why. */
#include <math.h>

#include "../judge.h"

/*
 * Without a floor to hold it against: an empty loop of the slowest machine and the worst moment, a
 * clock's reading.
 */
#define SMALL_CYCLES   4
#define SMALL_CALL_NS  100
#define SMALL_START_NS 1e6

static const char *small_without_floor(const struct tkf_case *c)
{
    double small_ns = SMALL_CYCLES * c->floor->cycle_max_ns;
    switch (c->timing) {
    case TKF_TIMING_EACH_CALL:
        return c->mid < SMALL_CALL_NS ? "what timing one call costs there" : NULL;
    case TKF_TIMING_PROCESS:
        return c->mid < SMALL_START_NS ? "what starting a process costs there" : NULL;
    default:
        return c->mid < small_ns ? "what an empty loop costs there" : NULL;
    }
}

static bool is_shared(const struct tkf_case *c)
{
    const struct tkf_form_floor *form = tkf_floor_nearest(c);
    double floor_ns = form ? form->mid_most * (1 + TKF_FLOOR_TOLERANCE) : c->floor->cycle_max_ns;
    /* What would be near the floor of one thread is no better known when its name says parallel. */
    if (form && c->parallel)
        floor_ns = fmax(floor_ns, form->mid / TKF_NEAR_SHARE);
    return (c->sharers > 1 || c->parallel) && c->timing == TKF_TIMING_BATCHED && c->mid < floor_ns;
}

/* How many shared it stands in a file seldom: Go's -8 is how many there may have been. */
static void say_shared(struct tkf_case *c)
{
    char ns[TKF_TIME_SIZE];
    tkf_time_text(ns, c->row->ns);
    if (c->row->threads > 1 || c->parallel)
        tkf_say(c, "shared",
                "%s is the wall time divided among threads%s, so that nothing can be said of one "
                "operation's",
                ns, c->parallel && !(c->row->threads > 1) ? ", by its name" : "");
    else
        tkf_say(c, "shared",
                "%s, and up to %.0f threads may have shared the work; if it is one that runs in "
                "parallel (RunParallel), the number says nothing of one operation, else it is no "
                "more than an empty loop takes on many machines",
                ns, c->sharers);
}

/* It is what an empty loop of the form costs that the file does not tell from the one that is assumed. */
static bool is_untold(const struct tkf_case *c)
{
    const struct tkf_harness_form *untold = &c->floor->untold;
    double low = tkf_cycles(c->floor, c->low), mid = tkf_cycles(c->floor, c->mid);
    return untold->name && low <= untold->hi + TKF_FLOOR_TOLERANCE &&
           mid >= untold->lo - TKF_FLOOR_TOLERANCE && !tkf_work_is_seen(c);
}

bool tkf_rule_undecided(struct tkf_case *c)
{
    const struct tkf_result *row = c->row;
    if (row->failed)
        tkf_say(c, "failed", "it failed or was skipped, so there is no number%s%.200s",
                row->remark ? ": " : "", row->remark ? row->remark : "");
    else if (!tkf_number_is_known(c))
        tkf_say(c, "no-number", "it has no time of one operation");
    else if (is_shared(c))
        say_shared(c);
    else if (c->rate_explains && c->mid < c->floor->cycle_max_ns)
        tkf_say(
            c, "part-of-a-batch",
            "less than a cycle, at a rate that a machine can do; it must be the time of one byte "
            "or item among many that are done at "
            "once");
    else if (c->timing == TKF_TIMING_SUBTRACTED && c->mid < c->floor->cycle_max_ns)
        tkf_say(
            c, "overhead-taken-off",
            "less than one cycle is left after the framework took its own overhead off; real work "
            "and none both read so");
    else if (is_untold(c))
        tkf_say(c, "untold-loop",
                "%.3g cycles are what an empty %s loop takes on this machine; whether it ran that "
                "or %s, where this is work, the file does not say",
                tkf_cycles(c->floor, c->mid), c->floor->untold.name, c->floor->known[0].name);
    else if (c->timing == TKF_TIMING_UNKNOWN && c->mid < SMALL_CYCLES * c->floor->cycle_max_ns)
        tkf_say(
            c, "timing-unknown",
            "the file does not say how it was timed, or whether it is the time of one operation");
    else if (c->floor->nforms == 0 && small_without_floor(c))
        tkf_say(c, "no-floor", "the machine that ran it is not known here, nor %s",
                small_without_floor(c));
    else
        return false;
    return true;
}
