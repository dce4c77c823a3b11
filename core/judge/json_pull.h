/* SPDX-License-Identifier: MIT */
/**
 * JSON taken from a text value by value, without a tree of it: strict, as RFC 8259 has it, in one pass, with the line.
 *
 * A profile is read this way because a fleet has thousands of them: building jansson's tree was nine tenths of the time.
 * Strings are decoded in place, so they live as long as the text, and the text is no JSON afterwards.
 */
#ifndef TKF_JSON_PULL_H
#define TKF_JSON_PULL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tkf_pull_type {
    TKF_PULL_OBJECT,
    TKF_PULL_LIST,
    TKF_PULL_STRING,
    TKF_PULL_NUMBER,
    TKF_PULL_BOOL,
    TKF_PULL_NULL,
    TKF_PULL_NONE, /**< no value begins here */
};

/** Where the taking stands. Once `problem` is set every function fails. */
struct tkf_pull {
    char *at, *end;
    unsigned line;
    char problem[100]; /**< what is not JSON here; "" */
    bool truncated;    /**< it is that the text ends */
};

/** A number; `whole` has no point and no exponent, and `integer` is then exact. */
struct tkf_pull_number {
    double value;
    bool whole;
    int64_t integer;
};

/** What the next value is; blanks before it are skipped. */
enum tkf_pull_type tkf_pull_peek(struct tkf_pull *pull);

/** Take a value, of the type that was peeked. @return false with `problem` set. */
bool tkf_pull_string(struct tkf_pull *pull, const char **ret_text, size_t *ret_length);
bool tkf_pull_number(struct tkf_pull *pull, struct tkf_pull_number *ret_number);
bool tkf_pull_bool(struct tkf_pull *pull, bool *ret_value);
bool tkf_pull_null(struct tkf_pull *pull);

/**
 * Step into an object or a list, then from entry to entry.
 * @param first     true for the first call, which takes the opening bracket.
 * @param ret_key   of the member, decoded; NULL for a list.
 * @return true when there is an entry, whose value is next; false behind the closing bracket or with `problem` set.
 */
bool tkf_pull_next(struct tkf_pull *pull, bool first, const char **ret_key);

/** Pass over a value, whatever it is, leaving the text as it is. @return false with `problem` set. */
bool tkf_pull_skip(struct tkf_pull *pull);

/** Skip blanks, counting lines. */
void tkf_pull_blanks(struct tkf_pull *pull);

/** Say what is wrong here, with what is near; false. */
bool tkf_pull_fail(struct tkf_pull *pull, const char *problem);

#endif
