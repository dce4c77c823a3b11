/* SPDX-License-Identifier: MIT */
/** The card against golden files. TICKFLOOR_UPDATE_GOLDEN=1 writes them anew: read the diff. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

#define PROFILES TESTS_SOURCE_DIR "/profiles/"

enum { LINES_MAX = 45 };

static const struct tkf_style ascii = {
    .width = 80,
    .bold = "",
    .dim = "",
    .red = "",
    .yellow = "",
    .green = "",
    .cyan = "",
    .reset = "",
};

static struct tkf_style in_unicode(void)
{
    struct tkf_style style = ascii;
    style.unicode = true;
    return style;
}

static struct tkf_profile load(const char *name)
{
    char path[400];
    struct tkf_profile profile;
    struct tkf_input_error error;
    snprintf(path, sizeof(path), PROFILES "%s.json", name);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    int ret = tkf_profile_read(in, &profile, &error);
    fclose(in);
    if (ret != 0)
        fail_msg("%s:%u: %s", path, error.line, error.text);
    return profile;
}

static char *card_of(const struct tkf_profile *profile, const struct tkf_style *style)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    tkf_card_print(out, style, profile);
    assert_int_equal(fclose(out), 0);
    return text;
}

static unsigned columns(const char *from, const char *to)
{
    unsigned count = 0;
    for (; from < to; from++)
        count += ((unsigned char)*from & 0xc0) != 0x80;
    return count;
}

static void check_shape(const char *card)
{
    unsigned lines = 0;
    for (const char *line = card; *line != '\0'; lines++) {
        const char *end = strchr(line, '\n');
        assert_non_null(end);
        if (columns(line, end) > 80)
            fail_msg("a line of %u columns: %.*s", columns(line, end), (int)(end - line), line);
        line = end + 1;
    }
    assert_in_range(lines, 10, LINES_MAX);
}

static void check_golden(const char *card, const char *name, const char *form)
{
    char path[400];
    snprintf(path, sizeof(path), PROFILES "%s.%s.txt", name, form);
    if (getenv("TICKFLOOR_UPDATE_GOLDEN")) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(card, out);
        assert_int_equal(fclose(out), 0);
        return;
    }
    char *golden = NULL;
    size_t size = 0;
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("%s: %s; TICKFLOOR_UPDATE_GOLDEN=1 writes it", path, strerror(errno));
    assert_true(getdelim(&golden, &size, '\0', in) > 0);
    fclose(in);
    assert_string_equal(card, golden);
    free(golden);
}

static void test_golden(void **state)
{
    const char *name = *state;
    struct tkf_profile profile = load(name);
    struct tkf_style unicode = in_unicode();
    char *card = card_of(&profile, &ascii);

    check_shape(card);
    for (const char *byte = card; *byte != '\0'; byte++)
        assert_true(*byte == '\n' || (*byte >= ' ' && *byte <= '~'));
    check_golden(card, name, "ascii");
    free(card);

    card = card_of(&profile, &unicode);
    check_shape(card);
    check_golden(card, name, "unicode");
    free(card);
    tkf_profile_free(&profile);
}

/* A terminal narrower than a card gets all of it all the same. */
static void test_narrow(void **state)
{
    (void)state;
    struct tkf_profile profile = load("conflict");
    struct tkf_style narrow = in_unicode();
    narrow.width = 50;
    char *card = card_of(&profile, &narrow);
    char *to = card;
    for (const char *line = card, *end; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        assert_in_range(columns(line, end), 0, 50);
    }
    for (const char *from = card; *from != '\0'; from++) {
        if ((*from != ' ' && *from != '\n') || (to > card && to[-1] != ' '))
            *to++ = *from == '\n' ? ' ' : *from;
    }
    *to = '\0';
    assert_non_null(strstr(card, "calibrate on an idle CPU: tickfloor calibrate --cpu N"));
    free(card);
    tkf_profile_free(&profile);
}

/* Colour adds sequences and changes nothing else. */
static void test_color(void **state)
{
    (void)state;
    struct tkf_profile profile = load("conflict");
    struct tkf_style color = ascii;
    color.bold = color.dim = color.red = color.yellow = color.green = color.cyan = "\033[1m";
    color.reset = "\033[0m";
    char *plain = card_of(&profile, &ascii);
    char *colored = card_of(&profile, &color);
    char *to = colored;
    for (const char *from = colored; *from != '\0';) {
        if (*from == '\033')
            from = strchr(from, 'm') + 1;
        else
            *to++ = *from++;
    }
    *to = '\0';
    assert_string_equal(plain, colored);
    free(plain);
    free(colored);
    tkf_profile_free(&profile);
}

/* No string of a profile reaches the terminal as anything but characters to see. */
static void test_hostile_strings(void **state)
{
    (void)state;
    static const char hostile[] = "a\033]0;x\007b\r\n\xc2\x9b"
                                  "31m\xe2\x80\xae\xff\xc3 z";
    static const struct tkf_style *styles[2];
    struct tkf_style unicode = in_unicode();
    struct tkf_profile profile = load("conflict");
    char *const kept_text = strdup(hostile);

    styles[0] = &ascii;
    styles[1] = &unicode;
    snprintf(profile.tool, sizeof(profile.tool), "%s", hostile);
    snprintf(profile.created, sizeof(profile.created), "%s", hostile);
    snprintf(profile.machine.cpu, sizeof(profile.machine.cpu), "%s", hostile);
    snprintf(profile.machine.arch, sizeof(profile.machine.arch), "%.15s", hostile);
    snprintf(profile.machine.os, sizeof(profile.machine.os), "%.31s", hostile);
    snprintf(profile.machine.kernel, sizeof(profile.machine.kernel), "%s", hostile);
    snprintf(profile.machine.hypervisor, sizeof(profile.machine.hypervisor), "%s", hostile);
    snprintf(profile.machine.emulator, sizeof(profile.machine.emulator), "%s", hostile);
    profile.machine.emulated = true;
    profile.counter.name = kept_text;
    profile.counter.rejected[0].source = profile.counter.rejected[0].next = kept_text;
    snprintf(profile.counter.rates[0].name, sizeof(profile.counter.rates[0].name), "%.23s",
             hostile);
    snprintf(profile.cpus[0].kind, sizeof(profile.cpus[0].kind), "%s", hostile);
    profile.cpus[0].floor.pinned = false;
    profile.cpus[0].floor.unpinned_reason = kept_text;
    profile.cpus[0].floor.loops[0].shape = kept_text;
    profile.cpus[0].floor.loops[0].text = kept_text;
    profile.cpus[0].floor.costs[0].name = kept_text;
    profile.pmu.available = true;
    snprintf(profile.pmu.how, sizeof(profile.pmu.how), "%s", hostile);
    profile.checks[0].code = kept_text;
    profile.checks[0].cost = kept_text;
    snprintf(profile.checks[0].seen, sizeof(profile.checks[0].seen), "%s", hostile);
    snprintf(profile.checks[0].next, sizeof(profile.checks[0].next), "%s", hostile);
    profile.checks[6].code = kept_text; /* an unknown one */
    tkf_profile_warn(&profile, "x", hostile, hostile);

    for (unsigned i = 0; i < 2; i++) {
        char *card = card_of(&profile, styles[i]);
        for (const char *byte = card; *byte != '\0'; byte++)
            assert_false(((unsigned char)*byte < ' ' && *byte != '\n') || *byte == 0x7f ||
                         *byte == '\xff');
        assert_null(strstr(card, "\xc2\x9b"));
        assert_null(strstr(card, "\xe2\x80\xae"));
        assert_null(strstr(card, "b\r"));
        assert_non_null(strstr(card, "a?]0;x?b???"));
        free(card);
    }
    free(kept_text);
    tkf_profile_free(&profile);
}

/* A profile in which everything that can be unknown is. */
static void test_unknown(void **state)
{
    (void)state;
    const struct tkf_band band = {NAN, NAN, NAN};
    struct tkf_profile profile = load("amd64");
    struct tkf_cpu_floor *floor = &profile.cpus[0].floor;
    profile.machine = (struct tkf_machine){.arch = "generic"};
    profile.counter.hz = profile.counter.step_ns = NAN;
    profile.counter.read_ns = band;
    profile.suspect_below_ns = floor->suspect_below_ns = floor->cycle_ns = floor->core_hz = NAN;
    floor->chain_check = floor->disturbed_share = floor->lost_share = floor->worst_gap_ns = NAN;
    floor->floor_cycles = floor->floor_ns = floor->loops[0].cycles = floor->loops[0].ns = band;
    floor->costs[0].ns = floor->loops[0].fast.cycles = floor->loops[0].slow.cycles = band;
    memset(floor->histogram, 0, sizeof(floor->histogram));
    char *card = card_of(&profile, &ascii);
    check_shape(card);
    assert_null(strstr(card, "nan"));
    assert_null(strstr(card, ", ,"));
    assert_null(strstr(card, " \n"));
    assert_non_null(strstr(card, "suspect below: unknown"));
    assert_non_null(strstr(card, "hypervisor unknown"));
    free(card);
    tkf_profile_free(&profile);
}

static void test_age(void **state)
{
    (void)state;
    static const struct {
        const char *created;
        const char *age;
    } cases[] = {
        {"2026-11-30T12:00:00Z", "just now"},
        {"2026-11-30T12:00:30Z", "just now"},
        {"2026-11-30T11:59:00Z", "1 minute ago"},
        {"2026-11-30T09:00:00Z", "3 hours ago"},
        {"2026-11-27T11:00:00Z", "3 days ago"},
        {"2026-09-27T11:00:00Z", "2 months ago"},
        {"2024-09-27T11:00:00Z", "2 years ago"},
        {"2027-01-01T00:00:00Z", "in the future"},
        {"2026-11-27T11:00:00", "at an unknown time"},
        {"yesterday", "at an unknown time"},
        {"", "at an unknown time"},
    };
    const time_t now = 1796040000; /* 2026-11-30T12:00:00Z */
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char age[40];
        tkf_card_age(cases[i].created, now, age, sizeof(age));
        assert_string_equal(age, cases[i].age);
    }
}

static void test_note(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    tkf_card_note(out, &ascii, "kernel was \0331, is 2", "run it again");
    tkf_card_note(out, &ascii, "saved 3 days ago", NULL);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "  ! kernel was ?1, is 2 -> run it again\nsaved 3 days ago\n");
    free(text);
}

static void test_path(void **state)
{
    (void)state;
    static const struct {
        const char *state, *home, *path;
    } cases[] = {
        {"/s", "/h", "/s/tickfloor/profile.json"},
        {"", "/h", "/h/.local/state/tickfloor/profile.json"},
        {"relative", "/h", "/h/.local/state/tickfloor/profile.json"},
        {NULL, "/h", "/h/.local/state/tickfloor/profile.json"},
        {NULL, "relative", NULL},
        {NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        unsetenv("XDG_STATE_HOME");
        unsetenv("HOME");
        if (cases[i].state)
            setenv("XDG_STATE_HOME", cases[i].state, 1);
        if (cases[i].home)
            setenv("HOME", cases[i].home, 1);
        char *path = tkf_profile_path();
        if (cases[i].path)
            assert_string_equal(path, cases[i].path);
        else
            assert_null(path);
        free(path);
    }
}

int main(void)
{
    if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8")) {
        fprintf(stderr, "skipped: neither locale C.UTF-8 nor en_US.UTF-8 is here\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_golden, "amd64"),
        cmocka_unit_test_prestate(test_golden, "hybrid"),
        cmocka_unit_test_prestate(test_golden, "emulated"),
        cmocka_unit_test_prestate(test_golden, "conflict"),
        cmocka_unit_test(test_narrow),
        cmocka_unit_test(test_color),
        cmocka_unit_test(test_hostile_strings),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_age),
        cmocka_unit_test(test_note),
        cmocka_unit_test(test_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
