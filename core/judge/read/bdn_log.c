/* SPDX-License-Identifier: MIT */
/* BenchmarkDotNet's log: every iteration with its operations and ns. WorkloadActual is the raw
 * time, OverheadActual that of the empty method, WorkloadResult the first less the median of the
 * second, never below 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bdn.h"
#include "row.h"

enum stage { RESULT, WORKLOAD, OVERHEAD, STAGES };

/* Names of a stage, the second until 2018. */
static const char *const stages[STAGES][2] = {
    [RESULT] = {"WorkloadResult", "Result"},
    [WORKLOAD] = {"WorkloadActual", "MainTarget"},
    [OVERHEAD] = {"OverheadActual", "IdleTarget"},
};

struct state {
    struct tkf_bdn bdn;
    bool has_block; /* of one benchmark */
    struct tkf_bdn_key key;
    unsigned line;
    struct tkf_result times; /* the results, gathered as samples */
    double sum[STAGES];      /* of ns of one operation */
    unsigned count[STAGES];
    double quantum_ns;
    double lo, hi;
    bool any_overhead, any_workload;
    bool end; /* after the runs: tables and hints */
};

static void end_block(struct state *state)
{
    if (!state->has_block)
        return;
    state->has_block = false;
    struct tkf_bdn_row *row = tkf_bdn_add(&state->bdn, state->line, &state->key);
    if (!row)
        return;
    const char *name = row->result.name;
    row->result = state->times;
    row->result.name = name;
    row->result.statistic = TKF_STATISTIC_MEAN;
    if (state->count[RESULT] == 0) {
        row->result.failed = true;
        row->result.remark = "the log has no results of it";
        return;
    }
    row->result.ns = state->sum[RESULT] / state->count[RESULT];
    row->result.ns_lo = state->lo;
    row->result.ns_hi = state->hi;
    row->result.quantum_ns = state->quantum_ns;
    if (state->count[WORKLOAD] > 0)
        tkf_row_metric(state->bdn.sink, &row->result, "workload-ns/op",
                       state->sum[WORKLOAD] / state->count[WORKLOAD]);
    if (state->count[OVERHEAD] > 0)
        tkf_row_metric(state->bdn.sink, &row->result, "overhead-ns/op",
                       state->sum[OVERHEAD] / state->count[OVERHEAD]);
}

/* What stands for one benchmark at the head of its part: "// Benchmark: NAME", in a plain report
 * "*** NAME ***". */
static bool block_name(struct tkf_slice text, struct tkf_slice *ret_name)
{
    static const char label[] = "// Benchmark: ", stars[] = "*** ";
    if (tkf_slice_starts(text, label)) {
        *ret_name = tkf_slice_from(text, text.text + strlen(label));
        return true;
    }
    const char *end = tkf_slice_find(text, " ***");
    if (!tkf_slice_starts(text, stars) || !end || end < text.text + strlen(stars))
        return false;
    *ret_name = tkf_slice_from(tkf_slice_until(text, end), text.text + strlen(stars));
    return true;
}

static bool begin_block(struct state *state, unsigned line, struct tkf_slice text)
{
    struct tkf_slice name;
    if (!block_name(text, &name))
        return false;
    end_block(state);
    struct tkf_sink *sink = state->bdn.sink;
    if (!tkf_bdn_display(sink, name, &state->key))
        return true;
    state->has_block = true;
    state->line = line;
    state->times = tkf_sink_row(sink, line);
    memset(state->sum, 0, sizeof(state->sum));
    memset(state->count, 0, sizeof(state->count));
    state->lo = state->hi = state->quantum_ns = NAN;
    return true;
}

/* "WorkloadResult   1: 16777216 op, 784946400.00 ns, 46.7865 ns/op" */
static bool read_iteration(struct state *state, unsigned line, struct tkf_slice text)
{
    struct tkf_slice name = tkf_field(&text);
    int stage = 0;
    while (stage < STAGES && !tkf_slice_is(name, stages[stage][0]) &&
           !tkf_slice_is(name, stages[stage][1]))
        stage++;
    struct tkf_slice index = tkf_field(&text);
    if (stage == STAGES || index.length < 2 || index.text[index.length - 1] != ':')
        return false;
    struct tkf_slice ops_text = tkf_field(&text), op = tkf_field(&text), ns_text = tkf_field(&text);
    double ops, ns, quantum;
    if (!state->has_block || !tkf_slice_starts(op, "op") ||
        !tkf_number(ops_text, TKF_NUMBER_POINT, &ops, NULL) || !(ops > 0) ||
        !tkf_number(ns_text, TKF_NUMBER_POINT, &ns, &quantum) ||
        !tkf_slice_starts(tkf_field(&text), "ns")) {
        tkf_sink_notice(state->bdn.sink, line, "no time can be read from this iteration");
        return true;
    }
    state->sum[stage] += ns / ops;
    state->count[stage]++;
    if (stage == RESULT) {
        tkf_row_samples(state->bdn.sink, &state->times, &ops, &ns, 1);
        state->quantum_ns = fmin(state->quantum_ns, quantum / ops);
    }
    state->any_overhead = state->any_overhead || stage == OVERHEAD;
    state->any_workload = state->any_workload || stage == WORKLOAD;
    return true;
}

/* "ConfidenceInterval = [45.528 ns; 46.436 ns] (CI 99.9%), ..." */
static void read_interval(struct state *state, struct tkf_slice text)
{
    static const char label[] = "ConfidenceInterval = [";
    if (!state->has_block || !tkf_slice_starts(text, label))
        return;
    text = tkf_slice_from(text, text.text + strlen(label));
    const char *middle = tkf_slice_find(text, "; "), *end = tkf_slice_find(text, "]");
    if (!middle || !end || end < middle)
        return;
    struct tkf_slice lo = tkf_slice_until(text, middle);
    struct tkf_slice hi = {middle + 2, (size_t)(end - middle - 2)};
    struct tkf_bdn_votes votes = {0};
    tkf_bdn_vote(&votes, lo);
    tkf_bdn_vote(&votes, hi);
    enum tkf_number_style style = votes.comma > votes.point ? TKF_NUMBER_COMMA : TKF_NUMBER_POINT;
    tkf_bdn_time(lo, style, NAN, &state->lo, NULL);
    tkf_bdn_time(hi, style, NAN, &state->hi, NULL);
}

static void read_line(struct state *state, unsigned number, struct tkf_slice text)
{
    text = tkf_trim(text);
    if (tkf_slice_starts(text, "// ***** BenchmarkRunner: Finish") ||
        tkf_slice_starts(text, "// * Summary *")) {
        end_block(state);
        state->end = true;
    }
    if (!state->end) {
        if (!begin_block(state, number, text) && !read_iteration(state, number, text))
            read_interval(state, text);
    } else if (state->bdn.count > 0) {
        tkf_sink_understood(state->bdn.sink); /* a table of the same results */
        tkf_bdn_env(&state->bdn, text);
        tkf_bdn_hint(&state->bdn, text);
    } else {
        tkf_bdn_line(&state->bdn, number, text);
    }
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    static const struct {
        const char *line;
        int sure;
    } starts[] = {
        {"// Benchmark: ", 90},
        {"// ***** BenchmarkRunner: ", 85},
        {"// Validating benchmarks:", 85},
        {"WorkloadResult ", 70}, /* below a table's */
    };
    for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
        const char *at = strstr(head, starts[i].line);
        if (at && (at == head || at[-1] == '\n' || at[-1] == '\r'))
            return starts[i].sure;
    }
    return 0;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct state state = {.bdn = {.sink = sink, .timer_step_ns = NAN, .cpus = NAN}};
    struct tkf_line line;
    while (tkf_input_line(in, &line))
        read_line(&state, line.number, tkf_line_slice(&line));
    end_block(&state);
    state.bdn.no_overhead = state.any_workload && !state.any_overhead;
    tkf_bdn_end(&state.bdn);
    return 0;
}

const struct tkf_reader tkf_reader_bdn_log = {
    .name = "bdn-log",
    .text = "BenchmarkDotNet log",
    .recognise = recognise,
    .read = read_all,
};
