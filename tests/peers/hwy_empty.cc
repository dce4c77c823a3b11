// SPDX-License-Identifier: MIT
// What highway's nanobenchmark says of its timer, and of a function that returns its argument: the least that it can be
// given. It answers in ticks; its own rate makes them ns.
#include <cstdio>

#include <hwy/nanobenchmark.h>

static hwy::FuncOutput same(const void *, hwy::FuncInput input)
{
    return input;
}

int main()
{
    const double ticks_per_ns = hwy::platform::InvariantTicksPerSecond() * 1e-9;
    const double step = static_cast<double>(hwy::platform::TimerResolution());
    std::printf("TimerResolution: %g ticks, %.6f ns\n", step, step / ticks_per_ns);

    const hwy::FuncInput input = static_cast<hwy::FuncInput>(hwy::Unpredictable1());
    hwy::Params params;
    params.verbose = false;
    hwy::Result result;
    if (hwy::Measure(same, nullptr, &input, 1, &result, params) == 1)
        std::printf("Measure: %g ticks, %.6f ns\n", result.ticks, result.ticks / ticks_per_ns);
    else
        std::puts("Measure: it gave no result");
    return 0;
}
