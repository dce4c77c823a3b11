/* SPDX-License-Identifier: MIT */
/* pyperf's JSON: the values of all runs, in seconds per inner loop. */
#include <math.h>
#include <string.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    return tkf_head_has(head,
                        TKF_WORDS("\"benchmarks\"", "\"runs\"", "\"metadata\"", "\"warmups\"")) ||
                   tkf_head_has(head, TKF_WORDS("\"benchmarks\"", "\"perf_version\"", "\"values\""))
               ? 90
               : 0;
}

/* Metadata that all benchmarks share stands at the top. */
static const json_t *metadata(const struct tkf_json *json, const json_t *benchmark, const char *key)
{
    const json_t *own = json_object_get(json_object_get(benchmark, "metadata"), key);
    return own ? own : json_object_get(json_object_get(json->root, "metadata"), key);
}

static double number(const struct tkf_json *json, const json_t *benchmark, const char *key)
{
    const json_t *value = metadata(json, benchmark, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text(const struct tkf_json *json, const json_t *benchmark, const char *key)
{
    return json_string_value(metadata(json, benchmark, key));
}

static void take_facts(struct tkf_json *json, const json_t *benchmark)
{
    struct tkf_origin *facts = &json->run.facts;
    const char *cpu = text(json, benchmark, "cpu_model_name");
    const char *version = text(json, benchmark, "python_version");
    const char *platform = text(json, benchmark, "platform"); /* "Linux-5.8.12-..." */
    const char *timer = text(json, benchmark, "timer");       /* "..., resolution: 1.00 ns" */
    struct tkf_slice before, resolution;
    facts->cpu = cpu ? tkf_keepf(json->sink, "%s", cpu) : NULL;
    facts->version = version ? tkf_keepf(json->sink, "Python %s", version) : NULL;
    const char *host = text(json, benchmark, "hostname");
    facts->host = host ? tkf_keepf(json->sink, "%s", host) : NULL;
    facts->cpus = number(json, benchmark, "cpu_count");
    if (platform && tkf_cut(tkf_slice_of(platform), "-", &before, NULL))
        facts->os = tkf_keep(json->sink, before);
    if (timer && tkf_cut(tkf_slice_of(timer), "resolution: ", NULL, &resolution))
        tkf_whole_time(resolution, &facts->timer_step_ns, NULL);
}

/* Runs without values are those that found the number of loops. A new reference. */
static json_t *all_values(const json_t *benchmark)
{
    size_t i;
    const json_t *run;
    json_t *values = json_array();
    json_array_foreach(json_object_get(benchmark, "runs"), i, run)
    {
        json_t *some = json_object_get(run, "values");
        if (json_is_array(some))
            json_array_extend(values, some);
    }
    return values;
}

static void take_benchmark(struct tkf_json *json, const json_t *benchmark)
{
    const char *name = text(json, benchmark, "name"), *unit = text(json, benchmark, "unit");
    double inner_loops = number(json, benchmark, "inner_loops");
    struct tkf_result row = tkf_sink_row(json->sink, tkf_json_next_line(json, "name", name));
    row.name = name ? name : "";
    if (unit && strcmp(unit, "second") != 0) {
        tkf_sink_notice(json->sink, row.line, "%.100s is in units of %.40s, not a time", row.name,
                        unit);
        return;
    }
    json_t *values = all_values(benchmark);
    tkf_row_distribution(json->sink, &row, values, 1e9);
    json_decref(values);
    row.quantum_ns = 0;
    row.iterations = number(json, benchmark, "loops") * (isnan(inner_loops) ? 1 : inner_loops);
    tkf_row_give(json->sink, &row);
}

static void take(struct tkf_json *json)
{
    size_t i;
    const json_t *benchmarks = json_object_get(json->root, "benchmarks"), *benchmark;
    tkf_run_begin(&json->run, json->sink, "pyperf");
    take_facts(json, json_array_get(benchmarks, 0));
    tkf_run_timed(&json->run, TKF_TIMING_BATCHED);
    json_array_foreach(benchmarks, i, benchmark) take_benchmark(json, benchmark);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_pyperf_json = {
    .name = "pyperf-json",
    .text = "JSON of pyperf",
    .recognise = recognise,
    .read = read,
};
