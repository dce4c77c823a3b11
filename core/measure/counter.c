/* SPDX-License-Identifier: MIT */
/** Choosing a counter: each source proves itself, best first. */
#include "rate.h"
#include "stats.h"
#include "window.h"

#define BURST      512
#define BURSTS     48
#define BURSTS_MAX 4096 /* 2 million readings: 17 ms or more */
#define WIDE       64   /* a difference this many times the smallest spans an interruption */
#define MOVES_MIN  3    /* how often a counter has to move before its step is believed */

#define DISTINCT_MAX 64 /* different differences that are kept */
#define MULTIPLES_MAX \
    4 /* the smallest difference may be of so many steps, where a read takes that long */
#define SCALED_PROOFS 5 /* differences that would each fit by chance one time in three */

/* A step that is 0.2 % of the longest window. */
#define STEP_MAX_NS (2e-3 * TKF_WINDOW_MAX_NS)

/* No counter that is worth reading ticks faster than this; a larger advance is a jump. */
#define RATE_MAX_HZ 20e9

struct proof {
    const struct tkf_env *env;
    const struct tkf_source *src;
    struct tkf_scratch *scratch;
    struct tkf_counter *counter;
    int error;
};

static void copy(char *to, size_t size, const char *from)
{
    size_t i = 0;
    for (; from[i] != '\0' && i + 1 < size; i++)
        to[i] = from[i];
    to[i] = '\0';
}

static bool same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return *a == *b;
}

static void reject(struct tkf_counter *counter, const struct tkf_source *src, int error,
                   const char *reason)
{
    if (counter->nrejected == TKF_REJECTED_MAX)
        return;
    struct tkf_rejected *r = &counter->rejected[counter->nrejected++];
    r->source = src->name;
    r->error = error;
    r->next = error == 0 || error == TKF_EUNSUPPORTED ? NULL : src->next;
    copy(r->reason, sizeof r->reason, reason);
}

static const char *unit_name(enum tkf_unit unit)
{
    switch (unit) {
    case TKF_UNIT_CORE_CYCLE:
        return "core-cycle";
    case TKF_UNIT_NS:
        return "ns";
    case TKF_UNIT_REF_TICK:
        break;
    }
    return "ref-tick";
}

/** A read's cost from the costs of bursts, or where a burst spans too few steps to tell, from all readings at once. */
static struct tkf_band usual_cost(double *costs, unsigned n, double step, double overall,
                                  double nreads)
{
    tkf_sort(costs, n);
    struct tkf_cluster usual = tkf_mode_cluster(costs, n, 0.02);
    struct tkf_band band = tkf_median_band(costs + usual.first, usual.count);
    double half_step = 0.5 * step / (BURST - 1);
    if (half_step > 0.01 * band.mid) {
        band = (struct tkf_band){overall, overall, overall};
        half_step = step / nreads;
    }
    return (struct tkf_band){band.lo - half_step, band.mid, band.hi + half_step};
}

/** The step of a counter, as its readings tell it. */
struct stepping {
    uint64_t step;    /* gcd of the differences that count */
    uint64_t least;   /* the smallest difference but zero */
    uint64_t largest; /* of those that count */
    unsigned moves;
    double distinct[DISTINCT_MAX]; /* those that count, each once */
    unsigned ndistinct;
};

static void keep_distinct(struct stepping *s, double delta)
{
    for (unsigned i = 0; i < s->ndistinct; i++) {
        if (s->distinct[i] == delta)
            return;
    }
    if (s->ndistinct < DISTINCT_MAX)
        s->distinct[s->ndistinct++] = delta;
}

/** What one step may be, and how sure that is. */
struct step_range {
    double lo, hi;
    unsigned proofs;
};

/** Narrow the range by one difference, which is a whole number of steps, each end cut to a whole tick. False: it is none. */
static bool fits_step(struct step_range *range, double delta, double least)
{
    double fewest = (double)(uint64_t)((delta - 1) / range->hi);
    if (fewest * range->hi < delta - 1)
        fewest++;
    double most = (double)(uint64_t)((delta + 1) / range->lo);
    if (fewest > most)
        return false;
    if (fewest < most)
        return true; /* says nothing */
    double chance = (2 + fewest * (range->hi - range->lo)) / range->lo;
    if (delta > least + 1 && chance < 1.0 / 3)
        range->proofs++;
    double lo = (delta - 1) / fewest, hi = (delta + 1) / fewest;
    if (lo > range->lo)
        range->lo = lo;
    if (hi < range->hi)
        range->hi = hi;
    return range->lo <= range->hi;
}

/**
 * The step of a counter that is scaled up from a slower one, by a factor that is no whole number: a 1 GHz counter over a
 * 24 MHz crystal advances by 41 or 42, so the greatest common divisor says 1.
 * @return 0 when the counter is none of that kind, as far as can be told.
 */
static uint64_t scaled_step(struct stepping *s)
{
    tkf_sort(s->distinct, s->ndistinct);
    for (unsigned multiple = 1; multiple <= MULTIPLES_MAX && s->step == 1; multiple++) {
        double least = (double)s->least;
        struct step_range range = {(least - 1) / multiple, (least + 1) / multiple, 0};
        bool fits = range.lo > 4;
        for (unsigned i = 0; i < s->ndistinct && fits; i++)
            fits = fits_step(&range, s->distinct[i], least);
        if (fits && range.proofs >= SCALED_PROOFS)
            return (uint64_t)((range.lo + range.hi) / 2 + 0.5);
    }
    return 0;
}

/**
 * Take the difference of two neighbouring readings. A wide one says nothing of the step: over an interruption a virtual machine's
 * counter may have been set anew, off its grid (2 of 10 million readings here).
 */
static void take_delta(struct stepping *s, uint64_t delta)
{
    if (delta == 0 || (s->least != 0 && delta > WIDE * s->least))
        return;
    if (s->least == 0 || delta < s->least)
        s->least = delta;
    if (s->largest > WIDE * s->least)
        *s = (struct stepping){.least = s->least}; /* what counted until now was wide */
    if (delta > s->largest)
        s->largest = delta;
    s->step = tkf_gcd(s->step, delta);
    keep_distinct(s, (double)delta);
    s->moves++;
}

/*
 * Runs under the trap guard. Bursts of fenced reads, spread over enough time to see the counter move even if it steps
 * rarely (a 24 MHz counter repeats a value for 40 ns, a tick-based clock for milliseconds).
 */
static void prove(void *arg)
{
    struct proof *p = arg;
    const struct tkf_env *env = p->env;
    uint64_t *ticks = p->scratch->ticks;
    double *costs = p->scratch->values;
    struct stepping stepping = {.step = 0};
    uint64_t first = 0, last = 0, widest = 0;
    unsigned nbursts = 0;

    p->error = TKF_ESTUCK;
    uint64_t clock_from = env->clock_ns != NULL ? env->clock_ns(env->ctx) : 0;
    for (unsigned i = 0; i < BURSTS || (stepping.moves < MOVES_MIN && i < BURSTS_MAX); i++) {
        tkf_window_burst(env, p->src, ticks, BURST);
        for (unsigned k = 0; k < BURST; k++) {
            uint64_t before = k > 0 ? ticks[k - 1] : last;
            if (i == 0 && k == 0) {
                first = ticks[0];
                continue;
            }
            if (ticks[k] < before) {
                p->error = TKF_EBACKWARD;
                return;
            }
            uint64_t delta = ticks[k] - before;
            take_delta(&stepping, delta);
            if (delta > widest)
                widest = delta;
        }
        last = ticks[BURST - 1];
        costs[nbursts++] = (double)(ticks[BURST - 1] - ticks[0]) / (BURST - 1);
    }
    if (stepping.step == 0)
        return;
    uint64_t scaled = scaled_step(&stepping);
    if (scaled != 0)
        stepping.step = scaled;
    if (env->clock_ns != NULL) {
        double elapsed_s = (double)(env->clock_ns(env->ctx) - clock_from) * 1e-9;
        if ((double)widest > (elapsed_s + 1e-3) * RATE_MAX_HZ) {
            p->error = TKF_EJUMP;
            return;
        }
    }

    double nreads = (double)nbursts * BURST - 1;
    p->counter->read_ticks =
        usual_cost(costs, nbursts, (double)stepping.step, (double)(last - first) / nreads, nreads);
    p->counter->step_ticks = stepping.step;
    p->error = 0;
}

struct identification {
    const struct tkf_cpu_hints *hints;
    struct tkf_cpu *cpu;
};

static void identify(void *arg)
{
    struct identification *i = arg;
    tkf_arch_identify(i->hints, i->cpu);
}

static int guarded(const struct tkf_env *env, void (*fn)(void *), void *arg)
{
    if (env->guard != NULL)
        return env->guard(env->ctx, fn, arg);
    fn(arg);
    return 0;
}

/** A first rate, good to a per cent or so: enough to size the windows with. */
static void estimate_rate(const struct tkf_env *env, struct tkf_counter *counter)
{
    double hz = tkf_nan();
    if (env->clock_ns != NULL && counter->source->unit != TKF_UNIT_NS) {
        struct tkf_moment from = tkf_moment_read(env, counter->source), to;
        unsigned tries = 0;
        do {
            to = tkf_moment_read(env, counter->source);
        } while (to.clock_ns - from.clock_ns < 500000 && ++tries < 10000);
        hz = tkf_moment_rate_hz(&from, &to);
    }
    if (tkf_is_nan(hz))
        tkf_rate_declare(counter);
    else
        tkf_rate_use(counter, hz);
}

/** Try one source; on success the counter is complete but for its settled rate. */
static int try_source(const struct tkf_env *env, const struct tkf_source *src,
                      const struct tkf_cpu *cpu, struct tkf_scratch *scratch,
                      struct tkf_counter *counter)
{
    const char *reason = src->refuse(cpu);
    if (reason != NULL) {
        reject(counter, src, TKF_EUNSUPPORTED, reason);
        return TKF_EUNSUPPORTED;
    }
    if (src->is_cpu_counter && env->forbidden != NULL)
        reason = env->forbidden(env->ctx);
    if (reason != NULL) {
        reject(counter, src, TKF_EPERM, reason);
        return TKF_EPERM;
    }
    struct tkf_counter proved = *counter;
    struct proof p = {.env = env, .src = src, .scratch = scratch, .counter = &proved};
    int error = guarded(env, prove, &p);
    if (error == 0)
        error = p.error;
    if (error != 0) {
        reject(counter, src, error, tkf_strerror(error));
        return error;
    }
    proved.source = src;
    proved.nrates = 0;
    for (unsigned i = 0; src->is_cpu_counter && i < cpu->nrates; i++)
        tkf_rate_add(&proved, cpu->rates[i].name, cpu->rates[i].hz);
    if (src->unit == TKF_UNIT_NS)
        tkf_rate_add(&proved, "by definition", 1e9);
    estimate_rate(env, &proved);
    if ((double)proved.step_ticks > STEP_MAX_NS * 1e-9 * tkf_rate_guess_hz(&proved)) {
        reject(counter, src, TKF_EUNSUPPORTED, "its step is too coarse to time a short window");
        return TKF_EUNSUPPORTED;
    }
    proved.name = src->name;
    proved.fence = src->fence;
    proved.unit = unit_name(src->unit);
    *counter = proved;
    return 0;
}

int tkf_counter_probe(const struct tkf_env *env, const struct tkf_cpu_hints *hints,
                      const char *force, struct tkf_scratch *scratch, struct tkf_cpu *ret_cpu,
                      struct tkf_counter *ret_counter)
{
    if (env == NULL || hints == NULL || scratch == NULL || ret_cpu == NULL || ret_counter == NULL)
        return TKF_EINVAL;

    struct tkf_cpu cpu = {.family = 0};
    struct identification who = {hints, &cpu};
    guarded(env, identify, &who); /* what it had filled in before a trap stands */

    struct tkf_counter counter = {.source = NULL};
    bool exists = false;
    for (unsigned i = 0; i < tkf_arch_nsources; i++) {
        const struct tkf_source *src = &tkf_arch_sources[i];
        if (force != NULL && !same(force, src->name))
            continue;
        exists = true;
        if (tkf_window_cancelled(env))
            return TKF_ECANCELLED;
        if (counter.source != NULL)
            reject(&counter, src, 0, "not needed: a better source is in use");
        else
            try_source(env, src, &cpu, scratch, &counter);
    }
    if (!exists)
        return TKF_EINVAL;
    *ret_cpu = cpu;
    *ret_counter = counter;
    return counter.source != NULL ? 0 : TKF_ENOSOURCE;
}
