/* SPDX-License-Identifier: MIT */
/*
 * Copy: a value returned by copy against one returned through a pointer to fresh heap memory. The callee fills it either way.
 * By copy it fills room of its own and copies that to where the caller wants it, which is what a C compiler makes of a returned
 * struct that it cannot build in place; the room is on no stack, so that no stack's limit plays in. Small ones are cheaper by
 * copy, very large ones are not; `tickfloor bench --sweep` finds where the one overtakes the other here. All of them are honest.
 */
#include <stdlib.h>
#include <string.h>

#include "suite.h"

/* Compile-time sizes: a small copy is a few instructions and not a call. */
#define SIZE_FUNCTIONS(n)                                                 \
    struct value_##n {                                                    \
        unsigned char bytes[n];                                           \
    };                                                                    \
    static NOINLINE void value_##n(void *ret_value, void *room, int fill) \
    {                                                                     \
        memset(room, fill, n);                                            \
        tkf_keep(room);                                                   \
        *(struct value_##n *)ret_value = *(struct value_##n *)room;       \
        tkf_keep(ret_value);                                              \
    }                                                                     \
    static NOINLINE void *pointer_##n(int fill)                           \
    {                                                                     \
        void *value = malloc(n);                                          \
        if (value != NULL)                                                \
            memset(value, fill, n);                                       \
        tkf_keep(value);                                                  \
        return value;                                                     \
    }

#define SIZE_ENTRY(n) {n, value_##n, pointer_##n},

/* 8 B to 64 MB, and the size of the published study. */
#define SIZES(do)                                                                                                       \
    do                                                                                                                  \
    (8) do(16) do(32) do(64) do(80) do(128) do(256) do(512) do(1024) do(2048) do(4096) do(8192) do(16384) do(32768) do( \
        65536) do(131072) do(262144) do(524288) do(1048576) do(2097152) do(4194304) do(8388608) do(16777216) do(33554432) do(67108864)

SIZES(SIZE_FUNCTIONS)

const struct tkf_suite_size tkf_suite_sizes[] = {SIZES(SIZE_ENTRY)};
const unsigned tkf_suite_nsizes = sizeof tkf_suite_sizes / sizeof tkf_suite_sizes[0];

enum { SIZE_80B = 4, SIZE_8KB = 11, SIZE_8MB = 21 };

/* Inlined, so that the machine code of a case is its own. The heap could not give what the case needs: it fails, by a loop that is never reached. */
static ALWAYS_INLINE void by_value(struct tkf_bench *b, const struct tkf_suite_size *size)
{
    TKF_LOOP_HERE;
    unsigned char *value = malloc(size->bytes), *room = malloc(size->bytes);
    if (value != NULL && room != NULL) {
        size->value(value, room, 6); /* the first touch of their pages is no part of a copy */
        while (tkf_loop(b))
            size->value(value, room, 7);
    }
    tkf_set_bytes(b, size->bytes);
    free(value);
    free(room);
}

static ALWAYS_INLINE void by_pointer(struct tkf_bench *b, const struct tkf_suite_size *size)
{
    TKF_LOOP_HERE;
    while (tkf_loop(b))
        free(size->pointer(7));
    tkf_set_bytes(b, size->bytes);
}

static ALWAYS_INLINE void allocate(struct tkf_bench *b, const struct tkf_suite_size *size)
{
    TKF_LOOP_HERE;
    while (tkf_loop(b)) {
        void *block = malloc(size->bytes);
        tkf_keep(block);
        free(block);
    }
}

/* 80 bytes, by copy: a few stores and loads. */
TKF_BENCH_NAMED(Copy_80B_value, "Copy/80B/value")
{
    by_value(b, &tkf_suite_sizes[SIZE_80B]);
}

/* 80 bytes, through the heap: most of it is the allocator. */
TKF_BENCH_NAMED(Copy_80B_pointer, "Copy/80B/pointer")
{
    by_pointer(b, &tkf_suite_sizes[SIZE_80B]);
}

/* 8 KB, by copy: filled and copied in the first caches. */
TKF_BENCH_NAMED(Copy_8KB_value, "Copy/8KB/value")
{
    by_value(b, &tkf_suite_sizes[SIZE_8KB]);
}

/* 8 KB, through the heap: filled once, and the allocator. */
TKF_BENCH_NAMED(Copy_8KB_pointer, "Copy/8KB/pointer")
{
    by_pointer(b, &tkf_suite_sizes[SIZE_8KB]);
}

/* 8 MB, by copy: the copy goes through memory, or the last cache. */
TKF_BENCH_NAMED(Copy_8MB_value, "Copy/8MB/value")
{
    by_value(b, &tkf_suite_sizes[SIZE_8MB]);
}

/* 8 MB, through the heap: filled once; if the allocator gives it back to the system each time, the first touch of each page. */
TKF_BENCH_NAMED(Copy_8MB_pointer, "Copy/8MB/pointer")
{
    by_pointer(b, &tkf_suite_sizes[SIZE_8MB]);
}

/* ---- the sweep ---------------------------------------------------------------------------------------------------- */

static void sweep_value(struct tkf_bench *b, size_t left)
{
    (void)left;
    by_value(b, &tkf_suite_sizes[b->arg]);
}

static void sweep_pointer(struct tkf_bench *b, size_t left)
{
    (void)left;
    by_pointer(b, &tkf_suite_sizes[b->arg]);
}

static void sweep_allocate(struct tkf_bench *b, size_t left)
{
    (void)left;
    allocate(b, &tkf_suite_sizes[b->arg]);
}

#define SWEEP_ENTRY(body)                                               \
    {                                                                   \
        .name = #body, .file = __FILE__, .line = __LINE__, .loop = body \
    }

const struct tkf_bench_entry tkf_suite_by_value = SWEEP_ENTRY(sweep_value);
const struct tkf_bench_entry tkf_suite_by_pointer = SWEEP_ENTRY(sweep_pointer);
const struct tkf_bench_entry tkf_suite_allocate = SWEEP_ENTRY(sweep_allocate);
