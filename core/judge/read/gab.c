/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "gab.h"
#include "json_walk.h"

/* ---- the unit: free text, "ns/iter", "ops/sec", "ns/op\t 6125 B/op\t 69 allocs/op" ---- */

static bool is_rate(struct tkf_slice unit)
{
    static const char *const per[] = {"s", "sec", "second"};
    static const char *const what[] = {"ops", "op", "iter", "iters", "iterations", "calls", "runs"};
    struct tkf_slice before, after;
    if (!tkf_cut(unit, "/", &before, &after))
        return false;
    for (size_t i = 0; i < sizeof(per) / sizeof(*per); i++) {
        for (size_t j = 0; j < sizeof(what) / sizeof(*what); j++) {
            if (tkf_slice_is(before, what[j]) && tkf_slice_is(after, per[i]))
                return true;
        }
    }
    return false;
}

/* ---- extra: lines of "key: value", "key=value" and "value key" ---- */

static const struct tkf_member extras[] = {
    {"iterations", offsetof(struct tkf_result, iterations), 1, 0},
    {"times", offsetof(struct tkf_result, iterations), 1, 0},
    {"rounds", offsetof(struct tkf_result, iterations), 1, 0},
    {"procs", offsetof(struct tkf_result, procs), 1, 0},
    {"threads", offsetof(struct tkf_result, threads), 1, 0},
    {"allocs", offsetof(struct tkf_result, allocs), 1, 0},
    {"memory", offsetof(struct tkf_result, alloc_bytes), 1, 0},
    {NULL, 0, 0, 0},
};

static void take_extra_line(struct tkf_result *row, struct tkf_slice line)
{
    double number;
    struct tkf_slice key, value;
    if (!tkf_cut(line, ": ", &key, &value) && !tkf_cut(line, "=", &key, &value)) {
        key = line;
        value = tkf_field(&key);
    }
    key = tkf_trim(key);
    value = tkf_trim(value);
    if (tkf_slice_is(key, "cpu") && tkf_whole_time(value, &number, NULL))
        row->cpu_ns = number;
    if (!tkf_number(value, TKF_NUMBER_POINT, &number, NULL))
        return;
    for (const struct tkf_member *extra = extras; extra->key; extra++) {
        if (tkf_slice_is(key, extra->key))
            *(double *)((char *)row + extra->field) = number;
    }
}

static void take_extra(struct tkf_result *row, const char *extra)
{
    struct tkf_slice line, rest = tkf_slice_of(extra ? extra : "");
    while (tkf_cut(rest, "\n", &line, &rest))
        take_extra_line(row, line);
    take_extra_line(row, rest);
}

/* ---- range: "± 12", "+/- 2,802", "±0.19%", "5%", 0.5, "stddev: 0.001" in seconds ---- */

static void take_range(struct tkf_result *row, const json_t *benchmark, double unit_ns)
{
    double number = tkf_json_number(benchmark, "range");
    const char *text = tkf_json_text(benchmark, "range");
    struct tkf_slice before, range = tkf_slice_of(text ? text : "");
    if (tkf_cut(range, "stddev:", NULL, &range))
        unit_ns = 1e9;
    else
        tkf_cut_spread(range, &before, &range);
    if (tkf_cut(range, "%", &range, NULL))
        unit_ns = row->ns / 100;
    if (!isnan(number) || tkf_number(tkf_trim(range), TKF_NUMBER_POINT, &number, NULL))
        tkf_row_spread(row, number * unit_ns);
}

void tkf_gab_benchmark(struct tkf_json *json, const json_t *benchmark, const char *group,
                       const char *tool)
{
    const char *name = tkf_json_text(benchmark, "name");
    const char *unit = tkf_json_text(benchmark, "unit");
    double value = tkf_json_number(benchmark, "value"), unit_ns = NAN;
    struct tkf_slice rest = tkf_slice_of(unit ? unit : ""), first;
    struct tkf_result row = tkf_sink_row(json->sink, tkf_json_next_line(json, "name", name));
    row.name = name ? name : "";
    row.group = group;

    first = tkf_field(&rest);
    bool rate = is_rate(first);
    tkf_cut(first, "/", &first, NULL);
    if (rate) {
        tkf_row_rate(&row, value, 0);
    } else if (tkf_time_unit(first, &unit_ns)) {
        row.ns = value * unit_ns;
    } else {
        tkf_sink_notice(json->sink, row.line, "%.200s: its unit \"%.40s\" is not a time", row.name,
                        unit ? unit : "");
        return;
    }
    row.quantum_ns = 0;
    take_extra(&row, tkf_json_text(benchmark, "extra"));
    /* Catch2's spread is printed in a unit of its own, which is lost here. */
    if (!tool || strcmp(tool, "catch2") != 0)
        take_range(&row, benchmark, unit_ns);
    if (!isnan(row.cpu_ns))
        row.wall_ns = row.ns;
    tkf_row_give(json->sink, &row);
}
