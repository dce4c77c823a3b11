/* SPDX-License-Identifier: MIT */
/*
 * Tasks of tinybench dumped as JSON; ms. v2 has flat results, v3 flat ones and latency{}, v4
 * latency{} alone.
 */
#include <math.h>
#include <string.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (!tkf_head_has(head, TKF_WORDS("\"name\"", "\"result\"")))
        return 0;
    if (tkf_head_has(head, TKF_WORDS("\"latency\"", "\"throughput\"")))
        return 90;
    return tkf_head_has(head, TKF_WORDS("\"hz\"", "\"period\"")) ? 85 : 0;
}

static const struct tkf_member members[] = {
    {"p50", offsetof(struct tkf_result, ns), 1e6, TKF_STATISTIC_MEDIAN},
    {"mean", offsetof(struct tkf_result, ns), 1e6, TKF_STATISTIC_MEAN},
    {"min", offsetof(struct tkf_result, min_ns), 1e6, 0},
    {"max", offsetof(struct tkf_result, max_ns), 1e6, 0},
    {"samplesCount", offsetof(struct tkf_result, iterations), 1, 0},
    {NULL, 0, 0, 0},
};

static void take_latency(struct tkf_sink *sink, struct tkf_result *row, const json_t *latency)
{
    const json_t *samples = json_object_get(latency, "samples");
    tkf_row_members(row, latency, members);
    tkf_row_json_samples(sink, row, samples, 1e6);
    tkf_row_spread(row, 1e6 * tkf_json_number(
                                  latency, row->statistic == TKF_STATISTIC_MEDIAN ? "mad" : "moe"));
    if (isnan(row->iterations)) /* degrees of freedom */
        row->iterations = tkf_json_number(latency, "df") + 1;
}

static void take_result(struct tkf_json *json, struct tkf_result *row, const json_t *result)
{
    const json_t *latency = json_object_get(result, "latency");
    const json_t *error = json_object_get(result, "error");
    const char *state = tkf_json_text(result, "state");
    row->quantum_ns = 0;
    row->total_ns = tkf_json_number(result, "totalTime") * 1e6;
    take_latency(json->sink, row, json_is_object(latency) ? latency : result);
    if (json_is_object(error) || (state && strcmp(state, "errored") == 0)) {
        const char *message = tkf_json_text(error, "message");
        row->failed = true;
        row->remark = tkf_keepf(json->sink, "error: %s", message ? message : "");
    }
}

static bool visit(struct tkf_json *json, const json_t *task, const char *key)
{
    (void)key;
    const json_t *result = json_object_get(task, "result");
    const char *name = tkf_json_text(task, "name");
    if (!name || !json_is_object(result))
        return false;

    const char *runtime = tkf_json_text(result, "runtime");
    const char *version = tkf_json_text(result, "runtimeVersion");
    if (runtime && version)
        json->run.facts.version = tkf_keepf(json->sink, "%s %s", runtime, version);
    tkf_run_timed(&json->run, TKF_TIMING_EACH_CALL);

    struct tkf_result row = tkf_sink_row(json->sink, tkf_json_next_line(json, "name", name));
    row.name = name;
    take_result(json, &row, result);
    tkf_row_give(json->sink, &row);
    return true;
}

static void take(struct tkf_json *json)
{
    tkf_run_begin(&json->run, json->sink, "tinybench");
    tkf_json_walk(json, json->root, "", visit);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_tinybench_json = {
    .name = "tinybench-json",
    .text = "JSON dump of tinybench",
    .recognise = recognise,
    .read = read,
};
