/* SPDX-License-Identifier: MIT */
/**
 * Rows of this harness against the floor that was measured in the same run.
 *
 * They are judged as `tickfloor report` judges what is printed, from the same text, but for one thing: each repetition stands with
 * the fastest state of its row in place of its median. A busy hardware thread beside this one makes an empty loop take up to two cycles, and a
 * dead row would pass for a small one; it makes no row faster.
 */
#include <stdlib.h>
#include <string.h>

#include <tickfloor/report.h>

#include "bench_run.h"

/** The rows as they are printed; to free(), NULL when out of memory. */
static char *print_rows(const struct tkf_bench_session *session, const struct tkf_bench_row *rows,
                        size_t nrows, size_t *ret_size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, ret_size);
    if (out == NULL)
        return NULL;
    tkf_bench_print_head(session, out);
    for (size_t i = 0; i < nrows; i++) {
        for (unsigned k = 0; k < rows[i].nrepetitions; k++) {
            struct tkf_bench_repetition fastest = rows[i].repetitions[k];
            fastest.ns = rows[i].fast_ns;
            tkf_bench_print_repetition(session, &rows[i], &fastest, out);
        }
    }
    return fclose(out) == 0 ? text : NULL;
}

/** The result of a row, by its name: with "Benchmark" before it, as the reader gives it. */
static const struct tkf_result *result_of(const struct tkf_results *results, const char *name)
{
    static const char prefix[] = "Benchmark";
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        const struct tkf_result *result = tkf_results_get(results, i);
        if (strncmp(result->name, prefix, strlen(prefix)) == 0 &&
            strcmp(result->name + strlen(prefix), name) == 0)
            return result;
    }
    return NULL;
}

static void take_verdict(const struct tkf_result *result, struct tkf_bench_row *row)
{
    size_t used = 0;
    row->verdict = tkf_verdict_name(result->verdict);
    for (unsigned i = 0; i < result->nevidence && used < sizeof row->evidence; i++) {
        int n = snprintf(row->evidence + used, sizeof row->evidence - used, "%s%s",
                         i > 0 ? "; " : "", result->evidence[i].text);
        used += n > 0 ? (size_t)n : 0;
        if (i == 0)
            row->first_evidence = n;
    }
}

void tkf_bench_judge(const struct tkf_bench_session *session, struct tkf_bench_row *rows,
                     size_t nrows)
{
    struct tkf_judge_options options = {.profile = &session->profile, .profile_applies = true};
    struct tkf_results *results = tkf_results_new();
    struct tkf_input_error error;
    size_t size = 0;
    char *text = print_rows(session, rows, nrows, &size);
    FILE *in = text != NULL ? fmemopen(text, size, "r") : NULL;

    /* Where it cannot be judged the rows have no verdict. */
    if (results != NULL && in != NULL &&
        tkf_results_read(results, in, "<bench>", "go-text", NULL, &error) == 0 &&
        tkf_results_judge(results, &options) == 0) {
        for (size_t i = 0; i < nrows; i++) {
            const struct tkf_result *result = result_of(results, rows[i].name);
            if (result != NULL && !result->failed)
                take_verdict(result, &rows[i]);
        }
    }
    if (in != NULL)
        fclose(in);
    free(text);
    tkf_results_free(results);
}
