/* SPDX-License-Identifier: MIT */
/*
 * What github-action-benchmark takes of tools that it does not know: an array of {name, unit,
 * value}.
 */
#include "gab.h"
#include "head.h"
#include "json_walk.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    return tkf_head_opens(head, '[') &&
                   tkf_head_has(head, TKF_WORDS("\"name\"", "\"unit\"", "\"value\""))
               ? 70
               : 0;
}

static void take(struct tkf_json *json)
{
    size_t i;
    const json_t *benchmark;
    tkf_run_begin(&json->run, json->sink, "github-action-benchmark");
    tkf_run_timed(&json->run, TKF_TIMING_UNKNOWN);
    json_array_foreach(json->root, i, benchmark) tkf_gab_benchmark(json, benchmark, "", NULL);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    return tkf_json_take(in, sink, ret_error, take);
}

const struct tkf_reader tkf_reader_gab_custom = {
    .name = "gab-custom",
    .text = "custom JSON of github-action-benchmark",
    .recognise = recognise,
    .read = read,
};
