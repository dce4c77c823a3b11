/* SPDX-License-Identifier: MIT */
/**
 * Floor-aware reporting: read the results of any benchmark framework, and judge each against the floor.
 *
 *     struct tkf_results *results = tkf_results_new();
 *     struct tkf_input_error error;
 *     tkf_results_read(results, stdin, "<stdin>", NULL, &error);
 *     tkf_results_judge(results, &(struct tkf_judge_options){.profile = &profile});
 *     for (size_t i = 0; i < tkf_results_count(results); i++)
 *         puts(tkf_verdict_name(tkf_results_get(results, i)->verdict));
 *     tkf_results_free(results);
 *
 * Units:    times are ns for one operation, unless the name says otherwise. NAN is unknown; 0 is a measured zero.
 * Lifetime: the results own every string and row that they give out, until tkf_results_free().
 * Context:  hosted; one thread at a time for one struct tkf_results.
 */
#ifndef TICKFLOOR_REPORT_H
#define TICKFLOOR_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <tickfloor/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Worst first; those before TKF_VERDICT_NEAR_FLOOR are flagged. */
enum tkf_verdict {
    TKF_VERDICT_IMPOSSIBLE,    /**< cannot be the time of one such operation */
    TKF_VERDICT_AT_FLOOR,      /**< cannot be told from an empty loop */
    TKF_VERDICT_CAPPED,        /**< the framework ran into its own limit of iterations */
    TKF_VERDICT_FLAT,          /**< does not grow with its size, though the work it states does */
    TKF_VERDICT_TIMER_LIMITED, /**< the clock that timed it is too coarse, costs more than it, or did not run with it */
    TKF_VERDICT_WENT_QUIET,    /**< was real in the baseline, and is at the floor now */
    TKF_VERDICT_NEAR_FLOOR,    /**< a good part of the number is the loop */
    TKF_VERDICT_UNDECIDED,     /**< the data cannot decide */
    TKF_VERDICT_OK,
    TKF_VERDICT_COUNT,
};

/** "impossible", "at-floor", ... as in the JSON. */
const char *tkf_verdict_name(enum tkf_verdict verdict);

/** What a row's value is, among the framework's statistics. */
enum tkf_statistic {
    TKF_STATISTIC_UNKNOWN,
    TKF_STATISTIC_MEAN,
    TKF_STATISTIC_MEDIAN,
    TKF_STATISTIC_MIN,
    TKF_STATISTIC_SLOPE,
};

/** Where rows come from: one for each run of a framework in a file. */
struct tkf_origin {
    const char *file;      /**< as given; "<stdin>" */
    const char *format;    /**< which reader: "go-text" */
    const char *framework; /**< "go", "google-benchmark", "criterion", ... */
    enum tkf_timing timing;
    const char *cpu;       /**< the CPU as the file names it, NULL */
    const char *host;      /**< the machine's own name, as the file states it, NULL */
    const char *os, *arch; /**< as the file names them, NULL */
    const char *version;   /**< the framework's or runtime's, NULL */
    double core_hz;        /**< core clock that the file states, NAN */
    double timer_step_ns;  /**< resolution of the clock that the file states, NAN */
    double own_floor_ns;   /**< what the framework says an empty call costs it (mitata's noop), NAN */
    double cpus;           /**< CPUs of the machine that the file states, NAN */
};

/** A named quantity that a row carries besides its time. */
struct tkf_metric {
    const char *unit; /**< as printed: "widgets/op", "p99-ns" */
    double value;
};

/** One of the values that a row was made from. */
struct tkf_sample {
    double ns;
    double iterations; /**< of which it is the mean, NAN */
};

#define TKF_SAMPLES_MAX 64
#define TKF_METRICS_MAX 64
#define TKF_EVIDENCE_MAX 8

struct tkf_evidence {
    const char *rule; /**< the rule's name: "below-one-cycle" */
    const char *text; /**< what was seen, then what it may mean; one or two sentences */
};

/**
 * One benchmark. Rows of the same origin, group and name are repetitions, and are merged into one: `samples` keeps up to
 * TKF_SAMPLES_MAX of their values.
 */
struct tkf_result {
    const struct tkf_origin *origin;
    unsigned line;             /**< 1-based, of its first row; 0 where a file has no lines (one JSON line) */
    const char *group;         /**< package, type, suite; "" */
    const char *name;          /**< as the framework prints it, without the group and without a -procs suffix */
    const char *full_name;     /**< with that suffix, where rows differ by it alone (Go's -cpu 1,2); NULL */
    double ns;                 /**< one operation; the median over repetitions */
    double ns_lo, ns_hi;       /**< the interval the file gives, or of the repetitions; NAN */
    double quantum_ns;         /**< what one unit of the last printed digit is worth; 0 for exact values, NAN */
    enum tkf_statistic statistic;
    unsigned repetitions;
    unsigned nsamples;
    struct tkf_sample *samples; /**< of the repetitions, in order; past TKF_SAMPLES_MAX an even choice of them */
    double min_ns, max_ns;     /**< over repetitions, or as the file states */
    double cpu_ns, wall_ns;    /**< both, where the file has both; NAN */
    double manual_ns;          /**< a time that the benchmark itself reported, NAN */
    double iterations;         /**< of one repetition, the largest; NAN */
    double total_ns;           /**< measured time of one repetition, where the file states it; else NAN */
    double threads;            /**< that shared the work; NAN when unknown */
    double procs;              /**< an upper bound on threads (Go's -8), NAN */
    double batch;              /**< operations for which `ns` is the time of one; NAN when unknown, 1 for sure one */
    double bytes_per_second, items_per_second; /**< work rates as stated, NAN */
    double allocs, alloc_bytes;                /**< of one operation, NAN */
    double instructions, cycles;               /**< of one operation, from counters in the file, NAN */
    double exit_code;          /**< the worst exit status of a timed command, NAN */
    bool time_missing;         /**< the framework printed no time at all for it (Go: exactly 0 ns/op) */
    bool sentinel;             /**< the value is the framework's clamp (0.0000, 0.001), not a measurement */
    bool failed;               /**< the framework says that it failed or was skipped */
    const char *loop_form;     /**< "b.N", "b.Loop", "value", ... where the file tells; NULL */
    const char *remark;        /**< what the framework itself said of this row, NULL */
    struct tkf_metric *metrics; /**< no unit comes twice */
    unsigned nmetrics;

    /* Written by tkf_results_judge(). */
    enum tkf_verdict verdict;
    struct tkf_evidence *evidence; /**< the weightiest first */
    unsigned nevidence;
    bool is_floor;             /**< an empty benchmark that the others are held against */
    const char *hint;          /**< what to do, in the framework's own terms; NULL for ok */
    double cycles_shown;       /**< ns in core cycles of the floor used, NAN */
    double over_floor_ns;      /**< ns less the floor, below 0 when under it; NAN without a floor */
};

/** Something in the input that was not understood or is worth saying; never a row dropped in silence. */
struct tkf_notice {
    const char *file;
    unsigned line;
    const char *text;
    bool failed; /**< the run of the benchmarks failed, as the framework says */
};

struct tkf_results;

struct tkf_results *tkf_results_new(void); /**< NULL when out of memory */
void tkf_results_free(struct tkf_results *results);

/**
 * Read one stream.
 *
 * @param in      read through its descriptor, where it has one, so that a pipe's output is seen as it comes: nothing may have been
 *                read ahead of it from a pipe's stream.
 * @param name    for messages and `file`.
 * @param format  a reader's name to force it, NULL to recognise the format from the content.
 * @param tee     every byte read is written there first, unchanged; NULL.
 * Errors: TKF_EFORMAT nothing in it could be read · TKF_EIO · TKF_EINVAL no reader of that name · TKF_ENOMEM. Rows read
 *         before an error stay.
 */
int tkf_results_read(struct tkf_results *results, FILE *in, const char *name, const char *format, FILE *tee,
                     struct tkf_input_error *ret_error);

/** Read a file, or a directory that a framework writes (Criterion's target/criterion). As tkf_results_read(). */
int tkf_results_read_path(struct tkf_results *results, const char *path, const char *format,
                          struct tkf_input_error *ret_error);

size_t tkf_results_count(const struct tkf_results *results);
const struct tkf_result *tkf_results_get(const struct tkf_results *results, size_t index);
size_t tkf_results_notices(const struct tkf_results *results);
const struct tkf_notice *tkf_results_notice(const struct tkf_results *results, size_t index);

/** Names of the readers, ended by NULL. */
const char *const *tkf_results_formats(void);

/** How the floor was got. */
enum tkf_floor_source {
    TKF_FLOOR_SAME_FILE,  /**< an empty benchmark in the same file */
    TKF_FLOOR_HARNESS,    /**< the profile's floor for that framework */
    TKF_FLOOR_PROFILE,    /**< the machine's profile */
    TKF_FLOOR_PHYSICAL,   /**< no CPU is faster than this */
};

/** What must hold of the results of some benchmarks, by their name: a file of `--expect`. */
struct tkf_expect;

/**
 * Read expectations, one a line: a name's pattern as of fnmatch(3), then one or more of
 *
 *     NAME METRIC>=NUMBER     METRIC is allocs, bytes (allocated, of one operation) or ns; also <=, >, <, ==
 *     NAME ops=NUMBER         each operation does so much work: no CPU does more than a few of them in one cycle
 *     NAME bytes=NUMBER       each operation goes through so many bytes
 *
 * Empty lines and those that begin with # say nothing.
 *
 * @param ret_expect  written only on success; end it with tkf_expect_free().
 * @param ret_error   written only on failure.
 * Errors: TKF_EFORMAT a line says something else · TKF_EIO · TKF_ENOMEM.
 */
int tkf_expect_read(FILE *in, struct tkf_expect **ret_expect, struct tkf_input_error *ret_error);
void tkf_expect_free(struct tkf_expect *expect); /**< NULL is fine */

struct tkf_judge_options {
    const struct tkf_profile *profile;  /**< of the machine that ran them; NULL */
    /**
     * The results are known to be of the profile's machine, whatever they say of their CPU. Without it the profile is used for
     * those results only that name its CPU.
     */
    bool profile_applies;
    /** The name of the profile's machine: results that name no CPU but this are its; NULL. */
    const char *host;
    const struct tkf_results *baseline; /**< earlier results of the same benchmarks, NULL */
    const char *floor_bench;            /**< name of the empty benchmark, NULL to recognise it */
    const struct tkf_expect *expect;    /**< NULL */
};

/** Judge every row. May be called again with other options: the verdicts are written anew. 0, or TKF_ENOMEM. */
int tkf_results_judge(struct tkf_results *results, const struct tkf_judge_options *options);

/** The floor that an origin's rows were held against, after tkf_results_judge(); for people and the JSON. */
struct tkf_floor_used {
    enum tkf_floor_source source;
    struct tkf_band ns; /**< NAN where only physical bounds were used */
    double cycle_ns;    /**< NAN when unknown */
    const char *text;   /**< how it was got, one clause */
};
const struct tkf_floor_used *tkf_results_floor(const struct tkf_results *results, const struct tkf_origin *origin);

#ifdef __cplusplus
}
#endif
#endif
