/* SPDX-License-Identifier: MIT */
/*
 * nanobench's JSON template. Its times are seconds of one iteration, which is `batch` operations.
 */
#include <math.h>
#include <string.h>

#include <tickfloor/error.h>

#include "keep.h"
#include "row.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    return strstr(head, "\"median(elapsed)\"") || strstr(head, "\"clockResolutionMultiple\"") ? 95
                                                                                              : 0;
}

/*
 * Events of one operation. Without access to the CPU's counters all of them are 0, which is not
 * known from none.
 */
static void read_events(struct tkf_result *row, const json_t *result)
{
    double instructions = tkf_json_number(result, "median(instructions)");
    double cycles = tkf_json_number(result, "median(cpucycles)");
    if (instructions > 0)
        row->instructions = instructions / row->batch;
    if (cycles > 0)
        row->cycles = cycles / row->batch;
}

static void read_measurements(struct tkf_sink *sink, struct tkf_result *row,
                              const json_t *measurements)
{
    size_t index;
    json_t *measurement;
    json_array_foreach(measurements, index, measurement)
    {
        tkf_row_sample(sink, row, tkf_json_number(measurement, "elapsed") * 1e9 / row->batch);
        row->iterations = fmax(row->iterations, tkf_json_number(measurement, "iterations"));
    }
}

/* nanobench gives up on what takes no time at all: no measurements, and zeros. */
static bool gave_up(const struct tkf_result *row, const json_t *measurements)
{
    return row->ns == 0 && json_is_array(measurements) && json_array_size(measurements) == 0;
}

static void read_result(struct tkf_sink *sink, struct tkf_origin *origin, json_t *result,
                        const char *name, unsigned line)
{
    struct tkf_result row = tkf_sink_row(sink, line);
    const json_t *measurements = json_object_get(result, "measurements");
    const char *title = tkf_json_text(result, "title");
    row.name = tkf_keep_string(sink, name);
    row.group = title ? tkf_keep_string(sink, title) : "";
    double batch = tkf_json_number(result, "batch");
    row.batch = batch > 0 ? batch : 1;
    row.ns = tkf_json_number(result, "median(elapsed)") * 1e9 / row.batch;
    if (isnan(row.ns)) {
        tkf_sink_notice(sink, line, "%s: no \"median(elapsed)\" that is a number", row.name);
        return;
    }
    row.statistic = TKF_STATISTIC_MEDIAN;
    row.quantum_ns = 0;
    tkf_row_spread(&row, row.ns * tkf_json_number(result, "medianAbsolutePercentError(elapsed)"));
    read_events(&row, result);
    read_measurements(sink, &row, measurements);
    if (gave_up(&row, measurements)) {
        row.time_missing = true;
        row.remark =
            tkf_keep_string(sink, "no measurements: iterations overflow, maybe the code got "
                                  "optimized away");
    }
    double step_s = tkf_json_number(result, "clockResolution");
    if (!isnan(step_s))
        origin->timer_step_ns = step_s * 1e9;
    tkf_sink_add(sink, &row);
}

static int read_nanobench_json(struct tkf_input *in, struct tkf_sink *sink,
                               struct tkf_input_error *ret_error)
{
    json_t *root = tkf_json_load(in, sink, ret_error);
    if (!root)
        return TKF_EFORMAT;
    struct tkf_origin *origin = tkf_sink_origin(sink, "nanobench", TKF_TIMING_BATCHED);
    json_t *names = json_object(); /* how often each came before, which tells their lines apart */
    size_t index;
    json_t *result;
    json_array_foreach(json_object_get(root, "results"), index, result)
    {
        const char *name = tkf_json_text(result, "name");
        if (!name) {
            tkf_sink_notice(sink, 0, "entry %zu of \"results\" has no name", index);
            continue;
        }
        json_int_t before = json_integer_value(json_object_get(names, name));
        json_object_set_new_nocheck(names, name, json_integer(before + 1));
        read_result(sink, origin, result, name, tkf_json_line(in, "name", name, (unsigned)before));
    }
    json_decref(names);
    json_decref(root);
    return 0;
}

const struct tkf_reader tkf_reader_nanobench_json = {
    .name = "nanobench-json",
    .text = "nanobench, its JSON template",
    .recognise = recognise,
    .read = read_nanobench_json,
};
