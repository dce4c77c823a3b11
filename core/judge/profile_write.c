/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/profile.h>

#include "profile_json.h"

/* Only rates are known better than to a part in a million; the dump must not cut them. */
enum { USUAL_DIGITS = 7, DUMP_DIGITS = 11 };

/* How many bytes the UTF-8 sequence at `text` has; 0 when it is none (RFC 3629, section 4). */
static size_t utf8_length(const unsigned char *text)
{
    if (text[0] < 0x80)
        return 1;
    size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
        (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
        return 0;
    return length;
}

/* A string that came from the machine, or was cut at its size, need not be UTF-8; JSON must be. */
static json_t *put_string(const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return NULL;
    for (char *at = copy; *at != '\0';) {
        size_t length = utf8_length((const unsigned char *)at);
        if (length == 0)
            *at = '?';
        at += length == 0 ? 1 : length;
    }
    json_t *string = json_string(copy);
    free(copy);
    return string;
}

static json_t *put_real(double value, int digits)
{
    if (!isfinite(value))
        return json_null();
    char text[40];
    snprintf(text, sizeof(text), "%.*g", digits ? digits : USUAL_DIGITS, value);
    return json_real(strtod(text, NULL));
}

static json_t *put_band(const struct tkf_band *band)
{
    if (!isfinite(band->mid))
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "lo", put_real(band->lo, 0), "mid", put_real(band->mid, 0),
                     "hi", put_real(band->hi, 0));
}

static json_t *put_list(const struct tkf_field *members, const char *entries, size_t size,
                        unsigned count)
{
    json_t *list = json_array();
    for (unsigned i = 0; list && i < count; i++) {
        if (json_array_append_new(list, tkf_fields_put(members, entries + i * size)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *put_counts(const unsigned *counts, unsigned count)
{
    json_t *list = json_array();
    for (unsigned i = 0; list && i < count; i++) {
        if (json_array_append_new(list, json_integer(counts[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* The names of those that are set. */
static json_t *put_flags(const struct tkf_field *field, const bool *flags)
{
    json_t *list = json_array();
    for (unsigned i = 0; list && i < field->max; i++) {
        if (flags[i] && json_array_append_new(list, json_string(field->names[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *put_states(const struct tkf_loop *loop)
{
    const struct tkf_state *states[] = {&loop->fast, &loop->slow};
    struct tkf_named_state seen[2];
    unsigned count = 0;
    for (unsigned i = 0; i < 2; i++) {
        if (states[i]->share > 0)
            seen[count++] = (struct tkf_named_state){.state = *states[i], .which = i};
    }
    return put_list(tkf_state_fields, (const char *)seen, sizeof(seen[0]), count);
}

static json_t *put_hypervisor(const struct tkf_machine *machine)
{
    if (!machine->hypervisor_known)
        return json_null();
    return put_string(machine->hypervisor[0] != '\0' ? machine->hypervisor : "none");
}

static json_t *put_value(const struct tkf_field *field, const char *base)
{
    const char *at = base + field->offset;
    const struct tkf_profile *profile;
    const char *string;
    unsigned number;

    switch (field->kind) {
    case TKF_FIELD_TEXT:
        return field->nullable && *at == '\0' ? json_null() : put_string(at);
    case TKF_FIELD_STRING:
    case TKF_FIELD_NAME:
        string = *(const char *const *)at;
        return string ? put_string(string) : json_null();
    case TKF_FIELD_ENUM:
        return json_string(field->names[*(const unsigned *)at]);
    case TKF_FIELD_BOOL:
        return json_boolean(*(const bool *)at);
    case TKF_FIELD_UNSIGNED:
        number = *(const unsigned *)at;
        return field->nullable && number == 0 ? json_null() : json_integer(number);
    case TKF_FIELD_UINT64:
        return json_integer((json_int_t) * (const uint64_t *)at);
    case TKF_FIELD_REAL:
        return put_real(*(const double *)at, field->digits);
    case TKF_FIELD_BAND:
        return put_band((const struct tkf_band *)at);
    case TKF_FIELD_OBJECT:
        return tkf_fields_put(field->members, at);
    case TKF_FIELD_OWNED:
        return tkf_fields_put(field->members, *(const char *const *)at);
    case TKF_FIELD_LIST:
        return put_list(field->members, at, field->size,
                        *(const unsigned *)(base + field->count_offset));
    case TKF_FIELD_CPUS:
        profile = (const struct tkf_profile *)base;
        return put_list(field->members, (const char *)profile->cpus, sizeof(profile->cpus[0]),
                        profile->ncpus);
    case TKF_FIELD_CPUS_FIRST:
        return tkf_fields_put(field->members,
                              (const char *)((const struct tkf_profile *)base)->cpus);
    case TKF_FIELD_COUNTS:
        return put_counts((const unsigned *)at, field->max);
    case TKF_FIELD_FLAGS:
        return put_flags(field, (const bool *)at);
    case TKF_FIELD_STATES:
        return put_states((const struct tkf_loop *)base);
    case TKF_FIELD_HYPERVISOR:
        return put_hypervisor((const struct tkf_machine *)base);
    case TKF_FIELD_USABLE:
        return json_boolean(((const struct tkf_rejected *)base)->error == 0);
    }
    return NULL;
}

json_t *tkf_fields_put(const struct tkf_field *fields, const char *base)
{
    json_t *object = json_object();
    for (const struct tkf_field *field = fields; object && field->name; field++) {
        if (tkf_field_left_out(field, base))
            continue;
        if (json_object_set_new(object, field->name, put_value(field, base)) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

int tkf_profile_write(const struct tkf_profile *profile, FILE *out)
{
    int ret = TKF_ENOMEM;
    json_t *root = json_pack("{s:s}", "schema", TKF_PROFILE_SCHEMA);
    json_t *members = tkf_fields_put(tkf_profile_fields, (const char *)profile);

    if (!root || !members || json_object_update(root, members) != 0)
        goto done;
    ret = json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(DUMP_DIGITS)) == 0 &&
                  fputc('\n', out) != EOF && fflush(out) == 0
              ? 0
              : TKF_EIO;
done:
    json_decref(members);
    json_decref(root);
    return ret;
}
