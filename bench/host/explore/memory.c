/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <sys/mman.h>

#include "explore/system.h"

int tkf_memory_map(size_t bytes, struct tkf_memory *ret_memory)
{
    const char *ignored;
    size_t page = tkf_os_huge_page_bytes(&ignored), all = bytes + page;
    char *mapped = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (mapped == MAP_FAILED)
        return TKF_ENOMEM;
    size_t past = page > 0 ? (uintptr_t)mapped % page : 0;
    char *at = mapped + (past > 0 ? page - past : 0);
    if (page > 0)
        tkf_os_want_huge(at, bytes, true);
    *ret_memory = (struct tkf_memory){at, bytes, mapped, all};
    return 0;
}

void tkf_memory_unmap(struct tkf_memory *memory)
{
    if (memory->mapped != NULL)
        munmap(memory->mapped, memory->mapped_bytes);
    *memory = (struct tkf_memory){NULL, 0, NULL, 0};
}
