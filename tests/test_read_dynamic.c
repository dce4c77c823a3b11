/* SPDX-License-Identifier: MIT */
/*
 * The readers of JavaScript's, Python's and Julia's frameworks and of those that time processes: what they make of the files in
 * formats/, row by row, and whether they find every labelled benchmark of the corpus, where that is at hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickfloor/report.h>

/* ---- rows as text: what is unknown is left out, so that nothing can be there unseen ---- */

static void print_number(FILE *out, const char *name, double value)
{
    if (!isnan(value))
        fprintf(out, " %s=%.7g", name, value);
}

static void print_text(FILE *out, const char *name, const char *text)
{
    if (text)
        fprintf(out, " %s='%.60s'", name, text);
}

static void print_origin(FILE *out, const struct tkf_origin *origin)
{
    static const char *const timings[] = {"unknown", "batched", "subtracted", "each", "process"};
    fprintf(out, "[%s %s %s", origin->format, origin->framework, timings[origin->timing]);
    print_text(out, "cpu", origin->cpu);
    print_text(out, "os", origin->os);
    print_text(out, "arch", origin->arch);
    print_text(out, "version", origin->version);
    print_number(out, "core_hz", origin->core_hz);
    print_number(out, "step", origin->timer_step_ns);
    print_number(out, "own", origin->own_floor_ns);
    print_number(out, "cpus", origin->cpus);
    fprintf(out, "]\n");
}

static void print_row(FILE *out, const struct tkf_result *row)
{
    static const char *const statistics[] = {"unknown", "mean", "median", "min", "slope"};
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"ns", row->ns},
        {"lo", row->ns_lo},
        {"hi", row->ns_hi},
        {"quantum", row->quantum_ns},
        {"min", row->min_ns},
        {"max", row->max_ns},
        {"cpu", row->cpu_ns},
        {"wall", row->wall_ns},
        {"iterations", row->iterations},
        {"total", row->total_ns},
        {"threads", row->threads},
        {"procs", row->procs},
        {"items", row->items_per_second},
        {"allocs", row->allocs},
        {"bytes", row->alloc_bytes},
        {"instructions", row->instructions},
        {"cycles", row->cycles},
        {"exit", row->exit_code},
    };
    fprintf(out, "%u %s|%s %s", row->line, row->group, row->name, statistics[row->statistic]);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        print_number(out, numbers[i].name, numbers[i].value);
    if (row->repetitions != 1)
        fprintf(out, " samples=%u", row->repetitions);
    print_text(out, "form", row->loop_form);
    print_text(out, "remark", row->remark);
    fprintf(out, "%s%s\n", row->sentinel ? " sentinel" : "", row->failed ? " failed" : "");
}

static char *read_all(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    struct tkf_input_error error = {0};
    struct tkf_results *results = tkf_results_new();
    FILE *out = open_memstream(&text, &size);
    int ret = tkf_results_read_path(results, path, NULL, &error);
    const struct tkf_origin *origin = NULL;
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        const struct tkf_result *row = tkf_results_get(results, i);
        if (row->origin != origin)
            print_origin(out, row->origin);
        origin = row->origin;
        print_row(out, row);
    }
    for (size_t i = 0; i < tkf_results_notices(results); i++)
        fprintf(out, "notice %u: %s\n", tkf_results_notice(results, i)->line,
                tkf_results_notice(results, i)->text);
    if (ret < 0)
        fprintf(out, "error %u: %s; %s\n", error.line, error.text, error.next);
    fclose(out);
    tkf_results_free(results);
    return text;
}

/* ---- the table ---- */

static const struct {
    const char *file, *rows;
} files[] = {
    {"asv-json/1.json",
     "[asv-json asv batched cpu='Intel i5' os='Linux' arch='x86_64' version='Python 2.7' cpus=4]\n"
     "0 |time_a.time_skip unknown remark='no result: it failed or was skipped' failed\n"
     "0 |time_a.time_fail unknown remark='no result: it failed or was skipped' failed\n"
     "0 |time_a.time_plain median ns=65000 quantum=0\n"
     "0 |time_a.time_params(1, 'x') median ns=1000 quantum=0\n"
     "0 |time_a.time_params(1, 'y') median ns=2000 quantum=0\n"
     "0 |time_a.time_params(2, 'x') unknown remark='no result: it failed or was skipped' failed\n"
     "0 |time_a.time_params(2, 'y') median ns=4000 quantum=0\n"
     "[asv-json asv each cpu='Intel i5' os='Linux' arch='x86_64' version='Python 2.7' cpus=4]\n"
     "0 |time_a.time_stats median ns=3000 lo=2500 hi=3500 quantum=0 iterations=10\n"
     "notice 0: values that are no numbers (NaN, Infinity, too large), read as unknown: 1\n"
     "notice 0: time_a.mem_x is not a time\n"},
    {"asv-json/2.json",
     "[asv-json asv batched cpu='Intel i7' version='Python 3.10']\n"
     "0 |b.Suite.time_get median ns=45 lo=42.5 hi=47.5 quantum=0 min=42.5 max=47.5 iterations=10000 samples=3\n"
     "[asv-json asv each cpu='Intel i7' version='Python 3.10']\n"
     "0 |b.Suite.time_set(10) median ns=1000 lo=900 hi=1100 quantum=0 iterations=5\n"
     "0 |b.Suite.time_set(20) median ns=2000 lo=1900 hi=2100 quantum=0 iterations=5\n"
     "[asv-json asv batched cpu='Intel i7' version='Python 3.10']\n"
     "0 |b.Suite.timeraw_import unknown remark='no result: it failed or was skipped' failed\n"
     "notice 0: b.Suite.track_size is not a time\n"},
    {"asv-text/run.txt",
     "[asv-text asv batched]\n"
     "6 |b.Suite.time_keys median ns=11100 lo=11090 hi=11110 quantum=100\n"
     "7 |b.Suite.time_bare median ns=32.9 quantum=0.1\n"
     "8 |b.Suite.time_bad unknown remark='failed' failed\n"
     "14 |b.Suite.time_one(10) median ns=1250 lo=1150 hi=1350 quantum=10\n"
     "15 |b.Suite.time_one(20) unknown remark='failed' failed\n"
     "23 |b.Suite.time_two(10, 1) median ns=1500000 lo=1500000 hi=1500000 quantum=100000\n"
     "23 |b.Suite.time_two(10, 2) median ns=2500000 lo=2500000 hi=2500000 quantum=100000\n"
     "24 |b.Suite.time_two(20, 1) median ns=3500000 lo=3500000 hi=3500000 quantum=100000\n"
     "24 |b.Suite.time_two(20, 2) unknown remark='n/a' failed\n"
     "notice 9: b.Suite.time_lost: no time that could be read\n"},
    {"benchmarkjs-json/flat.json",
     "[benchmarkjs-json benchmark.js batched]\n"
     "0 |walk mean ns=2000 lo=2000 hi=2000 quantum=0 iterations=25000\n"},
    {"benchmarkjs-json/suites.json",
     "[benchmarkjs-json benchmark.js batched]\n"
     "2 near|walk mean ns=50 lo=49.5 hi=50.5 quantum=0 min=45 max=55 iterations=1000000 total=5e+07 samples=2\n"
     "5 far|walk mean ns=2000 lo=2000 hi=2000 quantum=0 iterations=25000 total=5e+07\n"
     "6 far|bad mean quantum=0 remark='error: boom' failed\n"},
    {"benchmarkjs-text/one.txt",
     "[benchmarkjs-text benchmark.js batched]\n"
     "2 |idle mean ns=0.8 lo=0.792 hi=0.808 quantum=6.4e-10\n"
     "3 |2 x 2 mean ns=1.25e+07 lo=1.21875e+07 hi=1.28125e+07 quantum=1562.5\n"
     "5 |plain +- sign mean ns=1000000 lo=900000 hi=1100000 quantum=1000\n"
     "7 |bad unknown remark='TypeError: no list' failed\n"
     "8 |throws unknown remark='threw without a message' failed\n"
     "notice 6: never: no time that could be read\n"},
    {"benchmarkjs-text/pasted.txt", "[benchmarkjs-text benchmark.js batched]\n"
                                    "1 |walk mean ns=1000 lo=990 hi=1010 quantum=0.001\n"
                                    "2 |jump mean ns=500 lo=495 hi=505 quantum=0.00025\n"
                                    "3 |//bare mean ns=250 lo=247.5 hi=252.5 quantum=6.25e-05\n"},
    {"bmf-json/bmf.json", "[bmf-json bencher unknown]\n"
                          "0 |a unknown ns=88 lo=87.5 hi=88.75 quantum=0 items=5\n"
                          "0 |b unknown ns=1000 quantum=0 items=1000000\n"
                          "0 |c unknown ns=3247 quantum=0\n"
                          "notice 0: d: no time that could be read\n"},
    {"bmf-json/v1.json", "[bmf-json bencher unknown]\n"
                         "0 size_mb=16 op=read|walk unknown ns=42 quantum=0\n"
                         "0 size_mb=32 op=read|walk unknown ns=55.5 quantum=0\n"},
    {"gab-custom/custom.json", "[gab-custom github-action-benchmark unknown]\n"
                               "1 |probe unknown ns=90.5 lo=90 hi=91 quantum=0\n"
                               "2 |rate unknown ns=250 lo=237.5 hi=262.5 quantum=0\n"
                               "notice 3: load: its unit \"Percent\" is not a time\n"},
    {"gab-data/data.js",
     "[gab-data google-benchmark batched]\n"
     "5 C++|walk unknown ns=0.385 quantum=0 cpu=0.390625 wall=0.385 iterations=1e+09 threads=1\n"
     "[gab-data go batched]\n"
     "7 Go|BenchmarkLog/a unknown ns=9177 quantum=0 iterations=121102 procs=2\n"
     "[gab-data benchmark.js batched]\n"
     "9 JS|fib(10) unknown ns=500 lo=450 hi=550 quantum=0\n"
     "[gab-data pytest-benchmark unknown]\n"
     "11 Py|t.py::test_fib unknown ns=1000 lo=875 hi=1125 quantum=0 iterations=29984\n"
     "[gab-data catch2 batched]\n"
     "12 Catch2|walk unknown ns=2500 quantum=0 iterations=4\n"
     "[gab-data github-action-benchmark batched]\n"
     "13 Rust|walk unknown ns=20 lo=-2782 hi=2822 quantum=0\n"
     "[gab-data github-action-benchmark unknown]\n"
     "14 Mine|walk unknown ns=1500000 lo=1350000 hi=1650000 quantum=0\n"
     "notice 0: C++: the latest of its 2 runs is read\n"
     "notice 8: BenchmarkLog/a - B/op: its unit \"B/op\" is not a time\n"},
    {"hyperfine-console/report.txt",
     "[hyperfine-console hyperfine process]\n"
     "2 |true mean ns=600000 lo=500000 hi=700000 quantum=100000 max=900000 cpu=600000 wall=600000 iterations=30 form='shell' remark='Warning: Command took less than 5 ms to complete. Note that '\n"
     "9 |sleep 1: once mean ns=1.002e+09 quantum=1000000 cpu=2000000 wall=1.002e+09 form='shell'\n"
     "12 |exit 1 unknown form='shell' remark='Error: Command terminated with non-zero exit code: 1. Use th' failed\n"},
    {"hyperfine-csv/parameters.csv",
     "[hyperfine-csv hyperfine process]\n"
     "2 n=1 m=x|true mean ns=630000 lo=560000 hi=700000 quantum=0 min=500000 max=900000 cpu=500000 wall=630000\n"
     "3 n=2 m=y|echo \"a, b\" mean ns=5e+08 lo=2.5e+08 hi=7.5e+08 quantum=0 min=2.5e+08 max=7.5e+08 cpu=2.5e+08 wall=5e+08\n"
     "4 n=2 m=y#2|echo \"a, b\" mean ns=7.5e+08 lo=7.5e+08 hi=7.5e+08 quantum=0 min=5e+08 max=1e+09 cpu=2.5e+08 wall=7.5e+08\n"
     "notice 5: lost: no time that could be read\n"},
    {"hyperfine-json/shell.json",
     "[hyperfine-json hyperfine process]\n"
     "2 n=1|true mean ns=15000 lo=-15000 hi=45000 quantum=0 min=0 max=100000 cpu=5000 wall=15000 iterations=3 exit=0 samples=3 form='shell'\n"
     "4 n=2 m=x|true mean ns=2000000 quantum=0 min=1000000 max=3000000 cpu=1000000 wall=2000000 exit=127 form='shell'\n"
     "5 |kill -9 $$ mean ns=5e+08 lo=3.75e+08 hi=6.25e+08 quantum=0 min=5e+08 max=5e+08 cpu=5e+08 wall=5e+08 iterations=1 form='shell' remark='a run was ended by a signal' failed\n"},
    {"hyperfine-md/table.adoc",
     "[hyperfine-md hyperfine process]\n"
     "9 |sleep 1 mean ns=1.002e+09 lo=1.001e+09 hi=1.003e+09 quantum=1000000 min=1.001e+09 max=1.004e+09\n"},
    {"hyperfine-md/table.md",
     "[hyperfine-md hyperfine process]\n"
     "3 |true mean ns=0 lo=-100000 hi=100000 quantum=100000 max=200000\n"
     "4 |a | b mean ns=2500000 lo=2000000 hi=3000000 quantum=100000 min=2000000 max=3000000\n"
     "5 #2|true mean ns=2.18e+07 quantum=100000 min=300000 max=3.92e+07\n"},
    {"julia-json/saved.json",
     "[julia-json benchmarktools batched version='Julia 1.10.4']\n"
     "0 math|idle median ns=0.001 lo=0.001 hi=0.001 quantum=0 min=0.001 max=0.001 iterations=4000 allocs=0 bytes=0 samples=3 sentinel\n"
     "[julia-json benchmarktools each version='Julia 1.10.4']\n"
     "0 math|(:sin, 2.0) median ns=30 lo=20 hi=40 quantum=0 min=10 max=50 iterations=5 allocs=2 bytes=64 samples=5\n"
     "[julia-json benchmarktools batched version='Julia 1.10.4']\n"
     "0 |alone unknown ns=246.5 quantum=0 iterations=39000 allocs=0 bytes=0\n"
     "notice 0: tune holds Parameters, not times\n"},
    {"julia-text/console.txt",
     "[julia-text benchmarktools batched]\n"
     "2 |f($x) min ns=0.001 quantum=0.001 allocs=0 bytes=0 sentinel\n"
     "6 |sum(rand(1000)) median ns=1363 quantum=1 min=1153 max=142253 iterations=100000 allocs=1 bytes=7680\n"
     "[julia-text benchmarktools each]\n"
     "16 |run(b) median ns=1.372 quantum=0.001 min=1.352 max=9.5 iterations=500 allocs=3 bytes=16\n"
     "28 |run(b) #2 median ns=2.5e+09 quantum=1000000 iterations=5\n"},
    {"julia-text/groups.md", "[julia-text benchmarktools batched]\n"
                             "6 Using Int64/Basic|Y min ns=257354 quantum=1\n"
                             "7 Using Int64/Basic|X*v min ns=2.5 quantum=0.1\n"
                             "12 Using UInt64/Basic|Y min ns=3.0408e+07 quantum=1000\n"},
    {"mitata-json/0.1.json",
     "[mitata-json mitata batched cpu='AMD EPYC' version='node v20.20.2 (x64-linux)']\n"
     "2 |idle median ns=0.3 hi=0.31 quantum=0 min=0.29 max=1967.5\n"
     "3 g|bad unknown remark='error: boom' failed\n"},
    {"mitata-json/1.x.json",
     "[mitata-json mitata batched cpu='Apple M2' os='darwin' arch='arm64' version='bun 1.1.0' own=0.075]\n"
     "4 |idle median ns=0.08 lo=0.078 hi=0.081 quantum=0 min=0.07 max=9.5 iterations=8192000 bytes=0.5 instructions=1.5 cycles=0.25\n"
     "[mitata-json mitata each cpu='Apple M2' os='darwin' arch='arm64' version='bun 1.1.0' own=24.5]\n"
     "8 walk|once median ns=40 lo=40 hi=50 quantum=0 min=30 max=70000 iterations=300001\n"
     "[mitata-json mitata batched cpu='Apple M2' os='darwin' arch='arm64' version='bun 1.1.0' own=0.075]\n"
     "11 walk|fill(1) median ns=21.5 lo=20.5 hi=23.5 quantum=0 min=20.5 max=23.5 iterations=12288 samples=3\n"
     "13 walk|fill(8) unknown remark='error: too \"long\"' failed\n"},
    {"mitata-text/0.1.txt",
     "[mitata-text mitata batched cpu='AMD EPYC' os='linux' arch='x64' version='node v20.20.2']\n"
     "6 |idle mean ns=0.315 quantum=0.001 min=0.292 max=1967 remark='mitata marks it !: likely optimized out'\n"
     "7 |bad unknown remark='error: boom' failed\n"
     "13 g|date mean ns=41.9 quantum=0.1 min=38.73 max=2006\n"},
    {"mitata-text/1.x.txt",
     "[mitata-text mitata batched cpu='Apple M2' os='darwin' arch='arm64' version='bun 1.1.0']\n"
     "7 |idle mean ns=0.08566 quantum=1e-05 min=0.07812 max=901.43 remark='mitata marks it !: likely optimized out'\n"
     "[mitata-text mitata each cpu='Apple M2' os='darwin' arch='arm64' version='bun 1.1.0']\n"
     "13 walk of a list|first call is slow mean ns=39.72 quantum=0.01 min=30 max=387540\n"
     "[mitata-text mitata batched cpu='Apple M2' os='darwin' arch='arm64' version='bun 1.1.0']\n"
     "15 walk of a list|bad unknown remark='error: no \"list\"' failed\n"
     "16 walk of a list|copy mean ns=283420 quantum=10 min=233460 max=661800\n"
     "24 |fill(8) mean ns=24.11 quantum=0.01 min=18.04 max=1020\n"},
    {"mitata-text/markdown.md",
     "[mitata-text mitata batched cpu='Apple M2' os='darwin' arch='arm64' version='node 22.1.0']\n"
     "7 |idle mean ns=0.08566 quantum=1e-05 min=0.07812 max=901.43 remark='mitata marks it !: likely optimized out'\n"
     "8 |bad unknown remark='error: boom' failed\n"
     "13 walk|next mean ns=24.11 quantum=0.01 min=18.04 max=1020\n"},
    {"pyperf-json/suite.json",
     "[pyperf-json pyperf batched cpu='Apple M2' os='macOS' version='Python 3.12.1' step=41.7 cpus=8]\n"
     "4 |pass median ns=6 lo=5 hi=7 quantum=0 min=4 max=8 iterations=65536 samples=5\n"
     "notice 6: memory is in units of byte, not a time\n"},
    {"pytest-benchmark-console/one.txt",
     "[pytest-benchmark-console pytest-benchmark batched]\n"
     "12 |test_idle median ns=67.1 lo=63.35 hi=70.85 quantum=0.0001 min=54.1 max=5395.05 iterations=563080\n"
     "[pytest-benchmark-console pytest-benchmark each]\n"
     "13 |test_later (0001_base) median ns=1002 lo=977 hi=1027 quantum=0.0001 min=930 max=7405 iterations=4838\n"
     "14 |test_later median ns=1003 lo=978 hi=1028 quantum=0.0001 min=931 max=7405 iterations=4838 remark='coroutine 'later' was never awaited'\n"
     "[pytest-benchmark-console pytest-benchmark unknown]\n"
     "21 slow|test_sleep mean ns=1105200 quantum=100 min=1101600\n"
     "notice 15: a benchmark without a name: no time that could be read\n"},
    {"pytest-benchmark-json/one.json",
     "[pytest-benchmark-json pytest-benchmark batched cpu='AMD EPYC' os='Linux' arch='x86_64' version='Python 3.11.2' cpus=2]\n"
     "3 dir/test_a.py|test_idle median ns=45 lo=44 hi=46 quantum=0 min=42 max=5000 iterations=100000 total=4600000 samples=2\n"
     "[pytest-benchmark-json pytest-benchmark each cpu='AMD EPYC' os='Linux' arch='x86_64' version='Python 3.11.2' cpus=2]\n"
     "6 dir/test_a.py::TestX|test_one[1-a] median ns=210 lo=190 hi=440 quantum=0 min=180 max=500 iterations=3\n"},
    {"swift-json/jmh.json", "[swift-json swift-benchmark each]\n"
                            "1 |Walk.next median ns=2103 lo=2100 hi=2120 min=2090 max=2306\n"
                            "notice 4: Walk.lost: no time that could be read\n"},
    {"swift-text/tables.txt",
     "[swift-text swift-benchmark batched os='Darwin' arch='arm64' cpus=20]\n"
     "10 WalkModule|next one median ns=23000 lo=21000 hi=24000 quantum=1000 min=20000 max=29000 cpu=22000 wall=23000 iterations=928 allocs=3 instructions=37000\n"
     "[swift-text swift-benchmark each os='Darwin' arch='arm64' cpus=20]\n"
     "22 WalkModule|each call median ns=23 lo=21 hi=24 quantum=1 min=20 max=29 wall=23 iterations=100\n"
     "notice 27: no time: no time that could be read\n"},
    {"tinybench-json/2.x.json",
     "[tinybench-json tinybench each]\n"
     "2 |idle mean ns=40 lo=39 hi=41 quantum=0 min=40 max=70000 iterations=1000 total=4.05e+07 samples=3\n"
     "4 |bad unknown quantum=0 remark='error: boom' failed\n"},
    {"tinybench-json/4.x.json",
     "[tinybench-json tinybench each version='bun 1.1.0']\n"
     "2 |idle median ns=40 lo=30 hi=50 quantum=0 min=30 max=60000 iterations=100 total=6.05e+07\n"
     "5 |bad unknown quantum=0 remark='error: no list' failed\n"},
    {"tinybench-text/tables.txt",
     "[tinybench-text tinybench each]\n"
     "4 |idle mean ns=45.5 lo=40.95 hi=50.05 quantum=0.1 iterations=874566\n"
     "5 |it's mean ns=364.945 lo=296.0434 hi=433.8467 quantum=1e-13 iterations=109606\n"
     "[tinybench-text tinybench each]\n"
     "11 |idle median ns=40 lo=30 hi=50 quantum=0.01 iterations=987612\n"
     "12 |wrong median ns=0 lo=0 hi=0 quantum=0.01 iterations=20000\n"
     "13 |bad unknown remark='error: boom' failed\n"},
    {"vitest-json/one.json",
     "[vitest-json vitest each]\n"
     "2 a.bench.ts > list|idle median ns=50 quantum=0 min=40 max=80000 iterations=1257146 total=6.05e+07\n"
     "4 a.bench.ts > list|old mean ns=625000 lo=500000 hi=750000 quantum=0 min=500000 max=750000 iterations=2 total=1250000 samples=2\n"
     "6 a.bench.ts > list|bad unknown quantum=0 remark='no numbers: it failed or was skipped' failed\n"},
    {"vitest-text/one.txt",
     "[vitest-text vitest each]\n"
     "6 a.bench.mjs > list|idle mean ns=50 lo=49.75 hi=50.25 quantum=2.5e-08 max=84700 iterations=1257146\n"
     "7 a.bench.mjs > list|at x 2 of mean ns=320 lo=312.96 hi=327.04 quantum=1.024e-06 min=200 max=366200 iterations=193381\n"
     "8 a.bench.mjs > list|lost mean ns=0 lo=0 hi=0 quantum=100 max=366200 iterations=193381 sentinel\n"
     "9 a.bench.mjs > list|later unknown remark='skipped' failed\n"
     "13 b.bench.mjs|slow mean ns=2.5e+07 lo=2.475e+07 hi=2.525e+07 quantum=62.5 min=2.45e+07 max=2.55e+07 iterations=20\n"},
    {"zbench-text/old.txt",
     "[zbench-text zbench each]\n"
     "3 |empty mean ns=28 lo=23 hi=33 quantum=1 min=20 max=50 iterations=100\n"},
    {"zbench-text/table.txt",
     "[zbench-text zbench each cpu='AMD Ryzen 7' os='linux' arch='x86_64' cpus=8]\n"
     "7 |empty mean ns=28 lo=23 hi=33 quantum=1 min=20 max=814134 iterations=65535 total=1500000\n"
     "9 |two words mean ns=188167 lo=158258 hi=218076 quantum=1 min=170621 max=1105000 iterations=8191 total=1.541e+09\n"
     "notice 10: lost: no time that could be read\n"},
};

static void test_rows(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/formats/%s", TESTS_SOURCE_DIR, files[i].file);
        char *now = read_all(path);
        if (strcmp(now, files[i].rows) != 0) {
            print_error("%s\nexpected:\n%sread:\n%s", files[i].file, files[i].rows, now);
            wrong++;
        }
        free(now);
    }
    assert_int_equal(wrong, 0);
}

/* What is packed is unpacked; a build that cannot says what to do. */
static void test_gzip(void **state)
{
    static const char bytes[] = "\x1f\x8b\x08\x08\0\0\0\0\0\3x.json";
    struct tkf_input_error error = {0};
    struct tkf_results *results = tkf_results_new();
    FILE *in = fmemopen((void *)bytes, sizeof(bytes), "rb");
    (void)state;
    assert_int_equal(tkf_results_read(results, in, "x.json.gz", NULL, NULL, &error), TKF_EFORMAT);
#ifdef HAVE_ZLIB
    assert_string_equal(error.text, "empty");
#else
    assert_non_null(strstr(error.text, "built without zlib"));
    assert_non_null(strstr(error.next, "gzip -dc"));
#endif
    fclose(in);
    tkf_results_free(results);
}

/* Names are kept whole, however long they are; in a table's cell a bar is escaped. */
static void test_long_name(void **state)
{
    struct tkf_input_error error = {0};
    char name[5001], text[6000];
    (void)state;
    memset(name, 'x', sizeof(name) - 1);
    name[0] = '|';
    name[sizeof(name) - 1] = '\0';
    snprintf(text, sizeof(text), "| Command | Mean [ms] |\n|---|---|\n| `\\%s` | 1.0 |\n", name);
    struct tkf_results *results = tkf_results_new();
    FILE *in = fmemopen(text, strlen(text), "rb");
    assert_int_equal(tkf_results_read(results, in, "x", "hyperfine-md", NULL, &error), 0);
    assert_string_equal(tkf_results_get(results, 0)->name, name);
    fclose(in);
    tkf_results_free(results);
}

/* ---- the corpus ---- */

static const char *corpus;

/* Beside the source tree, or one folder further up. */
static const char *find_corpus(void)
{
    static const char *const folders[] = {TESTS_SOURCE_DIR "/../../shared/corpus",
                                          TESTS_SOURCE_DIR "/../../../shared/corpus"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        if (access(folders[i], R_OK | X_OK) == 0)
            return folders[i];
    }
    return NULL;
}

static bool is_mine(const char *framework)
{
    static const char *const mine[] = {"mitata",      "tinybench",        "vitest",
                                       "benchmarkjs", "pytest-benchmark", "hyperfine"};
    for (size_t i = 0; i < sizeof(mine) / sizeof(*mine); i++) {
        if (strcmp(mine[i], framework) == 0)
            return true;
    }
    return false;
}

static struct tkf_results *read_raw(const char *file)
{
    char path[1024];
    struct tkf_input_error error = {0};
    struct tkf_results *results = tkf_results_new();
    snprintf(path, sizeof(path), "%s/raw/%s", corpus, file);
    if (tkf_results_read_path(results, path, NULL, &error) < 0)
        fail_msg("%s: %s", path, error.text);
    return results;
}

static bool has_row(const struct tkf_results *results, const char *name)
{
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        const struct tkf_result *row = tkf_results_get(results, i);
        if (strcmp(row->name, name) == 0)
            return row->ns >= 0;
    }
    return false;
}

/* labels.tsv: harness, file, case, ... ; the lines of one file stand together. */
static void test_labels(void **state)
{
    char path[1024], *line = NULL, *last = NULL;
    size_t size = 0;
    unsigned found = 0, missing = 0;
    struct tkf_results *results = NULL;
    (void)state;
    if (!corpus) {
        print_message("no ../shared/corpus beside the source tree\n");
        skip();
    }
    last = strdup("");
    snprintf(path, sizeof(path), "%s/labels.tsv", corpus);
    FILE *labels = fopen(path, "r");
    assert_non_null(labels);
    while (getline(&line, &size, labels) > 0) {
        char *rest = line;
        const char *framework = strsep(&rest, "\t"), *file = strsep(&rest, "\t");
        const char *name = strsep(&rest, "\t");
        if (!name || !is_mine(framework))
            continue;
        if (strcmp(file, last) != 0) {
            tkf_results_free(results);
            results = read_raw(file);
            free(last);
            last = strdup(file);
        }
        if (has_row(results, name)) {
            found++;
        } else {
            print_error("%s: no %s\n", file, name);
            missing++;
        }
    }
    tkf_results_free(results);
    free(last);
    free(line);
    fclose(labels);
    assert_int_equal(missing, 0);
    assert_true(found > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_gzip),
        cmocka_unit_test(test_long_name),
        cmocka_unit_test(test_labels),
    };
    corpus = find_corpus();
    int ret = cmocka_run_group_tests(tests, NULL, NULL);
    if (ret == 0 && !corpus) {
        fprintf(stderr, "no ../shared/corpus beside the source tree: labels are not checked\n");
        return 77;
    }
    return ret;
}
