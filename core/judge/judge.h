/* SPDX-License-Identifier: MIT */
/**
 * What the rules see of a result, and what they give.
 *
 * One file under rules/ holds one rule. A rule is a function of a struct tkf_case that says whether
 * its verdict holds, and adds as evidence what it saw. None of them reads a benchmark's name, but
 * for the parameters in it (name.c).
 */
#ifndef TKF_JUDGE_H
#define TKF_JUDGE_H

#include "harness.h"
#include "results.h"

/** No CPU that is sold runs at more. */
#define TKF_CORE_HZ_MAX 6.5e9

/** Nor does one that runs benchmarks run at less. */
#define TKF_CORE_HZ_MIN 2e9

/** Less than this share of a cycle is impossible for a loop that takes one branch in each round. */
#define TKF_CYCLE_SHARE 0.9

/** What one core can take out of its nearest cache in a cycle: two loads of 64 bytes. */
#define TKF_BYTES_A_CYCLE 128

/**
 * How far over the floor still counts as at it: an eighth of it, and no more than an eighth of a
 * cycle. No core that is sold takes more than about eight instructions a cycle, so that less is not
 * one of them.
 */
#define TKF_FLOOR_TOLERANCE 0.125

/** From this share of a number on an empty loop is a good part of it. */
#define TKF_NEAR_SHARE 0.3

/**
 * What an empty benchmark of one loop form costs: its fastest value and its usual one, each over
 * the empty benchmarks.
 */
struct tkf_form_floor {
    const char *name;
    double least; /* nothing below this is of this form */
    double low, low_most;
    double mid, mid_most;
    /* on an unlucky address, or beside a neighbour that keeps the core busy, by the profile */
    double slow;
    bool measured; /* by empty benchmarks of the same file, and not from the table */
    bool rough;    /* moves with versions of the runtime: no verdict rests on it */
};

/** What an origin's results are held against, and what holds for all of them. */
struct tkf_floor {
    const struct tkf_origin *origin;
    const struct tkf_harness *harness; /* NULL: a framework without a known loop */
    const struct tkf_explore *explore; /* of the machine, by its profile; NULL */
    struct tkf_harness_form known[TKF_HARNESS_FORMS_MAX]; /* its, as the profile measured them */
    bool live; /* one of them at least was measured by the profile */
    /* what the form that results do not tell from the first costs, where the profile found it to cost more; name NULL */
    struct tkf_harness_form untold;
    struct tkf_floor_used used;
    struct tkf_form_floor forms[2 * TKF_HARNESS_FORMS_MAX]; /* as measured, and at its fastest */
    unsigned nforms;
    double plain_ns; /* the most that the form in `used` takes, undisturbed; NAN without one */
    double cycle_min_ns, cycle_max_ns; /* both cycle_ns where that is known */
    /* what an empty loop of the machine takes at its slowest beyond its fastest; 0 when unknown */
    double slower_by_ns;
    /* false: an emulator or a doubtful counter, where nothing can be called impossible */
    bool trusted;
    double benchtime_ns; /* that the framework aims at for one run; NAN */
    double quantum_ns;   /* of which all values are multiples, NAN */
    double *sorted_ns;   /* [nsorted] the values of all rows, for clusters */
    size_t nsorted;
};

/** What a name says beside the name. */
struct tkf_name_parts {
    double batch;  /* "/batch=4096"; NAN without */
    bool parallel; /* it says that threads share the work */
};

struct tkf_case {
    struct tkf_results *results;
    const struct tkf_judge_options *options;
    const struct tkf_floor *floor;
    const struct tkf_result *row;
    const struct tkf_result *base; /* of the baseline, NULL */
    struct tkf_result *to;         /* where the evidence goes; NULL: the question needs no words */
    bool *out_of_memory;

    enum tkf_timing timing;
    double batch; /* rounds of the framework's loop are this many operations; 1 */
    bool batch_known;
    double low, mid; /* ns of one round of the loop: fastest, usual */
    /* by its name it times what threads share: that excuses a number, and flags none */
    bool parallel;
    double sharers;     /* threads that may have shared the work, 1 or more */
    bool rate_explains; /* it states bytes or items a second, and a machine can do that many */
    bool family;        /* one of a family that does not grow with its size */
    bool family_stated; /* though work is stated that does */
    double family_from, family_to; /* its sizes */
    double expects_ns;             /* the least that what is declared of its work takes; 0 */
    const char *broken;            /* the expectation that does not hold, NULL */
};

/**
 * Add evidence: what was seen, then what it may mean. Beyond TKF_EVIDENCE_MAX it is dropped: the
 * first is the weightiest.
 */
void tkf_say(struct tkf_case *c, const char *rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** A duration for people, "0.2714 ns" or "1.02 ms". */
#define TKF_TIME_SIZE 32
const char *tkf_time_text(char text[static TKF_TIME_SIZE], double ns);

/** "0.2714 ns to 0.542 ns", or one of them where both read the same. */
#define TKF_RANGE_SIZE (2 * TKF_TIME_SIZE + 4)
const char *tkf_range_text(char text[static TKF_RANGE_SIZE], double from_ns, double to_ns);

/** The value of a row that was compared: "0.33 ns for the fastest of 10 runs, 0.69 ns for the usual one". */
#define TKF_COMPARED_SIZE 160
const char *tkf_compared_text(char text[static TKF_COMPARED_SIZE], const struct tkf_case *c,
                              bool by_fastest);

/** What is empty where nothing is done: "loop", "call", "command". */
const char *tkf_empty_text(const struct tkf_case *c);

/** The core cycles in *ns* of the floor in use; NAN when it has no cycle. */
double tkf_cycles(const struct tkf_floor *floor, double ns);

/**
 * The fastest that a result was seen at: of repetitions or averaged samples the least, else the low
 * end of its interval.
 */
double tkf_lowest_ns(const struct tkf_result *row);

/* ---- rules/ladder.c ---- */

/**
 * Say what a suspect is less than, and that a rate is more than was measured, where the profile has
 * what surrounds the floor.
 */
void tkf_place_on_ladder(struct tkf_case *c, enum tkf_verdict verdict);

/* ---- judge.c ---- */

/** Whether a result of the baseline, of one file of it, is compared with one of these. */
bool tkf_results_have_common(const struct tkf_results *results, const struct tkf_results *baseline,
                             const char *file);

/* ---- floor_used.c ---- */

/**
 * Whether results say that they are of a machine: they name its CPU; or none, but the machine's own
 * name, and no other number of CPUs.
 * @param host  NULL: not known, as are machines that all call themselves "localhost".
 */
bool tkf_origin_is_of(const struct tkf_origin *origin, const char *cpu, double cpus,
                      const char *host);

/**
 * Choose the floor of one origin.
 * @param rows  [nrows] its results.
 * @return 0 or TKF_ENOMEM. End it with free(sorted_ns).
 */
int tkf_floor_choose(struct tkf_results *results, const struct tkf_origin *origin,
                     struct tkf_row *const *rows, size_t nrows,
                     const struct tkf_judge_options *options, struct tkf_floor *ret_floor);

/** Whether a result is the time of one operation of one thread that ran: nothing else is a floor. */
bool tkf_may_be_floor(const struct tkf_result *row);

/**
 * Whether a number is an empty loop's, of a form that the row may be of; that form, or NULL.
 * @param ret_by_fastest  it is so by its fastest value, not by its usual one.
 */
const struct tkf_form_floor *tkf_floor_form(const struct tkf_case *c, bool *ret_by_fastest);

/**
 * The form that a row would be of, if it were empty: the one at or next below its number. NULL
 * without a floor.
 */
const struct tkf_form_floor *tkf_floor_nearest(const struct tkf_case *c);

/**
 * Whether a number lies where an empty loop of its form may lie, though it is more than one takes
 * undisturbed.
 * @param ret_by_fastest  its fastest value does, its usual one does not.
 */
bool tkf_floor_may_be_slow(const struct tkf_case *c, const struct tkf_form_floor *form,
                           bool *ret_by_fastest);

/* ---- name.c ---- */

struct tkf_name_parts tkf_name_parts(const char *name);

/** Whether a name says that the benchmark is empty, to be used as the floor. */
bool tkf_name_is_empty(const char *name);

/** A number in a name that may be a size: its place and value. */
struct tkf_name_size {
    unsigned start, length;
    double value;
};

#define TKF_NAME_SIZES_MAX 4

/**
 * The numbers in a name that may be sizes; how many. Those that are something else by their key
 * (threads, seed, ...) are left out.
 */
unsigned tkf_name_sizes(const char *name, struct tkf_name_size ret_sizes[TKF_NAME_SIZES_MAX]);

/** Whether a result has this name, alone or behind its group. */
bool tkf_name_is(const struct tkf_result *row, const char *name);

/* ---- expect.c ---- */

/** The pattern of the n-th expectation, and its line; NULL past the last, and for expectations of NULL. */
const char *tkf_expect_pattern(const struct tkf_expect *expect, size_t index, unsigned *ret_line);

/** Whether there is a result of its name. */
bool tkf_expect_is_met(const struct tkf_expect *expect, size_t index,
                       const struct tkf_results *results);

/** Fill in what is expected of a row: `expects_ns` and `broken`. */
void tkf_expect_check(struct tkf_case *c);

/* ---- hints.c ---- */

/** What to do about a row's verdict and evidence, in the framework's own terms; NULL for ok. */
const char *tkf_hint(const struct tkf_result *row);

/** The rule of an expectation of the user's that does not hold. */
#define TKF_RULE_EXPECT "expect"

/* ---- rules ---- */

bool tkf_rule_impossible(struct tkf_case *c);
bool tkf_rule_went_quiet(struct tkf_case *c);
bool tkf_rule_at_floor(struct tkf_case *c);
bool tkf_rule_capped(struct tkf_case *c);
bool tkf_rule_flat(struct tkf_case *c);
bool tkf_rule_timer_limited(struct tkf_case *c);
bool tkf_rule_near_floor(struct tkf_case *c);
bool tkf_rule_undecided(struct tkf_case *c);

/**
 * What speaks for or against a verdict, and what to know of a number that is ok. It decides
 * nothing.
 */
void tkf_corroborate(struct tkf_case *c, enum tkf_verdict verdict);

/**
 * Find the families over a size whose time does not grow with it.
 * @param ret_cases  [n] cases of all rows; `family` is set in them.
 * @return 0 or TKF_ENOMEM.
 */
int tkf_flat_families(struct tkf_case *cases, size_t n);

/* What one rule asks of another. */
bool tkf_number_is_known(const struct tkf_case *c); /**< a finite time of an operation that ran */
bool tkf_below_one_cycle(const struct tkf_case *c); /**< however many threads shared it */
bool tkf_work_is_seen(
    const struct tkf_case *c); /**< counted instructions show more than an empty loop */
bool tkf_clock_is_coarse(
    const struct tkf_case *c); /**< the number lies under what the clock can tell */

#endif
