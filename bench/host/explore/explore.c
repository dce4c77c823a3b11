/* SPDX-License-Identifier: MIT */
/** An exploration as a whole: what it may take, which part runs when and for how long, and what is kept of one that was stopped. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tickfloor/profile.h>

#include "part.h"
#include "stats.h"

#define SECONDS_DEFAULT 25
#define SECONDS_MAX     86400

/**
 * The parts, in their order. A part may run for its weight's share of the time that is left when it begins, so what one leaves
 * over is its successors'.
 */
static const struct part {
    int (*explore)(struct tkf_explorer *x);
    double weight;
} parts[TKF_EXPLORE_PARTS] = {
    [TKF_EXPLORE_LADDER] = {tkf_explore_ladder, 8},
    [TKF_EXPLORE_BANDWIDTH] = {tkf_explore_bandwidth, 4},
    [TKF_EXPLORE_SYSTEM] = {tkf_explore_system, 4},
    [TKF_EXPLORE_PAIRS] = {tkf_explore_pairs, 3},
    [TKF_EXPLORE_FREQUENCY] = {tkf_explore_frequency, 2},
    [TKF_EXPLORE_NOISE] = {tkf_explore_noise, 4},
};

/** The environment's state behind struct tkf_env. */
struct host {
    const struct tkf_explore_request *request;
    struct tkf_topology *topology;
    double done, share; /* progress: where this part begins, and how much of the whole it is */
};

/* ---- the environment ---------------------------------------------------------------------------------------------- */

static int pin(void *ctx, unsigned cpu)
{
    struct host *host = ctx;
    return tkf_topology_pin(host->topology, cpu);
}

static bool cancelled(void *ctx)
{
    struct host *host = ctx;
    return host->request->cancelled != NULL && host->request->cancelled(host->request->ctx);
}

static void progress(void *ctx, double done, const char *what)
{
    struct host *host = ctx;
    if (host->request->progress != NULL)
        host->request->progress(host->request->ctx, host->done + done * host->share, what);
}

/* ---- what the parts share ------------------------------------------------------------------------------------------- */

void tkf_explore_add(struct tkf_explorer *x, const char *name, const char *text, const char *unit,
                     struct tkf_band value, const char *reason)
{
    struct tkf_explore *out = x->out;
    if (out->nsteps == TKF_STEPS_MAX)
        return;
    struct tkf_band unknown = {tkf_nan(), tkf_nan(), tkf_nan()};
    struct tkf_step *step = &out->steps[out->nsteps++];
    char disturbed[sizeof step->reason];
    /* What is a difference of two measurements may come out below nothing. */
    if (reason == NULL && value.lo < 0) {
        snprintf(disturbed, sizeof disturbed,
                 "too disturbed: the readings say %.3g to %.3g %s, which is no cost", value.lo,
                 value.hi, unit);
        reason = disturbed;
    }
    *step = (struct tkf_step){.value = reason != NULL ? unknown : value, .cycles = unknown};
    snprintf(step->name, sizeof step->name, "%s", name);
    snprintf(step->text, sizeof step->text, "%s", text);
    snprintf(step->unit, sizeof step->unit, "%s", unit);
    snprintf(step->reason, sizeof step->reason, "%s", reason != NULL ? reason : "");
    if (strcmp(unit, "ns") == 0)
        step->cycles =
            (struct tkf_band){step->value.lo / x->cycle_ns, step->value.mid / x->cycle_ns,
                              step->value.hi / x->cycle_ns};
}

void tkf_explore_drop_cycles(struct tkf_explorer *x)
{
    struct tkf_step *step = &x->out->steps[x->out->nsteps - 1];
    step->cycles = (struct tkf_band){tkf_nan(), tkf_nan(), tkf_nan()};
}

struct tkf_band tkf_explore_median(double *samples, unsigned nsamples)
{
    if (nsamples == 0)
        return (struct tkf_band){tkf_nan(), tkf_nan(), tkf_nan()};
    tkf_sort(samples, nsamples);
    return tkf_median_band(samples, nsamples);
}

bool tkf_explore_ended(struct tkf_explorer *x)
{
    if (x->env.cancelled(x->env.ctx))
        return true;
    bool late = x->env.clock_ns(x->env.ctx) >= x->end_ns;
    x->out->partial |= late;
    return late;
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/** The CPUs of all kinds. @return [*ret_ncpus], to free(); NULL without memory. */
static unsigned *usable_cpus(const struct tkf_topology *topology, unsigned *ret_ncpus)
{
    unsigned nkinds, ncpus = 0;
    const struct tkf_kind *kinds = tkf_topology_kinds(topology, &nkinds);
    for (unsigned k = 0; k < nkinds; k++)
        ncpus += kinds[k].ncpus;
    unsigned *cpus = malloc(ncpus * sizeof *cpus);
    if (cpus == NULL)
        return NULL;
    ncpus = 0;
    for (unsigned k = 0; k < nkinds; k++) {
        memcpy(cpus + ncpus, kinds[k].cpus, kinds[k].ncpus * sizeof *cpus);
        ncpus += kinds[k].ncpus;
    }
    qsort(cpus, ncpus, sizeof *cpus, ascending);
    *ret_ncpus = ncpus;
    return cpus;
}

/** The CPU on which the calling thread is to be when a part begins. A system that binds nothing is measured as it is. */
static int go_home(struct tkf_explorer *x)
{
    int error = x->env.pin(x->env.ctx, x->cpu);
    return error == TKF_EUNSUPPORTED ? 0 : error;
}

static int run_parts(struct tkf_explorer *x, struct host *host, const bool wanted[], double seconds)
{
    uint64_t from_ns = x->env.clock_ns(x->env.ctx);
    uint64_t until_ns = from_ns + (uint64_t)(seconds * 1e9);
    double all = 0, ahead;
    for (unsigned i = 0; i < TKF_EXPLORE_PARTS; i++)
        all += wanted[i] ? parts[i].weight : 0;
    ahead = all;
    for (unsigned i = 0; i < TKF_EXPLORE_PARTS; i++) {
        if (!wanted[i])
            continue;
        uint64_t now_ns = x->env.clock_ns(x->env.ctx);
        double left_ns = until_ns > now_ns ? (double)(until_ns - now_ns) : 0;
        x->end_ns = now_ns + (uint64_t)(left_ns * parts[i].weight / ahead);
        host->done = 1 - ahead / all;
        host->share = parts[i].weight / all;
        int error = x->env.cancelled(x->env.ctx) ? TKF_ECANCELLED : go_home(x);
        if (error != 0)
            return error;
        x->out->parts[i] = true;
        if ((error = parts[i].explore(x)) != 0)
            return error;
        ahead -= parts[i].weight;
    }
    return 0;
}

int tkf_explore_machine(const struct tkf_explore_request *request, struct tkf_profile *profile,
                        struct tkf_input_error *ret_error)
{
    double seconds = request->seconds != 0 ? request->seconds : SECONDS_DEFAULT;
    if (!(seconds > 0 && seconds <= SECONDS_MAX))
        return tkf_host_fail(ret_error, TKF_EINVAL, "give between 0 and 86400",
                             "an exploration cannot take %g seconds", request->seconds);
    if (profile->ncpus == 0)
        return tkf_host_fail(ret_error, TKF_EINVAL, "calibrate one first",
                             "the profile has no CPU");
    if (profile->counter.source == NULL)
        return tkf_host_fail(ret_error, TKF_ENOSOURCE, "calibrate this machine first",
                             "the profile was read from a file: its counter cannot be read here");

    struct host host = {.request = request};
    struct tkf_explore *out = calloc(1, sizeof *out);
    unsigned *cpus = NULL;
    bool wanted[TKF_EXPLORE_PARTS], any = false;
    char reason[160];
    int error = tkf_topology_load(&host.topology, reason, sizeof reason);
    if (error != 0) {
        tkf_host_fail(ret_error, error, "calibrate first, and explore in the same process",
                      "the CPUs of this machine cannot be told: %s", reason);
        goto end;
    }
    struct tkf_explorer x = {
        .env =
            {
                .ctx = &host,
                .clock_ns = tkf_clock_ns,
                .guard = tkf_guard,
                .forbidden = tkf_facts_forbidden,
                .pin = pin,
                .cancelled = cancelled,
                .progress = progress,
            },
        .topology = host.topology,
        .counter = &profile->counter,
        .cpu = profile->cpus[0].floor.cpu,
        .cycle_ns = profile->cpus[0].floor.cycle_ns,
        .out = out,
    };
    x.cpus = cpus = usable_cpus(host.topology, &x.ncpus);
    if (out == NULL || cpus == NULL) {
        error =
            tkf_host_fail(ret_error, TKF_ENOMEM, "free some memory and try again", "out of memory");
        goto end;
    }
    for (unsigned i = 0; i < TKF_EXPLORE_PARTS; i++)
        any |= request->parts[i];
    for (unsigned i = 0; i < TKF_EXPLORE_PARTS; i++)
        wanted[i] = !any || request->parts[i];

    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(out->created, sizeof out->created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    out->cpu = x.cpu;
    out->ncaches = tkf_topology_caches(host.topology, x.cpu, out->caches, &x.neighbour);
    uint64_t from_ns = tkf_clock_ns(NULL);
    error = run_parts(&x, &host, wanted, seconds);
    out->seconds = (double)(tkf_clock_ns(NULL) - from_ns) / 1e9;
    if (error == TKF_ECANCELLED) {
        out->partial = true;
        error = 0;
    }
    if (error != 0) {
        tkf_host_fail(ret_error, error, error == TKF_ENOMEM ? "free some memory and try again" : "",
                      "CPU %u: %s", x.cpu, tkf_strerror(error));
        goto end;
    }
    free(profile->explore);
    profile->explore = out;
    out = NULL;

end:
    if (host.topology != NULL)
        tkf_topology_unpin(host.topology);
    tkf_topology_free(host.topology);
    free(cpus);
    free(out);
    return error;
}
