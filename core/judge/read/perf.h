/* SPDX-License-Identifier: MIT */
/**
 * What the three outputs of `perf stat` share: each block counts one command, and its time is that
 * of the whole process.
 */
#ifndef TKF_PERF_H
#define TKF_PERF_H

#include "../reader.h"

/** A value as perf counted it. */
struct tkf_perf_count {
    double value;
    double quantum;
    double spread; /**< of the runs of -r, as a fraction; NAN */
};

/** One block in the making. */
struct tkf_perf {
    struct tkf_sink *sink;
    bool open;
    struct tkf_result row;
    struct tkf_perf_count wall_ns, task_clock_ns; /**< value NAN before they came */
};

/** Begin a block; the one before is given first. *name* is kept by the sink. */
void tkf_perf_begin(struct tkf_perf *perf, const char *name, unsigned line);

/** Take one counted event; `unit` is "" when it has none. */
void tkf_perf_event(struct tkf_perf *perf, struct tkf_slice event, struct tkf_slice unit,
                    struct tkf_perf_count count);

/** Give the block that is open, if one is. */
void tkf_perf_end(struct tkf_perf *perf);

/** Whether the text is perf's word for an event without a count: "<not supported>". */
bool tkf_perf_not_counted(struct tkf_slice value);

#endif
