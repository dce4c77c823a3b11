/* SPDX-License-Identifier: MIT */
/**
 * Texts that the sink keeps for as long as the results live. What there is no memory for is "", and
 * the sink knows of it.
 */
#ifndef TKF_READ_KEEP_H
#define TKF_READ_KEEP_H

#include "slice.h"

const char *tkf_keep(struct tkf_sink *sink, struct tkf_slice slice);

/** NULL stays NULL. */
const char *tkf_keep_string(struct tkf_sink *sink, const char *text);

/** printf-like. What is made of many pieces is built instead: each step of it would be kept. */
const char *tkf_keepf(struct tkf_sink *sink, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** A text that grows, for names made of many pieces. Zero it first, end it with tkf_built(). */
struct tkf_builder {
    FILE *out;
    char *text;
    size_t length;
};

/** Append, printf-like. */
void tkf_build(struct tkf_builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** The whole text, kept by the sink; "" when nothing was appended or out of memory. */
const char *tkf_built(struct tkf_builder *builder, struct tkf_sink *sink);

#endif
