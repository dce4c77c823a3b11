/* SPDX-License-Identifier: MIT */
/** The parts of `tickfloor report`. */
#ifndef TKF_REPORT_VERB_H
#define TKF_REPORT_VERB_H

#include <tickfloor/report.h>

/**
 * Say of each line of expectations that no result has its name: a mistyped name must not switch the
 * guard off. One notice each, in the results.
 * @param path  where the expectations were read from.
 * @return how many there are.
 */
size_t tkf_report_unmet(struct tkf_results *results, const struct tkf_expect *expect,
                        const char *path);

/** Say of a baseline of which no result is one of these. A notice in the results. */
void tkf_report_uncompared(struct tkf_results *results, const struct tkf_results *baseline,
                           const char *path);

/** Refuse a name of --floor-bench that no result has, or none that can be a floor. An exit status. */
int tkf_report_floor_bench(const struct tkf_results *results, const char *name);

#endif
