/* SPDX-License-Identifier: MIT */
/** `tickfloor fleet`: the profiles of many machines. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "save.h"
#include "write.h"

struct arguments {
    double tolerance_percent, distance;
    const char *openmetrics; /* NULL: none; "-": standard output */
    bool all;
};

/* ---- options ---- */

static int set_all(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->all = true;
    return 0;
}

static int set_tolerance(void *target, const char *name, const char *value)
{
    return tkf_take_number(name, value, 0, 1000,
                           "give a number of percent from 0 to 1000, such as 5",
                           &((struct arguments *)target)->tolerance_percent);
}

static int set_distance(void *target, const char *name, const char *value)
{
    return tkf_take_number(name, value, 1, 1000, "give a number from 1 to 1000, such as 6",
                           &((struct arguments *)target)->distance);
}

static int set_openmetrics(void *target, const char *name, const char *value)
{
    (void)name;
    ((struct arguments *)target)->openmetrics = value;
    return 0;
}

const struct tkf_option tkf_fleet_cli_options[] = {
    {"all", 'a', NULL, false, "print every quantity, every machine, every odd one", set_all},
    {"distance", 'd', "NUMBER", false,
     "how far from the median of its model a machine is odd; 6 when not given, in units of 1.4826 "
     "MAD, which are standard deviations where values are normal",
     set_distance},
    {"tolerance", 't', "PERCENT", false,
     "what is never odd, as for 'tickfloor compare'; 5 when not given", set_tolerance},
    {"openmetrics", 0, "FILE", false,
     "write them for the text file collector of Prometheus' node exporter; FILE is replaced as a "
     "whole; with '-' they are printed instead of the table",
     set_openmetrics},
    {NULL, 0, NULL, false, NULL, NULL},
};

static const struct tkf_verb *this_verb(void)
{
    const struct tkf_verb *verb = tkf_verbs;
    while (verb->run != tkf_verb_fleet)
        verb++;
    return verb;
}

/* ---- reading ---- */

/* What cannot be read is bad, as what is no profile is: the others are read all the same. */
static int read_input(struct tkf_fleet *fleet, const char *path)
{
    struct tkf_input_error why = {.next = "give what tickfloor calibrate --json printed"};
    const char *name = tkf_input_name(path);
    FILE *in = tkf_input_open(path);
    int ret = in ? tkf_fleet_read(fleet, in, name) : TKF_EIO;
    int reason = errno;
    if (in && in != stdin)
        fclose(in);
    if (ret != TKF_EIO || tkf_interrupted(NULL))
        return ret;
    snprintf(why.text, sizeof(why.text), "%s", strerror(reason));
    return tkf_fleet_add_bad(fleet, name, "", &why);
}

static int read_all(struct tkf_fleet *fleet, char *const *paths, size_t npaths)
{
    int ret = 0;
    if (npaths == 0)
        return read_input(fleet, "-");
    for (size_t i = 0; i < npaths && ret == 0 && !tkf_interrupted(NULL); i++)
        ret = read_input(fleet, paths[i]);
    return ret;
}

/* ---- printing ---- */

static int write_openmetrics(const void *fleet, FILE *out)
{
    tkf_write_openmetrics(fleet, out);
    return ferror(out) ? TKF_EIO : 0;
}

static int save_openmetrics(const struct tkf_fleet *fleet, const char *path)
{
    /* For a node exporter that runs as another user. */
    int ret = tkf_save_whole(path, 0644, write_openmetrics, fleet);
    if (ret == 0)
        return TKF_EXIT_OK;
    tkf_error("name another file with --openmetrics", "cannot save %s: %s", path,
              ret == TKF_ENOMEM ? "out of memory" : tkf_save_reason());
    return TKF_EXIT_MEASURE;
}

static int print(const struct tkf_fleet *fleet, const struct arguments *arguments,
                 const struct tkf_common *common)
{
    struct tkf_style style = tkf_style_for(stdout, common);
    struct tkf_table_style table = {
        .color = style.color, .unicode = style.unicode, .width = style.width};
    if (arguments->openmetrics && strcmp(arguments->openmetrics, "-") == 0)
        tkf_write_openmetrics(fleet, stdout);
    else if (!common->json)
        tkf_write_fleet(fleet, arguments->all, &table, stdout);
    else if (tkf_write_fleet_json(fleet, stdout) < 0)
        return TKF_ENOMEM;
    return 0;
}

/* An error line for each bad one would be as long as a fleet; the table and the JSON have them all. */
static void say_bad(const struct tkf_fleet *fleet)
{
    const struct tkf_fleet_bad *bad = &fleet->bad[0];
    char place[20] = "", more[40] = "";
    if (bad->line > 0)
        snprintf(place, sizeof(place), ":%u", bad->line);
    if (fleet->nbad > 1)
        snprintf(more, sizeof(more), " (and %zu more)", fleet->nbad - 1);
    bool mixed = fleet->nbad + fleet->nmachines > 1 && bad->label[0] == '\0' && bad->line > 0;
    const char *next = mixed ? "where a launcher mixed the lines of several machines, label them: "
                               "mpirun --tag-output, srun --label"
                             : bad->next;
    tkf_error(next, "%s%s%s%s: %s%s", fleet->texts.texts[bad->file], place,
              bad->label[0] ? " label " : "", bad->label, bad->text, more);
}

int tkf_verb_fleet(int argc, char **argv)
{
    struct arguments arguments = {
        .tolerance_percent = TKF_TOLERANCE_PERCENT,
        .distance = TKF_FLEET_DISTANCE,
    };
    struct tkf_common common;
    struct tkf_fleet fleet = {0};
    int first;
    int status = tkf_options_parse(this_verb(), argc, argv, &arguments, &common, &first);
    if (status >= 0)
        return status;
    if (common.json && arguments.openmetrics && strcmp(arguments.openmetrics, "-") == 0) {
        tkf_error("give --openmetrics a file", "--json and --openmetrics - both print");
        return TKF_EXIT_USAGE;
    }
    fleet.tolerance_percent = arguments.tolerance_percent;
    fleet.distance = arguments.distance;
    int ret = read_all(&fleet, argv + first, (size_t)(argc - first));
    status = TKF_EXIT_SIGINT;
    if (tkf_interrupted(NULL))
        goto cleanup;
    if (ret == 0)
        ret = tkf_fleet_judge(&fleet);
    tkf_signals_release();
    status = TKF_EXIT_OK;
    if (ret == 0 && fleet.nbad > 0)
        say_bad(&fleet);
    if (ret == 0 && arguments.openmetrics && strcmp(arguments.openmetrics, "-") != 0)
        status = save_openmetrics(&fleet, arguments.openmetrics);
    if (ret == 0)
        ret = print(&fleet, &arguments, &common);
    if (ret < 0) {
        tkf_error("free some memory and try again", "out of memory");
        status = TKF_EXIT_MEASURE;
    }
    if (status == TKF_EXIT_OK && (fleet.nbad > 0 || fleet.nodd_machines > 0))
        status = TKF_EXIT_FLAGGED;
cleanup:
    tkf_fleet_free(&fleet);
    return status;
}
