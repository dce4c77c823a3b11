/* SPDX-License-Identifier: MIT */
#include "gaps.h"
#include "firmware.h"
#include "rate.h"
#include "window.h"

/* The firmware's own timer is let in between: it counts on being served in time. */
#define SLICE_S 0.1

#define GAP_NS 2000

/** One slice with interrupts masked; returns its length in ticks. */
static uint64_t look(const struct tkf_env *env, const struct tkf_source *src, uint64_t slice_ticks,
                     uint64_t gap_ticks, struct tkf_uefi_gaps *gaps, uint64_t *worst,
                     uint64_t *lost)
{
    struct tkf_uefi_quiet quiet = tkf_uefi_quiet_begin();
    uint64_t first = tkf_window_now(env, src), last = first, gap;
    while ((gap = tkf_gap_next(env, src, gap_ticks, first + slice_ticks, &last)) != 0) {
        gaps->count++;
        *lost += gap;
        if (gap > *worst)
            *worst = gap;
    }
    tkf_uefi_quiet_end(quiet);
    return last - first;
}

int tkf_uefi_gaps_find(const struct tkf_env *env, const struct tkf_counter *counter,
                       unsigned seconds, struct tkf_uefi_gaps *ret_gaps)
{
    struct tkf_uefi_gaps gaps = {.count = 0};
    double hz = tkf_rate_guess_hz(counter);
    uint64_t gap_ticks = tkf_gap_threshold_ticks(env, counter, GAP_NS);
    uint64_t ticks = 0, worst = 0, lost = 0;
    while ((double)ticks < seconds * hz) {
        uint64_t looked =
            look(env, counter->source, (uint64_t)(SLICE_S * hz), gap_ticks, &gaps, &worst, &lost);
        if (looked == 0)
            return TKF_ESTUCK;
        ticks += looked;
    }
    gaps.limit_ns = tkf_ticks_to_ns(counter, (double)gap_ticks);
    gaps.seconds = (double)ticks / counter->hz;
    gaps.worst_ns = tkf_ticks_to_ns(counter, (double)worst);
    gaps.lost_share = (double)lost / (double)ticks;
    *ret_gaps = gaps;
    return 0;
}
