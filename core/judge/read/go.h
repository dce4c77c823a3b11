/* SPDX-License-Identifier: MIT */
/** The lines that `go test -bench` prints, for the readers that get them as text and inside JSON. */
#ifndef TKF_READ_GO_H
#define TKF_READ_GO_H

#include "../reader.h"

#define TKF_GO_ORIGINS_MAX 64

/** What the lines of one package have said so far. Zeroed at first; strings are the sink's. */
struct tkf_go_run {
    const char *goos, *goarch, *cpu, *pkg, *version;
    const char *harness; /* that wrote it, where it says so: others print Go's format too */
    const char *pending; /* a name that was printed, its numbers not yet; NULL */
    unsigned pending_line;
    bool pending_began; /* the name was followed by a blank: the benchmark did run */
};

struct tkf_go {
    struct tkf_sink *sink;
    struct tkf_origin
        *origins[TKF_GO_ORIGINS_MAX]; /* one for each machine that the file speaks of */
    unsigned norigins;
};

/** One line, without its end. */
void tkf_go_line(struct tkf_go *go, struct tkf_go_run *run, const struct tkf_line *line);

/** No more lines of this package. */
void tkf_go_run_end(struct tkf_go *go, struct tkf_go_run *run);

/** How sure it is that these lines are Go's, 0..100. */
int tkf_go_recognise(const char *head, size_t length);

/**
 * Take the -procs suffix off the names of this input, where all names of a group share it, or each has every one of a list: names may
 * end in a number of their own.
 */
void tkf_go_strip_procs(struct tkf_sink *sink);

#endif
