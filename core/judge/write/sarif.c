/* SPDX-License-Identifier: MIT */
/* Static Analysis Results Interchange Format 2.1.0, an OASIS standard: sections 3.13 (log) to 3.30 (region). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

/* A path as a URI reference (RFC 3986): relative to where the command ran, unless it is absolute. */
static json_t *uri_of(const char *path)
{
    char *uri = malloc(strlen(path) * 3 + sizeof("file:///")), *to = uri;
    if (!uri)
        return NULL;
    if (path[0] == '/')
        to += sprintf(to, "file://");
    for (; *path; path++) {
        if (isalnum((unsigned char)*path) || strchr("/-._~", *path))
            *to++ = *path;
        else
            to += sprintf(to, "%%%02X", (unsigned char)*path);
    }
    *to = '\0';
    json_t *string = json_string(uri);
    free(uri);
    return string;
}

static json_t *text_object(const char *text)
{
    return json_pack("{s:o}", "text", tkf_json_string(text));
}

static bool is_file(const char *name)
{
    return strcmp(name, "<stdin>") != 0;
}

static json_t *location_of(const char *file, unsigned line)
{
    json_t *place = json_pack("{s:{s:o}}", "artifactLocation", "uri", uri_of(file));
    if (place && line > 0 &&
        json_object_set_new(place, "region", json_pack("{s:I}", "startLine", (json_int_t)line)) !=
            0) {
        json_decref(place);
        return NULL;
    }
    return json_pack("{s:o}", "physicalLocation", place);
}

static json_t *location_of_result(const struct tkf_result *result)
{
    const char *file = result->origin->file;
    json_t *location = is_file(file) ? location_of(file, result->line) : json_object();
    char *whole = NULL;
    if (asprintf(&whole, "%s%s%s", result->group, result->group[0] ? "." : "", result->name) < 0)
        whole = NULL;
    json_t *logical =
        json_pack("[{s:o, s:o, s:s}]", "name", tkf_json_string(result->name), "fullyQualifiedName",
                  whole ? tkf_json_string(whole) : NULL, "kind", "function");
    free(whole);
    if (location && json_object_set_new(location, "logicalLocations", logical) == 0)
        return location;
    json_decref(location);
    return NULL;
}

static json_t *message_of(const struct tkf_result *result)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fprintf(out, "%s: %s.", tkf_name_shown(result),
            tkf_time_shown(result->ns, result->quantum_ns, true).text);
    for (unsigned i = 0; i < result->nevidence; i++)
        fprintf(out, " %s%s", result->evidence[i].text, tkf_full_stop(result->evidence[i].text));
    if (result->hint)
        fprintf(out, " → %s", result->hint);
    json_t *message = fclose(out) == 0 ? text_object(text) : NULL;
    free(text);
    return message;
}

static json_t *result_of(const struct tkf_result *result)
{
    return json_pack("{s:s, s:i, s:s, s:o, s:[o]}", "ruleId", tkf_verdict_name(result->verdict),
                     "ruleIndex", (int)result->verdict, "level",
                     result->verdict == TKF_VERDICT_IMPOSSIBLE ? "error" : "warning", "message",
                     message_of(result), "locations", location_of_result(result));
}

/* One rule for each flagged verdict, in their order. */
static json_t *rules(void)
{
    json_t *list = json_array();
    for (int verdict = 0; list && verdict < TKF_VERDICT_NEAR_FLOOR; verdict++) {
        const struct tkf_verdict_text *text = &tkf_verdict_texts[verdict];
        json_t *rule = json_pack("{s:s, s:o, s:o, s:{s:s}}", "id", tkf_verdict_name(verdict),
                                 "shortDescription", text_object(text->title), "fullDescription",
                                 text_object(text->text), "defaultConfiguration", "level",
                                 verdict == TKF_VERDICT_IMPOSSIBLE ? "error" : "warning");
        if (json_array_append_new(list, rule) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *notification_of(const struct tkf_notice *notice)
{
    json_t *locations = is_file(notice->file)
                            ? json_pack("[o]", location_of(notice->file, notice->line))
                            : json_array();
    return json_pack("{s:s, s:o, s:o}", "level", notice->failed ? "error" : "note", "message", text_object(notice->text),
                     "locations", locations);
}

static json_t *invocation_of(const struct tkf_results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < tkf_results_notices(results); i++) {
        if (json_array_append_new(list, notification_of(tkf_results_notice(results, i))) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return json_pack("{s:b, s:o}", "executionSuccessful", 1, "toolExecutionNotifications", list);
}

int tkf_write_sarif(const struct tkf_report *report, FILE *out)
{
    const char *before = "\n        ";
    fputs("{\n  \"$schema\": \"" SCHEMA "\",\n  \"version\": \"2.1.0\",\n  \"runs\": [\n    {\n"
          "      \"tool\": ",
          out);
    if (!tkf_json_dump(out, json_pack("{s:{s:s, s:s, s:o}}", "driver", "name", "tickfloor",
                                      "version", TKF_VERSION, "rules", rules())))
        return TKF_ENOMEM;
    fputs(",\n      \"columnKind\": \"unicodeCodePoints\",\n      \"invocations\": [", out);
    if (!tkf_json_dump(out, invocation_of(report->results)))
        return TKF_ENOMEM;
    fputs("],\n      \"results\": [", out);
    for (size_t i = 0; i < tkf_results_count(report->results); i++) {
        const struct tkf_result *result = tkf_results_get(report->results, i);
        if (!tkf_flagged(result))
            continue;
        fputs(before, out);
        if (!tkf_json_dump(out, result_of(result)))
            return TKF_ENOMEM;
        before = ",\n        ";
    }
    fputs("\n      ]\n    }\n  ]\n}\n", out);
    return 0;
}
