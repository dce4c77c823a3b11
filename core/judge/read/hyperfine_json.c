/* SPDX-License-Identifier: MIT */
/* hyperfine --export-json; seconds. */
#include <math.h>
#include <string.h>

#include "head.h"
#include "hyperfine.h"
#include "json_walk.h"
#include "keep.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    return tkf_head_has(head, TKF_WORDS("\"results\"", "\"command\"", "\"mean\"", "\"stddev\""))
               ? 95
               : 0;
}

static const struct tkf_member members[] = {
    {"mean", offsetof(struct tkf_result, ns), 1e9, TKF_STATISTIC_MEAN},
    {"median", offsetof(struct tkf_result, ns), 1e9, TKF_STATISTIC_MEDIAN},
    {"mean", offsetof(struct tkf_result, wall_ns), 1e9, 0},
    {"min", offsetof(struct tkf_result, min_ns), 1e9, 0},
    {"max", offsetof(struct tkf_result, max_ns), 1e9, 0},
    {NULL, 0, 0, 0},
};

static const char *parameters(struct tkf_json *json, const json_t *result)
{
    const char *key;
    struct tkf_builder all = {0};
    json_t *value;
    json_object_foreach(json_object_get(result, "parameters"), key, value)
    {
        const char *text = json_string_value(value);
        tkf_build(&all, "%s%s=%s", all.out ? " " : "", key, text ? text : "?");
    }
    return tkf_built(&all, json->sink);
}

/* One that a signal ended has null for a code. */
static void take_exit_codes(struct tkf_result *row, const json_t *codes)
{
    size_t i;
    const json_t *code;
    json_array_foreach(codes, i, code)
    {
        if (json_is_number(code)) {
            row->exit_code = fmax(row->exit_code, json_number_value(code));
        } else {
            row->failed = true;
            row->remark = "a run was ended by a signal";
        }
    }
}

static void take(struct tkf_json *json)
{
    size_t i;
    const json_t *result;
    struct tkf_hyperfine file;
    tkf_hyperfine_begin(&file, json->sink);
    json_array_foreach(json_object_get(json->root, "results"), i, result)
    {
        const char *command = tkf_json_text(result, "command");
        struct tkf_result row =
            tkf_sink_row(json->sink, tkf_json_next_line(json, "command", command));
        row.name = command ? command : "";
        row.group = parameters(json, result);
        row.quantum_ns = 0;
        tkf_row_members(&row, result, members);
        tkf_row_spread(&row, tkf_json_number(result, "stddev") * 1e9);
        tkf_row_json_samples(json->sink, &row, json_object_get(result, "times"), 1e9);
        row.cpu_ns = (tkf_json_number(result, "user") + tkf_json_number(result, "system")) * 1e9;
        if (row.nsamples > 0)
            row.iterations = row.repetitions;
        take_exit_codes(&row, json_object_get(result, "exit_codes"));
        tkf_hyperfine_give(&file, &row);
    }
    tkf_hyperfine_end(&file);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_hyperfine_json = {
    .name = "hyperfine-json",
    .text = "JSON of hyperfine",
    .recognise = recognise,
    .read = read,
};
