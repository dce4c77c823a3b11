/* SPDX-License-Identifier: MIT */
/** What bench/host/macos uses of libproc.h and of macOS's sys/resource.h. */
#ifndef LIBPROC_H
#define LIBPROC_H

#include <stdint.h>

#define RUSAGE_INFO_V4 4

typedef void *rusage_info_t;

struct rusage_info_v4 {
    uint64_t ri_instructions, ri_cycles;
};

int proc_pid_rusage(int pid, int flavor, rusage_info_t *buffer);

#endif
