/* SPDX-License-Identifier: MIT */
/** `tickfloor calibrate`: measure, print, save. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickfloor/calibrate.h>

#include "cli.h"

struct arguments {
    struct tkf_calibrate_request request;
    const char *output;
    const char *harness; /* NULL: none */
    bool no_save, host;
};

static int set_cpus(void *target, const char *name, const char *value)
{
    (void)name;
    ((struct arguments *)target)->request.cpus = value;
    return 0;
}

static int set_source(void *target, const char *name, const char *value)
{
    (void)name;
    ((struct arguments *)target)->request.source = value;
    return 0;
}

static int set_quick(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->request.quick = true;
    return 0;
}

static int set_output(void *target, const char *name, const char *value)
{
    return tkf_save_option(name, value, &((struct arguments *)target)->output);
}

static int set_harness(void *target, const char *name, const char *value)
{
    (void)name;
    ((struct arguments *)target)->harness = value;
    return tkf_harness_check(value);
}

static int set_host(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->host = true;
    return 0;
}

static int set_no_save(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->no_save = true;
    return 0;
}

const struct tkf_option tkf_calibrate_cli_options[] = {
    {"cpus", 'c', "WHICH", false,
     "kinds (default: the quietest CPU of each kind), all, or a list such as 0,3-5", set_cpus},
    {"source", 0, "NAME", false,
     "read time from this source instead of the best that proves itself", set_source},
    {"quick", 'q', NULL, false,
     "a tenth of the time; on a quiet machine the same answers within 1 %", set_quick},
    {"harness", 0, "WHICH", false,
     "run empty benchmarks of frameworks too: names such as go,catch2; auto for all that are here; "
     "list to see which are",
     set_harness},
    {"output", 'o', "FILE", false, "save the profile in FILE instead of the state folder",
     set_output},
    {"host", 0, NULL, false,
     "keep the machine's name in the profile, for 'tickfloor fleet'; without it none is kept",
     set_host},
    {"no-save", 0, NULL, false, "do not save the profile", set_no_save},
    {NULL, 0, NULL, false, NULL, NULL},
};

static void progress(void *ctx, double done, const char *what)
{
    (void)ctx;
    tkf_progress(done, what);
}

int tkf_verb_calibrate(int argc, char **argv)
{
    struct arguments arguments = {.request = {.cancelled = tkf_interrupted, .progress = progress}};
    struct tkf_common common;
    int first;
    int status = tkf_options_parse(&tkf_verbs[0], argc, argv, &arguments, &common, &first);
    if (status >= 0)
        return status;
    if (first < argc) {
        tkf_error("see 'tickfloor calibrate --help'",
                  "calibrate takes no operand, but there is '%s'", argv[first]);
        return TKF_EXIT_USAGE;
    }
    if (arguments.no_save && arguments.output != NULL)
        return tkf_save_contradiction();

    if (arguments.harness != NULL && strcmp(arguments.harness, "list") == 0)
        return tkf_harness_print_list(&common);

    static struct tkf_profile profile; /* large: the stack may be small */
    struct tkf_input_error why;
    int error = tkf_calibrate_machine(&arguments.request, &profile, &why);
    tkf_progress_clear();
    if (error == TKF_ECANCELLED)
        return tkf_exit_interrupted();
    if (error != 0) {
        tkf_error(why.next[0] != '\0' ? why.next : NULL, "%s", why.text);
        return tkf_exit_of(error);
    }

    if (arguments.host && gethostname(profile.machine.host, sizeof profile.machine.host - 1) != 0)
        profile.machine.host[0] = '\0'; /* too long for what a name in the network may be */
    char *path = NULL;
    int harness_status = TKF_EXIT_OK;
    if (arguments.harness != NULL)
        harness_status = tkf_harness_add(arguments.harness, &profile);
    status = TKF_EXIT_OK;
    if (!arguments.no_save && !tkf_interrupted(NULL))
        status = tkf_save(&profile, arguments.output, &path);
    tkf_signals_release();
    if (tkf_interrupted(NULL)) { /* too late for the measurement to see it */
        status = tkf_exit_interrupted();
    } else if (common.json) {
        int printed = tkf_print_profile(&profile);
        status = status != TKF_EXIT_OK ? status : printed;
    } else {
        struct tkf_style style = tkf_style_for(stdout, &common);
        tkf_card_print(stdout, &style, &profile);
        if (path != NULL)
            printf("%ssaved in %s%s\n", style.dim, path, style.reset);
    }
    free(path);
    tkf_profile_free(&profile);
    return status != TKF_EXIT_OK ? status : harness_status;
}
