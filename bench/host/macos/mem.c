/* SPDX-License-Identifier: MIT */
#include "../bench_run.h"

bool tkf_mem_available(void)
{
    return false;
}

void tkf_mem_read(struct tkf_mem_counts *ret_counts)
{
    *ret_counts = (struct tkf_mem_counts){.bytes = 0}; /* never called: not available */
}

int tkf_mem_restart(char *const argv[], struct tkf_input_error *ret_error)
{
    (void)argv;
    *ret_error = (struct tkf_input_error){
        .text = "--mem: allocations are counted on Linux only",
        .next = "leave --mem out",
    };
    return TKF_EUNSUPPORTED;
}
