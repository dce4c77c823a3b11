/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "host.h"

const struct tkf_option tkf_show_cli_options[] = {{.name = NULL}};

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
    struct tkf_cpu_hints hints = {.model_name = NULL};
    char age[40], differences[700], note[800];

    tkf_card_age(profile->created, time(NULL), age, sizeof(age));
    snprintf(note, sizeof(note), "measured %s, from %s", age, name_of(path));
    tkf_card_note(stdout, &style, note, NULL);
    tkf_facts_read("", &machine, &hints);
    if (!tkf_profile_matches(profile, &machine, differences, sizeof(differences))) {
        snprintf(note, sizeof(note), "not of this machine as it is now: %s", differences);
        tkf_card_note(stdout, &style, note, "run tickfloor calibrate");
    }
    fputc('\n', stdout);
    tkf_card_print(stdout, &style, profile);
}

int tkf_verb_show(int argc, char **argv)
{
    struct tkf_common common;
    static struct tkf_profile profile; /* large: the stack may be small */
    int first;

    int status = tkf_options_parse(this_verb(), argc, argv, NULL, &common, &first);
    if (status >= 0)
        return status;
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
