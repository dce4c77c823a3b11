/* SPDX-License-Identifier: MIT */
#include "ring.h"

static void **line_at(const struct tkf_ring *ring, uint64_t i)
{
    return (void **)(ring->base + i * ring->line_bytes);
}

struct tkf_ring tkf_ring_begin(char *base, size_t line_bytes)
{
    struct tkf_ring ring = {
        .base = base, .line_bytes = line_bytes, .lines = 1, .random = UINT64_C(0x9e3779b97f4a7c15)};
    ring.chase.at = line_at(&ring, 0);
    *ring.chase.at = base;
    return ring;
}

/** One of the first n lines. */
static uint64_t pick(struct tkf_ring *ring, uint64_t n)
{
    ring->random ^= ring->random << 13;
    ring->random ^= ring->random >> 7;
    ring->random ^= ring->random << 17;
    return (ring->random >> 32) * n >> 32;
}

void tkf_ring_grow(struct tkf_ring *ring, uint64_t lines)
{
    for (; ring->lines < lines; ring->lines++) {
        void **added = line_at(ring, ring->lines);
        void **before = line_at(ring, pick(ring, ring->lines));
        *added = *before;
        *before = added;
    }
}
