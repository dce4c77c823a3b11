/* SPDX-License-Identifier: MIT */
/* perf stat's table for people. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "keep.h"
#include "perf.h"
#include "row.h"

static const char block_start[] = "Performance counter stats for ";

static int recognise(const char *head, size_t length)
{
    (void)length;
    return strstr(head, block_start) ? 95 : 0;
}

struct reading {
    struct tkf_sink *sink;
    struct tkf_perf perf;
    bool have_origin;
};

/* "'true' (5 runs):", "'system wide':", "process id '123':" */
static void begin_block(struct reading *reading, struct tkf_slice text, unsigned line)
{
    double runs = 1;
    const char *open = tkf_slice_last(text, '(');
    if (text.length && text.text[text.length - 1] == ':')
        text.length--;
    if (open) {
        struct tkf_slice inside = {open + 1, (size_t)(text.text + text.length - open - 1)};
        struct tkf_slice count = tkf_field(&inside);
        if (tkf_slice_is(tkf_field(&inside), "runs)") &&
            tkf_number(count, TKF_NUMBER_POINT, &runs, NULL))
            text.length = (size_t)(open - text.text);
    }
    text = tkf_trim(text);
    if (text.length > 1 && *text.text == '\'' && text.text[text.length - 1] == '\'')
        text = (struct tkf_slice){text.text + 1, text.length - 2};
    if (!reading->have_origin)
        tkf_sink_origin(reading->sink, "perf-stat", TKF_TIMING_PROCESS);
    reading->have_origin = true;
    tkf_perf_begin(&reading->perf, tkf_keep(reading->sink, text), line);
    if (runs >= 1 && runs < 1e9)
        reading->perf.row.repetitions = (unsigned)runs;
}

/*
 * In this locale's way: perf prints seconds with decimals and without groups, so a comma in them
 * is the decimal sign.
 */
static bool seconds(struct tkf_slice text, double *ret_value, double *ret_quantum)
{
    bool comma = text.length && memchr(text.text, ',', text.length);
    return tkf_number(text, comma ? TKF_NUMBER_COMMA : TKF_NUMBER_POINT, ret_value, ret_quantum);
}

/*
 * "0.001266 +- 0.000342 seconds time elapsed  ( +- 27.03% )"; without -r only the first and the
 * words.
 */
static bool read_seconds(struct reading *reading, struct tkf_slice text)
{
    struct tkf_perf_count count = {.spread = NAN};
    struct tkf_slice first = tkf_field(&text), next = tkf_field(&text);
    double spread;
    if (tkf_slice_is(next, "+-")) {
        if (!seconds(tkf_field(&text), &spread, NULL))
            return false;
        count.spread = spread;
        next = tkf_field(&text);
    }
    if (!tkf_slice_is(next, "seconds") || !seconds(first, &count.value, &count.quantum))
        return false;
    struct tkf_slice what = tkf_field(&text);
    if (tkf_slice_is(what, "time"))
        reading->perf.wall_ns = (struct tkf_perf_count){count.value * 1e9, count.quantum * 1e9,
                                                        count.spread / count.value};
    else if (tkf_slice_is(what, "user"))
        reading->perf.row.cpu_ns = count.value * 1e9;
    else if (tkf_slice_is(what, "sys"))
        reading->perf.row.cpu_ns += count.value * 1e9;
    return true;
}

/*
 * A count is read by what its separators allow, as the locale is not stated: of two kinds the last
 * is the decimal sign; of one kind, perf prints two decimals and groups of three.
 */
static bool read_count(struct tkf_slice text, double *ret_value, double *ret_quantum)
{
    const char *end = text.text + text.length;
    const char *point = tkf_slice_last(text, '.');
    const char *comma = tkf_slice_last(text, ',');
    bool decimal_comma = comma && (point ? comma > point : end - comma == 3);
    bool groups_of_points = point && !comma && end - point == 4;
    return tkf_number(text, decimal_comma || groups_of_points ? TKF_NUMBER_COMMA : TKF_NUMBER_POINT,
                      ret_value, ret_quantum);
}

/* A number whose groups blanks may separate, without them. */
static struct tkf_slice take_count(struct tkf_slice *rest, char *buffer, size_t size)
{
    size_t length = 0;
    for (;;) {
        struct tkf_slice next = *rest;
        struct tkf_slice field = tkf_field(&next);
        if (!field.length || !isdigit((unsigned char)*field.text) || length + field.length > size)
            return (struct tkf_slice){buffer, length};
        memcpy(buffer + length, field.text, field.length);
        length += field.length;
        *rest = next;
    }
}

/* "1,234.56 msec task-clock # 0.334 CPUs utilized" */
static bool read_event(struct reading *reading, struct tkf_slice text)
{
    const char *comment = memchr(text.text, '#', text.length);
    if (comment)
        text.length = (size_t)(comment - text.text);
    if (tkf_perf_not_counted(text))
        return true;
    char buffer[64];
    struct tkf_perf_count count = {.spread = NAN};
    struct tkf_slice number = take_count(&text, buffer, sizeof(buffer));
    if (!number.length || !read_count(number, &count.value, &count.quantum))
        return false;
    struct tkf_slice unit = tkf_field(&text), event = tkf_field(&text);
    double unit_ns;
    if (!tkf_time_unit(unit, &unit_ns) || !event.length) {
        event = unit;
        unit.length = 0;
    }
    if (!event.length)
        return false;
    tkf_perf_event(&reading->perf, event, unit, count);
    return true;
}

static void read_line(struct reading *reading, const struct tkf_line *line)
{
    struct tkf_slice text = tkf_trim(tkf_line_slice(line));
    const char *start = memmem(text.text, text.length, block_start, strlen(block_start));
    if (start) {
        start += strlen(block_start);
        begin_block(reading, (struct tkf_slice){start, (size_t)(text.text + text.length - start)},
                    line->number);
        return;
    }
    /* Behind the elapsed time come only more seconds; then whatever was printed next. */
    if (!reading->perf.open || !text.length || read_seconds(reading, text) ||
        !isnan(reading->perf.wall_ns.value))
        return;
    if (!read_event(reading, text) && isdigit((unsigned char)*text.text))
        tkf_notice_unread(reading->sink, line->number, text);
}

static int read_perf_text(struct tkf_input *in, struct tkf_sink *sink,
                          struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct reading reading = {.sink = sink, .perf = {.sink = sink}};
    struct tkf_line line;
    while (tkf_input_line(in, &line))
        read_line(&reading, &line);
    tkf_perf_end(&reading.perf);
    return 0;
}

const struct tkf_reader tkf_reader_perf_text = {
    .name = "perf-text",
    .text = "perf stat, the table it prints",
    .recognise = recognise,
    .read = read_perf_text,
};
