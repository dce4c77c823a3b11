/* SPDX-License-Identifier: MIT */
/**
 * Rows of this harness against the floor that was measured in the same run.
 *
 * They are judged as `tickfloor report` judges what is printed, from the same text, but each repetition stands with the fastest
 * state of its row in place of its median. A busy hardware thread beside this one makes an empty loop take up to two cycles, and a
 * dead row would pass for a small one; it makes no row faster.
 *
 * What the text does not say is judged here: how a row did in turns with an empty loop, and how much of it is the counter's.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/report.h>

#include "bench_run.h"
#include "judge.h"

/* More of a window than this may not be the reading of the counter, nor its step. */
#define READ_SHARE 0.1

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
    row->hint = result->hint;
    for (unsigned i = 0; i < result->nevidence && used < sizeof row->evidence; i++) {
        int n = snprintf(row->evidence + used, sizeof row->evidence - used, "%s%s",
                         i > 0 ? "; " : "", result->evidence[i].text);
        used += n > 0 ? (size_t)n : 0;
        if (i == 0)
            row->first_evidence = n;
    }
}

/* ---- what the text does not say ----------------------------------------------------------------------------------- */

static void overrule(struct tkf_bench_row *row, const struct tkf_result *result,
                     enum tkf_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void overrule(struct tkf_bench_row *row, const struct tkf_result *result,
                     enum tkf_verdict verdict, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->evidence, sizeof row->evidence, format, arguments);
    va_end(arguments);
    row->first_evidence = (int)strlen(row->evidence);
    row->verdict = tkf_verdict_name(verdict);
    struct tkf_result judged = {.origin = result->origin, .verdict = verdict};
    row->hint = tkf_hint(&judged);
}

/** The shortest that windows of the row usually were. */
static double window_ns(const struct tkf_bench_row *row)
{
    double shortest = INFINITY;
    for (unsigned i = 0; i < row->nrepetitions; i++) {
        const struct tkf_bench_repetition *r = &row->repetitions[i];
        if (r->nsamples > 0)
            shortest = fmin(shortest, r->ns * (double)r->sizes[r->nsamples / 2]);
    }
    return shortest;
}

static bool judge_by_timer(const struct tkf_bench_session *session, const struct tkf_result *result,
                           struct tkf_bench_row *row)
{
    const struct tkf_counter *counter = &session->profile.counter;
    double window = window_ns(row), lost = fmax(counter->read_ns.mid, counter->step_ns);
    if (!(lost > READ_SHARE * window))
        return false;
    overrule(row, result, TKF_VERDICT_TIMER_LIMITED,
             "windows of %.3g ns, where one reading of the counter takes %.3g ns and its step is "
             "%.3g ns",
             window, counter->read_ns.mid, counter->step_ns);
    return true;
}

static void judge_beside(const struct tkf_result *result, struct tkf_bench_row *row)
{
    const struct tkf_bench_beside *beside = &row->beside;
    if (beside->windows > 0 && beside->ratio.hi <= 1 + TKF_FLOOR_TOLERANCE)
        overrule(row, result, TKF_VERDICT_AT_FLOOR,
                 "%.4g ns, where an empty loop in turns with it takes %.4g ns; it cannot be told "
                 "from an empty loop, be it that the work is gone or that it fits beside the "
                 "loop's own",
                 beside->ns, beside->empty_ns);
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
            if (result == NULL || result->failed)
                continue;
            take_verdict(result, &rows[i]);
            if (result->verdict >= TKF_VERDICT_NEAR_FLOOR &&
                !judge_by_timer(session, result, &rows[i]))
                judge_beside(result, &rows[i]);
        }
    }
    if (in != NULL)
        fclose(in);
    free(text);
    tkf_results_free(results);
}
