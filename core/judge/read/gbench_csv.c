/* SPDX-License-Identifier: MIT */
/* Google Benchmark's --benchmark_format=csv. */
#include <math.h>
#include <string.h>

#include <tickfloor/error.h>

#include "gbench.h"
#include "keep.h"
#include "table.h"

static const char header_start[] = "name,iterations,real_time,cpu_time,time_unit";

static int recognise(const char *head, size_t length)
{
    (void)length;
    return strstr(head, header_start) ? 95 : 0;
}

/* Where the columns stand, by this file's header. */
struct columns {
    int name, iterations, real_time, cpu_time, time_unit;
    int error, message, first_counter;
};

static struct columns find_columns(const struct tkf_csv *header)
{
    struct columns columns = {
        .name = tkf_csv_column(header, "name"),
        .iterations = tkf_csv_column(header, "iterations"),
        .real_time = tkf_csv_column(header, "real_time"),
        .cpu_time = tkf_csv_column(header, "cpu_time"),
        .time_unit = tkf_csv_column(header, "time_unit"),
        .error = tkf_csv_column(header, "error_occurred"),
        .message = tkf_csv_column(header, "error_message"),
    };
    columns.first_counter = columns.message >= 0 ? columns.message + 1 : (int)header->ncells;
    return columns;
}

/* Six significant digits are printed, and zeros at their end are not: 1441 means 1441.00. */
static double printed_quantum(double value)
{
    return value == 0 || !isfinite(value) ? 0 : pow(10, floor(log10(fabs(value))) - 5);
}

static double number(const struct tkf_csv *cells, int column)
{
    double value;
    return tkf_number(tkf_csv_cell(cells, column), TKF_NUMBER_POINT, &value, NULL) ? value : NAN;
}

static void read_counters(struct tkf_sink *sink, struct tkf_result *row,
                          const struct tkf_csv *header, const struct tkf_csv *cells,
                          int first_counter)
{
    for (int i = 0; i < (int)header->ncells; i++) {
        struct tkf_slice name = header->cells[i];
        double value = number(cells, i);
        bool rate =
            tkf_slice_is(name, "bytes_per_second") || tkf_slice_is(name, "items_per_second");
        if ((rate || i >= first_counter) && !isnan(value))
            tkf_gbench_counter(sink, row, name, value);
    }
}

static void read_row(struct tkf_gbench *state, const struct tkf_csv *header,
                     const struct tkf_csv *cells, unsigned line)
{
    const struct columns columns = find_columns(header);
    struct tkf_sink *sink = state->sink;
    const char *name = tkf_keep(sink, tkf_csv_cell(cells, columns.name));
    struct tkf_gbench_run run = tkf_gbench_run(sink, line, name);
    run.row.iterations = number(cells, columns.iterations);
    read_counters(sink, &run.row, header, cells, columns.first_counter);

    /*
     * "true", or "false" for one that was only skipped; empty for all that ran. Counters are left
     * out behind it.
     */
    if (tkf_csv_cell(cells, columns.error).length) {
        run.row.failed = true;
        run.row.remark = tkf_keep(sink, tkf_csv_cell(cells, columns.message));
        tkf_gbench_add(state, &run);
        return;
    }
    double unit_ns = 1;
    run.no_time = !tkf_time_unit(tkf_csv_cell(cells, columns.time_unit), &unit_ns);
    double real = number(cells, columns.real_time);
    double cpu = number(cells, columns.cpu_time);
    run.real_ns = real * unit_ns;
    run.cpu_ns = cpu * unit_ns;
    run.real_quantum_ns = printed_quantum(real) * unit_ns;
    run.cpu_quantum_ns = printed_quantum(cpu) * unit_ns;
    if (cells->ncells < header->ncells)
        tkf_sink_notice(sink, line, "%s: the row is cut", name);
    else if (isnan(real) && isnan(cpu))
        tkf_sink_notice(sink, line, "%s: no time in this row", name);
    else
        tkf_gbench_add(state, &run);
}

static int read_gbench_csv(struct tkf_input *in, struct tkf_sink *sink,
                           struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct tkf_gbench state = {0};
    struct tkf_csv header = {0}, cells = {0};
    struct tkf_line line;
    bool memory = true;
    while (memory && tkf_input_line(in, &line)) {
        if (strncmp(line.text, header_start, strlen(header_start)) == 0) {
            /* A second header is a second run. */
            tkf_gbench_end(&state);
            tkf_gbench_begin(&state, sink);
            memory = tkf_csv_split(&header, line.text, line.length, ',');
        } else if (state.sink && line.text[0] == '"') {
            memory = tkf_csv_split(&cells, line.text, line.length, ',');
            if (memory)
                read_row(&state, &header, &cells, line.number);
        }
    }
    tkf_gbench_end(&state);
    tkf_csv_free(&header);
    tkf_csv_free(&cells);
    return memory ? 0 : TKF_ENOMEM;
}

const struct tkf_reader tkf_reader_gbench_csv = {
    .name = "gbench-csv",
    .text = "Google Benchmark, --benchmark_format=csv",
    .recognise = recognise,
    .read = read_gbench_csv,
};
