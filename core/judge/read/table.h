/* SPDX-License-Identifier: MIT */
/**
 * Lines of tables, split into cells: comma-separated values, and tables drawn with bars.
 *
 * Lifetime: cells of comma-separated values point into *csv* and last till the next line; all others
 * point into the line.
 */
#ifndef TKF_READ_TABLE_H
#define TKF_READ_TABLE_H

#include "slice.h"

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

/** The cell of a column; empty when the line has none there, as at -1 and SIZE_MAX. */
struct tkf_slice tkf_csv_cell(const struct tkf_csv *csv, size_t column);

/** The separator of a line: the one of ; tab , that is there, outside quotes; '\0' when none is. */
char tkf_csv_separator(const char *text, size_t length);

void tkf_csv_free(struct tkf_csv *csv);

/**
 * Split a row of a table drawn with `|`, with or without one at its ends; `||` counts as one, `\|`
 * is part of a cell.
 */
void tkf_csv_split_bars(struct tkf_csv *csv, struct tkf_slice line);

/**
 * The next cell of a table's row, trimmed, up to '|' or a box character, advancing *rest; false at
 * the end.
 */
bool tkf_cell(struct tkf_slice *rest, struct tkf_slice *ret_cell);

#endif
