/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "grow.h"

void *tkf_grow(void *array, size_t count, size_t *size, size_t element_bytes)
{
    if (count < *size)
        return array;
    size_t larger = *size > 0 ? *size * 2 : 64;
    void *moved = realloc(array, larger * element_bytes);
    if (moved)
        *size = larger;
    return moved;
}

bool tkf_bytes_add(struct tkf_bytes *bytes, const char *text, size_t length)
{
    if (bytes->size - bytes->length <= length) {
        size_t size = (bytes->length + length + 1) * 2;
        char *moved = realloc(bytes->text, size);
        if (!moved)
            return false;
        bytes->text = moved;
        bytes->size = size;
    }
    memcpy(bytes->text + bytes->length, text, length);
    bytes->length += length;
    bytes->text[bytes->length] = '\0';
    return true;
}
