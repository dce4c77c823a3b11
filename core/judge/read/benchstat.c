/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "benchstat.h"
#include "keep.h"

bool tkf_benchstat_config(struct tkf_benchstat *benchstat, struct tkf_slice line)
{
    const struct {
        const char *key;
        const char **value;
    } keys[] = {{"goos:", &benchstat->goos},
                {"goarch:", &benchstat->goarch},
                {"cpu:", &benchstat->cpu},
                {"pkg:", &benchstat->pkg}};
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        if (!tkf_slice_starts(line, keys[i].key))
            continue;
        size_t skip = strlen(keys[i].key);
        while (skip < line.length && line.text[skip] == ' ')
            skip++;
        const char *value = tkf_sink_text(benchstat->sink, line.text + skip, line.length - skip);
        if (value != *keys[i].value && keys[i].value != &benchstat->pkg)
            benchstat->ncolumns = 0; /* what follows is of another machine */
        *keys[i].value = value;
        return true;
    }
    return false;
}

/* The column's origin becomes the sink's; NULL when there are too many columns. */
static const struct tkf_benchstat_column *choose_column(struct tkf_benchstat *benchstat,
                                                        struct tkf_slice label)
{
    const char *kept = tkf_keep(benchstat->sink, label);
    for (unsigned i = 0; i < benchstat->ncolumns; i++) {
        if (benchstat->columns[i].label == kept) {
            tkf_sink_choose(benchstat->sink, benchstat->columns[i].origin);
            return &benchstat->columns[i];
        }
    }
    if (benchstat->ncolumns == TKF_BENCHSTAT_COLUMNS_MAX)
        return NULL;
    struct tkf_benchstat_column *column = &benchstat->columns[benchstat->ncolumns++];
    column->label = kept;
    column->origin = tkf_sink_origin(benchstat->sink, "benchstat", TKF_TIMING_BATCHED);
    column->origin->os = benchstat->goos;
    column->origin->arch = benchstat->goarch;
    column->origin->cpu = benchstat->cpu;
    return column;
}

/* Ns in one of the table's unit; 0 when it is no time of one operation. */
static double time_unit(struct tkf_slice unit)
{
    static const struct {
        const char *unit;
        double ns;
    } times[] = {{"sec/op", 1e9}, {"ns/op", 1}, {"time/op", 1}};
    for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
        if (tkf_slice_is(unit, times[i].unit))
            return times[i].ns;
    }
    return 0;
}

void tkf_benchstat_add(struct tkf_benchstat *benchstat, struct tkf_slice label, unsigned line,
                       const struct tkf_benchstat_cell *cell)
{
    const struct tkf_benchstat_column *column = choose_column(benchstat, label);
    if (!column) {
        tkf_sink_notice(benchstat->sink, line, "more than %u columns: the rest is not read",
                        TKF_BENCHSTAT_COLUMNS_MAX);
        return;
    }
    struct tkf_result row = tkf_sink_row(benchstat->sink, line);
    row.name = tkf_keep(benchstat->sink, cell->name);
    row.group = benchstat->pkg ? benchstat->pkg : "";
    row.remark = *column->label ? column->label : NULL;
    double ns = time_unit(cell->unit);
    if (ns > 0) {
        double half = cell->percent / 100;
        row.ns = cell->value * ns;
        row.quantum_ns = cell->quantum * ns;
        row.ns_lo = row.ns * (1 - half);
        row.ns_hi = row.ns * (1 + half);
        row.statistic = TKF_STATISTIC_MEDIAN;
        row.repetitions = cell->n > 0 ? cell->n : 1;
    } else {
        row.repetitions = 0; /* it says more of the same runs */
        if (tkf_slice_is(cell->unit, "B/op") || tkf_slice_is(cell->unit, "alloc/op"))
            row.alloc_bytes = cell->value;
        else if (tkf_slice_is(cell->unit, "allocs/op"))
            row.allocs = cell->value;
        else if (tkf_slice_is(cell->unit, "B/s") || tkf_slice_is(cell->unit, "speed"))
            row.bytes_per_second = cell->value;
        else
            tkf_row_metric(benchstat->sink, &row, tkf_keep(benchstat->sink, cell->unit),
                           cell->value);
    }
    tkf_sink_add(benchstat->sink, &row);
}
