/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gbench.h"
#include "keep.h"
#include "row.h"

static const char *const aggregate_names[TKF_GBENCH_AGGREGATES] = {
    [TKF_GBENCH_MEAN] = "mean", [TKF_GBENCH_MEDIAN] = "median", [TKF_GBENCH_STDDEV] = "stddev",
    [TKF_GBENCH_MIN] = "min",   [TKF_GBENCH_MAX] = "max",
};

struct tkf_origin *tkf_gbench_begin(struct tkf_gbench *state, struct tkf_sink *sink)
{
    *state = (struct tkf_gbench){.sink = sink};
    return tkf_sink_origin(sink, "google-benchmark", TKF_TIMING_BATCHED);
}

struct tkf_gbench_run tkf_gbench_run(struct tkf_sink *sink, unsigned line, const char *name)
{
    return (struct tkf_gbench_run){
        .name = name,
        .real_ns = NAN,
        .cpu_ns = NAN,
        .real_quantum_ns = NAN,
        .cpu_quantum_ns = NAN,
        .row = tkf_sink_row(sink, line),
    };
}

void tkf_gbench_counter(struct tkf_sink *sink, struct tkf_result *row, struct tkf_slice name,
                        double value)
{
    /* libpfm's names of events; the library divides them by the iterations. */
    const struct {
        const char *name;
        double *field;
    } known[] = {
        {"bytes_per_second", &row->bytes_per_second},
        {"items_per_second", &row->items_per_second},
        {"allocs_per_iter", &row->allocs},
        {"INSTRUCTIONS", &row->instructions},
        {"CYCLES", &row->cycles},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (tkf_slice_is(name, known[i].name)) {
            *known[i].field = value;
            return;
        }
    }
    tkf_row_metric(sink, row, tkf_keep(sink, name), value);
}

/* ---- which time ---- */

/* What follows "/KEY" in a name, where that is a whole part of it or ends in a colon; NULL. */
static const char *name_part(const char *name, const char *key)
{
    size_t length = strlen(key);
    for (const char *part = strchr(name, '/'); part; part = strchr(part + 1, '/')) {
        const char *end = part + 1 + length;
        if (strncmp(part + 1, key, length) == 0 && (key[length - 1] == ':' || *end == '/' || !*end))
            return end;
    }
    return NULL;
}

static double threads_of(const struct tkf_gbench_run *run, const char *name)
{
    if (!isnan(run->row.threads))
        return run->row.threads;
    const char *threads = name_part(name, "threads:");
    return threads ? strtoul(threads, NULL, 10) : 1;
}

static bool judged_by_real_time(const struct tkf_gbench_run *run, const char *name)
{
    return name_part(name, "real_time") || name_part(name, "manual_time") ||
           threads_of(run, name) > 1 || isnan(run->cpu_ns);
}

/* The row of a run under a name, times and all. */
static struct tkf_result finish_row(const struct tkf_gbench_run *run, const char *name)
{
    struct tkf_result row = run->row;
    bool real = judged_by_real_time(run, name);
    row.name = name;
    row.ns = real ? run->real_ns : run->cpu_ns;
    row.quantum_ns = real ? run->real_quantum_ns : run->cpu_quantum_ns;
    row.cpu_ns = run->cpu_ns;
    row.threads = threads_of(run, name);
    /* With a manual time the column of the real time holds what the benchmark reported itself. */
    if (name_part(name, "manual_time"))
        row.manual_ns = run->real_ns;
    else
        row.wall_ns = run->real_ns;
    return row;
}

/* ---- aggregates ---- */

/* The run of that name which gave its repetitions; NULL. */
static const struct tkf_result *seen_run(const struct tkf_gbench *state, const char *name)
{
    const struct tkf_result *row =
        tkf_sink_find(state->sink, tkf_sink_text(state->sink, "", 0), name);
    return row && !isnan(row->iterations) ? row : NULL;
}

static void add_iteration(struct tkf_gbench *state, const struct tkf_gbench_run *run)
{
    struct tkf_result row = finish_row(run, run->name);
    row.statistic = TKF_STATISTIC_MEAN;
    tkf_sink_add(state->sink, &row);
}

/*
 * The run as its aggregates tell it: the median where there is one, in the interval of one
 * standard deviation.
 */
static void add_aggregates(struct tkf_gbench *state, const char *name)
{
    int kind = state->have[TKF_GBENCH_MEDIAN] ? TKF_GBENCH_MEDIAN : TKF_GBENCH_MEAN;
    struct tkf_result row = finish_row(&state->aggregates[kind], name);
    row.statistic = kind == TKF_GBENCH_MEDIAN ? TKF_STATISTIC_MEDIAN : TKF_STATISTIC_MEAN;
    row.iterations = NAN;
    if (state->repetitions >= 1 && state->repetitions < 1e6)
        row.repetitions = (unsigned)state->repetitions;
    if (state->have[TKF_GBENCH_STDDEV])
        tkf_row_spread(&row, finish_row(&state->aggregates[TKF_GBENCH_STDDEV], name).ns);
    if (state->have[TKF_GBENCH_MIN] && state->have[TKF_GBENCH_MAX]) {
        double min_ns = finish_row(&state->aggregates[TKF_GBENCH_MIN], name).ns;
        double max_ns = finish_row(&state->aggregates[TKF_GBENCH_MAX], name).ns;
        row.min_ns = fmin(min_ns, max_ns);
        row.max_ns = fmax(min_ns, max_ns);
    }
    tkf_sink_add(state->sink, &row);
}

/* What was collected is complete: another run begins, or the input ends. */
static void flush(struct tkf_gbench *state)
{
    const char *name = state->pending;
    state->pending = NULL;
    if (!name || seen_run(state, name))
        return;
    const struct tkf_gbench_run *mean = &state->aggregates[TKF_GBENCH_MEAN];
    /* Aggregates come in company; a single row only has a name like one. */
    if (state->by_name && state->collected == 1 && state->have[TKF_GBENCH_MEAN])
        add_iteration(state, mean);
    else if (state->have[TKF_GBENCH_MEAN] || state->have[TKF_GBENCH_MEDIAN])
        add_aggregates(state, name);
    else
        tkf_sink_notice(state->sink, mean->row.line, "%s: only aggregates that are no time of it",
                        name);
}

static void collect(struct tkf_gbench *state, const struct tkf_gbench_run *run, const char *base,
                    const char *aggregate)
{
    if (!state->pending || strcmp(state->pending, base) != 0) {
        flush(state);
        state->pending = base;
        state->collected = 0;
        state->by_name = run->kind == TKF_GBENCH_BY_NAME;
        state->repetitions = run->row.iterations;
        memset(state->have, 0, sizeof(state->have));
        state->aggregates[TKF_GBENCH_MEAN].row.line = run->row.line;
    }
    state->collected++;
    for (int i = 0; i < TKF_GBENCH_AGGREGATES; i++) {
        if (strcmp(aggregate, aggregate_names[i]) == 0 && !run->no_time) {
            state->have[i] = true;
            state->aggregates[i] = *run;
        }
    }
}

/*
 * Whether a row that only its name can tell is an aggregate of `base`. Its iterations are the
 * number of repetitions, and were those of the runs before 1.5; the aggregates that a program adds
 * itself come after the standard ones.
 */
static bool aggregate_by_name(const struct tkf_gbench *state, const struct tkf_gbench_run *run,
                              const char *base, const char *aggregate)
{
    static const char *const standard[] = {"mean", "median", "stddev", "cv"};
    bool known = false;
    for (size_t i = 0; i < sizeof(standard) / sizeof(standard[0]); i++)
        known |= strcmp(aggregate, standard[i]) == 0;
    if (state->pending && strcmp(state->pending, base) == 0)
        return known || run->no_time || run->row.iterations == state->repetitions;
    const struct tkf_result *seen = seen_run(state, base);
    if (!known || !seen)
        return known;
    return run->no_time || (seen->repetitions > 1 && (run->row.iterations == seen->repetitions ||
                                                      run->row.iterations == seen->iterations));
}

/* The name without "_AGGREGATE" at its end; the name itself where it does not end so. */
static const char *strip_aggregate(struct tkf_sink *sink, const char *name, const char *aggregate)
{
    size_t length = strlen(name), suffix = strlen(aggregate) + 1;
    if (length <= suffix || name[length - suffix] != '_' ||
        strcmp(name + length - suffix + 1, aggregate) != 0)
        return name;
    return tkf_sink_text(sink, name, length - suffix);
}

void tkf_gbench_add(struct tkf_gbench *state, const struct tkf_gbench_run *run)
{
    const char *aggregate = run->aggregate;
    if (run->kind == TKF_GBENCH_BY_NAME) {
        const char *underscore = strrchr(run->name, '_');
        aggregate = underscore ? underscore + 1 : NULL;
        /* Coefficients of a fitted curve, and how well it fits. */
        if (aggregate && isnan(run->row.iterations) && !run->row.failed &&
            (strcmp(aggregate, "BigO") == 0 || strcmp(aggregate, "RMS") == 0))
            return;
    }

    const char *base = run->run_name;
    if (!base && aggregate)
        base = strip_aggregate(state->sink, run->name, aggregate);
    bool is_aggregate = aggregate && (run->kind == TKF_GBENCH_AGGREGATE ||
                                      (run->kind == TKF_GBENCH_BY_NAME && !run->row.failed &&
                                       aggregate_by_name(state, run, base, aggregate)));
    if (is_aggregate) {
        collect(state, run, base, aggregate);
        return;
    }
    flush(state);
    if (run->no_time)
        tkf_sink_notice(state->sink, run->row.line, "%s: no time in this row", run->name);
    else
        add_iteration(state, run);
}

void tkf_gbench_end(struct tkf_gbench *state)
{
    if (!state->sink)
        return;
    flush(state);
    *state = (struct tkf_gbench){0};
}
