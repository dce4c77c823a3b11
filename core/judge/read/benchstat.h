/* SPDX-License-Identifier: MIT */
/** What benchstat's text and CSV have in common: a table for each unit, a column for each input file. */
#ifndef TKF_READ_BENCHSTAT_H
#define TKF_READ_BENCHSTAT_H

#include "../reader.h"

#define TKF_BENCHSTAT_COLUMNS_MAX 32

/** The columns of a file are runs of their own: each has an origin. */
struct tkf_benchstat {
    struct tkf_sink *sink;
    const char *goos, *goarch, *cpu, *pkg;
    struct tkf_benchstat_column {
        const char *label; /* the input file's name */
        struct tkf_origin *origin;
    } columns[TKF_BENCHSTAT_COLUMNS_MAX];
    unsigned ncolumns;
};

/** One cell. */
struct tkf_benchstat_cell {
    struct tkf_slice name;
    struct tkf_slice unit; /* of the table: "sec/op" */
    double value, quantum; /* in that unit */
    double percent;        /* half the interval, NAN */
    unsigned n;            /* runs behind it, 0 when unknown */
};

/** "goos: linux" and its like; false when the line is none. */
bool tkf_benchstat_config(struct tkf_benchstat *benchstat, struct tkf_slice line);

/** Keep a cell of the column with that label. */
void tkf_benchstat_add(struct tkf_benchstat *benchstat, struct tkf_slice label, unsigned line,
                       const struct tkf_benchstat_cell *cell);

#endif
