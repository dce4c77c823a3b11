/* SPDX-License-Identifier: MIT */
/*
 * FoldPopcount: a function of a constant is computed by the compiler. Where one population count is about as fast as the loop, the
 * two times agree and only the machine code tells: tickfloor bench --explain FoldPopcount/literal.
 */
#include "suite.h"

static inline unsigned popcount(uint64_t bits)
{
    unsigned count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

/* Dead: the argument is a literal, so the result is the constant 3. Keeping the result does not help. */
TKF_BENCH_NAMED(FoldPopcount_literal, "FoldPopcount/literal")
{
    while (tkf_loop(b))
        tkf_keep(popcount(0x8421 & 0x8c01));
}

/* The argument is hidden from the compiler: the count is computed each time. */
TKF_BENCH_NAMED(FoldPopcount_opaque, "FoldPopcount/opaque")
{
    while (tkf_loop(b))
        tkf_keep(popcount(tkf_opaque((uint64_t)(0x8421 & 0x8c01))));
}
