/* SPDX-License-Identifier: MIT */
/*
 * timer-limited: the clock that timed it is too coarse, costs more than it, or did not run while
 * the work did.
 */
#include <math.h>

#include "../judge.h"

/* Of a number that is a few of its clock's steps, the steps are most of what is known. */
#define STEPS_NEEDED 10

/* Where reading the clock is so much of the number, the rest is within what reading it varies. */
#define CLOCK_SHARE 0.8

/* Waiting makes wall time longer than CPU time, a neighbour by two or three times. */
#define WAITING 10

static bool is_few_steps(const struct tkf_case *c)
{
    return c->row->ns <= STEPS_NEEDED * c->floor->quantum_ns;
}

static bool is_clock_read(const struct tkf_case *c)
{
    const struct tkf_form_floor *form = tkf_floor_nearest(c);
    double step_ns = c->floor->origin->timer_step_ns;
    if (c->timing != TKF_TIMING_EACH_CALL)
        return false;
    if (c->row->ns == 0)
        return true;
    return form && (c->mid * CLOCK_SHARE <= form->mid_most || c->mid <= form->mid_most + step_ns);
}

/* divan's clamp: the step of its clock, shared out over the iterations of a sample. */
static bool is_clamped_to_step(const struct tkf_case *c)
{
    return c->timing == TKF_TIMING_SUBTRACTED && c->row->sentinel && c->row->ns > 0;
}

bool tkf_clock_is_coarse(const struct tkf_case *c)
{
    return tkf_number_is_known(c) && (is_few_steps(c) || is_clock_read(c) || is_clamped_to_step(c));
}

static bool say_coarse(struct tkf_case *c)
{
    char ns[TKF_TIME_SIZE], other[TKF_TIME_SIZE];
    if (!tkf_clock_is_coarse(c))
        return false;
    tkf_time_text(ns, c->row->ns);
    if (is_few_steps(c))
        tkf_say(c, "clock-steps",
                "%s, where all numbers of this run are multiples of %s; the clock is too coarse to "
                "tell it from its neighbours",
                ns, tkf_time_text(other, c->floor->quantum_ns));
    else if (is_clamped_to_step(c))
        tkf_say(
            c, "clamped",
            "%s is the clock's step shared out over the iterations, which the framework puts in "
            "place of zero; it "
            "took less than the clock can tell",
            ns);
    else if (c->row->ns == 0)
        tkf_say(c, "clock-reads",
                "no time passed between two readings of the clock; it took less than the clock can "
                "tell");
    else
        tkf_say(
            c, "clock-reads",
            "%s, where an empty call that is timed the same way takes %s; each call is timed on "
            "its own, so that the number is "
            "mostly the clock's",
            ns, tkf_time_text(other, tkf_floor_nearest(c)->mid_most));
    return true;
}

/*
 * The CPU time of the thread that waits: the work is done by another. Who asked for wall time gets
 * it as the number.
 */
static bool say_wrong_clock(struct tkf_case *c)
{
    char wall[TKF_TIME_SIZE], cpu[TKF_TIME_SIZE];
    const struct tkf_result *row = c->row;
    bool by_cpu = fabs(row->ns - row->cpu_ns) < fabs(row->ns - row->wall_ns);
    double sharers = row->threads > 1 ? row->threads : 1;
    if (c->timing != TKF_TIMING_BATCHED || !by_cpu || !(row->cpu_ns > 0) ||
        !(row->wall_ns > WAITING * sharers * row->cpu_ns))
        return false;
    tkf_say(
        c, "cpu-time-of-a-waiter",
        "%s of CPU time, while %s passed; the timed thread waited for work that is done elsewhere, "
        "and its CPU time leaves that out",
        tkf_time_text(cpu, row->cpu_ns), tkf_time_text(wall, row->wall_ns));
    return true;
}

bool tkf_rule_timer_limited(struct tkf_case *c)
{
    return tkf_number_is_known(c) && (say_coarse(c) || say_wrong_clock(c));
}
