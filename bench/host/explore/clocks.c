/* SPDX-License-Identifier: MIT */
/** Every way to read time here: the system's clocks, and the counter. */
#include <stdio.h>

#include <tickfloor/now.h>

#include "explore/system.h"
#include "stats.h"
#include "window.h"

#define ADVANCES  1000     /* that are collected, */
#define FEW       12       /* or so many where they are slow to come, */
#define SLOW_NS   60000000 /* by the end of this time; a clock without any is given up after */
#define STILL_NS  100000000
#define FINEST_NS 4 /* of a finer step, rounding to whole ns leaves nothing to see */
#define BURST     256

static uint64_t read_ns(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void read_clock(void *arg, uint64_t n)
{
    clockid_t id = *(const clockid_t *)arg;
    struct timespec now;
    for (uint64_t i = 0; i < n; i++)
        clock_gettime(id, &now);
}

/** Advances between two readings in a row. @return how many; 0: the clock stood still. */
static unsigned collect_advances(struct tkf_explorer *x, clockid_t id, uint64_t until_ns,
                                 double advances[ADVANCES])
{
    unsigned n = 0;
    uint64_t last = read_ns(id), from_ns = x->env.clock_ns(x->env.ctx), took_ns;
    do {
        for (unsigned i = 0; i < ADVANCES && n < ADVANCES; i++) {
            uint64_t now = read_ns(id);
            if (now > last)
                advances[n++] = (double)(now - last);
            last = now;
        }
        took_ns = x->env.clock_ns(x->env.ctx) - from_ns;
    } while (n < ADVANCES && took_ns < (n >= FEW ? SLOW_NS : STILL_NS) &&
             tkf_turn_goes_on(x, until_ns));
    return n;
}

/** Whether the advances are multiples of a step, but for rounding to whole ns and a clock that is slewed. */
static bool fits(const double *sorted, unsigned n, double step)
{
    unsigned looked_at = 0, off = 0;
    for (; looked_at < n && sorted[looked_at] <= 16 * sorted[0]; looked_at++) {
        double times = (double)(uint64_t)(sorted[looked_at] / step + 0.5);
        double rest = sorted[looked_at] - times * step;
        double allowed = 1 + 1e-4 * sorted[looked_at];
        off += rest > allowed || rest < -allowed;
    }
    return off * 50 <= looked_at;
}

/**
 * The step of which the advances are multiples. An advance is at least what a reading costs, so the least of them alone would
 * say no more than that.
 * @param finest_ns  what to say when there is no such step.
 */
static double find_step(double *advances, unsigned n, double finest_ns)
{
    tkf_sort(advances, n);
    double sum = 0;
    unsigned same = 0;
    while (same < n && advances[same] <= advances[0] + 1 + 1e-4 * advances[0])
        sum += advances[same++];
    for (unsigned parts = 1; sum / same / parts >= FINEST_NS; parts++) {
        if (fits(advances, n, sum / same / parts))
            return sum / same / parts;
    }
    return finest_ns;
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
    struct timespec resolution = {.tv_nsec = 0};
    if (reason == NULL && clock_getres(clock->id, &resolution) != 0)
        reason = "this system has no such clock";
    double ns = (double)resolution.tv_sec * 1e9 + (double)resolution.tv_nsec;
    if (reason == NULL) {
        tkf_explore_add(x, names[0], "what clock_getres() says", "ns",
                        (struct tkf_band){ns, ns, ns}, NULL);
    } else {
        tkf_explore_add(x, names[0], "what clock_getres() says", "ns", unknown, reason);
    }
    tkf_explore_drop_cycles(x);

    const char *step_text =
        "what it advances by, from readings in a row; below 4 ns what clock_getres() says";
    uint64_t until_ns = tkf_turn(turns, TKF_CLOCK_WEIGHT - 1);
    struct tkf_band step = unknown;
    const char *still = reason;
    if (reason == NULL) {
        double advances[ADVANCES];
        unsigned n =
            tkf_turn_goes_on(x, until_ns) ? collect_advances(x, clock->id, until_ns, advances) : 0;
        if (n > 0)
            step.lo = step.mid = step.hi = find_step(advances, n, ns);
        else if (tkf_turn_goes_on(x, until_ns))
            still = "it did not advance within 0.1 s";
    }
    if (still != NULL)
        tkf_explore_add(x, names[1], step_text, "ns", unknown, still);
    else
        tkf_turn_add(turns, names[1], step_text, "ns", step);
    tkf_explore_drop_cycles(x);

    snprintf(text, sizeof text, "one clock_gettime() of the clock %s", clock->name);
    clockid_t id = clock->id;
    struct tkf_op op = {.run = read_clock, .arg = &id};
    if (reason == NULL)
        tkf_op_step(turns, names[2], text, &op);
    else
        tkf_explore_add(x, names[2], text, "ns", unknown, reason);
}

static void read_fenced(void *arg, uint64_t n)
{
    const struct tkf_explorer *x = arg;
    uint64_t ticks[BURST];
    for (; n > 0; n -= n < BURST ? n : BURST)
        tkf_window_burst(&x->env, x->counter->source, ticks, n < BURST ? n : BURST);
}

static void read_bare(void *arg, uint64_t n)
{
    (void)arg;
    for (uint64_t i = 0; i < n; i++)
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
