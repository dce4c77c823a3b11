/* SPDX-License-Identifier: MIT */
/**
 * The CPUs among each other: how long a line takes from one to another, how far their counters are apart and how fast that grows,
 * and whether time runs back for a thread that moves.
 *
 * Two threads hand a number back and forth in one cache line. Half a round trip is the latency. The answer carries the
 * other CPU's counter, read between the question's arrival and the answer's leaving: it lies between the two readings of the one
 * that asked, so that the exchange with the shortest round trip bounds the offset best (Cristian 1989; NTP does the same).
 */
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "part.h"
#include "partner.h"
#include "stats.h"
#include "timing.h"
#include "window.h"

#define CPUS_MAX      64
#define TRIPS         128 /* in one window, some 20 us */
#define WINDOWS_MAX   400
#define EXCHANGES_MAX 4000
#define MOVES_MAX     100
#define SPINS         (1 << 14) /* before a waiting thread looks at the clock */
#define WAIT_NS       UINT64_C(200000000)
#define DRIFT_APART_NS \
    UINT64_C(1000000000) /* a drift wants that much between its two ends, where there is time */
#define LINE 128

/** What two threads share. */
struct court {
    _Alignas(LINE)
        uint64_t ball; /* odd: the server's turn to wait; even: the other's; 0 before the first */
    uint64_t theirs;   /* the other's counter, when it answered */
    _Alignas(LINE) bool stop;
    struct tkf_explorer *x;
    bool with_counter;
};

/** Wait for the ball to be `wanted`. False when it does not come, or all is over. */
static bool wait_for(struct court *court, uint64_t wanted)
{
    uint64_t until_ns = 0;
    for (unsigned spins = 1;; spins++) {
        if (__atomic_load_n(&court->ball, __ATOMIC_ACQUIRE) == wanted)
            return true;
        if (spins % SPINS != 0)
            continue;
        uint64_t now_ns = tkf_clock_ns(NULL);
        until_ns = until_ns != 0 ? until_ns : now_ns + WAIT_NS;
        if (now_ns >= until_ns || __atomic_load_n(&court->stop, __ATOMIC_RELAXED))
            return false;
    }
}

/** The other side: answers until it is told to stop. */
static void answer(void *arg)
{
    struct court *court = arg;
    const struct tkf_explorer *x = court->x;
    for (uint64_t turn = 1;; turn += 2) {
        while (!wait_for(court, turn))
            if (__atomic_load_n(&court->stop, __ATOMIC_RELAXED))
                return;
        if (court->with_counter)
            court->theirs = tkf_window_now(&x->env, x->counter->source);
        __atomic_store_n(&court->ball, turn + 1, __ATOMIC_RELEASE);
    }
}

static bool trip(struct court *court, uint64_t *turn)
{
    __atomic_store_n(&court->ball, *turn, __ATOMIC_RELEASE);
    *turn += 2;
    return wait_for(court, *turn - 1);
}

/** An offset of the other's counter, and when it was taken by one's own. */
struct offset {
    double ns, bound_ns, at_ns;
};

/** Until when something may go on: a share of the time that is left to the part. */
static uint64_t until(const struct tkf_explorer *x, double share)
{
    uint64_t now_ns = x->env.clock_ns(x->env.ctx);
    return now_ns < x->end_ns ? now_ns + (uint64_t)(share * (double)(x->end_ns - now_ns)) : now_ns;
}

static bool past(const struct tkf_explorer *x, uint64_t until_ns)
{
    return x->env.clock_ns(x->env.ctx) >= until_ns || x->env.cancelled(x->env.ctx);
}

/** Windows of round trips until the time is up; false when the other does not answer. */
static bool time_trips(struct court *court, uint64_t *turn, uint64_t until_ns,
                       struct tkf_band *ret_ns)
{
    struct tkf_explorer *x = court->x;
    double samples[WINDOWS_MAX];
    unsigned n = 0;
    while (n < TKF_TIMING_MIN || (n < WINDOWS_MAX && !past(x, until_ns))) {
        uint64_t from = tkf_window_now(&x->env, x->counter->source);
        for (unsigned i = 0; i < TRIPS; i++)
            if (!trip(court, turn))
                return false;
        uint64_t to = tkf_window_now(&x->env, x->counter->source);
        samples[n++] = tkf_ticks_to_ns(x->counter, ((double)to - (double)from) / TRIPS / 2);
    }
    *ret_ns = tkf_explore_estimate(samples, n, TKF_ESTIMATE_MEDIAN);
    return true;
}

static bool exchange(struct court *court, uint64_t *turn, uint64_t until_ns,
                     struct offset *ret_offset)
{
    struct tkf_explorer *x = court->x;
    struct offset best = {.bound_ns = INFINITY};
    court->with_counter = true;
    for (unsigned i = 0; i < EXCHANGES_MAX && (i < TRIPS || !past(x, until_ns)); i++) {
        uint64_t from = tkf_window_now(&x->env, x->counter->source);
        if (!trip(court, turn))
            return false;
        uint64_t to = tkf_window_now(&x->env, x->counter->source);
        double bound_ns = tkf_ticks_to_ns(x->counter, (double)(int64_t)(to - from) / 2);
        if (bound_ns >= best.bound_ns)
            continue;
        /* Differences of whole numbers: a counter has more digits than a double. */
        double ahead = (double)(int64_t)(court->theirs - from) - (double)(int64_t)(to - from) / 2;
        best = (struct offset){tkf_ticks_to_ns(x->counter, ahead), bound_ns,
                               (double)x->env.clock_ns(x->env.ctx)};
    }
    *ret_offset = best;
    return true;
}

static void give_up(struct tkf_cpu_pair *pair, const char *why)
{
    snprintf(pair->reason, sizeof pair->reason, "%s", why);
}

/** Put a thread on each of the two CPUs, and let them play: latency where it is wanted, and the offset. */
static void play(struct tkf_explorer *x, struct tkf_cpu_pair *pair, uint64_t until_ns,
                 struct tkf_band *ret_ns, struct offset *ret_offset)
{
    struct court court = {.ball = 0, .x = x};
    struct tkf_partner partner;
    uint64_t turn = 1, now_ns = x->env.clock_ns(x->env.ctx);
    uint64_t half_ns = until_ns > now_ns ? now_ns + (until_ns - now_ns) / 2 : now_ns;
    if (x->env.pin(x->env.ctx, pair->a) != 0 ||
        tkf_partner_start(&partner, x, pair->b, answer, &court) != 0) {
        give_up(pair, "a thread cannot be bound to each of the two");
        return;
    }
    if ((ret_ns != NULL && !time_trips(&court, &turn, half_ns, ret_ns)) ||
        !exchange(&court, &turn, until_ns, ret_offset))
        give_up(pair, "one of the two was busy with something else and did not answer");
    __atomic_store_n(&court.stop, true, __ATOMIC_RELAXED);
    tkf_partner_join(&partner);
}

/** Move the calling thread to and fro, and read the counter after each move. */
static bool moves_forward(struct tkf_explorer *x, const struct tkf_cpu_pair *pair,
                          uint64_t until_ns)
{
    uint64_t last = 0;
    for (unsigned i = 0; i < 2 * MOVES_MAX && (i < 4 || !past(x, until_ns)); i++) {
        if (x->env.pin(x->env.ctx, i % 2 == 0 ? pair->a : pair->b) != 0)
            continue;
        uint64_t now = tkf_window_now(&x->env, x->counter->source);
        if (i > 0 && now < last)
            return false;
        last = now;
    }
    return true;
}

static void list_pairs(struct tkf_explorer *x)
{
    struct tkf_explore *out = x->out;
    unsigned ncpus = x->ncpus < CPUS_MAX ? x->ncpus : CPUS_MAX;
    for (unsigned i = 0; i < ncpus; i++) {
        for (unsigned k = i + 1; k < ncpus; k++)
            out->pairs[out->npairs++] = (struct tkf_cpu_pair){
                .a = x->cpus[i],
                .b = x->cpus[k],
                .ns = {NAN, NAN, NAN},
                .offset_ns = NAN,
                .offset_bound_ns = NAN,
                .drift_ppm = NAN,
                .drift_bound_ppm = NAN,
            };
    }
}

/** Sleep so that a drift gets a base of a second, but for no more than half of the time that is left. */
static void wait_apart(struct tkf_explorer *x, uint64_t from_ns)
{
    uint64_t until_ns = until(x, 0.5);
    if (until_ns > from_ns + DRIFT_APART_NS)
        until_ns = from_ns + DRIFT_APART_NS;
    while (!past(x, until_ns))
        nanosleep(&(struct timespec){0, 5000000}, NULL);
}

static void set_drift(struct tkf_cpu_pair *pair, const struct offset *first,
                      const struct offset *second)
{
    double apart_ns = second->at_ns - first->at_ns;
    const struct offset *best = second->bound_ns < first->bound_ns ? second : first;
    pair->offset_ns = best->ns;
    pair->offset_bound_ns = best->bound_ns;
    pair->drift_ppm = 1e6 * (second->ns - first->ns) / apart_ns;
    pair->drift_bound_ppm = 1e6 * (second->bound_ns + first->bound_ns) / apart_ns;
}

int tkf_explore_pairs(struct tkf_explorer *x)
{
    struct tkf_explore *out = x->out;
    static struct offset first[TKF_PAIRS_MAX]; /* one exploration at a time in a process */
    uint64_t from_ns = x->env.clock_ns(x->env.ctx);
    list_pairs(x);
    for (unsigned i = 0; i < out->npairs; i++) {
        struct tkf_cpu_pair *pair = &out->pairs[i];
        if (tkf_explore_ended(x)) {
            give_up(pair, tkf_explore_why(x, ""));
            continue;
        }
        x->env.progress(x->env.ctx, 0.6 * i / out->npairs, "CPUs among each other");
        play(x, pair, until(x, 0.5 / (out->npairs - i)), &pair->ns, &first[i]);
        if (pair->reason[0] != '\0')
            continue;
        pair->monotonic = moves_forward(x, pair, until(x, 0.2 / (out->npairs - i)));
        pair->offset_ns = first[i].ns;
        pair->offset_bound_ns = first[i].bound_ns;
    }
    x->env.progress(x->env.ctx, 0.6, "drift of the CPUs' counters");
    wait_apart(x, from_ns);
    for (unsigned i = 0; i < out->npairs; i++) {
        struct tkf_cpu_pair *pair = &out->pairs[i];
        struct offset second;
        if (pair->reason[0] != '\0')
            continue;
        if (tkf_explore_ended(x)) {
            give_up(pair, tkf_explore_why(x, ""));
            continue;
        }
        play(x, pair, until(x, 0.9 / (out->npairs - i)), NULL, &second);
        if (pair->reason[0] == '\0')
            set_drift(pair, &first[i], &second);
    }
    return x->env.cancelled(x->env.ctx) ? TKF_ECANCELLED : 0;
}
