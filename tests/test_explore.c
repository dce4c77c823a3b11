/* SPDX-License-Identifier: MIT */
/** An exploration: what its parts share, the work they time, and its shape on this machine. No timing decides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/calibrate.h>
#include <tickfloor/explore.h>

#include "explore/part.h"
#include "explore/ring.h"
#include "explore/timing.h"
#include "explore/work.h"
#include "stream.h"

/* ---- what the parts share -------------------------------------------------------------------- */

static struct tkf_explore out;

static struct tkf_explorer explorer(void)
{
    memset(&out, 0, sizeof out);
    return (struct tkf_explorer){.cycle_ns = 0.25, .out = &out};
}

static void a_step_is_added(void **state)
{
    (void)state;
    struct tkf_explorer x = explorer();
    tkf_explore_add(&x, "op/add", "an addition", "ns", (struct tkf_band){1, 2, 4}, NULL);
    tkf_explore_add(&x, "bandwidth/L1/read", "read", "GB/s", (struct tkf_band){10, 11, 12}, NULL);
    tkf_explore_add(&x, "load/L4", "a load", "ns", (struct tkf_band){7, 7, 7}, "there is no L4");
    tkf_explore_add(&x, "os/wake-up", "a wake-up", "ns", (struct tkf_band){-2, 3, 10}, NULL);
    assert_int_equal(out.nsteps, 4);
    const struct tkf_step *disturbed = tkf_explore_step(&out, "os/wake-up");
    assert_true(isnan(disturbed->value.mid) && isnan(disturbed->cycles.lo));
    assert_string_equal(disturbed->reason,
                        "too disturbed: the readings say -2 to 10 ns, which is no cost");
    const struct tkf_step *add = tkf_explore_step(&out, "op/add");
    assert_float_equal(add->cycles.lo, 4, 1e-12);
    assert_float_equal(add->cycles.mid, 8, 1e-12);
    assert_float_equal(add->cycles.hi, 16, 1e-12);
    assert_string_equal(add->reason, "");
    assert_true(isnan(tkf_explore_step(&out, "bandwidth/L1/read")->cycles.mid));
    const struct tkf_step *none = tkf_explore_step(&out, "load/L4");
    assert_true(isnan(none->value.lo) && isnan(none->value.mid) && isnan(none->cycles.hi));
    assert_string_equal(none->reason, "there is no L4");
    assert_null(tkf_explore_step(&out, "op"));
    for (unsigned i = 0; i < TKF_STEPS_MAX; i++)
        tkf_explore_add(&x, "more", "", "ns", (struct tkf_band){1, 1, 1}, NULL);
    assert_int_equal(out.nsteps, TKF_STEPS_MAX);
}

static void a_median(void **state)
{
    (void)state;
    double samples[] = {5, 1, 4, 2, 3, 9, 8, 7, 6};
    struct tkf_band band = tkf_explore_median(samples, 9);
    assert_float_equal(band.mid, 5, 1e-12);
    assert_true(band.lo < band.mid && band.mid < band.hi);
    assert_true(isnan(tkf_explore_median(samples, 0).mid));
}

/** 60 % of the windows with a busy sibling, a tenth interrupted, one too short by an accident: the fastest state is the answer. */
static void an_estimate(void **state)
{
    (void)state;
    double samples[200];
    for (unsigned i = 0; i < 200; i++)
        samples[i] = i < 60    ? 1.0 + 0.00002 * i
                     : i < 180 ? 1.6 + 0.0004 * (i % 40)
                               : 3.0 + 0.3 * (i - 180);
    samples[199] = 0.4;
    double copy[200];
    memcpy(copy, samples, sizeof copy);
    struct tkf_band fastest = tkf_explore_estimate(copy, 200, TKF_ESTIMATE_FASTEST);
    assert_true(fastest.lo >= 0.999 && fastest.hi <= 1.01);
    memcpy(copy, samples, sizeof copy);
    struct tkf_band median = tkf_explore_estimate(copy, 200, TKF_ESTIMATE_MEDIAN);
    assert_true(median.mid > 1.5 && median.mid < 1.7);
    assert_true(isnan(tkf_explore_estimate(copy, TKF_TIMING_MIN - 1, TKF_ESTIMATE_CORE).mid));
}

/* ---- the work -------------------------------------------------------------------------------- */

static void division(void **state)
{
    (void)state;
    uint64_t operands[2] = {UINT64_C(0xfedcba9876543211), UINT64_C(0x1fedcba98)}, x = operands[1];
    for (unsigned i = 0; i < 3 * TKF_WORK_UNROLL; i++)
        x = operands[0] / x;
    tkf_work_divide(operands, 3 * TKF_WORK_UNROLL);
    assert_true(operands[1] == x);
    assert_true(x >> 30 != 0 && x >> 34 == 0); /* neither wanders off to 0 nor to 1 */
}

static void random_branches(void **state)
{
    (void)state;
    struct tkf_work_random random = {1, 1}, other = {1, 0};
    tkf_work_random_branch(&random, 2 * TKF_WORK_UNROLL);
    tkf_work_random_branch(&other, TKF_WORK_UNROLL);
    assert_true(random.state != other.state);
    tkf_work_random_branch(&other, TKF_WORK_UNROLL);
    assert_true(random.state == other.state); /* the same numbers, whatever is branched on */
}

static void atomics_and_forwarding(void **state)
{
    (void)state;
    uint64_t sum = 0, place = 0;
    int64_t zero = 0;
    tkf_work_atomic(&sum, 5 * TKF_WORK_UNROLL);
    assert_int_equal(sum, 5 * TKF_WORK_UNROLL);
    tkf_work_forward(&place, TKF_WORK_UNROLL);
    assert_int_equal(place, TKF_WORK_UNROLL);
    tkf_work_branch(&zero, TKF_WORK_UNROLL);
}

/** Whatever its size, and while it grows: one cycle through all lines, and no order that a prefetcher would know. */
static void one_ring(void **state)
{
    enum { LINE = 64, MOST = 4096 };
    (void)state;
    char *base = calloc(MOST, LINE);
    assert_non_null(base);
    struct tkf_ring ring = tkf_ring_begin(base, LINE);
    for (uint64_t lines = 1; lines <= MOST; lines = lines * 2 + (lines < 8)) {
        tkf_ring_grow(&ring, lines);
        assert_true(ring.lines == lines);
        bool *seen = calloc(lines, sizeof *seen);
        unsigned neighbours = 0;
        char *at = base;
        for (uint64_t i = 0; i < lines; i++) {
            uint64_t line = (uint64_t)(at - base) / LINE;
            assert_true(line < lines && !seen[line]);
            seen[line] = true;
            char *next = *(void **)at;
            neighbours += next == at + LINE;
            at = next;
        }
        assert_ptr_equal(at, base);
        if (lines > 100)
            assert_true(neighbours < lines / 20);
        free(seen);
    }
    char *at = (char *)ring.chase.at;
    for (unsigned i = 0; i < TKF_WORK_UNROLL; i++)
        at = *(void **)at;
    tkf_work_chase(&ring.chase, TKF_WORK_UNROLL);
    assert_ptr_equal(ring.chase.at, at);
    free(base);
}

static void streams(void **state)
{
    enum { BYTES = 3 * TKF_STREAM_BLOCK };
    (void)state;
    const struct tkf_stream *stream = tkf_arch_stream();
    char *memory = aligned_alloc(64, 3 * BYTES), *to = memory + BYTES;
    assert_non_null(memory);
    for (unsigned i = 0; i < 3 * BYTES; i++)
        memory[i] = (char)(i % 251);
    stream->read(memory, BYTES, 2);
    stream->copy(to, memory, BYTES, 1);
    assert_memory_equal(to, memory, BYTES);
    assert_int_equal(to[BYTES], (char)(2 * BYTES % 251));
    to[BYTES] = to[-1] = 1;
    stream->write(to, BYTES, 1);
    for (unsigned i = 0; i < BYTES; i++)
        assert_int_equal(to[i], 0);
    assert_int_equal(to[BYTES], 1);
    assert_int_equal(to[-1], 1);
    free(memory);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static struct tkf_profile profile;

static int calibrated(void **state)
{
    (void)state;
    struct tkf_calibrate_request request = {.quick = true};
    struct tkf_input_error error;
    return tkf_calibrate_machine(&request, &profile, &error);
}

static int freed(void **state)
{
    (void)state;
    tkf_profile_free(&profile);
    return 0;
}

/** A band is all unknown, or in order; and a reason stands in exactly one of the cases. */
static void check_band(struct tkf_band band, const char *reason)
{
    if (isnan(band.mid)) {
        assert_true(isnan(band.lo) && isnan(band.hi));
        assert_true(reason[0] != '\0');
    } else {
        assert_true(band.lo <= band.mid && band.mid <= band.hi);
        assert_string_equal(reason, "");
    }
}

static void check_explore(const struct tkf_explore *explore)
{
    static const char *const units[] = {"ns", "GB/s", "GHz", "ppm"};
    assert_true(explore->seconds >= 0);
    assert_int_equal(strlen(explore->created), strlen("2026-11-30T12:00:00Z"));
    for (unsigned i = 0; i < explore->nsteps; i++) {
        const struct tkf_step *step = &explore->steps[i];
        bool known = false;
        check_band(step->value, step->reason);
        for (unsigned u = 0; u < sizeof units / sizeof units[0]; u++)
            known |= strcmp(step->unit, units[u]) == 0;
        assert_true(known);
        assert_true(step->text[0] != '\0');
        /* Which times have none, a test of the part that measures them looks at. */
        assert_true(isnan(step->cycles.mid) ||
                    (!isnan(step->value.mid) && strcmp(step->unit, "ns") == 0));
        assert_ptr_equal(tkf_explore_step(explore, step->name), step); /* no second one */
    }
    for (unsigned i = 0; i < explore->nlatency; i++) {
        check_band(explore->latency[i].ns, "");
        check_band(explore->latency[i].cycles, "");
        assert_true(i == 0 || explore->latency[i].bytes > explore->latency[i - 1].bytes);
    }
    for (unsigned i = 0; i < explore->ncaches; i++) {
        assert_true(explore->caches[i].size_bytes > 0 && explore->caches[i].cpus > 0);
        assert_true(i == 0 || explore->caches[i].level > explore->caches[i - 1].level);
    }
    for (unsigned i = 0; i < explore->npairs; i++) {
        const struct tkf_cpu_pair *pair = &explore->pairs[i];
        assert_true(pair->a < pair->b);
        if (pair->reason[0] == '\0') {
            check_band(pair->ns, "");
            assert_true(pair->offset_bound_ns >= 0 && pair->drift_bound_ppm >= 0);
        }
    }
}

static int explore(const bool parts[TKF_EXPLORE_PARTS], double seconds)
{
    struct tkf_explore_request request = {.seconds = seconds};
    struct tkf_input_error error;
    if (parts != NULL)
        memcpy(request.parts, parts, sizeof request.parts);
    return tkf_explore_machine(&request, &profile, &error);
}

static const bool own_parts[TKF_EXPLORE_PARTS] = {
    [TKF_EXPLORE_LADDER] = true, [TKF_EXPLORE_BANDWIDTH] = true, [TKF_EXPLORE_PAIRS] = true};

static void refusals(void **state)
{
    (void)state;
    struct tkf_explore_request request = {.seconds = -1};
    struct tkf_input_error error;
    struct tkf_explore *before = profile.explore;
    assert_int_equal(tkf_explore_machine(&request, &profile, &error), TKF_EINVAL);
    assert_true(error.text[0] != '\0' && error.next[0] != '\0');
    request.seconds = NAN;
    assert_int_equal(tkf_explore_machine(&request, &profile, &error), TKF_EINVAL);
    request.seconds = 0.1;
    static struct tkf_profile other;
    other = profile;
    other.counter.source = NULL;
    assert_int_equal(tkf_explore_machine(&request, &other, &error), TKF_ENOSOURCE);
    other = profile;
    other.ncpus = 0;
    assert_int_equal(tkf_explore_machine(&request, &other, &error), TKF_EINVAL);
    assert_ptr_equal(profile.explore, before);
}

/** Every step is there, whatever the time: with a value or with a reason. */
static void however_short(void **state)
{
    static char names[TKF_STEPS_MAX][48];
    static const double seconds[] = {0.000001, 0.3, 4};
    (void)state;
    unsigned nnames = 0;
    for (unsigned i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
        assert_int_equal(explore(own_parts, seconds[i]), 0);
        const struct tkf_explore *e = profile.explore;
        check_explore(e);
        assert_true(e->seconds < 60); /* a bound that only a hang passes */
        assert_true(i > 0 || e->partial);
        assert_true(i == 0 || e->nsteps == nnames);
        nnames = e->nsteps;
        for (unsigned s = 0; s < nnames; s++) {
            assert_true(i == 0 || strcmp(names[s], e->steps[s].name) == 0);
            strcpy(names[s], e->steps[s].name);
        }
        for (unsigned p = 0; p < TKF_EXPLORE_PARTS; p++)
            assert_int_equal(e->parts[p], own_parts[p]);
    }
    static const char *const there[] = {
        "op/add",
        "op/multiply",
        "op/divide",
        "load/L1",
        "load/L2",
        "load/L3",
        "load/memory",
        "store/forwarded",
        "branch/predicted",
        "call/direct",
        "branch/mispredicted",
        "call/indirect",
        "atomic/contended",
        "atomic/uncontended",
        "bandwidth/L1/read",
        "bandwidth/memory/write",
        "bandwidth/memory/copy/all",
    };
    for (unsigned i = 0; i < sizeof there / sizeof there[0]; i++)
        if (tkf_explore_step(profile.explore, there[i]) == NULL)
            fail_msg("no step %s", there[i]);
}

/* ---- stopping -------------------------------------------------------------------------------- */

struct watch {
    unsigned asked, limit; /* how often the question came, and at which it is answered with yes */
    double done;
    bool back; /* progress went back, or out of 0..1 */
};

static bool stop_at_limit(void *ctx)
{
    struct watch *watch = ctx;
    return ++watch->asked >= watch->limit;
}

static void watch_progress(void *ctx, double done, const char *what)
{
    struct watch *watch = ctx;
    watch->back |= done < watch->done || done > 1 || what[0] == '\0';
    watch->done = done;
}

static void stopped(void **state)
{
    static const unsigned limits[] = {1, 2, 50, 2000, 6000};
    (void)state;
    for (unsigned i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct watch watch = {.limit = limits[i]};
        struct tkf_explore_request request = {
            .seconds = 10, .ctx = &watch, .cancelled = stop_at_limit, .progress = watch_progress};
        struct tkf_input_error error;
        memcpy(request.parts, own_parts, sizeof request.parts);
        assert_int_equal(tkf_explore_machine(&request, &profile, &error), 0);
        check_explore(profile.explore);
        assert_false(watch.back);
        assert_true(watch.asked < limits[i] || profile.explore->partial);
        assert_true(i > 0 || profile.explore->nsteps == 0);
        assert_true(i != 1 || profile.explore->parts[TKF_EXPLORE_LADDER]);
    }
}

static void only_what_was_asked_for(void **state)
{
    static const bool pairs[TKF_EXPLORE_PARTS] = {[TKF_EXPLORE_PAIRS] = true};
    (void)state;
    struct watch watch = {.limit = UINT_MAX};
    struct tkf_explore_request request = {
        .seconds = 0.5, .ctx = &watch, .cancelled = stop_at_limit, .progress = watch_progress};
    struct tkf_input_error error;
    memcpy(request.parts, pairs, sizeof request.parts);
    assert_int_equal(tkf_explore_machine(&request, &profile, &error), 0);
    assert_true(watch.done > 0 || profile.machine.cpus < 2);
    assert_false(watch.back);
    const struct tkf_explore *e = profile.explore;
    check_explore(e);
    assert_int_equal(e->nsteps, 0);
    assert_int_equal(e->nlatency, 0);
    assert_int_equal(e->nnoise, 0);
    unsigned n = profile.machine.cpus < 64 ? profile.machine.cpus : 64;
    assert_int_equal(e->npairs, n * (n - 1) / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_added),
        cmocka_unit_test(a_median),
        cmocka_unit_test(an_estimate),
        cmocka_unit_test(division),
        cmocka_unit_test(random_branches),
        cmocka_unit_test(atomics_and_forwarding),
        cmocka_unit_test(one_ring),
        cmocka_unit_test(streams),
        cmocka_unit_test(refusals),
        cmocka_unit_test(however_short),
        cmocka_unit_test(only_what_was_asked_for),
        cmocka_unit_test(stopped),
    };
    return cmocka_run_group_tests(tests, calibrated, freed);
}
