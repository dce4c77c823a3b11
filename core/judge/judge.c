/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

const char *tkf_verdict_name(enum tkf_verdict verdict)
{
    static const char *const names[TKF_VERDICT_COUNT] = {
        [TKF_VERDICT_IMPOSSIBLE] = "impossible",
        [TKF_VERDICT_AT_FLOOR] = "at-floor",
        [TKF_VERDICT_CAPPED] = "capped",
        [TKF_VERDICT_FLAT] = "flat",
        [TKF_VERDICT_TIMER_LIMITED] = "timer-limited",
        [TKF_VERDICT_WENT_QUIET] = "went-quiet",
        [TKF_VERDICT_NEAR_FLOOR] = "near-floor",
        [TKF_VERDICT_UNDECIDED] = "undecided",
        [TKF_VERDICT_OK] = "ok",
    };
    return (unsigned)verdict < TKF_VERDICT_COUNT ? names[verdict] : "unknown";
}

/* ---- words ---- */

void tkf_say(struct tkf_case *c, const char *rule, const char *format, ...)
{
    char text[512];
    va_list arguments;
    if (!c->to || c->to->nevidence == TKF_EVIDENCE_MAX)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    const char *kept = tkf_results_text(c->results, text, strlen(text));
    struct tkf_evidence *evidence = tkf_results_grow(c->results, c->to->evidence, c->to->nevidence);
    if (!kept || !evidence) {
        *c->out_of_memory = true;
        return;
    }
    evidence[c->to->nevidence++] = (struct tkf_evidence){.rule = rule, .text = kept};
    c->to->evidence = evidence;
}

const char *tkf_time_text(char text[static TKF_TIME_SIZE], double ns)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
    size_t i = 0;
    while (i < sizeof(units) / sizeof(units[0]) - 1 && fabs(ns) < units[i].ns)
        i++;
    snprintf(text, TKF_TIME_SIZE, "%.4g %s", ns / units[i].ns, units[i].name);
    return text;
}

const char *tkf_range_text(char text[static TKF_RANGE_SIZE], double from_ns, double to_ns)
{
    char from[TKF_TIME_SIZE], to[TKF_TIME_SIZE];
    tkf_time_text(from, from_ns);
    tkf_time_text(to, to_ns);
    snprintf(text, TKF_RANGE_SIZE, strcmp(from, to) == 0 ? "%s" : "%s to %s", from, to);
    return text;
}

const char *tkf_compared_text(char text[static TKF_COMPARED_SIZE], const struct tkf_case *c,
                              bool by_fastest)
{
    char usual[TKF_TIME_SIZE], fastest[TKF_TIME_SIZE];
    const char *batch = c->batch_known ? " for a whole batch" : "";
    tkf_time_text(usual, c->mid);
    tkf_time_text(fastest, c->low);
    if (!by_fastest || strcmp(usual, fastest) == 0)
        snprintf(text, TKF_COMPARED_SIZE, "%s%s", usual, batch);
    else if (c->row->repetitions > 1)
        snprintf(text, TKF_COMPARED_SIZE, "%s%s for the fastest of %u runs, %s for the usual one",
                 fastest, batch, c->row->repetitions, usual);
    else if (c->low <= c->row->ns_lo * c->batch)
        snprintf(text, TKF_COMPARED_SIZE, "%s%s for the fastest run, %s for the usual one", fastest,
                 batch, usual);
    else
        snprintf(text, TKF_COMPARED_SIZE, "%s%s at the low end of its interval, %s in its middle",
                 fastest, batch, usual);
    return text;
}

const char *tkf_empty_text(const struct tkf_case *c)
{
    const struct tkf_form_floor *form = tkf_floor_nearest(c);
    if (c->timing == TKF_TIMING_PROCESS)
        return "command";
    bool call = c->timing == TKF_TIMING_EACH_CALL || (form && strcmp(form->name, "call") == 0);
    return call ? "call" : "loop";
}

double tkf_cycles(const struct tkf_floor *floor, double ns)
{
    return ns / floor->used.cycle_ns;
}

/* ---- origins ---- */

/* The floors, one for each origin, in the order in which their rows come. */
static void free_floors(struct tkf_results *results)
{
    for (size_t i = 0; i < results->nfloors; i++)
        free(results->floors[i].sorted_ns);
    free(results->floors);
    results->floors = NULL;
    results->nfloors = 0;
}

void tkf_judge_clear(struct tkf_results *results)
{
    free_floors(results);
}

static int by_origin(const void *a, const void *b)
{
    const struct tkf_row *x = *(struct tkf_row *const *)a, *y = *(struct tkf_row *const *)b;
    uintptr_t p = (uintptr_t)x->result.origin, q = (uintptr_t)y->result.origin;
    return p != q ? (p > q) - (p < q) : (x > y) - (x < y);
}

static size_t same_origin(struct tkf_row *const *rows, size_t from, size_t n)
{
    size_t to = from;
    while (to < n && rows[to]->result.origin == rows[from]->result.origin)
        to++;
    return to;
}

static int choose_floors(struct tkf_results *results, const struct tkf_judge_options *options)
{
    size_t n = results->nrows, norigins = 0;
    int ret = 0;
    struct tkf_row **rows = calloc(n > 0 ? n : 1, sizeof(struct tkf_row *));
    if (!rows)
        return TKF_ENOMEM;
    if (n > 0)
        memcpy(rows, results->rows, n * sizeof(struct tkf_row *));
    qsort(rows, n, sizeof(struct tkf_row *), by_origin);
    for (size_t i = 0; i < n; i = same_origin(rows, i, n))
        norigins++;
    results->floors = calloc(norigins > 0 ? norigins : 1, sizeof(*results->floors));
    if (!results->floors)
        ret = TKF_ENOMEM;
    for (size_t i = 0; i < n && ret == 0;) {
        size_t to = same_origin(rows, i, n);
        ret = tkf_floor_choose(results, rows[i]->result.origin, rows + i, to - i, options,
                               &results->floors[results->nfloors]);
        results->nfloors += ret == 0;
        i = to;
    }
    free(rows);
    return ret;
}

/* The floors are in the order of their origins' addresses. */
static const struct tkf_floor *find_floor(const struct tkf_results *results,
                                          const struct tkf_origin *origin)
{
    size_t from = 0, to = results->nfloors;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if ((uintptr_t)results->floors[middle].origin < (uintptr_t)origin)
            from = middle + 1;
        else
            to = middle;
    }
    return from < results->nfloors && results->floors[from].origin == origin
               ? &results->floors[from]
               : NULL;
}

const struct tkf_floor_used *tkf_results_floor(const struct tkf_results *results,
                                               const struct tkf_origin *origin)
{
    const struct tkf_floor *floor = find_floor(results, origin);
    return floor ? &floor->used : NULL;
}

/* ---- the baseline ---- */

static int by_name(const void *a, const void *b)
{
    const struct tkf_result *x = *(const struct tkf_result *const *)a,
                            *y = *(const struct tkf_result *const *)b;
    int order = strcmp(x->origin->framework, y->origin->framework);
    if (order == 0)
        order = strcmp(x->group, y->group);
    if (order == 0)
        order = strcmp(x->name, y->name);
    return order != 0 ? order
                      : strcmp(x->full_name ? x->full_name : "", y->full_name ? y->full_name : "");
}

/* The baseline's rows by name; NULL when out of memory. */
static const struct tkf_result **sort_baseline(const struct tkf_results *baseline, size_t *ret_n)
{
    size_t n = baseline ? baseline->nrows : 0;
    const struct tkf_result **sorted = calloc(n > 0 ? n : 1, sizeof(const struct tkf_result *));
    if (!sorted)
        return NULL;
    for (size_t i = 0; i < n; i++)
        sorted[i] = &baseline->rows[i]->result;
    qsort(sorted, n, sizeof(const struct tkf_result *), by_name);
    *ret_n = n;
    return sorted;
}

static const struct tkf_result *find_base(const struct tkf_result *const *sorted, size_t n,
                                          const struct tkf_result *row)
{
    const struct tkf_result *const *found =
        bsearch(&row, sorted, n, sizeof(const struct tkf_result *), by_name);
    return found ? *found : NULL;
}

bool tkf_results_have_common(const struct tkf_results *results, const struct tkf_results *baseline,
                             const char *file)
{
    size_t n;
    const struct tkf_result **sorted = sort_baseline(results, &n);
    bool common = !sorted; /* not known */
    for (size_t i = 0; i < baseline->nrows && !common; i++) {
        const struct tkf_result *base = &baseline->rows[i]->result;
        common = strcmp(base->origin->file, file) == 0 && find_base(sorted, n, base);
    }
    free(sorted);
    return common;
}

/* ---- cases ---- */

/*
 * Some frameworks print the spread of their samples as the interval, so that one is believed to a
 * tenth only.
 */
#define INTERVAL_TRUST 0.1

double tkf_lowest_ns(const struct tkf_result *row)
{
    enum tkf_timing timing = row->origin->timing;
    bool averaged = timing == TKF_TIMING_BATCHED || timing == TKF_TIMING_PROCESS;
    if (averaged && row->min_ns >= 0)
        return fmin(row->min_ns, row->ns);
    if (timing == TKF_TIMING_BATCHED && row->ns_lo < row->ns)
        return fmax(row->ns_lo, row->ns * (1 - INTERVAL_TRUST));
    return row->ns;
}

/*
 * A stated rate that a machine can do makes a number below a cycle one of many operations at once.
 */
static bool rate_explains(const struct tkf_case *c)
{
    double a_cycle_ns = c->floor->cycle_min_ns * TKF_CYCLE_SHARE;
    double most_a_second = TKF_BYTES_A_CYCLE / a_cycle_ns * 1e9 * c->sharers;
    double rate = fmax(c->row->bytes_per_second, c->row->items_per_second);
    return rate > 0 && rate <= most_a_second;
}

static void fill(struct tkf_results *results, const struct tkf_judge_options *options,
                 struct tkf_row *row, struct tkf_case *c)
{
    struct tkf_result *result = &row->result;
    const char *framework = result->origin->framework;
    struct tkf_name_parts parts = tkf_name_parts(result->name);
    *c = (struct tkf_case){
        .results = results,
        .options = options,
        .floor = find_floor(results, result->origin),
        .row = result,
        .to = result,
        .timing = result->origin->timing,
        .batch = result->batch > 1 ? result->batch
                 : parts.batch > 1 ? parts.batch
                                   : 1,
        .parallel =
            parts.parallel && (strcmp(framework, "go") == 0 || strcmp(framework, "benchstat") == 0),
        .sharers = 1,
    };
    c->batch_known = c->batch > 1;
    if (result->threads > 1)
        c->sharers = result->threads;
    else if (isnan(result->threads) && result->procs > 1)
        c->sharers = result->procs;
    c->mid = result->ns * c->batch;
    c->low = tkf_lowest_ns(result) * c->batch;
    c->rate_explains = rate_explains(c);
}

/* ---- judging ---- */

/*
 * The first that holds is the verdict. "went-quiet" says all that "at-floor" says, and more, so it
 * is asked before it.
 */
static const struct {
    enum tkf_verdict verdict;
    bool (*holds)(struct tkf_case *c);
} rules[] = {
    {TKF_VERDICT_IMPOSSIBLE, tkf_rule_impossible},
    {TKF_VERDICT_WENT_QUIET, tkf_rule_went_quiet},
    {TKF_VERDICT_AT_FLOOR, tkf_rule_at_floor},
    {TKF_VERDICT_CAPPED, tkf_rule_capped},
    {TKF_VERDICT_FLAT, tkf_rule_flat},
    {TKF_VERDICT_TIMER_LIMITED, tkf_rule_timer_limited},
    {TKF_VERDICT_NEAR_FLOOR, tkf_rule_near_floor},
    {TKF_VERDICT_UNDECIDED, tkf_rule_undecided},
};

static enum tkf_verdict pick(struct tkf_case *c)
{
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (rules[i].holds(c))
            return rules[i].verdict;
    }
    return TKF_VERDICT_OK;
}

static void judge(struct tkf_case *c)
{
    struct tkf_result *row = c->to;
    tkf_results_recycle(c->results, row->evidence, row->nevidence);
    row->evidence = NULL;
    row->nevidence = 0;
    row->cycles_shown = tkf_cycles(c->floor, row->ns);
    const struct tkf_form_floor *form = tkf_floor_nearest(c);
    row->over_floor_ns = form ? row->ns * c->batch - form->mid : NAN;
    tkf_expect_check(c);
    row->verdict = pick(c);
    tkf_corroborate(c, row->verdict);
    tkf_place_on_ladder(c, row->verdict);
    row->hint = tkf_hint(row);
}

int tkf_results_judge(struct tkf_results *results, const struct tkf_judge_options *options)
{
    struct tkf_case *cases = NULL;
    const struct tkf_result **baseline = NULL;
    size_t nbaseline = 0;
    bool out_of_memory = false;

    free_floors(results);
    int ret = choose_floors(results, options);
    if (ret < 0)
        goto done;
    ret = TKF_ENOMEM;
    cases = calloc(results->nrows > 0 ? results->nrows : 1, sizeof(*cases));
    baseline = sort_baseline(options->baseline, &nbaseline);
    if (!cases || !baseline)
        goto done;
    for (size_t i = 0; i < results->nrows; i++) {
        fill(results, options, results->rows[i], &cases[i]);
        cases[i].base = find_base(baseline, nbaseline, cases[i].row);
        cases[i].out_of_memory = &out_of_memory;
    }
    ret = tkf_flat_families(cases, results->nrows);
    for (size_t i = 0; i < results->nrows && ret == 0; i++)
        judge(&cases[i]);
    if (out_of_memory)
        ret = TKF_ENOMEM;
done:
    free(baseline);
    free(cases);
    return ret;
}
