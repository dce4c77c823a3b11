/* SPDX-License-Identifier: MIT */
/**
 * A recorded machine behind struct tkf_env: a trace that tests/record.c wrote, whose head describes the format.
 *
 * It answers whatever is asked, in whatever order: each kernel's windows on each CPU are a tape of their own that starts again at
 * its end, and a window of another number of iterations is scaled from the next one on the tape. Time is virtual. So a
 * change of core/measure that asks for other windows still gets this machine's answers, if not in the order of that day.
 */
#ifndef TKF_REPLAY_H
#define TKF_REPLAY_H

#include <tickfloor/measure.h>

#include "arch.h"

#define REPLAY_CPUS 4

/** Values that start again at their end. */
struct replay_tape {
    uint64_t *values;
    unsigned n, next;
};

/** One kernel's windows on one CPU. */
struct replay_windows {
    struct replay_tape once, many; /**< of one iteration, and of `iters` */
    uint64_t iters;
};

struct replay {
    char arch[32], source[32];
    struct tkf_rate rates[TKF_RATES_MAX];
    unsigned nrates;
    double hz; /**< from the two moments */
    uint64_t clock_ticks;
    struct replay_tape reads;
    unsigned cpus[REPLAY_CPUS], ncpus;
    struct replay_windows (*windows)[REPLAY_CPUS]; /**< [tkf_arch_nkernels] */
    uint64_t now_ticks;
    unsigned cpu; /**< index into cpus */
};

/**
 * Read a trace.
 * @param ret_replay  end it with replay_free(), whatever is returned.
 * Errors: TKF_EIO cannot be read · TKF_EUNSUPPORTED of another architecture · TKF_EFORMAT; the reason is on stderr.
 */
int replay_load(const char *path, struct replay *ret_replay);
void replay_free(struct replay *replay);

/** The machine must outlive it. */
struct tkf_env replay_env(struct replay *replay);

/** tkf_counter_probe() with the trace's source, and the rates declared there in place of those declared here. */
int replay_probe(struct replay *replay, struct tkf_scratch *scratch,
                 struct tkf_counter *ret_counter);

#endif
