/* SPDX-License-Identifier: MIT */

#include "../reader.h"

/**
 * What the readers of JMH's formats share: scores to times, secondary metrics to the row they
 * belong to, one origin for each mode.
 *
 * A file has the benchmarks in the order of their names, so that modes alternate; rows are gathered
 * and given to the sink mode by mode.
 */
#ifndef TKF_READ_JMH_H
#define TKF_READ_JMH_H

/** A score as JMH states it. */
struct tkf_jmh_score {
    double value;          /**< NAN: there is none */
    double quantum;        /**< of the value's last digit; 0 is exact */
    double lo, hi;         /**< NAN */
    struct tkf_slice unit; /**< "ns/op", "ops/s" */
};

/** A benchmark's row while it is gathered. */
struct tkf_jmh_row {
    const char *mode; /**< "avgt" */
    struct tkf_result result;
};

struct tkf_jmh_rows {
    struct tkf_sink *sink;
    struct tkf_jmh_row *row;
    size_t count, capacity;
    const char *version; /**< for the origins, NULL */
};

/** "avgt", "thrpt", "sample" or "ss". */
bool tkf_jmh_is_mode(struct tkf_slice mode);

/**
 * Gather a row.
 *
 * @param params   "dim = 100, lib = ACM"; "" without.
 * @param threads  that a throughput is the sum of, NAN when unknown.
 * @return the row, for what else is known of it, valid until the next call; NULL when it was a
 *         secondary metric, now with its benchmark, or could not be kept, which is a notice.
 */
struct tkf_result *tkf_jmh_add(struct tkf_jmh_rows *rows, unsigned line, struct tkf_slice name,
                               const char *params, struct tkf_slice mode, double threads,
                               const struct tkf_jmh_score *score);

/**
 * A secondary metric of a row: allocations, instructions and cycles have their fields, percentiles
 * 0 and 100 are its extremes.
 */
void tkf_jmh_secondary(struct tkf_jmh_rows *rows, struct tkf_result *row, struct tkf_slice label,
                       const struct tkf_jmh_score *score);

/** ns of one operation for a score of that unit; NAN when it is no time. */
double tkf_jmh_ns(double score, struct tkf_slice unit, double threads);

/** Give all rows to the sink and free them. */
void tkf_jmh_end(struct tkf_jmh_rows *rows);

/** A number as the locale of the run writes it. Groups are not printed: a comma is the decimal sign. */
bool tkf_jmh_number(struct tkf_slice text, double *ret_value, double *ret_quantum);

#endif
