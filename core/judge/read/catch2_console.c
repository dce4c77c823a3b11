/* SPDX-License-Identifier: MIT */
/* Catch2's table for people, of v2 and of v3, with or without the analysis. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/error.h>

#include "../grow.h"
#include "slice.h"

/* The header of a table. */
static bool is_table_start(struct tkf_slice line)
{
    return tkf_slice_starts(line, "benchmark name ") &&
           memmem(line.text, line.length, " samples ", strlen(" samples "));
}

static int recognise(const char *head, size_t length)
{
    struct tkf_slice rest = {head, length}, line;
    while (tkf_slice_line(&rest, &line)) {
        if (is_table_start(line))
            return 95;
    }
    return strstr(head, " is a Catch") && strstr(head, " host application.") ? 70 : 0;
}

/* ---- cells ---- */

struct cells {
    struct tkf_slice left; /* what stands before them: a piece of a name */
    double value[3];       /* counts, and times in ns */
    double quantum_ns;     /* the finest of the times' */
};

static bool take_count(struct tkf_slice *rest, double *ret_count)
{
    struct tkf_slice field = tkf_field(rest);
    for (size_t i = 0; i < field.length; i++) {
        if (!isdigit((unsigned char)field.text[i]))
            return false;
    }
    return tkf_number(field, TKF_NUMBER_POINT, ret_count, NULL);
}

static bool take_time(struct tkf_slice *rest, double *ret_ns, double *quantum_ns)
{
    double step_ns;
    if (!tkf_time(rest, TKF_NUMBER_POINT, ret_ns, &step_ns))
        return false;
    /* Zeros at the end are not printed: the finest of several values tells how finely all were. */
    *quantum_ns = fmin(*quantum_ns, step_ns);
    return true;
}

static bool take_cells(struct tkf_slice rest, const char *kinds, struct cells *ret_cells)
{
    struct cells cells = {.quantum_ns = NAN};
    for (size_t i = 0; kinds[i]; i++) {
        if (kinds[i] == 'n' ? !take_count(&rest, &cells.value[i])
                            : !take_time(&rest, &cells.value[i], &cells.quantum_ns))
            return false;
    }
    *ret_cells = cells;
    return !tkf_field(&rest).length;
}

/*
 * Cells that end the line, one for each letter of `kinds`: n a count, t a time. Columns overflow
 * and names hold blanks, so the cells begin where all of the rest can be read as them.
 */
static bool find_cells(const struct tkf_line *line, const char *kinds, struct cells *ret_cells)
{
    for (size_t i = 0; i < line->length; i++) {
        if ((i && !tkf_is_blank(line->text[i - 1])) || tkf_is_blank(line->text[i]))
            continue;
        if (take_cells((struct tkf_slice){line->text + i, line->length - i}, kinds, ret_cells)) {
            ret_cells->left = tkf_trim((struct tkf_slice){line->text, i});
            return true;
        }
    }
    return false;
}

/* ---- texts that are spread over lines ---- */

static bool append(struct tkf_bytes *text, struct tkf_slice piece, char between)
{
    if (piece.length == 0)
        return true;
    return (text->length == 0 || tkf_bytes_add(text, &between, 1)) &&
           tkf_bytes_add(text, piece.text, piece.length);
}

static const char *keep(struct tkf_sink *sink, const struct tkf_bytes *bytes)
{
    return tkf_sink_text(sink, bytes->length > 0 ? bytes->text : "", bytes->length);
}

/* ---- lines ---- */

/* What stands between two lines of dashes. */
enum place {
    BODY,  /* nothing of interest */
    PATH,  /* names of the test case and its sections */
    TABLE, /* the header of a table */
    ROWS,
};

enum expect { NAME, MEAN, DEVIATION };

struct reading {
    struct tkf_sink *sink;
    bool have_origin;
    enum place place;
    bool analysis; /* rows have means and deviations on lines of their own */
    bool padded;   /* rows end in blanks: tells a piece of a name from program output */
    enum expect expect;
    struct tkf_bytes path, name;
    struct tkf_result row;
    bool no_memory;
};

static void need_origin(struct reading *reading)
{
    if (!reading->have_origin)
        tkf_sink_origin(reading->sink, "catch2", TKF_TIMING_BATCHED);
    reading->have_origin = true;
}

/* "bench is a Catch2 v3.7.1 host application.": a run begins. */
static bool read_banner(struct reading *reading, const struct tkf_line *line)
{
    const char *banner = strstr(line->text, " is a Catch");
    const char *version = banner ? strstr(banner, " v") : NULL;
    const char *end = version ? strstr(version, " host application") : NULL;
    if (!end)
        return false;
    struct tkf_origin *origin = tkf_sink_origin(reading->sink, "catch2", TKF_TIMING_BATCHED);
    origin->version = tkf_sink_text(reading->sink, version + 2, (size_t)(end - version - 2));
    reading->have_origin = true;
    return true;
}

static void add_piece(struct reading *reading, struct tkf_slice piece)
{
    if (!append(&reading->name, piece, ' '))
        reading->no_memory = true;
}

/* The row is complete, or as complete as it will be. */
static void end_row(struct reading *reading)
{
    if (reading->expect == NAME)
        return;
    struct tkf_result *row = &reading->row;
    row->name = keep(reading->sink, &reading->name);
    row->group = keep(reading->sink, &reading->path);
    need_origin(reading);
    if (isnan(row->ns) && !row->failed)
        tkf_sink_notice(reading->sink, row->line, "%s: its mean is missing", row->name);
    else
        tkf_sink_add(reading->sink, row);
    reading->name.length = 0;
    reading->expect = NAME;
}

static void take_mean(struct tkf_result *row, const struct cells *cells, size_t index)
{
    row->ns = cells->value[index];
    row->quantum_ns = cells->quantum_ns;
    row->statistic = TKF_STATISTIC_MEAN;
}

static void begin_row(struct reading *reading, const struct cells *cells, unsigned line)
{
    end_row(reading);
    add_piece(reading, cells->left);
    reading->row = tkf_sink_row(reading->sink, line);
    if (cells->value[0] >= 1 && cells->value[0] < 1e9)
        reading->row.repetitions = (unsigned)cells->value[0];
    reading->row.iterations = cells->value[1];
    reading->expect = MEAN;
    if (!reading->analysis) {
        take_mean(&reading->row, cells, 2);
        end_row(reading);
    }
}

/* "name   Benchmark failed (why)" */
static bool read_failure(struct reading *reading, const struct tkf_line *line)
{
    static const char mark[] = "Benchmark failed (";
    const char *failed = strstr(line->text, mark);
    if (!failed)
        return false;
    const char *why = failed + strlen(mark);
    const char *end = strrchr(why, ')');
    end_row(reading);
    add_piece(reading, tkf_trim((struct tkf_slice){line->text, (size_t)(failed - line->text)}));
    reading->row = tkf_sink_row(reading->sink, line->number);
    reading->row.failed = true;
    reading->row.remark =
        tkf_sink_text(reading->sink, why, end ? (size_t)(end - why) : strlen(why));
    reading->expect = MEAN;
    end_row(reading);
    return true;
}

static void read_row_line(struct reading *reading, const struct tkf_line *line)
{
    struct cells cells;
    bool padded = line->length && tkf_is_blank(line->text[line->length - 1]);
    if (read_failure(reading, line))
        return;
    if (find_cells(line, "nnt", &cells)) {
        reading->padded |= padded;
        begin_row(reading, &cells, line->number);
    } else if (reading->expect != NAME && find_cells(line, "ttt", &cells)) {
        /* v2.11 wraps names beside these lines. */
        add_piece(reading, cells.left);
        if (reading->expect == MEAN) {
            take_mean(&reading->row, &cells, 0);
            reading->row.ns_lo = cells.value[1];
            reading->row.ns_hi = cells.value[2];
            reading->expect = DEVIATION;
        } else {
            end_row(reading);
        }
    } else if (!tkf_trim(tkf_line_slice(line)).length) {
        end_row(reading);
        reading->name.length = 0;
    } else if (padded || !reading->padded) {
        end_row(reading);
        add_piece(reading, tkf_trim(tkf_line_slice(line)));
    }
}

/* A line of nothing but one character, as long as Catch2 draws them. */
static bool is_rule(const struct tkf_line *line, char c)
{
    struct tkf_slice text = tkf_trim(tkf_line_slice(line));
    size_t i = 0;
    while (i < text.length && text.text[i] == c)
        i++;
    return i == text.length && i >= 40;
}

static void read_line(struct reading *reading, const struct tkf_line *line)
{
    if (is_rule(line, '-')) {
        end_row(reading);
        if (reading->place == BODY || reading->place == ROWS)
            reading->path.length = 0;
        reading->name.length = 0;
        reading->place = reading->place == TABLE ? ROWS : reading->place == PATH ? BODY : PATH;
    } else if (is_rule(line, '=') || is_rule(line, '~')) {
        end_row(reading);
        reading->place = BODY;
    } else if (is_table_start(tkf_line_slice(line))) {
        end_row(reading);
        reading->place = TABLE;
        reading->analysis = !strstr(line->text, " mean");
    } else if (reading->place == PATH) {
        if (!append(&reading->path, tkf_trim(tkf_line_slice(line)), '/'))
            reading->no_memory = true;
    } else if (reading->place == ROWS) {
        read_row_line(reading, line);
    } else {
        read_banner(reading, line);
    }
}

static int read_catch2_console(struct tkf_input *in, struct tkf_sink *sink,
                               struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct reading reading = {.sink = sink};
    struct tkf_line line;
    while (!reading.no_memory && tkf_input_line(in, &line))
        read_line(&reading, &line);
    end_row(&reading);
    free(reading.path.text);
    free(reading.name.text);
    return reading.no_memory ? TKF_ENOMEM : 0;
}

const struct tkf_reader tkf_reader_catch2_console = {
    .name = "catch2-console",
    .text = "Catch2, the table it prints",
    .recognise = recognise,
    .read = read_catch2_console,
};
