/* SPDX-License-Identifier: MIT */
/** `tickfloor compare`: two profiles, quantity by quantity. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "write.h"

/* Beside the groups in --fail-on, as further bits. */
#define FAIL_MACHINE (1u << TKF_GROUPS)
#define FAIL_WORSE   (1u << (TKF_GROUPS + 1))
#define FAIL_ANY     ((1u << TKF_GROUPS) - 1)

struct arguments {
    enum tkf_compare_rows rows;
    double tolerance_percent;
    unsigned fail_on; /* bit n: group n; FAIL_... */
};

/* ---- options ---- */

static int set_all(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->rows = TKF_COMPARE_ALL;
    return 0;
}

static int set_changed(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->rows = TKF_COMPARE_CHANGED;
    return 0;
}

static int set_tolerance(void *target, const char *name, const char *value)
{
    return tkf_take_number(name, value, 0, 1000,
                           "give a number of percent from 0 to 1000, such as 5",
                           &((struct arguments *)target)->tolerance_percent);
}

/* What a word of --fail-on stands for; 0 when it is none. */
static unsigned bits_of(const char *word)
{
    if (strcmp(word, "any") == 0)
        return FAIL_ANY;
    if (strcmp(word, "worse") == 0)
        return FAIL_WORSE;
    if (strcmp(word, "machine") == 0)
        return FAIL_MACHINE;
    for (unsigned group = 0; group < TKF_GROUPS; group++) {
        if (strcmp(word, tkf_group_name(group)) == 0)
            return 1u << group;
    }
    return 0;
}

static int refuse_fail_on(const char *name, const char *word)
{
    const char *words[TKF_GROUPS + 5] = {"any", "worse", "machine", "none"};
    for (unsigned group = 0; group < TKF_GROUPS; group++)
        words[group + 4] = tkf_group_name(group);
    const char *nearest = tkf_nearest(word, words);
    char next[120] = "give any, worse, machine, none, or groups as the table names them, such as "
                     "floor,clock";
    if (nearest)
        snprintf(next, sizeof next, "did you mean '%s'?", nearest);
    tkf_error(next, "'--%s' does not know '%s'", name, word);
    return TKF_EXIT_USAGE;
}

static int set_fail_on(void *target, const char *name, const char *value)
{
    struct arguments *arguments = target;
    return tkf_option_words(name, value, bits_of, refuse_fail_on, &arguments->fail_on);
}

const struct tkf_option tkf_compare_cli_options[] = {
    {"all", 'a', NULL, false, "print every quantity", set_all},
    {"changed", 0, NULL, false,
     "print only what differs; without either: counter, clock, floor and noise, and what differs "
     "of the rest",
     set_changed},
    {"tolerance", 't', "PERCENT", false,
     "what may lie between two intervals before it counts; 5 when not given, three times as much "
     "for what is measured by a few readings, a hundred times for noise, a fiftieth for the "
     "counter's rate",
     set_tolerance},
    {"fail-on", 0, "LIST", false,
     "exit with 1 where these differ: any quantity, worse ones, the machine, or groups such as "
     "floor,clock; none is the default",
     set_fail_on},
    {NULL, 0, NULL, false, NULL, NULL},
};

static const struct tkf_verb *this_verb(void)
{
    const struct tkf_verb *verb = tkf_verbs;
    while (verb->run != tkf_verb_compare)
        verb++;
    return verb;
}

/* ---- the verb ---- */

static bool flagged(const struct tkf_comparison *comparison, unsigned fail_on)
{
    if ((fail_on & FAIL_MACHINE) && comparison->nmachine > 0)
        return true;
    for (size_t i = 0; i < comparison->nquantities; i++) {
        const struct tkf_compared *compared = &comparison->quantities[i];
        if (!tkf_change_counts(compared->change))
            continue;
        if ((fail_on & (1u << compared->a.group)) ||
            ((fail_on & FAIL_WORSE) && compared->change == TKF_CHANGE_WORSE))
            return true;
    }
    return false;
}

static int compare(const struct tkf_profile *a, const struct tkf_profile *b,
                   const struct tkf_compare_names *names, const struct arguments *arguments,
                   const struct tkf_common *common)
{
    struct tkf_comparison comparison;
    int error = tkf_compare(a, b, arguments->tolerance_percent, &comparison);
    if (error == 0) {
        struct tkf_style style = tkf_style_for(stdout, common);
        struct tkf_table_style table = {
            .color = style.color, .unicode = style.unicode, .width = style.width};
        if (common->json)
            error = tkf_write_compare_json(&comparison, names, stdout);
        else
            tkf_write_compare(&comparison, names, arguments->rows, &table, stdout);
    }
    if (error < 0) {
        tkf_error("free some memory and try again", "out of memory");
        return TKF_EXIT_MEASURE;
    }
    bool flag = flagged(&comparison, arguments->fail_on);
    tkf_comparison_free(&comparison);
    return flag ? TKF_EXIT_FLAGGED : TKF_EXIT_OK;
}

int tkf_verb_compare(int argc, char **argv)
{
    struct arguments arguments = {.tolerance_percent = TKF_TOLERANCE_PERCENT};
    struct tkf_common common;
    static struct tkf_profile a, b; /* large: the stack may be small */
    int first;
    int status = tkf_options_parse(this_verb(), argc, argv, &arguments, &common, &first);
    if (status >= 0)
        return status;
    if (argc - first != 2) {
        tkf_error("name two: tickfloor compare A B", "compare takes two profiles, not %d",
                  argc - first);
        return TKF_EXIT_USAGE;
    }
    const char *paths[] = {argv[first], argv[first + 1]};
    if (strcmp(paths[0], "-") == 0 && strcmp(paths[1], "-") == 0) {
        tkf_error("name a file for one of them", "standard input cannot be both profiles");
        return TKF_EXIT_USAGE;
    }
    status = tkf_profile_load(paths[0], &a);
    if (status != 0)
        return status;
    status = tkf_profile_load(paths[1], &b);
    if (status == 0) {
        struct tkf_compare_names names = {tkf_input_name(paths[0]), tkf_input_name(paths[1])};
        tkf_signals_release();
        status = compare(&a, &b, &names, &arguments, &common);
        tkf_profile_free(&b);
    }
    tkf_profile_free(&a);
    return status;
}
