/* SPDX-License-Identifier: MIT */
/*
 * String(benchmark) of benchmark.js: "name x 1,136,737,998 ops/sec ±1.51% (94 runs sampled)", or
 * "name: TypeError: ...".
 */
#include <ctype.h>
#include <string.h>

#include "head.h"
#include "keep.h"
#include "row.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    return tkf_head_has(head, TKF_WORDS(" x ", " ops/sec ", "run")) && (strstr(head, "sampled)"))
               ? 90
               : 0;
}

static void take_rate(struct tkf_sink *sink, unsigned number, struct tkf_slice before,
                      struct tkf_slice after)
{
    struct tkf_slice name, rate, spread;
    double per_second, quantum, percent;
    struct tkf_result row = tkf_sink_row(sink, number);
    if (!tkf_cut_last(before, " x ", &name, &rate)) /* a name may hold one, too */
        return;
    row.name = tkf_keep(sink, tkf_trim(name));
    row.statistic = TKF_STATISTIC_MEAN;
    if (tkf_number(tkf_trim(rate), TKF_NUMBER_POINT, &per_second, &quantum))
        tkf_row_rate(&row, per_second, quantum);
    if (tkf_cut_spread(after, &after, &spread) && tkf_cut(spread, "%", &spread, NULL) &&
        tkf_number(spread, TKF_NUMBER_POINT, &percent, NULL))
        tkf_row_spread(&row, row.ns * percent / 100);
    tkf_row_give(sink, &row);
}

/* The message of an exception: "TypeError: ...", "Error: ..." */
static bool is_exception(struct tkf_slice text)
{
    struct tkf_slice type;
    if (!tkf_cut(text, ":", &type, NULL) || type.length < 5)
        return false;
    for (size_t i = 0; i < type.length; i++) {
        if (!isalpha((unsigned char)type.text[i]))
            return false;
    }
    return memcmp(type.text + type.length - 5, "Error", 5) == 0;
}

static void give_failed(struct tkf_sink *sink, unsigned number, struct tkf_slice name,
                        struct tkf_slice message)
{
    struct tkf_result row = tkf_sink_row(sink, number);
    row.name = tkf_keep(sink, tkf_trim(name));
    row.failed = true;
    row.remark = message.length > 0 ? tkf_keep(sink, message) : "threw without a message";
    tkf_row_give(sink, &row);
}

static void take_line(struct tkf_sink *sink, const struct tkf_line *line)
{
    struct tkf_slice before, after, text = tkf_uncomment(tkf_line_slice(line));
    if (tkf_cut_last(text, " ops/sec", &before, &after))
        take_rate(sink, line->number, before, after);
    else if (tkf_cut(text, ": ", &before, &after) && (after.length == 0 || is_exception(after)))
        give_failed(sink, line->number, before, after);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    struct tkf_line line;
    (void)ret_error;
    tkf_sink_origin(sink, "benchmark.js", TKF_TIMING_BATCHED);
    while (tkf_input_line(in, &line))
        take_line(sink, &line);
    return 0;
}

const struct tkf_reader tkf_reader_benchmarkjs_text = {
    .name = "benchmarkjs-text",
    .text = "output of benchmark.js",
    .recognise = recognise,
    .read = read,
};
