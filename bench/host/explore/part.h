/* SPDX-License-Identifier: MIT */
/**
 * What the parts of an exploration share: each part is one file of this folder (some have an OS half in linux/ or macos/),
 * with one function here, which adds what it measured to x->out. explore.c calls them in order.
 */
#ifndef TKF_EXPLORE_PART_H
#define TKF_EXPLORE_PART_H

#include <tickfloor/explore.h>

#include "host.h"

/** An exploration at work. The calling thread is bound to `cpu` when a part begins, and may be bound elsewhere by it. */
struct tkf_explorer {
    struct tkf_env env; /**< pins, reads the clock, guards; as calibrating has it */
    struct tkf_topology *topology;
    const struct tkf_counter *counter; /**< proven, its rate known */
    unsigned cpu;                      /**< the CPU that was calibrated first */
    double cycle_ns;                   /**< of that CPU, from its calibration */
    unsigned
        neighbour; /**< another CPU near it, of another core if there is one; `cpu` when there is none */
    const unsigned *cpus; /**< [ncpus] that this process may use, ascending */
    unsigned ncpus;
    uint64_t end_ns; /**< env.clock_ns time at which the part that runs has to end */
    struct tkf_explore *out;
};

/* Each returns 0, also when a step could not be measured (its reason says so) or end_ns came (it sets out->partial);
 * TKF_ECANCELLED when env.cancelled said so, with what is measured so far in x->out; TKF_ENOMEM. */
int tkf_explore_ladder(struct tkf_explorer *x);
int tkf_explore_bandwidth(struct tkf_explorer *x);
int tkf_explore_system(struct tkf_explorer *x);
int tkf_explore_pairs(struct tkf_explorer *x);
int tkf_explore_frequency(struct tkf_explorer *x);
int tkf_explore_noise(struct tkf_explorer *x);

/**
 * Add a step to x->out: value in `unit`; cycles are derived with x->cycle_ns where the unit is ns. With `reason` the value is
 * not looked at. A step beyond TKF_STEPS_MAX is dropped: the list is constant, and a test counts it.
 */
void tkf_explore_add(struct tkf_explorer *x, const char *name, const char *text, const char *unit,
                     struct tkf_band value, const char *reason);

/** Say no cycles of the step that was added last: the core does not work for so long, or it is no time that passes at all. */
void tkf_explore_drop_cycles(struct tkf_explorer *x);

/** The 95 % order-statistic interval and the median of samples, which are sorted in place; NAN without any. */
struct tkf_band tkf_explore_median(double *samples, unsigned nsamples);

/** Whether the part has to end: its time is up (sets out->partial) or the caller cancelled. */
bool tkf_explore_ended(struct tkf_explorer *x);

#endif
