/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/error.h>

#include "grow.h"
#include "names.h"

enum {
    CHUNK_BYTES = 256 << 10,
    LABEL_MAX = 200,
    LABELS_MAX = 1 << 17, /* the lines of more machines are taken to have no label */
};

#define NOWHERE SIZE_MAX

#define STDOUT_TAG "<stdout>:"
#define MPIRUN_TAG "]" STDOUT_TAG

/* The lines of one label. */
struct source {
    struct tkf_bytes bytes; /* of the document that is open */
    unsigned line;          /* on which it begins */
    unsigned depth;         /* open brackets; 0: no document */
    bool in_string, escaped, too_long;
    bool broken;     /* the document before was, as take() said */
    bool line_start; /* nothing was seen of the current line */
    /*
     * A brace at the beginning of a line may begin the next profile, the one before having been cut off: it does when the
     * first name behind it is "schema", which every profile that tickfloor writes begins with.
     */
    size_t brace;  /* where in bytes; NOWHERE */
    size_t string; /* where the name behind it begins; NOWHERE */
};

struct stream {
    int (*take)(void *ctx, struct tkf_document *document);
    void *ctx;
    struct tkf_names labels;
    struct source *sources; /* by the number of the label */
    size_t nsources, sources_size;
    unsigned line, strays;
    bool known, labelled; /* whether lines have labels, once it is known */
};

/* ---- documents ---- */

static int hand_on(struct stream *stream, struct source *source, size_t length)
{
    struct tkf_document document = {
        .label = stream->labels.texts[source - stream->sources],
        .text = source->bytes.text,
        .length = length,
        .line = source->line,
        .whole_lines = !stream->labelled,
        .too_long = source->too_long,
        .after_broken = source->broken,
    };
    int ret = stream->take(stream->ctx, &document);
    source->broken = ret > 0;
    return ret < 0 ? ret : 0;
}

static void end_document(struct source *source)
{
    /* One whose label comes again writes over it; with thousands of labels most do not. */
    free(source->bytes.text);
    source->bytes = (struct tkf_bytes){.text = NULL};
    source->depth = 0;
    source->in_string = source->escaped = source->too_long = false;
    source->brace = source->string = NOWHERE;
}

static int keep(struct source *source, const char *from, const char *to)
{
    size_t length = (size_t)(to - from);
    if (source->bytes.length + length > TKF_DOCUMENT_MAX) {
        source->too_long = true;
        return 0;
    }
    return tkf_bytes_add(&source->bytes, from, length) ? 0 : TKF_ENOMEM;
}

/* The string that ended at `to` was the first behind a brace: is it the next profile that began there? */
static int check_beginning(struct stream *stream, struct source *source)
{
    static const char schema[] = "\"schema\"";
    const char *text = source->bytes.text;
    size_t brace = source->brace, string = source->string, length = source->bytes.length;
    source->brace = source->string = NOWHERE;
    if (source->too_long || length - string != strlen(schema) ||
        memcmp(text + string, schema, strlen(schema)) != 0)
        return 0;
    struct source next = {.line_start = false, .brace = NOWHERE, .string = NOWHERE};
    if (!tkf_bytes_add(&next.bytes, text + brace, length - brace))
        return TKF_ENOMEM;
    int ret = hand_on(stream, source, brace);
    end_document(source);
    next.depth = 1;
    next.line = stream->line;
    *source = next;
    return ret;
}

/* What matters outside of strings, and inside; NUL stands behind the text. */
static const bool outside[256] = {['\0'] = true, ['"'] = true, ['{'] = true, ['}'] = true,
                                  ['['] = true,  [']'] = true, ['\n'] = true};
static const bool inside[256] = {['\0'] = true, ['"'] = true, ['\\'] = true, ['\n'] = true};

/* A byte inside of a document; `kept`: up to where the text is in source->bytes. */
static int take_byte(struct stream *stream, struct source *source, const char *at,
                     const char **kept)
{
    int ret = 0;
    bool line_start = source->line_start;
    source->line_start = false;
    if (source->in_string) {
        if (*at == '\\') {
            source->escaped = true;
            return 0;
        }
        /* A string that the line's end cuts off is not JSON, and the next line is. */
        source->in_string = *at != '"' && *at != '\n';
        source->line_start = *at == '\n';
        if (*at == '\n')
            source->brace = source->string = NOWHERE;
        if (*at == '"' && source->string != NOWHERE) {
            ret = keep(source, *kept, at + 1);
            *kept = at + 1;
            return ret < 0 ? ret : check_beginning(stream, source);
        }
        return 0;
    }
    switch (*at) {
    case '"':
        source->in_string = true;
        if (source->brace != NOWHERE)
            source->string = source->bytes.length + (size_t)(at - *kept);
        return 0;
    case '{':
        source->brace =
            line_start && source->depth > 0 ? source->bytes.length + (size_t)(at - *kept) : NOWHERE;
        source->depth++;
        return 0;
    case '[':
        source->depth++;
        return 0;
    case '}':
    case ']':
        if (--source->depth > 0)
            return 0;
        ret = keep(source, *kept, at + 1);
        *kept = at + 1;
        if (ret == 0)
            ret = hand_on(stream, source, source->bytes.length);
        end_document(source);
        return ret;
    case '\n':
        source->line_start = true;
        return 0;
    default:
        return 0;
    }
}

static bool is_blank(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n", *at) && *at)
        at++;
    return at == end;
}

/* Between documents: to where the next begins. Only at the beginning of a line, and with a brace. */
static const char *find_document(struct stream *stream, struct source *source, const char *at,
                                 const char *end)
{
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline + 1 : end, *start = at;
        while (start < line_end && (*start == ' ' || *start == '\t' || *start == '\r'))
            start++;
        if (start < line_end && *start == '{') {
            source->line = stream->line;
            source->line_start = false;
            return start;
        }
        stream->strays += !is_blank(start, line_end);
        stream->line += newline != NULL;
        at = line_end;
    }
    return at;
}

/* Text of one source; behind its end stands a NUL. */
static int feed(struct stream *stream, struct source *source, const char *at, const char *end)
{
    const char *kept = at;
    while (at < end) {
        if (source->depth == 0) {
            kept = at = find_document(stream, source, at, end);
            if (at == end)
                return 0;
        }
        if (source->escaped) {
            source->escaped = false;
            at++;
            continue;
        }
        const char *before = at;
        const bool *matters = source->in_string ? inside : outside;
        while (!matters[(unsigned char)*at])
            at++;
        if (at > before)
            source->line_start = false;
        if (at >= end)
            break;
        stream->line += *at == '\n';
        int ret = take_byte(stream, source, at, &kept);
        if (ret < 0)
            return ret;
        at++;
    }
    return source->depth > 0 && kept < end ? keep(source, kept, end) : 0;
}

/* ---- labels ---- */

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

/* The label of a line, and what is behind it; the line itself when it has none. */
static const char *take_label(const char *line, const char *end, const char **ret_label,
                              size_t *ret_length)
{
    const char *at = line;
    *ret_label = line;
    *ret_length = 0;
    if (at < end && *at == '[') {
        const char *name = ++at;
        while (at<end && * at> ' ' && *at < 0x7f && !strchr("]\"{}", *at))
            at++;
        if (at == end || *at != ']' || at == name)
            return line;
        size_t length = (size_t)(at++ - name);
        if (at < end && *at == '<') {
            if ((size_t)(end - at) < strlen(STDOUT_TAG) ||
                memcmp(at, STDOUT_TAG, strlen(STDOUT_TAG)) != 0 || length > LABEL_MAX)
                return line;
            *ret_label = name;
            *ret_length = length;
            return at + strlen(STDOUT_TAG); /* a blank may be the text's */
        }
        if (at == end || (*at != ' ' && *at != ':' && *at != '\n'))
            return line;
        at += *at == ':';
        *ret_label = name;
        *ret_length = length;
    } else {
        while (at < end && *at == ' ') /* srun aligns its numbers */
            at++;
        const char *name = at;
        while (at < end && is_word(*at))
            at++;
        if (at == name || at == end || *at != ':')
            return line;
        *ret_label = name;
        *ret_length = (size_t)(at++ - name);
    }
    at += at < end && *at == ' ';
    if (*ret_length > LABEL_MAX) {
        *ret_length = 0;
        return line;
    }
    return at;
}

/* NULL when out of memory. */
static struct source *source_of(struct stream *stream, const char *label, size_t length)
{
    long number = tkf_names_add(&stream->labels, label, length);
    if (number < 0)
        return NULL;
    if (number >= LABELS_MAX)
        return &stream->sources[0];
    if ((size_t)number == stream->nsources) {
        void *more = tkf_grow(stream->sources, stream->nsources, &stream->sources_size,
                              sizeof(stream->sources[0]));
        if (!more)
            return NULL;
        stream->sources = more;
        stream->sources[stream->nsources++] = (struct source){.brace = NOWHERE, .string = NOWHERE};
    }
    return &stream->sources[number];
}

/* Whether lines have labels: the line on which the first document begins tells. */
static void look_at(struct stream *stream, const char *line, const char *end)
{
    const char *label;
    size_t length;
    const char *rest = take_label(line, end, &label, &length);
    while (rest < end && (*rest == ' ' || *rest == '\t'))
        rest++;
    if (rest == end || *rest != '{')
        return;
    stream->known = true;
    stream->labelled = length > 0;
}

/*
 * mpirun hands on what came in one piece from a rank, and puts the tag before each piece, also where a line of that rank or of
 * another one is not at its end: what is behind a tag is that rank's, wherever in a line it stands.
 */
static char *next_tag(const char *at, char *end)
{
    char *tag = memmem(at, (size_t)(end - at), MPIRUN_TAG, strlen(MPIRUN_TAG));
    if (!tag)
        return end;
    char *begin = tag;
    while (begin > at && *begin != '[')
        begin--;
    return *begin == '[' ? begin : end;
}

/* One line, or the part of it that has one label. @return behind it. */
static char *feed_part(struct stream *stream, char *at, char *line_end, int *ret)
{
    const char *label;
    size_t length;
    const char *rest = take_label(at, line_end, &label, &length);
    struct source *source = source_of(stream, label, length);
    if (!source) {
        *ret = TKF_ENOMEM;
        return line_end;
    }
    char *end = length > 0 ? next_tag(rest, line_end) : line_end;
    char behind = *end;
    unsigned line = stream->line;
    *end = '\0';
    *ret = feed(stream, source, rest, end);
    *end = behind;
    stream->line = line + (end > at && end[-1] == '\n');
    return end;
}

/* Whole lines, but for the stream's last; behind their end stands a NUL. */
static int feed_lines(struct stream *stream, char *at, char *end)
{
    int ret = 0;
    while (at < end && ret == 0) {
        if (stream->known && !stream->labelled)
            return feed(stream, &stream->sources[0], at, end);
        char *newline = memchr(at, '\n', (size_t)(end - at));
        char *line_end = newline ? newline + 1 : end;
        if (!stream->known)
            look_at(stream, at, line_end);
        if (!stream->known || stream->labelled)
            at = feed_part(stream, at, line_end, &ret);
    }
    return ret;
}

/* ---- the whole ---- */

int tkf_stream_read(FILE *in, int (*take)(void *ctx, struct tkf_document *document), void *ctx,
                    unsigned *ret_strays)
{
    struct stream stream = {.take = take, .ctx = ctx, .line = 1};
    size_t size = CHUNK_BYTES, length = 0;
    char *chunk = malloc(size + 1);
    /* The source without a label is there in any case, as the first. */
    int ret = chunk && source_of(&stream, "", 0) ? 0 : TKF_ENOMEM;
    for (bool end = false; ret == 0 && !end;) {
        size_t more = fread(chunk + length, 1, size - length, in);
        end = more == 0;
        if (end && ferror(in)) {
            ret = TKF_EIO;
            break;
        }
        length += more;
        char *last = end ? chunk + length : NULL;
        for (char *at = chunk + length; !last && at > chunk; at--)
            last = at[-1] == '\n' ? at : NULL;
        /* A line without an end: what it is once its document has begun does not matter. */
        if (!last && length == size)
            last = chunk + length;
        if (!last)
            continue;
        size_t rest = (size_t)(chunk + length - last);
        char behind = *last;
        *last = '\0';
        ret = feed_lines(&stream, chunk, last);
        *last = behind;
        memmove(chunk, last, rest);
        length = rest;
    }
    for (size_t i = 0; i < stream.nsources; i++) {
        struct source *source = &stream.sources[i];
        if (ret == 0 && source->depth > 0)
            ret = hand_on(&stream, source, source->bytes.length);
        free(source->bytes.text);
    }
    if (ret == 0)
        *ret_strays = stream.strays;
    int reason = errno;
    tkf_names_free(&stream.labels);
    free(stream.sources);
    free(chunk);
    errno = reason;
    return ret;
}
