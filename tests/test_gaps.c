/* SPDX-License-Identifier: MIT */
/** Gaps, seen by a counter of 1 GHz that follows a script. */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "gaps.h"

/** A reading takes 50 ns; at some times something else has the CPU. */
static struct script {
    uint64_t now, stops_at;
    struct taken {
        uint64_t at, ns;
    } taken[2];
} script;

static void burst(void *ctx, const struct tkf_source *src, uint64_t *ret_ticks, uint64_t n)
{
    (void)ctx;
    (void)src;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t before = script.now;
        script.now += 50;
        for (unsigned k = 0; k < 2; k++) {
            if (before < script.taken[k].at && script.now >= script.taken[k].at)
                script.now += script.taken[k].ns;
        }
        if (script.now > script.stops_at)
            script.now = script.stops_at;
        ret_ticks[i] = script.now;
    }
}

static const struct tkf_env env = {.burst = burst};

static int reset(void **state)
{
    (void)state;
    script = (struct script){.stops_at = UINT64_MAX};
    return 0;
}

static void one_gap_after_the_other(void **state)
{
    (void)state;
    uint64_t last = 0;
    script.taken[0] = (struct taken){500, 700};
    script.taken[1] = (struct taken){3500, 900};
    assert_int_equal(tkf_gap_next(&env, NULL, 600, 5000, &last), 750);
    assert_int_equal(last, 1200);
    assert_int_equal(tkf_gap_next(&env, NULL, 600, 5000, &last), 950);
    assert_int_equal(last, 4400);
    assert_int_equal(tkf_gap_next(&env, NULL, 600, 5000, &last), 0);
    assert_int_equal(last, 5000);
}

static void a_gap_at_the_end_is_seen_whole(void **state)
{
    (void)state;
    uint64_t last = 0;
    script.taken[0] = (struct taken){4950, 7000};
    assert_int_equal(tkf_gap_next(&env, NULL, 600, 5000, &last), 7050);
    assert_int_equal(last, 11950);
}

static void a_counter_that_stops_ends_it(void **state)
{
    (void)state;
    uint64_t last = 0;
    script.stops_at = 3000;
    assert_int_equal(tkf_gap_next(&env, NULL, 600, 5000, &last), 0);
    assert_int_equal(last, 3000);
}

static void no_threshold_that_reads_or_steps_would_pass(void **state)
{
    (void)state;
    struct tkf_counter counter = {.hz = 1e9, .read_ticks = {40, 50, 60}};
    assert_int_equal(tkf_gap_threshold_ticks(&env, &counter, 2000), 2000);
    assert_int_equal(tkf_gap_threshold_ticks(&env, &counter, 10), 8 * 50);
    counter.read_ticks = (struct tkf_band){1, 1, 1};
    assert_int_equal(tkf_gap_threshold_ticks(&env, &counter, 10), 2 * 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(one_gap_after_the_other, reset),
        cmocka_unit_test_setup(a_gap_at_the_end_is_seen_whole, reset),
        cmocka_unit_test_setup(a_counter_that_stops_ends_it, reset),
        cmocka_unit_test_setup(no_threshold_that_reads_or_steps_would_pass, reset),
    };
    return cmocka_run_group_tests_name("gaps", tests, NULL, NULL);
}
