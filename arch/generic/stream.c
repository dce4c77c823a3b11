/* SPDX-License-Identifier: MIT */
/** Streams over memory on a CPU that tickfloor has no folder for: in its general registers. */
#include "stream_loops.h"

TKF_STREAM_LOOPS(word, 8, "r", )

const struct tkf_stream *tkf_arch_stream(void)
{
    static const struct tkf_stream word = TKF_STREAM_ROW(word, "general");
    return &word;
}
