/* SPDX-License-Identifier: MIT */
/*
 * https://prometheus.io/docs/instrumenting/exposition_formats/ is what node_exporter's textfile collector parses (its
 * expfmt.TextParser); https://prometheus.io/docs/specs/om/open_metrics_spec/ is OpenMetrics. What both take: gauges, HELP before
 * TYPE, all samples of a family together, no timestamps, and "# EOF" as the last line, which the first takes for a comment. So
 * there is no type "info" here, no UNIT, and no exemplar.
 */
#include <math.h>
#include <string.h>
#include <time.h>

#include "write.h"

/* Each unit is a family: a family has one unit, and those are base units. */
static const struct {
    const char *unit, *family;
    double scale;
} families[] = {
    {"ns", "tickfloor_time_seconds", 1e-9},
    {"cycles", "tickfloor_cycles", 1},
    {"GHz", "tickfloor_frequency_hertz", 1e9},
    {"Hz", "tickfloor_rate_hertz", 1},
    {"GB/s", "tickfloor_bandwidth_bytes_per_second", 1e9},
    {"%", "tickfloor_share_ratio", 1e-2},
    {"ppm", "tickfloor_offset_ratio", 1e-6},
    {"", "tickfloor_occurrences", 1},
};

/* A label's value between quotes. */
static void put_escaped(FILE *out, const char *text)
{
    uint32_t code;
    while (*text) {
        size_t n = tkf_utf8(text, &code);
        if (n == 0)
            fputs("\xef\xbf\xbd", out); /* U+FFFD: it must be UTF-8 */
        else if (*text == '\n')
            fputs("\\n", out);
        else if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fwrite(text, 1, n, out);
        text += n > 0 ? n : 1;
    }
}

static void put_label(FILE *out, const char *before, const char *name, const char *value)
{
    fprintf(out, "%s%s=\"", before, name);
    put_escaped(out, value);
    fputc('"', out);
}

static void put_head(FILE *out, const char *family, const char *help)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", family, help, family);
}

/* One sample of one machine. */
static void put_sample(FILE *out, const char *family, const struct tkf_fleet_machine *machine,
                       double value)
{
    put_label(out, family, "{machine", machine->name);
    fprintf(out, "} %.10g\n", value);
}

static void put_infos(const struct tkf_fleet *fleet, FILE *out)
{
    put_head(out, "tickfloor_machine_info", "The machine of a profile; the value is always 1.");
    for (size_t i = 0; i < fleet->nmachines; i++) {
        const struct tkf_fleet_machine *machine = &fleet->machines[i];
        const struct tkf_fleet_model *model = &fleet->models[machine->model];
        const struct {
            const char *name;
            unsigned text;
        } labels[] = {
            {"arch", model->arch},       {"cpu", model->cpu},
            {"cpu_id", model->cpu_id},   {"hypervisor", model->hypervisor},
            {"kernel", machine->kernel}, {"microcode", machine->microcode},
            {"os", model->os},
        };
        put_label(out, "tickfloor_machine_info{", "machine", machine->name);
        for (size_t k = 0; k < sizeof(labels) / sizeof(labels[0]); k++)
            put_label(out, ",", labels[k].name, fleet->texts.texts[labels[k].text]);
        fputs("} 1\n", out);
    }
}

static void put_times(const struct tkf_fleet *fleet, FILE *out)
{
    put_head(out, "tickfloor_profile_timestamp_seconds",
             "When the profile was measured, since 1970.");
    for (size_t i = 0; i < fleet->nmachines; i++) {
        struct tm utc = {0};
        const char *end =
            strptime(fleet->texts.texts[fleet->machines[i].created], "%Y-%m-%dT%H:%M:%SZ", &utc);
        if (end && *end == '\0')
            put_sample(out, "tickfloor_profile_timestamp_seconds", &fleet->machines[i],
                       (double)timegm(&utc));
    }
}

static void put_odds(const struct tkf_fleet *fleet, FILE *out)
{
    put_head(out, "tickfloor_odd_quantities",
             "Quantities in which the machine is far from the others of its model.");
    for (size_t i = 0; i < fleet->nmachines; i++)
        put_sample(out, "tickfloor_odd_quantities", &fleet->machines[i],
                   (double)fleet->machines[i].nodd);
}

static void put_family(const struct tkf_fleet *fleet, size_t family, FILE *out)
{
    bool first = true;
    for (size_t i = 0; i < fleet->nmachines; i++) {
        const struct tkf_fleet_machine *machine = &fleet->machines[i];
        for (size_t k = 0; k < machine->count; k++) {
            const struct tkf_fleet_value *value = &fleet->values[machine->first + k];
            const struct tkf_fleet_column *column = &fleet->columns[value->column];
            if (strcmp(column->unit, families[family].unit) != 0 || !isfinite(value->value))
                continue;
            if (first)
                put_head(out, families[family].family,
                         "A quantity of the machine's timing floor, or of what is around it.");
            first = false;
            put_label(out, families[family].family, "{machine", machine->name);
            put_label(out, ",", "quantity", column->name);
            put_label(out, ",", "core", column->cpu);
            fprintf(out, "} %.8g\n", value->value * families[family].scale);
        }
    }
}

void tkf_write_openmetrics(const struct tkf_fleet *fleet, FILE *out)
{
    put_infos(fleet, out);
    put_times(fleet, out);
    put_odds(fleet, out);
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        put_family(fleet, i, out);
    put_head(out, "tickfloor_profiles_not_read", "Inputs that were no profile.");
    fprintf(out, "tickfloor_profiles_not_read %zu\n# EOF\n", fleet->nbad);
}
