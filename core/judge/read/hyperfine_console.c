/* SPDX-License-Identifier: MIT */
/*
 * hyperfine's report: "Benchmark 1: COMMAND", then a line of the mean, one of the range, and
 * warnings.
 */
#include <math.h>
#include <string.h>

#include "hyperfine.h"
#include "keep.h"
#include "row.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (!strstr(head, "Benchmark "))
        return 0;
    if (strstr(head, "Time (mean \xc2\xb1 \xcf\x83)") || strstr(head, "Time (abs \xe2\x89\xa1)"))
        return 92;
    return strstr(head, "  Range (min ") || strstr(head, "  Time (mean ") ? 85 : 0;
}

struct report {
    struct tkf_hyperfine file;
    struct tkf_result row;
    struct tkf_builder remark; /* of the row: what hyperfine wrote below it */
    bool has_row;
};

static void flush(struct report *report)
{
    struct tkf_result *row = &report->row;
    if (!report->has_row)
        return;
    report->has_row = false;
    if (report->remark.out)
        row->remark = tkf_built(&report->remark, report->file.sink);
    if (isnan(row->ns) && row->remark)
        row->failed = true;
    tkf_hyperfine_give(&report->file, row);
}

/* "Benchmark 1: true", "Benchmark #1: true" */
static bool take_begin(struct report *report, const struct tkf_line *line, struct tkf_slice text)
{
    struct tkf_slice number, command;
    double value;
    if (!tkf_slice_starts(text, "Benchmark ") || !tkf_cut(text, ": ", &number, &command))
        return false;
    tkf_cut(number, " ", NULL, &number);
    if (tkf_slice_starts(number, "#"))
        tkf_cut(number, "#", NULL, &number);
    if (!tkf_number(number, TKF_NUMBER_POINT, &value, NULL))
        return false;
    flush(report);
    report->row = tkf_sink_row(report->file.sink, line->number);
    report->row.name = tkf_keep(report->file.sink, tkf_trim(command));
    report->has_row = true;
    return true;
}

/* "0.6 ms ±  0.1 ms    [User: 0.5 ms, System: 0.1 ms]" */
static void take_time(struct tkf_result *row, struct tkf_slice text)
{
    struct tkf_slice value = text, spread = {0}, user, system;
    double ns, quantum_ns, width_ns, user_ns, system_ns;
    bool has_cpu = tkf_cut(text, "[User: ", &text, &user) &&
                   tkf_cut(user, ", System: ", &user, &system) &&
                   tkf_cut(system, "]", &system, NULL);
    value = text;
    tkf_cut_spread(text, &value, &spread);
    if (!tkf_whole_time(value, &ns, &quantum_ns))
        return;
    row->ns = ns;
    row->quantum_ns = quantum_ns;
    row->statistic = TKF_STATISTIC_MEAN;
    if (tkf_whole_time(spread, &width_ns, NULL))
        tkf_row_spread(row, width_ns);
    if (has_cpu && tkf_whole_time(user, &user_ns, NULL) &&
        tkf_whole_time(system, &system_ns, NULL)) {
        row->cpu_ns = user_ns + system_ns;
        row->wall_ns = ns;
    }
}

/* "0.6 ms … 0.9 ms    30 runs" */
static void take_range(struct tkf_result *row, struct tkf_slice text)
{
    double runs;
    struct tkf_slice rest = text;
    tkf_time_range(text, &row->min_ns, &row->max_ns);
    tkf_last_field(&rest);
    if (tkf_number(tkf_last_field(&rest), TKF_NUMBER_POINT, &runs, NULL))
        row->iterations = runs;
}

static void add_remark(struct report *report, struct tkf_slice text)
{
    text = tkf_trim(text);
    tkf_build(&report->remark, "%s%.*s", report->remark.out ? " " : "", (int)text.length,
              text.text);
}

static void take_line(struct report *report, const struct tkf_line *line)
{
    struct tkf_slice rest, text = tkf_line_text(line);
    if (take_begin(report, line, text) || !report->has_row)
        return;
    if (tkf_slice_starts(text, "Time (") && tkf_cut(text, "):", NULL, &rest))
        take_time(&report->row, rest);
    else if (tkf_slice_starts(text, "Range (") && tkf_cut(text, "):", NULL, &rest))
        take_range(&report->row, rest);
    else if (tkf_slice_starts(text, "Warning: ") || tkf_slice_starts(text, "Error: "))
        add_remark(report, text);
    else if (tkf_slice_starts(text, "Summary"))
        flush(report);
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    struct tkf_line line;
    struct report report = {.has_row = false};
    (void)ret_error;
    tkf_hyperfine_begin(&report.file, sink);
    while (tkf_input_line(in, &line))
        take_line(&report, &line);
    flush(&report);
    tkf_hyperfine_end(&report.file);
    return 0;
}

const struct tkf_reader tkf_reader_hyperfine_console = {
    .name = "hyperfine-console",
    .text = "report of hyperfine",
    .recognise = recognise,
    .read = read,
};
