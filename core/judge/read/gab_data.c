/* SPDX-License-Identifier: MIT */
/*
 * github-action-benchmark's data.js: window.BENCHMARK_DATA with the runs of each suite; the latest
 * of each is read.
 */
#include <string.h>

#include "gab.h"
#include "head.h"
#include "json_walk.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (strstr(head, "window.BENCHMARK_DATA"))
        return 100;
    return tkf_head_has(head, TKF_WORDS("\"lastUpdate\"", "\"entries\"", "\"benches\"")) ? 90 : 0;
}

/*
 * Tools that are one framework, and how that times where the file need not say it; others are read
 * as this one's own.
 */
static const struct {
    const char *tool, *framework;
    enum tkf_timing timing;
} tools[] = {
    {"benchmarkdotnet", "benchmarkdotnet", TKF_TIMING_SUBTRACTED},
    {"benchmarkjs", "benchmark.js", TKF_TIMING_BATCHED},
    {"cargo", "github-action-benchmark", TKF_TIMING_BATCHED}, /* libtest or Criterion */
    {"catch2", "catch2", TKF_TIMING_BATCHED},
    {"go", "go", TKF_TIMING_BATCHED},
    {"googlecpp", "google-benchmark", TKF_TIMING_BATCHED},
    {"jmh", "jmh", TKF_TIMING_BATCHED},
    {"julia", "benchmarktools", TKF_TIMING_UNKNOWN},
    {"pytest", "pytest-benchmark", TKF_TIMING_UNKNOWN},
};

static void begin_origin(struct tkf_json *json, const char *tool)
{
    for (size_t i = 0; tool && i < sizeof(tools) / sizeof(*tools); i++) {
        if (strcmp(tools[i].tool, tool) == 0) {
            tkf_sink_origin(json->sink, tools[i].framework, tools[i].timing);
            return;
        }
    }
    tkf_sink_origin(json->sink, "github-action-benchmark", TKF_TIMING_UNKNOWN);
}

static const json_t *latest(const json_t *runs)
{
    size_t i;
    const json_t *run, *best = json_array_get(runs, 0);
    json_array_foreach(runs, i, run)
    {
        if (tkf_json_number(run, "date") >= tkf_json_number(best, "date"))
            best = run;
    }
    return best;
}

/* Of an earlier run nothing is read but where its benchmarks stand. */
static void pass_over(struct tkf_json *json, const json_t *run)
{
    size_t i;
    const json_t *benchmark;
    json_array_foreach(json_object_get(run, "benches"), i, benchmark)
        tkf_json_next_line(json, "name", tkf_json_text(benchmark, "name"));
}

static void take_suite(struct tkf_json *json, const char *suite, const json_t *runs)
{
    size_t i, j;
    const json_t *run, *benchmark, *last = latest(runs);
    const char *tool = tkf_json_text(last, "tool");
    begin_origin(json, tool);
    json_array_foreach(runs, i, run)
    {
        if (run != last) {
            pass_over(json, run);
            continue;
        }
        json_array_foreach(json_object_get(run, "benches"), j, benchmark)
            tkf_gab_benchmark(json, benchmark, suite, tool);
    }
    if (json_array_size(runs) > 1)
        tkf_sink_notice(json->sink, 0, "%.100s: the latest of its %zu runs is read", suite,
                        json_array_size(runs));
}

static void take(struct tkf_json *json)
{
    const char *suite;
    json_t *runs;
    json_object_foreach(json_object_get(json->root, "entries"), suite, runs)
        take_suite(json, suite, runs);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_gab_data = {
    .name = "gab-data",
    .text = "data.js of github-action-benchmark",
    .recognise = recognise,
    .read = read,
};
