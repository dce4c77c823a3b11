/* SPDX-License-Identifier: MIT */
/** The machine's profile, from its parts: topology, facts, counter, each CPU's floor, events, readiness, warnings. */
#include <tickfloor/calibrate.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host.h"
#include "pmc.h"
#include "warnings.h"

#define CPUS_MAX 4096

/** CPUs among which one is measured. */
struct target {
    const char *kind;
    unsigned kind_index;
    const unsigned *candidates;
    unsigned ncandidates;
};

/** The environment's state behind struct tkf_env. */
struct host {
    const struct tkf_calibrate_request *request;
    struct tkf_topology *topology;
    unsigned pinned_cpu;
    struct tkf_steer *steer; /* where CPUs cannot be bound: the kind of core, if it could be had */
    const char *steered;     /* how */
    struct tkf_pmu *pmu;
    bool pmu_asked;
    struct tkf_pmu_status pmu_status;
    bool has_core_clock; /* false too after it trapped */
    char core_clock_reason[80];
    double done,
        share; /* progress: where this CPU's part begins, and how much of the whole it is */
};

/* ---- the environment ---------------------------------------------------------------------------------------------- */

static void close_pmu(struct host *host)
{
    tkf_pmu_close(host->pmu);
    host->pmu = NULL;
    host->pmu_asked = false;
}

static int pin(void *ctx, unsigned cpu)
{
    struct host *host = ctx;
    int error = tkf_topology_pin(host->topology, cpu);
    if (error == 0) {
        host->pinned_cpu = cpu;
        close_pmu(host); /* its counters may be of another kind of core */
    }
    return error;
}

static int events(void *ctx, struct tkf_events *ret_events)
{
    struct host *host = ctx;
    if (!host->pmu_asked) {
        host->pmu_asked = true;
        tkf_pmu_open(host->pinned_cpu, &host->pmu, &host->pmu_status);
    }
    return host->pmu != NULL ? tkf_pmu_read(host->pmu, ret_events) : TKF_EUNSUPPORTED;
}

static void read_core_clock(void *arg)
{
    uint64_t *cycles = arg;
    if (tkf_arch_core_clock(&cycles[0]))
        tkf_arch_core_clock(&cycles[1]);
}

/* Guarded each time: what is allowed on one CPU may trap on another, and 24 reads are few. */
static int core_clock(void *ctx, uint64_t *ret_cycles)
{
    struct host *host = ctx;
    uint64_t cycles[2] = {0, 0};
    if (!host->has_core_clock)
        return TKF_EUNSUPPORTED;
    const char *reason = NULL;
    if (tkf_guard(NULL, read_core_clock, cycles) != 0)
        reason = "the kernel or a hypervisor forbids " TKF_CORE_CLOCK_NAME;
    else if (cycles[1] <= cycles[0])
        reason = TKF_CORE_CLOCK_NAME " does not advance";
    if (reason != NULL) {
        host->has_core_clock = false;
        snprintf(host->core_clock_reason, sizeof host->core_clock_reason, "%s", reason);
        return TKF_EUNSUPPORTED;
    }
    *ret_cycles = cycles[1];
    return 0;
}

/** A window in which the thread ran on the kind of core that is measured; of any other nothing is given. */
static void run_steered(void *ctx, const struct tkf_source *src, unsigned kernel, uint64_t iters,
                        uint64_t ret_ticks[2])
{
    const struct host *host = ctx;
    uint64_t elsewhere = tkf_steer_elsewhere(host->steer);
    src->kernels[kernel](iters, ret_ticks);
    if (tkf_steer_elsewhere(host->steer) != elsewhere)
        ret_ticks[1] = ret_ticks[0];
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

/* ---- what to measure ------------------------------------------------------------------------------------------------ */

/** What to do when the topology cannot be loaded. */
static const char *topology_next(int error)
{
    switch (error) {
    case TKF_EUNSUPPORTED:
        return ""; /* the reason says it */
    case TKF_ENOMEM:
        return "free some memory and try again";
    default:
        return "unset the environment's HWLOC_ variables, and see that /sys is mounted";
    }
}

/** The targets of a request. `cpus` holds the numbers of an explicit list or of "all"; the targets point into it. */
static int choose_targets(const struct tkf_calibrate_request *request,
                          const struct tkf_topology *topology, unsigned cpus[CPUS_MAX],
                          struct target targets[CPUS_MAX], unsigned *ret_ntargets,
                          struct tkf_input_error *ret_error)
{
    unsigned nkinds, ncpus = 0, n = 0;
    const struct tkf_kind *kinds = tkf_topology_kinds(topology, &nkinds);
    bool by_kind = request->cpus == NULL || strcmp(request->cpus, "kinds") == 0;
    bool all = !by_kind && strcmp(request->cpus, "all") == 0;

    if (by_kind) {
        for (unsigned k = 0; k < nkinds && n < CPUS_MAX; k++)
            targets[n++] = (struct target){kinds[k].name, k, kinds[k].cpus, kinds[k].ncpus};
        *ret_ntargets = n;
        return 0;
    }
    if (!all) {
        char reason[120];
        if (tkf_cpulist_parse(request->cpus, cpus, CPUS_MAX, &ncpus, reason, sizeof reason) != 0)
            return tkf_host_fail(ret_error, TKF_EINVAL, "give kinds, all, or a list such as 0,3-5",
                                 "--cpus: %s", reason);
        for (unsigned i = 0; i < ncpus; i++) {
            char allowed[80];
            tkf_topology_describe(topology, allowed, sizeof allowed);
            if (!tkf_topology_allows(topology, cpus[i]))
                return tkf_host_fail(
                    ret_error, TKF_ENOCPU,
                    "choose among those, or widen the cpuset or the affinity mask",
                    "--cpus: CPU %u is not one this process may use; it may use %s", cpus[i],
                    allowed);
        }
    }
    for (unsigned k = 0; k < nkinds; k++) {
        for (unsigned i = 0; i < kinds[k].ncpus && n < CPUS_MAX; i++) {
            bool wanted = all;
            for (unsigned c = 0; c < ncpus && !wanted; c++)
                wanted = cpus[c] == kinds[k].cpus[i];
            if (wanted)
                targets[n++] = (struct target){kinds[k].name, k, &kinds[k].cpus[i], 1};
        }
    }
    *ret_ntargets = n;
    return 0;
}

/** One sentence: why this CPU. */
static void explain_choice(const struct host *host, const struct target *target,
                           struct tkf_profile_cpu *cpu)
{
    const struct tkf_cpu_floor *f = &cpu->floor;
    if (!f->pinned) {
        snprintf(cpu->chosen, sizeof cpu->chosen, "the system's choice%s%s",
                 host->steer != NULL ? " among its kind: " : "",
                 host->steer != NULL ? host->steered : "");
        return;
    }
    if (target->ncandidates == 1) {
        snprintf(cpu->chosen, sizeof cpu->chosen, "the only CPU to choose from");
        return;
    }
    double own = 0, others = 0;
    for (unsigned i = 0; i < f->ncandidates; i++) {
        if (f->candidates[i].cpu == f->cpu)
            own = f->candidates[i].fast_share;
        else
            others += f->candidates[i].fast_share / (f->ncandidates - 1);
    }
    snprintf(
        cpu->chosen, sizeof cpu->chosen,
        "the quietest of %u: the loop ran at its fastest in %.0f %% of the probes, on the others in %.0f %%",
        f->ncandidates, own * 100, others * 100);
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

static void stamp(struct tkf_profile *profile)
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(profile->created, sizeof profile->created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(profile->tool, sizeof profile->tool, "tickfloor " TKF_VERSION);
}

static void count_cpus(struct tkf_machine *machine, const struct tkf_topology *topology)
{
    unsigned nkinds;
    const struct tkf_kind *kinds = tkf_topology_kinds(topology, &nkinds);
    machine->cpus = 0;
    for (unsigned k = 0; k < nkinds; k++)
        machine->cpus += kinds[k].ncpus;
    machine->kinds = nkinds > 1 || kinds[0].name[0] != '\0' ? nkinds : 0;
}

static int measure_cpus(struct host *host, struct tkf_env *env, const struct target *targets,
                        unsigned ntargets, struct tkf_scratch *scratch, struct tkf_profile *profile,
                        struct tkf_input_error *ret_error)
{
    struct tkf_calibrate_options options;
    tkf_calibrate_defaults(&options, host->request->quick);
    unsigned nkinds;
    const struct tkf_kind *kinds = tkf_topology_kinds(host->topology, &nkinds);
    for (unsigned i = 0; i < ntargets; i++) {
        struct tkf_profile_cpu *cpu = &profile->cpus[i];
        tkf_steer_end(host->steer);
        host->steer = NULL;
        int steered =
            tkf_steer_begin(kinds, nkinds, targets[i].kind_index, &host->steer, &host->steered);
        env->run = steered == 0 ? run_steered : NULL;
        host->done = (double)i / ntargets;
        host->share = 1.0 / ntargets;
        int error = tkf_calibrate_cpu(env, &options, &profile->counter, targets[i].candidates,
                                      targets[i].ncandidates, scratch, &cpu->floor);
        if (error == TKF_ENOCPU || error == TKF_EPERM)
            return tkf_host_fail(ret_error, error, "choose others with --cpus",
                                 "CPU %u could not be bound: %s", targets[i].candidates[0],
                                 tkf_strerror(error));
        if (error != 0)
            return tkf_host_fail(ret_error, error,
                                 error == TKF_ENOISE ? "stop what else runs here and try again"
                                                     : "",
                                 "CPU %u: %s", targets[i].candidates[0], tkf_strerror(error));
        profile->ncpus = i + 1;
        explain_choice(host, &targets[i], cpu);
        if (cpu->floor.pinned || steered == 0)
            snprintf(cpu->kind, sizeof cpu->kind, "%s", targets[i].kind);
        if (!cpu->floor.pinned)
            cpu->floor.cpu = targets[i].candidates[0];
        cpu->pmu = host->pmu_status;
        cpu->cycle_check.cycles = cpu->floor.own_cycles;
        snprintf(cpu->cycle_check.by, sizeof cpu->cycle_check.by, "%s",
                 cpu->floor.core_clock_error == 0 ? TKF_CORE_CLOCK_NAME : "");
        snprintf(cpu->cycle_check.reason, sizeof cpu->cycle_check.reason, "%s",
                 cpu->floor.core_clock_error == 0 ? "" : host->core_clock_reason);
        if (cpu->floor.suspect_below_ns > profile->suspect_below_ns)
            profile->suspect_below_ns = cpu->floor.suspect_below_ns;
        if (!cpu->floor.pinned && steered != 0)
            break; /* the next would be measured wherever the system likes, as this one was */
    }
    return 0;
}

static int no_source(const struct tkf_calibrate_request *request, const struct tkf_counter *counter,
                     int error, struct tkf_input_error *ret_error)
{
    if (error == TKF_EINVAL) {
        char names[120] = "";
        size_t used = 0;
        for (unsigned i = 0; i < tkf_arch_nsources && used < sizeof names - 1; i++) {
            int n = snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                             tkf_arch_sources[i].name);
            used += n > 0 ? (size_t)n : 0;
        }
        return tkf_host_fail(ret_error, error, "leave it out for the best one",
                             "--source: no source is called '%.40s'; there are %s", request->source,
                             names);
    }
    if (counter->nrejected == 0)
        return tkf_host_fail(ret_error, error, "", "%s", tkf_strerror(error));
    const struct tkf_rejected *r = &counter->rejected[0];
    if (request->source != NULL)
        return tkf_host_fail(ret_error, error, "leave it out for the best one that works",
                             "--source: %s cannot be used: %s", r->source, r->reason);
    return tkf_host_fail(ret_error, error, r->next != NULL ? r->next : "",
                         "no counter can be used: %s: %s", r->source, r->reason);
}

int tkf_calibrate_machine(const struct tkf_calibrate_request *request,
                          struct tkf_profile *ret_profile, struct tkf_input_error *ret_error)
{
    /* Too large for a small stack. */
    struct work {
        struct tkf_profile profile;
        struct tkf_scratch scratch;
        struct target targets[CPUS_MAX];
        unsigned cpus[CPUS_MAX];
    } *work = calloc(1, sizeof *work);
    struct host host = {.request = request, .share = 1};
    struct tkf_cpu_hints hints = {.hwcap = 0};
    struct tkf_cpu cpu;
    unsigned ntargets = 0;
    char reason[160];
    int error = TKF_ENOMEM;

    if (work == NULL)
        return tkf_host_fail(ret_error, error, "free some memory and try again", "out of memory");
    struct tkf_profile *profile = &work->profile;
    error = tkf_topology_load(&host.topology, reason, sizeof reason);
    if (error != 0) {
        tkf_host_fail(ret_error, error, topology_next(error),
                      "the CPUs of this machine cannot be told: %s", reason);
        goto end;
    }
    error = choose_targets(request, host.topology, work->cpus, work->targets, &ntargets, ret_error);
    if (error != 0)
        goto end;
    profile->cpus = calloc(ntargets, sizeof *profile->cpus);
    if (profile->cpus == NULL) {
        error =
            tkf_host_fail(ret_error, TKF_ENOMEM, "free some memory and try again", "out of memory");
        goto end;
    }

    struct tkf_env env = {
        .ctx = &host,
        .clock_ns = tkf_clock_works() ? tkf_clock_ns : NULL,
        .guard = tkf_guard,
        .forbidden = tkf_facts_forbidden,
        .pin = pin,
        .events = events,
        .core_clock = core_clock,
        .cancelled = cancelled,
        .progress = progress,
    };
    tkf_facts_read("", &profile->machine, &hints);
    error =
        tkf_counter_probe(&env, &hints, request->source, &work->scratch, &cpu, &profile->counter);
    if (error != 0) {
        if (error != TKF_ECANCELLED)
            no_source(request, &profile->counter, error, ret_error);
        goto end;
    }
    host.has_core_clock = cpu.has_core_clock;
    if (!cpu.has_core_clock)
        snprintf(host.core_clock_reason, sizeof host.core_clock_reason,
                 "this CPU counts no cycles of its own that a program may read");
    if (profile->counter.source->is_cpu_counter)
        tkf_rate_add(&profile->counter, tkf_pmu_counter_rate, tkf_pmu_counter_hz());

    error = measure_cpus(&host, &env, work->targets, ntargets, &work->scratch, profile, ret_error);
    if (error != 0)
        goto end;

    stamp(profile);
    tkf_facts_add_cpu(&profile->machine, &cpu);
    count_cpus(&profile->machine, host.topology);
    profile->pmu = profile->cpus[0].pmu;
    tkf_topology_unpin(host.topology); /* a check asks where this process may run */
    profile->nchecks =
        tkf_readiness("", &profile->machine, profile->cpus[0].floor.cpu, profile->checks);
    tkf_warnings_add(profile, &cpu, request->source != NULL);
    *ret_profile = *profile;
    profile->cpus = NULL;

end:
    close_pmu(&host);
    tkf_steer_end(host.steer);
    if (host.topology != NULL)
        tkf_topology_unpin(host.topology);
    tkf_topology_free(host.topology);
    free(profile->cpus);
    free(work);
    return error;
}
