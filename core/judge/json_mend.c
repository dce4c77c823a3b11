/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_mend.h"

/* jansson's own limit. */
#define DEPTH_MAX JSON_PARSER_MAX_DEPTH

struct mend {
    const char *at, *end;
    char *out; /* room for all there is: nothing becomes longer but what `spare` is for */
    size_t length;
    size_t whole; /* the length up to which all values are whole */
    char closers[DEPTH_MAX];
    unsigned depth;
    unsigned whole_depth;
    struct tkf_mended done;
};

static void put(struct mend *mend, const char *text, size_t length)
{
    memcpy(mend->out + mend->length, text, length);
    mend->length += length;
}

/* Bytes of the UTF-8 character here, 0 when it is none. */
static size_t utf8_bytes(const char *text, const char *end)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t length = *at < 0x80                  ? 1
                    : *at >= 0xc2 && *at < 0xe0 ? 2
                    : (*at & 0xf0) == 0xe0      ? 3
                    : *at >= 0xf0 && *at < 0xf5 ? 4
                                                : 0;
    if (length == 0 || (size_t)(end - text) < length)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    bool overlong = (*at == 0xe0 && at[1] < 0xa0) || (*at == 0xf0 && at[1] < 0x90);
    bool surrogate = *at == 0xed && at[1] >= 0xa0;
    return overlong || surrogate || (*at == 0xf4 && at[1] >= 0x90) ? 0 : length;
}

#define UNIT_BYTES 6 /* \uD83D */

/* The code unit that is escaped here; 0 when none is. */
static unsigned escaped_unit(const char *at, const char *end)
{
    char digits[UNIT_BYTES - 1] = "";
    if (end - at < UNIT_BYTES || at[0] != '\\' || at[1] != 'u')
        return 0;
    memcpy(digits, at + 2, UNIT_BYTES - 2);
    return (unsigned)strtoul(digits, NULL, 16);
}

/* Bytes of the escape here, of both where two make a pair; 0 for what is no text: half of a pair, NUL. */
static size_t escape_bytes(const char *at, const char *end)
{
    unsigned unit = escaped_unit(at, end);
    if (end - at >= UNIT_BYTES && memcmp(at, "\\u0000", UNIT_BYTES) == 0)
        return 0; /* it would end the text */
    if ((unit & 0xf800) != 0xd800)
        return 2;
    bool pair = unit < 0xdc00 && (escaped_unit(at + UNIT_BYTES, end) & 0xfc00) == 0xdc00;
    return pair ? 2 * UNIT_BYTES : 0;
}

/* From the opening quote to after the closing one; false when the text ends before. */
static bool mend_string(struct mend *mend)
{
    put(mend, mend->at++, 1);
    while (mend->at < mend->end) {
        char c = *mend->at;
        bool escape = c == '\\' && mend->at + 1 < mend->end;
        size_t length =
            escape ? escape_bytes(mend->at, mend->end) : utf8_bytes(mend->at, mend->end);
        if (length == 0 || (unsigned char)c < 0x20) {
            put(mend, "?", 1);
            mend->done.characters++;
            mend->at += escape ? UNIT_BYTES : 1;
            continue;
        }
        put(mend, mend->at, length);
        mend->at += length;
        if (c == '"')
            return true;
    }
    return false;
}

static bool ends_word(char c)
{
    return c == '\0' || strchr(" \t\r\n,:]}[{\"", c);
}

/* A number jansson refuses: an integer of too many digits, or one too large for a double. */
static bool too_large(const char *word, size_t length, bool *ret_whole)
{
    char text[64];
    *ret_whole = false;
    if (!strchr("-0123456789", *word) || length < 4)
        return false;
    bool real = memchr(word, '.', length) || memchr(word, 'e', length) || memchr(word, 'E', length);
    if (!real) {
        *ret_whole = length > 18 && length < 300;
        return length >= 300;
    }
    if (length >= sizeof(text))
        return false;
    double value;
    struct tkf_slice slice = {.text = word, .length = length};
    return (memchr(word, 'e', length) || memchr(word, 'E', length)) &&
           !tkf_number(slice, TKF_NUMBER_POINT, &value, NULL) &&
           strspn(word, "-+.0123456789eE") >= length;
}

/* NaN and its like become null; what else there is outside strings stays, right or wrong. */
static void mend_word(struct mend *mend)
{
    static const char *const names[] = {"NaN",      "nan",       "-nan", "-NaN",
                                        "Infinity", "-Infinity", "inf",  "-inf"};
    const char *word = mend->at;
    while (mend->at < mend->end && !ends_word(*mend->at))
        mend->at++;
    size_t length = (size_t)(mend->at - word);
    struct tkf_slice slice = {.text = word, .length = length};
    bool whole;
    bool replace = too_large(word, length, &whole);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !replace; i++)
        replace = tkf_slice_is(slice, names[i]);
    if (replace) {
        put(mend, "null", 4);
        mend->done.not_numbers++;
        return;
    }
    put(mend, word, length);
    if (whole)
        put(mend, ".0", 2);
}

static void mark_whole(struct mend *mend)
{
    mend->whole = mend->length;
    mend->whole_depth = mend->depth;
}

/* One token; false when the document ends or the text does. */
static bool mend_token(struct mend *mend)
{
    char c = *mend->at;
    if (c == '"')
        return mend_string(mend);
    if (c == '{' || c == '[') {
        if (mend->depth == DEPTH_MAX)
            return false;
        put(mend, mend->at++, 1);
        mend->closers[mend->depth++] = c == '{' ? '}' : ']';
        mark_whole(mend);
    } else if (c == '}' || c == ']') {
        put(mend, mend->at++, 1);
        if (mend->closers[mend->depth - 1] != c)
            return false;
        mend->depth--;
        mark_whole(mend);
    } else if (c == '\0' || strchr(" \t\r\n,:", c)) {
        if (c == ',')
            mark_whole(mend); /* without it */
        put(mend, c == '\0' ? " " : mend->at, 1);
        mend->at++;
    } else {
        mend_word(mend);
    }
    return mend->depth > 0;
}

/*
 * Copy the document at *text* in a way that jansson takes: what is no number as null, bytes that are no text as '?', the
 * unfinished member at the end dropped and all brackets closed. NULL when out of memory.
 */
static char *mend_document(const char *text, size_t length, size_t *ret_length,
                           struct tkf_mended *done)
{
    struct mend *mend = calloc(1, sizeof(*mend));
    /* "inf" grows by one byte, a long integer by two, an open bracket gets another. */
    char *out = malloc(length + length / 3 + DEPTH_MAX + 8);
    if (mend && out) {
        *mend = (struct mend){.at = text, .end = text + length, .out = out};
        while (mend->at < mend->end && mend_token(mend)) {
        }
        if (mend->depth > 0) {
            mend->done.closed = true;
            mend->length = mend->whole;
            for (unsigned depth = mend->whole_depth; depth > 0; depth--)
                put(mend, &mend->closers[depth - 1], 1);
        }
        *ret_length = mend->length;
        done->not_numbers += mend->done.not_numbers;
        done->characters += mend->done.characters;
        done->closed = done->closed || mend->done.closed;
    } else {
        free(out);
        out = NULL;
    }
    free(mend);
    return out;
}

bool tkf_json_worth_mending(const json_error_t *problem)
{
    static const char *const signs[] = {
        "'NaN'", "'nan'", "'-'", "'Infinity'", "'inf'", "control character", "invalid Unicode"};
    enum json_error_code code = json_error_code(problem);
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
        if (strstr(problem->text, signs[i]))
            return true;
    }
    return code == json_error_premature_end_of_input || code == json_error_numeric_overflow ||
           code == json_error_invalid_utf8 || code == json_error_null_character;
}

json_t *tkf_json_load_mended(const char *text, size_t length, struct tkf_mended *done,
                             json_error_t *ret_problem)
{
    json_t *root = NULL;
    size_t mended_length, cut_length;
    char *mended = mend_document(text, length, &mended_length, done);
    if (!mended)
        return NULL;
    root = json_loadb(mended, mended_length, TKF_JSON_FLAGS, ret_problem);
    if (!root && ret_problem->position > 0) {
        char *cut = mend_document(mended, (size_t)ret_problem->position - 1, &cut_length, done);
        if (cut)
            root = json_loadb(cut, cut_length, TKF_JSON_FLAGS, ret_problem);
        free(cut);
    }
    free(mended);
    return root;
}

void tkf_json_say_mended(struct tkf_sink *sink, const struct tkf_mended *done, unsigned last_line)
{
    if (done->not_numbers > 0)
        tkf_sink_notice(sink, 0,
                        "values that are no numbers (NaN, Infinity, too large), read as unknown: %u",
                        done->not_numbers);
    if (done->characters > 0)
        tkf_sink_notice(sink, 0, "characters in strings that are no text, read as '?': %u",
                        done->characters);
    if (done->closed)
        tkf_sink_notice(
            sink, last_line,
            "the JSON breaks off or is broken from here on: only what was whole before is read");
}
