/* SPDX-License-Identifier: MIT */
/* JMH's table at the end of its log, or the log alone where the run was stopped before it. Scores
 * have three decimals, of which the JVM's locale chooses the sign; below 0.0005 only a power of ten
 * is printed, "≈ 10⁻⁴". Columns of count and error may be empty, so a row is read from both ends.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "jmh.h"
#include "keep.h"

static const char about[] = "\xe2\x89\x88";

#define FIELDS_MAX 128

struct state {
    struct tkf_jmh_rows rows;
    struct tkf_jmh_rows blocks; /* of the log, for when there is no table */
    bool in_table;
    bool bare_error;                /* until 2014 the error had no sign in front of it */
    bool has_threads;               /* a column of the table then */
    const char *params[FIELDS_MAX]; /* of the table's header */
    size_t nparams;
    /* of the log */
    const char *benchmark, *log_params, *mode;
    double threads;
    bool threads_differ;
    unsigned result_line; /* of "Result"; 0 outside such a block */
    const char *jmh, *jdk;
};

static size_t split(struct tkf_slice text, struct tkf_slice fields[FIELDS_MAX])
{
    size_t count = 0;
    while (count < FIELDS_MAX && (fields[count] = tkf_field(&text)).length > 0)
        count++;
    return count;
}

/* ---- the table ---- */

static bool read_header(struct state *state, struct tkf_slice text)
{
    struct tkf_slice fields[FIELDS_MAX];
    size_t count = split(text, fields), mode = 1;
    if (count < 4 || !tkf_slice_is(fields[0], "Benchmark") ||
        !tkf_slice_starts(fields[count - 1], "Unit"))
        return false;
    while (mode < count && !tkf_slice_is(fields[mode], "Mode"))
        mode++;
    if (mode + 2 >= count)
        return false;
    state->bare_error = tkf_slice_is(fields[count - 2], "error");
    state->has_threads = tkf_slice_is(fields[mode + 1], "Thr");
    state->nparams = 0;
    for (size_t i = 1; i < mode; i++) {
        struct tkf_slice name = fields[i];
        if (name.length > 2 && name.text[0] == '(')
            name = (struct tkf_slice){name.text + 1, name.length - 2};
        state->params[state->nparams++] = tkf_keep(state->rows.sink, name);
    }
    state->in_table = true;
    return true;
}

/* One value for each name, or, where a value has blanks in it, all of them without names. */
static const char *params_text(struct state *state, const struct tkf_slice *values, size_t count)
{
    struct tkf_builder text = {0};
    bool named = count == state->nparams;
    for (size_t i = 0; i < count; i++) {
        if (named && tkf_slice_is(values[i], "N/A"))
            continue; /* it is another benchmark's parameter */
        const char *separator = !text.out ? "" : named ? ", " : " ";
        tkf_build(&text, "%s%s%s%.*s", separator, named ? state->params[i] : "", named ? " = " : "",
                  (int)values[i].length, values[i].text);
    }
    return tkf_built(&text, state->rows.sink);
}

/* "10⁻⁴" as a power of ten; "0" as what rounds to no digit. */
static bool read_about(struct tkf_slice text, struct tkf_jmh_score *score)
{
    static const char minus[] = "\xe2\x81\xbb";
    static const char *const digits[] = {
        "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
        "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
    if (tkf_slice_is(text, "0")) {
        score->value = score->lo = 0;
        score->hi = score->quantum = 0.0005;
        return true;
    }
    if (!tkf_slice_starts(text, "10"))
        return false;
    text = tkf_slice_from(text, text.text + 2);
    if (!tkf_slice_starts(text, minus))
        return false;
    text = tkf_slice_from(text, text.text + strlen(minus));
    int exponent = 0;
    while (text.length > 0) {
        int digit = 0;
        while (digit < 10 && !tkf_slice_starts(text, digits[digit]))
            digit++;
        if (digit == 10 || exponent > 30)
            return false;
        exponent = exponent * 10 + digit;
        text = tkf_slice_from(text, text.text + strlen(digits[digit]));
    }
    score->value = pow(10, -exponent);
    score->lo = pow(10, -exponent - 0.5);
    score->hi = pow(10, -exponent + 0.5);
    score->quantum = score->hi - score->lo;
    return true;
}

/* What stands between the mode and the unit: [threads] [count [seconds]] score [± error], some of
 * them missing. */
static bool read_values(const struct tkf_slice *field, size_t count, bool bare_error,
                        struct tkf_jmh_score *score)
{
    double error = NAN;
    score->lo = score->hi = NAN;
    if (count >= 2 && tkf_slice_is(field[count - 2], about))
        return read_about(field[count - 1], score);
    if (count >= 1 && tkf_slice_starts(field[count - 1], about) && field[count - 1].length > 3)
        return read_about(tkf_slice_from(field[count - 1], field[count - 1].text + 3), score);
    bool sign = count >= 3 && !tkf_jmh_number(field[count - 2], &error, NULL);
    if (sign || (bare_error && count >= 2)) { /* whatever a code page made of the sign */
        if (!tkf_jmh_number(field[count - 1], &error, NULL))
            error = NAN;
        count -= sign ? 2 : 1;
    } else {
        error = NAN;
    }
    if (count == 0 || !tkf_jmh_number(field[count - 1], &score->value, &score->quantum))
        return false;
    score->lo = score->value - error;
    score->hi = score->value + error;
    return true;
}

/* A row of the table; false when the line is none. */
static bool read_row(struct state *state, unsigned line, struct tkf_slice text)
{
    struct tkf_slice fields[FIELDS_MAX];
    size_t count = split(text, fields), mode = count;
    while (mode > 1 && !tkf_jmh_is_mode(fields[mode - 1]))
        mode--;
    if (mode < 2)
        return false;
    mode--;
    struct tkf_jmh_score score = {.unit = fields[count - 1]};
    if (count < mode + 3 ||
        !read_values(&fields[mode + 1], count - mode - 2, state->bare_error, &score)) {
        tkf_sink_notice(state->rows.sink, line, "no score can be read of %.*s",
                        (int)fields[0].length, fields[0].text);
        return true;
    }
    double threads = state->threads_differ ? NAN : state->threads;
    if (state->has_threads && !tkf_jmh_number(fields[mode + 1], &threads, NULL))
        threads = NAN;
    tkf_jmh_add(&state->rows, line, fields[0], params_text(state, &fields[1], mode - 1),
                fields[mode], threads, &score);
    return true;
}

/* ---- the log ---- */

/* "# LABEL: value" */
static bool labelled(struct tkf_slice text, const char *label, struct tkf_slice *ret_value)
{
    if (!tkf_slice_starts(text, "# "))
        return false;
    text = tkf_slice_from(text, text.text + 2);
    if (!tkf_slice_starts(text, label))
        return false;
    *ret_value = tkf_trim(tkf_slice_from(text, text.text + strlen(label)));
    return true;
}

static const char *mode_of(struct tkf_slice text)
{
    static const struct {
        const char *start, *mode;
    } names[] = {{"Throughput", "thrpt"},
                 {"Average time", "avgt"},
                 {"Sampling time", "sample"},
                 {"Single shot", "ss"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (tkf_slice_starts(text, names[i].start))
            return names[i].mode;
    }
    return NULL;
}

static bool read_setting(struct state *state, struct tkf_slice text)
{
    struct tkf_sink *sink = state->rows.sink;
    struct tkf_slice value;
    if (labelled(text, "Benchmark mode:", &value)) {
        state->mode = mode_of(value);
    } else if (labelled(text, "Benchmark:", &value)) {
        state->benchmark = tkf_keep(sink, value);
        state->log_params = "";
    } else if (labelled(text, "Parameters:", &value)) {
        if (value.length > 2)
            state->log_params = tkf_sink_text(sink, value.text + 1, value.length - 2);
    } else if (labelled(text, "Threads:", &value)) {
        double threads;
        if (!tkf_jmh_number(tkf_field(&value), &threads, NULL))
            threads = NAN;
        state->threads_differ =
            state->threads_differ || (!isnan(state->threads) && threads != state->threads);
        state->threads = threads;
    } else if (labelled(text, "JMH version:", &value) || labelled(text, "JMH ", &value)) {
        struct tkf_slice version = tkf_field(&value);
        state->jmh = tkf_keep(sink, version);
    } else if (labelled(text, "VM version: JDK ", &value)) {
        const char *comma = tkf_slice_find(value, ",");
        value = comma ? tkf_slice_until(value, comma) : value;
        state->jdk = tkf_keep(sink, value);
    } else {
        return tkf_slice_starts(text, "# ");
    }
    return true;
}

/* "  5180.137 ±(99.9%) 84.902 ns/op [Average]" after "Result ...:", or "  5180.137 ns/op" of a
 * single sample. */
static void read_result(struct state *state, struct tkf_slice text)
{
    struct tkf_slice fields[FIELDS_MAX];
    size_t count = split(text, fields);
    struct tkf_jmh_score score = {.lo = NAN, .hi = NAN};
    double error = NAN;
    if (count < 2 || !state->benchmark || !state->mode)
        return;
    bool has_error = count >= 4 && tkf_slice_find(fields[1], "%)");
    if (!tkf_jmh_number(fields[0], &score.value, &score.quantum))
        return;
    if (has_error && tkf_jmh_number(fields[2], &error, NULL)) {
        score.lo = score.value - error;
        score.hi = score.value + error;
    }
    score.unit = fields[has_error ? 3 : 1];
    tkf_jmh_add(&state->blocks, state->result_line, tkf_slice_of(state->benchmark),
                state->log_params, tkf_slice_of(state->mode), state->threads, &score);
    state->benchmark = NULL;
}

static void read_line(struct state *state, const struct tkf_line *line)
{
    static const char *const build_tools[] = {"[info] ", "[INFO] "};
    struct tkf_slice text = {line->text, line->length};
    for (size_t i = 0; i < sizeof(build_tools) / sizeof(*build_tools); i++) {
        if (tkf_slice_starts(text, build_tools[i]))
            text = tkf_slice_from(text, text.text + strlen(build_tools[i]));
    }
    text = tkf_trim(text);
    if (read_setting(state, text) || read_header(state, text))
        return;
    if (state->result_line > 0 && text.length > 0) {
        read_result(state, text);
        state->result_line = 0;
    } else if (tkf_slice_starts(text, "Result")) {
        state->result_line = line->number;
        if (tkf_slice_starts(text, "Result: ")) /* until 2014 on one line */
            read_result(state, tkf_slice_from(text, text.text + strlen("Result: ")));
    } else if (state->in_table) {
        state->in_table = read_row(state, line->number, text);
    } else if (tkf_slice_find(text, "<failure>") || tkf_slice_starts(text, "<forked VM failed")) {
        tkf_sink_notice(state->rows.sink, line->number, "%s failed",
                        state->benchmark ? state->benchmark : "a benchmark");
    }
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (strstr(head, "# JMH ") && strstr(head, "# Benchmark mode:"))
        return 92;
    for (const char *at = strstr(head, "Benchmark "); at; at = strstr(at + 1, "Benchmark ")) {
        struct tkf_slice line = {at, strcspn(at, "\n")};
        if (tkf_slice_find(line, " Mode ") && tkf_slice_find(line, " Unit"))
            return 90;
    }
    return 0;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct state state = {
        .rows = {.sink = sink}, .blocks = {.sink = sink}, .threads = NAN, .log_params = ""};
    struct tkf_line line;
    while (tkf_input_line(in, &line))
        read_line(&state, &line);
    const char *version =
        state.jmh && state.jdk ? tkf_keepf(sink, "%s, JDK %s", state.jmh, state.jdk) : state.jmh;
    state.rows.version = state.blocks.version = version;
    if (state.rows.count > 0)
        state.blocks.count = 0; /* the table has them all */
    else if (state.benchmark)
        tkf_sink_notice(sink, 0, "%s: no result follows", state.benchmark);
    tkf_jmh_end(&state.rows);
    tkf_jmh_end(&state.blocks);
    return 0;
}

const struct tkf_reader tkf_reader_jmh_text = {
    .name = "jmh-text",
    .text = "JMH table or log",
    .recognise = recognise,
    .read = read_all,
};
