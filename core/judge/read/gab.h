/* SPDX-License-Identifier: MIT */

#include "json_walk.h"

/** What the readers of github-action-benchmark's two files share: a benchmark in them. */
#ifndef TKF_GAB_H
#define TKF_GAB_H

/**
 * Give the row of {name, value, unit, range?, extra?} to the current origin; one whose unit is
 * neither a time nor a rate becomes a notice.
 * @param tool  which the value came from, NULL when unknown.
 */
void tkf_gab_benchmark(struct tkf_json *json, const json_t *benchmark, const char *group,
                       const char *tool);

#endif
