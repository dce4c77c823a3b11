/* SPDX-License-Identifier: MIT */
/* JMH -rf csv and scsv. The JVM's locale decides the decimal sign; there is never one between
 * thousands. */
#include <math.h>
#include <string.h>

#include <tickfloor/error.h>

#include "jmh.h"
#include "keep.h"
#include "table.h"

enum column { BENCHMARK, MODE, THREADS, SCORE, ERROR, UNIT, COLUMNS };

static const char *const names[COLUMNS] = {
    [BENCHMARK] = "Benchmark", [MODE] = "Mode",         [THREADS] = "Threads",
    [SCORE] = "Score",         [ERROR] = "Score Error", [UNIT] = "Unit",
};

static const char param[] = "Param: ";

struct state {
    struct tkf_jmh_rows rows;
    struct tkf_csv csv;
    char separator;
    size_t at[COLUMNS];
    size_t first_param; /* columns from here on are parameters */
    const char *params[64];
    size_t nparams;
};

static struct tkf_slice cell(const struct state *state, enum column column)
{
    return tkf_csv_cell(&state->csv, state->at[column]);
}

static bool read_header(struct state *state)
{
    for (int column = 0; column < COLUMNS; column++) {
        state->at[column] = SIZE_MAX;
        for (size_t i = 0; i < state->csv.ncells && state->at[column] == SIZE_MAX; i++) {
            /* "Score Error (99.9%)" */
            if (tkf_slice_is(state->csv.cells[i], names[column]) ||
                (column == ERROR && tkf_slice_starts(state->csv.cells[i], names[ERROR])))
                state->at[column] = i;
        }
    }
    state->nparams = 0;
    state->first_param = state->csv.ncells;
    for (size_t i = 0; i < state->csv.ncells; i++) {
        struct tkf_slice title = state->csv.cells[i];
        if (!tkf_slice_starts(title, param) ||
            state->nparams == sizeof(state->params) / sizeof(*state->params))
            continue;
        if (state->nparams == 0)
            state->first_param = i;
        title = tkf_slice_from(title, title.text + strlen(param));
        state->params[state->nparams++] = tkf_keep(state->rows.sink, title);
    }
    return state->at[BENCHMARK] == 0 && state->at[MODE] != SIZE_MAX &&
           state->at[SCORE] != SIZE_MAX && state->at[UNIT] != SIZE_MAX;
}

/* A benchmark that lacks a parameter has an empty cell. */
static const char *params_text(struct state *state)
{
    struct tkf_builder text = {0};
    for (size_t i = 0; i < state->nparams; i++) {
        struct tkf_slice value = tkf_csv_cell(&state->csv, state->first_param + i);
        if (value.length > 0)
            tkf_build(&text, "%s%s = %.*s", text.out ? ", " : "", state->params[i],
                      (int)value.length, value.text);
    }
    return tkf_built(&text, state->rows.sink);
}

static void read_row(struct state *state, unsigned line)
{
    struct tkf_jmh_score score = {.unit = cell(state, UNIT)};
    double error, threads;
    if (!tkf_jmh_number(cell(state, SCORE), &score.value, &score.quantum) ||
        !tkf_jmh_is_mode(cell(state, MODE))) {
        tkf_sink_notice(state->rows.sink, line, "no score can be read in this line");
        return;
    }
    if (!tkf_jmh_number(cell(state, ERROR), &error, NULL))
        error = NAN;
    if (!tkf_jmh_number(cell(state, THREADS), &threads, NULL))
        threads = NAN;
    score.lo = score.value - error;
    score.hi = score.value + error;
    tkf_jmh_add(&state->rows, line, cell(state, BENCHMARK), params_text(state), cell(state, MODE),
                threads, &score);
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    static const char *const starts[] = {"\"Benchmark\",\"Mode\"", "\"Benchmark\";\"Mode\"",
                                         "Benchmark,Mode,", "Benchmark;Mode;"};
    for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
        if (!strncmp(head, starts[i], strlen(starts[i])))
            return 95;
    }
    return 0;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct state state = {.rows = {.sink = sink}};
    struct tkf_line line;
    bool has_header = false, memory = true;
    while (memory && tkf_input_line(in, &line)) {
        struct tkf_slice text = tkf_line_slice(&line);
        if (tkf_trim(text).length == 0)
            continue;
        bool title = tkf_slice_starts(text, "\"Benchmark\"") || tkf_slice_starts(text, "Benchmark");
        char separator = title ? tkf_csv_separator(text.text, text.length) : state.separator;
        memory = tkf_csv_split(&state.csv, text.text, text.length, separator);
        if (title && memory && read_header(&state)) {
            state.separator = separator;
            has_header = true;
        } else if (has_header) {
            read_row(&state, line.number);
        } else {
            tkf_sink_notice(sink, line.number, "no header of JMH's CSV is above this line");
        }
    }
    tkf_csv_free(&state.csv);
    tkf_jmh_end(&state.rows);
    return memory ? 0 : TKF_ENOMEM;
}

const struct tkf_reader tkf_reader_jmh_csv = {
    .name = "jmh-csv",
    .text = "JMH CSV",
    .recognise = recognise,
    .read = read_all,
};
