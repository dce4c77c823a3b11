/* SPDX-License-Identifier: MIT */
/**
 * Order statistics for timings.
 *
 * Noise only ever adds to a timing, so its distribution has a hard lower edge and a long upper tail; and a machine has
 * states, so there may be several modes. The mean serves neither. What serves: the lowest dense cluster, its median, and
 * the median's distribution-free interval.
 */
#ifndef TKF_STATS_H
#define TKF_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <tickfloor/measure.h>

/** Sort n values, ascending, in place. No recursion, O(n log n). No NAN among them. */
void tkf_sort(double *values, unsigned n);

/** Quantile q (0..1) of n >= 1 sorted values, interpolated. */
double tkf_quantile(const double *sorted, unsigned n, double q);

/**
 * Median of n >= 1 sorted values with the distribution-free 95 % interval of order statistics. With fewer than 6 values no
 * such interval exists; the extremes stand in.
 */
struct tkf_band tkf_median_band(const double *sorted, unsigned n);

/**
 * As tkf_median_band(), but the middle is the mean of the middle half (the interquartile mean): as robust, and where a counter's
 * step leaves only a few different values, it tells more than the one that happens to be the median.
 */
struct tkf_band tkf_midmean_band(const double *sorted, unsigned n);

/** A run of neighbouring values. */
struct tkf_cluster {
    unsigned first, count;
};

/**
 * The lowest dense cluster of n sorted values: the first place from which at least `need` values lie within `width`
 * (relative, 0.002 is 0.2 %); then all within twice the width of it. Its count is 0 when there is none.
 */
struct tkf_cluster tkf_lowest_cluster(const double *sorted, unsigned n, double width,
                                      unsigned need);

/** The most populous place of n >= 1 sorted values, `width` wide; the lower of two that are equal. */
struct tkf_cluster tkf_mode_cluster(const double *sorted, unsigned n, double width);

/** Greatest common divisor; gcd(0, x) is x. */
uint64_t tkf_gcd(uint64_t a, uint64_t b);

double tkf_nan(void);
bool tkf_is_nan(double x);

#endif
