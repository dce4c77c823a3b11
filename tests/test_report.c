/* SPDX-License-Identifier: MIT */
/**
 * `tickfloor report` as a command: its options, what it reads, what it passes on, its exit status. Which verdict a result deserves
 * is tested elsewhere; here a tenth of a picosecond is impossible and a microsecond is real. See run_with_command() for the
 * arguments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tickfloor_run.h"

#define REAL "BenchmarkReal-8 \t 1000000\t 1042 ns/op\n"
#define FAKE "BenchmarkFake-8 \t 1000000000\t 0.0001 ns/op\n"
#define HEAD "goos: linux\ngoarch: amd64\npkg: example.com/queue\n"

#define PROFILE TESTS_SOURCE_DIR "/profiles/amd64.json"

static const char *input(const char *text)
{
    const char *path = in_home("bench.txt");
    write_contents(path, text);
    return path;
}

static unsigned count_of(const char *text, const char *what)
{
    unsigned count = 0;
    for (; (text = strstr(text, what)); text++)
        count++;
    return count;
}

static json_t *json_of(const struct run_result *result)
{
    json_error_t error;
    json_t *root = json_loads(result->out, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%s in: %s", error.text, result->out);
    return root;
}

static const char *text_of(const json_t *root, const char *object, const char *key)
{
    return json_string_value(json_object_get(json_object_get(root, object), key));
}

static long number_of(const json_t *root, const char *key)
{
    return (long)json_integer_value(json_object_get(json_object_get(root, "summary"), key));
}

/* ---- usage ---- */

static void help(void **state)
{
    (void)state;
    struct run_result result = call(&(struct call){.words = {"report", "--help"}});
    assert_int_equal(result.status, 0);
    assert_non_null(strstr(result.out, "go-text,"));
    for (char *line = result.out, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        assert_true(end - line <= 80);
    }
    run_result_free(&result);
}

static void wrong_usage(void **state)
{
    static const struct {
        const char *words[6];
        const char *err;
    } cases[] = {
        {{"report", "--format", "xml"},
         "'--format' does not know 'xml'; use table, json, markdown, github or sarif"},
        {{"report", "--json", "--format", "sarif"},
         "--json and --format sarif contradict each other; leave one of them out"},
        {{"report", "--fail-on", "impossible,at-flor"},
         "'--fail-on' does not know 'at-flor'; did you mean 'at-floor'?"},
        {{"report", "--fail-on", "zzz"},
         "'--fail-on' does not know 'zzz'; give all, none, or verdicts as the report names them, such as impossible,capped"},
        {{"report", "--fail-on", ""},
         "'--fail-on' does not know ''; give all, none, or verdicts as the report names them, such as impossible,capped"},
        {{"report", "--input-format", "go-txt"},
         "--input-format: there is no format 'go-txt'; did you mean 'go-text'?"},
        {{"report", "--input-format", "qqqqqq"},
         "--input-format: there is no format 'qqqqqq'; 'tickfloor report --help' lists them"},
        {{"report", "--tee", "a.txt"},
         "--tee passes standard input through, not files; name no file, or leave --tee out"},
        {{"report", "--baseline", "-", "-"}, "standard input can be read once; name '-' once"},
        {{"report", "-", "-"}, "standard input can be read once; name '-' once"},
        {{"report", "--quite"},
         "unknown option '--quite'; did you mean '--quiet'? see 'tickfloor report --help'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call row = {.words = {NULL}};
        memcpy(row.words, cases[i].words, sizeof cases[i].words);
        call_expecting(&row, 2, cases[i].err);
    }
}

/* ---- what cannot be read ---- */

static void what_cannot_be_read(void **state)
{
    char err[600];
    const char *path;
    (void)state;
    path = in_home("no-such-file");
    snprintf(err, sizeof err, "%s: cannot be opened: No such file or directory; check the path",
             path);
    call_expecting(&(struct call){.words = {"report", path}}, 2, err);

    path = input("");
    snprintf(err, sizeof err, "%s: empty; give the output of a benchmark run", path);
    call_expecting(&(struct call){.words = {"report", path}}, 2, err);
    call_expecting(&(struct call){.words = {"report"}, .in_path = path}, 2,
                   "standard input: empty; give the output of a benchmark run");
    call_expecting(&(struct call){.words = {"report", "--tee"}, .in_path = path}, 2,
                   "standard input: empty; give the output of a benchmark run");

    path = input("\x7f"
                 "ELF\x02\x01\x01\xff\xfe\x80\x81 no benchmark\n");
    snprintf(err, sizeof err,
             "%s: not the output of a benchmark framework known here; name the format with "
             "--input-format, or give a benchmark's output",
             path);
    call_expecting(&(struct call){.words = {"report", path}}, 2, err);

    snprintf(err, sizeof err,
             "%s: a directory without results known here; give the result files in it", home);
    call_expecting(&(struct call){.words = {"report", home}}, 2, err);
}

/* The pipe swallows the status of the run. */
static void a_run_that_failed(void **state)
{
    static const struct {
        const char *fail_on;
        int status;
    } cases[] = {{"all", 1}, {"failed-run", 1}, {"impossible", 0}, {"none", 0}};
    (void)state;
    const char *path = input(HEAD REAL "panic: boom\nFAIL\tp\t1s\n");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run_result result =
            call(&(struct call){.words = {"report", "--fail-on", cases[i].fail_on, path}});
        assert_int_equal(result.status, cases[i].status);
        assert_non_null(strstr(result.out, "the run failed: \"panic: boom\""));
        run_result_free(&result);
    }
    char err[600];
    path = input("# p\nFAIL\tp [build failed]\nFAIL\n");
    snprintf(err, sizeof err,
             "%s: no benchmark results in this output of go test -bench; did it build, and was "
             "-bench given?\n"
             "tickfloor: %s:2: the package p could not be built",
             path, path);
    call_expecting(&(struct call){.words = {"report", path}}, 2, err);
}

/* Why there are none is said where there is no report. */
static void what_has_no_results(void **state)
{
    char err[600];
    (void)state;
    const char *path = input("BenchmarkA 1 x\n--- FAIL: BenchmarkA\n");
    snprintf(err, sizeof err,
             "%s: no benchmark results in this output of go test -bench; did it build, and was "
             "-bench given?\n"
             "tickfloor: %s:1: looks like a result, but is none: BenchmarkA 1 x\n"
             "tickfloor: %s:2: the run failed: \"--- FAIL: BenchmarkA\"",
             path, path, path);
    call_expecting(&(struct call){.words = {"report", path}}, 2, err);
    path = input("{\"sampling_mode\":\"Linear\",\"iters\":[1.0,2.0],\"times\":[5.0,9.0]}");
    snprintf(err, sizeof err,
             "%s: Criterion's samples alone, without a name; give the estimates.json beside it, or "
             "the folder target/criterion",
             path);
    call_expecting(&(struct call){.words = {"report", path}}, 2, err);
}

static void no_permission(void **state)
{
    char err[400];
    (void)state;
    if (program.emulator[0])
        skip_because("another user may not be able to read what the emulator needs");
    const char *path = input(HEAD REAL);
    chmod(path, 0);
    snprintf(err, sizeof err, "%s: cannot be opened: Permission denied; check the path", path);
    struct call row = {.words = {"report", path}};
    if (geteuid() == 0) /* who may read every file */
        row.under[0] = "user=65534";
    call_expecting(&row, 2, err);
}

/* What can be read is reported all the same, and the status tells that not all could be. */
static void one_of_two(void **state)
{
    (void)state;
    const char *path = input(HEAD REAL FAKE), *missing = in_home("missing");
    struct run_result result = call(&(struct call){.words = {"report", missing, path}});
    assert_int_equal(result.status, 2);
    assert_non_null(strstr(result.out, "2 results: 1 impossible"));
    assert_int_equal(count_of(result.err, "\n"), 1);
    run_result_free(&result);
}

static void other_files(void **state)
{
    char err[600];
    const char *path = input(HEAD REAL), *missing = in_home("missing");
    (void)state;
    snprintf(err, sizeof err, "%s: cannot be opened: No such file or directory; check the path",
             missing);
    call_expecting(&(struct call){.words = {"report", "--baseline", missing, path}}, 2, err);
    snprintf(err, sizeof err,
             "cannot read the expectations %s: No such file or directory; check the path", missing);
    call_expecting(&(struct call){.words = {"report", "--expect", missing, path}}, 2, err);
    snprintf(
        err, sizeof err,
        "%s: cannot read the profile: No such file or directory; tickfloor calibrate --output makes one",
        missing);
    call_expecting(&(struct call){.words = {"report", "--profile", missing, path}}, 2, err);
    snprintf(
        err, sizeof err,
        "%s:1: not JSON: '[' or '{' expected near 'goos'; run tickfloor calibrate to make a new one",
        path);
    struct run_result result = call(&(struct call){.words = {"report", "--profile", path, path}});
    assert_int_equal(result.status, 2);
    assert_int_equal(count_of(result.err, "\n"), 1);
    run_result_free(&result);
}

/* ---- exit status ---- */

static void fail_on(void **state)
{
    static const struct {
        const char *input;
        const char *fail_on; /* NULL: not given */
        int status;
    } cases[] = {
        {HEAD REAL, NULL, 0},          {HEAD FAKE, NULL, 1},
        {HEAD FAKE REAL, "all", 1},    {HEAD FAKE REAL, "none", 0},
        {HEAD FAKE, "capped,flat", 0}, {HEAD FAKE, "flat,impossible", 1},
        {HEAD REAL, "ok", 1},          {HEAD FAKE, "ok", 0},
        {HEAD REAL, "impossible", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = input(cases[i].input), *given = cases[i].fail_on;
        call_expecting(
            &(struct call){.words = {"report", "--quiet", path, given ? "--fail-on" : NULL, given}},
            cases[i].status, "");
    }
}

static void quiet(void **state)
{
    (void)state;
    const char *path = input(HEAD REAL);
    struct run_result result = call(&(struct call){.words = {"report", "-q", path}});
    assert_int_equal(result.status, 0);
    assert_string_equal(result.out, "");
    run_result_free(&result);
    path = input(HEAD REAL FAKE);
    result = call(&(struct call){.words = {"report", "-q", path}});
    assert_int_equal(result.status, 1);
    assert_non_null(strstr(result.out, "BenchmarkFake"));
    assert_null(strstr(result.out, "BenchmarkReal"));
    run_result_free(&result);
}

/* ---- passing through ---- */

static const char odd_bytes[] = HEAD
    "line\r\nBenchm\x1b[31mark\xff\xfe \xc3\x28 100 12 ns/op\r" REAL FAKE "\n\n\tno end of line";

static void passes_through(void **state)
{
    (void)state;
    const char *path = input(odd_bytes);
    struct run_result result = call(&(struct call){.words = {"report", "--tee"}, .in_path = path});
    assert_int_equal(result.status, 1);
    assert_string_equal(result.out, odd_bytes);
    assert_non_null(strstr(result.err, "BenchmarkFake"));
    run_result_free(&result);

    const char *unknown = "what is no benchmark\n passes too";
    result = call(&(struct call){.words = {"report", "--tee"}, .in_path = input(unknown)});
    assert_int_equal(result.status, 2);
    assert_string_equal(result.out, unknown);
    run_result_free(&result);
}

static void reader_that_goes_away(void **state)
{
    (void)state;
    const char *path = input(HEAD REAL FAKE);
    struct run_result result =
        call(&(struct call){.words = {"report", "--tee"}, .in_path = path, .reader_gone = true});
    assert_int_equal(result.status, 1);
    assert_non_null(strstr(result.err, "2 results: 1 impossible"));
    assert_null(strstr(result.err, "tickfloor:"));
    run_result_free(&result);
    result = call(&(struct call){.words = {"report", path}, .reader_gone = true});
    assert_int_equal(result.status, 1);
    assert_string_equal(result.err, "");
    run_result_free(&result);
}

static void output_that_fails(void **state)
{
    struct stat full;
    (void)state;
    const char *path = input(HEAD REAL);
    static const char err[] = "cannot write to standard output: No space left on device";
    if (stat("/dev/full", &full) != 0)
        skip_because("no /dev/full here");
    static const char *const formats[] = {"table", "json", "markdown", "github", "sarif"};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        call_expecting(&(struct call){.words = {"report", "--format", formats[i], path},
                                      .out_path = "/dev/full"},
                       3, err);
    struct run_result result = call(
        &(struct call){.words = {"report", "--tee"}, .in_path = path, .out_path = "/dev/full"});
    assert_int_equal(result.status, 3);
    assert_non_null(strstr(result.err, "1 result: 1 ok"));
    assert_non_null(strstr(result.err, "tickfloor: cannot write to standard output"));
    run_result_free(&result);
}

/* ---- the profile ---- */

static void a_profile_that_is_named(void **state)
{
    (void)state;
    const char *path = input(HEAD REAL FAKE);
    struct run_result result =
        call(&(struct call){.words = {"report", "--json", "--profile", PROFILE, path}});
    json_t *root = json_of(&result);
    assert_int_equal(result.status, 1);
    assert_string_equal(text_of(root, "profile", "source"), "given");
    assert_non_null(strstr(text_of(root, "profile", "text"), PROFILE));
    assert_int_equal(number_of(root, "total"), 2);
    assert_int_equal(number_of(root, "flagged"), 1);
    json_decref(root);
    run_result_free(&result);
}

/* A file that does not say where it ran is not taken for this machine's, and nothing is measured for it. */
static void a_file_of_an_unknown_machine(void **state)
{
    (void)state;
    struct run_result result =
        call(&(struct call){.words = {"report", "--json", input(HEAD REAL)}});
    json_t *root = json_of(&result);
    assert_int_equal(result.status, 0);
    assert_null(text_of(root, "profile", "source"));
    assert_non_null(strstr(text_of(root, "profile", "text"), "--profile"));
    json_t *floor = json_array_get(json_object_get(root, "floors"), 0);
    assert_string_equal(json_string_value(json_object_get(floor, "source")), "physical");
    json_decref(root);
    run_result_free(&result);
}

/* Run "cat INPUT | tickfloor report --json ..." */
static struct run_result piped(const char *text, const char *options)
{
    char script[700];
    struct run_result result;
    const char *path = input(text);
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    if (program.emulator[0])
        skip_because("a shell cannot start the command under an emulator");
    snprintf(script, sizeof script, "cat '%s' | '%s' report --json %s", path, program.tickfloor,
             options);
    struct run_command command = {.argv = argv, .env = call_env(&(struct call){.words = {NULL}})};
    assert_int_equal(run_command(&command, &result), 0);
    return result;
}

static void expect_source(const char *text, const char *options, const char *source)
{
    struct run_result result = piped(text, options);
    json_t *root = json_of(&result);
    const char *got = text_of(root, "profile", "source"), *why = text_of(root, "profile", "text");
    if (source && !got && strstr(why, "measuring this machine failed"))
        skip_because(why);
    if (source)
        assert_string_equal(got, source);
    else
        assert_null(got);
    json_decref(root);
    run_result_free(&result);
}

static void what_is_piped_ran_here(void **state)
{
    (void)state;
    expect_source(HEAD REAL, "--no-calibrate", NULL);
    expect_source(HEAD "cpu: Another CPU 3000\n" REAL, "", NULL);
    expect_source(HEAD REAL, "", "calibrated");
    struct run_result result = call(&(struct call){.words = {"calibrate", "--quick"}});
    assert_int_equal(result.status, 0);
    run_result_free(&result);
    expect_source(HEAD REAL, "", "saved");
    expect_source(HEAD REAL, "--no-calibrate", "saved");
}

/* Without a floor of this machine the results are held against less, and that is said twice. */
static void a_machine_that_cannot_be_measured(void **state)
{
    char script[700];
    (void)state;
    if (program.emulator[0])
        skip_because("a shell cannot start the command under an emulator");
    snprintf(script, sizeof script, "cat '%s' | HWLOC_SYNTHETIC='core:4 pu:2' '%s' report --json",
             input(HEAD REAL), program.tickfloor);
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct run_command command = {.argv = argv, .env = call_env(&(struct call){.words = {NULL}})};
    struct run_result result;
    assert_int_equal(run_command(&command, &result), 0);
    assert_int_equal(result.status, 0);
    assert_non_null(strstr(result.err, "measuring this machine failed, so results are held"));
    assert_int_equal(count_of(result.err, "\n"), 1);
    json_t *root = json_of(&result);
    assert_non_null(strstr(text_of(root, "profile", "text"), "measuring this machine failed"));
    json_decref(root);
    run_result_free(&result);
}

/* The saved profile serves a file that names its CPU, and no other. */
static void a_file_that_names_its_machine(void **state)
{
    char text[400];
    (void)state;
    struct run_result result = call(&(struct call){.words = {"calibrate", "--quick", "--json"}});
    if (result.status != 0)
        skip_because("this machine cannot be measured");
    struct tkf_profile profile = profile_of(result.out);
    run_result_free(&result);
    const char *const names[] = {profile.machine.cpu, "Another CPU 3000"};
    const char *const sources[] = {"saved", NULL};
    for (size_t i = profile.machine.cpu[0] ? 0 : 1; i < 2; i++) {
        snprintf(text, sizeof text, HEAD "cpu:  %s\n" REAL, names[i]);
        result = call(&(struct call){.words = {"report", "--json", input(text)}});
        json_t *root = json_of(&result);
        const char *source = text_of(root, "profile", "source");
        if (sources[i])
            assert_string_equal(source, sources[i]);
        else
            assert_null(source);
        json_decref(root);
        run_result_free(&result);
    }
    /* google-benchmark names no CPU, but the host. */
    char host[256] = "";
    assert_int_equal(gethostname(host, sizeof host - 1), 0);
    const char *const hosts[] = {host, "another-host"};
    for (size_t i = strcmp(host, "localhost") == 0 ? 1 : 0; i < 2; i++) {
        snprintf(text, sizeof text,
                 "{\"context\": {\"host_name\": \"%s\", \"num_cpus\": %u, \"mhz_per_cpu\": 1},\n"
                 "\"benchmarks\": [{\"name\": \"BM\", \"iterations\": 9, \"real_time\": 50, "
                 "\"cpu_time\": 50, \"time_unit\": \"ns\"}]}\n",
                 hosts[i], profile.machine.cpus);
        result = call(&(struct call){.words = {"report", "--json", input(text)}});
        assert_int_equal(strstr(result.out, "\"source\": \"saved\"") ? 1 : 0, i == 0);
        assert_int_equal(strstr(result.out, "pipe them in or give --profile /") ? 1 : 0, i == 1);
        run_result_free(&result);
    }
    tkf_profile_free(&profile);
}

/* ---- what else results are held against ---- */

static void expectations(void **state)
{
    static const struct {
        const char *expect, *fail_on;
        int status;
    } cases[] = {
        {"BenchmarkReal ns>=5\n", "broken-expectation", 0},
        {"# slow\n\nBenchmark* ns>=5000\n", "broken-expectation", 1},
        {"BenchmarkReal ns>=5000\n", "none", 0},
        {"BenchmarkReal ns>=5000\n", "all", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *path = input(HEAD REAL), *expect = in_home("expect.txt");
        write_contents(expect, cases[i].expect);
        call_expecting(&(struct call){.words = {"report", "-q", "--expect", expect, "--fail-on",
                                                cases[i].fail_on, path}},
                       cases[i].status, "");
    }
    const char *path = input(HEAD REAL), *expect = in_home("expect.txt");
    write_contents(expect, "BenchmarkReal ns>=1\nBenchmarkRael ns>=1\nZ* ns>=1\n");
    static const struct {
        const char *fail_on;
        int status;
    } unmet[] = {{"all", 1}, {"broken-expectation", 1}, {"at-floor", 0}, {"none", 0}};
    for (size_t i = 0; i < sizeof unmet / sizeof unmet[0]; i++) {
        struct run_result result =
            call(&(struct call){.words = {"report", "--json", "--expect", expect, "--fail-on",
                                          unmet[i].fail_on, path}});
        assert_int_equal(result.status, unmet[i].status);
        assert_int_equal(count_of(result.out, "the expectation is broken: no result is named"), 2);
        assert_non_null(
            strstr(result.out, "\\\"BenchmarkRael\\\"; did you mean \\\"BenchmarkReal"));
        assert_non_null(strstr(result.out, "\"line\": 3"));
        run_result_free(&result);
    }
    write_contents(expect, "BenchmarkReal ns>=1\nBenchmarkReal fast\n");
    struct run_result result = call(&(struct call){.words = {"report", "--expect", expect, path}});
    assert_int_equal(result.status, 2);
    assert_non_null(strstr(result.err, "expect.txt:2: "));
    assert_int_equal(count_of(result.err, "\n"), 1);
    run_result_free(&result);
}

static void baseline(void **state)
{
    (void)state;
    const char *path = input(HEAD "BenchmarkReal-8 \t 1000000000\t 0.2500 ns/op\n");
    const char *before = in_home("before.txt");
    write_contents(before, HEAD REAL);
    struct run_result result =
        call(&(struct call){.words = {"report", "--profile", PROFILE, "--baseline", before,
                                      "--fail-on", "went-quiet", path}});
    assert_int_equal(result.status, 1);
    assert_non_null(strstr(result.out, "went-quiet"));
    assert_null(strstr(result.out, "nothing is compared"));
    run_result_free(&result);
    write_contents(before, HEAD "BenchmarkOther-8 \t 1000000\t 400 ns/op\n");
    result = call(&(struct call){.words = {"report", "-q", "--baseline", before, path}});
    assert_non_null(strstr(result.out, "before.txt: the baseline has no result of the name"));
    run_result_free(&result);
}

static void floor_bench(void **state)
{
    (void)state;
    const char *path = input(HEAD REAL "BenchmarkVoid-8 \t 1000000000\t 0.3100 ns/op\n");
    struct run_result result =
        call(&(struct call){.words = {"report", "--floor-bench", "BenchmarkVoid", path}});
    assert_int_equal(result.status, 0); /* the floor is where it should be */
    assert_non_null(strstr(result.out, "floor 0.310 ns"));
    assert_non_null(strstr(result.out, "the floor\n"));
    assert_null(strstr(result.out, "b.Loop()"));
    run_result_free(&result);
    /* What lies beside it does fail. */
    const char *beside = input(HEAD REAL "BenchmarkVoid-8 \t 1000000000\t 0.3100 ns/op\n"
                                         "BenchmarkGone-8 \t 1000000000\t 0.3100 ns/op\n");
    result = call(&(struct call){.words = {"report", "--floor-bench", "BenchmarkVoid", beside}});
    assert_int_equal(result.status, 1);
    run_result_free(&result);
    path = input(HEAD REAL "BenchmarkVoid-8 \t 1000000000\t 0.3100 ns/op\n");
    call_expecting(
        &(struct call){.words = {"report", "--floor-bench", "BenchmarkViod", path}}, 2,
        "--floor-bench: no result is named \"BenchmarkViod\"; did you mean \"BenchmarkVoid\"?");
    path = input(HEAD REAL "BenchmarkVoid/batch=8-8 \t 1000000000\t 0.3100 ns/op\n");
    call_expecting(
        &(struct call){.words = {"report", "--floor-bench", "BenchmarkVoid/batch=8", path}}, 2,
        "--floor-bench: \"BenchmarkVoid/batch=8\" cannot be the floor; name one that ran once in each round, on one thread");
}

/* What no terminal shows need not fit one. */
static void long_names_are_whole(void **state)
{
    static const char a[] =
        "BenchmarkWithAName/OfMoreThanEightyColumns/WhoseMiddleIsWhatTellsIt/apart=1/"
        "FromTheOtherOneThatIsMeasured/AtTheSameTimeAsThis";
    char text[900];
    (void)state;
    snprintf(text, sizeof text, HEAD "%s-8 \t 100\t 400 ns/op\n" REAL, a);
    struct run_result result = call(&(struct call){.words = {"report", input(text)}});
    assert_non_null(strstr(result.out, a));
    run_result_free(&result);
}

/* pytest-benchmark times fast calls many at once and slow ones each: one head stands for both. */
static void one_section_for_one_run(void **state)
{
#define TIMES(ns) \
    ns " (1.0) " ns " (1.0) " ns " (1.0) 1.0 (1.0) " ns " (1.0) 0.3 (1.0) 1;1 23.0 (1.0) 2898 "
    (void)state;
    const char *path = input(
        "------------- benchmark: 4 tests -------------\n"
        "Name (time in ns) Min Max Mean StdDev Median IQR Outliers OPS Rounds Iterations\n"
        "----------------------------------------------\n"
        "test_noop " TIMES(
            "43.0") "100\n"
                    "test_slow " TIMES(
                        "480.0") "1\n"
                                 "test_fast " TIMES(
                                     "290.0") "20\n"
                                              "test_late " TIMES(
                                                  "972.0") "1\n"
                                                           "----------------------------------------------\n");
    struct run_result result = call(&(struct call){.words = {"report", "--fail-on", "none", path}});
    assert_int_equal(result.status, 0);
    assert_int_equal(count_of(result.out, "pytest-benchmark"), 1);
    assert_int_equal(count_of(result.out, "of those timed many calls at once: the empty benchmark"),
                     1);
    assert_int_equal(count_of(result.out, "of those timed call by call: "), 1);
    assert_int_equal(count_of(result.out, "median time"), 1);
    run_result_free(&result);
}

static void input_format(void **state)
{
    (void)state;
    const char *path = input(HEAD REAL);
    call_expecting(&(struct call){.words = {"report", "-q", "--input-format", "go-text", path}}, 0,
                   "");
    struct run_result result =
        call(&(struct call){.words = {"report", "--input-format", "jmh-json", path}});
    assert_int_equal(result.status, 2);
    assert_int_equal(count_of(result.err, "\n"), 1);
    run_result_free(&result);
}

/* ---- pictures ---- */

static void draws(void **state)
{
    (void)state;
    const char *path = input(HEAD REAL FAKE), *plot = in_home("a.svg");
    struct run_result result = call(&(struct call){.words = {"report", "--plot", plot, path}});
    if (result.status == 2) {
        assert_non_null(strstr(result.err, "built without cairo"));
        run_result_free(&result);
        skip_because("built without cairo");
    }
    assert_int_equal(result.status, 1);
    run_result_free(&result);
    char *drawn = contents(plot);
    assert_non_null(drawn);
    assert_non_null(strstr(drawn, "</svg>"));
    free(drawn);
    call_expecting(&(struct call){.words = {"report", "--plot", "a.pdf", path}}, 2,
                   "--plot: a plot is an SVG or a PNG; name a file that ends in .svg or .png");
    result = call(&(struct call){.words = {"report", "--plot", "/nonexistent/a.png", path}});
    assert_int_equal(result.status, 3);
    assert_string_equal(result.err,
                        "tickfloor: cannot draw /nonexistent/a.png: No such file or directory; "
                        "name another file with --plot\n");
    run_result_free(&result);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(help, fresh_home),
        cmocka_unit_test_setup(wrong_usage, fresh_home),
        cmocka_unit_test_setup(what_cannot_be_read, fresh_home),
        cmocka_unit_test_setup(what_has_no_results, fresh_home),
        cmocka_unit_test_setup(a_run_that_failed, fresh_home),
        cmocka_unit_test_setup(no_permission, fresh_home),
        cmocka_unit_test_setup(one_of_two, fresh_home),
        cmocka_unit_test_setup(other_files, fresh_home),
        cmocka_unit_test_setup(fail_on, fresh_home),
        cmocka_unit_test_setup(quiet, fresh_home),
        cmocka_unit_test_setup(passes_through, fresh_home),
        cmocka_unit_test_setup(reader_that_goes_away, fresh_home),
        cmocka_unit_test_setup(output_that_fails, fresh_home),
        cmocka_unit_test_setup(a_profile_that_is_named, fresh_home),
        cmocka_unit_test_setup(a_file_of_an_unknown_machine, fresh_home),
        cmocka_unit_test_setup(what_is_piped_ran_here, fresh_home),
        cmocka_unit_test_setup(a_machine_that_cannot_be_measured, fresh_home),
        cmocka_unit_test_setup(a_file_that_names_its_machine, fresh_home),
        cmocka_unit_test_setup(expectations, fresh_home),
        cmocka_unit_test_setup(baseline, fresh_home),
        cmocka_unit_test_setup(floor_bench, fresh_home),
        cmocka_unit_test_setup(one_section_for_one_run, fresh_home),
        cmocka_unit_test_setup(long_names_are_whole, fresh_home),
        cmocka_unit_test_setup(input_format, fresh_home),
        cmocka_unit_test_setup(draws, fresh_home),
    };
    return run_with_command(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
