/* SPDX-License-Identifier: MIT */
/** Two profiles, quantity by quantity. */
#ifndef TKF_COMPARE_H
#define TKF_COMPARE_H

#include "quantities.h"

#define TKF_TOLERANCE_PERCENT 5

/** How a quantity of B stands beside that of A. */
enum tkf_change {
    TKF_CHANGE_SAME,    /**< the intervals overlap */
    TKF_CHANGE_CLOSE,   /**< they do not, but are within the tolerance of each other */
    TKF_CHANGE_BETTER,  /**< B's is */
    TKF_CHANGE_WORSE,   /**< B's is */
    TKF_CHANGE_DIFFERS, /**< where neither direction is better */
    TKF_CHANGE_ONLY_A,
    TKF_CHANGE_ONLY_B,
};
#define TKF_CHANGES 7

/** "same", "close", "better", ..., "only-a", "only-b". */
const char *tkf_change_name(enum tkf_change change);

/** Beyond interval and tolerance. */
bool tkf_change_counts(enum tkf_change change);

struct tkf_compared {
    struct tkf_quantity a,
        b; /**< group, name, unit, better are those of either where both are there */
    enum tkf_change change;
    bool overlap; /**< of the intervals; false where one is not there */
    double ratio; /**< b over a; NAN where there is none */
};

/** Something of the machines that differs. */
struct tkf_machine_difference {
    const char *what;    /**< "cpu", "kernel": as the profile's JSON names it */
    char a[128], b[128]; /**< "unknown" where it is */
};

#define TKF_DIFFERENCES_MAX 20

/** What an operating system adds to the bare machine: the same quantity under it and without it. */
struct tkf_os_adds {
    bool
        known; /**< one profile was made under an operating system, the other by firmware, on one machine */
    bool system_is_a; /**< A is the one under the system */
    const char *
        reason; /**< why not, where one is the firmware's: emulated, or not one machine; else NULL */
    const char *next; /**< what to do about the reason */
    double read_ns, floor_ns[3],
        worst_gap_ns; /**< system less firmware; floor: best, aligned, worst; NAN unknown */
};

struct tkf_comparison {
    const struct tkf_profile *a, *b;
    double tolerance_percent;
    struct tkf_machine_difference machine[TKF_DIFFERENCES_MAX];
    unsigned nmachine;
    struct tkf_compared *quantities; /**< by group, then CPU, then as in A */
    size_t nquantities;
    size_t counts[TKF_CHANGES];
    struct tkf_os_adds os;
};

/**
 * Compare two profiles. CPUs are matched by kind and by their order among those of their kind; what is left of both then
 * by order alone.
 *
 * @param tolerance_percent  0 or more: how far two values may lie apart beyond their intervals, for a quantity whose
 *                           slack is 1.
 * @param ret_comparison     refers to the profiles; to tkf_comparison_free().
 * Errors: TKF_ENOMEM.
 */
int tkf_compare(const struct tkf_profile *a, const struct tkf_profile *b, double tolerance_percent,
                struct tkf_comparison *ret_comparison);

void tkf_comparison_free(struct tkf_comparison *comparison);

#endif
