/* SPDX-License-Identifier: MIT */
/*
 * The labelled results of C++'s frameworks: each case that labels.tsv has of a file is a row that
 * is read from it, by that name. The files are not in this tree: without them the test is skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickfloor/report.h>

static const char *corpus; /* its folder */

static const struct harness {
    const char *name;
    const char *framework;
    unsigned least; /* cases there are at least */
} harnesses[] = {
    {"catch2", "catch2", 80},
    {"gbench", "google-benchmark", 1000},
    {"hwy", "highway", 90},
};

static const struct harness *find_harness(const char *name)
{
    for (size_t i = 0; i < sizeof(harnesses) / sizeof(*harnesses); i++) {
        if (strcmp(harnesses[i].name, name) == 0)
            return &harnesses[i];
    }
    return NULL;
}

static struct tkf_results *read_results(const char *file)
{
    char path[1024];
    struct tkf_input_error error = {0};
    struct tkf_results *results = tkf_results_new();
    snprintf(path, sizeof(path), "%s/raw/%s", corpus, file);
    if (tkf_results_read_path(results, path, NULL, &error) < 0)
        fail_msg("%s:%u: %s", file, error.line, error.text);
    return results;
}

static unsigned count_rows(const struct tkf_results *results, const char *name,
                           const char *framework)
{
    unsigned count = 0;
    for (size_t i = 0; i < tkf_results_count(results); i++) {
        const struct tkf_result *row = tkf_results_get(results, i);
        count += strcmp(row->name, name) == 0 && strcmp(row->origin->framework, framework) == 0;
    }
    return count;
}

static void test_labels(void **state)
{
    (void)state;
    char path[1024], line[4096], current[512] = "";
    unsigned cases[sizeof(harnesses) / sizeof(*harnesses)] = {0}, missing = 0;
    struct tkf_results *results = NULL;
    snprintf(path, sizeof(path), "%s/labels.tsv", corpus);
    FILE *labels = fopen(path, "r");
    assert_non_null(labels);
    while (fgets(line, sizeof(line), labels)) {
        char *rest = line;
        char *name = strsep(&rest, "\t"), *file = strsep(&rest, "\t"), *row = strsep(&rest, "\t");
        const struct harness *harness = find_harness(name);
        if (!harness || !row)
            continue;
        if (strcmp(current, file) != 0) {
            tkf_results_free(results);
            results = read_results(file);
            snprintf(current, sizeof(current), "%s", file);
        }
        unsigned count = count_rows(results, row, harness->framework);
        if (count != 1)
            print_error("%s: %u rows of %s\n", file, count, row);
        missing += count != 1;
        cases[harness - harnesses]++;
    }
    fclose(labels);
    tkf_results_free(results);
    assert_int_equal(missing, 0);
    for (size_t i = 0; i < sizeof(harnesses) / sizeof(*harnesses); i++)
        assert_true(cases[i] >= harnesses[i].least);
}

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_labels)};
    corpus = find_corpus();
    if (!corpus) {
        fprintf(stderr, "no ../shared/corpus beside the source tree: its labels are not tested\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
