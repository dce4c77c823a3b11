/* SPDX-License-Identifier: MIT */
/*
 * Three benchmarks of a hash function: one that measures nothing, and two that measure it. Run it and see which line is marked;
 * with --mem, which ones allocate.
 */
#include <stdlib.h>
#include <string.h>

#include <tickfloor/bench.h>

/* FNV-1a. */
static uint64_t hash(const unsigned char *bytes, size_t count)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < count; i++)
        h = (h ^ bytes[i]) * 1099511628211u;
    return h;
}

/* Dead: nobody uses the result, so the compiler deletes the call. This is the line that is marked at the floor. */
TKF_BENCH(HashDiscarded)
{
    unsigned char bytes[16] = "sixteen letters";
    while (tkf_loop(b))
        hash(bytes, sizeof bytes);
}

/* tkf_opaque() hides the input, tkf_keep() uses the result: it is computed in every iteration. */
TKF_BENCH(Hash)
{
    unsigned char bytes[16] = "sixteen letters";
    while (tkf_loop(b))
        tkf_keep(hash(tkf_opaque(&bytes[0]), sizeof bytes));
    tkf_set_bytes(b, sizeof bytes);
}

/* A row for each size. What lies outside the loop is not measured. */
TKF_BENCH_ARGS(HashBuffer, 64, 1024, 16384)
{
    size_t size = (size_t)b->arg;
    unsigned char *bytes = malloc(size);
    if (bytes == NULL)
        return; /* and the harness says that the loop was never reached */
    memset(bytes, 'x', size);
    while (tkf_loop(b))
        tkf_keep(hash(tkf_opaque(bytes), size));
    tkf_set_bytes(b, size);
    free(bytes);
}

TKF_BENCH_MAIN()
