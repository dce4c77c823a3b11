/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "slice.h"

struct tkf_slice tkf_slice_of(const char *text)
{
    return (struct tkf_slice){.text = text ? text : "", .length = text ? strlen(text) : 0};
}

struct tkf_slice tkf_line_slice(const struct tkf_line *line)
{
    return (struct tkf_slice){.text = line->text, .length = line->length};
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct tkf_slice tkf_trim(struct tkf_slice slice)
{
    while (slice.length > 0 && is_space(*slice.text)) {
        slice.text++;
        slice.length--;
    }
    while (slice.length > 0 && is_space(slice.text[slice.length - 1]))
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

bool tkf_drop_end(struct tkf_slice *slice, const char *end)
{
    size_t length = strlen(end);
    if (slice->length < length || memcmp(slice->text + slice->length - length, end, length) != 0)
        return false;
    slice->length -= length;
    return true;
}

bool tkf_is_one_of(struct tkf_slice slice, const char *const *words)
{
    for (; *words; words++) {
        if (tkf_slice_is(slice, *words))
            return true;
    }
    return false;
}

/* ---- places in it ---- */

const char *tkf_slice_find(struct tkf_slice slice, const char *what)
{
    return slice.length > 0 ? memmem(slice.text, slice.length, what, strlen(what)) : NULL;
}

const char *tkf_slice_last(struct tkf_slice slice, char c)
{
    while (slice.length > 0 && slice.text[slice.length - 1] != c)
        slice.length--;
    return slice.length > 0 ? slice.text + slice.length - 1 : NULL;
}

struct tkf_slice tkf_slice_until(struct tkf_slice slice, const char *end)
{
    return (struct tkf_slice){.text = slice.text, .length = (size_t)(end - slice.text)};
}

struct tkf_slice tkf_slice_from(struct tkf_slice slice, const char *start)
{
    return (struct tkf_slice){.text = start, .length = slice.length - (size_t)(start - slice.text)};
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
    const char *found = tkf_slice_find(slice, at);
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
    while (begin > 0 && !is_space(rest->text[begin - 1]))
        begin--;
    struct tkf_slice field = {.text = rest->text + begin, .length = rest->length - begin};
    rest->length = begin;
    *rest = tkf_trim(*rest);
    return field;
}

/* ---- what results look like ---- */

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

struct tkf_slice tkf_strip_marks(struct tkf_slice slice)
{
    while (slice.length > 0 && memchr("/#*> \t", *slice.text, 6)) {
        slice.text++;
        slice.length--;
    }
    return tkf_trim(slice);
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
