/* SPDX-License-Identifier: MIT */
/**
 * Timing a small piece of work, for the parts of an exploration.
 *
 * As the floor is measured: short windows between two fenced readings, many of them, each less what a window of the fewest
 * operations costs, so that what is left is the operations alone; then a robust estimate. Not for two threads at once.
 */
#ifndef TKF_EXPLORE_TIMING_H
#define TKF_EXPLORE_TIMING_H

#include "part.h"

/** Operations come in blocks of so many: a work's loop is unrolled, so that its own cost is spread over them. */
#define TKF_WORK_BLOCK 64

/** Do n operations; of what tkf_explore_time() times, a multiple of TKF_WORK_BLOCK. */
typedef void tkf_work_fn(void *arg, uint64_t n);

/** What of the windows is the answer. */
enum tkf_estimate {
    /**
     * For what depends on the core alone: the fastest state, so that a busy sibling thread stays out of it. Each window is held
     * against one of the defining chain beside it, so that the answer is at the clock rate of the calibration.
     */
    TKF_ESTIMATE_CORE,
    TKF_ESTIMATE_CORE_MEDIAN, /**< the same, but the median: for what is random by itself */
    TKF_ESTIMATE_FASTEST, /**< the fastest state, as timed: for what others only ever take away */
    TKF_ESTIMATE_MEDIAN, /**< the median, as timed: for what depends on the machine around the core */
};

/**
 * Time one operation, ns.
 * @param nwindows  TKF_TIMING_MAX at most; fewer when the part has to end before.
 * @return NAN when fewer than TKF_TIMING_MIN windows were had, or so many operations take no time that none would fill a window.
 * Cost: about 60 us for each window.
 */
struct tkf_band tkf_explore_time(struct tkf_explorer *x, tkf_work_fn *work, void *arg,
                                 enum tkf_estimate estimate, unsigned nwindows);

/** The same of a kernel of the architecture; one of its operations. */
struct tkf_band tkf_explore_time_kernel(struct tkf_explorer *x, const char *name,
                                        unsigned nwindows);

/** An operation of the system, which has no loop of its own, and may need something made anew for each window. */
struct tkf_op {
    void (*prepare)(void *arg); /**< before each window, not timed; NULL: nothing */
    tkf_work_fn *run;
    void *arg;
    unsigned least,
        most; /**< that `n` may be, and of `least` it is a multiple; 0: one, and no limit */
};

/**
 * What one operation costs, ns: the median of differences between windows of n and of 2 n operations, which hold no
 * reading of the counter. A window is some 20 us, or two operations.
 * @param until_ns  env.clock_ns time at which to end; not after x->end_ns.
 * @return NAN when the time did not suffice for 3 samples.
 */
struct tkf_band tkf_op_cost(struct tkf_explorer *x, const struct tkf_op *op, uint64_t until_ns);

/** As tkf_explore_time(), of n samples taken otherwise; sorts them. NAN without TKF_TIMING_MIN. */
struct tkf_band tkf_explore_estimate(double *samples, unsigned n, enum tkf_estimate estimate);

/** Why something was not measured: because the part had to end, or `otherwise`. */
const char *tkf_explore_why(struct tkf_explorer *x, const char *otherwise);

/** Add a step in ns that was timed; where its value is NAN, with the reason of tkf_explore_why(). */
void tkf_explore_add_ns(struct tkf_explorer *x, const char *name, const char *text,
                        struct tkf_band ns, const char *otherwise);

#define TKF_TIMING_MIN 6
#define TKF_TIMING_MAX 1024

#endif
