/* SPDX-License-Identifier: MIT */
/** A profile's JSON from the same table of members that the command reads and writes it by. */
#include "firmware.h"
#include "profile_fields.h"

#define USUAL_DIGITS 7 /* as the command writes */

struct json {
    struct tkf_uefi_text *text;
    unsigned depth;
};

static void break_line(struct json *json)
{
    tkf_uefi_text_add(json->text, "\n");
    for (unsigned i = 0; i < json->depth; i++)
        tkf_uefi_text_add(json->text, "  ");
}

static void open(struct json *json, const char *bracket)
{
    tkf_uefi_text_add(json->text, "%s", bracket);
    json->depth++;
}

static void close(struct json *json, const char *bracket, bool empty)
{
    json->depth--;
    if (!empty)
        break_line(json);
    tkf_uefi_text_add(json->text, "%s", bracket);
}

/** Before each member or entry. */
static void next(struct json *json, bool first)
{
    if (!first)
        tkf_uefi_text_add(json->text, ",");
    break_line(json);
}

static void put_name(struct json *json, bool first, const char *name)
{
    next(json, first);
    tkf_uefi_text_add(json->text, "\"%s\": ", name);
}

/* Strings that come from the machine are ASCII or not worth keeping. */
static void put_string(struct json *json, const char *string)
{
    tkf_uefi_text_add(json->text, "\"");
    for (; *string != '\0'; string++) {
        char c[2] = {*string, '\0'};
        if (*string == '"' || *string == '\\')
            tkf_uefi_text_add(json->text, "\\");
        tkf_uefi_text_add(json->text, "%s", *string >= ' ' && *string <= '~' ? c : "?");
    }
    tkf_uefi_text_add(json->text, "\"");
}

static void put_text_or_null(struct json *json, const char *string, bool null)
{
    if (null)
        tkf_uefi_text_add(json->text, "null");
    else
        put_string(json, string);
}

static void put_real(struct json *json, double value, int digits)
{
    bool finite = value - value == 0;
    if (finite)
        tkf_uefi_text_add(json->text, "%.*g", digits != 0 ? digits : USUAL_DIGITS, value);
    else
        tkf_uefi_text_add(json->text, "null");
}

static void put_band(struct json *json, const struct tkf_band *band)
{
    const double values[] = {band->lo, band->mid, band->hi};
    static const char *const names[] = {"lo", "mid", "hi"};
    if (!(band->mid - band->mid == 0)) {
        tkf_uefi_text_add(json->text, "null");
        return;
    }
    open(json, "{");
    for (unsigned i = 0; i < 3; i++) {
        put_name(json, i == 0, names[i]);
        put_real(json, values[i], 0);
    }
    close(json, "}", false);
}

static void put_object(struct json *json, const struct tkf_field *fields, const char *base);
static void put_members(struct json *json, bool first, const struct tkf_field *fields,
                        const char *base);

static void put_list(struct json *json, const struct tkf_field *members, const char *entries,
                     size_t size, unsigned count)
{
    open(json, "[");
    for (unsigned i = 0; i < count; i++) {
        next(json, i == 0);
        put_object(json, members, entries + i * size);
    }
    close(json, "]", count == 0);
}

static void put_counts(struct json *json, const unsigned *counts, unsigned count)
{
    open(json, "[");
    for (unsigned i = 0; i < count; i++) {
        next(json, i == 0);
        tkf_uefi_text_add(json->text, "%u", counts[i]);
    }
    close(json, "]", count == 0);
}

static void put_flags(struct json *json, const struct tkf_field *field, const bool *flags)
{
    bool empty = true;
    open(json, "[");
    for (unsigned i = 0; i < field->max; i++) {
        if (!flags[i])
            continue;
        next(json, empty);
        empty = false;
        put_string(json, field->names[i]);
    }
    close(json, "]", empty);
}

static void put_states(struct json *json, const struct tkf_loop *loop)
{
    const struct tkf_state *states[] = {&loop->fast, &loop->slow};
    struct tkf_named_state seen[2];
    unsigned count = 0;
    for (unsigned i = 0; i < 2; i++) {
        if (states[i]->share > 0)
            seen[count++] = (struct tkf_named_state){.state = *states[i], .which = i};
    }
    put_list(json, tkf_state_fields, (const char *)seen, sizeof seen[0], count);
}

static void put_value(struct json *json, const struct tkf_field *field, const char *base)
{
    const char *at = base + field->offset;
    const struct tkf_profile *profile;
    const struct tkf_machine *machine;
    const char *string;
    unsigned number;

    switch (field->kind) {
    case TKF_FIELD_TEXT:
        put_text_or_null(json, at, field->nullable && *at == '\0');
        return;
    case TKF_FIELD_STRING:
    case TKF_FIELD_NAME:
        string = *(const char *const *)at;
        put_text_or_null(json, string, string == NULL);
        return;
    case TKF_FIELD_ENUM:
        put_string(json, field->names[*(const unsigned *)at]);
        return;
    case TKF_FIELD_BOOL:
        tkf_uefi_text_add(json->text, "%s", *(const bool *)at ? "true" : "false");
        return;
    case TKF_FIELD_UNSIGNED:
        number = *(const unsigned *)at;
        if (field->nullable && number == 0)
            tkf_uefi_text_add(json->text, "null");
        else
            tkf_uefi_text_add(json->text, "%u", number);
        return;
    case TKF_FIELD_UINT64:
        tkf_uefi_text_add(json->text, "%llu", (unsigned long long)*(const uint64_t *)at);
        return;
    case TKF_FIELD_REAL:
        put_real(json, *(const double *)at, field->digits);
        return;
    case TKF_FIELD_BAND:
        put_band(json, (const struct tkf_band *)at);
        return;
    case TKF_FIELD_OBJECT:
        put_object(json, field->members, at);
        return;
    case TKF_FIELD_OWNED:
        put_object(json, field->members, *(const char *const *)at);
        return;
    case TKF_FIELD_LIST:
        put_list(json, field->members, at, field->size,
                 *(const unsigned *)(base + field->count_offset));
        return;
    case TKF_FIELD_CPUS:
        profile = (const struct tkf_profile *)base;
        put_list(json, field->members, (const char *)profile->cpus, sizeof profile->cpus[0],
                 profile->ncpus);
        return;
    case TKF_FIELD_CPUS_FIRST:
        put_object(json, field->members, (const char *)((const struct tkf_profile *)base)->cpus);
        return;
    case TKF_FIELD_COUNTS:
        put_counts(json, (const unsigned *)at, field->max);
        return;
    case TKF_FIELD_FLAGS:
        put_flags(json, field, (const bool *)at);
        return;
    case TKF_FIELD_STATES:
        put_states(json, (const struct tkf_loop *)base);
        return;
    case TKF_FIELD_HYPERVISOR:
        machine = (const struct tkf_machine *)base;
        put_text_or_null(json, machine->hypervisor[0] != '\0' ? machine->hypervisor : "none",
                         !machine->hypervisor_known);
        return;
    case TKF_FIELD_USABLE:
        tkf_uefi_text_add(json->text, "%s",
                          ((const struct tkf_rejected *)base)->error == 0 ? "true" : "false");
        return;
    }
}

static void put_members(struct json *json, bool first, const struct tkf_field *fields,
                        const char *base)
{
    for (const struct tkf_field *field = fields; field->name != NULL; field++) {
        if (tkf_field_left_out(field, base))
            continue;
        put_name(json, first && field == fields, field->name);
        put_value(json, field, base);
    }
}

static void put_object(struct json *json, const struct tkf_field *fields, const char *base)
{
    open(json, "{");
    put_members(json, true, fields, base);
    close(json, "}", false);
}

void tkf_uefi_json_profile(const struct tkf_profile *profile, struct tkf_uefi_text *text)
{
    struct json json = {.text = text};
    open(&json, "{");
    put_name(&json, true, "schema");
    put_string(&json, TKF_PROFILE_SCHEMA);
    put_members(&json, false, tkf_profile_fields, (const char *)profile);
    close(&json, "}", false);
    tkf_uefi_text_add(text, "\n");
}
