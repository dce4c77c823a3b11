/* SPDX-License-Identifier: MIT */
/* Criterion's raw.csv: one line for each sample, so that all of a benchmark's make one row. Its
 * value is Criterion's own: the slope of time over iterations through zero, or the mean where all
 * samples had as many. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/error.h>

#include "../grow.h"
#include "keep.h"
#include "row.h"
#include "table.h"

enum column { GROUP, FUNCTION, VALUE, RATE, RATE_TYPE, TIME, UNIT, ITERATIONS, COLUMNS };

static const char *const names[COLUMNS][2] = {
    [GROUP] = {"group", NULL},
    [FUNCTION] = {"function", NULL},
    [VALUE] = {"value", NULL},
    [RATE] = {"throughput_num", NULL},
    [RATE_TYPE] = {"throughput_type", NULL},
    [TIME] = {"sample_measured_value", "sample_time_nanos"},
    [UNIT] = {"unit", NULL},
    [ITERATIONS] = {"iteration_count", NULL},
};

struct state {
    struct tkf_sink *sink;
    size_t at[COLUMNS]; /* SIZE_MAX: not there */
    struct tkf_csv csv;
    const char *name; /* of the benchmark whose samples are being gathered, NULL */
    unsigned line;    /* of its first sample */
    double *iterations, *ns;
    size_t count, capacity;
    double quantum_ns; /* of one operation, the finest */
    double bytes, items;
};

static struct tkf_slice cell(const struct state *state, enum column column)
{
    return tkf_csv_cell(&state->csv, state->at[column]);
}

static bool read_header(struct state *state)
{
    for (int column = 0; column < COLUMNS; column++) {
        state->at[column] = SIZE_MAX;
        for (size_t i = 0; i < state->csv.ncells; i++) {
            for (int n = 0; n < 2; n++) {
                if (names[column][n] && tkf_slice_is(state->csv.cells[i], names[column][n]))
                    state->at[column] = i;
            }
        }
    }
    return state->at[TIME] != SIZE_MAX && state->at[ITERATIONS] != SIZE_MAX;
}

static void flush(struct state *state)
{
    if (!state->name)
        return;
    double xy = 0, xx = 0, per_op = 0;
    bool flat = true;
    struct tkf_result row = tkf_sink_row(state->sink, state->line);
    for (size_t i = 0; i < state->count; i++) {
        double n = state->iterations[i];
        flat = flat && n == state->iterations[0];
        xy += n * state->ns[i];
        xx += n * n;
        per_op += state->ns[i] / n / (double)state->count;
    }
    row.name = state->name;
    row.ns = flat ? per_op : xy / xx;
    row.statistic = flat ? TKF_STATISTIC_MEAN : TKF_STATISTIC_SLOPE;
    row.quantum_ns = state->quantum_ns;
    row.batch = 1;
    row.bytes_per_second = state->bytes / row.ns * 1e9;
    row.items_per_second = state->items / row.ns * 1e9;
    tkf_row_samples(state->sink, &row, state->iterations, state->ns, state->count);
    tkf_sink_add(state->sink, &row);
    state->name = NULL;
    state->count = 0;
}

static int add_sample(struct state *state, double iterations, double ns)
{
    size_t capacity = state->capacity;
    double *all = tkf_grow(state->iterations, state->count, &capacity, sizeof(*all));
    if (all)
        state->iterations = all;
    double *all_ns = tkf_grow(state->ns, state->count, &state->capacity, sizeof(*all_ns));
    if (all_ns)
        state->ns = all_ns;
    if (!all || !all_ns)
        return TKF_ENOMEM;
    state->iterations[state->count] = iterations;
    state->ns[state->count++] = ns;
    return 0;
}

/* group[/function][/value], as Criterion's full id is made. */
static const char *full_id(struct state *state)
{
    struct tkf_slice group = cell(state, GROUP), function = cell(state, FUNCTION);
    struct tkf_slice value = cell(state, VALUE);
    return tkf_keepf(state->sink, "%.*s%s%.*s%s%.*s", (int)group.length, group.text,
                     function.length ? "/" : "", (int)function.length, function.text,
                     value.length ? "/" : "", (int)value.length, value.text);
}

static int read_sample(struct state *state, unsigned line)
{
    double unit = 1, time, quantum, iterations, rate;
    if (state->at[UNIT] != SIZE_MAX && !tkf_time_unit(cell(state, UNIT), &unit)) {
        tkf_sink_notice(state->sink, line, "%s is not measured in a unit of time", full_id(state));
        return 0;
    }
    if (!tkf_number(cell(state, TIME), TKF_NUMBER_POINT, &time, &quantum) ||
        !tkf_number(cell(state, ITERATIONS), TKF_NUMBER_POINT, &iterations, NULL) ||
        !(iterations > 0)) {
        tkf_sink_notice(state->sink, line, "no sample can be read in this line");
        return 0;
    }
    const char *name = full_id(state);
    if (state->name && strcmp(name, state->name) != 0)
        flush(state);
    if (!state->name) {
        state->name = name;
        state->line = line;
        state->quantum_ns = INFINITY;
        state->bytes = state->items = NAN;
        if (tkf_number(cell(state, RATE), TKF_NUMBER_POINT, &rate, NULL))
            *(tkf_slice_is(cell(state, RATE_TYPE), "elements") ? &state->items : &state->bytes) =
                rate;
    }
    state->quantum_ns = fmin(state->quantum_ns, quantum * unit / iterations);
    return add_sample(state, iterations, time * unit);
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (strncmp(head, "group,function,value,", 21) != 0)
        return 0;
    return strstr(head, ",iteration_count") ? 95 : 0;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct state state = {.sink = sink};
    struct tkf_line line;
    int error = 0;
    bool has_header = false;
    tkf_sink_origin(sink, "criterion", TKF_TIMING_BATCHED);
    while (!error && tkf_input_line(in, &line)) {
        struct tkf_slice text = tkf_line_slice(&line);
        if (tkf_trim(text).length == 0)
            continue;
        if (!tkf_csv_split(&state.csv, text.text, text.length, ',')) {
            error = TKF_ENOMEM;
            break;
        }
        if (tkf_slice_starts(text, "group,")) { /* several files in one */
            flush(&state);
            has_header = read_header(&state);
        } else if (has_header) {
            error = read_sample(&state, line.number);
        } else {
            tkf_sink_notice(sink, line.number,
                            "no header of Criterion's raw.csv is above this line");
        }
    }
    flush(&state);
    tkf_csv_free(&state.csv);
    free(state.iterations);
    free(state.ns);
    return error;
}

const struct tkf_reader tkf_reader_criterion_csv = {
    .name = "criterion-csv",
    .text = "Criterion raw.csv",
    .recognise = recognise,
    .read = read_all,
};
