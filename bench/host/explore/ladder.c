/* SPDX-License-Identifier: MIT */
/** The ladder: from one dependent add to a load out of memory and an atomic that two CPUs want. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "latency.h"
#include "part.h"
#include "partner.h"
#include "timing.h"
#include "window.h"
#include "work.h"

#define WINDOWS        300
#define FORWARD_PLACES 13  /* odd: the median is one of them, never the middle between two states */
#define CONTENDED_OPS  512 /* in one window, some 30 us */
#define CONTENDED_NS   400000000 /* how long to wait for enough windows */
#define PARTNER_SHARE  8         /* the other CPU has to do one of so many for a window to count */
#define CONTENDED_LINE \
    128 /* bytes between what the two count for themselves: two lines on some CPUs go together */

/* ---- operations, branches, calls ------------------------------------------------------------------------------------- */

static void add_operations(struct tkf_explorer *x)
{
    static const char no_kernel[] = "no such kernel was written for this architecture";
    static const char too_fast[] = "it takes no time that can be measured here";
    tkf_explore_add_ns(x, "op/add", "one dependent addition of two registers",
                       tkf_explore_time_kernel(x, "add", WINDOWS), no_kernel);
    tkf_explore_add_ns(x, "op/multiply", "one dependent multiplication of two registers",
                       tkf_explore_time_kernel(x, "mul", WINDOWS), no_kernel);
    /* The quotient and the next one change places: 31 bits and 33. */
    uint64_t operands[2] = {UINT64_C(0xfedcba9876543211), UINT64_C(0x1fedcba98)};
    tkf_explore_add_ns(
        x, "op/divide", "one dependent division of 64-bit integers, the quotient of 31 to 33 bits",
        tkf_explore_time(x, tkf_work_divide, operands, TKF_ESTIMATE_CORE, WINDOWS), too_fast);
}

static void add_branches(struct tkf_explorer *x)
{
    int64_t zero = 0;
    struct tkf_band ns = tkf_explore_time(x, tkf_work_branch, &zero, TKF_ESTIMATE_CORE, WINDOWS);
    tkf_explore_add_ns(x, "branch/predicted",
                       "a test and a branch that is not taken, one after the other", ns,
                       "it takes no time that can be measured here");

    struct tkf_work_random steady = {UINT64_C(0x9e3779b97f4a7c15), 0};
    struct tkf_work_random random = {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(1) << 31};
    struct tkf_band with = {NAN, NAN, NAN}, without;
    without =
        tkf_explore_time(x, tkf_work_random_branch, &steady, TKF_ESTIMATE_CORE_MEDIAN, WINDOWS);
    if (!isnan(without.mid))
        with =
            tkf_explore_time(x, tkf_work_random_branch, &random, TKF_ESTIMATE_CORE_MEDIAN, WINDOWS);
    /* Half of the random ones are foreseen by chance. */
    ns = (struct tkf_band){2 * (with.lo - without.hi), 2 * (with.mid - without.mid),
                           2 * (with.hi - without.lo)};
    if (!(ns.lo > 0))
        ns = (struct tkf_band){NAN, NAN, NAN};
    tkf_explore_add_ns(
        x, "branch/mispredicted",
        "what a branch costs more when it was foreseen wrongly: random against steady", ns,
        "random branches cost no more than steady ones here");
}

static void add_calls(struct tkf_explorer *x)
{
    static const char no_kernel[] = "no such kernel was written for this architecture";
    tkf_explore_add_ns(x, "call/direct", "a call of an empty function and its return, in a loop",
                       tkf_explore_time_kernel(x, "call", WINDOWS), no_kernel);
    tkf_explore_add_ns(x, "call/indirect", "the same through a pointer",
                       tkf_explore_time_kernel(x, "call_indirect", WINDOWS), no_kernel);
}

/**
 * Some cores foresee which store a load will need, and then the load costs nothing; whether they do may change with the address
 * and from one moment to the next. So it is timed in several places, and the interval goes from the fastest to the slowest of
 * them: a state in which few of them are is one that a program meets, too.
 */
static void add_forwarding(struct tkf_explorer *x)
{
    _Alignas(64) uint64_t lines[FORWARD_PLACES][8];
    double places[FORWARD_PLACES];
    unsigned n = 0;
    for (unsigned i = 0; i < FORWARD_PLACES; i++) {
        lines[i][i % 8] = 0;
        struct tkf_band ns = tkf_explore_time(x, tkf_work_forward, &lines[i][i % 8],
                                              TKF_ESTIMATE_CORE, WINDOWS / FORWARD_PLACES);
        if (!isnan(ns.mid))
            places[n++] = ns.mid;
    }
    struct tkf_band ns = tkf_explore_estimate(places, n, TKF_ESTIMATE_MEDIAN);
    if (!isnan(ns.mid))
        ns = (struct tkf_band){places[0], places[(n - 1) / 2], places[n - 1]};
    tkf_explore_add_ns(
        x, "store/forwarded",
        "a store and the load that needs what it stored: fastest, median and slowest of 13 addresses",
        ns, "it takes no time that can be measured here");
}

/* ---- atomics --------------------------------------------------------------------------------------------------------- */

/** What two CPUs add to, and what the other one has done. */
struct contest {
    _Alignas(CONTENDED_LINE) uint64_t sum;
    _Alignas(CONTENDED_LINE) uint64_t done;
    _Alignas(CONTENDED_LINE) bool stop;
};

static void contend(void *arg)
{
    struct contest *contest = arg;
    while (!__atomic_load_n(&contest->stop, __ATOMIC_RELAXED)) {
        tkf_work_atomic(&contest->sum, TKF_WORK_UNROLL);
        __atomic_store_n(&contest->done, contest->done + TKF_WORK_UNROLL, __ATOMIC_RELAXED);
    }
}

/** One operation while the other CPU does the same: only windows in which it was there to do so. */
static struct tkf_band time_contended(struct tkf_explorer *x, struct contest *contest)
{
    const struct tkf_source *src = x->counter->source;
    double samples[WINDOWS];
    unsigned n = 0;
    uint64_t until_ns = x->env.clock_ns(x->env.ctx) + CONTENDED_NS;
    while (n < WINDOWS && x->env.clock_ns(x->env.ctx) < until_ns && !tkf_explore_ended(x)) {
        uint64_t theirs = __atomic_load_n(&contest->done, __ATOMIC_RELAXED);
        uint64_t from = tkf_window_now(&x->env, src);
        tkf_work_atomic(&contest->sum, CONTENDED_OPS);
        uint64_t to = tkf_window_now(&x->env, src);
        theirs = __atomic_load_n(&contest->done, __ATOMIC_RELAXED) - theirs;
        double ticks = (double)to - (double)from - x->counter->read_ticks.mid;
        if (theirs >= CONTENDED_OPS / PARTNER_SHARE && ticks > 0)
            samples[n++] = tkf_ticks_to_ns(x->counter, ticks / CONTENDED_OPS);
    }
    return tkf_explore_estimate(samples, n, TKF_ESTIMATE_MEDIAN);
}

static void add_atomics(struct tkf_explorer *x)
{
    struct contest contest = {.stop = false};
    struct tkf_partner partner;
    char text[sizeof x->out->steps[0].text];
    tkf_explore_add_ns(
        x, "atomic/uncontended", "an atomic addition that no other CPU wants",
        tkf_explore_time(x, tkf_work_atomic, &contest.sum, TKF_ESTIMATE_CORE, WINDOWS),
        "it takes no time that can be measured here");

    snprintf(text, sizeof text,
             "an atomic addition on CPU %u while CPU %u does nothing but the same", x->cpu,
             x->neighbour);
    struct tkf_band ns = {NAN, NAN, NAN};
    const char *otherwise = "the other CPU never ran at the same time for long enough";
    if (x->neighbour == x->cpu) {
        snprintf(text, sizeof text, "an atomic addition that another CPU wants as well");
        otherwise = "there is no other CPU that this process may use";
    } else if (tkf_partner_start(&partner, x, x->neighbour, contend, &contest) != 0) {
        otherwise = "no thread can be bound to the other CPU";
    } else {
        ns = time_contended(x, &contest);
        __atomic_store_n(&contest.stop, true, __ATOMIC_RELAXED);
        tkf_partner_join(&partner);
    }
    tkf_explore_add_ns(x, "atomic/contended", text, ns, otherwise);
}

/* ---- the part ---------------------------------------------------------------------------------------------------------- */

int tkf_explore_ladder(struct tkf_explorer *x)
{
    x->env.progress(x->env.ctx, 0, "operations, branches, calls");
    add_operations(x);
    add_branches(x);
    add_calls(x);
    add_forwarding(x);
    x->env.progress(x->env.ctx, 0.15, "atomics");
    add_atomics(x);
    int error = tkf_explore_latency(x);
    if (error != 0)
        return error;
    return x->env.cancelled(x->env.ctx) ? TKF_ECANCELLED : 0;
}
