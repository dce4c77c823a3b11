/* SPDX-License-Identifier: MIT */
/**
 * The lines that a reader passed over, kept for as long as they may be another format's.
 *
 * The output of a build holds the results of several frameworks, and a reader knows one. Lines that
 * gave no result are kept here in turn; when the reader is done, the surest of the others reads them,
 * as if they were a file of their own whose lines have the numbers that they have. What no other
 * reader knows is thrown away every few KiB, so that a log of any length takes no memory.
 */
#ifndef TKF_LEFT_H
#define TKF_LEFT_H

#include "grow.h"
#include "reader.h"

#define TKF_READERS_MAX 64
#define TKF_SKIPPED_MAX 2

struct tkf_left {
    bool used[TKF_READERS_MAX]; /* readers that these lines went by already, by index */
    struct tkf_bytes text;
    size_t begin;         /* of what is kept of it */
    unsigned first, last; /* the numbers of its first and last line */
    size_t looked;        /* bytes of it that no other reader knew */
    bool known;           /* another reader knows it: all is kept from here on */
    unsigned full;        /* the line on which there was too much of it; 0 */
    unsigned *taken;      /* lines of which a reader after the first made something */
    size_t ntaken, taken_size;
    bool follows; /* there was a reader before this one */
    /* what to say if nothing of it is a result */
    struct {
        unsigned line;
        const char *text;
    } skipped[TKF_SKIPPED_MAX];
    unsigned nskipped;
    bool out_of_memory;
};

/** Keep a line. */
void tkf_left_line(struct tkf_left *left, const struct tkf_line *line);

/** Note that a reader made something of a line that another had left. */
void tkf_left_taken(struct tkf_left *left, unsigned number);

/** All lines have been noted. */
void tkf_left_sort_taken(struct tkf_left *left);

/** Whether what an earlier reader said of a line is answered: a later one knew what is on it, or close to it. */
bool tkf_left_answers(const struct tkf_left *left, unsigned number);

/** Keep lines, of which the first has this number. @param why  what to say if they hold no result, NULL. */
void tkf_left_text(struct tkf_left *left, struct tkf_slice text, unsigned number, const char *why);

/** The surest of the readers that have not been used; NULL when none is sure. Throws away what comes before what it knows. */
const struct tkf_reader *tkf_left_reader(struct tkf_left *left);

void tkf_left_free(struct tkf_left *left);

/* ---- readers.c ---- */

/**
 * The reader that is surest that a text is its own, of those that are not *used*; NULL when none is
 * as sure as *least*.
 * @param used  by index in tkf_readers; NULL: none is.
 */
const struct tkf_reader *tkf_readers_recognise(const char *head, size_t length, const bool *used,
                                               int least);

/** Note that a reader has been used. */
void tkf_readers_use(const struct tkf_reader *reader, bool *used);

#endif
