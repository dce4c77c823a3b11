/* SPDX-License-Identifier: MIT */
/*
 * package-benchmark's tables, drawn as boxes or Markdown: the benchmark's name above, a row for
 * each metric, a column for each percentile. "(ns) *" is a time that was divided by the benchmark's
 * inner iterations. All numbers are whole.
 */
#include <string.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"
#include "table.h"

#define COLUMNS_MAX 16

struct report {
    struct tkf_run run;
    const char *module; /* the title between two lines of '=' */
    const char *name;   /* the line above the table */
    bool underlined;    /* the line before was of '=' */
    const char *titles[COLUMNS_MAX];
    size_t ntitles; /* 0: outside a table */
    struct tkf_result row;
    bool scaled;
};

static int recognise(const char *head, size_t length)
{
    (void)length;
    return tkf_head_has(head, TKF_WORDS(" Metric ", " p0 ", " p50 ", " Samples ")) ? 92 : 0;
}

static void flush(struct report *report)
{
    if (report->ntitles == 0)
        return;
    report->ntitles = 0;
    tkf_run_timed(&report->run, report->scaled ? TKF_TIMING_BATCHED : TKF_TIMING_EACH_CALL);
    tkf_row_give(report->run.sink, &report->row);
}

static void begin_table(struct report *report, unsigned line, struct tkf_slice titles)
{
    struct tkf_slice cell;
    flush(report);
    while (report->ntitles < COLUMNS_MAX && tkf_cell(&titles, &cell))
        report->titles[report->ntitles++] = tkf_keep(report->run.sink, cell);
    report->row = tkf_sink_row(report->run.sink, line);
    report->row.group = report->module;
    report->row.name = report->name;
    report->scaled = false;
}

/* What the last brackets of a metric's name scale by: a time in ns, K, M and so on; 1 without. */
static double unit_of(struct tkf_slice metric)
{
    static const struct {
        const char *name;
        double scale;
    } counts[] = {{"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
    struct tkf_slice unit;
    double scale;
    if (!tkf_cut_last(metric, "(", NULL, &unit) || !tkf_cut(unit, ")", &unit, NULL))
        return 1;
    for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
        if (tkf_slice_is(unit, counts[i].name))
            return counts[i].scale;
    }
    return tkf_time_unit(unit, &scale) ? scale : 1;
}

static const struct tkf_member percentiles[] = {
    {"p50", offsetof(struct tkf_result, ns), 1, TKF_STATISTIC_MEDIAN},
    {"p25", offsetof(struct tkf_result, ns_lo), 1, 0},
    {"p75", offsetof(struct tkf_result, ns_hi), 1, 0},
    {"p0", offsetof(struct tkf_result, min_ns), 1, 0},
    {"p100", offsetof(struct tkf_result, max_ns), 1, 0},
    {"Samples", offsetof(struct tkf_result, iterations), 1, 0},
    {NULL, 0, 0, 0},
};

/* The row of the time: each column has a place. */
static void take_wall_clock(struct report *report, const char *title, double value, double unit_ns)
{
    struct tkf_result *row = &report->row;
    for (const struct tkf_member *column = percentiles; column->key; column++) {
        if (strcmp(title, column->key) == 0)
            *(double *)((char *)row + column->field) =
                strcmp(title, "Samples") == 0 ? value : value * unit_ns;
    }
    row->statistic = TKF_STATISTIC_MEDIAN;
    row->quantum_ns = unit_ns;
    row->wall_ns = row->ns;
}

/* Of the other metrics the median is what counts. */
static const struct tkf_member metrics[] = {
    {"Time (total CPU)", offsetof(struct tkf_result, cpu_ns), 1, 0},
    {"Instructions", offsetof(struct tkf_result, instructions), 1, 0},
    {"Malloc (total)", offsetof(struct tkf_result, allocs), 1, 0},
    {NULL, 0, 0, 0},
};

static void take_metric(struct report *report, struct tkf_slice metric, struct tkf_slice rest)
{
    struct tkf_slice cell;
    double value, unit = unit_of(metric);
    bool wall = tkf_slice_starts(metric, "Time (wall clock)");
    if (wall)
        report->scaled = metric.text[metric.length - 1] == '*';
    for (size_t i = 1; i < report->ntitles && tkf_cell(&rest, &cell); i++) {
        const char *title = report->titles[i];
        if (!tkf_number(cell, TKF_NUMBER_POINT, &value, NULL))
            continue;
        if (wall)
            take_wall_clock(report, title, value, unit);
        for (const struct tkf_member *known = metrics; known->key; known++) {
            if (strcmp(title, "p50") == 0 && tkf_slice_starts(metric, known->key))
                *(double *)((char *)&report->row + known->field) = value * unit;
        }
    }
}

/* "Host 'host' with 20 'arm64' processors with 128 GB memory, running:", then the kernel's line */
static void take_host(struct report *report, struct tkf_slice line)
{
    struct tkf_slice rest, count;
    double cpus;
    if (!tkf_cut(line, " with ", NULL, &rest))
        return;
    count = tkf_field(&rest);
    if (tkf_number(count, TKF_NUMBER_POINT, &cpus, NULL))
        report->run.facts.cpus = cpus;
    report->run.facts.arch = tkf_keep(report->run.sink, tkf_unwrap(tkf_field(&rest), '\'', '\''));
}

static void take_text(struct report *report, struct tkf_slice text)
{
    bool rule = tkf_slice_starts(text, "===");
    if (rule) {
        report->underlined = !report->underlined;
        return;
    }
    if (report->underlined)
        report->module = tkf_keep(report->run.sink, text);
    else if (tkf_slice_starts(text, "Host "))
        take_host(report, text);
    else if (tkf_slice_starts(text, "Darwin "))
        report->run.facts.os = "Darwin";
    else if (tkf_slice_starts(text, "Linux "))
        report->run.facts.os = "Linux";
    report->name = tkf_keep(report->run.sink, text);
}

static void take_line(struct report *report, const struct tkf_line *line)
{
    struct tkf_slice cell, text = tkf_line_text(line), rest = text;
    bool row = tkf_slice_starts(text, "|") || tkf_slice_starts(text, "\xe2\x94\x82"); /* U+2502 */
    /* U+2552, U+255E, U+251C, U+2558: the corners of the lines between rows */
    bool drawn = tkf_slice_starts(text, "\xe2\x95\x92") || tkf_slice_starts(text, "\xe2\x95\x9e") ||
                 tkf_slice_starts(text, "\xe2\x94\x9c") || tkf_slice_starts(text, "\xe2\x95\x98");
    if (!row && !drawn) {
        flush(report);
        if (text.length > 0)
            take_text(report, text);
        return;
    }
    if (drawn)
        return;
    tkf_cell(&rest, &cell); /* before the first bar */
    struct tkf_slice cells = rest;
    if (!tkf_cell(&rest, &cell) || cell.length == 0)
        return;
    if (tkf_slice_is(cell, "Metric"))
        begin_table(report, line->number, cells);
    else if (report->ntitles > 0)
        take_metric(report, cell, rest);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    struct tkf_line line;
    struct report report = {.module = "", .name = ""};
    (void)ret_error;
    tkf_run_begin(&report.run, sink, "swift-benchmark");
    while (tkf_input_line(in, &line))
        take_line(&report, &line);
    flush(&report);
    return 0;
}

const struct tkf_reader tkf_reader_swift_text = {
    .name = "swift-text",
    .text = "report of package-benchmark",
    .recognise = recognise,
    .read = read,
};
