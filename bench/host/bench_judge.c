/* SPDX-License-Identifier: MIT */
/** Rows of this harness against the floor that was measured in the same run. */
#include <math.h>

#include "bench_run.h"

/** The lowest of the repetitions: the one that was least disturbed. */
static double lowest_ns(const struct tkf_bench_row *row)
{
    double lowest = NAN;
    for (unsigned i = 0; i < row->nrepetitions; i++) {
        const struct tkf_bench_repetition *r = &row->repetitions[i];
        if (r->error[0] == '\0' && !(lowest <= r->ns))
            lowest = r->ns;
    }
    return lowest;
}

void tkf_bench_judge(const struct tkf_bench_session *session, struct tkf_bench_row *rows,
                     size_t nrows)
{
    double suspect_ns = session->profile.suspect_below_ns;
    double cycle_ns = session->profile.cpus[0].floor.cycle_ns;
    for (size_t i = 0; i < nrows; i++) {
        double ns = lowest_ns(&rows[i]);
        if (isnan(ns))
            continue;
        rows[i].verdict = ns < suspect_ns ? "at-floor" : "ok";
        snprintf(rows[i].evidence, sizeof rows[i].evidence,
                 "%.3g ns are %.2f cycles; below %.3g ns it cannot be told from an empty loop here",
                 ns, ns / cycle_ns, suspect_ns);
    }
}
