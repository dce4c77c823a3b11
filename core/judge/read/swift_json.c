/* SPDX-License-Identifier: MIT */
/*
 * package-benchmark's export in the manner of JMH: the mode is always thrpt, times are secondary
 * metrics. Its threshold files hold limits, not results.
 */
#include <math.h>
#include <string.h>

#include "json_walk.h"

#define WALL_CLOCK "Time (wall clock)"

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (strstr(head, "\"secondaryMetrics\"") && strstr(head, "\"" WALL_CLOCK))
        return 98;
    return strstr(head, "\"mallocCountTotal\"") || strstr(head, "\"wallClock\"") ? 30 : 0;
}

static const struct tkf_member percentiles[] = {
    {"50.0", offsetof(struct tkf_result, ns), 1, TKF_STATISTIC_MEDIAN},
    {"25.0", offsetof(struct tkf_result, ns_lo), 1, 0},
    {"75.0", offsetof(struct tkf_result, ns_hi), 1, 0},
    {"0.0", offsetof(struct tkf_result, min_ns), 1, 0},
    {"100.0", offsetof(struct tkf_result, max_ns), 1, 0},
    {NULL, 0, 0, 0},
};

/* The metric whose name begins so: some releases append its unit. */
static const json_t *metric(const json_t *metrics, const char *prefix)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)metrics, name, value)
    {
        if (strncmp(name, prefix, strlen(prefix)) == 0)
            return value;
    }
    return NULL;
}

static void scale(struct tkf_result *row, double unit_ns)
{
    for (const struct tkf_member *member = percentiles; member->key; member++)
        *(double *)((char *)row + member->field) *= unit_ns;
}

static bool visit(struct tkf_json *json, const json_t *object, const char *key)
{
    (void)key;
    const json_t *metrics = json_object_get(object, "secondaryMetrics");
    const json_t *wall = metric(metrics, WALL_CLOCK);
    const char *name = tkf_json_text(object, "benchmark"), *unit = tkf_json_text(wall, "scoreUnit");
    double unit_ns;
    if (!name)
        return false;

    struct tkf_result row = tkf_sink_row(json->sink, tkf_json_next_line(json, "benchmark", name));
    row.name = name;
    if (unit && tkf_time_unit(tkf_slice_of(unit), &unit_ns)) {
        tkf_row_members(&row, json_object_get(wall, "scorePercentiles"), percentiles);
        if (isnan(row.ns))
            row.ns = tkf_json_number(wall, "score");
        scale(&row, unit_ns);
    }
    tkf_row_give(json->sink, &row);
    return true;
}

static void take(struct tkf_json *json)
{
    tkf_run_begin(&json->run, json->sink, "swift-benchmark");
    tkf_run_timed(&json->run, TKF_TIMING_EACH_CALL);
    tkf_json_walk(json, json->root, "", visit);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_swift_json = {
    .name = "swift-json",
    .text = "JSON of package-benchmark",
    .recognise = recognise,
    .read = read,
};
