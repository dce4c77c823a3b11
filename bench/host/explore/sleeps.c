/* SPDX-License-Identifier: MIT */
/** How much longer than asked for a sleep takes. */
#include <stdio.h>
#include <time.h>

#include "explore/system.h"
#include "stats.h"

#define SLEEPS_MAX 2000
#define SLEEPS_MIN 5

static const struct {
    const char *name;
    long ns;
} lengths[] = {
    {"1us", 1000}, {"10us", 10000}, {"100us", 100000}, {"1ms", 1000000}, {"10ms", 10000000},
};

static double overshoot_ns(const struct tkf_explorer *x, long ns)
{
    struct timespec length = {.tv_nsec = ns};
    uint64_t from = tkf_turn_now(x);
    nanosleep(&length, NULL);
    uint64_t to = tkf_turn_now(x);
    return tkf_ticks_to_ns(x->counter, (double)(to - from)) - (double)ns;
}

void tkf_explore_sleeps(struct tkf_turns *turns)
{
    double samples[SLEEPS_MAX];
    struct tkf_explorer *x = turns->x;
    uint64_t slack_ns = tkf_os_timer_slack_ns();
    char slack[40] = "timer slack not known";
    if (slack_ns > 0)
        snprintf(slack, sizeof slack, "timer slack %llu ns", (unsigned long long)slack_ns);
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char name[48], text[160];
        struct tkf_band band = {tkf_nan(), tkf_nan(), tkf_nan()};
        uint64_t until_ns = tkf_turn(turns, lengths[i].ns < 1000000 ? 3 : 12);
        unsigned n = 0;
        while (n < SLEEPS_MAX && tkf_turn_goes_on(x, until_ns))
            samples[n++] = overshoot_ns(x, lengths[i].ns);
        if (n >= SLEEPS_MIN) {
            tkf_sort(samples, n);
            band = (struct tkf_band){tkf_quantile(samples, n, 0.01), tkf_quantile(samples, n, 0.5),
                                     tkf_quantile(samples, n, 0.99)};
        }
        snprintf(name, sizeof name, "sleep/%s", lengths[i].name);
        snprintf(text, sizeof text,
                 "nanosleep() of %s took longer by this: 1 %%, median and 99 %% of %u; %s",
                 lengths[i].name, n, slack);
        tkf_turn_add(turns, name, text, "ns", band);
        tkf_explore_drop_cycles(x);
    }
}
