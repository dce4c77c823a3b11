/* SPDX-License-Identifier: MIT */
/** The ladder's memory: the latency curve, and one load out of each cache. */
#ifndef TKF_EXPLORE_LATENCY_H
#define TKF_EXPLORE_LATENCY_H

#include "part.h"

/** Fills out->latency and out->huge_pages and adds the steps "load/..."; out->caches is filled. 0 or TKF_ENOMEM. */
int tkf_explore_latency(struct tkf_explorer *x);

/** The size of the last cache that the system tells of; 0 without. */
uint64_t tkf_explore_last_cache(const struct tkf_explore *out);

/** `wanted` bytes, or what may be had of them: a quarter of what is free, and 1 GiB, at most. */
uint64_t tkf_explore_budget(uint64_t wanted);

/** A working set of so many times the last cache is out of memory for the most part. */
#define TKF_BEYOND_LAST_CACHE 4

/** How far to go where no cache is known. */
#define TKF_NO_CACHE_BYTES (UINT64_C(64) << 20)

#endif
