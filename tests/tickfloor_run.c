/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tickfloor_run.h"

enum { WORDS_MAX = 40 };

struct program program;
char home[40];
static bool skipped;

void skip_because(const char *reason)
{
    fprintf(stderr, "skipped: %s\n", reason);
    skipped = true;
    skip();
}

const char *const *call_argv(const struct call *call)
{
    static const char *argv[WORDS_MAX];
    unsigned n = 0;
    if (call->under[0]) {
        if (!program.under[0])
            skip_because("conditions are made on Linux alone");
        for (char **word = program.emulator; *word; word++)
            argv[n++] = *word;
        argv[n++] = program.under;
        for (unsigned i = 0; i < 4 && call->under[i]; i++)
            argv[n++] = call->under[i];
        argv[n++] = "--";
    }
    for (char **word = program.emulator; *word; word++)
        argv[n++] = *word;
    argv[n++] = program.tickfloor;
    for (unsigned i = 0; i < 8 && call->words[i]; i++)
        argv[n++] = call->words[i];
    argv[n] = NULL;
    return argv;
}

const char *const *call_env(const struct call *call)
{
    static char home_is[sizeof home + 5];
    static const char *env[16];
    const char *const usual[] = {
        "LC_ALL=C",
        home_is,
        "PATH=/usr/bin:/bin",
        /* A library is preloaded before the sanitizer's; memory that a failure leaves is not what is tested. */
        "ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0",
    };
    unsigned n = 0;
    snprintf(home_is, sizeof home_is, "HOME=%s", home);
    for (; n < 6 && call->env[n]; n++)
        env[n] = call->env[n];
    unsigned nown = n;
    for (unsigned i = 0; i < sizeof usual / sizeof usual[0]; i++) {
        size_t name = strcspn(usual[i], "=") + 1;
        bool replaced = false;
        for (unsigned k = 0; k < nown; k++)
            replaced = replaced || strncmp(env[k], usual[i], name) == 0;
        if (!replaced)
            env[n++] = usual[i];
    }
    env[n] = NULL;
    return env;
}

struct run_result call(const struct call *call)
{
    struct run_result result;
    struct run_command command = {
        .argv = call_argv(call),
        .env = call_env(call),
        .closed = call->closed,
        .reader_gone = call->reader_gone,
        .in_path = call->in_path,
        .out_path = call->out_path,
    };
    assert_int_equal(run_command(&command, &result), 0);
    /* Too busy a machine is an honest answer, and not what is tested. */
    for (int i = 0; i < 5 && result.status == 3 && strstr(result.err, "undisturbed windows"); i++) {
        run_result_free(&result);
        assert_int_equal(run_command(&command, &result), 0);
    }
    if (result.status == 77) {
        fputs(result.err, stderr);
        run_result_free(&result);
        skipped = true;
        skip();
    }
    if (result.status < 0)
        print_error("signal %d: %s", -result.status, result.err);
    assert_false(result.timed_out);
    assert_true(result.status >= 0);
    return result;
}

void call_expecting(const struct call *row, int status, const char *err)
{
    struct run_result result = call(row);
    char expected[600] = "";
    if (err[0])
        snprintf(expected, sizeof expected, "tickfloor: %s\n", err);
    assert_string_equal(result.err, expected);
    assert_int_equal(result.status, status);
    run_result_free(&result);
}

struct tkf_profile profile_of(const char *json)
{
    struct tkf_profile profile;
    struct tkf_input_error error;
    FILE *in = fmemopen((void *)(uintptr_t)json, strlen(json), "r");
    assert_non_null(in);
    if (tkf_profile_read(in, &profile, &error) != 0)
        fail_msg("line %u: %s", error.line, error.text);
    fclose(in);
    return profile;
}

const char *in_home(const char *name)
{
    static char paths[16][200];
    static unsigned next;
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", home, name);
    return path;
}

char *contents(const char *path)
{
    FILE *in = fopen(path, "re");
    if (!in)
        return NULL;
    char *text = NULL;
    size_t size = 0;
    if (getdelim(&text, &size, '\0', in) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(in);
    return text;
}

void write_contents(const char *path, const char *text)
{
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

unsigned entries(const char *folder)
{
    unsigned count = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry; (entry = readdir(dir));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static void empty(const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir)
        return;
    for (const struct dirent *entry; (entry = readdir(dir));) {
        char path[600];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            unlink(path) == 0)
            continue;
        empty(path);
        rmdir(path);
    }
    closedir(dir);
}

int fresh_home(void **state)
{
    (void)state;
    empty(home);
    return 0;
}

int run_with_command(int argc, char **argv, const struct CMUnitTest *tests, size_t ntests)
{
    if (argc < 6) {
        fprintf(stderr, "usage: %s TICKFLOOR UNDER NO_TSC PYTHON SCHEMA [EMULATOR...]\n", argv[0]);
        return 2;
    }
    program = (struct program){argv[1], argv[2], argv[3], argv[4], argv[5], argv + 6};
    strcpy(home, "/tmp/tickfloor-test-XXXXXX");
    if (!mkdtemp(home)) {
        perror(home);
        return 1;
    }
    int failed = _cmocka_run_group_tests("tickfloor", tests, ntests, NULL, NULL);
    empty(home);
    rmdir(home);
    return failed ? 1 : skipped ? 77 : 0;
}
