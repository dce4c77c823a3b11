/* SPDX-License-Identifier: MIT */
#include "quantities.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/*
 * From twenty calibrations of one busy virtual machine: cycles and floor repeated within 1 %, the counter's rate within
 * 0.04 ppm, reads of a counter or a clock within 12 %, the worst gap within a factor of 3. At the usual tolerance of
 * 5 % these are 1000 ppm, 5 %, 15 % and a factor of 6.
 */
#define SLACK_RATE  0.02
#define SLACK_CORE  1
#define SLACK_SMALL 3
#define SLACK_NOISE 100

#define SHARE_LEAST  5    /* % of the time: less is of the moment, not of the machine */
#define GAP_LEAST_NS 5000 /* an interrupt */
#define RATE_LEAST   10   /* Hz */
#define PPM_LEAST    0.5

struct taker {
    int (*take)(void *ctx, const struct tkf_quantity *quantity);
    void *ctx;
    int ret;
    int cpu;
};

struct kind {
    enum tkf_group group;
    const char *unit;
    enum tkf_better better;
    double slack, least;
};

const char *tkf_group_name(unsigned group)
{
    static const char *const names[TKF_GROUPS] = {
        [TKF_GROUP_COUNTER] = "counter", [TKF_GROUP_CLOCK] = "clock",
        [TKF_GROUP_FLOOR] = "floor",     [TKF_GROUP_NOISE] = "noise",
        [TKF_GROUP_LOOPS] = "loops",     [TKF_GROUP_CHAINS] = "chains",
        [TKF_GROUP_COSTS] = "costs",     [TKF_GROUP_HARNESSES] = "harnesses",
        [TKF_GROUP_STEPS] = "steps",     [TKF_GROUP_LATENCY] = "latency",
        [TKF_GROUP_PAIRS] = "pairs",     [TKF_GROUP_GAPS] = "gaps",
        [TKF_GROUP_RAMP] = "ramp",
    };
    return group < TKF_GROUPS ? names[group] : NULL;
}

static void put(struct taker *taker, const struct kind *kind, struct tkf_band value,
                const char *format, ...) __attribute__((format(printf, 4, 5)));

static void put(struct taker *taker, const struct kind *kind, struct tkf_band value,
                const char *format, ...)
{
    if (taker->ret < 0 || !isfinite(value.mid))
        return;
    struct tkf_quantity quantity = {
        .group = kind->group,
        .cpu = taker->cpu,
        .unit = kind->unit,
        .value = value,
        .better = kind->better,
        .slack = kind->slack,
        .least = kind->least,
    };
    if (!isfinite(value.lo))
        quantity.value.lo = value.mid;
    if (!isfinite(value.hi))
        quantity.value.hi = value.mid;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(quantity.name, sizeof(quantity.name), format, arguments);
    va_end(arguments);
    taker->ret = taker->take(taker->ctx, &quantity);
}

static struct tkf_band point(double value)
{
    return (struct tkf_band){value, value, value};
}

static struct tkf_band times(struct tkf_band band, double factor)
{
    return (struct tkf_band){band.lo * factor, band.mid * factor, band.hi * factor};
}

/* ---- what a calibration measured ---- */

static void put_counter(struct taker *taker, const struct tkf_counter *counter)
{
    static const struct kind rate = {TKF_GROUP_COUNTER, "GHz", TKF_BETTER_NEITHER, SLACK_RATE, 0};
    static const struct kind step = {TKF_GROUP_COUNTER, "ns", TKF_BETTER_LOWER, SLACK_CORE, 0};
    static const struct kind read = {TKF_GROUP_COUNTER, "ns", TKF_BETTER_LOWER, SLACK_SMALL, 0};
    put(taker, &rate, point(counter->hz / 1e9), "counter/rate");
    put(taker, &step, point(counter->step_ns), "counter/step");
    put(taker, &read, counter->read_ns, "counter/read");
}

static void put_cpu(struct taker *taker, const struct tkf_cpu_floor *cpu)
{
    static const struct kind clock = {TKF_GROUP_CLOCK, "GHz", TKF_BETTER_HIGHER, SLACK_CORE, 0};
    static const struct kind cycle = {TKF_GROUP_CLOCK, "ns", TKF_BETTER_LOWER, SLACK_CORE, 0};
    static const struct kind floor = {TKF_GROUP_FLOOR, "ns", TKF_BETTER_LOWER, SLACK_CORE, 0};
    static const struct kind gap = {TKF_GROUP_NOISE, "ns", TKF_BETTER_LOWER, SLACK_NOISE,
                                    GAP_LEAST_NS};
    static const struct kind share = {TKF_GROUP_NOISE, "%", TKF_BETTER_LOWER, SLACK_NOISE,
                                      SHARE_LEAST};
    static const struct kind loop = {TKF_GROUP_LOOPS, "cycles", TKF_BETTER_LOWER, SLACK_CORE, 0};
    static const struct kind chain = {TKF_GROUP_CHAINS, "cycles", TKF_BETTER_LOWER, SLACK_CORE, 0};
    static const struct kind cost = {TKF_GROUP_COSTS, "cycles", TKF_BETTER_LOWER, SLACK_SMALL, 0};
    double ns_of_tick = cpu->cycle_ns / cpu->cycle_ticks.mid;

    put(taker, &clock, point(cpu->core_hz / 1e9), "clock/core");
    put(taker, &cycle,
        isfinite(ns_of_tick) ? times(cpu->cycle_ticks, ns_of_tick) : point(cpu->cycle_ns),
        "clock/cycle");
    /* Not an interval but three values: of the fastest shape, the aligned ones, the worst. */
    put(taker, &floor, point(cpu->floor_ns.lo), "floor/best");
    put(taker, &floor, point(cpu->floor_ns.mid), "floor/aligned");
    put(taker, &floor, point(cpu->floor_ns.hi), "floor/worst");
    put(taker, &gap, point(cpu->worst_gap_ns), "noise/worst-gap");
    put(taker, &share, point(cpu->lost_share * 100), "noise/lost");
    put(taker, &share, point(cpu->disturbed_share * 100), "noise/disturbed");
    for (unsigned i = 0; i < cpu->nloops; i++)
        put(taker, &loop, cpu->loops[i].cycles, "loop/%s", cpu->loops[i].name);
    for (unsigned i = 0; i < cpu->nchains; i++)
        put(taker, &chain, cpu->chains[i].cycles, "chain/%s", cpu->chains[i].name);
    for (unsigned i = 0; i < cpu->ncosts; i++)
        put(taker, &cost, cpu->costs[i].cycles, "cost/%s", cpu->costs[i].name);
}

static void put_harness(struct taker *taker, const struct tkf_harness_floor *harness)
{
    static const struct kind kind = {TKF_GROUP_HARNESSES, "ns", TKF_BETTER_LOWER, SLACK_SMALL, 0};
    put(taker, &kind, harness->ns, "harness/%s%s%s", harness->framework,
        harness->loop_form[0] ? "/" : "", harness->loop_form);
}

/* ---- what an exploration did ---- */

static void put_step(struct taker *taker, const struct tkf_step *step)
{
    bool rate = strcmp(step->unit, "GB/s") == 0 || strcmp(step->unit, "GHz") == 0;
    bool ppm = strcmp(step->unit, "ppm") == 0;
    const struct kind kind = {
        TKF_GROUP_STEPS,
        step->unit,
        rate  ? TKF_BETTER_HIGHER
        : ppm ? TKF_BETTER_NEITHER
              : TKF_BETTER_LOWER,
        SLACK_SMALL,
        ppm ? PPM_LEAST : 0,
    };
    put(taker, &kind, step->value, "%s", step->name);
}

static void put_latency(struct taker *taker, const struct tkf_latency_point *at)
{
    static const struct kind kind = {TKF_GROUP_LATENCY, "ns", TKF_BETTER_LOWER, SLACK_SMALL, 0};
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    uint64_t bytes = at->bytes;
    unsigned unit = 0;
    while (unit < 4 && bytes >= 1024 && bytes % 1024 == 0) {
        bytes /= 1024;
        unit++;
    }
    put(taker, &kind, at->ns, "latency/%llu%s", (unsigned long long)bytes, units[unit]);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* 2016 of them are no reading; and which CPU has which number says nothing of another machine. */
static void put_pairs(struct taker *taker, const struct tkf_explore *explore)
{
    static const struct kind ns = {TKF_GROUP_PAIRS, "ns", TKF_BETTER_LOWER, SLACK_SMALL, 0};
    static const struct kind ppm = {TKF_GROUP_PAIRS, "ppm", TKF_BETTER_LOWER, SLACK_SMALL,
                                    PPM_LEAST};
    static const struct kind count = {TKF_GROUP_PAIRS, "", TKF_BETTER_LOWER, 0, 0};
    double values[TKF_PAIRS_MAX], drift = NAN;
    struct tkf_band offset = {NAN, NAN, NAN};
    unsigned n = 0, measured = 0, backward = 0;
    for (unsigned i = 0; i < explore->npairs; i++) {
        const struct tkf_cpu_pair *pair = &explore->pairs[i];
        double ahead = fabs(pair->offset_ns), bound = pair->offset_bound_ns;
        if (isfinite(pair->ns.mid))
            values[n++] = pair->ns.mid;
        if (isfinite(ahead) && !(ahead <= offset.mid))
            offset = (struct tkf_band){fmax(ahead - bound, 0), ahead, ahead + bound};
        if (isfinite(pair->drift_ppm) && !(fabs(pair->drift_ppm) <= drift))
            drift = fabs(pair->drift_ppm);
        measured += pair->reason[0] == '\0';
        backward += pair->reason[0] == '\0' && !pair->monotonic;
    }
    qsort(values, n, sizeof(values[0]), by_value);
    if (n > 0) {
        put(taker, &ns, point(values[0]), "pairs/nearest");
        put(taker, &ns, point(values[n / 2]), "pairs/median");
        put(taker, &ns, point(values[n - 1]), "pairs/farthest");
    }
    put(taker, &ns, offset, "pairs/counter-offset");
    put(taker, &ppm, point(drift), "pairs/counter-drift");
    put(taker, &count, point(measured > 0 ? backward : NAN), "pairs/counter-backward");
}

static void put_gaps(struct taker *taker, const struct tkf_explore *explore)
{
    static const struct kind worst = {TKF_GROUP_GAPS, "ns", TKF_BETTER_LOWER, SLACK_NOISE,
                                      GAP_LEAST_NS};
    static const struct kind rate = {TKF_GROUP_GAPS, "Hz", TKF_BETTER_LOWER, SLACK_NOISE,
                                     RATE_LEAST};
    static const struct kind share = {TKF_GROUP_GAPS, "%", TKF_BETTER_LOWER, SLACK_NOISE,
                                      SHARE_LEAST};
    double rates[TKF_NOISES_MAX], shares[TKF_NOISES_MAX], worst_ns = NAN;
    unsigned nrates = 0, nshares = 0;
    for (unsigned i = 0; i < explore->nnoise; i++) {
        const struct tkf_cpu_noise *noise = &explore->noise[i];
        if (isfinite(noise->worst_ns) && !(noise->worst_ns <= worst_ns))
            worst_ns = noise->worst_ns;
        if (isfinite(noise->rate_hz))
            rates[nrates++] = noise->rate_hz;
        if (isfinite(noise->stolen_share))
            shares[nshares++] = noise->stolen_share * 100;
    }
    qsort(rates, nrates, sizeof(rates[0]), by_value);
    qsort(shares, nshares, sizeof(shares[0]), by_value);
    put(taker, &worst, point(worst_ns), "gaps/worst");
    put(taker, &rate, point(nrates ? rates[nrates / 2] : NAN), "gaps/rate");
    put(taker, &share, point(nshares ? shares[nshares / 2] : NAN), "gaps/stolen");
    put(taker, &share, point(nshares ? shares[nshares - 1] : NAN), "gaps/stolen-worst-cpu");
}

static void put_ramp(struct taker *taker, const struct tkf_explore *explore)
{
    static const struct kind ghz = {TKF_GROUP_RAMP, "GHz", TKF_BETTER_HIGHER, SLACK_SMALL, 0};
    static const struct kind ns = {TKF_GROUP_RAMP, "ns", TKF_BETTER_LOWER, SLACK_NOISE, 1e6};
    if (explore->nramp == 0)
        return;
    double steady = explore->ramp[explore->nramp - 1].ghz, reached_ms = NAN;
    for (unsigned i = explore->nramp; i-- > 0 && explore->ramp[i].ghz >= 0.98 * steady;)
        reached_ms = explore->ramp[i].at_ms;
    put(taker, &ghz, point(explore->ramp[0].ghz), "ramp/from-idle");
    put(taker, &ghz, point(steady), "ramp/steady");
    put(taker, &ns, point(reached_ms * 1e6), "ramp/time");
}

static void put_explore(struct taker *taker, const struct tkf_explore *explore)
{
    for (unsigned i = 0; i < explore->nsteps; i++)
        put_step(taker, &explore->steps[i]);
    for (unsigned i = 0; i < explore->nlatency; i++)
        put_latency(taker, &explore->latency[i]);
    put_pairs(taker, explore);
    put_gaps(taker, explore);
    put_ramp(taker, explore);
}

/* ---- the whole ---- */

int tkf_quantities(const struct tkf_profile *profile,
                   int (*take)(void *ctx, const struct tkf_quantity *quantity), void *ctx)
{
    static const struct kind suspect = {TKF_GROUP_FLOOR, "ns", TKF_BETTER_LOWER, SLACK_CORE, 0};
    struct taker taker = {.take = take, .ctx = ctx, .cpu = -1};
    put_counter(&taker, &profile->counter);
    put(&taker, &suspect, point(profile->suspect_below_ns), "floor/suspect-below");
    for (unsigned i = 0; i < profile->ncpus; i++) {
        taker.cpu = (int)i;
        put_cpu(&taker, &profile->cpus[i].floor);
    }
    taker.cpu = -1;
    for (unsigned i = 0; i < profile->nharnesses; i++)
        put_harness(&taker, &profile->harnesses[i]);
    if (profile->explore)
        put_explore(&taker, profile->explore);
    return taker.ret;
}

unsigned tkf_cpu_order(const struct tkf_profile *profile, unsigned cpu)
{
    unsigned before = 0;
    for (unsigned i = 0; i < cpu; i++)
        before += strcmp(profile->cpus[i].kind, profile->cpus[cpu].kind) == 0;
    return before;
}

void tkf_cpu_place(const struct tkf_profile *profile, unsigned cpu, char *ret_text, size_t size)
{
    unsigned order = tkf_cpu_order(profile, cpu);
    size_t used = (size_t)snprintf(ret_text, size, "%s", profile->cpus[cpu].kind);
    if (order > 0 && used < size)
        snprintf(ret_text + used, size - used, "#%u", order + 1);
}
