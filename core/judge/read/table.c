/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "table.h"

static void add_cell(struct tkf_csv *csv, const char *begin, const char *end)
{
    struct tkf_slice cell = {.text = begin, .length = (size_t)(end - begin)};
    if (csv->ncells < TKF_CSV_CELLS_MAX)
        csv->cells[csv->ncells++] = tkf_trim(cell);
}

bool tkf_csv_split(struct tkf_csv *csv, const char *text, size_t length, char separator)
{
    if (csv->size <= length) {
        char *buffer = realloc(csv->buffer, length + 1);
        if (!buffer)
            return false;
        csv->buffer = buffer;
        csv->size = length + 1;
    }
    char *to = csv->buffer, *cell = to;
    bool quoted = false;
    csv->ncells = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i == length || (text[i] == separator && !quoted)) {
            add_cell(csv, cell, to);
            cell = to;
        } else if (text[i] != '"') {
            *to++ = text[i];
        } else if (quoted && i + 1 < length && text[i + 1] == '"') {
            *to++ = text[i++]; /* two of them stand for one */
        } else {
            quoted = !quoted;
        }
    }
    return true;
}

int tkf_csv_column(const struct tkf_csv *header, const char *name)
{
    for (unsigned i = 0; i < header->ncells; i++) {
        if (tkf_slice_is(header->cells[i], name))
            return (int)i;
    }
    return -1;
}

struct tkf_slice tkf_csv_cell(const struct tkf_csv *csv, size_t column)
{
    return column < csv->ncells ? csv->cells[column] : (struct tkf_slice){.text = ""};
}

char tkf_csv_separator(const char *text, size_t length)
{
    static const char separators[] = ";\t,";
    size_t found = sizeof(separators) - 1;
    bool quoted = false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        for (size_t j = 0; j < found && !quoted; j++) {
            if (text[i] == separators[j])
                found = j;
        }
    }
    return separators[found];
}

void tkf_csv_free(struct tkf_csv *csv)
{
    free(csv->buffer);
}

/* ---- drawn with bars ---- */

void tkf_csv_split_bars(struct tkf_csv *csv, struct tkf_slice line)
{
    csv->ncells = 0;
    line = tkf_trim(line);
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
