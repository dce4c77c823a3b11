/* SPDX-License-Identifier: MIT */
/**
 * What readers share in making rows and in splitting lines into cells.
 */
#ifndef TKF_READ_ROW_H
#define TKF_READ_ROW_H

#include "csv.h"

/** printf into a string that the sink keeps. "" when out of memory. */
const char *tkf_row_text(struct tkf_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** A text that grows, for names made of many pieces. Zero it first, end it with tkf_built(). */
struct tkf_builder {
    FILE *out;
    char *text;
    size_t length;
};

/** Append, printf-like. */
void tkf_build(struct tkf_builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** The whole text, kept by the sink; "" when nothing was appended or out of memory. */
const char *tkf_built(struct tkf_builder *builder, struct tkf_sink *sink);

/**
 * Give a row its samples: their ns of one operation, the smallest and largest of them, and the
 * iterations and time of the longest.
 *
 * @param iterations  [count] of each sample; those of 0 are passed over.
 * @param times_ns    [count] all iterations of a sample.
 */
void tkf_row_samples(struct tkf_result *row, const double *iterations, const double *times_ns,
                     size_t count);

/**
 * One sample's ns of one operation, into the smallest and largest as well. NAN and infinity are
 * passed over.
 */
void tkf_row_value(struct tkf_result *row, double ns);

/** Add to a row's metrics; those past TKF_METRICS_MAX are left out. */
void tkf_row_metric(struct tkf_result *row, const char *unit, double value);

/** A slice of a string. */
struct tkf_slice tkf_slice(const char *text);

/** Without the blanks (space, tab) at both ends. */
struct tkf_slice tkf_slice_trim(struct tkf_slice slice);

/** Where *what* begins in the slice; NULL when it is not in it. */
const char *tkf_slice_find(struct tkf_slice slice, const char *what);

/** All before *end*, a place in the slice. */
struct tkf_slice tkf_slice_until(struct tkf_slice slice, const char *end);

/** All from *start*, a place in the slice, on. */
struct tkf_slice tkf_slice_from(struct tkf_slice slice, const char *start);

/** How often *what* is in the head of an input; stops counting at *most*. */
unsigned tkf_head_count(const char *head, const char *what, unsigned most);

/** The first character of the head that is not blank or a line's end; 0 in an empty one. */
char tkf_head_first(const char *head);

/**
 * One line as a JSON object, as formats of one object for each line have it; NULL, with a notice
 * if it looks like one.
 */
json_t *tkf_json_line_load(struct tkf_sink *sink, const struct tkf_line *line);

/**
 * The numbers of an array; those that are none are left out. @return how many; *ret_numbers is the
 * caller's to free.
 */
size_t tkf_json_numbers(const json_t *array, double **ret_numbers);

/**
 * Split a row of a table drawn with `|`, with or without one at its ends; `||` counts as one, `\|`
 * is part of a cell. The cells point into the line.
 */
void tkf_csv_split_bars(struct tkf_csv *csv, struct tkf_slice line);

#endif
