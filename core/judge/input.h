/* SPDX-License-Identifier: MIT */
/** The insides of struct tkf_input, for the files that make one: readers see reader.h only. */
#ifndef TKF_INPUT_H
#define TKF_INPUT_H

#include "gunzip.h"
#include "left.h"
#include "reader.h"

enum tkf_encoding {
    TKF_ENCODING_UTF8,
    TKF_ENCODING_UTF16LE,
    TKF_ENCODING_UTF16BE,
};

/** Where a value of one key stands; see tkf_json_line(). */
struct tkf_json_place {
    uint64_t hash; /* of the value */
    unsigned order;
    unsigned line;
};

struct tkf_input {
    FILE *stream;
    int fd; /* of the stream, -1 when it has none */
    FILE *tee;
    struct tkf_sink *sink;
    struct tkf_left *left;  /* where lines go that gave nothing; NULL: nowhere */
    struct tkf_line given;  /* the line that was given out last, and... */
    bool given_waits;       /* ...it is to be seen yet what becomes of it */
    unsigned given_results; /* that the sink had before it */

    enum tkf_encoding encoding;
    struct tkf_gunzip *gunzip; /* NULL: it comes as it is */
    char *packed;
    const char *packed_at;
    size_t npacked;
    double packed_bytes, unpacked_bytes;
    bool is_gzip; /* known as such, also where it cannot be unpacked */

    unsigned char *raw; /* UTF-16 units that are not turned into UTF-8 yet */
    size_t nraw;

    char *buffer; /* UTF-8, escape sequences and CR still in it */
    size_t size;
    size_t begin;            /* of what is not given out */
    size_t next_lf, next_cr; /* none in [begin, next): found, or not looked at yet */
    size_t end;
    unsigned line; /* LFs given out */
    bool began, ended;
    bool skip_rest; /* of a line that was too long */
    bool has_escapes, has_returns;

    int error;      /* TKF_EIO, TKF_ENOMEM; 0 */
    int reason;     /* errno of TKF_EIO */
    int tee_reason; /* errno of a failed tee, 0 */
    unsigned interrupts;

    char *head;

    bool whole; /* buffer[begin, end) is what tkf_input_all() gave out */

    size_t counted_offset; /* the last answer of tkf_input_line_of() */
    unsigned counted_line;

    char *places_key; /* the key that `places` is about */
    struct tkf_json_place *places;
    size_t nplaces;
};

/**
 * Read *stream*: through its descriptor when it has one, so that what a pipe gives is seen at once.
 * @param tee   NULL, or where every byte goes first.
 * @param sink  for notices.
 */
void tkf_input_begin(struct tkf_input *in, FILE *stream, FILE *tee, struct tkf_sink *sink);

/** Pass over the head, whole lines of it; false at the end of the input. */
bool tkf_input_skip_head(struct tkf_input *in);

/** Read on to the end, for the tee's sake. */
void tkf_input_drain(struct tkf_input *in);

/** Free what it owns; the streams stay open. */
void tkf_input_end(struct tkf_input *in);

#endif
