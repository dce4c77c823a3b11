/* SPDX-License-Identifier: MIT */
/** What is wrong with an input, said. */
#ifndef TKF_REFUSE_H
#define TKF_REFUSE_H

#include <tickfloor/profile.h>

/**
 * Fill in an error; too long a text is cut off.
 *
 * @param line    1-based; 0 when no line is to blame.
 * @param next    the next step.
 * @param format  the cause, printf-like.
 * @return TKF_EFORMAT, for the caller to return.
 */
int tkf_refuse(struct tkf_input_error *error, unsigned line, const char *next, const char *format,
               ...) __attribute__((format(printf, 4, 5)));

/** As tkf_refuse(), for want of memory. @return TKF_ENOMEM. */
int tkf_refuse_memory(struct tkf_input_error *error);

#endif
