/* SPDX-License-Identifier: MIT */
/*
 * How fast a reader is, and how much memory it takes.
 *
 *     bench_read FORMAT MIB     reads that much of the format
 *     bench_read --write FORMAT MIB     writes it to standard output instead
 *
 * Each reading has a process of its own, so that its CPU time and its peak memory are its own.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickfloor/report.h>

#include "generate.h"

#define SEED 20261130

static const char *format;

/* How the file is read; 0, or an exit status. */
typedef int (*reading)(FILE *in);

static int read_results(FILE *in)
{
    struct tkf_results *results = tkf_results_new();
    struct tkf_input_error error;
    int ret = tkf_results_read(results, in, "generated", format, NULL, &error);
    if (ret < 0)
        fprintf(stderr, "%s\n", error.text);
    else
        printf("%zu results, %zu notices; ", tkf_results_count(results),
               tkf_results_notices(results));
    tkf_results_free(results);
    return ret < 0;
}

/* What jansson takes alone: the bound for every reader of JSON. */
static int load_json(FILE *in)
{
    json_error_t problem;
    json_t *root = json_loadf(in, 0, &problem);
    if (!root)
        fprintf(stderr, "line %d: %s\n", problem.line, problem.text);
    json_decref(root);
    return !root;
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static int measure(const char *what, FILE *file, reading reading)
{
    int status = 0;
    struct rusage usage;
    double mb = (double)ftell(file) / 1e6;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        rewind(file);
        printf("%s: ", what);
        int failed = reading(file);
        fflush(stdout);
        _exit(failed);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0) {
        fprintf(stderr, "%s: could not be read\n", what);
        return 1;
    }
    double cpu_s = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    printf("%.0f MB in %.2f s of CPU time, %.0f MB/s, peak %.1f MiB\n", mb, cpu_s, mb / cpu_s,
           (double)usage.ru_maxrss / 1024);
    return 0;
}

static bool has_reader(const char *name)
{
    for (const char *const *known = tkf_results_formats(); *known; known++) {
        if (strcmp(*known, name) == 0)
            return true;
    }
    return false;
}

int main(int argc, char **argv)
{
    bool write = argc == 4 && strcmp(argv[1], "--write") == 0;
    if (argc != 3 && !write) {
        fprintf(stderr, "bench_read [--write] go-text|gbench-json MIB\n");
        return 2;
    }
    format = argv[argc - 2];
    bool json = strcmp(format, "gbench-json") == 0;
    uint64_t bytes = strtoull(argv[argc - 1], NULL, 10) << 20;
    FILE *file = write ? stdout : tmpfile();
    if (!file) {
        fprintf(stderr, "no temporary file: %s\n", strerror(errno));
        return 1;
    }
    (json ? generate_gbench_json : generate_go_text)(file, SEED, bytes);
    if (fflush(file) != 0 || ferror(file)) {
        fprintf(stderr, "writing %llu MiB: %s\n", (unsigned long long)bytes >> 20, strerror(errno));
        return 1;
    }
    if (write)
        return 0;
    if (json && measure("jansson alone", file, load_json) != 0)
        return 1;
    if (!has_reader(format)) {
        fprintf(stderr, "no reader of %s yet\n", format);
        return 77;
    }
    return measure(format, file, read_results);
}
