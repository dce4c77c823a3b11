/* SPDX-License-Identifier: MIT */
/** The harness's loop and timer on a clock of this file's own: bodies say how long they take, so every number is exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/report.h>

#include "bench_run.h"

#define BODY(name) static void name(struct tkf_bench *b, size_t tkf_left_)
#define UNUSED     (void)b, (void)tkf_left_

static uint64_t clock_ticks, reads, read_ticks, body_runs, stalls;

static uint64_t now(const void *ctx)
{
    (void)ctx;
    reads++;
    return clock_ticks += read_ticks;
}

static double slower; /* by so much is everything, for the moment */

/** An empty loop of 0.25 ns. */
static uint64_t run_empty(const void *ctx, uint64_t iterations)
{
    (void)ctx;
    uint64_t ticks = (uint64_t)((double)iterations * 0.25 * slower / 0.5);
    clock_ticks += ticks;
    return ticks;
}

static const struct tkf_bench_timer timer = {
    .now = now, .empty = run_empty, .tick_ns = 0.5, .step_ns = 1, .empty_ns = 0.25};

/** The body of a benchmark does something: the clock goes on. */
static void spend(double ns)
{
    body_runs++;
    clock_ticks += (uint64_t)(ns / timer.tick_ns);
}

static void assert_near(double value, double expected, double within)
{
    if (!(value >= expected - within && value <= expected + within))
        fail_msg("%.12g is not %.12g", value, expected);
}

static int setup(void **state)
{
    (void)state;
    clock_ticks = 1000;
    reads = read_ticks = body_runs = stalls = 0;
    slower = 1;
    return 0;
}

static bool (*cancel)(void *ctx);

static struct tkf_bench_repetition repeat(void (*loop)(struct tkf_bench *, size_t),
                                          void (*ramp)(struct tkf_bench *), double time_ns,
                                          uint64_t iterations)
{
    struct tkf_bench_entry entry = {
        .name = "it", .file = "it.c", .line = 42, .loop = loop, .ramp = ramp};
    struct tkf_bench_limit limit = {
        .time_ns = time_ns, .iterations = iterations, .cancelled = cancel};
    struct tkf_bench_repetition r;
    int error = tkf_bench_repeat(&entry, 7, &timer, &limit, false, &r);
    assert_int_equal(error, r.error[0] != '\0' ? TKF_EINVAL : 0);
    return r;
}

/* ---- windows -------------------------------------------------------------------------------------------------------- */

BODY(body_100ns)
{
    spend(5e9); /* before and after the loop */
    body_runs = 0;
    while (tkf_loop(b))
        spend(100);
    clock_ticks += 1000000;
}

static void test_windows(void **state)
{
    (void)state;
    struct tkf_bench_repetition r = repeat(body_100ns, NULL, 10e6, 0);
    assert_string_equal(r.error, "");
    assert_int_equal(r.iterations, body_runs);
    assert_near(r.ns, 100, 1e-9);
    assert_near(r.ns_lo, 100, 1e-9);
    assert_near(r.ns_hi, 100, 1e-9);
    assert_near(r.fast_ns, 100, 1e-9);
    assert_near(r.mean_ns, 100, 1e-9);
    assert_near(r.total_ns, 100.0 * (double)r.iterations, 1e-6);
    /* Windows of 100 us, as many as fill the time, and few that only found their size. */
    assert_in_range(r.nsamples, 100, 101);
    for (size_t i = 0; i < r.nsamples; i++)
        assert_int_equal(r.sizes[i], 1000);
    assert_true(r.total_ns >= 10e6 && r.total_ns < 10.5e6);
    tkf_bench_repetition_free(&r);
}

/** The loop is given as many trues as windows ask for, so it is the readings that are rare. */
static void test_few_readings(void **state)
{
    (void)state;
    struct tkf_bench_repetition r = repeat(body_100ns, NULL, 10e6, 0);
    assert_true(reads < 250 && r.iterations > 99000);
    tkf_bench_repetition_free(&r);
}

BODY(body_slow)
{
    while (tkf_loop(b))
        spend(1e6);
}

BODY(body_slower)
{
    while (tkf_loop(b))
        spend(1e9);
}

static void test_slow_body(void **state)
{
    (void)state;
    struct tkf_bench_repetition r = repeat(body_slow, NULL, 10e6, 0);
    assert_int_equal(r.iterations, 11);
    assert_int_equal(r.nsamples, 10); /* the first was cold */
    assert_near(r.ns, 1e6, 1e-6);
    tkf_bench_repetition_free(&r);

    r = repeat(body_slow, NULL, 1, 0); /* the first may have been interrupted */
    assert_int_equal(r.iterations, 2);
    assert_int_equal(r.nsamples, 1);
    assert_near(r.ns, 1e6, 1e-6);
    tkf_bench_repetition_free(&r);

    r = repeat(body_slower, NULL, 1, 0); /* one is more than enough, and then it is the sample */
    assert_int_equal(r.iterations, 1);
    assert_int_equal(r.nsamples, 1);
    assert_near(r.ns, 1e9, 1e-6);
    tkf_bench_repetition_free(&r);
}

BODY(body_stalls)
{
    while (tkf_loop(b)) {
        spend(100);
        if (++stalls % 20000 == 0)
            clock_ticks += 10000000;
    }
}

/** What something else took from one window in twenty shows in the mean and not in the median. */
static void test_interruptions(void **state)
{
    (void)state;
    struct tkf_bench_repetition r = repeat(body_stalls, NULL, 100e6, 0);
    assert_near(r.ns, 100, 1e-9);
    assert_true(r.mean_ns > 150);
    tkf_bench_repetition_free(&r);
}

BODY(body_stalls_early)
{
    while (tkf_loop(b)) {
        spend(100);
        if (++stalls == 1 || stalls == 7)
            clock_ticks += 300000000;
    }
}

/** A long interruption while windows are still finding their size: neither the size nor the end comes from it. */
static void test_early_interruption(void **state)
{
    (void)state;
    struct tkf_bench_repetition r = repeat(body_stalls_early, NULL, 10e6, 0);
    assert_near(r.ns, 100, 1e-9);
    assert_in_range(r.sizes[0], 500, 2000);
    assert_true(r.nsamples >= 50);
    tkf_bench_repetition_free(&r);
}

BODY(body_two_states)
{
    while (tkf_loop(b))
        spend(++stalls / 10000 % 10 == 0 ? 100 : 180);
}

BODY(body_never_the_same)
{
    while (tkf_loop(b))
        spend(100 * (double)++stalls);
}

static void test_no_state(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 8; n++) {
        stalls = 0;
        struct tkf_bench_repetition r = repeat(body_never_the_same, NULL, 0, n);
        assert_near(r.ns, 50 * (double)(n + 1), 1e-9);
        assert_near(r.fast_ns, n < 3 ? 100 : r.ns, 1e-9);
        tkf_bench_repetition_free(&r);
    }
}

/** Slow in nine of ten windows: the median says so, and the fastest state is known all the same. */
static void test_states(void **state)
{
    (void)state;
    struct tkf_bench_repetition r = repeat(body_two_states, NULL, 100e6, 0);
    assert_near(r.ns, 180, 1e-9);
    assert_near(r.fast_ns, 100, 1e-9);
    tkf_bench_repetition_free(&r);
}

static void test_fixed_iterations(void **state)
{
    (void)state;
    static const uint64_t counts[] = {1, 2, 3, 63, 64, 65, 66, 129, 1000, 50000, 123457};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct tkf_bench_repetition r = repeat(body_100ns, NULL, 0, counts[i]);
        assert_int_equal(body_runs, counts[i]);
        assert_int_equal(r.iterations, counts[i]);
        assert_near(r.ns, 100, 1e-9);
        assert_true(r.nsamples >= 1 && r.nsamples <= 128);
        uint64_t sum = 0;
        for (size_t k = 0; k < r.nsamples; k++)
            sum += r.sizes[k];
        assert_true(sum == counts[i] || sum == counts[i] - 1);
        tkf_bench_repetition_free(&r);
    }
}

static bool after_five_runs(void *ctx)
{
    assert_null(ctx);
    return body_runs >= 5;
}

static void test_cancelled(void **state)
{
    (void)state;
    cancel = after_five_runs;
    struct tkf_bench_repetition r = repeat(body_slow, NULL, 1e12, 0);
    cancel = NULL;
    assert_string_equal(r.error, "");
    assert_int_equal(body_runs, 5);
    tkf_bench_repetition_free(&r);
}

/** A body that takes no time on this clock at all: it ends, and the answer is what was measured. */
BODY(body_nothing)
{
    read_ticks = 1;
    while (tkf_loop(b))
        if (++stalls > 100000000)
            break;
}

static void test_nothing(void **state)
{
    (void)state;
    struct tkf_bench_repetition r = repeat(body_nothing, NULL, 0, 1000000);
    assert_string_equal(r.error, "");
    assert_true(r.ns > 0 && r.ns < 1e-3);
    tkf_bench_repetition_free(&r);
}

static void helper(struct tkf_bench *b)
{
    TKF_LOOP_HERE;
    while (tkf_loop(b))
        spend(30);
}

BODY(body_helper)
{
    (void)tkf_left_;
    assert_int_equal(b->arg, 7);
    assert_int_equal(b->n, 0);
    helper(b);
}

static void test_helper(void **state)
{
    (void)state;
    struct tkf_bench_repetition r = repeat(body_helper, NULL, 1e6, 0);
    assert_near(r.ns, 30, 1e-9);
    tkf_bench_repetition_free(&r);
}

/* ---- the timer ------------------------------------------------------------------------------------------------------ */

BODY(body_bracketed)
{
    tkf_timer_reset(b); /* harmless here */
    while (tkf_loop(b)) {
        tkf_timer_stop(b);
        spend(5000);
        tkf_timer_start(b);
        spend(100);
    }
}

static void test_bracketed(void **state)
{
    (void)state;
    struct tkf_bench_repetition r = repeat(body_bracketed, NULL, 1e6, 0);
    assert_string_equal(r.error, "");
    assert_near(r.ns, 100, 1e-9);
    assert_int_equal(r.brackets, r.iterations);
    tkf_bench_repetition_free(&r);
}

BODY(body_all_outside)
{
    while (tkf_loop(b)) {
        tkf_timer_stop(b);
        spend(1e6);
        tkf_timer_start(b);
    }
}

/** Measured time that never fills is no reason to go on for ever. */
static void test_ends_by_wall_time(void **state)
{
    (void)state;
    struct tkf_bench_repetition r = repeat(body_all_outside, NULL, 10e6, 0);
    assert_string_equal(r.error, "");
    assert_true(body_runs < 5000);
    tkf_bench_repetition_free(&r);
}

/** Each reading takes 10 ns here, 5 of them on either side of the moment. */
static void test_bracket_cost(void **state)
{
    (void)state;
    read_ticks = 20;
    double ns = tkf_bench_bracket_ns(&timer);
    assert_true(ns >= 10 && ns < 10.5);
}

/* ---- beside an empty loop ------------------------------------------------------------------------------------------- */

static double body_ns;

/** 1000 operations at a time, so that parts of a tick count. A neighbour is there for three quarters of them. */
static void spend_beside(void)
{
    clock_ticks += (uint64_t)(1000 * body_ns * slower / timer.tick_ns);
    slower = ++stalls / 3000 % 4 == 0 ? 1 : 1.9;
}

BODY(body_beside)
{
    while (tkf_loop(b))
        spend_beside();
}

static void ramp_beside(struct tkf_bench *b)
{
    tkf_timer_reset(b);
    for (uint64_t i = 0; i < b->n; i++)
        spend_beside();
}

static struct tkf_bench_repetition repeat_beside(bool ramp, double ns)
{
    struct tkf_bench_entry entry = {
        .name = "it", .file = "it.c", .line = 42, .loop = body_beside, .ramp = ramp_beside};
    struct tkf_bench_limit limit = {.time_ns = 40e6, .beside_empty = true};
    struct tkf_bench_repetition r;
    if (ramp)
        entry.loop = NULL;
    body_ns = ns;
    assert_int_equal(tkf_bench_repeat(&entry, 7, &timer, &limit, false, &r), 0);
    return r;
}

/** What takes turns with the empty loop is known from it, as it is while that runs undisturbed. */
static void test_beside(void **state)
{
    (void)state;
    for (int ramp = 0; ramp < 2; ramp++) {
        setup(NULL);
        struct tkf_bench_repetition r = repeat_beside(ramp, 0.5);
        struct tkf_bench_beside beside;
        assert_non_null(r.empty);
        assert_true(r.nsamples > 100);
        assert_true(tkf_bench_beside(&r, &beside));
        assert_near(beside.ns, 500, 1);
        assert_near(beside.empty_ns, 0.25, 1e-3);
        assert_near(beside.ratio.mid, 2000, 4);
        assert_true(beside.windows > 20 && beside.windows < r.nsamples);
        tkf_bench_repetition_free(&r);
    }
}

/** The neighbour never leaves: neither was seen at its fastest, and that they are alike is seen all the same. */
static void test_beside_a_neighbour(void **state)
{
    (void)state;
    double samples[40], empty[40];
    struct tkf_bench_repetition r = {.samples = samples, .empty = empty, .nsamples = 40};
    struct tkf_bench_beside beside;
    for (unsigned i = 0; i < 40; i++) {
        empty[i] = 0.47 + 0.001 * (i % 3);
        samples[i] = 0.471 + (i % 7 == 0 ? 5 : 0);
    }
    assert_true(tkf_bench_beside(&r, &beside));
    assert_near(beside.ratio.mid, 1, 0.01);
    /* One that comes and goes with every window: then all of them count, and the median of what they say. */
    for (unsigned i = 0; i < 40; i++)
        empty[i] = i % 2 ? 0.25 : 0.47;
    for (unsigned i = 0; i < 40; i++)
        samples[i] = i % 3 ? 0.36 : 0.25 + 0.22 * (i % 2);
    assert_true(tkf_bench_beside(&r, &beside));
    assert_int_equal(beside.windows, 39);
    assert_near(beside.ratio.mid, 1, 0.001);
    /* Nothing is known where there was no empty loop, or next to no windows. */
    r.nsamples = 10;
    assert_false(tkf_bench_beside(&r, &beside));
    r.nsamples = 0;
    assert_false(tkf_bench_beside(&r, &beside));
    r = (struct tkf_bench_repetition){.samples = samples, .nsamples = 40};
    assert_false(tkf_bench_beside(&r, &beside));
}

/* ---- the verdicts --------------------------------------------------------------------------------------------------- */

/** A row of 0.45 ns on a machine whose cycle takes 0.25 ns, in windows of 100 us, but for what the caller says. */
static const char *judged(struct tkf_bench_row *row, uint64_t window, double ns,
                          struct tkf_bench_beside beside)
{
    static struct tkf_bench_repetition r;
    static double sample;
    static uint64_t size;
    struct tkf_bench_options options = {.count = 1};
    struct tkf_band floor = {0.25, 0.25, 0.5};
    struct tkf_profile_cpu cpu = {.floor = {.cycle_ns = 0.25, .floor_ns = floor}};
    struct tkf_bench_session session = {
        .options = &options,
        .profile = {.cpus = &cpu, .ncpus = 1, .suspect_below_ns = 0.5},
    };
    session.profile.counter = (struct tkf_counter){
        .name = "rdtsc", .step_ns = 10, .read_ns = {25, 25, 25}, .trust = TKF_TRUST_VERIFIED};
    sample = ns;
    size = window;
    r = (struct tkf_bench_repetition){
        .ns = ns, .samples = &sample, .sizes = &size, .nsamples = 1, .iterations = window};
    *row = (struct tkf_bench_row){
        .name = "small", .repetitions = &r, .nrepetitions = 1, .fast_ns = ns, .beside = beside};
    tkf_bench_judge(&session, row, 1);
    return row->verdict;
}

static void test_verdicts(void **state)
{
    (void)state;
    struct tkf_bench_row row;
    struct tkf_bench_beside none = {.windows = 0};
    struct tkf_bench_beside like = {.ns = 0.45, .empty_ns = 0.44, .windows = 50};
    struct tkf_bench_beside unlike = {.ns = 0.45, .empty_ns = 0.25, .windows = 50};
    like.ratio = (struct tkf_band){1.02, 1.02, 1.02};
    unlike.ratio = (struct tkf_band){1.8, 1.8, 1.8};

    assert_string_equal(judged(&row, 400000, 0.25, none), "at-floor");
    assert_string_equal(judged(&row, 400000, 0.45, none), "near-floor");
    assert_string_equal(judged(&row, 400000, 0.45, unlike), "near-floor");
    assert_string_equal(judged(&row, 400000, 0.45, like), "at-floor");
    assert_non_null(
        strstr(row.evidence, "0.45 ns, where an empty loop in turns with it takes 0.44"));
    assert_int_equal(row.first_evidence, strlen(row.evidence));
    assert_non_null(strstr(row.hint, "tkf_keep()"));

    /* As long as it takes to read the counter. */
    assert_string_equal(judged(&row, 1, 60, none), "timer-limited");
    assert_non_null(strstr(row.evidence, "windows of 60 ns"));
    assert_non_null(strstr(row.hint, "longer"));
    assert_string_equal(judged(&row, 1, 249, none), "timer-limited");
    assert_string_equal(judged(&row, 1, 251, none), "ok");
    assert_string_equal(judged(&row, 100, 2.51, none), "ok");
}

/* ---- the older form ------------------------------------------------------------------------------------------------- */

static void ramp_with_fixture(struct tkf_bench *b)
{
    spend(1e6);
    tkf_timer_reset(b);
    body_runs = 0;
    for (uint64_t i = 0; i < b->n; i++)
        spend(100);
}

static void test_ramp(void **state)
{
    (void)state;
    struct tkf_bench_repetition r = repeat(NULL, ramp_with_fixture, 10e6, 0);
    assert_string_equal(r.error, "");
    assert_near(r.ns, 100, 1e-9);
    assert_int_equal(r.iterations, body_runs);
    assert_in_range(r.iterations, 100000, 130000);
    assert_int_equal(r.nsamples, 1);
    tkf_bench_repetition_free(&r);

    r = repeat(NULL, ramp_with_fixture, 0, 777);
    assert_int_equal(r.iterations, 777);
    assert_near(r.ns, 100, 1e-9);
    tkf_bench_repetition_free(&r);
}

static void ramp_bracketed(struct tkf_bench *b)
{
    for (uint64_t i = 0; i < b->n; i++) {
        tkf_timer_stop(b);
        spend(1000);
        tkf_timer_start(b);
        spend(10);
    }
}

static void test_ramp_bracketed(void **state)
{
    (void)state;
    struct tkf_bench_repetition r = repeat(NULL, ramp_bracketed, 1e5, 0);
    assert_string_equal(r.error, "");
    assert_near(r.ns, 10, 1e-9);
    assert_int_equal(r.brackets, r.iterations);
    tkf_bench_repetition_free(&r);
}

/* ---- misuse --------------------------------------------------------------------------------------------------------- */

static unsigned where; /* the line of the misuse */
#define HERE (where = __LINE__)

BODY(stop_without_start)
{
    HERE, where--;
    while (tkf_loop(b)) {
        spend(100);
        tkf_timer_stop(b);
    }
}
BODY(stop_twice)
{
    while (tkf_loop(b)) {
        tkf_timer_stop(b);
        HERE, tkf_timer_stop(b);
        spend(100);
        tkf_timer_start(b);
    }
}
BODY(start_twice)
{
    while (tkf_loop(b)) {
        spend(100);
        HERE, tkf_timer_start(b);
    }
}
BODY(wrong_way_round)
{
    while (tkf_loop(b)) {
        HERE, tkf_timer_start(b);
        spend(100);
        tkf_timer_stop(b);
    }
}
BODY(stop_before)
{
    HERE, tkf_timer_stop(b);
    while (tkf_loop(b))
        spend(100);
}
BODY(start_before)
{
    HERE, tkf_timer_start(b);
    while (tkf_loop(b))
        spend(100);
}
BODY(stop_after)
{
    while (tkf_loop(b))
        spend(100);
    HERE, tkf_timer_stop(b);
}
BODY(start_after)
{
    while (tkf_loop(b))
        spend(100);
    HERE, tkf_timer_start(b);
}
BODY(reset_inside)
{
    while (tkf_loop(b)) {
        spend(100);
        HERE, tkf_timer_reset(b);
    }
}
BODY(reset_after)
{
    while (tkf_loop(b))
        spend(100);
    HERE, tkf_timer_reset(b);
}
BODY(never)
{
    UNUSED;
    spend(100);
}
BODY(over_n)
{
    UNUSED;
    for (uint64_t i = 0; i < b->n; i++)
        spend(100);
}
BODY(left_by_break)
{
    while (HERE, tkf_loop(b)) {
        spend(100);
        break;
    }
}
BODY(left_by_return)
{
    while (HERE, tkf_loop(b)) {
        spend(100);
        return;
    }
}
BODY(left_later)
{
    while (HERE, tkf_loop(b)) {
        spend(100);
        if (body_runs == 5000)
            return;
    }
}
BODY(second_loop)
{
    while (tkf_loop(b))
        spend(100);
    while (HERE, tkf_loop(b))
        spend(100);
}
BODY(nested_loop)
{
    while (tkf_loop(b)) {
        while (HERE, tkf_loop(b))
            spend(100);
    }
}
BODY(left_for_another)
{
    while (tkf_loop(b)) {
        spend(100);
        break;
    }
    while (HERE, tkf_loop(b))
        spend(100);
}
BODY(no_unit)
{
    while (tkf_loop(b))
        spend(100);
    tkf_set_metric(b, NULL, 1);
}
BODY(unit_of_the_format)
{
    while (tkf_loop(b))
        spend(100);
    tkf_set_metric(b, "B/op", 1);
}
BODY(no_number)
{
    while (tkf_loop(b))
        spend(100);
    tkf_set_metric(b, "probes/op", NAN);
}
BODY(blank_unit)
{
    while (tkf_loop(b))
        spend(100);
    tkf_set_metric(b, "probes an op", 1);
}
BODY(too_many_metrics)
{
    while (tkf_loop(b))
        spend(100);
    for (int i = 0; i < 9; i++) {
        char unit[8];
        snprintf(unit, sizeof unit, "u%d/op", i);
        tkf_set_metric(b, unit, i);
    }
}

static void ramp_stop(struct tkf_bench *b)
{
    for (uint64_t i = 0; i < b->n; i++) {
        tkf_timer_stop(b);
        spend(100);
    }
}
static void ramp_stop_before(struct tkf_bench *b)
{
    spend(100);
    tkf_timer_stop(b);
    for (uint64_t i = 0; i < b->n; i++)
        spend(100);
}
static void ramp_start(struct tkf_bench *b)
{
    HERE, tkf_timer_start(b);
    for (uint64_t i = 0; i < b->n; i++)
        spend(100);
}
static void ramp_reset(struct tkf_bench *b)
{
    for (uint64_t i = 0; i < b->n; i++) {
        spend(100);
        HERE, tkf_timer_reset(b);
    }
}
static void ramp_with_loop(struct tkf_bench *b)
{
    TKF_LOOP_HERE;
    spend(100);
    while (HERE, tkf_loop(b))
        spend(100);
}
static void ramp_deleted(struct tkf_bench *b)
{
    (void)b;
    spend(20);
}

enum place { AT_MISUSE, AT_BENCHMARK };

static void test_misuse(void **state)
{
    (void)state;
    static const struct {
        void (*loop)(struct tkf_bench *, size_t);
        void (*ramp)(struct tkf_bench *);
        enum place place;
        uint64_t runs; /* of the body, at most: it is found at once */
        const char *says;
    } cases[] = {
        {stop_without_start, NULL, AT_BENCHMARK, 1, "the body ended with the timer stopped"},
        {stop_twice, NULL, AT_MISUSE, 1, "tkf_timer_stop() without a start since the last stop"},
        {start_twice, NULL, AT_MISUSE, 1, "tkf_timer_start() while the timer runs"},
        {wrong_way_round, NULL, AT_MISUSE, 1, "tkf_timer_start() while the timer runs"},
        {stop_before, NULL, AT_MISUSE, 0, "tkf_timer_stop() before the loop"},
        {start_before, NULL, AT_MISUSE, 0, "tkf_timer_start() outside the loop"},
        {stop_after, NULL, AT_MISUSE, -1, "tkf_timer_stop() after the loop"},
        {start_after, NULL, AT_MISUSE, -1, "tkf_timer_start() outside the loop"},
        {reset_inside, NULL, AT_MISUSE, 1, "tkf_timer_reset() in or after the loop"},
        {reset_after, NULL, AT_MISUSE, -1, "tkf_timer_reset() in or after the loop"},
        {never, NULL, AT_BENCHMARK, 1, "the loop was never reached"},
        {over_n, NULL, AT_BENCHMARK, 0, "TKF_BENCH_N"},
        {left_by_break, NULL, AT_MISUSE, 1, "the loop was left by break or return"},
        {left_by_return, NULL, AT_MISUSE, 1, "the loop was left by break or return"},
        {left_later, NULL, AT_MISUSE, 5000, "the loop was left by break or return"},
        {second_loop, NULL, AT_MISUSE, -1, "a second loop"},
        {nested_loop, NULL, AT_MISUSE, 0, "a second loop, before the one at line"},
        {left_for_another, NULL, AT_MISUSE, 1, "a second loop, before the one at line"},
        {no_unit, NULL, AT_BENCHMARK, -1, "'' is no unit"},
        {unit_of_the_format, NULL, AT_BENCHMARK, -1, "'B/op' is no unit"},
        {no_number, NULL, AT_BENCHMARK, -1, "probes/op is set to what is no number"},
        {blank_unit, NULL, AT_BENCHMARK, -1, "'probes an op' is no unit"},
        {too_many_metrics, NULL, AT_BENCHMARK, -1, "more than 8 metrics"},
        {NULL, ramp_stop, AT_BENCHMARK, 1, "the function ended with the timer stopped"},
        {NULL, ramp_stop_before, AT_BENCHMARK, 2, "the function ended with the timer stopped"},
        {NULL, ramp_start, AT_MISUSE, 1, "tkf_timer_start() while the timer runs"},
        {NULL, ramp_reset, AT_MISUSE, 102, "tkf_timer_reset() twice in one call"},
        {NULL, ramp_with_loop, AT_MISUSE, 1, "tkf_loop() in TKF_BENCH_N"},
        {NULL, ramp_deleted, AT_BENCHMARK, 10, "no loop ran: 1000000 iterations took"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        setup(NULL);
        where = 0;
        struct tkf_bench_repetition r = repeat(cases[i].loop, cases[i].ramp, 10e6, 0);
        char place[300] = "it.c:42: ";
        if (cases[i].place == AT_MISUSE)
            snprintf(place, sizeof place, "%s:%u: ", __FILE__, where);
        if (strstr(r.error, cases[i].says) == NULL)
            fail_msg("case %zu says '%s', not '%s'", i, r.error, cases[i].says);
        if (cases[i].place == AT_MISUSE && strncmp(r.error, place, strlen(place)) != 0)
            fail_msg("case %zu is at '%s', not at %s", i, r.error, place);
        if (body_runs > cases[i].runs)
            fail_msg("case %zu ran %llu times", i, (unsigned long long)body_runs);
        assert_true(r.ns != r.ns || cases[i].runs == UINT64_MAX); /* no number */
        tkf_bench_repetition_free(&r);
    }
}

/* ---- what is printed ------------------------------------------------------------------------------------------------ */

BODY(body_with_metrics)
{
    while (tkf_loop(b))
        spend(40);
    tkf_set_bytes(b, 64);
    tkf_set_metric(b, "probes/op", 3);
    tkf_set_metric(b, "probes/op", 2.5);
}

static char *printed(const struct tkf_bench_session *session, const struct tkf_bench_row *row,
                     const struct tkf_bench_repetition *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tkf_bench_print_repetition(session, row, r, out);
    fclose(out);
    return text;
}

static void test_print(void **state)
{
    (void)state;
    struct tkf_bench_options options = {.mem = false};
    struct tkf_bench_session session = {.options = &options, .bracket_ns = 12};
    struct tkf_bench_row row = {.name = "Map/64"};
    struct tkf_bench_repetition r = repeat(body_with_metrics, NULL, 0, 1000);
    char *text = printed(&session, &row, &r);
    assert_string_equal(text,
                        "BenchmarkMap/64                        \t      1000\t     40.00 ns/op"
                        "\t      1600 MB/s\t     2.500 probes/op\n");
    free(text);

    /* Allocations as Go prints them, rounded down; stops and starts are named. */
    options.mem = true;
    r.nmetrics = 0;
    r.bytes = 0;
    r.brackets = 2000;
    r.mem = (struct tkf_mem_counts){.mallocs = 999, .callocs = 500, .aligned = 400, .bytes = 64999};
    text = printed(&session, &row, &r);
    assert_string_equal(text,
                        "BenchmarkMap/64                        \t      1000\t     40.00 ns/op"
                        "\t      64 B/op\t       1 allocs/op\n"
                        "# BenchmarkMap/64: its 2 stops and starts an operation add about 24 ns\n");
    free(text);
    tkf_bench_repetition_free(&r);
}

static void test_digits(void **state)
{
    (void)state;
    static const struct {
        double ns;
        const char *text;
    } cases[] = {
        {0, "\t         0 ns/op\n"},      {0.02708, "\t 0.0270800 ns/op\n"},
        {0.2708, "\t    0.2708 ns/op\n"}, {1.083, "\t     1.083 ns/op\n"},
        {10.834, "\t     10.83 ns/op\n"}, {108.34, "\t     108.3 ns/op\n"},
        {1083.4, "\t      1083 ns/op\n"}, {99.996, "\t     100.0 ns/op\n"},
        {999.96, "\t      1000 ns/op\n"}, {1e9, "\t1000000000 ns/op\n"},
    };
    struct tkf_bench_options options = {.mem = false};
    struct tkf_bench_session session = {.options = &options};
    struct tkf_bench_row row = {.name = "x"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tkf_bench_repetition r = {.ns = cases[i].ns, .iterations = 1};
        char *text = printed(&session, &row, &r);
        assert_string_equal(strrchr(text, '\t'), cases[i].text);
        free(text);
    }
}

static void test_failure(void **state)
{
    (void)state;
    struct tkf_bench_options options = {.mem = false};
    struct tkf_bench_session session = {.options = &options};
    struct tkf_bench_row row = {.name = "x"};
    struct tkf_bench_repetition r = repeat(never, NULL, 1e6, 0);
    char *text = printed(&session, &row, &r);
    assert_true(strncmp(text, "--- FAIL: Benchmarkx\n    it.c:42: the loop was never", 50) == 0);
    free(text);
    tkf_bench_repetition_free(&r);
}

/** What is printed is read again, whole: by the reader of Go's format, which `tickfloor report` uses. */
static void test_read_back(void **state)
{
    (void)state;
    struct tkf_bench_options options = {.mem = true, .pkg = "some/thing"};
    struct tkf_profile_cpu cpu = {.floor = {.cycle_ns = 0.25}};
    struct tkf_bench_session session = {
        .options = &options, .bracket_ns = 12, .profile = {.cpus = &cpu, .ncpus = 1}};
    session.profile.counter.name = "rdtsc";
    snprintf(session.profile.machine.os, sizeof session.profile.machine.os, "linux");
    snprintf(session.profile.machine.arch, sizeof session.profile.machine.arch, "amd64");
    snprintf(session.profile.machine.cpu, sizeof session.profile.machine.cpu, "A CPU @ 3 GHz");
    struct tkf_bench_row row = {.name = "Map/64", .verdict = "at-floor", .hint = "this"},
                         bad = {.name = "Bad"};
    snprintf(row.evidence, sizeof row.evidence, "seen; and more");
    row.first_evidence = 4;
    struct tkf_bench_repetition r = repeat(body_bracketed, NULL, 0, 1000);
    struct tkf_bench_repetition failed = repeat(never, NULL, 1e6, 0);
    r.mem = (struct tkf_mem_counts){.mallocs = 2000, .bytes = 128000};
    r.bytes = 64;

    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    tkf_bench_print_head(&session, out);
    tkf_bench_print_repetition(&session, &row, &r, out);
    tkf_bench_print_repetition(&session, &row, &r, out);
    tkf_bench_print_repetition(&session, &bad, &failed, out);
    tkf_bench_print_mark(&row, false, out);
    tkf_bench_print_mark(&row, true, out);
    fclose(out);
    assert_non_null(strstr(text, "\n# BenchmarkMap/64: at-floor: seen\n"
                                 "# BenchmarkMap/64: at-floor: seen\n# what to do: this\n"));

    FILE *in = fmemopen(text, size, "r");
    struct tkf_results *results = tkf_results_new();
    struct tkf_input_error error;
    assert_int_equal(tkf_results_read(results, in, "it", NULL, NULL, &error), 0); /* recognised */
    /* The benchmark that failed is a notice, and nothing else is. */
    assert_int_equal(tkf_results_notices(results), 1);
    assert_string_equal(tkf_results_notice(results, 0)->text,
                        "the run failed: \"--- FAIL: BenchmarkBad\"");
    assert_int_equal(tkf_results_count(results), 1);
    const struct tkf_result *map = tkf_results_get(results, 0);
    assert_string_equal(map->name, "BenchmarkMap/64");
    assert_string_equal(map->group, "some/thing");
    assert_string_equal(map->origin->cpu, "A CPU @ 3 GHz");
    assert_string_equal(map->origin->framework, "tickfloor");
    assert_int_equal(map->repetitions, 2);
    assert_near(map->ns, 100, 1e-9);
    assert_near(map->iterations, 1000, 0);
    assert_near(map->allocs, 2, 0);
    assert_near(map->alloc_bytes, 128, 0);
    assert_near(map->bytes_per_second, 640e6, 1);
    tkf_results_free(results);
    fclose(in);
    free(text);
    tkf_bench_repetition_free(&r);
    tkf_bench_repetition_free(&failed);
}

/* ---- options -------------------------------------------------------------------------------------------------------- */

static void test_options(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *says; /* NULL: it is taken */
    } cases[] = {
        {"count", "1", NULL},
        {"count", "10000", NULL},
        {"count", "0", "'0' is no count"},
        {"count", "10001", "no count"},
        {"count", "-1", "no count"},
        {"count", "", "no count"},
        {"count", "1e3", "no count"},
        {"count", "99999999999999999999999", "no count"},
        {"time", "1s", NULL},
        {"time", "0.5s", NULL},
        {"time", "100ms", NULL},
        {"time", "2m", NULL},
        {"time", "1x", NULL},
        {"time", "50000x", NULL},
        {"time", "0x", "neither a time nor"},
        {"time", "1.5x", "neither a time nor"},
        {"time", "0s", "neither a time nor"},
        {"time", "1", "neither a time nor"},
        {"time", "s", "neither a time nor"},
        {"time", "-1s", "neither a time nor"},
        {"time", "1.2.3s", "neither a time nor"},
        {"time", "nan", "neither a time nor"},
        {"time", "1e99s", "neither a time nor"},
        {"time", "99999999s", "neither a time nor"},
        {"time", "0.1ns", "neither a time nor"},
        {"filter", "^A/[0-9]+$", NULL},
        {"filter", "(", "'('"},
        {"filter", "[", "'['"},
        {"shuffle", "on", NULL},
        {"shuffle", "off", NULL},
        {"shuffle", "123", NULL},
        {"shuffle", "maybe", "'maybe' is no order"},
        {"cpu", "0", NULL},
        {"cpu", "0-1", "'0-1' is no CPU"},
        {"cpu", "", "no CPU"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct tkf_bench_options options, before;
        struct tkf_input_error error = {.text = ""};
        tkf_bench_defaults(&options);
        before = options;
        int code = tkf_bench_option(&options, cases[i].name, cases[i].value, &error);
        if (cases[i].says == NULL) {
            assert_int_equal(code, 0);
            continue;
        }
        assert_int_equal(code, TKF_EINVAL);
        if (strstr(error.text, cases[i].says) == NULL)
            fail_msg("--%s %s says '%s'", cases[i].name, cases[i].value, error.text);
        assert_true(error.next[0] != '\0');
        assert_memory_equal(&options, &before, sizeof options);
    }
    struct tkf_bench_options options;
    struct tkf_input_error error;
    tkf_bench_defaults(&options);
    assert_int_equal(tkf_bench_option(&options, "time", "0.25s", &error), 0);
    assert_near(options.limit.time_ns, 250e6, 1e-3);
    assert_int_equal(options.limit.iterations, 0);
    assert_int_equal(tkf_bench_option(&options, "time", "50000x", &error), 0);
    assert_int_equal(options.limit.iterations, 50000);
    assert_int_equal(tkf_bench_option(&options, "mem", NULL, &error), 0);
    assert_int_equal(tkf_bench_option(&options, "json", NULL, &error), 0);
    assert_int_equal(tkf_bench_option(&options, "list", NULL, &error), 0);
    assert_true(options.mem && options.json && options.list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_windows, setup),
        cmocka_unit_test_setup(test_few_readings, setup),
        cmocka_unit_test_setup(test_slow_body, setup),
        cmocka_unit_test_setup(test_interruptions, setup),
        cmocka_unit_test_setup(test_early_interruption, setup),
        cmocka_unit_test_setup(test_no_state, setup),
        cmocka_unit_test_setup(test_states, setup),
        cmocka_unit_test_setup(test_fixed_iterations, setup),
        cmocka_unit_test_setup(test_cancelled, setup),
        cmocka_unit_test_setup(test_nothing, setup),
        cmocka_unit_test_setup(test_helper, setup),
        cmocka_unit_test_setup(test_bracketed, setup),
        cmocka_unit_test_setup(test_ends_by_wall_time, setup),
        cmocka_unit_test_setup(test_bracket_cost, setup),
        cmocka_unit_test_setup(test_beside, setup),
        cmocka_unit_test_setup(test_beside_a_neighbour, setup),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test_setup(test_ramp, setup),
        cmocka_unit_test_setup(test_ramp_bracketed, setup),
        cmocka_unit_test_setup(test_misuse, setup),
        cmocka_unit_test_setup(test_print, setup),
        cmocka_unit_test_setup(test_digits, setup),
        cmocka_unit_test_setup(test_failure, setup),
        cmocka_unit_test_setup(test_read_back, setup),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
