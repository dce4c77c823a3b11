/* SPDX-License-Identifier: MIT */
/** Memory as the system hands it out: malloc() and free(), and the first touch of a page. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "explore/system.h"

#define PAGES      512
#define HUGE_PAGES 4

/* The kernel takes pages from its lists some 60 at once: windows of fewer are with or without one such trip. */
#define PAGES_LEAST 64

static void allocate(void *arg, uint64_t n)
{
    (void)arg;
    for (uint64_t i = 0; i < n; i++) {
        void *block = malloc(64);
        __asm__ volatile("" : "+r"(block) : : "memory"); /* or the compiler removes the pair */
        free(block);
    }
}

/** Memory of which no page has been touched: a new mapping for each window. */
struct region {
    size_t page_bytes, bytes; /* bytes: of the mapping, one huge page more than is touched */
    bool huge;
    char *mapped, *first;
    const char *reason; /* why it is of no use */
};

/** The pages of the window before were huge ones: with the first of their 4 KiB the others came too. */
static bool was_huge(const struct region *region)
{
    size_t small = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char resident = 0;
    return mincore(region->first + region->page_bytes - small, small, (void *)&resident) == 0 &&
           (resident & 1) != 0;
}

static void unmap(struct region *region)
{
    if (region->mapped == NULL)
        return;
    if (region->huge && region->first[0] != 0 && !was_huge(region))
        region->reason = "the system gave ordinary pages where huge ones were asked for";
    munmap(region->mapped, region->bytes);
    region->mapped = NULL;
}

static void map_anew(void *arg)
{
    struct region *region = arg;
    unmap(region);
    void *mapped = mmap(NULL, region->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (mapped == MAP_FAILED) {
        region->reason = "no memory could be mapped";
        return;
    }
    region->mapped = mapped;
    tkf_os_want_huge(mapped, region->bytes, region->huge);
    size_t past = (uintptr_t)mapped % region->page_bytes;
    region->first = region->mapped + (past > 0 ? region->page_bytes - past : 0);
}

static void touch(void *arg, uint64_t n)
{
    struct region *region = arg;
    if (region->mapped == NULL)
        return;
    for (uint64_t i = 0; i < n; i++)
        *(volatile char *)(region->first + i * region->page_bytes) = 1;
}

static void explore_touch(struct tkf_turns *turns, const char *name, const char *text,
                          size_t page_bytes, unsigned pages, bool huge)
{
    struct region region = {
        .page_bytes = page_bytes, .bytes = (pages + 1) * page_bytes, .huge = huge};
    struct tkf_op op = {.prepare = map_anew, .run = touch, .arg = &region, .most = pages};
    if (!huge)
        op.least = PAGES_LEAST;
    struct tkf_band cost = tkf_op_cost(turns->x, &op, tkf_turn(turns, 1));
    unmap(&region);
    if (region.reason != NULL)
        tkf_explore_add(turns->x, name, text, "ns", cost, region.reason);
    else
        tkf_turn_add(turns, name, text, "ns", cost);
}

void tkf_explore_pages(struct tkf_turns *turns)
{
    struct tkf_op op = {.run = allocate};
    tkf_op_step(turns, "malloc/64B", "malloc() and free() of 64 bytes, again and again", &op);

    char text[160];
    const char *name = "page/first-touch", *reason;
    size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
    snprintf(text, sizeof text, "the first write to a page of %zu KiB, the system clears it",
             bytes / 1024);
    explore_touch(turns, name, text, bytes, PAGES, false);

    name = "page/first-touch/huge";
    bytes = tkf_os_huge_page_bytes(&reason);
    snprintf(text, sizeof text, "the first write to a huge page of %zu KiB", bytes / 1024);
    if (bytes > 0)
        explore_touch(turns, name, text, bytes, HUGE_PAGES, true);
    else
        tkf_explore_add(turns->x, name, "the first write to a huge page", "ns",
                        (struct tkf_band){0, 0, 0}, reason);
}
