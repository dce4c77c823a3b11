/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "host.h"

struct arguments {
    bool machine;
    const char *root; /* NULL: this machine's */
};

static int set_machine(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->machine = true;
    return 0;
}

static int set_root(void *target, const char *name, const char *value)
{
    if (value[0] == '\0') {
        tkf_error("name a folder", "--%s: '' is not a folder's name", name);
        return TKF_EXIT_USAGE;
    }
    ((struct arguments *)target)->root = value;
    return 0;
}

const struct tkf_option tkf_show_cli_options[] = {
    {"machine", 'm', NULL, false,
     "describe this machine, its kinds of core and its readiness, without measuring", set_machine},
    {"root", 'r', "DIR", false, "the same for a machine whose /proc and /sys were recorded in DIR",
     set_root},
    {.name = NULL},
};

static const struct tkf_verb *this_verb(void)
{
    const struct tkf_verb *verb = tkf_verbs;
    while (verb->run != tkf_verb_show)
        verb++;
    return verb;
}

/* Opening a pipe that nobody writes to would wait for ever; reading it ends at once. */
static FILE *open_input(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    FILE *in = fdopen(fd, "r");
    if (!in)
        close(fd);
    return in;
}

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* A path as the user is told of it. */
static const char *name_of(const char *path)
{
    return is_standard_input(path) ? "standard input" : path;
}

static int read_profile(const char *path, struct tkf_profile *ret_profile)
{
    bool is_stdin = is_standard_input(path);
    const char *name = name_of(path);
    struct tkf_input_error error;

    FILE *in = is_stdin ? stdin : open_input(path);
    if (!in) {
        tkf_error("run tickfloor calibrate, which makes one", "cannot read the profile %s: %s",
                  path, strerror(errno));
        return TKF_EXIT_USAGE;
    }
    int ret = tkf_profile_read(in, ret_profile, &error);
    if (!is_stdin)
        fclose(in);
    if (ret == 0)
        return 0;
    if (tkf_interrupted(NULL))
        return tkf_exit_interrupted();
    if (ret == TKF_ENOMEM) {
        tkf_error(error.next, "%s", error.text);
        return TKF_EXIT_MEASURE;
    }
    if (error.line > 0)
        tkf_error(error.next, "%s:%u: %s", name, error.line, error.text);
    else
        tkf_error(error.next, "%s: %s", name, error.text);
    return TKF_EXIT_USAGE;
}

static void print_for_person(const struct tkf_profile *profile, const char *path,
                             const struct tkf_common *common)
{
    struct tkf_style style = tkf_style_for(stdout, common);
    struct tkf_machine machine = {.arch = ""};
    char age[40], differences[700], note[800];

    tkf_card_age(profile->created, time(NULL), age, sizeof(age));
    snprintf(note, sizeof(note), "measured %s, from %s", age, name_of(path));
    tkf_card_note(stdout, &style, note, NULL);
    tkf_machine_read(&machine);
    if (!tkf_profile_matches(profile, &machine, differences, sizeof(differences))) {
        snprintf(note, sizeof(note), "not of this machine as it is now: %s", differences);
        tkf_card_note(stdout, &style, note, "run tickfloor calibrate");
    }
    fputc('\n', stdout);
    tkf_card_print(stdout, &style, profile);
}

static int show_machine(const char *root, const struct tkf_common *common)
{
    static struct tkf_description description; /* large: the stack may be small */
    struct tkf_input_error why;
    int error = tkf_machine_describe(root, &description, &why);
    if (error != 0) {
        tkf_error(why.next, "%s", why.text);
        return error == TKF_EINVAL ? TKF_EXIT_USAGE : TKF_EXIT_MEASURE;
    }
    tkf_signals_release();
    if (common->json)
        return tkf_print_description(&description);
    struct tkf_style style = tkf_style_for(stdout, common);
    tkf_card_machine(stdout, &style, &description);
    return TKF_EXIT_OK;
}

int tkf_verb_show(int argc, char **argv)
{
    struct arguments arguments = {.machine = false};
    struct tkf_common common;
    static struct tkf_profile profile; /* large: the stack may be small */
    int first;

    int status = tkf_options_parse(this_verb(), argc, argv, &arguments, &common, &first);
    if (status >= 0)
        return status;
    if (arguments.machine || arguments.root) {
        if (first == argc)
            return show_machine(arguments.root, &common);
        tkf_error("leave one of them out", "--%s shows a machine, and '%s' names a profile",
                  arguments.root ? "root" : "machine", argv[first]);
        return TKF_EXIT_USAGE;
    }
    if (argc - first > 1) {
        tkf_error("name one", "show prints one profile, not %d", argc - first);
        return TKF_EXIT_USAGE;
    }
    char *path = first < argc ? strdup(argv[first]) : tkf_profile_path();
    if (!path) {
        tkf_error("name a profile: tickfloor show FILE",
                  "nowhere to look for it: neither XDG_STATE_HOME nor HOME is an absolute path");
        return TKF_EXIT_USAGE;
    }
    status = read_profile(path, &profile);
    if (status == 0) {
        tkf_signals_release();
        if (common.json)
            status = tkf_print_profile(&profile);
        else
            print_for_person(&profile, path, &common);
        tkf_profile_free(&profile);
    }
    free(path);
    return status;
}
