/* SPDX-License-Identifier: MIT */
/* pytest-benchmark --benchmark-json or --benchmark-save; seconds. */
#include <string.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    return tkf_head_has(head, TKF_WORDS("\"benchmarks\"", "\"fullname\"", "\"stats\"")) ? 95 : 0;
}

static const struct tkf_member members[] = {
    {"median", offsetof(struct tkf_result, ns), 1e9, TKF_STATISTIC_MEDIAN},
    {"mean", offsetof(struct tkf_result, ns), 1e9, TKF_STATISTIC_MEAN},
    {"q1", offsetof(struct tkf_result, ns_lo), 1e9, 0},
    {"q3", offsetof(struct tkf_result, ns_hi), 1e9, 0},
    {"min", offsetof(struct tkf_result, min_ns), 1e9, 0},
    {"max", offsetof(struct tkf_result, max_ns), 1e9, 0},
    {NULL, 0, 0, 0},
};

static void take_facts(struct tkf_json *json)
{
    const json_t *machine = json_object_get(json->root, "machine_info");
    const json_t *cpu = json_object_get(machine, "cpu");
    struct tkf_origin *facts = &json->run.facts;
    const char *version = tkf_json_text(machine, "python_version");
    facts->cpu = tkf_json_keep(json->sink, cpu, "brand_raw");
    if (!facts->cpu)
        facts->cpu = tkf_json_keep(json->sink, cpu, "brand");
    facts->host = tkf_json_keep(json->sink, machine, "node");
    facts->os = tkf_json_keep(json->sink, machine, "system");
    facts->arch = tkf_json_keep(json->sink, machine, "machine");
    facts->version = version ? tkf_keepf(json->sink, "Python %s", version) : NULL;
    facts->cpus = tkf_json_number(cpu, "count");
}

/* "file.py::Class::test" less the test: names are unique within it. */
static const char *group_of(struct tkf_json *json, const char *fullname, const char *name)
{
    size_t whole = fullname ? strlen(fullname) : 0, tail = strlen(name);
    if (whole < tail + 2 || strcmp(fullname + whole - tail, name) != 0)
        return "";
    return tkf_sink_text(json->sink, fullname, whole - tail - 2);
}

static void take_benchmark(struct tkf_json *json, const json_t *benchmark)
{
    const json_t *stats = json_object_get(benchmark, "stats");
    const char *name = tkf_json_text(benchmark, "name");
    const char *fullname = tkf_json_text(benchmark, "fullname");
    double iterations = tkf_json_number(stats, "iterations");

    struct tkf_result row =
        tkf_sink_row(json->sink, tkf_json_next_line(json, "fullname", fullname));
    row.name = name ? name : "";
    row.group = group_of(json, fullname, row.name);
    row.quantum_ns = 0;
    tkf_row_members(&row, stats, members);
    tkf_row_json_samples(json->sink, &row, json_object_get(stats, "data"), 1e9);
    row.iterations = iterations * tkf_json_number(stats, "rounds");
    row.total_ns = iterations * tkf_json_number(stats, "total") * 1e9;
    tkf_run_timed(&json->run, iterations == 1 ? TKF_TIMING_EACH_CALL : TKF_TIMING_BATCHED);
    tkf_row_give(json->sink, &row);
}

static void take(struct tkf_json *json)
{
    size_t i;
    const json_t *benchmark;
    tkf_run_begin(&json->run, json->sink, "pytest-benchmark");
    take_facts(json);
    json_array_foreach(json_object_get(json->root, "benchmarks"), i, benchmark)
        take_benchmark(json, benchmark);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_pytest_json = {
    .name = "pytest-benchmark-json",
    .text = "JSON of pytest-benchmark",
    .recognise = recognise,
    .read = read,
};
