/* SPDX-License-Identifier: MIT */
/* BenchmarkDotNet's -report.csv: forty columns of the job, the parameters, then statistics as text
 * with a unit. The culture decides the separator of cells and those in numbers. */
#include <math.h>
#include <string.h>

#include "bdn.h"
#include "slice.h"

/* The separator of a header line; 0 when it is none. */
static char separator_of(struct tkf_slice line)
{
    static const char *const starts[] = {"Method", "Type", "Namespace", "\"Method\""};
    if (!tkf_slice_find(line, "Method") || !tkf_slice_find(line, "Mean"))
        return 0;
    for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
        size_t length = strlen(starts[i]);
        if (tkf_slice_starts(line, starts[i]) && line.length > length &&
            strchr(",;\t", line.text[length]))
            return line.text[length];
    }
    return 0;
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    struct tkf_slice line = {head, strcspn(head, "\n")};
    if (separator_of(line) == 0)
        return 0;
    return tkf_slice_find(line, "Job") ? 92 : 70;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct tkf_bdn bdn = {.sink = sink, .timer_step_ns = NAN, .cpus = NAN};
    struct tkf_line line;
    while (tkf_input_line(in, &line)) {
        struct tkf_slice text = tkf_line_slice(&line);
        char separator = separator_of(text);
        if (separator) { /* several files in one */
            tkf_bdn_table_end(&bdn);
            if (tkf_bdn_is_header(&bdn, text, separator))
                tkf_bdn_table_add(&bdn, line.number, text);
        } else if (bdn.nlines > 0) {
            tkf_bdn_table_add(&bdn, line.number, text);
        }
    }
    tkf_bdn_end(&bdn);
    return 0;
}

const struct tkf_reader tkf_reader_bdn_csv = {
    .name = "bdn-csv",
    .text = "BenchmarkDotNet -report.csv",
    .recognise = recognise,
    .read = read_all,
};
