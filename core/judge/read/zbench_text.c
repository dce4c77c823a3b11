/* SPDX-License-Identifier: MIT */

#include "head.h"
#include "keep.h"
#include "row.h"

/*
 * zBench's table: name, runs, total time (not in old releases), "avg ± σ", "(min ... max)",
 * percentiles. Columns are counted from the ± and a name may hold blanks.
 */

static int recognise(const char *head, size_t length)
{
    (void)length;
    return tkf_head_has(head, TKF_WORDS("benchmark", "runs", "(avg \xc2\xb1 \xcf\x83)", "p995"))
               ? 92
               : 0;
}

/* The lines of the machine in front of the table. */
static bool take_fact(struct tkf_sink *sink, struct tkf_origin *origin, struct tkf_slice line)
{
    struct tkf_slice key, value;
    double number;
    if (!tkf_cut(line, ":", &key, &value))
        return false;
    value = tkf_trim(value);
    if (tkf_slice_is(key, "CPU"))
        origin->cpu = tkf_keep(sink, value);
    else if (tkf_slice_is(key, "CPU Cores") && tkf_number(value, TKF_NUMBER_POINT, &number, NULL))
        origin->cpus = number;
    else if (tkf_slice_is(key, "Operating System")) {
        origin->os = tkf_keep(sink, tkf_field(&value));
        origin->arch = tkf_keep(sink, tkf_field(&value));
    } else {
        return false;
    }
    return true;
}

static void take_times(struct tkf_result *row, struct tkf_slice before, struct tkf_slice after)
{
    struct tkf_slice range, spread = tkf_field(&after);
    double width_ns;
    if (!tkf_whole_time(tkf_last_field(&before), &row->ns, &row->quantum_ns))
        return;
    row->statistic = TKF_STATISTIC_MEAN;
    if (tkf_whole_time(spread, &width_ns, NULL))
        tkf_row_spread(row, width_ns);
    if (tkf_cut(after, "(", NULL, &range) && tkf_cut(range, ")", &range, NULL))
        tkf_time_range(range, &row->min_ns, &row->max_ns);
}

static void take_row(struct tkf_sink *sink, unsigned number, struct tkf_slice line)
{
    struct tkf_slice before, after, name;
    double runs, total_ns;
    if (!tkf_cut_spread(line, &before, &after))
        return;
    struct tkf_result row = tkf_sink_row(sink, number);
    take_times(&row, before, after);
    name = before;
    tkf_last_field(&name);
    struct tkf_slice field = tkf_last_field(&name);
    if (tkf_whole_time(field, &total_ns, NULL)) {
        row.total_ns = total_ns;
        field = tkf_last_field(&name);
    }
    if (tkf_number(field, TKF_NUMBER_POINT, &runs, NULL))
        row.iterations = runs;
    row.name = tkf_keep(sink, name);
    tkf_row_give(sink, &row);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    struct tkf_line line;
    bool table = false;
    (void)ret_error;
    struct tkf_origin *origin = tkf_sink_origin(sink, "zbench", TKF_TIMING_EACH_CALL);
    while (tkf_input_line(in, &line)) {
        struct tkf_slice text = tkf_line_text(&line);
        if (tkf_slice_starts(text, "benchmark "))
            table = true;
        else if (tkf_cut(text, "[MEMORY]", NULL, NULL) || take_fact(sink, origin, text))
            continue;
        else if (table)
            take_row(sink, line.number, text);
    }
    return 0;
}

const struct tkf_reader tkf_reader_zbench_text = {
    .name = "zbench-text",
    .text = "table of zBench",
    .recognise = recognise,
    .read = read,
};
