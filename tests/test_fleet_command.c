/* SPDX-License-Identifier: MIT */
/** `tickfloor fleet` as a command: exit status, bad input, the file for Prometheus. See run_with_command() for the arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tickfloor_run.h"

#define A TESTS_SOURCE_DIR "/profiles/amd64.json"
#define B TESTS_SOURCE_DIR "/profiles/hybrid.json"
#define LABEL_THEM                                                                              \
    "; where a launcher mixed the lines of several machines, label them: mpirun --tag-output, " \
    "srun --label"

static char *profile_text(double suspect_below_ns)
{
    char *text = contents(A), *changed = NULL;
    static const char member[] = "\"suspect_below_ns\": ";
    assert_non_null(text);
    /* The machine's own, behind those of its CPUs. */
    char *at = strstr(text, "\n  \"suspect_below_ns\"");
    assert_non_null(at);
    at = strstr(at, member) + strlen(member);
    *at = '\0';
    char *rest = strchr(at + 1, ',');
    assert_true(asprintf(&changed, "%s%g%s", text, suspect_below_ns, rest) > 0);
    free(text);
    return changed;
}

/** A stream of five profiles; the third may be an odd one. */
static void write_stream(const char *path, double third)
{
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    for (int i = 0; i < 5; i++) {
        char *text = profile_text(i == 2 ? third : 0.5423);
        fputs(text, out);
        free(text);
    }
    fclose(out);
}

static void statuses(void **state)
{
    (void)state;
    const char *same = in_home("same"), *odd = in_home("odd");
    write_stream(same, 0.5423);
    write_stream(odd, 1.5);
    static const struct {
        const char *words[6];
        int status;
    } rows[] = {
        {{"fleet", "SAME"}, 0},
        {{"fleet", "ODD"}, 1},
        {{"fleet", "ODD", "--tolerance", "500"}, 0},
        {{"fleet", "ODD", "--distance=20"}, 1}, /* the tolerance is the same */
        {{"fleet", A, B}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct call row = {.words = {NULL}};
        for (unsigned k = 0; k < 6 && rows[i].words[k]; k++)
            row.words[k] = strcmp(rows[i].words[k], "SAME") == 0  ? same
                           : strcmp(rows[i].words[k], "ODD") == 0 ? odd
                                                                  : rows[i].words[k];
        call_expecting(&row, rows[i].status, "");
    }
    call_expecting(&(struct call){.words = {"fleet"}, .in_path = odd}, 1, "");
    call_expecting(&(struct call){.words = {"fleet", A, "-", B}, .in_path = same}, 0, "");
}

static void json(void **state)
{
    (void)state;
    const char *odd = in_home("odd");
    write_stream(odd, 1.5);
    struct run_result result = call(&(struct call){.words = {"fleet", "--json", odd, B}});
    assert_int_equal(result.status, 1);
    json_t *root = json_loads(result.out, 0, NULL);
    assert_non_null(root);
    json_t *summary = json_object_get(root, "summary");
    assert_int_equal(json_integer_value(json_object_get(summary, "machines")), 6);
    assert_int_equal(json_integer_value(json_object_get(summary, "odd")), 1);
    json_t *machine = json_array_get(json_object_get(root, "machines"), 2);
    json_t *first = json_array_get(json_object_get(machine, "odd"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "floor/suspect-below");
    json_decref(root);
    run_result_free(&result);
}

/** One that cannot be read, or is no profile, is named; the others are tabled. */
static void bad_ones(void **state)
{
    (void)state;
    char err[500];
    const char *bad = in_home("bad");
    snprintf(err, sizeof err,
             "%s: No such file or directory; give what tickfloor calibrate --json printed",
             in_home("none"));
    call_expecting(&(struct call){.words = {"fleet", A, in_home("none"), B}}, 1, err);
    write_contents(bad, "{\n\"schema\": \"tickfloor.profile/1\",\n\"created\": 7}\n");
    snprintf(err, sizeof err, "%s:3: created is a number, not a string (and 1 more)" LABEL_THEM,
             bad);
    struct run_result result = call(&(struct call){.words = {"fleet", A, bad, in_home("none"), B}});
    assert_int_equal(result.status, 1);
    assert_non_null(strstr(result.err, err));
    assert_non_null(strstr(result.out, "2 profiles, 2 models, 0 odd, 2 not read\n"));
    run_result_free(&result);
    call_expecting(&(struct call){.words = {"fleet"}}, 1,
                   "standard input: empty; give what tickfloor calibrate --json printed");
    snprintf(err, sizeof err, "%s: Is a directory; give what tickfloor calibrate --json printed",
             home);
    call_expecting(&(struct call){.words = {"fleet", home}}, 1, err);
}

static void bad_usage(void **state)
{
    (void)state;
    call_expecting(&(struct call){.words = {"fleet", A, "--distance", "0"}}, 2,
                   "--distance: '0' is no number that it takes; give a number from 1 to 1000, such "
                   "as 6");
    call_expecting(&(struct call){.words = {"fleet", A, "--json", "--openmetrics", "-"}}, 2,
                   "--json and --openmetrics - both print; give --openmetrics a file");
}

static void openmetrics(void **state)
{
    (void)state;
    const char *path = in_home("state/tickfloor.prom");
    struct stat there;
    umask(077);
    call_expecting(&(struct call){.words = {"fleet", A, B, "--openmetrics", path}}, 0, "");
    umask(022);
    char *text = contents(path);
    assert_non_null(strstr(text, "\ntickfloor_time_seconds{machine=\""));
    assert_string_equal(text + strlen(text) - 6, "# EOF\n");
    assert_int_equal(stat(path, &there), 0);
    assert_int_equal(there.st_mode & 0777, 0644); /* the exporter is another user */
    assert_int_equal(entries(in_home("state")), 1);
    struct run_result result = call(&(struct call){.words = {"fleet", A, B, "--openmetrics", "-"}});
    assert_int_equal(result.status, 0);
    assert_string_equal(result.out, text);
    run_result_free(&result);
    free(text);

    assert_int_equal(mkdir(in_home("folder"), 0700), 0);
    char err[300];
    snprintf(err, sizeof err,
             "cannot save %s: Is a directory; name another file with --openmetrics",
             in_home("folder"));
    call_expecting(&(struct call){.words = {"fleet", A, "--openmetrics", in_home("folder")}}, 3,
                   err);
}

/** What is no file stays what it is: renamed over, a device would be a file for everyone. */
static void openmetrics_into_a_pipe(void **state)
{
    (void)state;
    struct stat there;
    const char *pipe = in_home("pipe");
    char err[300];
    assert_int_equal(mkfifo(pipe, 0600), 0);
    snprintf(err, sizeof err,
             "cannot save %s: nobody reads from it; name another file with --openmetrics", pipe);
    call_expecting(&(struct call){.words = {"fleet", A, B, "--openmetrics", pipe}}, 3, err);
    assert_int_equal(stat(pipe, &there), 0);
    assert_true(S_ISFIFO(there.st_mode));
}

static void full_disk(void **state)
{
    (void)state;
    call_expecting(&(struct call){.words = {"fleet", A, B}, .out_path = "/dev/full"}, 3,
                   "cannot write to standard output: No space left on device");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(statuses, fresh_home),
        cmocka_unit_test_setup(json, fresh_home),
        cmocka_unit_test_setup(bad_ones, fresh_home),
        cmocka_unit_test_setup(bad_usage, fresh_home),
        cmocka_unit_test_setup(openmetrics, fresh_home),
        cmocka_unit_test_setup(openmetrics_into_a_pipe, fresh_home),
        cmocka_unit_test_setup(full_disk, fresh_home),
    };
    return run_with_command(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
