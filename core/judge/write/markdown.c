/* SPDX-License-Identifier: MIT */
/* GitHub's and GitLab's dialect: CommonMark with tables. */
#include <string.h>

#include "write.h"

#define NAME_COLUMNS 100

/* An entity stands for the character and never for what it does; it is taken so in tables and in HTML alike. */
static void put_entity(FILE *out, const char *shown)
{
    unsigned char c = (unsigned char)shown[0];
    if (shown[1] == '\0' && strchr("|<>&*_`[]\\~#!@$^{}", c))
        fprintf(out, "&#%u;", c);
    else
        fputs(shown, out);
}

static void put_sentence(FILE *out, const char *text)
{
    tkf_put_shortened(out, text, TKF_CHARSET_UTF8, strlen(text) * 4, put_entity);
}

/* As code, in which nothing is a mention, a link or a heading. A bar would end the cell, and a backtick the code. */
static void put_code(FILE *out, const char *text)
{
    bool plain = !strpbrk(text, "`|\\") && text[0] != '\0' && strcspn(text, " ") > 0;
    fputs(plain ? "`" : "<code>", out);
    tkf_put_shortened(out, text, TKF_CHARSET_UTF8, NAME_COLUMNS, plain ? NULL : put_entity);
    fputs(plain ? "`" : "</code>", out);
}

static void put_name(FILE *out, const struct tkf_result *result)
{
    if (result->group[0] != '\0') {
        put_code(out, result->group);
        fputs(" ", out);
    }
    put_code(out, tkf_name_shown(result));
}

static void put_numbers(FILE *out, const struct tkf_result *result)
{
    fprintf(out, " | %s | %s | %s%s%s", tkf_time_shown(result->ns, result->quantum_ns, true).text,
            tkf_cycles_shown(result->cycles_shown).text, tkf_flagged(result) ? "**" : "",
            tkf_verdict_shown(result), tkf_flagged(result) ? "**" : "");
}

static void put_flagged(const struct tkf_report *report, FILE *out)
{
    fputs("| benchmark | time | cycles | verdict | what was seen, and what to do |\n"
          "| --- | ---: | ---: | --- | --- |\n",
          out);
    for (size_t i = 0; i < tkf_results_count(report->results); i++) {
        const struct tkf_result *result = tkf_results_get(report->results, i);
        if (!tkf_flagged(result))
            continue;
        fputs("| ", out);
        put_name(out, result);
        put_numbers(out, result);
        fputs(" | ", out);
        for (unsigned j = 0; j < result->nevidence; j++) {
            put_sentence(out, result->evidence[j].text);
            fprintf(out, "%s ", tkf_full_stop(result->evidence[j].text));
        }
        if (result->hint) {
            fputs("→ ", out);
            put_sentence(out, result->hint);
        }
        fputs(" |\n", out);
    }
    fputs("\n", out);
}

static void put_all(const struct tkf_report *report, size_t total, FILE *out)
{
    fprintf(out,
            "<details>\n<summary>%s</summary>\n\n"
            "| benchmark | time | cycles | verdict |\n| --- | ---: | ---: | --- |\n",
            total == 1 ? "The one result" : "All results");
    for (size_t i = 0; i < tkf_results_count(report->results); i++) {
        const struct tkf_result *result = tkf_results_get(report->results, i);
        fputs("| ", out);
        put_name(out, result);
        put_numbers(out, result);
        fputs(" |\n", out);
    }
    fputs("\n</details>\n\n", out);
}

static void put_floors(const struct tkf_report *report, FILE *out)
{
    const struct tkf_origin *origin = NULL;
    for (size_t i = 0; i < tkf_results_count(report->results); i++) {
        const struct tkf_result *result = tkf_results_get(report->results, i);
        if (result->origin == origin)
            continue;
        origin = result->origin;
        const struct tkf_floor_used *floor = tkf_results_floor(report->results, origin);
        fputs("- ", out);
        put_code(out, origin->file);
        fputs(" (", out);
        put_sentence(out, origin->framework);
        fprintf(out, "): floor %s", floor ? tkf_band_shown(&floor->ns, true).text : "unknown");
        if (floor && floor->text) {
            fputs("; ", out);
            put_sentence(out, floor->text);
        }
        fputs("\n", out);
    }
    if (report->profile_text) {
        fputs("- ", out);
        put_sentence(out, report->profile_text);
        fputs("\n", out);
    }
    fputs("\n", out);
}

static void put_notices(const struct tkf_report *report, FILE *out)
{
    size_t count = tkf_results_notices(report->results);
    if (count == 0)
        return;
    fprintf(out, "<details>\n<summary>%zu notice%s</summary>\n\n", count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count; i++) {
        const struct tkf_notice *notice = tkf_results_notice(report->results, i);
        fputs("- ", out);
        put_code(out, notice->file);
        if (notice->line > 0)
            fprintf(out, ":%u", notice->line);
        fputs(": ", out);
        put_sentence(out, notice->text);
        fputs("\n", out);
    }
    fputs("\n</details>\n", out);
}

void tkf_write_markdown(const struct tkf_report *report, FILE *out)
{
    struct tkf_counts counts = tkf_count_verdicts(report->results);
    char summary[240];
    tkf_summary_text(&counts, summary, sizeof(summary));
    fprintf(out, "### tickfloor: %s\n\n", summary);
    if (counts.flagged > 0)
        put_flagged(report, out);
    put_floors(report, out);
    if (!report->quiet)
        put_all(report, counts.total, out);
    put_notices(report, out);
}
