/* SPDX-License-Identifier: MIT */
/** One cycle through lines of memory in random order: what a dependent load goes along. */
#ifndef TKF_EXPLORE_RING_H
#define TKF_EXPLORE_RING_H

#include <stddef.h>
#include <stdint.h>

#include "work.h"

/** A ring of the first `lines` lines from `base` on; each begins with the address of the one that follows it. */
struct tkf_ring {
    char *base;
    size_t line_bytes;
    uint64_t lines;
    uint64_t random; /**< the generator's state */
    struct tkf_work_chase chase;
};

/** The ring of the first line alone. */
struct tkf_ring tkf_ring_begin(char *base, size_t line_bytes);

/**
 * Put the lines that follow in memory into the ring until there are so many, below 2^32: each behind a random one of those
 * that are there. Every cycle through them is then equally likely, as with Sattolo's algorithm, which would build each size
 * anew; and where the chase is in it does not change.
 */
void tkf_ring_grow(struct tkf_ring *ring, uint64_t lines);

#endif
