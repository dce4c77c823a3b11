/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scripted.h"

#define assert_near(value, expected, share) assert_true(fabs((value) / (expected)-1) <= (share))
#define assert_within(value, lo, hi)        assert_true((lo) <= (value) && (value) <= (hi))

static struct tkf_scratch scratch;
static struct tkf_counter counter;
static struct tkf_cpu_floor found;
static struct tkf_calibrate_options options;

static const unsigned cpus[] = {0, 1, 2, 3};

static int setup(void **unused)
{
    (void)unused;
    tkf_calibrate_defaults(&options, true);
    memset(&found, 0x5a, sizeof found);
    return 0;
}

static void assert_untouched(void)
{
    unsigned char pattern[sizeof found];
    memset(pattern, 0x5a, sizeof pattern);
    assert_memory_equal(&found, pattern, sizeof found);
}

/** Choose the counter. The CPU that runs the test may declare rates for its own counter: they are not the script's. */
static void probe(const struct tkf_env *env)
{
    struct tkf_cpu_hints hints = {.hwcap = 0};
    struct tkf_cpu cpu;
    assert_int_equal(tkf_counter_probe(env, &hints, NULL, &scratch, &cpu, &counter), 0);
    if (counter.source->is_cpu_counter)
        counter.nrates = 0;
}

static int calibrate_env(const struct tkf_env *env, unsigned ncpus)
{
    probe(env);
    return tkf_calibrate_cpu(env, &options, &counter, cpus, ncpus, &scratch, &found);
}

static int calibrate(struct scripted *m, unsigned ncpus)
{
    struct tkf_env env = scripted_env(m);
    return calibrate_env(&env, ncpus);
}

static const struct tkf_loop *loop_named(const char *name)
{
    for (unsigned i = 0; i < found.nloops; i++) {
        if (strcmp(found.loops[i].name, name) == 0)
            return &found.loops[i];
    }
    fail_msg("no loop named %s", name);
    return NULL;
}

static const struct tkf_chain *chain_named(const char *name)
{
    for (unsigned i = 0; i < found.nchains; i++) {
        if (strcmp(found.chains[i].name, name) == 0)
            return &found.chains[i];
    }
    fail_msg("no chain named %s", name);
    return NULL;
}

static bool any_straddles(void)
{
    for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
        if (scripted_straddles(&tkf_arch_kernels[k]))
            return true;
    }
    return false;
}

/** Every band in order, every loop within 0.1 % of what the script says, the cycle as well. */
static void assert_true_to_script(const struct scripted *m)
{
    double hz = scripted_hz(m, counter.source);
    assert_near(counter.hz, hz, 20e-6);
    assert_near(found.core_hz, m->core_hz, 0.001);
    assert_near(found.cycle_ns, 1e9 / m->core_hz, 0.001);
    assert_near(found.cycle_ticks.mid, hz / m->core_hz, 0.001);
    assert_near(found.chain_check, 1, 0.001);
    for (unsigned i = 0; i < found.nchains; i++) {
        const struct tkf_chain *chain = &found.chains[i];
        assert_near(chain->cycles.mid, m->cycles[scripted_kernel(chain->name)], 0.001);
    }
    for (unsigned i = 0; i < found.nloops; i++) {
        const struct tkf_loop *loop = &found.loops[i];
        double cycles = m->cycles[scripted_kernel(loop->name)];
        assert_near(loop->cycles.mid, cycles, 0.001);
        assert_true(loop->cycles.lo <= loop->cycles.mid && loop->cycles.mid <= loop->cycles.hi);
        assert_near(loop->ns.mid, cycles * 1e9 / m->core_hz, 0.002);
        assert_true(loop->windows >= 8);
        assert_near(loop->fast.share + loop->slow.share, 1, 1e-9);
    }
    for (unsigned i = 0; i < found.ncosts; i++) {
        const struct tkf_cost *cost = &found.costs[i];
        if (strcmp(cost->name, "clock") != 0)
            assert_near(cost->cycles.mid, m->cycles[scripted_kernel(cost->name)], 0.001);
        else
            assert_near(cost->ns.mid, 20, 0.02);
    }
}

static void assert_floor(double lo, double mid, double hi)
{
    assert_near(found.floor_cycles.lo, lo, 0.001);
    assert_near(found.floor_cycles.mid, mid, 0.001);
    assert_near(found.floor_cycles.hi, hi, 0.001);
    assert_near(found.floor_ns.lo, lo * found.cycle_ns, 0.001);
    assert_near(found.floor_ns.hi, hi * found.cycle_ns, 0.001);
    assert_near(found.suspect_below_ns, hi * found.cycle_ns, 0.001);
}

/* ---- what is measured --------------------------------------------------------------------------------------------- */

static void a_quiet_machine(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    assert_int_equal(calibrate(&m, 2), 0);
    assert_true_to_script(&m);
    assert_floor(1, 1, any_straddles() ? 2 : 1);
    assert_true(found.pinned);
    assert_int_equal(found.cpu, 0); /* the first of two that are equal */
    assert_null(found.unpinned_reason);
    assert_int_equal(found.nloops + found.nchains + found.ncosts, tkf_arch_nkernels + 1);
    assert_true(found.rounds >= options.rounds);
    assert_true(found.disturbed_share == 0 && found.lost_share == 0);
    assert_true(found.worst_gap_ns < 100);
    assert_true(loop_named("fused")->slow.share == 0);
    assert_int_equal(found.histogram[0], loop_named("fused")->windows);
    assert_near(found.histogram_lo_cycles, 0.95, 0.001);
    assert_int_equal(counter.trust,
                     counter.source->unit == TKF_UNIT_NS ? TKF_TRUST_DECLARED : TKF_TRUST_VERIFIED);
}

static void the_defaults(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    tkf_calibrate_defaults(&options, false);
    assert_int_equal(calibrate(&m, 1), 0);
    assert_true_to_script(&m);
    assert_true(found.rounds >= 500);
}

static void the_same_seed_gives_the_same_floor(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    assert_int_equal(calibrate(&m, 2), 0);
    double cycle_ns = found.cycle_ns, fused = loop_named("fused")->cycles.mid;
    m = scripted_machine();
    assert_int_equal(calibrate(&m, 2), 0);
    assert_true(found.cycle_ns == cycle_ns && loop_named("fused")->cycles.mid == fused);
}

static void a_busy_process_on_the_same_cpu(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.gap_ns = 3e6;
    m.gap_every_ns = 4e6;
    assert_int_equal(calibrate(&m, 1), 0);
    assert_true_to_script(&m);
    assert_floor(1, 1, any_straddles() ? 2 : 1);
    assert_within(found.lost_share, 0.5, 0.9);
    assert_within(found.disturbed_share, 0, 0.1);
    assert_within(found.worst_gap_ns, 2.9e6, 3.1e6);
    assert_true(loop_named("fused")->slow.share == 0); /* what fell into a gap is no state */
    assert_int_equal(found.histogram[TKF_HISTOGRAM_BINS - 1], 0);
}

static void interrupts(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.gap_ns = 10e3;
    m.gap_every_ns = 110e3; /* every third window is hit */
    assert_int_equal(calibrate(&m, 1), 0);
    assert_true_to_script(&m);
    assert_near(found.floor_cycles.lo, 1, 0.001);
    assert_near(found.floor_cycles.mid, 1, 0.001);
    assert_true(found.disturbed_share > 0);
}

static void most_windows_in_the_slow_state(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.slow_share = 0.8;
    m.slow_factor = 1.8;
    assert_int_equal(calibrate(&m, 1), 0);
    const struct tkf_loop *fused = loop_named("fused");
    assert_near(fused->cycles.mid, 1, 0.001);
    assert_within(fused->slow.share, 0.7, 0.9); /* of a hundred windows */
    assert_near(fused->fast.share + fused->slow.share, 1, 1e-9);
    assert_near(fused->fast.cycles.mid, 1, 0.001);
    assert_near(fused->slow.cycles.mid, 1.8, 0.005);
    assert_near(found.cycle_ns, 1e9 / m.core_hz, 0.001);
    assert_floor(1, 1, any_straddles() ? 2 : fused->slow.cycles.mid);
    assert_within((double)found.histogram[8] / fused->windows, 0.7, 0.9); /* 1.75..1.85 */
    assert_int_equal(found.ncandidates, 1);
    assert_within(found.candidates[0].fast_share, 0.1, 0.3);
}

static void a_slow_state_widens_the_band(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.slow_share = 0.4;
    m.slow_factor = 2.5;
    assert_int_equal(calibrate(&m, 1), 0);
    assert_near(found.floor_cycles.hi, 2.5, 0.005);
    m = scripted_machine();
    options.rounds = 60;
    m.slow_share = 0.1; /* not rare, but in too few windows */
    m.slow_factor = 2.5;
    assert_int_equal(calibrate(&m, 1), 0);
    for (unsigned i = 0; i < found.nloops; i++) {
        const struct tkf_state *slow = &found.loops[i].slow;
        if (found.loops[i].offset_bytes == 0)
            assert_true(slow->share * found.loops[i].windows < 8);
    }
    assert_true(loop_named("fused")->slow.share > 0.05);
    assert_floor(1, 1, any_straddles() ? 2 : 1);
    m = scripted_machine();
    options.rounds = 1000;
    options.limit_ns = 2000000000;
    m.slow_share = 0.02; /* rare: nothing to widen a band for */
    m.slow_period_ns = 37e6;
    m.slow_factor = 2.5;
    assert_int_equal(calibrate(&m, 1), 0);
    assert_floor(1, 1, any_straddles() ? 2 : 1);
    assert_within(loop_named("fused")->slow.share, 0.01, 0.03);
}

static void noise_is_no_state(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.noise = 0.015;
    assert_int_equal(calibrate(&m, 1), 0);
    assert_true(loop_named("fused")->slow.share == 0);
    assert_near(loop_named("fused")->fast.cycles.mid, 1, 0.01);
}

static void add_immediate_is_eliminated(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.cycles[scripted_kernel("add_immediate")] = 0.2;
    m.cycles[scripted_kernel("compare")] = 0.5;
    assert_int_equal(calibrate(&m, 1), 0);
    assert_true_to_script(&m);
    assert_near(chain_named("add_immediate")->cycles.mid, 0.2, 0.001);
    assert_true(chain_named("xor")->cycles.mid == 1);
    assert_floor(0.5, 1, any_straddles() ? 2 : 1);
}

static void a_chain_that_does_not_agree(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.cycles[tkf_arch_roles.chain_check] = 1.03;
    assert_int_equal(calibrate(&m, 1), 0);
    assert_near(found.chain_check, 1.03, 0.001);
    assert_near(found.cycle_ns, 1e9 / m.core_hz, 0.001);
}

static void the_core_clock_changes_midway(void **unused)
{
    (void)unused;
    for (int faster = 0; faster < 2; faster++) {
        struct scripted m = scripted_machine();
        m.later_core_hz = m.core_hz * (faster ? 1.1 : 0.9);
        m.later_from_ns = 25e6;
        assert_int_equal(calibrate(&m, 1), 0);
        assert_near(loop_named("fused")->cycles.mid, 1, 0.001);
        assert_near(loop_named("register")->cycles.mid, 1, 0.001);
        assert_near(found.chain_check, 1, 0.001);
        assert_near(chain_named("mul")->cycles.mid, 3, 0.001);
        assert_true(fabs(found.core_hz / m.core_hz - 1) < 0.001 ||
                    fabs(found.core_hz / m.later_core_hz - 1) < 0.001);
        assert_within(found.disturbed_share, 0, 0.05); /* a change of clock disturbs nothing */
    }
}

static void the_usual_clock_counts(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.later_core_hz = m.core_hz * 0.9;
    m.later_from_ns = 12e6; /* a burst of speed at first */
    assert_int_equal(calibrate(&m, 1), 0);
    assert_near(found.core_hz, m.later_core_hz, 0.001);
    assert_within(found.disturbed_share, 0, 0.05);
}

static void a_passing_higher_clock(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.boost_factor = 1.01;
    m.boost_share = 0.25;
    m.boost_period_ns = 230e3; /* some windows run at it, and the chain beside them does not */
    assert_int_equal(calibrate(&m, 1), 0);
    assert_near(found.core_hz, m.core_hz, 0.001);
    assert_near(found.chain_check, 1, 0.001);
    for (unsigned i = 0; i < found.nchains; i++)
        assert_near(found.chains[i].cycles.mid, m.cycles[scripted_kernel(found.chains[i].name)],
                    0.001);
}

static void a_24_mhz_counter(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.counter_hz = 24e6;
    m.read_ns = 8;
    struct tkf_env env = scripted_env(&m);
    m.step_ticks = scripted_best_source()->unit == TKF_UNIT_NS ? 42 : 1;
    assert_int_equal(calibrate_env(&env, 1), 0);
    assert_true_to_script(&m);
    const struct tkf_loop *fused = loop_named("fused");
    assert_true(fused->cycles.lo < 1 && 1 < fused->cycles.hi);
    assert_near(fused->cycles.hi - fused->cycles.lo, 0.001, 0.8); /* a step is 0.1 % of a window */
}

static void a_slow_core(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.core_hz = 1e6; /* 64 links take longer than a window */
    m.read_ns = 3000;
    assert_int_equal(calibrate(&m, 1), 0);
    assert_near(found.core_hz, m.core_hz, 0.01);
    assert_near(loop_named("fused")->cycles.mid, 1, 0.05);
}

/* ---- which CPU ---------------------------------------------------------------------------------------------------- */

static void prefers_the_quiet_cpu(void **unused)
{
    (void)unused;
    for (unsigned quiet = 0; quiet < 4; quiet++) {
        struct scripted m = scripted_machine();
        m.slow_cpus = 15 & ~(1u << quiet);
        assert_int_equal(calibrate(&m, 4), 0);
        assert_int_equal(found.cpu, quiet);
        assert_int_equal(m.cpu, quiet);
        assert_true_to_script(&m);
        assert_int_equal(found.ncandidates, 4);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(found.candidates[i].cpu, i);
            assert_within(found.candidates[i].fast_share, i == quiet, i == quiet);
        }
    }
}

static void waits_for_a_quiet_moment(void **unused)
{
    (void)unused;
    static const double shares[] = {0.8, 1};
    for (unsigned i = 0; i < 2; i++) {
        struct scripted m = scripted_machine();
        m.slow_share = shares[i];
        m.slow_until_ns = 18e6;
        assert_int_equal(calibrate(&m, 2), 0);
        assert_true(loop_named("fused")->slow.share <
                    0.5); /* the wait ends soon where all is steady */
        assert_true_to_script(&m);
        assert_true(i == 1 || found.candidates[found.cpu].fast_share < 0.75);
    }
}

static void a_machine_whose_loop_takes_two_cycles(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
        if (tkf_arch_kernels[k].role == TKF_ROLE_LOOP)
            m.cycles[k] = 2;
    }
    assert_int_equal(calibrate(&m, 2), 0);
    assert_true_to_script(&m);
    assert_floor(2, 2, 2);
}

static void passes_over_a_cpu_that_cannot_be_pinned(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.unpinnable_cpus = 5;
    m.slow_cpus = 2;
    assert_int_equal(calibrate(&m, 4), 0);
    assert_int_equal(found.cpu, 3);
    assert_int_equal(found.ncandidates, 2);
    assert_int_equal(found.candidates[0].cpu, 1);
    assert_int_equal(found.candidates[1].cpu, 3);
}

static void no_cpu_can_be_pinned(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.unpinnable_cpus = 15;
    assert_int_equal(calibrate(&m, 4), TKF_ENOCPU);
    m.pin_error = TKF_EPERM;
    assert_int_equal(calibrate(&m, 4), TKF_ENOCPU);
    assert_untouched();
}

static void unbound(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    assert_int_equal(calibrate(&m, 0), 0);
    assert_true_to_script(&m);
    assert_false(found.pinned);
    assert_string_equal(found.unpinned_reason, "no CPU was asked for");
    assert_int_equal(found.ncandidates, 0);

    struct tkf_env env = scripted_env(&m);
    env.pin = NULL;
    assert_int_equal(calibrate_env(&env, 4), 0);
    assert_false(found.pinned);
    assert_string_equal(found.unpinned_reason, "this system cannot bind a thread to a CPU");

    m.pin_error = TKF_EUNSUPPORTED; /* as macOS answers */
    m.unpinnable_cpus = 15;
    assert_int_equal(calibrate(&m, 4), 0);
    assert_false(found.pinned);
    assert_string_equal(found.unpinned_reason, "this system cannot bind a thread to a CPU");
}

static void as_many_candidates_as_there_is_room_for(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    struct tkf_env env = scripted_env(&m);
    unsigned many[TKF_CANDIDATES_MAX + 8];
    for (unsigned i = 0; i < TKF_CANDIDATES_MAX + 8; i++)
        many[i] = i % TKF_CANDIDATES_MAX;
    m.slow_cpus = ~(UINT64_C(1) << 63);
    probe(&env);
    assert_int_equal(
        tkf_calibrate_cpu(&env, &options, &counter, many, TKF_CANDIDATES_MAX + 8, &scratch, &found),
        0);
    assert_int_equal(found.ncandidates, TKF_CANDIDATES_MAX);
    assert_int_equal(found.cpu, 63);
    assert_true_to_script(&m);
}

/* ---- the counter's rate ------------------------------------------------------------------------------------------- */

static void skip_without_a_cpu_counter(void)
{
    if (scripted_best_source()->unit == TKF_UNIT_NS) {
        fprintf(stderr, "%s has no counter to hold against the clock\n", tkf_arch_name);
        skip();
    }
}

static void a_declared_rate_is_held_against_the_clock(void **unused)
{
    (void)unused;
    skip_without_a_cpu_counter();
    struct scripted m = scripted_machine();
    struct tkf_env env = scripted_env(&m);
    static const struct {
        double ppm;
        enum tkf_trust trust;
    } clocks[] = {
        {0, TKF_TRUST_VERIFIED},
        {-900, TKF_TRUST_VERIFIED},
        {1100, TKF_TRUST_CONFLICT},
    };
    for (unsigned i = 0; i < 3; i++) {
        m.clock_ppm = clocks[i].ppm;
        probe(&env);
        tkf_rate_add(&counter, "crystal", m.counter_hz);
        assert_int_equal(tkf_calibrate_cpu(&env, &options, &counter, cpus, 1, &scratch, &found), 0);
        assert_int_equal(counter.trust, clocks[i].trust);
        assert_string_equal(counter.rates[0].name, "crystal");
        assert_true(fabs(counter.rates[0].ppm_off - clocks[i].ppm) < 10);
        assert_near(counter.hz, m.counter_hz / (1 + clocks[i].ppm * 1e-6), 10e-6);
        assert_int_equal(counter.nrates, 3);
    }
}

static void a_clock_is_not_held_against_itself(void **unused)
{
    (void)unused;
    const struct tkf_source *clock = tkf_arch_sources;
    while (clock->unit != TKF_UNIT_NS)
        clock++; /* every architecture has one */
    struct scripted m = scripted_machine();
    struct tkf_env env = scripted_env(&m);
    struct tkf_cpu_hints hints = {.hwcap = 0};
    struct tkf_cpu cpu;
    m.step_ticks = 1;
    assert_int_equal(tkf_counter_probe(&env, &hints, clock->name, &scratch, &cpu, &counter), 0);
    assert_int_equal(tkf_calibrate_cpu(&env, &options, &counter, cpus, 1, &scratch, &found), 0);
    assert_int_equal(counter.trust, TKF_TRUST_DECLARED);
    assert_true(counter.hz == 1e9);
    assert_int_equal(counter.nrates, 1);
    assert_true_to_script(&m);
}

static void a_clock_that_changes_its_rate(void **unused)
{
    (void)unused;
    skip_without_a_cpu_counter();
    struct scripted m = scripted_machine();
    struct tkf_env env = scripted_env(&m);
    probe(&env);
    assert_int_equal(tkf_calibrate_cpu(&env, &options, &counter, cpus, 1, &scratch, &found), 0);
    double whole_ns = m.now_ns;
    m = scripted_machine();
    m.later_clock_from_ns = whole_ns * 0.65;
    m.later_clock_ppm = 400;
    probe(&env);
    assert_int_equal(tkf_calibrate_cpu(&env, &options, &counter, cpus, 1, &scratch, &found), 0);
    assert_int_equal(counter.trust, TKF_TRUST_CONFLICT);
}

static void two_windows_even_where_they_cannot_be_long(void **unused)
{
    (void)unused;
    skip_without_a_cpu_counter();
    struct scripted m = scripted_machine();
    options.rate_ns = 20000000000; /* longer than all the windows there is room for */
    assert_int_equal(calibrate(&m, 1), 0);
    assert_int_equal(counter.trust, TKF_TRUST_VERIFIED);
    assert_near(counter.hz, m.counter_hz, 1e-6);
}

static void two_whole_windows_after_the_limit(void **unused)
{
    (void)unused;
    skip_without_a_cpu_counter();
    struct scripted m = scripted_machine();
    options.limit_ns = 1;
    struct tkf_env env = scripted_env(&m);
    env.events = NULL; /* nothing but the windows takes time */
    probe(&env);
    double from_ns = m.now_ns;
    assert_int_equal(tkf_calibrate_cpu(&env, &options, &counter, cpus, 0, &scratch, &found), 0);
    assert_true(m.now_ns - from_ns > 2.0 * (double)options.rate_ns);
    assert_true(found.rounds < options.rounds);
    assert_int_equal(counter.trust, TKF_TRUST_VERIFIED);
    assert_near(counter.hz, m.counter_hz, 10e-6);
    for (unsigned i = 0; i < counter.nrates; i++)
        assert_true(fabs(counter.rates[i].ppm_off) < 20);
}

static void without_a_clock(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    struct tkf_env env = scripted_env(&m);
    env.clock_ns = NULL;
    m.counter_hz = 1e9; /* by the ticks alone nothing tells it from a slower counter */
    m.step_ticks = 1;
    probe(&env);
    tkf_rate_add(&counter, "crystal", 1e9);
    assert_int_equal(tkf_calibrate_cpu(&env, &options, &counter, cpus, 2, &scratch, &found), 0);
    assert_int_equal(counter.trust, TKF_TRUST_DECLARED);
    assert_true_to_script(&m);

    probe(&env);
    counter.nrates = 0;
    counter.hz = NAN;
    assert_int_equal(tkf_calibrate_cpu(&env, &options, &counter, cpus, 2, &scratch, &found), 0);
    assert_int_equal(counter.trust, TKF_TRUST_DECLARED);
    assert_true(isnan(counter.hz) && isnan(found.cycle_ns) && isnan(found.core_hz));
    assert_true(isnan(found.floor_ns.mid) && isnan(found.suspect_below_ns));
    assert_near(found.floor_cycles.mid, 1, 0.001);
    assert_near(found.cycle_ticks.mid, 1e9 / m.core_hz, 0.001);
}

static void a_clock_that_stands_still(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.clock_stuck = true;
    m.slow_share = 0.8; /* no CPU is quiet: the hunt does not end by itself */
    assert_int_equal(calibrate(&m, 2), 0);
    assert_near(found.floor_cycles.mid, 1, 0.001);
    if (counter.source->unit != TKF_UNIT_NS) {
        assert_int_equal(counter.trust, TKF_TRUST_CONFLICT);
        assert_true(isnan(counter.hz));
    }
    assert_true(m.now_ns < 60e9);
}

/* ---- events ------------------------------------------------------------------------------------------------------- */

static void events_count_cycles_and_instructions(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    assert_int_equal(calibrate(&m, 1), 0);
    assert_int_equal(found.events_error, 0);
    for (unsigned i = 0; i < found.nchains; i++) {
        unsigned k = scripted_kernel(found.chains[i].name);
        assert_near(found.chains[i].event_cycles, m.cycles[k], 0.001);
    }
    for (unsigned i = 0; i < found.nloops; i++) {
        unsigned k = scripted_kernel(found.loops[i].name);
        assert_near(found.loops[i].event_cycles, m.cycles[k], 0.001);
        assert_near(found.loops[i].event_instructions, m.instructions[k], 0.001);
    }
}

static void the_core_counts_its_own_cycles(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.cycles[tkf_arch_roles.chain_cycle] = 1.25; /* as no core does: it must show */
    assert_int_equal(calibrate(&m, 1), 0);
    assert_int_equal(found.core_clock_error, 0);
    assert_near(found.own_cycles, 1.25, 0.001);

    static const unsigned from[] = {1, 2, 3, 20};
    for (unsigned f = 0; f < 4; f++) {
        m = scripted_machine();
        m.core_clock_fails_from = from[f];
        assert_int_equal(calibrate(&m, 1), 0);
        assert_int_equal(found.core_clock_error, TKF_ETRAP);
        assert_true(isnan(found.own_cycles));
    }
    m = scripted_machine();
    struct tkf_env env = scripted_env(&m);
    env.core_clock = NULL;
    assert_int_equal(calibrate_env(&env, 1), 0);
    assert_int_equal(found.core_clock_error, TKF_EUNSUPPORTED);
    assert_true(isnan(found.own_cycles));
}

static void events_that_fail(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    static const unsigned from[] = {1, 2, 3, 9};
    for (unsigned f = 0; f < 4; f++) {
        m = scripted_machine();
        m.events_fail_from = from[f];
        assert_int_equal(calibrate(&m, 1), 0);
        assert_int_equal(found.events_error, TKF_EPERM);
        assert_true_to_script(&m);
        assert_true(isnan(loop_named("fused")->event_cycles));
        assert_true(isnan(loop_named("fused")->event_instructions));
    }
    struct tkf_env env = scripted_env(&m);
    env.events = NULL;
    assert_int_equal(calibrate_env(&env, 1), 0);
    assert_int_equal(found.events_error, TKF_EUNSUPPORTED);
    assert_true(isnan(chain_named("xor")->event_cycles));
}

/* ---- what goes wrong ---------------------------------------------------------------------------------------------- */

static void stops_when_told(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.slow_share = 0.8; /* so that the hunt asks as well */
    assert_int_equal(calibrate(&m, 1), 0);
    unsigned asked = m.cancel_asked;
    assert_true(asked > 50);
    static const double moments[] = {0, 0.05, 0.5, 1};
    for (unsigned i = 0; i < 4; i++) {
        m = scripted_machine();
        m.slow_share = 0.8;
        struct tkf_env env = scripted_env(&m);
        probe(&env);
        struct tkf_counter before = counter;
        setup(NULL);
        m.cancel_at = m.cancel_asked + 1 + (unsigned)((asked - m.cancel_asked - 1) * moments[i]);
        assert_int_equal(tkf_calibrate_cpu(&env, &options, &counter, cpus, 1, &scratch, &found),
                         TKF_ECANCELLED);
        assert_int_equal(m.cancel_asked, m.cancel_at);
        assert_untouched();
        assert_memory_equal(&counter, &before, sizeof counter);
    }
}

static void arguments_out_of_range(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    struct tkf_env env = scripted_env(&m);
    probe(&env);
    struct tkf_counter from_profile = counter;
    from_profile.source = NULL;
    struct tkf_calibrate_options no_window = options, no_rounds = options;
    no_window.window_ns = 0;
    no_rounds.rounds = 0;
#define CALIBRATE(...) tkf_calibrate_cpu(__VA_ARGS__)
    assert_int_equal(CALIBRATE(NULL, &options, &counter, cpus, 1, &scratch, &found), TKF_EINVAL);
    assert_int_equal(CALIBRATE(&env, NULL, &counter, cpus, 1, &scratch, &found), TKF_EINVAL);
    assert_int_equal(CALIBRATE(&env, &options, NULL, cpus, 1, &scratch, &found), TKF_EINVAL);
    assert_int_equal(CALIBRATE(&env, &options, &counter, NULL, 1, &scratch, &found), TKF_EINVAL);
    assert_int_equal(CALIBRATE(&env, &options, &counter, cpus, 1, NULL, &found), TKF_EINVAL);
    assert_int_equal(CALIBRATE(&env, &options, &from_profile, cpus, 1, &scratch, &found),
                     TKF_EINVAL);
    assert_int_equal(CALIBRATE(&env, &no_window, &counter, cpus, 1, &scratch, &found), TKF_EINVAL);
    assert_int_equal(CALIBRATE(&env, &no_rounds, &counter, cpus, 1, &scratch, &found), TKF_EINVAL);
#undef CALIBRATE
    assert_untouched();
}

static void a_counter_that_stops_after_its_proof(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    struct tkf_env env = scripted_env(&m);
    probe(&env);
    m.fault = SCRIPTED_STUCK;
    m.faulty = counter.name;
    assert_int_equal(tkf_calibrate_cpu(&env, &options, &counter, cpus, 1, &scratch, &found),
                     TKF_ESTUCK);
    assert_untouched();
    assert_true(m.now_ns < 10e9);
}

static void a_machine_too_noisy_to_say_anything(void **unused)
{
    (void)unused;
    struct scripted m = scripted_machine();
    m.noise = 5;
    assert_int_equal(calibrate(&m, 1), TKF_ENOISE);
    assert_untouched();
}

static void assert_band(struct tkf_band band)
{
    assert_true(isnan(band.mid) || (band.lo <= band.mid && band.mid <= band.hi));
    assert_true(isnan(band.mid) || (band.mid > 0 && band.hi < 1e18));
}

static void garbage_never_crashes(void **unused)
{
    (void)unused;
    unsigned measured = 0;
    for (unsigned seed = 1; seed <= 200; seed++) {
        struct scripted m = scripted_machine();
        struct tkf_env env = scripted_env(&m);
        m.seed = seed;
        probe(&env);
        m.garbage = seed % 4 == 0 ? 1 : 0.15 * (seed % 4);
        setup(NULL);
        int error = tkf_calibrate_cpu(&env, &options, &counter, cpus, 3, &scratch, &found);
        if (error != 0) {
            assert_true(error == TKF_ENOISE || error == TKF_ESTUCK);
            assert_untouched();
            continue;
        }
        measured++;
        assert_band(found.cycle_ticks);
        assert_band(found.floor_cycles);
        assert_band(found.floor_ns);
        assert_within(found.disturbed_share, 0, 1);
        for (unsigned i = 0; i < found.nloops; i++)
            assert_band(found.loops[i].cycles);
        for (unsigned i = 0; i < found.ncandidates; i++)
            assert_within(found.candidates[i].fast_share, 0, 1);
    }
    assert_true(measured > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_quiet_machine, setup),
        cmocka_unit_test_setup(the_defaults, setup),
        cmocka_unit_test_setup(the_same_seed_gives_the_same_floor, setup),
        cmocka_unit_test_setup(a_busy_process_on_the_same_cpu, setup),
        cmocka_unit_test_setup(interrupts, setup),
        cmocka_unit_test_setup(most_windows_in_the_slow_state, setup),
        cmocka_unit_test_setup(a_slow_state_widens_the_band, setup),
        cmocka_unit_test_setup(noise_is_no_state, setup),
        cmocka_unit_test_setup(add_immediate_is_eliminated, setup),
        cmocka_unit_test_setup(a_chain_that_does_not_agree, setup),
        cmocka_unit_test_setup(the_core_clock_changes_midway, setup),
        cmocka_unit_test_setup(the_usual_clock_counts, setup),
        cmocka_unit_test_setup(a_passing_higher_clock, setup),
        cmocka_unit_test_setup(a_24_mhz_counter, setup),
        cmocka_unit_test_setup(a_slow_core, setup),
        cmocka_unit_test_setup(prefers_the_quiet_cpu, setup),
        cmocka_unit_test_setup(waits_for_a_quiet_moment, setup),
        cmocka_unit_test_setup(a_machine_whose_loop_takes_two_cycles, setup),
        cmocka_unit_test_setup(passes_over_a_cpu_that_cannot_be_pinned, setup),
        cmocka_unit_test_setup(no_cpu_can_be_pinned, setup),
        cmocka_unit_test_setup(unbound, setup),
        cmocka_unit_test_setup(as_many_candidates_as_there_is_room_for, setup),
        cmocka_unit_test_setup(a_declared_rate_is_held_against_the_clock, setup),
        cmocka_unit_test_setup(a_clock_is_not_held_against_itself, setup),
        cmocka_unit_test_setup(a_clock_that_changes_its_rate, setup),
        cmocka_unit_test_setup(two_windows_even_where_they_cannot_be_long, setup),
        cmocka_unit_test_setup(two_whole_windows_after_the_limit, setup),
        cmocka_unit_test_setup(without_a_clock, setup),
        cmocka_unit_test_setup(a_clock_that_stands_still, setup),
        cmocka_unit_test_setup(events_count_cycles_and_instructions, setup),
        cmocka_unit_test_setup(the_core_counts_its_own_cycles, setup),
        cmocka_unit_test_setup(events_that_fail, setup),
        cmocka_unit_test_setup(stops_when_told, setup),
        cmocka_unit_test_setup(arguments_out_of_range, setup),
        cmocka_unit_test_setup(a_counter_that_stops_after_its_proof, setup),
        cmocka_unit_test_setup(a_machine_too_noisy_to_say_anything, setup),
        cmocka_unit_test_setup(garbage_never_crashes, setup),
    };
    return cmocka_run_group_tests_name("floor", tests, NULL, NULL);
}
