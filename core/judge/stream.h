/* SPDX-License-Identifier: MIT */
/**
 * JSON documents one after the other in a stream, as launchers deliver what many machines print.
 *
 * A launcher may put a label before each line, and mix the lines of several machines: "node1: " (pdsh, clush), "0: " (srun
 * --label), "[1,0]<stdout>:" (mpirun --tag-output), "[pod/name/container] " (kubectl --prefix). Which of these the stream
 * has is seen on the line on which its first document begins.
 */
#ifndef TKF_STREAM_H
#define TKF_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** One document. */
struct tkf_document {
    const char *label; /**< of its lines; "" without */
    char *text;        /**< [length]; may be changed; valid during the call */
    size_t length;
    unsigned line;     /**< of the stream, on which it begins */
    bool whole_lines;  /**< its lines follow each other in the stream */
    bool too_long;     /**< what is over TKF_DOCUMENT_MAX bytes of it was dropped */
    bool after_broken; /**< take() said so of the one before of this label */
};

#define TKF_DOCUMENT_MAX ((size_t)16 << 20)

/**
 * Hand each document of a stream on as soon as it is whole; one that the end, or the beginning of the next profile, cuts off as
 * it is. Lines between documents are counted and dropped.
 *
 * @param take         a negative code ends it, and is returned; 1: that document was broken, what follows may be the rest of it.
 * @param ret_strays   lines that are no part of a document.
 * Errors: TKF_EIO with errno · TKF_ENOMEM · what take() returns.
 */
int tkf_stream_read(FILE *in, int (*take)(void *ctx, struct tkf_document *document), void *ctx,
                    unsigned *ret_strays);

#endif
