/* SPDX-License-Identifier: MIT */
/*
 * pytest-benchmark's tables: the unit stands in the title, the columns are the user's choice, and
 * "(1.04)" after a value is its ratio to the best. pytest lists its warnings, by test, in front of
 * them.
 */
#include <math.h>
#include <string.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"

#define COLUMNS_MAX 24

struct console {
    struct tkf_run run;
    const char *group;
    double unit_ns; /* NAN: outside a table */
    const char *titles[COLUMNS_MAX];
    size_t ntitles;
    json_t *warnings; /* by test */
    const char *test; /* named by the line before */
};

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (strstr(head, "Name (time in "))
        return 92;
    return tkf_head_has(head, TKF_WORDS("pytest_benchmark", "Computing stats ...")) ? 70 : 0;
}

static const struct tkf_member columns[] = {
    {"Median", offsetof(struct tkf_result, ns), 1, TKF_STATISTIC_MEDIAN},
    {"Mean", offsetof(struct tkf_result, ns), 1, TKF_STATISTIC_MEAN},
    {"Min", offsetof(struct tkf_result, ns), 1, TKF_STATISTIC_MIN},
    {"Min", offsetof(struct tkf_result, min_ns), 1, 0},
    {"Max", offsetof(struct tkf_result, max_ns), 1, 0},
    {NULL, 0, 0, 0},
};

/* "(1.04)", "(>1000.0)" */
static bool is_ratio(struct tkf_slice field)
{
    double number;
    struct tkf_slice inside = tkf_unwrap(field, '(', ')');
    if (inside.length == field.length)
        return false;
    if (tkf_slice_starts(inside, ">"))
        tkf_cut(inside, ">", NULL, &inside);
    return tkf_number(inside, TKF_NUMBER_POINT, &number, NULL);
}

/* The values of a row by the titles, from the end; what is left is the name. */
static struct tkf_slice take_fields(const struct console *console, struct tkf_slice line,
                                    struct tkf_slice fields[COLUMNS_MAX])
{
    for (size_t i = console->ntitles; i > 0; i--) {
        fields[i - 1] = tkf_last_field(&line);
        if (is_ratio(fields[i - 1]))
            fields[i - 1] = tkf_last_field(&line);
    }
    return line;
}

static double value_of(const struct console *console, const struct tkf_slice *fields,
                       const char *title, double *ret_quantum)
{
    double value;
    for (size_t i = 0; i < console->ntitles; i++) {
        if (strcmp(console->titles[i], title) == 0 &&
            tkf_number(fields[i], TKF_NUMBER_POINT, &value, ret_quantum))
            return value;
    }
    return NAN;
}

static void take_times(const struct console *console, const struct tkf_slice *fields,
                       struct tkf_result *row)
{
    double quantum;
    for (const struct tkf_member *column = columns; column->key; column++) {
        double *field = (double *)((char *)row + column->field);
        double value = value_of(console, fields, column->key, &quantum);
        if (!isnan(*field) || isnan(value))
            continue;
        *field = value * console->unit_ns;
        if (column->statistic) {
            row->statistic = column->statistic;
            row->quantum_ns = quantum * console->unit_ns;
        }
    }
    double iqr = value_of(console, fields, "IQR", NULL);
    if (row->statistic == TKF_STATISTIC_MEDIAN)
        tkf_row_spread(row, iqr * console->unit_ns / 2);
}

static void take_row(struct console *console, unsigned number, struct tkf_slice line)
{
    struct tkf_slice fields[COLUMNS_MAX];
    struct tkf_slice name = take_fields(console, line, fields);
    struct tkf_result row = tkf_sink_row(console->run.sink, number);
    double iterations = value_of(console, fields, "Iterations", NULL);
    row.name = tkf_keep(console->run.sink, name);
    row.group = console->group;
    if (name.length > 0)
        take_times(console, fields, &row);
    row.iterations = iterations * value_of(console, fields, "Rounds", NULL);
    row.remark = json_string_value(json_object_get(console->warnings, row.name));
    if (row.remark)
        row.remark = tkf_sink_text(console->run.sink, row.remark, strlen(row.remark));
    tkf_run_timed(&console->run, isnan(iterations) ? TKF_TIMING_UNKNOWN
                                 : iterations == 1 ? TKF_TIMING_EACH_CALL
                                                   : TKF_TIMING_BATCHED);
    tkf_row_give(console->run.sink, &row);
}

/* "Name (time in ns)   Min   Max ...   OPS (Mops/s)   Rounds  Iterations" */
static void take_titles(struct console *console, struct tkf_slice line)
{
    struct tkf_slice unit, rest, title;
    console->ntitles = 0;
    if (!tkf_cut(line, "(time in ", NULL, &unit) || !tkf_cut(unit, ")", &unit, &rest) ||
        !tkf_time_unit(unit, &console->unit_ns))
        return;
    while (console->ntitles < COLUMNS_MAX && (title = tkf_field(&rest)).length > 0) {
        if (*title.text != '(')
            console->titles[console->ntitles++] = tkf_keep(console->run.sink, title);
    }
}

/* "----- benchmark 'slow': 1 tests -----", behind what the progress left on the line */
static bool take_group(struct console *console, struct tkf_slice line)
{
    struct tkf_slice title;
    if (!tkf_cut_last(line, "-- benchmark", NULL, &title) ||
        !tkf_cut_last(title, ": ", &title, NULL))
        return false;
    console->group = tkf_keep(console->run.sink, tkf_unwrap(tkf_trim(title), '\'', '\''));
    return true;
}

/*
 * "test_corpus.py::test_name", then indented "file.py:91: RuntimeWarning: coroutine 'f' was never
 * awaited"
 */
static void take_warning(struct console *console, struct tkf_slice line)
{
    struct tkf_slice test, message;
    if (tkf_cut(line, "RuntimeWarning: ", NULL, &message)) {
        if (console->test)
            json_object_set_new_nocheck(console->warnings, console->test,
                                        json_stringn_nocheck(message.text, message.length));
    } else if (tkf_cut_last(line, "::", NULL, &test) && !tkf_cut(line, " ", NULL, NULL)) {
        console->test = tkf_keep(console->run.sink, test);
    } else if (line.length == 0) {
        console->test = NULL;
    }
}

static void take_line(struct console *console, const struct tkf_line *line)
{
    struct tkf_slice text = tkf_line_text(line);
    if (tkf_slice_starts(text, "Name (time in ")) {
        take_titles(console, text);
    } else if (take_group(console, text)) {
        console->ntitles = 0;
    } else if (console->ntitles == 0) {
        take_warning(console, text);
    } else if (text.length == 0) {
        console->ntitles = 0;
    } else if (!tkf_slice_starts(text, "-----")) {
        take_row(console, line->number, text);
    }
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    struct tkf_line line;
    struct console console = {.group = "", .warnings = json_object()};
    (void)ret_error;
    tkf_run_begin(&console.run, sink, "pytest-benchmark");
    while (tkf_input_line(in, &line))
        take_line(&console, &line);
    json_decref(console.warnings);
    return 0;
}

const struct tkf_reader tkf_reader_pytest_console = {
    .name = "pytest-benchmark-console",
    .text = "report of pytest-benchmark",
    .recognise = recognise,
    .read = read,
};
