/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../grow.h"
#include "jmh.h"
#include "keep.h"
#include "row.h"

static const struct {
    const char *name;
    enum tkf_timing timing;
} modes[] = {
    {"thrpt", TKF_TIMING_BATCHED},
    {"avgt", TKF_TIMING_BATCHED},
    {"sample", TKF_TIMING_EACH_CALL},
    {"ss", TKF_TIMING_EACH_CALL},
};

/* A benchmark's secondary metrics come right after it, with those of its other modes at most. */
#define NEAR 64

#define NMODES (sizeof(modes) / sizeof(*modes))

bool tkf_jmh_is_mode(struct tkf_slice mode)
{
    for (size_t i = 0; i < NMODES; i++) {
        if (tkf_slice_is(mode, modes[i].name))
            return true;
    }
    return false;
}

/* "ns/op", "ops/s", and "# / s" of another producer. @return false when it is neither. */
static bool read_unit(struct tkf_slice unit, bool *ret_rate, double *ret_ns)
{
    const char *slash = tkf_slice_find(unit, "/");
    if (!slash)
        return false;
    struct tkf_slice above = tkf_trim(tkf_slice_until(unit, slash));
    struct tkf_slice below = tkf_trim(tkf_slice_from(unit, slash + 1));
    if (tkf_slice_is(below, "op")) {
        *ret_rate = false;
        return tkf_time_unit(above, ret_ns);
    }
    *ret_rate = true;
    return (tkf_slice_is(above, "ops") || tkf_slice_is(above, "#")) && tkf_time_unit(below, ret_ns);
}

double tkf_jmh_ns(double score, struct tkf_slice unit, double threads)
{
    bool rate;
    double unit_ns;
    if (!read_unit(unit, &rate, &unit_ns))
        return NAN;
    if (!rate)
        return score * unit_ns;
    return score > 0 ? unit_ns * (isnan(threads) ? 1 : threads) / score : NAN;
}

static void fill_times(struct tkf_result *row, const struct tkf_jmh_score *score)
{
    bool rate;
    double unit_ns;
    read_unit(score->unit, &rate, &unit_ns);
    row->ns = tkf_jmh_ns(score->value, score->unit, row->threads);
    row->ns_lo = tkf_jmh_ns(rate ? score->hi : score->lo, score->unit, row->threads);
    row->ns_hi = tkf_jmh_ns(rate ? score->lo : score->hi, score->unit, row->threads);
    row->quantum_ns = rate ? row->ns * score->quantum / score->value : score->quantum * unit_ns;
    row->time_missing = rate && score->value == 0;
}

static struct tkf_result *find(struct tkf_jmh_rows *rows, const char *name, const char *mode)
{
    size_t end = rows->count > NEAR ? rows->count - NEAR : 0;
    for (size_t i = rows->count; i-- > end;) {
        if (rows->row[i].mode == mode && rows->row[i].result.name == name)
            return &rows->row[i].result;
    }
    return NULL;
}

static struct tkf_jmh_row *next_row(struct tkf_jmh_rows *rows)
{
    struct tkf_jmh_row *row = tkf_grow(rows->row, rows->count, &rows->capacity, sizeof(*row));
    if (!row)
        return NULL;
    rows->row = row;
    return row + rows->count++;
}

static const char *full_name(struct tkf_jmh_rows *rows, struct tkf_slice name, const char *params)
{
    return *params ? tkf_keepf(rows->sink, "%.*s (%s)", (int)name.length, name.text, params)
                   : tkf_keep(rows->sink, name);
}

struct tkf_result *tkf_jmh_add(struct tkf_jmh_rows *rows, unsigned line, struct tkf_slice name,
                               const char *params, struct tkf_slice mode, double threads,
                               const struct tkf_jmh_score *score)
{
    const char *mode_text = tkf_keep(rows->sink, mode);
    const char *colon = tkf_slice_find(name, ":");
    if (colon) {
        const char *main_name = full_name(rows, tkf_slice_until(name, colon), params);
        struct tkf_result *row = find(rows, main_name, mode_text);
        if (row)
            tkf_jmh_secondary(rows, row, tkf_slice_from(name, colon + 1), score);
        else
            tkf_sink_notice(rows->sink, line, "%.*s belongs to no benchmark above it",
                            (int)name.length, name.text);
        return NULL;
    }
    bool rate;
    double unit_ns;
    if (!read_unit(score->unit, &rate, &unit_ns)) {
        tkf_sink_notice(rows->sink, line, "%.*s is in %.*s, which is no time of an operation",
                        (int)name.length, name.text, (int)score->unit.length, score->unit.text);
        return NULL;
    }
    struct tkf_jmh_row *row = next_row(rows);
    if (!row) {
        tkf_sink_notice(rows->sink, line, "out of memory: %.*s is lost", (int)name.length,
                        name.text);
        return NULL;
    }
    row->mode = mode_text;
    row->result = tkf_sink_row(rows->sink, line);
    row->result.name = full_name(rows, name, params);
    row->result.threads = threads > 0 ? threads : NAN;
    row->result.statistic = TKF_STATISTIC_MEAN;
    fill_times(&row->result, score);
    row->result.failed = isnan(score->value);
    return &row->result;
}

/* A label without the middle dot that JMH put before those of profilers until 1.36. */
static struct tkf_slice plain(struct tkf_slice label)
{
    static const char dot[] = "\xc2\xb7";
    const char *at = tkf_slice_find(label, dot);
    return at ? tkf_slice_from(label, at + strlen(dot)) : label;
}

void tkf_jmh_secondary(struct tkf_jmh_rows *rows, struct tkf_result *row, struct tkf_slice label,
                       const struct tkf_jmh_score *score)
{
    struct tkf_slice what = plain(label);
    if (isnan(score->value))
        return;
    if (tkf_slice_is(what, "gc.alloc.rate.norm")) {
        row->alloc_bytes = score->value;
    } else if (tkf_slice_is(what, "instructions") || tkf_slice_is(what, "instructions:u")) {
        row->instructions = score->value;
    } else if (tkf_slice_is(what, "cycles") || tkf_slice_is(what, "cycles:u")) {
        row->cycles = score->value;
    } else if (tkf_slice_is(what, "p0.00")) {
        row->min_ns = tkf_jmh_ns(score->value, score->unit, row->threads);
    } else if (tkf_slice_is(what, "p1.00")) {
        row->max_ns = tkf_jmh_ns(score->value, score->unit, row->threads);
    } else {
        tkf_row_metric(rows->sink, row,
                       tkf_keepf(rows->sink, "%.*s %.*s", (int)what.length, what.text,
                                 (int)score->unit.length, score->unit.text),
                       score->value);
    }
}

static void add_mode(struct tkf_jmh_rows *rows, const char *mode)
{
    enum tkf_timing timing = TKF_TIMING_UNKNOWN; /* of another producer's */
    for (size_t i = 0; i < NMODES; i++) {
        if (!strcmp(mode, modes[i].name))
            timing = modes[i].timing;
    }
    tkf_sink_origin(rows->sink, "jmh", timing)->version = rows->version;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->row[i].mode != mode)
            continue;
        tkf_sink_add(rows->sink, &rows->row[i].result);
        rows->row[i].mode = NULL;
    }
}

void tkf_jmh_end(struct tkf_jmh_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->row[i].mode)
            add_mode(rows, rows->row[i].mode);
    }
    free(rows->row);
}

bool tkf_jmh_number(struct tkf_slice text, double *ret_value, double *ret_quantum)
{
    enum tkf_number_style style = tkf_slice_find(text, ",") ? TKF_NUMBER_COMMA : TKF_NUMBER_POINT;
    return tkf_number(text, style, ret_value, ret_quantum);
}
