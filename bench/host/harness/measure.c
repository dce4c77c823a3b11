/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <tickfloor/calibrate.h>
#include <tickfloor/report.h>

#include "../host.h"
#include "harness.h"

#define REPETITIONS 5

/* After so long it is enough to have two. */
#define ENOUGH_NS 20000000000u

/* Undisturbed runs come out alike; of disturbed ones hardly two do. What is next to nothing is so each time. */
#define ALIKE          1.05
#define NOTHING_CYCLES 0.01

#define LOG "log"

#define NS_A_SECOND 1000000000u

/* The framework that is at work. */
struct work {
    const struct tkf_harness_request *request;
    const struct tkf_recipe *recipe;
    const struct tkf_profile *profile;
    struct tkf_topology *topology; /* NULL: stay unbound */
    char folder[1024];
    uint64_t deadline_ns;
    double begun,
        share; /* progress: where this framework's part begins, and how much of the whole it is */
    struct tkf_harness_floor
        entry;          /* what results and a failure have in common, and the failure's reason */
    const char *blamed; /* the file in `folder` that shows the failure; NULL */
};

/* The values of one empty benchmark, one for each repetition. */
struct values {
    double low_ns[REPETITIONS], ns[REPETITIONS], low_cycles[REPETITIONS], cycles[REPETITIONS];
    unsigned n;
    enum tkf_timing timing;
};

static int fail(struct tkf_input_error *ret_error, int code, const char *next, const char *format,
                ...) __attribute__((format(printf, 4, 5)));

static int fail(struct tkf_input_error *ret_error, int code, const char *next, const char *format,
                ...)
{
    *ret_error = (struct tkf_input_error){.line = 0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ret_error->text, sizeof(ret_error->text), format, arguments);
    va_end(arguments);
    snprintf(ret_error->next, sizeof(ret_error->next), "%s", next);
    return code;
}

/* ---- the temporary folder ---- */

static const char *temporary_of(const struct tkf_harness_request *request)
{
    const char *variable = getenv("TMPDIR");
    if (request->temporary)
        return request->temporary;
    return variable && variable[0] == '/' ? variable : "/tmp";
}

static int make_folder(struct work *work, struct tkf_input_error *ret_error)
{
    const char *temporary = temporary_of(work->request);
    int length =
        snprintf(work->folder, sizeof(work->folder), "%s/tickfloor-harness-XXXXXX", temporary);
    if (length >= (int)sizeof(work->folder))
        errno = ENAMETOOLONG;
    else if (mkdtemp(work->folder))
        return 0;
    return fail(ret_error, TKF_EIO, "name another place in TMPDIR",
                "cannot make a temporary folder in %.100s: %s", temporary, strerror(errno));
}

static int remove_entry(const char *path, const struct stat *what, int kind, struct FTW *where)
{
    (void)what, (void)kind, (void)where;
    (void)remove(path); /* where one stays, the rest can go all the same */
    return 0;
}

static void remove_folder(const struct work *work)
{
    nftw(work->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static bool copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "re"), *out = fopen(to, "we");
    char bytes[4096];
    size_t n = 0;
    while (in && out && (n = fread(bytes, 1, sizeof(bytes), in)) > 0 &&
           fwrite(bytes, 1, n, out) == n)
        ;
    bool copied = in && out && n == 0 && !ferror(in);
    if (in)
        fclose(in);
    if (out && fclose(out) != 0)
        copied = false;
    return copied;
}

/* The recipe's sources; false with the failure filled in. */
static bool copy_sources(struct work *work)
{
    char folder[1024], from[1400], to[1400];
    bool copied = true;
    if (work->recipe->bare)
        return true;
    snprintf(folder, sizeof(folder), "%s/%s", work->request->sources, work->recipe->framework);
    DIR *sources = opendir(folder);
    for (const struct dirent *entry; sources && copied && (entry = readdir(sources));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(from, sizeof(from), "%s/%s", folder, entry->d_name);
        snprintf(to, sizeof(to), "%s/%s", work->folder, entry->d_name);
        copied = copy_file(from, to);
    }
    if (!sources || !copied) {
        snprintf(work->entry.reason, sizeof(work->entry.reason),
                 "its empty benchmark cannot be copied from %.100s to %.60s: %s", folder,
                 work->folder, strerror(errno));
        snprintf(work->entry.next, sizeof(work->entry.next),
                 "install tickfloor whole, and see that there is space left");
    }
    if (sources)
        closedir(sources);
    return sources && copied;
}

/* ---- one command ---- */

static enum tkf_command_end run(const struct work *work, tkf_words words, const char *output)
{
    return tkf_command_run(&(struct tkf_command){
        .words = words,
        .folder = work->folder,
        .output = output,
        .log = LOG,
        .deadline_ns = work->deadline_ns,
        .ctx = work->request->ctx,
        .cancelled = work->request->cancelled,
    });
}

/* A line without the blanks around it; false at the end. */
static bool next_line(FILE *in, char *ret_line, size_t size)
{
    char line[400];
    while (fgets(line, sizeof(line), in)) {
        char *at = line, *end = line + strlen(line);
        while (isspace((unsigned char)*at))
            at++;
        while (end > at && isspace((unsigned char)end[-1]))
            *--end = '\0';
        if (*at) {
            snprintf(ret_line, size, "%s", at);
            return true;
        }
    }
    return false;
}

/* The line of a file that says what is wrong: the first that speaks of an error, else the first; "" where it is empty. */
static void first_complaint(const struct work *work, const char *name, char *ret_line, size_t size)
{
    char path[1400], line[160];
    bool first = true;
    ret_line[0] = '\0';
    snprintf(path, sizeof(path), "%s/%s", work->folder, name);
    FILE *in = fopen(path, "re");
    while (in && next_line(in, line, sizeof(line))) {
        bool complains = strcasestr(line, "error") || strstr(line, "ERR!");
        if (first || complains)
            snprintf(ret_line, size, "%s", line);
        if (complains)
            break;
        first = false;
    }
    if (in)
        fclose(in);
}

/* What a failed command printed is kept where the folder's removal leaves it. */
static void keep_blamed(struct work *work)
{
    char from[1400], to[200];
    struct tkf_harness_floor *failure = &work->entry;
    snprintf(from, sizeof(from), "%s/%s", work->folder, work->blamed);
    int length = snprintf(to, sizeof(to), "%s/tickfloor-%s-XXXXXX", temporary_of(work->request),
                          work->recipe->framework);
    int fd = length < (int)sizeof(to) ? mkstemp(to) : -1;
    if (fd >= 0)
        close(fd);
    if (fd >= 0 && rename(from, to) == 0) {
        snprintf(failure->next, sizeof(failure->next), "see %s", to);
        return;
    }
    if (fd >= 0)
        unlink(to);
    snprintf(failure->next, sizeof(failure->next), "run it by hand");
}

static bool failed(struct work *work, enum tkf_command_end end, const char *what)
{
    char line[160];
    struct tkf_harness_floor *failure = &work->entry;
    if (end == TKF_COMMAND_DONE)
        return false;
    if (end == TKF_COMMAND_LATE) {
        snprintf(failure->reason, sizeof(failure->reason), "%s did not end in time and was stopped",
                 what);
    } else {
        first_complaint(work, LOG, line, sizeof(line));
        snprintf(failure->reason, sizeof(failure->reason), "%s failed: %s", what, line);
    }
    work->blamed = LOG;
    return true;
}

static bool cancelled(const struct work *work)
{
    return work->request->cancelled && work->request->cancelled(work->request->ctx);
}

static void progress(const struct work *work, double done, const char *what)
{
    char text[80];
    if (!work->request->progress)
        return;
    snprintf(text, sizeof(text), "%s: %s", work->recipe->framework, what);
    work->request->progress(work->request->ctx, work->begun + work->share * done, text);
}

/* ---- looking ---- */

/* Whether the recipe at work can be followed here; else the failure says why not. */
static bool look(struct work *work)
{
    const struct tkf_recipe *recipe = work->recipe;
    struct tkf_harness_floor *failure = &work->entry;
    char line[160];

    if (!tkf_command_exists(recipe->tool)) {
        snprintf(failure->reason, sizeof(failure->reason), "%s is not on the PATH", recipe->tool);
    } else if (recipe->probe && run(work, recipe->probe, "probe") != TKF_COMMAND_DONE) {
        first_complaint(work, LOG, line, sizeof(line));
        snprintf(failure->reason, sizeof(failure->reason), "%s does not find it: %s", recipe->tool,
                 line);
    } else {
        return true;
    }
    snprintf(failure->next, sizeof(failure->next), "install %s", recipe->package);
    return false;
}

static void start(struct work *work, const struct tkf_recipe *recipe)
{
    unsigned limit_s = work->request->limit_s > 0 ? work->request->limit_s : recipe->limit_s;
    work->recipe = recipe;
    work->deadline_ns = tkf_clock_ns(NULL) + (uint64_t)limit_s * NS_A_SECOND;
    work->blamed = NULL;
    work->entry = (struct tkf_harness_floor){.ns = {NAN, NAN, NAN}, .cycles = {NAN, NAN, NAN}};
    snprintf(work->entry.framework, sizeof(work->entry.framework), "%s", recipe->framework);
}

/* The recipe to follow among those of one framework; the first one's failure when there is none. In a folder of its own each. */
static int choose(struct work *work, const struct tkf_recipe *recipes, bool fetch, bool *ret_found,
                  struct tkf_input_error *ret_error)
{
    struct work first = {.recipe = NULL};
    bool found = false;
    start(work, recipes);
    for (const struct tkf_recipe *recipe = recipes; recipe->framework; recipe++) {
        if (strcmp(recipe->framework, recipes->framework) != 0)
            break;
        if (recipe->fetches && !fetch)
            continue;
        start(work, recipe);
        int error = make_folder(work, ret_error);
        if (error != 0)
            return error;
        found = copy_sources(work) && look(work);
        if (found)
            break;
        remove_folder(work);
        if (!first.recipe)
            first = *work;
    }
    if (!found && first.recipe)
        *work = first;
    *ret_found = found;
    return 0;
}

static const struct tkf_recipe *next_framework(const struct tkf_recipe *recipe)
{
    const struct tkf_recipe *next = recipe + 1;
    while (next->framework && strcmp(next->framework, recipe->framework) == 0)
        next++;
    return next;
}

int tkf_harness_look(const struct tkf_harness_request *request, struct tkf_harness_found *ret_found,
                     unsigned max, struct tkf_input_error *ret_error)
{
    unsigned n = 0;
    for (const struct tkf_recipe *recipe = tkf_recipes; recipe->framework && n < max;
         recipe = next_framework(recipe)) {
        struct work work = {.request = request};
        struct tkf_harness_found *found = &ret_found[n];
        bool is_found;
        int error = choose(&work, recipe, true, &is_found, ret_error);
        if (error != 0)
            return error;
        if (is_found)
            remove_folder(&work);
        if (cancelled(&work))
            return TKF_ECANCELLED;
        *found = (struct tkf_harness_found){.recipe = work.recipe, .found = is_found};
        snprintf(found->reason, sizeof(found->reason), "%s", work.entry.reason);
        snprintf(found->next, sizeof(found->next), "%s", work.entry.next);
        n++;
    }
    return (int)n;
}

/* ---- measuring one ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts both. */
static struct tkf_band band_of(double *lows, double *values, unsigned n)
{
    qsort(lows, n, sizeof(*lows), by_value);
    qsort(values, n, sizeof(*values), by_value);
    return (struct tkf_band){lows[0], (values[(n - 1) / 2] + values[n / 2]) / 2, values[n - 1]};
}

/* The core's cycle on the CPU of the profile, now; NAN when the moment is too noisy. */
static double cycle_now(const struct work *work)
{
    const struct tkf_cpu_floor *floor = &work->profile->cpus[0].floor;
    struct tkf_profile *profile = malloc(sizeof(*profile)); /* too large for a small stack */
    struct tkf_input_error ignored;
    char cpu[16];
    snprintf(cpu, sizeof(cpu), "%u", floor->cpu);
    struct tkf_calibrate_request request = {
        .quick = true,
        .cpus = work->topology ? cpu : NULL,
        .source = work->profile->counter.name,
        .ctx = work->request->ctx,
        .cancelled = work->request->cancelled,
    };
    double cycle_ns = NAN;
    if (profile != NULL && tkf_calibrate_machine(&request, profile, &ignored) == 0) {
        cycle_ns = profile->cpus[0].floor.cycle_ns;
        tkf_profile_free(profile);
    }
    free(profile);
    return cycle_ns;
}

static double cycle_between(const struct work *work, double before_ns, double after_ns)
{
    if (isfinite(before_ns) && isfinite(after_ns))
        return (before_ns + after_ns) / 2;
    if (isfinite(before_ns) || isfinite(after_ns))
        return fmin(before_ns, after_ns);
    return work->profile->cpus[0].floor.cycle_ns;
}

static bool usable(const struct tkf_result *row, const char *name)
{
    return strcmp(row->name, name) == 0 && isfinite(row->ns) && row->ns >= 0 && !row->failed;
}

/* The version as the file has it, when nothing else said it. */
static void take_version(struct work *work, const struct tkf_origin *origin)
{
    if (origin->version && work->entry.version[0] == '\0')
        snprintf(work->entry.version, sizeof(work->entry.version), "%s", origin->version);
}

/* Of short repetitions the fastest; a clock that was read for each call makes the fastest of those no more than lucky. */
static double lowest_ns(const struct tkf_result *row)
{
    bool each_call = row->origin->timing == TKF_TIMING_EACH_CALL;
    return each_call || isnan(row->min_ns) ? row->ns : fmin(row->min_ns, row->ns);
}

static void keep_value(struct values *values, const struct tkf_result *row, double cycle_ns)
{
    unsigned n = values->n++;
    values->timing = row->origin->timing;
    values->ns[n] = row->ns;
    values->low_ns[n] = lowest_ns(row);
    values->cycles[n] = row->ns / cycle_ns;
    values->low_cycles[n] = values->low_ns[n] / cycle_ns;
}

/* Read what a run printed; how many rows of empty benchmarks it had. */
static unsigned read_rows(struct work *work, const char *output, double cycle_ns,
                          struct values values[TKF_RECIPE_ROWS_MAX],
                          struct tkf_input_error *ret_error)
{
    char path[1400];
    unsigned nread = 0;
    snprintf(path, sizeof(path), "%s/%s", work->folder, output);
    struct tkf_results *results = tkf_results_new();
    if (!results)
        return 0;
    *ret_error = (struct tkf_input_error){.line = 0};
    tkf_results_read_path(results, path, work->recipe->format, ret_error);
    for (unsigned k = 0; k < TKF_RECIPE_ROWS_MAX && work->recipe->rows[k].name; k++) {
        for (size_t i = 0; i < tkf_results_count(results); i++) {
            const struct tkf_result *row = tkf_results_get(results, i);
            if (!usable(row, work->recipe->rows[k].name))
                continue;
            take_version(work, row->origin);
            keep_value(&values[k], row, cycle_ns);
            nread++;
            break;
        }
    }
    tkf_results_free(results);
    return nread;
}

/* Run the benchmark once, bound to the profile's CPU, and read it. False with the failure filled in. */
static bool run_once(struct work *work, double *cycle_ns, struct values values[TKF_RECIPE_ROWS_MAX])
{
    const char *output = work->recipe->output ? work->recipe->output : "out";
    struct tkf_input_error error;
    struct tkf_harness_floor *failure = &work->entry;
    char path[1400];

    /* What a run before this one wrote is not to be read again. */
    snprintf(path, sizeof(path), "%s/%s", work->folder, output);
    unlink(path);
    if (work->topology)
        tkf_topology_pin(work->topology, work->profile->cpus[0].floor.cpu);
    enum tkf_command_end end = run(work, work->recipe->run, work->recipe->output ? NULL : output);
    if (work->topology)
        tkf_topology_unpin(work->topology);
    if (failed(work, end, "its empty benchmark"))
        return false;

    double before_ns = *cycle_ns;
    *cycle_ns = cycle_now(work);
    if (read_rows(work, output, cycle_between(work, before_ns, *cycle_ns), values, &error) > 0)
        return true;
    snprintf(failure->reason, sizeof(failure->reason),
             "its empty benchmark printed no result%s%.160s", error.text[0] ? ": " : "",
             error.text);
    work->blamed = output;
    return false;
}

static bool build(struct work *work)
{
    const struct tkf_recipe *recipe = work->recipe;
    progress(work, 0, "building");
    if (recipe->build && failed(work, run(work, recipe->build, NULL), "the build"))
        return false;
    if (recipe->version && run(work, recipe->version, "version") == TKF_COMMAND_DONE)
        first_complaint(work, "version", work->entry.version, sizeof(work->entry.version));
    return !cancelled(work);
}

/* "build && run", as much of it as fits. */
static void describe(const struct tkf_recipe *recipe, char *ret_text, size_t size)
{
    size_t used = 0;
    ret_text[0] = '\0';
    for (unsigned i = 0; i < 2; i++) {
        tkf_words words = i == 0 ? recipe->build : recipe->run;
        for (unsigned k = 0; words && words[k] && used < size; k++)
            used += (size_t)snprintf(ret_text + used, size - used, "%s%s",
                                     k > 0      ? " "
                                     : used > 0 ? " && "
                                                : "",
                                     words[k]);
    }
}

static void stamp(char *ret_text, size_t size)
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(ret_text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void add(struct tkf_profile *profile, const struct tkf_harness_floor *floor)
{
    if (profile->nharnesses == TKF_HARNESSES_MAX)
        return;
    struct tkf_harness_floor *added = &profile->harnesses[profile->nharnesses++];
    *added = *floor;
    stamp(added->measured, sizeof(added->measured));
}

/* Fill in the bands, or why they are not to be believed. */
static void conclude(struct tkf_harness_floor *floor, struct values *values, unsigned cpu)
{
    struct tkf_band ns = band_of(values->low_ns, values->ns, values->n);
    struct tkf_band in_cycles = band_of(values->low_cycles, values->cycles, values->n);
    floor->timing = values->timing;
    floor->runs = values->n;
    if (values->n >= 2 && (values->low_ns[1] <= ALIKE * values->low_ns[0] ||
                           values->low_cycles[1] < NOTHING_CYCLES)) {
        floor->ns = ns;
        floor->cycles = in_cycles;
        return;
    }
    snprintf(floor->reason, sizeof(floor->reason),
             "no two of its %u runs came out alike: other work disturbs them", values->n);
    snprintf(floor->next, sizeof(floor->next), "stop what else runs on CPU %u and try again", cpu);
}

static void add_values(const struct work *work, struct values values[TKF_RECIPE_ROWS_MAX],
                       struct tkf_profile *profile)
{
    for (unsigned k = 0; k < TKF_RECIPE_ROWS_MAX && work->recipe->rows[k].name; k++) {
        struct tkf_harness_floor floor = work->entry;
        if (values[k].n == 0)
            continue;
        snprintf(floor.loop_form, sizeof(floor.loop_form), "%s", work->recipe->rows[k].form);
        describe(work->recipe, floor.how, sizeof(floor.how));
        conclude(&floor, &values[k], profile->cpus[0].floor.cpu);
        add(profile, &floor);
    }
}

/* A run that fails after others did not takes nothing away from those. */
static void run_all(struct work *work, struct tkf_profile *profile)
{
    struct values values[TKF_RECIPE_ROWS_MAX] = {0};
    uint64_t begin_ns = tkf_clock_ns(NULL);
    unsigned done = 0;
    double cycle_ns = cycle_now(work);

    for (bool whole = true; whole && done < REPETITIONS; done += whole) {
        char text[32];
        snprintf(text, sizeof(text), "run %u of %u", done + 1, REPETITIONS);
        progress(work, 0.5 + 0.5 * done / REPETITIONS, text);
        whole = run_once(work, &cycle_ns, values);
        if (done >= 1 && tkf_clock_ns(NULL) - begin_ns > ENOUGH_NS)
            break;
    }
    if (done == 0)
        return;
    work->entry.reason[0] = '\0';
    add_values(work, values, profile);
}

/* Its results, or its failure, go into the profile. */
static int measure(struct work *work, const struct tkf_recipe *recipes, bool named,
                   struct tkf_profile *profile, struct tkf_input_error *ret_error)
{
    bool found;
    work->recipe = recipes;
    progress(work, 0, "looking for it");
    int error = choose(work, recipes, named, &found, ret_error);
    if (error != 0)
        return error;
    if (found) {
        if (build(work))
            run_all(work, profile);
        if (work->entry.reason[0] && work->blamed && !cancelled(work))
            keep_blamed(work);
        remove_folder(work);
    }
    if (cancelled(work))
        return TKF_ECANCELLED;
    if (work->entry.reason[0] && (named || found))
        add(profile, &work->entry);
    return 0;
}

/* ---- measuring those that are asked for ---- */

static bool is_wanted(const struct tkf_harness_request *request, const char *framework)
{
    for (unsigned i = 0; i < request->nonly; i++) {
        if (strcmp(request->only[i], framework) == 0)
            return true;
    }
    return request->nonly == 0;
}

static int check_names(const struct tkf_harness_request *request, struct tkf_input_error *ret_error)
{
    for (unsigned i = 0; i < request->nonly; i++) {
        const struct tkf_recipe *recipe = tkf_recipes;
        while (recipe->framework && strcmp(recipe->framework, request->only[i]) != 0)
            recipe++;
        if (!recipe->framework)
            return fail(ret_error, TKF_EINVAL, "see 'tickfloor calibrate --harness list'",
                        "no framework is called '%.40s'", request->only[i]);
    }
    return 0;
}

int tkf_harness_measure(const struct tkf_harness_request *request, struct tkf_profile *profile,
                        struct tkf_input_error *ret_error)
{
    struct work work = {.request = request, .profile = profile};
    unsigned before = profile->nharnesses, nwanted = 0, done = 0;
    char reason[160];

    int error = check_names(request, ret_error);
    if (error != 0)
        return error;
    /* Where nothing can be bound, as on macOS, benchmarks run where the system puts them, and the profile says so already. */
    if (profile->cpus[0].floor.pinned &&
        tkf_topology_load(&work.topology, reason, sizeof(reason)) != 0)
        work.topology = NULL;
    for (const struct tkf_recipe *r = tkf_recipes; r->framework; r = next_framework(r))
        nwanted += is_wanted(request, r->framework);
    for (const struct tkf_recipe *r = tkf_recipes; error == 0 && r->framework;
         r = next_framework(r)) {
        if (!is_wanted(request, r->framework))
            continue;
        work.begun = (double)done / nwanted;
        work.share = 1.0 / nwanted;
        error = measure(&work, r, request->nonly > 0, profile, ret_error);
        done++;
    }
    tkf_topology_free(work.topology);
    if (error != 0)
        profile->nharnesses = before;
    return error;
}
