/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "stats.h"
#include "timing.h"
#include "window.h"

#define WINDOW_NS 40e3
#define OPS_MAX  \
    (UINT64_C(1) \
     << 26) /* as for the floor: what does not fill a window with so many takes no time */
#define SHORT_NEED  9
#define CORE_WIDTH  0.01
#define STATE_WIDTH 1.03 /* a state is about so wide */
#define CLOCK_WIDTH 0.003
#define CLOCK_HOP   0.05 /* what is off by more is another clock rate */
#define STATE_NEED  4
#define CHAIN_ITERS 1024 /* of the defining chain beside a window: some 15 us */

static const struct tkf_band unknown = {__builtin_nan(""), __builtin_nan(""), __builtin_nan("")};

/** One window at work. */
struct window {
    struct tkf_explorer *x;
    tkf_work_fn *work;
    void *arg;
};

/** Ticks of n operations; 0 when the counter went back. */
static double run(const struct window *w, uint64_t n)
{
    const struct tkf_source *src = w->x->counter->source;
    uint64_t from = tkf_window_now(&w->x->env, src);
    w->work(w->arg, n);
    uint64_t to = tkf_window_now(&w->x->env, src);
    return to > from ? (double)(to - from) : 0;
}

/** The middle of a few windows of n operations. */
static double middle(const struct window *w, uint64_t n)
{
    double ticks[SHORT_NEED];
    for (unsigned i = 0; i < SHORT_NEED; i++)
        ticks[i] = run(w, n);
    tkf_sort(ticks, SHORT_NEED);
    return ticks[SHORT_NEED / 2];
}

/** How many operations fill a window; 0 when none do. */
static uint64_t fill(const struct window *w)
{
    const struct tkf_counter *c = w->x->counter;
    double wanted = WINDOW_NS * c->hz * 1e-9, least = 1000 * (double)c->step_ticks;
    double most = TKF_WINDOW_MAX_NS * c->hz * 1e-9;
    wanted = wanted > least ? wanted : least;
    wanted = wanted < most ? wanted : most;
    for (uint64_t n = 2 * TKF_WORK_BLOCK; n <= OPS_MAX; n *= 2) {
        double ticks = run(w, n);
        double again = run(w, n);
        ticks = again < ticks ? again : ticks;
        if (ticks < wanted / 4)
            continue;
        double blocks = wanted / ticks * (double)n / TKF_WORK_BLOCK;
        return (blocks > 2 ? (uint64_t)blocks : 2) * TKF_WORK_BLOCK;
    }
    return 0;
}

struct tkf_band tkf_explore_estimate(double *samples, unsigned n, enum tkf_estimate estimate)
{
    if (n < TKF_TIMING_MIN)
        return unknown;
    tkf_sort(samples, n);
    if (estimate == TKF_ESTIMATE_MEDIAN || estimate == TKF_ESTIMATE_CORE_MEDIAN)
        return tkf_median_band(samples, n);
    /* The fastest state, as for an empty loop: it begins where a few windows agree, and is where most of them do. */
    struct tkf_cluster fast = tkf_lowest_cluster(samples, n, CORE_WIDTH, STATE_NEED + n / 32);
    if (fast.count == 0)
        return tkf_median_band(samples, n);
    unsigned end = fast.first;
    while (end < n && samples[end] <= samples[fast.first] * STATE_WIDTH)
        end++;
    const double *state = samples + fast.first;
    struct tkf_cluster most = tkf_mode_cluster(state, end - fast.first, CORE_WIDTH);
    return tkf_midmean_band(state + most.first, most.count);
}

/** The ratio of the calibrated clock to that of this moment; 0 when the chain was interrupted beyond use. */
static double clock_ratio(const struct tkf_explorer *x)
{
    const struct tkf_source *src = x->counter->source;
    unsigned chain = tkf_arch_roles.chain_cycle;
    uint64_t once = tkf_window_ticks(&x->env, src, chain, 1);
    uint64_t all = tkf_window_ticks(&x->env, src, chain, CHAIN_ITERS);
    if (all <= once)
        return 0;
    double links = (double)(CHAIN_ITERS - 1) * tkf_arch_kernels[chain].ops;
    return x->cycle_ns / tkf_ticks_to_ns(x->counter, (double)(all - once) / links);
}

/** Drop the windows in which the chain did not run at the calibrated clock. @return how many are left. */
static unsigned keep_near(double *samples, const double *ratios, unsigned n)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < n; i++)
        if (fabs(ratios[i] - 1) < CLOCK_WIDTH)
            samples[kept++] = samples[i];
    return kept;
}

/**
 * Bring n windows to the calibrated clock. Where there are some at that rate, they alone count. Where the chain is
 * slower by no more than a busy sibling makes it, that is no clock, and they stay as they are; else each is scaled.
 * @return how many are left.
 */
static unsigned at_calibrated_clock(double *samples, const double *ratios, unsigned n)
{
    unsigned near = 0, hopped = 0;
    for (unsigned i = 0; i < n; i++) {
        near += fabs(ratios[i] - 1) < CLOCK_WIDTH;
        hopped += fabs(ratios[i] - 1) > CLOCK_HOP;
    }
    if (near >= TKF_TIMING_MIN && near >= n / 8)
        return keep_near(samples, ratios, n);
    for (unsigned i = 0; i < n && hopped > n / 2; i++)
        samples[i] *= ratios[i];
    return n;
}

struct tkf_band tkf_explore_time(struct tkf_explorer *x, tkf_work_fn *work, void *arg,
                                 enum tkf_estimate estimate, unsigned nwindows)
{
    struct window w = {x, work, arg};
    double samples[TKF_TIMING_MAX], ratios[TKF_TIMING_MAX];
    unsigned n = 0;
    bool scaled = estimate == TKF_ESTIMATE_CORE || estimate == TKF_ESTIMATE_CORE_MEDIAN;
    if (tkf_explore_ended(x))
        return unknown;
    uint64_t ops = fill(&w);
    if (ops == 0)
        return unknown;
    double fewest = middle(&w, TKF_WORK_BLOCK);
    for (unsigned i = 0; i < nwindows && !tkf_explore_ended(x); i++) {
        ratios[n] = scaled ? clock_ratio(x) : 1;
        double ticks = run(&w, ops) - fewest;
        samples[n] = tkf_ticks_to_ns(x->counter, ticks / (double)(ops - TKF_WORK_BLOCK));
        n += samples[n] > 0 && ratios[n] > 0;
    }
    n = at_calibrated_clock(samples, ratios, n);
    struct tkf_band band = tkf_explore_estimate(samples, n, estimate);
    /* An interval cannot be narrower than the counter's step is in a window. */
    double half_step = 0.5 * x->counter->step_ns / (double)(ops - TKF_WORK_BLOCK);
    band.lo -= half_step;
    band.hi += half_step;
    return band;
}

/** A kernel as a work. */
struct kernel {
    const struct tkf_explorer *x;
    unsigned index;
};

static void run_kernel(void *arg, uint64_t n)
{
    const struct kernel *kernel = arg;
    uint64_t ticks[2];
    tkf_window_run(&kernel->x->env, kernel->x->counter->source, kernel->index,
                   n / tkf_arch_kernels[kernel->index].ops + 1, ticks);
}

struct tkf_band tkf_explore_time_kernel(struct tkf_explorer *x, const char *name, unsigned nwindows)
{
    struct kernel kernel = {x, 0};
    while (strcmp(tkf_arch_kernels[kernel.index].name, name) != 0)
        if (++kernel.index == tkf_arch_nkernels)
            return unknown;
    return tkf_explore_time(x, run_kernel, &kernel, TKF_ESTIMATE_CORE, nwindows);
}

const char *tkf_explore_why(struct tkf_explorer *x, const char *otherwise)
{
    if (x->env.cancelled(x->env.ctx))
        return "it was stopped before this";
    if (tkf_explore_ended(x))
        return "the time was up before this";
    return otherwise;
}

void tkf_explore_add_ns(struct tkf_explorer *x, const char *name, const char *text,
                        struct tkf_band ns, const char *otherwise)
{
    tkf_explore_add(x, name, text, "ns", ns,
                    tkf_is_nan(ns.mid) ? tkf_explore_why(x, otherwise) : NULL);
}
