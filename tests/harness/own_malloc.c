/* SPDX-License-Identifier: MIT */
/* A program with an allocator of its own, which no library can come before; programs.py wants --mem refused. */
#include <stdlib.h>

#include <tickfloor/bench.h>

void *__libc_malloc(size_t size);
void __libc_free(void *block);

void *malloc(size_t size)
{
    return __libc_malloc(size);
}

void free(void *block)
{
    __libc_free(block);
}

TKF_BENCH(Own)
{
    while (tkf_loop(b)) {
        void *block = malloc(64);
        tkf_keep(block);
        free(block);
    }
}

TKF_BENCH_MAIN()
