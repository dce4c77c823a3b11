/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "host.h"

struct arguments {
    bool machine;
    const char *root; /* NULL: this machine's */
    struct tkf_views views;
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

static int set_view(void *target, const char *name, const char *value)
{
    return tkf_view_option(name, value, &((struct arguments *)target)->views);
}

const struct tkf_option tkf_show_cli_options[] = {
    {"machine", 'm', NULL, false,
     "describe this machine, its kinds of core and its readiness, without measuring", set_machine},
    {"root", 'r', "DIR", false, "the same for a machine whose /proc and /sys were recorded in DIR",
     set_root},
    {"html", 0, "FILE", false, "draw what was explored as a page for a browser", set_view},
    {"svg", 0, "DIR", false, "draw each picture of it as a file in DIR", set_view},
    {.name = NULL},
};

static const struct tkf_verb *this_verb(void)
{
    const struct tkf_verb *verb = tkf_verbs;
    while (verb->run != tkf_verb_show)
        verb++;
    return verb;
}

static void print_for_person(const struct tkf_profile *profile, const char *path,
                             const struct tkf_common *common)
{
    struct tkf_style style = tkf_style_for(stdout, common);
    struct tkf_machine machine = {.arch = ""};
    char age[40], differences[700], note[800];

    tkf_card_age(profile->created, time(NULL), age, sizeof(age));
    snprintf(note, sizeof(note), "measured %s, from %s", age, tkf_input_name(path));
    tkf_card_note(stdout, &style, note, NULL);
    tkf_machine_read(&machine);
    if (!tkf_profile_matches(profile, &machine, differences, sizeof(differences))) {
        snprintf(note, sizeof(note), "not of this machine as it is now: %s", differences);
        tkf_card_note(stdout, &style, note, "run tickfloor calibrate");
    }
    fputc('\n', stdout);
    tkf_card_print(stdout, &style, profile);
    if (profile->explore != NULL) {
        fputc('\n', stdout);
        tkf_explore_print(stdout, &style, profile);
    }
}

static int draw(const struct tkf_views *views, const struct tkf_profile *profile, const char *path)
{
    if ((views->html || views->svg) && !profile->explore) {
        tkf_error("run tickfloor explore, which makes one", "%s holds no exploration to draw",
                  tkf_input_name(path));
        return TKF_EXIT_USAGE;
    }
    return tkf_views_write(views, profile);
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
        if (arguments.views.html || arguments.views.svg) {
            tkf_error("leave one of them out",
                      "a machine that is not measured has nothing to draw with --%s",
                      arguments.views.html ? "html" : "svg");
            return TKF_EXIT_USAGE;
        }
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
    status = tkf_profile_load(path, &profile);
    if (status == 0) {
        tkf_signals_release();
        if (common.json)
            status = tkf_print_profile(&profile);
        else
            print_for_person(&profile, path, &common);
        int drawn = draw(&arguments.views, &profile, path);
        status = status != TKF_EXIT_OK ? status : drawn;
        tkf_profile_free(&profile);
    }
    free(path);
    return status;
}
