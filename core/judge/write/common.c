/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

const struct tkf_verdict_text tkf_verdict_texts[TKF_VERDICT_COUNT] = {
    [TKF_VERDICT_IMPOSSIBLE] = {"Impossible", "No CPU can have done the work in this time."},
    [TKF_VERDICT_AT_FLOOR] = {"At the floor", "The result cannot be told from an empty loop."},
    [TKF_VERDICT_CAPPED] = {"Capped", "The framework ran into its own limit of iterations."},
    [TKF_VERDICT_FLAT] = {"Flat", "The time does not grow with the size of the work."},
    [TKF_VERDICT_TIMER_LIMITED] = {"Limited by the timer",
                                   "The clock is too coarse or too dear for this result."},
    [TKF_VERDICT_WENT_QUIET] = {"Went quiet",
                                "The result was real in the baseline and is at the floor now."},
    [TKF_VERDICT_NEAR_FLOOR] = {"Near the floor", "A good part of the number is the loop."},
    [TKF_VERDICT_UNDECIDED] = {"Undecided", "The data cannot decide."},
    [TKF_VERDICT_OK] = {"OK", "Nothing speaks against the result."},
};

bool tkf_flagged(const struct tkf_result *result)
{
    return result->verdict < TKF_VERDICT_NEAR_FLOOR && !result->is_floor;
}

const char *tkf_verdict_shown(const struct tkf_result *result)
{
    bool as_it_should = result->is_floor && result->verdict < TKF_VERDICT_NEAR_FLOOR;
    return as_it_should ? "the floor" : tkf_verdict_name(result->verdict);
}

const char *tkf_name_shown(const struct tkf_result *result)
{
    if (result->full_name)
        return result->full_name;
    return result->name[0] ? result->name : "(no name)";
}

const char *tkf_statistic_text(enum tkf_statistic statistic)
{
    static const char *const names[] = {
        [TKF_STATISTIC_MEAN] = "mean",
        [TKF_STATISTIC_MEDIAN] = "median",
        [TKF_STATISTIC_MIN] = "min",
        [TKF_STATISTIC_SLOPE] = "slope",
    };
    return names[statistic];
}

bool tkf_profile_matters(const struct tkf_report *report, const struct tkf_floor_used *floor)
{
    if (!report->profile_text)
        return false;
    bool used = floor && (floor->source == TKF_FLOOR_HARNESS || floor->source == TKF_FLOOR_PROFILE);
    bool missed = !floor || floor->source == TKF_FLOOR_PHYSICAL;
    return report->profile ? used : missed;
}

struct tkf_counts tkf_count_verdicts(const struct tkf_results *results)
{
    struct tkf_counts counts = {.total = tkf_results_count(results)};
    for (size_t i = 0; i < counts.total; i++) {
        const struct tkf_result *result = tkf_results_get(results, i);
        counts.of[result->verdict]++;
        counts.flagged += tkf_flagged(result);
        counts.floors += result->is_floor;
    }
    return counts;
}

void tkf_summary_text(const struct tkf_counts *counts, char *ret_text, size_t size)
{
    int used =
        snprintf(ret_text, size, "%zu result%s", counts->total, counts->total == 1 ? "" : "s");
    const char *joint = ": ";
    for (int verdict = 0; verdict < TKF_VERDICT_COUNT; verdict++) {
        if (counts->of[verdict] == 0 || used < 0 || (size_t)used >= size)
            continue;
        used += snprintf(ret_text + used, size - (size_t)used, "%s%zu %s", joint,
                         counts->of[verdict], tkf_verdict_name(verdict));
        joint = ", ";
    }
    if (counts->floors > 0 && used >= 0 && (size_t)used < size)
        snprintf(ret_text + used, size - (size_t)used, "; %zu of them %s the floor", counts->floors,
                 counts->floors == 1 ? "is" : "are");
}

enum { DECIMALS_MAX = 7 }; /* as many as Go prints, of what is not far from 0 */

/* Digits after the point that give so many significant ones. */
static int decimals(double value, int digits)
{
    char text[40];
    if (value == 0)
        return 0;
    /* The exponent after rounding: 0.9996 to three digits is 1.00. */
    snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    int after = digits - 1 - atoi(strchr(text, 'e') + 1);
    return after < 0 ? 0 : after > DECIMALS_MAX ? DECIMALS_MAX : after;
}

/* The unit in which a time has one to three digits before its point. */
static const char *unit_of(double ns, bool unicode, double *ret_ns)
{
    const char *const names[] = {"ns", unicode ? "µs" : "us", "ms", "s"};
    unsigned unit = 0;
    *ret_ns = 1;
    while (unit + 1 < sizeof(names) / sizeof(names[0]) && fabs(ns / *ret_ns) >= 999.95) {
        *ret_ns *= 1000;
        unit++;
    }
    return names[unit];
}

struct tkf_number_shown tkf_time_shown(double ns, double quantum_ns, bool unicode)
{
    struct tkf_number_shown number = {"no time"};
    double unit_ns;
    if (isinf(ns))
        snprintf(number.text, sizeof(number.text), "%sinf", ns < 0 ? "-" : "");
    if (!isfinite(ns))
        return number;
    const char *name = unit_of(ns, unicode, &unit_ns);
    ns /= unit_ns;
    quantum_ns /= unit_ns;
    int after = decimals(ns, 4);
    if (quantum_ns > 0 && isfinite(quantum_ns)) {
        int warranted = (int)ceil(-log10(quantum_ns) - 1e-6);
        after = warranted < 0 ? 0 : warranted < after || ns == 0 ? warranted : after;
    }
    after = after > DECIMALS_MAX ? DECIMALS_MAX : after;
    bool vanishes = ns != 0 && fabs(ns) < 0.5 * pow(10, -after);
    if (fabs(ns) < 1e9 && !vanishes)
        snprintf(number.text, sizeof(number.text), "%.*f %s", after, ns, name);
    else
        snprintf(number.text, sizeof(number.text), "%.*e %s", vanishes ? 1 : 3, ns, name);
    return number;
}

struct tkf_number_shown tkf_cycles_shown(double cycles)
{
    static const char *const suffixes[] = {"", "k", "M", "G", "T"};
    struct tkf_number_shown number = {"-"};
    unsigned unit = 0;
    if (!isfinite(cycles))
        return number;
    if (fabs(cycles) >= 9999.5) {
        while (unit + 1 < sizeof(suffixes) / sizeof(suffixes[0]) && fabs(cycles) >= 999.5) {
            cycles /= 1000;
            unit++;
        }
    }
    if (fabs(cycles) >= 1e5)
        snprintf(number.text, sizeof(number.text), "%.2e", cycles);
    else
        snprintf(number.text, sizeof(number.text), "%.*f%s",
                 fabs(cycles) < 9.995 ? 2 : decimals(cycles, 3), cycles, suffixes[unit]);
    return number;
}

struct tkf_number_shown tkf_band_shown(const struct tkf_band *ns, bool unicode)
{
    struct tkf_number_shown number = {"unknown"};
    if (!isfinite(ns->lo) || !isfinite(ns->hi))
        return number;
    char lo[12], hi[12];
    double unit_ns;
    const char *name = unit_of(ns->hi, unicode, &unit_ns);
    snprintf(lo, sizeof(lo), "%.*f", decimals(ns->lo / unit_ns, 3), ns->lo / unit_ns);
    snprintf(hi, sizeof(hi), "%.*f", decimals(ns->hi / unit_ns, 3), ns->hi / unit_ns);
    if (strcmp(lo, hi) == 0)
        snprintf(number.text, sizeof(number.text), "%s %s", lo, name);
    else
        snprintf(number.text, sizeof(number.text), "%s %s %s %s", lo, unicode ? "–" : "-", hi,
                 name);
    return number;
}

size_t tkf_seen_part(const char *text)
{
    for (const char *at = text; *at; at++) {
        if ((*at == ';' || *at == '.') && at[1] == ' ')
            return (size_t)(at - text) + (*at == '.');
    }
    return strlen(text);
}

const char *tkf_full_stop(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && strchr(".!?", text[length - 1]) ? "" : ".";
}

void tkf_put_cell(FILE *out, const char *text, enum tkf_charset charset, size_t columns)
{
    size_t used = tkf_put_shortened(out, text, charset, columns, NULL);
    fprintf(out, "%*s", (int)(columns - used), "");
}

struct tkf_number_shown tkf_quantity_shown(double value, const char *unit, bool unicode)
{
    struct tkf_number_shown number;
    if (strcmp(unit, "ns") == 0)
        return tkf_time_shown(value, 0, unicode);
    /* Of 0.9944 cycles the unit would not fit into a table's column. */
    bool near_one = strcmp(unit, "cycles") == 0 && value >= 0.1 && value < 1;
    snprintf(number.text, sizeof(number.text), near_one ? "%.3f%s%s" : "%.4g%s%s", value,
             unit[0] ? " " : "", unit);
    return number;
}
