/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "harness.h"

#define S 1e9

/*
 * Measured on Zen 4 (one cycle 0.2714 ns), the minimum over repetitions of each framework's empty
 * benchmark. Cycles carry over to other machines better than ns. Forms whose loop the compiler
 * deletes cost nothing and are not here: a number below one cycle is impossible whatever the form.
 * Of runtimes with a JIT or an interpreter the numbers hold for the versions that were measured
 * (node 20, CPython 3.11), and the interpreter's is rough: it differs by more between versions than
 * a benchmark's own work.
 *
 * b.Loop keeps its counter in memory, as KeepRunning does: a core that does not rename memory forwards each
 * store to the next load in four to six cycles.
 */
/* clang-format off */
static const struct tkf_harness harnesses[] = {
    {"go", TKF_TIMING_BATCHED,
     {{.name = "b.N", .lo = 1.0, .hi = 1.0}}, .untold = "b.Loop", .untold_most = 6,
     .cap = 1e9, .benchtime_ns = 1 * S},
    {"tickfloor", TKF_TIMING_BATCHED,
     {{.name = "tkf_loop", .lo = 1.0, .hi = 1.0}},
     .cap = NAN, .benchtime_ns = NAN},
    {"benchstat", TKF_TIMING_BATCHED,
     {{.name = "b.N", .lo = 1.0, .hi = 1.0}}, .untold = "b.Loop", .untold_most = 6,
     .cap = NAN, .benchtime_ns = NAN},
    {"google-benchmark", TKF_TIMING_BATCHED,
     {{.name = "kept", .lo = 1.0, .hi = 1.0}}, .untold = "KeepRunning", .untold_most = 6,
     .cap = 1e9, .benchtime_ns = 0.5 * S},
    {"criterion", TKF_TIMING_BATCHED,
     {{.name = "unit", .lo = 0.125, .hi = 0.125}, {.name = "value", .lo = 1.0, .hi = 1.0}},
     .cap = NAN, .benchtime_ns = NAN},
    {"libtest", TKF_TIMING_BATCHED,
     {{.name = "value", .lo = 1.0, .hi = 1.0}},
     .cap = NAN, .benchtime_ns = NAN},
    {"catch2", TKF_TIMING_BATCHED,
     {{.name = "value", .lo = 1.0, .hi = 1.0}},
     .cap = NAN, .benchtime_ns = NAN},
    {"nanobench", TKF_TIMING_BATCHED,
     {{.name = "kept", .lo = 1.0, .hi = 1.0}},
     .cap = NAN, .benchtime_ns = NAN},
    {"highway", TKF_TIMING_SUBTRACTED,
     {{.name = "value", .lo = 1.8, .hi = 2.8}},
     .cap = NAN, .benchtime_ns = NAN},
    {"mitata", TKF_TIMING_BATCHED,
     {{.name = "batched", .lo = 0.3, .hi = 0.3}},
     .cap = NAN, .benchtime_ns = NAN},
    {"mitata", TKF_TIMING_EACH_CALL,
     {{.name = "call", .lo = 144, .hi = 144}},
     .cap = NAN, .benchtime_ns = NAN},
    {"benchmark.js", TKF_TIMING_BATCHED,
     {{.name = "closure", .lo = 3.2, .hi = 3.2}, {.name = "bindings", .lo = 17.7, .hi = 18.4}},
     .cap = NAN, .benchtime_ns = NAN},
    {"tinybench", TKF_TIMING_EACH_CALL,
     {{.name = "call", .lo = 149, .hi = 149}},
     .cap = NAN, .benchtime_ns = NAN},
    {"vitest", TKF_TIMING_EACH_CALL,
     {{.name = "call", .lo = 170, .hi = 170}},
     .cap = NAN, .benchtime_ns = NAN},
    {"pytest-benchmark", TKF_TIMING_BATCHED,
     {{.name = "call", .lo = 158, .hi = 158, .rough = true}},
     
     .cap = NAN, .benchtime_ns = NAN},
    {"hyperfine", TKF_TIMING_PROCESS,
     {{.name = "shell", .lo = 0, .hi = 74e3}, {.name = "process", .lo = 1.66e6, .hi = 2.1e6}},
     .cap = NAN, .benchtime_ns = NAN},
};
/* clang-format on */

const struct tkf_harness *tkf_harness_find(const char *framework, enum tkf_timing timing)
{
    for (size_t i = 0; i < sizeof(harnesses) / sizeof(harnesses[0]); i++) {
        if (harnesses[i].timing == timing && strcmp(harnesses[i].framework, framework) == 0)
            return &harnesses[i];
    }
    return NULL;
}
