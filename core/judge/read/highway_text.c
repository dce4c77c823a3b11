/* SPDX-License-Identifier: MIT */
/*
 * What programs print of highway's nanobenchmark: for each input "NAME INPUT: X ticks; MAD=Y%; Z
 * ns", the last only where the program converts, and "ticks/s T  timer resolution R ticks" before.
 * It takes the overhead off by measuring two lengths.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "keep.h"
#include "row.h"

static const char spread_mark[] = " ticks; MAD=";
static const char failure_mark[] = ": measurement failed";

static int recognise(const char *head, size_t length)
{
    (void)length;
    return strstr(head, spread_mark) ? 95 : 0;
}

struct reading {
    struct tkf_sink *sink;
    struct tkf_origin *origin;
    double tick_ns; /* NAN before the file states the rate */
};

static void need_origin(struct reading *reading)
{
    if (!reading->origin)
        reading->origin = tkf_sink_origin(reading->sink, "highway", TKF_TIMING_SUBTRACTED);
}

/*
 * "ticks/s 2596143692  timer resolution 52 ticks": a run begins. Ticks are of the timer, not of
 * the core.
 */
static bool read_rate(struct reading *reading, struct tkf_slice text)
{
    double hz, step_ticks;
    if (!tkf_slice_is(tkf_field(&text), "ticks/s") ||
        !tkf_number(tkf_field(&text), TKF_NUMBER_POINT, &hz, NULL) || !(hz > 0))
        return false;
    reading->origin = NULL;
    need_origin(reading);
    reading->tick_ns = 1e9 / hz;
    if (tkf_slice_is(tkf_field(&text), "timer") && tkf_slice_is(tkf_field(&text), "resolution") &&
        tkf_number(tkf_field(&text), TKF_NUMBER_POINT, &step_ticks, NULL))
        reading->origin->timer_step_ns = step_ticks * reading->tick_ns;
    return true;
}

/* "empty              3" becomes "empty 3". */
static const char *keep_name(struct tkf_sink *sink, struct tkf_slice text)
{
    const char *end = text.text + text.length;
    const char *input = end;
    while (input > text.text && !isspace((unsigned char)input[-1]))
        input--;
    struct tkf_slice name = tkf_trim((struct tkf_slice){text.text, (size_t)(input - text.text)});
    char joined[256];
    int length = snprintf(joined, sizeof(joined), "%.*s%s%.*s", (int)name.length, name.text,
                          name.length ? " " : "", (int)(end - input), input);
    if (length < 0 || (size_t)length >= sizeof(joined))
        return tkf_keep(sink, text);
    return tkf_sink_text(sink, joined, (size_t)length);
}

/* The last colon before the ticks ends the name. */
static bool read_row(struct reading *reading, struct tkf_slice text, unsigned line)
{
    const char *mark = memmem(text.text, text.length, spread_mark, strlen(spread_mark));
    const char *colon =
        mark ? tkf_slice_last((struct tkf_slice){text.text, (size_t)(mark - text.text)}, ':')
             : NULL;
    double ticks, quantum, spread, ns, ns_quantum;
    if (!colon || colon == text.text ||
        !tkf_number(tkf_trim((struct tkf_slice){colon + 1, (size_t)(mark - colon - 1)}),
                    TKF_NUMBER_POINT, &ticks, &quantum))
        return false;
    const char *rest = mark + strlen(spread_mark);
    const char *percent = memchr(rest, '%', (size_t)(text.text + text.length - rest));
    if (!percent || !tkf_number((struct tkf_slice){rest, (size_t)(percent - rest)},
                                TKF_NUMBER_POINT, &spread, NULL))
        return false;
    struct tkf_slice time = {percent + 1, (size_t)(text.text + text.length - percent - 1)};
    if (time.length && *time.text == ';')
        time = (struct tkf_slice){time.text + 1, time.length - 1};
    if (!tkf_time(&time, TKF_NUMBER_POINT, &ns, &ns_quantum)) {
        if (isnan(reading->tick_ns))
            return false;
        ns = ticks * reading->tick_ns;
        ns_quantum = quantum * reading->tick_ns;
    }
    need_origin(reading);
    struct tkf_result row = tkf_sink_row(reading->sink, line);
    row.name = keep_name(reading->sink,
                         tkf_trim((struct tkf_slice){text.text, (size_t)(colon - text.text)}));
    row.ns = ns;
    row.quantum_ns = ns_quantum;
    tkf_row_spread(&row, ns * spread / 100);
    tkf_sink_add(reading->sink, &row);
    return true;
}

static bool read_failure(struct reading *reading, struct tkf_slice text, unsigned line)
{
    const char *mark = memmem(text.text, text.length, failure_mark, strlen(failure_mark));
    if (!mark || mark == text.text)
        return false;
    need_origin(reading);
    struct tkf_result row = tkf_sink_row(reading->sink, line);
    row.name = tkf_sink_text(reading->sink, text.text, (size_t)(mark - text.text));
    row.failed = true;
    row.remark = tkf_sink_text(reading->sink, mark + 2, strlen(failure_mark) - 2);
    tkf_sink_add(reading->sink, &row);
    return true;
}

static int read_highway_text(struct tkf_input *in, struct tkf_sink *sink,
                             struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct reading reading = {.sink = sink, .tick_ns = NAN};
    struct tkf_line line;
    while (tkf_input_line(in, &line)) {
        struct tkf_slice text = tkf_trim(tkf_line_slice(&line));
        if (!read_rate(&reading, text) && !read_row(&reading, text, line.number) &&
            !read_failure(&reading, text, line.number) &&
            memmem(text.text, text.length, " ticks;", strlen(" ticks;")))
            tkf_notice_unread(sink, line.number, text);
    }
    return 0;
}

const struct tkf_reader tkf_reader_highway_text = {
    .name = "highway-text",
    .text = "highway nanobenchmark, as programs print it",
    .recognise = recognise,
    .read = read_highway_text,
};
