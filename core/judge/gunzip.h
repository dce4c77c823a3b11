/* SPDX-License-Identifier: MIT */
/** gzip data that is unpacked as it comes: gunzip_zlib.c, or gunzip_none.c where there is no zlib. */
#ifndef TKF_GUNZIP_H
#define TKF_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>

/** How gzip data begins. */
#define TKF_GZIP_MAGIC "\x1f\x8b\x08"

/** An end that all data may have. */
enum tkf_gunzip_end {
    TKF_GUNZIP_GOES_ON,
    TKF_GUNZIP_ENDED,   /**< what follows is no gzip data */
    TKF_GUNZIP_DAMAGED, /**< here it is none any more */
    TKF_GUNZIP_NO_MEMORY,
};

struct tkf_gunzip;

/** Whether this build can unpack. */
bool tkf_gunzip_works(void);

struct tkf_gunzip *tkf_gunzip_new(void);         /**< NULL when out of memory */
void tkf_gunzip_free(struct tkf_gunzip *gunzip); /**< NULL is fine */

/** Whether the data may end here. */
bool tkf_gunzip_is_whole(const struct tkf_gunzip *gunzip);

/**
 * Unpack.
 *
 * @param packed       [*length], advanced with it over what was taken.
 * @param to           [size].
 * @param ret_end      what came after that; written always.
 * @return bytes in *to*; 0 when it ended or more is needed.
 */
size_t tkf_gunzip(struct tkf_gunzip *gunzip, const char **packed, size_t *length, char *to,
                  size_t size, enum tkf_gunzip_end *ret_end);

#endif
