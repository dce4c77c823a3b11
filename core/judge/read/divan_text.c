/* SPDX-License-Identifier: MIT */
/* divan's tree: `├─ name   1.2 ns │ 1.9 ns │ 1.3 ns │ 1.4 ns │ 100 │ 51200`, fastest, slowest,
 * median and mean under a header that names the binary; rows without a branch continue the one
 * above with throughput and allocations. divan takes the cost of its loop off, and what falls to
 * zero it sets to one step of the clock in a sample. */
#include <math.h>
#include <string.h>

#include "keep.h"

/* Code points of one level of the tree. */
#define LEVEL 3

#define DEPTH_MAX 64

static const char bar[] = "\xe2\x94\x82"; /* U+2502 */
static const char precision_label[] = "Timer precision:";

enum column { FASTEST, SLOWEST, MEDIAN, MEAN, SAMPLES, ITERS, COLUMNS };

enum allocations { NONE, COUNT, BYTES }; /* which row of "alloc:" comes next */

struct state {
    struct tkf_sink *sink;
    double step_ns;              /* what "Timer precision:" last said */
    const char *group;           /* the binary; NULL before the first header */
    size_t name_columns;         /* where the column of the fastest begins */
    const char *path[DEPTH_MAX]; /* of the leaf or branch read last */
    bool has_row;
    struct tkf_result row;
    enum allocations next;
};

/* The bytes of the first *count* code points. */
static size_t bytes_of(struct tkf_slice text, size_t count)
{
    size_t at = 0;
    while (at < text.length && count > 0) {
        at++;
        while (at < text.length && ((unsigned char)text.text[at] & 0xc0) == 0x80)
            at++;
        count--;
    }
    return at;
}

static size_t code_points(struct tkf_slice text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.length; i++)
        count += ((unsigned char)text.text[i] & 0xc0) != 0x80;
    return count;
}

static void flush(struct state *state)
{
    if (state->has_row)
        tkf_sink_add(state->sink, &state->row);
    state->has_row = false;
}

static bool read_header(struct state *state, struct tkf_slice text)
{
    const char *fastest = tkf_slice_find(text, "fastest ");
    if (!fastest || !tkf_slice_find(text, "slowest ") || !tkf_slice_find(text, "median "))
        return false;
    flush(state);
    struct tkf_slice name = tkf_trim(tkf_slice_until(text, fastest));
    state->name_columns = code_points(tkf_slice_until(text, fastest));
    state->group = tkf_keep(state->sink, name);
    memset(state->path, 0, sizeof(state->path));
    struct tkf_origin *origin = tkf_sink_origin(state->sink, "divan", TKF_TIMING_SUBTRACTED);
    origin->timer_step_ns = state->step_ns;
    return true;
}

/* Four significant digits, trailing zeros cut, and never less than a picosecond: the text does not
 * show what it is worth. */
static double quantum_of(double value_ns)
{
    double digits = pow(10, floor(log10(value_ns)) - 3);
    return value_ns > 0 && digits > 1e-3 ? digits : 1e-3;
}

/* The cells after the name. */
static unsigned split(struct tkf_slice text, struct tkf_slice cells[COLUMNS])
{
    unsigned count = 0;
    while (count < COLUMNS) {
        const char *end = tkf_slice_find(text, bar);
        cells[count++] = tkf_trim(end ? tkf_slice_until(text, end) : text);
        if (!end)
            break;
        text = tkf_slice_from(text, end + strlen(bar));
    }
    return count;
}

/* The tree's path down to this name, names joined by "/". */
static const char *path_text(struct state *state, size_t depth)
{
    struct tkf_builder text = {0};
    for (size_t i = 0; i <= depth; i++) {
        if (state->path[i])
            tkf_build(&text, "%s%s", text.out ? "/" : "", state->path[i]);
    }
    return tkf_built(&text, state->sink);
}

static bool time_cell(struct tkf_slice cell, double *ret_ns)
{
    return tkf_time(&cell, TKF_NUMBER_POINT, ret_ns, NULL) && tkf_trim(cell).length == 0;
}

static void read_leaf(struct state *state, unsigned line, const char *name,
                      const struct tkf_slice cells[COLUMNS])
{
    struct tkf_result *row = &state->row;
    *row = tkf_sink_row(state->sink, line);
    row->group = state->group;
    row->name = name;
    if (tkf_slice_find(cells[FASTEST], "(ignored)")) {
        row->failed = true;
        row->remark = "ignored";
        state->has_row = true;
        return;
    }
    bool has_mean = time_cell(cells[MEAN], &row->ns);
    bool has_median = time_cell(cells[MEDIAN], &row->ns);
    if (!has_mean && !has_median) {
        tkf_sink_notice(state->sink, line, "no time can be read in the result of %s", name);
        return;
    }
    row->statistic = has_median ? TKF_STATISTIC_MEDIAN : TKF_STATISTIC_MEAN;
    row->quantum_ns = quantum_of(row->ns);
    row->batch = 1;
    double samples, iterations;
    if (time_cell(cells[FASTEST], &row->min_ns))
        row->ns_lo = row->min_ns;
    if (time_cell(cells[SLOWEST], &row->max_ns))
        row->ns_hi = row->max_ns;
    if (tkf_number(cells[ITERS], TKF_NUMBER_POINT, &iterations, NULL)) {
        row->iterations = iterations;
        if (tkf_number(cells[SAMPLES], TKF_NUMBER_POINT, &samples, NULL) && iterations > 0)
            row->sentinel =
                fabs(row->ns - state->step_ns * samples / iterations) <= row->quantum_ns;
    }
    state->has_row = true;
}

static void read_branch(struct state *state, const struct tkf_line *line, struct tkf_slice name,
                        size_t depth, struct tkf_slice rest)
{
    struct tkf_slice cells[COLUMNS] = {0};
    unsigned count = split(rest, cells);
    flush(state);
    state->next = NONE;
    if (depth >= DEPTH_MAX) {
        tkf_sink_notice(state->sink, line->number, "too deep in the tree");
        return;
    }
    state->path[depth] = tkf_keep(state->sink, name);
    bool empty = true;
    for (unsigned i = 0; i < count; i++)
        empty = empty && cells[i].length == 0;
    if (!empty)
        read_leaf(state, line->number, path_text(state, depth), cells);
}

/* "1.2 KB", "64 B", "3.4 MiB", "17 item/s": decimal prefixes, and binary ones with an i. */
static bool scaled(struct tkf_slice cell, const char **ret_unit, double *ret_value)
{
    static const char prefixes[] = "KMGTPE";
    struct tkf_slice number = tkf_field(&cell), unit = tkf_field(&cell);
    double value;
    if (!tkf_number(number, TKF_NUMBER_POINT, &value, NULL) || unit.length == 0)
        return false;
    const char *prefix = memchr(prefixes, unit.text[0], sizeof(prefixes) - 1);
    bool binary = prefix && unit.length > 2 && unit.text[1] == 'i' && unit.text[2] == 'B';
    if (prefix)
        value *= pow(binary ? 1024 : 1000, (double)(prefix - prefixes + 1));
    size_t skip = prefix ? 1 + binary : 0;
    *ret_unit = unit.length > skip ? unit.text + skip : "";
    *ret_value = value;
    return true;
}

static void read_continuation(struct state *state, struct tkf_slice rest)
{
    struct tkf_slice cells[COLUMNS] = {0};
    split(rest, cells);
    struct tkf_slice label = cells[FASTEST], cell = cells[MEDIAN].length ? cells[MEDIAN] : label;
    struct tkf_result *row = &state->row;
    const char *unit;
    double value;
    if (label.length > 0 && label.text[label.length - 1] == ':') {
        state->next = tkf_slice_is(label, "alloc:") ? COUNT : NONE;
    } else if (state->next == COUNT) {
        if (tkf_number(cell, TKF_NUMBER_POINT, &value, NULL))
            row->allocs = value;
        state->next = BYTES;
    } else if (state->next == BYTES) {
        if (scaled(cell, &unit, &value))
            row->alloc_bytes = value;
        state->next = NONE;
    } else if (tkf_slice_find(cell, "/s") && scaled(cell, &unit, &value)) {
        *(strncmp(unit, "B/s", 3) ? &row->items_per_second : &row->bytes_per_second) = value;
    }
}

static void read_line(struct state *state, const struct tkf_line *line)
{
    static const char *const branches[] = {"\xe2\x94\x9c\xe2\x94\x80 ",
                                           "\xe2\x95\xb0\xe2\x94\x80 "};
    struct tkf_slice text = {line->text, line->length};
    const char *label = tkf_slice_find(text, precision_label);
    if (label) {
        struct tkf_slice rest = tkf_slice_from(text, label + strlen(precision_label));
        double step;
        if (tkf_time(&rest, TKF_NUMBER_POINT, &step, NULL))
            state->step_ns = step;
        return;
    }
    if (read_header(state, text) || !state->group)
        return;

    size_t split_at = bytes_of(text, state->name_columns);
    struct tkf_slice tree = tkf_slice_until(text, text.text + split_at);
    struct tkf_slice rest = tkf_slice_from(text, text.text + split_at);
    for (size_t i = 0; i < sizeof(branches) / sizeof(*branches); i++) {
        const char *at = tkf_slice_find(tree, branches[i]);
        if (!at)
            continue;
        size_t depth = code_points(tkf_slice_until(tree, at)) / LEVEL;
        struct tkf_slice name = tkf_trim(tkf_slice_from(tree, at + strlen(branches[i])));
        read_branch(state, line, name, depth, rest);
        return;
    }
    if (state->has_row && tkf_slice_find(rest, bar))
        read_continuation(state, rest);
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    const char *header = strstr(head, "fastest ");
    if (header && strstr(header, "slowest ") && strstr(header, bar))
        return 95;
    return strstr(head, precision_label) ? 60 : 0;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct state state = {.sink = sink, .step_ns = NAN};
    struct tkf_line line;
    while (tkf_input_line(in, &line))
        read_line(&state, &line);
    flush(&state);
    return 0;
}

const struct tkf_reader tkf_reader_divan_text = {
    .name = "divan-text",
    .text = "divan text",
    .recognise = recognise,
    .read = read_all,
};
