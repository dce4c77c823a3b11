/* SPDX-License-Identifier: MIT */
#include "warnings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "arch.h"

/*
 * A fenced read costs 20 to 120 core cycles on the CPUs known; a trap enters a kernel or a hypervisor, and costs 300 at the
 * least.
 */
#define TRAPPED_READ_CYCLES 250

/* How far the core's own count of a link may be off, by what is exact and by hardware events, which count the loop's
 * branch on a core that does one thing at a time: 66 instructions for 64 links. */
#define OWN_CYCLES_TOLERANCE   0.01
#define EVENT_CYCLES_TOLERANCE 0.04

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

static const struct tkf_loop *fused_loop(const struct tkf_cpu_floor *f)
{
    for (unsigned i = 0; i < f->nloops; i++) {
        if (strcmp(f->loops[i].name, tkf_arch_kernels[tkf_arch_roles.loop_fused].name) == 0)
            return &f->loops[i];
    }
    return NULL;
}

/* The one declared rate that is off where the measured ones and some other declared one agree; NULL where it is not so simple. */
static const struct tkf_rate *only_liar(const struct tkf_counter *counter)
{
    const struct tkf_rate *liar = NULL;
    unsigned off = 0, declared = 0;
    for (unsigned i = 0; i < counter->nrates; i++) {
        bool measured = strncmp(counter->rates[i].name, "os-clock", strlen("os-clock")) == 0;
        declared += !measured;
        if (fabs(counter->rates[i].ppm_off) <= 1000)
            continue;
        off++;
        liar = measured ? NULL : &counter->rates[i];
    }
    return off == 1 && declared >= 2 ? liar : NULL;
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
        const struct tkf_rate *liar = only_liar(c);
        if (liar != NULL)
            warn(
                profile, "rate-conflict",
                "use the times: the rate is measured; whoever converts this counter's ticks by the declared rate errs",
                "the rate that %s declares is wrong, by %+.0f ppm of the measured one: it is only what firmware or a "
                "hypervisor wrote there (%s)",
                liar->name, liar->ppm_off, rates);
        else
            warn(
                profile, "rate-conflict",
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

static void warn_of_traps(struct tkf_profile *profile, const struct tkf_cpu *cpu)
{
    const struct tkf_counter *c = &profile->counter;
    if (profile->machine.emulated || c->source->trapped == NULL || profile->ncpus == 0)
        return;
    double cycles = c->read_ns.mid / profile->cpus[0].floor.cycle_ns;
    if (!(cycles > TRAPPED_READ_CYCLES) && !cpu->counter_emulated)
        return;
    warn(
        profile, "counter-trapped", c->source->trapped,
        "reading %s costs %.0f ns, %.0f core cycles: each read traps%s; the floor is measured around it, but nothing short can "
        "be timed by single reads here",
        c->name, c->read_ns.mid, cycles,
        cpu->counter_emulated ? ", as the hypervisor itself says" : ", by what it costs");
}

/* By the core's own count a link of the chain is one cycle. */
static void warn_of_cycles(struct tkf_profile *profile, const struct tkf_profile_cpu *cpu)
{
    static const char next[] =
        "do not compare cycles of this profile; report it, with tickfloor show --machine --json";
    double own = cpu->cycle_check.cycles, events = NAN;
    for (unsigned i = 0; i < cpu->floor.nchains; i++)
        if (strcmp(cpu->floor.chains[i].name, tkf_arch_kernels[tkf_arch_roles.chain_cycle].name) ==
            0)
            events = cpu->floor.chains[i].event_cycles;
    if (fabs(own - 1) > OWN_CYCLES_TOLERANCE)
        warn(
            profile, "cycle-disagrees", next,
            "CPU %u: a link of the XOR chain should be one cycle, and the core itself counts %.3f (%s)",
            cpu->floor.cpu, own, cpu->cycle_check.by);
    else if (fabs(events - 1) > EVENT_CYCLES_TOLERANCE && !profile->machine.emulated)
        warn(
            profile, "cycle-disagrees", next,
            "CPU %u: a link of the XOR chain should be one cycle, and the hardware events count %.3f (%s)",
            cpu->floor.cpu, events, cpu->pmu.how);
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

void tkf_warnings_add(struct tkf_profile *profile, const struct tkf_cpu *cpu, bool forced)
{
    warn_of_machine(profile);
    warn_of_counter(profile, cpu, forced);
    warn_of_traps(profile, cpu);
    for (unsigned i = 0; i < profile->ncpus; i++) {
        warn_of_cpu(profile, &profile->cpus[i].floor);
        warn_of_cycles(profile, &profile->cpus[i]);
    }
}
