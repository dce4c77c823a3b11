/* SPDX-License-Identifier: MIT */
/*
 * The Phoronix Test Suite's composite.xml: whole programs, each on one or more systems. Only what
 * is measured in a time is read.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/error.h>

#include "../grow.h"
#include "../xml.h"
#include "slice.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    return strstr(head, "<PhoronixTestSuite") ? 95 : 0;
}

/* Strings are kept by the sink. */

struct system {
    const char *identifier, *hardware, *software;
};

/* What one system gave for one result. */
struct entry {
    size_t system; /* index */
    size_t order;
    unsigned line;
    const char *group, *name, *raw;
    double ns, quantum_ns, unit_ns;
};

struct reading {
    struct tkf_sink *sink;
    struct system *systems;
    size_t nsystems, systems_size;
    json_t *indices; /* identifier to index of a system */
    struct entry *entries;
    size_t nentries, entries_size;
    unsigned other_results, first_other_line; /* that are no times */
    bool no_memory;

    bool in_system, in_entry;
    struct system system; /* the <System> that is open */
    const char *title, *description, *arguments, *proportion, *scale; /* the <Result> */
    const char *identifier, *value, *raw;                             /* the <Entry> */
    unsigned line;
};

/* ---- systems ---- */

static void add_system(struct reading *reading, struct system system)
{
    struct system *systems =
        tkf_grow(reading->systems, reading->nsystems, &reading->systems_size, sizeof(*systems));
    if (!systems) {
        reading->no_memory = true;
        return;
    }
    reading->systems = systems;
    json_object_set_new_nocheck(reading->indices, system.identifier,
                                json_integer((json_int_t)reading->nsystems));
    reading->systems[reading->nsystems++] = system;
}

/* Index of the system of that name; one that the file does not describe is made up. */
static size_t find_system(struct reading *reading, const char *identifier)
{
    const json_t *index = json_object_get(reading->indices, identifier);
    if (index)
        return (size_t)json_integer_value(index);
    add_system(reading, (struct system){.identifier = identifier});
    return reading->nsystems - 1;
}

/* The value of "KEY: VALUE, KEY: VALUE"; NULL without it. */
static const char *take_fact(struct tkf_sink *sink, const char *facts, const char *key)
{
    const char *fact = facts ? strstr(facts, key) : NULL;
    if (!fact)
        return NULL;
    fact += strlen(key);
    return tkf_sink_text(sink, fact, strcspn(fact, ","));
}

static void begin_origin(struct tkf_sink *sink, const struct system *system)
{
    struct tkf_origin *origin = tkf_sink_origin(sink, "phoronix", TKF_TIMING_PROCESS);
    origin->cpu = take_fact(sink, system->hardware, "Processor: ");
    origin->os = take_fact(sink, system->software, "OS: ");
}

/* ---- entries ---- */

static void add_entry(struct reading *reading)
{
    double unit_ns, value = NAN, quantum = NAN;
    if (strcmp(reading->proportion, "LIB") != 0 ||
        !tkf_time_unit(tkf_slice_of(reading->scale), &unit_ns)) {
        if (!reading->other_results++)
            reading->first_other_line = reading->line;
        return;
    }
    /* What its graphs are headed with; a test that does one thing only has but a title. */
    const char *group = reading->title, *name = reading->description;
    if (!*name)
        name = reading->arguments;
    if (!*name) {
        name = reading->title;
        group = "";
    }
    if (*reading->value &&
        !tkf_number(tkf_slice_of(reading->value), TKF_NUMBER_POINT, &value, &quantum)) {
        tkf_sink_notice(reading->sink, reading->line, "%s: \"%s\" is no number", name,
                        reading->value);
        return;
    }
    size_t system = find_system(reading, reading->identifier);
    struct entry *entries =
        tkf_grow(reading->entries, reading->nentries, &reading->entries_size, sizeof(*entries));
    if (!entries) {
        reading->no_memory = true;
        return;
    }
    reading->entries = entries;
    reading->entries[reading->nentries] = (struct entry){
        .system = system,
        .order = reading->nentries,
        .line = reading->line,
        .group = group,
        .name = name,
        .raw = reading->raw,
        .ns = value * unit_ns,
        .quantum_ns = quantum * unit_ns,
        .unit_ns = unit_ns,
    };
    reading->nentries++;
}

/* "133.2:131.9": the value of each run. */
static void read_raw(struct tkf_sink *sink, struct tkf_result *row, const char *raw, double unit_ns)
{
    while (*raw) {
        size_t length = strcspn(raw, ":");
        double value;
        if (tkf_number((struct tkf_slice){raw, length}, TKF_NUMBER_POINT, &value, NULL))
            tkf_row_sample(sink, row, value * unit_ns);
        raw += length + (raw[length] == ':');
    }
}

static void give_entry(struct tkf_sink *sink, const struct entry *entry)
{
    struct tkf_result row = tkf_sink_row(sink, entry->line);
    row.group = entry->group;
    row.name = entry->name;
    row.ns = entry->ns;
    row.quantum_ns = entry->quantum_ns;
    row.statistic = TKF_STATISTIC_MEAN;
    row.failed = isnan(entry->ns); /* without a value a test did not run to its end */
    read_raw(sink, &row, entry->raw, entry->unit_ns);
    tkf_sink_add(sink, &row);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *left = a, *right = b;
    if (left->system != right->system)
        return left->system < right->system ? -1 : 1;
    return left->order < right->order ? -1 : left->order > right->order;
}

/* An origin for each system, its entries in the order of the file. */
static void give_entries(struct reading *reading)
{
    if (reading->nentries)
        qsort(reading->entries, reading->nentries, sizeof(struct entry), compare_entries);
    for (size_t i = 0; i < reading->nentries && !reading->no_memory; i++) {
        const struct entry *entry = &reading->entries[i];
        if (i == 0 || entry->system != entry[-1].system)
            begin_origin(reading->sink, &reading->systems[entry->system]);
        give_entry(reading->sink, entry);
    }
}

/* ---- events ---- */

static void on_start(void *state, const char *element, const char **attributes, unsigned line)
{
    (void)attributes;
    struct reading *reading = state;
    if (strcmp(element, "System") == 0) {
        reading->in_system = true;
        reading->system = (struct system){.identifier = ""};
    } else if (strcmp(element, "Result") == 0) {
        reading->title = reading->description = reading->arguments = "";
        reading->proportion = reading->scale = "";
    } else if (strcmp(element, "Entry") == 0) {
        reading->in_entry = true;
        reading->identifier = reading->value = reading->raw = "";
        reading->line = line;
    }
}

static void on_end(void *state, const char *element, const char *text, unsigned line)
{
    (void)line;
    struct reading *reading = state;
    enum { SYSTEM, RESULT, ENTRY };
    const struct {
        const char *element;
        int within;
        const char **field;
    } fields[] = {
        {"Identifier", SYSTEM, &reading->system.identifier},
        {"Hardware", SYSTEM, &reading->system.hardware},
        {"Software", SYSTEM, &reading->system.software},
        {"Title", RESULT, &reading->title},
        {"Description", RESULT, &reading->description},
        {"Arguments", RESULT, &reading->arguments},
        {"Proportion", RESULT, &reading->proportion},
        {"Scale", RESULT, &reading->scale},
        {"Identifier", ENTRY, &reading->identifier},
        {"Value", ENTRY, &reading->value},
        {"RawString", ENTRY, &reading->raw},
    };
    int within = reading->in_system ? SYSTEM : reading->in_entry ? ENTRY : RESULT;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (fields[i].within == within && strcmp(element, fields[i].element) == 0)
            *fields[i].field = tkf_sink_text(reading->sink, text, strlen(text));
    }
    if (reading->in_system && strcmp(element, "System") == 0) {
        reading->in_system = false;
        if (!json_object_get(reading->indices, reading->system.identifier))
            add_system(reading, reading->system);
    } else if (reading->in_entry && strcmp(element, "Entry") == 0) {
        reading->in_entry = false;
        add_entry(reading);
    }
}

static int read_phoronix_xml(struct tkf_input *in, struct tkf_sink *sink,
                             struct tkf_input_error *ret_error)
{
    static const struct tkf_xml_handler handler = {"<PhoronixTestSuite", on_start, on_end};
    struct reading reading = {
        .sink = sink,
        .indices = json_object(),
        .title = "",
        .description = "",
        .arguments = "",
        .proportion = "",
        .scale = "",
    };
    int error = tkf_xml_read(in, sink, &handler, &reading, ret_error);
    give_entries(&reading);
    if (reading.other_results)
        tkf_sink_notice(sink, reading.first_other_line,
                        "%u results from here on are rates or sizes and no times",
                        reading.other_results);
    json_decref(reading.indices);
    free(reading.systems);
    free(reading.entries);
    return reading.no_memory ? TKF_ENOMEM : error;
}

const struct tkf_reader tkf_reader_phoronix_xml = {
    .name = "phoronix-xml",
    .text = "Phoronix Test Suite, composite.xml",
    .recognise = recognise,
    .read = read_phoronix_xml,
};
