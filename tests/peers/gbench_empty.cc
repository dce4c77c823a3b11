// SPDX-License-Identifier: MIT
// google-benchmark's empty loop, as its manual writes it, and with a value that has to be kept.
#include <benchmark/benchmark.h>

static void Empty(benchmark::State &state)
{
    for (auto _ : state) {
    }
}
BENCHMARK(Empty);

static void EmptyKept(benchmark::State &state)
{
    for (auto _ : state) {
        int value = 0;
        benchmark::DoNotOptimize(value);
    }
}
BENCHMARK(EmptyKept);

BENCHMARK_MAIN();
