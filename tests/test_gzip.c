/* SPDX-License-Identifier: MIT */
/* Input that is compressed with gzip. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <tickfloor/report.h>

#include "input.h"
#include "results.h"

#define ROW(name) "Benchmark" name " 1 2 ns/op\n"

struct packed {
    unsigned char bytes[1 << 19];
    size_t length;
};

/* Add a member that becomes *text*, *times* over. */
static void pack(struct packed *packed, const char *text, size_t length, size_t times)
{
    z_stream stream = {.next_out = packed->bytes + packed->length,
                       .avail_out = (uInt)(sizeof(packed->bytes) - packed->length)};
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 16 + 15, 9, Z_DEFAULT_STRATEGY), Z_OK);
    for (size_t i = 0; i < times; i++) {
        stream.next_in = (z_const Bytef *)(uintptr_t)text;
        stream.avail_in = (uInt)length;
        assert_int_equal(deflate(&stream, Z_NO_FLUSH), Z_OK);
    }
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed->length = sizeof(packed->bytes) - stream.avail_out;
    deflateEnd(&stream);
}

static void pack_text(struct packed *packed, const char *text)
{
    pack(packed, text, strlen(text), 1);
}

/* How many results there are in so many of its bytes; *ret_notice is the first notice, "" without one. */
static size_t read_bytes(const struct packed *packed, size_t length, FILE *tee, char *ret_notice)
{
    struct tkf_input_error error;
    struct tkf_results *results = tkf_results_new();
    FILE *in = fmemopen((void *)(uintptr_t)packed->bytes, length, "rb");
    int ret = tkf_results_read(results, in, "packed", NULL, tee, &error);
    size_t n = tkf_results_count(results);
    assert_int_equal(ret, n > 0 ? 0 : TKF_EFORMAT);
    const struct tkf_notice *notice = tkf_results_notice(results, 0);
    strcpy(ret_notice, notice ? notice->text : "");
    fclose(in);
    tkf_results_free(results);
    return n;
}

static void test_whole(void **state)
{
    static struct packed packed;
    char notice[400], *copy;
    size_t size;
    (void)state;
    pack_text(&packed, ROW("A"));
    pack_text(&packed, "");
    pack_text(&packed, ROW("B") ROW("C"));
    assert_int_equal(read_bytes(&packed, packed.length, NULL, notice), 3);
    assert_string_equal(notice, "");

    /* What stands behind is padding; the copy has it. */
    memset(packed.bytes + packed.length, 0, 1000);
    FILE *tee = open_memstream(&copy, &size);
    assert_int_equal(read_bytes(&packed, packed.length + 1000, tee, notice), 3);
    fclose(tee);
    assert_string_equal(notice, "");
    assert_int_equal(size, packed.length + 1000);
    assert_memory_equal(copy, packed.bytes, size);
    free(copy);
}

static void test_utf16(void **state)
{
    static struct packed packed;
    static const char text[] = ROW("A");
    char wide[2 * sizeof(text)] = "\xff\xfe", notice[400];
    (void)state;
    for (size_t i = 0; i < sizeof(text) - 1; i++) {
        wide[2 + 2 * i] = text[i];
        wide[3 + 2 * i] = 0;
    }
    pack(&packed, wide, 2 * sizeof(text), 1);
    assert_int_equal(read_bytes(&packed, packed.length, NULL, notice), 1);
}

/* Wherever it is cut, it ends in what was whole before. */
static void test_cut(void **state)
{
    static struct packed packed;
    char notice[400];
    (void)state;
    pack_text(&packed, ROW("A") ROW("B"));
    for (size_t length = 4; length < packed.length; length++) {
        size_t n = read_bytes(&packed, length, NULL, notice);
        assert_true(n <= 2);
        assert_non_null(strstr(notice, "breaks off: only what was whole"));
    }
    assert_int_equal(read_bytes(&packed, packed.length - 8, NULL, notice), 2);
}

static void test_damaged(void **state)
{
    static struct packed packed;
    char notice[400];
    (void)state;
    pack_text(&packed, ROW("A") ROW("B"));
    packed.bytes[packed.length - 6] ^= 1; /* the checksum */
    assert_int_equal(read_bytes(&packed, packed.length, NULL, notice), 2);
    assert_non_null(strstr(notice, "is damaged"));
}

/* A small file does not fill the memory. */
static void test_bounded(void **state)
{
    static struct packed packed;
    static char blanks[1 << 20];
    struct tkf_input in;
    struct tkf_sink sink;
    struct tkf_results *results = tkf_results_new();
    size_t length;
    (void)state;
    memset(blanks, ' ', sizeof(blanks));
    pack(&packed, blanks, sizeof(blanks), 300);
    FILE *stream = fmemopen(packed.bytes, packed.length, "rb");
    tkf_sink_begin(&sink, results, "test", "test");
    tkf_input_begin(&in, stream, NULL, &sink);
    tkf_input_head(&in, &length);
    tkf_input_drain(&in);
    assert_int_equal(tkf_results_notices(results), 1);
    assert_non_null(strstr(tkf_results_notice(results, 0)->text, "unpacks to more than 256 MiB"));
    assert_true(in.unpacked_bytes < 257. * 1048576);
    tkf_input_end(&in);
    tkf_results_free(results);
    fclose(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),   cmocka_unit_test(test_utf16),   cmocka_unit_test(test_cut),
        cmocka_unit_test(test_damaged), cmocka_unit_test(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
