/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "host.h"

int tkf_host_fail(struct tkf_input_error *ret_error, int code, const char *next, const char *format,
                  ...)
{
    *ret_error = (struct tkf_input_error){.line = 0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ret_error->text, sizeof ret_error->text, format, arguments);
    va_end(arguments);
    snprintf(ret_error->next, sizeof ret_error->next, "%s", next);
    return code;
}
