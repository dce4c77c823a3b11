/* SPDX-License-Identifier: MIT */
/**
 * Small text files of proc and sys, on this machine or in a recorded tree.
 *
 * `root` is "" for this machine or a folder that holds a proc/ and a sys/; `path` starts with a slash and is what a
 * user would type, so it is also what a reason names. Context: hosted, any thread; no state.
 */
#ifndef TKF_SYSFILE_H
#define TKF_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Room for any one value: a CPU list of a large machine is the longest. */
#define TKF_SYSFILE_SIZE 4096

/**
 * Open a file to read it by lines. Never waits: a FIFO in a recorded tree reads as empty.
 * @param ret_file   close it with fclose().
 * @param ret_reason [size], written on failure: "no such file: /proc/stat".
 * Errors: TKF_EUNSUPPORTED no such file · TKF_EPERM · TKF_EIO.
 */
int tkf_sysfile_open(const char *root, const char *path, FILE **ret_file, char *ret_reason,
                     size_t size);

/**
 * Read a whole file, without the white space at its end. An empty file is not an error: it reads as "".
 * @param ret_text   written only on success; a NUL byte in the file ends it.
 * @param ret_reason [size], written on failure: what is wrong, and with which path.
 * Errors: as tkf_sysfile_open() · TKF_EFORMAT longer than TKF_SYSFILE_SIZE - 1.
 */
int tkf_sysfile_read(const char *root, const char *path, char ret_text[TKF_SYSFILE_SIZE],
                     char *ret_reason, size_t size);

/** True when there is something at that path, readable or not. */
bool tkf_sysfile_exists(const char *root, const char *path);

/**
 * Parse a decimal number that is all there is up to `end`: no sign, no space, no unit.
 * Errors: TKF_EFORMAT not such a number, or above 10^15, more than any counter or limit here can be.
 */
int tkf_sysfile_number(const char *text, const char *end, uint64_t *ret_number);

#endif
