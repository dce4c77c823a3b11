// SPDX-License-Identifier: MIT
// google-benchmark's empty loops: the ranged one, which compilers delete, the same with a value that is kept, and the older form.
#include <benchmark/benchmark.h>

static void EmptyRange(benchmark::State &state)
{
    for (auto _ : state) {
    }
}
BENCHMARK(EmptyRange);

static void EmptyKept(benchmark::State &state)
{
    for (auto _ : state) {
        int value = 0;
        benchmark::DoNotOptimize(value);
    }
}
BENCHMARK(EmptyKept);

static void EmptyKeepRunning(benchmark::State &state)
{
    while (state.KeepRunning()) {
    }
}
BENCHMARK(EmptyKeepRunning);

BENCHMARK_MAIN();
