/* SPDX-License-Identifier: MIT */
/* capped: the framework did as many iterations as it ever does, and they took next to no time. */
#include <math.h>

#include "../judge.h"

/*
 * Far under the benchmark time: a hundredth. What goes through bytes or a batch is quicker for each
 * of them by as much as a core can do at once, so there a thousandth.
 */
static double far_under(const struct tkf_case *c)
{
    return c->batch_known || c->rate_explains ? 0.001 : 0.01;
}

bool tkf_rule_capped(struct tkf_case *c)
{
    const struct tkf_result *row = c->row;
    double cap = c->floor->harness ? c->floor->harness->cap : NAN;
    double total_ns = row->iterations * row->ns;
    char total[TKF_TIME_SIZE], meant[TKF_TIME_SIZE];
    if (!tkf_number_is_known(c) || !(row->iterations >= cap) ||
        !(total_ns < far_under(c) * c->floor->benchtime_ns))
        return false;
    tkf_say(
        c, "iteration-cap",
        "%.0f iterations, the most that the framework does, took %s, where it meant to measure for "
        "%s; its timer did not run with "
        "the work, or there was none",
        row->iterations, tkf_time_text(total, total_ns),
        tkf_time_text(meant, c->floor->benchtime_ns));
    return true;
}
