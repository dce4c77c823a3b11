/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "judge.h"

/*
 * How a framework's users keep the work: make its result needed, and its input unknown. Both:
 * either alone leaves a way out.
 */
struct keep {
    const char *framework, *text;
};

static const struct keep keeps[] = {
    {"tickfloor", "pass the result to tkf_keep(), and the input through tkf_opaque() in the loop"},
    {"go",
     "use `for b.Loop()` (Go 1.24), or store the result in a package variable and take the input "
     "from one"},
    {"benchstat",
     "use `for b.Loop()` (Go 1.24), or store the result in a package variable and take the input "
     "from one"},
    {"google-benchmark",
     "pass the result to benchmark::DoNotOptimize(), and the input too before it is used"},
    {"catch2",
     "return the result from the BENCHMARK body, and read the input through a volatile or another "
     "translation unit"},
    {"nanobench",
     "pass the result to ankerl::nanobench::doNotOptimizeAway(), and take the input from outside "
     "of the lambda"},
    {"highway",
     "return the result from the function, and compute it from the input that the framework "
     "passes"},
    {"criterion",
     "put std::hint::black_box() round the input and return the result from the closure"},
    {"libtest",
     "put std::hint::black_box() round the input and return the result from the closure"},
    {"divan", "put divan::black_box() round the input and return the result from the function"},
    {"jmh",
     "return the result or give it to a Blackhole, and read the input from a non-final @State "
     "field"},
    {"benchmarkdotnet",
     "return the result from the [Benchmark] method, and read the input from a field that is not "
     "readonly or const"},
    {"mitata",
     "give the result to do_not_optimize(), and take the input from a generator's computed "
     "parameter"},
    {"tinybench",
     "do many operations in one call, divide by them, and use the result after the loop"},
    {"vitest", "do many operations in one call, divide by them, and use the result after the loop"},
    {"benchmark.js",
     "assign the result to a variable that is read after the run, and take the input from one that "
     "changes"},
    {"pytest-benchmark",
     "call a function that gets its input as an argument: benchmark(f, x); a fresh iterator or "
     "file for each call"},
    {"pyperf",
     "take the input from --setup, so that it is no constant, and use a fresh iterator for each "
     "call"},
    {"asv",
     "take the input from setup(), so that it is no constant, and use a fresh iterator for each "
     "call"},
    {"benchmarktools", "interpolate the input through a Ref: @btime f($(Ref(x))[])"},
    {"swift-benchmark",
     "pass the result to blackHole(), and take the input from a function marked @inline(never)"},
    {"zbench", "pass the result to std.mem.doNotOptimizeAway(), and the input too"},
    {"hyperfine",
     "check that the command does its work: run it once by hand and look at its output and exit "
     "status"},
    {"perf-stat",
     "check that the command does its work: run it once by hand and look at its output and exit "
     "status"},
    {NULL, "make the result needed after the loop, and its input unknown to the compiler"},
};

static const char *const coarse[] = {
    [TKF_TIMING_UNKNOWN] = "do many operations between two readings of the clock",
    [TKF_TIMING_BATCHED] = "let each sample take longer: more iterations, or a longer minimum time",
    [TKF_TIMING_SUBTRACTED] =
        "let each sample take longer: more iterations, or a longer minimum time",
    [TKF_TIMING_EACH_CALL] = "do many operations in one timed call, and divide by them",
    [TKF_TIMING_PROCESS] = "let the command do its work many times in one run",
};

static const char *keep(const char *framework)
{
    const struct keep *k = keeps;
    while (k->framework && strcmp(k->framework, framework) != 0)
        k++;
    return k->text;
}

/*
 * What to do about a finding whose cause is another than work that was optimised away, by the rule
 * that its first evidence names. A framework's own advice stands before that for all.
 */
static const struct {
    const char *rule, *framework, *text;
} advices[] = {
    {TKF_RULE_EXPECT, NULL,
     "find out which of the two is out of date: correct the benchmark, or what is expected of it"},
    {"below-one-cycle", "go",
     "do the work once for each step of b.N (`for b.Loop()`) with the timer running: Go removes no "
     "loop, so there was none, or it took larger steps, or it was not timed"},
    {"cpu-time-of-a-waiter", "google-benchmark",
     "register it with ->UseRealTime(), so that the waiting counts"},
    {"cpu-time-of-a-waiter", NULL, "report wall time, so that the waiting counts"},
    {"exit-code", NULL, "run the command by hand, and see why it fails"},
    {"failed", NULL, "run it alone, and see why it fails"},
    {"grows-with-iterations", "go",
     "do the work of one iteration in each: let nothing in the body depend on b.N, and give each "
     "iteration the same input"},
    {"grows-with-iterations", NULL,
     "do the work of one iteration in each: let nothing in the body depend on their number, and "
     "give each the same input"},
    {"negative-time", NULL,
     "time with a clock that does not go back, and take off no more than was measured"},
    {"never-awaited", NULL, "run the coroutine to its end: benchmark(lambda: asyncio.run(f()))"},
    {"no-number", NULL, "report the time of one operation too, if it has one"},
    {"no-time", NULL, "let the timer run while the work is done"},
    {"rate", NULL,
     "give each iteration its input anew, as a reader that was drained gives nothing more, and "
     "count the bytes or items that it went through"},
    {"shared", NULL,
     "if it does not run in parallel, look at whether its work is still there; if it does, an empty "
     "one that does too is its floor"},
};

static const char *advice(const char *rule, const char *framework)
{
    for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++) {
        if (strcmp(advices[i].rule, rule) == 0 &&
            (!advices[i].framework || strcmp(advices[i].framework, framework) == 0))
            return advices[i].text;
    }
    return NULL;
}

const char *tkf_hint(const struct tkf_result *row)
{
    const char *rule = row->nevidence > 0 ? row->evidence[0].rule : "";
    const char *own = advice(rule, row->origin->framework);
    bool is_empty = row->verdict == TKF_VERDICT_AT_FLOOR || strcmp(rule, "below-one-cycle") == 0;
    if (row->is_floor && is_empty)
        return "this is your floor: leave it as it is, and look at those that come near it";
    if (strcmp(rule, "below-one-cycle") == 0 && isfinite(row->manual_ns))
        return "look at what the benchmark reports as its time: this is that, and no clock's";
    if (own)
        return own;
    switch (row->verdict) {
    case TKF_VERDICT_AT_FLOOR:
    case TKF_VERDICT_IMPOSSIBLE:
    case TKF_VERDICT_WENT_QUIET:
        return keep(row->origin->framework);
    case TKF_VERDICT_CAPPED:
        return "start and stop the timer round all of the work, and do the work once for each "
               "iteration";
    case TKF_VERDICT_FLAT:
        return "give it another input of each size at run time, and see whether the time moves";
    case TKF_VERDICT_TIMER_LIMITED:
        return coarse[row->origin->timing];
    case TKF_VERDICT_NEAR_FLOOR:
        return "compare it with an empty benchmark of the same run, not with other numbers as they "
               "stand";
    case TKF_VERDICT_UNDECIDED:
        return "put an empty benchmark beside it in the same file, or run `tickfloor calibrate` on "
               "that machine";
    default:
        return NULL;
    }
}
