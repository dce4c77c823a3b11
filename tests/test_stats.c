/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

static uint64_t state;

static uint64_t random_bits(void)
{
    state ^= state << 13; /* xorshift64 */
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static double random_share(void)
{
    return (double)(random_bits() >> 11) * 0x1p-53;
}

static int setup(void **unused)
{
    (void)unused;
    state = 88172645463325252;
    return 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void assert_sorts(const double *values, unsigned n)
{
    double sorted[1024], expected[1024];
    memcpy(sorted, values, n * sizeof *values);
    memcpy(expected, values, n * sizeof *values);
    tkf_sort(sorted, n);
    qsort(expected, n, sizeof *expected, ascending);
    assert_memory_equal(sorted, expected, n * sizeof *values);
}

static void sorts_as_qsort_does(void **unused)
{
    (void)unused;
    static const unsigned lengths[] = {1, 2, 3, 4, 7, 8, 100, 1000, 1024};
    for (unsigned l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        unsigned n = lengths[l];
        double random[1024], few[1024], equal[1024], rising[1024], falling[1024];
        for (unsigned i = 0; i < n; i++) {
            random[i] = random_share() - 0.5;
            few[i] = (double)(random_bits() % 4);
            equal[i] = 7;
            rising[i] = i;
            falling[i] = -(double)i;
        }
        assert_sorts(random, n);
        assert_sorts(few, n);
        assert_sorts(equal, n);
        assert_sorts(rising, n);
        assert_sorts(falling, n);
    }
    tkf_sort(NULL, 0);
}

static void quantiles_interpolate(void **unused)
{
    (void)unused;
    const double values[] = {1, 2, 4, 8};
    assert_true(tkf_quantile(values, 4, 0) == 1);
    assert_true(tkf_quantile(values, 4, 1) == 8);
    assert_true(tkf_quantile(values, 4, 0.5) == 3);
    assert_true(fabs(tkf_quantile(values, 4, 0.9) - 6.8) < 1e-12);
    assert_true(tkf_quantile(values, 1, 0) == 1);
    assert_true(tkf_quantile(values, 1, 0.7) == 1);
    assert_true(tkf_quantile(values, 1, 1) == 1);
}

static void median_band_holds_the_median(void **unused)
{
    (void)unused;
    static const unsigned lengths[] = {6, 9, 20, 51, 200};
    for (unsigned l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        unsigned n = lengths[l], held = 0, trials = 2000;
        for (unsigned t = 0; t < trials; t++) {
            double values[200];
            for (unsigned i = 0; i < n; i++)
                values[i] =
                    -log(1 - random_share()); /* skewed, as timings are; its median is ln 2 */
            tkf_sort(values, n);
            struct tkf_band band = tkf_median_band(values, n);
            assert_true(band.lo <= band.mid && band.mid <= band.hi);
            held += band.lo <= M_LN2 && M_LN2 <= band.hi;
        }
        /* Few values have few ranks to choose from, and the next interval inward holds too little. */
        assert_in_range(held, trials * 95 / 100, n < 20 ? trials : trials * 99 / 100);
    }
}

static void median_band_of_few(void **unused)
{
    (void)unused;
    const double values[] = {1, 2, 3, 4, 5};
    for (unsigned n = 1; n <= 5; n++) {
        struct tkf_band band = tkf_median_band(values, n);
        assert_true(band.lo == 1 && band.hi == n && band.mid == 0.5 * (n + 1));
    }
}

static void lowest_cluster_is_low_and_dense(void **unused)
{
    (void)unused;
    /* Two stray values, a thin state at 1.0, a thick one at 1.5. */
    const double values[] = {0.5,   0.7,   1.0,   1.001, 1.0015, 1.003, 1.5,
                             1.501, 1.501, 1.502, 1.502, 1.502,  1.503, 9};
    unsigned n = sizeof values / sizeof *values;
    struct tkf_cluster c = tkf_lowest_cluster(values, n, 0.002, 3);
    assert_int_equal(c.first, 2);
    assert_int_equal(c.count, 4); /* 1.003 lies within twice the width */
    c = tkf_lowest_cluster(values, n, 0.002, 4);
    assert_int_equal(c.first, 6);
    assert_int_equal(c.count, 7);
    assert_int_equal(tkf_lowest_cluster(values, n, 0.002, 8).count, 0);
    assert_int_equal(tkf_lowest_cluster(values, n, 0.002, 1).first, 0);
    assert_int_equal(tkf_lowest_cluster(values, 0, 0.002, 1).count, 0);
    assert_int_equal(tkf_lowest_cluster(values, 1, 0.002, 1).count, 1);
    assert_int_equal(tkf_lowest_cluster(values, 1, 0.002, 2).count, 0);
}

static void mode_cluster_is_the_fullest(void **unused)
{
    (void)unused;
    const double values[] = {1, 1.001, 2, 2.001, 2.002, 3, 3.001, 3.002};
    struct tkf_cluster c = tkf_mode_cluster(values, 8, 0.002);
    assert_int_equal(c.first, 2); /* the lower of two that are equal */
    assert_int_equal(c.count, 3);
    c = tkf_mode_cluster(values, 1, 0.002);
    assert_int_equal(c.first, 0);
    assert_int_equal(c.count, 1);
    assert_int_equal(tkf_mode_cluster(values, 0, 0.002).count, 0);
    const double zeros[] = {0, 0, 0, 5};
    assert_int_equal(tkf_mode_cluster(zeros, 4, 0.002).count, 3);
}

static void clusters_stay_within_the_values(void **unused)
{
    (void)unused;
    /* An emulator's window can come out shorter than an empty one: negative values, equal ones among them. */
    for (unsigned trial = 0; trial < 2000; trial++) {
        double values[40];
        unsigned n = 1 + random_bits() % 40;
        for (unsigned i = 0; i < n; i++)
            values[i] = (double)(random_bits() % 12) - 6;
        tkf_sort(values, n);
        struct tkf_cluster mode = tkf_mode_cluster(values, n, 0.01);
        assert_in_range(mode.count, 1, n);
        assert_true(mode.first + mode.count <= n);
        struct tkf_cluster low = tkf_lowest_cluster(values, n, 0.01, 3);
        assert_true(low.count == 0 || low.count >= 3);
        assert_true(low.count <= n && low.first + low.count <= n);
    }
}

static void gcd(void **unused)
{
    (void)unused;
    assert_int_equal(tkf_gcd(0, 0), 0);
    assert_int_equal(tkf_gcd(0, 26), 26);
    assert_int_equal(tkf_gcd(26, 0), 26);
    assert_int_equal(tkf_gcd(52, 78), 26);
    assert_int_equal(tkf_gcd(52, 79), 1);
    assert_int_equal(tkf_gcd(UINT64_MAX, UINT64_MAX - 1), 1);
    assert_int_equal(tkf_gcd(UINT64_C(1) << 63, UINT64_C(3) << 62), UINT64_C(1) << 62);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(sorts_as_qsort_does, setup),
        cmocka_unit_test(quantiles_interpolate),
        cmocka_unit_test_setup(median_band_holds_the_median, setup),
        cmocka_unit_test(median_band_of_few),
        cmocka_unit_test(lowest_cluster_is_low_and_dense),
        cmocka_unit_test(mode_cluster_is_the_fullest),
        cmocka_unit_test_setup(clusters_stay_within_the_values, setup),
        cmocka_unit_test(gcd),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
