/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "left.h"

/* A reader that has seen a result, or the head of a table, and not just a word. */
#define SURE 80

/* So many bytes are looked at once. */
#define LOOK_BYTES ((size_t)64 << 10)

/* Of what nobody knew, so much stays: the head of a table may be the last that came. */
#define STAY_BYTES ((size_t)4 << 10)

/* Lines in between that were results; what stood before them is not of the same table. */
#define GAP_LINES 1000

/* A result may stand on so many lines. */
#define BLOCK_LINES 5

#define TEXT_BYTES_MAX ((size_t)256 << 20)

/* The first line from *at* on that begins a document. */
static const char *find_document(const char *at)
{
    while (at && !strchr("{[<", *at)) {
        const char *lf = strchr(at, '\n');
        at = lf ? lf + 1 : NULL;
    }
    return at && *at ? at : NULL;
}

static size_t bytes_of(const struct tkf_left *left)
{
    return left->text.length - left->begin;
}

/* The reader of what comes first in it. */
static const struct tkf_reader *recognise(struct tkf_left *left)
{
    size_t length = bytes_of(left);
    char *text = left->text.text + left->begin, *end = text + length;
    if (length > LOOK_BYTES + STAY_BYTES)
        end = text + LOOK_BYTES + STAY_BYTES;
    char after = *end;
    *end = '\0';
    const struct tkf_reader *reader =
        tkf_readers_recognise(text, (size_t)(end - text), left->used, SURE);
    const char *document = reader ? NULL : find_document(text);
    if (document)
        reader = tkf_readers_recognise(document, (size_t)(end - document), left->used, SURE);
    *end = after;
    return reader;
}

/* Throw away bytes at its beginning, which end a line or all there is. */
static void drop(struct tkf_left *left, size_t bytes)
{
    char *text = left->text.text, *from = text + left->begin;
    for (const char *at = from; (at = memchr(at, '\n', (size_t)(from + bytes - at))); at++)
        left->first++;
    left->begin += bytes;
    if (left->begin < left->text.length / 2 && bytes_of(left) > 0)
        return; /* moving it costs as much as it has bytes */
    memmove(text, text + left->begin, bytes_of(left) + 1);
    left->text.length = bytes_of(left);
    left->begin = 0;
}

/* The line end at or before so many bytes of it, after it; all where there is none. */
static size_t whole_lines(const struct tkf_left *left, size_t bytes)
{
    const char *from = left->text.text + left->begin;
    const char *lf = tkf_last_of(from, '\n', bytes);
    return lf ? (size_t)(lf + 1 - from) : bytes;
}

/* Whether another reader knows what is there; if none does, few bytes of it are kept, or none. */
static void look(struct tkf_left *left, size_t stay)
{
    size_t length = bytes_of(left);
    left->known = recognise(left);
    if (!left->known && length > stay)
        drop(left, stay > 0 ? whole_lines(left, length - stay) : length);
    left->looked = bytes_of(left);
}

const struct tkf_reader *tkf_left_reader(struct tkf_left *left)
{
    while (bytes_of(left) > 0) {
        const struct tkf_reader *reader = recognise(left);
        if (reader || bytes_of(left) <= LOOK_BYTES)
            return reader;
        drop(left, whole_lines(left, LOOK_BYTES));
    }
    return NULL;
}

static void add(struct tkf_left *left, const char *text, size_t length)
{
    left->out_of_memory = left->out_of_memory || !tkf_bytes_add(&left->text, text, length);
}

/* From the last line to this one: lines in between are empty, and pieces between CRs have one number. */
static void add_ends(struct tkf_left *left, unsigned number)
{
    if (number <= left->last)
        add(left, "\r", 1);
    for (; left->last < number; left->last++)
        add(left, "\n", 1);
}

void tkf_left_line(struct tkf_left *left, const struct tkf_line *line)
{
    if (left->full > 0 || line->length == 0)
        return;
    if (bytes_of(left) > TEXT_BYTES_MAX) {
        left->full = line->number;
        return;
    }
    if (bytes_of(left) > 0 && !left->known && line->number > left->last + GAP_LINES)
        look(left, 0);
    if (bytes_of(left) == 0)
        left->first = left->last = line->number;
    else
        add_ends(left, line->number);
    add(left, line->text, line->length);
    if (!left->known && bytes_of(left) - left->looked >= LOOK_BYTES)
        look(left, STAY_BYTES);
}

void tkf_left_text(struct tkf_left *left, struct tkf_slice text, unsigned number, const char *why)
{
    struct tkf_slice line;
    if (why && left->nskipped < TKF_SKIPPED_MAX) {
        left->skipped[left->nskipped].line = number;
        left->skipped[left->nskipped++].text = why;
    }
    for (; tkf_slice_line(&text, &line); number++) {
        struct tkf_line one = {.text = line.text, .length = line.length, .number = number};
        tkf_left_line(left, &one);
    }
}

void tkf_left_taken(struct tkf_left *left, unsigned number)
{
    if (!left->follows)
        return;
    unsigned *taken = tkf_grow(left->taken, left->ntaken, &left->taken_size, sizeof(*taken));
    if (!taken) {
        left->out_of_memory = true;
        return;
    }
    left->taken = taken;
    left->taken[left->ntaken++] = number;
}

static int by_number(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

void tkf_left_sort_taken(struct tkf_left *left)
{
    if (left->ntaken > 0)
        qsort(left->taken, left->ntaken, sizeof(*left->taken), by_number);
}

bool tkf_left_answers(const struct tkf_left *left, unsigned number)
{
    size_t from = 0, to = left->ntaken;
    unsigned least = number > BLOCK_LINES ? number - BLOCK_LINES : 0;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (left->taken[middle] < least)
            from = middle + 1;
        else
            to = middle;
    }
    return from < left->ntaken && left->taken[from] <= number + BLOCK_LINES;
}

void tkf_left_free(struct tkf_left *left)
{
    free(left->text.text);
    free(left->taken);
}
