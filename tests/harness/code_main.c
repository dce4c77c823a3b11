/* SPDX-License-Identifier: MIT */
/* Makes a program of code.c, so that link-time optimisation sees all of it. The harness is stubs: nothing runs it. */
#include <stddef.h>

long shared_value;

struct tkf_bench;

__attribute__((noinline)) size_t tkf_bench_next(struct tkf_bench *b, const char *file,
                                                unsigned line)
{
    __asm__ volatile("" : : "r"(b), "r"(file), "r"(line) : "memory");
    return (size_t)shared_value;
}

int main(void)
{
    return 0;
}
