/* SPDX-License-Identifier: MIT */
/** The ladder's memory: the latency curve, and one load out of each cache. */
#ifndef TKF_EXPLORE_LATENCY_H
#define TKF_EXPLORE_LATENCY_H

#include "part.h"

/** Fills out->latency and out->huge_pages and adds the steps "load/..."; out->caches is filled. 0 or TKF_ENOMEM. */
int tkf_explore_latency(struct tkf_explorer *x);

#endif
