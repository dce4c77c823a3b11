/* SPDX-License-Identifier: MIT */
/**
 * Counts the calls of the C library's allocator and passes them on. A library of its own, loaded by LD_PRELOAD and linked
 * by nobody; see mem.c.
 *
 * One relaxed atomic addition for each count: exact with any number of threads, and no order is needed, as whoever reads knows that
 * the threads that it asks about have been joined.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem_counts.h"

#define EXPORT __attribute__((visibility("default")))

static struct tkf_mem_counts counts;

static void *(*real_malloc)(size_t size);
static void *(*real_calloc)(size_t count, size_t size);
static void *(*real_realloc)(void *block, size_t size);
static void *(*real_memalign)(size_t alignment, size_t size);
static void (*real_free)(void *block);

/* dlsym() itself may allocate before there is anything to pass on to; such blocks are never freed. */
static _Alignas(64) char early[8192];
static size_t early_used;

static void add(uint64_t *count, uint64_t by)
{
    __atomic_fetch_add(count, by, __ATOMIC_RELAXED);
}

static void resolve(void)
{
    real_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    real_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    real_memalign = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "memalign");
    real_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    void *(*next)(size_t) = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    __atomic_store_n(&real_malloc, next, __ATOMIC_RELEASE);
}

/** False while dlsym() looks for what to pass on to, on this thread. */
static bool ready(void)
{
    static __thread bool resolving;
    if (__builtin_expect(__atomic_load_n(&real_malloc, __ATOMIC_ACQUIRE) != NULL, 1))
        return true;
    if (resolving)
        return false;
    resolving = true;
    resolve();
    resolving = false;
    return true;
}

static void *early_block(size_t size)
{
    size_t at = __atomic_fetch_add(&early_used, (size + 63) / 64 * 64, __ATOMIC_RELAXED);
    return size <= sizeof early && at <= sizeof early - size ? early + at : NULL;
}

static bool is_early(const void *block)
{
    return (const char *)block >= early && (const char *)block < early + sizeof early;
}

EXPORT void *malloc(size_t size)
{
    if (!ready())
        return early_block(size);
    add(&counts.mallocs, 1);
    add(&counts.bytes, size);
    return real_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
    if (!ready())
        return early_block(count * size);
    add(&counts.callocs, 1);
    add(&counts.bytes, count * size);
    return real_calloc(count, size);
}

EXPORT void *realloc(void *block, size_t size)
{
    if (!ready())
        return NULL;
    add(&counts.reallocs, 1);
    add(&counts.bytes, size);
    if (!is_early(block))
        return real_realloc(block, size);
    void *moved = real_malloc(size);
    size_t left = (size_t)(early + sizeof early - (char *)block);
    if (moved != NULL)
        memcpy(moved, block, size < left ? size : left);
    return moved;
}

/** `size` bytes, of which `asked` were asked for. */
static void *aligned(size_t alignment, size_t asked, size_t size)
{
    if (!ready())
        return NULL;
    add(&counts.aligned, 1);
    add(&counts.bytes, asked);
    return real_memalign(alignment, size);
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    return aligned(alignment, size, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    return aligned(alignment, size, size);
}

EXPORT void *valloc(size_t size)
{
    return aligned((size_t)sysconf(_SC_PAGESIZE), size, size);
}

/* valloc() of whole pages. */
EXPORT void *pvalloc(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size > SIZE_MAX - page) {
        errno = ENOMEM;
        return NULL;
    }
    return aligned(page, size, (size + page - 1) / page * page);
}

EXPORT int posix_memalign(void **ret_block, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    int kept = errno;
    void *block = aligned(alignment, size, size);
    errno = kept; /* POSIX: it answers by value */
    if (block == NULL)
        return ENOMEM;
    *ret_block = block;
    return 0;
}

EXPORT void free(void *block)
{
    if (block == NULL || is_early(block) || !ready())
        return;
    add(&counts.frees, 1);
    real_free(block);
}

EXPORT void tkf_mem_preload_read(struct tkf_mem_counts *ret_counts)
{
    ret_counts->mallocs = __atomic_load_n(&counts.mallocs, __ATOMIC_RELAXED);
    ret_counts->callocs = __atomic_load_n(&counts.callocs, __ATOMIC_RELAXED);
    ret_counts->reallocs = __atomic_load_n(&counts.reallocs, __ATOMIC_RELAXED);
    ret_counts->aligned = __atomic_load_n(&counts.aligned, __ATOMIC_RELAXED);
    ret_counts->frees = __atomic_load_n(&counts.frees, __ATOMIC_RELAXED);
    ret_counts->bytes = __atomic_load_n(&counts.bytes, __ATOMIC_RELAXED);
}
