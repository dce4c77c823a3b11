/* SPDX-License-Identifier: MIT */

#include "../reader.h"

/** What the readers of hyperfine's four outputs share. */
#ifndef TKF_HYPERFINE_H
#define TKF_HYPERFINE_H

/** One file of hyperfine's: one origin. */
struct tkf_hyperfine {
    struct tkf_sink *sink;
    json_t *counts; /**< how often each command was given */
};

void tkf_hyperfine_begin(struct tkf_hyperfine *file, struct tkf_sink *sink);

/**
 * Keep a row. hyperfine runs a command twice where its parameters differ, and not every output says
 * which they were: such rows are no repetitions, and are told apart by their number, as their
 * group.
 */
void tkf_hyperfine_give(struct tkf_hyperfine *file, struct tkf_result *row);

/**
 * All rows are given: with a shell its start is taken off, and what is below it becomes exactly 0;
 * nothing else gives that, and one file has one kind of runs.
 */
void tkf_hyperfine_end(struct tkf_hyperfine *file);

#endif
