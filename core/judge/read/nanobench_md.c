/* SPDX-License-Identifier: MIT */
/* nanobench's table in Markdown, its own output. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keep.h"
#include "row.h"

#define COLUMNS_MAX 48

/* What a column holds; all that a program set with context() is CONTEXT. */
enum column { IGNORED, TIME, RATE, ERROR, INSTRUCTIONS, CYCLES, CONTEXT };

struct header {
    enum column columns[COLUMNS_MAX]; /* without the last one, of names */
    const char *names[COLUMNS_MAX];   /* of CONTEXT columns, kept by the sink */
    size_t ncolumns;
    double unit_ns;    /* of the TIME column */
    const char *title; /* kept by the sink */
};

/*
 * From the first '|' on; tables are pasted into comments and documents. False when the line is no
 * row of a table.
 */
static bool find_table(struct tkf_slice line, struct tkf_slice *ret_row)
{
    line = tkf_strip_marks(line);
    if (!line.length || *line.text != '|')
        return false;
    *ret_row = (struct tkf_slice){line.text + 1, line.length - 1};
    return true;
}

/*
 * The next cell, which a '|' ends. False when none does: what is left is the last cell, where
 * names may hold one.
 */
static bool take_cell(struct tkf_slice *rest, struct tkf_slice *ret_cell)
{
    const char *bar = memchr(rest->text, '|', rest->length);
    if (!bar)
        return false;
    size_t length = (size_t)(bar - rest->text);
    *ret_cell = tkf_trim((struct tkf_slice){rest->text, length});
    rest->text += length + 1;
    rest->length -= length + 1;
    return true;
}

/* ---- the header ---- */

/* "ns/op", "us/byte": a unit of time for one of something. */
static bool is_time_column(struct tkf_slice cell, double *ret_unit_ns)
{
    const char *slash = memchr(cell.text, '/', cell.length);
    return slash &&
           tkf_time_unit((struct tkf_slice){cell.text, (size_t)(slash - cell.text)}, ret_unit_ns);
}

static enum column classify(struct tkf_slice cell, bool after_time, double *ret_unit_ns)
{
    static const char *const ignored[] = {"relative", "95% CI", "IPC", "miss%", "total"};
    if (!after_time && is_time_column(cell, ret_unit_ns))
        return TIME;
    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++) {
        if (tkf_slice_is(cell, ignored[i]))
            return IGNORED;
    }
    if (!after_time)
        return CONTEXT;
    if (tkf_drop_end(&cell, "/s"))
        return RATE;
    if (tkf_slice_is(cell, "err%"))
        return ERROR;
    if (tkf_slice_starts(cell, "ins/"))
        return INSTRUCTIONS;
    return tkf_slice_starts(cell, "cyc/") ? CYCLES : IGNORED;
}

/* A header names a column of times. */
static bool read_header(struct tkf_sink *sink, struct tkf_slice row, struct header *ret_header)
{
    struct header header = {0};
    struct tkf_slice cell;
    bool have_time = false;
    while (header.ncolumns < COLUMNS_MAX && take_cell(&row, &cell)) {
        enum column column = classify(cell, have_time, &header.unit_ns);
        have_time |= column == TIME;
        if (column == CONTEXT && sink)
            header.names[header.ncolumns] = tkf_keep(sink, cell);
        header.columns[header.ncolumns++] = column;
    }
    struct tkf_slice title = tkf_trim(row);
    if (!have_time)
        return false;
    if (sink)
        header.title = tkf_keep(sink, title);
    *ret_header = header;
    return true;
}

/* Of the tables that have no times: words only. */
static bool is_other_header(struct tkf_slice row)
{
    for (size_t i = 0; i < row.length; i++) {
        if (isdigit((unsigned char)row.text[i]))
            return false;
    }
    return true;
}

static int recognise(const char *head, size_t length)
{
    struct tkf_slice rest = {head, length}, line, row;
    while (tkf_slice_line(&rest, &line)) {
        struct header header;
        if (find_table(line, &row) && memmem(row.text, row.length, "err%", strlen("err%")) &&
            read_header(NULL, row, &header))
            return 95;
    }
    return 0;
}

/* ---- rows ---- */

/* "`name`", a backtick in it doubled, after a ":boom:" and before a remark in parentheses. */
static bool take_name(struct tkf_sink *sink, struct tkf_slice cell, const char **ret_name,
                      const char **ret_remark)
{
    const char *end = cell.text + cell.length;
    const char *at = memchr(cell.text, '`', cell.length);
    char *name = at ? malloc(cell.length) : NULL;
    if (!name)
        return false;
    size_t length = 0;
    for (at++; at < end; at++) {
        if (*at == '`' && !(at + 1 < end && at[1] == '`'))
            break;
        at += *at == '`';
        name[length++] = *at;
    }
    bool closed = at < end;
    if (closed) {
        struct tkf_slice remark = tkf_trim((struct tkf_slice){at + 1, (size_t)(end - at - 1)});
        *ret_name = tkf_sink_text(sink, name, length);
        struct tkf_slice inner = tkf_unwrap(remark, '(', ')');
        if (inner.length > 0 && inner.length < remark.length)
            *ret_remark = tkf_keep(sink, inner);
    }
    free(name);
    return closed;
}

/* What a row has where a number stands; NAN else, as in "-". */
static double cell_number(struct tkf_slice cell, double *ret_quantum)
{
    double value;
    tkf_drop_end(&cell, "%");
    return tkf_number(cell, TKF_NUMBER_POINT, &value, ret_quantum) ? value : NAN;
}

/*
 * A time has two decimals and so has its rate: of fast code the rate tells more, 3,192,444,232.50
 * against 0.31. Only where both agree, as somebody may have edited them.
 */
static void refine_by_rate(struct tkf_result *row, double rate, double rate_quantum)
{
    double ns = 1e9 / rate;
    double quantum_ns = ns * rate_quantum / rate;
    if (rate > 0 && quantum_ns < row->quantum_ns && fabs(ns - row->ns) <= row->quantum_ns) {
        row->ns = ns;
        row->quantum_ns = quantum_ns;
    }
}

/*
 * Rows that differ only in what the program set are no repetitions of each other: it goes into the
 * group.
 */
static const char *add_context(struct tkf_sink *sink, const char *group, const char *key,
                               struct tkf_slice value)
{
    char *text;
    int length = asprintf(&text, "%s/%s=%.*s", group, key, (int)value.length, value.text);
    if (length < 0)
        return group;
    const char *kept = tkf_sink_text(sink, text, (size_t)length);
    free(text);
    return kept;
}

struct reading {
    struct tkf_sink *sink;
    struct header header;
    bool in_table;
    unsigned table; /* which header this is, from 1 */
    json_t *names;  /* group and name to the table they were in, of this origin */
};

/* A benchmark that comes again under another header is of another run of the program. */
static void begin_run_if_seen(struct reading *reading, const struct tkf_result *row)
{
    char *key;
    if (asprintf(&key, "%s\n%s", row->group, row->name) < 0)
        return;
    json_t *seen = json_object_get(reading->names, key);
    if (!reading->names || (seen && json_integer_value(seen) != reading->table)) {
        json_decref(reading->names);
        reading->names = json_object();
        tkf_sink_origin(reading->sink, "nanobench", TKF_TIMING_BATCHED);
    }
    json_object_set_new_nocheck(reading->names, key, json_integer(reading->table));
    free(key);
}

static bool read_row(struct reading *reading, struct tkf_slice text, unsigned line)
{
    const struct header *header = &reading->header;
    struct tkf_sink *sink = reading->sink;
    struct tkf_result row = tkf_sink_row(sink, line);
    double rate = NAN, rate_quantum = NAN, error = NAN;
    row.group = header->title;
    for (size_t i = 0; i < header->ncolumns; i++) {
        struct tkf_slice cell;
        double quantum = NAN;
        if (!take_cell(&text, &cell))
            return false;
        double value = cell_number(cell, &quantum);
        switch (header->columns[i]) {
        case TIME:
            row.ns = value * header->unit_ns;
            row.quantum_ns = quantum * header->unit_ns;
            break;
        case RATE:
            rate = value;
            rate_quantum = quantum;
            break;
        case ERROR:
            error = value / 100;
            break;
        case INSTRUCTIONS:
            row.instructions = value;
            break;
        case CYCLES:
            row.cycles = value;
            break;
        case CONTEXT:
            row.group = add_context(sink, row.group, header->names[i], cell);
            break;
        case IGNORED:
            break;
        }
    }
    if (!take_name(sink, tkf_trim(text), &row.name, &row.remark))
        return false;
    if (isnan(row.ns) && !row.remark)
        return false;
    row.time_missing = isnan(row.ns);
    refine_by_rate(&row, rate, rate_quantum);
    tkf_row_spread(&row, row.ns * error);
    row.statistic = TKF_STATISTIC_MEDIAN;
    begin_run_if_seen(reading, &row);
    tkf_sink_add(sink, &row);
    return true;
}

static void read_line(struct reading *reading, const struct tkf_line *line)
{
    struct tkf_slice row;
    if (!find_table(tkf_line_slice(line), &row))
        return;
    if (row.length && (*row.text == '-' || *row.text == ':'))
        return; /* |---:| */
    if (read_header(reading->sink, row, &reading->header)) {
        reading->in_table = true;
        reading->table++;
    } else if (reading->in_table && !read_row(reading, row, line->number)) {
        if (is_other_header(row))
            reading->in_table = false;
        else
            tkf_notice_unread(reading->sink, line->number, tkf_line_slice(line));
    }
}

static int read_nanobench_md(struct tkf_input *in, struct tkf_sink *sink,
                             struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct reading reading = {.sink = sink};
    struct tkf_line line;
    while (tkf_input_line(in, &line))
        read_line(&reading, &line);
    json_decref(reading.names);
    return 0;
}

const struct tkf_reader tkf_reader_nanobench_md = {
    .name = "nanobench-md",
    .text = "nanobench, the table it prints",
    .recognise = recognise,
    .read = read_nanobench_md,
};
