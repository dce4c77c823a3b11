/* SPDX-License-Identifier: MIT */
/** Every way to read time here: the system's clocks, and the counter. */
#include <stdio.h>

#include <tickfloor/now.h>

#include "explore/system.h"
#include "stats.h"
#include "window.h"

#define STEP_ROUNDS   15
#define STEP_READINGS 400                /* a round of them, or until the clock has moved */
#define STILL_NS      UINT64_C(20000000) /* a clock that has not moved for so long is given up */
#define BURST         256

static uint64_t read_ns(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void read_clock(void *arg, unsigned n)
{
    clockid_t id = *(const clockid_t *)arg;
    struct timespec now;
    for (unsigned i = 0; i < n; i++)
        clock_gettime(id, &now);
}

/** The least advance between two readings in a row; 0 when it did not move. */
static uint64_t least_advance_ns(struct tkf_explorer *x, clockid_t id, uint64_t until_ns)
{
    uint64_t least = 0, last = read_ns(id), give_up_ns = x->env.clock_ns(x->env.ctx) + STILL_NS;
    if (give_up_ns > until_ns)
        give_up_ns = until_ns;
    do {
        for (unsigned i = 0; i < STEP_READINGS; i++) {
            uint64_t now = read_ns(id), step = now - last;
            if (now > last && (least == 0 || step < least))
                least = step;
            last = now;
        }
    } while (least == 0 && tkf_turn_goes_on(x, give_up_ns));
    return least;
}

static struct tkf_band observe_step(struct tkf_explorer *x, clockid_t id, uint64_t until_ns,
                                    bool *ret_still)
{
    double rounds[STEP_ROUNDS];
    unsigned n = 0;
    *ret_still = false;
    while (n < STEP_ROUNDS && tkf_turn_goes_on(x, until_ns)) {
        uint64_t least = least_advance_ns(x, id, until_ns);
        if (least == 0) {
            *ret_still = n == 0 && tkf_turn_goes_on(x, until_ns);
            break;
        }
        rounds[n++] = (double)least;
    }
    return tkf_explore_median(rounds, n);
}

static void explore_clock(struct tkf_turns *turns, const struct tkf_os_clock *clock,
                          const char *reason)
{
    struct tkf_explorer *x = turns->x;
    char names[3][48], text[160];
    snprintf(names[0], sizeof names[0], "clock/%s/resolution", clock->name);
    snprintf(names[1], sizeof names[1], "clock/%s/step", clock->name);
    snprintf(names[2], sizeof names[2], "clock/%s/cost", clock->name);
    struct tkf_band unknown = {tkf_nan(), tkf_nan(), tkf_nan()};
    struct timespec resolution;
    if (reason == NULL && clock_getres(clock->id, &resolution) != 0)
        reason = "this system has no such clock";
    if (reason == NULL) {
        double ns = (double)resolution.tv_sec * 1e9 + (double)resolution.tv_nsec;
        tkf_explore_add(x, names[0], "what clock_getres() says", "ns",
                        (struct tkf_band){ns, ns, ns}, NULL);
    } else {
        tkf_explore_add(x, names[0], "what clock_getres() says", "ns", unknown, reason);
    }

    uint64_t until_ns = tkf_turn(turns, 1);
    bool still = false;
    struct tkf_band step = reason == NULL ? observe_step(x, clock->id, until_ns, &still) : unknown;
    const char *step_text =
        "the least it was seen to advance by between two clock_gettime() in a row";
    if (reason != NULL || still)
        tkf_explore_add(x, names[1], step_text, "ns", unknown,
                        reason != NULL ? reason : "it did not advance within 20 ms");
    else
        tkf_turn_add(turns, names[1], step_text, "ns", step);

    snprintf(text, sizeof text, "one clock_gettime() of the clock %s", clock->name);
    clockid_t id = clock->id;
    struct tkf_op op = {.run = read_clock, .arg = &id};
    if (reason == NULL)
        tkf_op_step(turns, names[2], text, &op);
    else
        tkf_explore_add(x, names[2], text, "ns", unknown, reason);
}

static void read_fenced(void *arg, unsigned n)
{
    const struct tkf_explorer *x = arg;
    uint64_t ticks[BURST];
    for (; n > 0; n -= n < BURST ? n : BURST)
        tkf_window_burst(&x->env, x->counter->source, ticks, n < BURST ? n : BURST);
}

static void read_bare(void *arg, unsigned n)
{
    (void)arg;
    for (unsigned i = 0; i < n; i++)
        tkf_now_unfenced();
}

static void explore_counter(struct tkf_turns *turns)
{
    struct tkf_explorer *x = turns->x;
    char text[160];
    struct tkf_op fenced = {.run = read_fenced, .arg = x}, bare = {.run = read_bare, .arg = x};
    snprintf(text, sizeof text, "one fenced read of the counter %s (%s)", x->counter->name,
             x->counter->fence);
    tkf_op_step(turns, "counter/fenced", text, &fenced);
    const char *bare_text = "one read of the CPU's counter without a fence, many in a row";
    if (x->counter->source->is_cpu_counter)
        tkf_op_step(turns, "counter/bare", bare_text, &bare);
    else
        tkf_explore_add(x, "counter/bare", bare_text, "ns", (struct tkf_band){0, 0, 0},
                        "the CPU's own counter is not in use here");
}

void tkf_explore_clocks(struct tkf_turns *turns)
{
    struct tkf_explorer *x = turns->x;
    /* clock_gettime() would read the counter in user mode, and be killed for it. */
    const char *forbidden = x->env.forbidden != NULL ? x->env.forbidden(x->env.ctx) : NULL;
    for (unsigned i = 0; i < tkf_os_nclocks; i++)
        explore_clock(turns, &tkf_os_clocks[i], forbidden);
    explore_counter(turns);
}
