/* SPDX-License-Identifier: MIT */
/**
 * Reading, writing and copying memory in a stream, with the widest registers of the CPU: what bandwidth is measured with.
 *
 * Not among the timed kernels, because there is no count of instructions in it to be held to: a pass over memory takes as long as
 * memory needs. The firmware does without.
 */
#ifndef TKF_STREAM_H
#define TKF_STREAM_H

#include <stddef.h>
#include <stdint.h>

/** Places and sizes are multiples of so many bytes. */
#define TKF_STREAM_BLOCK 1024

/** Each goes over `bytes` of memory, first to last, and that `passes` times. */
struct tkf_stream {
    const char *name; /**< of the registers, for people: "512-bit AVX-512" */
    void (*read)(const void *from, size_t bytes, uint64_t passes);
    void (*write)(void *to, size_t bytes,
                  uint64_t passes); /**< ordinary stores, of an unknown value */
    void (*copy)(void *to, const void *from, size_t bytes, uint64_t passes);
};

/** The widest that this CPU and its system can do; constant. */
const struct tkf_stream *tkf_arch_stream(void);

#endif
