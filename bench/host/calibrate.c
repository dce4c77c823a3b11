/* SPDX-License-Identifier: MIT */
/** The machine's profile, from its parts: topology, facts, counter, each CPU's floor, events, readiness, warnings. */
#include <tickfloor/calibrate.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host.h"

#define CPUS_MAX 4096

/** CPUs among which one is measured. */
struct target {
    const char *kind;
    const unsigned *candidates;
    unsigned ncandidates;
};

/** The environment's state behind struct tkf_env. */
struct host {
    const struct tkf_calibrate_request *request;
    struct tkf_topology *topology;
    unsigned pinned_cpu;
    struct tkf_pmu *pmu;
    bool pmu_asked;
    struct tkf_pmu_status pmu_status;
    double done,
        share; /* progress: where this CPU's part begins, and how much of the whole it is */
};

static int fail(struct tkf_input_error *ret_error, int code, const char *next, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

static int fail(struct tkf_input_error *ret_error, int code, const char *next, const char *format,
                ...)
{
    *ret_error = (struct tkf_input_error){.line = 0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ret_error->text, sizeof ret_error->text, format, arguments);
    va_end(arguments);
    snprintf(ret_error->next, sizeof ret_error->next, "%s", next);
    return code;
}

static void warn(struct tkf_profile *profile, const char *code, const char *next,
                 const char *format, ...) __attribute__((format(printf, 4, 5)));

static void warn(struct tkf_profile *profile, const char *code, const char *next,
                 const char *format, ...)
{
    char text[sizeof profile->warnings[0].text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tkf_profile_warn(profile, code, text, next);
}

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
            targets[n++] = (struct target){kinds[k].name, kinds[k].cpus, kinds[k].ncpus};
        *ret_ntargets = n;
        return 0;
    }
    if (!all) {
        char reason[120];
        if (tkf_cpulist_parse(request->cpus, cpus, CPUS_MAX, &ncpus, reason, sizeof reason) != 0)
            return fail(ret_error, TKF_EINVAL, "give kinds, all, or a list such as 0,3-5",
                        "--cpus: %s", reason);
        for (unsigned i = 0; i < ncpus; i++) {
            char allowed[80];
            tkf_topology_describe(topology, allowed, sizeof allowed);
            if (!tkf_topology_allows(topology, cpus[i]))
                return fail(ret_error, TKF_ENOCPU,
                            "choose among those, or widen the cpuset or the affinity mask",
                            "--cpus: CPU %u is not one this process may use; it may use %s",
                            cpus[i], allowed);
        }
    }
    for (unsigned k = 0; k < nkinds; k++) {
        for (unsigned i = 0; i < kinds[k].ncpus && n < CPUS_MAX; i++) {
            bool wanted = all;
            for (unsigned c = 0; c < ncpus && !wanted; c++)
                wanted = cpus[c] == kinds[k].cpus[i];
            if (wanted)
                targets[n++] = (struct target){kinds[k].name, &kinds[k].cpus[i], 1};
        }
    }
    *ret_ntargets = n;
    return 0;
}

/** One sentence: why this CPU. */
static void explain_choice(const struct target *target, struct tkf_profile_cpu *cpu)
{
    const struct tkf_cpu_floor *f = &cpu->floor;
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

/* ---- what the reader must know ---------------------------------------------------------------------------------------- */

static const struct tkf_loop *fused_loop(const struct tkf_cpu_floor *f)
{
    for (unsigned i = 0; i < f->nloops; i++) {
        if (strcmp(f->loops[i].name, tkf_arch_kernels[tkf_arch_roles.loop_fused].name) == 0)
            return &f->loops[i];
    }
    return NULL;
}

static void warn_of_counter(struct tkf_profile *profile, const struct tkf_cpu *cpu, bool forced)
{
    const struct tkf_counter *c = &profile->counter;
    /* A source that this CPU does not have is no news, unless it leaves nothing but the system's clock. */
    const struct tkf_rejected *best = c->nrejected > 0 ? &c->rejected[0] : NULL;
    bool fallen = best != NULL && best->error != 0 &&
                  (best->error != TKF_EUNSUPPORTED || !c->source->is_cpu_counter);
    if (fallen && !forced)
        warn(profile, "source-refused", best->next != NULL ? best->next : "",
             "the counter source %s was refused: %s; %s is used instead", best->source,
             best->reason, c->name);
    if (c->trust == TKF_TRUST_CONFLICT) {
        char rates[160] = "";
        size_t used = 0;
        for (unsigned i = 0; i < c->nrates && used < sizeof rates - 1; i++) {
            int n = snprintf(rates + used, sizeof rates - used, "%s%s %.6g MHz", i > 0 ? ", " : "",
                             c->rates[i].name, c->rates[i].hz / 1e6);
            used += n > 0 ? (size_t)n : 0;
        }
        warn(profile, "rate-conflict",
             "trust cycles and ratios; compare the system's clock with another machine's before ns",
             "the sources of the counter's rate disagree: %s", rates);
    } else if (c->trust == TKF_TRUST_DECLARED && c->source->unit != TKF_UNIT_NS) {
        warn(profile, "rate-unverified", "hold it against an independent clock",
             "the counter's rate is declared, not verified: no independent clock is here");
    }
    if (!c->source->is_cpu_counter)
        return;
    if (!cpu->invariant)
        warn(profile, "not-invariant",
             "pin the frequency and disable deep sleep states before comparing times",
             "the CPU does not promise that its counter runs at one rate (no invariant TSC)");
    if (!cpu->fence_known)
        warn(profile, "fence-unknown",
             "see that the kernel sets LFENCE serialising (lfence_rdtsc in /proc/cpuinfo)",
             "LFENCE is not known to order the counter's reads on this CPU");
}

static void warn_of_cpu(struct tkf_profile *profile, const struct tkf_cpu_floor *f)
{
    const struct tkf_loop *fused = fused_loop(f);
    if (!f->pinned)
        warn(profile, "unpinned", "repeat it a few times and keep the lowest floor",
             "CPU %u: the thread could not be bound: %s", f->cpu, f->unpinned_reason);
    if (!(f->chain_check > 0.995 && f->chain_check < 1.005))
        warn(
            profile, "cycle-unsound",
            "do not use this profile; measure on the hardware itself, or again on an idle machine",
            "CPU %u: the ADD chain costs %.3f of the XOR chain, so one of them is not one cycle a link",
            f->cpu, f->chain_check);
    if (profile->machine.emulated)
        return; /* what an emulator's windows do says nothing of a neighbour or a sibling */
    if (f->disturbed_share > 0.2 || f->lost_share > 0.2)
        warn(
            profile, "disturbed", "stop what else runs on this CPU, or choose another with --cpus",
            "CPU %u: what else ran took %.0f %% of the time; %.0f %% of the windows were disturbed",
            f->cpu, f->lost_share * 100, f->disturbed_share * 100);
    if (fused == NULL)
        return;
    /* A loop costs whole cycles where only the core has a say. */
    double cycles = fused->cycles.mid, off = cycles - (double)(unsigned)(cycles + 0.5);
    bool between = off > 0.05 || off < -0.05;
    bool unsteady = cycles > 1.05 && fused->fast.cycles.hi > 1.01 * fused->fast.cycles.lo;
    if (between || unsteady)
        warn(
            profile, "slow-state",
            "calibrate again in a while; on your own machine, idle the sibling or switch SMT off",
            "CPU %u: the empty loop was never seen at one cycle, only at %.2f and above; most likely the core's other hardware "
            "thread is busy",
            f->cpu, cycles);
    else if (fused->slow.share > 0.25)
        warn(
            profile, "slow-state",
            "expect short benchmarks to come out at either speed; compare minimums, or idle the sibling",
            "CPU %u: in %.0f %% of the windows the empty loop cost %.2f cycles instead of %.2f; most likely the core's other "
            "hardware thread was busy",
            f->cpu, fused->slow.share * 100, fused->slow.cycles.mid, fused->cycles.mid);
}

static void warn_of_machine(struct tkf_profile *profile)
{
    if (profile->machine.emulated)
        warn(
            profile, "emulated", "measure on the hardware itself",
            "this CPU is emulated (%s): cycles and floors here say nothing about hardware, and no result is called impossible",
            profile->machine.emulator[0] != '\0' ? profile->machine.emulator
                                                 : "by what, is not known");
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

static int measure_cpus(struct host *host, const struct tkf_env *env, const struct target *targets,
                        unsigned ntargets, struct tkf_scratch *scratch, struct tkf_profile *profile,
                        struct tkf_input_error *ret_error)
{
    struct tkf_calibrate_options options;
    tkf_calibrate_defaults(&options, host->request->quick);
    for (unsigned i = 0; i < ntargets; i++) {
        struct tkf_profile_cpu *cpu = &profile->cpus[i];
        host->done = (double)i / ntargets;
        host->share = 1.0 / ntargets;
        int error = tkf_calibrate_cpu(env, &options, &profile->counter, targets[i].candidates,
                                      targets[i].ncandidates, scratch, &cpu->floor);
        if (error == TKF_ENOCPU || error == TKF_EPERM)
            return fail(ret_error, error, "choose others with --cpus",
                        "CPU %u could not be bound: %s", targets[i].candidates[0],
                        tkf_strerror(error));
        if (error != 0)
            return fail(ret_error, error,
                        error == TKF_ENOISE ? "stop what else runs here and try again" : "",
                        "CPU %u: %s", targets[i].candidates[0], tkf_strerror(error));
        profile->ncpus = i + 1;
        snprintf(cpu->kind, sizeof cpu->kind, "%s", targets[i].kind);
        explain_choice(&targets[i], cpu);
        if (cpu->floor.suspect_below_ns > profile->suspect_below_ns)
            profile->suspect_below_ns = cpu->floor.suspect_below_ns;
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
        return fail(ret_error, error, "leave it out for the best one",
                    "--source: no source is called '%.40s'; there are %s", request->source, names);
    }
    if (counter->nrejected == 0)
        return fail(ret_error, error, "", "%s", tkf_strerror(error));
    const struct tkf_rejected *r = &counter->rejected[0];
    if (request->source != NULL)
        return fail(ret_error, error, "leave it out for the best one that works",
                    "--source: %s cannot be used: %s", r->source, r->reason);
    return fail(ret_error, error, r->next != NULL ? r->next : "", "no counter can be used: %s: %s",
                r->source, r->reason);
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
        return fail(ret_error, error, "free some memory and try again", "out of memory");
    struct tkf_profile *profile = &work->profile;
    error = tkf_topology_load(&host.topology, reason, sizeof reason);
    if (error != 0) {
        fail(ret_error, error, topology_next(error), "the CPUs of this machine cannot be told: %s",
             reason);
        goto end;
    }
    error = choose_targets(request, host.topology, work->cpus, work->targets, &ntargets, ret_error);
    if (error != 0)
        goto end;
    profile->cpus = calloc(ntargets, sizeof *profile->cpus);
    if (profile->cpus == NULL) {
        error = fail(ret_error, TKF_ENOMEM, "free some memory and try again", "out of memory");
        goto end;
    }

    struct tkf_env env = {
        .ctx = &host,
        .clock_ns = tkf_clock_works() ? tkf_clock_ns : NULL,
        .guard = tkf_guard,
        .forbidden = tkf_facts_forbidden,
        .pin = pin,
        .events = events,
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
    if (profile->counter.source->is_cpu_counter)
        tkf_rate_add(&profile->counter, "perf-time-page", tkf_pmu_counter_hz());

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
    warn_of_machine(profile);
    warn_of_counter(profile, &cpu, request->source != NULL);
    for (unsigned i = 0; i < profile->ncpus; i++)
        warn_of_cpu(profile, &profile->cpus[i].floor);
    *ret_profile = *profile;
    profile->cpus = NULL;

end:
    close_pmu(&host);
    if (host.topology != NULL)
        tkf_topology_unpin(host.topology);
    tkf_topology_free(host.topology);
    free(profile->cpus);
    free(work);
    return error;
}
