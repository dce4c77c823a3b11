/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "write.h"

enum {
    INDENT = 2,
    NAME_COLUMNS = 25,
    VALUE_COLUMNS = 12,
    SPREAD_COLUMNS = 8,
    MACHINE_COLUMNS = 18,
    MACHINES_SHOWN = 16, /* a model with more has no table of its machines */
    ODDS_SHOWN = 20,     /* machines of a model, and bad inputs */
    ODDS_OF_MACHINE = 4,
};

struct table {
    const struct tkf_fleet *fleet;
    FILE *out;
    bool all, unicode;
    enum tkf_charset charset;
    const char *bold, *dim, *red, *yellow, *reset;
};

/* Of which a machine's row in the table is made: the first of its CPUs. */
static const struct {
    const char *title, *name;
} machine_columns[] = {
    {"core clock", "clock/core"},     {"read", "counter/read"},
    {"floor", "floor/aligned"},       {"suspect", "floor/suspect-below"},
    {"worst gap", "noise/worst-gap"},
};
enum { MACHINE_VALUES = sizeof(machine_columns) / sizeof(machine_columns[0]) };

static const char *text_of(const struct tkf_fleet *fleet, unsigned number)
{
    return fleet->texts.texts[number];
}

static void column_text(const struct tkf_fleet_column *column, char *ret_text, size_t size)
{
    snprintf(ret_text, size, "%s%s%s", column->name, column->cpu[0] ? " @" : "", column->cpu);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- the table ---- */

static void put_right(const struct table *table, const char *text, size_t columns)
{
    size_t used = tkf_shown_columns(text, table->charset);
    fprintf(table->out, " %*s", used < columns ? (int)(columns - used) : 0, "");
    tkf_put_shortened(table->out, text, table->charset, columns, NULL);
}

static void put_value(const struct table *table, double value, const char *unit)
{
    put_right(table, tkf_quantity_shown(value, unit, table->unicode).text, VALUE_COLUMNS);
}

static void put_model_head(const struct table *table, const struct tkf_fleet_model *model)
{
    const struct tkf_fleet *fleet = table->fleet;
    const char *dot = table->unicode ? " · " : ", ";
    const char *cpu = text_of(fleet, model->cpu), *hypervisor = text_of(fleet, model->hypervisor);
    fprintf(table->out, "\n%s", table->bold);
    tkf_put_shortened(table->out, cpu[0] ? cpu : "unknown CPU", table->charset, 23, NULL);
    fputs(table->reset, table->out);
    const char *const parts[] = {text_of(fleet, model->arch), text_of(fleet, model->os),
                                 strcmp(hypervisor, "none") == 0 ? "" : hypervisor};
    for (unsigned i = 0; i < 3; i++) {
        if (parts[i][0] == '\0')
            continue;
        fputs(dot, table->out);
        tkf_put_shortened(table->out, parts[i], table->charset, 8, NULL);
    }
    fprintf(table->out, "%s%zu machine%s", dot, model->count, plural(model->count));
    if (model->nodd > 0)
        fprintf(table->out, "%s%s%zu odd%s", dot, table->red, model->nodd, table->reset);
    fputc('\n', table->out);
}

static void put_stat(const struct table *table, const struct tkf_fleet_stat *stat)
{
    const struct tkf_fleet_column *column = &table->fleet->columns[stat->column];
    char name[140], spread[24] = "-";
    column_text(column, name, sizeof(name));
    if (stat->median != 0 && stat->n >= TKF_FLEET_LEAST)
        snprintf(spread, sizeof(spread), "%.2f %%", 148.26 * stat->mad / fabs(stat->median));
    fprintf(table->out, "%*s", INDENT, "");
    tkf_put_cell(table->out, name, table->charset, NAME_COLUMNS);
    put_value(table, stat->median, column->unit);
    put_right(table, spread, SPREAD_COLUMNS);
    put_value(table, stat->lowest, column->unit);
    put_value(table, stat->highest, column->unit);
    if (stat->nodd > 0)
        fprintf(table->out, " %s%4u%s", table->red, stat->nodd, table->reset);
    fputc('\n', table->out);
}

static void put_stats(const struct table *table, const struct tkf_fleet_model *model)
{
    fprintf(table->out, "%s%*s %*s %*s %*s %*s %4s%s\n", table->dim, INDENT + NAME_COLUMNS, "",
            VALUE_COLUMNS, "median", SPREAD_COLUMNS, "spread", VALUE_COLUMNS, "lowest",
            VALUE_COLUMNS, "highest", "odd", table->reset);
    for (size_t i = 0; i < model->nstats; i++) {
        const struct tkf_fleet_stat *stat = &table->fleet->stats[model->first_stat + i];
        if (table->all || stat->nodd > 0 ||
            table->fleet->columns[stat->column].group <= TKF_GROUP_NOISE)
            put_stat(table, stat);
    }
}

static const struct tkf_fleet_value *
find_value(const struct tkf_fleet *fleet, const struct tkf_fleet_machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->count; i++) {
        const struct tkf_fleet_value *value = &fleet->values[machine->first + i];
        if (strcmp(fleet->columns[value->column].name, name) == 0)
            return value;
    }
    return NULL;
}

static void put_machines(const struct table *table, const struct tkf_fleet_model *model)
{
    const struct tkf_fleet *fleet = table->fleet;
    fprintf(table->out, "%s%*s%-*s", table->dim, INDENT, "", MACHINE_COLUMNS, "machine");
    for (unsigned i = 0; i < MACHINE_VALUES; i++)
        fprintf(table->out, " %11s", machine_columns[i].title);
    fprintf(table->out, "%s\n", table->reset);
    for (size_t k = 0; k < model->count; k++) {
        const struct tkf_fleet_machine *machine =
            &fleet->machines[fleet->by_model[model->first + k]];
        fprintf(table->out, "%*s%s", INDENT, "", machine->nodd > 0 ? table->red : "");
        tkf_put_cell(table->out, machine->name, table->charset, MACHINE_COLUMNS);
        fputs(machine->nodd > 0 ? table->reset : "", table->out);
        for (unsigned i = 0; i < MACHINE_VALUES; i++) {
            const struct tkf_fleet_value *value =
                find_value(fleet, machine, machine_columns[i].name);
            struct tkf_number_shown number = {"-"};
            if (value)
                number = tkf_quantity_shown(value->value, fleet->columns[value->column].unit,
                                            table->unicode);
            put_right(table, number.text, 11);
        }
        fputc('\n', table->out);
    }
}

/* What most machines of the model have there; the number of a text. */
static unsigned usual(const struct tkf_fleet *fleet, const struct tkf_fleet_model *model,
                      unsigned (*get)(const struct tkf_fleet_machine *machine))
{
    /* A vote: what more than half have remains; where nothing is, any may. */
    unsigned candidate = 0;
    size_t votes = 0;
    for (size_t i = 0; i < model->count; i++) {
        unsigned text = get(&fleet->machines[fleet->by_model[model->first + i]]);
        if (votes == 0)
            candidate = text;
        votes += text == candidate ? 1 : (size_t)-1;
    }
    return candidate;
}

static unsigned kernel_of(const struct tkf_fleet_machine *machine)
{
    return machine->kernel;
}

static unsigned microcode_of(const struct tkf_fleet_machine *machine)
{
    return machine->microcode;
}

static void put_other(const struct table *table, const char *what, unsigned here, unsigned usual)
{
    if (here == usual)
        return;
    const char *text = text_of(table->fleet, here);
    fprintf(table->out, "  %s%s ", table->yellow, what);
    tkf_put_shortened(table->out, text[0] ? text : "unknown", table->charset, 14, NULL);
    fputs(table->reset, table->out);
}

static void put_odd(const struct table *table, const struct tkf_fleet_odd *odd)
{
    const struct tkf_fleet_stat *stat = &table->fleet->stats[odd->stat];
    const struct tkf_fleet_column *column = &table->fleet->columns[stat->column];
    char name[140], distance[24];
    column_text(column, name, sizeof(name));
    snprintf(distance, sizeof(distance), "%+.3g", odd->distance);
    fprintf(table->out, "%*s", 2 * INDENT, "");
    tkf_put_cell(table->out, name, table->charset, NAME_COLUMNS);
    put_value(table, odd->value, column->unit);
    fputs("  median", table->out);
    put_value(table, stat->median, column->unit);
    fprintf(table->out, "  %s\n", distance);
}

static void put_odd_machines(const struct table *table, const struct tkf_fleet_model *model)
{
    const struct tkf_fleet *fleet = table->fleet;
    size_t shown = 0;
    if (model->nodd == 0)
        return;
    unsigned kernel = usual(fleet, model, kernel_of), microcode = usual(fleet, model, microcode_of);
    for (size_t i = 0; i < model->count; i++) {
        const struct tkf_fleet_machine *machine =
            &fleet->machines[fleet->by_model[model->first + i]];
        if (machine->nodd == 0)
            continue;
        if (shown++ == ODDS_SHOWN && !table->all) {
            fprintf(table->out, "%*sand %zu more; --all prints them\n", INDENT, "",
                    model->nodd - ODDS_SHOWN);
            break;
        }
        fprintf(table->out, "%*s%s", INDENT, "", table->red);
        tkf_put_shortened(table->out, machine->name, table->charset, 28, NULL);
        fputs(table->reset, table->out);
        put_other(table, "kernel", machine->kernel, kernel);
        put_other(table, "microcode", machine->microcode, microcode);
        fputc('\n', table->out);
        size_t of_it =
            table->all || machine->nodd <= ODDS_OF_MACHINE ? machine->nodd : ODDS_OF_MACHINE;
        for (size_t k = 0; k < of_it; k++)
            put_odd(table, &fleet->odds[machine->first_odd + k]);
        if (of_it < machine->nodd)
            fprintf(table->out, "%*sand %zu more\n", 2 * INDENT, "", machine->nodd - of_it);
    }
}

static void put_bad(const struct table *table)
{
    const struct tkf_fleet *fleet = table->fleet;
    if (fleet->nbad > 0)
        fprintf(table->out, "\n%snot read%s\n", table->bold, table->reset);
    for (size_t i = 0; i < fleet->nbad; i++) {
        const struct tkf_fleet_bad *bad = &fleet->bad[i];
        if (i == ODDS_SHOWN && !table->all) {
            fprintf(table->out, "%*sand %zu more; --all prints them\n", INDENT, "",
                    fleet->nbad - i);
            return;
        }
        fprintf(table->out, "%*s%s", INDENT, "", table->red);
        tkf_put_shortened(table->out, text_of(fleet, bad->file), table->charset, 40, NULL);
        if (bad->line > 0)
            fprintf(table->out, ":%u", bad->line);
        if (bad->label[0])
            fputs(" label ", table->out);
        tkf_put_shortened(table->out, bad->label, table->charset, 20, NULL);
        fprintf(table->out, "%s\n%*s", table->reset, 2 * INDENT, "");
        tkf_put_shortened(table->out, bad->text, table->charset, 76, NULL);
        fputc('\n', table->out);
    }
}

void tkf_write_fleet(const struct tkf_fleet *fleet, bool all, const struct tkf_table_style *style,
                     FILE *out)
{
    const struct table table = {
        .fleet = fleet,
        .out = out,
        .all = all,
        .unicode = style->unicode,
        .charset = style->unicode ? TKF_CHARSET_TERMINAL : TKF_CHARSET_ASCII,
        .bold = style->color ? "\033[1m" : "",
        .dim = style->color ? "\033[2m" : "",
        .red = style->color ? "\033[31m" : "",
        .yellow = style->color ? "\033[33m" : "",
        .reset = style->color ? "\033[0m" : "",
    };
    fprintf(out, "%zu profile%s, %zu model%s, %zu odd, %zu not read\n", fleet->nmachines,
            plural(fleet->nmachines), fleet->nmodels, plural(fleet->nmodels), fleet->nodd_machines,
            fleet->nbad);
    for (size_t i = 0; i < fleet->nmodels; i++) {
        const struct tkf_fleet_model *model = &fleet->models[i];
        put_model_head(&table, model);
        put_stats(&table, model);
        if (all || model->count <= MACHINES_SHOWN)
            put_machines(&table, model);
        put_odd_machines(&table, model);
        if (model->count < TKF_FLEET_LEAST)
            fprintf(out, "%*sof %zu no odd one can be told: that takes %d\n", INDENT, "",
                    model->count, TKF_FLEET_LEAST);
    }
    put_bad(&table);
    if (fleet->strays > 0)
        fprintf(out, "\n%u line%s between the profiles %s no part of one\n", fleet->strays,
                plural(fleet->strays), fleet->strays == 1 ? "is" : "are");
}

/* ---- JSON ---- */

static json_t *put_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* An empty text is one that is unknown. */
static json_t *put_text(const char *text)
{
    return text[0] ? tkf_json_string(text) : json_null();
}

static json_t *stat_of(const struct tkf_fleet *fleet, const struct tkf_fleet_stat *stat)
{
    const struct tkf_fleet_column *column = &fleet->columns[stat->column];
    return json_pack("{s:s, s:o, s:o, s:o, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "group",
                     tkf_group_name(column->group), "name", tkf_json_string(column->name), "cpu",
                     put_text(column->cpu), "unit", tkf_json_string(column->unit), "machines",
                     (int)stat->n, "odd", (int)stat->nodd, "median", put_real(stat->median), "mad",
                     put_real(stat->mad), "scale", put_real(stat->scale), "lowest",
                     put_real(stat->lowest), "highest", put_real(stat->highest));
}

static json_t *model_of(const struct tkf_fleet *fleet, const struct tkf_fleet_model *model)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < model->nstats; i++) {
        if (json_array_append_new(list, stat_of(fleet, &fleet->stats[model->first_stat + i])) !=
            0) {
            json_decref(list);
            list = NULL;
        }
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "cpu",
                     put_text(text_of(fleet, model->cpu)), "cpu_id",
                     put_text(text_of(fleet, model->cpu_id)), "arch",
                     tkf_json_string(text_of(fleet, model->arch)), "os",
                     tkf_json_string(text_of(fleet, model->os)), "hypervisor",
                     put_text(text_of(fleet, model->hypervisor)), "machines",
                     (json_int_t)model->count, "odd", (json_int_t)model->nodd, "quantities", list);
}

static json_t *odd_of(const struct tkf_fleet *fleet, const struct tkf_fleet_odd *odd)
{
    const struct tkf_fleet_stat *stat = &fleet->stats[odd->stat];
    const struct tkf_fleet_column *column = &fleet->columns[stat->column];
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", tkf_json_string(column->name), "cpu",
                     put_text(column->cpu), "unit", tkf_json_string(column->unit), "value",
                     put_real(odd->value), "median", put_real(stat->median), "distance",
                     put_real(odd->distance));
}

static json_t *machine_of(const struct tkf_fleet *fleet, const struct tkf_fleet_machine *machine)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < machine->nodd; i++) {
        if (json_array_append_new(list, odd_of(fleet, &fleet->odds[machine->first_odd + i])) != 0) {
            json_decref(list);
            list = NULL;
        }
    }
    return json_pack(
        "{s:o, s:i, s:o, s:I, s:o, s:o, s:o, s:o}", "name", tkf_json_string(machine->name), "model",
        (int)machine->model, "file", tkf_json_string(text_of(fleet, machine->file)), "line",
        (json_int_t)machine->line, "created", tkf_json_string(text_of(fleet, machine->created)),
        "kernel", put_text(text_of(fleet, machine->kernel)), "microcode",
        put_text(text_of(fleet, machine->microcode)), "odd", list);
}

static json_t *bad_of(const struct tkf_fleet *fleet, const struct tkf_fleet_bad *bad)
{
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o}", "file", tkf_json_string(text_of(fleet, bad->file)), "line",
        bad->line > 0 ? json_integer(bad->line) : json_null(), "label", put_text(bad->label),
        "text", tkf_json_string(bad->text), "next", tkf_json_string(bad->next));
}

int tkf_write_fleet_json(const struct tkf_fleet *fleet, FILE *out)
{
    fputs("{\n  \"schema\": \"tickfloor.fleet/1\",\n  \"tool\": \"tickfloor " TKF_VERSION
          "\",\n  \"tolerance_percent\": ",
          out);
    if (!tkf_json_dump(out, json_real(fleet->tolerance_percent)))
        return TKF_ENOMEM;
    fputs(",\n  \"distance\": ", out);
    if (!tkf_json_dump(out, json_real(fleet->distance)))
        return TKF_ENOMEM;
    fputs(",\n  \"models\": [", out);
    for (size_t i = 0; i < fleet->nmodels; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        if (!tkf_json_dump(out, model_of(fleet, &fleet->models[i])))
            return TKF_ENOMEM;
    }
    fputs("\n  ],\n  \"machines\": [", out);
    for (size_t i = 0; i < fleet->nmachines; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        if (!tkf_json_dump(out, machine_of(fleet, &fleet->machines[i])))
            return TKF_ENOMEM;
    }
    fputs("\n  ],\n  \"bad\": [", out);
    for (size_t i = 0; i < fleet->nbad; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        if (!tkf_json_dump(out, bad_of(fleet, &fleet->bad[i])))
            return TKF_ENOMEM;
    }
    fprintf(out,
            "\n  ],\n  \"summary\": {\"machines\": %zu, \"models\": %zu, \"odd\": %zu, \"bad\": "
            "%zu, \"strays\": %u}\n}\n",
            fleet->nmachines, fleet->nmodels, fleet->nodd_machines, fleet->nbad, fleet->strays);
    return 0;
}
