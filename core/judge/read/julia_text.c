/* SPDX-License-Identifier: MIT */
/*
 * What BenchmarkTools prints in Julia's console: @benchmark's block, new ("Range (min … max):") and
 * old ("minimum time:"), @btime's line, and groups of "Trial(257.354 μs)". The name is what stood at
 * the prompt.
 */
#include <math.h>
#include <string.h>

#include "keep.h"
#include "row.h"

/* BenchmarkTools' own lower limit: what it takes off is never more than all but this. */
#define CLAMP_NS 0.001

#define DEPTH_MAX 16

struct console {
    struct tkf_run run;
    const char *prompt;  /* what the user typed last */
    unsigned noutputs;   /* that came of it */
    const char *heading; /* of a document round the output */
    struct tkf_result row;
    bool has_row;
    double samples, evals;
    struct {
        size_t indent;
        const char *path;
    } groups[DEPTH_MAX];
    size_t depth;
};

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (strstr(head, "BenchmarkTools.Trial") || strstr(head, "=> Trial(") ||
        strstr(head, "BenchmarkTools.BenchmarkGroup"))
        return 92;
    return strstr(head, " allocations: ") || strstr(head, "(1 allocation: ") ? 60 : 0;
}

static void flush(struct console *console)
{
    struct tkf_result *row = &console->row;
    if (!console->has_row)
        return;
    row->sentinel = row->ns == CLAMP_NS;
    row->iterations = console->samples * console->evals;
    tkf_run_timed(&console->run, console->evals == 1 ? TKF_TIMING_EACH_CALL : TKF_TIMING_BATCHED);
    tkf_row_give(console->run.sink, row);
    console->has_row = false;
}

/* "@benchmark sum(x)" is named after what it measures; more than one may come of a loop. */
static const char *next_name(struct console *console)
{
    static const char *const macros[] = {"@benchmark ", "@btime ", "@belapsed "};
    struct tkf_slice name = tkf_slice_of(console->prompt ? console->prompt : "");
    for (size_t i = 0; i < sizeof(macros) / sizeof(*macros); i++)
        tkf_cut(name, macros[i], NULL, &name);
    name = tkf_trim(name);
    console->noutputs++;
    if (name.length == 0)
        return tkf_keepf(console->run.sink, "trial %u", console->noutputs);
    return console->noutputs == 1 ? tkf_keep(console->run.sink, name)
                                  : tkf_keepf(console->run.sink, "%.*s #%u", (int)name.length,
                                              name.text, console->noutputs);
}

static void begin_row(struct console *console, unsigned line)
{
    flush(console);
    console->row = tkf_sink_row(console->run.sink, line);
    console->has_row = true;
    console->samples = console->evals = NAN;
}

static double first_number(struct tkf_slice text)
{
    double number;
    return tkf_number(tkf_field(&text), TKF_NUMBER_POINT, &number, NULL) ? number : NAN;
}

/* ---- the block of @benchmark ---- */

static void take_range(struct console *console, struct tkf_slice value)
{
    tkf_time_range(value, &console->row.min_ns, &console->row.max_ns);
}

static void take_central(struct console *console, struct tkf_slice value,
                         enum tkf_statistic statistic)
{
    double ns, quantum_ns;
    if (console->row.statistic == TKF_STATISTIC_MEDIAN ||
        !tkf_time(&value, TKF_NUMBER_POINT, &ns, &quantum_ns))
        return;
    console->row.ns = ns;
    console->row.quantum_ns = quantum_ns;
    console->row.statistic = statistic;
}

static void take_median(struct console *console, struct tkf_slice value)
{
    take_central(console, value, TKF_STATISTIC_MEDIAN);
}

static void take_mean(struct console *console, struct tkf_slice value)
{
    take_central(console, value, TKF_STATISTIC_MEAN);
}

static void take_minimum(struct console *console, struct tkf_slice value)
{
    tkf_time(&value, TKF_NUMBER_POINT, &console->row.min_ns, NULL);
}

static void take_maximum(struct console *console, struct tkf_slice value)
{
    tkf_time(&value, TKF_NUMBER_POINT, &console->row.max_ns, NULL);
}

static void take_samples(struct console *console, struct tkf_slice value)
{
    console->samples = first_number(value);
}

static void take_evals(struct console *console, struct tkf_slice value)
{
    console->evals = first_number(value);
}

/* "7.94 KiB" */
static double bytes_of(struct tkf_slice text)
{
    static const char *const units[] = {"byte", "KiB", "MiB", "GiB"};
    double number = first_number(text), scale = 1;
    tkf_field(&text);
    struct tkf_slice unit = tkf_field(&text);
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++, scale *= 1024) {
        if (tkf_slice_starts(unit, units[i]))
            return number * scale;
    }
    return NAN;
}

static void take_allocs(struct console *console, struct tkf_slice value)
{
    tkf_cut(value, ".", &value, NULL);
    console->row.allocs = first_number(value);
}

static void take_memory(struct console *console, struct tkf_slice value)
{
    struct tkf_slice allocs;
    console->row.alloc_bytes = bytes_of(value);
    if (tkf_cut(value, "allocs estimate:", NULL, &allocs))
        take_allocs(console, allocs);
}

static const struct {
    const char *key;
    void (*take)(struct console *console, struct tkf_slice value);
} lines[] = {
    {"Range (min \xe2\x80\xa6 max):", take_range},
    {"Time  (median):", take_median},
    {"Time  (mean \xc2\xb1 \xcf\x83):", take_mean},
    {"Memory estimate:", take_memory},
    {"minimum time:", take_minimum},
    {"median time:", take_median},
    {"mean time:", take_mean},
    {"maximum time:", take_maximum},
    {"time:", take_mean}, /* of an estimate, whichever it is */
    {"memory estimate:", take_memory},
    {"allocs estimate:", take_allocs},
    {"samples:", take_samples},
    {"evals/sample:", take_evals},
};

static bool take_block_line(struct console *console, struct tkf_slice line)
{
    struct tkf_slice value;
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        if (tkf_slice_starts(line, lines[i].key)) {
            tkf_cut(line, ":", NULL, &value);
            if (console->has_row)
                lines[i].take(console, value);
            return true;
        }
    }
    return false;
}

/* "BenchmarkTools.Trial: 10000 samples with 1000 evaluations." */
static bool take_block_begin(struct console *console, unsigned number, struct tkf_slice line)
{
    struct tkf_slice rest;
    if (!tkf_cut(line, "BenchmarkTools.Trial", NULL, &rest))
        return false;
    begin_row(console, number);
    console->row.name = next_name(console);
    if (tkf_cut(rest, ":", NULL, &rest))
        console->samples = first_number(rest);
    if (tkf_cut(rest, " with ", NULL, &rest))
        console->evals = first_number(rest);
    return true;
}

/* ---- "  0.019 ns (0 allocations: 0 bytes)" ---- */

static bool take_btime(struct console *console, unsigned number, struct tkf_slice line)
{
    struct tkf_slice time, allocs, bytes;
    double ns, quantum_ns;
    if (!tkf_cut(line, " (", &time, &allocs) || !tkf_cut(allocs, " allocation", NULL, NULL) ||
        !tkf_whole_time(time, &ns, &quantum_ns))
        return false;
    begin_row(console, number);
    console->row.name = next_name(console);
    console->row.ns = ns;
    console->row.quantum_ns = quantum_ns;
    console->row.statistic = TKF_STATISTIC_MIN;
    console->row.allocs = first_number(allocs);
    if (tkf_cut(allocs, ": ", NULL, &bytes))
        console->row.alloc_bytes = bytes_of(bytes);
    flush(console);
    return true;
}

/* ---- groups: the indentation tells what is in what ---- */

static const char *path_at(struct console *console, size_t indent)
{
    while (console->depth > 0 && console->groups[console->depth - 1].indent >= indent)
        console->depth--;
    if (console->depth > 0)
        return console->groups[console->depth - 1].path;
    return console->heading ? console->heading : "";
}

/* Columns, as a tab is wider than the blanks in front of a group. */
static size_t indent_of(const struct tkf_line *line)
{
    size_t columns = 0;
    for (const char *at = line->text; *at == ' ' || *at == '\t'; at++)
        columns = *at == '\t' ? (columns / 8 + 1) * 8 : columns + 1;
    return columns;
}

static bool take_member(struct console *console, const struct tkf_line *line, struct tkf_slice text)
{
    struct tkf_slice key, value, time;
    if (!tkf_cut_last(text, " => ", &key, &value))
        return false;
    size_t indent = indent_of(line);
    const char *path = path_at(console, indent);
    struct tkf_slice name = tkf_unwrap(tkf_trim(key), '"', '"');
    if (tkf_cut(value, "BenchmarkGroup", NULL, NULL)) {
        if (console->depth < DEPTH_MAX) {
            console->groups[console->depth].indent = indent;
            console->groups[console->depth++].path = tkf_keepf(
                console->run.sink, "%s%s%.*s", path, *path ? "/" : "", (int)name.length, name.text);
        }
        return true;
    }
    if (!tkf_slice_starts(value, "Trial"))
        return false;
    begin_row(console, line->number);
    console->row.group = path;
    console->row.name = tkf_keep(console->run.sink, name);
    console->row.statistic = TKF_STATISTIC_MIN;
    if (tkf_cut(value, "(", NULL, &time) && tkf_cut(time, ")", &time, NULL))
        tkf_whole_time(time, &console->row.ns, &console->row.quantum_ns);
    flush(console);
    return true;
}

/* ---- lines ---- */

static void take_line(struct console *console, const struct tkf_line *line)
{
    struct tkf_slice after, text = tkf_line_text(line);
    if (tkf_slice_starts(text, "julia> ")) {
        flush(console);
        tkf_cut(text, "julia> ", NULL, &after);
        console->prompt = tkf_keep(console->run.sink, tkf_trim(after));
        console->noutputs = 0;
    } else if (tkf_slice_starts(text, "## ")) {
        console->heading =
            tkf_keepf(console->run.sink, "%.*s", (int)text.length - 3, text.text + 3);
        console->depth = 0;
    } else if (!take_block_begin(console, line->number, text) && !take_block_line(console, text) &&
               !take_btime(console, line->number, text)) {
        take_member(console, line, text);
    }
}

static int read(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    struct tkf_line line;
    struct console console = {.samples = NAN, .evals = NAN};
    (void)ret_error;
    tkf_run_begin(&console.run, sink, "benchmarktools");
    while (tkf_input_line(in, &line))
        take_line(&console, &line);
    flush(&console);
    return 0;
}

const struct tkf_reader tkf_reader_julia_text = {
    .name = "julia-text",
    .text = "output of BenchmarkTools",
    .recognise = recognise,
    .read = read,
};
