/* SPDX-License-Identifier: MIT */
/** Small pieces that readers of lines of text share. */
#ifndef TKF_READ_PIECES_H
#define TKF_READ_PIECES_H

#include "../reader.h"

/** A string; empty for NULL. */
struct tkf_slice tkf_text_of(const char *text);

/** Without white space at both ends. */
struct tkf_slice tkf_text_trim(struct tkf_slice text);

/**
 * Trimmed, and without what comments and quotations begin with, in which results are pasted:
 * slashes, '#', '*', '>'.
 */
struct tkf_slice tkf_text_uncomment(struct tkf_slice text);

/** Whether it ends so, and in more than that. */
bool tkf_text_ends(struct tkf_slice text, const char *suffix);

/** The last place of a character in it; NULL. */
const char *tkf_text_last(struct tkf_slice text, char c);

/** Keep a string in the sink; NULL stays NULL. */
const char *tkf_text_keep(struct tkf_sink *sink, const char *text);

/** Say of a line that it looks like a result and cannot be read. */
void tkf_notice_unread(struct tkf_sink *sink, unsigned line, struct tkf_slice text);

/** Set the interval of a row to so much on both sides of its `ns`; NAN leaves it unknown. */
void tkf_interval_around(struct tkf_result *row, double half_ns);

#endif
