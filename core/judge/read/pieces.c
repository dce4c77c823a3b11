/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "pieces.h"

#define SHOWN_MAX 80 /* bytes of a line in a notice */

struct tkf_slice tkf_text_of(const char *text)
{
    return (struct tkf_slice){text, text ? strlen(text) : 0};
}

struct tkf_slice tkf_text_trim(struct tkf_slice text)
{
    while (text.length && isspace((unsigned char)*text.text)) {
        text.text++;
        text.length--;
    }
    while (text.length && isspace((unsigned char)text.text[text.length - 1]))
        text.length--;
    return text;
}

struct tkf_slice tkf_text_uncomment(struct tkf_slice text)
{
    while (text.length && memchr("/#*> \t", *text.text, 6)) {
        text.text++;
        text.length--;
    }
    return tkf_text_trim(text);
}

bool tkf_text_ends(struct tkf_slice text, const char *suffix)
{
    size_t length = strlen(suffix);
    return text.length > length && memcmp(text.text + text.length - length, suffix, length) == 0;
}

const char *tkf_text_last(struct tkf_slice text, char c)
{
    while (text.length && text.text[text.length - 1] != c)
        text.length--;
    return text.length ? text.text + text.length - 1 : NULL;
}

const char *tkf_text_keep(struct tkf_sink *sink, const char *text)
{
    return text ? tkf_sink_text(sink, text, strlen(text)) : NULL;
}

void tkf_notice_unread(struct tkf_sink *sink, unsigned line, struct tkf_slice text)
{
    tkf_sink_notice(sink, line, "not read: \"%.*s\"",
                    text.length < SHOWN_MAX ? (int)text.length : SHOWN_MAX, text.text);
}

void tkf_interval_around(struct tkf_result *row, double half_ns)
{
    row->ns_lo = row->ns - fabs(half_ns);
    row->ns_hi = row->ns + fabs(half_ns);
}
