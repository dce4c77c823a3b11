/* SPDX-License-Identifier: MIT */
#include "harness.h"

#define WORDS(...)        \
    (const char *const[]) \
    {                     \
        __VA_ARGS__, NULL \
    }

/* Debian's crates, where they are installed, in place of the network's. */
#define CARGO_OFFLINE                                                                             \
    "--offline", "--config", "source.debian.directory=\"/usr/share/cargo/registry\"", "--config", \
        "source.crates-io.replace-with=\"debian\""

#define CRITERION_VERSION \
    WORDS("sed", "-n", "/^name = \"criterion\"$/{n;s/version = //;s/\"//g;p;}", "Cargo.lock")

/* Three seconds for each form: its own defaults would take eight. */
#define CRITERION_RUN                                                           \
    WORDS("target/release/empty", "--bench", "--noplot", "--warm-up-time", "1", \
          "--measurement-time", "1")

/* Asks npm for one package; nothing of the user's is written. */
#define NPM(package) \
    WORDS("npm", "install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", package)
#define NPM_VERSION(package)                                                            \
    WORDS("node", "-p",                                                                 \
          "require('fs').readFileSync('node_modules/" package "/package.json', 'utf8')" \
          ".match(/\"version\": *\"([^\"]*)\"/)[1] + ', node ' + process.version")

/*
 * Each command is what the framework's manual has, but for this: the benchmarks run for a shorter time than by default, and more
 * often. Of short runs some lie between the moments in which other work had the CPU, where a long one holds them all.
 *
 * hyperfine with a shell is not here: what it prints is what is left after the shell's own time was taken off, and that is noise.
 */
const struct tkf_recipe tkf_recipes[] = {
    {
        .framework = "go",
        .tool = "go",
        .package = "golang-go",
        .version = WORDS("go", "env", "GOVERSION"),
        .build = WORDS("go", "test", "-c", "-o", "empty.test", "."),
        .run = WORDS("./empty.test", "-test.bench=.", "-test.benchtime=1ms", "-test.count=100"),
        .format = "go-text",
        .rows = {{"BenchmarkEmptyN", "b.N"},
                 {"BenchmarkEmptyLoop", "b.Loop"},
                 {"BenchmarkEmptyParallel", "RunParallel"}},
        .limit_s = 180,
    },
    {
        .framework = "google-benchmark",
        .tool = "c++",
        .package = "libbenchmark-dev and a C++ compiler",
        .probe = WORDS("c++", "-E", "-include", "benchmark/benchmark.h", "-x", "c++", "/dev/null"),
        .version = WORDS("pkg-config", "--modversion", "benchmark"),
        .build = WORDS("c++", "-O2", "-o", "empty", "empty.cc", "-lbenchmark", "-pthread"),
        .run = WORDS("./empty", "--benchmark_format=json", "--benchmark_min_time=0.002",
                     "--benchmark_repetitions=100"),
        .format = "gbench-json",
        .rows = {{"EmptyRange", "deleted"},
                 {"EmptyKept", "kept"},
                 {"EmptyKeepRunning", "KeepRunning"}},
        .limit_s = 180,
    },
    {
        .framework = "catch2",
        .tool = "c++",
        .package = "catch2 and a C++ compiler",
        .probe = WORDS("c++", "-E", "-include", "catch2/catch_all.hpp", "-x", "c++", "/dev/null"),
        .version = WORDS("pkg-config", "--modversion", "catch2"),
        .build = WORDS("c++", "-std=c++17", "-O2", "-o", "empty", "empty.cc", "-lCatch2Main",
                       "-lCatch2"),
        .run = WORDS("./empty", "--reporter", "xml", "--benchmark-samples", "20",
                     "--benchmark-resamples", "1000"),
        .format = "catch2-xml",
        .rows = {{"empty", "value"}},
        .limit_s = 300,
    },
    {
        .framework = "catch2", /* version 2 is one header */
        .tool = "c++",
        .package = "catch2 and a C++ compiler",
        .probe = WORDS("c++", "-E", "-include", "catch2/catch.hpp", "-x", "c++", "/dev/null"),
        .version = WORDS("pkg-config", "--modversion", "catch2"),
        .build = WORDS("c++", "-std=c++17", "-O2", "-o", "empty", "empty.cc"),
        .run = WORDS("./empty", "--reporter", "xml", "--benchmark-samples", "20",
                     "--benchmark-resamples", "1000"),
        .format = "catch2-xml",
        .rows = {{"empty", "value"}},
        .limit_s = 300,
    },
    {
        .framework = "libtest", /* behind a gate that a stable compiler opens only so */
        .tool = "rustc",
        .package = "rustc",
        .version = WORDS("rustc", "--version"),
        .build = WORDS("env", "RUSTC_BOOTSTRAP=1", "rustc", "--edition", "2018", "-O", "--test",
                       "-o", "empty", "empty.rs"),
        .run = WORDS("./empty", "--bench"),
        .format = "libtest-text",
        .rows = {{"empty_value", "value"}},
        .limit_s = 180,
    },
    {
        .framework = "criterion",
        .tool = "cargo",
        .package = "librust-criterion-dev and cargo",
        .probe = WORDS("cargo", "generate-lockfile", CARGO_OFFLINE),
        .version = CRITERION_VERSION,
        .build = WORDS("cargo", "build", "--release", CARGO_OFFLINE),
        .run = CRITERION_RUN,
        .output = "target/criterion", /* its console has no single samples */
        .format = "criterion-estimates",
        .rows = {{"empty_unit", "unit"}, {"empty_value", "value"}},
        .limit_s = 900,
    },
    {
        .framework = "criterion",
        .tool = "cargo",
        .package = "cargo",
        .fetches = true,
        .version = CRITERION_VERSION,
        .build = WORDS("cargo", "build", "--release"),
        .run = CRITERION_RUN,
        .output = "target/criterion", /* its console has no single samples */
        .format = "criterion-estimates",
        .rows = {{"empty_unit", "unit"}, {"empty_value", "value"}},
        .limit_s = 900,
    },
    {
        .framework = "mitata",
        .tool = "npm",
        .package = "nodejs and npm",
        .fetches = true,
        .version = NPM_VERSION("mitata"),
        .build = NPM("mitata@1"),
        .run = WORDS("node", "empty.mjs"),
        .format = "mitata-json",
        .rows = {{"empty", "batched"}},
        .limit_s = 180,
    },
    {
        .framework = "tinybench",
        .tool = "npm",
        .package = "nodejs and npm",
        .fetches = true,
        .version = NPM_VERSION("tinybench"),
        .build = NPM("tinybench"),
        .run = WORDS("node", "empty.mjs"),
        .format = "tinybench-json",
        .rows = {{"empty", "call"}},
        .limit_s = 180,
    },
    {
        .framework = "pytest-benchmark",
        .tool = "python3",
        .package = "python3-pytest-benchmark",
        .probe = WORDS("python3", "-c", "import pytest_benchmark"),
        .version = WORDS("python3", "-c",
                         "import platform, pytest_benchmark as b; print(b.__version__, "
                         "platform.python_implementation(), platform.python_version())"),
        .run = WORDS("python3", "-m", "pytest", "-q", "-p", "no:cacheprovider",
                     "--benchmark-max-time=0.3", "--benchmark-json=rows.json", "test_empty.py"),
        .output = "rows.json",
        .format = "pytest-benchmark-json",
        .rows = {{"test_empty", "call"}},
        .limit_s = 180,
    },
    {
        .framework = "hyperfine",
        .tool = "hyperfine",
        .package = "hyperfine",
        .bare = true,
        .version = WORDS("hyperfine", "--version"),
        .run = WORDS("hyperfine", "-N", "--style", "none", "--warmup", "5", "--runs", "50",
                     "--export-json", "rows.json", "true"),
        .output = "rows.json",
        .format = "hyperfine-json",
        .rows = {{"true", "process"}},
        .limit_s = 120,
    },
    {.framework = NULL},
};
