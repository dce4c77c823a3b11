/* SPDX-License-Identifier: MIT */
#include "stats.h"

static void sift_down(double *values, unsigned root, unsigned n)
{
    for (unsigned child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && values[child] < values[child + 1])
            child++;
        if (values[root] >= values[child])
            return;
        double swap = values[root];
        values[root] = values[child];
        values[child] = swap;
    }
}

/* Heapsort: there is no C library here to sort with, and no input makes it slow. */
void tkf_sort(double *values, unsigned n)
{
    for (unsigned i = n / 2; i-- > 0;)
        sift_down(values, i, n);
    for (unsigned i = n; i-- > 1;) {
        double swap = values[0];
        values[0] = values[i];
        values[i] = swap;
        sift_down(values, 0, i);
    }
}

double tkf_quantile(const double *sorted, unsigned n, double q)
{
    double at = q * (n - 1);
    unsigned below = (unsigned)at;
    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}

static double square_root(double x)
{
    double root = x > 1 ? x : 1;
    for (int i = 0; i < 64; i++)
        root = 0.5 * (root + x / root);
    return root;
}

struct tkf_band tkf_median_band(const double *sorted, unsigned n)
{
    /* Ranks n/2 -+ 1.96 sqrt(n)/2, outward: the normal approximation of the binomial (David & Nagaraja, Order
     * Statistics, 7.1). */
    double half = 0.98 * square_root(n);
    double low = 0.5 * n - half, high = 0.5 * n + half;
    unsigned first = low > 1 ? (unsigned)low - 1 : 0;
    unsigned last = high < n - 1 ? (unsigned)high + 1 : n - 1;
    if (last > n - 1)
        last = n - 1;
    return (struct tkf_band){sorted[first], tkf_quantile(sorted, n, 0.5), sorted[last]};
}

/** Where the values that lie within `width` of value i end, given that they reach to `end` at least. */
static unsigned cluster_end(const double *sorted, unsigned n, unsigned i, unsigned end,
                            double width)
{
    if (end <= i)
        end = i + 1; /* a negative value lies above its own limit, yet it is one of its cluster */
    while (end < n && sorted[end] <= sorted[i] * (1 + width))
        end++;
    return end;
}

struct tkf_band tkf_midmean_band(const double *sorted, unsigned n)
{
    struct tkf_band band = tkf_median_band(sorted, n);
    unsigned quarter = n / 4;
    double sum = 0;
    for (unsigned i = quarter; i < n - quarter; i++)
        sum += sorted[i];
    band.mid = sum / (n - 2 * quarter);
    if (band.lo > band.mid)
        band.lo = band.mid;
    if (band.hi < band.mid)
        band.hi = band.mid;
    return band;
}

struct tkf_cluster tkf_lowest_cluster(const double *sorted, unsigned n, double width, unsigned need)
{
    unsigned end = 0;
    for (unsigned i = 0; i < n; i++) {
        end = cluster_end(sorted, n, i, end, width);
        if (end - i < need)
            continue;
        end = cluster_end(sorted, n, i, end, 2 * width);
        return (struct tkf_cluster){i, end - i};
    }
    return (struct tkf_cluster){0, 0};
}

struct tkf_cluster tkf_mode_cluster(const double *sorted, unsigned n, double width)
{
    struct tkf_cluster best = {0, 0};
    unsigned end = 0;
    for (unsigned i = 0; i < n; i++) {
        end = cluster_end(sorted, n, i, end, width);
        if (end - i > best.count)
            best = (struct tkf_cluster){i, end - i};
    }
    return best;
}

uint64_t tkf_gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

double tkf_nan(void)
{
    return __builtin_nan("");
}

bool tkf_is_nan(double x)
{
    return x != x;
}
