/* SPDX-License-Identifier: MIT */
/** Frameworks run live, with toolchains that are small scripts. See run_with_command() for the arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/harness.h"
#include "host.h"
#include "tickfloor_run.h"

#define SOURCES TESTS_SOURCE_DIR "/../bench/host/harness"

/* ---- toolchains that only print ---- */

/* A program on the PATH of the test; it sees no other ones than those. */
static void put_tool(const char *name, const char *script)
{
    char path[300], text[6000];
    snprintf(path, sizeof path, "%s/%s", in_home("bin"), name);
    snprintf(text, sizeof text, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n", script);
    write_contents(path, text);
    assert_int_equal(chmod(path, 0700), 0);
}

/* A script that makes a program which prints `text`, or runs it as a script. */
#define MAKES(path, text) \
    "cat > " path " <<'END'\n#!/bin/sh\nPATH=/usr/bin:/bin\n" text "\nEND\nchmod 700 " path
#define PRINTS(text) "cat <<'ROWS'\n" text "\nROWS"

#define GO_HEAD "goos: linux\ngoarch: amd64\npkg: tickfloor/empty\n"
#define GO(benchmark) \
    "case \"$1\" in env) echo go1.99;; test) " MAKES("empty.test", benchmark) ";; esac"
#define GO_ROWS                                              \
    PRINTS(GO_HEAD "BenchmarkEmptyN-2  1000  0.2700 ns/op\n" \
                   "BenchmarkEmptyN-2  1000  0.2600 ns/op\n" \
                   "BenchmarkEmptyN-2  1000  0.2800 ns/op\n" \
                   "BenchmarkEmptyParallel-2  1000  0.5 ns/op\nPASS")

#define GBENCH_ROW(name, ns)                                                     \
    "{\"name\":\"" name "\",\"run_name\":\"" name                                \
    "\",\"run_type\":\"iteration\",\"repetitions\":1,"                           \
    "\"repetition_index\":0,\"threads\":1,\"iterations\":1000,\"real_time\":" ns \
    ",\"cpu_time\":" ns ",\"time_unit\":\"ns\"}"
#define GBENCH                                                                               \
    PRINTS("{\"context\":{\"num_cpus\":2,\"mhz_per_cpu\":2000},\"benchmarks\":[" GBENCH_ROW( \
        "EmptyRange", "5e-7") "," GBENCH_ROW("EmptyKept",                                    \
                                             "0.27") "," GBENCH_ROW("EmptyKeepRunning",      \
                                                                    "0.28") "]}")
#define CATCH2                                                                                       \
    PRINTS(                                                                                          \
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Catch name=\"empty\"><Group name=\"e\">"       \
        "<TestCase name=\"floor\"><BenchmarkResults name=\"empty\" samples=\"100\" "                 \
        "resamples=\"100000\" iterations=\"9000\" clockResolution=\"20\" estimatedDuration=\"0\">"   \
        "<mean value=\"0.271\" lowerBound=\"0.27\" upperBound=\"0.28\" ci=\"0.95\"/>"                \
        "<standardDeviation value=\"0.01\" lowerBound=\"0.01\" upperBound=\"0.02\" ci=\"0.95\"/>"    \
        "<outliers variance=\"0.1\" lowMild=\"0\" lowSevere=\"0\" highMild=\"0\" highSevere=\"0\"/>" \
        "</BenchmarkResults></TestCase></Group></Catch>")
/* It has version 2 of Catch2, and no version 3. */
#define CXX                                                                                       \
    "case \"$*\" in *catch_all*) echo \"fatal error: catch2/catch_all.hpp: none\" >&2; exit 1;; " \
    "*-E*) exit 0;; esac\nif grep -q catch2 empty.cc; then " MAKES(                               \
        "empty", CATCH2) "\nelse " MAKES("empty", GBENCH) "\nfi"
#define LIBTEST                                                                                  \
    PRINTS("\nrunning 1 test\ntest empty_value ... bench:           0.27 ns/iter (+/- 0.01)\n\n" \
           "test result: ok. 0 passed; 0 failed; 0 ignored; 1 measured; 0 filtered out")
#define CRITERION_OF(name, slope, least)                                                \
    "d=target/criterion/" name "/new; mkdir -p $d\n"                                    \
    "echo '{\"group_id\":\"" name "\",\"full_id\":\"" name "\"}' > $d/benchmark.json\n" \
    "echo '{\"slope\":{\"point_estimate\":" slope                                       \
    ",\"confidence_interval\":{\"confidence_level\":0.95,"                              \
    "\"lower_bound\":" slope ",\"upper_bound\":" slope "}}}' > $d/estimates.json\n"     \
    "echo '{\"sampling_mode\":\"Linear\",\"iters\":[100.0,200.0],\"times\":[" least     \
    "0.0,90.0]}' > $d/sample.json\n"
#define CRITERION CRITERION_OF("empty_unit", "0.035", "1") CRITERION_OF("empty_value", "0.3", "2")
#define CARGO                                                                                      \
    "case $1 in build) printf '%s\\n' '[[package]]' 'name = \"criterion\"' 'version = \"0.5.1\"' " \
    "> Cargo.lock; mkdir -p target/release; " MAKES("target/release/empty", CRITERION) ";; esac"
#define TINYBENCH                                                                                             \
    PRINTS(                                                                                                   \
        "[{\"name\":\"empty\",\"result\":{\"state\":\"completed\",\"latency\":{\"mean\":0.00005,"             \
        "\"min\":0.00003,\"max\":0.2,\"p50\":0.00004,\"p75\":0.00004,\"p99\":0.00006,\"p995\":0.00008,"       \
        "\"p999\":0.00016,\"samplesCount\":1000,\"sd\":0.00001,\"rme\":1},\"throughput\":{\"mean\":25000000," \
        "\"samplesCount\":1000},\"totalTime\":200}}]")
#define MITATA                                                                                                  \
    PRINTS(                                                                                                     \
        "{\"layout\":[{\"name\":null,\"types\":[]}],\"benchmarks\":[{\"kind\":\"static\",\"args\":{},"          \
        "\"alias\":\"empty\",\"group\":0,\"baseline\":false,\"runs\":[{\"stats\":{\"kind\":\"fn\","             \
        "\"debug\":\"for (let o = 0; o < 1024; o++) {\",\"min\":0.078,\"max\":0.2,\"p25\":0.078,\"p50\":0.079," \
        "\"p75\":0.08,\"p99\":0.1,\"p999\":0.2,\"avg\":0.08,\"ticks\":4096000,\"samples\":[0.078,0.079,0.08]}," \
        "\"args\":{},\"name\":\"empty\"}]}],\"context\":{\"arch\":\"x64-linux\",\"runtime\":\"node\","          \
        "\"cpu\":{\"freq\":3.7,\"name\":\"cpu\"},\"noop\":{\"fn\":{\"avg\":0.08}}}}")
#define NODE                                                                                         \
    "case \"$1\" in -p) echo '6.2.5, node v20';; *) if grep -q tinybench empty.mjs; then " TINYBENCH \
    "\nelse " MITATA "\nfi;; esac"
#define PYTHON                                                                                              \
    "case \"$*\" in *import\\ pytest*) exit 0;; *import\\ platform*) echo 3.2.2 CPython 3.11.2;; *) "       \
    "echo . ; cat > rows.json <<'ROWS'\n"                                                                   \
    "{\"machine_info\":{\"python_version\":\"3.11.2\"},\"commit_info\":{},\"benchmarks\":[{\"group\":null," \
    "\"name\":\"test_empty\",\"fullname\":\"test_empty.py::test_empty\",\"params\":null,\"param\":null,"    \
    "\"extra_info\":{},\"options\":{\"timer\":\"perf_counter\"},\"stats\":{\"min\":4.3e-8,\"max\":9e-8,"    \
    "\"mean\":4.5e-8,\"stddev\":1e-9,\"rounds\":1000,\"median\":4.4e-8,\"iqr\":1e-9,\"q1\":4.35e-8,"        \
    "\"q3\":4.45e-8,\"iterations\":160,\"ops\":2e7,\"total\":0.1}}],\"datetime\":\"2026-11-30T10:00:00\","  \
    "\"version\":\"3.2.2\"}\nROWS\n;; esac"
#define HYPERFINE                                                                                          \
    "case \"$1\" in --version) echo hyperfine 1.15.0;; *) cat > rows.json <<'ROWS'\n"                      \
    "{\"results\":[{\"command\":\"true\",\"mean\":0.0006,\"stddev\":0.00002,\"median\":0.00058,"           \
    "\"user\":0.0003,\"system\":0.0002,\"min\":0.00057,\"max\":0.0007,\"times\":[0.00057,0.00058,0.0007]," \
    "\"exit_codes\":[0,0,0]}]}\nROWS\n;; esac"

static const struct {
    const char *name, *script;
} tools[] = {
    {"go", GO(GO_ROWS)},
    {"c++", CXX},
    {"pkg-config", "echo 1.7.1"},
    {"rustc", "case $1 in --version) echo rustc 1.99;; *) [ \"$RUSTC_BOOTSTRAP\" = 1 ] && " MAKES(
                  "empty", LIBTEST) ";; esac"},
    {"cargo", CARGO},
    {"npm", "exit 0"},
    {"node", NODE},
    {"python3", PYTHON},
    {"hyperfine", HYPERFINE},
    {"env",
     "export PATH=\"${0%/*}\"; while [ \"${1#*=}\" != \"$1\" ]; do export \"$1\"; shift; done; \"$@\""},
    {"sed", "exec sed \"$@\""},
};

/* ---- help ---- */

static int fake_machine(void **state)
{
    int ret = fresh_home(state);
    ret |= mkdir(in_home("bin"), 0700) | mkdir(in_home("tmp"), 0700);
    setenv("PATH", in_home("bin"), 1);
    return ret;
}

static struct tkf_profile_cpu machine_cpu;

/* As little of one as measuring needs; without a CPU to bind to, unless there is one. */
static struct tkf_profile *machine(void)
{
    static struct tkf_profile profile;
    machine_cpu.floor.cycle_ns = 0.25;
    machine_cpu.floor.pinned = false;
    profile = (struct tkf_profile){.cpus = &machine_cpu, .ncpus = 1};
    return &profile;
}

static struct tkf_harness_request request_for(const char *const *only)
{
    static char temporary[200];
    struct tkf_harness_request request = {.sources = SOURCES, .temporary = temporary, .only = only};
    snprintf(temporary, sizeof temporary, "%s", in_home("tmp"));
    while (only && only[request.nonly])
        request.nonly++;
    return request;
}

static struct tkf_profile *measure(const char *framework)
{
    struct tkf_profile *profile = machine();
    struct tkf_harness_request request = request_for((const char *const[]){framework, NULL});
    struct tkf_input_error error;
    if (tkf_harness_measure(&request, profile, &error) != 0)
        fail_msg("%s", error.text);
    return profile;
}

/* The one entry, which is a failure that begins with `reason` and leaves nothing but `left` files. */
static const struct tkf_harness_floor *expect_failure(const struct tkf_profile *profile,
                                                      const char *reason, unsigned left)
{
    assert_int_equal(profile->nharnesses, 1);
    const struct tkf_harness_floor *floor = &profile->harnesses[0];
    if (strncmp(floor->reason, reason, strlen(reason)) != 0)
        fail_msg("'%s' is not '%s'", floor->reason, reason);
    assert_true(isnan(floor->ns.mid) && isnan(floor->cycles.mid));
    assert_string_not_equal(floor->next, "");
    assert_int_equal(entries(in_home("tmp")), left);
    return floor;
}

/* ---- it works ---- */

static void each_recipe_gives_its_rows(void **state)
{
    (void)state;
    static const struct {
        const char *framework, *version, *form;
        enum tkf_timing timing;
        double lo_ns;
    } rows[] = {
        {"go", "go1.99", "b.N", TKF_TIMING_BATCHED, 0.26},
        {"go", "go1.99", "RunParallel", TKF_TIMING_BATCHED, 0.5},
        {"google-benchmark", "1.7.1", "deleted", TKF_TIMING_BATCHED, 5e-7},
        {"google-benchmark", "1.7.1", "kept", TKF_TIMING_BATCHED, 0.27},
        {"google-benchmark", "1.7.1", "KeepRunning", TKF_TIMING_BATCHED, 0.28},
        {"catch2", "1.7.1", "value", TKF_TIMING_BATCHED, 0.271},
        {"libtest", "rustc 1.99", "value", TKF_TIMING_BATCHED, 0.27},
        {"criterion", "0.5.1", "unit", TKF_TIMING_BATCHED, 0.035},
        {"criterion", "0.5.1", "value", TKF_TIMING_BATCHED, 0.2},
        {"mitata", "6.2.5, node v20", "batched", TKF_TIMING_BATCHED, 0.078},
        {"tinybench", "6.2.5, node v20", "call", TKF_TIMING_EACH_CALL, 40},
        {"pytest-benchmark", "3.2.2 CPython 3.11.2", "call", TKF_TIMING_BATCHED, 43},
        {"hyperfine", "hyperfine 1.15.0", "process", TKF_TIMING_PROCESS, 570000},
    };
    enum { NROWS = sizeof rows / sizeof rows[0] };
    static const char *const all[] = {
        "go",        "google-benchmark", "catch2",    "libtest", "mitata", "pytest-benchmark",
        "criterion", "tinybench",        "hyperfine", NULL};
    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
        put_tool(tools[i].name, tools[i].script);
    struct tkf_profile *profile = machine();
    struct tkf_harness_request request = request_for(all);
    struct tkf_input_error error;
    assert_int_equal(tkf_harness_measure(&request, profile, &error), 0);
    for (unsigned i = 0; i < profile->nharnesses; i++) {
        const struct tkf_harness_floor *floor = &profile->harnesses[i];
        if (floor->reason[0])
            fail_msg("%s %s: %s; %s", floor->framework, floor->loop_form, floor->reason,
                     floor->next);
        assert_true(i < NROWS);
        assert_string_equal(floor->framework, rows[i].framework);
        assert_string_equal(floor->version, rows[i].version);
        assert_string_equal(floor->loop_form, rows[i].form);
        assert_int_equal(floor->timing, rows[i].timing);
        if (fabs(floor->ns.lo - rows[i].lo_ns) > 1e-6 * rows[i].lo_ns)
            fail_msg("%s %s: %g ns is not %g", rows[i].framework, rows[i].form, floor->ns.lo,
                     rows[i].lo_ns);
        assert_true(floor->ns.lo <= floor->ns.mid && floor->ns.mid <= floor->ns.hi);
        assert_true(floor->cycles.lo > 0 && floor->cycles.hi < 1e9);
        assert_true(floor->runs >= 2);
        assert_int_equal(strlen(floor->measured), strlen("2026-11-30T10:00:00Z"));
        assert_string_not_equal(floor->how, "");
    }
    assert_int_equal(profile->nharnesses, NROWS);
    assert_int_equal(entries(in_home("tmp")), 0);
    assert_string_equal(profile->harnesses[0].how,
                        "go test -c -o empty.test . && ./empty.test -test.bench=. "
                        "-test.benchtime=1ms -test.count=100");
}

/* "auto" fetches nothing, and says nothing of what is not there. */
static void without_names_what_is_there_is_measured(void **state)
{
    (void)state;
    put_tool("hyperfine", HYPERFINE);
    put_tool("npm", "exit 0");
    put_tool("node", NODE);
    struct tkf_profile *profile = machine();
    struct tkf_harness_request request = request_for(NULL);
    struct tkf_input_error error;
    assert_int_equal(tkf_harness_measure(&request, profile, &error), 0);
    assert_int_equal(profile->nharnesses, 1);
    assert_string_equal(profile->harnesses[0].framework, "hyperfine");

    struct tkf_harness_found found[16];
    int n = tkf_harness_look(&request, found, 16, &error);
    assert_int_equal(n, 9);
    for (int i = 0; i < n; i++) {
        const char *framework = found[i].recipe->framework;
        bool here = strcmp(framework, "hyperfine") == 0 || strcmp(framework, "mitata") == 0 ||
                    strcmp(framework, "tinybench") == 0;
        assert_int_equal(found[i].found, here);
        assert_int_equal(found[i].reason[0] != '\0', !here);
        assert_int_equal(found[i].next[0] != '\0', !here);
    }
    assert_int_equal(entries(in_home("tmp")), 0);
}

static void the_run_is_bound_and_the_caller_is_not(void **state)
{
    (void)state;
    char script[600], *allowed;
    if (access("/proc/self/status", R_OK) != 0)
        skip_because("/proc does not say what a process may use");
    snprintf(script, sizeof script, "grep Cpus_allowed_list: /proc/self/status > %s\n%s",
             in_home("allowed"), HYPERFINE);
    put_tool("hyperfine", script);
    struct tkf_topology *topology;
    char reason[160];
    unsigned nkinds;
    assert_int_equal(tkf_topology_load(&topology, reason, sizeof reason), 0);
    const struct tkf_kind *kinds = tkf_topology_kinds(topology, &nkinds);
    if (kinds[0].ncpus < 2) {
        tkf_topology_free(topology);
        skip_because("one CPU is all that this process may use: bound or not looks alike");
    }
    unsigned cpu = kinds[0].cpus[1];
    tkf_topology_free(topology);
    struct tkf_profile *profile = machine();
    machine_cpu.floor.cpu = cpu;
    machine_cpu.floor.pinned = true;
    struct tkf_harness_request request = request_for((const char *const[]){"hyperfine", NULL});
    struct tkf_input_error error;
    assert_int_equal(tkf_harness_measure(&request, profile, &error), 0);
    allowed = contents(in_home("allowed"));
    assert_non_null(allowed);
    assert_int_equal(atoi(allowed + strlen("Cpus_allowed_list:")), cpu);
    assert_null(strpbrk(allowed, ",-"));
    free(allowed);
    assert_int_equal(tkf_topology_load(&topology, reason, sizeof reason), 0);
    tkf_topology_kinds(topology, &nkinds);
    assert_true(tkf_topology_kinds(topology, &nkinds)[0].ncpus >= 2);
    tkf_topology_free(topology);
}

/* ---- it does not ---- */

static void what_is_missing_is_named(void **state)
{
    (void)state;
    const struct tkf_harness_floor *floor =
        expect_failure(measure("go"), "go is not on the PATH", 0);
    assert_string_equal(floor->next, "install golang-go");
    put_tool("python3",
             "echo \"ModuleNotFoundError: No module named 'pytest_benchmark'\" >&2; exit 1");
    floor = expect_failure(measure("pytest-benchmark"),
                           "python3 does not find it: ModuleNotFoundError: No module named", 0);
    assert_string_equal(floor->next, "install python3-pytest-benchmark");
}

static void a_name_that_is_none_is_refused(void **state)
{
    (void)state;
    struct tkf_profile *profile = machine();
    struct tkf_harness_request request = request_for((const char *const[]){"golang", NULL});
    struct tkf_input_error error;
    assert_int_equal(tkf_harness_measure(&request, profile, &error), TKF_EINVAL);
    assert_string_equal(error.text, "no framework is called 'golang'");
    assert_int_equal(profile->nharnesses, 0);
}

/* Failures that leave the log: how the script ends it, and what is said. */
static void failures_say_what_was_printed(void **state)
{
    (void)state;
    static const struct {
        const char *script, *reason, *in_log;
    } cases[] = {
        {"echo '# tickfloor/empty' >&2; echo './x.go:3: syntax error: no' >&2; exit 2",
         "the build failed: ./x.go:3: syntax error: no", "# tickfloor/empty"},
        {"exit 3", "the build failed: go: exit status 3", "exit status 3"},
        {GO("echo panic; kill -9 $$"),
         "its empty benchmark failed: ./empty.test: ended by signal 9", "signal 9"},
        {GO("exit 1"), "its empty benchmark failed: ./empty.test: exit status 1", "status 1"},
        {"exit 0", "its empty benchmark failed: ./empty.test: cannot be started", "No such file"},
        {GO("echo hello"), "its empty benchmark printed no result", "hello"},
        {GO("exit 0"), "its empty benchmark printed no result", ""},
        {GO(PRINTS(GO_HEAD "BenchmarkOther-2 10 5 ns/op\nPASS")),
         "its empty benchmark printed no result", "BenchmarkOther"},
        {GO(PRINTS(GO_HEAD "BenchmarkEmptyN-2 10 NaN ns/op\nPASS")),
         "its empty benchmark printed no result", "NaN"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        /* An emulator starts what is not there, and ends with 127. */
        if (program.emulator[0] && strcmp(cases[i].in_log, "No such file") == 0)
            continue;
        fake_machine(NULL);
        put_tool("go", cases[i].script);
        const struct tkf_harness_floor *floor = expect_failure(measure("go"), cases[i].reason, 1);
        assert_int_equal(strncmp(floor->next, "see ", 4), 0);
        char *log = contents(floor->next + 4);
        assert_non_null(log);
        assert_non_null(strstr(log, cases[i].in_log));
        free(log);
    }
}

static void who_prints_without_end_is_stopped(void **state)
{
    (void)state;
    put_tool("go", GO("exec yes"));
    expect_failure(measure("go"), "its empty benchmark failed: ./empty.test: stopped", 1);
}

/* Each run is twice as slow as the one before it. */
static void runs_that_differ_are_not_believed(void **state)
{
    (void)state;
    put_tool(
        "go",
        GO("echo >> n; n=$(($(wc -l < n) * 2)); printf 'BenchmarkEmptyN-2 1000 %s ns/op\\n' $n"));
    const struct tkf_harness_floor *floor =
        expect_failure(measure("go"), "no two of its 5 runs came out alike", 0);
    assert_string_equal(floor->loop_form, "b.N");
}

/* Two runs are enough; what fails after them takes nothing away. */
static void what_was_measured_outlives_a_failure(void **state)
{
    (void)state;
    put_tool("go", GO("echo >> n; [ $(wc -l < n) -lt 4 ] || exit 1; " GO_ROWS));
    const struct tkf_profile *profile = measure("go");
    assert_int_equal(profile->nharnesses, 2);
    assert_string_equal(profile->harnesses[0].reason, "");
    assert_int_equal(profile->harnesses[0].runs, 3);
    assert_int_equal(entries(in_home("tmp")), 0);
}

static void without_its_sources_it_says_so(void **state)
{
    (void)state;
    put_tool("go", GO(GO_ROWS));
    struct tkf_profile *profile = machine();
    struct tkf_harness_request request = request_for((const char *const[]){"go", NULL});
    struct tkf_input_error error;
    request.sources = in_home("nowhere");
    assert_int_equal(tkf_harness_measure(&request, profile, &error), 0);
    expect_failure(profile, "its empty benchmark cannot be copied from ", 0);
    request.temporary = in_home("nowhere");
    assert_int_equal(tkf_harness_measure(&request, profile, &error), TKF_EIO);
    assert_non_null(strstr(error.text, "No such file"));
}

/* ---- it takes too long ---- */

#define HANGS "echo $$ > \"$T/pids\"; sleep 50 & echo $! >> \"$T/pids\"; wait"

/* Gone, or dead and only waiting for somebody to take notice. */
static bool is_running(int pid)
{
    char path[40], *stat;
    if (kill(pid, 0) != 0)
        return false;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    stat = contents(path);
    bool running = stat && strrchr(stat, ')') && strrchr(stat, ')')[2] != 'Z';
    free(stat);
    return running;
}

static void expect_all_gone(void)
{
    int pids[2] = {0, 0};
    char *text = contents(in_home("pids"));
    assert_non_null(text);
    assert_int_equal(sscanf(text, "%d %d", &pids[0], &pids[1]), 2);
    free(text);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 200 && is_running(pids[i]); k++)
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        assert_false(is_running(pids[i]));
    }
}

static bool pids_are_written(void *ctx)
{
    (void)ctx;
    char *text = contents(in_home("pids"));
    bool written = text && strchr(text, '\n') != strrchr(text, '\n');
    free(text);
    return written;
}

static void a_limit_ends_all_that_was_started(void **state)
{
    (void)state;
    struct tkf_profile *profile = machine();
    struct tkf_harness_request request = request_for((const char *const[]){"go", NULL});
    struct tkf_input_error error;
    setenv("T", home, 1);
    put_tool("go", HANGS);
    request.limit_s = 2;
    assert_int_equal(tkf_harness_measure(&request, profile, &error), 0);
    expect_failure(profile, "the build did not end in time", 1);
    expect_all_gone();
}

static void a_cancelled_one_leaves_nothing(void **state)
{
    (void)state;
    struct tkf_profile *profile = machine();
    struct tkf_harness_request request =
        request_for((const char *const[]){"hyperfine", "go", NULL});
    struct tkf_input_error error;
    setenv("T", home, 1);
    put_tool("go", HANGS);
    put_tool("hyperfine", HYPERFINE);
    request.cancelled = pids_are_written;
    assert_int_equal(tkf_harness_measure(&request, profile, &error), TKF_ECANCELLED);
    assert_int_equal(profile->nharnesses, 0);
    assert_int_equal(entries(in_home("tmp")), 0);
    expect_all_gone();
}

/* ---- the command ---- */

static struct call calibrate(const char *which, const char *option)
{
    static char path[300], temporary[300], folder[] = "TICKFLOOR_HARNESS_DIR=" SOURCES;
    snprintf(path, sizeof path, "PATH=%s", in_home("bin"));
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", in_home("tmp"));
    return (struct call){.words = {"calibrate", "-q", "--json", which ? "--harness" : option, which,
                                   which ? option : NULL},
                         .env = {path, temporary, folder}};
}

static void the_command_stores_and_keeps_them(void **state)
{
    (void)state;
    put_tool("hyperfine", HYPERFINE);
    for (int i = 0; i < 3; i++) {
        /* Measured, kept by a calibration without, kept where it cannot be measured again. */
        struct call row = calibrate((const char *[]){"hyperfine", NULL, "hyperfine"}[i], NULL);
        if (i == 2)
            unlink(in_home("bin/hyperfine"));
        struct run_result result = call(&row);
        assert_int_equal(result.status, i == 2 ? 3 : 0);
        assert_string_equal(
            result.err,
            i == 2 ? "tickfloor: hyperfine: hyperfine is not on the PATH; install hyperfine\n"
                   : "");
        struct tkf_profile profile = profile_of(result.out);
        assert_int_equal(profile.nharnesses, i == 2 ? 2 : 1);
        const struct tkf_harness_floor *floor = &profile.harnesses[profile.nharnesses - 1];
        assert_string_equal(floor->framework, "hyperfine");
        assert_string_equal(floor->loop_form, "process");
        assert_true(floor->ns.lo > 569999 && floor->ns.lo < 570001);
        tkf_profile_free(&profile);
        run_result_free(&result);
        assert_int_equal(entries(in_home("tmp")), 0);
    }
    struct call row =
        calibrate("auto", "--no-save"); /* nothing is there, and nothing is asked for */
    struct run_result result = call(&row);
    assert_int_equal(result.status, 0);
    assert_string_equal(result.err, "");
    run_result_free(&result);
}

/* Another machine's stay with it. */
static void those_of_another_machine_are_not_kept(void **state)
{
    (void)state;
    char *text = contents(TESTS_SOURCE_DIR "/profiles/amd64.json"); /* it has some */
    write_contents(in_home("profile"), text);
    free(text);
    struct call row = {.words = {"calibrate", "-q", "--json", "-o", in_home("profile")}};
    struct run_result result = call(&row);
    struct tkf_profile profile = profile_of(result.out);
    assert_int_equal(profile.nharnesses, 0);
    tkf_profile_free(&profile);
    run_result_free(&result);
}

static void the_command_lists_what_is_there(void **state)
{
    (void)state;
    put_tool("hyperfine", HYPERFINE);
    struct call row = calibrate("list", NULL);
    struct run_result result = call(&row);
    assert_int_equal(result.status, 0);
    assert_string_equal(result.err, "");
    assert_non_null(strstr(result.out, "\"tickfloor.harnesses/1\""));
    assert_non_null(strstr(result.out, "\"reason\": \"go is not on the PATH\""));
    assert_non_null(strstr(result.out, "\"next\": \"install golang-go\""));
    run_result_free(&result);
    row.words[2] = "--no-save"; /* for a person */
    result = call(&row);
    assert_non_null(strstr(result.out, "hyperfine         found\n"));
    assert_non_null(strstr(result.out, "go is not on the PATH -> install golang-go"));
    run_result_free(&result);
}

static void wrong_names_are_refused_at_once(void **state)
{
    (void)state;
#define SEE "; see 'tickfloor calibrate --harness list'"
    static const struct {
        const char *which, *err;
    } cases[] = {
        {"catch", "--harness: no framework is called 'catch'; did you mean 'catch2'?" SEE},
        {"something", "--harness: no framework is called 'something'" SEE},
        {"", "--harness: a name is empty" SEE},
        {"go,", "--harness: a name is empty" SEE},
        {"go,list", "--harness: 'list' stands beside names of frameworks; give it alone"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct call row = calibrate(cases[i].which, NULL);
        call_expecting(&row, 2, cases[i].err);
    }
}

/* Ctrl-C while a framework runs: the child and what it started are gone, and nothing is saved. */
static void an_interrupt_ends_it(void **state)
{
    (void)state;
    char t[80];
    put_tool("go", HANGS);
    struct call row = calibrate("go", NULL);
    snprintf(t, sizeof t, "T=%s", home);
    row.env[3] = t;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const char *const *argv = call_argv(&row);
        execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)call_env(&row));
        _exit(127);
    }
    for (int k = 0; k < 3000 && !pids_are_written(NULL); k++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    assert_true(pids_are_written(NULL));
    kill(pid, SIGINT);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 130);
    expect_all_gone();
    assert_int_equal(entries(in_home("tmp")), 0);
    assert_int_equal(access(in_home(".local"), F_OK), -1);
}

int main(int argc, char **argv)
{
#define TEST(test) cmocka_unit_test_setup(test, fake_machine)
    const struct CMUnitTest tests[] = {
        TEST(each_recipe_gives_its_rows),
        TEST(without_names_what_is_there_is_measured),
        TEST(the_run_is_bound_and_the_caller_is_not),
        TEST(what_is_missing_is_named),
        TEST(a_name_that_is_none_is_refused),
        TEST(failures_say_what_was_printed),
        TEST(who_prints_without_end_is_stopped),
        TEST(runs_that_differ_are_not_believed),
        TEST(what_was_measured_outlives_a_failure),
        TEST(without_its_sources_it_says_so),
        TEST(a_limit_ends_all_that_was_started),
        TEST(a_cancelled_one_leaves_nothing),
        TEST(the_command_stores_and_keeps_them),
        TEST(those_of_another_machine_are_not_kept),
        TEST(the_command_lists_what_is_there),
        TEST(wrong_names_are_refused_at_once),
        TEST(an_interrupt_ends_it),
    };
    return run_with_command(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
