/* SPDX-License-Identifier: MIT */
/**
 * Cutting text into pieces, and the pieces that results are made of in more than one format.
 *
 * Lifetime: slices and places point into what they were cut from.
 */
#ifndef TKF_READ_SLICE_H
#define TKF_READ_SLICE_H

#include "../reader.h"

/** A list of strings ended by NULL. */
#define TKF_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/** A string; empty for NULL. */
struct tkf_slice tkf_slice_of(const char *text);

struct tkf_slice tkf_line_slice(const struct tkf_line *line);

/** Whether columns may be set apart by it: a space or a tab. */
static inline bool tkf_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/** Without the white space of ASCII at both ends. */
struct tkf_slice tkf_trim(struct tkf_slice slice);

/** Without a pair of these characters round it, if it has them. */
struct tkf_slice tkf_unwrap(struct tkf_slice slice, char open, char close);

/** Take an ending off; false when it ends otherwise. */
bool tkf_drop_end(struct tkf_slice *slice, const char *end);

/** Whether it is one of these words, to the letter. */
bool tkf_is_one_of(struct tkf_slice slice, const char *const *words);

/* ---- places in it ---- */

/** Where *what* begins; NULL when it is not in it. */
const char *tkf_slice_find(struct tkf_slice slice, const char *what);

/** The last place of a character; NULL when it is not in it. */
const char *tkf_slice_last(struct tkf_slice slice, char c);

/** All before *end*, a place in the slice. */
struct tkf_slice tkf_slice_until(struct tkf_slice slice, const char *end);

/** All from *start*, a place in the slice, on. */
struct tkf_slice tkf_slice_from(struct tkf_slice slice, const char *start);

/** Cut at the first place of a text, which is in neither part. Outputs may be NULL. */
bool tkf_cut(struct tkf_slice slice, const char *at, struct tkf_slice *ret_before,
             struct tkf_slice *ret_after);

/** As tkf_cut(), at the last place. */
bool tkf_cut_last(struct tkf_slice slice, const char *at, struct tkf_slice *ret_before,
                  struct tkf_slice *ret_after);

/** The last field separated by blanks, taken off the end of *rest; empty when there is none. */
struct tkf_slice tkf_last_field(struct tkf_slice *rest);

/* ---- what results look like ---- */

/**
 * Without the mark of a comment or a quotation that it begins with: results are pasted into sources
 * and letters. The mark has to stand alone, as a benchmark's name may begin so.
 */
struct tkf_slice tkf_uncomment(struct tkf_slice slice);

/** A line's text without that and without the white space at both ends. */
struct tkf_slice tkf_line_text(const struct tkf_line *line);

/**
 * Trimmed, and without any number of '/', '#', '*' and '>' before it: for formats whose lines cannot
 * begin so.
 */
struct tkf_slice tkf_strip_marks(struct tkf_slice slice);

/** Cut at the sign of a spread: ± in any of its encodings, +/-, +-. Both parts trimmed. */
bool tkf_cut_spread(struct tkf_slice slice, struct tkf_slice *ret_value,
                    struct tkf_slice *ret_spread);

/** A time with its unit that fills the slice. ret_quantum_ns may be NULL. */
bool tkf_whole_time(struct tkf_slice slice, double *ret_ns, double *ret_quantum_ns);

/** "0.6 ms … 0.9 ms"; what follows the second time is not looked at. */
bool tkf_time_range(struct tkf_slice slice, double *ret_min_ns, double *ret_max_ns);

#endif
