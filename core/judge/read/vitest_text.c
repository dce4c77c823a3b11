/* SPDX-License-Identifier: MIT */
/*
 * vitest bench's report. Times are ms with 4 decimals, 100 ns a digit; hz has all digits, and the
 * mean is its inverse. A row ends "... p999  ±rme  samples", so that columns are counted from the ±
 * and a name may hold blanks.
 */
#include <math.h>

#include "head.h"
#include "keep.h"
#include "row.h"

#define NS_PER_DIGIT 100 /* 0.0001 ms */

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (tkf_head_has(head, TKF_WORDS(" hz ", " p995 ", " rme", " samples")))
        return 92;
    return tkf_head_has(head, TKF_WORDS(" RUN ", " BENCH ")) ? 60 : 0;
}

/* The field at an offset from the end of *rest: 0 is the last. */
static struct tkf_slice field_from_end(struct tkf_slice rest, unsigned n)
{
    struct tkf_slice field = tkf_last_field(&rest);
    while (n-- > 0)
        field = tkf_last_field(&rest);
    return field;
}

/* A time that prints as zero is below what the print can say: unknown. */
static double milliseconds(struct tkf_slice field)
{
    double ms;
    return tkf_number(field, TKF_NUMBER_POINT, &ms, NULL) && ms != 0 ? ms * 1e6 : NAN;
}

static void take_numbers(struct tkf_result *row, struct tkf_slice columns, struct tkf_slice rest)
{
    /* name, hz, min, max, mean, p75, p99, p995, p999: from the end */
    enum { MEAN = 4, MAX, MIN, HZ };
    double hz, quantum, mean_ms, percent, samples;
    struct tkf_slice rme = tkf_field(&rest);
    if (tkf_number(field_from_end(columns, HZ), TKF_NUMBER_POINT, &hz, &quantum))
        tkf_row_rate(row, hz, quantum);
    if (isnan(row->ns) &&
        tkf_number(field_from_end(columns, MEAN), TKF_NUMBER_POINT, &mean_ms, NULL)) {
        row->ns = mean_ms * 1e6;
        row->quantum_ns = NS_PER_DIGIT;
        row->sentinel = mean_ms == 0;
    }
    row->statistic = TKF_STATISTIC_MEAN;
    row->min_ns = milliseconds(field_from_end(columns, MIN));
    row->max_ns = milliseconds(field_from_end(columns, MAX));
    if (tkf_cut(rme, "%", &rme, NULL) && tkf_number(rme, TKF_NUMBER_POINT, &percent, NULL))
        tkf_row_spread(row, row->ns * percent / 100);
    if (tkf_number(tkf_field(&rest), TKF_NUMBER_POINT, &samples, NULL))
        row->iterations = samples;
}

/* What is left of the columns when all numbers are taken off. */
static struct tkf_slice name_of(struct tkf_slice columns)
{
    for (unsigned i = 0; i < 8; i++)
        tkf_last_field(&columns);
    return columns;
}

static void take_row(struct tkf_sink *sink, unsigned number, const char *group,
                     struct tkf_slice columns, struct tkf_slice rest)
{
    struct tkf_slice name = name_of(columns);
    struct tkf_result row = tkf_sink_row(sink, number);
    row.group = group;
    row.name = tkf_keep(sink, name);
    if (name.length > 0)
        take_numbers(&row, columns, rest);
    tkf_row_give(sink, &row);
}

/* "v.bench.mjs > floor 1324ms", without the time at its end */
static const char *group_of(struct tkf_sink *sink, struct tkf_slice title)
{
    double ns;
    struct tkf_slice rest = title;
    if (tkf_whole_time(tkf_last_field(&rest), &ns, NULL))
        title = rest;
    return tkf_keep(sink, tkf_trim(title));
}

struct report {
    struct tkf_sink *sink;
    const char *group;
    bool summary; /* repeats names, without numbers */
};

static void take_line(struct report *report, const struct tkf_line *line)
{
    struct tkf_slice columns, after, text = tkf_line_text(line), rest = text, skipped;
    struct tkf_slice mark = tkf_field(&rest);
    if (tkf_slice_is(mark, "BENCH") || tkf_slice_is(mark, "RUN"))
        report->summary = tkf_slice_is(mark, "BENCH");
    if (report->summary || rest.length == 0)
        return;
    /* tick, tick of the console without Unicode, cross, multiplication sign, pointer */
    if (tkf_is_one_of(mark, TKF_WORDS("\xe2\x9c\x93", "\xe2\x88\x9a", "\xe2\x9c\x97", "\xc3\x97",
                                      "\xe2\x9d\xaf"))) {
        report->group = group_of(report->sink, rest);
    } else if (tkf_is_one_of(mark, TKF_WORDS("\xe2\x86\x93")) && /* U+2193 */
               tkf_cut(rest, "[skipped]", &skipped, NULL)) {
        struct tkf_result row = tkf_sink_row(report->sink, line->number);
        row.group = report->group;
        row.name = tkf_keep(report->sink, tkf_trim(skipped));
        row.failed = true;
        row.remark = "skipped";
        tkf_row_give(report->sink, &row);
    } else if (tkf_is_one_of(mark, TKF_WORDS("\xc2\xb7", "\xe2\x80\xa2")) && /* U+00B7, U+2022 */
               tkf_cut_spread(rest, &columns, &after)) {
        take_row(report->sink, line->number, report->group, columns, after);
    }
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    struct tkf_line line;
    struct report report = {.sink = sink, .group = ""};
    (void)ret_error;
    tkf_sink_origin(sink, "vitest", TKF_TIMING_EACH_CALL);
    while (tkf_input_line(in, &line))
        take_line(&report, &line);
    return 0;
}

const struct tkf_reader tkf_reader_vitest_text = {
    .name = "vitest-text",
    .text = "report of vitest bench",
    .recognise = recognise,
    .read = read,
};
