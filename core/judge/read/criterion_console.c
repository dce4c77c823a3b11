/* SPDX-License-Identifier: MIT */
/* What Criterion prints: `NAME   time:   [low value high]`, the name on the line before when it is
 * long, then `thrpt:`, then a block of changes that repeats `time:` and `thrpt:` in percent. The
 * value is the slope, or the mean under flat sampling; the text does not say which. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libtest_text.h"
#include "slice.h"

static const char zero_start[] = "At least one measurement of benchmark ";
static const char zero_end[] = " took zero time per";

struct state {
    struct tkf_sink *sink;
    struct tkf_libtest libtest; /* a run of cargo bench prints both */
    bool began;                 /* Criterion's origin is the sink's current one */
    char *before;               /* the line before, if it may be a name */
    char *running; /* the benchmark that "Benchmarking NAME" announced, until its result */
    unsigned running_line;
    double iterations; /* of the running one */
    bool zero;         /* of the running one, Criterion said that a sample took no time */
    bool has_row;      /* a row waits for its throughput */
    struct tkf_result row;
};

/* Units of throughput, without the prefix that Criterion puts before elements and decimal bytes. */
static const struct {
    const char *unit;
    double bytes, items; /* in one unit; one of them 0 */
} rates[] = {
    {"B/s", 1, 0},
    {"KiB/s", 1024, 0},
    {"MiB/s", 1048576, 0},
    {"GiB/s", 1073741824, 0},
    {"TiB/s", 1099511627776, 0},
    {"KB/s", 1e3, 0},
    {"MB/s", 1e6, 0},
    {"GB/s", 1e9, 0},
    {"TB/s", 1e12, 0},
    {"b/s", 1. / 8, 0},
    {"Kb/s", 1e3 / 8, 0},
    {"Mb/s", 1e6 / 8, 0},
    {"Gb/s", 1e9 / 8, 0},
    {"elem/s", 0, 1},
    {"Kelem/s", 0, 1e3},
    {"Melem/s", 0, 1e6},
    {"Gelem/s", 0, 1e9},
    {"Telem/s", 0, 1e12},
};

static void begin(struct state *state)
{
    if (!state->began)
        tkf_sink_origin(state->sink, "criterion", TKF_TIMING_BATCHED);
    state->began = true;
    state->libtest.began = false;
}

static void keep_text(char **at, struct tkf_slice text)
{
    free(*at);
    *at = text.length > 0 ? strndup(text.text, text.length) : NULL;
}

static void flush_row(struct state *state)
{
    if (state->has_row)
        tkf_sink_add(state->sink, &state->row);
    state->has_row = false;
}

/* The running benchmark ends without a time. */
static void end_running(struct state *state)
{
    if (state->running && state->zero) {
        flush_row(state);
        begin(state);
        struct tkf_result row = tkf_sink_row(state->sink, state->running_line);
        row.name = tkf_sink_text(state->sink, state->running, strlen(state->running));
        row.iterations = state->iterations;
        row.time_missing = true;
        row.remark = "at least one measurement took zero time per iteration";
        tkf_sink_add(state->sink, &row);
    } else if (state->running) {
        tkf_sink_notice(state->sink, state->running_line, "benchmark %s: no result follows",
                        state->running);
    }
    keep_text(&state->running, (struct tkf_slice){NULL, 0});
    state->zero = false;
    state->iterations = NAN;
}

static void run(struct state *state, struct tkf_slice name, unsigned line)
{
    if (state->running && tkf_slice_is(name, state->running))
        return;
    end_running(state);
    keep_text(&state->running, name);
    state->running_line = line;
}

/* "(3.3B iterations)" or "(1850 iterations)". */
static double read_iterations(struct tkf_slice text)
{
    static const struct {
        char suffix;
        double factor;
    } suffixes[] = {{'k', 1e3}, {'M', 1e6}, {'B', 1e9}, {'T', 1e12}};
    const char *open = tkf_slice_find(text, "s ("), *end = tkf_slice_find(text, " iterations)");
    if (!open || !end || open + 3 >= end)
        return NAN;
    struct tkf_slice number = {.text = open + 3, .length = (size_t)(end - open - 3)};
    double factor = 1, value;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        if (number.text[number.length - 1] == suffixes[i].suffix) {
            factor = suffixes[i].factor;
            number.length--;
            break;
        }
    }
    return tkf_number(number, TKF_NUMBER_POINT, &value, NULL) ? value * factor : NAN;
}

/* "Benchmarking NAME", then again with ": Warming up ...", ": Collecting ...", ": Analyzing". */
static bool read_progress(struct state *state, const struct tkf_line *line, struct tkf_slice text)
{
    static const char *const stages[] = {": Warming up for ", ": Collecting ", ": Analyzing"};
    static const char announce[] = "Benchmarking ";
    if (!tkf_slice_starts(text, announce))
        return false;
    struct tkf_slice rest = tkf_slice_from(text, text.text + strlen(announce)), name = rest;
    for (size_t i = 0; i < sizeof(stages) / sizeof(*stages); i++) {
        const char *at = tkf_slice_find(rest, stages[i]);
        if (at)
            name = tkf_slice_until(rest, at);
    }
    run(state, name, line->number);
    double iterations = read_iterations(rest);
    if (!isnan(iterations))
        state->iterations = iterations;
    return true;
}

static bool read_zero(struct state *state, const struct tkf_line *line, struct tkf_slice text)
{
    const char *start = tkf_slice_find(text, zero_start);
    if (!start)
        return false;
    struct tkf_slice name = tkf_slice_from(text, start + strlen(zero_start));
    const char *end = tkf_slice_find(name, zero_end);
    if (!end)
        return false;
    run(state, tkf_slice_until(name, end), line->number);
    state->zero = true;
    return true;
}

/* Where "LABEL [" begins: the last place, as a name may hold it, too. */
static const char *find_label(struct tkf_slice text, const char *label)
{
    const char *found = NULL;
    for (const char *at = tkf_slice_find(text, label); at;
         at = tkf_slice_find(tkf_slice_from(text, at + 1), label)) {
        struct tkf_slice rest = tkf_slice_from(text, at + strlen(label));
        if (tkf_slice_starts(tkf_trim(rest), "[") && rest.length > 0 && rest.text[0] == ' ')
            found = at;
    }
    return found;
}

/* What is between the brackets after a label. */
static struct tkf_slice in_brackets(struct tkf_slice text, const char *label)
{
    struct tkf_slice rest = tkf_slice_from(text, label);
    const char *open = tkf_slice_find(rest, "[");
    rest = tkf_slice_from(rest, open + 1);
    const char *close = tkf_slice_find(rest, "]");
    return close ? tkf_slice_until(rest, close) : rest;
}

static bool is_change(struct tkf_slice values)
{
    return tkf_slice_find(values, "%");
}

static void read_throughput(struct state *state, const struct tkf_line *line,
                            struct tkf_slice values)
{
    struct tkf_slice number = {NULL, 0}, unit = {NULL, 0};
    for (int i = 0; i < 2; i++) { /* the middle one of three */
        number = tkf_field(&values);
        unit = tkf_field(&values);
    }
    double value;
    for (size_t i = 0; i < sizeof(rates) / sizeof(*rates); i++) {
        if (!tkf_slice_is(unit, rates[i].unit) ||
            !tkf_number(number, TKF_NUMBER_POINT, &value, NULL))
            continue;
        if (rates[i].bytes > 0)
            state->row.bytes_per_second = value * rates[i].bytes;
        else
            state->row.items_per_second = value * rates[i].items;
        return;
    }
    tkf_sink_notice(state->sink, line->number, "unknown throughput of %s", state->row.name);
}

static void read_time(struct state *state, const struct tkf_line *line, struct tkf_slice name,
                      struct tkf_slice values)
{
    flush_row(state);
    begin(state);
    struct tkf_slice at = values;
    double lo, value, hi, quantum;
    if (!tkf_time(&at, TKF_NUMBER_POINT, &lo, NULL) ||
        !tkf_time(&at, TKF_NUMBER_POINT, &value, &quantum) ||
        !tkf_time(&at, TKF_NUMBER_POINT, &hi, NULL)) {
        tkf_sink_notice(state->sink, line->number, "no time can be read in [%.*s]",
                        (int)values.length, values.text);
        return;
    }
    if (name.length == 0 && state->before)
        name = tkf_slice_of(state->before);
    if (name.length == 0 && state->running)
        name = tkf_slice_of(state->running);

    bool running = state->running && tkf_slice_is(name, state->running);
    state->row = tkf_sink_row(state->sink, line->number);
    state->row.name = tkf_sink_text(state->sink, name.text ? name.text : "", name.length);
    state->row.ns = value;
    state->row.ns_lo = lo;
    state->row.ns_hi = hi;
    state->row.quantum_ns = quantum;
    state->row.batch = 1;
    if (running) {
        state->row.iterations = state->iterations;
        if (state->zero)
            state->row.remark = "at least one measurement took zero time per iteration";
        keep_text(&state->running, (struct tkf_slice){NULL, 0});
        state->zero = false;
        state->iterations = NAN;
    }
    state->has_row = true;
}

static void read_line(struct state *state, const struct tkf_line *line)
{
    struct tkf_slice text = tkf_trim(tkf_line_slice(line));
    const char *label;
    bool zero = read_zero(state, line, text);
    if (zero || read_progress(state, line, text))
        return; /* such a line may come between a long name and its time */

    if (tkf_slice_starts(text, "test "))
        flush_row(state); /* while the origin is still its own */
    if ((label = find_label(text, "time:"))) {
        struct tkf_slice values = in_brackets(text, label);
        if (!is_change(values))
            read_time(state, line, tkf_trim(tkf_slice_until(text, label)), values);
    } else if ((label = find_label(text, "thrpt:"))) {
        struct tkf_slice values = in_brackets(text, label);
        if (!is_change(values) && state->has_row)
            read_throughput(state, line, values);
    } else if (tkf_libtest_line(&state->libtest, state->sink, line) && state->libtest.began) {
        state->began = false;
    }
    keep_text(&state->before, label ? (struct tkf_slice){NULL, 0} : text);
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    for (const char *at = strstr(head, "time:   ["); at; at = strstr(at + 1, "time:   [")) {
        const char *close = strpbrk(at, "]\n%");
        if (close && *close == ']')
            return 92; /* above libtest-text's: this reader reads both */
    }
    if (strstr(head, "Benchmarking ") && strstr(head, ": Warming up for "))
        return 91;
    return strstr(head, zero_start) ? 91 : 0;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct state state = {.sink = sink, .iterations = NAN};
    struct tkf_line line;
    while (tkf_input_line(in, &line))
        read_line(&state, &line);
    flush_row(&state);
    end_running(&state);
    tkf_libtest_free(&state.libtest, sink);
    free(state.before);
    return 0;
}

const struct tkf_reader tkf_reader_criterion_console = {
    .name = "criterion-console",
    .text = "Criterion console text",
    .recognise = recognise,
    .read = read_all,
};
