/* SPDX-License-Identifier: MIT */
/** One calibration under way: what it measures with, and the windows it has collected. */
#ifndef TKF_SESSION_H
#define TKF_SESSION_H

#include <tickfloor/measure.h>

#include "arch.h"

#define TKF_KERNELS_MAX 64

/* What lies above a loop's fastest state by more than this factor is another state. */
#define TKF_STATE_WIDTH 1.03

struct tkf_session {
    const struct tkf_env *env;
    const struct tkf_calibrate_options *options;
    const struct tkf_source *src;
    struct tkf_counter *counter;
    struct tkf_scratch *scratch;
    uint64_t from_ns; /* when it began, by the environment's clock; 0 without one */
    double window_ticks;
    uint64_t iters[TKF_KERNELS_MAX]; /* that fill a window; 0 before tkf_session_size() */
    double
        once_ticks[TKF_KERNELS_MAX]; /* a window of one iteration: what it costs beside its body */
    double fastest_cycles;           /* of the fused loop, on any CPU so far */
    unsigned nwindows;
};

/** Fit every kernel's iterations to the window on the CPU the thread runs on. 0, or TKF_ESTUCK. */
int tkf_session_size(struct tkf_session *s);

/** Ticks for one operation, from a window of the kernel's iterations; what surrounds the body is taken off. */
double tkf_session_op_ticks(const struct tkf_session *s, unsigned kernel, double window_ticks);

/** Run one window and keep it; ticks for one operation. */
double tkf_session_record(struct tkf_session *s, unsigned kernel);

/** Ns since the calibration began; 0 where there is no clock. */
uint64_t tkf_session_elapsed_ns(const struct tkf_session *s);

/**
 * hunt.c: bind to the candidate whose fused loop runs at its fastest, looking for up to `until_ns` after the beginning.
 * Fills f->candidates, f->cpu and f->pinned; sizes the session's windows at its first call.
 * Errors: TKF_ENOCPU none could be bound · TKF_ESTUCK · TKF_ECANCELLED.
 */
int tkf_hunt(struct tkf_session *s, const unsigned *candidates, unsigned ncandidates,
             uint64_t until_ns, struct tkf_cpu_floor *f);

/** analysis.c: what the windows say: cycle, chains, loops, costs, band, noise. 0, or TKF_ENOISE. */
int tkf_analyse(struct tkf_session *s, struct tkf_cpu_floor *f);

/** events.c: the defining chain by the cycles that the core itself counts; sets f->own_cycles and f->core_clock_error. */
void tkf_count_own_cycles(struct tkf_session *s, struct tkf_cpu_floor *f);

/** events.c: hardware events of every chain and loop, after tkf_analyse(); sets f->events_error. */
void tkf_count_events(struct tkf_session *s, struct tkf_cpu_floor *f);

#endif
