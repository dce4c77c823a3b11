/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input.h"
#include "results.h"

#define BLOCK_BYTES    ((size_t)256 << 10)
#define HEAD_BYTES     ((size_t)64 << 10)
#define LINE_BYTES_MAX ((size_t)16 << 20)

/* Of a head that no reader knows, so much stays: what a reader would know may begin in it. */
#define STAY_BYTES ((size_t)8 << 10)

/* ---- bytes in ---- */

/* An interrupt goes to the whole pipeline, and what the program before still writes is wanted. A second one means it. */
#define INTERRUPTS_MAX 2

/* What gzip data becomes is bounded by its size: JSON is held in memory, and a small file may grow to any. */
#define UNPACKED_FREE_MIB 256
#define EXPANSION_MAX     200

/* Up to *size* bytes; 0 at the end or on an error. A pipe's bytes come as soon as there are some. */
static size_t read_stream(struct tkf_input *in, void *to, size_t size)
{
    ssize_t got;
    do {
        errno = 0;
        if (in->fd >= 0) {
            got = read(in->fd, to, size);
        } else {
            got = (ssize_t)fread(to, 1, size, in->stream);
            if (got == 0 && ferror(in->stream))
                got = -1;
        }
    } while (got < 0 && errno == EINTR && ++in->interrupts < INTERRUPTS_MAX);
    if (got < 0 && errno != EINTR) {
        in->error = TKF_EIO;
        in->reason = errno;
    }
    if (got <= 0)
        return 0;
    if (in->tee && (fwrite(to, 1, (size_t)got, in->tee) < (size_t)got || fflush(in->tee) != 0)) {
        in->tee_reason = errno ? errno : EIO;
        in->tee = NULL;
    }
    return (size_t)got;
}

static void out_of_memory(struct tkf_input *in)
{
    in->error = TKF_ENOMEM;
    in->ended = true;
}

/* Why nothing more is taken from gzip data that ended; NULL: it is all there. */
static const char *why_unpacked_ends(const struct tkf_input *in, enum tkf_gunzip_end end)
{
    if (end == TKF_GUNZIP_DAMAGED)
        return "the gzip data is damaged";
    if (end == TKF_GUNZIP_GOES_ON && !tkf_gunzip_is_whole(in->gunzip))
        return "the gzip data breaks off";
    return NULL;
}

static bool expands_too_far(const struct tkf_input *in)
{
    return in->unpacked_bytes > UNPACKED_FREE_MIB * 1048576. &&
           in->unpacked_bytes > EXPANSION_MAX * in->packed_bytes;
}

/* The same of what gzip data becomes. */
static size_t read_unpacked(struct tkf_input *in, char *to, size_t size)
{
    enum tkf_gunzip_end end;
    size_t got;
    while ((got = tkf_gunzip(in->gunzip, &in->packed_at, &in->npacked, to, size, &end)) == 0 &&
           end == TKF_GUNZIP_GOES_ON) {
        in->packed_at = in->packed;
        in->npacked = read_stream(in, in->packed, BLOCK_BYTES);
        in->packed_bytes += (double)in->npacked;
        if (in->npacked == 0)
            break;
    }
    in->unpacked_bytes += (double)got;
    if (end == TKF_GUNZIP_NO_MEMORY)
        out_of_memory(in);
    if (got > 0 && !expands_too_far(in))
        return got;
    if (got > 0)
        tkf_sink_notice(in->sink, 0,
                        "unpacks to more than %d MiB and %d times its size: the rest is left out; "
                        "unpack it with gzip -dc, if it is yours",
                        UNPACKED_FREE_MIB, EXPANSION_MAX);
    else if (why_unpacked_ends(in, end))
        tkf_sink_notice(in->sink, 0, "%s: only what was whole before is read",
                        why_unpacked_ends(in, end));
    while (in->tee && read_stream(in, in->packed, BLOCK_BYTES) > 0) {
    }
    return 0;
}

static size_t read_bytes(struct tkf_input *in, void *to, size_t size)
{
    size_t got = in->gunzip ? read_unpacked(in, to, size) : read_stream(in, to, size);
    in->ended = in->ended || got == 0;
    return got;
}

/* Make room for *more* bytes and a NUL after what is there. */
static bool make_room(struct tkf_input *in, size_t more)
{
    if (in->begin > 0 && !in->whole) {
        memmove(in->buffer, in->buffer + in->begin, in->end - in->begin);
        in->end -= in->begin;
        in->next_lf -= in->next_lf < in->begin ? in->next_lf : in->begin;
        in->next_cr -= in->next_cr < in->begin ? in->next_cr : in->begin;
        in->begin = 0;
    }
    if (in->size - in->end > more)
        return true;
    size_t size = in->size > 0 ? in->size : more + 1;
    while (size - in->end <= more)
        size *= 2;
    char *buffer = realloc(in->buffer, size);
    if (!buffer) {
        out_of_memory(in);
        return false;
    }
    in->buffer = buffer;
    in->size = size;
    return true;
}

/* ---- UTF-16 ---- */

static unsigned unit_at(const struct tkf_input *in, size_t at)
{
    unsigned a = in->raw[at], b = in->raw[at + 1];
    return in->encoding == TKF_ENCODING_UTF16LE ? a | b << 8 : a << 8 | b;
}

static size_t put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(first[length] | code);
    return length;
}

static bool is_high(unsigned unit)
{
    return (unit & 0xfc00) == 0xd800;
}

static bool is_low(unsigned unit)
{
    return (unit & 0xfc00) == 0xdc00;
}

/* All whole characters in `raw` go to the buffer, where there is room; a part of one stays, but for the last. */
static void decode_raw(struct tkf_input *in)
{
    size_t at = 0;
    while (at + 2 <= in->nraw) {
        unsigned code = unit_at(in, at);
        if (is_high(code)) {
            if (at + 4 > in->nraw && !in->ended)
                break;
            unsigned low = at + 4 <= in->nraw ? unit_at(in, at + 2) : 0;
            if (is_low(low)) {
                code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
                at += 2;
            }
        }
        if (is_high(code) || is_low(code))
            code = 0xfffd; /* half a pair */
        in->end += put_utf8(in->buffer + in->end, code);
        at += 2;
    }
    in->nraw -= at;
    memmove(in->raw, in->raw + at, in->nraw);
}

/* ---- the buffer ---- */

/* More text into the buffer; false at the end. */
static bool fill(struct tkf_input *in)
{
    if (in->ended)
        return false;
    size_t before = in->end - in->begin;
    if (in->encoding == TKF_ENCODING_UTF8) {
        if (!make_room(in, BLOCK_BYTES))
            return false;
        in->end += read_bytes(in, in->buffer + in->end, BLOCK_BYTES);
    } else {
        /* Two bytes become three at most. */
        if (!make_room(in, BLOCK_BYTES / 2 * 3))
            return false;
        in->nraw += read_bytes(in, in->raw + in->nraw, BLOCK_BYTES - in->nraw);
        decode_raw(in);
    }
    const char *added = in->buffer + in->begin + before;
    size_t length = in->end - in->begin - before;
    in->has_escapes = in->has_escapes || memchr(added, '\033', length);
    in->has_returns = in->has_returns || memchr(added, '\r', length);
    return !in->ended;
}

static bool starts(const struct tkf_input *in, const char *bytes, size_t length)
{
    return in->end >= length && memcmp(in->buffer, bytes, length) == 0;
}

/* What was read so far is gzip data: begin again with what it becomes. */
static void begin_unpacking(struct tkf_input *in)
{
    in->is_gzip = true;
    if (!tkf_gunzip_works())
        return;
    in->packed = malloc(in->size);
    in->gunzip = tkf_gunzip_new();
    if (!in->packed || !in->gunzip) {
        out_of_memory(in);
        return;
    }
    memcpy(in->packed, in->buffer, in->end);
    in->packed_at = in->packed;
    in->npacked = in->end;
    in->packed_bytes = (double)in->end;
    in->end = 0;
    in->ended = in->has_escapes = in->has_returns = false;
    while (in->end < 3 && fill(in)) {
    }
}

/* The first bytes tell the encoding. */
static void begin_reading(struct tkf_input *in)
{
    if (in->began)
        return;
    in->began = true;
    while (in->end < 3 && fill(in)) {
    }
    if (starts(in, TKF_GZIP_MAGIC, 3))
        begin_unpacking(in);
    if (starts(in, "\xef\xbb\xbf", 3)) {
        in->begin = 3;
    } else if (starts(in, "\xff\xfe", 2) || starts(in, "\xfe\xff", 2)) {
        in->raw = malloc(BLOCK_BYTES);
        if (!in->raw) {
            out_of_memory(in);
            return;
        }
        in->encoding = in->buffer[0] == '\xff' ? TKF_ENCODING_UTF16LE : TKF_ENCODING_UTF16BE;
        in->nraw = in->end - 2;
        memcpy(in->raw, in->buffer + 2, in->nraw);
        in->end = 0;
        if (make_room(in, BLOCK_BYTES / 2 * 3))
            decode_raw(in);
        in->has_escapes = in->has_returns = true; /* not looked for */
    }
}

void tkf_input_begin(struct tkf_input *in, FILE *stream, FILE *tee, struct tkf_sink *sink)
{
    *in = (struct tkf_input){.stream = stream, .fd = fileno(stream), .tee = tee, .sink = sink};
    /* What a file's stream has read ahead is given back to the descriptor. */
    if (in->fd >= 0)
        fflush(stream);
}

void tkf_input_drain(struct tkf_input *in)
{
    while (!in->ended) {
        if (!in->whole)
            in->begin = in->end;
        fill(in);
    }
}

void tkf_input_end(struct tkf_input *in)
{
    tkf_gunzip_free(in->gunzip);
    free(in->packed);
    free(in->raw);
    free(in->buffer);
    free(in->head);
    free(in->places_key);
    free(in->places);
}

/* ---- text out ---- */

/* From after an ESC to after its sequence. */
static const char *skip_escape(const char *at, const char *end)
{
    if (at == end)
        return end;
    char kind = *at++;
    if (kind == '[') { /* CSI: parameters, then one letter */
        while (at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x40)
            at++;
        return at < end && (unsigned char)*at >= 0x40 && (unsigned char)*at < 0x7f ? at + 1 : at;
    }
    if (kind == ']') { /* OSC: up to BEL or ESC \ */
        while (at < end && *at != '\a' && *at != '\033')
            at++;
        if (at < end && *at == '\033' && at + 1 < end && at[1] == '\\')
            at++;
        return at < end ? at + 1 : end;
    }
    /* ESC ( B and its like: intermediates, then one byte */
    if (kind >= 0x20 && kind < 0x30) {
        while (at < end && *at >= 0x20 && *at < 0x30)
            at++;
        return at < end ? at + 1 : end;
    }
    return kind >= 0x30 && kind < 0x7f ? at : at - 1;
}

/* Remove escape sequences where they stand; the new length. */
static size_t strip_escapes(char *text, size_t length)
{
    char *escape = memchr(text, '\033', length);
    if (!escape)
        return length;
    const char *at = escape, *end = text + length;
    char *to = escape;
    while (at < end) {
        if (*at == '\033')
            at = skip_escape(at + 1, end);
        else
            *to++ = *at++;
    }
    return (size_t)(to - text);
}

/* CR LF and CR become LF; the new length. */
static size_t unify_returns(char *text, size_t length)
{
    size_t kept = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\r' && i + 1 < length && text[i + 1] == '\n')
            continue;
        text[kept++] = text[i] == '\r' ? '\n' : text[i];
    }
    return kept;
}

const char *tkf_input_head(struct tkf_input *in, size_t *ret_length)
{
    begin_reading(in);
    while (in->end - in->begin < HEAD_BYTES && fill(in)) {
    }
    if (!in->head)
        in->head = malloc(HEAD_BYTES + 1);
    if (!in->head) {
        out_of_memory(in);
        *ret_length = 0;
        return "";
    }
    size_t length = in->end - in->begin;
    if (length > HEAD_BYTES)
        length = HEAD_BYTES;
    if (length > 0)
        memcpy(in->head, in->buffer + in->begin, length);
    length = unify_returns(in->head, strip_escapes(in->head, length));
    in->head[length] = '\0';
    *ret_length = length;
    return in->head;
}

/* Give out [begin, end), which is followed by *after* bytes of line end. */
static bool give(struct tkf_input *in, size_t end, size_t after, struct tkf_line *ret_line)
{
    char *text = in->buffer + in->begin;
    size_t length = end - in->begin;
    if (in->has_escapes)
        length = strip_escapes(text, length);
    text[length] = '\0';
    *ret_line = (struct tkf_line){.text = text, .length = length, .number = in->line + 1};
    in->begin = end + after;
    return true;
}

/* Throw away the rest of a line that is too long. */
static void skip_line(struct tkf_input *in)
{
    char *lf;
    do {
        lf = memchr(in->buffer + in->begin, '\n', in->end - in->begin);
        in->begin = lf ? (size_t)(lf - in->buffer) + 1 : in->end;
    } while (!lf && fill(in));
    in->line += lf != NULL;
}

/* The next of these bytes, `end` when there is none so far. Each byte is looked at once, however long or short the lines are. */
static size_t find_next(const struct tkf_input *in, char byte, size_t *next)
{
    if (*next < in->begin)
        *next = in->begin;
    if (*next < in->end && in->buffer[*next] != byte) {
        const char *found = memchr(in->buffer + *next, byte, in->end - *next);
        *next = found ? (size_t)(found - in->buffer) : in->end;
    }
    return *next;
}

/* The next line whose end has come; false when more input is needed for one. */
static bool whole_line(struct tkf_input *in, struct tkf_line *ret_line)
{
    size_t lf = find_next(in, '\n', &in->next_lf);
    size_t cr = in->has_returns ? find_next(in, '\r', &in->next_cr) : in->end;
    bool has_lf = lf < in->end;
    /* A CR that is the last byte so far may be half of CR LF. */
    if (cr < lf && (cr + 1 < in->end || in->ended)) {
        bool both = has_lf && cr + 1 == lf;
        give(in, cr, both ? 2 : 1, ret_line);
        in->line += both;
        return true;
    }
    if (!has_lf)
        return false;
    give(in, lf, 1, ret_line);
    in->line++;
    return true;
}

/* The line that was given out is another format's, perhaps, when no result came of it. */
static void leave_given(struct tkf_input *in)
{
    if (in->given_waits && in->sink->nadded == in->given_results)
        tkf_left_line(in->left, &in->given);
    else if (in->given_waits)
        tkf_left_taken(in->left, in->given.number);
    in->given_waits = false;
}

static bool next_line(struct tkf_input *in, struct tkf_line *ret_line)
{
    begin_reading(in);
    if (in->skip_rest)
        skip_line(in);
    in->skip_rest = false;
    while (!whole_line(in, ret_line)) {
        size_t length = in->end - in->begin;
        if (length < LINE_BYTES_MAX && !in->ended) {
            fill(in); /* when that is the end, a CR that was the last byte is a line's */
            continue;
        }
        if (length == 0)
            return false;
        in->skip_rest = length >= LINE_BYTES_MAX;
        if (in->skip_rest)
            tkf_sink_notice(in->sink, in->line + 1,
                            "longer than %zu MiB: the rest of the line is skipped",
                            LINE_BYTES_MAX >> 20);
        give(in, in->skip_rest ? in->begin + LINE_BYTES_MAX : in->end, 0, ret_line);
        ret_line->cut = true;
        return true;
    }
    return true;
}

bool tkf_input_line(struct tkf_input *in, struct tkf_line *ret_line)
{
    leave_given(in);
    if (!next_line(in, ret_line))
        return false;
    if (in->left) {
        in->given = *ret_line;
        in->given_results = in->sink->nadded;
        in->given_waits = true;
    }
    return true;
}

bool tkf_input_skip_head(struct tkf_input *in)
{
    size_t length = in->end - in->begin;
    if (length < HEAD_BYTES) /* it was all there is */
        return false;
    const char *head = in->buffer + in->begin;
    const char *lf = tkf_last_of(head, '\n', HEAD_BYTES - STAY_BYTES);
    size_t skipped = lf ? (size_t)(lf + 1 - head) : HEAD_BYTES - STAY_BYTES;
    for (const char *at = head; (at = memchr(at, '\n', (size_t)(head + skipped - at))); at++)
        in->line++;
    in->begin += skipped;
    return true;
}

const char *tkf_input_all(struct tkf_input *in, size_t *ret_length)
{
    begin_reading(in);
    while (fill(in)) {
    }
    if (in->error || !make_room(in, 0))
        return NULL;
    in->whole = true;
    in->buffer[in->end] = '\0';
    *ret_length = in->end - in->begin;
    return in->buffer + in->begin;
}

unsigned tkf_input_line_of(struct tkf_input *in, size_t offset)
{
    /* Readers ask in order, mostly. */
    if (offset < in->counted_offset || in->counted_line == 0) {
        in->counted_offset = 0;
        in->counted_line = in->line + 1;
    }
    const char *at = in->buffer + in->begin + in->counted_offset;
    const char *end = in->buffer + in->begin + offset;
    for (; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        in->counted_line++;
    in->counted_offset = offset;
    return in->counted_line;
}
