/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "stats.h"
#include "timing.h"
#include "window.h"

#define WINDOW_NS    40e3
#define OP_WINDOW_NS 15e3 /* and its double: most fit between two interruptions */
#define OP_MIN       3
#define OP_MAX       401
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

/** Ticks of n operations; 0 when the counter went back. */
static double run(const struct tkf_explorer *x, const struct tkf_op *op, uint64_t n)
{
    const struct tkf_source *src = x->counter->source;
    if (op->prepare != NULL)
        op->prepare(op->arg);
    uint64_t from = tkf_window_now(&x->env, src);
    op->run(op->arg, n);
    uint64_t to = tkf_window_now(&x->env, src);
    return to > from ? (double)(to - from) : 0;
}

/** The middle of a few windows of n operations. */
static double middle(const struct tkf_explorer *x, const struct tkf_op *op, uint64_t n)
{
    double ticks[SHORT_NEED];
    for (unsigned i = 0; i < SHORT_NEED; i++)
        ticks[i] = run(x, op, n);
    tkf_sort(ticks, SHORT_NEED);
    return ticks[SHORT_NEED / 2];
}

/** How many operations fill a window, or half of op->most where that is fewer; 0 when none do. */
static uint64_t fill(const struct tkf_explorer *x, const struct tkf_op *op, double window_ns)
{
    const struct tkf_counter *c = x->counter;
    double wanted = window_ns * c->hz * 1e-9, steps = 1000 * (double)c->step_ticks;
    double longest = TKF_WINDOW_MAX_NS * c->hz * 1e-9;
    wanted = wanted > steps ? wanted : steps;
    wanted = wanted < longest ? wanted : longest;
    uint64_t least = op->least > 0 ? op->least : 1;
    uint64_t most = op->most > 0 ? op->most / 2 : OPS_MAX;
    for (uint64_t n = least; n <= most; n *= 2) {
        double ticks = run(x, op, n);
        for (unsigned i = 0; i < 2; i++) {
            double again = run(x, op, n);
            ticks = again < ticks ? again : ticks;
        }
        if (ticks < wanted / 4)
            continue;
        double blocks = wanted / ticks * (double)n / (double)least;
        n = (blocks > 1 ? (uint64_t)blocks : 1) * least;
        return n < most ? n : most;
    }
    return op->most > 0 ? most : 0;
}

struct tkf_band tkf_op_cost(struct tkf_explorer *x, const struct tkf_op *op, uint64_t until_ns)
{
    double samples[OP_MAX];
    unsigned nsamples = 0;
    if (x->env.cancelled(x->env.ctx) || x->env.clock_ns(x->env.ctx) >= until_ns)
        return unknown;
    uint64_t n = fill(x, op, OP_WINDOW_NS);
    while (n > 0 && nsamples < OP_MAX && !x->env.cancelled(x->env.ctx) &&
           x->env.clock_ns(x->env.ctx) < until_ns) {
        double one = run(x, op, n), two = run(x, op, 2 * n);
        samples[nsamples++] = tkf_ticks_to_ns(x->counter, two - one) / (double)n;
    }
    return tkf_explore_median(samples, nsamples < OP_MIN ? 0 : nsamples);
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
    const struct tkf_op op = {.run = work, .arg = arg, .least = TKF_WORK_BLOCK};
    double samples[TKF_TIMING_MAX], ratios[TKF_TIMING_MAX];
    unsigned n = 0;
    bool scaled = estimate == TKF_ESTIMATE_CORE || estimate == TKF_ESTIMATE_CORE_MEDIAN;
    if (tkf_explore_ended(x))
        return unknown;
    uint64_t ops = fill(x, &op, WINDOW_NS);
    if (ops == 0)
        return unknown;
    ops = ops > TKF_WORK_BLOCK ? ops : 2 * TKF_WORK_BLOCK;
    double fewest = middle(x, &op, TKF_WORK_BLOCK);
    for (unsigned i = 0; i < nwindows && !tkf_explore_ended(x); i++) {
        ratios[n] = scaled ? clock_ratio(x) : 1;
        double ticks = run(x, &op, ops) - fewest;
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
