/* SPDX-License-Identifier: MIT */
/** Arrays and texts that grow, in steps that keep the cost of each element the same. */
#ifndef TKF_GROW_H
#define TKF_GROW_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Make room for one more element.
 *
 * @param array  of malloc(), NULL at first; once this succeeded only what it returned is valid.
 * @param count  elements in it.
 * @param size   elements that there is room for, 0 at first; updated.
 * @return the array, maybe moved; NULL when out of memory, which leaves all as it was.
 */
void *tkf_grow(void *array, size_t count, size_t *size, size_t element_bytes);

/** A text; zeroed at first, `text` is the caller's to free. */
struct tkf_bytes {
    char *text; /**< NUL-terminated, NULL as long as nothing was added */
    size_t length, size;
};

/** Add to the text; false when out of memory, which leaves it as it was. */
bool tkf_bytes_add(struct tkf_bytes *bytes, const char *text, size_t length);

#endif
