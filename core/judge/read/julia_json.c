/* SPDX-License-Identifier: MIT */
/* BenchmarkTools.save(): pairs of a type's name and its fields, groups within groups; ns. */
#include <string.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"

/* BenchmarkTools' own lower limit: what it takes off is never more than all but this. */
#define GROUP_MAX 4096 /* bytes: each level holds those above it */
#define CLAMP_NS  0.001

static int recognise(const char *head, size_t length)
{
    (void)length;
    return tkf_head_has(head, TKF_WORDS("\"Julia\"", "\"BenchmarkTools\"")) ? 95 : 0;
}

/*
 * The fields of a value of that type, NULL when it is of another; "BenchmarkTools.Trial" is a
 * Trial.
 */
static const json_t *fields_of(const json_t *pair, const char *type)
{
    const char *name = json_string_value(json_array_get(pair, 0));
    if (!name)
        return NULL;
    const char *dot = strrchr(name, '.');
    return strcmp(dot ? dot + 1 : name, type) == 0 ? json_array_get(pair, 1) : NULL;
}

static void take_trial(struct tkf_json *json, const json_t *fields, const char *group,
                       const char *name, bool estimate)
{
    const json_t *params = fields_of(json_object_get(fields, "params"), "Parameters");
    const json_t *times = json_object_get(fields, "times");
    double evals = tkf_json_number(params, "evals");
    struct tkf_result row = tkf_sink_row(json->sink, 0);
    row.group = group;
    row.name = name;
    row.quantum_ns = 0;
    if (estimate)
        row.ns = tkf_json_number(fields, "time");
    else
        tkf_row_distribution(json->sink, &row, times, 1);
    row.sentinel = row.ns == CLAMP_NS;
    row.iterations =
        evals * (estimate ? tkf_json_number(params, "samples") : (double)json_array_size(times));
    row.allocs = tkf_json_number(fields, "allocs");
    row.alloc_bytes = tkf_json_number(fields, "memory");
    tkf_run_timed(&json->run, evals == 1 ? TKF_TIMING_EACH_CALL : TKF_TIMING_BATCHED);
    tkf_row_give(json->sink, &row);
}

static void take_value(struct tkf_json *json, const json_t *value, const char *group,
                       const char *name)
{
    const char *key;
    json_t *member;
    const json_t *children = fields_of(value, "BenchmarkGroup");
    const json_t *trial = fields_of(value, "Trial"), *estimate = fields_of(value, "TrialEstimate");
    if (children && strlen(group) > GROUP_MAX) {
        tkf_sink_notice(json->sink, 0, "%.100s...: too many groups within each other", group);
    } else if (children) {
        const char *path = *group ? tkf_keepf(json->sink, "%s/%s", group, name)
                                  : tkf_keepf(json->sink, "%s", name);
        json_object_foreach(json_object_get(children, "data"), key, member)
            take_value(json, member, path, key);
    } else if (trial || estimate) {
        take_trial(json, trial ? trial : estimate, group, name, !trial);
    } else {
        const char *type = json_string_value(json_array_get(value, 0));
        tkf_sink_notice(json->sink, 0, "%.100s%s%.100s holds %.40s, not times", group,
                        *group ? "/" : "", name, type ? type : "something else");
    }
}

static void take(struct tkf_json *json)
{
    size_t i;
    const json_t *value;
    const char *julia = tkf_json_text(json_array_get(json->root, 0), "Julia");
    tkf_run_begin(&json->run, json->sink, "benchmarktools");
    if (julia)
        json->run.facts.version = tkf_keepf(json->sink, "Julia %s", julia);
    json_array_foreach(json_array_get(json->root, 1), i, value) take_value(json, value, "", "");
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_julia_json = {
    .name = "julia-json",
    .text = "file of BenchmarkTools.save()",
    .recognise = recognise,
    .read = read,
};
