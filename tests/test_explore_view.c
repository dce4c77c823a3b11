/* SPDX-License-Identifier: MIT */
/**
 * The page and the pictures of an exploration that is made up: one of a large machine, one of a single CPU, one in which nothing
 * could be measured, one with names that mean harm.
 *
 * "test_explore_view write FOLDER" writes the page and the pictures of the large one there, to be looked at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explore_view.h"

#define NONE ((struct tkf_band){NAN, NAN, NAN})

/* ---- explorations that are made up ---- */

static void add_step(struct tkf_explore *explore, const char *name, const char *unit, double value)
{
    struct tkf_step *step = &explore->steps[explore->nsteps++];
    snprintf(step->name, sizeof(step->name), "%s", name);
    snprintf(step->text, sizeof(step->text), "what %s is", name);
    snprintf(step->unit, sizeof(step->unit), "%s", unit);
    step->value = (struct tkf_band){value * 0.98, value, value * 1.05};
    step->cycles = NONE;
    if (strcmp(unit, "ns") == 0)
        step->cycles = (struct tkf_band){value * 3.6, value * 3.7, value * 3.9};
}

static void add_steps(struct tkf_explore *explore)
{
    static const struct {
        const char *name, *unit;
        double value;
    } steps[] = {
        {"op/add", "ns", 0.27},
        {"op/multiply", "ns", 0.81},
        {"op/divide", "ns", 2.7},
        {"load/L1", "ns", 1.08},
        {"load/L2", "ns", 3.8},
        {"load/L3", "ns", 13},
        {"load/memory", "ns", 98},
        {"store/forwarded", "ns", 1.9},
        {"branch/predicted", "ns", 0.3},
        {"branch/mispredicted", "ns", 4.4},
        {"call/direct", "ns", 1.3},
        {"call/indirect", "ns", 1.4},
        {"atomic/uncontended", "ns", 2.2},
        {"atomic/contended", "ns", 48},
        {"malloc/64B", "ns", 9},
        {"page/first-touch", "ns", 480},
        {"os/syscall", "ns", 92},
        {"os/context-switch", "ns", 2100},
        {"os/pipe-round-trip", "ns", 8600},
        {"clock/monotonic/cost", "ns", 24},
        {"clock/monotonic/step", "ns", 10},
        {"sleep/1us", "ns", 56e3},
        {"sleep/10ms", "ns", 130e3},
        {"bandwidth/L1/read", "GB/s", 221},
        {"bandwidth/memory/read", "GB/s", 18.4},
        {"bandwidth/memory/read/all", "GB/s", 240},
        {"clock/core/one", "GHz", 3.7},
        {"clock/core/all", "GHz", 3.45},
    };
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        add_step(explore, steps[i].name, steps[i].unit, steps[i].value);
    struct tkf_step *missing = &explore->steps[explore->nsteps++];
    *missing = (struct tkf_step){.name = "page/first-touch/huge",
                                 .unit = "ns",
                                 .value = NONE,
                                 .cycles = NONE,
                                 .reason = "the system has no huge pages"};
}

static void add_latency(struct tkf_explore *explore)
{
    static const struct tkf_cache caches[] = {
        {1, 32 << 10, 64, 2}, {2, 1 << 20, 64, 2}, {3, 32 << 20, 64, 16}};
    memcpy(explore->caches, caches, sizeof(caches));
    explore->ncaches = 3;
    for (double bytes = 4096; bytes <= 1 << 28; bytes *= 1.2) {
        double ns = bytes < 32e3 ? 1.08 : bytes < 1e6 ? 3.8 : bytes < 33e6 ? 14 : 98;
        explore->latency[explore->nlatency++] = (struct tkf_latency_point){
            (uint64_t)bytes, {ns * 0.97, ns, ns * 1.08}, {ns * 3.6, ns * 3.7, ns * 4}};
    }
}

static void add_cpus(struct tkf_explore *explore, unsigned ncpus)
{
    for (unsigned a = 0; a < ncpus; a++) {
        for (unsigned b = a + 1; b < ncpus; b++) {
            double ns = a / 2 == b / 2 ? 11 : a / 8 == b / 8 ? 28 : 110 + (a * 7 + b * 3) % 9;
            explore->pairs[explore->npairs++] =
                (struct tkf_cpu_pair){.a = a,
                                      .b = b,
                                      .ns = {ns * 0.98, ns, ns * 1.1},
                                      .offset_ns = 1.5,
                                      .offset_bound_ns = ns,
                                      .drift_ppm = 0.001,
                                      .drift_bound_ppm = 0.02,
                                      .monotonic = true};
        }
        struct tkf_cpu_noise *noise = &explore->noise[explore->nnoise++];
        *noise =
            (struct tkf_cpu_noise){.cpu = a,
                                   .seconds = 1,
                                   .threshold_ns = 150,
                                   .gaps = 1004,
                                   .rate_hz = 1004,
                                   .median_ns = 2100,
                                   .p99_ns = 9000,
                                   .worst_ns = 919e3,
                                   .stolen_share = 0.0027 + a * 1e-5,
                                   .causes = {{"interrupt LOC", 1000, 2e6}, {"unknown", 4, 7e5}},
                                   .ncauses = 2};
        for (unsigned i = 0; i < 10; i++)
            noise->histogram[9 + i] = 400 >> i;
    }
}

static struct tkf_profile make_profile(unsigned ncpus)
{
    struct tkf_profile profile = {
        .created = "2026-11-30T12:00:00Z",
        .tool = "tickfloor 0.1.0",
        .machine = {.arch = "amd64",
                    .os = "linux",
                    .kernel = "6.1.0",
                    .cpu = "Example 9000",
                    .hypervisor = "KVM",
                    .cpus = ncpus},
        .cpus = calloc(1, sizeof(*profile.cpus)),
        .ncpus = 1,
        .suspect_below_ns = 0.54,
        .checks = {{"governor", TKF_CHECK_WARN, "powersave", "the clock follows the load",
                    "cpupower frequency-set -g performance"},
                   {"turbo", TKF_CHECK_OK, "off", NULL, ""}},
        .nchecks = 2,
        .explore = calloc(1, sizeof(*profile.explore)),
    };
    assert_non_null(profile.cpus);
    assert_non_null(profile.explore);
    profile.cpus[0].floor.cycle_ns = 0.27;
    profile.cpus[0].floor.core_hz = 3.7e9;
    profile.cpus[0].floor.floor_ns = (struct tkf_band){0.27, 0.27, 0.54};
    tkf_profile_warn(&profile, "hypervisor", "KVM can stop this CPU unseen",
                     "use a dedicated host");
    strcpy(profile.explore->created, "2026-11-30T12:00:30Z");
    add_steps(profile.explore);
    add_latency(profile.explore);
    add_cpus(profile.explore, ncpus);
    for (unsigned i = 0; i < 100; i++)
        profile.explore->ramp[profile.explore->nramp++] =
            (struct tkf_ramp_point){i * 0.5, 3.7 - 2.2 * exp(-(double)i / 12)};
    return profile;
}

/* ---- reading what was written ---- */

static char folder[200] = "/tmp/tickfloor-view.XXXXXX";

static char *path_in_folder(const char *name)
{
    static char path[300];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static char *read_file(const char *path, size_t *ret_size)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    *ret_size = (size_t)ftell(in);
    rewind(in);
    char *text = malloc(*ret_size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *ret_size, in), *ret_size);
    text[*ret_size] = '\0';
    fclose(in);
    return text;
}

static char *page_of(const struct tkf_profile *profile)
{
    char reason[120] = "";
    size_t size;
    char *path = path_in_folder("page.html");
    assert_int_equal(tkf_write_explore_html(profile, path, reason, sizeof(reason)), 0);
    char *page = read_file(path, &size);
    unlink(path);
    return page;
}

static unsigned count(const char *text, const char *part)
{
    unsigned found = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        found++;
    return found;
}

static void check_svg(const struct tkf_picture *picture, const struct tkf_profile *profile,
                      enum tkf_theme theme, double width)
{
    char *svg = NULL;
    size_t size;
    double height = 0;
    FILE *out = open_memstream(&svg, &size);
    assert_int_equal(tkf_picture_write(picture, profile, theme, width, out, &height), 0);
    assert_int_equal(fclose(out), 0);
    XML_Parser parser = XML_ParserCreate(NULL);
    if (XML_Parse(parser, svg, (int)size, 1) != XML_STATUS_OK)
        fail_msg("%s is no XML: %s", picture->name, XML_ErrorString(XML_GetErrorCode(parser)));
    XML_ParserFree(parser);
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    assert_true(height > 20 && height < 4000);
    free(svg);
}

/* ---- tests ---- */

static void pictures_are_svg_for_each_ground_and_width(void **state)
{
    static const unsigned sizes[] = {1, 2, 64};
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct tkf_profile profile = make_profile(sizes[i]);
        for (const struct tkf_picture *picture = tkf_pictures; picture->name; picture++) {
            bool has = picture->has(profile.explore);
            assert_int_equal(has, sizes[i] > 1 || strcmp(picture->name, "pairs") != 0);
            for (int theme = TKF_THEME_LIGHT; has && theme <= TKF_THEME_DARK; theme++) {
                check_svg(picture, &profile, theme, 920);
                check_svg(picture, &profile, theme, 350);
            }
        }
        tkf_profile_free(&profile);
    }
}

static void the_page_holds_everything_and_fetches_nothing(void **state)
{
    (void)state;
    struct tkf_profile profile = make_profile(16);
    char *page = page_of(&profile);
    unsigned npictures = 0;
    while (tkf_pictures[npictures].name)
        npictures++;
    assert_int_equal(count(page, "<figure"), npictures);
    assert_int_equal(count(page, "data:image/svg+xml;base64,"), 4 * npictures);
    for (unsigned i = 0; i < profile.explore->nsteps; i++)
        assert_non_null(strstr(page, profile.explore->steps[i].name));
    assert_non_null(strstr(page, "the system has no huge pages"));
    assert_non_null(strstr(page, "interrupt LOC"));
    assert_non_null(strstr(page, "cpupower"));
    assert_non_null(strstr(page, "prefers-color-scheme:dark"));
    assert_null(strstr(page, "http:"));
    assert_null(strstr(page, "https:"));
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "nan"));
    assert_null(strstr(page, "Partial"));
    free(page);
    tkf_profile_free(&profile);
}

static void nothing_measured_is_still_a_page(void **state)
{
    (void)state;
    struct tkf_profile profile = make_profile(1);
    memset(profile.explore, 0, sizeof(*profile.explore));
    profile.explore->partial = true;
    char *page = page_of(&profile);
    assert_int_equal(count(page, "<figure"), 0);
    assert_non_null(strstr(page, "Partial"));
    assert_non_null(strstr(page, "</html>"));
    free(page);
    tkf_profile_free(&profile);
}

static void names_that_mean_harm_are_shown(void **state)
{
    (void)state;
    struct tkf_profile profile = make_profile(2);
    strcpy(profile.machine.cpu, "<script>alert(1)</script>&\"\x1b[31m");
    strcpy(profile.explore->steps[0].name, "\xff\x01<b>");
    strcpy(profile.explore->noise[0].causes[0].name, "<i>");
    char *page = page_of(&profile);
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "<b>"));
    assert_null(strstr(page, "<i>"));
    assert_null(strchr(page, '\x1b'));
    assert_null(strchr(page, '\xff'));
    assert_non_null(strstr(page, "&lt;script&gt;"));
    assert_non_null(strstr(page, "\\xff\\x01&lt;b&gt;"));
    check_svg(&tkf_pictures[0], &profile, TKF_THEME_LIGHT, 920);
    free(page);
    tkf_profile_free(&profile);
}

static void a_file_that_cannot_be_written_is_said(void **state)
{
    (void)state;
    struct tkf_profile profile = make_profile(2);
    char reason[120] = "";
    size_t size;
    assert_int_equal(
        tkf_write_explore_html(&profile, path_in_folder("none/page.html"), reason, sizeof(reason)),
        TKF_EIO);
    assert_string_equal(reason, "No such file or directory");
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(tkf_write_explore_html(&profile, "/dev/full", reason, sizeof(reason)),
                         TKF_EIO);
        assert_string_equal(reason, "No space left on device");
    }
    char *path = path_in_folder("pictures");
    assert_int_equal(tkf_write_explore_svgs(&profile, path, reason, sizeof(reason)), 0);
    for (const struct tkf_picture *picture = tkf_pictures; picture->name; picture++) {
        char name[80];
        snprintf(name, sizeof(name), "pictures/%s.svg", picture->name);
        char *svg = read_file(path_in_folder(name), &size);
        assert_non_null(strstr(svg, "<svg"));
        free(svg);
        unlink(path_in_folder(name));
    }
    rmdir(path_in_folder("pictures"));
    tkf_profile_free(&profile);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int write_to(const char *path)
{
    struct tkf_profile profile = make_profile(16);
    char reason[120];
    int ret = tkf_write_explore_svgs(&profile, path, reason, sizeof(reason));
    snprintf(folder, sizeof(folder), "%.*s", (int)sizeof(folder) - 1, path);
    if (ret == 0)
        ret = tkf_write_explore_html(&profile, path_in_folder("page.html"), reason, sizeof(reason));
    if (ret != 0)
        fprintf(stderr, "%s\n", reason);
    tkf_profile_free(&profile);
    return ret != 0;
}

/* The leak sanitizer asks for this: fontconfig keeps what it has read of the fonts. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0)
        return write_to(argv[2]);
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_are_svg_for_each_ground_and_width),
        cmocka_unit_test(the_page_holds_everything_and_fetches_nothing),
        cmocka_unit_test(nothing_measured_is_still_a_page),
        cmocka_unit_test(names_that_mean_harm_are_shown),
        cmocka_unit_test(a_file_that_cannot_be_written_is_said),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
