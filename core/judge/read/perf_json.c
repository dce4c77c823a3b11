/* SPDX-License-Identifier: MIT */
/*
 * perf stat -j: one object a line. It names no command, and its elapsed time only when
 * duration_time was counted.
 */
#include <string.h>

#include "perf.h"
#include "slice.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    return strstr(head, "\"counter-value\"") && strstr(head, "\"event\"") ? 95 : 0;
}

struct reading {
    struct tkf_sink *sink;
    struct tkf_perf perf;
    bool partial; /* lines that count one interval or CPU were met */
};

/* The value is a string, in the locale of the run, and has six decimals whatever it counts. */
static bool read_value(struct tkf_slice text, double *ret_value, double *ret_quantum)
{
    bool comma = text.length && memchr(text.text, ',', text.length);
    return tkf_number(text, comma ? TKF_NUMBER_COMMA : TKF_NUMBER_POINT, ret_value, ret_quantum);
}

/* What only a part of a run has. */
static bool is_partial(const json_t *object)
{
    static const char *const keys[] = {"interval", "cpu",  "core",   "die",
                                       "socket",   "node", "thread", "cgroup"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (json_object_get(object, keys[i]))
            return true;
    }
    return false;
}

static void read_object(struct reading *reading, const json_t *object, unsigned line)
{
    struct tkf_slice event = tkf_slice_of(tkf_json_text(object, "event"));
    struct tkf_slice text = tkf_slice_of(tkf_json_text(object, "counter-value"));
    if (!event.length || is_partial(object)) {
        /* Lines that hold a metric only have no event. */
        if (event.length && !reading->partial)
            tkf_sink_notice(reading->sink, line,
                            "no count of a whole command in this line; read perf stat without -I "
                            "and -A");
        reading->partial |= event.length > 0;
        return;
    }
    if (!reading->perf.open) {
        tkf_sink_origin(reading->sink, "perf-stat", TKF_TIMING_PROCESS);
        tkf_perf_begin(&reading->perf, "command", line);
    }
    struct tkf_perf_count count = {.spread = tkf_json_number(object, "variance") / 100};
    if (read_value(text, &count.value, &count.quantum))
        tkf_perf_event(&reading->perf, event, tkf_slice_of(tkf_json_text(object, "unit")), count);
    else if (!tkf_perf_not_counted(text))
        tkf_sink_notice(reading->sink, line, "%s: no \"counter-value\" that is a number",
                        event.text);
}

static int read_perf_json(struct tkf_input *in, struct tkf_sink *sink,
                          struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct reading reading = {.sink = sink, .perf = {.sink = sink}};
    struct tkf_line line;
    while (tkf_input_line(in, &line)) {
        if (line.text[0] == '#')
            tkf_perf_end(&reading.perf); /* "# started on ...": the next command */
        if (line.text[0] != '{')
            continue;
        json_error_t problem;
        json_t *object = json_loadb(line.text, line.length, 0, &problem);
        if (object)
            read_object(&reading, object, line.number);
        else
            tkf_sink_notice(sink, line.number, "not JSON: %s", problem.text);
        json_decref(object);
    }
    tkf_perf_end(&reading.perf);
    return 0;
}

const struct tkf_reader tkf_reader_perf_json = {
    .name = "perf-json",
    .text = "perf stat -j",
    .recognise = recognise,
    .read = read_perf_json,
};
