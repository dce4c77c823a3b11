/* SPDX-License-Identifier: MIT */
/* Rows become results: merging, repetitions, intervals, bounds, notices, recognition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "results.h"

struct fixture {
    struct tkf_results *results;
    struct tkf_sink sink;
};

static void begin(struct fixture *fixture)
{
    fixture->results = tkf_results_new();
    tkf_sink_begin(&fixture->sink, fixture->results, "file", "format");
    tkf_sink_origin(&fixture->sink, "go", TKF_TIMING_BATCHED);
}

static void add(struct fixture *fixture, const char *group, const char *name, double ns)
{
    struct tkf_result row = tkf_sink_row(&fixture->sink, 7);
    row.group = group;
    row.name = name;
    row.ns = ns;
    tkf_sink_add(&fixture->sink, &row);
}

static const struct tkf_result *only_result(struct fixture *fixture)
{
    tkf_sink_end(&fixture->sink);
    assert_int_equal(tkf_results_count(fixture->results), 1);
    return tkf_results_get(fixture->results, 0);
}

static void end(struct fixture *fixture)
{
    tkf_results_free(fixture->results);
}

/* ---- merging ---- */

static void test_one_row(void **state)
{
    struct fixture fixture;
    (void)state;
    begin(&fixture);
    add(&fixture, "p", "x", 5);
    const struct tkf_result *result = only_result(&fixture);
    assert_string_equal(result->origin->file, "file");
    assert_string_equal(result->origin->framework, "go");
    assert_int_equal(result->line, 7);
    assert_true(result->ns == 5);
    assert_int_equal(result->repetitions, 1);
    assert_int_equal(result->nsamples, 1);
    /* Of one value nobody knows the least or an interval. */
    assert_true(isnan(result->ns_lo) && isnan(result->ns_hi) && isnan(result->min_ns));
    assert_int_equal(result->statistic, TKF_STATISTIC_UNKNOWN);
    end(&fixture);
}

static void test_keys(void **state)
{
    struct fixture fixture;
    char name[] = "x";
    (void)state;
    begin(&fixture);
    add(&fixture, "p", name, 1);
    add(&fixture, "q", name, 2);
    add(&fixture, "p", "y", 3);
    add(&fixture, "p", name, 4);
    struct tkf_origin *first = fixture.sink.origin;
    tkf_sink_origin(&fixture.sink, "go", TKF_TIMING_BATCHED);
    add(&fixture, "p", name, 5);
    tkf_sink_choose(&fixture.sink, first);
    add(&fixture, "p", name, 6);
    *name = '!'; /* what was given is the caller's again */
    tkf_sink_end(&fixture.sink);
    assert_int_equal(tkf_results_count(fixture.results), 4);
    assert_int_equal(tkf_results_get(fixture.results, 0)->repetitions, 3);
    assert_string_equal(tkf_results_get(fixture.results, 0)->name, "x");
    assert_string_equal(tkf_results_get(fixture.results, 1)->group, "q");
    assert_true(tkf_results_get(fixture.results, 3)->ns == 5);
    assert_null(tkf_results_get(fixture.results, 4));
    end(&fixture);
}

static void test_few_repetitions(void **state)
{
    struct fixture fixture;
    (void)state;
    begin(&fixture);
    add(&fixture, "", "x", 3);
    add(&fixture, "", "x", 1);
    add(&fixture, "", "x", 2);
    const struct tkf_result *result = only_result(&fixture);
    assert_true(result->ns == 2);
    assert_true(result->ns_lo == 1 && result->ns_hi == 3);
    assert_true(result->min_ns == 1 && result->max_ns == 3);
    assert_int_equal(result->statistic, TKF_STATISTIC_MEDIAN);
    assert_int_equal(result->repetitions, 3);
    assert_true(result->samples[0].ns == 3 && result->samples[1].ns == 1 &&
                result->samples[2].ns == 2);
    end(&fixture);
}

/* The interval is that of order statistics: of 20 values the 5th to the 16th. */
static void test_many_repetitions(void **state)
{
    struct fixture fixture;
    (void)state;
    begin(&fixture);
    for (unsigned i = 0; i < 20; i++)
        add(&fixture, "", "x", (i * 7) % 20 + 1);
    const struct tkf_result *result = only_result(&fixture);
    assert_true(result->ns == 10.5);
    assert_true(result->ns_lo == 5 && result->ns_hi == 16);
    assert_true(result->min_ns == 1 && result->max_ns == 20);
    end(&fixture);
}

/* Past the limit every second goes: what stays is even, and the count exact. */
static void test_bounded_samples(void **state)
{
    (void)state;
    for (unsigned n = 60; n < 1100; n += 7) {
        struct fixture fixture;
        begin(&fixture);
        for (unsigned i = 0; i < n; i++)
            add(&fixture, "", "x", i + 1);
        const struct tkf_result *result = only_result(&fixture);
        unsigned stride = 1;
        while ((n - 1) / stride >= TKF_SAMPLES_MAX)
            stride *= 2;
        assert_int_equal(result->repetitions, n);
        assert_int_equal(result->nsamples, (n - 1) / stride + 1);
        for (unsigned i = 0; i < result->nsamples; i++)
            assert_true(result->samples[i].ns == i * stride + 1);
        assert_true(result->min_ns == 1 && result->max_ns == n);
        assert_true(fabs(result->ns - n / 2.) <= stride);
        end(&fixture);
    }
}

static void test_listed_samples(void **state)
{
    struct fixture fixture;
    (void)state;
    begin(&fixture);
    struct tkf_result row = tkf_sink_row(&fixture.sink, 1);
    row.name = "x";
    row.ns = 50; /* the framework's own statistic stays */
    for (unsigned i = 0; i < 100; i++)
        tkf_row_sample(&fixture.sink, &row, i);
    tkf_row_sample(&fixture.sink, &row, NAN);
    tkf_sink_add(&fixture.sink, &row);
    const struct tkf_result *result = only_result(&fixture);
    assert_true(result->ns == 50);
    assert_int_equal(result->repetitions, 100);
    assert_int_equal(result->nsamples, 50);
    assert_true(result->samples[49].ns == 98);
    assert_true(result->min_ns == 0 && result->max_ns == 98);
    assert_true(result->ns_lo > 30 && result->ns_lo < 50 && result->ns_hi > 50);
    end(&fixture);
}

static void test_stated_interval(void **state)
{
    struct fixture fixture;
    (void)state;
    begin(&fixture);
    for (unsigned i = 0; i < 2; i++) {
        struct tkf_result row = tkf_sink_row(&fixture.sink, 1);
        row.name = "x";
        row.ns = 10 + i;
        row.ns_lo = 9 + i;
        row.ns_hi = 12 + i;
        row.min_ns = 8 - (double)i;
        tkf_sink_add(&fixture.sink, &row);
    }
    const struct tkf_result *result = only_result(&fixture);
    assert_true(result->ns_lo == 9 && result->ns_hi == 13);
    assert_true(result->min_ns == 7 && result->max_ns == 11);
    end(&fixture);
}

static void test_inverted_interval(void **state)
{
    struct fixture fixture;
    (void)state;
    begin(&fixture);
    struct tkf_result row = tkf_sink_row(&fixture.sink, 1);
    row.name = "x";
    row.ns = -10;
    row.ns_lo = -9;
    row.ns_hi = -11;
    tkf_sink_add(&fixture.sink, &row);
    const struct tkf_result *result = only_result(&fixture);
    assert_true(isnan(result->ns_lo) && isnan(result->ns_hi));
    assert_true(result->ns == -10);
    end(&fixture);
}

/* The worst of what is worst, the finest quantum, else the first that is known. */
static void test_merged_fields(void **state)
{
    struct fixture fixture;
    (void)state;
    begin(&fixture);
    struct tkf_result row = tkf_sink_row(&fixture.sink, 1);
    row.name = "x";
    row.ns = 1;
    row.iterations = 10;
    row.total_ns = 10;
    row.quantum_ns = 0.1;
    row.exit_code = 0;
    tkf_row_metric(&fixture.sink, &row, "a", 1);
    tkf_sink_add(&fixture.sink, &row);
    row.iterations = 30;
    row.total_ns = 31;
    row.quantum_ns = 0.01;
    row.exit_code = 2;
    row.allocs = 3;
    row.failed = true;
    row.remark = "said";
    tkf_row_metric(&fixture.sink, &row, "b", 1);
    tkf_sink_add(&fixture.sink, &row);
    row.iterations = 20;
    row.total_ns = 19;
    row.exit_code = 1;
    row.allocs = 4;
    row.failed = false;
    tkf_row_metric(&fixture.sink, &row, "b", 9);
    tkf_row_metric(&fixture.sink, &row, "a", 9);
    tkf_sink_add(&fixture.sink, &row);
    const struct tkf_result *result = only_result(&fixture);
    assert_true(result->iterations == 30 && result->total_ns == 31);
    assert_true(result->quantum_ns == 0.01);
    assert_true(result->exit_code == 2);
    assert_true(result->allocs == 3);
    assert_true(result->failed);
    assert_string_equal(result->remark, "said");
    assert_int_equal(result->nmetrics, 2);
    assert_true(result->metrics[0].value == 1 && result->metrics[1].value == 1);
    end(&fixture);
}

/* All are kept, and what is too much for any row is said. */
static void test_metrics(void **state)
{
    struct fixture fixture;
    (void)state;
    begin(&fixture);
    for (unsigned i = 0; i < TKF_METRICS_MAX + 2; i++) {
        char unit[16];
        struct tkf_result row = tkf_sink_row(&fixture.sink, 1);
        int length = snprintf(unit, sizeof(unit), "unit-%u", i);
        row.name = "x";
        row.ns = 1;
        tkf_row_metric(&fixture.sink, &row, tkf_sink_text(&fixture.sink, unit, (size_t)length), i);
        tkf_sink_add(&fixture.sink, &row);
    }
    const struct tkf_result *result = only_result(&fixture);
    assert_int_equal(result->nmetrics, TKF_METRICS_MAX);
    for (unsigned i = 0; i < TKF_METRICS_MAX; i++)
        assert_true(result->metrics[i].value == i);
    assert_int_equal(tkf_results_notices(fixture.results), 2);
    end(&fixture);
}

/* A row that only says more, as benchstat's other tables do, is no repetition. */
static void test_further_facts(void **state)
{
    struct fixture fixture;
    (void)state;
    begin(&fixture);
    struct tkf_result more = tkf_sink_row(&fixture.sink, 1);
    more.name = "x";
    more.alloc_bytes = 16;
    more.repetitions = 0;
    tkf_sink_add(&fixture.sink, &more);
    add(&fixture, "", "x", 5);
    tkf_sink_add(&fixture.sink, &more);
    const struct tkf_result *result = only_result(&fixture);
    assert_int_equal(result->repetitions, 1);
    assert_true(result->ns == 5);
    assert_true(result->alloc_bytes == 16);
    assert_true(isnan(result->min_ns)); /* of one value */
    assert_int_equal(result->statistic, TKF_STATISTIC_UNKNOWN);
    end(&fixture);
}

/* ---- strings, notices, memory ---- */

static void test_strings(void **state)
{
    struct fixture fixture;
    char name[32];
    (void)state;
    begin(&fixture);
    const char *abc = tkf_sink_text(&fixture.sink, "abcdef", 3);
    assert_string_equal(abc, "abc");
    for (unsigned i = 0; i < 50000; i++) {
        snprintf(name, sizeof(name), "name-%u", i);
        assert_string_equal(tkf_sink_text(&fixture.sink, name, strlen(name)), name);
    }
    assert_ptr_equal(tkf_sink_text(&fixture.sink, "abc", 3), abc);
    assert_string_equal(tkf_sink_text(&fixture.sink, "", 0), "");
    assert_string_equal(tkf_sink_text(&fixture.sink, "a\0b\0", 4), "a?b?");
    end(&fixture);
}

static void test_many_rows(void **state)
{
    struct fixture fixture;
    char name[32];
    (void)state;
    begin(&fixture);
    for (unsigned i = 0; i < 6000; i++) {
        snprintf(name, sizeof(name), "%u", i % 3000);
        add(&fixture, "", name, i);
    }
    tkf_sink_end(&fixture.sink);
    assert_int_equal(tkf_results_count(fixture.results), 3000);
    for (unsigned i = 0; i < 3000; i++)
        assert_int_equal(tkf_results_get(fixture.results, i)->repetitions, 2);
    end(&fixture);
}

static void test_notices(void **state)
{
    struct fixture fixture;
    (void)state;
    begin(&fixture);
    for (unsigned i = 0; i < 1000; i++)
        tkf_sink_notice(&fixture.sink, i, "number %u", i);
    tkf_sink_end(&fixture.sink);
    assert_int_equal(tkf_results_notices(fixture.results), 201);
    assert_string_equal(tkf_results_notice(fixture.results, 199)->text, "number 199");
    assert_string_equal(tkf_results_notice(fixture.results, 200)->text, "800 more such lines");
    assert_null(tkf_results_notice(fixture.results, 201));
    end(&fixture);
}

/* ---- reading ---- */

static int read_text(struct tkf_results *results, const char *text, const char *format,
                     struct tkf_input_error *ret_error)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "rb");
    int ret = tkf_results_read(results, in, "text", format, NULL, ret_error);
    fclose(in);
    return ret;
}

static void test_reading(void **state)
{
    struct tkf_results *results = tkf_results_new();
    struct tkf_input_error error;
    (void)state;
    assert_int_equal(read_text(results, "hello there\n", NULL, &error), TKF_EFORMAT);
    assert_non_null(strstr(error.next, "--input-format"));
    assert_int_equal(read_text(results, " \n\n", NULL, &error), TKF_EFORMAT);
    assert_string_equal(error.text, "empty");
    assert_int_equal(read_text(results, "PASS\n", "go-text", &error), TKF_EFORMAT);
    assert_int_equal(read_text(results, "BenchmarkX 1 2 ns/op\n", "none", &error), TKF_EINVAL);
    assert_int_equal(read_text(results, "BenchmarkX 1 2 ns/op\n", NULL, &error), 0);
    assert_int_equal(read_text(results, "BenchmarkX 1 4 ns/op\n", NULL, &error), 0);
    /* Two inputs are two origins: nothing is merged. */
    assert_int_equal(tkf_results_count(results), 2);
    assert_int_equal(tkf_results_get(results, 0)->repetitions, 1);
    assert_string_equal(tkf_results_get(results, 1)->origin->format, "go-text");
    assert_int_equal(tkf_results_read_path(results, "x", "none", &error), TKF_EINVAL);
    assert_int_equal(
        tkf_results_read_path(results, TESTS_SOURCE_DIR "/machines-sysfs", NULL, &error),
        TKF_EFORMAT);
    tkf_results_free(results);
    tkf_results_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_row),         cmocka_unit_test(test_keys),
        cmocka_unit_test(test_few_repetitions), cmocka_unit_test(test_many_repetitions),
        cmocka_unit_test(test_bounded_samples), cmocka_unit_test(test_listed_samples),
        cmocka_unit_test(test_stated_interval), cmocka_unit_test(test_inverted_interval),
        cmocka_unit_test(test_merged_fields),   cmocka_unit_test(test_further_facts),
        cmocka_unit_test(test_strings),         cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_notices),         cmocka_unit_test(test_reading),
        cmocka_unit_test(test_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
