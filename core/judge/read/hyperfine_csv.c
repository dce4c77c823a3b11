/* SPDX-License-Identifier: MIT */
/* hyperfine --export-csv; seconds. */
#include <string.h>

#include "hyperfine.h"
#include "json_walk.h"
#include "keep.h"
#include "table.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    return strstr(head, "command,mean,stddev,median") ? 98 : 0;
}

static const struct tkf_member columns[] = {
    {"mean", offsetof(struct tkf_result, ns), 1e9, TKF_STATISTIC_MEAN},
    {"mean", offsetof(struct tkf_result, wall_ns), 1e9, 0},
    {"min", offsetof(struct tkf_result, min_ns), 1e9, 0},
    {"max", offsetof(struct tkf_result, max_ns), 1e9, 0},
    {NULL, 0, 0, 0},
};

struct table {
    struct tkf_hyperfine file;
    const char *titles[TKF_CSV_CELLS_MAX];
    unsigned ntitles;
    struct tkf_csv csv;
};

static void take_number(struct tkf_result *row, const char *title, double seconds)
{
    for (const struct tkf_member *column = columns; column->key; column++) {
        if (strcmp(column->key, title) == 0)
            *(double *)((char *)row + column->field) = seconds * column->scale;
    }
    if (strcmp(title, "stddev") == 0)
        tkf_row_spread(row, seconds * 1e9);
    else if (strcmp(title, "user") == 0)
        row->cpu_ns = seconds * 1e9;
    else if (strcmp(title, "system") == 0)
        row->cpu_ns += seconds * 1e9;
}

static void take_field(struct tkf_sink *sink, struct tkf_result *row, struct tkf_builder *group,
                       const char *title, struct tkf_slice field)
{
    double number;
    struct tkf_slice parameter;
    if (strcmp(title, "command") == 0)
        row->name = tkf_keep(sink, field);
    else if (tkf_cut(tkf_slice_of(title), "parameter_", NULL, &parameter))
        tkf_build(group, "%s%.*s=%.*s", group->out ? " " : "", (int)parameter.length,
                  parameter.text, (int)field.length, field.text);
    else if (tkf_number(field, TKF_NUMBER_POINT, &number, NULL))
        take_number(row, title, number);
}

static void take_line(struct table *table, unsigned number)
{
    const struct tkf_csv *csv = &table->csv;
    struct tkf_sink *sink = table->file.sink;
    if (table->ntitles == 0) {
        for (; table->ntitles < csv->ncells; table->ntitles++)
            table->titles[table->ntitles] = tkf_keep(sink, csv->cells[table->ntitles]);
        return;
    }
    struct tkf_builder group = {0};
    struct tkf_result row = tkf_sink_row(sink, number);
    row.statistic = TKF_STATISTIC_MEAN;
    row.quantum_ns = 0;
    for (unsigned i = 0; i < table->ntitles && i < csv->ncells; i++)
        take_field(sink, &row, &group, table->titles[i], csv->cells[i]);
    row.group = tkf_built(&group, sink);
    tkf_hyperfine_give(&table->file, &row);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    struct tkf_line line;
    struct table table = {.ntitles = 0};
    int ret = 0;
    (void)ret_error;
    tkf_hyperfine_begin(&table.file, sink);
    while (ret == 0 && tkf_input_line(in, &line)) {
        if (line.length == 0)
            continue;
        if (tkf_csv_split(&table.csv, line.text, line.length, ','))
            take_line(&table, line.number);
        else
            ret = TKF_ENOMEM;
    }
    tkf_csv_free(&table.csv);
    tkf_hyperfine_end(&table.file);
    return ret;
}

const struct tkf_reader tkf_reader_hyperfine_csv = {
    .name = "hyperfine-csv",
    .text = "CSV of hyperfine",
    .recognise = recognise,
    .read = read,
};
