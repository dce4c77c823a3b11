/* SPDX-License-Identifier: MIT */
/* What a gap is laid to, on a machine that follows a script: its counter, its clock and all that its system counts. */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"
#include "explore/evidence.h"
#include "explore/part.h"

/* ---- the machine: 1 GHz, a reading each 50 ns ------------------------------------------------------------------------ */

enum { SWITCH, STEAL, LOC, RES, NET, LATE, NSOURCES };

static const struct tkf_evidence_source sources[NSOURCES] = {
    [SWITCH] = {.name = "context switch"},
    [STEAL] = {.name = "steal", .time = true},
    [LOC] = {.name = "interrupt LOC", .interrupt = true},
    [RES] = {.name = "interrupt RES", .interrupt = true},
    [NET] = {.name = "interrupt net", .interrupt = true},
    [LATE] = {.name = "late steal", .time = true}, /* where interrupts are not charged either */
};

/** Something that happens every so often. */
struct event {
    uint64_t every_ns, first_ns;
    uint64_t gap_ns;          /* 0: it only counts */
    uint64_t moves[NSOURCES]; /* by how much each source moves */
    uint64_t due_ns;
};

static struct script {
    uint64_t now_ns;
    uint64_t counts[NSOURCES];
    struct event events[4];
    unsigned disturb_every,
        readings; /* each n-th reading of the slow sources was disturbed; 0: none */
    bool no_evidence;
    uint64_t cancel_ns;
} script;

static void advance(uint64_t ns)
{
    script.now_ns += ns;
    for (unsigned i = 0; i < 4; i++) {
        struct event *event = &script.events[i];
        if (event->every_ns == 0 || script.now_ns < event->due_ns + event->first_ns)
            continue;
        event->due_ns += event->every_ns;
        script.now_ns += event->gap_ns;
        for (unsigned s = 0; s < NSOURCES; s++)
            script.counts[s] += event->moves[s];
    }
}

static void burst(void *ctx, const struct tkf_source *src, uint64_t *ret_ticks, uint64_t n)
{
    (void)ctx, (void)src;
    for (uint64_t i = 0; i < n; i++) {
        advance(50);
        ret_ticks[i] = script.now_ns;
    }
}

static uint64_t clock_ns(void *ctx)
{
    (void)ctx;
    return script.now_ns;
}

static bool cancelled(void *ctx)
{
    (void)ctx;
    return script.cancel_ns > 0 && script.now_ns >= script.cancel_ns;
}

static int pin(void *ctx, unsigned cpu)
{
    (void)ctx;
    return cpu == 9 ? TKF_ENOCPU : 0;
}

/* In place of the library's. */
struct tkf_evidence {
    int unused;
};

struct tkf_evidence *tkf_evidence_open(const char *root, unsigned cpu, unsigned *ret_nsources)
{
    (void)root, (void)cpu;
    *ret_nsources = NSOURCES;
    return script.no_evidence ? NULL : malloc(sizeof(struct tkf_evidence));
}

void tkf_evidence_close(struct tkf_evidence *evidence)
{
    free(evidence);
}

const struct tkf_evidence_source *tkf_evidence_source(const struct tkf_evidence *evidence,
                                                      unsigned source)
{
    (void)evidence;
    return &sources[source];
}

void tkf_evidence_read_fast(struct tkf_evidence *evidence, bool ahead, uint64_t *ret_counts)
{
    (void)evidence, (void)ahead;
    ret_counts[SWITCH] = script.counts[SWITCH];
    ret_counts[STEAL] = script.counts[STEAL];
    ret_counts[LATE] = script.counts[LATE];
}

bool tkf_evidence_read_slow(struct tkf_evidence *evidence, uint64_t *ret_counts)
{
    (void)evidence;
    advance(1000);
    for (unsigned s = LOC; s <= NET; s++)
        ret_counts[s] = script.counts[s];
    return script.disturb_every == 0 || ++script.readings % script.disturb_every != 0;
}

static struct tkf_explore out;

/** Watch for 0.2 s. @return the first CPU's noise. */
static const struct tkf_cpu_noise *watch(int expected)
{
    static const unsigned cpus[] = {4, 9};
    static const struct tkf_source source = {.name = "script"};
    static const struct tkf_counter counter = {
        .source = &source, .hz = 1e9, .step_ticks = 1, .read_ticks = {50, 50, 50}};
    memset(&out, 0, sizeof out);
    script.now_ns = 1000;
    struct tkf_explorer x = {
        .env = {.clock_ns = clock_ns, .burst = burst, .cancelled = cancelled, .pin = pin},
        .counter = &counter,
        .cpu = 4,
        .cpus = cpus,
        .ncpus = 2,
        .end_ns = UINT64_C(400000000),
        .out = &out,
    };
    assert_int_equal(tkf_explore_noise(&x), expected);
    return &out.noise[0];
}

static int reset(void **state)
{
    (void)state;
    memset(&script, 0, sizeof script);
    return 0;
}

static const struct tkf_gap_cause *cause(const struct tkf_cpu_noise *noise, const char *name)
{
    static const struct tkf_gap_cause none = {.gaps = 0};
    for (unsigned i = 0; i < noise->ncauses; i++) {
        if (strcmp(noise->causes[i].name, name) == 0)
            return &noise->causes[i];
    }
    return &none;
}

/* ---- gaps ----------------------------------------------------------------------------------------------------- */

static void a_quiet_cpu_has_none(void **state)
{
    (void)state;
    const struct tkf_cpu_noise *noise = watch(0);
    assert_int_equal(noise->cpu, 4);
    assert_string_equal(noise->reason, "");
    assert_true(noise->seconds > 0.18 && noise->seconds < 0.21);
    assert_true(noise->threshold_ns == 500);
    assert_int_equal(noise->gaps, 0);
    assert_int_equal(noise->ncauses, 0);
    assert_true(noise->rate_hz == 0 && noise->stolen_share == 0);
    assert_true(isnan(noise->median_ns) && isnan(noise->p99_ns) && isnan(noise->worst_ns));
}

static void gaps_are_counted_and_measured(void **state)
{
    (void)state;
    script.events[0] = (struct event){.every_ns = 10000000, .gap_ns = 4000, .moves = {[LOC] = 1}};
    script.events[1] = (struct event){.every_ns = 50000000, .gap_ns = 90000, .first_ns = 1000000};
    const struct tkf_cpu_noise *noise = watch(0);
    uint64_t sum = 0;
    for (unsigned i = 0; i < TKF_GAP_BINS; i++)
        sum += noise->histogram[i];
    assert_true(noise->gaps >= 20 && noise->gaps <= 24);
    assert_int_equal(sum, noise->gaps);
    assert_int_equal(noise->histogram[11] + noise->histogram[16], noise->gaps); /* 4050 < 4096 */
    assert_true(noise->median_ns >= 4000 && noise->median_ns <= 4100);
    assert_true(noise->worst_ns >= 90000 && noise->worst_ns <= 90100);
    assert_true(fabs(noise->rate_hz * noise->seconds - (double)noise->gaps) < 1e-6);
    assert_true(noise->stolen_share > 0.002 && noise->stolen_share < 0.003);
}

static void what_is_below_the_threshold_is_no_gap(void **state)
{
    (void)state;
    script.events[0] = (struct event){.every_ns = 1000000, .gap_ns = 440};
    assert_int_equal(watch(0)->gaps, 0);
}

/* ---- causes ----------------------------------------------------------------------------------------------------- */

static void a_gap_is_laid_to_what_moved_with_it(void **state)
{
    (void)state;
    script.events[0] = (struct event){.every_ns = 10000000, .gap_ns = 4000, .moves = {[LOC] = 1}};
    script.events[1] = (struct event){
        .every_ns = 50000000, .first_ns = 3000000, .gap_ns = 9000, .moves = {[LOC] = 1, [NET] = 2}};
    script.events[2] = (struct event){.every_ns = 100000000,
                                      .first_ns = 5000000,
                                      .gap_ns = 1000000,
                                      .moves = {[SWITCH] = 1, [LOC] = 1, [RES] = 1}};
    script.events[3] = (struct event){.every_ns = 40000000, .first_ns = 7000000, .gap_ns = 2000};
    const struct tkf_cpu_noise *noise = watch(0);
    assert_int_equal(noise->ncauses, 4);
    assert_string_equal(noise->causes[0].name, "context switch"); /* longest time first */
    assert_true(cause(noise, "interrupt LOC")->gaps >= 15);
    assert_true(cause(noise, "interrupt LOC, net")->gaps >= 3);
    assert_true(cause(noise, "context switch")->gaps == 2);
    assert_true(cause(noise, "unknown")->gaps >= 4);
    uint64_t gaps = 0;
    for (unsigned i = 0; i < noise->ncauses; i++)
        gaps += noise->causes[i].gaps;
    assert_int_equal(gaps, noise->gaps);
    assert_true(fabs(cause(noise, "unknown")->ns / (double)cause(noise, "unknown")->gaps - 2050) <
                10);
}

/* An interrupt that is counted all the time, whether there is a gap or not, explains none. */
static void what_moves_without_gaps_explains_none(void **state)
{
    (void)state;
    script.events[0] = (struct event){.every_ns = 10000000, .gap_ns = 4000};
    script.events[1] = (struct event){.every_ns = 700000, .moves = {[NET] = 1}};
    const struct tkf_cpu_noise *noise = watch(0);
    assert_int_equal(cause(noise, "unknown")->gaps, noise->gaps);
}

/* One that is counted now and then without a gap, and with each gap, does. */
static void what_moves_with_gaps_explains_them(void **state)
{
    (void)state;
    script.events[0] = (struct event){.every_ns = 10000000, .gap_ns = 4000, .moves = {[NET] = 1}};
    script.events[1] =
        (struct event){.every_ns = 18000000, .first_ns = 2000000, .moves = {[NET] = 1}};
    const struct tkf_cpu_noise *noise = watch(0);
    assert_int_equal(cause(noise, "interrupt net")->gaps, noise->gaps);
}

static void stolen_time_is_at_least_half_of_the_gap(void **state)
{
    (void)state;
    script.events[0] =
        (struct event){.every_ns = 10000000, .gap_ns = 4000, .moves = {[STEAL] = 3000, [LOC] = 1}};
    script.events[1] = (struct event){
        .every_ns = 20000000, .first_ns = 3000000, .gap_ns = 4000, .moves = {[STEAL] = 1500}};
    const struct tkf_cpu_noise *noise = watch(0);
    assert_int_equal(noise->ncauses, 2);
    assert_true(cause(noise, "steal")->gaps >= 18);
    assert_true(cause(noise, "unknown")->gaps >= 9);
}

static void what_comes_after_the_interrupts_explains_what_they_do_not(void **state)
{
    (void)state;
    script.events[0] =
        (struct event){.every_ns = 10000000, .gap_ns = 4000, .moves = {[LOC] = 1, [LATE] = 4000}};
    script.events[1] = (struct event){
        .every_ns = 20000000, .first_ns = 3000000, .gap_ns = 4000, .moves = {[LATE] = 4000}};
    const struct tkf_cpu_noise *noise = watch(0);
    assert_int_equal(noise->ncauses, 2);
    assert_true(cause(noise, "interrupt LOC")->gaps >= 18);
    assert_true(cause(noise, "late steal")->gaps >= 9);
}

/* An interrupt during the reading is counted as if it had been in the gap. */
static void a_disturbed_reading_says_nothing_of_interrupts(void **state)
{
    (void)state;
    script.events[0] = (struct event){.every_ns = 10000000, .gap_ns = 4000, .moves = {[LOC] = 1}};
    script.events[1] = (struct event){
        .every_ns = 20000000, .first_ns = 3000000, .gap_ns = 4000, .moves = {[SWITCH] = 1}};
    script.disturb_every = 1;
    const struct tkf_cpu_noise *noise = watch(0);
    assert_int_equal(cause(noise, "interrupt LOC")->gaps, 0);
    assert_true(cause(noise, "unknown")->gaps >= 18);
    assert_true(cause(noise, "context switch")->gaps >= 9); /* which is read by itself */
    reset(NULL);
    script.events[0] = (struct event){.every_ns = 10000000, .gap_ns = 4000, .moves = {[LOC] = 1}};
    script.disturb_every = 7;
    noise = watch(0);
    assert_true(cause(noise, "interrupt LOC")->gaps > noise->gaps / 2);
    assert_true(cause(noise, "unknown")->gaps > 0);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void a_cpu_that_cannot_be_had_has_a_reason(void **state)
{
    (void)state;
    watch(0);
    assert_int_equal(out.nnoise, 2);
    assert_int_equal(out.noise[1].cpu, 9);
    assert_string_not_equal(out.noise[1].reason, "");
    assert_true(isnan(out.noise[1].stolen_share) && out.noise[1].gaps == 0);
}

static void stopping_keeps_what_was_seen(void **state)
{
    (void)state;
    script.events[0] = (struct event){.every_ns = 10000000, .gap_ns = 4000, .moves = {[LOC] = 1}};
    script.cancel_ns = 100000000;
    const struct tkf_cpu_noise *noise = watch(TKF_ECANCELLED);
    assert_true(noise->seconds > 0.08 && noise->seconds < 0.11);
    assert_true(noise->gaps >= 9);
    assert_int_equal(out.nnoise, 2);
    assert_string_equal(out.noise[1].reason, "interrupted");
    script.cancel_ns = 1;
    noise = watch(TKF_ECANCELLED);
    assert_string_equal(noise->reason, "interrupted");
}

static void no_memory_is_said(void **state)
{
    (void)state;
    script.no_evidence = true;
    watch(TKF_ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_quiet_cpu_has_none, reset),
        cmocka_unit_test_setup(gaps_are_counted_and_measured, reset),
        cmocka_unit_test_setup(what_is_below_the_threshold_is_no_gap, reset),
        cmocka_unit_test_setup(a_gap_is_laid_to_what_moved_with_it, reset),
        cmocka_unit_test_setup(what_moves_without_gaps_explains_none, reset),
        cmocka_unit_test_setup(what_moves_with_gaps_explains_them, reset),
        cmocka_unit_test_setup(stolen_time_is_at_least_half_of_the_gap, reset),
        cmocka_unit_test_setup(what_comes_after_the_interrupts_explains_what_they_do_not, reset),
        cmocka_unit_test_setup(a_disturbed_reading_says_nothing_of_interrupts, reset),
        cmocka_unit_test_setup(a_cpu_that_cannot_be_had_has_a_reason, reset),
        cmocka_unit_test_setup(stopping_keeps_what_was_seen, reset),
        cmocka_unit_test_setup(no_memory_is_said, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
