/* SPDX-License-Identifier: MIT */
/** The main() of a program of benchmarks. It is the program: here, and only here, the library writes to its streams. */
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* ---- a benchmark that ends the program ---------------------------------------------------------------------------- */

static const char *program;
static pid_t program_pid; /* what a benchmark forks ends as it likes */

/** "PROGRAM: BenchmarkNAME <what>", with what a handler of signals may call. */
static void blame(const char *name, const char *what)
{
    const char *const parts[] = {program, ": Benchmark", name, what};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
            return;
    }
}

static void on_crash(int signal_number)
{
    const char *name = tkf_bench_running();
    if (name != NULL && getpid() == program_pid)
        blame(name, signal_number == SIGABRT
                        ? " aborted the program; leave it out, or run it alone under a debugger\n"
                        : " crashed the program; leave it out, or run it alone under a debugger\n");
    raise(signal_number); /* once this returns, with what is usual for it */
}

/** What ended early would look as if it had come to its end. */
static void on_exit_early(void)
{
    const char *name = tkf_bench_running();
    if (name == NULL || getpid() != program_pid)
        return;
    fflush(NULL);
    blame(name, " ended the program with exit(); let its function return\n");
    _exit(3);
}

static void watch(void)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char stack[65536]; /* for what overflowed its own */
    program_pid = getpid();
    atexit(on_exit_early);
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++) {
        struct sigaction now,
            mine = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
        /* A sanitizer's handler says more. */
        if (sigaction(crashes[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(crashes[i], &mine, NULL);
    }
}

/* ---- the program -------------------------------------------------------------------------------------------------- */

static int say(const struct tkf_input_error *error, int status)
{
    fprintf(stderr, "%s: %s%s%s\n", program, error->text, error->next[0] != '\0' ? "; " : "",
            error->next);
    return status;
}

/** What getopt_long() does not take, found in `word`: one line. Of several letters in a word optopt has the one. */
static int refuse(int code, const char *word)
{
    const char letter[] = {'-', (char)optopt, '\0'};
    bool is_letter = code == '?' && optopt != 0 && optopt != 'h';
    fprintf(stderr, "%s: '%s' %s; see '%s --help'\n", program, is_letter ? letter : word,
            code == ':' ? "needs a value" : "is no option", program);
    return 2;
}

int tkf_bench_main(int argc, char **argv)
{
    const char *path = argc > 0 ? argv[0] : "benchmark";
    const char *slash = strrchr(path, '/');
    struct tkf_bench_options options;
    struct tkf_input_error error;
    program = slash != NULL ? slash + 1 : path;
    tkf_bench_defaults(&options);
    options.pkg = options.program = program;

    int code, index = 0;
    optind = 0; /* start afresh, also getopt_long()'s own state */
    opterr = 0;
    while ((code = getopt_long(argc, argv, ":h", options_long, &index)) != -1) {
        if (code == 'h') {
            printf(help, program);
            return 0;
        }
        if (code != 0)
            return refuse(code, argv[optind - 1]);
        if (tkf_bench_option(&options, options_long[index].name, optarg, &error) != 0)
            return say(&error, 2);
    }
    if (optind < argc && tkf_bench_option(&options, "filter", argv[optind++], &error) != 0)
        return say(&error, 2);
    if (optind < argc) {
        fprintf(stderr, "%s: unexpected '%s' after the pattern; see '%s --help'\n", program,
                argv[optind], program);
        return 2;
    }
    if (options.mem && !options.list && !tkf_mem_available()) {
        tkf_mem_restart(argv, &error);
        return say(&error, 3);
    }
    watch();
    int status = tkf_bench_run(&options, stdout, stderr);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "%s: the results cannot be printed: see that there is room\n", program);
        return 3;
    }
    return status;
}
