/* SPDX-License-Identifier: MIT */
/*
 * What stands in the file beside the time, and speaks for a verdict or against it, or is to be
 * known of a number that is ok.
 */
#include <math.h>

#include "../judge.h"

static void on_allocations(struct tkf_case *c, bool flagged)
{
    const struct tkf_result *row = c->row;
    if (row->allocs == 0 && row->alloc_bytes > 0)
        tkf_say(c, "allocs",
                "0 allocations but %.4g bytes an operation: the count is a whole-numbered mean, so "
                "fewer than one operation in two or "
                "so allocates",
                row->alloc_bytes);
    else if (flagged && row->allocs == 0 && row->alloc_bytes == 0)
        tkf_say(c, "allocs",
                "nothing is allocated; if the body is meant to allocate, that is gone");
    else if (flagged && row->allocs >= 1)
        tkf_say(c, "allocs",
                "yet %.4g allocations an operation are counted, which takes more than a loop does",
                row->allocs);
}

static void on_instructions(struct tkf_case *c)
{
    const struct tkf_result *row = c->row;
    if (isnan(row->instructions) || isnan(c->mid) || !(c->mid < 10 * c->floor->cycle_max_ns))
        return;
    if (tkf_work_is_seen(c))
        tkf_say(c, "instructions",
                "%.3g instructions an operation are counted, more than an empty loop has: there is "
                "work in it",
                row->instructions);
    else
        tkf_say(c, "instructions",
                "%.3g instructions an operation are counted, no more than an empty loop has",
                row->instructions);
}

/* Those within 2 % of a value, of n sorted ones. */
static size_t neighbours(const double *sorted, size_t n, double value)
{
    size_t bounds[2];
    for (int side = 0; side < 2; side++) {
        double limit = value * (side == 0 ? 0.98 : 1.02);
        size_t from = 0, to = n;
        while (from < to) {
            size_t middle = from + (to - from) / 2;
            if (sorted[middle] < limit)
                from = middle + 1;
            else
                to = middle;
        }
        bounds[side] = from;
    }
    return bounds[1] - bounds[0];
}

static void on_cluster(struct tkf_case *c)
{
    enum { MANY = 4 };
    size_t same = neighbours(c->floor->sorted_ns, c->floor->nsorted, c->row->ns);
    if (same >= MANY)
        tkf_say(
            c, "cluster",
            "%zu other benchmarks of this run read the same within 2 %%; a reading that unrelated "
            "benchmarks share is the "
            "instrument's",
            same - 1);
}

static void on_iterations(struct tkf_case *c)
{
    double cap = c->floor->harness ? c->floor->harness->cap : NAN;
    double total_ns = c->row->iterations * c->row->ns;
    char total[TKF_TIME_SIZE];
    if (c->row->iterations >= cap && total_ns < 0.5 * c->floor->benchtime_ns)
        tkf_say(
            c, "iteration-cap",
            "it ran into the framework's limit of %.0f iterations after %s, short of the time it "
            "measures for",
            cap, tkf_time_text(total, total_ns));
}

/* A look-up does not grow either. */
static void on_family(struct tkf_case *c)
{
    if (c->family && !c->family_stated)
        tkf_say(c, "flat-family",
                "from size %.0f to %.0f the time stays the same; right for a look-up, while a loop "
                "over the size became a formula or was moved out",
                c->family_from, c->family_to);
}

static void on_clocks(struct tkf_case *c)
{
    const struct tkf_result *row = c->row;
    char first[TKF_TIME_SIZE], second[TKF_TIME_SIZE];
    double sharers = row->threads > 1 ? row->threads : 1;
    if (row->cpu_ns > 10 * row->manual_ns + 100 * c->floor->cycle_max_ns)
        tkf_say(
            c, "manual-time",
            "the benchmark reported %s itself, while its CPU time is %s; if the two should agree, "
            "look at the unit",
            tkf_time_text(first, row->manual_ns), tkf_time_text(second, row->cpu_ns));
    if (row->cpu_ns > 0 && row->wall_ns > 1.3 * sharers * row->cpu_ns &&
        fabs(row->ns - row->cpu_ns) < fabs(row->ns - row->wall_ns))
        tkf_say(
            c, "wall-time",
            "%.2g times as much wall time passed as CPU time; something else ran beside it, or it "
            "waited",
            row->wall_ns / row->cpu_ns);
}

/*
 * A loop that lands on another address or beside a busy neighbour takes twice the cycles, with the
 * same code.
 */
static void on_baseline(struct tkf_case *c, bool flagged)
{
    const struct tkf_result *row = c->row, *base = c->base;
    const struct tkf_form_floor *form = tkf_floor_nearest(c);
    if (!base || !form || !tkf_number_is_known(c))
        return;
    double floor_most = form->mid_most * (1 + TKF_FLOOR_TOLERANCE);
    bool was = base->ns * c->batch <= floor_most;
    if (was && !flagged && row->ns > 5 * base->ns)
        tkf_say(
            c, "baseline-was-quiet",
            "in the baseline it was at the floor; it may be measured now for the first time, and "
            "not slower");
    else if (flagged && base->ns * c->batch <= 2.2 * form->mid_most &&
             fabs(base->ns - row->ns) > 0.3 * fmin(base->ns, row->ns))
        tkf_say(
            c, "placement",
            "it differs from the baseline by no more than an empty loop does on another address; "
            "no gain and no loss");
}

void tkf_corroborate(struct tkf_case *c, enum tkf_verdict verdict)
{
    bool flagged = verdict < TKF_VERDICT_NEAR_FLOOR;
    bool small = verdict == TKF_VERDICT_NEAR_FLOOR || verdict == TKF_VERDICT_UNDECIDED;
    bool at_floor = verdict == TKF_VERDICT_AT_FLOOR || verdict == TKF_VERDICT_WENT_QUIET;
    if (c->row->remark && !c->row->failed)
        tkf_say(c, "framework-says", "the framework says: \"%.200s\"", c->row->remark);
    on_instructions(c);
    on_allocations(c, flagged);
    if (verdict != TKF_VERDICT_CAPPED && (flagged || small))
        on_iterations(c);
    on_family(c);
    on_clocks(c);
    on_baseline(c, flagged);
    if (at_floor)
        on_cluster(c);
}
