/* SPDX-License-Identifier: MIT */
/** The main() of a program of benchmarks. It is the program: here, and only here, the library writes to its streams. */
#include <getopt.h>
#include <string.h>

#include "bench_run.h"

static const struct option options_long[] = {
    {"count", required_argument, NULL, 0},   {"time", required_argument, NULL, 0},
    {"filter", required_argument, NULL, 0},  {"list", no_argument, NULL, 0},
    {"shuffle", required_argument, NULL, 0}, {"cpu", required_argument, NULL, 0},
    {"mem", no_argument, NULL, 0},           {"json", no_argument, NULL, 0},
    {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
};

static const char help[] =
    "Usage: %s [OPTION...] [PATTERN]\n"
    "\n"
    "Run the benchmarks, or those whose name matches PATTERN, an extended regular\n"
    "expression. Prints Go's benchmark format; rows that cannot be told from an empty\n"
    "loop are marked on lines that begin with #.\n"
    "\n"
    "  --count N        repeat each benchmark N times, one line each (default: 1)\n"
    "  --time 1s|5000x  measured time, or iterations, of a repetition (default: 1s)\n"
    "  --filter PATTERN as PATTERN\n"
    "  --list           print the names and run nothing\n"
    "  --shuffle WHICH  on, off (default), or a seed that a run printed\n"
    "  --cpu N          bind to CPU N\n"
    "  --mem            count allocations\n"
    "  --json           print JSON, with every sample\n"
    "  --help           print this help\n"
    "\n"
    "Exit status: 0 all ran, 2 wrong usage, 3 a benchmark failed or nothing could be\n"
    "measured.\n";

static int say(const char *program, const struct tkf_input_error *error, int status)
{
    fprintf(stderr, "%s: %s%s%s\n", program, error->text, error->next[0] != '\0' ? "; " : "",
            error->next);
    return status;
}

int tkf_bench_main(int argc, char **argv)
{
    const char *path = argc > 0 ? argv[0] : "benchmark";
    const char *slash = strrchr(path, '/'), *program = slash != NULL ? slash + 1 : path;
    struct tkf_bench_options options;
    struct tkf_input_error error;
    tkf_bench_defaults(&options);
    options.pkg = program;

    int code, index = 0;
    optind = 0; /* start afresh, also getopt_long()'s own state */
    while ((code = getopt_long(argc, argv, "h", options_long, &index)) != -1) {
        if (code == 'h') {
            printf(help, program);
            return 0;
        }
        if (code != 0) {
            fprintf(stderr, "%s: see '%s --help'\n", program, program);
            return 2;
        }
        if (tkf_bench_option(&options, options_long[index].name, optarg, &error) != 0)
            return say(program, &error, 2);
    }
    if (optind < argc && tkf_bench_option(&options, "filter", argv[optind++], &error) != 0)
        return say(program, &error, 2);
    if (optind < argc) {
        fprintf(stderr, "%s: unexpected '%s' after the pattern; see '%s --help'\n", program,
                argv[optind], program);
        return 2;
    }
    if (options.mem && !options.list && !tkf_mem_available()) {
        tkf_mem_restart(argv, &error);
        return say(program, &error, 3);
    }
    int status = tkf_bench_run(&options, stdout, stderr);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "%s: the results cannot be printed: see that there is room\n", program);
        return 3;
    }
    return status;
}
