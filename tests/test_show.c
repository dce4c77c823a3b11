/* SPDX-License-Identifier: MIT */
/**
 * `tickfloor show`, with this file as the world around it: the options, the style, the messages and
 * the facts of the machine are those defined here, which the linker takes instead of the command's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "host.h"

#define PROFILES TESTS_SOURCE_DIR "/profiles/"

static struct tkf_machine machine; /* what the facts say */
static bool json;                  /* as if --json was given */
static char errors[1000];          /* what was said on stderr */
static char folder[] = "/tmp/tickfloor-show.XXXXXX";

const struct tkf_verb tkf_verbs[] = {
    {.name = "other"},
    {.name = "show", .options = tkf_show_cli_options, .run = tkf_verb_show},
    {.name = NULL},
};

int tkf_options_parse(const struct tkf_verb *verb, int argc, char **argv, void *target,
                      struct tkf_common *ret_common, int *ret_first)
{
    (void)argc, (void)argv, (void)target;
    assert_string_equal(verb->name, "show");
    *ret_common = (struct tkf_common){.json = json};
    *ret_first = 1;
    return -1;
}

struct tkf_style tkf_style_for(FILE *stream, const struct tkf_common *common)
{
    (void)stream, (void)common;
    return (struct tkf_style){.width = 80,
                              .bold = "",
                              .dim = "",
                              .red = "",
                              .yellow = "",
                              .green = "",
                              .cyan = "",
                              .reset = ""};
}

void tkf_error(const char *next, const char *format, ...)
{
    char cause[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cause, sizeof(cause), format, arguments);
    va_end(arguments);
    size_t used = strlen(errors);
    snprintf(errors + used, sizeof(errors) - used, "%s; %s\n", cause, next);
}

int tkf_exit_interrupted(void)
{
    return TKF_EXIT_SIGINT;
}

bool tkf_interrupted(void *ctx)
{
    (void)ctx;
    return false;
}

void tkf_signals_release(void)
{
}

int tkf_print_profile(const struct tkf_profile *profile)
{
    assert_int_equal(tkf_profile_write(profile, stdout), 0);
    return TKF_EXIT_OK;
}

int tkf_print_description(const struct tkf_description *description)
{
    (void)description;
    return TKF_EXIT_MEASURE;
}

int tkf_machine_describe(const char *root, struct tkf_description *ret_description,
                         struct tkf_input_error *ret_error)
{
    (void)root, (void)ret_description, (void)ret_error;
    return TKF_EINVAL;
}

void tkf_machine_read(struct tkf_machine *ret_machine)
{
    *ret_machine = machine;
}

/* Run `show` with up to two operands; its output is to be freed. */
static int show(const char *first, const char *second, char **ret_output)
{
    char *argv[] = {(char *)"show", (char *)(uintptr_t)first, (char *)(uintptr_t)second, NULL};
    int argc = 1 + (first != NULL) + (second != NULL);
    size_t size = 0;
    FILE *capture = tmpfile();
    assert_non_null(capture);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    dup2(fileno(capture), STDOUT_FILENO);

    errors[0] = '\0';
    alarm(20); /* it must not wait for ever */
    int status = tkf_verb_show(argc, argv);
    alarm(0);

    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    rewind(capture);
    *ret_output = NULL;
    if (getdelim(ret_output, &size, '\0', capture) < 0) {
        free(*ret_output);
        *ret_output = strdup("");
    }
    fclose(capture);
    return status;
}

static char *in_folder(const char *name)
{
    char *path;
    assert_true(asprintf(&path, "%s/%s", folder, name) > 0);
    return path;
}

static int setup(void **state)
{
    (void)state;
    memset(&machine, 0, sizeof(machine));
    json = false;
    strcpy(strrchr(folder, '.'), ".XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

static void test_saved(void **state)
{
    (void)state;
    char *output, *path = in_folder("tickfloor/profile.json");
    struct tkf_profile profile;
    struct tkf_input_error error;
    FILE *in = fopen(PROFILES "amd64.json", "r");
    assert_int_equal(tkf_profile_read(in, &profile, &error), 0);
    fclose(in);
    setenv("XDG_STATE_HOME", folder, 1);

    assert_int_equal(show(NULL, NULL, &output), TKF_EXIT_USAGE);
    assert_string_equal(output, "");
    assert_non_null(strstr(errors, path));
    assert_non_null(strstr(errors, "run tickfloor calibrate"));
    free(output);

    assert_int_equal(tkf_profile_save(&profile, path), 0);
    machine = profile.machine;
    tkf_profile_free(&profile);
    assert_int_equal(show(NULL, NULL, &output), TKF_EXIT_OK);
    assert_string_equal(errors, "");
    assert_true(strncmp(output, "measured ", 9) == 0);
    assert_non_null(strstr(output, "tickfloor/profile.json"));
    assert_non_null(strstr(output, "\nsuspect below 0.542 ns"));
    assert_null(strstr(output, "not of this machine"));
    free(output);

    strcpy(machine.kernel, "6.12.6");
    assert_int_equal(show(NULL, NULL, &output), TKF_EXIT_OK);
    assert_non_null(strstr(output, "not of this machine"));
    assert_non_null(strstr(output, "kernel was 6.1.0-28-amd64"));
    assert_non_null(strstr(output, "-> run tickfloor calibrate"));
    assert_non_null(strstr(output, "\nsuspect below 0.542 ns"));
    free(output);
    free(path);
}

static void test_json(void **state)
{
    (void)state;
    char *output;
    json = true;
    strcpy(machine.arch, "another");
    assert_int_equal(show(PROFILES "hybrid.json", NULL, &output), TKF_EXIT_OK);
    json_t *before = json_load_file(PROFILES "hybrid.json", 0, NULL);
    json_t *after = json_loads(output, 0, NULL);
    assert_true(json_equal(before, after));
    json_decref(before);
    json_decref(after);
    free(output);
}

static void test_standard_input(void **state)
{
    (void)state;
    char *output;
    assert_non_null(freopen(PROFILES "emulated.json", "r", stdin));
    assert_int_equal(show("-", NULL, &output), TKF_EXIT_OK);
    assert_non_null(strstr(output, ", from standard input\n"));
    assert_non_null(strstr(output, "EMULATED by QEMU TCG"));
    free(output);

    assert_int_equal(show("-", NULL, &output), TKF_EXIT_USAGE); /* nothing is left */
    assert_string_equal(errors,
                        "standard input: empty; run tickfloor calibrate to make a new one\n");
    free(output);
}

static void test_bad_files(void **state)
{
    (void)state;
    char *output, *path = in_folder("bad.json");
    FILE *out = fopen(path, "w");
    fputs("{\n\"schema\": \"tickfloor.report/1\"\n}\n", out);
    fclose(out);
    assert_int_equal(show(path, NULL, &output), TKF_EXIT_USAGE);
    assert_string_equal(output, "");
    assert_non_null(strstr(errors, "/bad.json:2: schema is \"tickfloor.report/1\""));
    free(output);
    free(path);

    assert_int_equal(show(folder, NULL, &output), TKF_EXIT_USAGE);
    assert_non_null(strstr(errors, "Is a directory; "));
    free(output);

    path = in_folder("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(show(path, NULL, &output), TKF_EXIT_USAGE);
    assert_non_null(strstr(errors, "/pipe: empty; "));
    free(output);
    free(path);
}

static void test_usage(void **state)
{
    (void)state;
    char *output;
    assert_int_equal(show("a", "b", &output), TKF_EXIT_USAGE);
    assert_string_equal(errors, "show prints one profile, not 2; name one\n");
    free(output);

    unsetenv("XDG_STATE_HOME");
    unsetenv("HOME");
    assert_int_equal(show(NULL, NULL, &output), TKF_EXIT_USAGE);
    assert_non_null(strstr(errors, "XDG_STATE_HOME"));
    free(output);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_saved),     TEST(test_json),  TEST(test_standard_input),
        TEST(test_bad_files), TEST(test_usage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
