/* SPDX-License-Identifier: MIT */
/*
 * What scripts/score runs: judge files, and print a line for each result: file, framework, group,
 * name, ns, least ns, verdict and its rule, separated by tabs.
 *
 *     score CYCLE_NS FILE...   each FILE on its own, on a machine of that cycle
 * score --cases TSV        the rows of a table of known cases instead, each on the machine that it
 * names
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../core/judge/results.h"

/* A machine whose every empty loop is one cycle. */
static struct tkf_profile machine(struct tkf_profile_cpu *cpu, double cycle_ns)
{
    cpu->floor.cycle_ns = cycle_ns;
    cpu->floor.core_hz = 1e9 / cycle_ns;
    cpu->floor.floor_ns = (struct tkf_band){cycle_ns, cycle_ns, cycle_ns};
    return (struct tkf_profile){.cpus = cpu, .ncpus = 1};
}

static void print(const struct tkf_results *results, const char *file)
{
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        const struct tkf_result *row = tkf_results_get(results, i);
        double least = row->min_ns >= 0 ? row->min_ns : fmin(row->ns, row->ns_lo);
        printf("%s\t%s\t%s\t%s\t%.9g\t%.9g\t%s\t%s\n", file, row->origin->framework, row->group,
               row->name, row->ns, least, tkf_verdict_name(row->verdict),
               row->nevidence > 0 ? row->evidence[0].rule : "");
    }
}

static int judge(struct tkf_results *results, const char *file, double cycle_ns)
{
    static struct tkf_profile_cpu cpu;
    struct tkf_profile profile = machine(&cpu, cycle_ns);
    int ret = tkf_results_judge(
        results, &(struct tkf_judge_options){.profile = &profile, .profile_applies = true});
    if (ret == 0)
        print(results, file);
    tkf_results_free(results);
    return ret;
}

static int judge_file(const char *file, double cycle_ns)
{
    struct tkf_input_error error = {0};
    struct tkf_results *results = tkf_results_new();
    int ret = results ? tkf_results_read_path(results, file, NULL, &error) : TKF_ENOMEM;
    if (ret < 0) {
        fprintf(stderr, "%s:%u: %s\n", file, error.line, error.text);
        tkf_results_free(results);
        return ret;
    }
    return judge(results, file, cycle_ns);
}

/* ---- known cases ---- */

/* How the frameworks in the table time; of the others nothing is known. */
static const struct {
    const char *name, *framework;
    enum tkf_timing timing;
} frameworks[] = {
    {"testing", "go", TKF_TIMING_BATCHED},
    {"testing RunParallel", "go", TKF_TIMING_BATCHED},
    {"google-benchmark", "google-benchmark", TKF_TIMING_BATCHED},
    {"criterion", "criterion", TKF_TIMING_BATCHED},
    {"libtest", "libtest", TKF_TIMING_BATCHED},
    {"divan", "divan", TKF_TIMING_SUBTRACTED},
    {"BenchmarkDotNet", "benchmarkdotnet", TKF_TIMING_SUBTRACTED},
    {"BenchmarkDotNet 0.7.6", "benchmarkdotnet", TKF_TIMING_SUBTRACTED},
    {"benchmark.js", "benchmark.js", TKF_TIMING_BATCHED},
    {"mitata", "mitata", TKF_TIMING_BATCHED},
    {"BenchmarkTools", "benchmarktools", TKF_TIMING_BATCHED},
    {"JMH", "jmh", TKF_TIMING_BATCHED},
};

enum { ID, LABEL, LANGUAGE, FRAMEWORK, BENCHMARK, REPORTED, CYCLE, TRUE_NS, THREADS, COLUMNS };

/*
 * The rows so far, all of one framework and machine; two of one name would be repetitions of one.
 */
struct group {
    struct tkf_results *results;
    struct tkf_sink sink;
    char framework[64], name[128];
    double cycle_ns;
};

static int end_group(struct group *group)
{
    if (!group->results)
        return 0;
    tkf_sink_end(&group->sink);
    return judge(group->results, "case", group->cycle_ns);
}

static int begin_group(struct group *group, const char *framework, double cycle_ns)
{
    size_t i = 0, n = sizeof(frameworks) / sizeof(frameworks[0]);
    while (i < n && strcmp(frameworks[i].name, framework) != 0)
        i++;
    *group = (struct group){.results = tkf_results_new(), .cycle_ns = cycle_ns};
    if (!group->results)
        return TKF_ENOMEM;
    snprintf(group->framework, sizeof(group->framework), "%s", framework);
    tkf_sink_begin(&group->sink, group->results, "cases", "case");
    tkf_sink_origin(&group->sink, i < n ? frameworks[i].framework : framework,
                    i < n ? frameworks[i].timing : TKF_TIMING_UNKNOWN);
    return 0;
}

static void add_case(struct group *group, char *const columns[COLUMNS])
{
    struct tkf_result row = tkf_sink_row(&group->sink, 1);
    row.name = columns[BENCHMARK];
    snprintf(group->name, sizeof(group->name), "%s", columns[BENCHMARK]);
    row.ns = strtod(columns[REPORTED], NULL);
    row.procs = strtod(columns[THREADS], NULL);
    tkf_sink_add(&group->sink, &row);
}

static int judge_cases(const char *file)
{
    char *line = NULL;
    size_t size = 0;
    int ret = 0;
    struct group group = {0};
    FILE *in = fopen(file, "r");
    if (!in) {
        perror(file);
        return TKF_EIO;
    }
    for (bool header = true; ret == 0 && getline(&line, &size, in) >= 0; header = false) {
        char *columns[COLUMNS], *rest = line;
        for (int i = 0; i < COLUMNS; i++)
            columns[i] = rest ? strsep(&rest, "\t\n") : "";
        if (header)
            continue;
        double cycle_ns = strtod(columns[CYCLE], NULL);
        if (!group.results || strcmp(group.framework, columns[FRAMEWORK]) != 0 ||
            group.cycle_ns != cycle_ns || strcmp(group.name, columns[BENCHMARK]) == 0) {
            ret = end_group(&group);
            if (ret == 0)
                ret = begin_group(&group, columns[FRAMEWORK], cycle_ns);
        }
        if (ret == 0)
            add_case(&group, columns);
    }
    if (ret == 0)
        ret = end_group(&group);
    free(line);
    fclose(in);
    return ret;
}

int main(int argc, char **argv)
{
    int failed = 0;
    if (argc == 3 && strcmp(argv[1], "--cases") == 0)
        return judge_cases(argv[2]) < 0;
    for (int i = 2; i < argc; i++)
        failed |= judge_file(argv[i], strtod(argv[1], NULL)) < 0;
    return failed || argc < 3;
}
