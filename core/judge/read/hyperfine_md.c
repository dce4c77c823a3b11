/* SPDX-License-Identifier: MIT */
/*
 * hyperfine's tables in Markdown, Org and AsciiDoc: the unit stands in the titles, "Mean [ms]".
 * AsciiDoc has each cell in a line of its own, and an empty line between rows.
 */
#include <stdlib.h>
#include <string.h>

#include "head.h"
#include "hyperfine.h"
#include "keep.h"
#include "row.h"

#define CELLS_MAX 16

static int recognise(const char *head, size_t length)
{
    (void)length;
    return tkf_head_has(head, TKF_WORDS("| Command", "| Mean [")) ? 95 : 0;
}

struct table {
    struct tkf_hyperfine file;
    const char *titles[CELLS_MAX];
    size_t ntitles;
    const char *cells[CELLS_MAX]; /* of the row that is being read */
    size_t ncells;
    unsigned line;
};

/* A cell by its title: "Command", "Mean [ms]", "Min [ms]", "Max [ms]". */
static void take_cell(struct table *table, struct tkf_result *row, const char *title,
                      const char *text)
{
    struct tkf_slice cell = tkf_slice_of(text), what, unit;
    double unit_ns, number;
    if (strcmp(title, "Command") == 0) {
        row->name = tkf_keep(table->file.sink, tkf_unwrap(tkf_unwrap(cell, '`', '`'), '=', '='));
        return;
    }
    if (!tkf_cut(tkf_slice_of(title), " [", &what, &unit) || !tkf_cut(unit, "]", &unit, NULL) ||
        !tkf_time_unit(unit, &unit_ns))
        return;
    if (tkf_slice_is(what, "Mean"))
        tkf_row_value_spread(row, cell, unit_ns, TKF_STATISTIC_MEAN);
    else if (!tkf_number(cell, TKF_NUMBER_POINT, &number, NULL))
        return;
    else if (tkf_slice_is(what, "Min"))
        row->min_ns = number * unit_ns;
    else if (tkf_slice_is(what, "Max"))
        row->max_ns = number * unit_ns;
}

static bool is_rule(const char *cell)
{
    return *cell && strspn(cell, ":-+") == strlen(cell);
}

/* The cells make a row: titles, a rule, or a benchmark. */
static void flush(struct table *table)
{
    size_t ncells = table->ncells;
    table->ncells = 0;
    if (ncells < 2 || is_rule(table->cells[0]))
        return;
    if (strcmp(table->cells[0], "Command") == 0) {
        memcpy(table->titles, table->cells, sizeof(table->titles));
        table->ntitles = ncells;
        return;
    }
    if (table->ntitles == 0)
        return;
    struct tkf_result row = tkf_sink_row(table->file.sink, table->line);
    for (size_t i = 0; i < ncells && i < table->ntitles; i++)
        take_cell(table, &row, table->titles[i], table->cells[i]);
    tkf_hyperfine_give(&table->file, &row);
}

/*
 * Up to the next bar that no backslash is in front of, advancing *rest; the backslash goes. "" when
 * out of memory.
 */
static const char *next_cell(struct tkf_sink *sink, struct tkf_slice *rest)
{
    size_t length = 0, at = 0;
    char *cell = malloc(rest->length + 1);
    if (!cell) {
        tkf_sink_notice(sink, 0, "a line too long for the memory");
        *rest = (struct tkf_slice){.text = rest->text + rest->length};
        return "";
    }
    for (; at < rest->length && rest->text[at] != '|'; at++) {
        at += rest->text[at] == '\\' && at + 1 < rest->length && rest->text[at + 1] == '|';
        cell[length++] = rest->text[at];
    }
    at += at < rest->length;
    *rest = (struct tkf_slice){.text = rest->text + at, .length = rest->length - at};
    struct tkf_slice text = {.text = cell, .length = length};
    const char *kept = tkf_keep(sink, tkf_trim(text));
    free(cell);
    return kept;
}

static void take_line(struct table *table, const struct tkf_line *line)
{
    struct tkf_slice rest = tkf_line_text(line);
    if (rest.length == 0 || *rest.text != '|' || tkf_slice_starts(rest, "|=")) {
        flush(table);
        return;
    }
    tkf_cut(rest, "|", NULL, &rest);
    size_t before = table->ncells;
    if (before == 0)
        table->line = line->number;
    while (table->ncells < CELLS_MAX && tkf_trim(rest).length > 0)
        table->cells[table->ncells++] = next_cell(table->file.sink, &rest);
    if (table->ncells > before + 1) /* a whole row in a line */
        flush(table);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    struct tkf_line line;
    struct table table = {.ntitles = 0};
    (void)ret_error;
    tkf_hyperfine_begin(&table.file, sink);
    while (tkf_input_line(in, &line))
        take_line(&table, &line);
    flush(&table);
    tkf_hyperfine_end(&table.file);
    return 0;
}

const struct tkf_reader tkf_reader_hyperfine_md = {
    .name = "hyperfine-md",
    .text = "Markdown, Org or AsciiDoc of hyperfine",
    .recognise = recognise,
    .read = read,
};
