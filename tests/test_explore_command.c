/* SPDX-License-Identifier: MIT */
/** `tickfloor explore`: its options, what it saves, and how it is stopped. See run_with_command() for the arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickfloor/explore.h>

#include "tickfloor_run.h"

static void bad_options(void **state)
{
    static const char parts[] = "parts are ladder, bandwidth, system, pairs, frequency, noise";
    static const char seconds[] = "give a number of seconds, up to 86400";
    const struct {
        const char *words[3];
        const char *cause, *next;
    } rows[] = {
        {{"--only", "lader"}, "--only: no part is called 'lader'", "did you mean 'ladder'?"},
        {{"--only", "ladder,nosie"}, "--only: no part is called 'nosie'", "did you mean 'noise'?"},
        {{"--only", "zz\n"}, "--only: no part is called 'zz\\x0a'", parts},
        {{"--only", ""}, "--only: no part is called ''", parts},
        {{"--only", "ladder,"}, "--only: no part is called ''", parts},
        {{"--time", "0"}, "--time: '0' is no such time", seconds},
        {{"--time", "-1"}, "--time: '-1' is no such time", seconds},
        {{"--time", "nan"}, "--time: 'nan' is no such time", seconds},
        {{"--time", "1e9"}, "--time: '1e9' is no such time", seconds},
        {{"--time", "2s"}, "--time: '2s' is no such time", seconds},
        {{"--cpu", "x"}, "--cpu: 'x' is not a CPU number", "give one, such as 3"},
        {{"--cpu", "0,1"}, "--cpu: '0,1' is not a CPU number", "give one, such as 3"},
        {{"--cpu", "-1"}, "--cpu: '-1' is not a CPU number", "give one, such as 3"},
        {{"--cpu", "65535"},
         "--cpu: CPU 65535 is not one that this process may use",
         "choose another, or widen the cpuset or the affinity mask"},
        {{"--output", ""},
         "--output: '' is not a file's name",
         "name a file, or print the profile with --json"},
        {{"now"}, "explore takes no operand, but there is 'now'", "see 'tickfloor explore --help'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char err[300];
        snprintf(err, sizeof err, "%s; %s", rows[i].cause, rows[i].next);
        call_expecting(&(struct call){.words = {"explore", rows[i].words[0], rows[i].words[1]}}, 2,
                       err);
    }
    call_expecting(&(struct call){.words = {"explore", "--no-save", "-o", "x"}}, 2,
                   "--no-save and --output contradict each other; leave one of them out");
    assert_int_equal(entries(home), 0);
}

static struct tkf_profile saved(const char *path)
{
    char *text = contents(path);
    assert_non_null(text);
    struct tkf_profile profile = profile_of(text);
    free(text);
    return profile;
}

static void what_is_saved(void **state)
{
    (void)state;
    const char *path = in_home("explored.json");
    struct run_result result = call(&(struct call){
        .words = {"explore", "--only", "ladder,pairs", "--time", "1.5", "--json", "-o", path}});
    assert_string_equal(result.err, "");
    assert_int_equal(result.status, 0);
    struct tkf_profile printed = profile_of(result.out), profile = saved(path);
    for (unsigned i = 0; i < 2; i++) {
        const struct tkf_explore *explore = (i == 0 ? &printed : &profile)->explore;
        assert_non_null(explore);
        for (unsigned p = 0; p < TKF_EXPLORE_PARTS; p++)
            assert_int_equal(explore->parts[p], p == TKF_EXPLORE_LADDER || p == TKF_EXPLORE_PAIRS);
        assert_true(explore->nsteps > 10);
        assert_non_null(tkf_explore_step(explore, "load/L1"));
        assert_null(tkf_explore_step(explore, "bandwidth/L1/read"));
        assert_int_equal(explore->nnoise, 0);
    }
    run_result_free(&result);
    tkf_profile_free(&printed);
    tkf_profile_free(&profile);

    /* A calibration of the same machine does not lose it; and show prints it, for any terminal. */
    call_expecting(&(struct call){.words = {"calibrate", "-q", "-o", path}}, 0, "");
    profile = saved(path);
    assert_non_null(profile.explore);
    tkf_profile_free(&profile);
    result = call(&(struct call){.words = {"show", path}});
    assert_int_equal(result.status, 0);
    assert_non_null(strstr(result.out, "\ncore and caches"));
    assert_non_null(strstr(result.out, "\n  load/L1 "));
    for (const char *line = result.out; *line != '\0'; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") <= 80);
    run_result_free(&result);
}

/** Names and reasons out of a file do not drive a terminal. */
static void a_hostile_profile(void **state)
{
    (void)state;
    const char *path = in_home("p.json");
    call_expecting(
        &(struct call){.words = {"explore", "--only", "ladder", "--time", "0.01", "-o", path}}, 0,
        "");
    char *text = contents(path), *at = strstr(text, "op/add");
    assert_non_null(at);
    memcpy(at, "\xc2\x9b/\xc2\x9b", 5); /* CSI of 8-bit terminals; one byte of it stays */
    write_contents(path, text);
    struct run_result result = call(&(struct call){.words = {"show", path}});
    if (result.status == 0)
        assert_null(strstr(result.out, "\xc2\x9b"));
    else
        assert_int_equal(result.status, 2);
    run_result_free(&result);
    free(text);
}

static void nothing_is_saved(void **state)
{
    (void)state;
    struct run_result result = call(
        &(struct call){.words = {"explore", "--only", "ladder", "--time", "0.01", "--no-save"}});
    assert_string_equal(result.err, "");
    assert_int_equal(result.status, 0);
    assert_non_null(strstr(result.out, "the time was up before this"));
    assert_non_null(strstr(result.out, "partial: "));
    assert_int_equal(entries(home), 0);
    run_result_free(&result);
}

/** Whether it is past calibrating, which leaves nothing: the exploration starts threads and maps memory; the time tells enough. */
static void interrupted(void **state)
{
    static const int delays_ms[] = {0, 2500};
    (void)state;
    const char *path = in_home("stopped.json");
    for (size_t i = 0; i < sizeof delays_ms / sizeof delays_ms[0]; i++) {
        const struct call words = {.words = {"explore", "--time", "600", "-o", path}};
        const char *const *argv = call_argv(&words), *const *env = call_env(&words);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            signal(SIGINT, SIG_DFL);
            int null = open("/dev/null", O_RDWR);
            dup2(null, 0), dup2(null, 1), dup2(null, 2);
            execve(argv[0], (char **)(uintptr_t)argv, (char **)(uintptr_t)env);
            _exit(126);
        }
        poll(NULL, 0, 300 + delays_ms[i]); /* long enough for its handler to be there */
        kill(pid, SIGINT);
        int ended;
        assert_int_equal(waitpid(pid, &ended, 0), pid);
        assert_true(WIFEXITED(ended));
        assert_int_equal(WEXITSTATUS(ended), 130);
        if (access(path, F_OK) != 0)
            continue; /* still calibrating */
        struct tkf_profile profile = saved(path);
        assert_non_null(profile.explore);
        assert_true(profile.explore->partial);
        tkf_profile_free(&profile);
    }
}

/** Memory that a limit does not give is a reason for the steps that need it, and for no other. */
static void little_memory(void **state)
{
    (void)state;
    if (SANITIZED)
        skip_because("a sanitizer takes more address space than any limit leaves");
    /* The least in which what takes no memory can be done, and a little for the smallest working sets. */
    struct run_result result = {.status = -1};
    char limit[40];
    for (unsigned mib = 16; result.status != 0; mib += 2) {
        if (mib > 200)
            skip_because("no address space is small enough to be full and large enough to run in");
        run_result_free(&result);
        snprintf(limit, sizeof limit, "as=%u", mib << 20);
        result = call(
            &(struct call){.words = {"explore", "--only", "pairs", "--time", "0.1", "--no-save"},
                           .under = {limit}});
        snprintf(limit, sizeof limit, "as=%u", (mib + 6) << 20);
    }
    run_result_free(&result);
    result = call(&(struct call){
        .words = {"explore", "--only", "ladder,bandwidth", "--time", "1.5", "--json", "--no-save"},
        .under = {limit}});
    assert_string_equal(result.err, "");
    assert_int_equal(result.status, 0);
    struct tkf_profile profile = profile_of(result.out);
    assert_false(isnan(tkf_explore_step(profile.explore, "op/add")->value.mid));
    assert_non_null(tkf_explore_step(profile.explore, "bandwidth/memory/copy/all"));
    tkf_profile_free(&profile);
    run_result_free(&result);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(bad_options, fresh_home),
        cmocka_unit_test_setup(what_is_saved, fresh_home),
        cmocka_unit_test_setup(a_hostile_profile, fresh_home),
        cmocka_unit_test_setup(nothing_is_saved, fresh_home),
        cmocka_unit_test_setup(interrupted, fresh_home),
        cmocka_unit_test_setup(little_memory, fresh_home),
    };
    return run_with_command(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
