/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "write.h"

enum {
    WIDTH_MIN = 60,
    WIDTH_MAX = 132,
    MARK_COLUMNS = 2,
    TIME_COLUMNS = 12, /* "0.0000002 ns" */
    CYCLES_COLUMNS = 9,
    VERDICT_COLUMNS = 15, /* with the blanks before it */
    REMARK_INDENT = 4,
    NOTICES_SHOWN = 5,
    HINT_SIZE = 1000,
    PATH_COLUMNS = 4096,
    WORD_COLUMNS = 400, /* longer ones in a sentence are names, and are shortened */
    RULES_MAX = 16,     /* of verdicts that are not flagged; what is beyond is said again */
};

struct table {
    FILE *out;
    const struct tkf_report *report;
    enum tkf_charset charset;
    bool unicode;
    size_t width, name_columns, name_columns_max;
    /* Said last below a row of that verdict: it is not said again below the next. */
    const char *meanings[TKF_VERDICT_COUNT], *hints[TKF_VERDICT_COUNT];
    const char *rules[RULES_MAX]; /* said below a row that is not flagged */
    const char *bold, *dim, *red, *yellow, *green, *cyan, *reset;
};

/* ---- text ---- */

static void fill(const struct table *table, const char *with, size_t count)
{
    while (count-- > 0)
        fputs(with, table->out);
}

/* Print words from the column on, on as many lines as they need; the column after them. */
static size_t put_words(const struct table *table, const char *text, size_t length, size_t column)
{
    static const char micro[] = "µs"; /* in evidence */
    const char *end = text + length;
    bool first = true;
    while (text < end) {
        size_t spaces = strspn(text, " "), word_length;
        text += spaces;
        if (text >= end)
            break;
        word_length = strcspn(text, " ");
        if (word_length > (size_t)(end - text))
            word_length = (size_t)(end - text);
        char word[WORD_COLUMNS * 4];
        snprintf(word, sizeof(word), "%.*s",
                 (int)(word_length < sizeof(word) ? word_length : sizeof(word) - 1), text);
        if (!table->unicode && strncmp(word, micro, strlen(micro)) == 0)
            memmove(word, word + 1, strlen(word)), word[0] = 'u';
        size_t columns = tkf_shown_columns(word, table->charset);
        if (!first && column + 1 + columns > table->width) {
            fprintf(table->out, "\n%*s", REMARK_INDENT, "");
            column = REMARK_INDENT;
        } else if (!first) {
            fputc(' ', table->out);
            column++;
        }
        column +=
            tkf_put_shortened(table->out, word, table->charset, table->width - REMARK_INDENT, NULL);
        text += word_length;
        first = false;
    }
    return column;
}

/* ---- the head of an origin's results ---- */

static void put_origin(const struct table *table, const struct tkf_origin *origin)
{
    const char *dot = table->unicode ? " · " : ", ";
    const char *parts[] = {origin->file, origin->framework, origin->version, origin->cpu};
    size_t left = table->width;
    bool first = true;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        size_t joint = first ? 0 : tkf_shown_columns(dot, TKF_CHARSET_UTF8);
        if (!parts[i] || parts[i][0] == '\0' || left < joint + 12)
            continue;
        fputs(first ? table->bold : dot, table->out);
        left -= joint + tkf_put_shortened(table->out, parts[i], table->charset, left - joint, NULL);
        fputs(first ? table->reset : "", table->out);
        first = false;
    }
    fputc('\n', table->out);
}

/* A rule with a text in it, the line below which nothing is real. */
static void put_rule(const struct table *table, const struct tkf_floor_used *floor)
{
    const char *line = table->unicode ? "─" : "-";
    const char *dot = table->unicode ? " · " : ", ";
    char text[120];
    int used;
    if (floor && isfinite(floor->ns.mid))
        used = snprintf(text, sizeof(text), " floor %s",
                        tkf_band_shown(&floor->ns, table->unicode).text);
    else
        used = snprintf(text, sizeof(text), " no floor known");
    if (floor && isfinite(floor->cycle_ns))
        used += snprintf(text + used, sizeof(text) - (size_t)used, "%sone cycle %.3f ns", dot,
                         floor->cycle_ns);
    snprintf(text + used, sizeof(text) - (size_t)used, " ");
    size_t columns = tkf_shown_columns(text, TKF_CHARSET_UTF8) + 4;
    fputs(table->cyan, table->out);
    fill(table, line, 4);
    fputs(text, table->out);
    fill(table, line, table->width > columns ? table->width - columns : 0);
    fprintf(table->out, "%s\n", table->reset);
}

static void put_remark(const struct table *table, const char *color, const char *text,
                       size_t length)
{
    fprintf(table->out, "%*s%s", REMARK_INDENT, "", color);
    put_words(table, text, length, REMARK_INDENT);
    fprintf(table->out, "%s\n", *color ? table->reset : "");
}

/* ---- sections ---- */

#define TIMINGS (TKF_TIMING_PROCESS + 1)

/*
 * Results that follow each other under one head: of one framework on one machine in one file. How
 * they were timed may differ, as frameworks choose it for each: then each way has its floor.
 */
struct section {
    const struct tkf_origin *origins[TIMINGS]; /* one for all of that timing; NULL */
    enum tkf_statistic statistic;              /* of all their times; UNKNOWN where they differ */
    size_t end;                                /* the index after the last */
};

static bool is_shown(const struct table *table, const struct tkf_result *result)
{
    return !table->report->quiet || tkf_flagged(result);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_run(const struct tkf_origin *a, const struct tkf_origin *b)
{
    return same_text(a->file, b->file) && same_text(a->framework, b->framework) &&
           same_text(a->version, b->version) && same_text(a->cpu, b->cpu);
}

static bool same_floor(const struct table *table, const struct tkf_origin *a,
                       const struct tkf_origin *b)
{
    const struct tkf_floor_used *x = tkf_results_floor(table->report->results, a);
    const struct tkf_floor_used *y = tkf_results_floor(table->report->results, b);
    return x == y || (x && y && x->source == y->source && same_text(x->text, y->text) &&
                      memcmp(&x->ns, &y->ns, sizeof(x->ns)) == 0);
}

/* The section that begins with a result. */
static struct section section_from(const struct table *table, size_t from)
{
    const struct tkf_results *results = table->report->results;
    const struct tkf_result *first = tkf_results_get(results, from);
    struct section section = {.statistic = first->statistic};
    bool timed = false;
    for (section.end = from; section.end < tkf_results_count(results); section.end++) {
        const struct tkf_result *result = tkf_results_get(results, section.end);
        if (!is_shown(table, result))
            continue;
        const struct tkf_origin *origin = result->origin;
        const struct tkf_origin **known = &section.origins[origin->timing];
        if (!same_run(first->origin, origin) || (*known && !same_floor(table, *known, origin)))
            break;
        *known = *known ? *known : origin;
        if (isnan(result->ns))
            continue;
        if (timed && result->statistic != section.statistic)
            section.statistic = TKF_STATISTIC_UNKNOWN;
        else if (!timed)
            section.statistic = result->statistic;
        timed = true;
    }
    return section;
}

/* How the floor was got; of several each with how its results were timed, and what it is. */
static void put_floor(const struct table *table, const struct tkf_origin *origin, bool several,
                      bool first)
{
    static const char *const ways[TIMINGS] = {
        [TKF_TIMING_UNKNOWN] = "of those that do not say how they were timed",
        [TKF_TIMING_BATCHED] = "of those timed many calls at once",
        [TKF_TIMING_SUBTRACTED] = "of those with an overhead taken off",
        [TKF_TIMING_EACH_CALL] = "of those timed call by call",
        [TKF_TIMING_PROCESS] = "of commands",
    };
    char text[1200];
    const struct tkf_floor_used *floor = tkf_results_floor(table->report->results, origin);
    if (!floor || !floor->text)
        return;
    bool known = isfinite(floor->ns.mid) && !first; /* the first stands in the rule */
    snprintf(text, sizeof(text), "%s%s%s%s%s", several ? ways[origin->timing] : "",
             several ? ": " : "", known ? tkf_band_shown(&floor->ns, table->unicode).text : "",
             known ? ", " : "", floor->text);
    put_remark(table, table->dim, text, strlen(text));
}

static void put_head(const struct table *table, const struct section *section, bool first)
{
    const struct tkf_origin *shown = NULL; /* whose floor stands in the rule */
    unsigned count = 0;
    bool matters = false;
    for (int timing = 0; timing < TIMINGS; timing++) {
        const struct tkf_origin *origin = section->origins[timing];
        if (!origin)
            continue;
        const struct tkf_floor_used *floor = tkf_results_floor(table->report->results, origin);
        bool known = floor && isfinite(floor->ns.mid);
        const struct tkf_floor_used *before =
            shown ? tkf_results_floor(table->report->results, shown) : NULL;
        if (!shown || (known && !(before && isfinite(before->ns.mid))))
            shown = origin;
        matters = matters || tkf_profile_matters(table->report, floor);
        count++;
    }
    if (!first)
        fputc('\n', table->out);
    put_origin(table, shown);
    put_rule(table, tkf_results_floor(table->report->results, shown));
    put_floor(table, shown, count > 1, true);
    for (int timing = 0; timing < TIMINGS; timing++) {
        if (section->origins[timing] && section->origins[timing] != shown)
            put_floor(table, section->origins[timing], true, false);
    }
    if (matters)
        put_remark(table, table->dim, table->report->profile_text,
                   strlen(table->report->profile_text));
}

static void put_columns(const struct table *table, enum tkf_statistic statistic)
{
    static const char *const titles[] = {
        [TKF_STATISTIC_UNKNOWN] = "time",       [TKF_STATISTIC_MEAN] = "mean time",
        [TKF_STATISTIC_MEDIAN] = "median time", [TKF_STATISTIC_MIN] = "least time",
        [TKF_STATISTIC_SLOPE] = "time (slope)",
    };
    fprintf(table->out, "%s%*s%-*s%*s%*s  verdict%s\n", table->dim, MARK_COLUMNS, "",
            (int)table->name_columns, "benchmark", TIME_COLUMNS + 1, titles[statistic],
            CYCLES_COLUMNS, "cycles", table->reset);
}

/* ---- a result ---- */

static const char *mark_of(const struct table *table, const struct tkf_result *result)
{
    if (result->is_floor && !tkf_flagged(result))
        return "=";
    switch (result->verdict) {
    case TKF_VERDICT_IMPOSSIBLE:
        return table->unicode ? "✗" : "X";
    case TKF_VERDICT_NEAR_FLOOR:
        return "~";
    case TKF_VERDICT_UNDECIDED:
        return "?";
    case TKF_VERDICT_OK:
        return " ";
    default:
        return "!";
    }
}

static const char *color_of(const struct table *table, const struct tkf_result *result)
{
    if (tkf_flagged(result) && result->verdict <= TKF_VERDICT_AT_FLOOR)
        return table->red;
    if (tkf_flagged(result))
        return table->yellow;
    return result->verdict == TKF_VERDICT_OK ? table->green : "";
}

static bool is_news(const char **said, const char *text)
{
    bool news = !same_text(*said, text);
    *said = text;
    return news;
}

static bool is_first_of_rule(const char *rules[static RULES_MAX], const char *rule)
{
    for (size_t i = 0; i < RULES_MAX; i++) {
        if (!rules[i]) {
            rules[i] = rule;
            return true;
        }
        if (strcmp(rules[i], rule) == 0)
            return false;
    }
    return true;
}

/*
 * All of it below each flagged result; of the others the first of a rule stands for all of that
 * rule, unless the row has a reason of its own.
 */
static void put_evidence(struct table *table, const struct tkf_result *result)
{
    const char **meaning = &table->meanings[result->verdict];
    bool flagged = tkf_flagged(result);
    if (result->nevidence > 0 && (flagged || (result->failed && result->remark) ||
                                  is_first_of_rule(table->rules, result->evidence[0].rule))) {
        const char *text = result->evidence[0].text;
        size_t seen = tkf_seen_part(text);
        put_remark(table, "", text, is_news(meaning, text + seen) ? strlen(text) : seen);
    }
    /* What such a time is less than is the same for the next such row. */
    for (unsigned i = 1; flagged && i < result->nevidence; i++) {
        const struct tkf_evidence *evidence = &result->evidence[i];
        if (strcmp(evidence->rule, "ladder") == 0 && is_first_of_rule(table->rules, evidence->rule))
            put_remark(table, "", evidence->text, strlen(evidence->text));
    }
    bool told = flagged || result->verdict == TKF_VERDICT_UNDECIDED; /* what can be done about it */
    if (!told || !result->hint || !is_news(&table->hints[result->verdict], result->hint))
        return;
    char hint[HINT_SIZE];
    snprintf(hint, sizeof(hint), "%s %s", table->unicode ? "→" : "->", result->hint);
    put_remark(table, table->cyan, hint, strlen(hint));
}

static void put_result(struct table *table, const struct tkf_result *result)
{
    const char *color = color_of(table, result);
    const char *reset = *color ? table->reset : "";
    fprintf(table->out, "%s%s%s ", color, mark_of(table, result), reset);
    size_t columns = tkf_put_shortened(table->out, tkf_name_shown(result), table->charset,
                                       table->name_columns_max, NULL);
    struct tkf_number_shown time = tkf_time_shown(result->ns, result->quantum_ns, table->unicode);
    struct tkf_number_shown cycles = tkf_cycles_shown(result->cycles_shown);
    size_t used = (columns < table->name_columns ? table->name_columns - columns : 0) + 1;
    size_t time_columns = tkf_shown_columns(time.text, TKF_CHARSET_UTF8);
    fill(table, " ", used + (time_columns < TIME_COLUMNS ? TIME_COLUMNS - time_columns : 0));
    fprintf(table->out, "%s %*s  %s%s%s\n", time.text, CYCLES_COLUMNS - 1, cycles.text, color,
            tkf_verdict_shown(result), reset);
    if (result->verdict != TKF_VERDICT_OK)
        put_evidence(table, result);
}

/* ---- the end ---- */

static void put_summary(const struct table *table)
{
    struct tkf_counts counts = tkf_count_verdicts(table->report->results);
    char text[240];
    tkf_summary_text(&counts, text, sizeof(text));
    fprintf(table->out, "\n%s", table->bold);
    put_words(table, text, strlen(text), 0);
    fprintf(table->out, "%s\n", table->reset);
}

static void put_notice(const struct table *table, const struct tkf_notice *notice)
{
    const char *color = notice->failed ? table->red : "";
    /* Whole, however long: an editor finds the place by it. */
    size_t column = tkf_put_shortened(table->out, notice->file, table->charset, PATH_COLUMNS, NULL);
    if (notice->line > 0)
        column += (size_t)fprintf(table->out, ":%u", notice->line);
    fprintf(table->out, ": %s", color);
    put_words(table, notice->text, strlen(notice->text), column + 2);
    fprintf(table->out, "%s\n", *color ? table->reset : "");
}

/* The first few, those of a run that failed before the others. */
static void put_notices(const struct table *table)
{
    const struct tkf_results *results = table->report->results;
    size_t count = tkf_results_notices(results), shown = 0;
    if (count > 0)
        fputc('\n', table->out);
    for (int failed = 1; failed >= 0; failed--) {
        for (size_t i = 0; i < count && shown < NOTICES_SHOWN; i++) {
            const struct tkf_notice *notice = tkf_results_notice(results, i);
            if (notice->failed != failed)
                continue;
            put_notice(table, notice);
            shown++;
        }
    }
    if (count > NOTICES_SHOWN)
        fprintf(table->out, "and %zu more such notices: see --json\n", count - NOTICES_SHOWN);
}

/* The longest name decides, as far as there is room. */
static size_t name_columns(const struct table *table)
{
    size_t room = table->width - MARK_COLUMNS - 1 - TIME_COLUMNS - CYCLES_COLUMNS - VERDICT_COLUMNS;
    size_t longest = 24;
    for (size_t i = 0; i < tkf_results_count(table->report->results) && longest < room; i++) {
        size_t columns =
            tkf_shown_columns(tkf_results_get(table->report->results, i)->name, table->charset);
        longest = columns > longest ? columns : longest;
    }
    return longest < room ? longest : room;
}

void tkf_write_table(const struct tkf_report *report, const struct tkf_table_style *style,
                     FILE *out)
{
    struct table table = {
        .out = out,
        .report = report,
        .charset = style->unicode ? TKF_CHARSET_TERMINAL : TKF_CHARSET_ASCII,
        .unicode = style->unicode,
        .width = style->width < WIDTH_MIN   ? WIDTH_MIN
                 : style->width > WIDTH_MAX ? WIDTH_MAX
                                            : style->width,
        .bold = style->color ? "\033[1m" : "",
        .dim = style->color ? "\033[2m" : "",
        .red = style->color ? "\033[31m" : "",
        .yellow = style->color ? "\033[33m" : "",
        .green = style->color ? "\033[32m" : "",
        .cyan = style->color ? "\033[36m" : "",
        .reset = style->color ? "\033[0m" : "",
    };
    table.name_columns = name_columns(&table);
    table.name_columns_max = style->whole ? SIZE_MAX : table.name_columns;

    struct section section = {.end = 0};
    bool first = true;
    const char *group = "";
    for (size_t i = 0; i < tkf_results_count(report->results); i++) {
        const struct tkf_result *result = tkf_results_get(report->results, i);
        if (!is_shown(&table, result))
            continue;
        if (i >= section.end) {
            section = section_from(&table, i);
            put_head(&table, &section, first);
            put_columns(&table, section.statistic);
            first = false;
            group = "";
            memset(table.meanings, 0, sizeof(table.meanings));
            memset(table.hints, 0, sizeof(table.hints));
            memset(table.rules, 0, sizeof(table.rules));
        }
        if (strcmp(result->group, group) != 0) {
            fputs(table.dim, out);
            tkf_put_shortened(out, result->group[0] ? result->group : "(no group)", table.charset,
                              style->whole ? SIZE_MAX : table.width, NULL);
            fprintf(out, "%s\n", table.reset);
        }
        group = result->group;
        put_result(&table, result);
    }
    if (!report->quiet)
        put_summary(&table);
    put_notices(&table);
}
