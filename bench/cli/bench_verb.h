/* SPDX-License-Identifier: MIT */
/** The parts of `tickfloor bench`. */
#ifndef TKF_BENCH_VERB_H
#define TKF_BENCH_VERB_H

#include "bench_run.h"
#include "suite.h"

/** Print what one benchmark of the suite shows, its source and its machine code. An exit status. */
int tkf_bench_explain(const char *name);

/** Run the sweep of copy.c and print it; of the options cpu, limit and json count. An exit status. */
int tkf_bench_sweep(const struct tkf_bench_options *options);

/** Whether this build can disassemble. */
extern const bool tkf_can_disassemble;

/**
 * Print a function's instructions, those that lie in a loop marked with a bar. The function ends where no branch goes on: the
 * linker's symbols are not asked. Prints one clause instead where the machine code cannot be read.
 */
void tkf_disassemble(const void *function);

#endif
