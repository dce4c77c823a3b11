/* SPDX-License-Identifier: MIT */
/* benchmark.js' objects dumped as JSON, wherever they are in it; seconds. */
#include <math.h>
#include <string.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    return tkf_head_has(head, TKF_WORDS("\"name\"", "\"hz\"", "\"stats\"", "\"deviation\"")) ? 90
                                                                                             : 0;
}

static const struct tkf_member members[] = {
    {"mean", offsetof(struct tkf_result, ns), 1e9, TKF_STATISTIC_MEAN},
    {NULL, 0, 0, 0},
};

/* Members that hold the benchmarks of all suites say nothing of one. */
static const char *group_of(const char *key)
{
    return strcmp(key, "benchmarks") == 0 || strcmp(key, "results") == 0 ? "" : key;
}

static bool visit(struct tkf_json *json, const json_t *benchmark, const char *key)
{
    const json_t *stats = json_object_get(benchmark, "stats");
    const json_t *error = json_object_get(benchmark, "error");
    const char *name = tkf_json_text(benchmark, "name");
    if (!name || !json_is_object(stats))
        return false;

    struct tkf_result row = tkf_sink_row(json->sink, tkf_json_next_line(json, "name", name));
    row.name = name;
    row.group = group_of(key);
    row.quantum_ns = 0;
    tkf_row_members(&row, stats, members);
    tkf_row_spread(&row, tkf_json_number(stats, "moe") * 1e9);
    tkf_row_json_samples(json->sink, &row, json_object_get(stats, "sample"), 1e9);
    row.iterations = tkf_json_number(benchmark, "count");
    row.total_ns = tkf_json_number(json_object_get(benchmark, "times"), "cycle") * 1e9;
    if (json_is_object(error) || json_is_string(error)) {
        const char *message =
            json_is_string(error) ? json_string_value(error) : tkf_json_text(error, "message");
        row.failed = true;
        row.ns = row.ns_lo = row.ns_hi = NAN; /* the mean is what it began with */
        row.remark = tkf_keepf(json->sink, "error: %s", message ? message : "");
    }
    tkf_row_give(json->sink, &row);
    return true;
}

static void take(struct tkf_json *json)
{
    tkf_run_begin(&json->run, json->sink, "benchmark.js");
    tkf_run_timed(&json->run, TKF_TIMING_BATCHED);
    tkf_json_walk(json, json->root, "", visit);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_benchmarkjs_json = {
    .name = "benchmarkjs-json",
    .text = "JSON dump of benchmark.js",
    .recognise = recognise,
    .read = read,
};
