/* SPDX-License-Identifier: MIT */
/** Gaps: steps of the counter too long for a loop that only reads it. Something else had the CPU in between. */
#ifndef TKF_GAPS_H
#define TKF_GAPS_H

#include <tickfloor/measure.h>

/** A gap of `ns` in ticks; more where the counter's reads or steps are too slow to tell one so small. Some hundred readings. */
uint64_t tkf_gap_threshold_ticks(const struct tkf_env *env, const struct tkf_counter *counter,
                                 double ns);

/**
 * Read the counter until it makes a step above `gap_ticks`, or reaches `until_ticks`, or has stopped.
 *
 * @param last  the reading to go on from; on return the last one, which ends the gap.
 * @return the length of the gap in ticks; 0 when there was none. One under way at until_ticks is seen whole.
 */
uint64_t tkf_gap_next(const struct tkf_env *env, const struct tkf_source *src, uint64_t gap_ticks,
                      uint64_t until_ticks, uint64_t *last);

#endif
