/* SPDX-License-Identifier: MIT */
/* Bytes in, lines and JSON out: encodings, escape sequences, line ends, cuts, the copy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "results.h"

/* ---- help ---- */

struct fixture {
    FILE *stream;
    struct tkf_results *results;
    struct tkf_sink sink;
    struct tkf_input in;
};

static void begin(struct fixture *fixture, const char *bytes, size_t length, FILE *tee)
{
    fixture->stream = tmpfile();
    assert_int_equal(fwrite(bytes, 1, length, fixture->stream), length);
    rewind(fixture->stream);
    fixture->results = tkf_results_new();
    tkf_sink_begin(&fixture->sink, fixture->results, "test", "test");
    tkf_input_begin(&fixture->in, fixture->stream, tee, &fixture->sink);
}

static void end(struct fixture *fixture)
{
    tkf_input_end(&fixture->in);
    tkf_results_free(fixture->results);
    fclose(fixture->stream);
}

/* All lines, each as "NUMBER:TEXT|", with a ! before the number of a cut one. */
static void check_lines(const char *bytes, size_t length, const char *expected)
{
    struct fixture fixture;
    struct tkf_line line;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    begin(&fixture, bytes, length, NULL);
    while (tkf_input_line(&fixture.in, &line)) {
        assert_int_equal(line.text[line.length], '\0');
        fprintf(out, "%s%u:", line.cut ? "!" : "", line.number);
        fwrite(line.text, 1, line.length, out);
        fputc('|', out);
    }
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
    end(&fixture);
}

#define CHECK_LINES(bytes, expected) check_lines(bytes, sizeof(bytes) - 1, expected)

/* ---- lines ---- */

static void test_line_ends(void **state)
{
    (void)state;
    CHECK_LINES("", "");
    CHECK_LINES("a", "!1:a|");
    CHECK_LINES("a\nb\n", "1:a|2:b|");
    CHECK_LINES("a\r\nb\r\n\r\n", "1:a|2:b|3:|");
    CHECK_LINES("10%\r20%\rdone\nnext", "1:10%|1:20%|1:done|!2:next|");
    CHECK_LINES("a\r", "1:a|");
    CHECK_LINES("\n\n", "1:|2:|");
}

static void test_escapes(void **state)
{
    (void)state;
    CHECK_LINES("\033[1;31mred\033[0m x\n", "1:red x|");
    CHECK_LINES("a\033(Bb\033[2Kc\n", "1:abc|");
    CHECK_LINES("\033]8;;http://x\033\\link\033]8;;\a.\n", "1:link.|");
    CHECK_LINES("end\033[", "!1:end|");
    CHECK_LINES("end\033", "!1:end|");
    CHECK_LINES("a\033\nb\n", "1:a|2:b|");
    CHECK_LINES("a\033[3\nb\n", "1:a|2:b|");
}

static void test_encodings(void **state)
{
    (void)state;
    CHECK_LINES("\xef\xbb\xbf"
                "a\n",
                "1:a|");
    CHECK_LINES("\xff\xfe"
                "a\0\xb5\0\r\0\n\0"
                "b\0",
                "1:a\xc2\xb5|!2:b|");
    CHECK_LINES("\xfe\xff"
                "\0a\x25\x02\0\n",
                "1:a\xe2\x94\x82|");
    /* a pair, then half of one, then half a unit */
    CHECK_LINES("\xff\xfe\x34\xd8\x1e\xdd\x34\xd8x\0\n\0y", "1:\xf0\x9d\x84\x9e\xef\xbf\xbdx|");
    CHECK_LINES("\xff\xfe", "");
    CHECK_LINES("\xff\n", "1:\xff|"); /* no UTF-8: passed through */
}

/* All that can lie across two blocks does so at some length of what stands before. */
static void test_block_edges(void **state)
{
    enum { BLOCK = 256 << 10 };
    static const char tail[] = "\033[31mred\033[0m\r\nnext\rlast\n";
    char *bytes = malloc(BLOCK + sizeof(tail));
    (void)state;
    for (size_t before = BLOCK - sizeof(tail); before <= BLOCK; before++) {
        struct fixture fixture;
        struct tkf_line line;
        memset(bytes, 'x', before);
        bytes[before - 1] = '\n';
        memcpy(bytes + before, tail, sizeof(tail));
        begin(&fixture, bytes, before + sizeof(tail) - 1, NULL);
        assert_true(tkf_input_line(&fixture.in, &line));
        assert_int_equal(line.length, before - 1);
        static const char *const expected[] = {"red", "next", "last"};
        for (size_t i = 0; i < 3; i++) {
            assert_true(tkf_input_line(&fixture.in, &line));
            assert_string_equal(line.text, expected[i]);
            assert_int_equal(line.number, i == 0 ? 2 : 3);
        }
        assert_false(tkf_input_line(&fixture.in, &line));
        end(&fixture);
    }
    free(bytes);
}

static void test_utf16_across_blocks(void **state)
{
    enum { UNITS = 300000 };
    unsigned char *bytes = malloc(2 + UNITS * 2);
    struct fixture fixture;
    struct tkf_line line;
    (void)state;
    memcpy(bytes, "\xff\xfe", 2);
    for (size_t i = 0; i < UNITS; i++)
        memcpy(bytes + 2 + i * 2, i % 2 ? "\x1e\xdd" : "\x34\xd8", 2);
    begin(&fixture, (char *)bytes, 2 + UNITS * 2, NULL);
    assert_true(tkf_input_line(&fixture.in, &line));
    assert_int_equal(line.length, UNITS / 2 * 4);
    for (size_t i = 0; i < line.length; i += 4)
        assert_memory_equal(line.text + i, "\xf0\x9d\x84\x9e", 4);
    end(&fixture);
    free(bytes);
}

static void test_long_line(void **state)
{
    const size_t max = (size_t)16 << 20, length = max * 2;
    struct fixture fixture;
    struct tkf_line line;
    char *bytes = malloc(length + 5);
    (void)state;
    memset(bytes, 'x', length);
    memcpy(bytes + length, "\nend\n", 5);
    begin(&fixture, bytes, length + 5, NULL);
    assert_true(tkf_input_line(&fixture.in, &line));
    assert_true(line.cut);
    assert_int_equal(line.length, max);
    assert_true(tkf_input_line(&fixture.in, &line));
    assert_string_equal(line.text, "end");
    assert_int_equal(line.number, 2);
    assert_int_equal(tkf_results_notices(fixture.results), 1);
    assert_int_equal(tkf_results_notice(fixture.results, 0)->line, 1);
    end(&fixture);
    free(bytes);
}

/* Many short lines in one block, with one kind of end: each byte is looked at once for each kind. */
static void test_only_returns(void **state)
{
    enum { LINES = 1 << 20 };
    struct fixture fixture;
    struct tkf_line line;
    char *bytes = malloc(LINES * 2);
    unsigned n = 0;
    (void)state;
    for (size_t i = 0; i < LINES; i++)
        memcpy(bytes + i * 2, "x\r", 2);
    begin(&fixture, bytes, LINES * 2, NULL);
    for (; tkf_input_line(&fixture.in, &line); n++)
        assert_true(line.length == 1 && line.number == 1 && !line.cut);
    assert_int_equal(n, LINES);
    end(&fixture);
    free(bytes);
}

static void test_head(void **state)
{
    struct fixture fixture;
    struct tkf_line line;
    size_t length;
    (void)state;
    static const char bytes[] = "\xef\xbb\xbf\033[1ma\033[0m\r\nb\rc\n";
    begin(&fixture, bytes, strlen(bytes), NULL);
    assert_string_equal(tkf_input_head(&fixture.in, &length), "a\nb\nc\n");
    assert_int_equal(length, 6);
    assert_true(tkf_input_line(&fixture.in, &line)); /* nothing is consumed */
    assert_string_equal(line.text, "a");
    end(&fixture);
}

static void test_all(void **state)
{
    static const char bytes[] = "first\n\033[1m2\n3\n";
    struct fixture fixture;
    struct tkf_line line;
    size_t length;
    (void)state;
    begin(&fixture, bytes, strlen(bytes), NULL);
    assert_true(tkf_input_line(&fixture.in, &line));
    const char *all = tkf_input_all(&fixture.in, &length);
    assert_string_equal(all, "\033[1m2\n3\n");
    assert_int_equal(length, strlen(all));
    assert_int_equal(tkf_input_line_of(&fixture.in, 0), 2);
    assert_int_equal(tkf_input_line_of(&fixture.in, 6), 3);
    end(&fixture);
}

/* ---- the copy, interrupts ---- */

static void test_tee(void **state)
{
    static const char bytes[] = "\xff\xfe"
                                "B\0\r\0\n\0\x1b\0[\0m\0";
    char *copy;
    size_t size;
    struct tkf_input_error error;
    (void)state;
    FILE *tee = open_memstream(&copy, &size);
    FILE *in = fmemopen((void *)(uintptr_t)bytes, sizeof(bytes) - 1, "rb");
    struct tkf_results *results = tkf_results_new();
    /* No result in it: the copy is whole all the same. */
    assert_int_equal(tkf_results_read(results, in, "x", NULL, tee, &error), TKF_EFORMAT);
    fclose(tee);
    assert_int_equal(size, sizeof(bytes) - 1);
    assert_memory_equal(copy, bytes, size);
    free(copy);
    fclose(in);
    tkf_results_free(results);
}

static void test_tee_fails(void **state)
{
    static const char bytes[] = "BenchmarkX 1 2 ns/op\n";
    struct tkf_input_error error;
    (void)state;
    FILE *tee = fopen("/dev/full", "w");
    if (!tee)
        skip();
    FILE *in = fmemopen((void *)(uintptr_t)bytes, sizeof(bytes) - 1, "rb");
    struct tkf_results *results = tkf_results_new();
    assert_int_equal(tkf_results_read(results, in, "x", NULL, tee, &error), TKF_EIO);
    assert_non_null(strstr(error.text, strerror(ENOSPC)));
    assert_int_equal(tkf_results_count(results), 1);
    fclose(in);
    fclose(tee);
    tkf_results_free(results);
}

static void on_signal(int signal)
{
    (void)signal;
}

struct interrupter {
    pthread_t reader;
    int to; /* the pipe that it reads from */
};

/* A Ctrl-C reaches the reader first; the program before it in the pipe still has something to say. */
static void *interrupt(void *context)
{
    const struct interrupter *interrupter = context;
    usleep(
        50000); /* let it block; when it has not, there is no interrupt and the text is the same */
    pthread_kill(interrupter->reader, SIGUSR1);
    usleep(50000);
    assert_int_equal(write(interrupter->to, "late\n", 5), 5);
    close(interrupter->to);
    return NULL;
}

static void test_interrupt(void **state)
{
    struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART, as in the command */
    struct fixture fixture = {0};
    struct tkf_line line;
    pthread_t thread;
    int ends[2];
    (void)state;
    sigaction(SIGUSR1, &action, NULL);
    assert_int_equal(pipe(ends), 0);
    struct interrupter interrupter = {.reader = pthread_self(), .to = ends[1]};
    fixture.stream = fdopen(ends[0], "rb");
    fixture.results = tkf_results_new();
    tkf_sink_begin(&fixture.sink, fixture.results, "test", "test");
    tkf_input_begin(&fixture.in, fixture.stream, NULL, &fixture.sink);
    pthread_create(&thread, NULL, interrupt, &interrupter);
    assert_true(tkf_input_line(&fixture.in, &line));
    assert_string_equal(line.text, "late");
    assert_int_equal(fixture.in.error, 0);
    pthread_join(thread, NULL);
    end(&fixture);
}

static void test_reading_fails(void **state)
{
    struct tkf_input_error error;
    struct tkf_results *results = tkf_results_new();
    (void)state;
    FILE *in = fopen("/", "rb");
    assert_int_equal(tkf_results_read(results, in, "/", NULL, NULL, &error), TKF_EIO);
    assert_non_null(strstr(error.text, strerror(EISDIR)));
    fclose(in);
    assert_int_equal(tkf_results_read_path(results, "/nowhere/at/all", NULL, &error), TKF_EIO);
    assert_non_null(strstr(error.text, strerror(ENOENT)));
    tkf_results_free(results);
}

/* ---- JSON ---- */

/* As loaded and written again without blanks; "" when it cannot be. */
static void check_json(const char *text, const char *expected, size_t notices)
{
    struct fixture fixture;
    struct tkf_input_error error = {0};
    begin(&fixture, text, strlen(text), NULL);
    json_t *root = tkf_json_load(&fixture.in, &fixture.sink, &error);
    char *dump = root ? json_dumps(root, JSON_COMPACT) : strdup("");
    assert_string_equal(dump, expected);
    assert_int_equal(tkf_results_notices(fixture.results), notices);
    if (!root)
        assert_true(*error.text && *error.next);
    free(dump);
    json_decref(root);
    end(&fixture);
}

static void test_json_mended(void **state)
{
    (void)state;
    check_json("{\"a\":1}", "{\"a\":1}", 0);
    check_json("{\"a\":[NaN,-Infinity,Infinity,-nan,inf],\"b\":\"NaN,[\"}",
               "{\"a\":[null,null,null,null,null],\"b\":\"NaN,[\"}", 1);
    check_json("{\"a\":1e400,\"b\":12345678901234567890}",
               "{\"a\":null,\"b\":1.2345678901234567e19}", 1);
    check_json("{\"a\":\"x\ty\xff\"}", "{\"a\":\"x?y?\"}", 1);
    check_json("[1/2] go {}\n[x] {\"a\":1}\nbye", "{\"a\":1}", 2);
    check_json("var x = {\"a\":1};", "{\"a\":1}", 0);
    check_json("{\"a\":[{\"b\":1},{\"c\":2} oops {\"d\":3}]}", "{\"a\":[{\"b\":1},{\"c\":2}]}", 1);
}

static void test_json_cut(void **state)
{
    (void)state;
    check_json("{\"a\":[{\"b\":1},{\"c\":2,\"d\":3", "{\"a\":[{\"b\":1},{\"c\":2}]}", 1);
    check_json("{\"a\":[{\"b\":\"x", "{\"a\":[{}]}", 1);
    check_json("{\"a\":[1,2],\"b", "{\"a\":[1,2]}", 1);
    check_json("{\"a\":{\"b\":true},", "{\"a\":{\"b\":true}}", 1);
    check_json("{\"a\":[NaN,{\"b\":1},", "{\"a\":[null,{\"b\":1}]}", 2);
    check_json("", "", 0);
    check_json("no brackets", "", 0);
    check_json("{\"a\"", "", 0);
    check_json("]", "", 0);
}

/* Deeper than the parser goes, with something to mend in front: what is not so deep stays. */
static void test_json_deep(void **state)
{
    enum { DEEP = 100000 };
    static const char front[] = "{\"a\":[NaN],\"b\":";
    char *text = malloc(sizeof(front) + DEEP);
    struct fixture fixture;
    struct tkf_input_error error = {0};
    (void)state;
    strcpy(text, front);
    memset(text + sizeof(front) - 1, '[', DEEP);
    begin(&fixture, text, sizeof(front) - 1 + DEEP, NULL);
    json_t *root = tkf_json_load(&fixture.in, &fixture.sink, &error);
    assert_true(json_is_null(json_array_get(json_object_get(root, "a"), 0)));
    json_decref(root);
    end(&fixture);
    free(text);
}

static void test_json_lines(void **state)
{
    static const char text[] = "{\"b\": [\n"
                               "  {\"n\": \"x\"},\n"
                               "  {\n"
                               "    \"n\" : \"\\u0078\"},\n"
                               "  {\"v\": {\"n\": 1}, \"n\": \"y}\\\"\"}\n"
                               "]}\n";
    struct fixture fixture;
    struct tkf_input_error error;
    (void)state;
    begin(&fixture, text, strlen(text), NULL);
    json_t *root = tkf_json_load(&fixture.in, &fixture.sink, &error);
    assert_non_null(root);
    assert_int_equal(tkf_json_line(&fixture.in, "n", "x", 0), 2);
    assert_int_equal(tkf_json_line(&fixture.in, "n", "x", 1), 3);
    assert_int_equal(tkf_json_line(&fixture.in, "n", "x", 2), 0);
    assert_int_equal(tkf_json_line(&fixture.in, "n", "y}\"", 0), 5);
    assert_int_equal(tkf_json_line(&fixture.in, "v", "x", 0), 0);
    json_decref(root);
    end(&fixture);

    begin(&fixture, "{\"n\":\"x\"}\n", 10, NULL); /* one line says nothing */
    root = tkf_json_load(&fixture.in, &fixture.sink, &error);
    assert_int_equal(tkf_json_line(&fixture.in, "n", "x", 0), 0);
    json_decref(root);
    end(&fixture);
}

static void test_json_members(void **state)
{
    (void)state;
    json_t *object = json_pack("{s:f, s:i, s:s, s:s, s:s, s:n}", "f", 1.5, "i", 2, "s", "2.5", "t",
                               "text", "n", "NaN", "null");
    assert_true(tkf_json_number(object, "f") == 1.5);
    assert_true(tkf_json_number(object, "i") == 2);
    assert_true(tkf_json_number(object, "s") == 2.5);
    assert_true(isnan(tkf_json_number(object, "t")));
    assert_true(isnan(tkf_json_number(object, "n")));
    assert_true(isnan(tkf_json_number(object, "null")));
    assert_true(isnan(tkf_json_number(object, "none")));
    assert_true(isnan(tkf_json_number(NULL, "f")));
    assert_string_equal(tkf_json_text(object, "t"), "text");
    assert_null(tkf_json_text(object, "f"));
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_encodings),
        cmocka_unit_test(test_block_edges),
        cmocka_unit_test(test_utf16_across_blocks),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_only_returns),
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_tee),
        cmocka_unit_test(test_tee_fails),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_reading_fails),
        cmocka_unit_test(test_json_mended),
        cmocka_unit_test(test_json_cut),
        cmocka_unit_test(test_json_deep),
        cmocka_unit_test(test_json_lines),
        cmocka_unit_test(test_json_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
