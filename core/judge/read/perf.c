/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "keep.h"
#include "perf.h"
#include "row.h"

void tkf_perf_begin(struct tkf_perf *perf, const char *name, unsigned line)
{
    tkf_perf_end(perf);
    perf->open = true;
    perf->wall_ns = perf->task_clock_ns = (struct tkf_perf_count){NAN, NAN, NAN};
    perf->row = tkf_sink_row(perf->sink, line);
    perf->row.name = name;
    perf->row.batch = 1;
}

/*
 * "cycles", "cycles:u", "cpu_core/cycles/u": but a hybrid machine counts on each kind of core, and
 * neither is all.
 */
static bool is_event(struct tkf_slice event, const char *name)
{
    size_t length = strlen(name);
    return tkf_slice_starts(event, name) && (event.length == length || event.text[length] == ':');
}

static struct tkf_perf_count in_ns(struct tkf_perf_count count, double unit_ns)
{
    return (struct tkf_perf_count){count.value * unit_ns, count.quantum * unit_ns, count.spread};
}

void tkf_perf_event(struct tkf_perf *perf, struct tkf_slice event, struct tkf_slice unit,
                    struct tkf_perf_count count)
{
    struct tkf_result *row = &perf->row;
    double unit_ns;
    bool time = tkf_time_unit(unit, &unit_ns);
    if (time && is_event(event, "duration_time")) {
        perf->wall_ns = in_ns(count, unit_ns);
    } else if (time && (is_event(event, "task-clock") || is_event(event, "cpu-clock"))) {
        perf->task_clock_ns = in_ns(count, unit_ns);
    } else if (is_event(event, "instructions")) {
        row->instructions = count.value;
    } else if (is_event(event, "cycles") || is_event(event, "cpu-cycles")) {
        row->cycles = count.value;
    } else {
        tkf_row_metric(perf->sink, row, tkf_keep(perf->sink, event), count.value);
    }
}

void tkf_perf_end(struct tkf_perf *perf)
{
    struct tkf_result *row = &perf->row;
    if (!perf->open)
        return;
    perf->open = false;
    struct tkf_perf_count time_ns =
        isnan(perf->wall_ns.value) ? perf->task_clock_ns : perf->wall_ns;
    row->wall_ns = perf->wall_ns.value;
    if (isnan(row->cpu_ns))
        row->cpu_ns = perf->task_clock_ns.value;
    row->ns = time_ns.value;
    row->quantum_ns = time_ns.quantum;
    tkf_row_spread(row, time_ns.value * time_ns.spread);
    row->statistic = isnan(time_ns.spread) ? TKF_STATISTIC_UNKNOWN : TKF_STATISTIC_MEAN;
    if (isnan(row->ns))
        tkf_sink_notice(perf->sink, row->line, "%s: neither its elapsed time nor its task-clock",
                        row->name);
    else
        tkf_sink_add(perf->sink, row);
}

bool tkf_perf_not_counted(struct tkf_slice value)
{
    return tkf_slice_starts(value, "<not ");
}
