/* SPDX-License-Identifier: MIT */
/*
 * impossible: the number cannot be the time of one such operation. No tolerance: what holds here
 * holds on every machine. doc/verdicts.md argues for each rule.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../judge.h"

bool tkf_number_is_known(const struct tkf_case *c)
{
    return isfinite(c->row->ns) && !c->row->failed && !c->row->time_missing;
}

static double half_quantum(const struct tkf_case *c)
{
    return isnan(c->row->quantum_ns) ? 0 : c->row->quantum_ns / 2;
}

/*
 * A loop takes a branch in each round, and every timed call reads a clock. Where an overhead is
 * taken off, any number can be left.
 */
bool tkf_below_one_cycle(const struct tkf_case *c)
{
    bool whole =
        c->timing == TKF_TIMING_BATCHED || (c->timing == TKF_TIMING_EACH_CALL && c->row->ns != 0);
    double least_ns = TKF_CYCLE_SHARE * c->floor->cycle_min_ns;
    return whole && (c->row->ns + half_quantum(c)) * c->batch * c->sharers < least_ns;
}

/*
 * Work that it was given is in the number, however the compiler turned it round: those are many
 * operations at once.
 */
static bool is_below_one_cycle(struct tkf_case *c)
{
    if (c->rate_explains || !tkf_below_one_cycle(c))
        return false;
    double cycles = c->row->ns * c->batch * c->sharers / c->floor->cycle_min_ns;
    char cycle[TKF_TIME_SIZE];
    tkf_time_text(cycle, c->floor->cycle_min_ns);
    if (c->sharers > 1)
        tkf_say(c, "below-one-cycle",
                "%.2g cycles an operation, however it was shared by up to %.0f threads, where one "
                "round of any loop takes a cycle "
                "(%s%s); the work was not done, or not once for each operation",
                cycles, c->sharers, cycle,
                isfinite(c->floor->used.cycle_ns) ? "" : " on the fastest CPU there is");
    else
        tkf_say(
            c, "below-one-cycle",
            "%.2g cycles %s, where one round of any loop takes a cycle (%s%s); the work was not "
            "done, or not once for each "
            "operation",
            cycles, c->batch_known ? "for a whole batch" : "an operation", cycle,
            isfinite(c->floor->used.cycle_ns) ? "" : " on the fastest CPU there is");
    return true;
}

static bool has_no_time(struct tkf_case *c)
{
    const struct tkf_result *row = c->row;
    bool zero = row->ns == 0 && (c->timing == TKF_TIMING_BATCHED) && row->quantum_ns == 0;
    bool negative =
        row->ns < 0 && (c->timing == TKF_TIMING_BATCHED || c->timing == TKF_TIMING_EACH_CALL);
    /* A Go benchmark takes its time away on purpose, to report another quantity. */
    bool missing = row->time_missing && row->nmetrics == 0;
    if (zero || missing)
        tkf_say(
            c, "no-time",
            "the framework measured no time at all; the timer did not run, or there was nothing to "
            "time");
    else if (negative)
        tkf_say(
            c, "negative-time",
            "the time is below zero; the clock went back, or more was taken off than was measured");
    return zero || negative || missing;
}

/*
 * What frameworks and runtimes say of a row that was not the work's time. mitata's "likely" is a
 * guess from the time alone.
 */
static const struct {
    const char *phrase, *rule, *text;
} remarks[] = {
    {"optimized away", "framework-says", "it could not be measured"},
    {"non-zero exit", "exit-code", "a timed command failed; the number is what it took to fail"},
    {"never awaited", "never-awaited", "the timed call made a coroutine that never ran"},
};

/* The sentence of a remark that a phrase in it belongs to. */
static struct tkf_slice sentence(const char *remark, const char *phrase)
{
    const char *start = phrase;
    while (start > remark && !(start[-1] == ' ' && start - 1 > remark && strchr(".;", start[-2])))
        start--;
    return (struct tkf_slice){.text = start, .length = strcspn(start, ".;")};
}

static bool framework_says(struct tkf_case *c)
{
    const char *remark = c->row->remark;
    for (size_t i = 0; remark && i < sizeof(remarks) / sizeof(remarks[0]); i++) {
        const char *phrase = strstr(remark, remarks[i].phrase);
        if (!phrase)
            continue;
        struct tkf_slice quote = sentence(remark, phrase);
        tkf_say(c, remarks[i].rule, "the framework says: \"%.*s\"; %s",
                quote.length < 200 ? (int)quote.length : 200, quote.text, remarks[i].text);
        return true;
    }
    return false;
}

/* So many a second, "88.1 TB/s", where the least unit has 1e9 of them. */
#define RATE_SIZE 40
static const char *rate_text(char text[static RATE_SIZE], double a_second,
                             const char *const units[4])
{
    unsigned unit = 0;
    double value = a_second / 1e9;
    while (unit < 3 && value >= 999.5) {
        value /= 1000;
        unit++;
    }
    snprintf(text, RATE_SIZE, "%.3g %s", value, units[unit]);
    return text;
}

static bool exceeds_machine(struct tkf_case *c)
{
    static const char *const bytes[] = {"GB/s", "TB/s", "PB/s", "EB/s"};
    static const char *const items[] = {"billion", "trillion", "quadrillion", "quintillion"};
    char rate[RATE_SIZE], limit[RATE_SIZE];
    char who[40] = "no core gets", does[40] = "no core does";
    const struct tkf_result *row = c->row;
    if (c->sharers > 1) {
        snprintf(who, sizeof(who), "no %.0f cores get", c->sharers);
        snprintf(does, sizeof(does), "no %.0f cores do", c->sharers);
    }
    double most =
        TKF_BYTES_A_CYCLE / (TKF_CYCLE_SHARE * c->floor->cycle_min_ns) * c->sharers; /* a ns */
    if (c->timing != TKF_TIMING_BATCHED)
        return false;
    if (row->bytes_per_second / 1e9 > most)
        tkf_say(c, "rate",
                "%s, where %s more than %s out of the nearest cache; most of the bytes were never "
                "touched",
                rate_text(rate, row->bytes_per_second, bytes), who,
                rate_text(limit, most * 1e9, bytes));
    else if (row->items_per_second / 1e9 > most)
        tkf_say(c, "rate",
                "%s items a second, where %s more than %s; most of the items were never looked at",
                rate_text(rate, row->items_per_second, items), does,
                rate_text(limit, most * 1e9, items));
    else
        return false;
    return true;
}

static bool command_failed(struct tkf_case *c)
{
    if (!(c->row->exit_code > 0))
        return false;
    tkf_say(c, "exit-code",
            "a timed command ended with exit status %.0f; the number is what it took to fail",
            c->row->exit_code);
    return true;
}

/*
 * Time for one operation that grows as the iterations do: the body loops over N itself. Five
 * repetitions in line are needed, or four that also ran far longer than the framework meant to,
 * which predicts the time from shorter runs.
 */
static bool grows_with_iterations(struct tkf_case *c)
{
    const struct tkf_result *row = c->row;
    double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0, least = INFINITY, most = 0;
    unsigned n = row->nsamples;
    if (n < 4 || c->timing != TKF_TIMING_BATCHED)
        return false;
    for (unsigned i = 0; i < n; i++) {
        double x = log(row->samples[i].iterations), y = log(row->samples[i].ns);
        if (!isfinite(x) || !isfinite(y))
            return false;
        sx += x, sy += y, sxx += x * x, sxy += x * y, syy += y * y;
        least = fmin(least, row->samples[i].iterations);
        most = fmax(most, row->samples[i].iterations);
    }
    double vx = sxx - sx * sx / n, vy = syy - sy * sy / n, cov = sxy - sx * sy / n;
    double slope = cov / vx, correlation = cov / sqrt(vx * vy);
    double overrun = most * row->ns / c->floor->benchtime_ns;
    bool in_line = slope > 0.7 && slope < 1.3;
    bool clear = n >= 5 && correlation >= 0.98 && most >= 1.03 * least;
    bool overran = overrun >= 2 && correlation >= 0.85 && most > least;
    if (!in_line || !(clear || overran))
        return false;
    tkf_say(c, "grows-with-iterations",
            "from %.0f to %.0f iterations the time of one grows with them (exponent %.2f over %u "
            "repetitions%s); the body does the "
            "work of all iterations each time",
            least, most, slope, n, overran ? ", and they ran far longer than the others" : "");
    return true;
}

static bool breaks_expectation(struct tkf_case *c)
{
    char declared[TKF_TIME_SIZE];
    if (c->broken) {
        tkf_say(c, TKF_RULE_EXPECT, "the expectation \"%s\" does not hold", c->broken);
        return true;
    }
    bool declared_none = !(c->expects_ns > 0);
    if (declared_none || !tkf_number_is_known(c) || !(c->row->ns * c->sharers < c->expects_ns))
        return false;
    tkf_say(c, "declared-work",
            "what it is declared to do takes at least %s on this machine; most of it was not done",
            tkf_time_text(declared, c->expects_ns));
    return true;
}

bool tkf_rule_impossible(struct tkf_case *c)
{
    if (c->row->failed)
        return framework_says(c);
    if (!c->floor->trusted)
        return breaks_expectation(c) || command_failed(c);
    /* Each says something of its own, so that all of them are asked. */
    bool holds = has_no_time(c);
    holds |= framework_says(c);
    holds |= !holds && tkf_number_is_known(c) && is_below_one_cycle(c);
    holds |= exceeds_machine(c);
    holds |= command_failed(c);
    holds |= grows_with_iterations(c);
    holds |= breaks_expectation(c);
    return holds;
}
