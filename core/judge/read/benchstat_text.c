/* SPDX-License-Identifier: MIT */
/*
 * benchstat's tables. Since 2023 their columns stand between bars (U+2502), which only the header has; before, columns
 * followed one another, two blanks or more apart.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "benchstat.h"
#include "go.h"
#include "slice.h"

static const char bar[] = "\xe2\x94\x82";
static const char plus_minus[] = "\xc2\xb1";

#define COLUMNS_MAX TKF_BENCHSTAT_COLUMNS_MAX

/* ---- pieces ---- */

/* A value with its SI, binary or time suffix: "138.35n", "1.150Gi", "5.02ms", "56.0B". */
static bool scaled_number(struct tkf_slice field, double *ret_value, double *ret_quantum)
{
    static const struct {
        const char *suffix;
        double scale;
    } suffixes[] = {
        /* the long ones first: "ms" ends in "s" */
        {"ns", 1},      {"\xc2\xb5s", 1e3}, {"\xce\xbcs", 1e3}, {"ms", 1e6},
        {"s", 1e9},     {"kB/s", 1e3},      {"MB/s", 1e6},      {"GB/s", 1e9},
        {"B/s", 1},     {"kB", 1e3},        {"MB", 1e6},        {"GB", 1e9},
        {"B", 1},       {"Ki", 0x1p10},     {"Mi", 0x1p20},     {"Gi", 0x1p30},
        {"Ti", 0x1p40}, {"n", 1e-9},        {"\xc2\xb5", 1e-6}, {"\xce\xbc", 1e-6},
        {"u", 1e-6},    {"m", 1e-3},        {"k", 1e3},         {"M", 1e6},
        {"G", 1e9},     {"T", 1e12},        {"p", 1e-12},       {"", 1},
    };
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        struct tkf_slice number = field;
        double value, quantum;
        if (!tkf_drop_end(&number, suffixes[i].suffix) ||
            !tkf_number(number, TKF_NUMBER_POINT, &value, &quantum))
            continue;
        *ret_value = value * suffixes[i].scale;
        *ret_quantum = quantum * suffixes[i].scale;
        return true;
    }
    return false;
}

/* What follows a value: "± 14%", "±2%"; NAN when it is infinite or not there. */
static double take_percent(struct tkf_slice *rest)
{
    struct tkf_slice at = *rest;
    struct tkf_slice field = tkf_field(&at);
    double percent;
    if (!tkf_slice_starts(field, plus_minus))
        return NAN;
    field.text += strlen(plus_minus);
    field.length -= strlen(plus_minus);
    if (field.length == 0)
        field = tkf_field(&at);
    *rest = at;
    bool known = tkf_drop_end(&field, "%") && tkf_number(field, TKF_NUMBER_POINT, &percent, NULL) &&
                 isfinite(percent);
    return known ? percent : NAN;
}

/* "(p=0.000 n=10+9)": how many runs of the old and of the new; 0 when it does not say. */
static void find_runs(struct tkf_slice text, unsigned *ret_old, unsigned *ret_new)
{
    const char *at = memmem(text.text, text.length, " n=", 3);
    if (!at)
        at = memmem(text.text, text.length, "(n=", 3);
    *ret_old = *ret_new = 0;
    if (!at)
        return;
    char *end;
    *ret_old = *ret_new = (unsigned)strtoul(at + 3, &end, 10); /* the line is NUL-terminated */
    if (*end == '+')
        *ret_new = (unsigned)strtoul(end + 1, NULL, 10);
}

/* A superscript digit begins it: U+00B9, U+00B2, U+00B3, U+2070 to U+2079. */
static bool is_footnote(struct tkf_slice line)
{
    static const char *const digits[] = {"\xc2\xb9", "\xc2\xb2", "\xc2\xb3", "\xe2\x81"};
    for (size_t i = 0; i < sizeof(digits) / sizeof(*digits); i++) {
        if (tkf_slice_starts(line, digits[i]))
            return true;
    }
    return false;
}

/* The input ended in this field: half a number looks like a number. */
static bool is_cut(const struct tkf_line *line, struct tkf_slice field)
{
    return line->cut && field.text + field.length == line->text + line->length;
}

static bool is_mean_of_all(struct tkf_slice name)
{
    return tkf_slice_is(name, "geomean") || tkf_slice_starts(name, "[Geo");
}

/* ---- tables with bars ---- */

struct table {
    unsigned nbars;
    size_t bars[COLUMNS_MAX + 1]; /* where they stand, in characters */
    struct tkf_slice labels[COLUMNS_MAX], units[COLUMNS_MAX];
    char header[4096], units_line[4096]; /* what labels and units point into */
    bool in_header;
};

/* Byte offset of a character's place, the length when the line is shorter. */
static size_t offset_of(struct tkf_slice line, size_t place)
{
    size_t at = 0;
    for (; at < line.length; at++) {
        bool first_byte = ((unsigned char)line.text[at] & 0xc0) != 0x80;
        if (first_byte && place-- == 0)
            break;
    }
    return at;
}

static struct tkf_slice between(struct tkf_slice line, size_t from, size_t to)
{
    size_t begin = offset_of(line, from), end = offset_of(line, to);
    return tkf_trim((struct tkf_slice){.text = line.text + begin, .length = end - begin});
}

/* The bars of a header line; the number of them. */
static unsigned find_bars(struct tkf_slice line, size_t *bars)
{
    unsigned n = 0;
    size_t place = 0;
    for (size_t at = 0; at < line.length; at++) {
        if (((unsigned char)line.text[at] & 0xc0) == 0x80)
            continue;
        struct tkf_slice here = {.text = line.text + at, .length = line.length - at};
        if (tkf_slice_starts(here, bar) && n <= COLUMNS_MAX)
            bars[n++] = place;
        place++;
    }
    return n;
}

/* The cell of a header line that spans that place. */
static struct tkf_slice header_cell(const char *header, size_t place)
{
    size_t bars[COLUMNS_MAX + 1];
    struct tkf_slice line = {.text = header, .length = strlen(header)};
    unsigned n = find_bars(line, bars);
    for (unsigned i = 0; i + 1 < n; i++) {
        if (place >= bars[i] && place < bars[i + 1])
            return between(line, bars[i] + 1, bars[i + 1]);
    }
    return (struct tkf_slice){.text = ""};
}

static void take_header(struct table *table, struct tkf_slice line)
{
    char *to = table->in_header ? table->units_line : table->header;
    size_t length = line.length < sizeof(table->header) ? line.length : sizeof(table->header) - 1;
    memcpy(to, line.text, length);
    to[length] = '\0';
    if (!table->in_header)
        strcpy(table->units_line, to); /* until another follows */
    table->in_header = true;
    table->nbars = find_bars((struct tkf_slice){.text = to, .length = length}, table->bars);
    for (unsigned i = 0; i + 1 < table->nbars; i++) {
        struct tkf_slice unit = header_cell(table->units_line, table->bars[i] + 1);
        table->labels[i] = header_cell(table->header, table->bars[i] + 1);
        table->units[i] = tkf_field(&unit);
    }
}

/* A row under bars: its cells stand where the header's do. */
static void take_row(struct tkf_benchstat *benchstat, const struct table *table,
                     const struct tkf_line *in)
{
    struct tkf_slice line = {.text = in->text, .length = in->length}, rest = line;
    struct tkf_benchstat_cell cell = {.name = tkf_field(&rest)};
    unsigned runs, of_old;
    if (*line.text == ' ' || is_mean_of_all(cell.name) || is_footnote(line))
        return;
    bool any = false, odd = false;
    for (unsigned i = 0; i + 1 < table->nbars; i++) {
        size_t to = i + 2 < table->nbars ? table->bars[i + 1] : SIZE_MAX;
        struct tkf_slice text = between(line, table->bars[i], to);
        struct tkf_slice field = tkf_field(&text);
        if (is_cut(in, field) || !scaled_number(field, &cell.value, &cell.quantum)) {
            /* No value in the old file: no change either. */
            odd =
                odd || (field.length > 0 && !tkf_slice_is(field, "?") && !tkf_slice_is(field, "~"));
            continue;
        }
        cell.percent = take_percent(&text);
        cell.unit = table->units[i];
        if (i == 0)
            find_runs(line, &cell.n, &runs); /* the first column is the old one of all others */
        else
            find_runs(text, &of_old, &cell.n);
        tkf_benchstat_add(benchstat, table->labels[i], in->number, &cell);
        any = true;
    }
    if (!any || odd)
        tkf_sink_notice(benchstat->sink, in->number, "%s: %.120s",
                        in->cut ? "cut short" : "not understood", line.text);
}

/* ---- tables without ---- */

struct old_table {
    char header[4096];
    struct tkf_slice unit;
    unsigned ncolumns;
    struct tkf_slice labels[COLUMNS_MAX];
};

/* The next cell of a header: up to two blanks. */
static struct tkf_slice header_field(struct tkf_slice *rest)
{
    *rest = tkf_trim(*rest);
    const char *gap = memmem(rest->text, rest->length, "  ", 2);
    struct tkf_slice field = {.text = rest->text,
                              .length = gap ? (size_t)(gap - rest->text) : rest->length};
    rest->text += field.length;
    rest->length -= field.length;
    return field;
}

/* "name  old time/op  new time/op  delta", "name \ time/op  a.txt  b.txt", "name  time/op" */
static bool take_old_header(struct old_table *table, struct tkf_slice line)
{
    if (!tkf_slice_starts(line, "name ") || line.length >= sizeof(table->header))
        return false;
    memcpy(table->header, line.text, line.length);
    struct tkf_slice rest = {.text = table->header, .length = line.length};
    struct tkf_slice field = header_field(&rest);
    table->ncolumns = 0;
    bool files = tkf_slice_starts(field, "name \\ ");
    if (files)
        table->unit = (struct tkf_slice){.text = field.text + 7, .length = field.length - 7};
    while ((field = header_field(&rest)).length > 0 && table->ncolumns < COLUMNS_MAX) {
        if (tkf_slice_is(field, "delta"))
            break;
        struct tkf_slice label = {.text = ""};
        if (files) {
            label = field;
        } else {
            struct tkf_slice words = field, unit = tkf_field(&words);
            if (words.length > 0) {
                label = unit;
                unit = tkf_trim(words);
            }
            table->unit = unit;
        }
        table->labels[table->ncolumns++] = label;
    }
    return table->ncolumns > 0;
}

static void take_old_row(struct tkf_benchstat *benchstat, const struct old_table *table,
                         const struct tkf_line *in)
{
    struct tkf_slice line = {.text = in->text, .length = in->length}, rest = line;
    struct tkf_benchstat_cell cell = {.name = tkf_field(&rest), .unit = table->unit};
    unsigned runs[2];
    if (cell.name.length == 0 || is_mean_of_all(cell.name))
        return;
    find_runs(line, &runs[0], &runs[1]);
    for (unsigned i = 0; i < table->ncolumns; i++) {
        struct tkf_slice field = tkf_field(&rest);
        if (is_cut(in, field) || !scaled_number(field, &cell.value, &cell.quantum)) {
            tkf_sink_notice(benchstat->sink, in->number, "no value in column %u: %.120s", i + 1,
                            line.text);
            break;
        }
        cell.percent = take_percent(&rest);
        cell.n = i < 2 ? runs[i] : 0;
        tkf_benchstat_add(benchstat, table->labels[i], in->number, &cell);
    }
}

/* ---- the file ---- */

struct tables {
    struct table table;
    struct old_table old;
    bool in_table, in_old_table;
};

static void take_line(struct tkf_benchstat *benchstat, struct tables *tables,
                      const struct tkf_line *line)
{
    struct tkf_slice text = {.text = line->text, .length = line->length};
    if (tkf_slice_find(text, bar)) {
        take_header(&tables->table, text);
        tables->in_table = true;
        tables->in_old_table = false;
        return;
    }
    tables->table.in_header = false;
    if (tkf_trim(text).length == 0)
        tables->in_table = tables->in_old_table = false;
    else if (tkf_benchstat_config(benchstat, text))
        return;
    else if (take_old_header(&tables->old, text))
        tables->in_old_table = true;
    else if (tables->in_table)
        take_row(benchstat, &tables->table, line);
    else if (tables->in_old_table)
        take_old_row(benchstat, &tables->old, line);
}

static int read_tables(struct tkf_input *in, struct tkf_sink *sink,
                       struct tkf_input_error *ret_error)
{
    struct tkf_benchstat benchstat = {.sink = sink};
    struct tables *tables = calloc(1, sizeof(*tables));
    struct tkf_line line;
    (void)ret_error;
    if (!tables)
        return TKF_ENOMEM;
    while (tkf_input_line(in, &line))
        take_line(&benchstat, tables, &line);
    tkf_go_strip_procs(sink);
    free(tables);
    return 0;
}

static int recognise(const char *head, size_t length)
{
    static const char *const units[] = {"sec/op", "B/op", "allocs/op", "B/s", "vs base"};
    struct tkf_slice rest = {.text = head, .length = length}, line;
    int most = 0;
    while (most == 0 && tkf_slice_line(&rest, &line)) {
        bool barred = tkf_slice_find(line, bar);
        for (size_t i = 0; i < sizeof(units) / sizeof(*units) && barred; i++)
            most = tkf_slice_find(line, units[i]) ? 92 : most;
        if (tkf_slice_starts(line, "name ") &&
            (tkf_slice_find(line, " time/op") || tkf_slice_find(line, " alloc/op")))
            most = 90;
    }
    return most;
}

const struct tkf_reader tkf_reader_benchstat_text = {
    .name = "benchstat-text",
    .text = "table of benchstat",
    .recognise = recognise,
    .read = read_tables,
};
