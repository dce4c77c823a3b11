/* SPDX-License-Identifier: MIT */
/*
 * A file of asv's results: version 1 with a number or an object for each benchmark, version 2 with
 * a list whose columns result_columns names. Seconds.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    return tkf_head_has(head, TKF_WORDS("\"results\"", "\"commit_hash\"", "\"python\"")) ? 90 : 0;
}

/* The kind of a benchmark is the beginning of its function's name. */
static bool is_time(const char *name)
{
    const char *dot = strrchr(name, '.');
    const char *function = dot ? dot + 1 : name;
    return strncmp(function, "time_", 5) == 0 || strncmp(function, "timeraw_", 8) == 0;
}

/* The column of a version-2 list, or the member of a version-1 object. */
static const json_t *column(const struct tkf_json *json, const json_t *benchmark, const char *name)
{
    size_t i;
    const json_t *title;
    json_array_foreach(json_object_get(json->root, "result_columns"), i, title)
    {
        const char *text = json_string_value(title);
        if (json_is_array(benchmark) && text && strcmp(text, name) == 0)
            return json_array_get(benchmark, i);
    }
    return json_object_get(benchmark, name);
}

/* The statistics of one result: version 2 has an array for each, version 1 an array of objects. */
static double statistic(const struct tkf_json *json, const json_t *benchmark, const char *name,
                        size_t index)
{
    char title[32];
    snprintf(title, sizeof(title), "stats_%s", name);
    const json_t *value = json_array_get(column(json, benchmark, title), index);
    const json_t *stats = json_array_get(json_object_get(benchmark, "stats"), index);
    if (!value && strncmp(name, "ci_99_", 6) == 0)
        value = json_array_get(json_object_get(stats, "ci_99"), name[6] == 'b');
    if (!value)
        value = json_object_get(stats, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/*
 * The parameters of a result as asv prints them: the results stand in the order of the cartesian
 * product.
 */
static void print_parameters(const json_t *params, size_t index, char *text, size_t size)
{
    size_t stride = 1, used = 0;
    for (size_t i = 0; i < json_array_size(params); i++)
        stride *= json_array_size(json_array_get(params, i));
    for (size_t i = 0; i < json_array_size(params) && used < size; i++) {
        const json_t *values = json_array_get(params, i);
        size_t n = json_array_size(values);
        stride = n > 0 ? stride / n : 0;
        if (stride == 0)
            return;
        const char *value = json_string_value(json_array_get(values, index / stride % n));
        used += (size_t)snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "",
                                 value ? value : "?");
    }
}

static void take_result(struct tkf_json *json, const char *name, const json_t *benchmark,
                        const json_t *result, size_t index)
{
    const json_t *params = column(json, benchmark, "params");
    double number = statistic(json, benchmark, "number", index);
    double lo = statistic(json, benchmark, "ci_99_a", index);
    double hi = statistic(json, benchmark, "ci_99_b", index);
    struct tkf_result row = tkf_sink_row(json->sink, 0);
    row.name = name;
    if (json_array_size(params) > 0) {
        char text[300] = "";
        print_parameters(params, index, text, sizeof(text));
        row.name = tkf_keepf(json->sink, "%s(%s)", name, text);
    }
    if (json_is_number(result)) {
        row.ns = json_number_value(result) * 1e9;
        row.statistic = TKF_STATISTIC_MEDIAN;
        row.quantum_ns = 0;
    } else {
        row.failed = true;
        row.remark = "no result: it failed or was skipped";
    }
    bool wide = isnan(lo) || isnan(hi);
    row.ns_lo = 1e9 * (wide ? statistic(json, benchmark, "q_25", index) : lo);
    row.ns_hi = 1e9 * (wide ? statistic(json, benchmark, "q_75", index) : hi);
    row.iterations = number * statistic(json, benchmark, "repeat", index);
    tkf_row_json_samples(json->sink, &row,
                         json_array_get(column(json, benchmark, "samples"), index), 1e9);
    tkf_run_timed(&json->run, number == 1 ? TKF_TIMING_EACH_CALL : TKF_TIMING_BATCHED);
    tkf_row_give(json->sink, &row);
}

static void take_benchmark(struct tkf_json *json, const char *name, const json_t *benchmark)
{
    size_t i;
    const json_t *result, *one;
    if (!is_time(name)) {
        tkf_sink_notice(json->sink, 0, "%.200s is not a time", name);
        return;
    }
    bool bare = !json_is_array(benchmark) && !json_is_object(benchmark);
    result = bare ? benchmark : column(json, benchmark, "result");
    if (!json_is_array(result)) {
        take_result(json, name, benchmark, result, 0);
        return;
    }
    json_array_foreach(result, i, one) take_result(json, name, benchmark, one, i);
}

static void take(struct tkf_json *json)
{
    const char *name;
    json_t *benchmark;
    const json_t *params = json_object_get(json->root, "params");
    struct tkf_origin *facts = &json->run.facts;
    tkf_run_begin(&json->run, json->sink, "asv");
    facts->cpu = tkf_json_keep(json->sink, params, "cpu");
    facts->os = tkf_json_keep(json->sink, params, "os");
    facts->arch = tkf_json_keep(json->sink, params, "arch");
    facts->cpus = tkf_json_number(params, "num_cpu");
    if (tkf_json_text(json->root, "python"))
        facts->version = tkf_keepf(json->sink, "Python %s", tkf_json_text(json->root, "python"));
    json_object_foreach(json_object_get(json->root, "results"), name, benchmark)
        take_benchmark(json, name, benchmark);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_asv_json = {
    .name = "asv-json",
    .text = "result file of asv",
    .recognise = recognise,
    .read = read,
};
