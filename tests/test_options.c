/* SPDX-License-Identifier: MIT */
/** The parsing of options, and the nearest word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* ---- a verb to try --------------------------------------------------------------------------- */

struct target {
    char log[256]; /* each option that was set, "name=value " */
};

static int set_any(void *target, const char *name, const char *value)
{
    char *log = ((struct target *)target)->log;
    size_t used = strlen(log);
    snprintf(log + used, sizeof((struct target *)0)->log - used, "%s=%s ", name,
             value ? value : "-");
    return value && strcmp(value, "bad") == 0 ? 42 : 0;
}

static const struct tkf_option try_options[] = {
    {.name = "quick", .letter = 'q', .text = "be quick", .set = set_any},
    {.name = "out", .letter = 'o', .argument = "FILE", .text = "write to FILE", .set = set_any},
    {.name = "save", .negatable = true, .text = "save it", .set = set_any},
    {.name = "sweep", .text = "sweep", .set = set_any},
    {0},
};

static const struct tkf_verb try_verb = {
    .name = "try",
    .usage = "try",
    .text = "try",
    .detail = "Try.",
    .options = try_options,
};

#define NARGS 8

struct parsed {
    int status;
    struct target target;
    struct tkf_common common;
    int first;
    char *argv[NARGS + 2];
    char message[512];
};

/** Parse the words after "tickfloor", and catch what is said on stderr. */
static struct parsed parse(const char *const words[NARGS])
{
    static char strings[NARGS][64];
    struct parsed p = {.first = -7, .common = {.json = true, .color = TKF_COLOR_ALWAYS}};
    int argc = 1;
    p.argv[0] = "tickfloor";
    for (; argc <= NARGS && words[argc - 1]; argc++) {
        snprintf(strings[argc - 1], sizeof strings[0], "%s", words[argc - 1]);
        p.argv[argc] = strings[argc - 1];
    }

    FILE *file = tmpfile();
    int saved = dup(STDERR_FILENO);
    assert_non_null(file);
    assert_true(saved >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    p.status = tkf_options_parse(&try_verb, argc, p.argv, &p.target, &p.common, &p.first);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    p.message[fread(p.message, 1, sizeof p.message - 1, file)] = '\0';
    fclose(file);
    return p;
}

#define PARSE(...) parse((const char *const[NARGS]){__VA_ARGS__})

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_nothing(void **state)
{
    (void)state;
    struct parsed p = PARSE(NULL);
    assert_int_equal(p.status, -1);
    assert_int_equal(p.first, 1);
    assert_false(p.common.json);
    assert_int_equal(p.common.color, TKF_COLOR_AUTO);
    assert_string_equal(p.target.log, "");
    assert_string_equal(p.message, "");
}

static void test_forms(void **state)
{
    (void)state;
    struct parsed p = PARSE("-qo", "a", "--out=b", "--out", "c", "-od", "--save", "--no-save");
    assert_int_equal(p.status, -1);
    assert_string_equal(p.target.log, "quick=- out=a out=b out=c out=d save=- no-save=- ");
    assert_int_equal(p.first, 9);
}

static void test_abbreviations(void **state)
{
    (void)state;
    struct parsed p = PARSE("--q", "--no-s", "--sa", "--js", "--col=never");
    assert_int_equal(p.status, -1);
    assert_string_equal(p.target.log, "quick=- no-save=- save=- ");
    assert_true(p.common.json);
    assert_int_equal(p.common.color, TKF_COLOR_NEVER);
}

static void test_operands_anywhere(void **state)
{
    (void)state;
    struct parsed p = PARSE("one", "--quick", "-", "--json", "--", "--save", "-q");
    assert_int_equal(p.status, -1);
    assert_string_equal(p.target.log, "quick=- ");
    assert_true(p.common.json);
    assert_int_equal(p.first, 4);
    assert_string_equal(p.argv[4], "one");
    assert_string_equal(p.argv[5], "-");
    assert_string_equal(p.argv[6], "--save");
    assert_string_equal(p.argv[7], "-q");
}

static void test_color(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--color", "always").common.color, TKF_COLOR_ALWAYS);
    assert_int_equal(PARSE("--colour=never").common.color, TKF_COLOR_NEVER);
    assert_int_equal(PARSE("--color=always", "--color=auto").common.color, TKF_COLOR_AUTO);
}

static void test_stopped_by_set(void **state)
{
    (void)state;
    struct parsed p = PARSE("--out=bad", "--quick");
    assert_int_equal(p.status, 42);
    assert_string_equal(p.target.log, "out=bad ");
    assert_int_equal(p.first, -7); /* outputs untouched */
    assert_true(p.common.json);
}

static void test_refused(void **state)
{
    static const struct {
        const char *words[NARGS];
        const char *message;
    } rows[] = {
        {{"--jsno"}, "unknown option '--jsno'; did you mean '--json'? see 'tickfloor try --help'"},
        {{"--QIUCK=3"},
         "unknown option '--QIUCK'; did you mean '--quick'? see 'tickfloor try --help'"},
        {{"--no-svae"},
         "unknown option '--no-svae'; did you mean '--no-save'? see 'tickfloor try --help'"},
        {{"--no-quick"}, "unknown option '--no-quick'; see 'tickfloor try --help'"},
        {{"--frobnicate"}, "unknown option '--frobnicate'; see 'tickfloor try --help'"},
        {{"--=x"}, "unknown option '--'; see 'tickfloor try --help'"},
        {{"-x"}, "unknown option '-x'; see 'tickfloor try --help'"},
        {{"-qx"}, "unknown option '-x'; see 'tickfloor try --help'"},
        {{"a", "-jsno", "b"},
         "unknown option '-j'; did you mean '--json'? see 'tickfloor try --help'"},
        {{"-\303\251"}, "unknown option '-\\xc3'; see 'tickfloor try --help'"},
        {{"-:"}, "unknown option '-:'; see 'tickfloor try --help'"},
        {{"-?"}, "unknown option '-?'; see 'tickfloor try --help'"},
        {{"--s"}, "option '--s' is ambiguous; did you mean '--save' or '--sweep'?"},
        {{"--out"}, "option '--out' needs an argument, FILE; see 'tickfloor try --help'"},
        {{"-qo"}, "option '--out' needs an argument, FILE; see 'tickfloor try --help'"},
        {{"--ou"}, "option '--out' needs an argument, FILE; see 'tickfloor try --help'"},
        {{"--color"}, "option '--color' needs an argument, WHEN; see 'tickfloor try --help'"},
        {{"--json=1"}, "option '--json' takes no argument; see 'tickfloor try --help'"},
        {{"--no-save=1"}, "option '--no-save' takes no argument; see 'tickfloor try --help'"},
        {{"--colour=blue"}, "'--color' does not know 'blue'; use auto, always or never"},
        {{"--color="}, "'--color' does not know ''; use auto, always or never"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct parsed p = parse(rows[i].words);
        char message[256];
        snprintf(message, sizeof message, "tickfloor: %s\n", rows[i].message);
        assert_string_equal(p.message, message);
        assert_int_equal(p.status, TKF_EXIT_USAGE);
        assert_int_equal(p.first, -7);
        assert_true(p.common.json);
    }
}

static void test_afresh_after_an_error(void **state)
{
    (void)state;
    /* The first one leaves getopt in the middle of a word. */
    assert_int_equal(PARSE("-xqqqq").status, TKF_EXIT_USAGE);
    struct parsed p = PARSE("-q", "file");
    assert_int_equal(p.status, -1);
    assert_string_equal(p.target.log, "quick=- ");
    assert_int_equal(p.first, 2);
}

static void test_nearest(void **state)
{
    static const char *const words[] = {"calibrate", "show", "report", "version", "go", NULL};
    static const struct {
        const char *word, *nearest;
    } rows[] = {
        {"calibarte", "calibrate"}, /* swapped */
        {"calibrat", "calibrate"},  /* one missing */
        {"shoow", "show"},          /* one too many */
        {"shew", "show"},           /* another */
        {"hsow", "show"},
        {"SHOW", "show"},
        {"show", "show"},
        {"cailbarte", "calibrate"},
        {"vresoin", "version"},
        {"xxlibrate", "calibrate"},
        {"cxlxbxxte", NULL}, /* four of nine */
        {"shxx", NULL},
        {"shall", NULL},
        {"g", NULL},
        {"og", NULL},
        {"", NULL},
        {"frobnicate", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *nearest = tkf_nearest(rows[i].word, words);
        assert_string_equal(nearest ? nearest : "none", rows[i].nearest ? rows[i].nearest : "none");
    }
    assert_null(tkf_nearest("show", (const char *const[]){NULL}));
    /* The nearest one, not the first near one; of equals the first. */
    assert_string_equal(tkf_nearest("reports", (const char *const[]){"ports", "report", NULL}),
                        "report");
    assert_string_equal(tkf_nearest("boot", (const char *const[]){"foot", "root", NULL}), "foot");
}

static void test_nearest_of_a_huge_word(void **state)
{
    static const char *const words[] = {"show", NULL};
    enum { SIZE = 1 << 20 };
    char *word = malloc(SIZE);
    (void)state;
    assert_non_null(word);
    memset(word, 's', SIZE - 1);
    word[SIZE - 1] = '\0';
    assert_null(tkf_nearest(word, words));
    free(word);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),       cmocka_unit_test(test_forms),
        cmocka_unit_test(test_abbreviations), cmocka_unit_test(test_operands_anywhere),
        cmocka_unit_test(test_color),         cmocka_unit_test(test_stopped_by_set),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_afresh_after_an_error),
        cmocka_unit_test(test_nearest),       cmocka_unit_test(test_nearest_of_a_huge_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
