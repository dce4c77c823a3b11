/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "row.h"

#define SHOWN_MAX 80 /* bytes of a line in a notice */

/* ---- origins ---- */

void tkf_run_begin(struct tkf_run *run, struct tkf_sink *sink, const char *framework)
{
    *run = (struct tkf_run){
        .sink = sink,
        .facts = {.framework = framework,
                  .core_hz = NAN,
                  .timer_step_ns = NAN,
                  .own_floor_ns = NAN,
                  .cpus = NAN},
    };
}

struct tkf_origin *tkf_run_timed(struct tkf_run *run, enum tkf_timing timing)
{
    if (run->timed[timing]) {
        tkf_sink_choose(run->sink, run->timed[timing]);
        return run->timed[timing];
    }
    const struct tkf_origin *facts = &run->facts;
    struct tkf_origin *origin = tkf_sink_origin(run->sink, facts->framework, timing);
    origin->cpu = facts->cpu;
    origin->host = facts->host;
    origin->os = facts->os;
    origin->arch = facts->arch;
    origin->version = facts->version;
    origin->core_hz = facts->core_hz;
    origin->timer_step_ns = facts->timer_step_ns;
    origin->cpus = facts->cpus;
    return run->timed[timing] = origin;
}

/* ---- samples ---- */

void tkf_row_value(struct tkf_sink *sink, struct tkf_result *row, double ns)
{
    if (!isfinite(ns))
        return;
    tkf_row_sample(sink, row, ns);
    row->min_ns = fmin(row->min_ns, ns);
    row->max_ns = fmax(row->max_ns, ns);
}

void tkf_row_samples(struct tkf_sink *sink, struct tkf_result *row, const double *iterations,
                     const double *times_ns, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tkf_row_value(sink, row, times_ns[i] / iterations[i]);
        if (iterations[i] > 0 && !(iterations[i] <= row->iterations)) {
            row->iterations = iterations[i];
            row->total_ns = times_ns[i];
        }
    }
}

/* ---- the rest of a row ---- */

void tkf_row_rate(struct tkf_result *row, double per_second, double quantum)
{
    if (!(per_second > 0))
        return;
    row->ns = 1e9 / per_second;
    row->quantum_ns = row->ns * (quantum / per_second);
}

void tkf_row_spread(struct tkf_result *row, double ns)
{
    row->ns_lo = row->ns - fabs(ns);
    row->ns_hi = row->ns + fabs(ns);
}

void tkf_row_value_spread(struct tkf_result *row, struct tkf_slice value, double unit_ns,
                          enum tkf_statistic statistic)
{
    struct tkf_slice spread = {0};
    double number, quantum, width;
    tkf_cut_spread(value, &value, &spread);
    if (!tkf_number(value, TKF_NUMBER_POINT, &number, &quantum))
        return;
    row->ns = number * unit_ns;
    row->quantum_ns = quantum * unit_ns;
    row->statistic = statistic;
    if (tkf_cut(spread, "%", &spread, NULL))
        unit_ns = row->ns / 100;
    if (tkf_number(spread, TKF_NUMBER_POINT, &width, NULL))
        tkf_row_spread(row, width * unit_ns);
}

/* Ends that are the wrong way round are none. */
static void drop_reversed(double *lo, double *hi)
{
    if (*lo > *hi)
        *lo = *hi = NAN;
}

void tkf_row_give(struct tkf_sink *sink, struct tkf_result *row)
{
    drop_reversed(&row->ns_lo, &row->ns_hi);
    drop_reversed(&row->min_ns, &row->max_ns);
    if (isnan(row->ns) && !row->failed && !row->time_missing)
        tkf_sink_notice(sink, row->line, "%.200s: no time that could be read",
                        *row->name ? row->name : "a benchmark without a name");
    else
        tkf_sink_add(sink, row);
}

void tkf_notice_unread(struct tkf_sink *sink, unsigned line, struct tkf_slice text)
{
    tkf_sink_notice(sink, line, "not read: \"%.*s\"",
                    text.length < SHOWN_MAX ? (int)text.length : SHOWN_MAX, text.text);
}
