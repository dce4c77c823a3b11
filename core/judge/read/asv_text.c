/* SPDX-License-Identifier: MIT */
/*
 * asv run: "[ 35.00%] ··· benchmarks.TimeSuite.time_keys   11.1±0.01μs". A benchmark with
 * parameters says "ok" or "1/4 failed" there and has a table below, whose rows begin with the
 * parameters and end with the times.
 */
#include <string.h>

#include "head.h"
#include "keep.h"
#include "row.h"

#define VALUES_MAX 16

#define DOTS "\xc2\xb7\xc2\xb7\xc2\xb7" /* U+00B7, three levels deep */

struct run {
    struct tkf_sink *sink;
    const char *name;   /* of the benchmark whose table comes, NULL */
    const char *labels; /* the line of the table that was no row: titles of columns */
};

static int recognise(const char *head, size_t length)
{
    (void)length;
    return strstr(head, "%] " DOTS) ||
                   tkf_head_has(head, TKF_WORDS("%] \xc2\xb7\xc2\xb7 Benchmarking"))
               ? 90
               : 0;
}

/* "11.1±0.01μs", "9.07±0.5μs", "11.1μs": the unit stands behind both numbers. */
static bool take_time(struct tkf_result *row, struct tkf_slice field)
{
    struct tkf_slice value = field, spread = field;
    double number, quantum, width, width_ns;
    if (!tkf_cut_spread(field, &value, &spread))
        return tkf_whole_time(field, &row->ns, &row->quantum_ns);
    size_t digits = 0;
    while (digits < spread.length && strchr("0123456789.eE+-", spread.text[digits]) &&
           spread.text[digits])
        digits++;
    struct tkf_slice unit = {.text = spread.text + digits, .length = spread.length - digits};
    spread.length = digits;
    if (!tkf_number(value, TKF_NUMBER_POINT, &number, &quantum) ||
        !tkf_number(spread, TKF_NUMBER_POINT, &width, NULL) || !tkf_time_unit(unit, &width_ns))
        return false;
    row->ns = number * width_ns;
    row->quantum_ns = quantum * width_ns;
    tkf_row_spread(row, width * width_ns);
    return true;
}

static bool is_failure(struct tkf_slice field)
{
    return tkf_slice_is(field, "failed") || tkf_slice_is(field, "n/a") ||
           tkf_slice_is(field, "timeout");
}

/* A time or a failure; false when the field is neither. */
static bool take_value(struct run *run, unsigned number, const char *name, struct tkf_slice field)
{
    struct tkf_result row = tkf_sink_row(run->sink, number);
    row.name = name;
    if (is_failure(field)) {
        row.failed = true;
        row.remark = tkf_keep(run->sink, field);
    } else if (take_time(&row, field)) {
        row.statistic = TKF_STATISTIC_MEDIAN;
    } else {
        return false;
    }
    tkf_row_give(run->sink, &row);
    return true;
}

static bool is_value(struct tkf_slice field)
{
    struct tkf_result row;
    return is_failure(field) || take_time(&row, field);
}

/* The parameters of a table's row, which stand in front, in the manner of "name(1, 2)". */
static const char *name_of(struct run *run, struct tkf_slice parameters, struct tkf_slice label)
{
    struct tkf_builder name = {0};
    const char *between = "";
    struct tkf_slice field;
    tkf_build(&name, "%s(", run->name);
    for (; (field = tkf_field(&parameters)).length > 0; between = ", ")
        tkf_build(&name, "%s%.*s", between, (int)field.length, field.text);
    if (label.length > 0)
        tkf_build(&name, "%s%.*s", between, (int)label.length, label.text);
    tkf_build(&name, ")");
    return tkf_built(&name, run->sink);
}

static void take_table_line(struct run *run, unsigned number, struct tkf_slice line)
{
    struct tkf_slice values[VALUES_MAX], titles[VALUES_MAX], rest = line;
    struct tkf_slice labels = tkf_slice_of(run->labels ? run->labels : "");
    size_t n = 0;
    for (struct tkf_slice left = rest; n < VALUES_MAX; n++, rest = left) {
        values[n] = tkf_last_field(&left);
        titles[n] = tkf_last_field(&labels);
        if (!is_value(values[n]))
            break;
    }
    if (n == 0 && !tkf_slice_starts(line, "--") && !tkf_slice_starts(line, "=="))
        run->labels = tkf_keep(run->sink, line);
    for (size_t i = n; i > 0; i--) { /* a second parameter stands above the columns */
        struct tkf_slice title = n > 1 ? titles[i - 1] : (struct tkf_slice){0};
        take_value(run, number, name_of(run, rest, title), values[i - 1]);
    }
}

/* The kind of a benchmark is the beginning of its function's name. */
static bool is_time(struct tkf_slice name)
{
    tkf_cut_last(name, ".", NULL, &name);
    return tkf_slice_starts(name, "time");
}

static void take_benchmark(struct run *run, unsigned number, struct tkf_slice text)
{
    struct tkf_slice name = text;
    struct tkf_slice value = tkf_last_field(&name);
    run->name = run->labels = NULL;
    if (name.length == 0 || tkf_slice_starts(name, "Running") || tkf_slice_starts(name, "Setting"))
        return;
    if (tkf_cut(name, " ", &name, NULL) || tkf_slice_is(value, "ok")) {
        run->name = tkf_keep(run->sink, name); /* "name  1/4 failed", too */
        return;
    }
    if (!take_value(run, number, tkf_keep(run->sink, name), value) && is_time(name))
        tkf_sink_notice(run->sink, number, "%.*s: no time that could be read", (int)name.length,
                        name.text);
}

static void take_line(struct run *run, const struct tkf_line *line)
{
    struct tkf_slice after, text = tkf_line_text(line);
    if (text.length == 0)
        return;
    bool marked = tkf_cut(text, DOTS, NULL, &after);
    while (marked && tkf_slice_starts(after, "\xc2\xb7"))
        tkf_cut(after, "\xc2\xb7", NULL, &after);
    struct tkf_slice title = tkf_trim(marked ? after : text);
    if (marked && !tkf_slice_starts(title, "==") && !tkf_slice_starts(title, "--")) {
        take_benchmark(run, line->number, title);
    } else if (!marked && tkf_slice_starts(text, "[")) {
        run->name = NULL;
    } else if (run->name) {
        take_table_line(run, line->number, title);
    }
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    struct tkf_line line;
    struct run run = {.sink = sink};
    (void)ret_error;
    tkf_sink_origin(sink, "asv", TKF_TIMING_BATCHED);
    while (tkf_input_line(in, &line))
        take_line(&run, &line);
    return 0;
}

const struct tkf_reader tkf_reader_asv_text = {
    .name = "asv-text",
    .text = "report of asv run",
    .recognise = recognise,
    .read = read,
};
