/* SPDX-License-Identifier: MIT */
/* Rust's libtest: `test NAME ... bench:   1,234.56 ns/iter (+/- 7.89) = 100 MB/s`. The value is the
 * median of 50 samples with their ends pulled in, the +/- is the largest less the smallest. Until
 * 2024 both were whole ns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "keep.h"
#include "libtest_text.h"

/* "Running benches/sort.rs (target/release/deps/sort-0123456789abcdef)", before 2021 only the path:
 * two binaries may have tests of the same name. */
static bool read_running(struct tkf_libtest *state, struct tkf_sink *sink, struct tkf_slice text)
{
    static const char running[] = "Running ", unittests[] = "unittests ";
    if (!tkf_slice_starts(text, running))
        return false;
    text = tkf_slice_from(text, text.text + strlen(running));
    if (tkf_slice_starts(text, unittests))
        text = tkf_slice_from(text, text.text + strlen(unittests));
    const char *path = tkf_slice_find(text, "(");
    text = tkf_trim(path ? tkf_slice_until(text, path) : text);
    const char *slash = tkf_slice_last(text, '/');
    const char *hash = tkf_slice_last(text, '-');
    if (!path && slash && hash > slash)
        text = tkf_slice_from(tkf_slice_until(text, hash), slash + 1);
    state->group = tkf_keep(sink, text);
    return true;
}

static void begin(struct tkf_libtest *state, struct tkf_sink *sink)
{
    if (!state->began)
        tkf_sink_origin(sink, "libtest", TKF_TIMING_BATCHED);
    state->began = true;
}

/* "1,234.56 ns/iter", advancing *rest past it. */
static bool read_time(struct tkf_slice *rest, double *ret_ns, double *ret_quantum, double *ret_unit)
{
    struct tkf_slice number = tkf_field(rest), unit = tkf_field(rest);
    const char *per = tkf_slice_find(unit, "/iter");
    double value, quantum;
    if (!per || !tkf_number(number, TKF_NUMBER_POINT, &value, &quantum) ||
        !tkf_time_unit(tkf_slice_until(unit, per), ret_unit))
        return false;
    *ret_ns = value * *ret_unit;
    *ret_quantum = quantum * *ret_unit;
    return true;
}

/* "(+/- 7.89)", advancing *rest past it; NAN when it is not there. */
static double read_spread(struct tkf_slice *rest, double unit)
{
    struct tkf_slice at = *rest, sign = tkf_field(&at), number = tkf_field(&at);
    double value;
    if (!tkf_slice_is(sign, "(+/-") || number.length < 2 || number.text[number.length - 1] != ')')
        return NAN;
    number.length--;
    if (!tkf_number(number, TKF_NUMBER_POINT, &value, NULL))
        return NAN;
    *rest = at;
    return value * unit;
}

/* "= 100 MB/s", in decimal megabytes; NAN when it is not there. */
static double read_rate(struct tkf_slice rest)
{
    struct tkf_slice equals = tkf_field(&rest), number = tkf_field(&rest), unit = tkf_field(&rest);
    double value;
    if (!tkf_slice_is(equals, "=") || !tkf_slice_is(unit, "MB/s") ||
        !tkf_number(number, TKF_NUMBER_POINT, &value, NULL))
        return NAN;
    return value * 1e6;
}

static void add_bench(struct tkf_libtest *state, struct tkf_sink *sink, unsigned line,
                      struct tkf_slice name, struct tkf_slice rest)
{
    begin(state, sink);
    struct tkf_result row = tkf_sink_row(sink, line);
    double unit;
    if (!read_time(&rest, &row.ns, &row.quantum_ns, &unit)) {
        tkf_sink_notice(sink, line, "no time can be read in the result of %.*s", (int)name.length,
                        name.text);
        return;
    }
    row.name = tkf_keep(sink, name);
    row.group = state->group ? state->group : "";
    row.statistic = TKF_STATISTIC_MEDIAN;
    row.batch = 1;
    double spread = read_spread(&rest, unit);
    row.ns_lo = row.ns - spread;
    row.ns_hi = row.ns + spread;
    row.bytes_per_second = read_rate(rest);
    tkf_sink_add(sink, &row);
}

static void add_failed(struct tkf_libtest *state, struct tkf_sink *sink, unsigned line,
                       struct tkf_slice name)
{
    begin(state, sink);
    struct tkf_result row = tkf_sink_row(sink, line);
    row.name = tkf_keep(sink, name);
    row.group = state->group ? state->group : "";
    row.failed = true;
    row.remark = "FAILED";
    tkf_sink_add(sink, &row);
}

static void lose_pending(struct tkf_libtest *state, struct tkf_sink *sink)
{
    if (state->pending)
        tkf_sink_notice(sink, state->line, "test %s: no result follows", state->pending);
    free(state->pending);
    state->pending = NULL;
}

/* What follows "test NAME ... ", or stands on a line of its own after what the benchmark printed.
 */
static bool read_outcome(struct tkf_libtest *state, struct tkf_sink *sink, unsigned line,
                         struct tkf_slice name, struct tkf_slice outcome)
{
    if (tkf_slice_starts(outcome, "bench:")) {
        add_bench(state, sink, line, name, tkf_slice_from(outcome, outcome.text + 6));
        return true;
    }
    if (tkf_slice_starts(outcome, "FAILED")) {
        add_failed(state, sink, line, name);
        return true;
    }
    return tkf_slice_starts(outcome, "ignored") || tkf_slice_is(outcome, "ok") ||
           tkf_slice_starts(outcome, "ok ");
}

bool tkf_libtest_line(struct tkf_libtest *state, struct tkf_sink *sink, const struct tkf_line *line)
{
    static const char dots[] = " ... ";
    struct tkf_slice text = tkf_trim(tkf_line_slice(line));
    if (state->pending &&
        read_outcome(state, sink, line->number, tkf_slice_of(state->pending), text)) {
        free(state->pending);
        state->pending = NULL;
        return true;
    }
    if (tkf_slice_starts(text, "running ") && tkf_slice_find(text, " test")) {
        state->began = false; /* a run of its own, maybe the same again */
        return true;
    }
    if (!tkf_slice_starts(text, "test "))
        return read_running(state, sink, text);
    text = tkf_slice_from(text, text.text + strlen("test "));

    /* A name may hold the dots, too: the last ones lead to the outcome, or else the first ones to
     * what the test printed. */
    const char *first = NULL;
    for (const char *at = tkf_slice_find(text, dots); at;
         at = tkf_slice_find(tkf_slice_from(text, at + 1), dots)) {
        struct tkf_slice outcome = tkf_trim(tkf_slice_from(text, at + strlen(dots)));
        first = first ? first : at;
        if (read_outcome(state, sink, line->number, tkf_trim(tkf_slice_until(text, at)), outcome)) {
            lose_pending(state, sink);
            return true;
        }
    }
    struct tkf_slice name = {NULL, 0};
    if (first)
        name = tkf_trim(tkf_slice_until(text, first));
    else if (text.length > 4 && !memcmp(text.text + text.length - 4, " ...", 4))
        name = tkf_trim((struct tkf_slice){text.text, text.length - 4});
    if (name.length == 0)
        return false;
    lose_pending(state, sink);
    state->pending = strndup(name.text, name.length);
    state->line = line->number;
    return true;
}

void tkf_libtest_free(struct tkf_libtest *state, struct tkf_sink *sink)
{
    lose_pending(state, sink);
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (strstr(head, " ... bench: "))
        return 90;
    return strstr(head, "\ntest result: ") ? 40 : 0;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct tkf_libtest state = {0};
    struct tkf_line line;
    while (tkf_input_line(in, &line))
        tkf_libtest_line(&state, sink, &line);
    tkf_libtest_free(&state, sink);
    return 0;
}

const struct tkf_reader tkf_reader_libtest_text = {
    .name = "libtest-text",
    .text = "Rust libtest text",
    .recognise = recognise,
    .read = read_all,
};
