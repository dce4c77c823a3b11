/* SPDX-License-Identifier: MIT */
/**
 * Recorded machines: what core/measure makes of each trace in tests/machines stands in the .golden file beside it.
 * TICKFLOOR_UPDATE_GOLDEN=1 writes those files anew; read the difference before you keep it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

static const char *trace, *golden; /* paths, from the command line */

static struct tkf_scratch scratch;
static struct tkf_counter counter;
static struct tkf_cpu_floor found;

static void measure(bool quick)
{
    struct replay r;
    struct tkf_calibrate_options options;
    tkf_calibrate_defaults(&options, quick);
    assert_int_equal(replay_load(trace, &r), 0);
    struct tkf_env env = replay_env(&r);
    assert_int_equal(replay_probe(&r, &scratch, &counter), 0);
    assert_int_equal(tkf_calibrate_cpu(&env, &options, &counter, r.cpus, r.ncpus, &scratch, &found),
                     0);
    replay_free(&r);
}

static void print_band(FILE *out, const char *name, struct tkf_band band)
{
    fprintf(out, "%s %.4f %.4f %.4f\n", name, band.lo, band.mid, band.hi);
}

static void print_numbers(FILE *out)
{
    static const char *const trusts[] = {"verified", "declared", "conflict"};
    fprintf(out, "source %s\nhz %.0f\ntrust %s\n", counter.name, counter.hz, trusts[counter.trust]);
    fprintf(out, "step_ticks %llu\n", (unsigned long long)counter.step_ticks);
    print_band(out, "read_ns", counter.read_ns);
    for (unsigned i = 0; i < found.ncandidates; i++)
        fprintf(out, "candidate %u %.3f\n", found.candidates[i].cpu,
                found.candidates[i].fast_share);
    fprintf(out, "cpu %u\ncycle_ns %.5f\n", found.cpu, found.cycle_ns);
    print_band(out, "cycle_ticks", found.cycle_ticks);
    fprintf(out, "chain_check %.4f\n", found.chain_check);
    for (unsigned i = 0; i < found.nchains; i++)
        fprintf(out, "chain %s %.3f\n", found.chains[i].name, found.chains[i].cycles.mid);
    for (unsigned i = 0; i < found.nloops; i++)
        fprintf(out, "loop %s %.3f slow %.2f\n", found.loops[i].name, found.loops[i].cycles.mid,
                found.loops[i].slow.share);
    for (unsigned i = 0; i < found.ncosts; i++)
        fprintf(out, "cost %s %.3f\n", found.costs[i].name, found.costs[i].cycles.mid);
    print_band(out, "floor_cycles", found.floor_cycles);
    print_band(out, "floor_ns", found.floor_ns);
    fprintf(out, "suspect_below_ns %.4f\n", found.suspect_below_ns);
    fprintf(out, "disturbed %.3f lost %.3f rounds %u\n", found.disturbed_share, found.lost_share,
            found.rounds);
}

static void the_numbers_are_the_golden_ones(void **unused)
{
    (void)unused;
    static char expected[16384], actual[16384];
    measure(true);
    FILE *out = fmemopen(actual, sizeof actual, "w");
    assert_non_null(out);
    print_numbers(out);
    fclose(out);

    const char *update = getenv("TICKFLOOR_UPDATE_GOLDEN");
    bool writes = update != NULL && strcmp(update, "1") == 0;
    FILE *file = fopen(golden, writes ? "w" : "r");
    if (file == NULL)
        fail_msg("%s: cannot be opened: write it with TICKFLOOR_UPDATE_GOLDEN=1", golden);
    if (writes)
        fputs(actual, file);
    else
        expected[fread(expected, 1, sizeof expected - 1, file)] = '\0';
    fclose(file);
    if (!writes)
        assert_string_equal(actual, expected);
}

static void other_windows_say_the_same(void **unused)
{
    (void)unused;
    measure(true);
    struct tkf_cpu_floor quick = found;
    measure(false); /* longer windows, more rounds, another order */
    assert_true(found.rounds > quick.rounds);
    assert_true(fabs(found.cycle_ns / quick.cycle_ns - 1) < 0.002);
    assert_true(fabs(found.floor_cycles.lo / quick.floor_cycles.lo - 1) < 0.003);
    assert_true(fabs(found.floor_cycles.mid / quick.floor_cycles.mid - 1) < 0.003);
}

static void assert_malformed(const char *text, int error)
{
    char path[] = "/tmp/tickfloor-trace-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    fprintf(file, text, tkf_arch_name);
    fclose(file);
    struct replay r;
    assert_int_equal(replay_load(path, &r), error);
    replay_free(&r);
    remove(path);
}

static void a_trace_that_is_none_is_refused(void **unused)
{
    (void)unused;
    assert_malformed("", TKF_EFORMAT);
    assert_malformed("arch z80%.0s\n", TKF_EUNSUPPORTED);
    assert_malformed("arch %s\nreads 52 x\n", TKF_EFORMAT);
    assert_malformed("arch %s\nreads 52*0\n", TKF_EFORMAT);
    assert_malformed("arch %s\nwindows xor 5 9\n", TKF_EFORMAT);
    assert_malformed("arch %s\nsource rdtsc\nmoment 1 1\nmoment 5 5\nreads 5\ncpu 0\n",
                     TKF_EFORMAT);
    assert_malformed("arch %s\nweather fine\n", TKF_EFORMAT);
    struct replay r;
    assert_int_equal(replay_load("/nonexistent", &r), TKF_EIO);
    replay_free(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_are_the_golden_ones),
        cmocka_unit_test(other_windows_say_the_same),
        cmocka_unit_test(a_trace_that_is_none_is_refused),
    };
    if (argc != 3) {
        fprintf(stderr, "usage: test_replay TRACE GOLDEN\n");
        return 2;
    }
    trace = argv[1];
    golden = argv[2];
    struct replay r;
    int error = replay_load(trace, &r);
    replay_free(&r);
    if (error == TKF_EUNSUPPORTED)
        return 77; /* the reason is on stderr */
    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
