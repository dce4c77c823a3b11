/* SPDX-License-Identifier: MIT */
/* Workflow commands: docs.github.com, "Workflow commands for GitHub Actions". A step shows ten of each kind, hence worst first. */
#include <string.h>

#include "write.h"

#define TITLE_COLUMNS 120

static void put_message(FILE *out, const char *shown)
{
    if (strcmp(shown, "%") == 0)
        fputs("%25", out);
    else
        fputs(shown, out);
}

/* In a property a comma and a colon mean something too. CR and LF are shown as \x0d and \x0a, and need no escape. */
static void put_property(FILE *out, const char *shown)
{
    if (strcmp(shown, ":") == 0)
        fputs("%3A", out);
    else if (strcmp(shown, ",") == 0)
        fputs("%2C", out);
    else
        put_message(out, shown);
}

static void put_text(FILE *out, const char *text, void (*put)(FILE *out, const char *shown))
{
    tkf_put_shortened(out, text, TKF_CHARSET_UTF8, strlen(text) * 4, put);
}

static void put_place(FILE *out, const char *file, unsigned line)
{
    if (strcmp(file, "<stdin>") == 0)
        return;
    fputs("file=", out);
    put_text(out, file, put_property);
    if (line > 0)
        fprintf(out, ",line=%u", line);
    fputc(',', out);
}

static void put_result(FILE *out, const struct tkf_result *result)
{
    fputs("::warning ", out);
    put_place(out, result->origin->file, result->line);
    fprintf(out, "title=%s%%3A ", tkf_verdict_name(result->verdict));
    tkf_put_shortened(out, tkf_name_shown(result), TKF_CHARSET_UTF8, TITLE_COLUMNS, put_property);
    fprintf(out, "::%s", tkf_time_shown(result->ns, result->quantum_ns, true).text);
    for (unsigned i = 0; i < result->nevidence; i++) {
        fputs(i == 0 ? ": " : " ", out);
        put_text(out, result->evidence[i].text, put_message);
        fputs(tkf_full_stop(result->evidence[i].text), out);
    }
    if (result->hint) {
        fputs("%0A→ ", out);
        put_text(out, result->hint, put_message);
    }
    fputc('\n', out);
}

static void put_failure(FILE *out, const struct tkf_notice *notice)
{
    fputs("::error ", out);
    put_place(out, notice->file, notice->line);
    fputs("title=failed::", out);
    put_text(out, notice->text, put_message);
    fputc('\n', out);
}

void tkf_write_github(const struct tkf_report *report, FILE *out)
{
    struct tkf_counts counts = tkf_count_verdicts(report->results);
    char summary[240];
    for (size_t i = 0; i < tkf_results_notices(report->results); i++) {
        const struct tkf_notice *notice = tkf_results_notice(report->results, i);
        if (notice->failed)
            put_failure(out, notice);
    }
    for (int verdict = 0; verdict < TKF_VERDICT_NEAR_FLOOR; verdict++) {
        for (size_t i = 0; counts.of[verdict] > 0 && i < counts.total; i++) {
            const struct tkf_result *result = tkf_results_get(report->results, i);
            if ((int)result->verdict == verdict && tkf_flagged(result))
                put_result(out, result);
        }
    }
    tkf_summary_text(&counts, summary, sizeof(summary));
    fprintf(out, "::notice title=tickfloor::%s\n", summary);
}
