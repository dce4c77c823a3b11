/* SPDX-License-Identifier: MIT */
/** Memory to measure in, straight from the system; linux/pages.c and macos/pages.c. */
#ifndef TKF_EXPLORE_PAGES_H
#define TKF_EXPLORE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tkf_pages {
    char *at; /**< zeroed, not touched yet; NULL: none */
    size_t bytes;
    void *mapping; /**< what the system gave */
    size_t mapping_bytes;
};

/**
 * Map memory that is aligned to a huge page, and ask for huge pages where the system has them.
 * @param ret_pages  end it with tkf_pages_unmap().
 * Errors: TKF_ENOMEM.
 */
int tkf_pages_map(size_t bytes, struct tkf_pages *ret_pages);
void tkf_pages_unmap(struct tkf_pages *pages);

/** Whether nearly all of it, which has been touched by now, lies in huge pages, as far as the system tells. */
bool tkf_pages_huge(const struct tkf_pages *pages);

/** Bytes that could be had without harm: free memory, and what limits of this process leave. 0 unknown. */
uint64_t tkf_pages_available(void);

#endif
