/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../measure/stats.h"
#include "rows.h"

/*
 * What is put together of several texts is no longer than this: names are not, but remarks may grow
 * without end.
 */
#define KEPT_MAX 1024

/* ---- recognising ---- */

bool tkf_head_has(const char *head, const char *const *words)
{
    for (; *words; words++) {
        if (!strstr(head, *words))
            return false;
    }
    return true;
}

bool tkf_head_opens(const char *head, char bracket)
{
    return head[strspn(head, " \t\r\n")] == bracket;
}

/* ---- origins ---- */

void tkf_run_begin(struct tkf_run *run, struct tkf_sink *sink, const char *framework)
{
    *run = (struct tkf_run){
        .sink = sink,
        .facts = {.framework = framework,
                  .core_hz = NAN,
                  .timer_step_ns = NAN,
                  .own_floor_ns = NAN,
                  .cpus = NAN},
    };
}

struct tkf_origin *tkf_run_timed(struct tkf_run *run, enum tkf_timing timing)
{
    if (run->timed[timing]) {
        tkf_sink_choose(run->sink, run->timed[timing]);
        return run->timed[timing];
    }
    const struct tkf_origin *facts = &run->facts;
    struct tkf_origin *origin = tkf_sink_origin(run->sink, facts->framework, timing);
    origin->cpu = facts->cpu;
    origin->os = facts->os;
    origin->arch = facts->arch;
    origin->version = facts->version;
    origin->core_hz = facts->core_hz;
    origin->timer_step_ns = facts->timer_step_ns;
    origin->cpus = facts->cpus;
    return run->timed[timing] = origin;
}

/* ---- rows ---- */

void tkf_row_members(struct tkf_result *row, const json_t *object, const struct tkf_member *members)
{
    for (; members->key; members++) {
        double *field = (double *)((char *)row + members->field);
        double value = tkf_json_number(object, members->key);
        if (!isnan(*field) || isnan(value))
            continue;
        *field = value * members->scale;
        if (field == &row->ns)
            row->statistic = members->statistic;
    }
}

void tkf_row_json_samples(struct tkf_result *row, const json_t *array, double scale)
{
    size_t i;
    json_t *value;
    json_array_foreach(array, i, value)
    {
        if (json_is_number(value))
            tkf_row_sample(row, json_number_value(value) * scale);
    }
}

size_t tkf_row_distribution(struct tkf_sink *sink, struct tkf_result *row, const json_t *array,
                            double scale)
{
    size_t i;
    json_t *value;
    unsigned n = 0;

    double *sorted = calloc(json_array_size(array) + 1, sizeof(*sorted));
    if (!sorted) {
        tkf_sink_notice(sink, row->line, "%.100s: too many values for the memory", row->name);
        return 0;
    }
    json_array_foreach(array, i, value)
    {
        if (json_is_number(value))
            sorted[n++] = json_number_value(value) * scale;
    }
    if (n > 0) {
        tkf_row_json_samples(row, array, scale);
        tkf_sort(sorted, n);
        row->ns = tkf_quantile(sorted, n, 0.5);
        row->ns_lo = tkf_quantile(sorted, n, 0.25);
        row->ns_hi = tkf_quantile(sorted, n, 0.75);
        row->min_ns = sorted[0];
        row->max_ns = sorted[n - 1];
        row->statistic = TKF_STATISTIC_MEDIAN;
    }
    free(sorted);
    return n;
}

void tkf_row_rate(struct tkf_result *row, double per_second, double quantum)
{
    if (!(per_second > 0))
        return;
    row->ns = 1e9 / per_second;
    row->quantum_ns = row->ns * (quantum / per_second);
}

void tkf_row_spread(struct tkf_result *row, double ns)
{
    row->ns_lo = row->ns - ns;
    row->ns_hi = row->ns + ns;
}

/* Ends that are the wrong way round are none. */
static void drop_reversed(double *lo, double *hi)
{
    if (*lo > *hi)
        *lo = *hi = NAN;
}

void tkf_row_give(struct tkf_sink *sink, struct tkf_result *row)
{
    drop_reversed(&row->ns_lo, &row->ns_hi);
    drop_reversed(&row->min_ns, &row->max_ns);
    if (isnan(row->ns) && !row->failed && !row->time_missing)
        tkf_sink_notice(sink, row->line, "%.200s: no time that could be read",
                        *row->name ? row->name : "a benchmark without a name");
    else
        tkf_sink_add(sink, row);
}

/* ---- text ---- */

struct tkf_slice tkf_slice_of(const char *text)
{
    return (struct tkf_slice){.text = text, .length = strlen(text)};
}

struct tkf_slice tkf_line_slice(const struct tkf_line *line)
{
    return (struct tkf_slice){.text = line->text, .length = line->length};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct tkf_slice tkf_uncomment(struct tkf_slice slice)
{
    static const char *const marks[] = {"//", "#", ">"};
    struct tkf_slice rest = slice, mark = tkf_field(&rest);
    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
        if (tkf_slice_is(mark, marks[i]))
            return rest;
    }
    return slice;
}

struct tkf_slice tkf_line_text(const struct tkf_line *line)
{
    return tkf_trim(tkf_uncomment(tkf_line_slice(line)));
}

struct tkf_slice tkf_trim(struct tkf_slice slice)
{
    while (slice.length > 0 && is_blank(*slice.text)) {
        slice.text++;
        slice.length--;
    }
    while (slice.length > 0 && is_blank(slice.text[slice.length - 1]))
        slice.length--;
    return slice;
}

struct tkf_slice tkf_unwrap(struct tkf_slice slice, char open, char close)
{
    if (slice.length >= 2 && *slice.text == open && slice.text[slice.length - 1] == close) {
        slice.text++;
        slice.length -= 2;
    }
    return slice;
}

static bool cut_at(struct tkf_slice slice, const char *found, size_t length,
                   struct tkf_slice *ret_before, struct tkf_slice *ret_after)
{
    size_t offset = (size_t)(found - slice.text);
    struct tkf_slice before = {.text = slice.text, .length = offset};
    struct tkf_slice after = {.text = found + length, .length = slice.length - offset - length};
    if (ret_before)
        *ret_before = before;
    if (ret_after)
        *ret_after = after;
    return true;
}

bool tkf_cut(struct tkf_slice slice, const char *at, struct tkf_slice *ret_before,
             struct tkf_slice *ret_after)
{
    const char *found = slice.length > 0 ? memmem(slice.text, slice.length, at, strlen(at)) : NULL;
    return found && cut_at(slice, found, strlen(at), ret_before, ret_after);
}

bool tkf_cut_last(struct tkf_slice slice, const char *at, struct tkf_slice *ret_before,
                  struct tkf_slice *ret_after)
{
    size_t length = strlen(at);
    for (size_t i = slice.length; i >= length && i > 0; i--) {
        const char *here = slice.text + i - length;
        if (memcmp(here, at, length) == 0)
            return cut_at(slice, here, length, ret_before, ret_after);
    }
    return false;
}

struct tkf_slice tkf_last_field(struct tkf_slice *rest)
{
    *rest = tkf_trim(*rest);
    size_t begin = rest->length;
    while (begin > 0 && !is_blank(rest->text[begin - 1]))
        begin--;
    struct tkf_slice field = {.text = rest->text + begin, .length = rest->length - begin};
    rest->length = begin;
    *rest = tkf_trim(*rest);
    return field;
}

bool tkf_cut_spread(struct tkf_slice slice, struct tkf_slice *ret_value,
                    struct tkf_slice *ret_spread)
{
    /*
     * "Â±", its UTF-8 read as Windows-1252, holds the sign itself and goes first; then what code
     * pages 437 and 850 make of it.
     */
    static const char *const signs[] = {
        "\xc3\x82\xc2\xb1", "\xc2\xb1", "\xe2\x94\xac\xe2\x96\x92", "+/-", "+-",
    };
    struct tkf_slice before, after;
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
        if (tkf_cut(slice, signs[i], &before, &after)) {
            *ret_value = tkf_trim(before);
            *ret_spread = tkf_trim(after);
            return true;
        }
    }
    return false;
}

bool tkf_whole_time(struct tkf_slice slice, double *ret_ns, double *ret_quantum_ns)
{
    double ns, quantum_ns;
    struct tkf_slice rest = tkf_trim(slice);
    if (!tkf_time(&rest, TKF_NUMBER_POINT, &ns, &quantum_ns) || tkf_trim(rest).length > 0)
        return false;
    *ret_ns = ns;
    if (ret_quantum_ns)
        *ret_quantum_ns = quantum_ns;
    return true;
}

bool tkf_time_range(struct tkf_slice slice, double *ret_min_ns, double *ret_max_ns)
{
    struct tkf_slice least, largest;
    double min_ns, max_ns;
    if (!tkf_cut(slice, "\xe2\x80\xa6", &least, &largest) && /* U+2026 */
        !tkf_cut(slice, "...", &least, &largest))
        return false;
    while (largest.length > 0 && *largest.text == '.') { /* zBench once had a row of dots */
        largest.text++;
        largest.length--;
    }
    if (!tkf_whole_time(least, &min_ns, NULL) ||
        !tkf_time(&largest, TKF_NUMBER_POINT, &max_ns, NULL))
        return false;
    *ret_min_ns = min_ns;
    *ret_max_ns = max_ns;
    return true;
}

bool tkf_cell(struct tkf_slice *rest, struct tkf_slice *ret_cell)
{
    static const char *const bars[] = {"|", "\xe2\x94\x82", "\xe2\x95\x91"}; /* U+2502, U+2551 */
    struct tkf_slice best = *rest, best_after = {.text = rest->text + rest->length};
    struct tkf_slice before, after;
    if (rest->length == 0)
        return false;
    for (size_t i = 0; i < sizeof(bars) / sizeof(*bars); i++) {
        if (tkf_cut(*rest, bars[i], &before, &after) && before.length < best.length) {
            best = before;
            best_after = after;
        }
    }
    *rest = best_after;
    *ret_cell = tkf_trim(best);
    return true;
}

const char *tkf_keep(struct tkf_sink *sink, struct tkf_slice slice)
{
    return tkf_sink_text(sink, slice.text, slice.length);
}

const char *tkf_keepf(struct tkf_sink *sink, const char *format, ...)
{
    char text[KEPT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return tkf_sink_text(sink, text, strlen(text));
}

/* ---- JSON ---- */

const char *tkf_json_keep(struct tkf_sink *sink, const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_string(value)
               ? tkf_sink_text(sink, json_string_value(value), json_string_length(value))
               : NULL;
}

int tkf_json_take(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error,
                  void (*take)(struct tkf_json *json))
{
    json_t *root = tkf_json_load(in, sink, ret_error);
    if (!root)
        return TKF_EFORMAT;
    struct tkf_json json = {.in = in, .sink = sink, .root = root, .counts = json_object()};
    take(&json);
    json_decref(json.counts);
    json_decref(root);
    return 0;
}

unsigned tkf_json_next_line(struct tkf_json *json, const char *key, const char *value)
{
    if (!value)
        return 0;
    json_int_t nth = json_integer_value(json_object_get(json->counts, value));
    json_object_set_new(json->counts, value, json_integer(nth + 1));
    return tkf_json_line(json->in, key, value, (unsigned)nth);
}

void tkf_json_walk(struct tkf_json *json, const json_t *value, const char *key,
                   bool (*visit)(struct tkf_json *json, const json_t *object, const char *key))
{
    size_t i;
    const char *name;
    json_t *member;
    if (json_is_object(value) && visit(json, value, key))
        return;
    json_array_foreach(value, i, member) tkf_json_walk(json, member, key, visit);
    json_object_foreach((json_t *)value, name, member) tkf_json_walk(json, member, name, visit);
}
