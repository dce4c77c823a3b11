/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "gunzip.h"

struct tkf_gunzip {
    z_stream stream;
    bool between; /* one member ended, another may follow */
};

bool tkf_gunzip_works(void)
{
    return true;
}

struct tkf_gunzip *tkf_gunzip_new(void)
{
    enum { GZIP_ONLY = 16 };
    struct tkf_gunzip *gunzip = calloc(1, sizeof(*gunzip));
    if (gunzip && inflateInit2(&gunzip->stream, GZIP_ONLY + MAX_WBITS) != Z_OK) {
        free(gunzip);
        gunzip = NULL;
    }
    return gunzip;
}

void tkf_gunzip_free(struct tkf_gunzip *gunzip)
{
    if (gunzip)
        inflateEnd(&gunzip->stream);
    free(gunzip);
}

/* What is glued to a member's end is another one, or padding. */
static bool begin_member(struct tkf_gunzip *gunzip, const char *packed)
{
    gunzip->between = false;
    return *packed == TKF_GZIP_MAGIC[0] && inflateReset(&gunzip->stream) == Z_OK;
}

bool tkf_gunzip_is_whole(const struct tkf_gunzip *gunzip)
{
    return gunzip->between;
}

size_t tkf_gunzip(struct tkf_gunzip *gunzip, const char **packed, size_t *length, char *to,
                  size_t size, enum tkf_gunzip_end *ret_end)
{
    z_stream *stream = &gunzip->stream;
    size_t unpacked = 0;
    int result = Z_OK;
    *ret_end = TKF_GUNZIP_GOES_ON;
    while (unpacked == 0 && (result == Z_OK || result == Z_STREAM_END)) {
        if (gunzip->between && *length == 0)
            return 0;
        if (gunzip->between && !begin_member(gunzip, *packed)) {
            *ret_end = TKF_GUNZIP_ENDED;
            return 0;
        }
        stream->next_in = (z_const Bytef *)*packed;
        stream->avail_in = *length < UINT_MAX ? (uInt)*length : UINT_MAX;
        stream->next_out = (Bytef *)to;
        stream->avail_out = size < UINT_MAX ? (uInt)size : UINT_MAX;
        result = inflate(stream, Z_NO_FLUSH);
        *length -= (size_t)((const char *)stream->next_in - *packed);
        *packed = (const char *)stream->next_in;
        unpacked = (size_t)((char *)stream->next_out - to);
        gunzip->between = result == Z_STREAM_END;
    }
    if (result == Z_MEM_ERROR)
        *ret_end = TKF_GUNZIP_NO_MEMORY;
    else if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) /* more is needed */
        *ret_end = TKF_GUNZIP_DAMAGED;
    return unpacked;
}
