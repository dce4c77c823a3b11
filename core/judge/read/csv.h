/* SPDX-License-Identifier: MIT */
/** A line of comma-separated values, for every reader of such. */
#ifndef TKF_READ_CSV_H
#define TKF_READ_CSV_H

#include "../reader.h"

#define TKF_CSV_CELLS_MAX 256

/** Zeroed at first; end with tkf_csv_free(). */
struct tkf_csv {
    struct tkf_slice
        cells[TKF_CSV_CELLS_MAX]; /* quotes undone, blanks round them removed; till the next line */
    unsigned ncells;
    char *buffer;
    size_t size;
};

/** Split a line at *separator*, but for those in double quotes. Cells beyond the limit are dropped. False when out of memory. */
bool tkf_csv_split(struct tkf_csv *csv, const char *text, size_t length, char separator);

/** The column that a header names so; -1 when it names none. */
int tkf_csv_column(const struct tkf_csv *header, const char *name);

/** The cell of a column; empty when the line has no such column, as for -1. */
struct tkf_slice tkf_csv_cell(const struct tkf_csv *csv, int column);

/** The separator of a line: the one of ; tab , that is there, outside quotes; '\0' when none is. */
char tkf_csv_separator(const char *text, size_t length);

void tkf_csv_free(struct tkf_csv *csv);

#endif
