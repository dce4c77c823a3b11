/* SPDX-License-Identifier: MIT */
/** The core clock: how it rises from idle, and what is left of it when every core is busy. */
#include <stdlib.h>

#include "arch.h"
#include "explore/system.h"
#include "stats.h"
#include "window.h"

#define IDLE_NS     100000000 /* for so long the core is left idle before it is looked at */
#define WINDOW_NS   10000     /* of the chain; a frequency change itself takes tens of us */
#define RAMP_NS     100000000 /* a governor decides within some 10 ms */
#define RAMPS_MAX   9
#define RAMP_POINTS 160
#define STEADY_MAX  2000
#define STEADY_MIN  5

/** A chain of dependent operations, one cycle each, in windows of one length. */
struct chain {
    struct tkf_explorer *x;
    uint64_t iters;
    double once_ticks; /* what a window has beside the chain */
    double cycles;     /* of a window, beyond its first iteration */
};

static uint64_t run_chain(const struct chain *chain, uint64_t iters, uint64_t *ret_from)
{
    uint64_t ticks[2];
    const struct tkf_explorer *x = chain->x;
    tkf_window_run(&x->env, x->counter->source, tkf_arch_roles.chain_cycle, iters, ticks);
    *ret_from = ticks[0];
    return ticks[1] > ticks[0] ? ticks[1] - ticks[0] : 0;
}

static struct chain size_chain(struct tkf_explorer *x)
{
    const struct tkf_kernel *kernel = &tkf_arch_kernels[tkf_arch_roles.chain_cycle];
    struct chain chain = {.x = x};
    double once[9], window_ns = WINDOW_NS;
    uint64_t from;
    if (window_ns < 1000 * x->counter->step_ns)
        window_ns = 1000 * x->counter->step_ns;
    for (int i = 0; i < 9; i++)
        once[i] = (double)run_chain(&chain, 1, &from);
    tkf_sort(once, 9);
    chain.once_ticks = once[4];
    chain.iters = 1 + (uint64_t)(window_ns / x->cycle_ns / kernel->ops);
    chain.iters += chain.iters < 2;
    chain.cycles = (double)(chain.iters - 1) * kernel->ops;
    return chain;
}

/** One window: GHz; NAN where the counter stood still or went back. */
static double look(const struct chain *chain, uint64_t *ret_from)
{
    double ticks = (double)run_chain(chain, chain->iters, ret_from) - chain->once_ticks;
    return ticks > 0 ? chain->cycles / tkf_ticks_to_ns(chain->x->counter, ticks) : tkf_nan();
}

/* ---- the ramp -------------------------------------------------------------------------------------------------------------- */

/** When point i is looked at, in ns: every window at first, then ever more seldom. */
static double point_ns(unsigned i)
{
    double at_ns = 0, step_ns = WINDOW_NS;
    for (; i > 0; i--) {
        at_ns += step_ns;
        step_ns *= 1.038;
    }
    return at_ns;
}

/** What the ramps saw at each point. */
struct ramps {
    double at_ms[RAMP_POINTS][RAMPS_MAX], ghz[RAMP_POINTS][RAMPS_MAX];
    unsigned n[RAMP_POINTS], nramps;
};

/** Let the core idle, then look; a point that something else took the CPU over is left out. */
static void climb(const struct chain *chain, struct ramps *ramps)
{
    struct tkf_explorer *x = chain->x;
    nanosleep(&(struct timespec){.tv_nsec = IDLE_NS}, NULL);
    uint64_t first = tkf_turn_now(x);
    for (unsigned i = 0; i < RAMP_POINTS && !x->env.cancelled(x->env.ctx); i++) {
        double due_ns = point_ns(i), at_ns, ghz;
        uint64_t from;
        do {
            ghz = look(chain, &from);
            at_ns = tkf_ticks_to_ns(x->counter, (double)(int64_t)(from - first));
        } while (at_ns < due_ns);
        if (at_ns > due_ns * 1.05 + 3 * WINDOW_NS || tkf_is_nan(ghz))
            continue;
        ramps->at_ms[i][ramps->n[i]] = at_ns / 1e6;
        ramps->ghz[i][ramps->n[i]++] = ghz;
    }
}

/** Several ramps, and of each point the median: an interruption inside a window lowers one of them. */
static int explore_ramp(const struct chain *chain, uint64_t until_ns)
{
    struct tkf_explorer *x = chain->x;
    struct ramps *ramps = calloc(1, sizeof *ramps);
    if (ramps == NULL)
        return TKF_ENOMEM;
    for (unsigned i = 0; i < RAMPS_MAX && tkf_turn_goes_on(x, until_ns); i++) {
        if (x->env.clock_ns(x->env.ctx) + IDLE_NS + RAMP_NS > until_ns)
            break;
        climb(chain, ramps);
        ramps->nramps++;
    }
    for (unsigned i = 0; i < RAMP_POINTS; i++) {
        unsigned n = ramps->n[i];
        if (n == 0 || 2 * n < ramps->nramps)
            continue; /* the median of a few would be the interruption */
        tkf_sort(ramps->at_ms[i], n);
        tkf_sort(ramps->ghz[i], n);
        x->out->ramp[x->out->nramp++] = (struct tkf_ramp_point){
            tkf_quantile(ramps->at_ms[i], n, 0.5), tkf_quantile(ramps->ghz[i], n, 0.5)};
    }
    x->out->partial |= x->out->nramp == 0;
    free(ramps);
    return 0;
}

/* ---- one busy, all busy ------------------------------------------------------------------------------------------------------ */

static struct tkf_band steady(const struct chain *chain, uint64_t until_ns)
{
    double samples[STEADY_MAX];
    unsigned n = 0;
    uint64_t from;
    while (n < STEADY_MAX && tkf_turn_goes_on(chain->x, until_ns)) {
        double ghz = look(chain, &from);
        if (!tkf_is_nan(ghz))
            samples[n++] = ghz;
    }
    return tkf_explore_median(samples, n < STEADY_MIN ? 0 : n);
}

/** What the other CPUs do meanwhile. */
struct company {
    struct chain chain;
    int over; /* atomic */
};

static void keep_busy(void *arg)
{
    struct company *company = arg;
    uint64_t from;
    while (!__atomic_load_n(&company->over, __ATOMIC_RELAXED))
        run_chain(&company->chain, company->chain.iters, &from);
}

static int explore_all(struct tkf_turns *turns, const struct chain *chain, const char *name,
                       const char *text)
{
    struct tkf_explorer *x = turns->x;
    struct tkf_band clock = {tkf_nan(), tkf_nan(), tkf_nan()};
    uint64_t until_ns = tkf_turn(turns, 1);
    if (x->ncpus < 2) {
        tkf_explore_add(x, name, text, "GHz", clock,
                        "this process may use one CPU: clock/core/one is all");
        return 0;
    }
    struct company company = {.chain = *chain};
    struct tkf_partner *partners = calloc(x->ncpus, sizeof *partners);
    if (partners == NULL)
        return TKF_ENOMEM;
    unsigned n = 0;
    int error = 0;
    for (unsigned i = 0; i < x->ncpus && error == 0 && tkf_turn_goes_on(x, until_ns); i++) {
        if (x->cpus[i] == x->cpu)
            continue;
        error = tkf_partner_start(&partners[n], x, x->cpus[i], keep_busy, &company);
        n += error == 0;
    }
    if (error == 0 && n == x->ncpus - 1)
        clock = steady(chain, until_ns);
    __atomic_store_n(&company.over, 1, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < n; i++)
        tkf_partner_join(&partners[i]);
    free(partners);
    if (error != 0)
        tkf_explore_add(x, name, text, "GHz", clock, tkf_partner_reason(error));
    else
        tkf_turn_add(turns, name, text, "GHz", clock);
    return 0;
}

int tkf_explore_frequency(struct tkf_explorer *x)
{
    struct tkf_turns turns = {.x = x, .all = 6, .left = 6, .what = "the core clock"};
    struct chain chain = size_chain(x);
    int error = explore_ramp(&chain, tkf_turn(&turns, 4));
    if (error != 0)
        return error;
    tkf_turn_add(&turns, "clock/core/one", "the core clock, steady, this thread alone busy", "GHz",
                 steady(&chain, tkf_turn(&turns, 1)));
    error = explore_all(&turns, &chain, "clock/core/all",
                        "the core clock of the same CPU while every other one is busy too");
    if (error != 0)
        return error;
    return x->env.cancelled(x->env.ctx) ? TKF_ECANCELLED : 0;
}
