/* SPDX-License-Identifier: MIT */
/** `tickfloor show` of what is no profile, of another's profile, and of its own. See run_with_command() for the arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tickfloor_run.h"

#define AGAIN "; run tickfloor calibrate to make a new one"

/** A profile of some machine. */
static char *a_profile(void)
{
    char *text = contents(TESTS_SOURCE_DIR "/profiles/amd64.json");
    assert_non_null(text);
    return text;
}

/** The profile with the first `from` in it made `to`; to free(). */
static char *changed(const char *from, const char *to)
{
    char *text = a_profile(), *result = NULL;
    char *at = strstr(text, from);
    assert_non_null(at);
    *at = '\0';
    assert_true(asprintf(&result, "%s%s%s", text, to, at + strlen(from)) > 0);
    free(text);
    return result;
}

static unsigned line_of(const char *text, const char *what)
{
    unsigned line = 1;
    const char *end = strstr(text, what);
    assert_non_null(end);
    for (const char *at = text; at < end; at++)
        line += *at == '\n';
    return line;
}

/** show FILE of that text ends with 2 and one line: "FILE:LINE: WHY"; line 0 for none. */
static void refuses(const char *text, unsigned line, const char *why)
{
    const char *path = in_home("p.json");
    char err[600], place[20] = "";
    if (line > 0)
        snprintf(place, sizeof place, ":%u", line);
    write_contents(path, text);
    snprintf(err, sizeof err, "%s%s: %s", path, place, why);
    call_expecting(&(struct call){.words = {"show", path}}, 2, err);
    snprintf(err, sizeof err, "standard input%s: %s", place, why);
    call_expecting(&(struct call){.words = {"show", "-"}, .in_path = path}, 2, err);
}

static void what_is_no_profile(void **state)
{
    (void)state;
    refuses("", 0, "empty" AGAIN);
    refuses("hello\n", 1, "not JSON: '[' or '{' expected near 'hello'" AGAIN);
    refuses("\177ELF\n", 1, "not JSON: '[' or '{' expected near '\\x7fELF'" AGAIN);
    refuses("[]", 1, "not a profile: the JSON is a list, not an object" AGAIN);
    refuses("\n{\"a\": 1}", 2, "not a profile: no \"schema\": \"tickfloor.profile/1\"" AGAIN);
    refuses(
        "{\"schema\": \"a\\nb\\u001b[31m\"}", 1,
        "schema is \"a\\x0ab\\x1b[31m\"; this version reads \"tickfloor.profile/1\"; run tickfloor "
        "calibrate, or the tickfloor that wrote it");
}

static void a_truncated_profile(void **state)
{
    (void)state;
    char *text = a_profile();
    size_t length = strlen(text);
    text[length / 2] = '\0';
    unsigned line = 1;
    for (const char *at = text; *at; at++)
        line += *at == '\n';
    refuses(text, line, "truncated: the JSON ends in the middle" AGAIN);
    free(text);
}

static void a_later_schema(void **state)
{
    (void)state;
    char *text = changed("profile/1", "profile/2");
    refuses(text, line_of(text, "\"schema\""),
            "schema is \"tickfloor.profile/2\"; this version reads \"tickfloor.profile/1\"; run "
            "tickfloor calibrate, or the tickfloor that wrote it");
    free(text);
}

static void wrong_types(void **state)
{
    static const char *const rows[][3] = {
        {"\"cycle_ns\": ", "\"cycle_ns\": \"x\", \"was\": ",
         "cpus[0].cycle_ns is a string, not a number" AGAIN},
        {"\"pinned\": ", "\"pinned\": 1, \"was\": ",
         "cpus[0].pinned is a number, not true or false" AGAIN},
        {"\"cpus\": [", "\"cpus\": 7, \"was\": [", "cpus is a number, not a list" AGAIN},
        {"\"machine\": {", "\"machine\": [], \"was\": {", "machine is a list, not an object" AGAIN},
        {"\"step_ticks\": ", "\"step_ticks\": -1, \"was\": ",
         "counter.step_ticks is -1, which is out of range" AGAIN},
        {"\"trust\": ", "\"was\": ", "counter.trust is missing" AGAIN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = changed(rows[i][0], rows[i][1]);
        const char *mark = strstr(rows[i][2], "missing") ? "\"counter\": {" : rows[i][1];
        refuses(text, line_of(text, mark), rows[i][2]);
        free(text);
    }
}

static void what_cannot_be_read(void **state)
{
    (void)state;
    char err[400];
    snprintf(
        err, sizeof err,
        "cannot read the profile %s: No such file or directory; run tickfloor calibrate, which "
        "makes one",
        in_home("none"));
    call_expecting(&(struct call){.words = {"show", in_home("none")}}, 2, err);
    snprintf(err, sizeof err, "%s: Is a directory; give a file that tickfloor calibrate wrote",
             home);
    call_expecting(&(struct call){.words = {"show", home}}, 2, err);
    snprintf(
        err, sizeof err,
        "cannot read the profile %s: No such file or directory; run tickfloor calibrate, which "
        "makes one",
        in_home(".local/state/tickfloor/profile.json"));
    call_expecting(&(struct call){.words = {"show"}}, 2, err);
    assert_int_equal(mkfifo(in_home("pipe"), 0600), 0);
    snprintf(err, sizeof err, "%s: empty" AGAIN, in_home("pipe"));
    call_expecting(&(struct call){.words = {"show", in_home("pipe")}}, 2, err);
    call_expecting(
        &(struct call){.words = {"show", "-"}, .closed = 1u << 0}, 2,
        "standard input: Bad file descriptor; give a file that tickfloor calibrate wrote");
    call_expecting(&(struct call){.words = {"show", "a", "b"}}, 2,
                   "show prints one profile, not 2; name one");
}

static void no_place_to_look(void **state)
{
    static const char err[] =
        "nowhere to look for it: neither XDG_STATE_HOME nor HOME is an absolute "
        "path; name a profile: tickfloor show FILE";
    (void)state;
    call_expecting(&(struct call){.words = {"show"}, .env = {"HOME="}}, 2, err);
    call_expecting(&(struct call){.words = {"show"}, .env = {"HOME=a", "XDG_STATE_HOME=b"}}, 2,
                   err);
}

static void another_machine(void **state)
{
    (void)state;
    char *text = changed("\"arch\": \"amd64\"", "\"arch\": \"pdp\\u001b[7m\"");
    write_contents(in_home("p.json"), text);
    free(text);
    struct run_result result = call(&(struct call){.words = {"show", in_home("p.json")}});
    assert_int_equal(result.status, 0);
    assert_string_equal(result.err, "");
    assert_non_null(
        strstr(result.out, "  ! not of this machine as it is now: architecture was pdp?[7m"));
    assert_non_null(strstr(result.out, "run tickfloor calibrate\n"));
    assert_null(strchr(result.out, '\033'));
    run_result_free(&result);
    /* A program reads the same, without the note. */
    result = call(&(struct call){.words = {"show", "--json", in_home("p.json")}});
    assert_int_equal(result.status, 0);
    struct tkf_profile profile = profile_of(result.out);
    assert_string_equal(profile.machine.arch, "pdp\033[7m");
    tkf_profile_free(&profile);
    run_result_free(&result);
}

/** What was just measured here is of this machine, and every number comes back as it was. */
static void ones_own(void **state)
{
    (void)state;
    struct run_result measured = call(&(struct call){.words = {"-q", "--json"}});
    assert_int_equal(measured.status, 0);
    const char *path = in_home(".local/state/tickfloor/profile.json");
    char *saved = contents(path);
    assert_string_equal(saved, measured.out);
    free(saved);

    const struct call calls[] = {
        {.words = {"show", "--json"}},
        {.words = {"show", path, "--json"}},
        {.words = {"show", "--json", "-"}, .in_path = path},
    };
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct run_result shown = call(&calls[i]);
        assert_int_equal(shown.status, 0);
        assert_string_equal(shown.err, "");
        assert_string_equal(shown.out, measured.out);
        run_result_free(&shown);
    }
    run_result_free(&measured);

    struct run_result card = call(&(struct call){.words = {"show"}});
    assert_int_equal(card.status, 0);
    assert_null(strstr(card.out, "not of this machine"));
    run_result_free(&card);
}

static void stdout_that_fails(void **state)
{
    (void)state;
    const char *path = TESTS_SOURCE_DIR "/profiles/amd64.json";
    call_expecting(&(struct call){.words = {"show", path, "--json"}, .reader_gone = true}, 0, "");
    call_expecting(&(struct call){.words = {"show", path}, .reader_gone = true}, 0, "");
    call_expecting(&(struct call){.words = {"show", path, "--json"}, .closed = 1u << 1}, 3,
                   "cannot write to standard output: Bad file descriptor");
    struct stat full;
    if (stat("/dev/full", &full) != 0)
        skip_because("no /dev/full here");
    call_expecting(&(struct call){.words = {"show", path, "--json"}, .out_path = "/dev/full"}, 3,
                   "cannot write to standard output: No space left on device");
    call_expecting(&(struct call){.words = {"show", path}, .out_path = "/dev/full"}, 3,
                   "cannot write to standard output: No space left on device");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_no_profile, fresh_home),
        cmocka_unit_test_setup(a_truncated_profile, fresh_home),
        cmocka_unit_test_setup(a_later_schema, fresh_home),
        cmocka_unit_test_setup(wrong_types, fresh_home),
        cmocka_unit_test_setup(what_cannot_be_read, fresh_home),
        cmocka_unit_test_setup(no_place_to_look, fresh_home),
        cmocka_unit_test_setup(another_machine, fresh_home),
        cmocka_unit_test_setup(ones_own, fresh_home),
        cmocka_unit_test_setup(stdout_that_fails, fresh_home),
    };
    return run_with_command(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
