// SPDX-License-Identifier: MIT
// A C++ program of benchmarks, good and bad; programs.py runs it.
#include <tickfloor/bench.h>

#include <cstdlib>
#include <memory>

#include <sys/wait.h>
#include <unistd.h>

TKF_BENCH_ARGS(Sum, 100, 1000)
{
    std::unique_ptr<double[]> numbers(new double[b->arg]());
    auto once = [&] {
        double sum = 0;
        for (int64_t i = 0; i < b->arg; i++)
            sum += numbers[i];
        return sum;
    };
    while (tkf_loop(b)) {
        tkf_keep(once());
        tkf_clobber();
    }
    tkf_set_bytes(b, 8 * static_cast<uint64_t>(b->arg));
    tkf_set_metric(b, "terms/op", static_cast<double>(b->arg));
}

TKF_BENCH(Empty)
{
    while (tkf_loop(b)) {
    }
}

TKF_BENCH_N(Older)
{
    for (uint64_t i = 0; i < b->n; i++)
        tkf_keep(tkf_opaque(1.5) / tkf_opaque(2.5));
}

TKF_BENCH_NAMED(Blank, "a name/with blanks")
{
    while (tkf_loop(b))
        tkf_keep(tkf_opaque(1));
}

TKF_BENCH(BadReturn)
{
    while (tkf_loop(b))
        return;
}

TKF_BENCH(BadStop)
{
    while (tkf_loop(b))
        tkf_timer_stop(b);
}

TKF_BENCH(BadMetric)
{
    while (tkf_loop(b))
        tkf_clobber();
    tkf_set_metric(b, "ns/op", 3);
}

TKF_BENCH_NAMED(long_name,
                "in_lower_case/"
                "a_name_that_goes_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_"
                "and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on_and_on")
{
    while (tkf_loop(b))
        tkf_clobber();
}

static int deeper(volatile int *depth)
{
    volatile int here[1000] = {*depth};
    return *depth == 0 ? 0 : deeper(here) + here[0]; // it never is
}

TKF_BENCH(EndsByFault)
{
    volatile int depth = 1;
    while (tkf_loop(b))
        tkf_keep(deeper(&depth));
}

TKF_BENCH(EndsByException)
{
    while (tkf_loop(b))
        throw 1;
}

TKF_BENCH(EndsByExit)
{
    while (tkf_loop(b))
        std::exit(0);
}

TKF_BENCH(EndsOnlyAChild)
{
    while (tkf_loop(b)) {
        pid_t child = fork();
        if (child == 0)
            std::exit(0);
        waitpid(child, nullptr, 0);
    }
}

TKF_BENCH_MAIN()
