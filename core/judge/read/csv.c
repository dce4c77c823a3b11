/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "csv.h"

static struct tkf_slice trimmed(const char *begin, const char *end)
{
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    return (struct tkf_slice){.text = begin, .length = (size_t)(end - begin)};
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
            if (csv->ncells < TKF_CSV_CELLS_MAX)
                csv->cells[csv->ncells++] = trimmed(cell, to);
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

struct tkf_slice tkf_csv_cell(const struct tkf_csv *csv, int column)
{
    return column >= 0 && (unsigned)column < csv->ncells ? csv->cells[column]
                                                         : (struct tkf_slice){.text = ""};
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
