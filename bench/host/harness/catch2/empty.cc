// SPDX-License-Identifier: MIT
// Catch2's empty benchmark, for version 3 and 2. It returns a value: an empty body "could not be measured".
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#endif

TEST_CASE("floor")
{
    for (int i = 0; i < 50; i++) {
        BENCHMARK("empty")
        {
            return 1;
        };
    }
}
