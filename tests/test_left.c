/* SPDX-License-Identifier: MIT */
/* Several formats in one stream, and what is around them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"

static const char go[] = "goos: linux\n"
                         "pkg: p\n"
                         "BenchmarkDead-2 \t 1000000000 \t 0.0000003 ns/op\n"
                         "PASS\n";

static const char table[] = "-----------------------------------------------------\n"
                            "Benchmark           Time             CPU   Iterations\n"
                            "-----------------------------------------------------\n"
                            "BM_Sort          50.9 ns         50.8 ns     13735000\n";

static const char json[] = "{\n"
                           "  \"context\": {\"mhz_per_cpu\": 3000},\n"
                           "  \"benchmarks\": [\n"
                           "    {\"name\": \"BM_Json\", \"iterations\": 10, \"real_time\": 5,\n"
                           "     \"cpu_time\": 5, \"time_unit\": \"ns\"}\n"
                           "  ]\n"
                           "}\n";

static const char xml[] = "<?xml version=\"1.0\"?>\n"
                          "<Catch2TestRun name=\"t\">\n"
                          "<TestCase name=\"c\">\n"
                          "<BenchmarkResults name=\"sum\" samples=\"100\" iterations=\"10\">\n"
                          "<mean value=\"50\" lowerBound=\"49\" upperBound=\"51\" ci=\"0.95\"/>\n"
                          "</BenchmarkResults>\n"
                          "</TestCase>\n"
                          "</Catch2TestRun>\n";

struct text {
    char *text;
    size_t length;
};

static void add(struct text *text, const char *more)
{
    size_t length = strlen(more);
    text->text = realloc(text->text, text->length + length + 1);
    assert_non_null(text->text);
    memcpy(text->text + text->length, more, length + 1);
    text->length += length;
}

static void add_noise(struct text *text, size_t lines)
{
    for (size_t i = 0; i < lines; i++)
        add(text, "[1/2] some line of a build's log, of 60 characters or so ...\n");
}

static struct tkf_results *read_as(struct text *text, const char *format)
{
    struct tkf_input_error error = {0};
    struct tkf_results *results = tkf_results_new();
    FILE *in = tmpfile();
    assert_non_null(results);
    assert_non_null(in);
    assert_int_equal(fwrite(text->text, 1, text->length, in), text->length);
    rewind(in);
    int ret = tkf_results_read(results, in, "mixed", format, NULL, &error);
    fclose(in);
    if (ret != 0)
        fail_msg("%u: %s", error.line, error.text);
    free(text->text);
    *text = (struct text){.text = NULL};
    return results;
}

/* The line that a result stands on; 0 when there is none of that name and framework. */
static unsigned line_of(const struct tkf_results *results, const char *framework, const char *name)
{
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        const struct tkf_result *result = tkf_results_get(results, i);
        if (strcmp(result->name, name) == 0 && strcmp(result->origin->framework, framework) == 0)
            return result->line;
    }
    return 0;
}

static void expect(const struct tkf_results *results, size_t count, size_t notices)
{
    if (tkf_results_notices(results) > notices)
        print_error("%u: %s", tkf_results_notice(results, 0)->line,
                    tkf_results_notice(results, 0)->text);
    assert_int_equal(tkf_results_notices(results), notices);
    assert_int_equal(tkf_results_count(results), count);
}

static void test_lines_of_two(void **state)
{
    struct text text = {0};
    (void)state;
    add(&text, go);
    add(&text, table);
    struct tkf_results *results = read_as(&text, NULL);
    expect(results, 2, 0);
    assert_int_equal(line_of(results, "go", "BenchmarkDead"), 3);
    assert_int_equal(line_of(results, "google-benchmark", "BM_Sort"), 8);
    assert_string_equal(tkf_results_get(results, 0)->origin->format, "gbench-console");
    assert_string_equal(tkf_results_get(results, 1)->origin->format, "go-text");
    tkf_results_free(results);
}

static void test_far_apart(void **state)
{
    struct text text = {0};
    (void)state;
    add(&text, table);
    add_noise(&text, 5000);
    add(&text, go);
    add_noise(&text, 5000);
    add(&text, xml);
    struct tkf_results *results = read_as(&text, NULL);
    expect(results, 3, 0);
    assert_int_equal(line_of(results, "google-benchmark", "BM_Sort"), 4);
    assert_int_equal(line_of(results, "go", "BenchmarkDead"), 5007);
    assert_int_equal(line_of(results, "catch2", "sum"), 10012);
    tkf_results_free(results);
}

static void test_documents(void **state)
{
    struct text text = {0};
    (void)state;
    add(&text, go);
    add(&text, json);
    add(&text, table);
    add(&text, json);
    add(&text, xml);
    struct tkf_results *results = read_as(&text, NULL);
    expect(results, 5, 0);
    assert_int_equal(line_of(results, "go", "BenchmarkDead"), 3);
    assert_int_equal(line_of(results, "google-benchmark", "BM_Json"), 8);
    assert_int_equal(line_of(results, "google-benchmark", "BM_Sort"), 15);
    assert_int_equal(line_of(results, "catch2", "sum"), 26);
    tkf_results_free(results);
}

/* What one reader does not take apart, the pieces of a progress line included, the next one counts alike. */
static void test_returns(void **state)
{
    struct text text = {0};
    (void)state;
    add(&text, "10 %\r20 %\r100 %\r\n\r\n");
    add(&text, go);
    add(&text, "10 %\r20 %\r100 %\r\n");
    add(&text, table);
    struct tkf_results *results = read_as(&text, NULL);
    expect(results, 2, 0);
    assert_int_equal(line_of(results, "go", "BenchmarkDead"), 5);
    assert_int_equal(line_of(results, "google-benchmark", "BM_Sort"), 11);
    tkf_results_free(results);
}

/* More than is looked at to recognise a format. */
static void test_long_log(void **state)
{
    static const struct {
        const char *text, *framework, *name;
        unsigned line;
    } formats[] = {{go, "go", "BenchmarkDead", 3},
                   {json, "google-benchmark", "BM_Json", 4},
                   {xml, "catch2", "sum", 4}};
    struct text text = {0};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        add_noise(&text, 4001);
        add(&text, formats[i].text);
        struct tkf_results *results = read_as(&text, NULL);
        assert_int_equal(tkf_results_count(results), 1);
        assert_int_equal(line_of(results, formats[i].framework, formats[i].name),
                         4001 + formats[i].line);
        tkf_results_free(results);
    }
}

/* The first reader says that it cannot read what looks like its own, and is not. */
static void test_notices(void **state)
{
    struct text text = {0};
    (void)state;
    add(&text, table);
    add(&text, "BM_Broken 5 ns\n");
    for (int i = 0; i < 9; i++)
        add(&text, "\n");
    add(&text, "Benchmark 1: sleep 0.01\n"
               "  Time (mean ± σ):      12.2 ms ±   2.2 ms    [User: 0.7 ms, System: 0.9 ms]\n"
               "  Range (min … max):    10.2 ms …  16.8 ms    15 runs\n");
    struct tkf_results *results = read_as(&text, NULL);
    expect(results, 2, 1);
    assert_int_equal(tkf_results_notice(results, 0)->line, 5);
    assert_int_equal(line_of(results, "hyperfine", "sleep 0.01"), 15);
    tkf_results_free(results);
}

/* Text that nobody knows is said to be skipped; a format that was named is the only one. */
static void test_no_others(void **state)
{
    struct text text = {0};
    (void)state;
    add(&text, "compiling\n");
    add(&text, json);
    struct tkf_results *results = read_as(&text, NULL);
    expect(results, 1, 1);
    assert_string_equal(tkf_results_notice(results, 0)->text, "text before the JSON is skipped");
    tkf_results_free(results);
    add(&text, go);
    add(&text, table);
    results = read_as(&text, "go-text");
    expect(results, 1, 0);
    tkf_results_free(results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_of_two), cmocka_unit_test(test_far_apart),
        cmocka_unit_test(test_documents),    cmocka_unit_test(test_returns),
        cmocka_unit_test(test_long_log),     cmocka_unit_test(test_no_others),
        cmocka_unit_test(test_notices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
