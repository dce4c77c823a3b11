/* SPDX-License-Identifier: MIT */
/* Google Benchmark's table for people. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "gbench.h"
#include "keep.h"
#include "row.h"

/* What a row says beside its name. */
struct cells {
    struct tkf_slice name;
    struct tkf_slice unit; /* of the real time; "%" and "NlgN" too */
    double real, cpu;      /* ns, or of `unit` where that is no time */
    double real_quantum, cpu_quantum;
    double iterations;     /* NAN where there are none */
    struct tkf_slice rest; /* counters and label */
};

/* A value and its unit. In a unit of time the value is ns. */
static bool take_value(struct tkf_slice *rest, struct tkf_slice *ret_unit, double *ret_value,
                       double *ret_quantum)
{
    struct tkf_slice number = tkf_field(rest);
    *ret_unit = tkf_field(rest);
    if (!ret_unit->length || memchr("+-.0123456789", *ret_unit->text, 13) ||
        !tkf_number(number, TKF_NUMBER_POINT, ret_value, ret_quantum))
        return false;
    double unit_ns = 1;
    tkf_time_unit(*ret_unit, &unit_ns);
    *ret_value *= unit_ns;
    *ret_quantum *= unit_ns;
    return true;
}

/* A count; other frameworks print a third time there. */
static bool take_iterations(struct tkf_slice *rest, double *ret_iterations)
{
    struct tkf_slice after = *rest;
    struct tkf_slice count = tkf_field(&after), behind = after;
    double unit_ns;
    for (size_t i = 0; i < count.length; i++) {
        if (!isdigit((unsigned char)count.text[i]))
            return false;
    }
    if (tkf_time_unit(tkf_field(&behind), &unit_ns) ||
        !tkf_number(count, TKF_NUMBER_POINT, ret_iterations, NULL))
        return false;
    *rest = after;
    return true;
}

static bool take_cells(struct tkf_slice rest, struct cells *ret_cells)
{
    struct cells cells = {.iterations = NAN};
    struct tkf_slice cpu_unit;
    if (!take_value(&rest, &cells.unit, &cells.real, &cells.real_quantum) ||
        !take_value(&rest, &cpu_unit, &cells.cpu, &cells.cpu_quantum))
        return false;
    double unit_ns, iterations;
    /* Both are times or neither is. */
    bool time = tkf_time_unit(cells.unit, &unit_ns);
    if (time != tkf_time_unit(cpu_unit, &unit_ns))
        return false;
    cells.rest = rest;
    if (take_iterations(&cells.rest, &iterations))
        cells.iterations = iterations;
    else if (time)
        return false;
    *ret_cells = cells;
    return true;
}

/* Most words of a line do not; asked first, it makes passing over a log several times faster. */
static bool may_begin_number(char c)
{
    return (c >= '0' && c <= '9') || memchr("+-.inIN\xe2", c, 8); /* U+2212 begins with E2 */
}

/* Names may hold blanks and be longer than their column: the cells begin where they can be read. */
static bool find_cells(struct tkf_slice line, struct cells *ret_cells)
{
    for (size_t i = 1; i < line.length; i++) {
        if (!tkf_is_blank(line.text[i - 1]) || !may_begin_number(line.text[i]))
            continue;
        struct tkf_slice rest = {line.text + i, line.length - i};
        if (!take_cells(rest, ret_cells))
            continue;
        while (tkf_is_blank(line.text[i - 1]))
            i--;
        ret_cells->name = (struct tkf_slice){line.text, i};
        return true;
    }
    return false;
}

/* A line with a time after something else: a row that does not read as one. */
static bool looks_like_row(struct tkf_slice line)
{
    tkf_field(&line);
    struct tkf_slice field, before = tkf_field(&line);
    for (; before.length; before = field) {
        double value, unit_ns;
        field = tkf_field(&line);
        if (tkf_number(before, TKF_NUMBER_POINT, &value, NULL) && tkf_time_unit(field, &unit_ns))
            return true;
    }
    return false;
}

/* ---- counters ---- */

/*
 * A number with a prefix, as in "12.7M" and "48.6343Gi"; bytes count in 1024s even where the
 * prefix does not say so.
 */
static bool take_counter(struct tkf_slice text, bool binary, double *ret_value)
{
    static const char prefixes[] = "yzafpnum kMGTPEZY"; /* the blank for none */
    if (text.length > 2 && memcmp(text.text + text.length - 2, "/s", 2) == 0)
        text.length -= 2;
    if (text.length && text.text[text.length - 1] == 'i') {
        binary = true;
        text.length--;
    }
    char last = text.length ? text.text[text.length - 1] : '\0';
    const char *prefix = last ? strchr(prefixes, last == 'K' ? 'k' : last) : NULL;
    double scale = 1, value;
    if (prefix) {
        scale = pow(binary ? 1024 : 1000, (double)(prefix - strchr(prefixes, ' ')));
        text.length--;
    }
    if (!tkf_number(text, TKF_NUMBER_POINT, &value, NULL))
        return false;
    *ret_value = value * scale;
    return true;
}

/*
 * "name=12.7M/s"; before 1.5 "211.669MB/s" and "3.1M items/s" without a name; a label is skipped.
 */
static void read_counters(struct tkf_sink *sink, struct tkf_result *row, struct tkf_slice rest)
{
    struct tkf_slice field, before = {0};
    for (field = tkf_field(&rest); field.length; before = field, field = tkf_field(&rest)) {
        double value;
        const char *equals = memchr(field.text, '=', field.length);
        if (equals) {
            struct tkf_slice name = {field.text, (size_t)(equals - field.text)};
            struct tkf_slice text = {equals + 1, field.length - name.length - 1};
            if (take_counter(text, tkf_slice_is(name, "bytes_per_second"), &value))
                tkf_gbench_counter(sink, row, name, value);
        } else if (field.length > 3 && memcmp(field.text + field.length - 3, "B/s", 3) == 0) {
            if (take_counter((struct tkf_slice){field.text, field.length - 3}, true, &value))
                row->bytes_per_second = value;
        } else if (tkf_slice_is(field, "items/s")) {
            if (take_counter(before, false, &value))
                row->items_per_second = value;
        }
    }
}

/* --benchmark_counters_tabular: the header holds the names. */
static void read_tabular(struct tkf_sink *sink, struct tkf_result *row, struct tkf_slice names,
                         struct tkf_slice rest)
{
    for (struct tkf_slice name = tkf_field(&names); name.length; name = tkf_field(&names)) {
        double value;
        if (take_counter(tkf_field(&rest), tkf_slice_is(name, "bytes_per_second"), &value))
            tkf_gbench_counter(sink, row, name, value);
    }
}

/* ---- lines ---- */

/* The header of a table. That of compare.py begins alike, but its Time and CPU are ratios. */
static bool read_header(struct tkf_slice text, struct tkf_slice *ret_counters)
{
    static const char *const columns[] = {"Benchmark", "Time", "CPU", "Iterations"};
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
        if (!tkf_slice_is(tkf_field(&text), columns[i]))
            return false;
    }
    *ret_counters = text;
    return true;
}

static int recognise(const char *head, size_t length)
{
    int sure = 0;
    struct tkf_slice rest = {head, length}, line, counters;
    while (tkf_slice_line(&rest, &line)) {
        struct cells cells;
        double unit_ns;
        line = tkf_strip_marks(line);
        if (read_header(line, &counters))
            return 95;
        if (find_cells(line, &cells) && tkf_time_unit(cells.unit, &unit_ns))
            sure = 80;
    }
    return sure;
}

struct reading {
    struct tkf_sink *sink;
    struct tkf_gbench state;
    const char *counters; /* names in the header of tabular counters, kept by the sink */
};

static void need_origin(struct reading *reading)
{
    if (!reading->state.sink)
        tkf_gbench_begin(&reading->state, reading->sink);
}

/* "Run on (2 X 2596.14 MHz CPU s)": a run begins. The MHz are those of the TSC, or nominal. */
static bool read_run_on(struct reading *reading, struct tkf_slice text)
{
    if (!tkf_slice_starts(text, "Run on ("))
        return false;
    text.text += strlen("Run on (");
    text.length -= strlen("Run on (");
    double cpus;
    tkf_gbench_end(&reading->state);
    struct tkf_origin *origin = tkf_gbench_begin(&reading->state, reading->sink);
    if (tkf_number(tkf_field(&text), TKF_NUMBER_POINT, &cpus, NULL))
        origin->cpus = cpus;
    return true;
}

/* "BM_X   ERROR OCCURRED: 'why'" */
static bool read_failure(struct reading *reading, struct tkf_slice text, unsigned line)
{
    static const char *const marks[] = {" ERROR OCCURRED: '", " SKIPPED: '"};
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        const char *mark = memmem(text.text, text.length, marks[i], strlen(marks[i]));
        if (!mark)
            continue;
        const char *message = mark + strlen(marks[i]);
        const char *end = text.text + text.length;
        const char *quote =
            tkf_slice_last((struct tkf_slice){message, (size_t)(end - message)}, '\'');
        while (mark > text.text && tkf_is_blank(mark[-1]))
            mark--;
        need_origin(reading);
        const char *name = tkf_sink_text(reading->sink, text.text, (size_t)(mark - text.text));
        struct tkf_gbench_run run = tkf_gbench_run(reading->sink, line, name);
        run.row.failed = true;
        run.row.remark =
            tkf_sink_text(reading->sink, message, (size_t)((quote ? quote : end) - message));
        tkf_gbench_add(&reading->state, &run);
        return true;
    }
    return false;
}

static void read_cells(struct reading *reading, const struct cells *cells, unsigned line)
{
    struct tkf_sink *sink = reading->sink;
    const char *name = tkf_keep(sink, cells->name);
    struct tkf_gbench_run run = tkf_gbench_run(sink, line, name);
    double unit_ns;
    run.no_time = !tkf_time_unit(cells->unit, &unit_ns);
    run.real_ns = cells->real;
    run.cpu_ns = cells->cpu;
    run.real_quantum_ns = cells->real_quantum;
    run.cpu_quantum_ns = cells->cpu_quantum;
    run.row.iterations = cells->iterations;
    if (reading->counters)
        read_tabular(sink, &run.row,
                     (struct tkf_slice){reading->counters, strlen(reading->counters)}, cells->rest);
    else
        read_counters(sink, &run.row, cells->rest);
    need_origin(reading);
    tkf_gbench_add(&reading->state, &run);
}

static bool is_tabular(struct tkf_slice counters)
{
    struct tkf_slice first = tkf_field(&counters);
    return first.length && !tkf_slice_is(first, "UserCounters...");
}

static void read_line(struct reading *reading, const struct tkf_line *line)
{
    struct tkf_slice text = tkf_strip_marks(tkf_line_slice(line)), counters;
    if (read_header(text, &counters)) {
        need_origin(reading);
        reading->counters = NULL;
        if (is_tabular(counters))
            reading->counters = tkf_keep(reading->sink, counters);
        return;
    }
    struct cells cells;
    if (read_run_on(reading, text) || read_failure(reading, text, line->number))
        return;
    double unit_ns;
    /* A percentage or a coefficient is only a row's where a table was begun. */
    if (find_cells(text, &cells) && (reading->state.sink || tkf_time_unit(cells.unit, &unit_ns)))
        read_cells(reading, &cells, line->number);
    else if (reading->state.sink && looks_like_row(text))
        tkf_notice_unread(reading->sink, line->number, text);
}

static int read_gbench_console(struct tkf_input *in, struct tkf_sink *sink,
                               struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct reading reading = {.sink = sink};
    struct tkf_line line;
    while (tkf_input_line(in, &line))
        read_line(&reading, &line);
    tkf_gbench_end(&reading.state);
    return 0;
}

const struct tkf_reader tkf_reader_gbench_console = {
    .name = "gbench-console",
    .text = "Google Benchmark, the table it prints",
    .recognise = recognise,
    .read = read_gbench_console,
};
