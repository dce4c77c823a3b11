/* SPDX-License-Identifier: MIT */
/** Streams over memory on amd64: SSE2 is always there; what is wider, where CPU and system have it. */
#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

#include "stream_loops.h"

TKF_STREAM_LOOPS(sse2, 16, "x", )
TKF_STREAM_LOOPS(avx, 32, "x", __attribute__((target("avx"))))
TKF_STREAM_LOOPS(avx512, 64, "v", __attribute__((target("avx512f"))))

/* Which registers the system saves: bits of XCR0 (Intel SDM vol. 1, 13.3). Those that it does not save are not there. */
#define SAVED_AVX    0x06u
#define SAVED_AVX512 0xe6u

static uint32_t saved_registers(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

const struct tkf_stream *tkf_arch_stream(void)
{
    static const struct tkf_stream sse2 = TKF_STREAM_ROW(sse2, "128-bit SSE2"),
                                   avx = TKF_STREAM_ROW(avx, "256-bit AVX"),
                                   avx512 = TKF_STREAM_ROW(avx512, "512-bit AVX-512");
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return &sse2;
    uint32_t saved = saved_registers();
    bool has_avx = (c & bit_AVX) && (saved & SAVED_AVX) == SAVED_AVX;
    if (has_avx && (saved & SAVED_AVX512) == SAVED_AVX512 &&
        __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX512F))
        return &avx512;
    return has_avx ? &avx : &sse2;
}
