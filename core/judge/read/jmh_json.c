/* SPDX-License-Identifier: MIT */
/* JMH -rf json: an array of runs. A number that is none is a string, "NaN". */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/error.h>

#include "head.h"
#include "jmh.h"
#include "keep.h"
#include "row.h"

static struct tkf_jmh_score read_score(const json_t *metric)
{
    const char *unit = tkf_json_text(metric, "scoreUnit");
    struct tkf_jmh_score score = {.value = tkf_json_number(metric, "score"),
                                  .lo = NAN,
                                  .hi = NAN,
                                  .unit = tkf_slice_of(unit ? unit : "")};
    double ends[2] = {NAN, NAN};
    for (size_t i = 0; i < 2; i++) {
        const json_t *end = json_array_get(json_object_get(metric, "scoreConfidence"), i);
        if (json_is_number(end))
            ends[i] = json_number_value(end);
    }
    score.lo = ends[0];
    score.hi = ends[1];
    return score;
}

/* "dim = 100, lib = ACM", as JMH's log has it. */
static const char *params_text(struct tkf_sink *sink, json_t *params)
{
    struct tkf_builder text = {0};
    const char *key;
    json_t *value;
    json_object_foreach(params, key, value)
    {
        const char *shown = json_is_string(value) ? json_string_value(value) : "?";
        tkf_build(&text, "%s%s = %s", text.out ? ", " : "", key, shown);
    }
    return tkf_built(&text, sink);
}

static void add_samples(struct tkf_sink *sink, struct tkf_result *row, const json_t *metric,
                        struct tkf_slice unit)
{
    size_t i, j;
    const json_t *fork, *score;
    json_array_foreach(json_object_get(metric, "rawData"), i, fork)
    {
        json_array_foreach(fork, j, score)
        {
            if (json_is_number(score))
                tkf_row_value(sink, row, tkf_jmh_ns(json_number_value(score), unit, row->threads));
        }
    }
    if (!isnan(row->min_ns))
        return; /* single shots and samples come as histograms */
    const json_t *percentiles = json_object_get(metric, "scorePercentiles");
    double one = tkf_jmh_ns(tkf_json_number(percentiles, "0.0"), unit, row->threads);
    double other = tkf_jmh_ns(tkf_json_number(percentiles, "100.0"), unit, row->threads);
    row->min_ns = fmin(one, other); /* a rate is the least where the time is the most */
    row->max_ns = fmax(one, other);
}

/* How many runs before this one have its name: they share it, differing in parameters and mode. */
static unsigned nth_of_name(json_t *seen, const char *name)
{
    json_int_t nth = json_integer_value(json_object_get(seen, name));
    json_object_set_new(seen, name, json_integer(nth + 1));
    return (unsigned)nth;
}

static void add_run(struct tkf_jmh_rows *rows, struct tkf_input *in, json_t *seen,
                    const json_t *run, size_t index)
{
    const json_t *metric = json_object_get(run, "primaryMetric");
    const char *name = tkf_json_text(run, "benchmark"), *mode = tkf_json_text(run, "mode");
    unsigned line = name ? tkf_json_line(in, "benchmark", name, nth_of_name(seen, name)) : 0;
    if (!name || !mode || !json_is_object(metric)) {
        tkf_sink_notice(rows->sink, line, "run %zu has no benchmark, mode or primaryMetric",
                        index + 1);
        return;
    }
    struct tkf_jmh_score score = read_score(metric);
    struct tkf_result *row = tkf_jmh_add(
        rows, line, tkf_slice_of(name), params_text(rows->sink, json_object_get(run, "params")),
        tkf_slice_of(mode), tkf_json_number(run, "threads"), &score);
    if (!row)
        return;
    add_samples(rows->sink, row, metric, score.unit);
    const char *label;
    json_t *secondary;
    json_object_foreach(json_object_get(run, "secondaryMetrics"), label, secondary)
    {
        struct tkf_jmh_score other = read_score(secondary);
        tkf_jmh_secondary(rows, row, tkf_slice_of(label), &other);
    }
}

static const char *version_text(struct tkf_sink *sink, const json_t *run)
{
    const char *jmh = tkf_json_text(run, "jmhVersion"), *jdk = tkf_json_text(run, "jdkVersion");
    if (jmh && jdk)
        return tkf_keepf(sink, "%s, JDK %s", jmh, jdk);
    return tkf_keep_string(sink, jmh);
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (!strstr(head, "\"benchmark\"") || !strstr(head, "\"primaryMetric\""))
        return 0;
    return tkf_head_opens(head, '[') ? 95 : 70;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    json_t *runs = tkf_json_load(in, sink, ret_error);
    if (!runs)
        return TKF_EFORMAT;
    struct tkf_jmh_rows rows = {.sink = sink,
                                .version = version_text(sink, json_array_get(runs, 0))};
    json_t *seen = json_object();
    for (size_t i = 0; i < json_array_size(runs); i++)
        add_run(&rows, in, seen, json_array_get(runs, i), i);
    tkf_jmh_end(&rows);
    json_decref(seen);
    json_decref(runs);
    return 0;
}

const struct tkf_reader tkf_reader_jmh_json = {
    .name = "jmh-json",
    .text = "JMH JSON",
    .recognise = recognise,
    .read = read_all,
};
