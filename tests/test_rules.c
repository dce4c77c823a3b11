/* SPDX-License-Identifier: MIT */
/**
 * Verdicts on small results made by hand: each rule where it must hold, and next to it where it
 * must not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../core/judge/judge.h"

/* A round number, so that cycles are read off: 1 ns is four of them. */
#define CYCLE_NS 0.25

/* ---- help ---- */

static struct tkf_profile_cpu machine_cpu;

static struct tkf_profile machine(void)
{
    machine_cpu.floor.cycle_ns = CYCLE_NS;
    machine_cpu.floor.floor_ns = (struct tkf_band){CYCLE_NS, CYCLE_NS, 2 * CYCLE_NS};
    return (struct tkf_profile){
        .machine = {.cpu = "Test CPU  7"}, .cpus = &machine_cpu, .ncpus = 1};
}

struct run {
    struct tkf_results *results;
    struct tkf_sink sink;
    struct tkf_origin *origin;
    struct tkf_result row; /* the next one: a test sets what matters */
};

static struct run begin(const char *framework, enum tkf_timing timing)
{
    struct run run = {.results = tkf_results_new()};
    assert_non_null(run.results);
    tkf_sink_begin(&run.sink, run.results, "file", "made");
    run.origin = tkf_sink_origin(&run.sink, framework, timing);
    run.row = tkf_sink_row(&run.sink, 1);
    return run;
}

/* Keep the row that was made ready, under a name and with a time, and make the next one ready. */
static void add(struct run *run, const char *name, double ns)
{
    run->sink.results = run->results;
    run->row.name = name;
    run->row.ns = ns;
    tkf_sink_add(&run->sink, &run->row);
    run->row = tkf_sink_row(&run->sink, 1);
}

static void judge_with(struct run *run, const struct tkf_judge_options *options)
{
    run->sink.results = run->results;
    tkf_sink_end(&run->sink);
    assert_int_equal(tkf_results_judge(run->results, options), 0);
}

static void judge(struct run *run)
{
    struct tkf_profile profile = machine();
    judge_with(run, &(struct tkf_judge_options){.profile = &profile, .profile_applies = true});
}

static const struct tkf_result *find(const struct run *run, const char *name)
{
    for (size_t i = 0; i < tkf_results_count(run->results); i++) {
        const struct tkf_result *row = tkf_results_get(run->results, i);
        if (strcmp(row->name, name) == 0)
            return row;
    }
    fail_msg("no row %s", name);
    return NULL;
}

static const char *evidence(const struct tkf_result *row, const char *rule)
{
    for (unsigned i = 0; i < row->nevidence; i++) {
        if (strcmp(row->evidence[i].rule, rule) == 0)
            return row->evidence[i].text;
    }
    return NULL;
}

static void expect_verdict_at(const struct run *run, const char *name, enum tkf_verdict verdict,
                              const char *rule, int line)
{
    const struct tkf_result *row = find(run, name);
    const char *first = row->nevidence > 0 ? row->evidence[0].rule : "";
    if (row->verdict != verdict || (rule && !evidence(row, rule)))
        fail_msg("line %d: %s is %s for %s, not %s for %s", line, name,
                 tkf_verdict_name(row->verdict), first, tkf_verdict_name(verdict),
                 rule ? rule : "any");
}

static void assert_close(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%g is not %g", value, wanted);
}

#define expect_verdict(run, name, verdict, rule) \
    expect_verdict_at(run, name, TKF_VERDICT_##verdict, rule, __LINE__)

static void end(struct run *run)
{
    tkf_results_free(run->results);
}

/* One row of a framework that times in batches, judged. */
static struct run one(const char *framework, double ns)
{
    struct run run = begin(framework, TKF_TIMING_BATCHED);
    add(&run, "Row", ns);
    judge(&run);
    return run;
}

/* ---- impossible ---- */

static void below_one_cycle_is_impossible(void **state)
{
    (void)state;
    struct run run = one("go", 0.89 * CYCLE_NS);
    expect_verdict(&run, "Row", IMPOSSIBLE, "below-one-cycle");
    end(&run);
    run = one("go", 0.91 * CYCLE_NS);
    expect_verdict(&run, "Row", AT_FLOOR, "empty-loop");
    end(&run);
    run = one("libtest", 0);
    expect_verdict(&run, "Row", IMPOSSIBLE, "below-one-cycle");
    end(&run);
}

static void rounding_is_given_to_the_benchmark(void **state)
{
    (void)state;
    struct run run = begin("libtest", TKF_TIMING_BATCHED);
    run.row.quantum_ns = 1; /* an old libtest prints whole ns */
    add(&run, "Row", 0);
    judge(&run);
    expect_verdict(&run, "Row", AT_FLOOR, "empty-loop");
    end(&run);
}

static void batch_bytes_and_threads_explain_less_than_a_cycle(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "Copy/batch=4096", 0.01);
    run.row.batch = 64;
    add(&run, "Known", 0.01);
    run.row.bytes_per_second = 50e9;
    add(&run, "Bytes", 0.02);
    run.row.procs = 64;
    add(&run, "Parallel", 0.1);
    run.row.threads = 2;
    add(&run, "Two", 0.2);
    run.row.threads = 2;
    add(&run, "TwoGone", 0.1);
    add(&run, "Gone/batch=2", 0.1);
    add(&run, "BenchmarkParallelGet", 0.25);
    add(&run, "BenchmarkParallelSlow", 0.8);
    add(&run, "BenchmarkParallelReal", 0.9);
    judge(&run);
    expect_verdict(&run, "Copy/batch=4096", OK, NULL);
    expect_verdict(&run, "Known", NEAR_FLOOR, NULL);
    expect_verdict(&run, "Bytes", UNDECIDED, "part-of-a-batch");
    expect_verdict(&run, "Parallel", UNDECIDED, "shared");
    expect_verdict(&run, "Two", UNDECIDED, "shared");
    expect_verdict(&run, "BenchmarkParallelGet", UNDECIDED, "shared");
    expect_verdict(&run, "BenchmarkParallelSlow", UNDECIDED, "shared");
    expect_verdict(&run, "BenchmarkParallelReal", OK, NULL);
    expect_verdict(&run, "TwoGone", IMPOSSIBLE, "below-one-cycle");
    expect_verdict(&run, "Gone/batch=2", IMPOSSIBLE, "below-one-cycle");
    end(&run);
}

static void rates_beyond_any_core_are_impossible(void **state)
{
    (void)state;
    struct run run = begin("google-benchmark", TKF_TIMING_BATCHED);
    run.row.bytes_per_second = 41e12;
    add(&run, "Drained", 1.6);
    run.row.items_per_second = 3.7e12;
    add(&run, "Closed", 2.5);
    run.row.bytes_per_second = 41e12;
    run.row.threads = 2;
    add(&run, "Two", 1.6);
    run.row.bytes_per_second = 400e9; /* of the nearest cache */
    add(&run, "Fast", 20);
    judge(&run);
    expect_verdict(&run, "Drained", IMPOSSIBLE, "rate");
    expect_verdict(&run, "Closed", IMPOSSIBLE, "rate");
    assert_non_null(strstr(evidence(find(&run, "Drained"), "rate"), "no core gets more than"));
    assert_non_null(strstr(evidence(find(&run, "Two"), "rate"), "no 2 cores get more than"));
    expect_verdict(&run, "Fast", OK, NULL);
    end(&run);
}

static void no_time_is_impossible_unless_taken_away(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    run.row.time_missing = true;
    add(&run, "Zero", NAN);
    run.row.time_missing = true;
    tkf_row_metric(&run.sink, &run.row, "widgets/op", 3);
    add(&run, "Own", NAN);
    add(&run, "Negative", -0.5);
    judge(&run);
    expect_verdict(&run, "Zero", IMPOSSIBLE, "no-time");
    expect_verdict(&run, "Own", UNDECIDED, "no-number");
    expect_verdict(&run, "Negative", IMPOSSIBLE, "negative-time");
    assert_null(evidence(find(&run, "Negative"), "declared-work")); /* nothing was */
    end(&run);
}

static void what_frameworks_say_counts(void **state)
{
    (void)state;
    struct run run = begin("catch2", TKF_TIMING_BATCHED);
    run.row.failed = true;
    run.row.remark = "could not measure benchmark, maybe it was optimized away";
    add(&run, "Gone", NAN);
    run.row.failed = true;
    run.row.remark = "skipped";
    add(&run, "Skipped", NAN);
    run.row.remark = "Slow start. Ignoring non-zero exit code.";
    add(&run, "Failed", 1e6);
    run.row.exit_code = 2;
    add(&run, "Code", 1e6);
    run.row.exit_code = 0;
    run.row.remark = "mitata marks it !: likely optimized out";
    add(&run, "Guess", 5);
    judge(&run);
    expect_verdict(&run, "Gone", IMPOSSIBLE, "framework-says");
    expect_verdict(&run, "Skipped", UNDECIDED, "failed");
    expect_verdict(&run, "Failed", IMPOSSIBLE, "exit-code");
    assert_non_null(
        strstr(evidence(find(&run, "Failed"), "exit-code"), "\"Ignoring non-zero exit code\""));
    expect_verdict(&run, "Code", IMPOSSIBLE, "exit-code");
    expect_verdict(&run, "Guess", OK, "framework-says");
    end(&run);
}

static void time_that_grows_with_the_iterations_is_impossible(void **state)
{
    (void)state;
    static const double iterations[] = {20000, 21000, 22000, 23000, 24000};
    static const double scatter[] = {1.04, 0.93, 1.05, 0.94, 1.03};
    static const double noise[] = {1.003, 0.998, 1.001, 0.997, 1.002};
    struct run run = begin("go", TKF_TIMING_BATCHED);
    for (size_t i = 0; i < 5; i++) {
        run.row.iterations = iterations[i];
        add(&run, "Quadratic", 0.5 * iterations[i] * noise[i]);
        run.row.iterations = iterations[i];
        add(&run, "Steady", 12000 * noise[i]);
        run.row.iterations = iterations[i]; /* it grows on the whole, and is no line */
        add(&run, "Scattered", 0.5 * iterations[i] * scatter[i]);
        run.row.iterations =
            iterations[4 - i]; /* as a framework chooses them: more of what is quicker */
        add(&run, "Slowing", 0.5 * iterations[i]);
    }
    judge(&run);
    expect_verdict(&run, "Quadratic", IMPOSSIBLE, "grows-with-iterations");
    expect_verdict(&run, "Steady", OK, NULL);
    expect_verdict(&run, "Slowing", OK, NULL);
    expect_verdict(&run, "Scattered", OK, NULL);
    end(&run);
}

static void a_doubtful_machine_makes_nothing_impossible(void **state)
{
    (void)state;
    struct tkf_profile profile = machine();
    struct tkf_judge_options options = {.profile = &profile, .profile_applies = true};
    struct run run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "Row", 0.01);
    profile.machine.emulated = true;
    judge_with(&run, &options);
    expect_verdict(&run, "Row", AT_FLOOR, "empty-loop");
    profile.machine.emulated = false;
    profile.counter.trust = TKF_TRUST_CONFLICT;
    judge_with(&run, &options);
    expect_verdict(&run, "Row", AT_FLOOR, "empty-loop");
    profile.counter.trust = TKF_TRUST_VERIFIED;
    judge_with(&run, &options);
    expect_verdict(&run, "Row", IMPOSSIBLE, "below-one-cycle");
    end(&run);
}

/* ---- at-floor ---- */

static void an_empty_loop_is_the_frameworks_own(void **state)
{
    (void)state;
    struct run run = one("go", 1.1 * CYCLE_NS);
    expect_verdict(&run, "Row", AT_FLOOR, "empty-loop");
    assert_non_null(find(&run, "Row")->hint);
    assert_close(find(&run, "Row")->cycles_shown, 1.1, 1e-9);
    assert_close(find(&run, "Row")->over_floor_ns, 0.1 * CYCLE_NS, 1e-9);
    end(&run);
    run = one("go", 2 * CYCLE_NS);
    expect_verdict(&run, "Row", NEAR_FLOOR, "slow-empty-loop");
    end(&run);
    run = one("go", 2.5 * CYCLE_NS);
    expect_verdict(&run, "Row", NEAR_FLOOR, "floor-share");
    end(&run);
    run = one("benchmark.js", 3.2 * CYCLE_NS);
    expect_verdict(&run, "Row", AT_FLOOR, "empty-loop");
    end(&run);
    run =
        one("pytest-benchmark", 158 * CYCLE_NS); /* an interpreter's floor moves with its version */
    expect_verdict(&run, "Row", NEAR_FLOOR, "floor-share");
    end(&run);
}

static void empty_benchmarks_in_the_file_come_first(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "BenchmarkEmptyLoop", 0.75);
    add(&run, "BenchmarkNoop", 0.8);
    add(&run, "BenchmarkAt", 0.78);
    add(&run, "BenchmarkTwice", 1.5);
    judge(&run);
    const struct tkf_floor_used *used = tkf_results_floor(run.results, run.origin);
    assert_int_equal(used->source, TKF_FLOOR_SAME_FILE);
    assert_close(used->ns.lo, 0.75, 1e-9);
    assert_close(used->ns.hi, 0.8, 1e-9);
    expect_verdict(&run, "BenchmarkAt", AT_FLOOR, "empty-loop");
    expect_verdict(&run, "BenchmarkTwice", NEAR_FLOOR, NULL);
    /* They are flagged as any, and not to be mended. */
    expect_verdict(&run, "BenchmarkNoop", AT_FLOOR, "empty-loop");
    assert_true(find(&run, "BenchmarkNoop")->is_floor && !find(&run, "BenchmarkAt")->is_floor);
    assert_non_null(strstr(find(&run, "BenchmarkNoop")->hint, "this is your floor"));
    assert_non_null(strstr(find(&run, "BenchmarkAt")->hint, "b.Loop"));
    end(&run);
}

static void a_name_alone_makes_no_floor_and_no_flag(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "BenchmarkEmptyString", 0.9); /* alone, dear, and beaten: it is not empty */
    add(&run, "BenchmarkAdd", 0.5);
    add(&run, "BenchmarkMul", 0.75);
    add(&run, "BenchmarkBaseline", 40);
    judge(&run);
    assert_int_equal(tkf_results_floor(run.results, run.origin)->source, TKF_FLOOR_HARNESS);
    expect_verdict(&run, "BenchmarkEmptyString", OK, NULL);
    assert_false(find(&run, "BenchmarkEmptyString")->is_floor);
    expect_verdict(&run, "BenchmarkMul", NEAR_FLOOR, NULL);
    expect_verdict(&run, "BenchmarkBaseline", OK, NULL);
    end(&run);
}

static bool floor_text_has(const struct run *run, const char *what)
{
    return strstr(tkf_results_floor(run->results, run->origin)->text, what);
}

static void results_are_of_the_machine_that_they_name(void **state)
{
    static const struct {
        const char *cpu, *host;
        double cpus;
        bool its;
    } cases[] = {
        {"Test CPU 7", "elsewhere", 8, true},
        {"Another", "here", 4, false},
        {NULL, "here", 4, true},
        {NULL, "here", NAN, true},
        {NULL, "here", 8, false},
        {NULL, "there", 4, false},
        {NULL, NULL, 4, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tkf_profile profile = machine();
        struct run run = begin("go", TKF_TIMING_BATCHED);
        profile.machine.cpus = 4;
        run.origin->cpu = cases[i].cpu;
        run.origin->host = cases[i].host;
        run.origin->cpus = cases[i].cpus;
        add(&run, "Row", 50);
        judge_with(&run, &(struct tkf_judge_options){.profile = &profile, .host = "here"});
        assert_int_equal(tkf_results_floor(run.results, run.origin)->source == TKF_FLOOR_HARNESS,
                         cases[i].its);
        end(&run);
    }
}

static void an_empty_one_that_is_no_floor_is_named(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "BenchmarkEmptyString", 40);
    add(&run, "BenchmarkAdd", 0.5);
    judge(&run);
    assert_true(floor_text_has(&run, "\"BenchmarkEmptyString\" calls itself empty"));
    end(&run);
}

/* The machine's own empty loop takes up to two cycles: an unlucky one is beaten, and is empty. */
static void a_slow_empty_benchmark_is_a_floor(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "BenchmarkEmpty", 1.95 * CYCLE_NS);
    add(&run, "BenchmarkDead", 1.25 * CYCLE_NS);
    judge(&run);
    assert_true(floor_text_has(&run, "the empty benchmark \"BenchmarkEmpty\""));
    expect_verdict(&run, "BenchmarkEmpty", AT_FLOOR, NULL);
    expect_verdict(&run, "BenchmarkDead", NEAR_FLOOR, "slow-empty-loop");
    end(&run);
}

static void a_number_of_processors_is_no_thread(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    run.row.procs = 2;
    add(&run, "BenchmarkSlow", 1.6 * CYCLE_NS);
    run.row.procs = 2;
    add(&run, "BenchmarkShare", 2.5 * CYCLE_NS);
    run.row.threads = 2;
    add(&run, "BenchmarkThreads", 2.5 * CYCLE_NS);
    add(&run, "BenchmarkNoisy", 4 * CYCLE_NS);
    add(&run, "BenchmarkNoisy", 1.5 * CYCLE_NS); /* by its fastest, as it is held elsewhere */
    add(&run, "BenchmarkNoisy", 5 * CYCLE_NS);
    judge(&run);
    expect_verdict(&run, "BenchmarkNoisy", NEAR_FLOOR, "slow-empty-loop");
    assert_non_null(strstr(evidence(find(&run, "BenchmarkNoisy"), "slow-empty-loop"),
                           "0.375 ns for the fastest of 3 runs, 1 ns for the usual one"));
    assert_close(tkf_results_floor(run.results, run.origin)->ns.hi, 2 * CYCLE_NS, 1e-9);
    expect_verdict(&run, "BenchmarkSlow", NEAR_FLOOR, "slow-empty-loop");
    expect_verdict(&run, "BenchmarkSlow", NEAR_FLOOR, "may-be-shared");
    expect_verdict(&run, "BenchmarkShare", NEAR_FLOOR, "floor-share");
    expect_verdict(&run, "BenchmarkThreads", OK, NULL);
    end(&run);
}

/* On a machine that is not known, with the numbers of a busy list of benchmarks that are gone. */
static void a_reading_that_many_share_is_the_loops(void **state)
{
    (void)state;
    static const double shared[] = {0.262, 0.264, 0.265, 0.266};
    static const char *const names[] = {"BenchmarkA", "BenchmarkB", "BenchmarkC", "BenchmarkD"};
    static const char *const family[] = {"BenchmarkA/1", "BenchmarkA/2", "BenchmarkA/3",
                                         "BenchmarkA/4"};
    struct run run = begin("go", TKF_TIMING_BATCHED);
    for (size_t i = 0; i < 4; i++) {
        run.row.procs = 8;
        run.row.iterations = 1e9;
        add(&run, names[i], shared[i]);
    }
    run.row.procs = 8;
    add(&run, "BenchmarkTwice", 0.53);
    run.row.procs = 8;
    add(&run, "BenchmarkParallelLoad", 0.05);
    judge_with(&run, &(struct tkf_judge_options){.profile = NULL});
    expect_verdict(&run, "BenchmarkA", AT_FLOOR, "empty-loop");
    expect_verdict(&run, "BenchmarkA", AT_FLOOR, "may-be-shared");
    expect_verdict(&run, "BenchmarkA", AT_FLOOR, "iteration-cap");
    expect_verdict(&run, "BenchmarkTwice", NEAR_FLOOR, NULL);
    expect_verdict(&run, "BenchmarkParallelLoad", UNDECIDED, "shared");
    end(&run);

    run = begin("go", TKF_TIMING_BATCHED); /* one body, measured four times */
    for (size_t i = 0; i < 4; i++) {
        run.row.procs = 8;
        run.row.iterations = 1e9;
        add(&run, family[i], shared[i]);
    }
    judge_with(&run, &(struct tkf_judge_options){.profile = NULL});
    expect_verdict(&run, "BenchmarkA/1", UNDECIDED, "shared");
    expect_verdict(&run, "BenchmarkA/1", UNDECIDED, "iteration-cap");
    assert_non_null(strstr(evidence(find(&run, "BenchmarkA/1"), "shared"), "if it is one that"));
    end(&run);
}

static void each_loop_form_has_its_floor(void **state)
{
    (void)state;
    struct run run = begin("criterion", TKF_TIMING_BATCHED);
    add(&run, "empty_value", 0.3);
    add(&run, "at", 0.27); /* another moment was faster */
    add(&run, "above", 0.45);
    judge(&run);
    expect_verdict(&run, "at", AT_FLOOR, "empty-loop");
    expect_verdict(&run, "above", NEAR_FLOOR, NULL);
    end(&run);
}

static void a_deleted_loop_is_no_floor(void **state)
{
    (void)state;
    struct run run = begin("google-benchmark", TKF_TIMING_BATCHED);
    add(&run, "BM_EmptyRangeFor", 6e-7);
    add(&run, "BM_EmptyKeepRunning", 0.3);
    add(&run, "BM_At", 0.31);
    judge(&run);
    assert_close(tkf_results_floor(run.results, run.origin)->ns.lo, 0.3, 1e-9);
    expect_verdict(&run, "BM_EmptyRangeFor", IMPOSSIBLE, "below-one-cycle");
    expect_verdict(&run, "BM_At", AT_FLOOR, NULL);
    end(&run);
}

static void a_slow_moment_is_no_floor_for_a_fast_one(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "BenchmarkEmpty", 0.86);
    add(&run, "BenchmarkEmptySub", 0.88);
    add(&run, "Beside", 0.85);
    add(&run, "Fastest", CYCLE_NS);
    add(&run, "Between", 0.5);
    judge(&run);
    expect_verdict(&run, "Beside", AT_FLOOR, NULL);
    expect_verdict(&run, "Fastest", AT_FLOOR, NULL);
    expect_verdict(&run, "Between", NEAR_FLOOR, NULL);
    end(&run);
}

static void the_fastest_repetition_is_held_against_it(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    static const double times[] = {0.48, 0.26, 0.49, 0.47, 0.5};
    for (size_t i = 0; i < 5; i++)
        add(&run, "Disturbed", times[i]);
    judge(&run);
    expect_verdict(&run, "Disturbed", AT_FLOOR, "empty-loop");
    assert_non_null(strstr(evidence(find(&run, "Disturbed"), "empty-loop"),
                           "0.26 ns for the fastest of 5 runs, 0.48 ns for the usual one, where an "
                           "empty loop takes 0.25 ns;"));
    end(&run);
}

static void counted_instructions_clear_it(void **state)
{
    (void)state;
    struct run run = begin("nanobench", TKF_TIMING_BATCHED);
    run.row.instructions = 9;
    add(&run, "Works", CYCLE_NS);
    run.row.instructions = 3;
    add(&run, "Empty", CYCLE_NS);
    judge(&run);
    expect_verdict(&run, "Works", NEAR_FLOOR, "instructions");
    expect_verdict(&run, "Empty", AT_FLOOR, "instructions");
    end(&run);
}

static void what_was_subtracted_leaves_nothing(void **state)
{
    (void)state;
    struct run run = begin("benchmarkdotnet", TKF_TIMING_SUBTRACTED);
    run.row.sentinel = true;
    add(&run, "Zero", 0);
    add(&run, "Little", 0.01);
    run.row.ns_lo = -0.1;
    run.row.ns_hi = 0.9;
    add(&run, "Spread", 0.4);
    add(&run, "Half", 0.13);
    add(&run, "Real", 5);
    judge(&run);
    expect_verdict(&run, "Zero", AT_FLOOR, "nothing-left");
    expect_verdict(&run, "Little", AT_FLOOR, "nothing-left");
    expect_verdict(&run, "Spread", AT_FLOOR, "nothing-left");
    expect_verdict(&run, "Half", UNDECIDED, "overhead-taken-off");
    expect_verdict(&run, "Real", OK, NULL);
    end(&run);
}

static void processes_are_held_against_an_empty_command(void **state)
{
    (void)state;
    struct run run = begin("hyperfine", TKF_TIMING_PROCESS);
    run.row.min_ns = 0.55e6;
    add(&run, "noop", 0.6e6);
    run.row.min_ns = 0.56e6;
    add(&run, "dead", 0.61e6);
    run.row.min_ns = 1.6e6;
    add(&run, "ls", 1.7e6);
    judge(&run);
    expect_verdict(&run, "dead", AT_FLOOR, "empty-loop");
    expect_verdict(&run, "ls", NEAR_FLOOR, NULL);
    end(&run);
}

static void a_named_floor_is_used(void **state)
{
    (void)state;
    struct tkf_profile profile = machine();
    struct tkf_judge_options options = {
        .profile = &profile, .profile_applies = true, .floor_bench = "pkg.Nil"};
    struct run run = begin("go", TKF_TIMING_BATCHED);
    run.row.group = "pkg";
    add(&run, "Nil", 7);
    run.row.group = "pkg";
    add(&run, "Other", 7.01);
    run.row.group = "pkg";
    add(&run, "More", 9);
    judge_with(&run, &options);
    expect_verdict(&run, "Other", AT_FLOOR, NULL);
    expect_verdict(&run, "More", NEAR_FLOOR, NULL);
    options.floor_bench = "Nil";
    judge_with(&run, &options);
    expect_verdict(&run, "Other", AT_FLOOR, NULL);
    options.floor_bench = "Nothing";
    judge_with(&run, &options);
    expect_verdict(&run, "Other", OK, NULL);
    end(&run);
}

/* ---- which floor ---- */

static enum tkf_floor_source source_of(const struct tkf_judge_options *options,
                                       const char *framework, const char *cpu)
{
    struct run run = begin(framework, TKF_TIMING_BATCHED);
    run.origin->cpu = cpu;
    add(&run, "Row", CYCLE_NS);
    judge_with(&run, options);
    enum tkf_floor_source source = tkf_results_floor(run.results, run.origin)->source;
    assert_non_null(tkf_results_floor(run.results, run.origin)->text);
    end(&run);
    return source;
}

static void floors_are_chosen_in_order(void **state)
{
    (void)state;
    struct tkf_profile profile = machine();
    struct tkf_judge_options options = {.profile = &profile};
    assert_int_equal(source_of(&options, "go", "Test CPU 7"),
                     TKF_FLOOR_HARNESS); /* the CPU that the file names */
    assert_int_equal(source_of(&options, "jmh", "Test CPU 7"), TKF_FLOOR_PROFILE);
    assert_int_equal(source_of(&options, "go", "Test CPU 8"), TKF_FLOOR_PHYSICAL);
    assert_int_equal(source_of(&options, "go", NULL), TKF_FLOOR_PHYSICAL);
    options.profile_applies = true;
    assert_int_equal(source_of(&options, "go", NULL), TKF_FLOOR_HARNESS);
    options.profile = NULL;
    assert_int_equal(source_of(&options, "go", NULL), TKF_FLOOR_PHYSICAL);
}

/* The table has one cycle for it; this machine takes five. */
static void a_framework_that_was_run_live_is_held_against_that(void **state)
{
    (void)state;
    struct tkf_profile profile = machine();
    struct tkf_judge_options options = {.profile = &profile, .profile_applies = true};
    profile.harnesses[0] = (struct tkf_harness_floor){
        .framework = "go", .timing = TKF_TIMING_BATCHED, .loop_form = "b.N", .cycles = {5, 30, 40}};
    profile.nharnesses = 1;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "FiveCycles", 5 * CYCLE_NS);
    add(&run, "Usual", 30 * CYCLE_NS); /* other work made it so: no floor */
    judge_with(&run, &options);
    const struct tkf_floor_used *used = tkf_results_floor(run.results, run.origin);
    assert_int_equal(used->source, TKF_FLOOR_HARNESS);
    assert_non_null(strstr(used->text, "as the machine's profile measured it"));
    assert_close(used->ns.lo, 5 * CYCLE_NS, 1e-9);
    expect_verdict(&run, "FiveCycles", AT_FLOOR, "empty-loop");
    expect_verdict(&run, "Usual", OK, NULL);
    end(&run);

    /* Of another framework, or not measured: the table's. */
    static const struct tkf_harness_floor others[] = {
        {.framework = "criterion",
         .timing = TKF_TIMING_BATCHED,
         .loop_form = "b.N",
         .cycles = {5, 5, 5}},
        {.framework = "go", .timing = TKF_TIMING_PROCESS, .loop_form = "b.N", .cycles = {5, 5, 5}},
        {.framework = "go",
         .timing = TKF_TIMING_BATCHED,
         .loop_form = "b.N",
         .cycles = {NAN, NAN, NAN}},
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        profile.harnesses[0] = others[i];
        run = begin("go", TKF_TIMING_BATCHED);
        add(&run, "FiveCycles", 5 * CYCLE_NS);
        judge_with(&run, &options);
        used = tkf_results_floor(run.results, run.origin);
        assert_int_equal(used->source, TKF_FLOOR_HARNESS);
        assert_close(used->ns.lo, CYCLE_NS, 1e-9);
        expect_verdict(&run, "FiveCycles", OK, NULL);
        end(&run);
    }
}

/* Results say neither b.N nor b.Loop, which costs five cycles on this machine. */
static void a_loop_that_is_not_told_leaves_it_open(void **state)
{
    (void)state;
    struct tkf_profile profile = machine();
    struct tkf_judge_options options = {.profile = &profile, .profile_applies = true};
    struct run run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "FiveCycles", 5 * CYCLE_NS);
    judge_with(&run, &options);
    assert_non_null(strstr(tkf_results_floor(run.results, run.origin)->text, "b.N or b.Loop"));
    expect_verdict(&run, "FiveCycles", OK, NULL);
    end(&run);

    profile.harnesses[0] = (struct tkf_harness_floor){.framework = "go",
                                                      .timing = TKF_TIMING_BATCHED,
                                                      .loop_form = "b.Loop",
                                                      .cycles = {5, 5, 5}};
    profile.nharnesses = 1;
    run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "OneCycle", CYCLE_NS);
    add(&run, "FiveCycles", 5 * CYCLE_NS);
    add(&run, "SixCycles", 6 * CYCLE_NS);
    judge_with(&run, &options);
    assert_non_null(strstr(tkf_results_floor(run.results, run.origin)->text, "first is assumed"));
    expect_verdict(&run, "OneCycle", AT_FLOOR, "empty-loop");
    expect_verdict(&run, "FiveCycles", UNDECIDED, "untold-loop");
    expect_verdict(&run, "SixCycles", OK, NULL);
    end(&run);

    /* Empty benchmarks tell: all of this file are b.Loop's. */
    run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "BenchmarkEmpty", 5 * CYCLE_NS);
    add(&run, "FiveCycles", 5 * CYCLE_NS);
    add(&run, "SixCycles", 6 * CYCLE_NS);
    judge(&run);
    expect_verdict(&run, "FiveCycles", AT_FLOOR, "empty-loop");
    expect_verdict(&run, "SixCycles", NEAR_FLOOR, NULL);
    end(&run);

    /* Faster ones say that it is not empty. */
    run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "BenchmarkEmptyMap", 5 * CYCLE_NS);
    add(&run, "BenchmarkEmptyString", 5 * CYCLE_NS);
    add(&run, "TwoCycles", 2 * CYCLE_NS);
    judge(&run);
    expect_verdict(&run, "BenchmarkEmptyMap", OK, NULL);
    end(&run);
}

static void without_a_floor_only_physics_decides(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "Gone", 0.13);
    add(&run, "Small", 0.2);
    add(&run, "Large", 20);
    judge_with(&run, &(struct tkf_judge_options){0});
    expect_verdict(&run, "Gone", IMPOSSIBLE, "below-one-cycle");
    expect_verdict(&run, "Small", UNDECIDED, "no-floor");
    expect_verdict(&run, "Large", OK, NULL);
    assert_true(isnan(find(&run, "Small")->cycles_shown));
    assert_true(isnan(find(&run, "Small")->over_floor_ns));
    end(&run);
}

static void a_frameworks_own_empty_call_is_a_floor(void **state)
{
    (void)state;
    struct run run = begin("mitata", TKF_TIMING_BATCHED);
    run.origin->own_floor_ns = 0.4;
    add(&run, "Row", 0.41);
    judge_with(&run, &(struct tkf_judge_options){0});
    expect_verdict(&run, "Row", AT_FLOOR, NULL);
    assert_int_equal(tkf_results_floor(run.results, run.origin)->source, TKF_FLOOR_SAME_FILE);
    end(&run);
}

static void one_run_has_no_number_of_runs(void **state)
{
    (void)state;
    struct run run = begin("pytest-benchmark", TKF_TIMING_BATCHED);
    add(&run, "test_empty", 40);
    run.row.min_ns = 39.5;
    run.row.ns_lo = 39.9;
    add(&run, "test_dead", 40.1);
    judge(&run);
    assert_non_null(
        strstr(evidence(find(&run, "test_dead"), "empty-loop"), "for the fastest run,"));
    end(&run);
}

/* ---- capped, flat ---- */

static void capped_is_far_under_the_benchmark_time(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    run.row.iterations = 1e9;
    add(&run, "Stopped/batch=65536", 1e-5); /* 10 us of a second */
    run.row.iterations = 1e9;
    add(&run, "Copy/batch=65536", 0.01); /* 10 ms: 100 bytes a ns */
    run.row.iterations = 1e6;
    add(&run, "Few/batch=65536", 1e-5);
    judge(&run);
    expect_verdict(&run, "Stopped/batch=65536", CAPPED, "iteration-cap");
    expect_verdict(&run, "Copy/batch=65536", OK, NULL);
    assert_true(find(&run, "Few/batch=65536")->verdict != TKF_VERDICT_CAPPED);
    end(&run);
}

static void flat_families_do_not_grow(void **state)
{
    (void)state;
    static const int sizes[] = {8, 64, 512, 4096};
    struct run run = begin("google-benchmark", TKF_TIMING_BATCHED);
    for (size_t i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof(name), "sum32/%d", sizes[i]);
        add(&run, name, 0.5 + 0.001 * (double)i);
        snprintf(name, sizeof(name), "lookup/%d", sizes[i]); /* constant time, and rightly so */
        add(&run, name, 2.0);
        snprintf(name, sizeof(name), "stated/%d", sizes[i]);
        run.row.items_per_second = sizes[i] / 2.0 * 1e9 / 50;
        add(&run, name, 2.0);
        snprintf(name, sizeof(name), "grows/%d", sizes[i]);
        add(&run, name, 0.3 + 0.13 * (double)i);
        snprintf(name, sizeof(name), "pool/threads:%d", sizes[i]);
        add(&run, name, 0.5);
    }
    add(&run, "two/8", 0.5);
    add(&run, "two/4096", 0.5);
    judge(&run);
    expect_verdict(&run, "sum32/8", NEAR_FLOOR, "flat-family"); /* or a look-up */
    expect_verdict(&run, "sum32/4096", NEAR_FLOOR, "flat-family");
    expect_verdict(&run, "lookup/512", OK, NULL);
    assert_null(evidence(find(&run, "lookup/512"), "flat-family"));
    expect_verdict(&run, "stated/512", FLAT, "flat-family");
    expect_verdict(&run, "grows/64", NEAR_FLOOR, NULL);
    expect_verdict(&run, "pool/threads:64", NEAR_FLOOR, NULL);
    expect_verdict(&run, "two/8", NEAR_FLOOR, NULL);
    end(&run);
}

/* ---- timer-limited ---- */

static void timed_calls_are_held_against_the_clock(void **state)
{
    (void)state;
    struct run run = begin("tinybench", TKF_TIMING_EACH_CALL);
    add(&run, "empty", 40);
    add(&run, "add", 41);
    add(&run, "map", 45);
    add(&run, "json", 700);
    add(&run, "zero", 0);
    add(&run, "unit", 0.00004); /* a clock in the wrong unit */
    judge(&run);
    expect_verdict(&run, "add", TIMER_LIMITED, "clock-reads");
    expect_verdict(&run, "map", TIMER_LIMITED, "clock-reads");
    expect_verdict(&run, "json", OK, NULL);
    expect_verdict(&run, "zero", TIMER_LIMITED, "clock-reads");
    expect_verdict(&run, "unit", IMPOSSIBLE, "below-one-cycle");
    end(&run);
}

static void multiples_of_a_step_are_the_clocks(void **state)
{
    (void)state;
    struct run run = begin("highway", TKF_TIMING_SUBTRACTED);
    static const int steps[] = {1, 2, 2, 3, 3, 4, 10, 330};
    char names[8][8];
    for (size_t i = 0; i < 8; i++) {
        snprintf(names[i], sizeof(names[i]), "row %zu", i);
        run.row.quantum_ns = 0.0001;
        add(&run, names[i], 0.2504 * steps[i]);
    }
    judge(&run);
    expect_verdict(&run, "row 0", TIMER_LIMITED, "clock-steps");
    expect_verdict(&run, "row 5", TIMER_LIMITED, "clock-steps");
    expect_verdict(&run, "row 7", OK, NULL);
    end(&run);

    run = begin("highway", TKF_TIMING_SUBTRACTED); /* no step is common to these */
    static const double times[] = {0.31, 0.52, 0.58, 0.77, 0.83, 1.1, 1.93, 80.1};
    for (size_t i = 0; i < 8; i++) {
        run.row.quantum_ns = 0.0001;
        add(&run, names[i], times[i]);
    }
    judge(&run);
    assert_true(find(&run, "row 0")->verdict != TKF_VERDICT_TIMER_LIMITED);
    end(&run);

    run = begin("go", TKF_TIMING_BATCHED); /* these are the core's cycles */
    for (size_t i = 0; i < 8; i++) {
        run.row.quantum_ns = 0.0001;
        add(&run, names[i], 0.2708 * steps[i]);
    }
    judge(&run);
    for (size_t i = 0; i < 8; i++)
        assert_true(find(&run, names[i])->verdict != TKF_VERDICT_TIMER_LIMITED);
    end(&run);

    run = begin("libtest", TKF_TIMING_BATCHED); /* two decimals are no clock */
    for (size_t i = 0; i < 8; i++) {
        run.row.quantum_ns = 0.01;
        add(&run, names[i], 0.03 * (double)(i + 9));
    }
    judge(&run);
    expect_verdict(&run, "row 0", AT_FLOOR, NULL);
    end(&run);
}

static void clamps_and_waiters_are_the_clocks_too(void **state)
{
    (void)state;
    struct run run = begin("divan", TKF_TIMING_SUBTRACTED);
    run.row.sentinel = true;
    add(&run, "clamped", 0.306);
    judge(&run);
    expect_verdict(&run, "clamped", TIMER_LIMITED, "clamped");
    end(&run);

    run = begin("zbench", TKF_TIMING_EACH_CALL);
    add(&run, "zero", 0);
    judge_with(&run, &(struct tkf_judge_options){0});
    expect_verdict(&run, "zero", TIMER_LIMITED, "clock-reads");
    end(&run);

    run = begin("google-benchmark", TKF_TIMING_BATCHED);
    run.row.cpu_ns = 14e3;
    run.row.wall_ns = 1e6;
    add(&run, "waiter", 14e3);
    run.row.cpu_ns = 14e3;
    run.row.wall_ns = 1e6;
    add(&run, "sleep/real_time", 1e6);
    run.row.cpu_ns = 14e3;
    run.row.wall_ns = 30e3;
    add(&run, "neighbour", 14e3);
    judge(&run);
    expect_verdict(&run, "waiter", TIMER_LIMITED, "cpu-time-of-a-waiter");
    expect_verdict(&run, "sleep/real_time", OK, NULL);
    expect_verdict(&run, "neighbour", OK, "wall-time");
    end(&run);
}

/* ---- went-quiet ---- */

static void went_quiet_was_real_before(void **state)
{
    (void)state;
    struct tkf_profile profile = machine();
    struct run before = begin("go", TKF_TIMING_BATCHED);
    add(&before, "Gone", 40);
    add(&before, "Slowly", 12.1);
    add(&before, "Faster", 40);
    add(&before, "Always", 0.26);
    before.row.allocs = 2;
    add(&before, "Allocs", 40);
    before.row.allocs = 2;
    add(&before, "Pooled", 40);
    add(&before, "Woke", 0.25);
    add(&before, "Slower", 10);
    struct run run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "Gone", 0.25);
    add(&run, "Slowly", 0.42); /* on a busy machine an empty loop takes as much */
    add(&run, "Faster", 4);
    add(&run, "Always", 0.25);
    run.row.allocs = run.row.alloc_bytes = 0;
    add(&run, "Allocs", 0.55);
    run.row.allocs = run.row.alloc_bytes = 0;
    add(&run, "Pooled", 7);
    add(&run, "Woke", 12);
    add(&run, "Slower", 60);
    add(&run, "New", 0.25);
    judge_with(&run, &(struct tkf_judge_options){
                         .profile = &profile, .profile_applies = true, .baseline = before.results});
    expect_verdict(&run, "Gone", WENT_QUIET, "went-quiet");
    expect_verdict(&run, "Slowly", WENT_QUIET, "went-quiet");
    expect_verdict(&run, "Faster", OK, NULL);
    expect_verdict(&run, "Always", AT_FLOOR, NULL);
    expect_verdict(&run, "Allocs", WENT_QUIET, "went-quiet");
    expect_verdict(&run, "Pooled", OK, NULL);
    expect_verdict(&run, "Woke", OK, "baseline-was-quiet");
    assert_null(evidence(find(&run, "Slower"), "baseline-was-quiet"));
    expect_verdict(&run, "New", AT_FLOOR, NULL);
    end(&run);
    end(&before);
}

/* ---- evidence and hints ---- */

static void evidence_stands_beside_the_verdict(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    run.row.allocs = run.row.alloc_bytes = 0;
    add(&run, "Dead", 0.25);
    run.row.allocs = 0;
    run.row.alloc_bytes = 7;
    add(&run, "Seldom", 30);
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof(name), "Like%c", 'A' + i);
        add(&run, name, 0.251);
    }
    run.row.procs = 8;
    add(&run, "Procs", 0.25);
    judge(&run);
    assert_non_null(evidence(find(&run, "Dead"), "allocs"));
    assert_non_null(evidence(find(&run, "Dead"), "cluster"));
    assert_non_null(strstr(evidence(find(&run, "Seldom"), "allocs"), "0 allocations but 7 bytes"));
    expect_verdict(&run, "Seldom", OK, NULL);
    expect_verdict(&run, "Procs", AT_FLOOR, "may-be-shared");
    end(&run);
}

/* What is wrong decides what is to be done, before the framework does. */
static void hints_are_of_the_finding(void **state)
{
    static const struct {
        const char *framework, *rule, *word;
    } cases[] = {
        {"go", "below-one-cycle", "each step of b.N"},
        {"criterion", "below-one-cycle", "black_box"},
        {"google-benchmark", "cpu-time-of-a-waiter", "->UseRealTime()"},
        {"catch2", "cpu-time-of-a-waiter", "wall time"},
        {"pytest-benchmark", "never-awaited", "asyncio.run"},
        {"go", "grows-with-iterations", "b.N"},
        {"go", "negative-time", "clock"},
        {"go", "rate", "drained"},
        {"go", "declared-work", "b.Loop"},
        {"google-benchmark", "failed", "why it fails"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tkf_origin origin = {.framework = cases[i].framework, .timing = TKF_TIMING_BATCHED};
        struct tkf_evidence evidence = {.rule = cases[i].rule};
        struct tkf_result row = {
            .origin = &origin, .evidence = &evidence, .nevidence = 1, .manual_ns = NAN};
        if (!strstr(tkf_hint(&row), cases[i].word))
            fail_msg("%s %s: %s", cases[i].framework, cases[i].rule, tkf_hint(&row));
        row.manual_ns = 1e-3;
        bool reported = strcmp(cases[i].rule, "below-one-cycle") == 0;
        assert_true(reported == (strstr(tkf_hint(&row), "reports as its time") != NULL));
    }
}

static void hints_are_in_the_frameworks_terms(void **state)
{
    (void)state;
    static const char *const words[][2] = {
        {"go", "b.Loop"},
        {"google-benchmark", "DoNotOptimize"},
        {"criterion", "black_box"},
        {"jmh", "Blackhole"},
        {"benchmarkdotnet", "return the result"},
        {"mitata", "do_not_optimize"},
        {"unheard-of", "unknown to the compiler"},
    };
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct tkf_origin origin = {.framework = words[i][0]};
        struct tkf_result row = {.origin = &origin, .verdict = TKF_VERDICT_AT_FLOOR};
        assert_non_null(strstr(tkf_hint(&row), words[i][1]));
        row.verdict = TKF_VERDICT_OK;
        assert_null(tkf_hint(&row));
        for (int verdict = 0; verdict < TKF_VERDICT_OK; verdict++) {
            row.verdict = (enum tkf_verdict)verdict;
            assert_non_null(tkf_hint(&row));
        }
    }
}

static void verdicts_are_written_anew(void **state)
{
    (void)state;
    struct run run = one("go", 0.25);
    unsigned nevidence = find(&run, "Row")->nevidence;
    judge(&run);
    assert_int_equal(find(&run, "Row")->nevidence, nevidence);
    judge_with(&run, &(struct tkf_judge_options){0});
    expect_verdict(&run, "Row", UNDECIDED, "no-floor");
    end(&run);
}

static void nothing_to_judge_is_fine(void **state)
{
    (void)state;
    struct run run = begin("go", TKF_TIMING_BATCHED);
    judge(&run);
    assert_null(tkf_results_floor(run.results, run.origin));
    end(&run);
}

static void odd_numbers_are_harmless(void **state)
{
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, 5e-324, -0.0};
    static const enum tkf_timing timings[] = {TKF_TIMING_UNKNOWN, TKF_TIMING_BATCHED,
                                              TKF_TIMING_SUBTRACTED, TKF_TIMING_EACH_CALL,
                                              TKF_TIMING_PROCESS};
    for (size_t i = 0; i < 6 * 5; i++) {
        struct run run = begin("go", timings[i / 6]);
        for (size_t j = 0; j < 6; j++) {
            char name[64];
            snprintf(name, sizeof(name), "empty/%zu/batch=%g", j, odd[i % 6]);
            run.row.iterations = run.row.bytes_per_second = run.row.cpu_ns = run.row.min_ns =
                odd[i % 6];
            run.row.quantum_ns = run.row.wall_ns = run.row.batch = run.row.instructions = odd[j];
            add(&run, name, odd[j]);
        }
        judge(&run);
        for (size_t j = 0; j < tkf_results_count(run.results); j++)
            assert_in_range(tkf_results_get(run.results, j)->verdict, 0, TKF_VERDICT_OK);
        end(&run);
    }
}

/* ---- names ---- */

static void empty_is_a_word_and_stands_first(void **state)
{
    (void)state;
    static const char *const yes[] = {"empty",
                                      "BenchmarkEmptyLoop",
                                      "BM_EmptyRangeFor",
                                      "test_empty",
                                      "BM_Noop",
                                      "noop 3",
                                      "NOP",
                                      "group/empty",
                                      "baseline",
                                      "Overhead",
                                      "it does nothing",
                                      "BenchmarkNothing",
                                      "BMEmpty"};
    static const char *const no[] = {"BenchmarkParseEmpty",
                                     "IsEmpty",
                                     "emptyish",
                                     "Synopsis",
                                     "noopener",
                                     "",
                                     "Queue/EmptyPop",
                                     "BenchmarkHoistEmptyQueue",
                                     "bench",
                                     "123"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (!tkf_name_is_empty(yes[i]))
            fail_msg("%s is not taken for empty", yes[i]);
    }
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        if (tkf_name_is_empty(no[i]))
            fail_msg("%s is taken for empty", no[i]);
    }
}

static void sizes_are_numbers_that_stand_alone(void **state)
{
    (void)state;
    struct tkf_name_size sizes[TKF_NAME_SIZES_MAX];
    assert_int_equal(tkf_name_sizes("sum32/64", sizes), 1);
    assert_int_equal(sizes[0].value, 64);
    assert_int_equal(sizes[0].start, 6);
    assert_int_equal(tkf_name_sizes("f/n=8/m:16", sizes), 2);
    assert_int_equal(tkf_name_sizes("f/threads:8/iterations:100/batch=4", sizes), 0);
    assert_int_equal(tkf_name_sizes("f/64KiB/1.5", sizes), 1); /* the 5: harmless */
    assert_int_equal(tkf_name_sizes("a/1/2/3/4/5/6", sizes), TKF_NAME_SIZES_MAX);
}

/* ---- expectations ---- */

static struct tkf_expect *expectations(const char *text)
{
    struct tkf_expect *expect = NULL;
    struct tkf_input_error error;
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_non_null(in);
    assert_int_equal(tkf_expect_read(in, &expect, &error), 0);
    fclose(in);
    return expect;
}

static void expectations_are_kept(void **state)
{
    (void)state;
    struct tkf_profile profile = machine();
    struct tkf_expect *expect =
        expectations("# comment\n\nAlloc* allocs>=1 ns>=5\nSearch ops=5000\nCopy bytes=65536\n");
    struct run run = begin("go", TKF_TIMING_BATCHED);
    run.row.allocs = 1;
    add(&run, "AllocGood", 20);
    run.row.allocs = 0;
    add(&run, "AllocNone", 20);
    run.row.allocs = 1;
    add(&run, "AllocQuick", 4);
    add(&run, "AllocUnknown", 20);
    add(&run, "Search", 12.7);
    add(&run, "Copy", 200);
    judge_with(&run, &(struct tkf_judge_options){
                         .profile = &profile, .profile_applies = true, .expect = expect});
    expect_verdict(&run, "AllocGood", OK, NULL);
    expect_verdict(&run, "AllocNone", IMPOSSIBLE, "expect");
    assert_non_null(strstr(find(&run, "AllocNone")->hint, "what is expected of it"));
    assert_non_null(strstr(find(&run, "Search")->hint, "b.Loop")); /* work that was not done */
    expect_verdict(&run, "AllocQuick", IMPOSSIBLE, "expect");
    expect_verdict(&run, "AllocUnknown", OK, NULL);
    expect_verdict(&run, "Search", IMPOSSIBLE, "declared-work");
    expect_verdict(&run, "Copy", OK, NULL);
    end(&run);
    tkf_expect_free(expect);
}

static void wrong_expectations_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
    } wrong[] = {
        {"A\n", 1},
        {"A allocs>=1\nB speed>=3\n", 2},
        {"A allocs=1\n", 1},
        {"A ns>=fast\n", 1},
        {"A ns>=-1\n", 1},
        {"A ns\n", 1},
        {"A ops>=3\n", 1},
        {"A ns>=1 ns>=\n", 1},
        {"A bytes=1e400\n", 1},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct tkf_expect *expect = NULL;
        struct tkf_input_error error = {0};
        FILE *in = fmemopen((void *)(uintptr_t)wrong[i].text, strlen(wrong[i].text), "r");
        assert_int_equal(tkf_expect_read(in, &expect, &error), TKF_EFORMAT);
        assert_null(expect);
        assert_int_equal(error.line, wrong[i].line);
        assert_true(error.text[0] != '\0' && error.next[0] != '\0');
        fclose(in);
    }
}

/* ---- the ladder ---- */

static void add_rung(struct tkf_explore *explore, const char *name, double value)
{
    struct tkf_step *step = &explore->steps[explore->nsteps++];
    snprintf(step->name, sizeof(step->name), "%s", name);
    step->value = (struct tkf_band){value, value, value};
}

static void a_suspect_is_placed_among_what_was_explored(void **state)
{
    (void)state;
    struct tkf_profile profile = machine();
    struct tkf_explore *explore = calloc(1, sizeof(*explore));
    assert_non_null(explore);
    profile.explore = explore;
    add_rung(explore, "op/multiply", 0.75);
    add_rung(explore, "load/L1", 1.0);
    add_rung(explore, "call/direct", NAN);
    add_rung(explore, "malloc/64B", 9);
    add_rung(explore, "bandwidth/L1/read", 250);
    add_rung(explore, "bandwidth/memory/read", 20);
    explore->caches[explore->ncaches++] = (struct tkf_cache){.level = 3, .size_bytes = 1 << 20};

    struct run run = begin("go", TKF_TIMING_BATCHED);
    run.row.procs = 2;
    add(&run, "Dead", CYCLE_NS);
    add(&run, "Multiplies", 0.75);
    add(&run, "Honest", 40);
    run.row.threads = 8;
    add(&run, "Shared", CYCLE_NS);
    run.row.bytes_per_second = 80e9; /* of 8 MB, in 100 us */
    add(&run, "Large", 1e5);
    run.row.bytes_per_second = 80e9; /* of 800 kB */
    add(&run, "Small", 1e4);
    run.row.bytes_per_second = 501e9;
    add(&run, "Wide", 100);
    judge_with(&run, &(struct tkf_judge_options){.profile = &profile, .profile_applies = true});

    const char *dead = evidence(find(&run, "Dead"), "ladder");
    assert_non_null(dead);
    assert_string_equal(dead,
                        "0.25 ns, or 1 of this machine's core cycles, is less than one "
                        "multiplication after another (0.75 ns), than a load from L1 that waits "
                        "for the one before (1 ns), than malloc and free of 64 bytes (9 ns)");
    const char *multiplies = evidence(find(&run, "Multiplies"), "ladder");
    assert_true(!multiplies || !strstr(multiplies, "multiplication"));
    assert_null(evidence(find(&run, "Honest"), "ladder"));
    assert_null(evidence(find(&run, "Shared"), "ladder"));
    expect_verdict(&run, "Large", OK, "measured-rate");
    assert_null(evidence(find(&run, "Small"), "measured-rate"));
    expect_verdict(&run, "Wide", OK, "measured-rate");
    end(&run);

    /* Of another machine nothing is known. */
    run = begin("go", TKF_TIMING_BATCHED);
    add(&run, "Dead", CYCLE_NS);
    judge_with(&run, &(struct tkf_judge_options){.profile = &profile});
    assert_null(evidence(find(&run, "Dead"), "ladder"));
    end(&run);
    free(explore);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_suspect_is_placed_among_what_was_explored),
        cmocka_unit_test(below_one_cycle_is_impossible),
        cmocka_unit_test(rounding_is_given_to_the_benchmark),
        cmocka_unit_test(batch_bytes_and_threads_explain_less_than_a_cycle),
        cmocka_unit_test(rates_beyond_any_core_are_impossible),
        cmocka_unit_test(no_time_is_impossible_unless_taken_away),
        cmocka_unit_test(what_frameworks_say_counts),
        cmocka_unit_test(time_that_grows_with_the_iterations_is_impossible),
        cmocka_unit_test(a_doubtful_machine_makes_nothing_impossible),
        cmocka_unit_test(an_empty_loop_is_the_frameworks_own),
        cmocka_unit_test(empty_benchmarks_in_the_file_come_first),
        cmocka_unit_test(a_name_alone_makes_no_floor_and_no_flag),
        cmocka_unit_test(results_are_of_the_machine_that_they_name),
        cmocka_unit_test(an_empty_one_that_is_no_floor_is_named),
        cmocka_unit_test(a_slow_empty_benchmark_is_a_floor),
        cmocka_unit_test(a_number_of_processors_is_no_thread),
        cmocka_unit_test(a_reading_that_many_share_is_the_loops),
        cmocka_unit_test(each_loop_form_has_its_floor),
        cmocka_unit_test(a_deleted_loop_is_no_floor),
        cmocka_unit_test(a_slow_moment_is_no_floor_for_a_fast_one),
        cmocka_unit_test(the_fastest_repetition_is_held_against_it),
        cmocka_unit_test(counted_instructions_clear_it),
        cmocka_unit_test(what_was_subtracted_leaves_nothing),
        cmocka_unit_test(processes_are_held_against_an_empty_command),
        cmocka_unit_test(a_named_floor_is_used),
        cmocka_unit_test(floors_are_chosen_in_order),
        cmocka_unit_test(a_framework_that_was_run_live_is_held_against_that),
        cmocka_unit_test(a_loop_that_is_not_told_leaves_it_open),
        cmocka_unit_test(without_a_floor_only_physics_decides),
        cmocka_unit_test(a_frameworks_own_empty_call_is_a_floor),
        cmocka_unit_test(one_run_has_no_number_of_runs),
        cmocka_unit_test(capped_is_far_under_the_benchmark_time),
        cmocka_unit_test(flat_families_do_not_grow),
        cmocka_unit_test(timed_calls_are_held_against_the_clock),
        cmocka_unit_test(multiples_of_a_step_are_the_clocks),
        cmocka_unit_test(clamps_and_waiters_are_the_clocks_too),
        cmocka_unit_test(went_quiet_was_real_before),
        cmocka_unit_test(evidence_stands_beside_the_verdict),
        cmocka_unit_test(hints_are_of_the_finding),
        cmocka_unit_test(hints_are_in_the_frameworks_terms),
        cmocka_unit_test(verdicts_are_written_anew),
        cmocka_unit_test(nothing_to_judge_is_fine),
        cmocka_unit_test(odd_numbers_are_harmless),
        cmocka_unit_test(empty_is_a_word_and_stands_first),
        cmocka_unit_test(sizes_are_numbers_that_stand_alone),
        cmocka_unit_test(expectations_are_kept),
        cmocka_unit_test(wrong_expectations_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
