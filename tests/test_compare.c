/* SPDX-License-Identifier: MIT */
/**
 * Two profiles against each other, in memory and as printed. TICKFLOOR_UPDATE_GOLDEN=1 writes the golden files anew: read the diff.
 *
 * `test_compare rewrite json` prints a comparison with something of each kind, for test_schema.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "write.h"

#define PROFILES TESTS_SOURCE_DIR "/profiles/"

static const struct tkf_compare_names names = {"old.json", "new\033[31m.json"};

static struct tkf_profile load(const char *name)
{
    char path[400];
    struct tkf_profile profile;
    struct tkf_input_error error;
    snprintf(path, sizeof(path), PROFILES "%s.json", name);
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("%s: %s", path, strerror(errno));
    assert_int_equal(tkf_profile_read(in, &profile, &error), 0);
    fclose(in);
    return profile;
}

static struct tkf_comparison compared(const struct tkf_profile *a, const struct tkf_profile *b)
{
    struct tkf_comparison comparison;
    assert_int_equal(tkf_compare(a, b, TKF_TOLERANCE_PERCENT, &comparison), 0);
    return comparison;
}

static const struct tkf_compared *find(const struct tkf_comparison *comparison, const char *name,
                                       int cpu)
{
    for (size_t i = 0; i < comparison->nquantities; i++) {
        const struct tkf_compared *row = &comparison->quantities[i];
        const struct tkf_quantity *either = row->change == TKF_CHANGE_ONLY_B ? &row->b : &row->a;
        if (strcmp(either->name, name) == 0 && either->cpu == cpu)
            return row;
    }
    fail_msg("no quantity %s of CPU %d", name, cpu);
    return NULL;
}

/* ---- in memory ---- */

static const char *const samples[] = {"amd64", "hybrid", "emulated", "conflict", "explored"};

static void test_with_itself(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        struct tkf_profile profile = load(samples[i]);
        struct tkf_comparison comparison = compared(&profile, &profile);
        assert_int_equal(comparison.nmachine, 0);
        assert_int_equal(comparison.counts[TKF_CHANGE_SAME], comparison.nquantities);
        assert_true(comparison.nquantities > 10);
        assert_false(comparison.os.known);
        assert_null(comparison.os.reason);
        for (size_t k = 0; k < comparison.nquantities; k++)
            assert_true(comparison.quantities[k].overlap);
        tkf_comparison_free(&comparison);
        tkf_profile_free(&profile);
    }
}

/* Names are unique for a CPU: they are what quantities are matched by. */
static void test_names_are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        struct tkf_profile profile = load(samples[i]);
        struct tkf_comparison comparison = compared(&profile, &profile);
        for (size_t k = 0; k < comparison.nquantities; k++) {
            const struct tkf_quantity *one = &comparison.quantities[k].a;
            for (size_t n = k + 1; n < comparison.nquantities; n++) {
                const struct tkf_quantity *other = &comparison.quantities[n].a;
                if (one->cpu == other->cpu)
                    assert_string_not_equal(one->name, other->name);
            }
        }
        tkf_comparison_free(&comparison);
        tkf_profile_free(&profile);
    }
}

static enum tkf_change change_of(double lo, double hi, double lo_b, double hi_b, const char *name,
                                 bool *ret_overlap)
{
    struct tkf_profile a = load("explored"), b = load("explored");
    struct tkf_band bands[] = {{lo, (lo + hi) / 2, hi}, {lo_b, (lo_b + hi_b) / 2, hi_b}};
    struct tkf_profile *sides[] = {&a, &b};
    for (int i = 0; i < 2; i++) {
        sides[i]->cpus[0].floor.loops[0].cycles = bands[i]; /* lower is better */
        sides[i]->explore->steps[3].value = bands[i];       /* higher is better */
        sides[i]->explore->steps[4].value = bands[i];       /* neither */
        sides[i]->cpus[0].floor.worst_gap_ns = bands[i].mid;
        sides[i]->counter.hz = bands[i].mid * 1e9;
        sides[i]->counter.read_ns = bands[i];
    }
    struct tkf_comparison comparison = compared(&a, &b);
    bool of_cpu = strncmp(name, "loop/", 5) == 0 || strncmp(name, "noise/", 6) == 0;
    const struct tkf_compared *row = find(&comparison, name, of_cpu ? 0 : -1);
    enum tkf_change change = row->change;
    if (ret_overlap)
        *ret_overlap = row->overlap;
    assert_true(fabs(row->ratio - bands[1].mid / bands[0].mid) < 1e-9);
    tkf_comparison_free(&comparison);
    tkf_profile_free(&a);
    tkf_profile_free(&b);
    return change;
}

static void test_changes(void **state)
{
    (void)state;
    bool overlap;
    assert_int_equal(change_of(1, 1.02, 1.01, 1.03, "loop/fused", &overlap), TKF_CHANGE_SAME);
    assert_true(overlap);
    assert_int_equal(change_of(1, 1, 1.049, 1.049, "loop/fused", &overlap), TKF_CHANGE_CLOSE);
    assert_false(overlap);
    assert_int_equal(change_of(1, 1, 1.051, 1.051, "loop/fused", NULL), TKF_CHANGE_WORSE);
    assert_int_equal(change_of(1.051, 1.051, 1, 1, "loop/fused", NULL), TKF_CHANGE_BETTER);
    /* Beyond the interval counts, not beyond the middle. */
    assert_int_equal(change_of(1, 1.1, 1.12, 1.3, "loop/fused", NULL), TKF_CHANGE_CLOSE);
    assert_int_equal(change_of(1, 1, 1.2, 1.2, "bandwidth/memory/all", NULL), TKF_CHANGE_BETTER);
    assert_int_equal(change_of(1.2, 1.2, 1, 1, "bandwidth/memory/all", NULL), TKF_CHANGE_WORSE);
    assert_int_equal(change_of(-3, -3, 2, 2, "clock/monotonic/drift", NULL), TKF_CHANGE_DIFFERS);
    assert_int_equal(change_of(-0.2, -0.2, 0.2, 0.2, "clock/monotonic/drift", NULL),
                     TKF_CHANGE_CLOSE);
    /* Each by its own slack. */
    assert_int_equal(change_of(1, 1, 1.14, 1.14, "counter/read", NULL), TKF_CHANGE_CLOSE);
    assert_int_equal(change_of(1, 1, 1.16, 1.16, "counter/read", NULL), TKF_CHANGE_WORSE);
    assert_int_equal(change_of(1, 1, 1.0009, 1.0009, "counter/rate", NULL), TKF_CHANGE_CLOSE);
    assert_int_equal(change_of(1, 1, 1.0011, 1.0011, "counter/rate", NULL), TKF_CHANGE_DIFFERS);
    assert_int_equal(change_of(1e5, 1e5, 5.9e5, 5.9e5, "noise/worst-gap", NULL), TKF_CHANGE_CLOSE);
    assert_int_equal(change_of(1e5, 1e5, 6.2e5, 6.2e5, "noise/worst-gap", NULL), TKF_CHANGE_WORSE);
}

static void test_tolerance(void **state)
{
    (void)state;
    struct tkf_profile a = load("amd64"), b = load("amd64");
    struct tkf_comparison comparison;
    b.suspect_below_ns *= 1.3;
    static const struct {
        double percent;
        enum tkf_change change;
    } cases[] = {{0, TKF_CHANGE_WORSE}, {29, TKF_CHANGE_WORSE}, {31, TKF_CHANGE_CLOSE}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(tkf_compare(&a, &b, cases[i].percent, &comparison), 0);
        assert_int_equal(find(&comparison, "floor/suspect-below", -1)->change, cases[i].change);
        tkf_comparison_free(&comparison);
    }
    tkf_profile_free(&a);
    tkf_profile_free(&b);
}

/* By kind first, whatever the order; then by order. */
static void test_cpus(void **state)
{
    (void)state;
    struct tkf_profile a = load("hybrid"), b = load("hybrid");
    assert_int_equal(a.ncpus, 2);
    struct tkf_profile_cpu first = b.cpus[0];
    b.cpus[0] = b.cpus[1];
    b.cpus[1] = first;
    struct tkf_comparison comparison = compared(&a, &b);
    assert_int_equal(comparison.counts[TKF_CHANGE_SAME], comparison.nquantities);
    assert_int_equal(find(&comparison, "clock/core", 0)->b.cpu, 1);
    assert_int_equal(find(&comparison, "clock/core", 1)->b.cpu, 0);
    tkf_comparison_free(&comparison);

    /* Two of one kind: the first with the first. */
    strcpy(b.cpus[0].kind, "performance");
    strcpy(a.cpus[1].kind, "performance");
    comparison = compared(&a, &b);
    assert_int_equal(find(&comparison, "clock/core", 0)->b.cpu, 0);
    assert_int_equal(find(&comparison, "clock/core", 1)->b.cpu, 1);
    tkf_comparison_free(&comparison);

    /* Where only one names its kinds, what is left goes together. */
    b.cpus[0].kind[0] = '\0';
    b.ncpus = 1;
    comparison = compared(&a, &b);
    assert_int_equal(find(&comparison, "clock/core", 0)->b.cpu, 0);
    assert_int_equal(find(&comparison, "clock/core", 1)->change, TKF_CHANGE_ONLY_A);
    tkf_comparison_free(&comparison);
    comparison = compared(&b, &a);
    assert_int_equal(find(&comparison, "clock/core", 1)->change, TKF_CHANGE_ONLY_B);
    tkf_comparison_free(&comparison);
    tkf_profile_free(&a);
    tkf_profile_free(&b);
}

static void test_machines(void **state)
{
    (void)state;
    struct tkf_profile a = load("amd64"), b = load("amd64");
    strcpy(b.machine.microcode, "0xfff");
    b.machine.hypervisor_known = false;
    b.machine.hypervisor[0] = '\0';
    b.machine.cpus = 64;
    b.machine.kernel[0] = '\0';
    struct tkf_comparison comparison = compared(&a, &b);
    static const char *const expected[][3] = {
        {"microcode", "0xa101148", "0xfff"},
        {"kernel", "6.1.0-28-amd64", "unknown"},
        {"hypervisor", "KVM", "unknown"},
        {"cpus", "2", "64"},
    };
    assert_int_equal(comparison.nmachine, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_string_equal(comparison.machine[i].what, expected[i][0]);
        assert_string_equal(comparison.machine[i].a, expected[i][1]);
        assert_string_equal(comparison.machine[i].b, expected[i][2]);
    }
    tkf_comparison_free(&comparison);
    tkf_profile_free(&a);
    tkf_profile_free(&b);
}

/* The firmware's profile of amd64.json's machine, quieter than that. */
static struct tkf_profile firmware(void)
{
    struct tkf_profile profile = load("amd64");
    struct tkf_cpu_floor *floor = &profile.cpus[0].floor;
    strcpy(profile.machine.os, "uefi");
    profile.machine.kernel[0] = '\0';
    profile.counter.read_ns = (struct tkf_band){17.5, 17.6, 17.7};
    floor->floor_ns = (struct tkf_band){0.2706, 0.2708, 0.2712};
    floor->worst_gap_ns = 1300;
    return profile;
}

static void test_what_the_system_adds(void **state)
{
    (void)state;
    struct tkf_profile system = load("amd64"), bare = firmware();
    struct tkf_comparison comparison = compared(&system, &bare);
    assert_true(comparison.os.known && comparison.os.system_is_a);
    assert_true(fabs(comparison.os.worst_gap_ns - 17000) < 1e-6);
    tkf_comparison_free(&comparison);
    comparison = compared(&bare, &system);
    assert_true(comparison.os.known && !comparison.os.system_is_a);
    assert_true(fabs(comparison.os.worst_gap_ns - 17000) < 1e-6);
    assert_true(fabs(comparison.os.read_ns - (system.counter.read_ns.mid - 17.6)) < 1e-9);
    tkf_comparison_free(&comparison);
    strcpy(bare.machine.cpu_id, "6-183-1");
    comparison = compared(&system, &bare);
    assert_false(comparison.os.known);
    assert_string_equal(comparison.os.reason, "the machines are not the same");
    tkf_comparison_free(&comparison);
    bare.machine.emulated = true;
    comparison = compared(&system, &bare);
    assert_false(comparison.os.known);
    assert_non_null(strstr(comparison.os.reason, "the firmware ran on an emulated CPU"));
    tkf_comparison_free(&comparison);
    bare.machine.emulated = false;
    system.machine.emulated = true;
    comparison = compared(&bare, &system);
    assert_false(comparison.os.known);
    assert_non_null(strstr(comparison.os.reason, "the system ran on an emulated CPU"));
    tkf_comparison_free(&comparison);
    tkf_profile_free(&system);
    tkf_profile_free(&bare);
}

/* ---- as printed ---- */

static char *printed(const struct tkf_comparison *comparison, enum tkf_compare_rows rows,
                     bool color, bool unicode)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct tkf_table_style style = {.color = color, .unicode = unicode, .width = 80};
    tkf_write_compare(comparison, &names, rows, &style, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void check_golden(const char *text, const char *name)
{
    char path[400], *golden = NULL;
    size_t size = 0;
    snprintf(path, sizeof(path), TESTS_SOURCE_DIR "/compare/%s", name);
    if (getenv("TICKFLOOR_UPDATE_GOLDEN")) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(text, out);
        fclose(out);
    }
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("%s: %s; TICKFLOOR_UPDATE_GOLDEN=1 writes it", path, strerror(errno));
    assert_true(getdelim(&golden, &size, '\0', in) > 0);
    fclose(in);
    assert_string_equal(text, golden);
    free(golden);
}

/* No line is wider than a terminal of 80 columns; nothing from a profile drives it. */
static void check_lines(const char *text)
{
    assert_null(strchr(text, '\033'));
    for (const char *at = text; *at;) {
        size_t bytes = strcspn(at, "\n"), columns = 0;
        for (size_t i = 0; i < bytes; i++)
            columns += ((unsigned char)at[i] & 0xc0) != 0x80;
        if (columns > 80)
            fail_msg("%zu columns: %.*s", columns, (int)bytes, at);
        at += bytes + (at[bytes] == '\n');
    }
}

static void test_golden(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b, *name;
        enum tkf_compare_rows rows;
        bool color, unicode;
    } cases[] = {
        {"amd64", "explored", "machines.txt", TKF_COMPARE_USUAL, false, true},
        {"amd64", "explored", "color.txt", TKF_COMPARE_CHANGED, true, true},
        {"hybrid", "explored", "all.txt", TKF_COMPARE_ALL, false, false},
        {"hybrid", "hybrid", "same.txt", TKF_COMPARE_USUAL, false, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tkf_profile a = load(cases[i].a), b = load(cases[i].b);
        struct tkf_comparison comparison = compared(&a, &b);
        char *text = printed(&comparison, cases[i].rows, cases[i].color, cases[i].unicode);
        check_golden(text, cases[i].name);
        if (!cases[i].color)
            check_lines(text);
        free(text);
        tkf_comparison_free(&comparison);
        tkf_profile_free(&a);
        tkf_profile_free(&b);
    }
    static const char *const firmwares[] = {"firmware.txt", "firmware-clock.txt",
                                            "firmware-emulated.txt"};
    for (size_t i = 0; i < sizeof(firmwares) / sizeof(firmwares[0]); i++) {
        struct tkf_profile system = load("amd64"), bare = firmware();
        if (i == 1)
            bare.cpus[0].floor.core_hz /= 2;
        bare.machine.emulated = i == 2;
        struct tkf_comparison comparison = compared(&system, &bare);
        char *text = printed(&comparison, TKF_COMPARE_CHANGED, false, true);
        check_golden(text, firmwares[i]);
        check_lines(text);
        free(text);
        tkf_comparison_free(&comparison);
        tkf_profile_free(&system);
        tkf_profile_free(&bare);
    }
}

/* What comes from a file cannot drive a terminal or break a line. */
static void test_harm(void **state)
{
    (void)state;
    struct tkf_profile a = load("hybrid"), b = load("explored");
    memset(a.machine.cpu, 'x', sizeof(a.machine.cpu) - 1);
    strcpy(a.machine.kernel, "\033[2J\n\xff");
    strcpy(a.created, "\033]0;x\a 2026 and so on");
    memset(a.cpus[0].kind, '\t', sizeof(a.cpus[0].kind) - 1);
    memset(b.explore->steps[0].name, '\n', sizeof(b.explore->steps[0].name) - 1);
    strcpy(b.explore->steps[0].unit, "\033[31m");
    b.explore->steps[1].value = (struct tkf_band){-1e300, 1e300, 1e300};
    b.explore->steps[2].value = (struct tkf_band){NAN, 0, NAN};
    struct tkf_comparison comparison = compared(&a, &b);
    for (int unicode = 0; unicode < 2; unicode++) {
        char *text = printed(&comparison, TKF_COMPARE_ALL, false, unicode);
        check_lines(text);
        free(text);
    }
    tkf_comparison_free(&comparison);
    tkf_profile_free(&a);
    tkf_profile_free(&b);
}

static int rewrite(void)
{
    struct tkf_profile a = load("explored"), b = load("explored"), bare = firmware();
    struct tkf_comparison comparison = compared(&bare, &bare);
    /* The firmware's reading of another comparison. */
    struct tkf_os_adds os = comparison.os;
    os.known = true;
    tkf_comparison_free(&comparison);
    strcpy(b.machine.kernel, "6.13");
    comparison = compared(&a, &b);
    comparison.os = os;
    /* One of a CPU, for the schema looks at the first entry of a list. */
    comparison.quantities[0].a.cpu = comparison.quantities[0].b.cpu = 0;
    int ret = tkf_write_compare_json(&comparison, &names, stdout);
    tkf_comparison_free(&comparison);
    tkf_profile_free(&a);
    tkf_profile_free(&b);
    tkf_profile_free(&bare);
    return ret == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8")) {
        fprintf(stderr, "skipped: no locale of UTF-8 here\n");
        return 77;
    }
    if (argc == 3 && strcmp(argv[1], "rewrite") == 0)
        return rewrite();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_with_itself),
        cmocka_unit_test(test_names_are_unique),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_tolerance),
        cmocka_unit_test(test_cpus),
        cmocka_unit_test(test_machines),
        cmocka_unit_test(test_what_the_system_adds),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
