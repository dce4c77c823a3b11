/* SPDX-License-Identifier: MIT */
/** Walking through documents and lines of JSON, and taking rows out of them. */
#ifndef TKF_READ_JSON_WALK_H
#define TKF_READ_JSON_WALK_H

#include "row.h"

/** What a JSON reader works with. */
struct tkf_json {
    struct tkf_input *in;
    struct tkf_sink *sink;
    const json_t *root;
    json_t *counts; /**< how often tkf_json_next_line() was asked for each value */
    struct tkf_run run;
};

/** A member that is a string, kept in the sink; NULL otherwise. */
const char *tkf_json_keep(struct tkf_sink *sink, const json_t *object, const char *key);

/** Load the input and hand it to *take*. Errors as those of struct tkf_reader's read. */
int tkf_json_take(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error,
                  void (*take)(struct tkf_json *json));

/**
 * Line of the object in which the key has this value: of the first such object, when asked again of
 * the second, ...
 */
unsigned tkf_json_next_line(struct tkf_json *json, const char *key, const char *value);

/**
 * Call *visit* for each object, outer ones first, until it says true: then what is within that one
 * is left out.
 * @param key  the nearest member in which the value is, "" at the top.
 */
void tkf_json_walk(struct tkf_json *json, const json_t *value, const char *key,
                   bool (*visit)(struct tkf_json *json, const json_t *object, const char *key));

/**
 * One line as a JSON object, as formats of one object for each line have it; NULL, with a notice
 * if it looks like one.
 */
json_t *tkf_json_line_load(struct tkf_sink *sink, const struct tkf_line *line);

/** Whether a member is a string and this one. */
bool tkf_json_is(const json_t *object, const char *key, const char *text);

/**
 * The numbers of an array; those that are none are left out. @return how many; *ret_numbers is the
 * caller's to free.
 */
size_t tkf_json_numbers(const json_t *array, double **ret_numbers);

/* ---- rows ---- */

/** Where a member of a JSON object goes; in a table that ends with a NULL key. */
struct tkf_member {
    const char *key;
    size_t field;                 /**< offsetof() a double of struct tkf_result */
    double scale;                 /**< what it is multiplied by */
    enum tkf_statistic statistic; /**< what `ns` is when it comes from here */
};

/**
 * Fill the fields that are unknown yet: of several members for one field the first that is a number
 * counts.
 */
void tkf_row_members(struct tkf_result *row, const json_t *object,
                     const struct tkf_member *members);

/** The numbers of an array, scaled, as samples; other values are passed over. */
void tkf_row_json_samples(struct tkf_sink *sink, struct tkf_result *row, const json_t *array,
                          double scale);

/**
 * As tkf_row_json_samples(), and `ns` their median, the interval their middle half, with the least
 * and the largest.
 * @return how many numbers there were; 0 too when out of memory, with a notice.
 */
size_t tkf_row_distribution(struct tkf_sink *sink, struct tkf_result *row, const json_t *array,
                            double scale);

#endif
