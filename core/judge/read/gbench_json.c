/* SPDX-License-Identifier: MIT */
/* Google Benchmark's --benchmark_format=json and --benchmark_out. */
#include <math.h>
#include <string.h>

#include <tickfloor/error.h>

#include "gbench.h"
#include "keep.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    bool context = strstr(head, "\"mhz_per_cpu\"") || strstr(head, "\"library_build_type\"");
    if (!strstr(head, "\"benchmarks\""))
        return context && strstr(head, "\"context\"") ? 80 : 0;
    bool times = strstr(head, "\"real_time\"") && strstr(head, "\"cpu_time\"");
    if (context || times)
        return 95;
    return strstr(head, "\"family_index\"") ? 90 : 0;
}

/* Members that are no counters. All others that are numbers are. */
static bool is_counter(const char *key)
{
    static const char *const known[] = {
        "family_index", "per_family_instance_index",
        "repetitions",  "repetition_index",
        "threads",      "iterations",
        "real_time",    "cpu_time",
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(key, known[i]) == 0)
            return false;
    }
    return true;
}

static void read_context(struct tkf_sink *sink, struct tkf_origin *origin, const json_t *context)
{
    /*
     * mhz_per_cpu is not the core clock: where Linux tells the TSC's rate it is that, else a
     * nominal one.
     */
    origin->cpus = tkf_json_number(context, "num_cpus");
    const char *host = tkf_json_text(context, "host_name");
    if (host)
        origin->host = tkf_keep_string(sink, host);
    const char *version = tkf_json_text(context, "library_version");
    if (version)
        origin->version = tkf_keep_string(sink, version);
}

/* A time in its unit; doubles are printed in full, integers (before 2016) were rounded. */
static double read_time(const json_t *run, const char *key, double unit_ns, double *ret_quantum_ns)
{
    const json_t *value = json_object_get(run, key);
    *ret_quantum_ns = json_is_integer(value) ? unit_ns : 0;
    return tkf_json_number(run, key) * unit_ns;
}

static void read_failure(struct tkf_sink *sink, struct tkf_gbench_run *run, const json_t *object)
{
    bool error = json_is_true(json_object_get(object, "error_occurred"));
    if (!error && !json_is_true(json_object_get(object, "skipped")))
        return;
    const char *message = tkf_json_text(object, error ? "error_message" : "skip_message");
    run->row.failed = true;
    run->real_ns = run->cpu_ns = NAN;
    if (message)
        run->row.remark = tkf_keep_string(sink, message);
}

static struct tkf_gbench_run read_run(struct tkf_sink *sink, json_t *object, const char *name,
                                      unsigned line)
{
    struct tkf_gbench_run run = tkf_gbench_run(sink, line, name);
    const char *type = tkf_json_text(object, "run_type");
    if (type)
        run.kind = strcmp(type, "aggregate") == 0 ? TKF_GBENCH_AGGREGATE : TKF_GBENCH_ITERATION;
    run.aggregate = tkf_json_text(object, "aggregate_name");
    const char *run_name = tkf_json_text(object, "run_name");
    if (run_name)
        run.run_name = tkf_keep_string(sink, run_name);
    const char *unit = tkf_json_text(object, "aggregate_unit");
    run.no_time = unit && strcmp(unit, "percentage") == 0;

    double unit_ns = NAN;
    const char *time_unit = tkf_json_text(object, "time_unit");
    if (time_unit)
        tkf_time_unit(tkf_slice_of(time_unit), &unit_ns);
    run.real_ns = read_time(object, "real_time", unit_ns, &run.real_quantum_ns);
    run.cpu_ns = read_time(object, "cpu_time", unit_ns, &run.cpu_quantum_ns);
    run.row.iterations = tkf_json_number(object, "iterations");
    run.row.threads = tkf_json_number(object, "threads");
    read_failure(sink, &run, object);

    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (json_is_number(value) && is_counter(key))
            tkf_gbench_counter(sink, &run.row, tkf_slice_of(key), json_number_value(value));
    }
    return run;
}

struct reading {
    struct tkf_gbench state;
    size_t entries;
};

static void take_entry(void *ctx, json_t *object, unsigned line)
{
    struct reading *reading = ctx;
    struct tkf_sink *sink = reading->state.sink;
    size_t index = reading->entries++;
    const char *text = tkf_json_text(object, "name");
    if (!text) {
        tkf_sink_notice(sink, line, "entry %zu of \"benchmarks\" has no name", index);
        return;
    }
    /* A fitted curve and its error, not a run. */
    if (json_object_get(object, "big_o") || json_object_get(object, "rms"))
        return;
    const char *name = tkf_keep_string(sink, text);
    struct tkf_gbench_run run = read_run(sink, object, name, line);
    if (isnan(run.real_ns) && isnan(run.cpu_ns) && !run.row.failed)
        tkf_sink_notice(sink, line, "%s: no time with a unit in it", name);
    else
        tkf_gbench_add(&reading->state, &run);
}

static int read_gbench_json(struct tkf_input *in, struct tkf_sink *sink,
                            struct tkf_input_error *ret_error)
{
    struct reading reading = {0};
    struct tkf_origin *origin = tkf_gbench_begin(&reading.state, sink);
    json_t *root = tkf_json_stream(in, sink, "benchmarks", take_entry, &reading, ret_error);
    read_context(sink, origin, json_object_get(root, "context"));
    tkf_gbench_end(&reading.state);
    json_decref(root);
    return root ? 0 : TKF_EFORMAT;
}

const struct tkf_reader tkf_reader_gbench_json = {
    .name = "gbench-json",
    .text = "Google Benchmark, --benchmark_format=json",
    .recognise = recognise,
    .read = read_gbench_json,
};
