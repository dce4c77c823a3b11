/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/profile.h>

#include "json_scan.h"
#include "profile_fields.h"
#include "refuse.h"

/* A profile is some ten kilobytes; what is larger than this is something else. */
#define BYTES_MAX ((size_t)16 << 20)

/* The longest path is cpus[].loops[].states[].cycles.mid. */
#define DEPTH_MAX 12

static const char calibrate_again[] = "run tickfloor calibrate to make a new one";

/* One step from a JSON value to one inside it. */
struct step {
    const char *key; /* NULL: by index */
    size_t index;
};

struct reader {
    const char *text; /* the whole input, and its end: to find the line of a member */
    const char *end;
    struct step path[DEPTH_MAX]; /* to the value that is looked at */
    unsigned depth;
    struct tkf_input_error *error;
};

/* ---- where a member is: jansson keeps no lines; the text, known to be JSON, is walked ---- */

static const char *skip_value(const char *at, const char *end)
{
    unsigned depth = 0;
    do {
        at = tkf_json_skip_space(at, end);
        if (at == end)
            break;
        if (*at == '"') {
            at = tkf_json_skip_string(at, end);
        } else if (strchr("{[", *at)) {
            depth++;
            at++;
        } else if (strchr("}]", *at)) {
            depth--;
            at++;
        } else if (strchr(",:", *at)) {
            at++;
        } else {
            while (at < end && !strchr(" \t\r\n,:]}", *at))
                at++;
        }
    } while (depth > 0);
    return at;
}

/* The value that a step leads to, NULL if none. ret_named: where its key begins, or it itself. */
static const char *find_step(const char *at, const char *end, const struct step *step,
                             const char **ret_named)
{
    if (at == end || *at != (step->key ? '{' : '['))
        return NULL;
    at = tkf_json_skip_space(at + 1, end);
    for (size_t i = 0; at < end && *at != '}' && *at != ']'; i++) {
        const char *named = at;
        bool found = !step->key && i == step->index;
        if (step->key) {
            at = tkf_json_skip_string(at, end);
            size_t length = (size_t)(at - named) - 2;
            found = length == strlen(step->key) && memcmp(named + 1, step->key, length) == 0;
            at = tkf_json_skip_space(at, end);
            if (at < end)
                at = tkf_json_skip_space(at + 1, end); /* the colon */
        }
        if (found) {
            *ret_named = named;
            return at;
        }
        at = tkf_json_skip_space(skip_value(at, end), end);
        if (at < end && *at == ',')
            at = tkf_json_skip_space(at + 1, end);
    }
    return NULL;
}

/* The line of the member that the path leads to, or of the nearest one around it that is there. */
static unsigned find_line(const struct reader *reader)
{
    const char *at = tkf_json_skip_space(reader->text, reader->end);
    const char *named = at;
    for (unsigned i = 0; i < reader->depth && at; i++)
        at = find_step(at, reader->end, &reader->path[i], &named);

    unsigned line = 1;
    for (const char *byte = reader->text; byte < named; byte++)
        line += *byte == '\n';
    return line;
}

/* ---- what is wrong ---- */

/* What the path leads to is wrong: "cpus[0].cycle_ns is a string, not a number". */
static int fail(const struct reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static int fail(const struct reader *reader, const char *format, ...)
{
    char path[100] = "";
    size_t used = 0;
    for (unsigned i = 0; i < reader->depth && used < sizeof(path); i++) {
        const struct step *step = &reader->path[i];
        int length =
            step->key ? snprintf(path + used, sizeof(path) - used, "%s%s", i ? "." : "", step->key)
                      : snprintf(path + used, sizeof(path) - used, "[%zu]", step->index);
        used += (size_t)length;
    }
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return tkf_refuse(reader->error, find_line(reader), calibrate_again, "%s %s", path, text);
}

static const char *type_name(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "true or false";
    case JSON_NULL:
        break;
    }
    return "null";
}

static int fail_type(const struct reader *reader, const json_t *value, const char *wanted)
{
    return fail(reader, "is %s, not %s", type_name(value), wanted);
}

static void enter_key(struct reader *reader, const char *key)
{
    reader->path[reader->depth++] = (struct step){.key = key};
}

static void enter_index(struct reader *reader, size_t index)
{
    reader->path[reader->depth++] = (struct step){.index = index};
}

static void leave(struct reader *reader)
{
    reader->depth--;
}

/* ---- values; each is 0 or TKF_EFORMAT with the error filled ---- */

static int get_object(struct reader *reader, json_t *object, const struct tkf_field *fields,
                      char *base);

static int get_text(const struct reader *reader, const json_t *value, char *at, size_t size)
{
    if (!json_is_string(value))
        return fail_type(reader, value, "a string");
    if (json_string_length(value) >= size)
        return fail(reader, "is longer than %zu bytes", size - 1);
    memcpy(at, json_string_value(value), json_string_length(value) + 1);
    return 0;
}

/* Which of the names the value is. */
static int get_name(const struct reader *reader, const json_t *value, const char *const *names,
                    unsigned *ret_index)
{
    if (!json_is_string(value))
        return fail_type(reader, value, "a string");
    for (unsigned i = 0; names[i]; i++) {
        if (strcmp(json_string_value(value), names[i]) == 0) {
            *ret_index = i;
            return 0;
        }
    }
    char known[80] = "";
    size_t used = 0;
    for (unsigned i = 0; names[i] && used < sizeof(known); i++)
        used +=
            (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", names[i]);
    return fail(reader, "is \"%.40s\", not one of %s", json_string_value(value), known);
}

static int get_integer(const struct reader *reader, const json_t *value, json_int_t least,
                       json_int_t most, json_int_t *ret_number)
{
    if (!json_is_integer(value))
        return json_is_real(value) ? fail(reader, "is not a whole number")
                                   : fail_type(reader, value, "a whole number");
    json_int_t number = json_integer_value(value);
    if (number < least || number > most)
        return fail(reader, "is %" JSON_INTEGER_FORMAT ", which is out of range", number);
    *ret_number = number;
    return 0;
}

static int get_unsigned(const struct reader *reader, const json_t *value, bool nullable,
                        unsigned *ret_number)
{
    json_int_t number = 0;
    if (!(nullable && json_is_null(value))) {
        int ret = get_integer(reader, value, nullable ? 1 : 0, UINT_MAX, &number);
        if (ret < 0)
            return ret;
    }
    *ret_number = (unsigned)number;
    return 0;
}

static int get_real(const struct reader *reader, const json_t *value, enum tkf_field_range range,
                    double *ret_number)
{
    if (json_is_null(value)) {
        *ret_number = NAN;
        return 0;
    }
    if (!json_is_number(value))
        return fail_type(reader, value, "a number");
    double number = json_number_value(value);
    switch (range) {
    case TKF_RANGE_NONNEGATIVE:
        if (number < 0)
            return fail(reader, "is %g, below 0", number);
        break;
    case TKF_RANGE_POSITIVE:
        if (number <= 0)
            return fail(reader, "is %g, not above 0; what is unknown is null", number);
        break;
    case TKF_RANGE_SHARE:
        if (number < 0 || number > 1)
            return fail(reader, "is %g, not within 0 and 1", number);
        break;
    case TKF_RANGE_ANY:
        break;
    }
    *ret_number = number;
    return 0;
}

static int get_band(struct reader *reader, json_t *value, struct tkf_band *ret_band)
{
    static const struct tkf_field members[] = {
        {.name = "lo", .kind = TKF_FIELD_REAL, .offset = offsetof(struct tkf_band, lo)},
        {.name = "mid", .kind = TKF_FIELD_REAL, .offset = offsetof(struct tkf_band, mid)},
        {.name = "hi", .kind = TKF_FIELD_REAL, .offset = offsetof(struct tkf_band, hi)},
        {.name = NULL},
    };
    struct tkf_band band = {NAN, NAN, NAN};
    if (!json_is_null(value)) {
        int ret = get_object(reader, value, members, (char *)&band);
        if (ret < 0)
            return ret;
        if (isnan(band.mid)) {
            enter_key(reader, "mid");
            return fail(reader, "is null; a band that is unknown is null as a whole");
        }
        if (band.lo > band.mid || band.mid > band.hi || band.lo > band.hi)
            return fail(reader, "is not in order: lo %g, mid %g, hi %g", band.lo, band.mid,
                        band.hi);
    }
    *ret_band = band;
    return 0;
}

/* Its length, when the value is a list of at most `max` entries. */
static int get_length(const struct reader *reader, const json_t *value, unsigned max,
                      unsigned *ret_length)
{
    if (!json_is_array(value))
        return fail_type(reader, value, "a list");
    if (json_array_size(value) > max)
        return fail(reader, "has %zu entries, more than the %u there can be",
                    json_array_size(value), max);
    *ret_length = (unsigned)json_array_size(value);
    return 0;
}

static int get_entries(struct reader *reader, json_t *list, const struct tkf_field *members,
                       char *entries, size_t size)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        enter_index(reader, i);
        int ret = get_object(reader, json_array_get(list, i), members, entries + i * size);
        leave(reader);
        if (ret < 0)
            return ret;
    }
    return 0;
}

static int get_list(struct reader *reader, json_t *value, const struct tkf_field *field, char *base)
{
    unsigned count;
    int ret = get_length(reader, value, field->max, &count);
    if (ret == 0)
        ret = get_entries(reader, value, field->members, base + field->offset, field->size);
    if (ret == 0)
        *(unsigned *)(base + field->count_offset) = count;
    return ret;
}

/* Whether the PMU counted is not a member of its own: the chains and loops tell. */
static bool has_events(const struct tkf_cpu_floor *floor)
{
    bool seen = false;
    for (unsigned i = 0; i < floor->nchains; i++)
        seen = seen || !isnan(floor->chains[i].event_cycles);
    for (unsigned i = 0; i < floor->nloops; i++)
        seen = seen || !isnan(floor->loops[i].event_cycles);
    return seen;
}

static const char not_kept[] = "the version that measured this did not keep it";

static int get_cpus(struct reader *reader, json_t *value, const struct tkf_field *members,
                    struct tkf_profile *profile)
{
    unsigned count;
    int ret = get_length(reader, value, TKF_PROFILE_CPUS_MAX, &count);
    if (ret < 0)
        return ret;
    if (count == 0)
        return fail(reader, "is empty: no CPU was measured");
    profile->cpus = calloc(count, sizeof(profile->cpus[0]));
    if (!profile->cpus)
        return tkf_refuse_memory(reader->error);
    profile->ncpus = count;
    ret = get_entries(reader, value, members, (char *)profile->cpus, sizeof(profile->cpus[0]));
    for (unsigned i = 0; ret == 0 && i < count; i++) {
        struct tkf_cpu_floor *floor = &profile->cpus[i].floor;
        struct tkf_cycle_check *check = &profile->cpus[i].cycle_check;
        if (check->by[0] == '\0')
            check->cycles = NAN;
        if (check->by[0] == '\0' && check->reason[0] == '\0')
            snprintf(check->reason, sizeof(check->reason), "%s", not_kept);
        floor->own_cycles = check->cycles;
        floor->core_clock_error = check->by[0] != '\0' ? 0 : TKF_EUNSUPPORTED;
        floor->events_error = has_events(floor) ? 0 : TKF_EUNSUPPORTED;
    }
    return ret;
}

static int get_counts(struct reader *reader, json_t *value, unsigned *counts)
{
    unsigned length;
    int ret = get_length(reader, value, TKF_HISTOGRAM_BINS, &length);
    for (unsigned i = 0; ret == 0 && i < length; i++) {
        enter_index(reader, i);
        ret = get_unsigned(reader, json_array_get(value, i), false, &counts[i]);
        leave(reader);
    }
    return ret;
}

static int get_states(struct reader *reader, json_t *value, struct tkf_loop *loop)
{
    static const char *const names[] = {"fast", "slow", NULL};
    struct tkf_state states[] = {{.cycles = {NAN, NAN, NAN}}, {.cycles = {NAN, NAN, NAN}}};
    unsigned length;
    int ret = get_length(reader, value, 2, &length);
    for (unsigned i = 0; ret == 0 && i < length; i++) {
        json_t *entry = json_array_get(value, i);
        json_t *name = json_object_get(entry, "name");
        unsigned which = 0;
        enter_index(reader, i);
        if (!json_is_object(entry)) {
            ret = fail_type(reader, entry, "an object");
        } else {
            enter_key(reader, "name");
            ret = name ? get_name(reader, name, names, &which) : fail(reader, "is missing");
            leave(reader);
        }
        if (ret == 0)
            ret = get_object(reader, entry, tkf_state_fields, (char *)&states[which]);
        leave(reader);
    }
    if (ret == 0) {
        loop->fast = states[0];
        loop->slow = states[1];
    }
    return ret;
}

static int get_hypervisor(const struct reader *reader, const json_t *value,
                          struct tkf_machine *machine)
{
    machine->hypervisor_known = !json_is_null(value);
    if (json_is_null(value))
        return 0;
    int ret = get_text(reader, value, machine->hypervisor, sizeof(machine->hypervisor));
    if (ret == 0 && machine->hypervisor[0] == '\0')
        return fail(reader, "is empty; write \"none\" when there is none, null when unknown");
    if (ret == 0 && strcmp(machine->hypervisor, "none") == 0)
        machine->hypervisor[0] = '\0';
    return ret;
}

static int get_value(struct reader *reader, json_t *value, const struct tkf_field *field,
                     char *base)
{
    char *at = base + field->offset;
    unsigned which;
    json_int_t number;
    int ret;

    switch (field->kind) {
    case TKF_FIELD_TEXT:
        if (field->nullable && json_is_null(value))
            return 0;
        return get_text(reader, value, at, field->size);
    case TKF_FIELD_STRING:
        if (field->nullable && json_is_null(value))
            return 0;
        if (!json_is_string(value))
            return fail_type(reader, value, "a string");
        *(const char **)at = json_string_value(value);
        return 0;
    case TKF_FIELD_NAME:
        ret = get_name(reader, value, field->names, &which);
        if (ret == 0)
            *(const char **)at = field->names[which];
        return ret;
    case TKF_FIELD_ENUM:
        return get_name(reader, value, field->names, (unsigned *)at);
    case TKF_FIELD_BOOL:
        if (!json_is_boolean(value))
            return fail_type(reader, value, "true or false");
        *(bool *)at = json_is_true(value);
        return 0;
    case TKF_FIELD_UNSIGNED:
        return get_unsigned(reader, value, field->nullable, (unsigned *)at);
    case TKF_FIELD_UINT64:
        ret = get_integer(reader, value, 1, LLONG_MAX, &number);
        if (ret == 0)
            *(uint64_t *)at = (uint64_t)number;
        return ret;
    case TKF_FIELD_REAL:
        return get_real(reader, value, field->range, (double *)at);
    case TKF_FIELD_BAND:
        return get_band(reader, value, (struct tkf_band *)at);
    case TKF_FIELD_OBJECT:
        return value ? get_object(reader, value, field->members, at) : 0; /* optional: zeros */
    case TKF_FIELD_LIST:
        return value ? get_list(reader, value, field, base) : 0; /* optional: none */
    case TKF_FIELD_CPUS:
        return get_cpus(reader, value, field->members, (struct tkf_profile *)base);
    case TKF_FIELD_COUNTS:
        return get_counts(reader, value, (unsigned *)at);
    case TKF_FIELD_STATES:
        return get_states(reader, value, (struct tkf_loop *)base);
    case TKF_FIELD_HYPERVISOR:
        return get_hypervisor(reader, value, (struct tkf_machine *)base);
    case TKF_FIELD_USABLE:
        if (value && !json_is_boolean(value))
            return fail_type(reader, value, "true or false");
        ((struct tkf_rejected *)base)->error = json_is_true(value) ? 0 : TKF_EUNSUPPORTED;
        return 0;
    }
    return 0;
}

/* Members that no table names are a later version's: they are passed over. */
static int get_object(struct reader *reader, json_t *object, const struct tkf_field *fields,
                      char *base)
{
    if (!json_is_object(object))
        return fail_type(reader, object, "an object");
    for (const struct tkf_field *field = fields; field->name; field++) {
        json_t *value = json_object_get(object, field->name);
        enter_key(reader, field->name);
        int ret = value || field->optional ? get_value(reader, value, field, base)
                                           : fail(reader, "is missing");
        leave(reader);
        if (ret < 0)
            return ret;
    }
    return 0;
}

static int get_profile(struct reader *reader, json_t *root, struct tkf_profile *profile)
{
    struct tkf_cpu_floor noise;
    const json_t *schema = json_object_get(root, "schema");

    if (!json_is_object(root))
        return tkf_refuse(reader->error, find_line(reader), calibrate_again,
                          "not a profile: the JSON is %s, not an object", type_name(root));
    enter_key(reader, "schema");
    if (!json_is_string(schema))
        return tkf_refuse(reader->error, find_line(reader), calibrate_again,
                          "not a profile: no \"schema\": \"" TKF_PROFILE_SCHEMA "\"");
    if (strcmp(json_string_value(schema), TKF_PROFILE_SCHEMA) != 0)
        return tkf_refuse(reader->error, find_line(reader),
                          "run tickfloor calibrate, or the tickfloor that wrote it",
                          "schema is \"%.60s\"; this version reads \"" TKF_PROFILE_SCHEMA "\"",
                          json_string_value(schema));
    leave(reader);

    int ret = get_object(reader, root, tkf_profile_fields, (char *)profile);
    if (ret < 0)
        return ret;
    for (unsigned i = 0; i < profile->ncpus; i++) {
        struct tkf_pmu_status *pmu = &profile->cpus[i].pmu;
        if (pmu->available || pmu->reason[0] != '\0')
            continue;
        if (i == 0)
            *pmu = profile->pmu;
        else
            snprintf(pmu->reason, sizeof(pmu->reason), "%s", not_kept);
    }
    /* A copy of the first CPU's, checked and left. */
    enter_key(reader, "noise");
    const struct tkf_field *members = tkf_noise_fields;
    json_t *value = json_object_get(root, "noise");
    ret = value ? get_object(reader, value, members, (char *)&noise) : fail(reader, "is missing");
    leave(reader);
    return ret;
}

/* ---- the whole ---- */

/* Everything there is to read, up to one byte more than is allowed. */
static int slurp(FILE *in, char **ret_text, size_t *ret_length)
{
    size_t size = 32 << 10, length = 0;
    char *text = NULL;
    do {
        char *more = realloc(text, size *= 2);
        if (!more) {
            free(text);
            return TKF_ENOMEM;
        }
        text = more;
        length += fread(text + length, 1, size - length, in);
    } while (length == size && length <= BYTES_MAX);
    if (ferror(in)) {
        int reason = errno;
        free(text);
        errno = reason;
        return TKF_EIO;
    }
    *ret_text = text;
    *ret_length = length;
    return 0;
}

static int parse(const char *text, size_t length, json_t **ret_root, struct tkf_input_error *error)
{
    json_error_t problem;
    json_t *root;

    if (length > BYTES_MAX)
        return tkf_refuse(error, 0, "give a file that tickfloor calibrate wrote",
                          "larger than %zu MiB, so not a profile", BYTES_MAX >> 20);
    if (length == 0)
        return tkf_refuse(error, 0, calibrate_again, "empty");
    root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);
    if (root) {
        *ret_root = root;
        return 0;
    }
    unsigned line = problem.line > 0 ? (unsigned)problem.line : 1;
    switch (json_error_code(&problem)) {
    case json_error_out_of_memory:
        return tkf_refuse_memory(error);
    case json_error_premature_end_of_input:
        return tkf_refuse(error, line, calibrate_again, "truncated: the JSON ends in the middle");
    default:
        return tkf_refuse(error, line, calibrate_again, "not JSON: %s", problem.text);
    }
}

int tkf_profile_read(FILE *in, struct tkf_profile *ret_profile, struct tkf_input_error *ret_error)
{
    char *text = NULL;
    size_t length = 0;
    json_t *root = NULL;
    struct tkf_profile *profile = NULL;

    int ret = slurp(in, &text, &length);
    if (ret < 0) {
        tkf_refuse(ret_error, 0, "give a file that tickfloor calibrate wrote", "%s",
                   ret == TKF_EIO ? strerror(errno) : "out of memory");
        return ret;
    }
    ret = parse(text, length, &root, ret_error);
    if (ret < 0)
        goto done;

    /* Too large for some threads' stacks. */
    profile = calloc(1, sizeof(*profile));
    if (!profile) {
        ret = tkf_refuse_memory(ret_error);
        goto done;
    }
    struct reader reader = {.text = text, .end = text + length, .error = ret_error};
    ret = get_profile(&reader, root, profile);
    if (ret < 0) {
        tkf_profile_free(profile);
        goto done;
    }
    profile->storage = root; /* the profile's strings live in it */
    root = NULL;
    *ret_profile = *profile;
done:
    free(profile);
    json_decref(root);
    free(text);
    return ret;
}
