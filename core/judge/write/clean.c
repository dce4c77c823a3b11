/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "write.h"

size_t tkf_utf8(const char *text, uint32_t *ret_code)
{
    /* Of one byte, of two, ...: the bits of the first byte that are the code's, and the smallest code (RFC 3629). */
    static const uint32_t bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    static const uint32_t smallest[] = {0, 1, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80             ? 1
                    : (s[0] & 0xe0) == 0xc0 ? 2
                    : (s[0] & 0xf0) == 0xe0 ? 3
                    : (s[0] & 0xf8) == 0xf0 ? 4
                                            : 0;
    uint32_t code = s[0] & bits[length];
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3f);
    }
    if (length == 0 || code < smallest[length] || code > 0x10ffff || (code & 0x1ff800) == 0xd800)
        return 0;
    *ret_code = code;
    return length;
}

char *tkf_utf8_copy(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    uint32_t code;
    size_t length = 0;
    for (const char *at = text; *at;) {
        size_t n = tkf_utf8(at, &code);
        length += n > 0 ? n : 3;
        at += n > 0 ? n : 1;
    }
    char *copy = malloc(length + 1), *to = copy;
    if (!copy)
        return NULL;
    while (*text) {
        size_t n = tkf_utf8(text, &code);
        memcpy(to, n > 0 ? text : replacement, n > 0 ? n : 3);
        to += n > 0 ? n : 3;
        text += n > 0 ? n : 1;
    }
    *to = '\0';
    return copy;
}

/* Characters that control a terminal, are not seen, or turn the direction of the text (Unicode's Cc, Cf, Zl, Zp). */
static bool hidden(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},
        {0x600, 0x605},     {0x61c, 0x61c},     {0x115f, 0x1160},   {0x17b4, 0x17b5},
        {0x180b, 0x180e},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
        {0x3164, 0x3164},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},
        {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };
    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (code >= ranges[i].first && code <= ranges[i].last)
            return true;
    }
    return false;
}

/* Columns of a character that may be shown as it is; 0 when it may not. */
static unsigned plain_columns(uint32_t code, enum tkf_charset charset)
{
    if (code >= ' ' && code <= '~')
        return 1;
    if (hidden(code))
        return 0;
    if (charset == TKF_CHARSET_UTF8)
        return 1;
    if (charset == TKF_CHARSET_ASCII)
        return 0;
    int width = wcwidth((wchar_t)code);
    return width == 1 || width == 2 ? (unsigned)width : 0;
}

struct tkf_shown tkf_show(const char *text, enum tkf_charset charset)
{
    struct tkf_shown shown = {.text = ""};
    uint32_t code;
    if (*text == '\0')
        return shown;
    size_t length = tkf_utf8(text, &code);
    shown.columns = length > 0 ? plain_columns(code, charset) : 0;
    shown.bytes = length > 0 ? (unsigned)length : 1;
    if (shown.columns > 0) {
        memcpy(shown.text, text, length);
        return shown;
    }
    for (unsigned i = 0; i < shown.bytes; i++)
        shown.columns +=
            (unsigned)snprintf(shown.text + shown.columns, 5, "\\x%02x", (unsigned char)text[i]);
    return shown;
}

size_t tkf_shown_columns(const char *text, enum tkf_charset charset)
{
    size_t columns = 0;
    for (struct tkf_shown shown; (shown = tkf_show(text, charset)).bytes > 0; text += shown.bytes)
        columns += shown.columns;
    return columns;
}

static void put_plain(FILE *out, const char *shown)
{
    fputs(shown, out);
}

size_t tkf_put_shortened(FILE *out, const char *text, enum tkf_charset charset, size_t columns,
                         void (*put)(FILE *out, const char *shown))
{
    size_t total = tkf_shown_columns(text, charset), seen = 0, taken = 0;
    const char *ellipsis = charset == TKF_CHARSET_ASCII ? ".." : "…";
    size_t gap = charset == TKF_CHARSET_ASCII ? 2 : 1;
    size_t head = total, tail = 0;
    bool cut = false;

    if (!put)
        put = put_plain;
    if (total > columns) {
        size_t left = columns > gap ? columns - gap : 0;
        head = (left + 1) / 2;
        tail = left - head; /* names differ at their ends */
    }
    for (struct tkf_shown shown; (shown = tkf_show(text, charset)).bytes > 0; text += shown.bytes) {
        bool kept = seen + shown.columns <= head || seen >= total - tail;
        seen += shown.columns;
        if (kept) {
            put(out, shown.text);
            taken += shown.columns;
        } else if (!cut) {
            fputs(ellipsis, out);
            taken += gap;
            cut = true;
        }
    }
    return taken;
}
