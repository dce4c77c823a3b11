/* SPDX-License-Identifier: MIT */
#include "gaps.h"

#include "rate.h"
#include "stats.h"
#include "window.h"

#define BATCHES 9
#define BATCH   64

#define ALIKE_MAX (1u << 24) /* readings, a tenth of a second: the counter has stopped */

/** The longest step among some readings in a row, when nothing disturbs them: an emulator's counter may rest for a microsecond. */
static double usual_step_ticks(const struct tkf_env *env, const struct tkf_source *src)
{
    double longest[BATCHES];
    for (unsigned b = 0; b < BATCHES; b++) {
        uint64_t ticks[BATCH];
        longest[b] = 0;
        tkf_window_burst(env, src, ticks, BATCH);
        for (unsigned i = 1; i < BATCH; i++) {
            if (ticks[i] > ticks[i - 1] && (double)(ticks[i] - ticks[i - 1]) > longest[b])
                longest[b] = (double)(ticks[i] - ticks[i - 1]);
        }
    }
    tkf_sort(longest, BATCHES);
    return longest[BATCHES / 2];
}

uint64_t tkf_gap_threshold_ticks(const struct tkf_env *env, const struct tkf_counter *counter,
                                 double ns)
{
    double step = usual_step_ticks(env, counter->source);
    double ticks = ns * 1e-9 * tkf_rate_guess_hz(counter);
    if (ticks < 8 * counter->read_ticks.mid)
        ticks = 8 * counter->read_ticks.mid;
    if (ticks < 2 * step)
        ticks = 2 * step;
    return (uint64_t)ticks;
}

uint64_t tkf_gap_next(const struct tkf_env *env, const struct tkf_source *src, uint64_t gap_ticks,
                      uint64_t until_ticks, uint64_t *last)
{
    unsigned alike = 0;
    while (*last < until_ticks && alike < ALIKE_MAX) {
        uint64_t now = tkf_window_now(env, src), step = now > *last ? now - *last : 0;
        alike = now == *last ? alike + 1 : 0;
        *last = now;
        if (step > gap_ticks)
            return step;
    }
    return 0;
}
