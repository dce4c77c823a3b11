/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "write.h"

enum {
    INDENT = 2,
    NAME_COLUMNS = 28,
    VALUE_COLUMNS = 13,
    WHAT_COLUMNS = 11,
    TEXT_COLUMNS = 32, /* of a machine's property */
};

struct table {
    const struct tkf_comparison *comparison;
    FILE *out;
    enum tkf_compare_rows rows;
    enum tkf_charset charset;
    bool unicode;
    const char *bold, *dim, *red, *yellow, *green, *reset;
};

/* ---- what stands in a cell ---- */

/* The quantity of whichever profile has it. */
static const struct tkf_quantity *either(const struct tkf_compared *compared)
{
    return compared->change == TKF_CHANGE_ONLY_B ? &compared->b : &compared->a;
}

static const struct tkf_profile *profile_of(const struct tkf_comparison *comparison,
                                            const struct tkf_compared *compared)
{
    return compared->change == TKF_CHANGE_ONLY_B ? comparison->b : comparison->a;
}

static void name_text(const struct tkf_comparison *comparison, const struct tkf_compared *compared,
                      char *ret_text, size_t size)
{
    const struct tkf_quantity *quantity = either(compared);
    char cpu[48] = "";
    if (quantity->cpu >= 0)
        tkf_cpu_place(profile_of(comparison, compared), (unsigned)quantity->cpu, cpu, sizeof(cpu));
    snprintf(ret_text, size, "%s%s%s", quantity->name, cpu[0] ? " @" : "", cpu);
}

static const char *color_of(const struct table *table, enum tkf_change change)
{
    switch (change) {
    case TKF_CHANGE_WORSE:
        return table->red;
    case TKF_CHANGE_BETTER:
        return table->green;
    case TKF_CHANGE_DIFFERS:
        return table->yellow;
    default:
        return table->dim;
    }
}

/* ---- the table ---- */

static void put_value(const struct table *table, const struct tkf_quantity *quantity, bool there)
{
    struct tkf_number_shown number = {"-"};
    if (there)
        number = tkf_quantity_shown(quantity->value.mid, quantity->unit, table->unicode);
    size_t used = tkf_shown_columns(number.text, table->charset);
    fprintf(table->out, " %*s", used < VALUE_COLUMNS ? VALUE_COLUMNS - (int)used : 0, "");
    tkf_put_shortened(table->out, number.text, table->charset, VALUE_COLUMNS, NULL); /* its unit */
}

static void put_row(const struct table *table, const struct tkf_compared *compared)
{
    char name[140], ratio[24] = "";
    name_text(table->comparison, compared, name, sizeof(name));
    if (isfinite(compared->ratio))
        snprintf(ratio, sizeof(ratio), fabs(compared->ratio) < 1000 ? "%.4f" : "%.3g",
                 compared->ratio);
    fprintf(table->out, "%*s", INDENT, "");
    tkf_put_cell(table->out, name, table->charset, NAME_COLUMNS);
    put_value(table, &compared->a, compared->change != TKF_CHANGE_ONLY_B);
    put_value(table, &compared->b, compared->change != TKF_CHANGE_ONLY_A);
    fprintf(table->out, " %10s  %s%s%s\n", ratio, color_of(table, compared->change),
            tkf_change_name(compared->change), table->reset);
}

static bool listed(const struct table *table, const struct tkf_compared *compared)
{
    switch (table->rows) {
    case TKF_COMPARE_ALL:
        return true;
    case TKF_COMPARE_USUAL:
        if (either(compared)->group <= TKF_GROUP_NOISE)
            return true;
        break;
    case TKF_COMPARE_CHANGED:
        break;
    }
    return tkf_change_counts(compared->change);
}

/* "19 the same, 2 close, 3 only in B": those that have no row. */
static void put_rest(const struct table *table, const size_t *counts)
{
    static const char *const texts[TKF_CHANGES] = {
        [TKF_CHANGE_SAME] = "the same",     [TKF_CHANGE_CLOSE] = "close",
        [TKF_CHANGE_BETTER] = "better",     [TKF_CHANGE_WORSE] = "worse",
        [TKF_CHANGE_DIFFERS] = "different", [TKF_CHANGE_ONLY_A] = "only in A",
        [TKF_CHANGE_ONLY_B] = "only in B",
    };
    const char *joint = "";
    for (int change = 0; change < TKF_CHANGES; change++) {
        if (counts[change] == 0)
            continue;
        fprintf(table->out, "%s%zu %s", joint, counts[change], texts[change]);
        joint = ", ";
    }
}

/* One group, from `first` on. @return where the next begins. */
static size_t put_group(const struct table *table, size_t first)
{
    const struct tkf_comparison *comparison = table->comparison;
    enum tkf_group group = either(&comparison->quantities[first])->group;
    size_t rest[TKF_CHANGES] = {0}, nrest = 0, end = first;
    for (; end < comparison->nquantities; end++) {
        const struct tkf_compared *compared = &comparison->quantities[end];
        if (either(compared)->group != group)
            break;
        if (!listed(table, compared)) {
            rest[compared->change]++;
            nrest++;
        }
    }
    if (table->rows == TKF_COMPARE_CHANGED && nrest == end - first)
        return end;
    fprintf(table->out, "%s%s%s", table->bold, tkf_group_name(group), table->reset);
    if (nrest > 0) {
        fprintf(table->out, "%*s", WHAT_COLUMNS + INDENT - (int)strlen(tkf_group_name(group)), "");
        put_rest(table, rest);
    }
    fputc('\n', table->out);
    for (size_t i = first; i < end; i++) {
        if (listed(table, &comparison->quantities[i]))
            put_row(table, &comparison->quantities[i]);
    }
    return end;
}

static void put_profile(const struct table *table, const char *letter, const char *name,
                        const struct tkf_profile *profile)
{
    const char *cpu = profile->machine.cpu[0] ? profile->machine.cpu : "unknown CPU";
    fprintf(table->out, "%s%s%s  ", table->bold, letter, table->reset);
    tkf_put_cell(table->out, name, table->charset, 26);
    fputs("  ", table->out);
    tkf_put_shortened(table->out, profile->created, table->charset, 20, NULL);
    fputs("  ", table->out);
    tkf_put_shortened(table->out, cpu, table->charset, 27, NULL);
    fputc('\n', table->out);
}

static void put_machines(const struct table *table)
{
    const struct tkf_comparison *comparison = table->comparison;
    fprintf(table->out, "\n%smachine%s", table->bold, table->reset);
    if (comparison->nmachine == 0)
        fprintf(table->out, "%*sthe same as far as the profiles tell", WHAT_COLUMNS + INDENT - 7,
                "");
    fputc('\n', table->out);
    for (unsigned i = 0; i < comparison->nmachine; i++) {
        const struct tkf_machine_difference *difference = &comparison->machine[i];
        fprintf(table->out, "%*s%s%-*s", INDENT, "", table->yellow, WHAT_COLUMNS, difference->what);
        tkf_put_cell(table->out, difference->a, table->charset, TEXT_COLUMNS);
        fputs("  ", table->out);
        tkf_put_shortened(table->out, difference->b, table->charset, TEXT_COLUMNS, NULL);
        fprintf(table->out, "%s\n", table->reset);
    }
}

static void put_added(const struct table *table, const char *what, double ns)
{
    struct tkf_number_shown number = {"unknown"};
    if (isfinite(ns))
        number = tkf_time_shown(ns, 0, table->unicode);
    fprintf(table->out, "%*s%-*s%s%s\n", INDENT, "", NAME_COLUMNS, what, ns >= 0 ? "+" : "",
            number.text);
}

static void put_os(const struct table *table)
{
    const struct tkf_os_adds *os = &table->comparison->os;
    if (os->reason)
        fprintf(table->out, "\nWhat the operating system adds cannot be told:\n%*s%s\n%*s%s %s\n",
                INDENT, "", os->reason, INDENT, "", table->unicode ? "→" : "->", os->next);
    if (!os->known)
        return;
    fprintf(table->out,
            "\n%sthe operating system adds%s  to what firmware measures of this machine\n",
            table->bold, table->reset);
    put_added(table, "to a read of the counter", os->read_ns);
    put_added(table, "to the floor, best", os->floor_ns[0]);
    put_added(table, "to the floor, aligned", os->floor_ns[1]);
    put_added(table, "to the floor, worst", os->floor_ns[2]);
    put_added(table, "to the worst gap", os->worst_gap_ns);
    const struct tkf_profile *system =
        os->system_is_a ? table->comparison->a : table->comparison->b;
    const struct tkf_profile *bare = os->system_is_a ? table->comparison->b : table->comparison->a;
    double under_hz = system->cpus[0].floor.core_hz, without_hz = bare->cpus[0].floor.core_hz;
    if (fabs(under_hz / without_hz - 1) * 100 > table->comparison->tolerance_percent)
        fprintf(table->out,
                "%*sPart of it is the core's clock: %.3g GHz, and %.3g GHz in firmware.\n"
                "%*sCompare cycles.\n",
                INDENT, "", under_hz * 1e-9, without_hz * 1e-9, INDENT, "");
}

void tkf_write_compare(const struct tkf_comparison *comparison,
                       const struct tkf_compare_names *names, enum tkf_compare_rows rows,
                       const struct tkf_table_style *style, FILE *out)
{
    const struct table table = {
        .comparison = comparison,
        .out = out,
        .rows = rows,
        .charset = style->unicode ? TKF_CHARSET_TERMINAL : TKF_CHARSET_ASCII,
        .unicode = style->unicode,
        .bold = style->color ? "\033[1m" : "",
        .dim = style->color ? "\033[2m" : "",
        .red = style->color ? "\033[31m" : "",
        .yellow = style->color ? "\033[33m" : "",
        .green = style->color ? "\033[32m" : "",
        .reset = style->color ? "\033[0m" : "",
    };
    put_profile(&table, "A", names->a, comparison->a);
    put_profile(&table, "B", names->b, comparison->b);
    put_machines(&table);
    put_os(&table);
    char tolerance[40];
    snprintf(tolerance, sizeof(tolerance), "tolerance %g %%", comparison->tolerance_percent);
    fprintf(out, "\n%s%-*s %*s %*s %10s%s\n", table.dim, INDENT + NAME_COLUMNS, tolerance,
            VALUE_COLUMNS, "A", VALUE_COLUMNS, "B", "B/A", table.reset);
    for (size_t i = 0; i < comparison->nquantities;)
        i = put_group(&table, i);
    fputc('\n', out);
    put_rest(&table, comparison->counts);
    fputc('\n', out);
}

/* ---- JSON ---- */

static json_t *put_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *put_band(const struct tkf_quantity *quantity, bool there)
{
    const struct tkf_band *band = &quantity->value;
    if (!there)
        return json_null();
    return json_pack("{s:f, s:f, s:f}", "lo", band->lo, "mid", band->mid, "hi", band->hi);
}

/* An empty text is one that is unknown. */
static json_t *put_text(const char *text)
{
    return text[0] ? tkf_json_string(text) : json_null();
}

static json_t *side_of(const char *name, const struct tkf_profile *profile)
{
    const struct tkf_machine *machine = &profile->machine;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "file", tkf_json_string(name), "created",
                     tkf_json_string(profile->created), "tool", tkf_json_string(profile->tool),
                     "arch", tkf_json_string(machine->arch), "os", tkf_json_string(machine->os),
                     "cpu", put_text(machine->cpu));
}

static json_t *cpu_of(const struct tkf_profile *profile, const struct tkf_quantity *quantity,
                      bool there)
{
    if (!there || quantity->cpu < 0)
        return json_null();
    return json_integer(profile->cpus[quantity->cpu].floor.cpu);
}

static json_t *quantity_of(const struct tkf_comparison *comparison,
                           const struct tkf_compared *compared)
{
    static const char *const better[] = {"neither", "lower", "higher"};
    const struct tkf_quantity *quantity = either(compared);
    bool in_a = compared->change != TKF_CHANGE_ONLY_B, in_b = compared->change != TKF_CHANGE_ONLY_A;
    const struct tkf_profile *profile = profile_of(comparison, compared);
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:b, s:s}", "group",
        tkf_group_name(quantity->group), "name", tkf_json_string(quantity->name), "kind",
        quantity->cpu >= 0 ? put_text(profile->cpus[quantity->cpu].kind) : json_null(), "cpu_a",
        cpu_of(comparison->a, &compared->a, in_a), "cpu_b",
        cpu_of(comparison->b, &compared->b, in_b), "unit", tkf_json_string(quantity->unit),
        "better", better[quantity->better], "a", put_band(&compared->a, in_a), "b",
        put_band(&compared->b, in_b), "ratio", put_real(compared->ratio), "overlap",
        compared->overlap, "change", tkf_change_name(compared->change));
}

static json_t *machine_of(const struct tkf_comparison *comparison)
{
    json_t *list = json_array();
    for (unsigned i = 0; list && i < comparison->nmachine; i++) {
        const struct tkf_machine_difference *difference = &comparison->machine[i];
        json_t *entry =
            json_pack("{s:s, s:o, s:o}", "what", difference->what, "a",
                      tkf_json_string(difference->a), "b", tkf_json_string(difference->b));
        if (json_array_append_new(list, entry) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *os_of(const struct tkf_os_adds *os)
{
    if (!os->known)
        return json_null();
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "system", os->system_is_a ? "a" : "b",
                     "read_ns", put_real(os->read_ns), "floor_best_ns", put_real(os->floor_ns[0]),
                     "floor_aligned_ns", put_real(os->floor_ns[1]), "floor_worst_ns",
                     put_real(os->floor_ns[2]), "worst_gap_ns", put_real(os->worst_gap_ns));
}

static json_t *summary_of(const struct tkf_comparison *comparison)
{
    json_t *summary = json_object();
    for (int change = 0; summary && change < TKF_CHANGES; change++) {
        if (json_object_set_new(summary, tkf_change_name(change),
                                json_integer((json_int_t)comparison->counts[change])) != 0) {
            json_decref(summary);
            return NULL;
        }
    }
    return summary;
}

int tkf_write_compare_json(const struct tkf_comparison *comparison,
                           const struct tkf_compare_names *names, FILE *out)
{
    fputs("{\n  \"schema\": \"tickfloor.compare/1\",\n  \"tool\": \"tickfloor " TKF_VERSION
          "\",\n  \"tolerance_percent\": ",
          out);
    if (!tkf_json_dump(out, json_real(comparison->tolerance_percent)))
        return TKF_ENOMEM;
    fputs(",\n  \"a\": ", out);
    if (!tkf_json_dump(out, side_of(names->a, comparison->a)))
        return TKF_ENOMEM;
    fputs(",\n  \"b\": ", out);
    if (!tkf_json_dump(out, side_of(names->b, comparison->b)))
        return TKF_ENOMEM;
    fputs(",\n  \"machine\": ", out);
    if (!tkf_json_dump(out, machine_of(comparison)))
        return TKF_ENOMEM;
    fputs(",\n  \"quantities\": [", out);
    for (size_t i = 0; i < comparison->nquantities; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        if (!tkf_json_dump(out, quantity_of(comparison, &comparison->quantities[i])))
            return TKF_ENOMEM;
    }
    fputs("\n  ],\n  \"os_adds\": ", out);
    if (!tkf_json_dump(out, os_of(&comparison->os)))
        return TKF_ENOMEM;
    fputs(",\n  \"os_adds_reason\": ", out);
    if (!tkf_json_dump(out,
                       comparison->os.reason ? json_string(comparison->os.reason) : json_null()))
        return TKF_ENOMEM;
    fputs(",\n  \"summary\": ", out);
    if (!tkf_json_dump(out, summary_of(comparison)))
        return TKF_ENOMEM;
    fputs("\n}\n", out);
    return 0;
}
