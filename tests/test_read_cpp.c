/* SPDX-License-Identifier: MIT */
/*
 * The readers of C++'s frameworks, of perf stat and of the Phoronix Test Suite: what they make of
 * the files in formats/.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/report.h>

#define FORMATS TESTS_SOURCE_DIR "/formats/"

/* Results of the last file read: the tables keep files together. */
static struct tkf_results *results;
static char read_file[200];

static void read_once(const char *file)
{
    char path[512];
    struct tkf_input_error error = {0};
    if (strcmp(read_file, file) == 0)
        return;
    tkf_results_free(results);
    results = tkf_results_new();
    snprintf(read_file, sizeof(read_file), "%s", file);
    snprintf(path, sizeof(path), FORMATS "%s", file);
    int ret = tkf_results_read_path(results, path, NULL, &error);
    if (ret < 0)
        fail_msg("%s:%u: %s", file, error.line, error.text);
    const char *format = tkf_results_get(results, 0)->origin->format;
    if (strncmp(file, format, strlen(format)) != 0 || file[strlen(format)] != '/')
        fail_msg("%s: read as %s", file, format);
}

static int free_results(void **state)
{
    (void)state;
    tkf_results_free(results);
    return 0;
}

/* Of a name that comes more than once in a file, the n-th. */
static const struct tkf_result *find(const char *file, const char *name, unsigned nth)
{
    read_once(file);
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        const struct tkf_result *row = tkf_results_get(results, i);
        if (strcmp(row->name, name) == 0 && nth-- == 0)
            return row;
    }
    fail_msg("%s: no %s", file, name);
    return NULL;
}

static void check_number(const char *file, const char *name, const char *what, double is,
                         double should)
{
    bool same = isnan(should) ? isnan(is) : fabs(is - should) <= 1e-9 * fabs(should);
    if (!same)
        fail_msg("%s: %s: %s is %.12g and should be %.12g", file, name, what, is, should);
}

/* ---- rows, all of them and in order ---- */

static const struct expected_row {
    const char *file;
    unsigned line;
    const char *group, *name;
    double ns, ns_lo, ns_hi, quantum_ns;
} expected_rows[] = {
    /* clang-format off */
    {"catch2-console/analysis.txt", 17, "containers/vector", "push 10",
     12.5, 12.0625, 12.75, 0.0001},
    {"catch2-console/analysis.txt", 23, "containers/vector", "a name that goes on over more than one line",
     1.2e+11, 1.2e+11, 1.5e+11, 6000000000},
    {"catch2-console/analysis.txt", 27, "containers/vector", "nothing", NAN, NAN, NAN, NAN},
    {"catch2-console/analysis.txt", 41, "containers/map", "push 10 beside the values",
     344, 341, 349, 1},
    {"catch2-console/plain.txt", 9, "containers", "push 10", 0.280105, NAN, NAN, 1e-06},
    {"catch2-console/plain.txt", 10, "containers", "pop", 3608.29, NAN, NAN, 0.01},
    {"catch2-xml/two.xml", 5, "containers/vector/map", "push & pop", 12.5, 12.0625, 12.75, 0.0001},
    {"catch2-xml/two.xml", 11, "containers/vector/map", "nothing", NAN, NAN, NAN, NAN},
    {"catch2-xml/two.xml", 15, "containers", "push & pop", 2000000, 1900000, 2100000, 100000},
    {"gbench-console/kinds.txt", 9, "", "spin", 0, NAN, NAN, 0.001},
    {"gbench-console/kinds.txt", 10, "", "a name with blanks", 4000, NAN, NAN, 10},
    {"gbench-console/kinds.txt", 12, "", "spin_again", 0.314, 0.311, 0.317, 0.001},
    {"gbench-console/kinds.txt", 20, "", "only", 19, 17, 21, 0.1},
    {"gbench-console/kinds.txt", 25, "", "broken", NAN, NAN, NAN, NAN},
    {"gbench-console/kinds.txt", 26, "", "left_out", NAN, NAN, NAN, NAN},
    {"gbench-console/kinds.txt", 27, "", "shared/threads:4", 10, NAN, NAN, 0.1},
    {"gbench-console/kinds.txt", 28, "", "pasted", 981, NAN, NAN, 1},
    {"gbench-console/kinds.txt", 33, "", "tabular", 7, NAN, NAN, 0.01},
    {"gbench-console/kinds.txt", 42, "", "copy/8", 35, NAN, NAN, 1},
    {"gbench-console/torn.txt", 5, "", "whole", 39, NAN, NAN, 0.1},
    {"gbench-csv/kinds.csv", 4, "", "walk<int, 4>", 4000, NAN, NAN, 0.01},
    {"gbench-csv/kinds.csv", 5, "", "spin", 6.2e-07, 6e-07, 6.4e-07, 1e-12},
    {"gbench-csv/kinds.csv", 12, "", "only", 19, 17, 21, 0.0001},
    {"gbench-csv/kinds.csv", 17, "", "broken", NAN, NAN, NAN, NAN},
    {"gbench-csv/kinds.csv", 18, "", "own/manual_time", 0.001, NAN, NAN, 1e-08},
    {"gbench-csv/kinds.csv", 19, "", "harmonic_mean", 75.25, NAN, NAN, 0.0001},
    {"gbench-csv/kinds.csv", 21, "", "spin", 6e-07, NAN, NAN, 1e-12},
    {"gbench-json/kinds.json", 11, "", "walk", 4000, NAN, NAN, 0},
    {"gbench-json/kinds.json", 29, "", "spin/repeats:3", 6.1e-07, 6e-07, 6.4e-07, 0},
    {"gbench-json/kinds.json", 89, "", "only", 19, 17, 21, 0},
    {"gbench-json/kinds.json", 150, "", "broken", NAN, NAN, NAN, 0},
    {"gbench-json/kinds.json", 161, "", "left_out", NAN, NAN, NAN, 0},
    {"gbench-json/kinds.json", 172, "", "shared/threads:4", 10, NAN, NAN, 0},
    {"gbench-json/kinds.json", 182, "", "wait/real_time", 10000000, NAN, NAN, 0},
    {"gbench-json/kinds.json", 191, "", "own/manual_time", 0.001, NAN, NAN, 0},
    {"gbench-json/old.json", 10, "", "copy", 12, 11, 13, 1},
    {"gbench-json/old.json", 38, "", "geometric_mean", 91, NAN, NAN, 1},
    {"highway-text/two.txt", 3, "", "walk 3", 1.25, 1.125, 1.375, 0.0001},
    {"highway-text/two.txt", 4, "", "walk 12", 12.5, 12.5, 12.5, 0.005},
    {"highway-text/two.txt", 5, "", "Type::name 4", 1.5, 1.5, 1.5, 0.0001},
    {"highway-text/two.txt", 6, "", "copy", NAN, NAN, NAN, NAN},
    {"nanobench-csv/two.csv", 2, "mixed", "hash; and more", 0.5, 0.375, 0.625, 0},
    {"nanobench-csv/two.csv", 3, "mixed", "plain", 1500, 750, 2250, 0},
    {"nanobench-json/two.json", 3, "mixed", "hash", 0.5, 0.375, 0.625, 0},
    {"nanobench-json/two.json", 21, "mixed", "gone", 0, 0, 0, 0},
    {"nanobench-md/tables.md", 3, "mixed", "add `one` | two",
     0.3125, 0.28125, 0.34375, 9.765625e-13},
    {"nanobench-md/tables.md", 4, "mixed", "sleep", 40000000, 40000000, 40000000, 0.01},
    {"nanobench-md/tables.md", 5, "mixed", "gone", NAN, NAN, NAN, NAN},
    {"nanobench-md/tables.md", 6, "mixed", "edited", 0.5, 0.495, 0.505, 0.01},
    {"nanobench-md/tables.md", 15, "scaling/threads=1", "sum", 2000, 1992, 2008, 4e-05},
    {"nanobench-md/tables.md", 16, "scaling/threads=4", "sum",
     510.0000004, 496.5, 523.6400008, 2.5e-06},
    {"nanobench-md/tables.md", 21, "mixed", "edited", 0.625, 0.625, 0.625, 3.90625e-12},
    {"perf-csv/comma.csv", 1, "", "command", 500000, NAN, NAN, 10000},
    {"perf-csv/two.csv", 3, "", "command", 500000, 490000, 510000, 10000},
    {"perf-csv/two.csv", 9, "", "command", 1200000, NAN, NAN, 1},
    {"perf-json/two.json", 3, "", "command", 500000, 490000, 510000, 1},
    {"perf-json/two.json", 11, "", "command", 750000, NAN, NAN, 1},
    {"perf-text/runs.txt", 4, "", "./walk (twice)", 1236974000, 1236474000, 1237474000, 1000},
    {"perf-text/runs.txt", 14, "", "sleep 1", 1001266000, NAN, NAN, 1},
    {"phoronix-xml/two.xml", 30, "Render", "Scene: 1 & 2", 2.5e+10, NAN, NAN, 1000000000},
    {"phoronix-xml/two.xml", 76, "", "Frame", 16700000, NAN, NAN, 100000},
    {"phoronix-xml/two.xml", 25, "Render", "Scene: 1 & 2",
     1.25e+10, 1.225e+10, 1.275e+10, 10000000},
    {"phoronix-xml/two.xml", 35, "Render", "Scene: 1 & 2", NAN, NAN, NAN, NAN},
    /* clang-format on */
};

static void test_rows(void **state)
{
    (void)state;
    size_t index = 0;
    for (size_t i = 0; i < sizeof(expected_rows) / sizeof(*expected_rows); i++) {
        const struct expected_row *expected = &expected_rows[i];
        index = strcmp(read_file, expected->file) == 0 ? index + 1 : 0;
        read_once(expected->file);
        const struct tkf_result *row = tkf_results_get(results, index);
        if (!row)
            fail_msg("%s: %s is missing", expected->file, expected->name);
        assert_string_equal(row->name, expected->name);
        assert_string_equal(row->group, expected->group);
        if (row->line != expected->line)
            fail_msg("%s: %s in line %u", expected->file, row->name, row->line);
        check_number(expected->file, row->name, "ns", row->ns, expected->ns);
        check_number(expected->file, row->name, "ns_lo", row->ns_lo, expected->ns_lo);
        check_number(expected->file, row->name, "ns_hi", row->ns_hi, expected->ns_hi);
        check_number(expected->file, row->name, "quantum_ns", row->quantum_ns,
                     expected->quantum_ns);
        bool last = i + 1 == sizeof(expected_rows) / sizeof(*expected_rows) ||
                    strcmp(expected[1].file, expected->file) != 0;
        if (last && tkf_results_count(results) != index + 1)
            fail_msg("%s: %zu rows", expected->file, tkf_results_count(results));
    }
}

/* ---- what else rows say ---- */

#define FIELD(name) #name, offsetof(struct tkf_result, name)

static const struct expected_field {
    const char *file, *name;
    unsigned nth;
    const char *field;
    size_t offset;
    double value;
} expected_fields[] = {
    {"catch2-xml/two.xml", "push & pop", 0, FIELD(iterations), 700},
    {"catch2-console/plain.txt", "push 10", 0, FIELD(iterations), 700},
    {"gbench-console/kinds.txt", "a name with blanks", 0, FIELD(wall_ns), 4250},
    {"gbench-console/kinds.txt", "a name with blanks", 0, FIELD(cpu_ns), 4000},
    {"gbench-console/kinds.txt", "a name with blanks", 0, FIELD(bytes_per_second), 2048},
    {"gbench-console/kinds.txt", "a name with blanks", 0, FIELD(items_per_second), 250e3},
    {"gbench-console/kinds.txt", "a name with blanks", 0, FIELD(iterations), 200000},
    {"gbench-console/kinds.txt", "a name with blanks", 0, FIELD(threads), 1},
    {"gbench-console/kinds.txt", "shared/threads:4", 0, FIELD(threads), 4},
    {"gbench-console/kinds.txt", "only", 0, FIELD(iterations), NAN},
    {"gbench-console/kinds.txt", "copy/8", 0, FIELD(bytes_per_second), 211.669 * 1048576},
    {"gbench-console/kinds.txt", "copy/8", 0, FIELD(items_per_second), 3.1e6},
    {"gbench-csv/kinds.csv", "walk<int, 4>", 0, FIELD(bytes_per_second), 16e6},
    {"gbench-csv/kinds.csv", "walk<int, 4>", 0, FIELD(items_per_second), 250e3},
    {"gbench-csv/kinds.csv", "own/manual_time", 0, FIELD(manual_ns), 0.001},
    {"gbench-csv/kinds.csv", "own/manual_time", 0, FIELD(wall_ns), NAN},
    {"gbench-json/kinds.json", "walk", 0, FIELD(wall_ns), 4250},
    {"gbench-json/kinds.json", "walk", 0, FIELD(cpu_ns), 4000},
    {"gbench-json/kinds.json", "walk", 0, FIELD(bytes_per_second), 16e6},
    {"gbench-json/kinds.json", "walk", 0, FIELD(items_per_second), 250e3},
    {"gbench-json/kinds.json", "walk", 0, FIELD(cycles), 12000},
    {"gbench-json/kinds.json", "walk", 0, FIELD(instructions), 36000},
    {"gbench-json/kinds.json", "walk", 0, FIELD(batch), NAN},
    {"gbench-json/kinds.json", "spin/repeats:3", 0, FIELD(min_ns), 6e-7},
    {"gbench-json/kinds.json", "spin/repeats:3", 0, FIELD(max_ns), 6.4e-7},
    {"gbench-json/kinds.json", "spin/repeats:3", 0, FIELD(iterations), 1e9},
    {"gbench-json/kinds.json", "only", 0, FIELD(min_ns), NAN},
    {"gbench-json/kinds.json", "shared/threads:4", 0, FIELD(threads), 4},
    {"gbench-json/kinds.json", "wait/real_time", 0, FIELD(cpu_ns), 40e3},
    {"gbench-json/kinds.json", "own/manual_time", 0, FIELD(manual_ns), 0.001},
    {"gbench-json/kinds.json", "own/manual_time", 0, FIELD(cpu_ns), 8},
    {"gbench-json/kinds.json", "own/manual_time", 0, FIELD(wall_ns), NAN},
    {"nanobench-csv/two.csv", "hash; and more", 0, FIELD(batch), 4},
    {"nanobench-csv/two.csv", "hash; and more", 0, FIELD(instructions), 3},
    {"nanobench-csv/two.csv", "plain", 0, FIELD(instructions), NAN},
    {"nanobench-json/two.json", "hash", 0, FIELD(batch), 4},
    {"nanobench-json/two.json", "hash", 0, FIELD(instructions), 3},
    {"nanobench-json/two.json", "hash", 0, FIELD(cycles), 2},
    {"nanobench-json/two.json", "hash", 0, FIELD(iterations), 300},
    {"nanobench-json/two.json", "hash", 0, FIELD(min_ns), 0.25},
    {"nanobench-json/two.json", "hash", 0, FIELD(max_ns), 1},
    {"nanobench-json/two.json", "gone", 0, FIELD(cycles), NAN},
    {"nanobench-md/tables.md", "add `one` | two", 0, FIELD(cycles), 1.01},
    {"nanobench-md/tables.md", "add `one` | two", 0, FIELD(instructions), 1},
    {"nanobench-md/tables.md", "add `one` | two", 0, FIELD(batch), NAN},
    {"perf-csv/two.csv", "command", 0, FIELD(cycles), 1000},
    {"perf-csv/two.csv", "command", 0, FIELD(cpu_ns), 500e3},
    {"perf-csv/two.csv", "command", 0, FIELD(wall_ns), NAN},
    {"perf-csv/two.csv", "command", 1, FIELD(wall_ns), 1.2e6},
    {"perf-csv/two.csv", "command", 1, FIELD(cpu_ns), 750e3},
    {"perf-json/two.json", "command", 0, FIELD(instructions), 1000},
    {"perf-text/runs.txt", "./walk (twice)", 0, FIELD(wall_ns), 1236974e3},
    {"perf-text/runs.txt", "./walk (twice)", 0, FIELD(cpu_ns), 1234.5e6},
    {"perf-text/runs.txt", "./walk (twice)", 0, FIELD(cycles), 2e9},
    {"perf-text/runs.txt", "./walk (twice)", 0, FIELD(instructions), 3e9},
    {"perf-text/runs.txt", "sleep 1", 0, FIELD(cpu_ns), 750e3},
    {"perf-text/runs.txt", "sleep 1", 0, FIELD(cycles), 12345678},
    {"perf-text/runs.txt", "sleep 1", 0, FIELD(instructions), 1234567},
    {"perf-text/runs.txt", "sleep 1", 0, FIELD(batch), 1},
};

static void test_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(expected_fields) / sizeof(*expected_fields); i++) {
        const struct expected_field *expected = &expected_fields[i];
        const char *row = (const char *)find(expected->file, expected->name, expected->nth);
        double value;
        memcpy(&value, row + expected->offset, sizeof(value));
        check_number(expected->file, expected->name, expected->field, value, expected->value);
    }
}

static const struct expected_metric {
    const char *file, *name, *unit;
    double value;
} expected_metrics[] = {
    {"gbench-console/kinds.txt", "a name with blanks", "hits", 7500},
    {"gbench-console/kinds.txt", "tabular", "foo", 12.5e6},
    {"gbench-console/kinds.txt", "tabular", "rate", 1.5e9},
    {"gbench-csv/kinds.csv", "walk<int, 4>", "hits", 0.75},
    {"gbench-json/kinds.json", "walk", "hits", 0.75},
    {"perf-csv/two.csv", "command", "page-faults", 49},
    {"perf-text/runs.txt", "./walk (twice)", "page-faults:u", 12},
    {"perf-text/runs.txt", "sleep 1", "page-faults", 1234},
};

static void test_metrics(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(expected_metrics) / sizeof(*expected_metrics); i++) {
        const struct expected_metric *expected = &expected_metrics[i];
        const struct tkf_result *row = find(expected->file, expected->name, 0);
        double value = NAN;
        for (unsigned j = 0; j < row->nmetrics; j++) {
            if (strcmp(row->metrics[j].unit, expected->unit) == 0)
                value = row->metrics[j].value;
        }
        check_number(expected->file, expected->name, expected->unit, value, expected->value);
    }
}

/* Of a program's counters the standard ones are no metrics, and nor is what identifies a run. */
static void test_no_other_metrics(void **state)
{
    (void)state;
    assert_int_equal(find("gbench-json/kinds.json", "walk", 0)->nmetrics, 1);
    assert_int_equal(find("gbench-json/kinds.json", "wait/real_time", 0)->nmetrics, 0);
    assert_int_equal(find("gbench-csv/kinds.csv", "walk<int, 4>", 0)->nmetrics, 1);
    assert_int_equal(find("gbench-console/kinds.txt", "a name with blanks", 0)->nmetrics, 1);
}

/* ---- what frameworks say of their rows ---- */

static const struct expected_word {
    const char *file, *name;
    bool failed, time_missing;
    const char *remark;
} expected_words[] = {
    {"catch2-console/analysis.txt", "nothing", true, false,
     "could not measure benchmark, maybe it was optimized away"},
    {"catch2-console/analysis.txt", "push 10", false, false, NULL},
    {"catch2-xml/two.xml", "nothing", true, false,
     "could not measure benchmark, maybe it was optimized away"},
    {"gbench-console/kinds.txt", "broken", true, false, "no 'fixture'"},
    {"gbench-console/kinds.txt", "left_out", true, false, "no network"},
    {"gbench-console/kinds.txt", "spin", false, false, NULL},
    {"gbench-csv/kinds.csv", "broken", true, false, "no \"fixture\""},
    {"gbench-json/kinds.json", "broken", true, false, "no \"fixture\""},
    {"gbench-json/kinds.json", "left_out", true, false, "no network"},
    {"highway-text/two.txt", "copy", true, false, "measurement failed"},
    {"nanobench-json/two.json", "gone", false, true,
     "no measurements: iterations overflow, maybe the code got optimized away"},
    {"nanobench-json/two.json", "hash", false, false, NULL},
    {"nanobench-md/tables.md", "gone", false, true,
     "iterations overflow. Maybe your code got optimized away?"},
    {"nanobench-md/tables.md", "sleep", false, false,
     "Unstable with ~1.0 iters. Increase `minEpochIterations` to e.g. 10"},
};

static void test_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(expected_words) / sizeof(*expected_words); i++) {
        const struct expected_word *expected = &expected_words[i];
        const struct tkf_result *row = find(expected->file, expected->name, 0);
        if (row->failed != expected->failed || row->time_missing != expected->time_missing)
            fail_msg("%s: %s: failed %d, time missing %d", expected->file, expected->name,
                     row->failed, row->time_missing);
        if (!expected->remark)
            assert_null(row->remark);
        else
            assert_string_equal(row->remark, expected->remark);
    }
}

static const struct expected_count {
    const char *file, *name;
    unsigned nth, repetitions, nsamples;
    enum tkf_statistic statistic;
} expected_counts[] = {
    {"catch2-console/analysis.txt", "push 10", 0, 50, 1, TKF_STATISTIC_MEAN},
    {"catch2-xml/two.xml", "push & pop", 0, 50, 1, TKF_STATISTIC_MEAN},
    {"gbench-console/kinds.txt", "only", 0, 5, 1, TKF_STATISTIC_MEDIAN},
    {"gbench-console/kinds.txt", "spin_again", 0, 2, 2, TKF_STATISTIC_MEDIAN},
    {"gbench-csv/kinds.csv", "only", 0, 5, 1, TKF_STATISTIC_MEDIAN},
    {"gbench-json/kinds.json", "only", 0, 5, 1, TKF_STATISTIC_MEDIAN},
    {"gbench-json/kinds.json", "spin/repeats:3", 0, 3, 3, TKF_STATISTIC_MEDIAN},
    {"gbench-json/kinds.json", "walk", 0, 1, 1, TKF_STATISTIC_MEAN},
    {"highway-text/two.txt", "walk 3", 0, 1, 1, TKF_STATISTIC_UNKNOWN},
    {"nanobench-csv/two.csv", "plain", 0, 1, 1, TKF_STATISTIC_MEDIAN},
    {"nanobench-json/two.json", "hash", 0, 3, 3, TKF_STATISTIC_MEDIAN},
    {"nanobench-md/tables.md", "sum", 1, 2, 2, TKF_STATISTIC_MEDIAN},
    {"perf-text/runs.txt", "./walk (twice)", 0, 5, 1, TKF_STATISTIC_MEAN},
    {"perf-text/runs.txt", "sleep 1", 0, 1, 1, TKF_STATISTIC_UNKNOWN},
    {"phoronix-xml/two.xml", "Scene: 1 & 2", 1, 2, 2, TKF_STATISTIC_MEAN},
};

static void test_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(expected_counts) / sizeof(*expected_counts); i++) {
        const struct expected_count *expected = &expected_counts[i];
        const struct tkf_result *row = find(expected->file, expected->name, expected->nth);
        if (row->repetitions != expected->repetitions || row->nsamples != expected->nsamples ||
            row->statistic != expected->statistic)
            fail_msg("%s: %s: %u repetitions, %u samples, statistic %d", expected->file,
                     expected->name, row->repetitions, row->nsamples, (int)row->statistic);
    }
}

/* ---- origins ---- */

static const struct expected_origin {
    const char *file, *name;
    unsigned nth;
    const char *framework;
    enum tkf_timing timing;
    const char *version, *cpu, *os;
    double cpus, timer_step_ns;
} expected_origins[] = {
    {"catch2-console/analysis.txt", "push 10", 0, "catch2", TKF_TIMING_BATCHED, "3.5.0", NULL, NULL,
     NAN, NAN},
    {"catch2-console/plain.txt", "pop", 0, "catch2", TKF_TIMING_BATCHED, NULL, NULL, NULL, NAN,
     NAN},
    {"catch2-xml/two.xml", "nothing", 0, "catch2", TKF_TIMING_BATCHED, "3.5.0", NULL, NULL, NAN,
     21.5},
    {"gbench-console/kinds.txt", "spin", 0, "google-benchmark", TKF_TIMING_BATCHED, NULL, NULL,
     NULL, 4, NAN},
    {"gbench-console/kinds.txt", "copy/8", 0, "google-benchmark", TKF_TIMING_BATCHED, NULL, NULL,
     NULL, 2, NAN},
    {"gbench-csv/kinds.csv", "spin", 1, "google-benchmark", TKF_TIMING_BATCHED, NULL, NULL, NULL,
     NAN, NAN},
    {"gbench-json/kinds.json", "walk", 0, "google-benchmark", TKF_TIMING_BATCHED, "v1.9.0", NULL,
     NULL, 8, NAN},
    {"highway-text/two.txt", "walk 3", 0, "highway", TKF_TIMING_SUBTRACTED, NULL, NULL, NULL, NAN,
     25},
    {"nanobench-csv/two.csv", "plain", 0, "nanobench", TKF_TIMING_BATCHED, NULL, NULL, NULL, NAN,
     NAN},
    {"nanobench-json/two.json", "hash", 0, "nanobench", TKF_TIMING_BATCHED, NULL, NULL, NULL, NAN,
     25},
    {"nanobench-md/tables.md", "sleep", 0, "nanobench", TKF_TIMING_BATCHED, NULL, NULL, NULL, NAN,
     NAN},
    {"perf-csv/two.csv", "command", 1, "perf-stat", TKF_TIMING_PROCESS, NULL, NULL, NULL, NAN, NAN},
    {"perf-json/two.json", "command", 1, "perf-stat", TKF_TIMING_PROCESS, NULL, NULL, NULL, NAN,
     NAN},
    {"perf-text/runs.txt", "sleep 1", 0, "perf-stat", TKF_TIMING_PROCESS, NULL, NULL, NULL, NAN,
     NAN},
    {"phoronix-xml/two.xml", "Frame", 0, "phoronix", TKF_TIMING_PROCESS, NULL,
     "Example One @ 2.00GHz (4 Cores)", "Example Linux 1", NAN, NAN},
    {"phoronix-xml/two.xml", "Scene: 1 & 2", 1, "phoronix", TKF_TIMING_PROCESS, NULL,
     "Example Two @ 3.00GHz (8 Cores)", "Example Linux 2", NAN, NAN},
    {"phoronix-xml/two.xml", "Scene: 1 & 2", 2, "phoronix", TKF_TIMING_PROCESS, NULL, NULL, NULL,
     NAN, NAN},
};

static void check_text(const char *file, const char *is, const char *should)
{
    if (should ? !is || strcmp(is, should) != 0 : is != NULL)
        fail_msg("%s: \"%s\" and not \"%s\"", file, is ? is : "-", should ? should : "-");
}

static void test_origins(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(expected_origins) / sizeof(*expected_origins); i++) {
        const struct expected_origin *expected = &expected_origins[i];
        const char *file = expected->file;
        const struct tkf_origin *origin = find(file, expected->name, expected->nth)->origin;
        check_text(file, origin->framework, expected->framework);
        check_text(file, origin->version, expected->version);
        check_text(file, origin->cpu, expected->cpu);
        check_text(file, origin->os, expected->os);
        if (origin->timing != expected->timing)
            fail_msg("%s: timing %d", file, (int)origin->timing);
        check_number(file, expected->name, "cpus", origin->cpus, expected->cpus);
        check_number(file, expected->name, "timer_step_ns", origin->timer_step_ns,
                     expected->timer_step_ns);
        /* None of these formats states the clock of the core. */
        check_number(file, expected->name, "core_hz", origin->core_hz, NAN);
    }
}

/* A run of its own, or of the same as another row. */
static void test_separate_runs(void **state)
{
    (void)state;
    assert_ptr_not_equal(find("gbench-csv/kinds.csv", "spin", 0)->origin,
                         find("gbench-csv/kinds.csv", "spin", 1)->origin);
    assert_ptr_equal(find("nanobench-md/tables.md", "sum", 0)->origin,
                     find("nanobench-md/tables.md", "add `one` | two", 0)->origin);
    assert_ptr_not_equal(find("nanobench-md/tables.md", "edited", 0)->origin,
                         find("nanobench-md/tables.md", "edited", 1)->origin);
    assert_ptr_equal(find("perf-text/runs.txt", "sleep 1", 0)->origin,
                     find("perf-text/runs.txt", "./walk (twice)", 0)->origin);
}

/* ---- notices ---- */

static const struct expected_notice {
    const char *file;
    unsigned line;
    const char *text; /* a part of it */
} expected_notices[] = {
    {"catch2-console/analysis.txt", 28, "unfinished: its mean is missing"},
    {"catch2-xml/two.xml", 18, "empty of values: no <mean>"},
    {"gbench-console/kinds.txt", 29, "half"},
    {"gbench-console/torn.txt", 4, "torn"},
    {"gbench-csv/kinds.csv", 22, "cut: the row is cut"},
    {"gbench-json/kinds.json", 200, "endless: no time"},
    {"gbench-json/kinds.json", 209, "timeless: no time"},
    {"highway-text/two.txt", 7, "torn"},
    {"nanobench-csv/two.csv", 4, "cut: the row is cut"},
    {"nanobench-json/two.json", 36, "no number: no \"median(elapsed)\""},
    {"nanobench-md/tables.md", 7, "not read"},
    {"perf-csv/comma.csv", 2, "no count of a whole command"},
    {"perf-json/two.json", 7, "branches: no \"counter-value\""},
    {"perf-json/two.json", 8, "no count of a whole command"},
    {"perf-json/two.json", 9, "not JSON"},
    {"perf-text/runs.txt", 32, "9,87,6 nonsense"},
    {"perf-text/runs.txt", 29, "process id '7': neither"},
    {"phoronix-xml/two.xml", 81, "Frame: \"many\" is no number"},
    {"phoronix-xml/two.xml", 48, "2 results from here on are rates or sizes"},
};

static void test_notices(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(expected_notices) / sizeof(*expected_notices); i++) {
        const struct expected_notice *expected = &expected_notices[i];
        bool found = false;
        read_once(expected->file);
        for (size_t j = 0; j < tkf_results_notices(results); j++) {
            const struct tkf_notice *notice = tkf_results_notice(results, j);
            found |= notice->line == expected->line && strstr(notice->text, expected->text);
        }
        if (!found)
            fail_msg("%s:%u: nothing says \"%s\"", expected->file, expected->line, expected->text);
    }
}

/* No line that is not worth it is spoken of. */
static const struct expected_silence {
    const char *file;
    size_t notices;
} expected_silences[] = {
    {"catch2-console/analysis.txt", 1},
    {"catch2-console/plain.txt", 0},
    {"catch2-xml/two.xml", 1},
    {"gbench-console/kinds.txt", 1},
    {"gbench-console/torn.txt", 1},
    {"gbench-csv/kinds.csv", 1},
    {"gbench-json/kinds.json", 4}, /* text before it, what is no number */
    {"gbench-json/old.json", 0},
    {"highway-text/two.txt", 1},
    {"nanobench-csv/two.csv", 1},
    {"nanobench-json/two.json", 1},
    {"nanobench-md/tables.md", 1},
    {"perf-csv/comma.csv", 1},
    {"perf-csv/two.csv", 0},
    {"perf-json/two.json", 3},
    {"perf-text/runs.txt", 2},
    {"phoronix-xml/two.xml", 2},
};

static void test_silence(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(expected_silences) / sizeof(*expected_silences); i++) {
        const struct expected_silence *expected = &expected_silences[i];
        read_once(expected->file);
        if (tkf_results_notices(results) != expected->notices)
            fail_msg("%s: %zu notices", expected->file, tkf_results_notices(results));
    }
}

/* Google Benchmark's JSON is read an entry at a time: what is broken costs what is behind it, and no more. */
#define CONTEXT "\"context\": {\"num_cpus\": 8}"
#define ENTRY(name) \
    "{\"name\": \"" name "\", \"real_time\": 2, \"cpu_time\": 1,\n\"time_unit\": \"ns\"}"

static const struct stream {
    const char *text;
    size_t rows, notices;
    unsigned line;      /* of the last notice */
    const char *notice; /* a part of it */
} streams[] = {
    {"{" CONTEXT ",\n\"benchmarks\": [\n" ENTRY("a") ",\n" ENTRY("b") "]\n}\n", 2, 0, 0, ""},
    {"{\"benchmarks\": [" ENTRY("a") "],\n" CONTEXT "}", 1, 0, 0, ""},
    {"{\"benchmarks\": [" ENTRY("a") ",\n" ENTRY("b") ",\n", 2, 1, 5, "breaks off"},
    {"{\"benchmarks\": [" ENTRY("a") ",\n{\"name\": \"b\",\n\"real_ti", 1, 2, 4, "breaks off"},
    {"{\"benchmarks\": [" ENTRY("a") "\n" ENTRY("b") "]}", 1, 1, 3, "is broken from here"},
    {"{\"benchmarks\": [" ENTRY("a") ",\n{\"name\" \"b\"},\n" ENTRY("c") "]}", 1, 2, 3,
     "is broken from here"},
    {"{\"benchmarks\": [{\"x\": NaN},\n" ENTRY("a") "]}", 1, 2, 0, "values that are no numbers (NaN, Infinity, too large), read as unknown: 1"},
    {"{\"load_avg\": [inf], \"benchmarks\": [" ENTRY("a") "]}", 1, 1, 0, "values that are no numbers (NaN, Infinity, too large), read as unknown: 1"},
    {"{\"benchmarks\": [" ENTRY("a\\u0000b") "," ENTRY("a\\u0000c") "]}", 2, 1, 0,
     "characters in strings that are no text, read as '?': 2"},
    {"with {} and [1/2]\n{\"benchmarks\": [" ENTRY("a") "]}", 1, 1, 1, "text before"},
    {"{\"benchmarks\": [" ENTRY("a") "]}\n1 leak\n", 1, 1, 2, "text after"},
};

static void test_streams(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++) {
        const struct stream *want = &streams[i];
        struct tkf_results *read = tkf_results_new();
        struct tkf_input_error error;
        FILE *in = fmemopen((void *)(uintptr_t)want->text, strlen(want->text), "rb");
        assert_int_equal(tkf_results_read(read, in, "text", "gbench-json", NULL, &error), 0);
        fclose(in);
        size_t n = tkf_results_notices(read);
        const struct tkf_notice *last = n > 0 ? tkf_results_notice(read, n - 1) : NULL;
        if (tkf_results_count(read) != want->rows || n != want->notices ||
            (last && (last->line != want->line || !strstr(last->text, want->notice))))
            fail_msg("%s\n%zu rows, %zu notices, the last %u: %s", want->text,
                     tkf_results_count(read), n, last ? last->line : 0, last ? last->text : "");
        for (size_t j = 0; i < 2 && j < tkf_results_count(read); j++) {
            assert_true(tkf_results_get(read, j)->line == 3 - 2 * i + 2 * j);
            assert_true(tkf_results_get(read, j)->origin->cpus == 8);
        }
        tkf_results_free(read);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),    cmocka_unit_test(test_fields),
        cmocka_unit_test(test_metrics), cmocka_unit_test(test_no_other_metrics),
        cmocka_unit_test(test_words),   cmocka_unit_test(test_counts),
        cmocka_unit_test(test_origins), cmocka_unit_test(test_separate_runs),
        cmocka_unit_test(test_notices), cmocka_unit_test(test_silence),
        cmocka_unit_test(test_streams),
    };
    return cmocka_run_group_tests(tests, NULL, free_results);
}
