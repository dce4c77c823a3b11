/* SPDX-License-Identifier: MIT */
/** Memory to measure in, straight from the system, in huge pages where it has them. */
#ifndef TKF_EXPLORE_MEMORY_H
#define TKF_EXPLORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tkf_memory {
    char *at; /**< zeroed, not touched yet, at the beginning of a huge page; NULL: none */
    size_t bytes;
    void *mapped; /**< what the system gave */
    size_t mapped_bytes;
};

/** @param ret_memory  end it with tkf_memory_unmap(). Errors: TKF_ENOMEM. */
int tkf_memory_map(size_t bytes, struct tkf_memory *ret_memory);
void tkf_memory_unmap(struct tkf_memory *memory);

/* ---- linux/memory.c, macos/memory.c -------------------------------------------------------------------------------------- */

/** Whether nearly all of that memory, which has been touched, lies in huge pages, as far as the system tells. */
bool tkf_os_memory_huge(const void *at, size_t bytes);

/** Bytes that could be had without harm: what is free, and what limits of this process leave. 0 unknown. */
uint64_t tkf_os_memory_available(void);

#endif
