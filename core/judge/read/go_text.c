/* SPDX-License-Identifier: MIT */
/* What `go test -bench` prints, as it is; also x/perf's benchmark format. */
#include "go.h"

static int read_lines(struct tkf_input *in, struct tkf_sink *sink,
                      struct tkf_input_error *ret_error)
{
    struct tkf_go go = {.sink = sink};
    struct tkf_go_run run = {0};
    struct tkf_line line;
    (void)ret_error; /* nothing in text is beyond reading */
    while (tkf_input_line(in, &line))
        tkf_go_line(&go, &run, &line);
    tkf_go_run_end(&go, &run);
    tkf_go_strip_procs(sink);
    return 0;
}

const struct tkf_reader tkf_reader_go_text = {
    .name = "go-text",
    .text = "output of go test -bench",
    .empty = "did it build, and was -bench given?",
    .recognise = tkf_go_recognise,
    .read = read_lines,
};
