/* SPDX-License-Identifier: MIT */
/** `tickfloor calibrate --harness`: which frameworks, and what became of them. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "harness/harness.h"
#include "host.h"

#define NAMES_MAX 32

struct names {
    char *text; /* they lie in it; to free() */
    const char *list[NAMES_MAX];
    unsigned n;
};

/* ---- where the empty benchmarks lie ---- */

static bool is_folder(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

/* To free(). Beside the command, as built and as installed anywhere, and where it was to be installed; the last one in any case. */
static char *sources_folder(void)
{
    static const char *const beside[] = {"../host/harness/sources", "../share/tickfloor/harness"};
    const char *chosen = getenv("TICKFLOOR_HARNESS_DIR");
    char program[4096], *folder = NULL;

    if (chosen)
        return strdup(chosen);
    if (tkf_program_path(program, sizeof(program)) && strrchr(program, '/')) {
        *strrchr(program, '/') = '\0';
        for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
            if (asprintf(&folder, "%s/%s", program, beside[i]) < 0)
                return NULL;
            if (is_folder(folder))
                return folder;
            free(folder);
        }
    }
    return strdup(TKF_HARNESS_DIR);
}

/* ---- the names ---- */

/* Those that may stand in the option, each once; ended by NULL. */
static void known_names(const char *ret_names[NAMES_MAX])
{
    unsigned n = 0;
    ret_names[n++] = "auto";
    ret_names[n++] = "list";
    for (const struct tkf_recipe *r = tkf_recipes; r->framework; r++) {
        if (strcmp(ret_names[n - 1], r->framework) != 0)
            ret_names[n++] = r->framework;
    }
    ret_names[n] = NULL;
}

static int check_name(const char *name, bool alone)
{
    const char *known[NAMES_MAX], *nearest;
    known_names(known);
    for (unsigned i = 0; known[i]; i++) {
        if (strcmp(known[i], name) != 0)
            continue;
        if (i >= 2 || alone)
            return TKF_EXIT_OK;
        tkf_error("give it alone", "--harness: '%s' stands beside names of frameworks", name);
        return TKF_EXIT_USAGE;
    }
    nearest = tkf_nearest(name, known);
    if (name[0] == '\0')
        tkf_error("see 'tickfloor calibrate --harness list'", "--harness: a name is empty");
    else if (nearest)
        tkf_error("see 'tickfloor calibrate --harness list'",
                  "--harness: no framework is called '%s'; did you mean '%s'?", name, nearest);
    else
        tkf_error("see 'tickfloor calibrate --harness list'",
                  "--harness: no framework is called '%s'", name);
    return TKF_EXIT_USAGE;
}

/* The names in the option; none for "auto". On failure it is said, and there is nothing to free. */
static int split(const char *option, struct names *ret_names)
{
    struct names names = {.text = strdup(option)};
    char *rest = names.text, *name;
    bool alone = strchr(option, ',') == NULL;
    int status = TKF_EXIT_OK;
    if (!names.text) {
        tkf_error("free some memory and try again", "out of memory");
        return TKF_EXIT_MEASURE;
    }
    while (status == TKF_EXIT_OK && (name = strsep(&rest, ","))) {
        status = check_name(name, alone);
        if (status == TKF_EXIT_OK && names.n == NAMES_MAX) {
            tkf_error("name each once", "--harness: more than %d names", NAMES_MAX);
            status = TKF_EXIT_USAGE;
        }
        if (status == TKF_EXIT_OK && strcmp(name, "auto") != 0)
            names.list[names.n++] = name;
    }
    if (status == TKF_EXIT_OK)
        *ret_names = names;
    else
        free(names.text);
    return status;
}

int tkf_harness_check(const char *option)
{
    struct names names;
    int status = split(option, &names);
    if (status == TKF_EXIT_OK)
        free(names.text);
    return status;
}

/* ---- measuring ---- */

static void progress(void *ctx, double done, const char *what)
{
    (void)ctx;
    tkf_progress(done, what);
}

static int say(int error, const struct tkf_input_error *why)
{
    tkf_progress_clear();
    if (error == TKF_ECANCELLED)
        return tkf_exit_interrupted();
    tkf_error(why->next[0] ? why->next : NULL, "%s", why->text);
    return error == TKF_EINVAL ? TKF_EXIT_USAGE : TKF_EXIT_MEASURE;
}

int tkf_harness_add(const char *option, struct tkf_profile *profile)
{
    struct names names;
    struct tkf_input_error why;
    int status = split(option, &names);
    if (status != TKF_EXIT_OK)
        return status;
    char *sources = sources_folder();
    struct tkf_harness_request request = {
        .sources = sources ? sources : TKF_HARNESS_DIR,
        .only = names.list,
        .nonly = names.n,
        .cancelled = tkf_interrupted,
        .progress = progress,
    };
    int error = tkf_harness_measure(&request, profile, &why);
    if (error != 0)
        status = say(error, &why);
    tkf_progress_clear();
    for (unsigned i = 0; error == 0 && i < profile->nharnesses; i++) {
        const struct tkf_harness_floor *floor = &profile->harnesses[i];
        if (!floor->reason[0])
            continue;
        tkf_error(floor->next, "%s%s%s: %s", floor->framework, floor->loop_form[0] ? " " : "",
                  floor->loop_form, floor->reason);
        if (names.n > 0) /* what nobody asked for by its name may be missing */
            status = TKF_EXIT_MEASURE;
    }
    free(sources);
    free(names.text);
    return status;
}

/* ---- what is there ---- */

static int print_json(const struct tkf_harness_found *found, int n)
{
    json_t *list = json_array();
    for (int i = 0; i < n; i++) {
        const struct tkf_harness_found *f = &found[i];
        json_array_append_new(
            list, json_pack("{s:s, s:b, s:b, s:s?, s:s?}", "framework", f->recipe->framework,
                            "found", f->found, "fetches", f->recipe->fetches, "reason",
                            f->reason[0] ? f->reason : NULL, "next", f->next[0] ? f->next : NULL));
    }
    json_t *root = json_pack("{s:s, s:o}", "schema", "tickfloor.harnesses/1", "harnesses", list);
    int ret = root ? json_dumpf(root, stdout, JSON_INDENT(2)) : -1;
    putchar('\n');
    json_decref(root);
    if (ret == 0 || ferror(stdout))
        return TKF_EXIT_OK; /* a failed stdout is tkf_finish()'s to say */
    tkf_error("free some memory and try again", "out of memory");
    return TKF_EXIT_MEASURE;
}

static void print_table(const struct tkf_harness_found *found, int n, const struct tkf_style *style)
{
    for (int i = 0; i < n; i++) {
        const struct tkf_harness_found *f = &found[i];
        char text[280];
        snprintf(text, sizeof(text), "%-17s %s", f->recipe->framework,
                 !f->found            ? f->reason
                 : f->recipe->fetches ? "found; its package is fetched: only when asked for by name"
                                      : "found");
        tkf_card_note(stdout, style, text, f->found ? NULL : f->next);
    }
}

int tkf_harness_print_list(const struct tkf_common *common)
{
    struct tkf_harness_found found[NAMES_MAX];
    struct tkf_input_error why;
    char *sources = sources_folder();
    struct tkf_harness_request request = {
        .sources = sources ? sources : TKF_HARNESS_DIR,
        .cancelled = tkf_interrupted,
    };
    tkf_progress(0, "looking for the toolchains");
    int n = tkf_harness_look(&request, found, NAMES_MAX, &why);
    tkf_progress_clear();
    free(sources);
    if (n < 0)
        return say(n, &why);
    tkf_signals_release();
    if (common->json)
        return print_json(found, n);
    struct tkf_style style = tkf_style_for(stdout, common);
    print_table(found, n, &style);
    return TKF_EXIT_OK;
}
