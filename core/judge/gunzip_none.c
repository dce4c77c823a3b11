/* SPDX-License-Identifier: MIT */
/* Built without zlib: the input says so instead of unpacking. */
#include "gunzip.h"

bool tkf_gunzip_works(void)
{
    return false;
}

struct tkf_gunzip *tkf_gunzip_new(void)
{
    return NULL;
}

void tkf_gunzip_free(struct tkf_gunzip *gunzip)
{
    (void)gunzip;
}

bool tkf_gunzip_is_whole(const struct tkf_gunzip *gunzip)
{
    (void)gunzip;
    return true;
}

size_t tkf_gunzip(struct tkf_gunzip *gunzip, const char **packed, size_t *length, char *to,
                  size_t size, enum tkf_gunzip_end *ret_end)
{
    (void)gunzip, (void)packed, (void)length, (void)to, (void)size;
    *ret_end = TKF_GUNZIP_ENDED;
    return 0;
}
