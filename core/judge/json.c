/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "json_scan.h"
#include "refuse.h"
#include "results.h"

/* jansson's own limit. */
#define DEPTH_MAX JSON_PARSER_MAX_DEPTH

/* Brackets in the text before a document are tried in turn, so many of them. */
#define BEGINNINGS_MAX 1000

#define DECODE_FLAGS (JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL)

/* ---- mending: a copy that jansson takes ---- */

/* What was done to the text, for the notices. */
struct mended {
    unsigned not_numbers; /* NaN, Infinity, and numbers that no double holds */
    unsigned characters;  /* in strings: not UTF-8, control characters, halves of surrogate pairs */
    bool closed;          /* the end was missing */
};

struct mend {
    const char *at, *end;
    char *out; /* room for all there is: nothing becomes longer but what `spare` is for */
    size_t length;
    size_t whole; /* the length up to which all values are whole */
    char closers[DEPTH_MAX];
    unsigned depth;
    unsigned whole_depth;
    struct mended done;
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

/* Bytes of the escape here, of both where two make a pair; 0 for half of a pair, which is no text. */
static size_t escape_bytes(const char *at, const char *end)
{
    unsigned unit = escaped_unit(at, end);
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
static char *mend_document(const char *text, size_t length, size_t *ret_length, struct mended *done)
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

/* ---- loading ---- */

/* Whether mending may help: else the bracket is text in front of the document, or the document ends in something else. */
static bool worth_mending(const json_error_t *problem)
{
    static const char *const signs[] = {
        "'NaN'", "'nan'", "'-'", "'Infinity'", "'inf'", "control character", "invalid Unicode"};
    enum json_error_code code = json_error_code(problem);
    for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
        if (strstr(problem->text, signs[i]))
            return true;
    }
    return code == json_error_premature_end_of_input || code == json_error_numeric_overflow ||
           code == json_error_invalid_utf8;
}

/* Mend and parse; when that fails as well, all before the place where it failed. */
static json_t *load_mended(const char *text, size_t length, struct mended *done,
                           json_error_t *ret_problem)
{
    json_t *root = NULL;
    size_t mended_length, cut_length;
    char *mended = mend_document(text, length, &mended_length, done);
    if (!mended)
        return NULL;
    root = json_loadb(mended, mended_length, DECODE_FLAGS, ret_problem);
    if (!root && ret_problem->position > 0) {
        char *cut = mend_document(mended, (size_t)ret_problem->position - 1, &cut_length, done);
        if (cut)
            root = json_loadb(cut, cut_length, DECODE_FLAGS, ret_problem);
        free(cut);
    }
    free(mended);
    return root;
}

/* An object, or an array of something: text in front of a document has [1/2] and {} in it. */
static bool plausible(const json_t *root)
{
    if (json_is_object(root))
        return json_object_size(root) > 0;
    const json_t *first = json_array_get(root, 0);
    return json_is_object(first) || json_is_array(first);
}

static const char *find_bracket(const char *at, const char *end)
{
    while (at < end && *at != '{' && *at != '[')
        at++;
    return at < end ? at : NULL;
}

static bool only_blanks(const char *at, const char *end)
{
    while (at < end && *at != '\0' && strchr(" \t\r\n", *at))
        at++;
    return at == end;
}

/* A script that gives the document to a variable: "window.DATA = {...};". */
static bool assigns(const char *at, const char *end)
{
    while (end > at && strchr(" \t\r\n", end[-1]) && end[-1] != '\0')
        end--;
    return end > at && end[-1] == '=' && !memchr(at, '\n', (size_t)(end - at));
}

static bool closes(const char *at, const char *end)
{
    return *at == ';' && only_blanks(at + 1, end);
}

/* Where a document begins, and how far it goes or in which way it breaks. */
struct beginning {
    const char *at; /* NULL: nowhere */
    json_t *root;   /* NULL: it breaks */
    json_error_t problem;
};

/* Of all that look like a document, the one that goes furthest: log lines in front of it have brackets too. */
static struct beginning find_document(const char *text, const char *end)
{
    struct beginning best = {0};
    const char *at = text;
    for (unsigned i = 0; i < BEGINNINGS_MAX && (at = find_bracket(at, end)); i++) {
        struct beginning here = {.at = at};
        here.root = json_loadb(at, (size_t)(end - at), DECODE_FLAGS, &here.problem);
        bool parsed = here.root;
        bool mendable = !parsed && worth_mending(&here.problem);
        at += here.problem.position > 0 ? here.problem.position : 1;
        if (parsed && !plausible(here.root)) {
            json_decref(here.root);
            continue;
        }
        if (!best.at || here.problem.position > best.problem.position || mendable) {
            json_decref(best.root);
            best = here;
        } else {
            json_decref(here.root);
        }
        if (parsed || mendable)
            break;
    }
    return best;
}

static void say_mended(struct tkf_sink *sink, const struct mended *done, unsigned last_line)
{
    if (done->not_numbers > 0)
        tkf_sink_notice(sink, 0,
                        "%u values are no numbers (NaN, Infinity, too large): read as unknown",
                        done->not_numbers);
    if (done->characters > 0)
        tkf_sink_notice(sink, 0, "%u characters in strings are no text: read as '?'",
                        done->characters);
    if (done->closed)
        tkf_sink_notice(
            sink, last_line,
            "the JSON breaks off or is broken from here on: only what was whole before is read");
}

json_t *tkf_json_load(struct tkf_input *in, struct tkf_sink *sink,
                      struct tkf_input_error *ret_error)
{
    size_t length;
    const char *text = tkf_input_all(in, &length);
    if (!text) {
        tkf_refuse(ret_error, 0, "check the file", "reading failed");
        return NULL;
    }
    const char *end = text + length;

    struct beginning best = find_document(text, end);
    if (!best.at) {
        tkf_refuse(ret_error, 0, "give the JSON that the framework writes", "no JSON in it");
        return NULL;
    }
    if (!only_blanks(text, best.at) && !assigns(text, best.at))
        tkf_sink_notice(sink, 1, "text before the JSON is skipped");
    size_t stop = (size_t)(best.at - text) + (size_t)best.problem.position;
    if (best.root) {
        if (!only_blanks(text + stop, end) && !closes(text + stop, end))
            tkf_sink_notice(sink, tkf_input_line_of(in, stop), "text after the JSON is skipped");
        return best.root;
    }

    struct mended done = {0};
    json_error_t problem;
    json_t *root = load_mended(best.at, (size_t)(end - best.at), &done, &problem);
    unsigned line = tkf_input_line_of(in, stop);
    if (!root || !plausible(root)) {
        json_decref(root);
        tkf_refuse(ret_error, line, "give the JSON as the framework wrote it", "not JSON: %s",
                   best.problem.text);
        return NULL;
    }
    say_mended(sink, &done, line);
    return root;
}

/* ---- members ---- */

double tkf_json_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    double number;
    if (json_is_number(value))
        return json_number_value(value);
    struct tkf_slice slice = {.text = json_string_value(value),
                              .length = json_string_length(value)};
    return slice.text && tkf_number(slice, TKF_NUMBER_POINT, &number, NULL) ? number : NAN;
}

const char *tkf_json_text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* ---- lines: jansson keeps none, so the text is walked once for all values of a key ---- */

static uint64_t hash_string(const char *text, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

/* The hash of a string with its escapes undone, by the same parser that gave the value to the reader. */
static uint64_t hash_token(const char *at, const char *end)
{
    size_t length = (size_t)(end - at);
    if (!memchr(at, '\\', length))
        return hash_string(at + 1, length - 2);
    json_t *value = json_loadb(at, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    uint64_t hash = hash_string(json_string_value(value) ? json_string_value(value) : "",
                                json_string_length(value));
    json_decref(value);
    return hash;
}

struct walk {
    const char *at, *end;
    unsigned line;
    unsigned object_lines[DEPTH_MAX]; /* on which the open brackets stand */
    unsigned depth;
};

/* To the next string; false at the end. */
static bool walk_to_string(struct walk *walk)
{
    for (; walk->at < walk->end && *walk->at != '"'; walk->at++) {
        char c = *walk->at;
        if (c == '\n') {
            walk->line++;
        } else if (c == '{' || c == '[') {
            if (walk->depth < DEPTH_MAX)
                walk->object_lines[walk->depth] = walk->line;
            walk->depth++;
        } else if ((c == '}' || c == ']') && walk->depth > 0) {
            walk->depth--;
        }
    }
    return walk->at < walk->end;
}

static int compare_places(const void *a, const void *b)
{
    const struct tkf_json_place *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static bool add_place(struct tkf_input *in, uint64_t hash, unsigned line)
{
    size_t n = in->nplaces;
    if ((n & (n - 1)) == 0) { /* a power of 2 is full */
        void *more = realloc(in->places, (n > 0 ? n * 2 : 1) * sizeof(*in->places));
        if (!more)
            return false;
        in->places = more;
    }
    in->places[in->nplaces++] =
        (struct tkf_json_place){.hash = hash, .order = (unsigned)n, .line = line};
    return true;
}

static bool is_one_line(const struct tkf_input *in)
{
    const char *end = in->buffer + in->end;
    const char *lf = memchr(in->buffer + in->begin, '\n', in->end - in->begin);
    return !lf || tkf_json_skip_space(lf, end) == end;
}

static void find_places(struct tkf_input *in, const char *key)
{
    struct walk *walk = calloc(1, sizeof(*walk));
    size_t key_length = strlen(key);
    free(in->places_key);
    in->places_key = strdup(key);
    in->nplaces = 0;
    if (!walk || !in->places_key || is_one_line(in)) {
        free(walk);
        return;
    }
    *walk = (struct walk){
        .at = in->buffer + in->begin, .end = in->buffer + in->end, .line = in->line + 1};
    while (walk_to_string(walk)) {
        const char *name = walk->at + 1;
        walk->at = tkf_json_skip_string(walk->at, walk->end);
        if ((size_t)(walk->at - name) != key_length + 1 || memcmp(name, key, key_length) != 0)
            continue;
        const char *value = tkf_json_skip_space(walk->at, walk->end);
        if (value == walk->end || *value != ':')
            continue;
        value = tkf_json_skip_space(value + 1, walk->end);
        const char *after =
            value < walk->end && *value == '"' ? tkf_json_skip_string(value, walk->end) : value;
        unsigned line = walk->depth > 0 && walk->depth <= DEPTH_MAX
                            ? walk->object_lines[walk->depth - 1]
                            : walk->line;
        if (after > value + 1 && !add_place(in, hash_token(value, after), line))
            break;
        for (; walk->at < value; walk->at++)
            walk->line += *walk->at == '\n';
        walk->at = after;
    }
    free(walk);
    if (in->nplaces > 0)
        qsort(in->places, in->nplaces, sizeof(*in->places), compare_places);
}

unsigned tkf_json_line(struct tkf_input *in, const char *key, const char *value, unsigned nth)
{
    if (!in->whole)
        return 0;
    if (!in->places_key || strcmp(in->places_key, key) != 0)
        find_places(in, key);
    uint64_t hash = hash_string(value, strlen(value));
    size_t low = 0, high = in->nplaces;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (in->places[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    if (in->nplaces - low <= nth || in->places[low + nth].hash != hash)
        return 0;
    return in->places[low + nth].line;
}
