/* SPDX-License-Identifier: MIT */
/** What rows and their origins are made of. */
#ifndef TKF_READ_ROW_H
#define TKF_READ_ROW_H

#include "slice.h"

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

/* ---- samples ---- */

/**
 * One sample's ns of one operation, into the smallest and largest as well. NAN and infinity are
 * passed over.
 */
void tkf_row_value(struct tkf_sink *sink, struct tkf_result *row, double ns);

/**
 * Give a row its samples: their ns of one operation, the smallest and largest of them, and the
 * iterations and time of the longest.
 *
 * @param iterations  [count] of each sample; those of 0 are passed over.
 * @param times_ns    [count] all iterations of a sample.
 */
void tkf_row_samples(struct tkf_sink *sink, struct tkf_result *row, const double *iterations,
                     const double *times_ns, size_t count);

/* ---- the rest of a row ---- */

/**
 * `ns` and its quantum from operations per second and what one unit of their last digit is worth.
 */
void tkf_row_rate(struct tkf_result *row, double per_second, double quantum);

/** The interval as `ns` and so much to both sides of it, whatever its sign; NAN leaves it unknown. */
void tkf_row_spread(struct tkf_result *row, double ns);

/**
 * `ns`, its quantum and its interval from a value in units of *unit_ns*: "40.50 ± 0.55", the spread in
 * the same units, "40.50 ± 1.36%" or "40.50". Nothing when it is no number.
 */
void tkf_row_value_spread(struct tkf_result *row, struct tkf_slice value, double unit_ns,
                          enum tkf_statistic statistic);

/**
 * Keep a row, without bounds that make no sense; one that has no time, and is not known to have
 * failed, becomes a notice.
 */
void tkf_row_give(struct tkf_sink *sink, struct tkf_result *row);

/** Say of a line that it looks like a result and cannot be read. */
void tkf_notice_unread(struct tkf_sink *sink, unsigned line, struct tkf_slice text);

#endif
