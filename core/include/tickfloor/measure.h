/* SPDX-License-Identifier: MIT */
/**
 * Measure a machine's timing floor: counter, core cycle, empty loop.
 *
 * Everything here is freestanding: no allocation, no I/O, no C library. The world comes in through one
 * struct tkf_env; the command, the firmware and the tests each fill one. The caller owns all memory, and no pointer is
 * kept after a function returns, except names that point to constant strings of the library.
 *
 * Units:    the unit stands in the name of every quantity. "Cycles" are core cycles; "ticks" are the counter's.
 * Unknown:  a quantity that could not be had is NAN (doubles) and has a reason beside it; it is never 0.
 * Context:  any one thread; the functions that measure bind the calling thread through env->pin.
 */
#ifndef TICKFLOOR_MEASURE_H
#define TICKFLOOR_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickfloor/arch/cpu.h>
#include <tickfloor/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct tkf_source; /* a way to read time: opaque here */

/** Counts of the core's own events since some fixed moment. */
struct tkf_events {
    uint64_t cycles;
    uint64_t instructions;
};

/**
 * The world, as measuring needs it. Members that may be NULL say so; ctx is passed to each.
 */
struct tkf_env {
    void *ctx;

    /** A clock to hold the counter's rate against, ns, monotonic and not slewed. NULL: there is none. */
    uint64_t (*clock_ns)(void *ctx);

    /**
     * Run fn(arg) so that a trap inside it ends it. Returns 0, or TKF_ETRAP when it trapped.
     * NULL: nothing can trap here, or nothing can catch it.
     */
    int (*guard)(void *ctx, void (*fn)(void *arg), void *arg);

    /** Ask before the first read whether the counter is forbidden: NULL, or the reason, one clause. May be NULL. */
    const char *(*forbidden)(void *ctx);

    /**
     * Time one kernel, or `n` fenced readings. NULL: run the source's own machine code. A scripted environment answers
     * from its script instead.
     */
    void (*run)(void *ctx, const struct tkf_source *src, unsigned kernel, uint64_t iters,
                uint64_t ret_ticks[2]);
    void (*burst)(void *ctx, const struct tkf_source *src, uint64_t *ret_ticks, uint64_t n);

    /** Bind the calling thread to one CPU and verify it. 0 or a negative code. NULL: no binding exists here. */
    int (*pin)(void *ctx, unsigned cpu);

    /** Read this thread's cycles and instructions on the CPU it is bound to. NULL, or a negative code: none. */
    int (*events)(void *ctx, struct tkf_events *ret_events);

    /** Read the cycles that the core itself counts, whoever uses it. NULL, or a negative code: none. */
    int (*core_clock)(void *ctx, uint64_t *ret_cycles);

    /** True when the caller wants to stop (a signal came). NULL: never. */
    bool (*cancelled)(void *ctx);

    /** Progress, 0..1, with what is being done. Called between windows, never inside one. NULL: not wanted. */
    void (*progress)(void *ctx, double done, const char *what);
};

/** A quantity and how far it is known: lo <= mid <= hi. */
struct tkf_band {
    double lo, mid, hi;
};

/** Windows that one calibration can keep. */
#define TKF_WINDOWS_MAX 24576

/** Working memory for the functions here; the caller's, so that nothing allocates. About 640 KiB. */
struct tkf_scratch {
    uint64_t ticks[TKF_WINDOWS_MAX]; /**< duration of each window, in order */
    uint16_t kernel[TKF_WINDOWS_MAX];
    double values[TKF_WINDOWS_MAX];
    double more_values[TKF_WINDOWS_MAX];
};

/* ---- the counter ------------------------------------------------------------------------------------------------ */

#define TKF_REJECTED_MAX 8
#define TKF_RATES_MAX    10

/** How far the counter's rate can be believed. */
enum tkf_trust {
    TKF_TRUST_VERIFIED, /**< two windows against env->clock_ns agree, and so do the declared rates; worth as much as that
                             clock is independent of the counter */
    TKF_TRUST_DECLARED, /**< declared by the hardware or its firmware, or ns by definition; unchecked */
    TKF_TRUST_CONFLICT, /**< two sources differ by more than 1000 ppm, or the two windows do by more than 200 */
};

/** A rate for the counter, and where it comes from. */
struct tkf_rate {
    char name[24];
    double hz;
    double ppm_off; /**< from the rate in use; positive: this one is higher */
};

/** A source that was not used, and why. */
struct tkf_rejected {
    const char *source;
    int error; /**< TKF_E..., or 0: usable, but a better one was chosen */
    char reason[120];
    const char *next; /**< what to do about it, NULL if nothing */
};

/** The counter in use. */
struct tkf_counter {
    const struct tkf_source *source; /**< NULL in a counter that was read from a profile */
    const char *name;                /**< "rdtsc", "cntvct", "os-clock" */
    const char *fence;               /**< the instructions of one fenced read */
    const char *unit;                /**< what a tick is: "ref-tick", "core-cycle" or "ns" */
    double hz;
    enum tkf_trust trust;
    struct tkf_rate rates[TKF_RATES_MAX];
    unsigned nrates;
    uint64_t step_ticks; /**< gcd of the differences of fenced readings; of a counter that is scaled up from a slower one
                              by no whole number, the whole number next to its step */
    double step_ns;
    struct tkf_band
        read_ticks; /**< one fenced read, from a long run of them: median with its 95 % interval */
    struct tkf_band read_ns;
    struct tkf_rejected rejected[TKF_REJECTED_MAX];
    unsigned nrejected;
};

/**
 * Choose a counter: identify the CPU, then go through the architecture's sources, best first, and take the first that
 * proves itself: it is not forbidden, does not trap, advances, never goes back, and steps by 2 us or less.
 *
 * @param hints         what the environment knows of the CPU.
 * @param force         a source's name, or NULL for the best.
 * @param scratch       what it works in; nothing in it need be kept.
 * @param ret_cpu       what the CPU says of itself.
 * @param ret_counter   source, step_ticks, read_ticks and rejected; rates only those declared; hz from the first of
 *                      them or NAN. On TKF_ENOSOURCE `rejected` is written all the same: it holds the reasons.
 *
 * Errors:   TKF_EINVAL no source of that name · TKF_ENOSOURCE none passed · TKF_ECANCELLED.
 * Cost:     about 1 ms; tens of ms more for each source that does not move.
 */
int tkf_counter_probe(const struct tkf_env *env, const struct tkf_cpu_hints *hints,
                      const char *force, struct tkf_scratch *scratch, struct tkf_cpu *ret_cpu,
                      struct tkf_counter *ret_counter);

/**
 * Add a rate that the environment knows for the counter (perf's time page, a sysctl), to be held against the others.
 * Ignored when it is not positive or TKF_RATES_MAX are known; a second one of the same name replaces the first.
 */
void tkf_rate_add(struct tkf_counter *counter, const char *name, double hz);

/* ---- a CPU's floor ---------------------------------------------------------------------------------------------- */

#define TKF_CHAINS_MAX     8
#define TKF_LOOPS_MAX      32
#define TKF_COSTS_MAX      12
#define TKF_HISTOGRAM_BINS 24
#define TKF_CANDIDATES_MAX 64

/** A chain of dependent operations. */
struct tkf_chain {
    const char *name, *text;
    struct tkf_band cycles; /**< core cycles of one link; the defining chain is 1 by definition */
    double event_cycles;    /**< measured by the PMU, for one link; NAN without */
};

/** A loop's windows in one state of the machine. */
struct tkf_state {
    struct tkf_band cycles; /**< 10 %, median and 90 % of the windows in this state */
    double share;           /**< of the undisturbed windows, 0..1 */
};

/** An empty loop of one shape at one offset. */
struct tkf_loop {
    const char *name, *shape, *text;
    unsigned offset_bytes;
    struct tkf_band cycles; /**< its fastest state: estimate with a 95 % interval */
    struct tkf_band ns;
    struct tkf_state fast, slow; /**< slow.share is 0 where only one state was seen */
    unsigned windows;            /**< undisturbed windows that it rests on */
    double event_cycles;         /**< measured by the PMU for one iteration; NAN without */
    double event_instructions;
};

/** Something small, repeated in a loop: what one iteration costs, the loop included. */
struct tkf_cost {
    const char *name, *text;
    struct tkf_band cycles, ns;
};

/** How a CPU was chosen among those of its kind. */
struct tkf_candidate {
    unsigned cpu;
    unsigned probes;   /**< how often it was looked at */
    double fast_share; /**< of its probe windows, those in which the fused loop ran at its fastest */
};

/** What was measured on one CPU. */
struct tkf_cpu_floor {
    unsigned cpu;
    bool pinned;
    const char *unpinned_reason; /**< one clause; NULL when pinned */
    double cycle_ns, core_hz;
    struct tkf_band cycle_ticks;
    double
        chain_check; /**< ADD chain over XOR chain; a cycle is sound when it is within 0.5 % of 1 */
    struct tkf_chain chains[TKF_CHAINS_MAX];
    unsigned nchains;
    struct tkf_loop loops[TKF_LOOPS_MAX];
    unsigned nloops;
    struct tkf_cost costs[TKF_COSTS_MAX];
    unsigned ncosts;
    struct tkf_band floor_cycles,
        floor_ns;            /**< the empty loop's band: fastest shape, aligned median, worst */
    double suspect_below_ns; /**< a result below this cannot be told from an empty loop here */
    double disturbed_share;  /**< windows thrown away, of all, 0..1 */
    double lost_share;       /**< time that something else took from the windows, 0..1 */
    double worst_gap_ns;     /**< the longest that one window lost */
    unsigned rounds;
    unsigned histogram
        [TKF_HISTOGRAM_BINS]; /**< the aligned fused loop's undisturbed windows over cycles */
    double histogram_lo_cycles, histogram_bin_cycles;
    struct tkf_candidate candidates
        [TKF_CANDIDATES_MAX]; /**< the CPUs that were tried, in order; the chosen one too */
    unsigned ncandidates;
    int events_error;     /**< 0 when event_* are measured */
    int core_clock_error; /**< 0 when own_cycles is measured */
    double own_cycles;    /**< cycles by env->core_clock for one link of the defining chain; NAN without */
};

/** How long and how much to measure. Zero-initialise, then tkf_calibrate_defaults(). */
struct tkf_calibrate_options {
    uint64_t
        window_ns; /**< length of one window; lengthened until the counter's step is under 0.1 % of it */
    unsigned rounds; /**< rounds of windows on the chosen CPU, 1 or more */
    uint64_t
        hunt_ns; /**< how long to look for a CPU, and a moment, in which the loop runs at its fastest */
    uint64_t rate_ns; /**< least length of each of the two windows that check the counter's rate */
    uint64_t
        limit_ns; /**< when to stop adding rounds, from the call on; the least needed are made in any case */
};

/** Defaults of `tickfloor calibrate`; `quick` those of --quick. */
void tkf_calibrate_defaults(struct tkf_calibrate_options *ret_options, bool quick);

/**
 * Measure the floor of one CPU out of `candidates`, and refine the counter's rate on the way.
 *
 * First looks among the candidates for the one whose fused loop runs at its fastest (a busy SMT sibling doubles the
 * loop and leaves a dependent chain alone), then measures every chain, loop and cost of the architecture there, in
 * rounds of short windows, each round with the defining chain at its head and its end.
 *
 * @param counter     from tkf_counter_probe(); its rate fields are written here: hz, trust, rates, the ns of step and read.
 * @param candidates  [ncandidates] CPU numbers to choose from; 0 of them: stay unbound on the current CPU.
 * @param scratch     what it works in; nothing in it need be kept.
 * @param ret_floor   written only on success.
 *
 * Errors:   TKF_EINVAL · TKF_ENOCPU no candidate could be bound · TKF_ENOISE fewer than 8 undisturbed windows ·
 *           TKF_ESTUCK the counter stopped, or too much code fills a window · TKF_ECANCELLED.
 * Cost:     rounds × about 0.8 ms, and up to hunt_ns before it.
 */
int tkf_calibrate_cpu(const struct tkf_env *env, const struct tkf_calibrate_options *options,
                      struct tkf_counter *counter, const unsigned *candidates, unsigned ncandidates,
                      struct tkf_scratch *scratch, struct tkf_cpu_floor *ret_floor);

/** Ticks to ns, exact to the last bit of a double. */
double tkf_ticks_to_ns(const struct tkf_counter *counter, double ticks);

#ifdef __cplusplus
}
#endif
#endif
