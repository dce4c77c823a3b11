/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/profile.h>

#include "json_pull.h"
#include "profile_fields.h"
#include "profile_read.h"
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
    unsigned line; /* on which the key stands, or the entry begins */
};

struct reader {
    struct tkf_pull pull;
    struct step path[DEPTH_MAX]; /* to the value that is looked at */
    unsigned depth;
    unsigned root_line;
    struct tkf_input_error *error;
};

/* ---- what is wrong ---- */

/* The line of the member that the path leads to, or of the one around it where it is not there. */
static unsigned line_of(const struct reader *reader)
{
    return reader->depth > 0 ? reader->path[reader->depth - 1].line : reader->root_line;
}

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
    return tkf_refuse(reader->error, line_of(reader), calibrate_again, "%s %s", path, text);
}

static int fail_json(const struct reader *reader)
{
    const struct tkf_pull *pull = &reader->pull;
    if (pull->truncated)
        return tkf_refuse(reader->error, pull->line, calibrate_again,
                          "truncated: the JSON ends in the middle");
    return tkf_refuse(reader->error, pull->line, calibrate_again, "not JSON: %s", pull->problem);
}

static const char *const type_names[] = {
    [TKF_PULL_OBJECT] = "an object",   [TKF_PULL_LIST] = "a list",
    [TKF_PULL_STRING] = "a string",    [TKF_PULL_NUMBER] = "a number",
    [TKF_PULL_BOOL] = "true or false", [TKF_PULL_NULL] = "null",
};

/* The next value is not of the type that is wanted. */
static int fail_type(struct reader *reader, const char *wanted)
{
    enum tkf_pull_type type = tkf_pull_peek(&reader->pull);
    if (type == TKF_PULL_NONE) {
        tkf_pull_fail(&reader->pull, "a value expected");
        return fail_json(reader);
    }
    return fail(reader, "is %s, not %s", type_names[type], wanted);
}

static void enter_key(struct reader *reader, const char *key, unsigned line)
{
    reader->path[reader->depth++] = (struct step){.key = key, .line = line};
}

static void enter_index(struct reader *reader, size_t index)
{
    tkf_pull_blanks(&reader->pull);
    reader->path[reader->depth++] = (struct step){.index = index, .line = reader->pull.line};
}

static void leave(struct reader *reader)
{
    reader->depth--;
}

/* ---- values; each is 0 or TKF_EFORMAT with the error filled ---- */

static int get_object(struct reader *reader, const struct tkf_field *fields, char *base);

static bool is_next(struct reader *reader, enum tkf_pull_type type)
{
    return tkf_pull_peek(&reader->pull) == type;
}

static int get_string(struct reader *reader, const char **ret_text, size_t *ret_length)
{
    if (!is_next(reader, TKF_PULL_STRING))
        return fail_type(reader, "a string");
    return tkf_pull_string(&reader->pull, ret_text, ret_length) ? 0 : fail_json(reader);
}

static int get_null(struct reader *reader)
{
    return tkf_pull_null(&reader->pull) ? 0 : fail_json(reader);
}

static int get_text(struct reader *reader, char *at, size_t size)
{
    const char *text;
    size_t length;
    int ret = get_string(reader, &text, &length);
    if (ret == 0 && length >= size)
        return fail(reader, "is longer than %zu bytes", size - 1);
    if (ret == 0)
        memcpy(at, text, length + 1);
    return ret;
}

/* Which of the names the value is. */
static int get_name(struct reader *reader, const char *const *names, unsigned *ret_index)
{
    const char *text;
    size_t length;
    int ret = get_string(reader, &text, &length);
    if (ret < 0)
        return ret;
    for (unsigned i = 0; names[i]; i++) {
        if (strcmp(text, names[i]) == 0) {
            *ret_index = i;
            return 0;
        }
    }
    char known[80] = "";
    size_t used = 0;
    for (unsigned i = 0; names[i] && used < sizeof(known); i++)
        used +=
            (size_t)snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", names[i]);
    return fail(reader, "is \"%.40s\", not one of %s", text, known);
}

static int get_integer(struct reader *reader, int64_t least, int64_t most, int64_t *ret_number)
{
    struct tkf_pull_number number;
    if (!is_next(reader, TKF_PULL_NUMBER))
        return fail_type(reader, "a whole number");
    if (!tkf_pull_number(&reader->pull, &number))
        return fail_json(reader);
    if (!number.whole)
        return fail(reader, "is not a whole number");
    if (number.integer < least || number.integer > most)
        return fail(reader, "is %lld, which is out of range", (long long)number.integer);
    *ret_number = number.integer;
    return 0;
}

static int get_unsigned(struct reader *reader, bool nullable, unsigned *ret_number)
{
    int64_t number = 0;
    int ret = nullable && is_next(reader, TKF_PULL_NULL)
                  ? get_null(reader)
                  : get_integer(reader, nullable ? 1 : 0, UINT_MAX, &number);
    if (ret == 0)
        *ret_number = (unsigned)number;
    return ret;
}

static int get_bool(struct reader *reader, bool *ret_value)
{
    if (!is_next(reader, TKF_PULL_BOOL))
        return fail_type(reader, "true or false");
    return tkf_pull_bool(&reader->pull, ret_value) ? 0 : fail_json(reader);
}

static int get_real(struct reader *reader, const struct tkf_field *field, double *ret_number)
{
    struct tkf_pull_number number;
    if (is_next(reader, TKF_PULL_NULL)) {
        if (field->known)
            return fail(reader, "is null; a band that is unknown is null as a whole");
        *ret_number = NAN;
        return get_null(reader);
    }
    if (!is_next(reader, TKF_PULL_NUMBER))
        return fail_type(reader, "a number");
    if (!tkf_pull_number(&reader->pull, &number))
        return fail_json(reader);
    switch (field->range) {
    case TKF_RANGE_NONNEGATIVE:
        if (number.value < 0)
            return fail(reader, "is %g, below 0", number.value);
        break;
    case TKF_RANGE_POSITIVE:
        if (number.value <= 0)
            return fail(reader, "is %g, not above 0; what is unknown is null", number.value);
        break;
    case TKF_RANGE_SHARE:
        if (number.value < 0 || number.value > 1)
            return fail(reader, "is %g, not within 0 and 1", number.value);
        break;
    case TKF_RANGE_ANY:
        break;
    }
    *ret_number = number.value;
    return 0;
}

static int get_band(struct reader *reader, enum tkf_field_range range, struct tkf_band *ret_band)
{
#define PART(key, member, must)                                                           \
    {                                                                                     \
        .name = key, .kind = TKF_FIELD_REAL, .offset = offsetof(struct tkf_band, member), \
        .range = range, .known = must,                                                    \
    }
    const struct tkf_field members[] = {
        PART("lo", lo, false),
        PART("mid", mid, true),
        PART("hi", hi, false),
        {.name = NULL},
    };
#undef PART
    struct tkf_band band = {NAN, NAN, NAN};
    int ret = is_next(reader, TKF_PULL_NULL) ? get_null(reader)
                                             : get_object(reader, members, (char *)&band);
    if (ret < 0)
        return ret;
    if (band.lo > band.mid || band.mid > band.hi || band.lo > band.hi)
        return fail(reader, "is not in order: lo %g, mid %g, hi %g", band.lo, band.mid, band.hi);
    *ret_band = band;
    return 0;
}

/* Take the entries of a list, one by one, up to `max`; what is beyond them is counted. */
static int get_entries(struct reader *reader, unsigned max, unsigned *ret_count,
                       int (*get)(struct reader *reader, unsigned index, void *ctx), void *ctx)
{
    if (!is_next(reader, TKF_PULL_LIST))
        return fail_type(reader, "a list");
    size_t count = 0;
    for (; tkf_pull_next(&reader->pull, count == 0, NULL); count++) {
        enter_index(reader, count);
        int ret = count < max                    ? get(reader, (unsigned)count, ctx)
                  : tkf_pull_skip(&reader->pull) ? 0
                                                 : fail_json(reader);
        leave(reader);
        if (ret < 0)
            return ret;
    }
    if (reader->pull.problem[0])
        return fail_json(reader);
    if (count > max)
        return fail(reader, "has %zu entries, more than the %u there can be", count, max);
    *ret_count = (unsigned)count;
    return 0;
}

struct list {
    const struct tkf_field *field;
    char *entries;
};

static int get_list_entry(struct reader *reader, unsigned index, void *ctx)
{
    struct list *list = ctx;
    return get_object(reader, list->field->members, list->entries + index * list->field->size);
}

static int get_list(struct reader *reader, const struct tkf_field *field, char *base)
{
    struct list list = {.field = field, .entries = base + field->offset};
    return get_entries(reader, field->max, (unsigned *)(base + field->count_offset), get_list_entry,
                       &list);
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

struct cpus {
    const struct tkf_field *members;
    struct tkf_profile *profile;
    unsigned size;
};

static const char not_kept[] = "the version that measured this did not keep it";

static void complete_check(struct tkf_profile_cpu *cpu)
{
    struct tkf_cycle_check *check = &cpu->cycle_check;
    if (check->by[0] == '\0')
        check->cycles = NAN;
    if (check->by[0] == '\0' && check->reason[0] == '\0')
        snprintf(check->reason, sizeof(check->reason), "%s", not_kept);
    cpu->floor.own_cycles = check->cycles;
    cpu->floor.core_clock_error = check->by[0] != '\0' ? 0 : TKF_EUNSUPPORTED;
}

/* An older profile has the hardware events of the first CPU alone. */
static void complete_events(struct tkf_profile *profile)
{
    for (unsigned i = 0; i < profile->ncpus; i++) {
        struct tkf_pmu_status *pmu = &profile->cpus[i].pmu;
        if (pmu->available || pmu->reason[0] != '\0')
            continue;
        if (i == 0)
            *pmu = profile->pmu;
        else
            snprintf(pmu->reason, sizeof(pmu->reason), "%s", not_kept);
    }
}

static int get_cpu(struct reader *reader, unsigned index, void *ctx)
{
    struct cpus *cpus = ctx;
    struct tkf_profile *profile = cpus->profile;
    if (index == cpus->size) {
        unsigned size = cpus->size > 0 ? 2 * cpus->size : 1;
        struct tkf_profile_cpu *more = realloc(profile->cpus, size * sizeof(*more));
        if (!more)
            return tkf_refuse_memory(reader->error);
        memset(more + cpus->size, 0, (size - cpus->size) * sizeof(*more));
        profile->cpus = more;
        cpus->size = size;
    }
    profile->ncpus = index + 1;
    struct tkf_cpu_floor *floor = &profile->cpus[index].floor;
    int ret = get_object(reader, cpus->members, (char *)&profile->cpus[index]);
    floor->events_error = ret == 0 && has_events(floor) ? 0 : TKF_EUNSUPPORTED;
    complete_check(&profile->cpus[index]);
    return ret;
}

static int get_cpus(struct reader *reader, const struct tkf_field *members,
                    struct tkf_profile *profile)
{
    struct cpus cpus = {.members = members, .profile = profile};
    unsigned count = 0;
    int ret = get_entries(reader, TKF_PROFILE_CPUS_MAX, &count, get_cpu, &cpus);
    if (ret == 0 && count == 0)
        return fail(reader, "is empty: no CPU was measured");
    return ret;
}

static int get_count(struct reader *reader, unsigned index, void *ctx)
{
    return get_unsigned(reader, false, (unsigned *)ctx + index);
}

struct flags {
    const struct tkf_field *field;
    bool *set;
};

static int get_flag(struct reader *reader, unsigned index, void *ctx)
{
    struct flags *flags = ctx;
    unsigned which;
    (void)index;
    int ret = get_name(reader, flags->field->names, &which);
    if (ret == 0)
        flags->set[which] = true;
    return ret;
}

/* A struct of its own, which the profile frees also when the rest of it is refused. */
static int get_owned(struct reader *reader, const struct tkf_field *field, void **at)
{
    if (!is_next(reader, TKF_PULL_OBJECT))
        return fail_type(reader, "an object");
    *at = calloc(1, field->size);
    return *at ? get_object(reader, field->members, *at) : tkf_refuse_memory(reader->error);
}

static int get_state(struct reader *reader, unsigned index, void *ctx)
{
    struct tkf_named_state named = {.which = 0};
    struct tkf_state *states = ctx;
    (void)index;
    int ret = get_object(reader, tkf_state_fields, (char *)&named);
    if (ret == 0)
        states[named.which] = named.state;
    return ret;
}

static int get_states(struct reader *reader, struct tkf_loop *loop)
{
    struct tkf_state states[] = {{.cycles = {NAN, NAN, NAN}}, {.cycles = {NAN, NAN, NAN}}};
    unsigned count;
    int ret = get_entries(reader, 2, &count, get_state, states);
    loop->fast = states[0];
    loop->slow = states[1];
    return ret;
}

static int get_hypervisor(struct reader *reader, struct tkf_machine *machine)
{
    machine->hypervisor_known = !is_next(reader, TKF_PULL_NULL);
    if (!machine->hypervisor_known)
        return get_null(reader);
    int ret = get_text(reader, machine->hypervisor, sizeof(machine->hypervisor));
    if (ret == 0 && machine->hypervisor[0] == '\0')
        return fail(reader, "is empty; write \"none\" when there is none, null when unknown");
    if (ret == 0 && strcmp(machine->hypervisor, "none") == 0)
        machine->hypervisor[0] = '\0';
    return ret;
}

static int get_value(struct reader *reader, const struct tkf_field *field, char *base)
{
    char *at = base + field->offset;
    struct flags flags = {.field = field, .set = (bool *)at};
    struct tkf_cpu_floor checked;
    unsigned which = 0;
    int64_t number = 0;
    size_t length;
    bool usable;
    int ret;

    if (field->nullable && field->kind != TKF_FIELD_UNSIGNED && is_next(reader, TKF_PULL_NULL))
        return get_null(reader);
    switch (field->kind) {
    case TKF_FIELD_TEXT:
        return get_text(reader, at, field->size);
    case TKF_FIELD_STRING:
        return get_string(reader, (const char **)at, &length);
    case TKF_FIELD_NAME:
        ret = get_name(reader, field->names, &which);
        if (ret == 0)
            *(const char **)at = field->names[which];
        return ret;
    case TKF_FIELD_ENUM:
        return get_name(reader, field->names, (unsigned *)at);
    case TKF_FIELD_BOOL:
        return get_bool(reader, (bool *)at);
    case TKF_FIELD_UNSIGNED:
        return get_unsigned(reader, field->nullable, (unsigned *)at);
    case TKF_FIELD_UINT64:
        ret = get_integer(reader, field->range == TKF_RANGE_POSITIVE, INT64_MAX, &number);
        if (ret == 0)
            *(uint64_t *)at = (uint64_t)number;
        return ret;
    case TKF_FIELD_REAL:
        return get_real(reader, field, (double *)at);
    case TKF_FIELD_BAND:
        return get_band(reader, field->range, (struct tkf_band *)at);
    case TKF_FIELD_OBJECT:
        return get_object(reader, field->members, at);
    case TKF_FIELD_OWNED:
        return get_owned(reader, field, (void **)at);
    case TKF_FIELD_LIST:
        return get_list(reader, field, base);
    case TKF_FIELD_CPUS:
        return get_cpus(reader, field->members, (struct tkf_profile *)base);
    case TKF_FIELD_CPUS_FIRST: /* checked and left */
        return get_object(reader, field->members, (char *)&checked);
    case TKF_FIELD_COUNTS:
        return get_entries(reader, field->max, &which, get_count, at);
    case TKF_FIELD_FLAGS:
        return get_entries(reader, field->max, &which, get_flag, &flags);
    case TKF_FIELD_STATES:
        return get_states(reader, (struct tkf_loop *)base);
    case TKF_FIELD_HYPERVISOR:
        return get_hypervisor(reader, (struct tkf_machine *)base);
    case TKF_FIELD_USABLE:
        ret = get_bool(reader, &usable);
        if (ret == 0)
            ((struct tkf_rejected *)base)->error = usable ? 0 : TKF_EUNSUPPORTED;
        return ret;
    }
    return 0;
}

/* The table's entry for a key; members mostly come in the order of the table. */
static const struct tkf_field *find_field(const struct tkf_field *fields,
                                          const struct tkf_field *likely, const char *key)
{
    if (likely->name && strcmp(likely->name, key) == 0)
        return likely;
    for (const struct tkf_field *field = fields; field->name; field++) {
        if (strcmp(field->name, key) == 0)
            return field;
    }
    return NULL;
}

/* A member that an older profile lacks. */
static void set_absent(const struct tkf_field *field, char *base)
{
    if (field->kind == TKF_FIELD_USABLE)
        ((struct tkf_rejected *)base)->error = TKF_EUNSUPPORTED;
}

static int get_member(struct reader *reader, const struct tkf_field *field, bool again, char *base)
{
    enter_key(reader, field->name, reader->pull.line);
    int ret = again ? fail(reader, "is there twice") : get_value(reader, field, base);
    leave(reader);
    return ret;
}

static int get_object(struct reader *reader, const struct tkf_field *fields, char *base)
{
    const struct tkf_field *likely = fields;
    uint64_t seen = 0; /* bit n: the table's member n */
    const char *key;
    if (!is_next(reader, TKF_PULL_OBJECT))
        return fail_type(reader, "an object");
    for (bool first = true; tkf_pull_next(&reader->pull, first, &key); first = false) {
        const struct tkf_field *field = find_field(fields, likely, key);
        if (!field) { /* a later version's */
            if (!tkf_pull_skip(&reader->pull))
                return fail_json(reader);
            continue;
        }
        uint64_t bit = (uint64_t)1 << (field - fields);
        int ret = get_member(reader, field, seen & bit, base);
        if (ret < 0)
            return ret;
        seen |= bit;
        likely = field + 1;
    }
    if (reader->pull.problem[0])
        return fail_json(reader);
    for (const struct tkf_field *field = fields; field->name; field++) {
        if (seen & (uint64_t)1 << (field - fields))
            continue;
        if (!field->optional) {
            enter_key(reader, field->name, line_of(reader));
            return fail(reader, "is missing");
        }
        set_absent(field, base);
    }
    return 0;
}

/* ---- the whole ---- */

static int fail_schema(struct reader *reader, unsigned line)
{
    return tkf_refuse(reader->error, line, calibrate_again,
                      "not a profile: no \"schema\": \"" TKF_PROFILE_SCHEMA "\"");
}

/*
 * What says that this is a profile comes before all that may be wrong with one, wherever it stands. The text is looked
 * at and left as it is.
 */
static int check_schema(struct reader *reader)
{
    static const char name[] = "\"schema\"", wanted[] = "\"" TKF_PROFILE_SCHEMA "\"";
    const struct tkf_pull before = reader->pull;
    struct tkf_pull *pull = &reader->pull;
    enum tkf_pull_type type = tkf_pull_peek(pull);
    reader->root_line = pull->line;
    if (pull->at == pull->end)
        return tkf_refuse(reader->error, 0, calibrate_again, "empty");
    if (type != TKF_PULL_OBJECT && type != TKF_PULL_LIST) {
        tkf_pull_fail(pull, "'[' or '{' expected");
        return fail_json(reader);
    }
    if (type != TKF_PULL_OBJECT)
        return tkf_refuse(reader->error, pull->line, calibrate_again,
                          "not a profile: the JSON is %s, not an object", type_names[type]);
    pull->at++;
    for (bool found = false; !found;) {
        tkf_pull_blanks(pull);
        char *key = pull->at;
        unsigned line = pull->line;
        if (pull->at < pull->end && *pull->at == '}')
            return fail_schema(reader, reader->root_line);
        if (tkf_pull_peek(pull) != TKF_PULL_STRING || !tkf_pull_skip(pull)) {
            if (!pull->problem[0])
                tkf_pull_fail(pull, "a member's name expected");
            return fail_json(reader);
        }
        found = (size_t)(pull->at - key) == strlen(name) && memcmp(key, name, strlen(name)) == 0;
        tkf_pull_blanks(pull);
        if (pull->at == pull->end || *pull->at != ':') {
            tkf_pull_fail(pull, "':' expected");
            return fail_json(reader);
        }
        pull->at++;
        type = tkf_pull_peek(pull);
        char *value = pull->at;
        if (!tkf_pull_skip(pull))
            return fail_json(reader);
        if (found && type != TKF_PULL_STRING)
            return fail_schema(reader, line);
        if (found && ((size_t)(pull->at - value) != strlen(wanted) ||
                      memcmp(value, wanted, strlen(wanted)) != 0)) {
            const char *schema;
            size_t length;
            pull->at = value;
            tkf_pull_string(pull, &schema, &length);
            return tkf_refuse(
                reader->error, line, "run tickfloor calibrate, or the tickfloor that wrote it",
                "schema is \"%.60s\"; this version reads \"" TKF_PROFILE_SCHEMA "\"", schema);
        }
        tkf_pull_blanks(pull);
        if (pull->at < pull->end && *pull->at == ',')
            pull->at++;
        else if (!found && (pull->at == pull->end || *pull->at != '}')) {
            tkf_pull_fail(pull, "',' or '}' expected");
            return fail_json(reader);
        }
    }
    reader->pull = before;
    return 0;
}

int tkf_profile_parse(char *text, size_t length, unsigned line, struct tkf_profile *ret_profile,
                      size_t *ret_used, struct tkf_input_error *ret_error)
{
    struct reader reader = {
        .pull = {.at = text, .end = text + length, .line = line},
        .error = ret_error,
    };
    /* Too large for some threads' stacks. */
    struct tkf_profile *profile = calloc(1, sizeof(*profile));
    if (!profile)
        return tkf_refuse_memory(ret_error);
    int ret = check_schema(&reader);
    if (ret == 0)
        ret = get_object(&reader, tkf_profile_fields, (char *)profile);
    tkf_pull_blanks(&reader.pull);
    if (ret == 0 && !ret_used && reader.pull.at < reader.pull.end) {
        tkf_pull_fail(&reader.pull, "end of file expected");
        ret = fail_json(&reader);
    }
    if (ret == 0) {
        complete_events(profile);
        *ret_profile = *profile;
        if (ret_used)
            *ret_used = (size_t)(reader.pull.at - text);
    } else {
        tkf_profile_free(profile);
    }
    free(profile);
    return ret;
}

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

int tkf_profile_read(FILE *in, struct tkf_profile *ret_profile, struct tkf_input_error *ret_error)
{
    char *text = NULL;
    size_t length = 0;

    int ret = slurp(in, &text, &length);
    if (ret < 0) {
        tkf_refuse(ret_error, 0, "give a file that tickfloor calibrate wrote", "%s",
                   ret == TKF_EIO ? strerror(errno) : "out of memory");
        return ret;
    }
    if (length > BYTES_MAX)
        ret = tkf_refuse(ret_error, 0, "give a file that tickfloor calibrate wrote",
                         "larger than %zu MiB, so not a profile", BYTES_MAX >> 20);
    else
        ret = tkf_profile_parse(text, length, 1, ret_profile, NULL, ret_error);
    if (ret == 0)
        ret_profile->storage = text; /* the profile's strings live in it */
    else
        free(text);
    return ret;
}
