/* SPDX-License-Identifier: MIT */
/* perf stat -x. It names no command, and its elapsed time only when duration_time was counted. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include <tickfloor/error.h>

#include "perf.h"
#include "table.h"

/* An event and its unit, as they stand between separators. */
static const char *const signs[] = {"msec,task-clock",  "msec;task-clock",  "msec|task-clock",
                                    "msec\ttask-clock", "ns,duration_time", "ns;duration_time",
                                    "ns|duration_time", "ns\tduration_time"};

static const char *find_sign(const char *text)
{
    const char *first = NULL;
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        const char *sign = strstr(text, signs[i]);
        if (sign && (!first || sign < first))
            first = sign;
    }
    return first;
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    return find_sign(head) ? 90 : 0;
}

struct reading {
    struct tkf_sink *sink;
    struct tkf_perf perf;
    struct tkf_csv cells;
    char separator;
    bool partial; /* lines that count one interval or CPU were met */
};

/* A locale's decimal comma can stand only where the comma does not separate. */
static bool number(const struct reading *reading, struct tkf_slice text, double *ret_value,
                   double *ret_quantum)
{
    bool comma = reading->separator != ',' && memchr(text.text, ',', text.length);
    return tkf_number(text, comma ? TKF_NUMBER_COMMA : TKF_NUMBER_POINT, ret_value, ret_quantum);
}

/*
 * "value,unit,event,...": an event that stands further right is behind a time or a CPU, -I and -A.
 */
static void read_fields(struct reading *reading, unsigned line)
{
    struct tkf_perf_count count = {.spread = NAN};
    const struct tkf_csv *cells = &reading->cells;
    struct tkf_slice first = tkf_csv_cell(cells, 0);
    struct tkf_slice event = tkf_csv_cell(cells, 2);
    bool counted = number(reading, first, &count.value, &count.quantum);
    if (!event.length || !isalpha((unsigned char)*event.text) ||
        (!counted && !tkf_perf_not_counted(first))) {
        if (!reading->partial)
            tkf_sink_notice(reading->sink, line,
                            "no count of a whole command in this line; read perf stat without -I "
                            "and -A");
        reading->partial = true;
        return;
    }
    if (!reading->perf.open) {
        tkf_sink_origin(reading->sink, "perf-stat", TKF_TIMING_PROCESS);
        tkf_perf_begin(&reading->perf, "command", line);
    }
    /* -r puts the spread of its runs behind the event. */
    struct tkf_slice spread = tkf_csv_cell(cells, 3);
    double percent;
    if (spread.length && spread.text[spread.length - 1] == '%') {
        spread.length--;
        if (number(reading, spread, &percent, NULL))
            count.spread = percent / 100;
    }
    if (counted)
        tkf_perf_event(&reading->perf, event, tkf_csv_cell(cells, 1), count);
}

static int read_perf_csv(struct tkf_input *in, struct tkf_sink *sink,
                         struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct reading reading = {.sink = sink, .perf = {.sink = sink}};
    struct tkf_line line;
    bool memory = true;
    size_t length;
    const char *sign = find_sign(tkf_input_head(in, &length));
    reading.separator = sign ? sign[strcspn(sign, ",;|\t")] : ',';
    while (memory && tkf_input_line(in, &line)) {
        if (line.text[0] == '#') {
            /* "# started on ...": the next command. */
            tkf_perf_end(&reading.perf);
        } else if (memchr(line.text, reading.separator, line.length)) {
            memory = tkf_csv_split(&reading.cells, line.text, line.length, reading.separator);
            if (memory)
                read_fields(&reading, line.number);
        }
    }
    tkf_perf_end(&reading.perf);
    tkf_csv_free(&reading.cells);
    return memory ? 0 : TKF_ENOMEM;
}

const struct tkf_reader tkf_reader_perf_csv = {
    .name = "perf-csv",
    .text = "perf stat -x",
    .recognise = recognise,
    .read = read_perf_csv,
};
