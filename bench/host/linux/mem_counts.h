/* SPDX-License-Identifier: MIT */
/** Between the harness and mem_preload.c, which is a library of its own. */
#ifndef TKF_MEM_COUNTS_H
#define TKF_MEM_COUNTS_H

#include "../bench_run.h"

/** The name under which the harness looks for the counts, in a process into which the library was loaded. */
#define TKF_MEM_SYMBOL "tkf_mem_preload_read"

#endif
