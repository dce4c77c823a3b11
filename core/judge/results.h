/* SPDX-License-Identifier: MIT */
/** The insides of struct tkf_results and struct tkf_sink, for the files that fill them in and judge them. */
#ifndef TKF_RESULTS_H
#define TKF_RESULTS_H

#include "reader.h"

struct tkf_chunk; /* a piece of memory that the results own */
struct tkf_spare;
struct tkf_text_slot;
struct tkf_floor; /* judge.h */

/** A result, and what is known of the rows that it was made from. */
struct tkf_row {
    struct tkf_result result; /* first: the one that is given out */
    unsigned merged;          /* rows */
    unsigned nvalues;         /* ever offered to result.samples */
    double lowest_ns, highest_ns;
};

/** Arrays of at most 4^3 elements come in so many sizes. */
#define TKF_ARRAY_SIZES 4

struct tkf_results {
    struct tkf_chunk *chunks;
    size_t chunk_left;
    struct tkf_spare *spares[TKF_ARRAY_SIZES]; /* arrays that are not in use, by size */

    struct tkf_text_slot *texts; /* a hash table of [texts_size], a power of 2 */
    size_t ntexts, texts_size;

    struct tkf_row **rows;
    size_t nrows, rows_size;
    unsigned *row_slots; /* a hash table of [row_slots_size]: index into rows + 1 */
    size_t row_slots_size;

    struct tkf_notice *notices;
    size_t nnotices, notices_size;

    struct tkf_floor *floors; /* of each origin, by tkf_results_judge() */
    size_t nfloors;
};

struct tkf_sink {
    struct tkf_results *results;
    const char *file, *format;
    struct tkf_origin *origin;
    struct tkf_slice last_text; /* kept; the same is often kept again */
    struct tkf_row *last;       /* most rows are repetitions of the one before */
    struct tkf_origin spare;    /* stands in when there is no memory for one */
    size_t first_row;           /* of this input */
    unsigned nnotices;          /* of this input, those beyond the limit too */
    unsigned nfailures;         /* the same of failures */
    unsigned nadded;            /* rows, and what else was understood */
    bool out_of_memory;
};

/** Zeroed memory that lives as long as the results; NULL when out of memory. */
void *tkf_results_alloc(struct tkf_results *results, size_t size);

/**
 * Room for one more sample, metric or piece of evidence in an array of *count*, fewer than 64. It has room for the next power of 4 of
 * them; arrays that were too small are used again.
 * @param array  NULL as long as *count* is 0.
 * @return the array, maybe moved; NULL when out of memory, which leaves all as it was.
 */
void *tkf_results_grow(struct tkf_results *results, void *array, unsigned count);

/** Give back an array of tkf_results_grow(). */
void tkf_results_recycle(struct tkf_results *results, void *array, unsigned count);

/** Keep a string, equal ones once; NULL when out of memory. */
const char *tkf_results_text(struct tkf_results *results, const char *text, size_t length);

/** Begin one input; *file* and *format* live as long as the results. */
void tkf_sink_begin(struct tkf_sink *sink, struct tkf_results *results, const char *file,
                    const char *format);

/** All rows are there: work out medians and intervals of the repetitions. */
void tkf_sink_end(struct tkf_sink *sink);

/** Free all that results own but not the struct. */
void tkf_results_clear(struct tkf_results *results);

/** Free what tkf_results_judge() keeps beside the rows. */
void tkf_judge_clear(struct tkf_results *results);

#endif
