/* SPDX-License-Identifier: MIT */
/* BenchmarkDotNet's tables as markdown of any dialect, AsciiDoc, or copied from its console. */
#include <math.h>
#include <string.h>

#include "bdn.h"
#include "slice.h"

static int recognise(const char *head, size_t length)
{
    (void)length;
    bool named = strstr(head, "BenchmarkDotNet");
    for (const char *at = strstr(head, "Method"); at; at = strstr(at + 1, "Method")) {
        struct tkf_slice line = {at, strcspn(at, "\n")};
        const char *mean = tkf_slice_find(line, "Mean");
        if (mean && memchr(line.text, '|', (size_t)(mean - line.text)))
            return named ? 80 : 60;
    }
    return 0;
}

static int read_all(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    (void)ret_error;
    struct tkf_bdn bdn = {.sink = sink, .timer_step_ns = NAN, .cpus = NAN};
    struct tkf_line line;
    while (tkf_input_line(in, &line))
        tkf_bdn_line(&bdn, line.number, tkf_line_slice(&line));
    tkf_bdn_end(&bdn);
    return 0;
}

const struct tkf_reader tkf_reader_bdn_md = {
    .name = "bdn-md",
    .text = "BenchmarkDotNet markdown",
    .recognise = recognise,
    .read = read_all,
};
