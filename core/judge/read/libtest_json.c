/* SPDX-License-Identifier: MIT */
/* libtest's `--format json`: one object for each line. Its "mib_per_second" is in decimal
 * megabytes. */
#include <math.h>
#include <string.h>

#include "head.h"
#include "json_walk.h"

static void add_event(struct tkf_sink *sink, unsigned line, const json_t *event)
{
    bool bench = tkf_json_is(event, "type", "bench"),
         failed = tkf_json_is(event, "event", "failed");
    const char *name = tkf_json_text(event, "name");
    if (!bench && !(failed && tkf_json_is(event, "type", "test")))
        return;
    struct tkf_result row = tkf_sink_row(sink, line);
    row.ns = tkf_json_number(event, "median");
    if (!name || (bench && isnan(row.ns))) {
        tkf_sink_notice(sink, line, "a result without a name or a median");
        return;
    }
    row.name = name;
    row.failed = failed;
    if (failed) {
        row.remark = "FAILED";
    } else {
        double spread = tkf_json_number(event, "deviation");
        row.ns_lo = row.ns - spread;
        row.ns_hi = row.ns + spread;
        row.quantum_ns = 0;
        row.statistic = TKF_STATISTIC_MEDIAN;
        row.batch = 1;
        row.bytes_per_second = tkf_json_number(event, "mib_per_second") * 1e6;
    }
    tkf_sink_add(sink, &row);
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (!tkf_head_opens(head, '{'))
        return 0;
    if (strstr(head, "\"type\": \"bench\"") || strstr(head, "\"type\":\"bench\""))
        return strstr(head, "\"median\"") ? 95 : 0;
    return strstr(head, "\"type\": \"suite\"") && strstr(head, "\"test_count\"") ? 90 : 0;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct tkf_line line;
    tkf_sink_origin(sink, "libtest", TKF_TIMING_BATCHED);
    while (tkf_input_line(in, &line)) {
        json_t *event = tkf_json_line_load(sink, &line);
        if (event)
            add_event(sink, line.number, event);
        json_decref(event);
    }
    return 0;
}

const struct tkf_reader tkf_reader_libtest_json = {
    .name = "libtest-json",
    .text = "Rust libtest JSON",
    .recognise = recognise,
    .read = read_all,
};
