/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include <tickfloor/error.h>

#include "refuse.h"

int tkf_refuse(struct tkf_input_error *error, unsigned line, const char *next, const char *format,
               ...)
{
    va_list arguments;
    *error = (struct tkf_input_error){.line = line};
    va_start(arguments, format);
    vsnprintf(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
    snprintf(error->next, sizeof(error->next), "%s", next);
    return TKF_EFORMAT;
}

int tkf_refuse_memory(struct tkf_input_error *error)
{
    tkf_refuse(error, 0, "free some memory", "out of memory");
    return TKF_ENOMEM;
}
