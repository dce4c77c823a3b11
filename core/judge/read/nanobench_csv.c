/* SPDX-License-Identifier: MIT */
/* nanobench's CSV template. Its times are seconds of one iteration, which is `batch` operations. */
#include <math.h>
#include <string.h>

#include <tickfloor/error.h>

#include "keep.h"
#include "row.h"
#include "table.h"

static const char header_start[] = "\"title\";\"name\";";

static int recognise(const char *head, size_t length)
{
    (void)length;
    const char *header = strstr(head, header_start);
    return header && strstr(header, "\"elapsed\"") ? 95 : 0;
}

static double number(const struct tkf_csv *header, const struct tkf_csv *cells, const char *column)
{
    double value;
    struct tkf_slice cell = tkf_csv_cell(cells, tkf_csv_column(header, column));
    return tkf_number(cell, TKF_NUMBER_POINT, &value, NULL) ? value : NAN;
}

static const char *text(struct tkf_sink *sink, const struct tkf_csv *header,
                        const struct tkf_csv *cells, const char *column)
{
    struct tkf_slice cell = tkf_csv_cell(cells, tkf_csv_column(header, column));
    return tkf_keep(sink, cell);
}

static void read_row(struct tkf_sink *sink, const struct tkf_csv *header,
                     const struct tkf_csv *cells, unsigned line)
{
    struct tkf_result row = tkf_sink_row(sink, line);
    row.group = text(sink, header, cells, "title");
    row.name = text(sink, header, cells, "name");
    double batch = number(header, cells, "batch");
    row.batch = batch > 0 ? batch : 1;
    row.ns = number(header, cells, "elapsed") * 1e9 / row.batch;
    if (cells->ncells < header->ncells) {
        tkf_sink_notice(sink, line, "%s: the row is cut", row.name);
        return;
    }
    if (isnan(row.ns)) {
        tkf_sink_notice(sink, line, "%s: no number in the column \"elapsed\"", row.name);
        return;
    }
    row.statistic = TKF_STATISTIC_MEDIAN;
    row.quantum_ns = 0;
    tkf_row_spread(&row, row.ns * number(header, cells, "error %"));
    /* Without access to the CPU's counters all of them are 0. */
    double instructions = number(header, cells, "instructions");
    if (instructions > 0)
        row.instructions = instructions / row.batch;
    tkf_sink_add(sink, &row);
}

static int read_nanobench_csv(struct tkf_input *in, struct tkf_sink *sink,
                              struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct tkf_csv header = {0}, cells = {0};
    struct tkf_line line;
    bool memory = true;
    while (memory && tkf_input_line(in, &line)) {
        if (strncmp(line.text, header_start, strlen(header_start)) == 0) {
            /* The template writes it at the top of each run. */
            tkf_sink_origin(sink, "nanobench", TKF_TIMING_BATCHED);
            memory = tkf_csv_split(&header, line.text, line.length, ';');
        } else if (header.ncells && line.text[0] == '"') {
            memory = tkf_csv_split(&cells, line.text, line.length, ';');
            if (memory)
                read_row(sink, &header, &cells, line.number);
        }
    }
    tkf_csv_free(&header);
    tkf_csv_free(&cells);
    return memory ? 0 : TKF_ENOMEM;
}

const struct tkf_reader tkf_reader_nanobench_csv = {
    .name = "nanobench-csv",
    .text = "nanobench, its CSV template",
    .recognise = recognise,
    .read = read_nanobench_csv,
};
