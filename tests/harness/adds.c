/* SPDX-License-Identifier: MIT */
/* The empty loop, and 1, 2 and 4 additions that wait for one another; adds.cc and adds_test.go have the same bodies. */
#include <tickfloor/bench.h>

#define ADD \
    x += y; \
    __asm__ volatile("" : "+r"(x))

TKF_BENCH(Add0)
{
    while (tkf_loop(b)) {
    }
}

TKF_BENCH(Add1)
{
    uint64_t x = 1, y = tkf_opaque(UINT64_C(3));
    while (tkf_loop(b)) {
        ADD;
    }
    tkf_keep(x);
}

TKF_BENCH(Add2)
{
    uint64_t x = 1, y = tkf_opaque(UINT64_C(3));
    while (tkf_loop(b)) {
        ADD;
        ADD;
    }
    tkf_keep(x);
}

TKF_BENCH(Add4)
{
    uint64_t x = 1, y = tkf_opaque(UINT64_C(3));
    while (tkf_loop(b)) {
        ADD;
        ADD;
        ADD;
        ADD;
    }
    tkf_keep(x);
}

TKF_BENCH_MAIN()
