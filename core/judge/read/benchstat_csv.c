/* SPDX-License-Identifier: MIT */
/*
 * benchstat -format csv: blocks of ",file,,file,,," then ",sec/op,CI,sec/op,CI,vs base,P" then rows, in whole seconds.
 * Before 2023: "name,old time/op (ns/op),±,new time/op (ns/op),±,delta,±" then rows.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchstat.h"
#include "go.h"
#include "keep.h"
#include "table.h"

#define COLUMNS_MAX TKF_BENCHSTAT_COLUMNS_MAX

/* A column of values; the interval stands right of it. */
struct values {
    unsigned cell;
    const char *label, *unit;
};

struct block {
    struct values columns[COLUMNS_MAX];
    unsigned ncolumns;
    const char *labels[TKF_CSV_CELLS_MAX]; /* of the first header line, by cell */
    unsigned nlabels;
};

static const char *keep(struct tkf_benchstat *benchstat, struct tkf_slice text)
{
    return tkf_keep(benchstat->sink, text);
}

static bool interval_follows(const struct tkf_csv *csv, unsigned cell)
{
    return cell + 1 < csv->ncells && (tkf_slice_is(csv->cells[cell + 1], "CI") ||
                                      tkf_slice_is(csv->cells[cell + 1], "\xc2\xb1"));
}

/* A line with an empty first cell: files, then units. */
static void take_header(struct tkf_benchstat *benchstat, struct block *block,
                        const struct tkf_csv *csv)
{
    block->ncolumns = 0;
    for (unsigned i = 1; i < csv->ncells && block->ncolumns < COLUMNS_MAX; i++) {
        if (!interval_follows(csv, i))
            continue;
        block->columns[block->ncolumns++] =
            (struct values){.cell = i,
                            .label = i < block->nlabels ? block->labels[i] : "",
                            .unit = keep(benchstat, csv->cells[i])};
    }
    if (block->ncolumns > 0)
        return;
    block->nlabels = csv->ncells;
    for (unsigned i = 0; i < csv->ncells; i++)
        block->labels[i] = keep(benchstat, csv->cells[i]);
}

/* "old time/op (ns/op)": the label, and the unit in parentheses. */
static void take_old_header(struct tkf_benchstat *benchstat, struct block *block,
                            const struct tkf_csv *csv)
{
    block->ncolumns = 0;
    for (unsigned i = 1; i < csv->ncells && block->ncolumns < COLUMNS_MAX; i++) {
        struct tkf_slice cell = csv->cells[i], label = tkf_field(&cell);
        const char *open = memchr(csv->cells[i].text, '(', csv->cells[i].length);
        if (!interval_follows(csv, i) || !open ||
            csv->cells[i].text[csv->cells[i].length - 1] != ')')
            continue;
        const char *close = csv->cells[i].text + csv->cells[i].length - 1;
        bool labelled = memchr(label.text, '/', label.length) == NULL;
        struct tkf_slice unit = {.text = open + 1, .length = (size_t)(close - open - 1)};
        block->columns[block->ncolumns++] =
            (struct values){.cell = i,
                            .label = labelled ? keep(benchstat, label) : "",
                            .unit = keep(benchstat, unit)};
    }
}

static double percent(struct tkf_slice cell)
{
    double value;
    if (cell.length == 0 || cell.text[cell.length - 1] != '%')
        return NAN;
    cell.length--;
    return tkf_number(cell, TKF_NUMBER_POINT, &value, NULL) && isfinite(value) ? value : NAN;
}

static struct tkf_slice whole(const char *text)
{
    return (struct tkf_slice){.text = text, .length = strlen(text)};
}

static void take_row(struct tkf_benchstat *benchstat, const struct block *block,
                     const struct tkf_csv *csv, unsigned line)
{
    struct tkf_benchstat_cell cell = {.name = csv->cells[0]};
    if (tkf_slice_is(cell.name, "geomean") || tkf_slice_starts(cell.name, "[Geo"))
        return;
    for (unsigned i = 0; i < block->ncolumns; i++) {
        const struct values *column = &block->columns[i];
        if (column->cell >= csv->ncells || csv->cells[column->cell].length == 0)
            continue; /* that file has no such benchmark */
        struct tkf_slice value = csv->cells[column->cell];
        /* All digits that a double has: the quantum stays 0. */
        if (!tkf_number(value, TKF_NUMBER_POINT, &cell.value, NULL)) {
            tkf_sink_notice(benchstat->sink, line, "not a number: %.*s", (int)value.length,
                            value.text);
            continue;
        }
        cell.unit = whole(column->unit);
        cell.percent = column->cell + 1 < csv->ncells ? percent(csv->cells[column->cell + 1]) : NAN;
        tkf_benchstat_add(benchstat, whole(column->label), line, &cell);
    }
}

static void take_line(struct tkf_benchstat *benchstat, struct block *block,
                      const struct tkf_csv *csv, const struct tkf_line *line)
{
    struct tkf_slice text = {.text = line->text, .length = line->length};
    if (tkf_benchstat_config(benchstat, text) || csv->ncells < 2)
        return;
    if (csv->cells[0].length == 0)
        take_header(benchstat, block, csv);
    else if (tkf_slice_is(csv->cells[0], "name"))
        take_old_header(benchstat, block, csv);
    else
        take_row(benchstat, block, csv, line->number);
    if (line->cut)
        tkf_sink_notice(benchstat->sink, line->number, "no end of line: it may be cut short");
}

static int read_blocks(struct tkf_input *in, struct tkf_sink *sink,
                       struct tkf_input_error *ret_error)
{
    struct tkf_benchstat benchstat = {.sink = sink};
    struct block *block = calloc(1, sizeof(*block));
    struct tkf_csv *csv = calloc(1, sizeof(*csv));
    struct tkf_line line;
    bool split = block && csv;
    (void)ret_error;
    while (split && tkf_input_line(in, &line)) {
        split = tkf_csv_split(csv, line.text, line.length, ',');
        if (split)
            take_line(&benchstat, block, csv, &line);
    }
    tkf_go_strip_procs(sink);
    if (csv)
        tkf_csv_free(csv);
    free(csv);
    free(block);
    return split ? 0 : TKF_ENOMEM;
}

static int recognise(const char *head, size_t length)
{
    struct tkf_slice rest = {.text = head, .length = length}, line;
    while (tkf_slice_line(&rest, &line)) {
        if (tkf_slice_starts(line, ",") && memmem(line.text, line.length, ",CI", 3))
            return 92;
        if (tkf_slice_starts(line, "name,") && memmem(line.text, line.length, "/op),\xc2\xb1", 7))
            return 92;
    }
    return 0;
}

const struct tkf_reader tkf_reader_benchstat_csv = {
    .name = "benchstat-csv",
    .text = "CSV of benchstat",
    .recognise = recognise,
    .read = read_blocks,
};
