/* SPDX-License-Identifier: MIT */
/** What was explored, for a person: a row for each step, in groups, and what is more than a number in a few rows of its own. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define WIDTH        80
#define NAME_WIDTH   33
#define PAIRS_SHOWN  8
#define NOISES_SHOWN 8
#define CAUSES_SHOWN 3

/** A card in the making. */
struct card {
    FILE *out;
    const struct tkf_style *style;
    const struct tkf_profile *profile;
    const char *dash, *plus_minus, *dot;
};

/** Print text with a '?' for each byte that is not plain ASCII: it may come out of a file. */
static void put(const struct card *card, const char *text)
{
    for (; *text != '\0'; text++)
        fputc(*text >= ' ' && *text <= '~' ? *text : '?', card->out);
}

/** Print words from column `column` on, and from there on further lines; end the line. */
static void put_words(const struct card *card, unsigned column, const char *text)
{
    unsigned at = column;
    while (*text != '\0') {
        char word[160];
        size_t length = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (at > column && at + 1 + length > WIDTH) {
            fprintf(card->out, "\n%*s", (int)column, "");
            at = column;
        } else if (at > column) {
            fputc(' ', card->out);
            at++;
        }
        put(card, word);
        at += (unsigned)length;
        text += length + strspn(text + length, " ");
    }
    fputc('\n', card->out);
}

static void put_heading(const struct card *card, const char *title, const char *columns)
{
    const struct tkf_style *style = card->style;
    fprintf(card->out, "\n%s%s%s", style->bold, title, style->reset);
    if (columns[0] != '\0')
        fprintf(card->out, "%*s%s%s%s", (int)(NAME_WIDTH + 2 - strlen(title)), "", style->dim,
                columns, style->reset);
    fputc('\n', card->out);
}

/* ---- numbers --------------------------------------------------------------------------------------------------------- */

/** Digits after the point that leave three that count. */
static int decimals(double value)
{
    double size = fabs(value);
    return size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

struct number {
    char text[32];
};

static struct number three_digits(double value)
{
    struct number number = {"unknown"};
    if (isfinite(value))
        snprintf(number.text, sizeof number.text, "%.*f", decimals(value), value);
    return number;
}

/** The unit that suits a time, and what a nanosecond is in it. */
static const char *unit_of(const struct card *card, double ns, double *ret_factor)
{
    const char *const units[] = {"ns", card->style->unicode ? "µs" : "us", "ms", "s"};
    unsigned unit = 0;
    *ret_factor = 1;
    while (unit < 3 && fabs(ns) * *ret_factor >= 999.5) {
        *ret_factor /= 1000;
        unit++;
    }
    return units[unit];
}

static struct number time_text(const struct card *card, double ns)
{
    struct number number = {"unknown"};
    double factor;
    const char *unit = unit_of(card, ns, &factor);
    if (isfinite(ns))
        snprintf(number.text, sizeof number.text, "%.24s %s", three_digits(ns * factor).text, unit);
    return number;
}

static struct number size_text(uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    struct number number;
    double value = (double)bytes;
    unsigned unit = 0;
    for (; unit < 3 && value >= 1024; unit++)
        value /= 1024;
    snprintf(number.text, sizeof number.text, "%.3g %s", value, units[unit]);
    return number;
}

/* ---- steps ----------------------------------------------------------------------------------------------------------- */

/** Which steps are of which group, by how their names begin; the first that fits. */
static const struct group {
    const char *title, *columns;
    const char *prefixes[8];
} groups[] = {
    {"core and caches",
     "                    95 %         cycles",
     {"op/", "branch/", "call/", "store/", "load/", "atomic/"}},
    {"bandwidth", "                    95 %", {"bandwidth/"}},
    {"core clock", "                    95 %", {"clock/core/"}},
    {"clocks", "                    95 %         cycles", {"clock/", "counter/"}},
    {"sleep longer than asked", "                  1 % to 99 %", {"sleep/"}},
    {"system", "                    95 %         cycles", {""}}, /* all that is left */
};
#define NGROUPS (sizeof groups / sizeof groups[0])

static size_t group_of(const char *name)
{
    for (size_t g = 0; g < NGROUPS; g++)
        for (size_t i = 0; groups[g].prefixes[i] != NULL; i++)
            if (strncmp(name, groups[g].prefixes[i], strlen(groups[g].prefixes[i])) == 0)
                return g;
    return NGROUPS - 1;
}

static void print_step(const struct card *card, const struct tkf_step *step)
{
    char name[sizeof step->name + 1];
    snprintf(name, sizeof name, "%s", step->name);
    fputs("  ", card->out);
    put(card, name);
    fprintf(card->out, "%*s", (int)(NAME_WIDTH - strnlen(name, NAME_WIDTH)), "");
    if (isnan(step->value.mid)) {
        fputs(card->style->yellow, card->out);
        put_words(card, NAME_WIDTH + 2, step->reason[0] != '\0' ? step->reason : "unknown");
        fputs(card->style->reset, card->out);
        return;
    }
    bool is_time = strcmp(step->unit, "ns") == 0;
    double factor = 1;
    const char *unit = is_time ? unit_of(card, step->value.mid, &factor) : step->unit;
    int digits = decimals(step->value.mid * factor);
    size_t unit_width = is_time && unit[0] != 's' ? 2 : strlen(unit); /* µ is two bytes */
    fprintf(card->out, "%8.*f ", digits, step->value.mid * factor);
    if (is_time)
        fputs(unit, card->out);
    else
        put(card, unit);
    fprintf(card->out, "%*s%8.*f %s ", (int)(unit_width < 5 ? 5 - unit_width : 0), "", digits,
            step->value.lo * factor, card->dash);
    int width = fprintf(card->out, "%.*f", digits, step->value.hi * factor);
    if (isfinite(step->cycles.mid))
        fprintf(card->out, " %*.*f", width < 18 ? 18 - width : 0, decimals(step->cycles.mid),
                step->cycles.mid);
    fputc('\n', card->out);
}

static void print_steps(const struct card *card)
{
    const struct tkf_explore *explore = card->profile->explore;
    for (size_t g = 0; g < NGROUPS; g++) {
        bool any = false;
        for (unsigned i = 0; i < explore->nsteps; i++) {
            if (group_of(explore->steps[i].name) != g)
                continue;
            if (!any)
                put_heading(card, groups[g].title, groups[g].columns);
            any = true;
            print_step(card, &explore->steps[i]);
        }
    }
}

/* ---- what is more than a number ----------------------------------------------------------------------------------------- */

static void print_latency(const struct card *card)
{
    const struct tkf_explore *explore = card->profile->explore;
    unsigned shown = 0;
    if (explore->nlatency == 0)
        return;
    put_heading(card, "latency by working set",
                explore->huge_pages ? "in huge pages" : "in ordinary pages");
    for (unsigned i = 0; i < explore->nlatency; i++) {
        const struct tkf_latency_point *point = &explore->latency[i];
        if ((point->bytes & (point->bytes - 1)) != 0) /* an octave each is enough here */
            continue;
        fprintf(card->out, "%s%8s %6s ns",
                shown == 0       ? ""
                : shown % 4 == 0 ? "\n"
                                 : "  ",
                size_text(point->bytes).text, three_digits(point->ns.mid).text);
        shown++;
    }
    fputc('\n', card->out);
}

static int by_latency(const void *a, const void *b)
{
    double x = (*(const struct tkf_cpu_pair *const *)a)->ns.mid;
    double y = (*(const struct tkf_cpu_pair *const *)b)->ns.mid;
    return (x > y) - (x < y);
}

static void print_pair(const struct card *card, const struct tkf_cpu_pair *pair)
{
    char label[40];
    snprintf(label, sizeof label, "CPU %u and %u", pair->a, pair->b);
    fprintf(card->out, "  %-16s", label);
    if (isnan(pair->ns.mid)) {
        put_words(card, 18, pair->reason[0] != '\0' ? pair->reason : "unknown");
        return;
    }
    fprintf(card->out, "%s%scounters %.0f %s %.0f ns apart", time_text(card, pair->ns.mid).text,
            card->dot, pair->offset_ns, card->plus_minus, pair->offset_bound_ns);
    if (isfinite(pair->drift_ppm))
        fprintf(card->out, "%sdrift %.2f %s %.2f ppm", card->dot, pair->drift_ppm, card->plus_minus,
                pair->drift_bound_ppm);
    if (!pair->monotonic)
        fprintf(card->out, "\n%18s%stime ran back for a thread that moved%s", "", card->style->red,
                card->style->reset);
    fputc('\n', card->out);
}

static void print_pairs(const struct card *card)
{
    const struct tkf_explore *explore = card->profile->explore;
    if (explore->npairs == 0)
        return;
    put_heading(card, "CPUs among each other: a line one way", "");
    if (explore->npairs <= PAIRS_SHOWN) {
        for (unsigned i = 0; i < explore->npairs; i++)
            print_pair(card, &explore->pairs[i]);
        return;
    }
    const struct tkf_cpu_pair **sorted = malloc(explore->npairs * sizeof *sorted);
    unsigned known = 0, backward = 0;
    for (unsigned i = 0; sorted != NULL && i < explore->npairs; i++) {
        if (isnan(explore->pairs[i].ns.mid))
            continue;
        sorted[known++] = &explore->pairs[i];
        backward += !explore->pairs[i].monotonic;
    }
    fprintf(card->out, "  %u of %u pairs measured", known, explore->npairs);
    if (backward > 0)
        fprintf(card->out, "%s%stime ran back between the CPUs of %u%s", card->dot,
                card->style->red, backward, card->style->reset);
    fputs("; the nearest, the median and the farthest:\n", card->out);
    if (known > 0) {
        qsort(sorted, known, sizeof *sorted, by_latency);
        print_pair(card, sorted[0]);
        print_pair(card, sorted[known / 2]);
        print_pair(card, sorted[known - 1]);
    }
    free(sorted);
}

static void print_noise(const struct card *card)
{
    const struct tkf_explore *explore = card->profile->explore;
    if (explore->nnoise > 0)
        put_heading(card, "what takes time from each CPU", "");
    for (unsigned i = 0; i < explore->nnoise && i < NOISES_SHOWN; i++) {
        const struct tkf_cpu_noise *noise = &explore->noise[i];
        fprintf(card->out, "  CPU %-4u ", noise->cpu);
        if (noise->reason[0] != '\0') {
            put_words(card, 11, noise->reason);
            continue;
        }
        fprintf(card->out, "%.2f %%%s%.0f gaps a second", noise->stolen_share * 100, card->dot,
                noise->rate_hz);
        if (noise->gaps > 0)
            fprintf(card->out, "%smedian %s%sworst %s", card->dot,
                    time_text(card, noise->median_ns).text, card->dot,
                    time_text(card, noise->worst_ns).text);
        fputc('\n', card->out);
        double all = 0;
        for (unsigned k = 0; k < noise->ncauses; k++)
            all += noise->causes[k].ns;
        for (unsigned k = 0; k < noise->ncauses && k < CAUSES_SHOWN && all > 0; k++) {
            fprintf(card->out, "%11s%3.0f %% ", "", noise->causes[k].ns / all * 100);
            put(card, noise->causes[k].name);
            fputc('\n', card->out);
        }
    }
    if (explore->nnoise > NOISES_SHOWN)
        fprintf(card->out, "  and %u more CPUs: see --json\n", explore->nnoise - NOISES_SHOWN);
}

static void print_head(const struct card *card)
{
    const struct tkf_explore *explore = card->profile->explore;
    const struct tkf_style *style = card->style;
    fprintf(card->out, "%s", style->bold);
    put(card, card->profile->machine.cpu[0] != '\0' ? card->profile->machine.cpu : "unknown CPU");
    fprintf(card->out, "%s%sexplored on CPU %u", style->reset, card->dot, explore->cpu);
    if (card->profile->ncpus > 0)
        fprintf(card->out, "%sa core cycle is %s", card->dot,
                time_text(card, card->profile->cpus[0].floor.cycle_ns).text);
    fprintf(card->out, "%s%.1f s\n", card->dot, explore->seconds);
    for (unsigned i = 0; i < explore->ncaches; i++) {
        const struct tkf_cache *cache = &explore->caches[i];
        fprintf(card->out, "%sL%u %s", i > 0 ? card->dot : "", cache->level,
                size_text(cache->size_bytes).text);
        if (cache->cpus > 1)
            fprintf(card->out, " for %u CPUs", cache->cpus);
    }
    fputs(explore->ncaches > 0 ? "\n" : "", card->out);
    if (explore->partial)
        fprintf(card->out,
                "%spartial: it was stopped, or the time was up, before all was measured%s\n",
                style->yellow, style->reset);
}

void tkf_explore_print(FILE *out, const struct tkf_style *style, const struct tkf_profile *profile)
{
    struct card card = {
        .out = out,
        .style = style,
        .profile = profile,
        .dash = style->unicode ? "–" : "-",
        .plus_minus = style->unicode ? "±" : "+-",
        .dot = style->unicode ? " · " : ", ",
    };
    print_head(&card);
    print_steps(&card);
    print_latency(&card);
    print_pairs(&card);
    print_noise(&card);
}
