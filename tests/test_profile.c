/* SPDX-License-Identifier: MIT */
/**
 * A profile's JSON, both ways, and what happens to bad input and on a bad disk.
 *
 * `test_profile rewrite FILE` reads a profile and prints it as the library writes it, for
 * test_schema.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tickfloor/profile.h>

#define PROFILES TESTS_SOURCE_DIR "/profiles/"

/* ---- help ---- */

static char *file_text(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("%s: %s", path, strerror(errno));
    assert_true(getdelim(&text, &size, '\0', in) > 0);
    fclose(in);
    return text;
}

static char *sample(const char *name)
{
    char path[400];
    snprintf(path, sizeof(path), PROFILES "%s.json", name);
    return file_text(path);
}

/* Read bytes as a profile; on failure the error must say something. */
static int read_bytes(const char *bytes, size_t length, struct tkf_profile *ret_profile,
                      struct tkf_input_error *ret_error)
{
    memset(ret_error, 'x', sizeof(*ret_error));
    FILE *in = fmemopen((void *)(uintptr_t)bytes, length, "r");
    assert_non_null(in);
    int ret = tkf_profile_read(in, ret_profile, ret_error);
    fclose(in);
    if (ret != 0) {
        assert_int_equal(ret, TKF_EFORMAT);
        assert_non_null(memchr(ret_error->text, '\0', sizeof(ret_error->text)));
        assert_non_null(memchr(ret_error->next, '\0', sizeof(ret_error->next)));
        assert_int_not_equal(ret_error->text[0], '\0');
        assert_int_not_equal(ret_error->next[0], '\0');
    }
    return ret;
}

static struct tkf_profile read_text(const char *text)
{
    struct tkf_profile profile;
    struct tkf_input_error error;
    if (read_bytes(text, strlen(text), &profile, &error) != 0)
        fail_msg("line %u: %s", error.line, error.text);
    return profile;
}

static struct tkf_profile load(const char *name)
{
    char *text = sample(name);
    struct tkf_profile profile = read_text(text);
    free(text);
    return profile;
}

static char *written(const struct tkf_profile *profile)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(tkf_profile_write(profile, out), 0);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* The text with the first `from` replaced, and the line that it was on. */
static char *replaced(const char *text, const char *from, const char *to, unsigned *ret_line)
{
    const char *at = strstr(text, from);
    char *changed;
    if (!at)
        fail_msg("the sample has no %s", from);
    assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
    *ret_line = 1;
    for (const char *byte = text; byte < at; byte++)
        *ret_line += *byte == '\n';
    return changed;
}

/* ---- there and back ---- */

static const char *const samples[] = {"amd64", "hybrid", "emulated", "conflict", "explored"};

static void test_nothing_is_lost(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        char *text = sample(samples[i]);
        struct tkf_profile profile = read_text(text);
        char *again = written(&profile);
        json_t *before = json_loads(text, 0, NULL), *after = json_loads(again, 0, NULL);
        assert_non_null(before);
        assert_true(json_equal(before, after));
        assert_int_equal(again[strlen(again) - 1], '\n');
        json_decref(before);
        json_decref(after);
        free(again);
        free(text);
        tkf_profile_free(&profile);
    }
}

static void test_values(void **state)
{
    (void)state;
    struct tkf_profile profile = load("hybrid");
    assert_string_equal(profile.tool, "tickfloor 0.1.0");
    assert_string_equal(profile.machine.cpu, "13th Gen Intel(R) Core(TM) i7-13700K");
    assert_true(profile.machine.hypervisor_known);
    assert_string_equal(profile.machine.hypervisor, "");
    assert_string_equal(profile.counter.unit, "ref-tick");
    assert_null(profile.counter.source);
    assert_int_equal(profile.counter.trust, TKF_TRUST_VERIFIED);
    assert_int_equal(profile.counter.nrates, 3);
    assert_true(profile.counter.rates[1].ppm_off == -0.361);
    assert_int_equal(profile.ncpus, 2);
    assert_int_equal(profile.cpus[1].floor.cpu, 16);
    assert_string_equal(profile.cpus[1].kind, "efficiency");
    assert_true(profile.cpus[1].floor.floor_cycles.hi == 1.9984);
    assert_int_equal(profile.cpus[0].floor.events_error, 0);
    assert_int_equal(profile.cpus[0].floor.loops[3].offset_bytes, 30);
    assert_true(profile.cpus[0].floor.loops[3].fast.share == 1);
    assert_true(profile.cpus[0].floor.loops[3].slow.share == 0);
    assert_true(isnan(profile.cpus[0].floor.loops[3].slow.cycles.mid));
    assert_int_equal(profile.cpus[0].floor.histogram[4], 377);
    assert_int_equal(profile.checks[1].status, TKF_CHECK_NOTE);
    assert_null(profile.checks[0].cost);
    tkf_profile_free(&profile);
    tkf_profile_free(&profile); /* twice is harmless */
    tkf_profile_free(NULL);

    profile = load("emulated");
    assert_false(profile.machine.hypervisor_known);
    assert_string_equal(profile.machine.cpu, "");
    assert_int_equal(profile.machine.kinds, 0);
    assert_int_equal(profile.counter.rejected[0].error, TKF_EUNSUPPORTED);
    assert_int_equal(profile.cpus[0].floor.events_error, TKF_EUNSUPPORTED);
    assert_true(isnan(profile.cpus[0].floor.loops[0].event_cycles));
    assert_false(profile.cpus[0].floor.pinned);
    tkf_profile_free(&profile);

    profile = load("amd64");
    assert_int_equal(profile.counter.rejected[0].error, 0);
    tkf_profile_free(&profile);
}

static void test_unknown_is_null(void **state)
{
    (void)state;
    const struct tkf_band none = {NAN, NAN, NAN};
    struct tkf_profile profile = load("hybrid");
    profile.counter.hz = NAN;
    profile.counter.step_ns = INFINITY;
    profile.counter.read_ns = none;
    profile.machine.microcode[0] = '\0';
    profile.machine.hypervisor_known = false;
    profile.machine.kinds = 0;
    profile.cpus[0].floor.loops[0].event_cycles = NAN;
    profile.cpus[0].floor.loops[0].cycles.lo = NAN;
    char *text = written(&profile);
    json_t *root = json_loads(text, 0, NULL);
    json_t *counter = json_object_get(root, "counter"), *machine = json_object_get(root, "machine");
    json_t *cpu = json_array_get(json_object_get(root, "cpus"), 0);
    json_t *loop = json_array_get(json_object_get(cpu, "loops"), 0);
    assert_true(json_is_null(json_object_get(counter, "hz")));
    assert_true(json_is_null(json_object_get(counter, "step_ns")));
    assert_true(json_is_null(json_object_get(counter, "read_ns")));
    assert_true(json_is_null(json_object_get(machine, "microcode")));
    assert_true(json_is_null(json_object_get(machine, "hypervisor")));
    assert_true(json_is_null(json_object_get(machine, "kinds")));
    assert_true(json_is_null(json_object_get(loop, "event_cycles")));
    assert_true(json_is_null(json_object_get(json_object_get(loop, "cycles"), "lo")));
    assert_true(json_is_number(json_object_get(json_object_get(loop, "cycles"), "mid")));
    json_decref(root);
    tkf_profile_free(&profile);

    profile = read_text(text);
    assert_true(isnan(profile.counter.hz));
    assert_true(isnan(profile.counter.read_ns.lo));
    assert_true(isnan(profile.cpus[0].floor.loops[0].cycles.lo));
    assert_false(profile.machine.hypervisor_known);
    tkf_profile_free(&profile);
    free(text);
}

static void test_precision(void **state)
{
    (void)state;
    struct tkf_profile profile = load("amd64");
    profile.counter.hz = 2596123456.789;
    profile.cpus[0].floor.cycle_ns = 0.1 + 0.2;
    char *text = written(&profile);
    assert_non_null(strstr(text, "\"cycle_ns\": 0.3,"));
    tkf_profile_free(&profile);
    profile = read_text(text);
    assert_true(fabs(profile.counter.hz / 2596123456.789 - 1) < 1e-9);
    tkf_profile_free(&profile);
    free(text);
}

/* What a machine says of itself need not be UTF-8; JSON must be. */
static void test_odd_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"a\xff"
         "b",
         "a?b"},
        {"\xc3", "?"},
        {"\xed\xa0\x80", "???"},
        {"\xf4\x90\x80\x80", "????"},
        {"\xc0\xaf", "??"},
        {"\xe0\x80\xaf", "???"},
        {"\xc2\xb5\xe2\x86\x92\xf0\x9f\x98\x80", "\xc2\xb5\xe2\x86\x92\xf0\x9f\x98\x80"},
        {"\"\\\t\033", "\"\\\t\033"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tkf_profile profile = load("amd64");
        snprintf(profile.machine.cpu, sizeof(profile.machine.cpu), "%s", cases[i].in);
        char *text = written(&profile);
        tkf_profile_free(&profile);
        profile = read_text(text);
        assert_string_equal(profile.machine.cpu, cases[i].out);
        tkf_profile_free(&profile);
        free(text);
    }
}

/* A later version of this schema may add members. */
static void test_more_members(void **state)
{
    (void)state;
    unsigned line;
    char *text = sample("amd64");
    char *more = replaced(text, "\"arch\"", "\"later\": {\"x\": [1, 2]}, \"arch\"", &line);
    struct tkf_profile profile = read_text(more);
    tkf_profile_free(&profile);
    free(more);
    free(text);
}

/* Members that were added to the first contract may lack. */
static void test_fewer_members(void **state)
{
    (void)state;
    unsigned line;
    char *text = sample("amd64");
    char *fewer = replaced(text, "\"usable\": true,", "", &line);
    struct tkf_profile profile = read_text(fewer);
    assert_int_equal(profile.counter.rejected[0].error, TKF_EUNSUPPORTED);
    assert_int_equal(profile.nharnesses, 3);
    tkf_profile_free(&profile);
    free(fewer);
    fewer = replaced(text, "\"harnesses\":", "\"harnessless\":", &line);
    profile = read_text(fewer);
    assert_int_equal(profile.nharnesses, 0);
    tkf_profile_free(&profile);
    free(fewer);
    free(text);
    text = sample("explored");
    fewer = replaced(text, "\"explore\":", "\"explored\":", &line);
    profile = read_text(fewer);
    assert_null(profile.explore);
    tkf_profile_free(&profile);
    free(fewer);
    free(text);
}

/* A machine's name is there only where it was asked for. */
static void test_host(void **state)
{
    (void)state;
    struct tkf_profile profile = load("amd64");
    assert_string_equal(profile.machine.host, "");
    char *text = written(&profile);
    assert_null(strstr(text, "\"host\""));
    free(text);
    strcpy(profile.machine.host, "node7");
    text = written(&profile);
    tkf_profile_free(&profile);
    profile = read_text(text);
    assert_string_equal(profile.machine.host, "node7");
    tkf_profile_free(&profile);
    free(text);
}

static void test_explored(void **state)
{
    (void)state;
    struct tkf_profile profile = load("explored");
    const struct tkf_explore *explore = profile.explore;
    assert_non_null(explore);
    assert_false(explore->partial);
    for (unsigned part = 0; part < TKF_EXPLORE_PARTS; part++)
        assert_true(explore->parts[part]);
    assert_int_equal(explore->nsteps, 7);
    assert_true(tkf_explore_step(explore, "clock/monotonic/drift")->value.lo == -0.41);
    assert_true(isnan(tkf_explore_step(explore, "bandwidth/L1")->value.mid));
    assert_string_equal(tkf_explore_step(explore, "bandwidth/L1")->reason, "the time was up");
    assert_true(explore->caches[1].size_bytes == 2097152);
    assert_int_equal(explore->caches[2].line_bytes, 0);
    assert_true(explore->latency[2].bytes == 536870912);
    assert_false(explore->pairs[2].monotonic);
    assert_int_equal(explore->noise[0].histogram[11], 7);
    assert_true(explore->noise[0].causes[1].gaps == 47);
    assert_true(isnan(explore->noise[1].worst_ns));
    assert_int_equal(explore->nramp, 3);

    /* Some parts only. */
    profile.explore->parts[TKF_EXPLORE_LADDER] = false;
    profile.explore->parts[TKF_EXPLORE_NOISE] = false;
    char *text = written(&profile);
    tkf_profile_free(&profile);
    assert_null(profile.explore);
    profile = read_text(text);
    assert_false(profile.explore->parts[TKF_EXPLORE_LADDER]);
    assert_true(profile.explore->parts[TKF_EXPLORE_FREQUENCY]);
    assert_false(profile.explore->parts[TKF_EXPLORE_NOISE]);
    tkf_profile_free(&profile);
    free(text);
}

/* Strings are decoded, numbers are the nearest doubles, whatever their form. */
static void test_forms(void **state)
{
    (void)state;
    static const struct {
        const char *number;
        double value;
    } cases[] = {
        {"0.1", 0.1},   {"1e-3", 1e-3},     {"123456789012345678", 123456789012345678.0},
        {"5E+2", 500},  {"4.9e-324", 5e-324}, {"0.1000000000000000055511151231257827", 0.1},
        {"1e22", 1e22}, {"1.7976931348623157e308", 1.7976931348623157e308},
    };
    unsigned line;
    char *text = sample("amd64");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char value[80];
        snprintf(value, sizeof(value), "\"cycle_ns\": %s", cases[i].number);
        char *changed = replaced(text, "\"cycle_ns\": 0.270873", value, &line);
        struct tkf_profile profile = read_text(changed);
        assert_true(profile.cpus[0].floor.cycle_ns == cases[i].value);
        tkf_profile_free(&profile);
        free(changed);
    }
    char *changed = replaced(text, "\"AMD EPYC 9B14\"",
                             "\"\\u0041\\ud83d\\ude00\\u00b5\\\\\\/\\\"\\n\"", &line);
    struct tkf_profile profile = read_text(changed);
    assert_string_equal(profile.machine.cpu, "A\xf0\x9f\x98\x80\xc2\xb5\\/\"\n");
    tkf_profile_free(&profile);
    free(changed);
    assert_true(asprintf(&changed, "%s x", text) > 0);
    struct tkf_input_error error;
    assert_int_equal(read_bytes(changed, strlen(changed), &profile, &error), TKF_EFORMAT);
    assert_string_equal(error.text, "not JSON: end of file expected near 'x'");
    free(changed);
    free(text);
}

/* Every list at its longest is small enough for the reader to take. */
static void test_explored_at_most(void **state)
{
    (void)state;
    struct tkf_profile profile = load("explored");
    struct tkf_explore *explore = profile.explore;
    for (unsigned i = 0; i < TKF_STEPS_MAX; i++)
        explore->steps[i] = explore->steps[0];
    for (unsigned i = 0; i < TKF_LATENCY_MAX; i++)
        explore->latency[i] = explore->latency[0];
    for (unsigned i = 0; i < TKF_PAIRS_MAX; i++)
        explore->pairs[i] = explore->pairs[1];
    for (unsigned i = 0; i < TKF_NOISES_MAX; i++) {
        explore->noise[i] = explore->noise[0];
        for (unsigned k = 0; k < TKF_CAUSES_MAX; k++)
            explore->noise[i].causes[k] = explore->noise[0].causes[1];
        explore->noise[i].ncauses = TKF_CAUSES_MAX;
    }
    explore->nsteps = TKF_STEPS_MAX;
    explore->nlatency = TKF_LATENCY_MAX;
    explore->npairs = TKF_PAIRS_MAX;
    explore->nnoise = TKF_NOISES_MAX;
    char *text = written(&profile);
    tkf_profile_free(&profile);
    profile = read_text(text);
    assert_int_equal(profile.explore->npairs, TKF_PAIRS_MAX);
    assert_int_equal(profile.explore->noise[TKF_NOISES_MAX - 1].ncauses, TKF_CAUSES_MAX);
    tkf_profile_free(&profile);
    free(text);
}

/* The line is found behind strings that look like JSON. */
static void test_line_behind_odd_strings(void **state)
{
    (void)state;
    unsigned line, ignored;
    struct tkf_profile profile;
    struct tkf_input_error error;
    char *text = sample("amd64");
    char *odd = replaced(text, "\"AMD EPYC 9B14\"", "\"\\\\ \\\" }],:{[ \\\\\"", &ignored);
    char *wrong = replaced(odd, "\"rounds\": 240", "\"rounds\": null", &line);
    assert_int_equal(read_bytes(wrong, strlen(wrong), &profile, &error), TKF_EFORMAT);
    assert_string_equal(error.text, "cpus[0].rounds is null, not a whole number");
    assert_int_equal(error.line, line);
    free(wrong);
    free(odd);
    free(text);
}

/* ---- bad input ---- */

struct wrong {
    const char *from, *to, *text;
};

static void refuse_each(const char *name, const struct wrong *cases, size_t ncases)
{
    char *text = sample(name);
    for (size_t i = 0; i < ncases; i++) {
        struct tkf_profile profile;
        struct tkf_input_error error;
        unsigned line;
        char *changed = replaced(text, cases[i].from, cases[i].to, &line);
        assert_int_equal(read_bytes(changed, strlen(changed), &profile, &error), TKF_EFORMAT);
        if (strncmp(error.text, cases[i].text, strlen(cases[i].text)) != 0)
            fail_msg("\"%s\" is not \"%s\"", error.text, cases[i].text);
        /* A band out of order is named where it begins; so is an object that lacks a member. */
        bool inside = strstr(error.text, "in order") || strstr(error.text, "missing");
        assert_int_equal(error.line, line - inside);
        free(changed);
    }
    free(text);
}

static void test_wrong_exploration(void **state)
{
    (void)state;
    static const struct wrong cases[] = {
        {"\"explore\": {", "\"explore\": null, \"x\": {", "explore is null, not an object"},
        {"\"seconds\": 24.6", "\"seconds\": -1", "explore.seconds is -1, below 0"},
        {"\"ladder\",", "\"leather\",", "explore.parts[0] is \"leather\", not one of ladder, "},
        {"\"parts\": [", "\"parts\": [\"pairs\", ", "explore.parts has 7 entries, more than the 6"},
        {"\"unit\": \"GB/s\"", "\"unit\": \"furlongs\"",
         "explore.steps[3].unit is longer than 7 bytes"},
        {"\"lo\": -0.41", "\"lo\": -0.32",
         "explore.steps[4].value is not in order: lo -0.32, mid -0.36, hi -0.31"},
        {"\"lo\": 6.1", "\"lo\": -6.1", "explore.pairs[0].ns.lo is -6.1, below 0"},
        {"\"size_bytes\": 49152", "\"size_bytes\": -1",
         "explore.caches[0].size_bytes is -1, which is out of range"},
        {"\"line_bytes\": 64", "\"line_bytes\": 0",
         "explore.caches[0].line_bytes is 0, which is out of range"},
        {"\"bytes\": 16384", "\"bytes\": 1e3", "explore.latency[0].bytes is not a whole number"},
        {"\"stolen_share\": 0.0001", "\"stolen_share\": 1.01",
         "explore.noise[0].stolen_share is 1.01, not within 0 and 1"},
        {"\"histogram\": [", "\"histogram\": [1, ",
         "explore.noise[0].histogram has 33 entries, more than the 32 there can be"},
        {"\"gaps\": 47", "\"gaps\": null",
         "explore.noise[0].causes[1].gaps is null, not a whole number"},
        {"\"ghz\": 0.8", "\"ghz\": 0", "explore.ramp[0].ghz is 0, not above 0"},
        {"\"ramp\": [", "\"ramp\": 3, \"x\": [", "explore.ramp is a number, not a list"},
    };
    refuse_each("explored", cases, sizeof(cases) / sizeof(cases[0]));
}

static void test_wrong_members(void **state)
{
    (void)state;
    static const struct wrong cases[] = {
        {"\"cycle_ns\": 0.270873", "\"cycle_ns\": \"fast\"",
         "cpus[0].cycle_ns is a string, not a number"},
        {"\"cycle_ns\": 0.270873", "\"cycle_ns\": 0",
         "cpus[0].cycle_ns is 0, not above 0; what is unknown is null"},
        {"\"created\": \"2026-11-27T09:12:03Z\"", "\"created\": null",
         "created is null, not a string"},
        {"\"created\": \"2026-11-27T09:12:03Z\"",
         "\"created\": \"0123456789012345678901234567890123456789\"",
         "created is longer than 31 bytes"},
        {"\"emulated\": false", "\"emulated\": 0",
         "machine.emulated is a number, not true or false"},
        {"\"hypervisor\": \"KVM\"", "\"hypervisor\": \"\"",
         "machine.hypervisor is empty; write \"none\" when there is none, null when unknown"},
        {"\"cpus\": 2", "\"cpus\": 0", "machine.cpus is 0, which is out of range"},
        {"\"cpus\": 2", "\"cpus\": 4294967296",
         "machine.cpus is 4294967296, which is out of range"},
        {"\"cpus\": 2", "\"cpus\": 2.5", "machine.cpus is not a whole number"},
        {"\"unit\": \"ref-tick\"", "\"unit\": \"hour\"",
         "counter.unit is \"hour\", not one of ref-tick, core-cycle, ns"},
        {"\"trust\": \"verified\"", "\"trust\": \"blind\"",
         "counter.trust is \"blind\", not one of verified, declared, conflict"},
        {"\"step_ticks\": 26", "\"step_ticks\": 0",
         "counter.step_ticks is 0, which is out of range"},
        {"\"usable\": true", "\"usable\": 1",
         "counter.rejected[0].usable is a number, not true or false"},
        {"\"hz\": 2596154000.0", "\"hz\": -1", "counter.hz_sources[1].hz is -1, not above 0"},
        {"\"lo\": 50.96", "\"lo\": 51.5",
         "counter.read_ticks is not in order: lo 51.5, mid 51.17, hi 52"},
        {"\"mid\": 51.17", "\"mid\": null",
         "counter.read_ticks.mid is null; a band that is unknown is null as a whole"},
        {"\"lo\": 50.96", "\"low\": 50.96", "counter.read_ticks.lo is missing"},
        {"\"lo\": 19.63", "\"lo\": -19.63", "counter.read_ns.lo is -19.63, below 0"},
        {"\"name\": \"slow\"", "\"name\": \"odd\"",
         "cpus[0].loops[0].states[1].name is \"odd\", not one of fast, slow"},
        {"\"share\": 0.219", "\"share\": 1.5",
         "cpus[0].loops[0].states[1].share is 1.5, not within 0 and 1"},
        {"\"fast_share\": 0.61", "\"fast_share\": {}",
         "cpus[0].candidates[0].fast_share is an object, not a number"},
        {"\"counts\": [", "\"counts\": [0, ",
         "cpus[0].histogram.counts has 25 entries, more than the 24 there can be"},
        {"\"rounds\": 240", "\"rounds\": -1", "cpus[0].rounds is -1, which is out of range"},
        {"\"status\": \"note\"", "\"status\": \"fine\"",
         "readiness[4].status is \"fine\", not one of ok, note, warn, unknown"},
        {"\"readiness\": [", "\"readiness\": [7, ", "readiness[0] is a number, not an object"},
        {"\"warnings\": [", "\"warnings\": {}, \"x\": [", "warnings is an object, not a list"},
        {"\"pmu\": {\n    \"available\"", "\"pmu\": true, \"x\": {\n    \"available\"",
         "pmu is true or false, not an object"},
        {"      \"pmu\": {", "      \"pmu\": 0, \"x\": {",
         "cpus[0].pmu is a number, not an object"},
        {"\"cycle_check\": {", "\"cycle_check\": [], \"x\": {",
         "cpus[0].cycle_check is a list, not an object"},
    };
    refuse_each("amd64", cases, sizeof(cases) / sizeof(cases[0]));
}

static void test_wrong_wholes(void **state)
{
    (void)state;
    static const struct {
        const char *input;
        unsigned line;
        const char *text;
    } cases[] = {
        {"{\n\"schema\": \"tickfloor.profile/2\"}", 2,
         "schema is \"tickfloor.profile/2\"; this version reads \"tickfloor.profile/1\""},
        {"\n\n[1]", 3, "not a profile: the JSON is a list, not an object"},
        {"{}", 1, "not a profile: no \"schema\": \"tickfloor.profile/1\""},
        {"{\"schema\": 1}", 1, "not a profile: no \"schema\": \"tickfloor.profile/1\""},
        {"{\"schema\":\n\"tickfloor.profile/1\"}", 1, "created is missing"},
        {"{\n\"schema\": \"tickfloor.profile/1\",", 2, "truncated: the JSON ends in the middle"},
        {"{\n\"schema\": \"tickfloor.profile/1\",\n\"tool\": \"x\",\n\"tool\": \"y\"}", 4,
         "tool is there twice"},
        {"{\"tool\": 1,\n\"schema\": \"tickfloor.profile/2\"}", 2,
         "schema is \"tickfloor.profile/2\"; this version reads"},
        {"{\"a\": [1, {\"b\": [}]}", 1, "not JSON: a value expected near '}]}'"},
        {"{\"a\": 01}", 1, "not JSON: invalid number near '01}'"},
        {"{\"a\": 1.}", 1, "not JSON: invalid number near '1.}'"},
        {"{\"a\": -}", 1, "not JSON: invalid number near '-}'"},
        {"{\"a\": trap}", 1, "not JSON: a value expected near 'trap}'"},
        {"{\"schema\": \"tickfloor.profile/1\", \"a\": 1,}", 1, "not JSON: a member's name expected near '}'"},
        {"{\"a\" 1}", 1, "not JSON: ':' expected near '1}'"},
        {"{\"a\": 1 \"b\"}", 1, "not JSON: ',' or '}' expected near '\"b\"}'"},
        {"{\"a\": \"\\x\"}", 1, "not JSON: invalid escape near '\\x\"}'"},
        {"{\"a\": \"\\u0000\"}", 1, "not JSON: a NUL in a string near "},
        {"{\"a\": \"\\udc00\"}", 1, "not JSON: half of a surrogate pair near "},
        {"{\"a\": \"\\ud800\\u0041\"}", 1, "not JSON: half of a surrogate pair near "},
        {"{\"a\":\n\"\n\"}", 2, "not JSON: a control character in a string near "},
        {"BenchmarkX 1 2 ns/op\n", 1, "not JSON: "},
        {"{\"a\": 1e999}", 1, "not JSON: too large a number near '1e999}'"},
        {"{\"a\": 99999999999999999999}", 1, "not JSON: too large an integer near '99999999999999999999'"},
        {"{\n\"a\": \"\xff\"}", 2, "not JSON: no UTF-8 near "},
        {"{} x", 1, "not a profile: no \"schema\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct tkf_profile profile;
        struct tkf_input_error error;
        assert_int_equal(read_bytes(cases[i].input, strlen(cases[i].input), &profile, &error),
                         TKF_EFORMAT);
        if (strncmp(error.text, cases[i].text, strlen(cases[i].text)) != 0)
            fail_msg("\"%s\" is not \"%s\"", error.text, cases[i].text);
        assert_int_equal(error.line, cases[i].line);
    }
}

/* Deeper than a parser's stack would like. */
static void test_deep(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    struct tkf_profile profile;
    struct tkf_input_error error;
    char *text = malloc(DEPTH);
    memset(text, '[', DEPTH);
    assert_int_equal(read_bytes(text, DEPTH, &profile, &error), TKF_EFORMAT);
    free(text);
}

/* Many entries in a small file must not become much memory. */
static void test_many_cpus(void **state)
{
    (void)state;
    enum { ENTRIES = 1025 };
    unsigned line;
    char *text = sample("emulated"), *entries;
    const char *begin = strstr(text, "\"cpus\": [") + strlen("\"cpus\": [");
    const char *end = strstr(begin, "\n  ],\n  \"suspect_below_ns\"");
    assert_non_null(end);
    size_t length, one = (size_t)(end - begin);
    FILE *out = open_memstream(&entries, &length);
    fputs("\"cpus\": [", out);
    for (unsigned i = 1; i < ENTRIES; i++)
        fprintf(out, "%.*s,", (int)one, begin);
    fclose(out);
    char *many = replaced(text, "\"cpus\": [", entries, &line);
    struct tkf_profile profile;
    struct tkf_input_error error;
    assert_int_equal(read_bytes(many, strlen(many), &profile, &error), TKF_EFORMAT);
    assert_string_equal(error.text, "cpus has 1025 entries, more than the 1024 there can be");
    assert_int_equal(error.line, line);
    free(many);
    many = replaced(text, "\"cpus\": [", "\"cpus\": [], \"x\": [", &line);
    assert_int_equal(read_bytes(many, strlen(many), &profile, &error), TKF_EFORMAT);
    assert_string_equal(error.text, "cpus is empty: no CPU was measured");
    free(many);
    free(entries);
    free(text);
}

static void test_truncated(void **state)
{
    (void)state;
    char *text = sample("amd64");
    size_t length = strlen(text);
    for (size_t i = 1; i <= length; i++) {
        struct tkf_profile profile;
        struct tkf_input_error error;
        int ret = read_bytes(text, i, &profile, &error);
        /* Only the newline at the end may lack. */
        assert_int_equal(ret, i < length - 1 ? TKF_EFORMAT : 0);
        if (ret == 0)
            tkf_profile_free(&profile);
        else
            assert_in_range(error.line, 1, 100000);
    }
    free(text);
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void test_mutated(void **state)
{
    (void)state;
    enum { ROUNDS = 20000 };
    static const char likely[] = "\"{}[]:,0-.e\\ntu\n\x80";
    char *text = sample("emulated");
    size_t length = strlen(text);
    uint32_t random = 20261130;
    unsigned read = 0, refused = 0;

    for (unsigned i = 0; i < ROUNDS; i++) {
        char *mutant = strdup(text);
        for (unsigned n = next_random(&random) % 3 + 1; n > 0; n--) {
            size_t at = next_random(&random) % length;
            mutant[at] = next_random(&random) % 2
                             ? likely[next_random(&random) % (sizeof(likely) - 1)]
                             : (char)next_random(&random);
        }
        struct tkf_profile profile;
        struct tkf_input_error error;
        if (read_bytes(mutant, length, &profile, &error) == 0) {
            free(written(&profile));
            tkf_profile_free(&profile);
            read++;
        } else {
            refused++;
        }
        free(mutant);
    }
    /* Both happen, or the mutants are not what they should be. */
    assert_true(read > ROUNDS / 100 && refused > ROUNDS / 100);
    free(text);
}

/* The table's own numbers and strings, each put in the place of each other value of a sample. */
static void swap_values(const char *name)
{
    static const char *const values[] = {"null", "true", "-1", "0",      "1e300",
                                         "\"\"", "[]",   "{}", "[null]", "9223372036854775807"};
    char *text = sample(name);
    for (const char *at = text; (at = strstr(at, "\": ")) != NULL; at += 3) {
        const char *value = at + 3;
        size_t length = strcspn(value, ",\n");
        for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
            char *changed;
            bool opens = *value == '{' || (*value == '[' && value[1] != ']');
            struct tkf_profile profile;
            struct tkf_input_error error;
            assert_true(asprintf(&changed, "%.*s%s%s%s", (int)(value - text), text, values[i],
                                 opens ? ", \"x\": " : "", value + (opens ? 0 : length)) > 0);
            if (read_bytes(changed, strlen(changed), &profile, &error) == 0) {
                free(written(&profile));
                tkf_profile_free(&profile);
            }
            free(changed);
        }
    }
    free(text);
}

static void test_swapped_values(void **state)
{
    (void)state;
    swap_values("emulated");
    swap_values("explored");
}

static void test_no_file(void **state)
{
    (void)state;
    struct tkf_profile profile;
    struct tkf_input_error error;

    FILE *in = fopen("/", "r"); /* a folder can be opened, and not read */
    if (in) {
        assert_int_equal(tkf_profile_read(in, &profile, &error), TKF_EIO);
        assert_string_equal(error.text, strerror(EISDIR));
        assert_int_equal(error.line, 0);
        fclose(in);
    }
    in = fopen("/dev/null", "r");
    assert_int_equal(tkf_profile_read(in, &profile, &error), TKF_EFORMAT);
    assert_string_equal(error.text, "empty");
    fclose(in);
    in = fopen("/dev/zero", "r"); /* has no end */
    assert_int_equal(tkf_profile_read(in, &profile, &error), TKF_EFORMAT);
    assert_string_equal(error.text, "larger than 16 MiB, so not a profile");
    fclose(in);
}

/* ---- saving ---- */

static char *folder; /* for the tests of saving, empty at the start of each */

static int make_folder(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    if (asprintf(&folder, "%s/tickfloor-test.XXXXXX", tmp ? tmp : "/tmp") < 0)
        return -1;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[500];
    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    int ret = system(command);
    free(folder);
    return ret;
}

static unsigned entries(const char *path)
{
    unsigned count = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return count;
}

static void assert_same_file(const char *path, const char *text)
{
    char *now = file_text(path);
    assert_string_equal(now, text);
    free(now);
}

static void test_save(void **state)
{
    (void)state;
    char path[400], parent[300];
    struct stat status;
    struct tkf_profile profile = load("amd64");
    snprintf(parent, sizeof(parent), "%s/new/tickfloor", folder);
    snprintf(path, sizeof(path), "%s/profile.json", parent);

    assert_int_equal(tkf_profile_save(&profile, path), 0);
    assert_int_equal(stat(parent, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    char *text = written(&profile);
    assert_same_file(path, text);
    free(text);

    strcpy(profile.tool, "tickfloor 9");
    assert_int_equal(tkf_profile_save(&profile, path), 0);
    text = written(&profile);
    assert_same_file(path, text);
    free(text);
    assert_int_equal(entries(parent), 1);

    /* A name without a folder is in the current one. */
    int here = open(".", O_RDONLY | O_DIRECTORY);
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(tkf_profile_save(&profile, "bare.json"), 0);
    assert_int_equal(access("bare.json", R_OK), 0);
    assert_int_equal(fchdir(here), 0);
    close(here);
    tkf_profile_free(&profile);
}

/* Who has the old file open keeps it whole: it is replaced, not written over. */
static void test_save_replaces(void **state)
{
    (void)state;
    char path[400];
    struct tkf_profile profile = load("amd64"), seen;
    struct tkf_input_error error;
    snprintf(path, sizeof(path), "%s/profile.json", folder);
    assert_int_equal(tkf_profile_save(&profile, path), 0);
    FILE *old = fopen(path, "r");
    profile.ncpus = 0; /* much shorter */
    assert_int_equal(tkf_profile_save(&profile, path), 0);
    assert_int_equal(tkf_profile_read(old, &seen, &error), 0);
    fclose(old);
    assert_int_equal(seen.ncpus, 1);
    tkf_profile_free(&seen);
    profile.ncpus = 1;
    tkf_profile_free(&profile);
}

static void test_save_full_disk(void **state)
{
    (void)state;
    char path[400];
    struct rlimit old, small;
    struct tkf_profile profile = load("amd64");
    snprintf(path, sizeof(path), "%s/profile.json", folder);
    assert_int_equal(tkf_profile_save(&profile, path), 0);
    char *before = file_text(path);
    strcpy(profile.tool, "tickfloor 9");

    /* A limit on the size of files fails the same calls in the same places as a full disk does. */
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    static const rlim_t limits[] = {0, 1, 4096, 8192};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        small = old;
        small.rlim_cur = limits[i];
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        errno = 0;
        int ret = tkf_profile_save(&profile, path);
        int reason = errno;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(ret, TKF_EIO);
        assert_int_equal(reason, EFBIG);
        assert_same_file(path, before);
        assert_int_equal(entries(folder), 1);
    }
    free(before);
    tkf_profile_free(&profile);
}

static void test_save_nowhere(void **state)
{
    (void)state;
    char path[400], file[300];
    struct tkf_profile profile = load("amd64");

    /* A folder cannot be made in a file, not by root either. */
    snprintf(file, sizeof(file), "%s/file", folder);
    fclose(fopen(file, "w"));
    snprintf(path, sizeof(path), "%s/profile.json", file);
    assert_int_equal(tkf_profile_save(&profile, path), TKF_EIO);
    assert_int_equal(errno, ENOTDIR);
    snprintf(path, sizeof(path), "%s/deeper/profile.json", file);
    assert_int_equal(tkf_profile_save(&profile, path), TKF_EIO);
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(entries(folder), 1);

    /* A folder is in the way. */
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkdir(file, 0700), 0);
    assert_int_equal(tkf_profile_save(&profile, file), TKF_EIO);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(entries(folder), 1);
    tkf_profile_free(&profile);
}

/* Renamed over, a device or a pipe would be a file from then on, for everyone. */
static void test_save_special(void **state)
{
    (void)state;
    char pipe[300], link[300];
    struct stat there;
    struct tkf_profile profile = load("amd64");
    snprintf(pipe, sizeof(pipe), "%s/pipe", folder);
    snprintf(link, sizeof(link), "%s/link", folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(tkf_profile_save(&profile, pipe), TKF_EIO);
    assert_int_equal(errno, ENXIO);
    assert_int_equal(stat(pipe, &there), 0);
    assert_true(S_ISFIFO(there.st_mode));
    assert_int_equal(unlink(pipe), 0);

    assert_int_equal(symlink("/dev/null", link), 0);
    assert_int_equal(tkf_profile_save(&profile, link), 0);
    assert_int_equal(lstat(link, &there), 0);
    assert_true(S_ISLNK(there.st_mode));
    assert_int_equal(unlink(link), 0);
    assert_int_equal(entries(folder), 0);
    tkf_profile_free(&profile);
}

static void test_write_fails(void **state)
{
    (void)state;
    struct tkf_profile profile = load("amd64");
    FILE *out = fopen("/dev/full", "w");
    if (!out) {
        fprintf(stderr, "skipped: no /dev/full here\n");
        tkf_profile_free(&profile);
        skip();
    }
    assert_int_equal(tkf_profile_write(&profile, out), TKF_EIO);
    fclose(out);
    tkf_profile_free(&profile);
}

/* ---- the rest ---- */

static void test_matches(void **state)
{
    (void)state;
    char text[200];
    struct tkf_profile profile = load("amd64");
    struct tkf_machine machine = profile.machine;

    strcpy(text, "x");
    assert_true(tkf_profile_matches(&profile, &machine, text, sizeof(text)));
    assert_string_equal(text, "");

    strcpy(machine.kernel, "6.12.6");
    machine.hypervisor[0] = '\0';
    machine.cpus = 1; /* moves no floor */
    assert_false(tkf_profile_matches(&profile, &machine, text, sizeof(text)));
    assert_string_equal(text, "kernel was 6.1.0-28-amd64, is 6.12.6; hypervisor was KVM, is none");

    assert_false(tkf_profile_matches(&profile, &machine, text, 10));
    assert_string_equal(text, "kernel wa");

    /* What one side does not know is no difference. */
    machine.kernel[0] = '\0';
    machine.hypervisor_known = false;
    assert_true(tkf_profile_matches(&profile, &machine, text, sizeof(text)));

    strcpy(machine.hypervisor, "unnamed");
    machine.hypervisor_known = true;
    assert_true(tkf_profile_matches(&profile, &machine, text, sizeof(text)));
    profile.machine.hypervisor[0] = '\0';
    assert_false(tkf_profile_matches(&profile, &machine, text, sizeof(text)));
    assert_string_equal(text, "hypervisor was none, is unnamed");

    static const size_t members[] = {
        offsetof(struct tkf_machine, arch),   offsetof(struct tkf_machine, cpu),
        offsetof(struct tkf_machine, cpu_id), offsetof(struct tkf_machine, microcode),
        offsetof(struct tkf_machine, kernel),
    };
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        machine = profile.machine;
        strcpy((char *)&machine + members[i], "other");
        assert_false(tkf_profile_matches(&profile, &machine, text, sizeof(text)));
        assert_non_null(strstr(text, "is other"));
    }
    machine = profile.machine;
    profile.machine.microcode[0] = '\0';
    assert_true(tkf_profile_matches(&profile, &machine, text, sizeof(text)));
    machine = (struct tkf_machine){.arch = ""};
    assert_true(tkf_profile_matches(&profile, &machine, text, sizeof(text)));
    tkf_profile_free(&profile);
}

static void test_warn(void **state)
{
    (void)state;
    static struct tkf_profile profile;
    char text[400] = "";
    for (unsigned i = 0; i < 130; i++)
        strcat(text, "\xc2\xb5"); /* 2 bytes: 239 fall inside one */
    tkf_profile_warn(&profile, "code", text, NULL);
    assert_int_equal(profile.nwarnings, 1);
    assert_string_equal(profile.warnings[0].code, "code");
    assert_int_equal(strlen(profile.warnings[0].text), 238);
    assert_string_equal(profile.warnings[0].next, "");
    for (unsigned i = 0; i < 2 * TKF_WARNINGS_MAX; i++)
        tkf_profile_warn(&profile, "more", "text", "next");
    assert_int_equal(profile.nwarnings, TKF_WARNINGS_MAX);
    assert_string_equal(profile.warnings[TKF_WARNINGS_MAX - 1].next, "next");
}

static void put_harness(struct tkf_profile *profile, const char *framework, const char *form,
                        double ns)
{
    struct tkf_harness_floor *floor = &profile->harnesses[profile->nharnesses++];
    *floor = (struct tkf_harness_floor){.ns = {ns, ns, ns}};
    strcpy(floor->framework, framework);
    strcpy(floor->loop_form, form);
    if (isnan(ns))
        strcpy(floor->reason, "there is one");
}

/* What was measured before stays, but for what was measured again. */
static void test_keep_harnesses(void **state)
{
    (void)state;
    static struct tkf_profile older, newer;
    put_harness(&older, "go", "b.N", 1);
    put_harness(&older, "go", "b.Loop", 2);
    put_harness(&older, "catch2", "value", 3);
    put_harness(&older, "mitata", "", NAN);
    put_harness(&older, "criterion", "value", 4);
    put_harness(&newer, "go", "b.N", 10);
    put_harness(&newer, "catch2", "", NAN);
    put_harness(&newer, "criterion", "value", NAN);
    tkf_profile_keep_harnesses(&newer, &older);
    static const double expected[] = {10, NAN, NAN, 2, 3, 4};
    assert_int_equal(newer.nharnesses, 6);
    for (unsigned i = 0; i < 6; i++) {
        double ns = newer.harnesses[i].ns.mid;
        assert_true(isnan(expected[i]) ? isnan(ns) : ns == expected[i]);
    }
    for (unsigned i = 0; i < 2 * TKF_HARNESSES_MAX; i++) {
        struct tkf_profile more = {.nharnesses = 0};
        char form[24];
        snprintf(form, sizeof(form), "%u", i);
        put_harness(&more, "go", form, 1);
        tkf_profile_keep_harnesses(&newer, &more);
    }
    assert_int_equal(newer.nharnesses, TKF_HARNESSES_MAX);
}

static int rewrite(const char *path)
{
    struct tkf_profile profile;
    struct tkf_input_error error;
    FILE *in = fopen(path, "r");
    if (!in || tkf_profile_read(in, &profile, &error) != 0)
        return 1;
    fclose(in);
    int ret = tkf_profile_write(&profile, stdout);
    tkf_profile_free(&profile);
    return ret == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "rewrite") == 0)
        return rewrite(argv[2]);

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_unknown_is_null),
        cmocka_unit_test(test_precision),
        cmocka_unit_test(test_odd_bytes),
        cmocka_unit_test(test_more_members),
        cmocka_unit_test(test_fewer_members),
        cmocka_unit_test(test_line_behind_odd_strings),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_host),
        cmocka_unit_test(test_explored),
        cmocka_unit_test(test_explored_at_most),
        cmocka_unit_test(test_wrong_exploration),
        cmocka_unit_test(test_wrong_members),
        cmocka_unit_test(test_wrong_wholes),
        cmocka_unit_test(test_deep),
        cmocka_unit_test(test_many_cpus),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_mutated),
        cmocka_unit_test(test_swapped_values),
        cmocka_unit_test(test_no_file),
        IN_FOLDER(test_save),
        IN_FOLDER(test_save_replaces),
        IN_FOLDER(test_save_full_disk),
        IN_FOLDER(test_save_nowhere),
        IN_FOLDER(test_save_special),
        cmocka_unit_test(test_write_fails),
        cmocka_unit_test(test_matches),
        cmocka_unit_test(test_warn),
        cmocka_unit_test(test_keep_harnesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
