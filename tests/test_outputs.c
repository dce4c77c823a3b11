/* SPDX-License-Identifier: MIT */
/**
 * The writers against golden files, and with names that mean harm. The results are made up here, and the functions that give them
 * out are those of this file, which the linker takes instead of the library's: no reader and no rule has a part in it.
 *
 * TICKFLOOR_UPDATE_GOLDEN=1 writes the golden files anew: read the diff.
 * "test_outputs rewrite json" and "... rewrite sarif" print what tests/test_schema.py holds against a schema.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "write.h"

#define REPORTS TESTS_SOURCE_DIR "/reports/"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- results that are made up ---- */

struct tkf_results {
    struct tkf_result *rows;
    size_t nrows;
    const struct tkf_notice *notices;
    size_t nnotices;
};

size_t tkf_results_count(const struct tkf_results *results)
{
    return results->nrows;
}

const struct tkf_result *tkf_results_get(const struct tkf_results *results, size_t index)
{
    return &results->rows[index];
}

size_t tkf_results_notices(const struct tkf_results *results)
{
    return results->nnotices;
}

const struct tkf_notice *tkf_results_notice(const struct tkf_results *results, size_t index)
{
    return &results->notices[index];
}

const char *tkf_verdict_name(enum tkf_verdict verdict)
{
    static const char *const names[] = {"impossible", "at-floor",      "capped",
                                        "flat",       "timer-limited", "went-quiet",
                                        "near-floor", "undecided",     "ok"};
    return names[verdict];
}

static const struct tkf_origin go_run = {
    .file = "bench/new run.txt",
    .format = "go-text",
    .framework = "go",
    .cpu = "AMD EPYC",
    .version = "go1.24",
};

static const struct tkf_origin piped = {
    .file = "<stdin>",
    .format = "criterion-console",
    .framework = "criterion",
};

const struct tkf_floor_used *tkf_results_floor(const struct tkf_results *results,
                                               const struct tkf_origin *origin)
{
    static const struct tkf_floor_used measured = {
        .source = TKF_FLOOR_HARNESS,
        .ns = {.lo = 0.2692, .mid = 0.2713, .hi = 0.5425},
        .cycle_ns = 0.2704,
        .text = "Go's loop on this machine",
    };
    static const struct tkf_floor_used physical = {
        .source = TKF_FLOOR_PHYSICAL,
        .ns = {.lo = NAN, .mid = NAN, .hi = NAN},
        .cycle_ns = NAN,
        .text = "the machine that ran it is not known",
    };
    (void)results;
    return origin == &piped ? &physical : &measured;
}

static struct tkf_result row(const struct tkf_origin *origin, unsigned line, const char *group,
                             const char *name, double ns, double quantum_ns,
                             enum tkf_verdict verdict)
{
    return (struct tkf_result){
        .origin = origin,
        .line = line,
        .group = group,
        .name = name,
        .ns = ns,
        .ns_lo = NAN,
        .ns_hi = NAN,
        .quantum_ns = quantum_ns,
        .repetitions = 1,
        .iterations = NAN,
        .threads = NAN,
        .procs = NAN,
        .verdict = verdict,
        .cycles_shown = origin == &piped ? NAN : ns / 0.2704,
        .over_floor_ns = origin == &piped ? NAN : ns - 0.2692,
    };
}

/* Of all results; that of one is added together. */
static struct tkf_evidence evidence[16];
static unsigned nevidence;

static void add_evidence(struct tkf_result *result, const char *rule, const char *text,
                         const char *hint)
{
    if (result->nevidence == 0)
        result->evidence = &evidence[nevidence];
    nevidence++;
    result->evidence[result->nevidence++] = (struct tkf_evidence){rule, text};
    result->hint = hint;
}

/* A report with something of each kind; its parts are static. */
static struct tkf_report sample(void)
{
    static const char sink[] =
        "keep what the benchmark computes: use b.Loop() (Go 1.24 or newer), or assign it to a package-level variable";
    static const struct tkf_notice notices[] = {
        {"bench/new run.txt", 12, "a result cut short: \"BenchmarkHalf-8   \x1b[31m12\"", false},
        {"bench/new run.txt", 20, "two numbers of one unit", false},
        {"bench/new run.txt", 21, "two numbers of one unit", false},
        {"bench/new run.txt", 22, "the run failed: \"--- FAIL: BenchmarkB\"", true},
        {"bench/new run.txt", 23, "two numbers of one unit", false},
        {"bench/new run.txt", 24, "two numbers of one unit", false},
        {"<stdin>", 0, "4 more such lines", false},
    };
    static const struct tkf_profile profile = {
        .created = "2026-11-30T10:00:00Z",
        .machine = {.cpu = "AMD EPYC"},
        .suspect_below_ns = 0.61,
    };
    static struct tkf_result rows[12];
    static struct tkf_results results;
    nevidence = 0;
    const char *pkg = "example.com/queue", *other = "example.com/queue/ring";

    rows[0] = row(&go_run, 5, pkg, "BenchmarkPush", 0.2706, 0.0001, TKF_VERDICT_AT_FLOOR);
    add_evidence(
        &rows[0], "within-floor",
        "0.2706 ns is 1.00 cycles, within the empty loop's 0.269 to 0.543 ns. The body may have been removed.",
        sink);
    add_evidence(&rows[0], "no-allocation", "It allocates nothing.", sink);
    rows[1] = row(&go_run, 6, pkg, "BenchmarkPop", 0.5398, 0.0001, TKF_VERDICT_AT_FLOOR);
    add_evidence(
        &rows[1], "within-floor",
        "0.5398 ns is 2.00 cycles, within the empty loop's 0.269 to 0.543 ns. The body may have been removed.",
        sink);
    rows[2] = row(&go_run, 7, pkg, "BenchmarkNothing", 0.0000002, 1e-7, TKF_VERDICT_IMPOSSIBLE);
    add_evidence(&rows[2], "below-one-cycle",
                 "2e-07 ns is less than one cycle, 0.270 ns. The loop did not run b.N times.",
                 "loop b.N times, or use b.Loop()");
    rows[3] = row(&go_run, 8, pkg, "BenchmarkLen", 0.941, 0.001, TKF_VERDICT_NEAR_FLOOR);
    add_evidence(&rows[3], "floor-share", "29 % of it is the loop; compare it with care", NULL);
    rows[4] =
        row(&go_run, 9, pkg, "BenchmarkCopy/size=1024/a-rather-long-name-for-a-sub-benchmark-of-it",
            2174, 1, TKF_VERDICT_OK);
    rows[5] = row(&go_run, 10, pkg, "BenchmarkReportsNoTime", NAN, NAN, TKF_VERDICT_UNDECIDED);
    rows[6] = row(&go_run, 15, other, "BenchmarkSum", 2.31, 0.01, TKF_VERDICT_CAPPED);
    add_evidence(&rows[6], "iterations-capped", "1000000000 iterations are the most that Go runs.",
                 sink);
    rows[7] = row(&go_run, 16, other, "BenchmarkSort", 528400000, 100, TKF_VERDICT_OK);
    rows[7].repetitions = 3;
    rows[7].ns_lo = 521000000;
    rows[7].ns_hi = 531000000;
    rows[7].procs = 4;
    rows[7].full_name = "BenchmarkSort-4";
    rows[8] = row(&piped, 3, "", "parse|json <b>`x`</b> @team #1", 12.25, 0.01, TKF_VERDICT_OK);
    rows[9] = row(&piped, 5, "", "名前/\xff\x1b]0;pwned\a\xe2\x80\xae", 84, NAN, TKF_VERDICT_FLAT);
    add_evidence(&rows[9], "flat", "84.0 ns for sizes from 16 to 4096: 100 % of it is constant.",
                 "give each size data of its own, and use the outcome");
    rows[10] = row(&piped, 0, "", "negative", -0.12, 0.01, TKF_VERDICT_TIMER_LIMITED);
    add_evidence(&rows[10], "negative", "A time below 0.", "take more samples");
    rows[11] = row(&piped, 0, "", "", INFINITY, 0, TKF_VERDICT_WENT_QUIET);

    results = (struct tkf_results){rows, COUNT(rows), notices, COUNT(notices)};
    return (struct tkf_report){
        .results = &results,
        .profile = &profile,
        .profile_source = TKF_PROFILE_SAVED,
        .profile_text = "by the saved profile of this machine, measured 2 days ago",
    };
}

/* ---- writing ---- */

static const struct tkf_table_style ascii = {.width = 80};
static const struct tkf_table_style unicode = {.unicode = true, .width = 80};
static const struct tkf_table_style colored = {.color = true, .unicode = true, .width = 110};

static void write_as(const struct tkf_report *report, const char *form, FILE *out)
{
    if (strcmp(form, "ascii.txt") == 0)
        tkf_write_table(report, &ascii, out);
    else if (strcmp(form, "unicode.txt") == 0)
        tkf_write_table(report, &unicode, out);
    else if (strcmp(form, "color.txt") == 0)
        tkf_write_table(report, &colored, out);
    else if (strcmp(form, "json") == 0)
        assert_int_equal(tkf_write_json(report, out), 0);
    else if (strcmp(form, "md") == 0)
        tkf_write_markdown(report, out);
    else if (strcmp(form, "github.txt") == 0)
        tkf_write_github(report, out);
    else if (strcmp(form, "sarif") == 0)
        assert_int_equal(tkf_write_sarif(report, out), 0);
    else
        fail_msg("no form %s", form);
}

/* Not inline: gcc 12 would warn of a pointer to a variable that it takes the returned one for. */
static __attribute__((noinline)) char *written(const struct tkf_report *report, const char *form)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    write_as(report, form, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static char *read_golden(const char *path)
{
    char *golden = NULL;
    size_t size = 0;
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("%s: %s; TICKFLOOR_UPDATE_GOLDEN=1 writes it", path, strerror(errno));
    assert_true(getdelim(&golden, &size, '\0', in) > 0);
    fclose(in);
    return golden;
}

static void check_golden(const struct tkf_report *report, const char *name, const char *form)
{
    char path[400];
    char *text = written(report, form);
    snprintf(path, sizeof(path), REPORTS "%s.%s", name, form);
    if (getenv("TICKFLOOR_UPDATE_GOLDEN")) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(text, out);
        assert_int_equal(fclose(out), 0);
    } else {
        char *golden = read_golden(path);
        assert_string_equal(text, golden);
        free(golden);
    }
    free(text);
}

static void test_golden(void **state)
{
    struct tkf_report report = sample();
    check_golden(&report, "sample", *state);
}

static void test_quiet(void **state)
{
    static const char *const forms[] = {"unicode.txt", "json", "md"};
    struct tkf_report report = sample();
    (void)state;
    report.quiet = true;
    for (size_t i = 0; i < COUNT(forms); i++)
        check_golden(&report, "quiet", forms[i]);
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

/* A missing profile is said beside the results that it would have served, and only there. */
static void test_no_profile(void **state)
{
    struct tkf_report report = sample();
    (void)state;
    report.profile = NULL;
    report.profile_source = TKF_PROFILE_NONE;
    report.profile_text = "no profile is saved";
    char *text = written(&report, "unicode.txt");
    const char *physical = strstr(text, "no floor known");
    assert_non_null(physical);
    assert_int_equal(count_of(text, "no profile is saved"), 1);
    assert_int_equal(count_of(physical, "no profile is saved"), 1);
    free(text);
    text = written(&report, "json");
    assert_non_null(strstr(text, "{\"source\": null, \"text\": \"no profile is saved\""));
    free(text);
}

/* ---- harm ---- */

static unsigned long seed = 1;

static unsigned chance(unsigned n)
{
    seed = seed * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(seed >> 33) % n;
}

/* Bytes that mean something to a terminal, to a table, to HTML, to a workflow command, or to nobody. */
static void make_name(char *name, size_t size)
{
    static const char *const pieces[] = {
        "\x1b[2J",
        "\x1b]0;x\a",
        "\n",
        "\r",
        "\t",
        "\x7f",
        "\xc2\x9b[31m",
        "|",
        "`",
        "``",
        "\\",
        "\\|",
        "<script>",
        "&lt;",
        "%0A::error::",
        "::",
        ",",
        "\xe2\x80\xae",
        "\xe2\x80\x8b",
        "\xef\xbb\xbf",
        "\xed\xa0\x80",
        "\xf4\x90\x80\x80",
        "\xc0\xaf",
        "\xff",
        "\xe2\x82",
        "é",
        "e\xcc\x81",
        "界",
        "😀",
        "]]>",
        "\"",
        "'",
        "@everyone",
        "#1",
        "https://x.y/",
        "*_~",
        "$x$",
        " ",
        "abc",
        "\xf3\xa0\x81\x81",
    };
    name[0] = '\0';
    for (unsigned n = chance(30); n > 0; n--) {
        const char *piece = pieces[chance(COUNT(pieces))];
        if (strlen(name) + strlen(piece) < size)
            strcat(name, piece);
    }
}

static struct tkf_report harmful(void)
{
    static char names[8][300];
    static struct tkf_origin origin;
    static struct tkf_notice notice;
    static struct tkf_result rows[3];
    static struct tkf_results results;
    nevidence = 0;
    for (size_t i = 0; i < COUNT(names); i++)
        make_name(names[i], sizeof(names[i]));
    origin = (struct tkf_origin){
        .file = names[0], .format = "csv", .framework = names[1], .cpu = names[2]};
    for (size_t i = 0; i < COUNT(rows); i++) {
        rows[i] = row(&origin, chance(2), names[3], names[4 + i], 1, 0.1, TKF_VERDICT_AT_FLOOR);
        add_evidence(&rows[i], "rule", names[5], names[6]);
    }
    notice = (struct tkf_notice){names[0], 1, names[7], true};
    results = (struct tkf_results){rows, COUNT(rows), &notice, 1};
    return (struct tkf_report){.results = &results, .profile_text = names[3]};
}

/* Whether all of it is UTF-8 without anything that a terminal would obey or hide, but for line ends. */
static void check_clean(const char *text)
{
    for (const char *at = text; *at;) {
        uint32_t code;
        size_t length = tkf_utf8(at, &code);
        if (length == 0 || (code < 0x20 && code != '\n') || (code >= 0x7f && code < 0xa0) ||
            code == 0x202e || code == 0x200b || code == 0xfeff || code == 0xe0041)
            fail_msg("byte 0x%02x at %td of: %s", (unsigned char)*at, at - text, text);
        at += length;
    }
}

static void check_lines_fit(const char *text, size_t width)
{
    char *copy = strdup(text), *rest = copy;
    for (char *line; (line = strsep(&rest, "\n"));) {
        bool is_notice = strstr(line, ": ") != NULL; /* they begin with a path, whole */
        if (!is_notice && tkf_shown_columns(line, TKF_CHARSET_TERMINAL) > width)
            fail_msg("more than %zu columns: %s", width, line);
    }
    free(copy);
}

static void check_table(const struct tkf_report *report)
{
    char *text = written(report, "ascii.txt");
    for (const char *at = text; *at; at++)
        assert_true(*at == '\n' || (*at >= ' ' && *at <= '~'));
    check_lines_fit(text, ascii.width);
    free(text);
    text = written(report, "unicode.txt");
    check_clean(text);
    check_lines_fit(text, unicode.width);
    free(text);
}

/* Each row of a table has as many cells as its head; a bar in a cell is escaped by being none. */
static void check_markdown(const struct tkf_report *report)
{
    char *text = written(report, "md"), *rest = text;
    unsigned cells = 0;
    check_clean(text);
    for (char *line; (line = strsep(&rest, "\n"));) {
        unsigned bars = 0;
        for (const char *at = line; *at; at++)
            bars += *at == '|';
        if (line[0] != '|') {
            cells = 0;
            continue;
        }
        if (cells == 0)
            cells = bars;
        assert_int_equal(bars, cells);
    }
    free(text);
}

/* One command a line, and nothing else; its properties hold no colon and no comma of a name. */
static void check_github(const struct tkf_report *report)
{
    char *text = written(report, "github.txt"), *rest = text;
    size_t lines = 0;
    check_clean(text);
    for (char *line; (line = strsep(&rest, "\n")) && *line; lines++) {
        assert_true(strncmp(line, "::warning ", 10) == 0 || strncmp(line, "::notice ", 9) == 0 ||
                    strncmp(line, "::error ", 8) == 0);
        char *end = strstr(line + 2, "::");
        assert_non_null(end);
        *end = '\0';
        unsigned properties = 1;
        for (const char *at = line + 2; *at; at++) {
            properties += *at == ',';
            assert_int_not_equal(*at, ':');
        }
        assert_in_range(properties, 1, 3);
        for (const char *at = end + 2; (at = strchr(at, '%')); at++)
            assert_true(strncmp(at, "%25", 3) == 0 || strncmp(at, "%0A", 3) == 0);
    }
    size_t failures = 0;
    for (size_t i = 0; i < tkf_results_notices(report->results); i++)
        failures += tkf_results_notice(report->results, i)->failed;
    assert_int_equal(lines, report->results->nrows + 1 + failures);
    free(text);
}

static void check_json(const struct tkf_report *report, const char *form)
{
    char *text = written(report, form);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%s:%d: %s in %s", form, error.line, error.text, text);
    json_decref(root);
    free(text);
}

static void test_harm(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 400; i++) {
        struct tkf_report report = harmful();
        check_table(&report);
        check_markdown(&report);
        check_github(&report);
        check_json(&report, "json");
        check_json(&report, "sarif");
    }
}

/* ---- pieces ---- */

static void test_shortened(void **state)
{
    static const struct {
        const char *text;
        size_t columns;
        const char *terminal, *ascii;
    } cases[] = {
        {"abc", 3, "abc", "abc"},
        {"abcdefghij", 7, "abc…hij", "abc..ij"},
        {"abcdefghij", 2, "a…", ".."},
        {"", 5, "", ""},
        {"界界界界", 8, "界界界界", "\\xe7..\\x8c"},
        {"界界界界", 6, "界…界", NULL},
        {"a\tb", 8, "a\\x09b", "a\\x09b"},
        {"\xff", 8, "\\xff", "\\xff"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int charset = TKF_CHARSET_ASCII; charset <= TKF_CHARSET_TERMINAL; charset++) {
            const char *expected =
                charset == TKF_CHARSET_ASCII ? cases[i].ascii : cases[i].terminal;
            char *text = NULL;
            size_t size;
            FILE *out = open_memstream(&text, &size);
            size_t columns = tkf_put_shortened(out, cases[i].text, charset, cases[i].columns, NULL);
            fclose(out);
            assert_true(columns <= cases[i].columns);
            if (i != 4 && expected)
                assert_string_equal(text, expected);
            free(text);
        }
    }
}

static void test_times(void **state)
{
    static const struct {
        double ns, quantum_ns;
        const char *text;
    } cases[] = {
        {0.2697, 0.0001, "0.2697 ns"},
        {0.27, 0.01, "0.27 ns"},
        {7, 1, "7 ns"},
        {7, NAN, "7.000 ns"},
        {7, 0, "7.000 ns"},
        {0, 0.0001, "0.0000 ns"},
        {0, NAN, "0 ns"},
        {999.96, NAN, "1.000 µs"},
        {2174, 1, "2.174 µs"},
        {2174, 100, "2.2 µs"},
        {123456.7, 0.1, "123.5 µs"},
        {5.284e8, 100, "528.4 ms"},
        {3.2e12, NAN, "3200 s"},
        {-0.12, 0.01, "-0.12 ns"},
        {NAN, NAN, "no time"},
        {INFINITY, 0, "inf"},
        {1e300, NAN, "1.000e+291 s"},
        {1e-300, NAN, "1.0e-300 ns"},
        {7.1e-10, 1e-7, "7.1e-10 ns"},
        {1500, 1000, "2 µs"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(tkf_time_shown(cases[i].ns, cases[i].quantum_ns, true).text,
                            cases[i].text);
    assert_string_equal(tkf_time_shown(2174, 1, false).text, "2.174 us");
}

static void test_bands(void **state)
{
    static const struct {
        double lo, hi;
        const char *text;
    } cases[] = {
        {0.2692, 0.5425, "0.269 – 0.542 ns"},
        {0.271, 0.2711, "0.271 ns"},
        {449357, 568463, "449 – 568 µs"},
        {900, 1100, "0.900 – 1.10 µs"},
        {NAN, NAN, "unknown"},
        {0, 20, "0 – 20.0 ns"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct tkf_band band = {.lo = cases[i].lo, .mid = cases[i].lo, .hi = cases[i].hi};
        assert_string_equal(tkf_band_shown(&band, true).text, cases[i].text);
    }
}

static void test_cycles(void **state)
{
    static const struct {
        double cycles;
        const char *text;
    } cases[] = {
        {1, "1.00"},    {0.004, "0.00"},      {-0.5, "-0.50"},  {37.31, "37.3"},
        {635.2, "635"}, {9999.4, "9999"},     {37712, "37.7k"}, {7.79e6, "7.79M"},
        {NAN, "-"},     {1e300, "1.00e+288"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_string_equal(tkf_cycles_shown(cases[i].cycles).text, cases[i].text);
}

/* ---- the plot ---- */

static size_t plot_bytes(const struct tkf_report *report, const char *name, const char *begins)
{
    char path[] = "/tmp/test_outputs.XXXXXX/plot.svg", reason[160] = "", head[9] = "";
    char *folder = path;
    path[24] = '\0';
    assert_non_null(mkdtemp(folder));
    path[24] = '/';
    strcpy(strrchr(path, '.'), name);
    if (tkf_write_plot(report, path, reason, sizeof(reason)) != 0)
        fail_msg("%s: %s", path, reason);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fread(head, 1, 8, in), 8);
    assert_memory_equal(head, begins, strlen(begins));
    fseek(in, 0, SEEK_END);
    size_t size = (size_t)ftell(in);
    fclose(in);
    unlink(path);
    path[24] = '\0';
    rmdir(path);
    return size;
}

/* Of rows that are not flagged, the first of a rule stands for all of that rule, and of no other. */
static void test_each_rule_is_said_once(void **state)
{
    static struct tkf_result rows[5];
    struct tkf_results results = {rows, COUNT(rows), NULL, 0};
    struct tkf_report report = {.results = &results};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        rows[i] = row(&go_run, 1, "", "name", 1, NAN,
                      i < 3 ? TKF_VERDICT_NEAR_FLOOR : TKF_VERDICT_UNDECIDED);
    nevidence = 0;
    add_evidence(&rows[0], "floor-share", "a good part", NULL);
    add_evidence(&rows[1], "slow-empty-loop", "as slow as", NULL);
    add_evidence(&rows[2], "floor-share", "another part", NULL);
    add_evidence(&rows[3], "failed", "no file", NULL);
    add_evidence(&rows[4], "failed", "no permission", NULL);
    rows[3].failed = rows[4].failed = true;
    rows[3].remark = rows[4].remark = "why";
    char *text = written(&report, "ascii.txt");
    static const char *const said[] = {"a good part", "as slow as", "no file", "no permission"};
    for (size_t i = 0; i < COUNT(said); i++)
        assert_non_null(strstr(text, said[i]));
    assert_null(strstr(text, "another part"));
    free(text);
}

static void test_no_annotation_of_the_floor(void **state)
{
    static struct tkf_result rows[2];
    struct tkf_results results = {rows, COUNT(rows), NULL, 0};
    struct tkf_report report = {.results = &results};
    (void)state;
    rows[0] = row(&go_run, 1, "", "BenchmarkEmpty", 0.27, NAN, TKF_VERDICT_AT_FLOOR);
    rows[0].is_floor = true;
    rows[1] = row(&go_run, 2, "", "BenchmarkDead", 0.27, NAN, TKF_VERDICT_AT_FLOOR);
    char *text = written(&report, "github.txt");
    assert_null(strstr(text, "BenchmarkEmpty"));
    assert_non_null(strstr(text, "BenchmarkDead"));
    free(text);
}

static void need_plots(void)
{
    const char *refused = tkf_plot_refused("x.svg");
    if (refused) {
        fprintf(stderr, "skipped: %s\n", refused);
        skip();
    }
}

static void test_plot(void **state)
{
    (void)state;
    need_plots();
    struct tkf_report report = sample();
    size_t all = plot_bytes(&report, ".svg", "<?xml");
    report.quiet = true;
    assert_true(plot_bytes(&report, ".svg", "<?xml") < all);
    assert_true(plot_bytes(&report, ".png", "\x89PNG\r\n") > 1000);
}

/* 60 rows at most, whatever comes; no value ends the drawing. */
static void test_plot_many(void **state)
{
    static const double values[] = {0, -1, NAN, INFINITY, -INFINITY, 1e-300, 1e300, 1, 0.27};
    static struct tkf_result rows[200];
    struct tkf_results results = {rows, COUNT(rows), NULL, 0};
    struct tkf_report report = {.results = &results};
    (void)state;
    need_plots();
    for (size_t i = 0; i < COUNT(rows); i++) {
        rows[i] = row(i % 2 ? &go_run : &piped, 1, i % 3 ? "" : "group", "name",
                      values[i % COUNT(values)], NAN, (enum tkf_verdict)(i % TKF_VERDICT_COUNT));
        rows[i].ns_lo = values[(i + 1) % COUNT(values)];
        rows[i].ns_hi = values[(i + 2) % COUNT(values)];
    }
    size_t all = plot_bytes(&report, ".png", "\x89PNG\r\n");
    results.nrows = 61;
    size_t some = plot_bytes(&report, ".png", "\x89PNG\r\n");
    assert_true(all < 2 * some);
    for (results.nrows = 0; results.nrows < COUNT(values); results.nrows++)
        plot_bytes(&report, ".svg", "<?xml");
    for (unsigned i = 0; i < 50; i++) {
        struct tkf_report bad = harmful();
        plot_bytes(&bad, ".svg", "<?xml");
    }
}

static void test_plot_refused(void **state)
{
    char reason[160];
    struct tkf_report report = sample();
    (void)state;
    need_plots();
    assert_null(tkf_plot_refused("a/B.PNG"));
    assert_null(tkf_plot_refused("a.svg"));
    assert_non_null(tkf_plot_refused("a.pdf"));
    assert_non_null(tkf_plot_refused(".svg"));
    assert_int_equal(tkf_write_plot(&report, "/nonexistent/a.svg", reason, sizeof(reason)),
                     TKF_EIO);
    assert_string_equal(reason, strerror(ENOENT));
    if (access("/dev/full", W_OK) == 0 && symlink("/dev/full", "/tmp/test_outputs_full.svg") == 0) {
        int ret = tkf_write_plot(&report, "/tmp/test_outputs_full.svg", reason, sizeof(reason));
        unlink("/tmp/test_outputs_full.svg");
        assert_int_equal(ret, TKF_EIO);
    }
}

/* The leak sanitizer asks for this: fontconfig keeps what it has read of the fonts. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

int main(int argc, char **argv)
{
    if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8")) {
        fprintf(stderr, "skipped: no locale of UTF-8 here\n");
        return 77;
    }
    if (argc == 3 && strcmp(argv[1], "rewrite") == 0) {
        struct tkf_report report = sample();
        struct tkf_results of_a_file = *report.results;
        if (strcmp(argv[2], "sarif") == 0) { /* the schema wants a place of each */
            of_a_file.nrows = 8;
            of_a_file.nnotices = 6;
            report.results = &of_a_file;
        }
        write_as(&report, argv[2], stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_golden, "ascii.txt"),
        cmocka_unit_test_prestate(test_golden, "unicode.txt"),
        cmocka_unit_test_prestate(test_golden, "color.txt"),
        cmocka_unit_test_prestate(test_golden, "json"),
        cmocka_unit_test_prestate(test_golden, "md"),
        cmocka_unit_test_prestate(test_golden, "github.txt"),
        cmocka_unit_test_prestate(test_golden, "sarif"),
        cmocka_unit_test(test_quiet),
        cmocka_unit_test(test_no_profile),
        cmocka_unit_test(test_harm),
        cmocka_unit_test(test_shortened),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_bands),
        cmocka_unit_test(test_cycles),
        cmocka_unit_test(test_each_rule_is_said_once),
        cmocka_unit_test(test_no_annotation_of_the_floor),
        cmocka_unit_test(test_plot),
        cmocka_unit_test(test_plot_many),
        cmocka_unit_test(test_plot_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
