/* SPDX-License-Identifier: MIT */
/** `tickfloor bench`: the built-in benchmarks. */
#include <stdlib.h>
#include <string.h>

#include "bench_run.h"
#include "bench_verb.h"
#include "cli.h"

/* The whole suite within 20 s. */
#define SUITE_TIME_NS 250e6

struct arguments {
    struct tkf_bench_options options;
    bool sweep;
    const char *explain;
};

/** What all the harness's own options are taken by; it knows them by name. */
static int set_harness(void *target, const char *name, const char *value)
{
    struct tkf_input_error error;
    if (tkf_bench_option(&((struct arguments *)target)->options, name, value, &error) == 0)
        return 0;
    tkf_error(error.next, "%s", error.text);
    return TKF_EXIT_USAGE;
}

static int set_sweep(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->sweep = true;
    return 0;
}

static int set_explain(void *target, const char *name, const char *value)
{
    (void)name;
    ((struct arguments *)target)->explain = value;
    return 0;
}

const struct tkf_option tkf_bench_cli_options[] = {
    {"count", 'n', "N", false, "repeat each benchmark N times, one line each", set_harness},
    {"time", 't', "1s|5000x", false,
     "measured time, or number of iterations, of one repetition (default: 0.25s)", set_harness},
    {"filter", 0, "PATTERN", false, "the same as PATTERN", set_harness},
    {"list", 'l', NULL, false, "print the names and run nothing", set_harness},
    {"shuffle", 0, "WHICH", false,
     "run in another order: on, off, or a seed that an earlier run printed", set_harness},
    {"cpu", 'c', "N", false, "bind to CPU N", set_harness},
    {"mem", 'm', NULL, false, "count allocations", set_harness},
    {"sweep", 0, NULL, false,
     "find the size at which a copied value becomes dearer than a heap pointer", set_sweep},
    {"explain", 'e', "NAME", false, "print what a benchmark shows, its source and its machine code",
     set_explain},
    {NULL, 0, NULL, false, NULL, NULL},
};

static const struct tkf_verb *this_verb(void)
{
    const struct tkf_verb *verb = tkf_verbs;
    while (verb->run != tkf_verb_bench)
        verb++;
    return verb;
}

/** The operand, --sweep and --explain: what contradicts what. -1 to go on. */
static int check(struct arguments *arguments, int argc, char **argv, int first)
{
    if (argc - first > 1) {
        tkf_error("see 'tickfloor bench --help'", "unexpected operand '%s'", argv[first + 1]);
        return TKF_EXIT_USAGE;
    }
    if (first < argc) {
        if (arguments->options.filter != NULL) {
            tkf_error("leave one of them out", "there is a pattern '%s', and --filter",
                      argv[first]);
            return TKF_EXIT_USAGE;
        }
        int status = set_harness(arguments, "filter", argv[first]);
        if (status != 0)
            return status;
    }
    bool rows = arguments->options.filter != NULL || arguments->options.list;
    if ((arguments->sweep || arguments->explain != NULL) &&
        (rows || arguments->options.mem || (arguments->sweep && arguments->explain != NULL))) {
        tkf_error("leave the others out", "--%s goes with no pattern, --list, --mem or other mode",
                  arguments->sweep ? "sweep" : "explain");
        return TKF_EXIT_USAGE;
    }
    return -1;
}

int tkf_verb_bench(int argc, char **argv)
{
    struct arguments arguments = {.explain = NULL};
    tkf_bench_defaults(&arguments.options);
    arguments.options.limit.time_ns = SUITE_TIME_NS;
    arguments.options.pkg = "tickfloor/suite";
    arguments.options.limit.cancelled = tkf_interrupted;

    /* The parser reorders argv; starting anew, for --mem, needs it as it was. */
    char **original = calloc((size_t)argc + 2, sizeof *original);
    if (original == NULL) {
        tkf_error(NULL, "out of memory");
        return TKF_EXIT_MEASURE;
    }
    original[0] = (char *)"tickfloor";
    memcpy(original + 1, argv, (size_t)argc * sizeof *original);

    struct tkf_common common;
    int first;
    int status = tkf_options_parse(this_verb(), argc, argv, &arguments, &common, &first);
    if (status < 0)
        status = check(&arguments, argc, argv, first);
    if (status < 0)
        arguments.options.json = common.json;
    if (status >= 0) {
        /* said */
    } else if (arguments.explain != NULL) {
        status = tkf_bench_explain(arguments.explain);
    } else if (arguments.sweep) {
        status = tkf_bench_sweep(&arguments.options);
    } else if (arguments.options.mem && !arguments.options.list && !tkf_mem_available()) {
        struct tkf_input_error error;
        tkf_mem_restart(original, &error);
        tkf_error(error.next, "%s", error.text);
        status = TKF_EXIT_MEASURE;
    } else {
        status = tkf_bench_run(&arguments.options, stdout, stderr);
        if (status == TKF_EXIT_SIGINT)
            status = tkf_exit_interrupted();
    }
    free(original);
    return status;
}
