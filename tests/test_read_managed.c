/* SPDX-License-Identifier: MIT */
/*
 * The readers of Rust's, the JVM's and .NET's frameworks: what each file in formats/ says, row by row, and that every
 * labelled result of the corpus is found by its name. The corpus is not in this tree: without it that test is skipped.
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
#include <sys/stat.h>
#include <unistd.h>

#include <tickfloor/error.h>
#include <tickfloor/report.h>

#define FORMATS  TESTS_SOURCE_DIR "/formats/"
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* ---- rows ---- */

/* All rows of a file, in order. */
struct row {
    const char *file;
    unsigned line;
    const char *group, *name;
    double ns, lo, hi, quantum;
    const char *flags, *remark;
};

/* clang-format off: a row a line */
static const struct row rows[] = {
    {"bdn-csv/eu.csv", 2, "", "Push(N: 1,5)", 1232790, 1232290, 1233290, 1, "", NULL},
    {"bdn-csv/eu.csv", 3, "", "Pop(N: 1,5)", 1163, 1063, 1263, 1, "", NULL},
    {"bdn-csv/us.csv", 2, "", "Push(N: 16)", 375814.04, 368608.04, 383020.04, 0.01, "", NULL},
    {"bdn-csv/us.csv", 3, "", "'Push, twice'(N: 16) [Job-RIPEJG]", 0, 0, 0, 0.0001, "sentinel",
     NULL},
    {"bdn-csv/us.csv", 4, "", "Pop \"all\"(N: 16)", NAN, NAN, NAN, NAN, "failed", "no result (NA)"},
    {"bdn-json/full.json", 15, "", "X.Ring.Empty", 0, 0, 0, 0, "sentinel", NULL},
    {"bdn-json/full.json", 85, "", "X.Ring.Push(N: 16) [Job-ABCDEF]", 12.5, 12, 13, 0, "", NULL},
    {"bdn-json/full.json", 131, "", "X.Ring.Broken", NAN, NAN, NAN, 0, "failed",
     "no result (Statistics is null)"},
    {"bdn-json/no-overhead.json", 0, "", "Ring.Empty", 0, NAN, NAN, 0, "", NULL},
    {"bdn-log/plain.txt", 1, "", "Ring.Push", 2.5, NAN, NAN, 0.001, "", NULL},
    {"bdn-log/run.log", 4, "", "Ring.Push(N: 16) [.NET 8.0]", 13, 12.5, 13.5, 5e-05, "", NULL},
    {"bdn-log/run.log", 18, "", "Ring.Empty", 0, NAN, NAN, 0.0001, "sentinel",
     "ZeroMeasurement: The method duration is indistinguishable from the empty method duration"},
    {"bdn-log/run.log", 23, "", "Ring.Broken", NAN, NAN, NAN, NAN, "failed",
     "the log has no results of it"},
    {"bdn-md/dialects.md", 7, "", "Push(N: 1)", 1234500, NAN, NAN, 0.1, "", NULL},
    {"bdn-md/dialects.md", 8, "", "Pop(N: 1)", 12250, NAN, NAN, 0.1, "", NULL},
    {"bdn-md/dialects.md", 14, "", "Push", 0, -0.01, 0.01, 0.0001, "", NULL},
    {"bdn-md/dialects.md", 19, "", "Peek", 2500, 2000, 3000, 1, "",
     "MinIterationTime: The minimum observed iteration time is very small"},
    {"bdn-md/github.md", 11, "", "Push(N: 16) [.NET 8.0]", 1234.56, 1230.06, 1239.06, 0.01, "",
     "ZeroMeasurement: The method duration is indistinguishable from the empty method duration"},
    {"bdn-md/github.md", 13, "", "Push<T> | x(N: 32)", 0, -0.01, 0.01, 0.0001, "sentinel", NULL},
    {"bdn-md/github.md", 14, "", "Push(N: 32) [.NET 8.0]", 9, 8.99, 9.01, 0.0001, "", NULL},
    {"bdn-md/github.md", 15, "", "Push(N: 16)", 8, 7.99, 8.01, 0.0001, "", NULL},
    {"bdn-md/github.md", 16, "", "Pop(N: 32)", NAN, NAN, NAN, NAN, "failed", "no result (NA)"},
    {"cargo-criterion-json/messages.json", 2, "", "noop", 0.25, 0.2, 0.3, 0, "", NULL},
    {"cargo-criterion-json/messages.json", 4, "", "ring/flat", 2500, 2250, 2750, 0, "", NULL},
    {"criterion-console/progress.txt", 1, "", "fib/20", 20000, 19900, 20100, 100, "", NULL},
    {"criterion-console/run.txt", 8, "", "noop", 0.2633, 0.2629, 0.26381, 0.0001, "", NULL},
    {"criterion-console/run.txt", 17, "", "ring/push and pop/4096", 15078, 15011, 15155, 1, "",
     NULL},
    {"criterion-console/run.txt", 23, "", "ring/iter: time: 16", 9.15, 9.12, 9.2, 0.0001, "", NULL},
    {"criterion-console/run.txt", 25, "", "ring/len", NAN, NAN, NAN, NAN, "missing",
     "at least one measurement took zero time per iteration"},
    {"criterion-console/with-libtest.txt", 2, "", "tests::quick", 120, 117, 123, 1, "", NULL},
    {"criterion-console/with-libtest.txt", 7, "", "walk/10", 3.2, 3.1, 3.3, 0.0001, "", NULL},
    {"criterion-console/with-libtest.txt", 8, "", "tests::slow", 999, 990, 1008, 1, "", NULL},
    {"criterion-console/with-libtest.txt", 9, "", "walk/20", 6.2, 6.1, 6.3, 0.0001, "", NULL},
    {"criterion-csv/old.csv", 2, "", "Fibonacci/Iterative", 5, 5, 5, 0.005, "", NULL},
    {"criterion-csv/raw.csv", 2, "", "ring/push/16", 10.14285714, 10, 10.5, 0.0003333333333, "",
     NULL},
    {"criterion-csv/raw.csv", 5, "", "ring, flat", 600, 500, 700, 10, "", NULL},
    {"criterion-estimates/old.json", 0, "", "old.json", 4.625, 4.5, 4.875, 0, "", NULL},
    {"criterion-estimates/slope.json", 0, "", "slope.json", 10.125, 10, 10.375, 0, "", NULL},
    {"criterion-tree", 0, "", "empty", 0.26, 0.25, 0.27, 0, "", NULL},
    {"criterion-tree", 0, "", "new", 3.5, 3, 4, 0, "", NULL},
    {"criterion-tree", 0, "", "saved only", 8.5, 8, 9, 0, "", NULL},
    {"criterion-tree", 0, "", "sum/of things/iter/16", 10.5, 10.25, 10.75, 0, "", NULL},
    {"divan-text/tree.txt", 4, "ring", "gone", 0.009, 0.009, 0.019, 0.001, "sentinel", NULL},
    {"divan-text/tree.txt", 5, "ring", "later", NAN, NAN, NAN, NAN, "failed", "ignored"},
    {"divan-text/tree.txt", 7, "ring", "push/16", 31.5, 30, 1735, 0.01, "", NULL},
    {"divan-text/tree.txt", 18, "ring", "push/32", 60.75, 60.5, 61, 0.01, "", NULL},
    {"divan-text/tree.txt", 20, "ring", "walk/wide", 6283000, 6267000, 6954000, 1000, "", NULL},
    {"jmh-csv/ru.csv", 2, "", "org.x.Ring.push", 1.163, 1.1, 1.226, 1e-06, "", NULL},
    {"jmh-csv/us.csv", 2, "", "org.x.Ring.push (size = 16)", 499.9999375, 399.99996, 666.6665556,
     1.249999688e-10, "", NULL},
    {"jmh-csv/us.csv", 4, "", "org.x.Ring.push (size = 16)", 12000, NAN, NAN, 1000, "", NULL},
    {"jmh-csv/us.csv", 5, "", "org.x.Ring.none", 2.5, 2.25, 2.75, 1e-06, "", NULL},
    {"jmh-json/runs.json", 2, "", "org.x.Ring.empty", 0.25, 0.2, 0.3, 0, "", NULL},
    {"jmh-json/runs.json", 58, "", "org.x.Ring.push (size = 16, kind = a, b)", 12500, NAN, NAN, 0,
     "", NULL},
    {"jmh-json/runs.json", 30, "", "org.x.Ring.empty", 2, 1.666666667, 2.5, 0, "", NULL},
    {"jmh-json/runs.json", 234, "", "org.x.Ring.stuck", NAN, NAN, NAN, NAN, "missing", NULL},
    {"jmh-json/runs.json", 162, "", "org.x.Ring.push (size = 16, kind = a, b)", 40.5, 40, 41, 0, "",
     NULL},
    {"jmh-json/runs.json", 203, "", "org.x.Ring.push (size = 16, kind = a, b)", 3500000, NAN, NAN,
     0, "", NULL},
    {"jmh-text/old.txt", 2, "", "o.x.Ring.push", 500, 487.804878, 512.8205128, 0.125, "", NULL},
    {"jmh-text/old.txt", 3, "", "o.x.Ring.pop", 2.5, 2.25, 2.75, 0.001, "", NULL},
    {"jmh-text/stopped.txt", 11, "", "org.x.Ring.push (size = 16)", 2000, 1600, 2666.666667, 1, "",
     NULL},
    {"jmh-text/table.txt", 2, "", "Ring.empty", 0.251, 0.241, 0.261, 0.001, "", NULL},
    {"jmh-text/table.txt", 3, "", "Ring.push (kind = fast, size = 16)", 12500, 12000, 13000, 1, "",
     NULL},
    {"jmh-text/table.txt", 6, "", "Ring.push (kind = slow, size = 16)", 3500000, NAN, NAN, 1000, "",
     NULL},
    {"jmh-text/table.txt", 7, "", "Ring.push (two words 16)", 1500, 1400, 1600, 1, "", NULL},
    {"jmh-text/table.txt", 9, "", "Ring.tiny", 0.001, 0.000316227766, 0.00316227766, 0.002846049894,
     "", NULL},
    {"jmh-text/table.txt", 10, "", "Ring.zero", 0, 0, 0.0005, 0.0005, "", NULL},
    {"jmh-text/table.txt", 8, "", "Ring.push (kind = fast, size = 16)", 10000, 3162.27766,
     31622.7766, 28460.49894, "", NULL},
    {"jmh-text/table.txt", 11, "", "Ring.push (kind = fast, size = 16)", 40.5, 40, 41, 0.001, "",
     NULL},
    {"libtest-json/events.json", 3, "", "empty", 0.2725, 0.26, 0.285, 0, "", NULL},
    {"libtest-json/events.json", 5, "", "copy", 250.5, 240.5, 260.5, 0, "", NULL},
    {"libtest-json/events.json", 9, "", "breaks", NAN, NAN, NAN, NAN, "failed", "FAILED"},
    {"libtest-text/bencher.txt", 1, "", "hash/sip 16 bytes", 11, 9, 13, 1, "", NULL},
    {"libtest-text/bencher.txt", 2, "", "hash/fx 16 bytes", 0, 0, 0, 1, "", NULL},
    {"libtest-text/bencher.txt", 3, "", "a ... b", 90, 86, 94, 1, "", NULL},
    {"libtest-text/decimal.txt", 5, "src/lib.rs", "sort::empty", 0.27, 0.24, 0.3, 0.01, "", NULL},
    {"libtest-text/decimal.txt", 6, "src/lib.rs", "sort::never_iterates", 0, 0, 0, 0.01, "", NULL},
    {"libtest-text/decimal.txt", 7, "src/lib.rs", "sort::thousand", 1234567.89, 1230246.84,
     1238888.94, 0.01, "", NULL},
    {"libtest-text/decimal.txt", 8, "src/lib.rs", "sort::breaks", NAN, NAN, NAN, NAN, "failed",
     "FAILED"},
    {"libtest-text/decimal.txt", 10, "src/lib.rs", "sort::speaks", 42.5, 41.25, 43.75, 0.01, "",
     NULL},
    {"libtest-text/decimal.txt", 17, "benches/other.rs", "sort::empty", 0.54, 0.53, 0.55, 0.01, "",
     NULL},
    {"libtest-text/integer.txt", 2, "", "xor_zero", 0, 0, 0, 1, "", NULL},
    {"libtest-text/integer.txt", 3, "", "parse", 1204, 1173, 1235, 1, "", NULL},
    {"libtest-text/integer.txt", 4, "", "wait", 7000, 6000, 8000, 1000, "", NULL},
    {"libtest-text/integer.txt", 9, "", "xor_zero", 1, 1, 1, 1, "", NULL},
};
/* clang-format on */

/* Files that give notices; all others give none. */
static const struct {
    const char *file;
    size_t count;
} noticed[] = {
    {"cargo-criterion-json/messages.json", 1},
    {"criterion-console/progress.txt", 1},
    {"criterion-console/run.txt", 1},
    {"criterion-csv/raw.csv", 1},
    {"criterion-tree", 1},
    {"jmh-text/stopped.txt", 1},
};

/* What else some of those rows have. */
struct value {
    const char *file;
    size_t row; /* 0-based */
    enum { IN_ROW, IN_METRICS, IN_SAMPLES } list;
    size_t at; /* offset or index */
    double value;
};

#define FIELD(name)   IN_ROW, offsetof(struct tkf_result, name)
#define METRIC(index) IN_METRICS, index
#define SAMPLE(index) IN_SAMPLES, index

/* clang-format off: a row a line */
static const struct value values[] = {
    {"bdn-csv/eu.csv", 0, FIELD(min_ns), 1230125},
    {"bdn-csv/eu.csv", 0, FIELD(max_ns), 1240250},
    {"bdn-csv/us.csv", 0, FIELD(alloc_bytes), 1536},
    {"bdn-csv/us.csv", 1, FIELD(alloc_bytes), 0},
    {"bdn-csv/us.csv", 2, FIELD(alloc_bytes), NAN},
    {"bdn-json/full.json", 0, FIELD(iterations), 100},
    {"bdn-json/full.json", 0, FIELD(total_ns), 250},
    {"bdn-json/full.json", 0, METRIC(0), 2.5},
    {"bdn-json/full.json", 0, METRIC(1), 2.5},
    {"bdn-json/full.json", 1, FIELD(iterations), 200},
    {"bdn-json/full.json", 1, FIELD(alloc_bytes), 48},
    {"bdn-json/full.json", 1, METRIC(0), 15},
    {"bdn-json/full.json", 1, SAMPLE(1), 12.75},
    {"bdn-log/run.log", 0, METRIC(0), 15.5},
    {"bdn-log/run.log", 0, METRIC(1), 2.5},
    {"bdn-log/run.log", 0, SAMPLE(0), 12.5},
    {"bdn-md/github.md", 0, FIELD(min_ns), 1200},
    {"bdn-md/github.md", 0, FIELD(alloc_bytes), 1536},
    {"bdn-md/github.md", 1, FIELD(alloc_bytes), 0},
    {"cargo-criterion-json/messages.json", 0, FIELD(iterations), 2000},
    {"cargo-criterion-json/messages.json", 1, FIELD(items_per_second), 4e8},
    {"cargo-criterion-json/messages.json", 1, SAMPLE(0), 2400},
    {"criterion-console/run.txt", 0, FIELD(iterations), 19e9},
    {"criterion-console/run.txt", 1, FIELD(iterations), 333e3},
    {"criterion-console/run.txt", 1, FIELD(bytes_per_second), 259.07 * 1048576},
    {"criterion-console/run.txt", 2, FIELD(items_per_second), 1.7486e9},
    {"criterion-console/run.txt", 2, FIELD(iterations), NAN},
    {"criterion-csv/raw.csv", 0, FIELD(iterations), 300},
    {"criterion-csv/raw.csv", 0, FIELD(min_ns), 10},
    {"criterion-csv/raw.csv", 0, FIELD(bytes_per_second), 1024 / (14.2e5 / 14e4) * 1e9},
    {"criterion-tree", 0, FIELD(iterations), 4000},
    {"criterion-tree", 0, FIELD(total_ns), 1000},
    {"criterion-tree", 0, SAMPLE(1), 0.27},
    {"criterion-tree", 3, FIELD(bytes_per_second), 1e11},
    {"criterion-tree", 3, SAMPLE(1), 11},
    {"divan-text/tree.txt", 0, FIELD(iterations), 409600},
    {"divan-text/tree.txt", 2, FIELD(max_ns), 1735},
    {"divan-text/tree.txt", 2, FIELD(bytes_per_second), 508e6},
    {"divan-text/tree.txt", 2, FIELD(allocs), 2},
    {"divan-text/tree.txt", 2, FIELD(alloc_bytes), 1500},
    {"divan-text/tree.txt", 3, FIELD(allocs), NAN},
    {"divan-text/tree.txt", 4, FIELD(items_per_second), 1.25e6},
    {"jmh-csv/us.csv", 0, FIELD(threads), 2},
    {"jmh-csv/us.csv", 0, FIELD(alloc_bytes), 48.5},
    {"jmh-json/runs.json", 1, FIELD(alloc_bytes), 48.5},
    {"jmh-json/runs.json", 1, FIELD(instructions), 120.5},
    {"jmh-json/runs.json", 1, FIELD(cycles), 40.25},
    {"jmh-json/runs.json", 1, METRIC(0), 7},
    {"jmh-json/runs.json", 2, FIELD(threads), 4},
    {"jmh-json/runs.json", 2, FIELD(max_ns), 4 / 1.9},
    {"jmh-json/runs.json", 4, FIELD(min_ns), 20},
    {"jmh-json/runs.json", 4, FIELD(max_ns), 9000},
    {"jmh-text/old.txt", 0, FIELD(threads), 2},
    {"jmh-text/stopped.txt", 0, FIELD(threads), 4},
    {"jmh-text/table.txt", 0, FIELD(threads), NAN},
    {"jmh-text/table.txt", 1, FIELD(alloc_bytes), 48},
    {"jmh-text/table.txt", 7, FIELD(max_ns), 9000},
    {"libtest-json/events.json", 1, FIELD(bytes_per_second), 4096e6},
    {"libtest-text/decimal.txt", 2, FIELD(bytes_per_second), 81e6},
};
/* clang-format on */

/* Where a row comes from. */
struct origin {
    const char *file;
    size_t row;
    const char *framework;
    enum tkf_timing timing;
    const char *version, *cpu, *os, *arch;
    double step_ns, cpus;
};

/* clang-format off: a row a line */
static const struct origin origins[] = {
    {"bdn-csv/eu.csv", 0, "benchmarkdotnet", TKF_TIMING_BATCHED, NULL, NULL, NULL, NULL, NAN, NAN},
    {"bdn-csv/us.csv", 0, "benchmarkdotnet", TKF_TIMING_SUBTRACTED, NULL, NULL, NULL, NULL, NAN,
     NAN},
    {"bdn-json/full.json", 0, "benchmarkdotnet", TKF_TIMING_SUBTRACTED, "0.13.12", "AMD EPYC 9R14",
     "Ubuntu 22.04", "X64", 100, 8},
    {"bdn-json/no-overhead.json", 0, "benchmarkdotnet", TKF_TIMING_BATCHED, "0.13.12", "Old CPU",
     "Ubuntu 22.04", "X64", 400, 8},
    {"bdn-log/run.log", 0, "benchmarkdotnet", TKF_TIMING_SUBTRACTED, "0.13.10", "AMD EPYC 9R14",
     "Ubuntu 22.04", "Arm64", NAN, 8},
    {"bdn-md/dialects.md", 0, "benchmarkdotnet", TKF_TIMING_SUBTRACTED, "0.10.3.0",
     "Intel(R) Core(TM) i7-6700HQ CPU 2.60GHz", "Microsoft Windows 10.0.14393", NULL, 395.0617, 8},
    {"bdn-md/dialects.md", 2, "benchmarkdotnet", TKF_TIMING_BATCHED, "0.14.0", "AMD EPYC 9R14",
     "Ubuntu 22.04", NULL, NAN, 8},
    {"bdn-md/github.md", 0, "benchmarkdotnet", TKF_TIMING_SUBTRACTED, "0.13.10",
     "12th Gen Intel Core i7-1255U", "Windows 11 (10.0.22621.2715/22H2)", "X64", 395.062, 12},
    {"cargo-criterion-json/messages.json", 0, "criterion", TKF_TIMING_BATCHED, NULL, NULL, NULL,
     NULL, NAN, NAN},
    {"criterion-console/with-libtest.txt", 0, "libtest", TKF_TIMING_BATCHED, NULL, NULL, NULL, NULL,
     NAN, NAN},
    {"criterion-console/with-libtest.txt", 1, "criterion", TKF_TIMING_BATCHED, NULL, NULL, NULL,
     NULL, NAN, NAN},
    {"divan-text/tree.txt", 0, "divan", TKF_TIMING_SUBTRACTED, NULL, NULL, NULL, NULL, 40, NAN},
    {"jmh-json/runs.json", 0, "jmh", TKF_TIMING_BATCHED, "1.36, JDK 17.0.2", NULL, NULL, NULL, NAN,
     NAN},
    {"jmh-json/runs.json", 2, "jmh", TKF_TIMING_BATCHED, "1.36, JDK 17.0.2", NULL, NULL, NULL, NAN,
     NAN},
    {"jmh-json/runs.json", 4, "jmh", TKF_TIMING_EACH_CALL, "1.36, JDK 17.0.2", NULL, NULL, NULL,
     NAN, NAN},
    {"jmh-json/runs.json", 5, "jmh", TKF_TIMING_EACH_CALL, "1.36, JDK 17.0.2", NULL, NULL, NULL,
     NAN, NAN},
    {"jmh-text/stopped.txt", 0, "jmh", TKF_TIMING_BATCHED, "1.37, JDK 21.0.1", NULL, NULL, NULL,
     NAN, NAN},
    {"libtest-text/decimal.txt", 0, "libtest", TKF_TIMING_BATCHED, NULL, NULL, NULL, NULL, NAN,
     NAN},
};
/* clang-format on */

static struct tkf_results *read_file(const char *file)
{
    char path[1024];
    struct tkf_input_error error = {0};
    struct tkf_results *results = tkf_results_new();
    snprintf(path, sizeof(path), FORMATS "%s", file);
    int ret = tkf_results_read_path(results, path, NULL, &error);
    if (ret < 0)
        fail_msg("%s: %s", file, error.text);
    return results;
}

static bool same(double a, double b)
{
    return isnan(b) ? isnan(a) : fabs(a - b) <= 1e-9 * fabs(b);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static const char *flags_of(const struct tkf_result *row)
{
    return row->failed ? "failed" : row->time_missing ? "missing" : row->sentinel ? "sentinel" : "";
}

static void check_row(const struct row *want, const struct tkf_result *row)
{
    if (row->line != want->line || !same_text(row->group, want->group) ||
        !same_text(row->name, want->name) || !same(row->ns, want->ns) ||
        !same(row->ns_lo, want->lo) || !same(row->ns_hi, want->hi) ||
        !same(row->quantum_ns, want->quantum) || !same_text(flags_of(row), want->flags) ||
        !same_text(row->remark, want->remark))
        fail_msg("%s: %s: read line %u, group %s, name %s, ns %.12g [%.12g, %.12g], quantum %.12g, "
                 "%s, remark %s",
                 want->file, want->name, row->line, row->group, row->name, row->ns, row->ns_lo,
                 row->ns_hi, row->quantum_ns, flags_of(row), row->remark ? row->remark : "none");
}

static void check_notices(const char *file, const struct tkf_results *results)
{
    size_t want = 0, count = tkf_results_notices(results);
    for (size_t i = 0; i < COUNT(noticed); i++) {
        if (!strcmp(noticed[i].file, file))
            want = noticed[i].count;
    }
    if (count != want)
        fail_msg("%s: %zu notices instead of %zu; the last: %s", file, count, want,
                 count ? tkf_results_notice(results, count - 1)->text : "none");
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0, n; i < COUNT(rows); i += n) {
        struct tkf_results *results = read_file(rows[i].file);
        size_t count = tkf_results_count(results);
        for (n = 0; i + n < COUNT(rows) && !strcmp(rows[i + n].file, rows[i].file); n++) {
            if (n >= count)
                fail_msg("%s: only %zu rows", rows[i].file, count);
            check_row(&rows[i + n], tkf_results_get(results, n));
        }
        if (n != count)
            fail_msg("%s: %zu rows instead of %zu", rows[i].file, count, n);
        check_notices(rows[i].file, results);
        tkf_results_free(results);
    }
}

static double value_of(const struct tkf_result *row, const struct value *value)
{
    if (value->list == IN_METRICS)
        return value->at < row->nmetrics ? row->metrics[value->at].value : NAN;
    if (value->list == IN_SAMPLES)
        return value->at < row->nsamples ? row->samples[value->at].ns : NAN;
    return *(const double *)((const char *)row + value->at);
}

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(values); i++) {
        struct tkf_results *results = read_file(values[i].file);
        const struct tkf_result *row = tkf_results_get(results, values[i].row);
        assert_non_null(row);
        double value = value_of(row, &values[i]);
        if (!same(value, values[i].value))
            fail_msg("%s: row %zu (%s), value at %zu: %.12g instead of %.12g", values[i].file,
                     values[i].row, row->name, values[i].at, value, values[i].value);
        tkf_results_free(results);
    }
}

static void test_origins(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(origins); i++) {
        const struct origin *want = &origins[i];
        struct tkf_results *results = read_file(want->file);
        const struct tkf_result *row = tkf_results_get(results, want->row);
        assert_non_null(row);
        const struct tkf_origin *origin = row->origin;
        if (!same_text(origin->framework, want->framework) || origin->timing != want->timing ||
            !same_text(origin->version, want->version) || !same_text(origin->cpu, want->cpu) ||
            !same_text(origin->os, want->os) || !same_text(origin->arch, want->arch) ||
            !same(origin->timer_step_ns, want->step_ns) || !same(origin->cpus, want->cpus))
            fail_msg("%s: row %zu is of %s, timing %d, %s, %s, %s, %s, step %g, %g CPUs",
                     want->file, want->row, origin->framework, (int)origin->timing, origin->version,
                     origin->cpu, origin->os, origin->arch, origin->timer_step_ns, origin->cpus);
        tkf_results_free(results);
    }
}

/* ---- what cannot be read is said ---- */

static const struct {
    const char *format, *text;
    unsigned line;
    const char *notice; /* part of it */
} notices[] = {
    {"libtest-text", "test a ... bench:   x ns/iter (+/- 1)\n", 1, "in the result of a"},
    {"libtest-text", "test a ... bench:   5 parsecs/iter (+/- 1)\n", 1, "in the result of a"},
    {"libtest-text", "\ntest a ... \nsomething\n", 2, "test a: no result follows"},
    {"libtest-json", "{ \"type\": \"bench\", \"name\": \"a\" }\n", 1, "without a name or a median"},
    {"libtest-json", "{ \"type\": \"bench\", \"na", 1, "not a whole JSON object"},
    {"criterion-console", "a    time:   [1 ns 2 ns 3]\n", 1, "no time can be read"},
    {"criterion-console", "a    time:   [1 cycles 2 cycles 3 cycles]\n", 1, "no time can be read"},
    {"criterion-console", "a    time:   [1 ns 2 ns 3 ns]\n   thrpt:  [1 x/s 2 x/s 3 x/s]\n", 2,
     "unknown throughput of a"},
    {"criterion-console", "Benchmarking a: Warming up for 3 s\nerror: bench failed\n", 1,
     "benchmark a: no result follows"},
    {"criterion-csv", "group,function,value,sample_time_nanos,iteration_count\na,,,5,0\n", 2,
     "no sample can be read"},
    {"cargo-criterion-json", "{\"reason\":\"benchmark-complete\",\"id\":\"a\"}\n", 1,
     "without an id or an estimate"},
    {"divan-text",
     "x   fastest │ slowest │ median │ mean │ samples │ iters\n├─ a  ? │ ? │ ? │ ? │ 1 │ 1\n", 2,
     "in the result of a"},
    {"jmh-json", "[{\"benchmark\": \"a\", \"mode\": \"avgt\"}]", 0, "run 1 has no"},
    {"jmh-json",
     "[{\"benchmark\":\"a\",\"mode\":\"avgt\",\"primaryMetric\":{\"score\":1,\"scoreUnit\":\"B\"}}]",
     0, "which is no time of an operation"},
    {"jmh-csv",
     "Benchmark,Mode,Threads,Samples,Score,Score Error (99.9%),Unit\na,avgt,1,1,?,1,ns/op\n", 2,
     "no score can be read"},
    {"jmh-csv",
     "Benchmark,Mode,Threads,Samples,Score,Score Error (99.9%),Unit\na:b,avgt,1,1,1,1,#/op\n", 2,
     "belongs to no benchmark"},
    {"jmh-text", "Benchmark Mode Cnt Score Error Units\na avgt 5 x ± 1 ns/op\n", 2,
     "no score can be read of a"},
    {"jmh-text", "# Benchmark: a.b\n# Run progress: 0.00% complete\n", 0, "a.b: no result follows"},
    {"bdn-json", "{\"HostEnvironmentInfo\":{},\"Benchmarks\":[{}]}", 0, "benchmark 1 has no name"},
    {"bdn-md", "| Method | Mean |\n|--- |---:|\n| A | 5 parsecs |\n", 3,
     "no time can be read of A"},
    {"bdn-log", "// Benchmark: A.B: DefaultJob\nWorkloadResult   1: x op, 5 ns, 5 ns/op\n", 2,
     "from this iteration"},
};

static void test_notices(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(notices); i++) {
        struct tkf_results *results = tkf_results_new();
        struct tkf_input_error error = {0};
        FILE *in = fmemopen((void *)notices[i].text, strlen(notices[i].text), "rb");
        tkf_results_read(results, in, "text", notices[i].format, NULL, &error);
        fclose(in);
        bool found = false;
        for (size_t j = 0; j < tkf_results_notices(results); j++) {
            const struct tkf_notice *notice = tkf_results_notice(results, j);
            found = found ||
                    (notice->line == notices[i].line && strstr(notice->text, notices[i].notice));
        }
        if (!found)
            fail_msg("%s: no notice of line %u has \"%s\"; the first of %zu: %s", notices[i].format,
                     notices[i].line, notices[i].notice, tkf_results_notices(results),
                     tkf_results_notices(results) ? tkf_results_notice(results, 0)->text : "");
        tkf_results_free(results);
    }
}

/* ---- Criterion's folder ---- */

static int read_path(struct tkf_results *results, const char *path)
{
    struct tkf_input_error error = {0};
    int ret = tkf_results_read_path(results, path, NULL, &error);
    if (ret < 0 && (!*error.text || !*error.next))
        fail_msg("%s: no cause or next step", path);
    return ret;
}

/* One file of it, with what lies beside it. */
static void test_estimates_alone(void **state)
{
    (void)state;
    struct tkf_results *results =
        read_file("criterion-tree/sum_of things/iter/16/new/estimates.json");
    assert_int_equal(tkf_results_count(results), 1);
    const struct tkf_result *row = tkf_results_get(results, 0);
    assert_string_equal(row->name, "sum/of things/iter/16");
    assert_int_equal(row->statistic, TKF_STATISTIC_MEAN);
    assert_int_equal(row->repetitions, 2);
    tkf_results_free(results);

    results = read_file("criterion-tree/new/new/estimates.json");
    assert_string_equal(tkf_results_get(results, 0)->name, "new");
    assert_int_equal(tkf_results_get(results, 0)->statistic, TKF_STATISTIC_SLOPE);
    tkf_results_free(results);

    results = read_file("criterion-tree/empty/new");
    assert_int_equal(tkf_results_count(results), 1);
    assert_string_equal(tkf_results_get(results, 0)->name, "empty");
    tkf_results_free(results);
}

static void test_changes_are_no_times(void **state)
{
    (void)state;
    struct tkf_results *results = tkf_results_new();
    assert_int_equal(read_path(results, FORMATS "criterion-tree/empty/change/estimates.json"),
                     TKF_EFORMAT);
    assert_int_equal(read_path(results, FORMATS "criterion-tree/empty/change"), TKF_EFORMAT);
    assert_int_equal(tkf_results_count(results), 0);
    tkf_results_free(results);
}

static void test_folder_notices(void **state)
{
    (void)state;
    struct tkf_results *results = read_file("criterion-tree");
    assert_int_equal(tkf_results_notices(results), 1);
    assert_non_null(strstr(tkf_results_notice(results, 0)->text, "broken/new/estimates.json:1:"));
    tkf_results_free(results);
}

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* A link that leads in a circle is not followed, and a folder of the name is no file. */
static void test_odd_folder(void **state)
{
    (void)state;
    char folder[] = "/tmp/tickfloor-test-XXXXXX", new_folder[60], link[60], odd[60];
    assert_non_null(mkdtemp(folder));
    snprintf(new_folder, sizeof(new_folder), "%s/new", folder);
    snprintf(link, sizeof(link), "%s/loop", folder);
    snprintf(odd, sizeof(odd), "%s/estimates.json", folder);
    assert_int_equal(mkdir(new_folder, 0700), 0);
    assert_int_equal(mkdir(odd, 0700), 0);
    assert_int_equal(symlink(".", link), 0);
    struct tkf_results *results = tkf_results_new();
    assert_int_equal(read_path(results, folder), TKF_EFORMAT);
    write_file(new_folder, "estimates.json",
               "{\"mean\":{\"point_estimate\":2.5},\"std_dev\":{\"point_estimate\":1}}");
    assert_int_equal(read_path(results, folder), 0);
    assert_int_equal(tkf_results_count(results), 1);
    assert_int_equal(tkf_results_get(results, 0)->repetitions, 1);
    tkf_results_free(results);

    snprintf(odd, sizeof(odd), "%s/new/estimates.json", folder);
    unlink(odd);
    unlink(link);
    rmdir(new_folder);
    snprintf(odd, sizeof(odd), "%s/estimates.json", folder);
    rmdir(odd);
    rmdir(folder);
}

/* ---- the corpus ---- */

static const char *corpus;

static bool has_name(const struct tkf_results *results, const char *name)
{
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        if (!strcmp(tkf_results_get(results, i)->name, name))
            return true;
    }
    return false;
}

/* harness, file, case, ... */
static void test_labels(void **state)
{
    (void)state;
    char path[1024], *line = NULL;
    size_t size = 0, checked = 0;
    if (!corpus)
        skip();
    snprintf(path, sizeof(path), "%s/labels.tsv", corpus);
    FILE *labels = fopen(path, "r");
    assert_non_null(labels);
    while (getline(&line, &size, labels) > 0) {
        char *rest = line;
        const char *harness = strsep(&rest, "\t"), *file = strsep(&rest, "\t");
        const char *name = strsep(&rest, "\t");
        if (!name || (strcmp(harness, "criterion") != 0 && strcmp(harness, "libtest") != 0))
            continue;
        struct tkf_results *results = tkf_results_new();
        snprintf(path, sizeof(path), "%s/raw/%s", corpus, file);
        int ret = read_path(results, path);
        if (ret < 0 || tkf_results_notices(results) > 0 || !has_name(results, name))
            fail_msg("%s: %s is not among its %zu rows (%zu notices)", file, name,
                     tkf_results_count(results), tkf_results_notices(results));
        tkf_results_free(results);
        checked++;
    }
    free(line);
    fclose(labels);
    assert_true(checked > 0);
}

/* Beside the source tree, or one folder further up. */
static const char *find_corpus(void)
{
    static const char *const folders[] = {TESTS_SOURCE_DIR "/../../shared/corpus",
                                          TESTS_SOURCE_DIR "/../../../shared/corpus"};
    for (size_t i = 0; i < COUNT(folders); i++) {
        if (access(folders[i], R_OK | X_OK) == 0)
            return folders[i];
    }
    return NULL;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_notices),
        cmocka_unit_test(test_estimates_alone),
        cmocka_unit_test(test_changes_are_no_times),
        cmocka_unit_test(test_folder_notices),
        cmocka_unit_test(test_odd_folder),
        cmocka_unit_test(test_labels),
    };
    corpus = find_corpus();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed == 0 && !corpus) {
        fprintf(stderr, "no ../shared/corpus beside the source tree: labels are not looked up\n");
        return 77;
    }
    return failed;
}
