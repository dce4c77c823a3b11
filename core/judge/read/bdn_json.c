/* SPDX-License-Identifier: MIT */
/* BenchmarkDotNet's JSON, full or brief. Statistics are of the workload less the overhead, set to 0
 * below it; the full one has every iteration, from which the time before the subtraction is
 * rebuilt. A number that is none is "". */
#include <math.h>
#include <string.h>

#include <tickfloor/error.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"

/* The mean ns of one operation over iterations of one mode of stage Actual, and how long they were.
 */
struct actual {
    double ns, operations, total_ns;
    unsigned count;
};

static struct actual read_actual(const json_t *benchmark, const char *mode)
{
    struct actual actual = {.operations = NAN, .total_ns = NAN};
    size_t i;
    const json_t *iteration;
    json_array_foreach(json_object_get(benchmark, "Measurements"), i, iteration)
    {
        double operations = tkf_json_number(iteration, "Operations");
        double ns = tkf_json_number(iteration, "Nanoseconds");
        if (!tkf_json_is(iteration, "IterationMode", mode) ||
            !tkf_json_is(iteration, "IterationStage", "Actual") || !(operations > 0) || isnan(ns))
            continue;
        actual.ns += ns / operations;
        actual.count++;
        if (!(operations <= actual.operations)) {
            actual.operations = operations;
            actual.total_ns = ns;
        }
    }
    actual.ns /= actual.count;
    return actual;
}

/* Whether the file shows that nothing was taken off: iterations of workloads, none of overheads. */
static bool no_overhead(const json_t *benchmarks)
{
    unsigned workloads = 0, overheads = 0;
    size_t i;
    const json_t *benchmark;
    json_array_foreach(benchmarks, i, benchmark)
    {
        workloads += read_actual(benchmark, "Workload").count;
        overheads += read_actual(benchmark, "Overhead").count;
    }
    return workloads > 0 && overheads == 0;
}

/* The job of "Type.Method: Job-ABCDEF(Runtime=...) [N=1]"; "" for the default one. */
static struct tkf_slice job_of(const json_t *benchmark)
{
    const char *display = tkf_json_text(benchmark, "DisplayInfo"), *colon;
    struct tkf_slice none = {"", 0};
    if (!display || !(colon = strstr(display, ": ")))
        return none;
    struct tkf_slice job = {colon + 2, strcspn(colon + 2, "(")};
    const char *params = tkf_slice_find(job, " [");
    if (params)
        job = tkf_slice_until(job, params);
    return tkf_slice_is(job, "DefaultJob") || tkf_slice_is(job, "Default") ? none : job;
}

static const char *name_of(struct tkf_sink *sink, const json_t *benchmark)
{
    const char *full = tkf_json_text(benchmark, "FullName"),
               *type = tkf_json_text(benchmark, "Type");
    const char *method = tkf_json_text(benchmark, "Method");
    const char *space = tkf_json_text(benchmark, "Namespace");
    if (!full && !method)
        return NULL;
    if (!full)
        full = tkf_keepf(sink, "%s%s%s%s%s", space ? space : "", space ? "." : "", type ? type : "",
                         type ? "." : "", method);
    struct tkf_slice job = job_of(benchmark);
    return job.length > 0 ? tkf_keepf(sink, "%s [%.*s]", full, (int)job.length, job.text) : full;
}

static void add_samples(struct tkf_sink *sink, struct tkf_result *row, const json_t *statistics)
{
    size_t i;
    const json_t *value;
    json_array_foreach(json_object_get(statistics, "OriginalValues"), i, value)
    {
        if (json_is_number(value))
            tkf_row_value(sink, row, json_number_value(value));
    }
    if (isnan(row->min_ns)) {
        row->min_ns = tkf_json_number(statistics, "Min");
        row->max_ns = tkf_json_number(statistics, "Max");
    }
}

static void add_benchmark(struct tkf_sink *sink, struct tkf_input *in, const json_t *benchmark,
                          size_t index, bool subtracted)
{
    const json_t *statistics = json_object_get(benchmark, "Statistics");
    const char *display = tkf_json_text(benchmark, "DisplayInfo");
    struct tkf_result row =
        tkf_sink_row(sink, display ? tkf_json_line(in, "DisplayInfo", display, 0) : 0);
    row.name = name_of(sink, benchmark);
    if (!row.name) {
        tkf_sink_notice(sink, row.line, "benchmark %zu has no name", index + 1);
        return;
    }
    row.ns = tkf_json_number(statistics, "Mean");
    row.quantum_ns = 0;
    row.statistic = TKF_STATISTIC_MEAN;
    row.failed = isnan(row.ns);
    if (row.failed)
        row.remark = "no result (Statistics is null)";
    row.sentinel = subtracted && row.ns == 0;
    const json_t *interval = json_object_get(statistics, "ConfidenceInterval");
    row.ns_lo = tkf_json_number(interval, "Lower");
    row.ns_hi = tkf_json_number(interval, "Upper");
    row.alloc_bytes =
        tkf_json_number(json_object_get(benchmark, "Memory"), "BytesAllocatedPerOperation");
    add_samples(sink, &row, statistics);
    struct actual workload = read_actual(benchmark, "Workload");
    struct actual overhead = read_actual(benchmark, "Overhead");
    row.iterations = workload.operations;
    row.total_ns = workload.total_ns;
    if (workload.count > 0)
        tkf_row_metric(sink, &row, "workload-ns/op", workload.ns);
    if (overhead.count > 0)
        tkf_row_metric(sink, &row, "overhead-ns/op", overhead.ns);
    tkf_sink_add(sink, &row);
}

static void read_host(struct tkf_sink *sink, const json_t *host, struct tkf_origin *origin)
{
    const char *cpu = tkf_json_text(host, "ProcessorName");
    if (!cpu)
        cpu = tkf_json_text(json_object_get(host, "ProcessorName"), "Value"); /* until 2018 */
    origin->cpu = tkf_keep_string(sink, cpu);
    origin->os = tkf_keep_string(sink, tkf_json_text(host, "OsVersion"));
    origin->arch = tkf_keep_string(sink, tkf_json_text(host, "Architecture"));
    origin->version = tkf_keep_string(sink, tkf_json_text(host, "BenchmarkDotNetVersion"));
    origin->cpus = tkf_json_number(host, "LogicalCoreCount");
    double hz = tkf_json_number(json_object_get(host, "ChronometerFrequency"), "Hertz");
    if (isnan(hz))
        hz = tkf_json_number(host, "ChronometerFrequency"); /* until 2016 */
    if (hz > 0)
        origin->timer_step_ns = 1e9 / hz;
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (!strstr(head, "\"HostEnvironmentInfo\"") || !strstr(head, "\"Benchmarks\""))
        return 0;
    return tkf_head_opens(head, '{') ? 95 : 50;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    json_t *report = tkf_json_load(in, sink, ret_error);
    if (!report)
        return TKF_EFORMAT;
    const json_t *benchmarks = json_object_get(report, "Benchmarks"), *benchmark;
    bool subtracted = !no_overhead(benchmarks);
    struct tkf_origin *origin = tkf_sink_origin(
        sink, "benchmarkdotnet", subtracted ? TKF_TIMING_SUBTRACTED : TKF_TIMING_BATCHED);
    read_host(sink, json_object_get(report, "HostEnvironmentInfo"), origin);
    size_t i;
    json_array_foreach(benchmarks, i, benchmark) add_benchmark(sink, in, benchmark, i, subtracted);
    json_decref(report);
    return 0;
}

const struct tkf_reader tkf_reader_bdn_json = {
    .name = "bdn-json",
    .text = "BenchmarkDotNet JSON",
    .recognise = recognise,
    .read = read_all,
};
