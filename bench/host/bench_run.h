/* SPDX-License-Identifier: MIT */
/**
 * The benchmark harness behind <tickfloor/bench.h>: what its files share, and what the command needs of it.
 *
 *   bench.c         loop and timer of the repetition that runs
 *   bench_rows.c    which benchmarks run, how often, for how long; their results
 *   bench_print.c   Go's benchmark format and JSON
 *   bench_judge.c   each row against the floor
 *   bench_beside.c  each row against an empty loop that ran in turns with it
 *   bench_main.c    options, and the main() of a program
 *   mem.c           allocation counts; one for each operating system
 */
#ifndef TKF_BENCH_RUN_H
#define TKF_BENCH_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <tickfloor/bench.h>
#include <tickfloor/profile.h>

#define TKF_BENCH_METRICS_MAX 8
#define TKF_BENCH_COUNT_MAX   10000

/** Calls and bytes of the C library's allocator, of all threads, since the process began. */
struct tkf_mem_counts {
    uint64_t mallocs, callocs, reallocs, aligned, frees;
    uint64_t bytes; /**< asked for, by all of them */
};

/** How the time of a repetition is read: a source that proved itself, and its rate. */
struct tkf_bench_timer {
    uint64_t (*now)(const void *ctx); /**< fenced, in ticks */
    /** A window of an empty loop, between two such readings; NULL: none is known. */
    uint64_t (*empty)(const void *ctx, uint64_t iterations);
    const void *ctx;
    double tick_ns;
    double step_ns;
    double empty_ns; /**< one iteration of that loop, about */
};

/** What one repetition may take. */
struct tkf_bench_limit {
    double time_ns;      /**< measured time to fill */
    uint64_t iterations; /**< exactly so many instead; 0: as many as fill time_ns */
    bool
        beside_empty; /**< after each window one of the timer's empty loop, which counts for nothing */
    bool (*cancelled)(void *ctx); /**< asked after each window, with NULL; NULL: never */
};

struct tkf_bench_metric {
    char unit[32];
    double value;
};

/** What one repetition gave. */
struct tkf_bench_repetition {
    double ns;           /**< one operation: the median of the samples */
    double ns_lo, ns_hi; /**< the median's 95 % interval, by order statistics */
    double
        fast_ns; /**< the median in the fastest state that was seen: of the lowest dense samples */
    double mean_ns;  /**< all measured time over all iterations */
    double *samples; /**< [nsamples] ns of each window, in order */
    uint64_t *sizes; /**< [nsamples] iterations of each window */
    double *empty; /**< [nsamples] ns of an empty iteration right after each window; NULL without */
    size_t nsamples, capacity;
    uint64_t iterations;       /**< all that were measured, those that sized the windows too */
    double total_ns;           /**< the time of those */
    uint64_t brackets;         /**< pairs of stop and start in them */
    uint64_t bytes;            /**< set by the benchmark, 0 without */
    struct tkf_mem_counts mem; /**< of all iterations; zeros when not counted */
    struct tkf_bench_metric metrics[TKF_BENCH_METRICS_MAX];
    unsigned nmetrics;
    char error[400]; /**< "" when it went well; "FILE:LINE: cause; next step" */
};

/**
 * Run a benchmark's function for one repetition.
 * @param count_mem  the allocator is counted (tkf_mem_available()).
 * @param ret        always written; end it with tkf_bench_repetition_free().
 * @return 0, or TKF_EINVAL with ret->error: the benchmark is wrong · TKF_ENOMEM, likewise.
 */
int tkf_bench_repeat(const struct tkf_bench_entry *entry, int64_t arg,
                     const struct tkf_bench_timer *timer, const struct tkf_bench_limit *limit,
                     bool count_mem, struct tkf_bench_repetition *ret);
void tkf_bench_repetition_free(struct tkf_bench_repetition *repetition);

/** What a stop and a start add to the measured time of an iteration, ns; about 10 ms. */
double tkf_bench_bracket_ns(const struct tkf_bench_timer *timer);

/** The registered benchmarks, in order. */
struct tkf_bench_entry *tkf_bench_entries(void);

/* ---- bench_beside.c ----------------------------------------------------------------------------------------------- */

/** What a benchmark took in windows that lie between two of an empty loop, while that ran at its fastest. */
struct tkf_bench_beside {
    double ns, empty_ns;   /**< medians */
    struct tkf_band ratio; /**< of the one to the other, with the median's 95 % interval */
    unsigned windows;      /**< that it rests on; 0: nothing is known */
};

/** Find that in a repetition that ran beside an empty loop. False where there are too few windows, or out of memory. */
bool tkf_bench_beside(const struct tkf_bench_repetition *repetition,
                      struct tkf_bench_beside *ret_beside);

/* ---- bench_rows.c ------------------------------------------------------------------------------------------------- */

/** As the command line has them. */
struct tkf_bench_options {
    unsigned count;
    struct tkf_bench_limit limit;
    const char
        *filter; /**< POSIX extended regular expression, matched anywhere in the name; NULL: all */
    bool list, mem, json, shuffle;
    uint64_t seed;
    const char *cpu;     /**< number of the CPU to be bound to; NULL: not bound */
    const char *pkg;     /**< the "pkg:" of the output */
    const char *program; /**< what errors begin with */
};

void tkf_bench_defaults(struct tkf_bench_options *ret_options);

/**
 * Take one option by its long name: count, time, filter, list, shuffle, cpu, mem or json.
 * @param value      its argument, kept; NULL for list, mem and json.
 * @param ret_error  on TKF_EINVAL: cause and next step.
 */
int tkf_bench_option(struct tkf_bench_options *options, const char *name, const char *value,
                     struct tkf_input_error *ret_error);

/** A row: one benchmark with one argument. */
struct tkf_bench_row {
    const struct tkf_bench_entry *entry;
    int64_t arg;
    char *name;                               /**< without "Benchmark" */
    struct tkf_bench_repetition *repetitions; /**< [nrepetitions] */
    unsigned nrepetitions;
    double fast_ns; /**< in the fastest state that it was seen in; what it is judged by */
    struct tkf_bench_beside beside; /**< where that was looked at: near the floor */
    const char *verdict; /**< as in a report: "at-floor"; NULL when it could not be judged */
    char evidence[800];  /**< what was seen, the most telling first */
    int first_evidence;  /**< how many bytes of it the first takes: enough for people */
    const char *hint;    /**< what to do, one of a few texts that stay; NULL for ok */
};

/** A run. */
struct tkf_bench_session {
    const struct tkf_bench_options *options;
    struct tkf_profile profile;
    struct tkf_bench_timer timer;
    double bracket_ns;
    struct tkf_bench_row *rows;
    size_t nrows;
    bool failed;
};

/**
 * Run what the options ask for: print each row as it is measured, judge it, print the marks; with `json` all of it at the end.
 * @param out  results; @param err one line for each failure.
 * @return an exit status: 0 · 2 an option that cannot be met · 3 a benchmark failed or nothing could be measured ·
 *         130 cancelled.
 */
int tkf_bench_run(const struct tkf_bench_options *options, FILE *out, FILE *err);

/** The name of the row whose function is running, NULL between them: for a handler of signals. */
const char *tkf_bench_running(void);

/**
 * The beginning of a run alone: bind as the options say, calibrate, and find the timer. An exit status; on 0 end the session
 * with tkf_profile_free(&ret_session->profile), and leave it where it is: the timer points into it.
 */
int tkf_bench_open(const struct tkf_bench_options *options, FILE *err,
                   struct tkf_bench_session *ret_session);

/* ---- bench_print.c ------------------------------------------------------------------------------------------------ */

void tkf_bench_print_head(const struct tkf_bench_session *session, FILE *out);
void tkf_bench_print_repetition(const struct tkf_bench_session *session,
                                const struct tkf_bench_row *row,
                                const struct tkf_bench_repetition *repetition, FILE *out);
/** What is to be said of a row; with_hint: and what to do. Nothing for a row that is ok. */
void tkf_bench_print_mark(const struct tkf_bench_row *row, bool with_hint, FILE *out);
int tkf_bench_print_json(const struct tkf_bench_session *session, FILE *out);

/* ---- bench_judge.c ------------------------------------------------------------------------------------------------ */

/** Write verdict and evidence of rows that were all measured; those of earlier calls are replaced. */
void tkf_bench_judge(const struct tkf_bench_session *session, struct tkf_bench_row *rows,
                     size_t nrows);

/* ---- mem.c, one for each operating system ----------------------------------------------------------------------------- */

/** Whether the allocator is counted in this process. */
bool tkf_mem_available(void);

/** The counts so far; only where available. Exact: one relaxed atomic addition for each call and each count. */
void tkf_mem_read(struct tkf_mem_counts *ret_counts);

/**
 * Start the program anew with the allocator counted: returns only on failure, with one clause and a next step.
 * Before anything was printed or opened. TKF_EUNSUPPORTED · TKF_EIO.
 */
int tkf_mem_restart(char *const argv[], struct tkf_input_error *ret_error);

#endif
