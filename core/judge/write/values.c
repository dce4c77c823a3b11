/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "write.h"

/* Ten digits: what a file states comes out as it went in. ASCII, for who prints it on a terminal: beyond that are characters that
 * control one. */
#define FLAGS (JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(10))

json_t *tkf_json_string(const char *text)
{
    if (!text)
        return json_null();
    json_t *string = json_string(text);
    if (string)
        return string;
    char *copy = tkf_utf8_copy(text); /* it was not UTF-8 */
    string = copy ? json_string(copy) : NULL;
    free(copy);
    return string;
}

bool tkf_json_dump(FILE *out, json_t *value)
{
    bool written = value != NULL;
    if (written)
        json_dumpf(value, out, FLAGS); /* out keeps its error */
    json_decref(value);
    return written;
}
