// SPDX-License-Identifier: MIT
// Benchmarks in a static library that nothing refers to; program.cc has main().
#include <tickfloor/bench.h>

#include <string>
#include <vector>

TKF_BENCH(Library)
{
    std::vector<int> numbers(16, 1);
    while (tkf_loop(b)) {
        for (int &number : numbers)
            number += 3;
        tkf_keep(numbers);
        tkf_keep(numbers.data());
    }
}

TKF_BENCH_NAMED(Library_string, "Library/string")
{
    while (tkf_loop(b)) {
        std::string text(100, 'x');
        tkf_keep(text.data());
    }
}
