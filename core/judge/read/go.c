/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "go.h"
#include "keep.h"

static const char benchmark[] = "Benchmark";

static struct tkf_slice slice_of(const char *text, const char *end)
{
    return (struct tkf_slice){.text = text, .length = (size_t)(end - text)};
}

static const char *slice_end(struct tkf_slice slice)
{
    return slice.text + slice.length;
}

/* tickfloor's own harness prints Go's format, and says so; any other is taken for Go's. */
static bool is_tickfloor(const struct tkf_go_run *run)
{
    return run->harness && strcmp(run->harness, "tickfloor") == 0;
}

/* ---- one row ---- */

/* As Go's testing wants it: "Benchmark" alone, or going on as an identifier or a subname, but in no lower-case letter. */
static bool is_name(struct tkf_slice field)
{
    size_t length = sizeof(benchmark) - 1;
    if (!tkf_slice_starts(field, benchmark))
        return false;
    unsigned char next = field.length > length ? (unsigned char)field.text[length] : '_';
    return next >= 0x80 || (next >= 'A' && next <= 'Z') || (next >= '0' && next <= '9') ||
           strchr("_-/#", next);
}

static bool is_whole_number(struct tkf_slice field)
{
    if (field.length == 0 || field.length > 18)
        return false;
    for (size_t i = 0; i < field.length; i++) {
        if (field.text[i] < '0' || field.text[i] > '9')
            return false;
    }
    return true;
}

/* One "value unit" into the row; true when it is the time. */
static bool take_pair(struct tkf_sink *sink, struct tkf_result *row, struct tkf_slice unit,
                      double value, double quantum)
{
    double ns = tkf_slice_is(unit, "ns/op") ? 1 : tkf_slice_is(unit, "sec/op") ? 1e9 : 0;
    if (ns > 0) {
        row->ns = value * ns;
        row->quantum_ns = quantum * ns;
        row->failed = isnan(value); /* it panicked */
        return true;
    }
    if (tkf_slice_is(unit, "MB/s"))
        row->bytes_per_second = value * 1e6;
    else if (tkf_slice_is(unit, "B/op"))
        row->alloc_bytes = value;
    else if (tkf_slice_is(unit, "allocs/op"))
        row->allocs = value;
    else
        tkf_row_metric(sink, row, tkf_keep(sink, unit), value);
    return false;
}

enum row_kind {
    ROW_NONE,
    ROW_BROKEN, /* it begins as a row and goes on as none */
    ROW_PARTLY, /* the time is there, what follows it is lost */
    ROW_WHOLE,
};

/*
 * "N value unit [value unit]..." from *rest into *row. A line that the input cut ends in a unit that may be half of one,
 * and so says nothing of what is missing.
 */
static enum row_kind take_numbers(struct tkf_sink *sink, struct tkf_slice rest, bool cut,
                                  struct tkf_result *row)
{
    struct tkf_slice count = tkf_field(&rest);
    double value, quantum;
    bool timed = false;
    if (!is_whole_number(count))
        return ROW_NONE;
    tkf_number(count, TKF_NUMBER_POINT, &row->iterations, NULL);
    for (;;) {
        struct tkf_slice number = tkf_field(&rest);
        struct tkf_slice unit = tkf_field(&rest);
        if (number.length == 0)
            break;
        if (unit.length == 0 || !tkf_number(number, TKF_NUMBER_POINT, &value, &quantum))
            return timed ? ROW_PARTLY : ROW_BROKEN;
        if (cut && rest.length == 0 && !tkf_slice_is(unit, "ns/op") &&
            !tkf_slice_is(unit, "B/op") && !tkf_slice_is(unit, "allocs/op"))
            return timed ? ROW_PARTLY : ROW_BROKEN; /* half a unit is none */
        timed = take_pair(sink, row, unit, value, quantum) || timed;
    }
    if (cut && !timed)
        return ROW_BROKEN;
    row->time_missing = !timed;
    return ROW_WHOLE;
}

/* ---- origins ---- */

static bool same(const char *a, const char *b)
{
    return a == b; /* the sink keeps equal strings once */
}

/* The origin of what this package's lines say of their machine becomes the sink's. */
static void choose_origin(struct tkf_go *go, const struct tkf_go_run *run)
{
    const char *framework = is_tickfloor(run) ? "tickfloor" : "go";
    for (unsigned i = go->norigins; i > 0; i--) {
        const struct tkf_origin *origin = go->origins[i - 1];
        if (strcmp(origin->framework, framework) == 0 && same(origin->os, run->goos) &&
            same(origin->arch, run->goarch) && same(origin->cpu, run->cpu) &&
            same(origin->version, run->version)) {
            tkf_sink_choose(go->sink, go->origins[i - 1]);
            return;
        }
    }
    struct tkf_origin *origin = tkf_sink_origin(go->sink, framework, TKF_TIMING_BATCHED);
    origin->os = run->goos;
    origin->arch = run->goarch;
    origin->cpu = run->cpu;
    origin->version = run->version;
    if (go->norigins < TKF_GO_ORIGINS_MAX)
        go->origins[go->norigins++] = origin;
}

/* ---- lines ---- */

static void forget_pending(struct tkf_go *go, struct tkf_go_run *run)
{
    if (run->pending && run->pending_began)
        tkf_sink_notice(go->sink, run->pending_line, "%.100s began and gave no result",
                        run->pending);
    run->pending = NULL;
}

static void add(struct tkf_go *go, struct tkf_go_run *run, const char *name, struct tkf_result *row)
{
    choose_origin(go, run);
    row->name = name;
    row->group = run->pkg ? run->pkg : "";
    row->statistic = is_tickfloor(run) ? TKF_STATISTIC_MEDIAN : TKF_STATISTIC_MEAN;
    tkf_sink_add(go->sink, row);
    run->pending = NULL;
}

/* Where "N value ns/op" begins in a line that has something else in front of it; NULL when there is none. */
static const char *find_numbers(struct tkf_slice line)
{
    const char *at = tkf_slice_find(line, " ns/op");
    if (!at)
        return NULL;
    const char *begin = line.text;
    while (at > begin && strchr("0123456789.", at[-1]) && at[-1])
        at--;
    const char *value = at;
    while (at > begin && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    if (at == value)
        return NULL;
    const char *count_end = at;
    while (at > begin && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at < count_end ? at : NULL;
}

/* The rest of a row whose name stands on an earlier line: what the benchmark printed came between. */
static bool take_rest(struct tkf_go *go, struct tkf_go_run *run, const struct tkf_line *line,
                      struct tkf_slice text)
{
    const char *numbers = find_numbers(text);
    if (!numbers)
        return false;
    struct tkf_result row = tkf_sink_row(go->sink, line->number);
    if (take_numbers(go->sink, slice_of(numbers, slice_end(text)), line->cut, &row) < ROW_PARTLY)
        return false;
    add(go, run, run->pending, &row);
    return true;
}

/* A line that begins with a benchmark's name. */
static void take_row(struct tkf_go *go, struct tkf_go_run *run, const struct tkf_line *line,
                     struct tkf_slice text)
{
    struct tkf_slice rest = text;
    struct tkf_slice name = tkf_field(&rest);
    struct tkf_result row = tkf_sink_row(go->sink, line->number);
    enum row_kind kind = take_numbers(go->sink, rest, line->cut, &row);
    const char *kept = tkf_keep(go->sink, name);
    if (kind == ROW_PARTLY)
        tkf_sink_notice(go->sink, line->number, "%s: %.120s",
                        line->cut ? "cut short" : "read in part", text.text);
    if (kind == ROW_PARTLY || kind == ROW_WHOLE) {
        add(go, run, kept, &row);
        return;
    }
    forget_pending(go, run);
    run->pending = kept;
    run->pending_line = line->number;
    /* The head of many a table says no more than "Benchmark". */
    run->pending_began = rest.length > 0 && !tkf_slice_is(name, benchmark);
    if (take_rest(go, run, line, rest))
        return;
    if (kind == ROW_BROKEN) {
        tkf_sink_notice(go->sink, line->number, "%s: %.120s",
                        line->cut ? "cut short" : "looks like a result, but is none", text.text);
        run->pending = NULL;
    }
}

/* "key: value" */
static bool take_config(struct tkf_go *go, struct tkf_go_run *run, struct tkf_slice text)
{
    const struct {
        const char *key;
        const char **value;
    } keys[] = {
        {"goos:", &run->goos}, {"goarch:", &run->goarch},   {"cpu:", &run->cpu},
        {"pkg:", &run->pkg},   {"harness:", &run->harness},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        if (!tkf_slice_starts(text, keys[i].key))
            continue;
        const char *begin = text.text + strlen(keys[i].key), *end = slice_end(text);
        while (begin < end && strchr(" \t", *begin) && *begin)
            begin++;
        while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        *keys[i].value = begin < end ? tkf_sink_text(go->sink, begin, (size_t)(end - begin)) : NULL;
        return true;
    }
    return false;
}

static const char *go_version(struct tkf_sink *sink, struct tkf_slice text)
{
    static const char before[] = "go version go";
    const char *at = tkf_slice_find(text, before);
    if (!at)
        return NULL;
    struct tkf_slice rest = slice_of(at + sizeof(before) - 3, slice_end(text));
    struct tkf_slice version = tkf_field(&rest);
    return tkf_keep(sink, version);
}

/* Whether a benchmark, a package or the run failed or was skipped, as the line says. */
static bool say_bad(struct tkf_sink *sink, unsigned number, struct tkf_slice text)
{
    static const char *const failures[] = {"--- FAIL: ", "panic: ", "fatal error: "};
    for (size_t i = 0; i < sizeof(failures) / sizeof(*failures); i++) {
        if (tkf_slice_starts(text, failures[i])) {
            tkf_sink_failure(sink, number, "the run failed: \"%.200s\"", text.text);
            return true;
        }
    }
    if (tkf_slice_starts(text, "FAIL\t")) { /* the package, and how long it took or why */
        tkf_field(&text);
        struct tkf_slice package = tkf_field(&text);
        bool build = tkf_slice_find(text, "build failed");
        tkf_sink_failure(sink, number, "the package %.*s %s", (int)package.length, package.text,
                         build ? "could not be built" : "failed");
        return true;
    }
    bool skipped = tkf_slice_starts(text, "--- SKIP: ");
    if (skipped)
        tkf_sink_notice(sink, number, "skipped: \"%.200s\"", text.text);
    return skipped;
}

/* What Go says of a benchmark, a package or the run beside its results. */
static bool take_state(struct tkf_go *go, struct tkf_go_run *run, const struct tkf_line *line,
                       struct tkf_slice text)
{
    static const char *const ends[] = {"PASS", "FAIL"};
    if (say_bad(go->sink, line->number, text)) {
        run->pending = NULL; /* that is why it has no result */
        return true;
    }
    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        if (tkf_slice_is(text, ends[i])) {
            forget_pending(go, run);
            return true;
        }
    }
    const char *version = tkf_slice_starts(text, "go version ") ? go_version(go->sink, text) : NULL;
    if (version)
        run->version = version;
    return version;
}

/* Without the blanks and the signs of a comment or a quotation that pasted output stands behind. */
static struct tkf_slice unquoted(struct tkf_slice text)
{
    while (text.length > 0 && strchr(" \t/#>", *text.text) && *text.text) {
        text.text++;
        text.length--;
    }
    return text;
}

/* A row within a line: behind a comment sign, or behind what the program printed without an end of line. */
static struct tkf_slice row_within(struct tkf_slice text)
{
    struct tkf_slice plain = unquoted(text);
    if (tkf_slice_starts(plain, benchmark))
        return plain;
    const char *at = tkf_slice_find(text, benchmark);
    const char *tab = at ? memchr(at, '\t', (size_t)(slice_end(text) - at)) : NULL;
    return tab ? slice_of(at, slice_end(text)) : slice_of(text.text, text.text);
}

void tkf_go_line(struct tkf_go *go, struct tkf_go_run *run, const struct tkf_line *line)
{
    struct tkf_slice text = {.text = line->text, .length = line->length};
    struct tkf_slice within, rest;
    if (text.length == 0)
        return;
    if (*text.text == 'B') {
        rest = text;
        struct tkf_slice name = tkf_field(&rest);
        /* In C a benchmark's name may begin in any way. */
        if (is_name(name) || (is_tickfloor(run) && tkf_slice_starts(name, benchmark))) {
            take_row(go, run, line, text);
            return;
        }
    }
    if (take_config(go, run, text) || take_state(go, run, line, text))
        return;
    if (run->pending && take_rest(go, run, line, text))
        return;
    if (!tkf_slice_find(text, "/op"))
        return;
    within = rest = row_within(text);
    if (is_name(tkf_field(&rest)))
        take_row(go, run, line, within);
}

void tkf_go_run_end(struct tkf_go *go, struct tkf_go_run *run)
{
    forget_pending(go, run);
}

/* ---- recognising ---- */

static int recognise_line(struct tkf_slice text)
{
    double value;
    struct tkf_slice rest = unquoted(text), name = tkf_field(&rest);
    if (tkf_slice_starts(text, "goos: ") || tkf_slice_starts(text, "pkg: "))
        return 40;
    if (tkf_slice_starts(text, "ok  \t") || tkf_slice_starts(text, "FAIL\t") ||
        tkf_slice_starts(text, "?   \t") || tkf_slice_starts(text, "--- FAIL: "))
        return 30;
    if (!is_name(name))
        return 0;
    if (!is_whole_number(tkf_field(&rest))) /* the title of many tables is "Benchmark" */
        return tkf_slice_is(name, benchmark) ? 0 : 10;
    if (!tkf_number(tkf_field(&rest), TKF_NUMBER_POINT, &value, NULL))
        return 20;
    return tkf_field(&rest).length > 0 ? 90 : 20;
}

int tkf_go_recognise(const char *head, size_t length)
{
    struct tkf_slice rest = {.text = head, .length = length}, line;
    int most = 0;
    while (most < 90 && tkf_slice_line(&rest, &line)) {
        int sure = recognise_line(line);
        most = sure > most ? sure : most;
    }
    return most;
}
