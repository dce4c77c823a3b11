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
