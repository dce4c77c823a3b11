/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "keep.h"

const char *tkf_keep(struct tkf_sink *sink, struct tkf_slice slice)
{
    return tkf_sink_text(sink, slice.text, slice.length);
}

const char *tkf_keep_string(struct tkf_sink *sink, const char *text)
{
    return text ? tkf_keep(sink, tkf_slice_of(text)) : NULL;
}

const char *tkf_keepf(struct tkf_sink *sink, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = NULL;
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        return "";
    const char *kept = tkf_sink_text(sink, text, (size_t)length);
    free(text);
    return kept;
}

void tkf_build(struct tkf_builder *builder, const char *format, ...)
{
    if (!builder->out)
        builder->out = open_memstream(&builder->text, &builder->length);
    if (!builder->out)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(builder->out, format, args);
    va_end(args);
}

const char *tkf_built(struct tkf_builder *builder, struct tkf_sink *sink)
{
    if (!builder->out)
        return "";
    bool whole = fclose(builder->out) == 0 && builder->text;
    const char *kept = whole ? tkf_sink_text(sink, builder->text, builder->length) : "";
    free(builder->text);
    *builder = (struct tkf_builder){0};
    return kept;
}
