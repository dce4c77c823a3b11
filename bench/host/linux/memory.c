/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "explore/memory.h"
#include "sysfile.h"

/* proc_pid_smaps(5): the mapping that begins at or before it, until the next one's first line. */
bool tkf_os_memory_huge(const void *at, size_t bytes)
{
    FILE *file;
    char reason[8], line[512];
    if (tkf_sysfile_open("", "/proc/self/smaps", &file, reason, sizeof reason) != 0)
        return false;
    uintptr_t from = (uintptr_t)at, until = from + bytes;
    unsigned long huge_kib = 0, kib, first, end;
    bool inside = false;
    while (fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "%lx-%lx ", &first, &end) == 2)
            inside = first < until && end > from;
        else if (inside && sscanf(line, "AnonHugePages: %lu kB", &kib) == 1)
            huge_kib += kib;
    }
    fclose(file);
    return huge_kib >= bytes / 1024 / 10 * 9;
}

/** What a limit leaves, both in files of the cgroup that this process sees as its root; UINT64_MAX without. */
static uint64_t left_of_limit(const char *limit_path, const char *used_path)
{
    char limit_text[TKF_SYSFILE_SIZE], used_text[TKF_SYSFILE_SIZE], reason[8];
    uint64_t limit, used;
    if (tkf_sysfile_read("", limit_path, limit_text, reason, sizeof reason) != 0 ||
        tkf_sysfile_read("", used_path, used_text, reason, sizeof reason) != 0 ||
        tkf_sysfile_number(limit_text, limit_text + strlen(limit_text), &limit) != 0 ||
        tkf_sysfile_number(used_text, used_text + strlen(used_text), &used) != 0)
        return UINT64_MAX; /* "max", too */
    return limit > used ? limit - used : 0;
}

uint64_t tkf_os_memory_available(void)
{
    FILE *file;
    char reason[8], line[256];
    unsigned long kib = 0;
    if (tkf_sysfile_open("", "/proc/meminfo", &file, reason, sizeof reason) != 0)
        return 0;
    while (fgets(line, sizeof line, file) != NULL &&
           sscanf(line, "MemAvailable: %lu kB", &kib) != 1)
        ;
    fclose(file);
    uint64_t available = (uint64_t)kib * 1024;
    uint64_t left[] = {
        left_of_limit("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        left_of_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes",
                      "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    };
    for (unsigned i = 0; i < sizeof left / sizeof left[0]; i++)
        available = left[i] < available ? left[i] : available;
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur < available)
        available = space.rlim_cur;
    return available;
}
