/* SPDX-License-Identifier: MIT */
/** `tickfloor explore`: calibrate, explore, print, save. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/calibrate.h>
#include <tickfloor/explore.h>

#include "cli.h"

#define CPU_MAX     65535
#define SECONDS_MAX 86400

struct arguments {
    struct tkf_explore_request request;
    const char *cpu; /* NULL: the quietest of the fastest kind */
    const char *output;
    bool no_save;
    struct tkf_views views;
};

static int set_part(bool parts[TKF_EXPLORE_PARTS], const char *word)
{
    const char *names[TKF_EXPLORE_PARTS + 1] = {NULL};
    char next[120] = "parts are ";
    for (unsigned i = 0; i < TKF_EXPLORE_PARTS; i++) {
        names[i] = tkf_explore_part_name(i);
        strcat(strcat(next, i > 0 ? ", " : ""), names[i]);
        if (strcmp(word, names[i]) == 0) {
            parts[i] = true;
            return 0;
        }
    }
    const char *nearest = tkf_nearest(word, names);
    if (nearest != NULL)
        snprintf(next, sizeof next, "did you mean '%s'?", nearest);
    tkf_error(next, "--only: no part is called '%.40s'", word);
    return TKF_EXIT_USAGE;
}

static int set_only(void *target, const char *name, const char *value)
{
    (void)name;
    struct arguments *arguments = target;
    char *words = strdup(value), *at = words, *word;
    int status = 0;
    if (words == NULL)
        return TKF_EXIT_MEASURE;
    while (status == 0 && (word = strsep(&at, ",")) != NULL)
        status = set_part(arguments->request.parts, word);
    free(words);
    return status;
}

static int set_time(void *target, const char *name, const char *value)
{
    char *end;
    double seconds = strtod(value, &end);
    if (end == value || *end != '\0' || !(seconds > 0 && seconds <= SECONDS_MAX)) {
        tkf_error("give a number of seconds, up to 86400", "--%s: '%.40s' is no such time", name,
                  value);
        return TKF_EXIT_USAGE;
    }
    ((struct arguments *)target)->request.seconds = seconds;
    return 0;
}

static int set_cpu(void *target, const char *name, const char *value)
{
    char *end;
    errno = 0;
    unsigned long cpu = strtoul(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 || cpu > CPU_MAX) {
        tkf_error("give one, such as 3", "--%s: '%.40s' is not a CPU number", name, value);
        return TKF_EXIT_USAGE;
    }
    ((struct arguments *)target)->cpu = value;
    return 0;
}

static int set_output(void *target, const char *name, const char *value)
{
    return tkf_save_option(name, value, &((struct arguments *)target)->output);
}

static int set_view(void *target, const char *name, const char *value)
{
    return tkf_view_option(name, value, &((struct arguments *)target)->views);
}

static int set_no_save(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->no_save = true;
    return 0;
}

const struct tkf_option tkf_explore_cli_options[] = {
    {"only", 0, "PARTS", false,
     "these alone, with commas between: ladder, bandwidth, system, pairs, frequency, noise",
     set_only},
    {"time", 't', "SECONDS", false,
     "take so long in all (default: 25); what does not fit is left out", set_time},
    {"cpu", 'c', "N", false,
     "measure on this CPU what concerns one (default: the quietest of the fastest kind)", set_cpu},
    {"output", 'o', "FILE", false, "save the profile in FILE instead of the state folder",
     set_output},
    {"no-save", 0, NULL, false, "do not save the profile", set_no_save},
    {"html", 0, "FILE", false, "draw a page for a browser", set_view},
    {"svg", 0, "DIR", false, "draw each picture as a file in DIR", set_view},
    {"lstopo", 0, "FILE", false,
     "write hwloc's XML of the machine, coloured by its noise: lstopo -i FILE", set_view},
    {NULL, 0, NULL, false, NULL, NULL},
};

static const struct tkf_verb *this_verb(void)
{
    const struct tkf_verb *verb = tkf_verbs;
    while (verb->run != tkf_verb_explore)
        verb++;
    return verb;
}

static void progress(void *ctx, double done, const char *what)
{
    (void)ctx;
    tkf_progress(done, what);
}

/** Calibrate and explore. @return an exit status; on 0 the profile, which may be partial, is to be freed. */
static int measure(const struct arguments *arguments, struct tkf_profile *ret_profile)
{
    struct tkf_calibrate_request calibrate = {.cpus = arguments->cpu, .cancelled = tkf_interrupted};
    struct tkf_input_error why;
    tkf_progress(0, "the floor");
    int error = tkf_calibrate_machine(&calibrate, ret_profile, &why);
    if (error == TKF_ECANCELLED)
        return tkf_exit_interrupted();
    if (error == TKF_ENOCPU && arguments->cpu != NULL) {
        tkf_error("choose another, or widen the cpuset or the affinity mask",
                  "--cpu: CPU %s is not one that this process may use", arguments->cpu);
        return TKF_EXIT_USAGE;
    }
    if (error == 0) {
        error = tkf_explore_machine(&arguments->request, ret_profile, &why);
        if (error != 0)
            tkf_profile_free(ret_profile);
    }
    tkf_progress_clear();
    if (error == 0)
        return TKF_EXIT_OK;
    tkf_error(why.next[0] != '\0' ? why.next : NULL, "%s", why.text);
    return tkf_exit_of(error);
}

int tkf_verb_explore(int argc, char **argv)
{
    struct arguments arguments = {.request = {.cancelled = tkf_interrupted, .progress = progress}};
    struct tkf_common common;
    int first;
    int status = tkf_options_parse(this_verb(), argc, argv, &arguments, &common, &first);
    if (status >= 0)
        return status;
    if (first < argc) {
        tkf_error("see 'tickfloor explore --help'", "explore takes no operand, but there is '%s'",
                  argv[first]);
        return TKF_EXIT_USAGE;
    }
    if (arguments.no_save && arguments.output != NULL)
        return tkf_save_contradiction();

    static struct tkf_profile profile; /* large: the stack may be small */
    status = measure(&arguments, &profile);
    if (status != TKF_EXIT_OK)
        return status;

    /* What was measured before an interruption is kept: it is marked as partial. */
    char *path = NULL;
    if (!arguments.no_save)
        status = tkf_save(&profile, arguments.output, &path);
    tkf_signals_release();
    if (common.json) {
        int printed = tkf_print_profile(&profile);
        status = status != TKF_EXIT_OK ? status : printed;
    } else {
        struct tkf_style style = tkf_style_for(stdout, &common);
        tkf_explore_print(stdout, &style, &profile);
        if (path != NULL)
            printf("%ssaved in %s%s\n", style.dim, path, style.reset);
    }
    int drawn = tkf_views_write(&arguments.views, &profile);
    status = status != TKF_EXIT_OK ? status : drawn;
    if (status == TKF_EXIT_OK && tkf_interrupted(NULL))
        status = tkf_exit_interrupted();
    free(path);
    tkf_profile_free(&profile);
    return status;
}
