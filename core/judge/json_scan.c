/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "json_scan.h"

const char *tkf_json_skip_space(const char *at, const char *end)
{
    while (at < end && *at != '\0' && strchr(" \t\r\n", *at))
        at++;
    return at;
}

const char *tkf_json_skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

bool tkf_json_is_one_line(const char *text, const char *end)
{
    const char *lf = memchr(text, '\n', (size_t)(end - text));
    return !lf || tkf_json_skip_space(lf, end) == end;
}

/* Of those characters that have no meaning between brackets. */
static bool is_plain(char c)
{
    return c != '"' && c != '{' && c != '[' && c != '}' && c != ']';
}

const char *tkf_json_skip_value(const char *at, const char *end)
{
    unsigned depth = 0;
    do {
        while (at < end && is_plain(*at) && (depth > 0 || *at != ','))
            at++;
        if (at == end || (depth == 0 && (*at == ',' || *at == '}' || *at == ']')))
            break;
        if (*at == '"') {
            at = tkf_json_skip_string(at, end);
        } else {
            depth += *at == '{' || *at == '[' ? 1 : -1u;
            at++;
        }
    } while (depth > 0);
    return at;
}
