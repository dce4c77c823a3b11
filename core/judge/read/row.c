/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "row.h"

const char *tkf_row_text(struct tkf_sink *sink, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = NULL;
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return "";
    const char *kept = tkf_sink_text(sink, text, (size_t)length);
    free(text);
    return kept;
}

void tkf_build(struct tkf_builder *builder, const char *format, ...)
{
    if (!builder->out)
        builder->out = open_memstream(&builder->text, &builder->length);
    if (!builder->out)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(builder->out, format, args);
    va_end(args);
}

const char *tkf_built(struct tkf_builder *builder, struct tkf_sink *sink)
{
    if (!builder->out)
        return "";
    bool whole = fclose(builder->out) == 0 && builder->text;
    const char *kept = whole ? tkf_sink_text(sink, builder->text, builder->length) : "";
    free(builder->text);
    *builder = (struct tkf_builder){0};
    return kept;
}

void tkf_row_value(struct tkf_result *row, double ns)
{
    if (!isfinite(ns))
        return;
    tkf_row_sample(row, ns);
    row->min_ns = fmin(row->min_ns, ns);
    row->max_ns = fmax(row->max_ns, ns);
}

void tkf_row_samples(struct tkf_result *row, const double *iterations, const double *times_ns,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tkf_row_value(row, times_ns[i] / iterations[i]);
        if (iterations[i] > 0 && !(iterations[i] <= row->iterations)) {
            row->iterations = iterations[i];
            row->total_ns = times_ns[i];
        }
    }
}

void tkf_row_metric(struct tkf_result *row, const char *unit, double value)
{
    if (row->nmetrics < TKF_METRICS_MAX)
        row->metrics[row->nmetrics++] = (struct tkf_metric){.unit = unit, .value = value};
}

struct tkf_slice tkf_slice(const char *text)
{
    return (struct tkf_slice){.text = text, .length = strlen(text)};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct tkf_slice tkf_slice_trim(struct tkf_slice slice)
{
    while (slice.length > 0 && is_blank(slice.text[0])) {
        slice.text++;
        slice.length--;
    }
    while (slice.length > 0 && is_blank(slice.text[slice.length - 1]))
        slice.length--;
    return slice;
}

const char *tkf_slice_find(struct tkf_slice slice, const char *what)
{
    return memmem(slice.text, slice.length, what, strlen(what));
}

struct tkf_slice tkf_slice_until(struct tkf_slice slice, const char *end)
{
    return (struct tkf_slice){.text = slice.text, .length = (size_t)(end - slice.text)};
}

struct tkf_slice tkf_slice_from(struct tkf_slice slice, const char *start)
{
    return (struct tkf_slice){.text = start, .length = slice.length - (size_t)(start - slice.text)};
}

unsigned tkf_head_count(const char *head, const char *what, unsigned most)
{
    unsigned count = 0;
    for (const char *at = strstr(head, what); at && count < most; count++)
        at = strstr(at + strlen(what), what);
    return count;
}

char tkf_head_first(const char *head)
{
    return head[strspn(head, " \t\r\n")];
}

json_t *tkf_json_line_load(struct tkf_sink *sink, const struct tkf_line *line)
{
    struct tkf_slice text = tkf_slice_trim((struct tkf_slice){line->text, line->length});
    if (!tkf_slice_starts(text, "{"))
        return NULL;
    json_error_t error;
    json_t *object = json_loadb(text.text, text.length, 0, &error);
    if (!object)
        tkf_sink_notice(sink, line->number, "not a whole JSON object (%s); its result is lost",
                        line->cut ? "the input ends within it" : error.text);
    return object;
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

static void add_cell(struct tkf_csv *csv, const char *start, const char *end)
{
    if (csv->ncells < TKF_CSV_CELLS_MAX)
        csv->cells[csv->ncells++] =
            tkf_slice_trim((struct tkf_slice){start, (size_t)(end - start)});
}

void tkf_csv_split_bars(struct tkf_csv *csv, struct tkf_slice line)
{
    csv->ncells = 0;
    line = tkf_slice_trim(line);
    const char *end = line.text + line.length, *start = line.text;
    for (const char *at = start; at < end; at++) {
        if (*at == '\\' && at + 1 < end && at[1] == '|') {
            at++;
            continue;
        }
        if (*at != '|')
            continue;
        if (at > line.text)
            add_cell(csv, start, at);
        if (at + 1 < end && at[1] == '|')
            at++;
        start = at + 1;
    }
    if (start < end)
        add_cell(csv, start, end);
}
