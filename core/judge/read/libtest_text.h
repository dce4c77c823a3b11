/* SPDX-License-Identifier: MIT */
#ifndef TKF_READ_LIBTEST_TEXT_H
#define TKF_READ_LIBTEST_TEXT_H

#include "../reader.h"

/**
 * What lines of libtest need of the lines before them. Zero it first, end it with
 * tkf_libtest_free().
 */
struct tkf_libtest {
    const char *group; /**< the binary whose tests run, as cargo names it; NULL when it does not */
    bool began;        /**< its origin is the sink's current one */
    char *pending; /**< name of a test whose result is on a later line, as it printed in between */
    unsigned line; /**< of that name */
};

/**
 * Read a line of libtest, of the bencher crate or of Criterion's `--output-format bencher`.
 * @return true when it was one, also one without a result.
 */
bool tkf_libtest_line(struct tkf_libtest *state, struct tkf_sink *sink,
                      const struct tkf_line *line);

void tkf_libtest_free(struct tkf_libtest *state, struct tkf_sink *sink);

#endif
