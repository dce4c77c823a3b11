/* SPDX-License-Identifier: MIT */
/** What the system costs: memory, the kernel, other threads, clocks, sleeps. */
#include "explore/system.h"

int tkf_explore_system(struct tkf_explorer *x)
{
    double all = TKF_CLOCK_WEIGHT * tkf_os_nclocks + TKF_COUNTER_WEIGHT + TKF_PAGES_WEIGHT +
                 TKF_WAITS_WEIGHT + TKF_SLEEPS_WEIGHT;
    struct tkf_turns turns = {.x = x, .what = "the system", .all = all, .left = all};
    tkf_explore_pages(&turns);
    tkf_explore_waits(&turns);
    tkf_explore_clocks(&turns);
    tkf_explore_sleeps(&turns); /* the longest, so what the others left over is theirs */
    return x->env.cancelled(x->env.ctx) ? TKF_ECANCELLED : 0;
}
