/* SPDX-License-Identifier: MIT */
/* Go's text and events, benchstat's tables, and anybody's CSV: the traps of each, in short inputs and their rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/report.h>

/* All rows, each as "GROUP/NAME ns N=iterations procs=P" and what else there is, then all notices. */
static char *describe(const struct tkf_results *results)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        const struct tkf_result *row = tkf_results_get(results, i);
        fprintf(out, "%u:%s|%s", row->line, row->group, row->name);
        if (!isnan(row->ns))
            fprintf(out, " %.9g", row->ns);
        if (!isnan(row->ns_lo))
            fprintf(out, " [%.6g,%.6g]", row->ns_lo, row->ns_hi);
        if (!isnan(row->quantum_ns))
            fprintf(out, " q%.3g", row->quantum_ns);
        if (!isnan(row->iterations))
            fprintf(out, " N%.0f", row->iterations);
        if (row->repetitions != 1)
            fprintf(out, " x%u", row->repetitions);
        if (!isnan(row->procs))
            fprintf(out, " p%.0f", row->procs);
        if (!isnan(row->bytes_per_second))
            fprintf(out, " %.0fB/s", row->bytes_per_second);
        if (!isnan(row->alloc_bytes))
            fprintf(out, " %.0fB", row->alloc_bytes);
        if (!isnan(row->allocs))
            fprintf(out, " %.0fallocs", row->allocs);
        for (unsigned j = 0; j < row->nmetrics; j++)
            fprintf(out, " {%s %g}", row->metrics[j].unit, row->metrics[j].value);
        fprintf(out, "%s%s", row->time_missing ? " missing" : "", row->failed ? " failed" : "");
        if (row->full_name)
            fprintf(out, " (%s)", row->full_name);
        if (row->remark)
            fprintf(out, " (%s)", row->remark);
        fputc('\n', out);
    }
    for (size_t i = 0; i < tkf_results_notices(results); i++) {
        const struct tkf_notice *notice = tkf_results_notice(results, i);
        fprintf(out, "! %u: %s\n", notice->line, notice->text);
    }
    fclose(out);
    return text;
}

static struct tkf_results *read_as(const char *format, const char *input)
{
    struct tkf_results *results = tkf_results_new();
    struct tkf_input_error error;
    FILE *in = fmemopen((void *)(uintptr_t)input, strlen(input), "rb");
    tkf_results_read(results, in, "text", format, NULL, &error);
    fclose(in);
    return results;
}

static void check(const char *format, const char *input, const char *expected)
{
    struct tkf_results *results = read_as(format, input);
    char *text = describe(results);
    assert_string_equal(text, expected);
    free(text);
    tkf_results_free(results);
}

/* ---- go-text ---- */

static void test_rows(void **state)
{
    (void)state;
    check("go-text", "BenchmarkA-8   \t 1000\t  12.50 ns/op\t 3.5 MB/s\t  2 B/op\t  1 allocs/op\n",
          "1:|BenchmarkA 12.5 q0.01 N1000 p8 3500000B/s 2B 1allocs\n");
    check("go-text", "BenchmarkA 5 1e3 ns/op 7 p99-ns/op 0.5 x\n",
          "1:|BenchmarkA 1000 q1e+03 N5 {p99-ns/op 7} {x 0.5}\n");
    check("go-text", "BenchmarkA 5 2.5e-9 sec/op\n", "1:|BenchmarkA 2.5 q0.1 N5\n");
    /* Go 1.12 and before */
    check("go-text", "BenchmarkA-4 2000000000 0.00 ns/op\n",
          "1:|BenchmarkA 0 q0.01 N2000000000 p4\n");
    /* Exactly zero is not printed at all. */
    check(
        "go-text", "BenchmarkA-4 \t1000000000\t 0 B/op\t 0 allocs/op\nBenchmarkB-4 \t1000000000\n",
        "1:|BenchmarkA N1000000000 p4 0B 0allocs missing\n2:|BenchmarkB N1000000000 p4 missing\n");
    check("go-text", "BenchmarkA-4 0 NaN ns/op\n", "1:|BenchmarkA N0 p4 failed\n");
    check("go-text", "Benchmark 1 2 ns/op\nBenchmarkx 1 2 ns/op\nBenchmark\xc3\x84 1 2 ns/op\n",
          "1:|Benchmark 2 q1 N1\n3:|Benchmark\xc3\x84 2 q1 N1\n");
    check("go-text", "BenchmarkA 1 2 ns/op\nBenchmarkA 1 4 ns/op\nBenchmarkA 3 3 ns/op\n",
          "1:|BenchmarkA 3 [2,4] q1 N3 x3\n");
}

static void test_procs(void **state)
{
    (void)state;
    /* All share it. */
    check("go-text", "BenchmarkA/n-8-2 1 2 ns/op\nBenchmarkB-2 1 2 ns/op\n",
          "1:|BenchmarkA/n-8 2 q1 N1 p2\n2:|BenchmarkB 2 q1 N1 p2\n");
    /* Sizes, on one CPU. */
    check("go-text", "BenchmarkA/n-8 1 2 ns/op\nBenchmarkA/n-16 1 2 ns/op\n",
          "1:|BenchmarkA/n-8 2 q1 N1\n2:|BenchmarkA/n-16 2 q1 N1\n");
    /* -cpu 1,2: rows of one name that are not merged */
    check("go-text", "BenchmarkA 1 2 ns/op\nBenchmarkA-2 1 2 ns/op\nBenchmarkA-2 1 3 ns/op\n",
          "1:|BenchmarkA 2 q1 N1 p1 (BenchmarkA)\n"
          "2:|BenchmarkA 2.5 [2,3] q1 N1 x2 p2 (BenchmarkA-2)\n");
    /* -cpu 2,4, sub-benchmarks with a number of their own */
    check("go-text",
          "BenchmarkA-2 1 2 ns/op\nBenchmarkA-4 1 2 ns/op\nBenchmarkB/n-4-2 1 2 ns/op\n"
          "BenchmarkB/n-4-4 1 2 ns/op\n",
          "1:|BenchmarkA 2 q1 N1 p2 (BenchmarkA-2)\n2:|BenchmarkA 2 q1 N1 p4 (BenchmarkA-4)\n"
          "3:|BenchmarkB/n-4 2 q1 N1 p2 (BenchmarkB/n-4-2)\n"
          "4:|BenchmarkB/n-4 2 q1 N1 p4 (BenchmarkB/n-4-4)\n");
    /* The same with 1 in the list: B/n-2 is one of its own */
    check("go-text",
          "BenchmarkA 1 2 ns/op\nBenchmarkA-2 1 2 ns/op\nBenchmarkB/n-2 1 2 ns/op\n"
          "BenchmarkB/n-2-2 1 2 ns/op\nBenchmarkC/half 1 2 ns/op\n",
          "1:|BenchmarkA 2 q1 N1 p1 (BenchmarkA)\n2:|BenchmarkA 2 q1 N1 p2 (BenchmarkA-2)\n"
          "3:|BenchmarkB/n-2 2 q1 N1 p1 (BenchmarkB/n-2)\n"
          "4:|BenchmarkB/n-2 2 q1 N1 p2 (BenchmarkB/n-2-2)\n5:|BenchmarkC/half 2 q1 N1\n");
    /* Only sub-benchmarks: a list needs one without a suffix. Go never prints -1. */
    check(
        "go-text", "BenchmarkA/n 1 2 ns/op\nBenchmarkA/n-2 1 2 ns/op\n",
        "1:|BenchmarkA/n 2 q1 N1 p1 (BenchmarkA/n)\n2:|BenchmarkA/n 2 q1 N1 p2 (BenchmarkA/n-2)\n");
    check("go-text", "BenchmarkA/n 1 2 ns/op\nBenchmarkA/n-2 1 2 ns/op\nBenchmarkB/n-2 1 2 ns/op\n",
          "1:|BenchmarkA/n 2 q1 N1\n2:|BenchmarkA/n-2 2 q1 N1\n3:|BenchmarkB/n-2 2 q1 N1\n");
    check("go-text", "BenchmarkA/n-1 1 2 ns/op\n", "1:|BenchmarkA/n-1 2 q1 N1\n");
    /* Each package for itself. */
    check("go-text",
          "pkg: p\nBenchmarkA-8 1 2 ns/op\npkg: q\nBenchmarkA-8 1 2 ns/op\nBenchmarkB 1 2 ns/op\n",
          "2:p|BenchmarkA 2 q1 N1 p8\n4:q|BenchmarkA-8 2 q1 N1\n5:q|BenchmarkB 2 q1 N1\n");
    check("go-text", "BenchmarkA-08 1 2 ns/op\n", "1:|BenchmarkA-08 2 q1 N1\n");
}

static void test_split_rows(void **state)
{
    (void)state;
    check("go-text", "BenchmarkA-2 \thello\nworld\n 100\t 5 ns/op\n",
          "3:|BenchmarkA 5 q1 N100 p2\n");
    check("go-text", "BenchmarkA-2 \thello 100\t 5 ns/op\n", "1:|BenchmarkA 5 q1 N100 p2\n");
    check("go-text", "BenchmarkA-2 \tone\ntwo... 100\t 5 ns/op\t 0 B/op\n",
          "2:|BenchmarkA 5 q1 N100 p2 0B\n");
    check("go-text", "progress...BenchmarkA-2 \t100\t 5 ns/op\n", "1:|BenchmarkA 5 q1 N100 p2\n");
    /* -v prints the name first. */
    check("go-text", "BenchmarkA\nBenchmarkA/x\nBenchmarkA/x-2 \t100\t 5 ns/op\nPASS\n",
          "3:|BenchmarkA/x 5 q1 N100 p2\n");
    /* Nothing waits: numbers alone are no row. */
    check("go-text", "100\t 5 ns/op\nBenchmarkA-2 \t100\t 5 ns/op\n200\t 6 ns/op\n",
          "2:|BenchmarkA 5 q1 N100 p2\n");
    check("go-text", "BenchmarkA-2 \thello\nPASS\n",
          "! 1: BenchmarkA-2 began and gave no result\n");
}

static void test_broken_rows(void **state)
{
    (void)state;
    check("go-text", "BenchmarkA-2 100 5 ns/op 3\n",
          "1:|BenchmarkA 5 q1 N100 p2\n! 1: read in part: BenchmarkA-2 100 5 ns/op 3\n");
    check("go-text", "BenchmarkA-2 100 five ns/op\nBenchmarkB-2 100 1e400 ns/op\n",
          "! 1: looks like a result, but is none: BenchmarkA-2 100 five ns/op\n"
          "! 2: looks like a result, but is none: BenchmarkB-2 100 1e400 ns/op\n");
    /* Cut: what is whole before the time is no row, what is whole behind it is. */
    check("go-text", "BenchmarkA-2 100 5 ns/o", "! 1: cut short: BenchmarkA-2 100 5 ns/o\n");
    check("go-text", "BenchmarkA-2 100 5", "! 1: cut short: BenchmarkA-2 100 5\n");
    check("go-text", "BenchmarkA-2 10", "! 1: cut short: BenchmarkA-2 10\n");
    check("go-text", "BenchmarkA-2 100 5 ns/op", "1:|BenchmarkA 5 q1 N100 p2\n");
    check("go-text", "BenchmarkA-2 100 5 ns/op 7 all",
          "1:|BenchmarkA 5 q1 N100 p2\n"
          "! 1: cut short: BenchmarkA-2 100 5 ns/op 7 all\n");
    check("go-text", "BenchmarkA-2 100 5 ns/op 7",
          "1:|BenchmarkA 5 q1 N100 p2\n"
          "! 1: cut short: BenchmarkA-2 100 5 ns/op 7\n");
}

static void test_states(void **state)
{
    (void)state;
    check("go-text", "--- FAIL: BenchmarkA\nFAIL\nFAIL\tp\t0.1s\npanic: no\nok  \tp\t1s\n",
          "! 1: the run failed: \"--- FAIL: BenchmarkA\"\n! 3: the package p failed\n"
          "! 4: the run failed: \"panic: no\"\n");
    check("go-text", "FAIL\tp/q [build failed]\n", "! 1: the package p/q could not be built\n");
    check("go-text", "BenchmarkA-2 \t--- SKIP: BenchmarkA\n--- SKIP: BenchmarkA\n",
          "! 2: skipped: \"--- SKIP: BenchmarkA\"\n");
}

static void test_pasted(void **state)
{
    (void)state;
    check(
        "go-text",
        "```\n    BenchmarkA-2 100 5 ns/op\n// BenchmarkB-2\t100\t5 ns/op\n# BenchmarkC-2 1 2 ns/op\n```\n",
        "2:|BenchmarkA 5 q1 N100 p2\n3:|BenchmarkB 5 q1 N100 p2\n4:|BenchmarkC 2 q1 N1 p2\n");
    check("go-text", "as BenchmarkA takes 5 ns/op here\n", "");
}

static void test_machines(void **state)
{
    static const char input[] =
        "go version go1.22.1 linux/amd64\ngoos: linux\ngoarch: amd64\npkg: p\ncpu: X \n"
        "BenchmarkA 1 2 ns/op\n"
        "pkg: q\ncpu: X\nBenchmarkA 1 3 ns/op\n"
        "cpu: Y\nBenchmarkA 1 4 ns/op\n"
        "cpu: X\nBenchmarkA 1 5 ns/op\ncpu:\nBenchmarkA 1 6 ns/op\n";
    (void)state;
    struct tkf_results *results = read_as("go-text", input);
    assert_int_equal(tkf_results_count(results), 4);
    const struct tkf_origin *first = tkf_results_get(results, 0)->origin;
    assert_string_equal(first->os, "linux");
    assert_string_equal(first->arch, "amd64");
    assert_string_equal(first->cpu, "X");
    assert_string_equal(first->version, "go1.22.1");
    assert_int_equal(first->timing, TKF_TIMING_BATCHED);
    /* The same machine is the same origin, whatever lay between. */
    assert_ptr_equal(tkf_results_get(results, 1)->origin, first);
    assert_int_equal(tkf_results_get(results, 1)->repetitions, 2);
    assert_string_equal(tkf_results_get(results, 2)->origin->cpu, "Y");
    assert_null(tkf_results_get(results, 3)->origin->cpu);
    tkf_results_free(results);
}

/* ---- go-test2json ---- */

#define EVENT(package, output) \
    "{\"Action\":\"output\",\"Package\":\"" package "\",\"Output\":\"" output "\"}\n"

/* tickfloor's own harness prints Go's format with names, a statistic and hints of its own. */
static void test_tickfloor(void **state)
{
    (void)state;
    const char *input = "goos: linux\nharness: tickfloor\nBenchmarksort-8 1000 0.01 ns/op\n"
                        "harness: other\nBenchmarkA-8 1 0.01 ns/op\nBenchmarkb-8 1 2 ns/op\n";
    check("go-text", input,
          "3:|Benchmarksort-8 0.01 q0.01 N1000\n5:|BenchmarkA 0.01 q0.01 N1 p8\n");
    struct tkf_results *results = read_as("go-text", input);
    struct tkf_judge_options options = {.profile = NULL};
    assert_int_equal(tkf_results_judge(results, &options), 0);
    const struct tkf_result *own = tkf_results_get(results, 0);
    const struct tkf_result *other = tkf_results_get(results, 1);
    assert_string_equal(own->origin->framework, "tickfloor");
    assert_int_equal(own->statistic, TKF_STATISTIC_MEDIAN);
    assert_non_null(strstr(own->hint, "tkf_keep()"));
    assert_string_equal(other->origin->framework, "go");
    assert_int_equal(other->statistic, TKF_STATISTIC_MEAN);
    tkf_results_free(results);
}

static void test_events(void **state)
{
    (void)state;
    /* Two packages in turn; pieces of lines; a line of a tool's own */
    check("go-test2json",
          "{\"Action\":\"start\",\"Package\":\"p\"}\n" EVENT("p", "BenchmarkA-2 \\t")
              EVENT("q", "BenchmarkA-2 \\t")
                  EVENT("p", "10\\t") "# a build message\n" EVENT("q", "20\\t 7 ns/op\\nPASS\\n")
                      EVENT("p", " 5 ns/op\\n"),
          "6:q|BenchmarkA 7 q1 N20 p2\n7:p|BenchmarkA 5 q1 N10 p2\n");
    check("go-test2json", EVENT("p", "BenchmarkA-2 \\t10\\t 5 ns/op\\n") "{\"Action\":\"outp",
          "1:p|BenchmarkA 5 q1 N10 p2\n! 2: the event is cut short: premature end of input near "
          "'\"outp'\n");
    check("go-test2json", EVENT("p", "BenchmarkA-2 \\t10\\t 5"),
          "! 1: cut short: BenchmarkA-2 \t10\t 5\n");
    check("go-test2json", "{\"Action\":\"output\",\"Output\":3}\n{oops}\n",
          "! 2: not an event of go test -json: string or '}' expected near 'oops'\n");
}

/* ---- benchstat ---- */

static void test_benchstat_bars(void **state)
{
    (void)state;
    check("benchstat-text",
          "pkg: p\n"
          "    \xe2\x94\x82   a.txt    \xe2\x94\x82        b.txt         \xe2\x94\x82\n"
          "    \xe2\x94\x82   sec/op   \xe2\x94\x82  sec/op   vs base    \xe2\x94\x82\n"
          "A-4   1.5n \xc2\xb1 10%   2.0\xc2\xb5 \xc2\xb1 \xe2\x88\x9e \xc2\xb9 ~ (p=0.1 n=5+6)\n"
          "B-4                2.0n \xc2\xb1 5%  ~ (n=6)\n"
          "C-4   1.5n \xc2\xb1 10%   oops\n"
          "geomean 1.5n       2.0n\n"
          "\xc2\xb9 need >= 6 samples\n",
          "4:p|A 1.5 [1.35,1.65] q0.1 x5 p4 (a.txt)\n4:p|A 2000 q100 x6 p4 (b.txt)\n"
          "5:p|B 2 [1.9,2.1] q0.1 x6 p4 (b.txt)\n6:p|C 1.5 [1.35,1.65] q0.1 p4 (a.txt)\n"
          "! 6: not understood: C-4   1.5n \xc2\xb1 10%   oops\n");
    /* Cut in a number: half of one looks like one. */
    check(
        "benchstat-text",
        "    \xe2\x94\x82   a.txt    \xe2\x94\x82\n    \xe2\x94\x82   sec/op   \xe2\x94\x82\nA-4   1.5",
        "! 3: cut short: A-4   1.5\n");
}

static void test_benchstat_old(void **state)
{
    (void)state;
    check(
        "benchstat-text",
        "name  old time/op  new time/op  delta\nA-4  1.25ns \xc2\xb1 2%  3.0ms \xc2\xb1"
        "10%  ~ (p=1 n=4+5)\n\n"
        "name  old speed  new speed  delta\nA-4  5.0MB/s \xc2\xb1 2%  6.0GB/s \xc2\xb1 0%  ~\n[Geo mean]  1ns  2ns\n",
        "2:|A 1.25 [1.225,1.275] q0.01 x4 p4 5000000B/s (old)\n"
        "2:|A 3000000 [2.7e+06,3.3e+06] q1e+05 x5 p4 6000000000B/s (new)\n");
    check("benchstat-text",
          "name \\ time/op  a.txt  b.txt\nA-4  1ns \xc2\xb1 0%  2ns \xc2\xb1 0%\n",
          "2:|A 1 [1,1] q1 p4 (a.txt)\n2:|A 2 [2,2] q1 p4 (b.txt)\n");
    check("benchstat-text", "name  time/op\nA-4  1.00\xc2\xb5s \xc2\xb1 0%\nB-4  2.0",
          "2:|A 1000 [1000,1000] q10 p4\n! 3: no value in column 1: B-4  2.0\n");
}

static void test_benchstat_csv(void **state)
{
    (void)state;
    check(
        "benchstat-csv",
        ",a.txt,,b.txt,,,\n,sec/op,CI,sec/op,CI,vs base,P\nA-4,1e-9,1%,2e-9,\xe2\x88\x9e,~,p=1\nB-4,x,1%,,,,\n"
        "geomean,1,,2,,,\n\n,a.txt,,b.txt,,,\n,B/op,CI,B/op,CI,vs base,P\nA-4,5,0%,6,0%,,\n",
        "3:|A 1 [0.99,1.01] q0 p4 5B (a.txt)\n3:|A 2 q0 p4 6B (b.txt)\n! 4: not a number: x\n");
    check(
        "benchstat-csv",
        "name,old time/op (ns/op),\xc2\xb1,new time/op (ns/op),\xc2\xb1,delta,\xc2\xb1\nA,1.5E+01,2%,2E+01,1%,~,(p=1)\n",
        "2:|A 15 [14.7,15.3] q0 (old)\n2:|A 20 [19.8,20.2] q0 (new)\n");
}

/* ---- csv ---- */

static void test_csv(void **state)
{
    (void)state;
    check(NULL, "a,1.5,ns\n# remark\n\nb,2,us\n", "1:|a 1.5 q0.1\n4:|b 2000 q1e+03\n");
    check(NULL, "name,time (us),n\na,1.5,9\n", "2:|a 1500 q100\n");
    check(NULL, "id;x;median_ns\na;y;1,25\n\"b;\"\"c\"\"\";y;1.250,5\n",
          "2:|a 1.25 q0.01\n3:|b;\"c\" 1250.5 q0.1\n");
    check(NULL, "a\t1.5 ns\nb\t2 parsecs\n",
          "1:|a 1.5 q0.1\n! 2: no name, time and unit in it: b\t2 parsecs\n");
    check(
        NULL, "Benchmark,Value,Unit\na,3,ns/op\n,3,ns\nb,nothing,ns\nc,4",
        "2:|a 3 q1\n! 3: no name, time and unit in it: ,3,ns\n! 4: no name, time and unit in it: b,nothing,ns\n"
        "! 5: no name, time and unit in it: c,4\n");
    check(NULL, "a,1.5,ns", "1:|a 1.5 q0.1\n! 1: no end of line: it may be cut short\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),          cmocka_unit_test(test_procs),
        cmocka_unit_test(test_split_rows),    cmocka_unit_test(test_broken_rows),
        cmocka_unit_test(test_states),        cmocka_unit_test(test_pasted),
        cmocka_unit_test(test_machines),      cmocka_unit_test(test_tickfloor),
        cmocka_unit_test(test_events),        cmocka_unit_test(test_benchstat_bars),
        cmocka_unit_test(test_benchstat_old), cmocka_unit_test(test_benchstat_csv),
        cmocka_unit_test(test_csv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
