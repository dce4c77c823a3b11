/* SPDX-License-Identifier: MIT */
/*
 * Real files of every format, read and held against formats/samples.tsv: file, format, number of results, then NAME=NS of some
 * rows. The files are not in this tree: without them the test is skipped.
 *
 *     test_samples --update FOLDER...    writes the lines of those folders anew; read the diff before you keep it
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tickfloor/report.h>

#ifdef HAVE_ZLIB
#define UNPACKS true
#else
#define UNPACKS false
#endif

#define TABLE      TESTS_SOURCE_DIR "/formats/samples.tsv"
#define ROWS_SHOWN 6

static const char *samples; /* the folder of folders */

/* ---- the lines of the table ---- */

struct lines {
    char **all;
    size_t n;
};

static void keep_line(struct lines *lines, char *line)
{
    lines->all = realloc(lines->all, (lines->n + 1) * sizeof(*lines->all));
    lines->all[lines->n++] = line;
}

static struct lines load_table(void)
{
    struct lines lines = {0};
    FILE *file = fopen(TABLE, "r");
    char *line = NULL;
    size_t size = 0;
    for (ssize_t length; file && (length = getline(&line, &size, file)) > 0;) {
        line[length - 1] = '\0';
        keep_line(&lines, strdup(line));
    }
    free(line);
    if (file)
        fclose(file);
    return lines;
}

static void free_lines(struct lines *lines)
{
    for (size_t i = 0; i < lines->n; i++)
        free(lines->all[i]);
    free(lines->all);
}

static bool in_folder(const char *file, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(file, folder, length) == 0 && file[length] == '/';
}

/* ---- one file ---- */

/* "NAME=NS" as the table has it: no tabs or line ends, "?" for what is unknown. */
static void print_row(FILE *out, const struct tkf_result *row)
{
    for (const char *at = row->name; *at; at++)
        fputc((unsigned char)*at < ' ' ? ' ' : *at, out);
    if (isnan(row->ns))
        fprintf(out, "=?");
    else
        fprintf(out, "=%.6g", row->ns);
}

/* The file's line as it is read now, without its end. */
static char *describe(const char *file)
{
    char path[1024], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof(path), "%s/%s", samples, file);
    struct tkf_results *results = tkf_results_new();
    struct tkf_input_error error = {0};
    FILE *out = open_memstream(&text, &size);
    int ret = tkf_results_read_path(results, path, NULL, &error);
    size_t count = tkf_results_count(results);
    if (count == 0) {
        fprintf(out, "%s\t-\t0\t%s", file, ret < 0 ? error.text : "");
    } else {
        fprintf(out, "%s\t%s\t%zu", file, tkf_results_get(results, 0)->origin->format, count);
        size_t shown = count < ROWS_SHOWN ? count : ROWS_SHOWN;
        for (size_t i = 0; i < shown; i++) {
            fputc('\t', out);
            print_row(out, tkf_results_get(results, shown > 1 ? i * (count - 1) / (shown - 1) : 0));
        }
    }
    fclose(out);
    tkf_results_free(results);
    return text;
}

static void test_pinned(void **state)
{
    (void)state;
    struct lines lines = load_table();
    unsigned wrong = 0;
    assert_true(lines.n > 0);
    for (size_t i = 0; i < lines.n; i++) {
        char *file = strndup(lines.all[i], strcspn(lines.all[i], "\t"));
        char *now = describe(file);
        if (i > 0 && strcmp(lines.all[i - 1], lines.all[i]) >= 0)
            fail_msg("not sorted: %s", file);
        size_t length = strlen(file);
        if (!UNPACKS && length > 3 && strcmp(file + length - 3, ".gz") == 0) {
            print_message("built without zlib: %s is left out\n", file);
        } else if (strcmp(now, lines.all[i]) != 0) {
            print_error("pinned: %s\nread:   %s\n", lines.all[i], now);
            wrong++;
        }
        free(now);
        free(file);
    }
    free_lines(&lines);
    if (wrong > 0)
        fail_msg("%u files are read otherwise than pinned", wrong);
}

/* ---- all files ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "FOLDER/FILE" for each file. */
static struct lines list_folder(const char *folder)
{
    struct lines files = {0};
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", samples, folder);
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        if (*entry->d_name == '.')
            continue;
        char *file = NULL;
        if (asprintf(&file, "%s/%s", folder, entry->d_name) > 0)
            keep_line(&files, file);
    }
    if (directory)
        closedir(directory);
    return files;
}

/* A folder of which some files are pinned has all of them pinned. */
static void test_complete(void **state)
{
    (void)state;
    struct lines lines = load_table();
    unsigned missing = 0;
    for (size_t i = 0; i < lines.n; i++) {
        char folder[200];
        snprintf(folder, sizeof(folder), "%.*s", (int)strcspn(lines.all[i], "/"), lines.all[i]);
        if (i > 0 && in_folder(lines.all[i - 1], folder))
            continue;
        struct lines files = list_folder(folder);
        for (size_t j = 0; j < files.n; j++) {
            size_t length = strlen(files.all[j]), k = 0;
            while (k < lines.n && (strncmp(lines.all[k], files.all[j], length) != 0 ||
                                   lines.all[k][length] != '\t'))
                k++;
            if (k == lines.n) {
                print_error("not pinned: %s\n", files.all[j]);
                missing++;
            }
        }
        free_lines(&files);
    }
    free_lines(&lines);
    assert_int_equal(missing, 0);
}

static int update(char **folders)
{
    struct lines old = load_table(), lines = {0};
    for (size_t i = 0; i < old.n; i++) {
        char **folder = folders;
        while (*folder && !in_folder(old.all[i], *folder))
            folder++;
        if (!*folder)
            keep_line(&lines, strdup(old.all[i]));
    }
    for (; *folders; folders++) {
        struct lines files = list_folder(*folders);
        for (size_t i = 0; i < files.n; i++)
            keep_line(&lines, describe(files.all[i]));
        free_lines(&files);
    }
    qsort(lines.all, lines.n, sizeof(*lines.all), compare_names);
    FILE *out = fopen(TABLE, "w");
    if (!out) {
        fprintf(stderr, TABLE ": %s\n", strerror(errno));
        return 1;
    }
    for (size_t i = 0; i < lines.n; i++)
        fprintf(out, "%s\n", lines.all[i]);
    fclose(out);
    free_lines(&old);
    free_lines(&lines);
    return 0;
}

/* Beside the source tree, or one folder further up. */
static const char *find_samples(void)
{
    static const char *const folders[] = {TESTS_SOURCE_DIR "/../../shared/samples",
                                          TESTS_SOURCE_DIR "/../../../shared/samples"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        if (access(folders[i], R_OK | X_OK) == 0)
            return folders[i];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pinned),
        cmocka_unit_test(test_complete),
    };
    samples = find_samples();
    if (!samples) {
        fprintf(stderr, "no ../shared/samples beside the source tree: real files are not read\n");
        return 77;
    }
    if (argc > 2 && strcmp(argv[1], "--update") == 0)
        return update(argv + 2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
