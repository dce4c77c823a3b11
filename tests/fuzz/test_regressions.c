/* SPDX-License-Identifier: MIT */
/* Inputs that once crashed, hung, leaked or ate the memory, in fuzz/regressions/TARGET/. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "targets.h"

static void run_file(const char *target, const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, size, file), size);
    fclose(file);
    print_message("%s\n", path);
    fuzz_run(target, data, size);
    free(data);
}

/* Call *visit* for each entry that is not hidden; how many there are. */
static unsigned each_entry(const char *folder, const char *target,
                           void (*visit)(const char *name, const char *path))
{
    unsigned n = 0;
    DIR *directory = opendir(folder);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        char path[1024];
        if (*entry->d_name == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        visit(target ? target : entry->d_name, path);
        n++;
    }
    closedir(directory);
    return n;
}

static void run_target(const char *target, const char *folder)
{
    if (!fuzz_has_target(target))
        fail_msg("%s: there is no target %s", folder, target);
    assert_true(each_entry(folder, target, run_file) > 0);
}

static void test_regressions(void **state)
{
    (void)state;
    assert_true(each_entry(TESTS_SOURCE_DIR "/fuzz/regressions", NULL, run_target) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regressions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
