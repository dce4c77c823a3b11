/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "json_mend.h"
#include "json_scan.h"
#include "refuse.h"
#include "results.h"

/* Brackets in the text before a document are tried in turn, so many of them. */
#define BEGINNINGS_MAX 1000

/* ---- loading ---- */

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

/* Text beside the document: another reader may know it. */
static void leave(struct tkf_input *in, struct tkf_sink *sink, const char *from, const char *to,
                  unsigned line, const char *why)
{
    struct tkf_slice text = {.text = from, .length = (size_t)(to - from)};
    if (in->left)
        tkf_left_text(in->left, text, line, why);
    else
        tkf_sink_notice(sink, line, "%s", why);
}

static void leave_before(struct tkf_input *in, struct tkf_sink *sink, const char *text,
                         const char *document)
{
    if (!only_blanks(text, document) && !assigns(text, document))
        leave(in, sink, text, document, in->line + 1, "text before the JSON is skipped");
}

static void leave_after(struct tkf_input *in, struct tkf_sink *sink, const char *text,
                        const char *stop, const char *end)
{
    if (!only_blanks(stop, end) && !closes(stop, end))
        leave(in, sink, stop, end, tkf_input_line_of(in, (size_t)(stop - text)),
              "text after the JSON is skipped");
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
        here.root = json_loadb(at, (size_t)(end - at), TKF_JSON_FLAGS, &here.problem);
        bool parsed = here.root;
        bool mendable = !parsed && tkf_json_worth_mending(&here.problem);
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
    leave_before(in, sink, text, best.at);
    size_t stop = (size_t)(best.at - text) + (size_t)best.problem.position;
    if (best.root) {
        leave_after(in, sink, text, text + stop, end);
        return best.root;
    }

    struct tkf_mended done = {0};
    json_error_t problem;
    json_t *root = tkf_json_load_mended(best.at, (size_t)(end - best.at), &done, &problem);
    unsigned line = tkf_input_line_of(in, stop);
    if (!root || !plausible(root)) {
        json_decref(root);
        if (in->left)
            tkf_left_text(in->left, (struct tkf_slice){.text = text, .length = length},
                          in->line + 1, NULL);
        tkf_refuse(ret_error, line, "give the JSON as the framework wrote it", "not JSON: %s",
                   best.problem.text);
        return NULL;
    }
    tkf_json_say_mended(sink, &done, line);
    return root;
}

/* ---- loading an element at a time ---- */

struct stream {
    struct tkf_input *in;
    struct tkf_sink *sink;
    const char *text, *at, *end;
    const char *key;
    tkf_json_take_element *take;
    void *ctx;
    bool one_line;
    bool found;  /* the array of that key: from here on what is given cannot be taken back */
    bool broken; /* here the rest is lost */
    const char *stop;
    struct tkf_mended done;
    json_t *rest;
};

static char next_of(struct stream *stream)
{
    stream->at = tkf_json_skip_space(stream->at, stream->end);
    return stream->at < stream->end ? *stream->at : '\0';
}

/* Whether this comes next; then it is passed. */
static bool pass(struct stream *stream, char c)
{
    bool there = next_of(stream) == c && stream->at < stream->end;
    stream->at += there;
    return there;
}

static void stop_at(struct stream *stream, const char *at)
{
    stream->broken = true;
    stream->stop = at;
}

/* The value that comes next, mended where that helps; NULL when there is none. */
static json_t *next_value(struct stream *stream)
{
    json_error_t problem;
    struct tkf_mended done = {0};
    const char *begin = stream->at;
    json_t *value = json_loadb(begin, (size_t)(stream->end - begin),
                               TKF_JSON_FLAGS | JSON_DECODE_ANY, &problem);
    if (value) {
        stream->at += problem.position;
        return value;
    }
    const char *broke = begin + problem.position;
    stream->at = tkf_json_skip_value(begin, stream->end);
    if (*begin == '{' || *begin == '[')
        value = tkf_json_load_mended(begin, (size_t)(stream->at - begin), &done, &problem);
    stream->done.not_numbers += done.not_numbers;
    stream->done.characters += done.characters;
    if (!value || done.closed)
        stop_at(stream, broke);
    return value;
}

/* From after the array's opening bracket to after the closing one. */
static void give_elements(struct stream *stream)
{
    stream->found = true;
    if (pass(stream, ']'))
        return;
    do {
        if (next_of(stream) == '\0')
            break; /* cut after a comma */
        unsigned line = stream->one_line
                            ? 0
                            : tkf_input_line_of(stream->in, (size_t)(stream->at - stream->text));
        json_t *element = next_value(stream);
        if (element)
            stream->take(stream->ctx, element, line);
        json_decref(element);
    } while (!stream->broken && pass(stream, ','));
    if (!stream->broken && !pass(stream, ']'))
        stop_at(stream, stream->at);
}

static void take_member(struct stream *stream)
{
    json_t *key = next_of(stream) == '"' ? next_value(stream) : NULL;
    if (!key || !pass(stream, ':')) {
        stop_at(stream, stream->at);
    } else if (strcmp(json_string_value(key), stream->key) == 0 && pass(stream, '[')) {
        give_elements(stream);
    } else {
        next_of(stream);
        json_t *value = next_value(stream);
        if (value)
            json_object_set_new(stream->rest, json_string_value(key), value);
    }
    json_decref(key);
}

/* The object that begins here; true when the array is in it. */
static bool stream_document(struct stream *stream)
{
    pass(stream, '{');
    if (pass(stream, '}'))
        return false;
    do {
        take_member(stream);
    } while (!stream->broken && pass(stream, ','));
    if (!stream->broken && !pass(stream, '}'))
        stop_at(stream, stream->at);
    return stream->found;
}

static void say_end(struct stream *stream)
{
    unsigned line = 0;
    if (stream->broken)
        line = tkf_input_line_of(stream->in, (size_t)(stream->stop - stream->text));
    else
        leave_after(stream->in, stream->sink, stream->text, stream->at, stream->end);
    stream->done.closed = stream->broken;
    tkf_json_say_mended(stream->sink, &stream->done, line);
}

json_t *tkf_json_stream(struct tkf_input *in, struct tkf_sink *sink, const char *key,
                        tkf_json_take_element *take, void *ctx, struct tkf_input_error *ret_error)
{
    size_t length;
    const char *text = tkf_input_all(in, &length);
    if (!text)
        return tkf_json_load(in, sink, ret_error); /* which says why */
    const char *end = text + length, *at = text;
    bool one_line = tkf_json_is_one_line(text, end);
    for (unsigned i = 0; i < BEGINNINGS_MAX && at < end; i++) {
        const char *begin = memchr(at, '{', (size_t)(end - at));
        if (!begin)
            break;
        struct stream stream = {.in = in,
                                .sink = sink,
                                .text = text,
                                .at = begin,
                                .end = end,
                                .key = key,
                                .take = take,
                                .ctx = ctx,
                                .one_line = one_line,
                                .rest = json_object()};
        if (stream_document(&stream)) {
            leave_before(in, sink, text, begin);
            say_end(&stream);
            return stream.rest;
        }
        json_decref(stream.rest);
        at = stream.broken ? begin + 1 : stream.at; /* it was text in front of the document */
    }
    return tkf_json_load(in, sink, ret_error);
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
    unsigned object_lines[JSON_PARSER_MAX_DEPTH]; /* on which the open brackets stand */
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
            if (walk->depth < JSON_PARSER_MAX_DEPTH)
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

static void find_places(struct tkf_input *in, const char *key)
{
    struct walk *walk = calloc(1, sizeof(*walk));
    size_t key_length = strlen(key);
    free(in->places_key);
    in->places_key = strdup(key);
    in->nplaces = 0;
    if (!walk || !in->places_key ||
        tkf_json_is_one_line(in->buffer + in->begin, in->buffer + in->end)) {
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
        unsigned line = walk->depth > 0 && walk->depth <= JSON_PARSER_MAX_DEPTH
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
