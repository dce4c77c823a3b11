/* SPDX-License-Identifier: MIT */
/* doc/report.schema.json describes it. The frame is written by hand, and each result by itself: of millions none is kept. */
#include <jansson.h>
#include <math.h>

#include "write.h"

/* No text is one that is unknown. */
static json_t *put_name(const char *text)
{
    return text && text[0] == '\0' ? json_null() : tkf_json_string(text);
}

static json_t *put_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *put_band(const struct tkf_band *band)
{
    if (!isfinite(band->mid))
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "lo", put_real(band->lo), "mid", put_real(band->mid), "hi",
                     put_real(band->hi));
}

/* ---- the members ---- */

static json_t *profile_of(const struct tkf_report *report)
{
    static const char *const sources[] = {NULL, "given", "saved", "calibrated"};
    const struct tkf_profile *profile = report->profile;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "source",
                     tkf_json_string(sources[report->profile_source]), "text",
                     tkf_json_string(report->profile_text), "created",
                     put_name(profile ? profile->created : NULL), "cpu",
                     put_name(profile ? profile->machine.cpu : NULL), "cycle_ns",
                     put_real(profile && profile->ncpus ? profile->cpus[0].floor.cycle_ns : NAN),
                     "suspect_below_ns", put_real(profile ? profile->suspect_below_ns : NAN));
}

static json_t *floor_of(const struct tkf_report *report, const struct tkf_origin *origin)
{
    static const char *const sources[] = {"same-file", "harness", "profile", "physical"};
    const struct tkf_floor_used *floor = tkf_results_floor(report->results, origin);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "file",
                     tkf_json_string(origin->file), "format", tkf_json_string(origin->format),
                     "framework", tkf_json_string(origin->framework), "version",
                     tkf_json_string(origin->version), "cpu", tkf_json_string(origin->cpu),
                     "source", tkf_json_string(floor ? sources[floor->source] : NULL), "ns",
                     floor ? put_band(&floor->ns) : json_null(), "cycle_ns",
                     put_real(floor ? floor->cycle_ns : NAN), "text",
                     tkf_json_string(floor ? floor->text : NULL));
}

static json_t *evidence_of(const struct tkf_result *result)
{
    json_t *list = json_array();
    for (unsigned i = 0; list && i < result->nevidence; i++) {
        json_t *entry = json_pack("{s:o, s:o}", "rule", tkf_json_string(result->evidence[i].rule),
                                  "text", tkf_json_string(result->evidence[i].text));
        if (json_array_append_new(list, entry) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *result_of(const struct tkf_result *result, size_t floor)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:s, s:b, "
        "s:o, s:o, s:o}",
        "file", tkf_json_string(result->origin->file), "line",
        result->line > 0 ? json_integer(result->line) : json_null(), "framework",
        tkf_json_string(result->origin->framework), "group", put_name(result->group), "name",
        tkf_json_string(result->name), "threads", put_real(result->threads), "procs",
        put_real(result->procs), "floor", (json_int_t)floor, "ns", put_real(result->ns),
        "statistic", tkf_json_string(tkf_statistic_text(result->statistic)), "ns_lo",
        put_real(result->ns_lo), "ns_hi", put_real(result->ns_hi), "quantum_ns",
        put_real(result->quantum_ns), "cycles", put_real(result->cycles_shown), "over_floor_ns",
        put_real(result->over_floor_ns), "repetitions", (int)result->repetitions, "iterations",
        put_real(result->iterations), "verdict", tkf_verdict_name(result->verdict), "is_floor",
        result->is_floor, "evidence", evidence_of(result), "hint", tkf_json_string(result->hint),
        "remark", tkf_json_string(result->remark));
}

static json_t *notice_of(const struct tkf_notice *notice)
{
    return json_pack("{s:o, s:o, s:o, s:b}", "file", tkf_json_string(notice->file), "line",
                     notice->line > 0 ? json_integer(notice->line) : json_null(), "text",
                     tkf_json_string(notice->text), "failed", (int)notice->failed);
}

static json_t *summary_of(const struct tkf_results *results)
{
    struct tkf_counts counts = tkf_count_verdicts(results);
    json_t *summary = json_pack("{s:I, s:I}", "total", (json_int_t)counts.total, "flagged",
                                (json_int_t)counts.flagged);
    for (int verdict = 0; summary && verdict < TKF_VERDICT_COUNT; verdict++) {
        if (json_object_set_new(summary, tkf_verdict_name(verdict),
                                json_integer((json_int_t)counts.of[verdict])) != 0) {
            json_decref(summary);
            return NULL;
        }
    }
    return summary;
}

/* ---- the lists ---- */

/* Whether a result begins the results of another origin: those of one stand together. */
static bool begins_origin(const struct tkf_results *results, size_t index)
{
    return index == 0 ||
           tkf_results_get(results, index)->origin != tkf_results_get(results, index - 1)->origin;
}

static bool write_floors(const struct tkf_report *report, FILE *out)
{
    const char *before = "\n    ";
    for (size_t i = 0; i < tkf_results_count(report->results); i++) {
        if (!begins_origin(report->results, i))
            continue;
        fputs(before, out);
        if (!tkf_json_dump(out, floor_of(report, tkf_results_get(report->results, i)->origin)))
            return false;
        before = ",\n    ";
    }
    return true;
}

static bool write_results(const struct tkf_report *report, FILE *out)
{
    const char *before = "\n    ";
    size_t origins = 0;
    for (size_t i = 0; i < tkf_results_count(report->results); i++) {
        const struct tkf_result *result = tkf_results_get(report->results, i);
        origins += begins_origin(report->results, i);
        if (report->quiet && !tkf_flagged(result))
            continue;
        fputs(before, out);
        if (!tkf_json_dump(out, result_of(result, origins - 1)))
            return false;
        before = ",\n    ";
    }
    return true;
}

static bool write_notices(const struct tkf_report *report, FILE *out)
{
    const char *before = "\n    ";
    for (size_t i = 0; i < tkf_results_notices(report->results); i++) {
        fputs(before, out);
        if (!tkf_json_dump(out, notice_of(tkf_results_notice(report->results, i))))
            return false;
        before = ",\n    ";
    }
    return true;
}

int tkf_write_json(const struct tkf_report *report, FILE *out)
{
    fputs("{\n  \"schema\": \"tickfloor.report/1\",\n  \"tool\": \"tickfloor " TKF_VERSION
          "\",\n  \"profile\": ",
          out);
    if (!tkf_json_dump(out, profile_of(report)))
        return TKF_ENOMEM;
    fputs(",\n  \"floors\": [", out);
    if (!write_floors(report, out))
        return TKF_ENOMEM;
    fputs("\n  ],\n  \"results\": [", out);
    if (!write_results(report, out))
        return TKF_ENOMEM;
    fputs("\n  ],\n  \"notices\": [", out);
    if (!write_notices(report, out))
        return TKF_ENOMEM;
    fputs("\n  ],\n  \"summary\": ", out);
    if (!tkf_json_dump(out, summary_of(report->results)))
        return TKF_ENOMEM;
    fputs("\n}\n", out);
    return 0;
}
