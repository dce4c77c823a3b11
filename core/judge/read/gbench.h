/* SPDX-License-Identifier: MIT */
/**
 * What the three outputs of Google Benchmark share: which of its two times is the one to judge,
 * and that the rows of aggregates belong to the run whose repetitions they sum up.
 */
#ifndef TKF_GBENCH_H
#define TKF_GBENCH_H

#include "../reader.h"

/** Whether the output says what a row is. */
enum tkf_gbench_kind {
    TKF_GBENCH_BY_NAME, /**< it does not: a name that ends in _mean may be an aggregate */
    TKF_GBENCH_ITERATION,
    TKF_GBENCH_AGGREGATE,
};

/** One row as printed. */
struct tkf_gbench_run {
    const char *name; /**< as printed, kept by the sink */
    enum tkf_gbench_kind kind;
    const char
        *run_name; /**< name without the aggregate's suffix, where the output says so; NULL */
    const char *aggregate; /**< "mean", ... where the output says so; NULL */
    bool no_time;          /**< its values are a percentage or a coefficient */
    double real_ns, cpu_ns;
    double real_quantum_ns, cpu_quantum_ns;
    struct tkf_result
        row; /**< iterations, threads, counters and the like; the times are filled from the above */
};

enum {
    TKF_GBENCH_MEAN,
    TKF_GBENCH_MEDIAN,
    TKF_GBENCH_STDDEV,
    TKF_GBENCH_MIN,
    TKF_GBENCH_MAX,
    TKF_GBENCH_AGGREGATES,
};

/** The rows of one origin on their way to the sink. */
struct tkf_gbench {
    struct tkf_sink *sink;
    const char *pending; /**< name of the run whose aggregates are being collected; NULL */
    unsigned collected;  /**< rows of aggregates seen for it */
    bool by_name;        /**< they were told by their names only */
    double repetitions;
    bool have[TKF_GBENCH_AGGREGATES];
    struct tkf_gbench_run aggregates[TKF_GBENCH_AGGREGATES];
};

/** Begin an origin; the one before, if any, must have been ended. */
struct tkf_origin *tkf_gbench_begin(struct tkf_gbench *state, struct tkf_sink *sink);

/** Take one row. */
void tkf_gbench_add(struct tkf_gbench *state, const struct tkf_gbench_run *run);

/** Give what is still collected, and free. A state that was never begun is fine. */
void tkf_gbench_end(struct tkf_gbench *state);

/** A row in the making. */
struct tkf_gbench_run tkf_gbench_run(struct tkf_sink *sink, unsigned line, const char *name);

/** Keep a counter where it belongs: a rate, an event of the CPU, or a metric of that name. */
void tkf_gbench_counter(struct tkf_sink *sink, struct tkf_result *row, struct tkf_slice name,
                        double value);

#endif
