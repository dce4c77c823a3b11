/* SPDX-License-Identifier: MIT */
/*
 * mitata's table, 0.1 and 1.x, and its markdown: a row has "85.66 ps/iter"; 1.x has the range in a
 * line of its own below.
 */
#include <math.h>
#include <string.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"
#include "table.h"

struct table {
    struct tkf_run run;
    const char *group;
    const char *pending; /* the group of the table that comes next */
    struct tkf_result row;
    bool has_row;
    unsigned nwhole, nfine; /* of the row's times in ns with decimals: those that are whole, all */
    struct tkf_slice columns[16]; /* of markdown */
    size_t ncolumns;
    char header[512];
};

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (!strstr(head, "/iter"))
        return 0;
    if (strstr(head, "top 1%)") || tkf_head_has(head, TKF_WORDS("| benchmark", "| avg")) ||
        tkf_head_has(head, TKF_WORDS("time (avg)", "(min \xe2\x80\xa6 max)")))
        return 90;
    return tkf_head_has(head, TKF_WORDS("runtime: ", "| benchmark")) ? 80 : 0;
}

/*
 * Keep the row. Calls that are timed one by one are whole numbers of ns; a 4096th of a batch is
 * not, four times over.
 */
static void flush(struct table *table)
{
    if (!table->has_row)
        return;
    bool each_call = table->nfine >= 3 && table->nwhole == table->nfine;
    tkf_run_timed(&table->run, each_call ? TKF_TIMING_EACH_CALL : TKF_TIMING_BATCHED);
    tkf_row_give(table->run.sink, &table->row);
    table->has_row = false;
}

static void begin_row(struct table *table, unsigned line, struct tkf_slice name)
{
    flush(table);
    table->row = tkf_sink_row(table->run.sink, line);
    table->row.group = table->group;
    table->row.name = tkf_keep(table->run.sink, tkf_trim(name));
    table->has_row = true;
    table->nwhole = table->nfine = 0;
}

static void look_at(struct table *table, struct tkf_slice time)
{
    double ns, quantum_ns;
    if (!tkf_time(&time, TKF_NUMBER_POINT, &ns, &quantum_ns) || ns < 1 || !(quantum_ns < 1))
        return;
    table->nfine++;
    table->nwhole += ns == floor(ns);
}

/* "(78.12 ps … 901.43 ns) 149.17 ps ...": the heap's line is the same in bytes, and none. */
static void take_range(struct table *table, struct tkf_slice text)
{
    struct tkf_slice inside, after, least, largest;
    struct tkf_result *row = &table->row;
    if (!tkf_cut(text, "(", NULL, &inside) || !tkf_cut(inside, ")", &inside, &after) ||
        !tkf_time_range(inside, &row->min_ns, &row->max_ns))
        return;
    if (tkf_cut(inside, "\xe2\x80\xa6", &least, &largest)) {
        look_at(table, least);
        look_at(table, largest);
    }
    look_at(table, after);
}

static void remark_on_mark(struct table *table, struct tkf_slice line)
{
    if (tkf_slice_is(tkf_last_field(&line), "!"))
        table->row.remark = "mitata marks it !: likely optimized out";
}

/*
 * "name   85.66 ps/iter ...": the value and its unit are the last two fields in front of "/iter".
 */
static bool take_row(struct table *table, unsigned number, struct tkf_slice line)
{
    struct tkf_slice before, after, value;
    double ns, quantum_ns;
    if (!tkf_cut(line, "/iter", &before, &after))
        return false;
    struct tkf_slice name = before;
    struct tkf_slice unit = tkf_last_field(&name);
    value = tkf_last_field(&name);
    value.length = (size_t)(unit.text + unit.length - value.text);
    if (!tkf_whole_time(value, &ns, &quantum_ns))
        return false;
    begin_row(table, number, name);
    table->row.ns = ns;
    table->row.quantum_ns = quantum_ns;
    table->row.statistic = TKF_STATISTIC_MEAN;
    look_at(table, after);
    take_range(table, after);
    remark_on_mark(table, line);
    return true;
}

static bool take_error(struct table *table, unsigned number, struct tkf_slice line)
{
    struct tkf_slice name, message;
    if (!tkf_cut(line, " error: ", &name, &message) || tkf_trim(name).length == 0)
        return false;
    begin_row(table, number, name);
    table->row.failed = true;
    table->row.remark =
        tkf_keepf(table->run.sink, "error: %.*s", (int)message.length, message.text);
    flush(table);
    return true;
}

/* ---- markdown: | name | `85.66 ps/iter` | `78.12 ps` | ---- */

static const struct tkf_member columns[] = {
    {"avg", offsetof(struct tkf_result, ns), 1, TKF_STATISTIC_MEAN},
    {"min", offsetof(struct tkf_result, min_ns), 1, 0},
    {"max", offsetof(struct tkf_result, max_ns), 1, 0},
    {NULL, 0, 0, 0},
};

static void take_cell(struct table *table, struct tkf_slice title, struct tkf_slice cell)
{
    double ns, quantum_ns;
    cell = tkf_trim(tkf_unwrap(cell, '`', '`'));
    if (tkf_slice_is(cell, "!"))
        remark_on_mark(table, cell);
    if (!tkf_slice_is(title, "avg"))
        look_at(table, cell);
    tkf_cut(cell, "/iter", &cell, NULL);
    if (!tkf_whole_time(cell, &ns, &quantum_ns))
        return;
    for (const struct tkf_member *column = columns; column->key; column++) {
        if (!tkf_slice_is(title, column->key))
            continue;
        *(double *)((char *)&table->row + column->field) = ns;
        if (column->statistic) {
            table->row.quantum_ns = quantum_ns;
            table->row.statistic = column->statistic;
        }
    }
}

static void take_header(struct table *table, struct tkf_slice line)
{
    struct tkf_slice cell, rest = {.text = table->header, .length = line.length};
    if (line.length > sizeof(table->header))
        rest.length = sizeof(table->header);
    memcpy(table->header, line.text, rest.length);
    table->ncolumns = 0;
    while (table->ncolumns < sizeof(table->columns) / sizeof(*table->columns) &&
           tkf_cell(&rest, &cell))
        table->columns[table->ncolumns++] = cell;
}

static void take_markdown(struct table *table, unsigned number, struct tkf_slice line)
{
    struct tkf_slice cell, rest = line;
    tkf_cell(&rest, &cell); /* before the first bar */
    if (!tkf_cell(&rest, &cell) || tkf_slice_starts(cell, "--") || tkf_slice_starts(cell, ":-"))
        return;
    flush(table);
    if (tkf_slice_is(cell, "benchmark")) {
        table->group = table->pending;
        table->pending = "";
        take_header(table, line);
        return;
    }
    begin_row(table, number, cell);
    for (size_t i = 2; i < table->ncolumns && tkf_cell(&rest, &cell); i++)
        take_cell(table, table->columns[i], cell);
    remark_on_mark(table, line);
    if (tkf_cut(line, "error: ", NULL, &cell)) {
        tkf_cut(cell, " |", &cell, NULL);
        table->row.failed = true;
        table->row.remark = tkf_keepf(table->run.sink, "error: %.*s", (int)cell.length, cell.text);
    }
    flush(table);
}

/* ---- lines ---- */

/*
 * "cpu: AMD EPYC", "runtime: node 20.20.2 (x64-linux)". "clk: ~3.44 GHz" is no fact: it is the
 * inverse of an empty loop, and half of the clock on a busy machine.
 */
static bool take_fact(struct table *table, struct tkf_slice line)
{
    struct tkf_origin *facts = &table->run.facts;
    struct tkf_slice value, version, platform, arch;
    if (tkf_slice_starts(line, "cpu: ")) {
        tkf_cut(line, ": ", NULL, &value);
        facts->cpu = tkf_keep(table->run.sink, tkf_trim(value));
        return true;
    }
    if (!tkf_slice_starts(line, "runtime: "))
        return false;
    tkf_cut(line, ": ", NULL, &value);
    if (tkf_cut(value, " (", &version, &platform) && tkf_cut(platform, "-", &arch, &platform)) {
        facts->arch = tkf_keep(table->run.sink, arch);
        tkf_cut(platform, ")", &platform, NULL);
        facts->os = tkf_keep(table->run.sink, platform);
        value = version;
    }
    facts->version = tkf_keep(table->run.sink, tkf_trim(value));
    return true;
}

static void take_line(struct table *table, const struct tkf_line *line)
{
    struct tkf_slice text = tkf_line_text(line), name;
    if (text.length == 0) {
        flush(table);
    } else if (*text.text == '|') {
        take_markdown(table, line->number, text);
    } else if (tkf_slice_starts(text, "\xe2\x80\xa2 ")) { /* U+2022 */
        flush(table);
        tkf_cut(text, " ", NULL, &name);
        table->pending = tkf_keep(table->run.sink, tkf_trim(name));
    } else if (tkf_slice_starts(text, "-----")) {
        table->group = table->pending;
        table->pending = "";
    } else if (table->has_row && *text.text == '(') {
        take_range(table, text);
    } else if (!take_fact(table, text) && !take_row(table, line->number, text) &&
               !take_error(table, line->number, text) && tkf_cut(text, "/iter", NULL, NULL)) {
        tkf_sink_notice(table->run.sink, line->number, "a row whose time cannot be read");
    }
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    struct tkf_line line;
    struct table table = {.group = "", .pending = ""};
    (void)ret_error;
    tkf_run_begin(&table.run, sink, "mitata");
    while (tkf_input_line(in, &line))
        take_line(&table, &line);
    flush(&table);
    return 0;
}

const struct tkf_reader tkf_reader_mitata_text = {
    .name = "mitata-text",
    .text = "table of mitata",
    .recognise = recognise,
    .read = read,
};
