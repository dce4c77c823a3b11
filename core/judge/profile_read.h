/* SPDX-License-Identifier: MIT */
/** Reading a profile out of a text in memory. */
#ifndef TKF_PROFILE_READ_H
#define TKF_PROFILE_READ_H

#include <tickfloor/profile.h>

/**
 * Read the profile that a text begins with.
 *
 * @param text         the profile's strings are decoded in it and stay there: it has to outlive the profile.
 * @param line         number of its first line, for the error.
 * @param ret_profile  its storage is left NULL: tkf_profile_free() does not free the text. Written only on success.
 * @param ret_used     bytes up to what follows it; NULL: nothing may follow.
 * Errors: as those of tkf_profile_read().
 */
int tkf_profile_parse(char *text, size_t length, unsigned line, struct tkf_profile *ret_profile,
                      size_t *ret_used, struct tkf_input_error *ret_error);

#endif
