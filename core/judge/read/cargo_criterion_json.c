/* SPDX-License-Identifier: MIT */
/* cargo-criterion --message-format=json: one message for each line; those of reason
 * "benchmark-complete" are results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_walk.h"

static void add_samples(struct tkf_sink *sink, struct tkf_result *row, const json_t *message,
                        double unit)
{
    double *iters, *values;
    size_t count = tkf_json_numbers(json_object_get(message, "iteration_count"), &iters);
    size_t nvalues = tkf_json_numbers(json_object_get(message, "measured_values"), &values);
    for (size_t i = 0; i < nvalues; i++)
        values[i] *= unit;
    if (count == nvalues)
        tkf_row_samples(sink, row, iters, values, count);
    free(iters);
    free(values);
}

static void add_throughput(struct tkf_result *row, const json_t *throughput)
{
    size_t i;
    const json_t *item;
    json_array_foreach(throughput, i, item)
    {
        const char *unit = tkf_json_text(item, "unit");
        double per_second = tkf_json_number(item, "per_iteration") / row->ns * 1e9;
        if (unit && !strcmp(unit, "bytes"))
            row->bytes_per_second = per_second;
        else if (unit && !strcmp(unit, "elements"))
            row->items_per_second = per_second;
    }
}

static void add_message(struct tkf_sink *sink, unsigned line, const json_t *message)
{
    const char *reason = tkf_json_text(message, "reason"), *id = tkf_json_text(message, "id");
    if (!reason || strcmp(reason, "benchmark-complete") != 0)
        return;
    bool has_slope = json_is_object(json_object_get(message, "slope"));
    const json_t *value = json_object_get(message, "typical");
    if (!json_is_object(value))
        value = json_object_get(message, has_slope ? "slope" : "mean");
    const char *unit_text = tkf_json_text(value, "unit");
    double unit, estimate = tkf_json_number(value, "estimate");
    if (!id || isnan(estimate)) {
        tkf_sink_notice(sink, line, "a result without an id or an estimate");
        return;
    }
    if (!unit_text || !tkf_time_unit(tkf_slice_of(unit_text), &unit)) {
        tkf_sink_notice(sink, line, "%s is not measured in a unit of time", id);
        return;
    }
    struct tkf_result row = tkf_sink_row(sink, line);
    row.name = id;
    row.ns = estimate * unit;
    row.ns_lo = tkf_json_number(value, "lower_bound") * unit;
    row.ns_hi = tkf_json_number(value, "upper_bound") * unit;
    row.quantum_ns = 0;
    row.statistic = has_slope ? TKF_STATISTIC_SLOPE : TKF_STATISTIC_MEAN;
    row.batch = 1;
    add_throughput(&row, json_object_get(message, "throughput"));
    add_samples(sink, &row, message, unit);
    tkf_sink_add(sink, &row);
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (!strstr(head, "\"reason\""))
        return 0;
    return strstr(head, "\"benchmark-complete\"") ? 95 : 0;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct tkf_line line;
    tkf_sink_origin(sink, "criterion", TKF_TIMING_BATCHED);
    while (tkf_input_line(in, &line)) {
        json_t *message = tkf_json_line_load(sink, &line);
        if (message)
            add_message(sink, line.number, message);
        json_decref(message);
    }
    return 0;
}

const struct tkf_reader tkf_reader_cargo_criterion_json = {
    .name = "cargo-criterion-json",
    .text = "cargo-criterion JSON messages",
    .recognise = recognise,
    .read = read_all,
};
