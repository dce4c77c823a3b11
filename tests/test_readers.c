/* SPDX-License-Identifier: MIT */
/*
 * What holds for every reader. Its samples are the files in formats/NAME: it knows them, no other reader is as sure of them, and no
 * damage to them makes it crash, hang, leak or give a row that is none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reader.h"

#define MUTATIONS 100 /* the suite "fuzz" does many more */

struct sample {
    char path[512];
    char *text;
    size_t length;
};

static void load(struct sample *sample)
{
    FILE *file = fopen(sample->path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    sample->length = (size_t)ftell(file);
    rewind(file);
    sample->text = malloc(sample->length + 1);
    assert_int_equal(fread(sample->text, 1, sample->length, file), sample->length);
    sample->text[sample->length] = '\0';
    fclose(file);
}

/* Call *visit* for each sample of a reader; how many there are. */
static unsigned each_sample(const struct tkf_reader *reader,
                            void (*visit)(const struct tkf_reader *, const struct sample *))
{
    char folder[400];
    unsigned n = 0;
    snprintf(folder, sizeof(folder), "%s/formats/%s", TESTS_SOURCE_DIR, reader->name);
    DIR *directory = opendir(folder);
    if (!directory)
        fail_msg("%s has no samples: write some", folder);
    for (struct dirent *entry; (entry = readdir(directory));) {
        struct sample sample;
        struct stat status;
        snprintf(sample.path, sizeof(sample.path), "%s/%.100s", folder, entry->d_name);
        if (stat(sample.path, &status) < 0 || !S_ISREG(status.st_mode))
            continue;
        load(&sample);
        visit(reader, &sample);
        free(sample.text);
        n++;
    }
    closedir(directory);
    return n;
}

static void each_reader(void (*visit)(const struct tkf_reader *, const struct sample *))
{
    for (size_t i = 0; tkf_readers[i]; i++) {
        unsigned n = each_sample(tkf_readers[i], visit);
        if (n == 0 && !tkf_readers[i]->read_directory)
            fail_msg("%s has no samples: write some", tkf_readers[i]->name);
    }
}

/* ---- what a row has to be, whatever the input was ---- */

static void check_row(const struct sample *sample, const struct tkf_result *row)
{
    bool sane = row->origin && row->origin->file && row->origin->format && row->origin->framework &&
                row->group && row->name && row->repetitions >= 1 &&
                row->nsamples <= TKF_SAMPLES_MAX && row->nmetrics <= TKF_METRICS_MAX &&
                !(row->ns_lo > row->ns_hi) && !(row->min_ns > row->max_ns) &&
                !(row->quantum_ns < 0);
    for (unsigned i = 0; i < row->nsamples && i < TKF_SAMPLES_MAX; i++)
        sane = sane && !isnan(row->samples[i].ns);
    if (!sane)
        fail_msg("%s:%u: %s is no sane row", sample->path, row->line, row->name);
}

static size_t read_text(const struct sample *sample, const char *text, size_t length,
                        const char *format)
{
    struct tkf_results *results = tkf_results_new();
    struct tkf_input_error error = {0};
    FILE *in = length > 0 ? fmemopen((void *)text, length, "rb") : fopen("/dev/null", "rb");
    int ret = tkf_results_read(results, in, sample->path, format, NULL, &error);
    fclose(in);
    if (ret < 0 && (!*error.text || !*error.next))
        fail_msg("%s: error %d without a cause and a next step", sample->path, ret);
    if (ret < 0 && ret != TKF_EFORMAT)
        fail_msg("%s: error %d, %s", sample->path, ret, error.text);
    size_t count = tkf_results_count(results);
    for (size_t i = 0; i < count; i++)
        check_row(sample, tkf_results_get(results, i));
    for (size_t i = 0; i < tkf_results_notices(results); i++)
        assert_true(*tkf_results_notice(results, i)->text);
    tkf_results_free(results);
    return count;
}

/* ---- tests ---- */

static void recognise_sample(const struct tkf_reader *reader, const struct sample *sample)
{
    int own = reader->recognise(sample->text, sample->length);
    if (own <= 0 || own > 100)
        fail_msg("%s: %s is %d sure of it", sample->path, reader->name, own);
    for (size_t i = 0; tkf_readers[i]; i++) {
        int other = tkf_readers[i]->recognise(sample->text, sample->length);
        if (tkf_readers[i] != reader && other >= own)
            fail_msg("%s: %s is %d sure of it, but %s %d", sample->path, reader->name, own,
                     tkf_readers[i]->name, other);
    }
    if (read_text(sample, sample->text, sample->length, NULL) == 0)
        fail_msg("%s: no results", sample->path);
}

static void test_recognition(void **state)
{
    (void)state;
    each_reader(recognise_sample);
}

static void truncate_sample(const struct tkf_reader *reader, const struct sample *sample)
{
    size_t whole = read_text(sample, sample->text, sample->length, reader->name);
    for (size_t length = 0; length < sample->length; length += CUT_EVERY) {
        /* A copy of that size, so that a sanitizer sees a read beyond it. */
        char *text = malloc(length + 1);
        memcpy(text, sample->text, length);
        if (read_text(sample, text, length, reader->name) > whole + 1)
            fail_msg("%s: cut at byte %zu it has more results", sample->path, length);
        read_text(sample, text, length, NULL);
        free(text);
    }
}

static void test_truncation(void **state)
{
    (void)state;
    each_reader(truncate_sample);
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* One change at *at* of a text that has room; the new length. */
static size_t mutate(char *text, size_t length, uint64_t *random)
{
    static const char *const nasty[] = {"NaN",
                                        "-1",
                                        "1e400",
                                        "Infinity",
                                        "\033[31m",
                                        "\r",
                                        "\n",
                                        "\"",
                                        "{",
                                        "]",
                                        "\t",
                                        ",",
                                        "99999999999999999999999999",
                                        "\xc2",
                                        "\xff\xfe",
                                        "-",
                                        "%",
                                        "\xc2\xb1",
                                        "0"};
    size_t at = next_random(random) % (length + 1);
    size_t count = next_random(random) % 8 + 1;
    if (count > length - at)
        count = length - at;
    switch (next_random(random) % 4) {
    case 0: /* other bytes */
        for (size_t i = 0; i < count; i++)
            text[at + i] = (char)next_random(random);
        return length;
    case 1: /* some gone */
        memmove(text + at, text + at + count, length - at - count);
        return length - count;
    case 2: /* some twice */
        memmove(text + at + count, text + at, length - at);
        return length + count;
    default: {
        const char *piece = nasty[next_random(random) % (sizeof(nasty) / sizeof(*nasty))];
        memmove(text + at + strlen(piece), text + at, length - at);
        memcpy(text + at, piece, strlen(piece));
        return length + strlen(piece);
    }
    }
}

static void mutate_sample(const struct tkf_reader *reader, const struct sample *sample)
{
    for (uint64_t seed = 1; seed <= MUTATIONS; seed++) {
        uint64_t random = seed;
        char *text = malloc(sample->length + 1024);
        size_t length = sample->length;
        memcpy(text, sample->text, length);
        for (size_t changes = next_random(&random) % 16 + 1; changes > 0; changes--)
            length = mutate(text, length, &random);
        read_text(sample, text, length, reader->name);
        read_text(sample, text, length, NULL);
        free(text);
    }
}

static void test_mutations(void **state)
{
    (void)state;
    each_reader(mutate_sample);
}

/* What no reader's format looks like: each is made to read it. */
static void test_strangers(void **state)
{
    static const char *const texts[] = {
        "",
        "\n",
        "{}",
        "[]",
        "[[[[[[",
        "{\"a\":",
        "null",
        "\"",
        "<xml/>",
        "a,b\n",
        ",,,\n,,,\n",
        "   \t\n",
        "\xff\xfe\x00",
        "\xff\xfe",
        "\xef\xbb\xbf",
        "[{\"name\":null},{\"name\":[]},3,\"x\"]",
        "{\"benchmarks\":null}",
        "{\"benchmarks\":[[]]}",
        "Benchmark",
        "test x ... bench:",
    };
    (void)state;
    for (size_t i = 0; tkf_readers[i]; i++) {
        for (size_t j = 0; j < sizeof(texts) / sizeof(*texts); j++) {
            struct sample sample = {.path = "a stranger"};
            read_text(&sample, texts[j], strlen(texts[j]), tkf_readers[i]->name);
        }
    }
}

static void test_table(void **state)
{
    (void)state;
    const char *const *formats = tkf_results_formats();
    size_t i;
    for (i = 0; tkf_readers[i]; i++) {
        assert_string_equal(formats[i], tkf_readers[i]->name);
        assert_true(*tkf_readers[i]->text);
        if (i > 0 && strcmp(formats[i - 1], formats[i]) >= 0)
            fail_msg("%s stands behind %s", formats[i], formats[i - 1]);
    }
    assert_null(formats[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),     cmocka_unit_test(test_recognition),
        cmocka_unit_test(test_strangers), cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
