/* SPDX-License-Identifier: MIT */
/** A profile as a list of named quantities, for what compares profiles and for what hands them on. */
#ifndef TKF_QUANTITIES_H
#define TKF_QUANTITIES_H

#include <tickfloor/profile.h>

/** What quantities are shown together. In this order. */
enum tkf_group {
    TKF_GROUP_COUNTER,
    TKF_GROUP_CLOCK,
    TKF_GROUP_FLOOR,
    TKF_GROUP_NOISE,
    TKF_GROUP_LOOPS,
    TKF_GROUP_CHAINS,
    TKF_GROUP_COSTS,
    TKF_GROUP_HARNESSES,
    TKF_GROUP_STEPS, /**< of an exploration, as the rest: what it measured by name, bandwidth too */
    TKF_GROUP_LATENCY, /**< the curve */
    TKF_GROUP_PAIRS,
    TKF_GROUP_GAPS,
    TKF_GROUP_RAMP,
};
#define TKF_GROUPS 13

/** Which of two values a user wants. */
enum tkf_better { TKF_BETTER_NEITHER, TKF_BETTER_LOWER, TKF_BETTER_HIGHER };

/** One quantity of one profile. */
struct tkf_quantity {
    enum tkf_group group;
    char name
        [80]; /**< "loop/fused"; with `cpu` unique in a profile, and the same in every profile */
    int cpu;  /**< index of the profile's CPU; -1: of the whole machine */
    const char *
        unit; /**< "ns", "cycles", "GHz", "GB/s", "Hz", "ppm", "%"; a part of the profile or constant */
    struct tkf_band value; /**< mid is finite; lo and hi are mid where no interval is known */
    enum tkf_better better;
    /**
     * What two measurements of one machine may differ by: `slack` times the tolerance that is asked for, and `least`
     * in the unit. Clock rates repeat to a part in ten thousand, the worst gap not to a factor of two.
     */
    double slack, least;
};

/** "counter", "clock", "floor", ...; NULL beyond the last. */
const char *tkf_group_name(unsigned group);

/**
 * Call take() for each quantity that is known, group by group within what belongs to one CPU.
 * @param take  a negative code ends it, and is returned. The quantity is valid during the call.
 */
int tkf_quantities(const struct tkf_profile *profile,
                   int (*take)(void *ctx, const struct tkf_quantity *quantity), void *ctx);

/**
 * What tells a CPU apart from the others on any machine: "performance", "performance#2", "#2"; "" where there is nothing
 * to tell apart.
 */
void tkf_cpu_place(const struct tkf_profile *profile, unsigned cpu, char *ret_text, size_t size);

/** How many of the CPUs before this one are of its kind: with the kind it tells CPUs apart on every machine. */
unsigned tkf_cpu_order(const struct tkf_profile *profile, unsigned cpu);

#endif
