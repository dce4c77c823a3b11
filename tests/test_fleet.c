/* SPDX-License-Identifier: MIT */
/**
 * Streams of profiles as launchers deliver them, the odd ones out, and what is printed of them. TICKFLOOR_UPDATE_GOLDEN=1 writes the
 * golden files anew: read the diff.
 *
 * `test_fleet rewrite json` prints a fleet with something of each kind, for test_schema.py; `rewrite metrics` its metrics.
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

#include "stream.h"

#define PROFILES TESTS_SOURCE_DIR "/profiles/"

/* ---- streams ---- */

/* What was handed on, as "label@line:text|". */
struct seen {
    char *text;
    size_t size;
    FILE *out;
};

static int note(void *ctx, struct tkf_document *document)
{
    struct seen *seen = ctx;
    fprintf(seen->out, "%s@%u:%.*s%s|", document->label, document->line, (int)document->length,
            document->text, document->too_long ? "(too long)" : "");
    return 0;
}

static void check_stream(const char *input, size_t length, const char *expected,
                         unsigned expected_strays)
{
    struct seen seen = {0};
    unsigned strays = 99;
    seen.out = open_memstream(&seen.text, &seen.size);
    FILE *in = fmemopen((void *)(uintptr_t)input, length, "r");
    assert_int_equal(tkf_stream_read(in, note, &seen, &strays), 0);
    fclose(in);
    fclose(seen.out);
    assert_string_equal(seen.text, expected);
    assert_int_equal(strays, expected_strays);
    free(seen.text);
}

static void test_streams(void **state)
{
    (void)state;
    static const struct {
        const char *input, *expected;
        unsigned strays;
    } cases[] = {
        {" ", "", 0},
        {"hello\nyou\n", "", 2},
        {"{}", "@1:{}|", 0},
        {"{} {}{}\n\n{\n}", "@1:{}|@1:{}|@1:{}|@3:{\n}|", 0},
        {"job 7 queued\n{\"a\": [1,\n2]}\nbye\n", "@2:{\"a\": [1,\n2]}|", 2},
        /* Brackets and quotes in strings are text. */
        {"{\"}\": \"\\\"}{\\\\\"}{}", "@1:{\"}\": \"\\\"}{\\\\\"}|@1:{}|", 0},
        /* Cut off: by the end, and by the next profile. */
        {"{\"a\": {", "@1:{\"a\": {|", 0},
        {"{\n\"a\": {\n{\n \"schema\": 1}\n", "@1:{\n\"a\": {\n|@4:{\n \"schema\": 1}|", 0},
        {"{\n\"a\": [\n{\n \"b\": 1}]}\n", "@1:{\n\"a\": [\n{\n \"b\": 1}]}|", 0},
        {"{\"a\": \"x\n{\"schema\": 2}\n", "@1:{\"a\": \"x\n|@2:{\"schema\": 2}|", 0},
        /* pdsh, srun --label, kubectl --prefix, mpirun --tag-output, Open MPI 5. */
        {"n1: {\nn2.x: {\nn1: \"a\": 1\nn2.x: }\nn1: }\n", "n2.x@2:{\n}|n1@1:{\n\"a\": 1\n}|", 0},
        {" 0: {\n10: {\n 0: }\n10: }\n", "0@1:{\n}|10@2:{\n}|", 0},
        {"[pod/a/b] {\n[pod/c/d] {}\n[pod/a/b] }\n", "pod/c/d@2:{}|pod/a/b@1:{\n}|", 0},
        {"[1,0]<stdout>:{\n[1,1]<stdout>:{\n[1,0]<stdout>:}\n[1,1]<stdout>:}\n",
         "1,0@1:{\n}|1,1@2:{\n}|", 0},
        {"[h@1,0]<stdout>: {\n[h@1,0]<stdout>: }\n", "h@1,0@1:{\n }|", 0},
        {"[0] {\n[1] {}\n[0] }\n", "1@2:{}|0@1:{\n}|", 0},
        /* mpirun's pieces end anywhere, in a string too. */
        {"[1,0]<stdout>:{\"a[1,1]<stdout>:{\"x\": 1}\n[1,0]<stdout>: b\": 2[1,0]<stdout>:}\n",
         "1,1@1:{\"x\": 1}|1,0@1:{\"a b\": 2}|", 0},
        /* What the launcher itself says, before and between. */
        {"srun: job 7 queued\n0: {\nsrun: error: x\n0: }\n", "0@2:{\n}|", 2},
        {"n1: hello\nn1: {}\nbare\n", "n1@2:{}|", 2},
        /* A key is no label; neither is a list. */
        {"{\na: 1\n}\n", "@1:{\na: 1\n}|", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_stream(cases[i].input, strlen(cases[i].input), cases[i].expected, cases[i].strays);
    check_stream("{\0\"a\0\": 1}\0\n{}", 14, "@1:{|@2:{}|", 1);
}

/* A document is found whole wherever the reading happens to stop in it. */
static void test_long_streams(void **state)
{
    (void)state;
    enum { DOCUMENTS = 300, LINES = 400 };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (unsigned i = 0; i < DOCUMENTS; i++) {
        fputs("{\n", out);
        for (unsigned k = 0; k < LINES + i; k++)
            fprintf(out, "  \"%u \\\" {\": [%u, 2],\n", k, i);
        fputs("  \"end\": true\n}\n", out);
    }
    fclose(out);
    struct seen seen = {0};
    unsigned strays;
    seen.out = open_memstream(&seen.text, &seen.size);
    FILE *in = fmemopen(text, size, "r");
    assert_int_equal(tkf_stream_read(in, note, &seen, &strays), 0);
    fclose(in);
    fclose(seen.out);
    assert_int_equal(strays, 0);
    unsigned whole = 0;
    for (const char *at = seen.text; (at = strstr(at, "  \"end\": true\n}|")); at++)
        whole++;
    assert_int_equal(whole, DOCUMENTS);
    free(seen.text);
    free(text);
}

static void test_a_document_without_end(void **state)
{
    (void)state;
    size_t length = TKF_DOCUMENT_MAX + (1 << 20);
    char *text = malloc(length);
    memset(text, '[', length);
    text[0] = '{';
    struct seen seen = {0};
    unsigned strays;
    seen.out = open_memstream(&seen.text, &seen.size);
    FILE *in = fmemopen(text, length, "r");
    assert_int_equal(tkf_stream_read(in, note, &seen, &strays), 0);
    fclose(in);
    fclose(seen.out);
    assert_true(seen.size <= TKF_DOCUMENT_MAX + 100);
    assert_non_null(strstr(seen.text, "(too long)|"));
    free(seen.text);
    free(text);
}

/* ---- fleets ---- */

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

static void add(struct tkf_fleet *fleet, const struct tkf_profile *profile, const char *file)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(tkf_profile_write(profile, out), 0);
    fclose(out);
    FILE *in = fmemopen(text, size, "r");
    assert_int_equal(tkf_fleet_read(fleet, in, file), 0);
    fclose(in);
    free(text);
}

static void add_text(struct tkf_fleet *fleet, const char *text, const char *file)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    assert_int_equal(tkf_fleet_read(fleet, in, file), 0);
    fclose(in);
}

/* Machines of one model, a little different; node3's clock is low and its microcode another, node5's floor is high. */
static struct tkf_fleet sample(unsigned nmachines)
{
    struct tkf_fleet fleet = {.tolerance_percent = TKF_TOLERANCE_PERCENT,
                              .distance = TKF_FLEET_DISTANCE};
    struct tkf_profile profile = load("amd64");
    struct tkf_cpu_floor *floor = &profile.cpus[0].floor;
    const double hz = floor->core_hz, suspect = profile.suspect_below_ns;
    const double read = profile.counter.read_ns.mid;
    for (unsigned i = 0; i < nmachines; i++) {
        double factor = 1 + 0.001 * ((i * 7) % 5 - 2.0);
        snprintf(profile.machine.host, sizeof(profile.machine.host), "node%u", i);
        strcpy(profile.machine.microcode, i == 3 ? "0xa101144" : "0xa101148");
        floor->core_hz = hz * factor * (i == 3 ? 0.6 : 1);
        profile.suspect_below_ns = suspect * factor * (i == 5 ? 2 : 1);
        profile.counter.read_ns.mid = profile.counter.read_ns.lo = profile.counter.read_ns.hi =
            read * factor;
        add(&fleet, &profile, "all.json");
    }
    tkf_profile_free(&profile);
    return fleet;
}

static struct tkf_fleet_odd *odd_of(struct tkf_fleet *fleet, const char *machine, const char *name)
{
    for (size_t i = 0; i < fleet->nodds; i++) {
        const struct tkf_fleet_stat *stat = &fleet->stats[fleet->odds[i].stat];
        if (strcmp(fleet->machines[fleet->odds[i].machine].name, machine) == 0 &&
            strcmp(fleet->columns[stat->column].name, name) == 0)
            return &fleet->odds[i];
    }
    return NULL;
}

static void test_odd_ones(void **state)
{
    (void)state;
    struct tkf_fleet fleet = sample(12);
    assert_int_equal(tkf_fleet_judge(&fleet), 0);
    assert_int_equal(fleet.nmachines, 12);
    assert_int_equal(fleet.nmodels, 1);
    assert_int_equal(fleet.nodd_machines, 2);
    assert_int_equal(fleet.nodds, 2);
    const struct tkf_fleet_odd *slow = odd_of(&fleet, "node3", "clock/core");
    const struct tkf_fleet_odd *high = odd_of(&fleet, "node5", "floor/suspect-below");
    assert_non_null(slow);
    assert_non_null(high);
    assert_true(slow->distance < -6);
    assert_true(high->distance > 6);
    /* Nearly all are alike: the unit of the distance is the tolerance's, not their spread. */
    const struct tkf_fleet_stat *stat = &fleet.stats[high->stat];
    assert_true(1.4826 * stat->mad < stat->scale);
    assert_true(fabs(stat->scale - 0.05 * stat->median / 6) < 1e-6);
    tkf_fleet_free(&fleet);
}

/* Of a wide spread nothing is odd that is odd of a narrow one. */
static void test_spread(void **state)
{
    (void)state;
    struct tkf_profile profile = load("amd64");
    for (int wide = 0; wide < 2; wide++) {
        struct tkf_fleet fleet = {.tolerance_percent = 5, .distance = 6};
        for (int i = 0; i < 9; i++) {
            profile.suspect_below_ns = i == 8 ? 1.5 : wide ? 1 + 0.05 * (i - 4) : 1;
            add(&fleet, &profile, "x");
        }
        assert_int_equal(tkf_fleet_judge(&fleet), 0);
        assert_int_equal(fleet.nodd_machines, wide ? 0 : 1);
        tkf_fleet_free(&fleet);
    }
    tkf_profile_free(&profile);
}

static void test_few_machines(void **state)
{
    (void)state;
    for (unsigned n = 2; n < 5; n++) {
        struct tkf_profile profile = load("amd64");
        struct tkf_fleet fleet = {.tolerance_percent = 5, .distance = 6};
        for (unsigned i = 0; i < n; i++) {
            profile.suspect_below_ns = i == 0 ? 9 : 1;
            add(&fleet, &profile, "x");
        }
        assert_int_equal(tkf_fleet_judge(&fleet), 0);
        assert_int_equal(fleet.nodd_machines, n >= TKF_FLEET_LEAST);
        tkf_fleet_free(&fleet);
        tkf_profile_free(&profile);
    }
}

static void test_models(void **state)
{
    (void)state;
    struct tkf_fleet fleet = sample(4);
    struct tkf_profile profile = load("hybrid");
    add(&fleet, &profile, "h.json");
    strcpy(profile.machine.hypervisor, "KVM");
    add(&fleet, &profile, "h.json");
    strcpy(profile.machine.microcode, "0xfff"); /* the same model */
    add(&fleet, &profile, "h.json");
    tkf_profile_free(&profile);
    assert_int_equal(tkf_fleet_judge(&fleet), 0);
    assert_int_equal(fleet.nmodels, 3);
    assert_int_equal(fleet.models[0].count, 4);
    assert_int_equal(fleet.models[1].count, 1);
    assert_int_equal(fleet.models[2].count, 2);
    tkf_fleet_free(&fleet);
}

/* Its own name, that of its lines, or where it was read; each once. */
static void test_machine_names(void **state)
{
    (void)state;
    struct tkf_fleet fleet = {.tolerance_percent = 5, .distance = 6};
    struct tkf_profile profile = load("emulated");
    strcpy(profile.machine.host, "n1");
    add(&fleet, &profile, "x");
    add(&fleet, &profile, "x");
    strcpy(profile.machine.host, "n1#2");
    add(&fleet, &profile, "x");
    profile.machine.host[0] = '\0';
    add(&fleet, &profile, "y.json");
    char *text, *labelled;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    tkf_profile_write(&profile, out);
    tkf_profile_write(&profile, out);
    fclose(out);
    add_text(&fleet, text, "z");
    out = open_memstream(&labelled, &size);
    fputs("srun: starting\n", out);
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        fprintf(out, "n7: %s\n", line);
    fclose(out);
    add_text(&fleet, labelled, "srun");
    free(labelled);
    free(text);
    static const char *const expected[] = {"n1", "n1#2", "n1#2#2", "y.json",
                                           "z",  NULL,   "n7",     "n7#2"};
    assert_int_equal(fleet.nmachines, 8);
    for (unsigned i = 0; i < 8; i++) {
        if (expected[i])
            assert_string_equal(fleet.machines[i].name, expected[i]);
        else
            assert_true(strncmp(fleet.machines[i].name, "z:", 2) == 0);
    }
    assert_int_equal(fleet.strays, 1);
    assert_int_equal(fleet.nbad, 0);
    tkf_profile_free(&profile);
    tkf_fleet_free(&fleet);
}

static void test_bad_ones(void **state)
{
    (void)state;
    struct tkf_fleet fleet = sample(3);
    add_text(&fleet, "{\n\"schema\": \"tickfloor.profile/1\"}\n{}\n", "a");
    add_text(&fleet, "\n\n", "b");
    add_text(&fleet, "nothing here\n", "c");
    add_text(&fleet, "n1: {\nn2: {\nn1: \"schema\": \"tickfloor.profile/1\", \"tool\": 7}\nn2: }\n",
             "d");
    /* A profile that lost the line with its first brace: what is left of it is no profile, and not a machine each. */
    add_text(&fleet, "n3: {]\nn3: {}\nn3: {}\nn3: {\nn3: \"schema\": 7}\n", "e");
    static const struct {
        const char *label, *text;
        unsigned line;
    } expected[] = {
        {"", "created is missing", 1},
        {"", "not a profile: no \"schema\": \"tickfloor.profile/1\"", 3},
        {"", "empty", 0},
        {"", "no profile in it", 1},
        {"n1", "tool is a number, not a string", 1},
        {"n2", "not a profile: no \"schema\": \"tickfloor.profile/1\"", 2},
        {"n3", "not JSON: a member's name expected near ']'", 1},
        {"n3", "not a profile: no \"schema\": \"tickfloor.profile/1\"", 4},
    };
    assert_int_equal(fleet.nmachines, 3);
    assert_int_equal(fleet.nbad, 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_string_equal(fleet.bad[i].label, expected[i].label);
        assert_string_equal(fleet.bad[i].text, expected[i].text);
        assert_int_equal(fleet.bad[i].line, expected[i].line);
    }
    assert_int_equal(tkf_fleet_judge(&fleet), 0);
    tkf_fleet_free(&fleet);
}

/* A quantity that a profile has twice, values that no float holds, CPUs by the hundred. */
static void test_hostile_profiles(void **state)
{
    (void)state;
    struct tkf_fleet fleet = {.tolerance_percent = 5, .distance = 6};
    struct tkf_profile profile = load("hybrid"), many = load("emulated");
    profile.cpus[0].floor.loops[1].name = profile.cpus[0].floor.loops[0].name;
    profile.suspect_below_ns = 1e300;
    many.cpus = realloc(many.cpus, 1024 * sizeof(many.cpus[0]));
    assert_non_null(many.cpus);
    for (unsigned i = 1; i < 1024; i++)
        many.cpus[i] = many.cpus[0];
    many.ncpus = 1024;
    for (unsigned i = 0; i < 3; i++) {
        add(&fleet, &profile, "p");
        add(&fleet, &many, "m");
    }
    assert_int_equal(fleet.nbad, 0);
    assert_int_equal(tkf_fleet_judge(&fleet), 0);
    for (size_t i = 0; i < fleet.nmachines; i++) {
        const struct tkf_fleet_machine *machine = &fleet.machines[i];
        for (size_t k = 1; k < machine->count; k++)
            assert_int_not_equal(fleet.values[machine->first + k].column,
                                 fleet.values[machine->first + k - 1].column);
    }
    tkf_profile_free(&profile);
    tkf_profile_free(&many);
    tkf_fleet_free(&fleet);
}

/* ---- as printed ---- */

/* Something of each kind. */
static struct tkf_fleet full_sample(void)
{
    struct tkf_fleet fleet = sample(18);
    struct tkf_profile profile = load("explored");
    strcpy(profile.machine.host, "desk \"\\\n\033[31m");
    add(&fleet, &profile, "desk.json");
    tkf_profile_free(&profile);
    add_text(&fleet, "n\xff: {\nhello\n[1,0]<stdout>:{}\n", "bad.json");
    assert_int_equal(tkf_fleet_judge(&fleet), 0);
    return fleet;
}

static void check_golden(const char *text, const char *name)
{
    char path[400], *golden = NULL;
    size_t size = 0;
    snprintf(path, sizeof(path), TESTS_SOURCE_DIR "/fleet/%s", name);
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
        const char *name;
        bool all, color, unicode;
    } cases[] = {
        {"usual.txt", false, false, true},
        {"all.txt", true, false, false},
        {"color.txt", false, true, true},
    };
    struct tkf_fleet fleet = full_sample();
    for (size_t i = 0; i < 3; i++) {
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        struct tkf_table_style style = {
            .color = cases[i].color, .unicode = cases[i].unicode, .width = 80};
        tkf_write_fleet(&fleet, cases[i].all, &style, out);
        fclose(out);
        check_golden(text, cases[i].name);
        if (!cases[i].color)
            check_lines(text);
        free(text);
    }
    tkf_fleet_free(&fleet);
}

static void test_metrics(void **state)
{
    (void)state;
    struct tkf_fleet fleet = full_sample();
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    tkf_write_openmetrics(&fleet, out);
    fclose(out);
    assert_non_null(strstr(text, "\ntickfloor_machine_info{machine=\"desk \\\"\\\\\\n\033[31m\","));
    assert_non_null(strstr(text, "\ntickfloor_odd_quantities{machine=\"node3\"} 1\n"));
    assert_non_null(strstr(text, "\ntickfloor_odd_quantities{machine=\"node4\"} 0\n"));
    assert_non_null(strstr(text, "{machine=\"node0\",quantity=\"counter/step\",core=\"\"} 1.0014"));
    assert_non_null(
        strstr(text, "\ntickfloor_profile_timestamp_seconds{machine=\"node0\"} 1795770723\n"));
    assert_non_null(strstr(text, "\ntickfloor_profiles_not_read 1\n# EOF\n"));
    assert_string_equal(text + size - 6, "# EOF\n");
    free(text);
    tkf_fleet_free(&fleet);
}

static int rewrite(const char *what)
{
    struct tkf_fleet fleet = full_sample();
    int ret = 0;
    if (strcmp(what, "json") == 0) {
        /* The schema's test looks at the first entry of each list. */
        struct tkf_fleet_machine first = fleet.machines[0];
        fleet.machines[0] = fleet.machines[3];
        fleet.machines[3] = first;
        ret = tkf_write_fleet_json(&fleet, stdout);
    } else {
        tkf_write_openmetrics(&fleet, stdout);
    }
    tkf_fleet_free(&fleet);
    return ret == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8")) {
        fprintf(stderr, "skipped: no locale of UTF-8 here\n");
        return 77;
    }
    if (argc == 3 && strcmp(argv[1], "rewrite") == 0)
        return rewrite(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_long_streams),
        cmocka_unit_test(test_a_document_without_end),
        cmocka_unit_test(test_odd_ones),
        cmocka_unit_test(test_spread),
        cmocka_unit_test(test_few_machines),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_machine_names),
        cmocka_unit_test(test_bad_ones),
        cmocka_unit_test(test_hostile_profiles),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_metrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
