// SPDX-License-Identifier: MIT
// adds.c with google-benchmark.
#include <benchmark/benchmark.h>

#define ADD \
    x += y; \
    __asm__ volatile("" : "+r"(x))

static uint64_t hidden(uint64_t x)
{
    __asm__ volatile("" : "+r"(x));
    return x;
}

static void Add0(benchmark::State &state)
{
    for (auto _ : state) {
        __asm__ volatile(""); // without it the compiler deletes the loop
    }
}
BENCHMARK(Add0);

static void Add1(benchmark::State &state)
{
    uint64_t x = 1, y = hidden(3);
    for (auto _ : state) {
        ADD;
    }
    benchmark::DoNotOptimize(x);
}
BENCHMARK(Add1);

static void Add2(benchmark::State &state)
{
    uint64_t x = 1, y = hidden(3);
    for (auto _ : state) {
        ADD;
        ADD;
    }
    benchmark::DoNotOptimize(x);
}
BENCHMARK(Add2);

static void Add4(benchmark::State &state)
{
    uint64_t x = 1, y = hidden(3);
    for (auto _ : state) {
        ADD;
        ADD;
        ADD;
        ADD;
    }
    benchmark::DoNotOptimize(x);
}
BENCHMARK(Add4);

BENCHMARK_MAIN();
