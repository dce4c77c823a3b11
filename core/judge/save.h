/* SPDX-License-Identifier: MIT */
/** Files that are replaced whole. */
#ifndef TKF_SAVE_H
#define TKF_SAVE_H

#include <stdio.h>
#include <sys/types.h>

/**
 * Save a file so that a reader sees the old one or the new one: a temporary file in the same folder, fsync, rename, fsync of the
 * folder. Missing folders are made; a link to a file stays one. On failure the old file is untouched and no temporary is left.
 * What is no file is written to: renamed over, /dev/null would be a file for everyone. A pipe that nobody reads is ENXIO.
 * @param mode   its permissions, whatever the umask.
 * @param write  writes it; its failure is returned.
 * Errors: TKF_EIO, with errno set · TKF_ENOMEM · what write() returns.
 */
int tkf_save_whole(const char *path, mode_t mode, int (*write)(const void *what, FILE *out),
                   const void *what);

#endif
