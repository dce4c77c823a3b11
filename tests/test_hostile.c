/* SPDX-License-Identifier: MIT */
/*
 * Inputs that somebody made up to do harm, or a broken program to no purpose: no crash, no hang, no memory beyond what the results
 * need, and what is whole in them is read. With the argument "long" those inputs that take more than some seconds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickfloor/error.h>
#include <tickfloor/report.h>

#define MIB ((size_t)1 << 20)

/* ---- inputs made while they are read ---- */

/* The writer's end of a pipe: a process of its own, so that nothing of the input is in this one. */
typedef void writer(FILE *out, size_t amount);

static struct tkf_results *results;
static struct tkf_input_error why;

static int read_written(writer *write_input, size_t amount, const char *format)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        FILE *out = fdopen(ends[1], "wb");
        close(ends[0]);
        write_input(out, amount);
        fclose(out);
        _exit(0);
    }
    close(ends[1]);
    FILE *in = fdopen(ends[0], "rb");
    int error = tkf_results_read(results, in, "input", format, NULL, &why);
    fclose(in);
    waitpid(child, &status, 0);
    return error;
}

static int read_text(const char *text, size_t length, const char *format)
{
    FILE *in = fmemopen((void *)text, length, "rb");
    assert_non_null(in);
    int error = tkf_results_read(results, in, "input", format, NULL, &why);
    fclose(in);
    return error;
}

static const struct tkf_result *find(const char *name)
{
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        if (strcmp(tkf_results_get(results, i)->name, name) == 0)
            return tkf_results_get(results, i);
    }
    return NULL;
}

static void is_read(const char *name, double ns)
{
    const struct tkf_result *row = find(name);
    if (!row || row->ns != ns)
        fail_msg("%s is not read as %g ns", name, ns);
}

static bool noticed(const char *part)
{
    for (size_t i = 0; i < tkf_results_notices(results); i++) {
        if (strstr(tkf_results_notice(results, i)->text, part))
            return true;
    }
    return false;
}

/* Read or refused, with a reason; what was read can be judged. */
static void is_answered(int error)
{
    assert_true(error == 0 || error == TKF_EFORMAT);
    if (error < 0)
        assert_true(*why.text && *why.next);
    assert_int_equal(tkf_results_judge(results, &(struct tkf_judge_options){0}), 0);
}

/* Of all readers in turn, each with results of its own. */
static void each_reader(void (*try)(const char *format))
{
    for (const char *const *format = tkf_results_formats(); *format; format++) {
        tkf_results_free(results);
        results = tkf_results_new();
        try(*format);
    }
}

static int set_up(void **state)
{
    (void)state;
    results = tkf_results_new();
    why = (struct tkf_input_error){0};
    return results ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    tkf_results_free(results);
    return 0;
}

/* The most memory that this process ever had. Sanitizers keep what is freed: with them it says nothing. */
static size_t peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss << 10;
}

static void is_within(size_t before, size_t most)
{
#ifdef SANITIZED
    (void)before, (void)most;
#else
    size_t more = peak_bytes() - before;
    if (more > most)
        fail_msg("%zu MiB more than before, %zu are enough", more / MIB, most / MIB);
#endif
}

/* ---- too much of it ---- */

#define NAMES 100

static void write_go_lines(FILE *out, size_t amount)
{
    fputs("goos: linux\ngoarch: amd64\npkg: example.com/m\n", out);
    for (size_t i = 0; i < amount; i++)
        fprintf(out, "BenchmarkOf%zu-8\t1000000\t%zu.5 ns/op\n", i % NAMES, 10 + i % 7);
}

static void read_many_lines(size_t lines)
{
    size_t before = peak_bytes();
    assert_int_equal(read_written(write_go_lines, lines, NULL), 0);
    assert_int_equal(tkf_results_count(results), NAMES);
    for (size_t i = 0; i < NAMES; i++)
        assert_int_equal(tkf_results_get(results, i)->repetitions, lines / NAMES);
    is_within(before, 48 * MIB);
}

static void test_many_lines(void **state)
{
    (void)state;
    read_many_lines(300000);
}

static void test_ten_million_lines(void **state)
{
    (void)state;
    read_many_lines(10000000);
}

static void write_long_line(FILE *out, size_t amount)
{
    static char block[MIB];
    memset(block, 'x', sizeof(block));
    fputs("pkg: example.com/m\nBenchmarkBefore 100 10 ns/op\nBenchmark", out);
    for (size_t written = 0; written < amount; written += sizeof(block))
        fwrite(block, 1, sizeof(block), out);
    fputs("\nBenchmarkAfter 100 20 ns/op\n", out);
}

static void test_long_line(void **state)
{
    (void)state;
    size_t before = peak_bytes();
    assert_int_equal(read_written(write_long_line, 100 * MIB, "go-text"), 0);
    is_read("BenchmarkBefore", 10);
    is_read("BenchmarkAfter", 20);
    assert_true(noticed("longer than 16 MiB"));
    is_within(before, 80 * MIB);
}

/* Each reader of text goes through it in time that grows with its length only. */
static void long_line_as(const char *format)
{
    is_answered(read_written(write_long_line, 100 * MIB, format));
}

static void test_long_line_everywhere(void **state)
{
    (void)state;
    each_reader(long_line_as);
}

static void write_many_names(FILE *out, size_t amount)
{
    fputs("pkg: example.com/m\n", out);
    for (size_t i = 0; i < amount; i++)
        fprintf(out, "BenchmarkOf%zu-8\t1000000\t12.5 ns/op\n", i);
}

/* Results are as many as names: they are found among each other and judged in time that grows no faster. */
static void test_many_names(void **state)
{
    (void)state;
    assert_int_equal(read_written(write_many_names, 100000, NULL), 0);
    assert_int_equal(tkf_results_count(results), 100000);
    is_answered(0);
}

static void write_many_hints(FILE *out, size_t amount)
{
    fputs("| Method | Mean | Error |\n|---|---|---|\n", out);
    for (size_t i = 0; i < amount; i++)
        fprintf(out, "| m%zu | 12.5 ns | 0.1 ns |\n", i);
    fputs("\n// * Warnings *\nZeroMeasurement\n", out);
    for (size_t i = 0; i < amount; i++)
        fprintf(out, "  Type.m%zu: Default -> it does nothing\n", i);
}

/* Hints find their rows without looking at all of them. */
static void test_many_hints(void **state)
{
    (void)state;
    assert_int_equal(read_written(write_many_hints, 100000, "bdn-md"), 0);
    assert_int_equal(tkf_results_count(results), 100000);
    for (size_t i = 0; i < 100000; i++)
        assert_non_null(tkf_results_get(results, i)->remark);
}

/* ---- no text at all ---- */

static void garbage_as(const char *format)
{
    static char bytes[64 << 10];
    uint64_t state = 42;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (char)(state >> 56);
    }
    is_answered(read_text(bytes, sizeof(bytes), format));
    memset(bytes, 0, sizeof(bytes));
    is_answered(read_text(bytes, sizeof(bytes), format));
    memset(bytes, 0xff, sizeof(bytes));
    is_answered(read_text(bytes, sizeof(bytes), format));
}

static void test_garbage(void **state)
{
    (void)state;
    garbage_as(NULL);
    assert_int_equal(tkf_results_count(results), 0);
    each_reader(garbage_as);
}

static void test_nul_bytes(void **state)
{
    static const char text[] = "pkg: example.com/m\n"
                               "\0\0\0\n"
                               "BenchmarkA 100 1\0 ns/op\n"
                               "BenchmarkB 100 20 ns/op\n"
                               "BenchmarkC\0d 100 30 ns/op\n"
                               "BenchmarkD 100 40 ns/op\0\n";
    (void)state;
    assert_int_equal(read_text(text, sizeof(text) - 1, NULL), 0);
    is_read("BenchmarkB", 20);
    assert_true(noticed("BenchmarkA")); /* not dropped in silence */
    is_answered(0);
}

/* ---- JSON ---- */

static void write_nested(FILE *out, size_t amount)
{
    for (size_t i = 0; i < amount; i++)
        fputs(i % 2 > 0 ? "[" : "{\"benchmarks\":", out);
}

static void nested_as(const char *format)
{
    is_answered(read_written(write_nested, 200000, format));
}

static void test_nested(void **state)
{
    (void)state;
    nested_as(NULL);
    each_reader(nested_as);
}

static const char gbench_head[] =
    "{\"context\": {\"library_build_type\": \"release\"}, \"benchmarks\": [";

static void read_gbench(const char *benchmarks)
{
    char *text = NULL;
    int length = asprintf(&text, "%s%s]}", gbench_head, benchmarks);
    assert_true(length > 0);
    is_answered(read_text(text, (size_t)length, "gbench-json"));
    free(text);
}

#define GBENCH(name, time)                                                              \
    "{\"name\": \"" name "\", \"run_name\": \"" name "\", \"run_type\": \"iteration\"," \
    "\"iterations\": 10, \"real_time\": " time ", \"cpu_time\": " time ", \"time_unit\": \"ns\"}"

static void test_huge_numbers(void **state)
{
    (void)state;
    read_gbench(GBENCH("a", "1e400") "," GBENCH("b", "2.5") "," GBENCH("c", "-1e400"));
    is_read("b", 2.5);
    assert_null(find("a"));
    assert_true(tkf_results_notices(results) > 0);
}

static void test_huge_numbers_in_text(void **state)
{
    static const char text[] = "pkg: example.com/m\n"
                               "BenchmarkHuge-8 100 1e400 ns/op\n"
                               "BenchmarkMany-8 1e400 5 ns/op\n"
                               "BenchmarkTiny-8 100 1e-400 ns/op\n"
                               "BenchmarkFine-8 100 20 ns/op\n";
    (void)state;
    assert_int_equal(read_text(text, sizeof(text) - 1, NULL), 0);
    is_read("BenchmarkFine", 20);
    for (size_t i = 0; i < tkf_results_count(results); i++)
        assert_false(isinf(tkf_results_get(results, i)->ns));
    assert_true(find("BenchmarkHuge") || noticed("BenchmarkHuge"));
    is_answered(0);
}

/* ---- names ---- */

/* Whatever a name is made of, it comes out as it went in. */
static const char *const names[] = {
    "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", /* right to left */
    "a\xe2\x80\xae"
    "b",                                            /* U+202E, right-to-left override */
    "e\xcc\x81\xcc\x82\xcc\x83\xcc\x84\xcc\x85",    /* combining marks */
    "\xcc\x81",                                     /* one without a letter */
    "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", /* joined emoji */
    "\xf0\x9f\x87\xba\xf0\x9f\x87\xb3",             /* a flag */
    "a\xe2\x80\x8b\xef\xbb\xbf"
    "b",                        /* no width */
    "\xef\xbf\xbe\xef\xb7\x90", /* U+FFFE, U+FDD0: no characters */
    "\xf4\x8f\xbf\xbf",         /* U+10FFFF */
    "\xe2\x80\xa8"
    "b\xe2\x80\xa9",                        /* ends of a line and of a paragraph */
    "\xc2\x85",                             /* next line */
    "\xce\xbcs/\xc2\xb5s",                  /* micro signs */
    "\xef\xbc\x91\xef\xbc\x92",             /* digits of full width */
    "\xc4\xb0\xc4\xb1\xc5\xbf\xe1\xba\x9e", /* letters whose case is trouble */
    "%s%n%1000000d",                        /* no format */
};

/* And those that are no UTF-8. */
static const char *const broken_names[] = {
    "\xed\xa0\x80",     /* half a surrogate pair */
    "\xc0\xaf",         /* longer than need be */
    "\xf8\x88\x80\x80", /* longer than there are */
    "\xe2\x82",         /* cut */
    "\x80\xbf",         /* the rest of nothing */
    "\xff",
};

static void reads_name(const char *name)
{
    char text[300], expected[100];
    snprintf(text, sizeof(text), "pkg: example.com/m\nBenchmark/%s-8 100 20 ns/op\n", name);
    snprintf(expected, sizeof(expected), "Benchmark/%s", name);
    assert_int_equal(read_text(text, strlen(text), "go-text"), 0);
    if (!find(expected))
        fail_msg("\"%s\" is not read as it is written", expected);
}

static void test_names_in_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        reads_name(names[i]);
    for (size_t i = 0; i < sizeof(broken_names) / sizeof(*broken_names); i++)
        reads_name(broken_names[i]);
    is_answered(0);
}

static void test_names_in_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        char text[600];
        snprintf(text, sizeof(text),
                 "{\"name\": \"%s\", \"run_type\": \"iteration\", \"iterations\": 10,"
                 "\"real_time\": 20, \"cpu_time\": 20, \"time_unit\": \"ns\"}",
                 names[i]);
        read_gbench(text);
        if (!find(names[i]))
            fail_msg("\"%s\" is not read as it is written", names[i]);
    }
    /* What JSON may not hold costs that one only. */
    read_gbench(GBENCH("\\ud800", "1") "," GBENCH("a\\u0000b", "1") "," GBENCH(
        "\xff", "1") "," GBENCH("fine", "2"));
    assert_non_null(find("fine"));
}

int main(int argc, char **argv)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_many_lines), /* first: memory that was used once stays with the process */
        TEST(test_long_line),
        TEST(test_many_names),
        TEST(test_garbage),
        TEST(test_nul_bytes),
        TEST(test_nested),
        TEST(test_huge_numbers),
        TEST(test_huge_numbers_in_text),
        TEST(test_names_in_text),
        TEST(test_names_in_json),
    };
    const struct CMUnitTest long_tests[] = {
        TEST(test_ten_million_lines),
        TEST(test_long_line_everywhere),
        TEST(test_many_hints),
    };
    if (argc > 1 && strcmp(argv[1], "long") == 0)
        return cmocka_run_group_tests(long_tests, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
