/* SPDX-License-Identifier: MIT */
#include "gaps.h"

#include "rate.h"
#include "window.h"

uint64_t tkf_gap_threshold_ticks(const struct tkf_counter *counter, double ns)
{
    double ticks = ns * 1e-9 * tkf_rate_guess_hz(counter);
    if (ticks < 8 * counter->read_ticks.mid)
        ticks = 8 * counter->read_ticks.mid;
    if (ticks < 2 * (double)counter->step_ticks)
        ticks = 2 * (double)counter->step_ticks;
    return (uint64_t)ticks;
}

uint64_t tkf_gap_next(const struct tkf_env *env, const struct tkf_source *src, uint64_t gap_ticks,
                      uint64_t until_ticks, uint64_t *last)
{
    while (*last < until_ticks) {
        uint64_t now = tkf_window_now(env, src), step = now > *last ? now - *last : 0;
        *last = now;
        if (step > gap_ticks)
            return step;
    }
    return 0;
}
