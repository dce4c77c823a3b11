/* SPDX-License-Identifier: MIT */
/** Streams over memory on arm64: Advanced SIMD is part of every such CPU. SVE is no wider on most, and Apple's have none. */
#include "stream_loops.h"

TKF_STREAM_LOOPS(simd, 16, "w", )

const struct tkf_stream *tkf_arch_stream(void)
{
    static const struct tkf_stream simd = TKF_STREAM_ROW(simd, "128-bit Advanced SIMD");
    return &simd;
}
