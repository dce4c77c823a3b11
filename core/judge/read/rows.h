/* SPDX-License-Identifier: MIT */
/**
 * What several readers need to turn text and JSON into rows.
 *
 * Lifetime: slices point into what they were cut from. Nothing here keeps a pointer but where it
 * says so.
 */
#ifndef TKF_ROWS_H
#define TKF_ROWS_H

#include "../reader.h"

/* ---- recognising ---- */

/** A list of strings ended by NULL. */
#define TKF_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/** Whether all of the words stand somewhere in the head. */
bool tkf_head_has(const char *head, const char *const *words);

/** Whether the first character that is no blank is this bracket. */
bool tkf_head_opens(const char *head, char bracket);

/* ---- origins ---- */

/**
 * One run of a framework: an origin for each way in which it timed, all with the facts that the
 * file states.
 */
struct tkf_run {
    struct tkf_sink *sink;
    struct tkf_origin
        facts; /**< cpu, os, arch, version, core_hz, timer_step_ns and cpus go into each origin */
    struct tkf_origin *timed[TKF_TIMING_PROCESS + 1];
};

void tkf_run_begin(struct tkf_run *run, struct tkf_sink *sink, const char *framework);

/**
 * Rows from here on are timed so: begin the origin for it, or go on with it. What the file says of
 * it alone may be filled in.
 */
struct tkf_origin *tkf_run_timed(struct tkf_run *run, enum tkf_timing timing);

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
void tkf_row_json_samples(struct tkf_result *row, const json_t *array, double scale);

/**
 * As tkf_row_json_samples(), and `ns` their median, the interval their middle half, with the least
 * and the largest.
 * @return how many numbers there were; 0 too when out of memory, with a notice.
 */
size_t tkf_row_distribution(struct tkf_sink *sink, struct tkf_result *row, const json_t *array,
                            double scale);

/**
 * `ns` and its quantum from operations per second and what one unit of their last digit is worth.
 */
void tkf_row_rate(struct tkf_result *row, double per_second, double quantum);

/** The interval as `ns` and so much to both sides of it. */
void tkf_row_spread(struct tkf_result *row, double ns);

/**
 * Keep a row, without bounds that make no sense; one that has no time, and is not known to have
 * failed, becomes a notice.
 */
void tkf_row_give(struct tkf_sink *sink, struct tkf_result *row);

/* ---- text ---- */

struct tkf_slice tkf_slice_of(const char *text);
struct tkf_slice tkf_line_slice(const struct tkf_line *line);

/**
 * Without the mark of a comment or a quotation that it begins with: results are pasted into sources
 * and letters.
 */
struct tkf_slice tkf_uncomment(struct tkf_slice slice);

/** A line's text without that and without the blanks at both ends. */
struct tkf_slice tkf_line_text(const struct tkf_line *line);

/** Without the blanks at both ends. */
struct tkf_slice tkf_trim(struct tkf_slice slice);

/** Without a pair of these characters round it, if it has them. */
struct tkf_slice tkf_unwrap(struct tkf_slice slice, char open, char close);

/** Cut at the first place of a text, which is in neither part. Outputs may be NULL. */
bool tkf_cut(struct tkf_slice slice, const char *at, struct tkf_slice *ret_before,
             struct tkf_slice *ret_after);

/** As tkf_cut(), at the last place. */
bool tkf_cut_last(struct tkf_slice slice, const char *at, struct tkf_slice *ret_before,
                  struct tkf_slice *ret_after);

/** The last field separated by blanks, taken off the end of *rest; empty when there is none. */
struct tkf_slice tkf_last_field(struct tkf_slice *rest);

/** Cut at the sign of a spread: ± in any of its encodings, +/-, +-. Both parts trimmed. */
bool tkf_cut_spread(struct tkf_slice slice, struct tkf_slice *ret_value,
                    struct tkf_slice *ret_spread);

/** A time with its unit that fills the slice. ret_quantum_ns may be NULL. */
bool tkf_whole_time(struct tkf_slice slice, double *ret_ns, double *ret_quantum_ns);

/** "0.6 ms … 0.9 ms"; what follows the second time is not looked at. */
bool tkf_time_range(struct tkf_slice slice, double *ret_min_ns, double *ret_max_ns);

/**
 * The next cell of a table's row, trimmed, up to '|' or a box character, advancing *rest; false at
 * the end.
 */
bool tkf_cell(struct tkf_slice *rest, struct tkf_slice *ret_cell);

/**
 * Keep a slice in the sink; or text in the manner of printf, of which what is too long for a name
 * is cut off.
 */
const char *tkf_keep(struct tkf_sink *sink, struct tkf_slice slice);
const char *tkf_keepf(struct tkf_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- JSON ---- */

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

#endif
