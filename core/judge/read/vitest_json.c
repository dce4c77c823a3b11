/* SPDX-License-Identifier: MIT */
/* vitest bench --outputJson, 1 to 4: files[].groups[].benchmarks[]; ms. */
#include <math.h>

#include "head.h"
#include "json_walk.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    return tkf_head_has(head,
                        TKF_WORDS("\"files\"", "\"groups\"", "\"benchmarks\"", "\"fullName\""))
               ? 95
               : 0;
}

static const struct tkf_member members[] = {
    {"median", offsetof(struct tkf_result, ns), 1e6, TKF_STATISTIC_MEDIAN},
    {"mean", offsetof(struct tkf_result, ns), 1e6, TKF_STATISTIC_MEAN},
    {"min", offsetof(struct tkf_result, min_ns), 1e6, 0},
    {"max", offsetof(struct tkf_result, max_ns), 1e6, 0},
    {"totalTime", offsetof(struct tkf_result, total_ns), 1e6, 0},
    {"sampleCount", offsetof(struct tkf_result, iterations), 1, 0},
    {NULL, 0, 0, 0},
};

static bool visit(struct tkf_json *json, const json_t *group, const char *key)
{
    size_t i;
    const json_t *benchmark;
    const char *suite = tkf_json_text(group, "fullName");
    const json_t *benchmarks = json_object_get(group, "benchmarks");
    (void)key;
    if (!benchmarks)
        return false;
    json_array_foreach(benchmarks, i, benchmark)
    {
        const char *name = tkf_json_text(benchmark, "name");
        struct tkf_result row = tkf_sink_row(json->sink, tkf_json_next_line(json, "name", name));
        row.name = name ? name : "";
        row.group = suite ? suite : "";
        row.quantum_ns = 0;
        tkf_row_members(&row, benchmark, members);
        tkf_row_json_samples(json->sink, &row, json_object_get(benchmark, "samples"), 1e6);
        if (row.statistic == TKF_STATISTIC_MEAN)
            tkf_row_spread(&row, 1e6 * tkf_json_number(benchmark, "moe"));
        row.failed = isnan(row.ns); /* one that throws is listed without its numbers */
        if (row.failed)
            row.remark = "no numbers: it failed or was skipped";
        tkf_row_give(json->sink, &row);
    }
    return true;
}

static void take(struct tkf_json *json)
{
    tkf_run_begin(&json->run, json->sink, "vitest");
    tkf_run_timed(&json->run, TKF_TIMING_EACH_CALL);
    tkf_json_walk(json, json->root, "", visit);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_vitest_json = {
    .name = "vitest-json",
    .text = "JSON of vitest bench",
    .recognise = recognise,
    .read = read,
};
