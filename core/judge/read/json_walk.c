/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>

#include "../../measure/stats.h"
#include "json_walk.h"

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

json_t *tkf_json_line_load(struct tkf_sink *sink, const struct tkf_line *line)
{
    struct tkf_slice text = tkf_trim(tkf_line_slice(line));
    if (!tkf_slice_starts(text, "{"))
        return NULL;
    json_error_t error;
    json_t *object = json_loadb(text.text, text.length, 0, &error);
    if (object)
        tkf_sink_understood(sink);
    else
        tkf_sink_notice(sink, line->number, "not a whole JSON object (%s); its result is lost",
                        line->cut ? "the input ends within it" : error.text);
    return object;
}

bool tkf_json_is(const json_t *object, const char *key, const char *text)
{
    const char *member = tkf_json_text(object, key);
    return member && strcmp(member, text) == 0;
}

size_t tkf_json_numbers(const json_t *array, double **ret_numbers)
{
    size_t size = json_array_size(array), count = 0;
    double *numbers = size > 0 ? calloc(size, sizeof(*numbers)) : NULL;
    for (size_t i = 0; numbers && i < size; i++) {
        const json_t *item = json_array_get(array, i);
        if (json_is_number(item))
            numbers[count++] = json_number_value(item);
    }
    *ret_numbers = numbers;
    return count;
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

void tkf_row_json_samples(struct tkf_sink *sink, struct tkf_result *row, const json_t *array,
                          double scale)
{
    size_t i;
    json_t *value;
    json_array_foreach(array, i, value)
    {
        if (json_is_number(value))
            tkf_row_sample(sink, row, json_number_value(value) * scale);
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
        tkf_row_json_samples(sink, row, array, scale);
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
