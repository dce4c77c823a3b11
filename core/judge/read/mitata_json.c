/* SPDX-License-Identifier: MIT */
/*
 * mitata's format: "json", 1.x (layout, runs, context) and 0.1 (stats in the benchmark itself); ns.
 */
#include <math.h>
#include <string.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"

/* A fast function is timed in batches of so many calls; 4096 is 4 unrolled calls, 1024 times. */
#define BATCH_CALLS 4096

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (tkf_head_has(head, TKF_WORDS("\"benchmarks\"", "\"runs\"", "\"alias\"")))
        return 95;
    return tkf_head_has(head, TKF_WORDS("\"benchmarks\"", "\"stats\"", "\"p999\"", "\"avg\"")) ? 85
                                                                                               : 0;
}

static const struct tkf_member members[] = {
    {"p50", offsetof(struct tkf_result, ns), 1, TKF_STATISTIC_MEDIAN},
    {"avg", offsetof(struct tkf_result, ns), 1, TKF_STATISTIC_MEAN},
    {"p25", offsetof(struct tkf_result, ns_lo), 1, 0},
    {"p75", offsetof(struct tkf_result, ns_hi), 1, 0},
    {"min", offsetof(struct tkf_result, min_ns), 1, 0},
    {"max", offsetof(struct tkf_result, max_ns), 1, 0},
    {"ticks", offsetof(struct tkf_result, iterations), 1, 0},
    {NULL, 0, 0, 0},
};

/* `ticks` counts calls; they are samples, too, when each call was timed. */
static enum tkf_timing timing_of(const json_t *stats)
{
    double ticks = tkf_json_number(stats, "ticks");
    size_t nsamples = json_array_size(json_object_get(stats, "samples"));
    if (isnan(ticks))
        return TKF_TIMING_BATCHED;
    bool batched = nsamples > 0 ? ticks > (double)nsamples : fmod(ticks, BATCH_CALLS) == 0;
    return batched ? TKF_TIMING_BATCHED : TKF_TIMING_EACH_CALL;
}

/* The empty function, measured in the same two ways. */
static double noop_ns(const struct tkf_json *json, enum tkf_timing timing)
{
    const json_t *noop = json_object_get(json_object_get(json->root, "context"), "noop");
    const json_t *stats = json_object_get(noop, timing == TKF_TIMING_BATCHED ? "fn" : "iter");
    double p50 = tkf_json_number(stats, "p50");
    return isnan(p50) ? tkf_json_number(stats, "avg") : p50;
}

static double average(const json_t *object, const char *key)
{
    return tkf_json_number(json_object_get(object, key), "avg");
}

static void take_stats(struct tkf_json *json, struct tkf_result *row, const json_t *stats)
{
    const json_t *counters = json_object_get(stats, "counters");
    enum tkf_timing timing = timing_of(stats);
    tkf_run_timed(&json->run, timing)->own_floor_ns = noop_ns(json, timing);
    tkf_row_members(row, stats, members);
    tkf_row_json_samples(json->sink, row, json_object_get(stats, "samples"), 1);
    row->quantum_ns = 0;
    row->alloc_bytes = average(stats, "heap");
    row->cycles = average(counters, "cycles");
    row->instructions = average(counters, "instructions");
}

static void take_run(struct tkf_json *json, const json_t *run, const char *name, const char *group)
{
    const json_t *stats = json_object_get(run, "stats"), *error = json_object_get(run, "error");
    struct tkf_result row = tkf_sink_row(json->sink, tkf_json_next_line(json, "name", name));
    row.name = name ? name : "";
    row.group = group ? group : "";
    if (json_is_object(stats)) {
        take_stats(json, &row, stats);
    } else if (error) {
        const char *message = tkf_json_text(error, "message");
        tkf_run_timed(&json->run, TKF_TIMING_BATCHED);
        row.failed = true;
        row.remark = tkf_keepf(json->sink, "error: %s", message ? message : "");
    }
    tkf_row_give(json->sink, &row);
}

static void take_benchmark(struct tkf_json *json, const json_t *benchmark)
{
    const json_t *runs = json_object_get(benchmark, "runs"), *run;
    const json_t *group = json_object_get(benchmark, "group");
    size_t i;
    if (!runs) { /* 0.1 */
        take_run(json, benchmark, tkf_json_text(benchmark, "name"), json_string_value(group));
        return;
    }
    const json_t *layout =
        json_array_get(json_object_get(json->root, "layout"), (size_t)json_integer_value(group));
    json_array_foreach(runs, i, run)
    {
        const char *name = tkf_json_text(run, "name");
        take_run(json, run, name ? name : tkf_json_text(benchmark, "alias"),
                 tkf_json_text(layout, "name"));
    }
}

/*
 * `cpu.freq` is no fact: it is the inverse of an empty loop, and half of the clock on a busy
 * machine.
 */
static void take_facts(struct tkf_json *json)
{
    const json_t *context = json_object_get(json->root, "context");
    const json_t *cpu = json_object_get(context, "cpu");
    struct tkf_origin *facts = &json->run.facts;
    struct tkf_slice arch, os;

    if (!context) { /* 0.1 */
        facts->cpu = tkf_json_keep(json->sink, json->root, "cpu");
        facts->version = tkf_json_keep(json->sink, json->root, "runtime");
        return;
    }
    const char *runtime = tkf_json_text(context, "runtime");
    const char *version = tkf_json_text(context, "version");
    const char *platform = tkf_json_text(context, "arch"); /* "x64-linux" */
    facts->cpu = tkf_json_keep(json->sink, cpu, "name");
    if (runtime && version)
        facts->version = tkf_keepf(json->sink, "%s %s", runtime, version);
    if (platform && tkf_cut(tkf_slice_of(platform), "-", &arch, &os)) {
        facts->arch = tkf_keep(json->sink, arch);
        facts->os = tkf_keep(json->sink, os);
    }
}

static void take(struct tkf_json *json)
{
    size_t i;
    const json_t *benchmark;
    tkf_run_begin(&json->run, json->sink, "mitata");
    take_facts(json);
    json_array_foreach(json_object_get(json->root, "benchmarks"), i, benchmark)
        take_benchmark(json, benchmark);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_mitata_json = {
    .name = "mitata-json",
    .text = "JSON of mitata",
    .recognise = recognise,
    .read = read,
};
