/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

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

static void print_for_person(const struct tkf_profile *profile, const char *path,
                             const struct tkf_common *common)
{
    struct tkf_style style = tkf_style_for(stdout, common);
    struct tkf_machine machine = {.arch = ""};
    struct tkf_cpu_hints hints = {.model_name = NULL};
    char age[40], differences[700], note[800];

    tkf_card_age(profile->created, time(NULL), age, sizeof(age));
    snprintf(note, sizeof(note), "measured %s, from %s", age, tkf_input_name(path));
    tkf_card_note(stdout, &style, note, NULL);
    tkf_facts_read("", &machine, &hints);
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

int tkf_verb_show(int argc, char **argv)
{
    struct tkf_common common;
    struct tkf_profile profile;
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
    status = tkf_profile_load(path, &profile);
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
