/* SPDX-License-Identifier: MIT */
/*
 * console.table(bench.table()): its columns changed with v3; times in the unit that the title has.
 */
#include <math.h>
#include <string.h>

#include "keep.h"
#include "row.h"
#include "table.h"

#define COLUMNS_MAX 16

struct table {
    struct tkf_sink *sink;
    const char *titles[COLUMNS_MAX];
    size_t ntitles; /* 0: outside a table */
};

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (!strstr(head, "Task name") && !strstr(head, "Task Name"))
        return 0;
    return strstr(head, "Latency a") || strstr(head, "Average Time") || strstr(head, "ops/s") ? 92
                                                                                              : 0;
}

/* The unit in "Latency avg (ns)". */
static double unit_of(const char *title)
{
    double ns;
    struct tkf_slice unit;
    return tkf_cut(tkf_slice_of(title), "(", NULL, &unit) && tkf_cut(unit, ")", &unit, NULL) &&
                   tkf_time_unit(unit, &ns)
               ? ns
               : NAN;
}

/* What console.table puts round strings. */
static struct tkf_slice unquote(struct tkf_slice cell)
{
    return tkf_unwrap(tkf_unwrap(tkf_unwrap(cell, '\'', '\''), '"', '"'), '`', '`');
}

static void take_cell(struct table *table, struct tkf_result *row, const char *title,
                      struct tkf_slice cell)
{
    double number;
    struct tkf_slice spread;
    if (strcasecmp(title, "Task name") == 0) {
        row->name = tkf_keep(table->sink, cell);
    } else if (strncmp(title, "Latency med", 11) == 0) { /* stands after the average: counts more */
        tkf_row_value_spread(row, cell, unit_of(title), TKF_STATISTIC_MEDIAN);
    } else if (strncmp(title, "Latency av", 10) == 0 || strncmp(title, "Average Time", 12) == 0) {
        tkf_row_value_spread(row, cell, unit_of(title), TKF_STATISTIC_MEAN);
    } else if (strcmp(title, "Margin") == 0) {
        if (tkf_cut_spread(cell, &cell, &spread) && tkf_cut(spread, "%", &spread, NULL) &&
            tkf_number(spread, TKF_NUMBER_POINT, &number, NULL))
            tkf_row_spread(row, row->ns * number / 100);
    } else if (strcmp(title, "Samples") == 0) {
        if (tkf_number(cell, TKF_NUMBER_POINT, &number, NULL))
            row->iterations = number;
    } else if (strcmp(title, "Error") == 0 && cell.length > 0) {
        row->failed = true;
        row->remark = tkf_keepf(table->sink, "error: %.*s", (int)cell.length, cell.text);
    }
}

static void take_titles(struct table *table, struct tkf_slice rest)
{
    struct tkf_slice cell;
    table->ntitles = 0;
    tkf_sink_origin(table->sink, "tinybench", TKF_TIMING_EACH_CALL); /* a table is a run */
    while (table->ntitles < COLUMNS_MAX && tkf_cell(&rest, &cell))
        table->titles[table->ntitles++] = tkf_keep(table->sink, cell);
}

static bool holds(struct tkf_slice text, const char *a, const char *b)
{
    return tkf_cut(text, a, NULL, NULL) || tkf_cut(text, b, NULL, NULL);
}

static void take_line(struct table *table, const struct tkf_line *line)
{
    struct tkf_slice cell, rest = tkf_line_slice(line);
    if (!holds(rest, "\xe2\x94\x82", "|")) /* U+2502 */
        return;
    tkf_cell(&rest, &cell); /* before the first bar */
    if (holds(rest, "Task name", "Task Name")) {
        take_titles(table, rest);
        return;
    }
    if (table->ntitles == 0 || tkf_slice_starts(rest, "-") || tkf_slice_starts(rest, " -"))
        return;
    struct tkf_result row = tkf_sink_row(table->sink, line->number);
    for (size_t i = 0; i < table->ntitles && tkf_cell(&rest, &cell); i++)
        take_cell(table, &row, table->titles[i], unquote(cell));
    tkf_row_give(table->sink, &row);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    struct tkf_line line;
    struct table table = {.sink = sink};
    (void)ret_error;
    while (tkf_input_line(in, &line))
        take_line(&table, &line);
    return 0;
}

const struct tkf_reader tkf_reader_tinybench_text = {
    .name = "tinybench-text",
    .text = "table of tinybench",
    .recognise = recognise,
    .read = read,
};
