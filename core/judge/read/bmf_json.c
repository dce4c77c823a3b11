/* SPDX-License-Identifier: MIT */
/*
 * Bencher Metric Format: measures with a value for each benchmark. "latency" is in ns and
 * "throughput" a rate per second by convention; others are free. The proposed version 1 has a list
 * of {parameters, measures} instead.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (!tkf_head_opens(head, '{') || !strstr(head, "\"value\""))
        return 0;
    return strstr(head, "\"latency\"") || strstr(head, "\"throughput\"") ||
                   strstr(head, "\"lower_value\"")
               ? 60
               : 15;
}

static void take_measures(struct tkf_json *json, const char *name, const char *group,
                          const json_t *measures)
{
    const json_t *latency = json_object_get(measures, "latency");
    double rate = tkf_json_number(json_object_get(measures, "throughput"), "value");
    struct tkf_result row = tkf_sink_row(json->sink, 0);
    row.name = name;
    row.group = group;
    row.items_per_second = rate;
    row.ns = tkf_json_number(latency, "value");
    row.ns_lo = tkf_json_number(latency, "lower_value");
    row.ns_hi = tkf_json_number(latency, "upper_value");
    if (row.ns_lo > row.ns || row.ns_hi < row.ns) /* some writers put a spread there: no interval */
        row.ns_lo = row.ns_hi = NAN;
    if (isnan(row.ns))
        tkf_row_rate(&row, rate, 0);
    row.quantum_ns = 0;
    tkf_row_give(json->sink, &row);
}

static const char *parameters(struct tkf_json *json, const json_t *object)
{
    const char *key;
    struct tkf_builder all = {0};
    json_t *value;
    json_object_foreach(json_object_get(object, "parameters"), key, value)
    {
        char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
        const char *shown = json_is_string(value) ? json_string_value(value) : text;
        tkf_build(&all, "%s%s=%s", all.out ? " " : "", key, shown ? shown : "?");
        free(text);
    }
    return tkf_built(&all, json->sink);
}

static void take(struct tkf_json *json)
{
    size_t i;
    const char *name;
    json_t *benchmark, *variant;
    tkf_run_begin(&json->run, json->sink, "bencher");
    tkf_run_timed(&json->run, TKF_TIMING_UNKNOWN);
    json_object_foreach((json_t *)json->root, name, benchmark)
    {
        if (!json_is_array(benchmark))
            take_measures(json, name, "", benchmark);
        json_array_foreach(benchmark, i, variant) take_measures(
            json, name, parameters(json, variant), json_object_get(variant, "measures"));
    }
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_bmf_json = {
    .name = "bmf-json",
    .text = "JSON in Bencher Metric Format",
    .recognise = recognise,
    .read = read,
};
