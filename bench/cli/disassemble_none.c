/* SPDX-License-Identifier: MIT */
/** Without capstone. */
#include "bench_verb.h"

const bool tkf_can_disassemble = false;

void tkf_disassemble(const void *function)
{
    (void)function; /* not called: the constant above says so */
}
