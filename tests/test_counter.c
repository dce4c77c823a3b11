/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rate.h"
#include "scripted.h"

#define assert_near(value, expected, share) assert_true(fabs((value) / (expected)-1) <= (share))

static struct tkf_scratch scratch;
static struct tkf_cpu cpu;
static struct tkf_counter counter;

static int probe_env(const struct tkf_env *env, const char *force)
{
    struct tkf_cpu_hints hints = {.hwcap = 0};
    return tkf_counter_probe(env, &hints, force, &scratch, &cpu, &counter);
}

static int probe(struct scripted *m, const char *force)
{
    struct tkf_env env = scripted_env(m);
    return probe_env(&env, force);
}

static int setup(void **unused)
{
    (void)unused;
    memset(&cpu, 0x5a, sizeof cpu);
    memset(&counter, 0x5a, sizeof counter);
    return 0;
}

static void assert_untouched(void)
{
    unsigned char pattern[sizeof counter];
    memset(pattern, 0x5a, sizeof pattern);
    assert_memory_equal(&counter, pattern, sizeof counter);
    assert_memory_equal(&cpu, pattern, sizeof cpu);
}

/** What the probe said of one source; NULL when it was not rejected. */
static const struct tkf_rejected *rejection(const char *source)
{
    for (unsigned i = 0; i < counter.nrejected; i++) {
        if (strcmp(counter.rejected[i].source, source) == 0)
            return &counter.rejected[i];
    }
    return NULL;
}

static void takes_the_best_source(void **unused)
{
    (void)unused;
    const struct tkf_source *best = scripted_best_source();
    struct scripted m = scripted_machine();
    double hz = scripted_hz(&m, best);
    assert_int_equal(probe(&m, NULL), 0);
    assert_ptr_equal(counter.source, best);
    assert_string_equal(counter.name, best->name);
    assert_string_equal(counter.fence, best->fence);
    assert_int_equal(counter.step_ticks, 26);
    assert_near(counter.hz, hz, 0.01);
    assert_near(counter.step_ns, 26e9 / hz, 0.01);
    assert_near(counter.read_ns.mid, 20, 0.01);
    assert_true(counter.read_ticks.lo < m.read_ns * 1.0003 * hz * 1e-9);
    assert_true(counter.read_ticks.hi > m.read_ns * 1.0003 * hz * 1e-9);
    for (const struct tkf_source *s = best + 1; s < tkf_arch_sources + tkf_arch_nsources; s++) {
        assert_non_null(rejection(s->name));
        assert_int_equal(rejection(s->name)->error, 0);
        assert_null(rejection(s->name)->next);
    }
}

/** The best source fails with `error`, says so, and the next one is used. */
static void assert_passed_over(struct scripted *m, int error, const char *reason)
{
    const struct tkf_source *best = scripted_best_source();
    int result = probe(m, NULL);
    const struct tkf_rejected *r = rejection(best->name);
    assert_non_null(r);
    assert_int_equal(r->error, error);
    assert_string_equal(r->reason, reason);
    assert_true(r->next == best->next);
    if (best + 1 == tkf_arch_sources + tkf_arch_nsources) {
        assert_int_equal(result, TKF_ENOSOURCE);
        assert_null(counter.source);
        return;
    }
    assert_int_equal(result, 0);
    assert_non_null(counter.source);
    assert_ptr_not_equal(counter.source, best);
    assert_near(counter.hz, scripted_hz(m, counter.source), 0.01);
}

static void assert_fault_passed_over(enum scripted_fault fault, int error)
{
    struct scripted m = scripted_machine();
    m.fault = fault;
    m.faulty = scripted_best_source()->name;
    assert_passed_over(&m, error, tkf_strerror(error));
}

static void passes_over_a_stuck_source(void **unused)
{
    (void)unused;
    assert_fault_passed_over(SCRIPTED_STUCK, TKF_ESTUCK);
}

static void passes_over_a_source_that_goes_back(void **unused)
{
    (void)unused;
    assert_fault_passed_over(SCRIPTED_BACK, TKF_EBACKWARD);
    struct scripted m = scripted_machine();
    m.fault = SCRIPTED_BACK;
    m.faulty = scripted_best_source()->name;
    m.fault_at = 7 * 512 + 1; /* between two bursts */
    assert_passed_over(&m, TKF_EBACKWARD, tkf_strerror(TKF_EBACKWARD));
}

static void passes_over_a_source_that_jumps(void **unused)
{
    (void)unused;
    assert_fault_passed_over(SCRIPTED_JUMP, TKF_EJUMP);
}

static void passes_over_a_source_that_traps(void **unused)
{
    (void)unused;
    assert_fault_passed_over(SCRIPTED_TRAP, TKF_ETRAP);
}

static void a_step_over_an_interruption_does_not_count(void **unused)
{
    (void)unused;
    for (unsigned at = 1; at < 3000; at += 97) {
        struct scripted m = scripted_machine();
        m.fault = SCRIPTED_SLIP;
        m.faulty = scripted_best_source()->name;
        m.fault_at = at;
        assert_int_equal(probe(&m, m.faulty), 0);
        assert_int_equal(counter.step_ticks, 26);
    }
}

static void passes_over_a_step_too_coarse(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.step_ticks =
        (uint64_t)(scripted_hz(&m, scripted_best_source()) * 4e-3); /* a timer's 250 Hz */
    assert_int_equal(probe(&m, scripted_best_source()->name), TKF_ENOSOURCE);
    assert_int_equal(rejection(scripted_best_source()->name)->error, TKF_EUNSUPPORTED);
    assert_string_equal(rejection(scripted_best_source()->name)->reason,
                        "its step is too coarse to time a short window");
    assert_null(counter.source);
    assert_true(counter.step_ticks == 0 && counter.nrates == 0);

    m.step_ticks /= 4000; /* 1 us: what a 1 MHz counter has */
    assert_int_equal(probe(&m, scripted_best_source()->name), 0);
    assert_near(counter.step_ns, 1000, 0.01);
    assert_near(counter.read_ns.mid, 20, 0.02);
    assert_true(counter.read_ns.lo < 20 && 20.02 < counter.read_ns.hi);
}

static void a_forbidden_counter_is_never_read(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.forbidden = "the process may not";
    m.fault = SCRIPTED_TRAP;
    m.faulty = scripted_best_source()->name;
    if (!scripted_best_source()->is_cpu_counter) {
        fprintf(stderr, "%s has no counter of the CPU that could be forbidden\n", tkf_arch_name);
        skip();
    }
    assert_passed_over(&m, TKF_EPERM, "the process may not");
    assert_false(counter.source->is_cpu_counter);
    assert_int_equal(counter.nrates, 1);
    assert_true(counter.hz == 1e9);
}

static void takes_the_source_that_is_asked_for(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < tkf_arch_nsources; i++) {
        const struct tkf_source *src = &tkf_arch_sources[i];
        struct scripted m = scripted_machine();
        int result = probe(&m, src->name);
        if (src->refuse(&cpu) != NULL) {
            assert_int_equal(result, TKF_ENOSOURCE);
            assert_string_equal(rejection(src->name)->reason, src->refuse(&cpu));
            continue;
        }
        assert_int_equal(result, 0);
        assert_ptr_equal(counter.source, src);
        assert_int_equal(counter.nrejected, 0);
    }
}

static void a_forced_source_has_no_stand_in(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.fault = SCRIPTED_STUCK;
    m.faulty = scripted_best_source()->name;
    assert_int_equal(probe(&m, m.faulty), TKF_ENOSOURCE);
    assert_int_equal(counter.nrejected, 1);
    assert_int_equal(counter.rejected[0].error, TKF_ESTUCK);
}

static void an_unknown_source_is_an_error(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    assert_int_equal(probe(&m, "hourglass"), TKF_EINVAL);
    assert_int_equal(probe(&m, ""), TKF_EINVAL);
    assert_untouched();
    struct tkf_env env = scripted_env(&m);
    struct tkf_cpu_hints hints = {.hwcap = 0};
    assert_int_equal(tkf_counter_probe(NULL, &hints, NULL, &scratch, &cpu, &counter), TKF_EINVAL);
    assert_int_equal(tkf_counter_probe(&env, NULL, NULL, &scratch, &cpu, &counter), TKF_EINVAL);
    assert_int_equal(tkf_counter_probe(&env, &hints, NULL, NULL, &cpu, &counter), TKF_EINVAL);
    assert_untouched();
}

static void stops_when_told(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.cancel_at = 1;
    assert_int_equal(probe(&m, NULL), TKF_ECANCELLED);
    assert_untouched();
}

static void reads_a_24_mhz_counter(void **unused)
{
    (void)unused;
    const struct tkf_source *best = scripted_best_source();
    struct scripted m = scripted_machine();
    m.counter_hz = 24e6;
    m.step_ticks = best->unit == TKF_UNIT_NS ? 42 : 1;
    m.read_ns = 8;
    assert_int_equal(probe(&m, NULL), 0);
    assert_int_equal(counter.step_ticks, m.step_ticks);
    assert_near(counter.step_ns, 41.8, 0.01);
    assert_near(counter.read_ns.mid, 8, 0.02);
    assert_true(counter.read_ns.lo <= 8 && 8.01 <= counter.read_ns.hi);
}

/* A 1 GHz counter over a crystal of 24, 19.2 or 60 MHz, read faster and slower than it steps. */
static void finds_the_step_of_a_scaled_counter(void **unused)
{
    (void)unused;
    static const struct {
        double scale, read_ns;
        uint64_t step;
    } rows[] = {
        {125 / 3.0, 8.3, 42}, {125 / 3.0, 55.7, 42}, {625 / 12.0, 30.1, 52}, {50 / 3.0, 20.9, 17}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct scripted m = scripted_machine();
        m.counter_hz = 1e9;
        m.scale = rows[i].scale;
        m.read_ns = rows[i].read_ns;
        m.noise = 0.05;
        m.gap_ns = 213;
        m.gap_jitter_ns = 300;
        m.gap_every_ns = 20011;
        assert_int_equal(probe(&m, NULL), 0);
        assert_int_equal(counter.step_ticks, rows[i].step);
    }
}

/* A fine counter whose reads cost now 40 ticks, now 41, and more where something came between. */
static void a_fine_counter_is_not_taken_for_a_scaled_one(void **unused)
{
    (void)unused;
    static const double reads_ns[] = {9.3, 20.4, 40.6, 41.5, 77.7};
    for (size_t i = 0; i < sizeof reads_ns / sizeof reads_ns[0]; i++) {
        struct scripted m = scripted_machine();
        m.counter_hz = 1e9;
        m.step_ticks = 1;
        m.read_ns = reads_ns[i];
        m.noise = 0.01;
        m.gap_ns = 213;
        m.gap_jitter_ns = 300;
        m.gap_every_ns = 20011;
        assert_int_equal(probe(&m, NULL), 0);
        assert_int_equal(counter.step_ticks, 1);
    }
}

static void an_identification_that_traps_is_no_end(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.identify_traps = true;
    assert_int_equal(probe(&m, NULL), 0);
    assert_string_equal(cpu.model_name, "");
    assert_int_equal(cpu.nrates, 0);
    for (unsigned i = 0; i < counter.nrejected; i++) {
        const struct tkf_source *src = &tkf_arch_sources[i];
        if (src < counter.source)
            assert_string_equal(counter.rejected[i].reason, src->refuse(&cpu));
    }
}

static void without_a_clock_the_rate_is_the_declared_one(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    struct tkf_env env = scripted_env(&m);
    env.clock_ns = NULL;
    for (int stuck = 0; stuck < 2; stuck++) {
        assert_int_equal(probe_env(&env, NULL), 0);
        assert_int_equal(counter.step_ticks, 26);
        if (counter.nrates > 0)
            assert_true(counter.hz == counter.rates[0].hz);
        else
            assert_true(isnan(counter.hz) && isnan(counter.step_ns) && isnan(counter.read_ns.mid));
        m.clock_stuck = true;
        env = scripted_env(&m);
    }
}

static void a_moment_is_the_same_on_both_clocks(void **unused)
{
    (void)unused;
    const struct tkf_source *src = scripted_best_source();
    struct scripted m = scripted_machine();
    struct tkf_env env = scripted_env(&m);
    m.gap_ns = 900;
    m.gap_every_ns = 1000; /* most tries are hit */
    struct tkf_moment from = tkf_moment_read(&env, src);
    for (unsigned i = 0; i < 50; i++) {
        struct tkf_moment to = tkf_moment_read(&env, src);
        double ticks_ns = (double)(to.ticks - from.ticks) * 1e9 / scripted_hz(&m, src);
        double clock_ns = (double)(to.clock_ns - from.clock_ns);
        assert_true(fabs(ticks_ns - clock_ns) <= 2 * 26e9 / scripted_hz(&m, src));
        assert_true(to.uncertain_ticks <= 5 * 26);
    }
}

/* ---- rates -------------------------------------------------------------------------------------------------------- */

/** A counter of 2.6 GHz seen at three moments 20 ms apart, the second window off by `bend_ppm`. */
static void settle(double bend_ppm)
{
    struct tkf_moment moments[3] = {
        {1000, 5000, 50},
        {1000 + 52000000, 20005000, 50},
        {1000 + 104000000 + (uint64_t)(int64_t)(52 * bend_ppm), 40005000, 50},
    };
    tkf_rate_settle(&counter, moments);
}

static int setup_rates(void **unused)
{
    (void)unused;
    counter = (struct tkf_counter){.step_ticks = 26, .read_ticks = {51, 52, 53}};
    return 0;
}

static void a_rate_that_all_agree_on_is_verified(void **unused)
{
    (void)unused;
    tkf_rate_add(&counter, "crystal", 2.6e9 * (1 + 900e-6));
    settle(100);
    assert_int_equal(counter.trust, TKF_TRUST_VERIFIED);
    assert_near(counter.hz, 2.6e9, 51e-6);
    assert_int_equal(counter.nrates, 3);
    assert_true(fabs(counter.rates[0].ppm_off - 850) < 1);
    assert_true(fabs(counter.rates[1].ppm_off + 50) < 1);
    assert_true(fabs(counter.rates[2].ppm_off - 50) < 1);
    assert_near(counter.step_ns, 10, 1e-4);
    assert_near(counter.read_ns.lo, 51 / 2.6, 1e-4);
    assert_near(counter.read_ns.hi, 53 / 2.6, 1e-4);
}

static void a_declared_rate_far_off_is_a_conflict(void **unused)
{
    (void)unused;
    for (int sign = -1; sign <= 1; sign += 2) {
        setup_rates(NULL);
        tkf_rate_add(&counter, "crystal", 2.6e9 * (1 + sign * 1100e-6));
        settle(0);
        assert_int_equal(counter.trust, TKF_TRUST_CONFLICT);
        assert_true(fabs(counter.rates[0].ppm_off - sign * 1100) < 1);
        assert_near(counter.hz, 2.6e9, 1e-9); /* reported, not averaged */
    }
}

static void windows_that_disagree_are_a_conflict(void **unused)
{
    (void)unused;
    settle(190);
    assert_int_equal(counter.trust, TKF_TRUST_VERIFIED);
    settle(250);
    assert_int_equal(counter.trust, TKF_TRUST_CONFLICT);
    settle(-250);
    assert_int_equal(counter.trust, TKF_TRUST_CONFLICT);
    assert_int_equal(counter.nrates, 2); /* each time the windows replace those before */
}

static void a_clock_that_stands_still_is_a_conflict(void **unused)
{
    (void)unused;
    struct tkf_moment moments[3] = {{1000, 5000, 50}, {2000, 5000, 50}, {3000, 5000, 50}};
    tkf_rate_settle(&counter, moments);
    assert_int_equal(counter.trust, TKF_TRUST_CONFLICT);
    assert_true(isnan(counter.hz) && isnan(counter.step_ns));
    tkf_rate_add(&counter, "crystal", 2.5e9);
    tkf_rate_settle(&counter, moments);
    assert_int_equal(counter.trust, TKF_TRUST_CONFLICT);
    assert_true(counter.hz == 2.5e9);
}

static void unchecked_rates_are_declared(void **unused)
{
    (void)unused;
    tkf_rate_declare(&counter);
    assert_int_equal(counter.trust, TKF_TRUST_DECLARED);
    assert_true(isnan(counter.hz));
    tkf_rate_add(&counter, "first", 2e9);
    tkf_rate_add(&counter, "second", 2.002e9);
    tkf_rate_declare(&counter);
    assert_int_equal(counter.trust, TKF_TRUST_DECLARED);
    assert_true(counter.hz == 2e9 && counter.rates[0].ppm_off == 0);
    assert_true(fabs(counter.rates[1].ppm_off - 1000) < 1e-6);
    assert_true(counter.step_ns == 13);
    assert_true(tkf_ticks_to_ns(&counter, 7) == 3.5);
}

static void added_rates_replace_their_namesakes(void **unused)
{
    (void)unused;
    tkf_rate_add(&counter, "perf", 1e9);
    tkf_rate_add(&counter, "perf-page", 2e9);
    tkf_rate_add(&counter, "perf", 3e9);
    tkf_rate_add(&counter, "zero", 0);
    tkf_rate_add(&counter, "negative", -1);
    tkf_rate_add(&counter, "nan", NAN);
    assert_int_equal(counter.nrates, 2);
    assert_true(counter.rates[0].hz == 3e9 && counter.rates[1].hz == 2e9);
    tkf_rate_add(&counter, "a name that is longer than the room there is", 4e9);
    tkf_rate_add(&counter, "a name that is longer than the room there is", 5e9);
    assert_int_equal(counter.nrates, 3);
    assert_true(counter.rates[2].hz == 5e9);
    for (char name[] = "a"; name[0] < 'z'; name[0]++)
        tkf_rate_add(&counter, name, 1e9);
    assert_int_equal(counter.nrates, TKF_RATES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(takes_the_best_source, setup),
        cmocka_unit_test_setup(passes_over_a_stuck_source, setup),
        cmocka_unit_test_setup(passes_over_a_source_that_goes_back, setup),
        cmocka_unit_test_setup(passes_over_a_source_that_jumps, setup),
        cmocka_unit_test_setup(passes_over_a_source_that_traps, setup),
        cmocka_unit_test_setup(a_step_over_an_interruption_does_not_count, setup),
        cmocka_unit_test_setup(passes_over_a_step_too_coarse, setup),
        cmocka_unit_test_setup(a_forbidden_counter_is_never_read, setup),
        cmocka_unit_test_setup(takes_the_source_that_is_asked_for, setup),
        cmocka_unit_test_setup(a_forced_source_has_no_stand_in, setup),
        cmocka_unit_test_setup(an_unknown_source_is_an_error, setup),
        cmocka_unit_test_setup(stops_when_told, setup),
        cmocka_unit_test_setup(reads_a_24_mhz_counter, setup),
        cmocka_unit_test_setup(finds_the_step_of_a_scaled_counter, setup),
        cmocka_unit_test_setup(a_fine_counter_is_not_taken_for_a_scaled_one, setup),
        cmocka_unit_test_setup(an_identification_that_traps_is_no_end, setup),
        cmocka_unit_test_setup(without_a_clock_the_rate_is_the_declared_one, setup),
        cmocka_unit_test_setup(a_moment_is_the_same_on_both_clocks, setup),
        cmocka_unit_test_setup(a_rate_that_all_agree_on_is_verified, setup_rates),
        cmocka_unit_test_setup(a_declared_rate_far_off_is_a_conflict, setup_rates),
        cmocka_unit_test_setup(windows_that_disagree_are_a_conflict, setup_rates),
        cmocka_unit_test_setup(a_clock_that_stands_still_is_a_conflict, setup_rates),
        cmocka_unit_test_setup(unchecked_rates_are_declared, setup_rates),
        cmocka_unit_test_setup(added_rates_replace_their_namesakes, setup_rates),
    };
    return cmocka_run_group_tests_name("counter", tests, NULL, NULL);
}
