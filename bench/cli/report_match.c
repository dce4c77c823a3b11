/* SPDX-License-Identifier: MIT */
/* What is named beside the results, and is not among them. */
#include <stdlib.h>

#include "cli.h"
#include "judge.h"
#include "report_verb.h"

/* The name of a result that is nearest to a word; NULL when none is near, or when out of memory. */
static const char *nearest_name(const struct tkf_results *results, const char *word)
{
    size_t n = tkf_results_count(results);
    const char **names = calloc(n + 1, sizeof(const char *));
    if (!names)
        return NULL;
    for (size_t i = 0; i < n; i++)
        names[i] = tkf_results_get(results, i)->name;
    const char *nearest = tkf_nearest(word, names);
    free(names);
    return nearest;
}

size_t tkf_report_unmet(struct tkf_results *results, const struct tkf_expect *expect,
                        const char *path)
{
    struct tkf_sink sink;
    size_t count = 0;
    const char *pattern;
    unsigned line;
    tkf_sink_begin(&sink, results, path, NULL);
    for (size_t i = 0; (pattern = tkf_expect_pattern(expect, i, &line)); i++) {
        if (tkf_expect_is_met(expect, i, results))
            continue;
        const char *nearest = nearest_name(results, pattern);
        if (nearest)
            tkf_sink_notice(
                &sink, line,
                "the expectation is broken: no result is named \"%.100s\"; did you mean "
                "\"%.100s\"?",
                pattern, nearest);
        else
            tkf_sink_notice(&sink, line, "the expectation is broken: no result is named \"%.100s\"",
                            pattern);
        count++;
    }
    return count;
}

void tkf_report_uncompared(struct tkf_results *results, const struct tkf_results *baseline,
                           const char *path)
{
    struct tkf_sink sink;
    if (tkf_results_have_common(results, baseline, path))
        return;
    tkf_sink_begin(&sink, results, path, NULL);
    tkf_sink_notice(&sink, 0,
                    "the baseline has no result of the name, group and framework of one of these: "
                    "nothing is compared with it");
}

int tkf_report_floor_bench(const struct tkf_results *results, const char *name)
{
    bool named = false;
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        const struct tkf_result *result = tkf_results_get(results, i);
        if (!tkf_name_is(result, name))
            continue;
        if (tkf_may_be_floor(result))
            return TKF_EXIT_OK;
        named = true;
    }
    const char *nearest = nearest_name(results, name);
    char next[240] = "give its name as the report prints it";
    if (named) {
        tkf_error("name one that ran once in each round, on one thread",
                  "--floor-bench: \"%.200s\" cannot be the floor", name);
    } else {
        if (nearest)
            snprintf(next, sizeof next, "did you mean \"%.200s\"?", nearest);
        tkf_error(next, "--floor-bench: no result is named \"%.200s\"", name);
    }
    return TKF_EXIT_USAGE;
}
