/* SPDX-License-Identifier: MIT */
/** JSON as frameworks write it, where that is not what jansson takes: a copy is mended, and parsed. */
#ifndef TKF_JSON_MEND_H
#define TKF_JSON_MEND_H

#include "reader.h"

/** How all JSON is parsed: what follows the document is the caller's to look at. */
#define TKF_JSON_FLAGS JSON_DISABLE_EOF_CHECK

/** What was done to the text, for the notices. */
struct tkf_mended {
    unsigned not_numbers; /**< NaN, Infinity, and numbers that no double holds */
    unsigned
        characters; /**< in strings: not UTF-8, control characters, NUL, halves of surrogate pairs */
    bool closed;    /**< the end was missing */
};

/**
 * Whether mending may help: else the bracket is text in front of the document, or the document ends in something else.
 */
bool tkf_json_worth_mending(const json_error_t *problem);

/**
 * Mend and parse the document at *text*; when that fails as well, all before the place where it failed.
 *
 * @param done         what was done is added to it.
 * @param ret_problem  written on failure.
 * @return a new reference; NULL when it cannot be parsed, or out of memory.
 */
json_t *tkf_json_load_mended(const char *text, size_t length, struct tkf_mended *done,
                             json_error_t *ret_problem);

/** Notices of what was done; from *last_line* on nothing was read, where the end was missing. */
void tkf_json_say_mended(struct tkf_sink *sink, const struct tkf_mended *done, unsigned last_line);

#endif
