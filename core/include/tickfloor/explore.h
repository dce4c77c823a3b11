/* SPDX-License-Identifier: MIT */
/**
 * What surrounds a machine's floor: the ladder from one dependent add to a context switch, the caches, the CPUs among
 * each other, the noise, the clock rate. `tickfloor explore` measures it, a profile keeps it.
 *
 * Units:    the unit stands in the name of every quantity, or beside it (struct tkf_step). "Cycles" are core cycles.
 * Unknown:  NAN in all of a band or NAN alone, with a reason beside it.
 * Lifetime: one struct tkf_explore is about 1 MiB; a profile that has one owns it, tkf_profile_free() frees it.
 */
#ifndef TICKFLOOR_EXPLORE_H
#define TICKFLOOR_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include <tickfloor/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The parts of an exploration, in the order in which they are measured. */
enum tkf_explore_part {
    TKF_EXPLORE_LADDER, /**< operations, branches, calls, cache and memory latency with its curve, atomics */
    TKF_EXPLORE_BANDWIDTH, /**< L1 and memory, one core and all */
    TKF_EXPLORE_SYSTEM, /**< malloc, first touch, system call, switch, wake-up, futex, pipe, every clock, sleeps */
    TKF_EXPLORE_PAIRS,     /**< CPUs among each other: latency, their counters' offset and drift */
    TKF_EXPLORE_FREQUENCY, /**< the core clock from idle to steady; one core busy against all */
    TKF_EXPLORE_NOISE,     /**< gaps on each CPU, and their causes */
};
#define TKF_EXPLORE_PARTS 6

/** One quantity. Its name is unique in a profile and stays the same from version to version. */
struct tkf_step {
    char name
        [48]; /**< "op/add", "load/L1", "branch/mispredicted", "bandwidth/memory/all", "clock/monotonic/step" */
    char text[160]; /**< what was measured, and how, one clause */
    char unit[8];   /**< "ns", "GB/s" (1e9 bytes a second), "GHz" or "ppm" */
    struct tkf_band
        value; /**< in that unit: the estimate with its 95 % interval; for "sleep/" 1 %, median, 99 % */
    struct tkf_band
        cycles; /**< the same in core cycles; NAN where the unit is not ns, or the core does not work for so long: sleeps, a clock's step */
    char reason[160]; /**< why it was not measured; "" when it was */
};

/** A cache of the CPU that was explored, as the topology has it. */
struct tkf_cache {
    unsigned level;
    uint64_t size_bytes;
    unsigned line_bytes; /**< 0 unknown */
    unsigned cpus;       /**< CPUs that share it */
};

/** A point of the latency curve: one dependent load out of a working set of that size. */
struct tkf_latency_point {
    uint64_t bytes;
    struct tkf_band ns, cycles;
};

/** Two CPUs, a < b. */
struct tkf_cpu_pair {
    unsigned a, b;
    struct tkf_band ns;     /**< half a round trip of one cache line */
    double offset_ns;       /**< b's counter ahead of a's, at the same moment */
    double offset_bound_ns; /**< how far the offset may be wrong, from the round trip */
    double drift_ppm;       /**< how fast the offset grows */
    double drift_bound_ppm;
    bool monotonic;   /**< no reading after a migration lay before the one ahead of it */
    char reason[120]; /**< why it was not measured; "" when it was */
};

/** What took time away from a CPU, where the system tells. */
struct tkf_gap_cause {
    char name
        [48]; /**< "interrupt LOC", "context switch", "steal", "throttled", "frequency", "unknown" */
    uint64_t gaps; /**< gaps laid to it */
    double ns;     /**< their time together */
};

#define TKF_GAP_BINS   32
#define TKF_CAUSES_MAX 16

/** What took time from one CPU while it did nothing but read its counter. */
struct tkf_cpu_noise {
    unsigned cpu;
    double seconds;      /**< watched */
    double threshold_ns; /**< a step of the counter longer than this is a gap */
    uint64_t gaps;
    double rate_hz;                     /**< gaps a second */
    double median_ns, p99_ns, worst_ns; /**< of the gaps; NAN without one */
    double stolen_share;                /**< time in gaps, of all, 0..1 */
    unsigned histogram[TKF_GAP_BINS];   /**< bin i: gaps from 2^i to 2^(i+1) ns; the last is open */
    struct tkf_gap_cause causes[TKF_CAUSES_MAX]; /**< longest time first */
    unsigned ncauses;
    char reason[120]; /**< why it was not watched; "" when it was */
};

/** The core clock at one moment of the ramp. */
struct tkf_ramp_point {
    double at_ms; /**< since the core left idle */
    double ghz;
};

#define TKF_STEPS_MAX   160
#define TKF_CACHES_MAX  8
#define TKF_LATENCY_MAX 160
#define TKF_PAIRS_MAX   2016 /* of 64 CPUs */
#define TKF_NOISES_MAX  512
#define TKF_RAMP_MAX    512

/** An exploration. Lists of parts that were not asked for are empty. */
struct tkf_explore {
    char created[32]; /**< RFC 3339, UTC */
    double seconds;   /**< it took */
    bool
        partial; /**< interrupted, or the time was up, before all that was asked for was measured */
    bool parts[TKF_EXPLORE_PARTS]; /**< that were measured, whole or in part */
    unsigned cpu;                  /**< on which what concerns one CPU was measured */
    struct tkf_step steps[TKF_STEPS_MAX];
    unsigned nsteps;
    struct tkf_cache caches[TKF_CACHES_MAX]; /**< data and unified, nearest first */
    unsigned ncaches;
    struct tkf_latency_point latency[TKF_LATENCY_MAX]; /**< ascending in bytes */
    unsigned nlatency;
    bool huge_pages; /**< the curve's memory lay in huge pages as far as the system tells */
    struct tkf_cpu_pair pairs[TKF_PAIRS_MAX];
    unsigned npairs;
    struct tkf_cpu_noise noise[TKF_NOISES_MAX];
    unsigned nnoise;
    struct tkf_ramp_point ramp[TKF_RAMP_MAX];
    unsigned nramp;
};

#if __STDC_HOSTED__

struct tkf_profile;
struct tkf_input_error;

/** What to explore. Zero-initialised, it is what `tickfloor explore` does. */
struct tkf_explore_request {
    bool parts[TKF_EXPLORE_PARTS]; /**< all false: all of them */
    double
        seconds; /**< for the whole, calibration excepted; 0: 25. What does not fit is left out and `partial` set */
    void *ctx; /**< passed to the two callbacks */
    bool (*cancelled)(
        void *ctx); /**< NULL: never; when it says so, what is measured so far is kept, `partial` */
    void (*progress)(void *ctx, double done,
                     const char *what); /**< NULL: not wanted; done is 0..1 */
};

/** "ladder", "bandwidth", ...: the name of a part, for --only and in a profile. NULL beyond the last. */
const char *tkf_explore_part_name(unsigned part);

/** The step of that name; NULL when there is none. */
const struct tkf_step *tkf_explore_step(const struct tkf_explore *explore, const char *name);

/**
 * Explore the machine that the program runs on.
 *
 * @param profile    of this machine, from tkf_calibrate_machine() just before: its counter and its first CPU's cycle are
 *                   what is measured with. profile->explore is replaced, on success, also a partial one.
 * @param ret_error  written only on failure: cause and next step.
 *
 * Errors:   TKF_EINVAL · TKF_ENOCPU · TKF_ENOSOURCE the profile's counter is not of this machine · TKF_ENOMEM.
 * Context:  one thread at a time in a process. Starts threads, which have ended when it returns; the calling thread's
 *           affinity is as before.
 * Cost:     request->seconds; up to a quarter of the free memory, at most 1 GiB.
 */
int tkf_explore_machine(const struct tkf_explore_request *request, struct tkf_profile *profile,
                        struct tkf_input_error *ret_error);

#endif

#ifdef __cplusplus
}
#endif
#endif
