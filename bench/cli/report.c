/* SPDX-License-Identifier: MIT */
/** `tickfloor report`: read results, find the floor to hold them against, judge, print. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tickfloor/calibrate.h>
#include <tickfloor/report.h>

#include "cli.h"
#include "host.h"
#include "judge.h"
#include "report_verb.h"
#include "write.h"

#define STDIN_NAME    "<stdin>"
#define BASELINES_MAX 32

/* Beside the verdicts in --fail-on. That the run itself failed; and what breaks an expectation. What breaks an expectation is impossible, by a rule of this name. */
#define BROKEN_EXPECTATION (1u << TKF_VERDICT_COUNT)
#define FAILED_RUN         (1u << (TKF_VERDICT_COUNT + 1))
#define EXPECT_RULE        "expect"

enum format { FORMAT_TABLE, FORMAT_JSON, FORMAT_MARKDOWN, FORMAT_GITHUB, FORMAT_SARIF };

static const char *const format_names[] = {"table", "json", "markdown", "github", "sarif", NULL};

struct arguments {
    const char *input_format, *profile, *floor_bench, *expect, *plot;
    const char *baselines[BASELINES_MAX];
    unsigned nbaselines;
    enum format format;
    bool format_given, no_calibrate, quiet, tee;
    unsigned fail_on; /* bit n: verdict n; BROKEN_EXPECTATION */
};

/* ---- options ---- */

static int set_input_format(void *target, const char *name, const char *value)
{
    const char *const *formats = tkf_results_formats();
    for (size_t i = 0; formats[i]; i++) {
        if (strcmp(formats[i], value) == 0) {
            ((struct arguments *)target)->input_format = value;
            return 0;
        }
    }
    const char *nearest = tkf_nearest(value, formats);
    char next[80] = "'tickfloor report --help' lists them";
    if (nearest)
        snprintf(next, sizeof next, "did you mean '%s'?", nearest);
    tkf_error(next, "--%s: there is no format '%s'", name, value);
    return TKF_EXIT_USAGE;
}

static int set_profile(void *target, const char *name, const char *value)
{
    (void)name;
    ((struct arguments *)target)->profile = value;
    return 0;
}

static int set_no_calibrate(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->no_calibrate = true;
    return 0;
}

static int set_floor_bench(void *target, const char *name, const char *value)
{
    (void)name;
    ((struct arguments *)target)->floor_bench = value;
    return 0;
}

static int set_baseline(void *target, const char *name, const char *value)
{
    struct arguments *arguments = target;
    if (arguments->nbaselines == BASELINES_MAX) {
        tkf_error("put them into fewer files", "--%s: more than %d files", name, BASELINES_MAX);
        return TKF_EXIT_USAGE;
    }
    arguments->baselines[arguments->nbaselines++] = value;
    return 0;
}

static int set_expect(void *target, const char *name, const char *value)
{
    (void)name;
    ((struct arguments *)target)->expect = value;
    return 0;
}

static int set_format(void *target, const char *name, const char *value)
{
    struct arguments *arguments = target;
    for (int i = 0; format_names[i]; i++) {
        if (strcmp(value, format_names[i]) == 0) {
            arguments->format = (enum format)i;
            arguments->format_given = true;
            return 0;
        }
    }
    tkf_error("use table, json, markdown, github or sarif", "'--%s' does not know '%s'", name,
              value);
    return TKF_EXIT_USAGE;
}

static int set_quiet(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->quiet = true;
    return 0;
}

/* The verdicts that a word of --fail-on stands for; 0 when it is none. */
static unsigned verdicts_of(const char *word)
{
    if (strcmp(word, "all") == 0)
        return ((1u << TKF_VERDICT_NEAR_FLOOR) - 1) | FAILED_RUN;
    if (strcmp(word, "broken-expectation") == 0)
        return BROKEN_EXPECTATION;
    if (strcmp(word, "failed-run") == 0)
        return FAILED_RUN;
    for (int verdict = 0; verdict < TKF_VERDICT_COUNT; verdict++) {
        if (strcmp(word, tkf_verdict_name(verdict)) == 0)
            return 1u << verdict;
    }
    return 0;
}

static int refuse_fail_on(const char *name, const char *word)
{
    const char *words[TKF_VERDICT_COUNT + 5] = {"all", "none", "broken-expectation", "failed-run"};
    for (int verdict = 0; verdict < TKF_VERDICT_COUNT; verdict++)
        words[verdict + 4] = tkf_verdict_name(verdict);
    const char *nearest = tkf_nearest(word, words);
    char next[80] =
        "give all, none, or verdicts as the report names them, such as impossible,capped";
    if (nearest)
        snprintf(next, sizeof next, "did you mean '%s'?", nearest);
    tkf_error(next, "'--%s' does not know '%s'", name, word);
    return TKF_EXIT_USAGE;
}

static int set_fail_on(void *target, const char *name, const char *value)
{
    struct arguments *arguments = target;
    return tkf_option_words(name, value, verdicts_of, refuse_fail_on, &arguments->fail_on);
}

static int set_tee(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->tee = true;
    return 0;
}

static int set_plot(void *target, const char *name, const char *value)
{
    const char *refused = tkf_plot_refused(value);
    if (refused) {
        tkf_error(NULL, "--%s: %s", name, refused);
        return TKF_EXIT_USAGE;
    }
    ((struct arguments *)target)->plot = value;
    return 0;
}

const struct tkf_option tkf_report_cli_options[] = {
    {"format", 'f', "FORMAT", false,
     "print a table (the default), json, markdown for a pull request, github for annotations, or "
     "sarif",
     set_format},
    {"quiet", 'q', NULL, false, "print flagged results only", set_quiet},
    {"fail-on", 0, "LIST", false,
     "exit with 1 for these verdicts: all (the default: every flagged one, and a run that failed), "
     "none, or names such as impossible,capped; also broken-expectation and failed-run",
     set_fail_on},
    {"tee", 0, NULL, false,
     "pass standard input through to standard output, and report on standard error", set_tee},
    {"plot", 0, "FILE", false, "draw the results too; FILE ends in .svg or .png", set_plot},
    {"profile", 'p', "FILE", false,
     "the profile of the machine that ran them, instead of the saved one of this machine",
     set_profile},
    {"no-calibrate", 0, NULL, false, "do not measure this machine where no profile is saved",
     set_no_calibrate},
    {"floor-bench", 0, "NAME", false,
     "the empty benchmark among the results, instead of recognising it by its name",
     set_floor_bench},
    {"baseline", 'b', "FILE", false,
     "earlier results of the same benchmarks, for what went quiet since; may be repeated",
     set_baseline},
    {"expect", 0, "FILE", false,
     "what must hold of the results, such as 'BenchmarkSum* allocs>=1'; see tickfloor-report(1)",
     set_expect},
    {"input-format", 0, "NAME", false,
     "the format of the results, instead of recognising it; listed below", set_input_format},
    {NULL, 0, NULL, false, NULL, NULL},
};

void tkf_report_help(void)
{
    const char *const *formats = tkf_results_formats();
    int column = 80;
    printf("\nInput formats, most of them recognised by their content:");
    for (size_t i = 0; formats[i]; i++) {
        int length = (int)strlen(formats[i]) + 2;
        if (column + length > 78) {
            printf("\n ");
            column = 1;
        }
        column += printf(" %s%s", formats[i], formats[i + 1] ? "," : "\n");
    }
}

static const struct tkf_verb *this_verb(void)
{
    const struct tkf_verb *verb = tkf_verbs;
    while (verb->run != tkf_verb_report)
        verb++;
    return verb;
}

/* ---- reading ---- */

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* Say why an input could not be read; an exit status. */
static int say_unreadable(const char *name, int error, const struct tkf_input_error *why)
{
    const char *next = why->next[0] ? why->next : NULL;
    if (tkf_interrupted(NULL))
        return tkf_exit_interrupted();
    if (error == TKF_ENOMEM) {
        tkf_error(next, "%s", why->text);
        return TKF_EXIT_MEASURE;
    }
    if (why->line > 0)
        tkf_error(next, "%s:%u: %s", name, why->line, why->text);
    else
        tkf_error(next, "%s: %s", name, why->text);
    return TKF_EXIT_USAGE;
}

static int read_input(struct tkf_results *results, const struct arguments *arguments,
                      const char *path)
{
    struct tkf_input_error why;
    size_t before = tkf_results_count(results);
    if (!is_standard_input(path)) {
        int error = tkf_results_read_path(results, path, arguments->input_format, &why);
        return error < 0 ? say_unreadable(path, error, &why) : TKF_EXIT_OK;
    }
    if (isatty(STDIN_FILENO))
        tkf_error("Ctrl-D ends them", "reading results from the terminal");
    int error = tkf_results_read(results, stdin, STDIN_NAME, arguments->input_format,
                                 arguments->tee ? stdout : NULL, &why);
    /* That the copy could not be written is for tkf_finish(), which knows a reader that went away. */
    bool copy_failed = error == TKF_EIO && arguments->tee && ferror(stdout);
    if (error == 0 || (copy_failed && tkf_results_count(results) > before))
        return TKF_EXIT_OK;
    return say_unreadable("standard input", error, &why);
}

/* Read all of them, also after one that could not be read. The worst exit status. */
static int read_inputs(struct tkf_results *results, const struct arguments *arguments,
                       const char *const *paths, size_t npaths)
{
    int worst = TKF_EXIT_OK;
    for (size_t i = 0; i < npaths; i++) {
        int status = read_input(results, arguments, paths[i]);
        worst = status > worst ? status : worst;
        if (tkf_interrupted(NULL))
            break;
    }
    return worst;
}

static int read_expect(const char *path, struct tkf_expect **ret_expect)
{
    struct tkf_input_error why;
    FILE *in = fopen(path, "r");
    if (!in) {
        tkf_error("check the path", "cannot read the expectations %s: %s", path, strerror(errno));
        return TKF_EXIT_USAGE;
    }
    int error = tkf_expect_read(in, ret_expect, &why);
    fclose(in);
    return error < 0 ? say_unreadable(path, error, &why) : TKF_EXIT_OK;
}

/* ---- the profile ---- */

/* A profile, and the clause that says where it came from or why there is none. */
struct found {
    struct tkf_profile profile;
    enum tkf_profile_source source;
    bool applies;   /* also to results that do not name their machine */
    char host[256]; /* this machine's name; "" when it is not its profile */
    char text[800];
};

static int read_profile(const char *path, struct tkf_profile *ret_profile,
                        struct tkf_input_error *ret_error)
{
    FILE *in = fopen(path, "r");
    if (!in) {
        *ret_error = (struct tkf_input_error){.line = 0};
        snprintf(ret_error->text, sizeof ret_error->text, "cannot read the profile: %s",
                 strerror(errno));
        snprintf(ret_error->next, sizeof ret_error->next, "tickfloor calibrate --output makes one");
        return TKF_EIO;
    }
    int error = tkf_profile_read(in, ret_profile, ret_error);
    fclose(in);
    return error;
}

/* Whether there is a profile of this machine, as it is now, in the state folder. */
static bool find_saved(struct found *found, const struct tkf_machine *machine)
{
    char age[40], differences[600];
    struct tkf_input_error why;
    char *path = tkf_profile_path();
    bool there = path && access(path, F_OK) == 0;

    snprintf(found->text, sizeof found->text, "no profile is saved");
    if (there && read_profile(path, &found->profile, &why) == 0) {
        if (tkf_profile_matches(&found->profile, machine, differences, sizeof differences)) {
            found->source = TKF_PROFILE_SAVED;
            tkf_card_age(found->profile.created, time(NULL), age, sizeof age);
            snprintf(found->text, sizeof found->text,
                     "by the saved profile of this machine, measured %s", age);
        } else {
            snprintf(found->text, sizeof found->text,
                     "the saved profile is not of this machine as it is now: %s", differences);
            tkf_profile_free(&found->profile);
        }
    } else if (there) {
        snprintf(found->text, sizeof found->text, "the saved profile cannot be used: %s", why.text);
    }
    free(path);
    return found->source != TKF_PROFILE_NONE;
}

/* Whether some of the results are of this machine by what they say, and whether some name another CPU. */
static void find_origins(const struct tkf_results *results, const char *cpu, double cpus,
                         const char *host, bool *ret_this, bool *ret_other)
{
    *ret_this = *ret_other = false;
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        const struct tkf_origin *origin = tkf_results_get(results, i)->origin;
        bool here = tkf_origin_is_of(origin, cpu, cpus, host);
        *ret_this = *ret_this || here;
        *ret_other = *ret_other || (origin->cpu && !here);
    }
}

static void progress(void *ctx, double done, const char *what)
{
    (void)ctx;
    tkf_progress(done, what);
}

/* Measure this machine, quickly. */
static void calibrate(struct found *found)
{
    struct tkf_calibrate_request request = {
        .quick = true, .cancelled = tkf_interrupted, .progress = progress};
    struct tkf_input_error why;
    int error = tkf_calibrate_machine(&request, &found->profile, &why);
    tkf_progress_clear();
    char reason[sizeof found->text];
    memcpy(reason, found->text, sizeof reason);
    if (error == 0) {
        found->source = TKF_PROFILE_CALIBRATED;
        snprintf(found->text, sizeof found->text, "measured just now, quickly: %.700s", reason);
    } else {
        snprintf(found->text, sizeof found->text,
                 "%.400s, and measuring this machine failed: %.200s", reason, why.text);
        tkf_error(why.next[0] ? why.next : NULL,
                  "measuring this machine failed, so results are held against physical bounds: %s",
                  why.text);
    }
}

/* Take the profile that was named, if one was; an exit status. */
static int take_named(struct found *found, const char *path)
{
    struct tkf_input_error why;
    if (!path)
        return TKF_EXIT_OK;
    int error = read_profile(path, &found->profile, &why);
    if (error < 0)
        return say_unreadable(path, error, &why);
    found->source = TKF_PROFILE_GIVEN;
    found->applies = true;
    snprintf(found->text, sizeof found->text, "by the profile %.600s of %s", path,
             found->profile.machine.cpu[0] ? found->profile.machine.cpu : "an unnamed CPU");
    return TKF_EXIT_OK;
}

static void drop(struct found *found)
{
    if (found->source != TKF_PROFILE_NONE)
        tkf_profile_free(&found->profile);
    found->source = TKF_PROFILE_NONE;
}

/* What to do where the results do not say whose they are. */
static void say_unknown_machine(struct found *found, bool saved)
{
    char *path = tkf_profile_path();
    snprintf(found->text, sizeof found->text,
             "the results are not known to be of this machine: if they are, pipe them in or %s"
             "--profile %.400s; if not, name the profile of theirs",
             saved ? "give " : "run `tickfloor calibrate` and give ", path ? path : "FILE");
    free(path);
}

/* Find this machine's profile for results that are of it, or measure it. */
static void find_profile(struct found *found, const struct tkf_results *results, bool piped,
                         bool may_calibrate)
{
    struct tkf_machine machine = {.arch = ""};
    bool some_here, some_elsewhere;

    tkf_machine_read(&machine);
    if (gethostname(found->host, sizeof found->host - 1) != 0)
        found->host[0] = '\0';
    bool saved = find_saved(found, &machine);
    /* A CPU that this version cannot name may have its name in the profile. */
    find_origins(results, machine.cpu[0] || !saved ? machine.cpu : found->profile.machine.cpu,
                 saved ? found->profile.machine.cpus : NAN, found->host, &some_here,
                 &some_elsewhere);
    found->applies = piped && !some_elsewhere;
    if (!some_here && !found->applies) {
        drop(found);
        say_unknown_machine(found, saved);
    } else if (!saved && may_calibrate && !tkf_interrupted(NULL)) {
        calibrate(found);
    }
}

/* ---- judging and printing ---- */

/* What the results are held against. */
struct against {
    struct tkf_results *baseline;
    struct tkf_expect *expect; /* NULL */
    struct found found;
};

static int judge(struct tkf_results *results, const struct arguments *arguments,
                 const struct against *against)
{
    const struct found *found = &against->found;
    struct tkf_judge_options options = {
        .profile = found->source != TKF_PROFILE_NONE ? &found->profile : NULL,
        .profile_applies = found->applies,
        .host = found->host[0] ? found->host : NULL,
        .baseline = arguments->nbaselines > 0 ? against->baseline : NULL,
        .floor_bench = arguments->floor_bench,
        .expect = against->expect,
    };
    if (tkf_results_judge(results, &options) == 0)
        return TKF_EXIT_OK;
    tkf_error("free some memory and try again", "out of memory");
    return TKF_EXIT_MEASURE;
}

static int print_report(const struct tkf_report *report, const struct arguments *arguments,
                        const struct tkf_common *common)
{
    FILE *out = arguments->tee ? stderr : stdout;
    struct tkf_style style = tkf_style_for(out, common);
    int error = 0;
    switch (arguments->format) {
    case FORMAT_TABLE:
        tkf_write_table(report,
                        &(struct tkf_table_style){
                            .color = style.color, .unicode = style.unicode, .width = style.width,
                            .whole = !isatty(fileno(out))},
                        out);
        break;
    case FORMAT_JSON:
        error = tkf_write_json(report, out);
        break;
    case FORMAT_MARKDOWN:
        tkf_write_markdown(report, out);
        break;
    case FORMAT_GITHUB:
        tkf_write_github(report, out);
        break;
    case FORMAT_SARIF:
        error = tkf_write_sarif(report, out);
        break;
    }
    if (error == 0)
        return TKF_EXIT_OK;
    tkf_error("free some memory and try again", "out of memory");
    return TKF_EXIT_MEASURE;
}

static int draw(const struct tkf_report *report, const char *path)
{
    char reason[160];
    if (!path || tkf_write_plot(report, path, reason, sizeof reason) == 0)
        return TKF_EXIT_OK;
    tkf_error("name another file with --plot", "cannot draw %s: %s", path, reason);
    return TKF_EXIT_MEASURE;
}

static bool breaks_expectation(const struct tkf_result *result)
{
    for (unsigned i = 0; i < result->nevidence; i++) {
        if (strcmp(result->evidence[i].rule, EXPECT_RULE) == 0)
            return true;
    }
    return false;
}

/* What breaks an expectation is impossible; so is one of which there is no result. */
static int failed_status(const struct tkf_results *results, size_t unmet, unsigned fail_on)
{
    if (unmet > 0 && (fail_on & (BROKEN_EXPECTATION | 1u << TKF_VERDICT_IMPOSSIBLE)))
        return TKF_EXIT_FLAGGED;
    for (size_t i = 0; (fail_on & FAILED_RUN) && i < tkf_results_notices(results); i++) {
        if (tkf_results_notice(results, i)->failed)
            return TKF_EXIT_FLAGGED;
    }
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        const struct tkf_result *result = tkf_results_get(results, i);
        bool fails = (fail_on >> result->verdict & 1) && !result->is_floor;
        if (fails ||
            ((fail_on & BROKEN_EXPECTATION) && breaks_expectation(result)))
            return TKF_EXIT_FLAGGED;
    }
    return TKF_EXIT_OK;
}

/* Judge what was read, print it, and give the exit status. */
static int report_on(struct tkf_results *results, struct against *against,
                     const struct arguments *arguments, const struct tkf_common *common, bool piped)
{
    struct found *found = &against->found;
    if (arguments->floor_bench) {
        int refused = tkf_report_floor_bench(results, arguments->floor_bench);
        if (refused != TKF_EXIT_OK)
            return refused;
    }
    if (found->source == TKF_PROFILE_NONE)
        find_profile(found, results, piped, !arguments->no_calibrate);
    struct tkf_report report = {
        .results = results,
        .profile = found->source != TKF_PROFILE_NONE ? &found->profile : NULL,
        .profile_source = found->source,
        .profile_text = found->text,
        .quiet = arguments->quiet,
    };
    size_t unmet = tkf_report_unmet(results, against->expect, arguments->expect);
    for (unsigned i = 0; i < arguments->nbaselines; i++)
        tkf_report_uncompared(results, against->baseline,
                              is_standard_input(arguments->baselines[i]) ? STDIN_NAME
                                                                         : arguments->baselines[i]);
    int status = judge(results, arguments, against);
    if (status == TKF_EXIT_OK)
        status = print_report(&report, arguments, common);
    if (status == TKF_EXIT_OK)
        status = draw(&report, arguments->plot);
    if (status == TKF_EXIT_OK)
        status = failed_status(results, unmet, arguments->fail_on);
    return status;
}

/* What the options contradict; an exit status. */
static int check(struct arguments *arguments, const struct tkf_common *common,
                 const char *const *paths, size_t npaths)
{
    size_t stdins = 0;
    for (size_t i = 0; i < npaths; i++)
        stdins += is_standard_input(paths[i]);
    for (unsigned i = 0; i < arguments->nbaselines; i++)
        stdins += is_standard_input(arguments->baselines[i]);
    if (common->json && arguments->format_given && arguments->format != FORMAT_JSON) {
        tkf_error("leave one of them out", "--json and --format %s contradict each other",
                  format_names[arguments->format]);
        return TKF_EXIT_USAGE;
    }
    if (common->json)
        arguments->format = FORMAT_JSON;
    if (arguments->tee && (npaths != 1 || !is_standard_input(paths[0]))) {
        tkf_error("name no file, or leave --tee out",
                  "--tee passes standard input through, not files");
        return TKF_EXIT_USAGE;
    }
    if (stdins > 1) {
        tkf_error("name '-' once", "standard input can be read once");
        return TKF_EXIT_USAGE;
    }
    return TKF_EXIT_OK;
}

/* Where there is no report to print them in. */
static void say_notices(const struct tkf_results *results)
{
    enum { SHOWN = 5 };
    size_t count = tkf_results_notices(results);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        const struct tkf_notice *notice = tkf_results_notice(results, i);
        if (notice->line > 0)
            tkf_error(NULL, "%s:%u: %s", notice->file, notice->line, notice->text);
        else
            tkf_error(NULL, "%s: %s", notice->file, notice->text);
    }
    if (count > SHOWN)
        tkf_error(NULL, "and %zu more such notices", count - SHOWN);
}

/* Read what is named beside the results, before a run that may take long; an exit status. */
static int read_against(const struct arguments *arguments, struct against *against)
{
    static const struct arguments plain = {.input_format = NULL};
    int status = take_named(&against->found, arguments->profile);
    for (unsigned i = 0; i < arguments->nbaselines && status == TKF_EXIT_OK; i++)
        status = read_input(against->baseline, &plain, arguments->baselines[i]);
    if (arguments->expect && status == TKF_EXIT_OK)
        status = read_expect(arguments->expect, &against->expect);
    return status;
}

/* Whether all of the input comes from a program that is running: it ran here, unless it says otherwise. */
static bool is_piped(const char *const *paths, size_t npaths)
{
    struct stat status;
    return npaths == 1 && is_standard_input(paths[0]) && fstat(STDIN_FILENO, &status) == 0 &&
           (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

int tkf_verb_report(int argc, char **argv)
{
    static const char *const only_stdin[] = {"-"};
    struct arguments arguments = {.fail_on = verdicts_of("all")};
    struct tkf_common common;
    int first;
    int status = tkf_options_parse(this_verb(), argc, argv, &arguments, &common, &first);
    if (status >= 0)
        return status;
    const char *const *paths = first < argc ? (const char *const *)argv + first : only_stdin;
    size_t npaths = first < argc ? (size_t)(argc - first) : 1;
    status = check(&arguments, &common, paths, npaths);
    if (status != TKF_EXIT_OK)
        return status;

    struct tkf_results *results = tkf_results_new();
    static struct against against; /* large: the stack may be small */
    against.baseline = tkf_results_new();
    if (!results || !against.baseline) {
        tkf_error("free some memory and try again", "out of memory");
        status = TKF_EXIT_MEASURE;
        goto done;
    }
    status = read_against(&arguments, &against);
    if (status != TKF_EXIT_OK)
        goto done;
    status = read_inputs(results, &arguments, paths, npaths);
    if (tkf_results_count(results) > 0) {
        int judged = report_on(results, &against, &arguments, &common, is_piped(paths, npaths));
        status = status > judged ? status : judged;
    } else {
        say_notices(results);
    }
    if (status != TKF_EXIT_USAGE && tkf_interrupted(NULL))
        status = tkf_exit_interrupted();
done:
    tkf_results_free(results);
    tkf_results_free(against.baseline);
    tkf_expect_free(against.expect);
    drop(&against.found);
    return status;
}
