/* SPDX-License-Identifier: MIT */
/** Streams over memory on amd64: SSE2 is always there; what is wider, where CPU and system have it. */
#include "stream_loops.h"

TKF_STREAM_LOOPS(sse2, 16, "x", )
TKF_STREAM_LOOPS(avx, 32, "x", __attribute__((target("avx"))))
TKF_STREAM_LOOPS(avx512, 64, "v", __attribute__((target("avx512f"))))

const struct tkf_stream *tkf_arch_stream(void)
{
    static const struct tkf_stream sse2 = TKF_STREAM_ROW(sse2, "128-bit SSE2"),
                                   avx = TKF_STREAM_ROW(avx, "256-bit AVX"),
                                   avx512 = TKF_STREAM_ROW(avx512, "512-bit AVX-512");
    /* Asks the system too: registers that it does not save are not there. */
    if (__builtin_cpu_supports("avx512f"))
        return &avx512;
    return __builtin_cpu_supports("avx") ? &avx : &sse2;
}
