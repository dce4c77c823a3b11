/* SPDX-License-Identifier: MIT */
/** Texts, each kept once and numbered in the order in which they came. */
#ifndef TKF_NAMES_H
#define TKF_NAMES_H

#include <stddef.h>

/** Zeroed at first. */
struct tkf_names {
    char **texts; /**< [count]; by number */
    size_t count, size;
    unsigned *slots; /**< a hash table of [nslots], a power of 2: number + 1 */
    size_t nslots;
};

/** The number of a text, which is kept when it is new. A negative code: TKF_ENOMEM. */
long tkf_names_add(struct tkf_names *names, const char *text, size_t length);

void tkf_names_free(struct tkf_names *names);

#endif
