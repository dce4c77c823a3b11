/* SPDX-License-Identifier: MIT */
/* Catch2's XML reporter, of v2 and of v3. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/error.h>

#include "../xml.h"
#include "keep.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (!strstr(head, "<Catch"))
        return 0;
    return strstr(head, "<BenchmarkResults") ? 95 : 85;
}

#define DEPTH_MAX 256 /* sections deeper than this count as of their parent */

struct reading {
    struct tkf_sink *sink;
    struct tkf_origin *origin;
    char *path; /* of the test case and sections that are open, '/' between; NULL before */
    size_t ends[DEPTH_MAX]; /* of the path outside of each of them */
    unsigned depth;
    struct tkf_result row;
    bool in_results; /* between <BenchmarkResults> and its end */
    bool no_memory;
};

static double number(const char **attributes, const char *name, double *quantum)
{
    double value, step;
    if (!tkf_number(tkf_slice_of(tkf_xml_attribute(attributes, name)), TKF_NUMBER_POINT, &value,
                    &step))
        return NAN;
    /* Zeros at the end are not printed: the finest of several values tells how finely all were. */
    if (quantum)
        *quantum = fmin(*quantum, step);
    return value;
}

/* ---- test cases and sections ---- */

static bool is_level(const char *element)
{
    return strcmp(element, "TestCase") == 0 || strcmp(element, "Section") == 0;
}

static void enter(struct reading *reading, const char *name)
{
    if (reading->depth++ >= DEPTH_MAX)
        return;
    name = name ? name : "";
    size_t end = reading->path ? strlen(reading->path) : 0;
    char *path = realloc(reading->path, end + strlen(name) + 2);
    if (!path) {
        reading->no_memory = true;
        return;
    }
    reading->ends[reading->depth - 1] = end;
    reading->path = path;
    sprintf(path + end, "%s%s", end ? "/" : "", name);
}

static void leave(struct reading *reading)
{
    if (reading->depth-- <= DEPTH_MAX && reading->path)
        reading->path[reading->ends[reading->depth]] = '\0';
}

/* ---- results ---- */

static void begin_origin(struct reading *reading, const char **attributes)
{
    reading->origin = tkf_sink_origin(reading->sink, "catch2", TKF_TIMING_BATCHED);
    reading->origin->version =
        tkf_keep_string(reading->sink, tkf_xml_attribute(attributes, "catch2-version"));
}

static void begin_results(struct reading *reading, const char **attributes, unsigned line)
{
    struct tkf_result *row = &reading->row;
    *row = tkf_sink_row(reading->sink, line);
    row->name = tkf_keep_string(reading->sink, tkf_xml_attribute(attributes, "name"));
    row->group = reading->path ? tkf_keep_string(reading->sink, reading->path) : "";
    row->iterations = number(attributes, "iterations", NULL);
    double samples = number(attributes, "samples", NULL);
    if (samples >= 1 && samples < 1e9)
        row->repetitions = (unsigned)samples;
    double step_ns = number(attributes, "clockResolution", NULL);
    if (!isnan(step_ns))
        reading->origin->timer_step_ns = step_ns;
    reading->in_results = true;
}

static void take_mean(struct tkf_result *row, const char **attributes)
{
    double quantum_ns = NAN;
    row->ns = number(attributes, "value", &quantum_ns);
    row->ns_lo = number(attributes, "lowerBound", &quantum_ns);
    row->ns_hi = number(attributes, "upperBound", &quantum_ns);
    row->quantum_ns = quantum_ns;
    row->statistic = TKF_STATISTIC_MEAN;
}

static void end_results(struct reading *reading)
{
    struct tkf_result *row = &reading->row;
    if (!reading->in_results)
        return;
    reading->in_results = false;
    if (!row->name)
        tkf_sink_notice(reading->sink, row->line, "<BenchmarkResults> without a name");
    else if (isnan(row->ns) && !row->failed)
        tkf_sink_notice(reading->sink, row->line, "%s: no <mean> with a value", row->name);
    else
        tkf_sink_add(reading->sink, row);
}

static void on_start(void *state, const char *element, const char **attributes, unsigned line)
{
    struct reading *reading = state;
    if (!reading->origin)
        begin_origin(reading, attributes);
    if (is_level(element)) {
        enter(reading, tkf_xml_attribute(attributes, "name"));
    } else if (strcmp(element, "BenchmarkResults") == 0) {
        begin_results(reading, attributes, line);
    } else if (reading->in_results && strcmp(element, "mean") == 0) {
        take_mean(&reading->row, attributes);
    } else if (reading->in_results && strcmp(element, "failed") == 0) {
        reading->row.failed = true;
        reading->row.remark =
            tkf_keep_string(reading->sink, tkf_xml_attribute(attributes, "message"));
    }
}

static void on_end(void *state, const char *element, const char *text, unsigned line)
{
    (void)text, (void)line;
    struct reading *reading = state;
    if (is_level(element))
        leave(reading);
    else if (strcmp(element, "BenchmarkResults") == 0)
        end_results(reading);
}

static int read_catch2_xml(struct tkf_input *in, struct tkf_sink *sink,
                           struct tkf_input_error *ret_error)
{
    static const struct tkf_xml_handler handler = {"<Catch", on_start, on_end};
    struct reading reading = {.sink = sink};
    int error = tkf_xml_read(in, sink, &handler, &reading, ret_error);
    /* Where the document was cut. */
    end_results(&reading);
    free(reading.path);
    return reading.no_memory ? TKF_ENOMEM : error;
}

const struct tkf_reader tkf_reader_catch2_xml = {
    .name = "catch2-xml",
    .text = "Catch2, --reporter xml",
    .recognise = recognise,
    .read = read_catch2_xml,
};
