/* SPDX-License-Identifier: MIT */
/** `tickfloor compare` as a command: exit status, options, bad input. See run_with_command() for the arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tickfloor_run.h"

#define A TESTS_SOURCE_DIR "/profiles/amd64.json"
#define B TESTS_SOURCE_DIR "/profiles/explored.json"

static void status_is(const struct call *row, int status)
{
    struct run_result result = call(row);
    assert_int_equal(result.status, status);
    assert_string_equal(result.err, "");
    run_result_free(&result);
}

static void statuses(void **state)
{
    (void)state;
    status_is(&(struct call){.words = {"compare", A, A, "--fail-on", "any,machine"}}, 0);
    status_is(&(struct call){.words = {"compare", A, B}}, 0);
    status_is(&(struct call){.words = {"compare", A, B, "--fail-on", "none"}}, 0);
    status_is(&(struct call){.words = {"compare", A, B, "--fail-on", "any"}}, 1);
    status_is(&(struct call){.words = {"compare", A, B, "--fail-on=chains,harnesses"}}, 1);
    status_is(&(struct call){.words = {"compare", A, B, "--fail-on=loops,harnesses"}}, 0);
    status_is(&(struct call){.words = {"compare", A, B, "--fail-on=machine"}}, 1);
    status_is(&(struct call){.words = {"compare", A, B, "--fail-on=worse"}}, 0);
    status_is(&(struct call){.words = {"compare", B, A, "--fail-on=worse"}}, 1);
    status_is(&(struct call){.words = {"compare", B, A, "--fail-on=floor", "-t", "1000"}}, 0);
}

static void from_standard_input(void **state)
{
    (void)state;
    struct run_result result = call(&(struct call){.words = {"compare", "-", B}, .in_path = A});
    assert_int_equal(result.status, 0);
    assert_non_null(strstr(result.out, "A  standard input "));
    run_result_free(&result);
    result = call(&(struct call){.words = {"compare", "--json", B, "-"}, .in_path = A});
    assert_int_equal(result.status, 0);
    json_t *root = json_loads(result.out, 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(json_object_get(root, "b"), "file")),
                        "standard input");
    json_decref(root);
    run_result_free(&result);
}

static void rows(void **state)
{
    (void)state;
    struct run_result usual = call(&(struct call){.words = {"compare", A, B}});
    struct run_result all = call(&(struct call){.words = {"compare", "--all", A, B}});
    struct run_result changed = call(&(struct call){.words = {"compare", "--changed", A, B}});
    assert_null(strstr(usual.out, "loop/fused"));
    assert_non_null(strstr(usual.out, "noise/lost"));
    assert_non_null(strstr(usual.out, "cost/call"));
    assert_non_null(strstr(all.out, "loop/fused"));
    assert_null(strstr(changed.out, "noise/lost"));
    assert_non_null(strstr(changed.out, "cost/call"));
    run_result_free(&usual);
    run_result_free(&all);
    run_result_free(&changed);
}

static void bad_usage(void **state)
{
    (void)state;
    call_expecting(&(struct call){.words = {"compare", A}}, 2,
                   "compare takes two profiles, not 1; name two: tickfloor compare A B");
    call_expecting(&(struct call){.words = {"compare", "-", "-"}}, 2,
                   "standard input cannot be both profiles; name a file for one of them");
    call_expecting(&(struct call){.words = {"compare", A, B, "-t", "-1"}}, 2,
                   "--tolerance: '-1' is no number that it takes; give a number of percent from 0 to 1000, "
                   "such as 5");
    call_expecting(&(struct call){.words = {"compare", A, B, "-t", "nan"}}, 2,
                   "--tolerance: 'nan' is no number that it takes; give a number of percent from 0 to 1000, "
                   "such as 5");
    call_expecting(&(struct call){.words = {"compare", A, B, "--fail-on", "flor"}}, 2,
                   "'--fail-on' does not know 'flor'; did you mean 'floor'?");
    call_expecting(&(struct call){.words = {"compare", A, B, "--fail-on", ""}}, 2,
                   "'--fail-on' does not know ''; give any, worse, machine, none, or groups as the "
                   "table names them, such as floor,clock");
}

static void bad_input(void **state)
{
    (void)state;
    char err[400];
    const char *path = in_home("p.json");
    write_contents(path, "{\n\"schema\": 1}");
    snprintf(err, sizeof err,
             "%s:2: not a profile: no \"schema\": \"tickfloor.profile/1\"; run tickfloor calibrate "
             "to make a new one",
             path);
    call_expecting(&(struct call){.words = {"compare", A, path}}, 2, err);
    call_expecting(&(struct call){.words = {"compare", path, A}}, 2, err);
    snprintf(
        err, sizeof err,
        "cannot read the profile %s: No such file or directory; run tickfloor calibrate, which "
        "makes one",
        in_home("none"));
    call_expecting(&(struct call){.words = {"compare", A, in_home("none")}}, 2, err);
}

static void full_disk(void **state)
{
    (void)state;
    call_expecting(&(struct call){.words = {"compare", A, B}, .out_path = "/dev/full"}, 3,
                   "cannot write to standard output: No space left on device");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(statuses, fresh_home),
        cmocka_unit_test_setup(from_standard_input, fresh_home),
        cmocka_unit_test_setup(rows, fresh_home),
        cmocka_unit_test_setup(bad_usage, fresh_home),
        cmocka_unit_test_setup(bad_input, fresh_home),
        cmocka_unit_test_setup(full_disk, fresh_home),
    };
    return run_with_command(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
