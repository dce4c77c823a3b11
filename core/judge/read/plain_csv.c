/* SPDX-License-Identifier: MIT */
/*
 * Anybody's own table: a name, a value and its unit in each line, with or without a header. The unit may stand in a column of its
 * own, in the header ("time (ns)", "time_ns", "ns/op"), or behind the value.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "keep.h"
#include "table.h"

#define NONE (-1)

/* Which cell is what. */
struct layout {
    char separator;
    enum tkf_number_style style;
    int name, value, unit; /* NONE: not there */
    double header_ns;      /* unit in the header, NAN */
};

static bool is_one_of(struct tkf_slice cell, const char *const *names)
{
    for (; *names; names++) {
        if (cell.length == strlen(*names) && strncasecmp(cell.text, *names, cell.length) == 0)
            return true;
    }
    return false;
}

/* "ns", "ns/op", "us/iter": the time that an operation takes. */
static bool time_per_operation(struct tkf_slice unit, double *ret_ns)
{
    const char *slash = memchr(unit.text, '/', unit.length);
    if (slash)
        unit.length = (size_t)(slash - unit.text);
    return tkf_time_unit(unit, ret_ns);
}

/* The unit that a column's title ends in: "time (ns)", "mean [us]", "time_ns", "ns/op"; NAN when it has none. */
static double title_unit(struct tkf_slice title)
{
    size_t begin = title.length, end = title.length;
    double ns;
    if (end > 0 && strchr(")]", title.text[end - 1]))
        begin = --end;
    while (begin > 0 && !strchr(" _([", title.text[begin - 1]))
        begin--;
    struct tkf_slice unit = {.text = title.text + begin, .length = end - begin};
    return time_per_operation(unit, &ns) ? ns : NAN;
}

/* The title without its unit. */
static struct tkf_slice title_word(struct tkf_slice title)
{
    size_t length = 0;
    while (length < title.length && !strchr(" _([", title.text[length]))
        length++;
    title.length = length;
    return title;
}

static bool take_title(struct layout *layout, struct tkf_slice title, int cell)
{
    static const char *const names[] = {"name", "benchmark", "bench", "test", "case", "id", NULL};
    static const char *const units[] = {"unit", "units", "time_unit", NULL};
    static const char *const values[] = {"value",   "time",   "mean",    "median",   "avg",
                                         "average", "result", "latency", "duration", NULL};
    double ns = title_unit(title);
    if (layout->name == NONE && is_one_of(title, names))
        layout->name = cell;
    else if (layout->unit == NONE && is_one_of(title, units))
        layout->unit = cell;
    else if (layout->value == NONE && (is_one_of(title_word(title), values) || !isnan(ns))) {
        layout->value = cell;
        layout->header_ns = ns;
    } else
        return false;
    return true;
}

static bool is_number(const struct layout *layout, struct tkf_slice cell)
{
    double ignored;
    struct tkf_slice rest = cell;
    return tkf_number(cell, layout->style, &ignored, NULL) ||
           tkf_time(&rest, layout->style, &ignored, NULL);
}

/* A first line that names its columns; false when it is one of values, or nothing of ours. */
static bool take_header(struct layout *layout, const struct tkf_csv *csv)
{
    struct layout titled = *layout;
    titled.name = titled.value = titled.unit = NONE;
    for (unsigned i = 0; i < csv->ncells; i++)
        take_title(&titled, csv->cells[i], (int)i);
    if (titled.name == NONE || titled.value == NONE)
        return false;
    *layout = titled;
    return true;
}

/* Name, value, unit: as in a file without a header. */
static struct layout plain_layout(char separator)
{
    return (struct layout){.separator = separator,
                           .style = TKF_NUMBER_POINT,
                           .name = 0,
                           .value = 1,
                           .unit = 2,
                           .header_ns = NAN};
}

static struct tkf_slice cell_of(const struct tkf_csv *csv, int cell)
{
    return cell >= 0 && (unsigned)cell < csv->ncells ? csv->cells[cell]
                                                     : (struct tkf_slice){.text = ""};
}

/* Ns of a row; false when it has no time. */
static bool take_value(const struct layout *layout, const struct tkf_csv *csv,
                       struct tkf_result *row)
{
    struct tkf_slice value = cell_of(csv, layout->value), unit = cell_of(csv, layout->unit);
    double number, quantum, ns = layout->header_ns;
    if (tkf_time(&value, layout->style, &row->ns, &row->quantum_ns))
        return value.length == 0;
    if (unit.length > 0 && !time_per_operation(unit, &ns))
        return false;
    if (!tkf_number(value, layout->style, &number, &quantum) || isnan(ns))
        return false;
    row->ns = number * ns;
    row->quantum_ns = quantum * ns;
    return true;
}

static void take_row(struct tkf_sink *sink, const struct layout *layout, const struct tkf_csv *csv,
                     const struct tkf_line *line)
{
    struct tkf_result row = tkf_sink_row(sink, line->number);
    struct tkf_slice name = cell_of(csv, layout->name);
    if (name.length == 0 || !take_value(layout, csv, &row)) {
        tkf_sink_notice(sink, line->number, "no name, time and unit in it: %.120s", line->text);
        return;
    }
    if (line->cut)
        tkf_sink_notice(sink, line->number, "no end of line: it may be cut short");
    row.name = tkf_keep(sink, name);
    tkf_sink_add(sink, &row);
}

/* With ';' or tabs a comma in a value is the decimal sign: "1,25". */
static void choose_style(struct layout *layout, const struct tkf_csv *csv)
{
    struct tkf_slice value = cell_of(csv, layout->value);
    if (layout->separator != ',' && memchr(value.text, ',', value.length) &&
        !memchr(value.text, '.', value.length))
        layout->style = TKF_NUMBER_COMMA;
}

static bool is_remark(struct tkf_slice line)
{
    struct tkf_slice field = tkf_field(&line);
    return field.length == 0 || *field.text == '#';
}

static int read_table(struct tkf_input *in, struct tkf_sink *sink,
                      struct tkf_input_error *ret_error)
{
    struct tkf_csv *csv = calloc(1, sizeof(*csv));
    struct tkf_line line;
    struct layout layout = {0};
    bool split = csv;
    (void)ret_error;
    tkf_sink_origin(sink, "csv", TKF_TIMING_UNKNOWN);
    while (split && tkf_input_line(in, &line)) {
        struct tkf_slice text = {.text = line.text, .length = line.length};
        if (is_remark(text))
            continue;
        bool first = !layout.separator;
        if (first) {
            char separator = tkf_csv_separator(line.text, line.length);
            layout = plain_layout(separator ? separator : ',');
        }
        split = tkf_csv_split(csv, line.text, line.length, layout.separator);
        if (!split || (first && take_header(&layout, csv)))
            continue;
        choose_style(&layout, csv);
        take_row(sink, &layout, csv, &line);
    }
    if (csv)
        tkf_csv_free(csv);
    free(csv);
    return split ? 0 : TKF_ENOMEM;
}

/* A line whose cells could be those of a row. */
static bool like_row(const struct layout *layout, const struct tkf_csv *csv)
{
    struct tkf_slice name = cell_of(csv, layout->name);
    return csv->ncells >= 2 && name.length > 0 && !is_number(layout, name) &&
           is_number(layout, cell_of(csv, layout->value));
}

/* Never surer than a reader that knows who wrote the table. */
static int recognise(const char *head, size_t length)
{
    struct tkf_csv *csv = calloc(1, sizeof(*csv));
    struct tkf_slice rest = {.text = head, .length = length}, line;
    struct layout layout = {0};
    int sure = 0;
    while (csv && sure == 0 && tkf_slice_line(&rest, &line)) {
        if (is_remark(line))
            continue;
        bool first = !layout.separator;
        if (first)
            layout = plain_layout(tkf_csv_separator(line.text, line.length));
        if (!layout.separator || !tkf_csv_split(csv, line.text, line.length, layout.separator))
            break;
        if (first && take_header(&layout, csv))
            continue;
        choose_style(&layout, csv);
        if (!like_row(&layout, csv))
            break;
        sure = 5;
    }
    if (csv)
        tkf_csv_free(csv);
    free(csv);
    return sure;
}

const struct tkf_reader tkf_reader_plain_csv = {
    .name = "csv",
    .text = "table of name, value and unit",
    .recognise = recognise,
    .read = read_table,
};
