/* SPDX-License-Identifier: MIT */
/**
 * A benchmark beside an empty loop: their windows took turns, so that what slows the one slows the other. It tells a row that
 * does nothing from a small one where a busy hardware thread never leaves the core to itself.
 */
#include <math.h>
#include <stdlib.h>

#include "bench_run.h"
#include "stats.h"

/* The empty windows on either side of one agree to this: nothing came or went in between. */
#define SAME_WIDTH 0.05

/* The empty loop's fastest state: the lowest place where so many windows, or one in so many, lie within this, relative. */
#define FAST_WIDTH 0.02
#define FAST_MIN   10
#define FAST_SHARE 50

/** The empty loop round window i, ns of an iteration; NAN where that changed by more than `width` meanwhile. */
static double empty_round(const struct tkf_bench_repetition *r, size_t i, double width)
{
    double before = r->empty[i - 1], after = r->empty[i];
    return fmax(before, after) <= (1 + width) * fmin(before, after) ? (before + after) / 2 : NAN;
}

/** Up to what the empty loop was at its fastest; NAN where no state can be told. */
static double fastest_empty(const struct tkf_bench_repetition *r, double *scratch)
{
    unsigned n = 0;
    for (size_t i = 1; i < r->nsamples; i++) {
        double empty = empty_round(r, i, SAME_WIDTH);
        if (isfinite(empty))
            scratch[n++] = empty;
    }
    tkf_sort(scratch, n);
    unsigned need = n / FAST_SHARE > FAST_MIN ? n / FAST_SHARE : FAST_MIN;
    struct tkf_cluster fast = tkf_lowest_cluster(scratch, n, FAST_WIDTH, need);
    return fast.count > 0 ? scratch[fast.first + fast.count - 1] : NAN;
}

static double median(double *values, unsigned n)
{
    tkf_sort(values, n);
    return tkf_quantile(values, n, 0.5);
}

bool tkf_bench_beside(const struct tkf_bench_repetition *r, struct tkf_bench_beside *ret_beside)
{
    if (r->empty == NULL || r->nsamples <= FAST_MIN)
        return false;
    double *values = malloc(3 * r->nsamples * sizeof *values);
    if (values == NULL)
        return false;
    double *ns = values + r->nsamples, *ratios = ns + r->nsamples;
    double width = SAME_WIDTH, most = fastest_empty(r, values);
    /* Where the neighbour changes all the time, all windows: both met as much of it. */
    if (isnan(most))
        width = most = INFINITY;
    unsigned n = 0;
    for (size_t i = 1; i < r->nsamples; i++) {
        double empty = empty_round(r, i, width);
        if (!(empty <= most))
            continue;
        values[n] = empty;
        ns[n] = r->samples[i];
        ratios[n++] = r->samples[i] / empty;
    }
    tkf_sort(ratios, n);
    *ret_beside = (struct tkf_bench_beside){
        .ns = median(ns, n),
        .empty_ns = median(values, n),
        .ratio = tkf_median_band(ratios, n),
        .windows = n,
    };
    free(values);
    return true;
}
