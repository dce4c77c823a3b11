/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/futex.h>

#include "explore/system.h"
#include "sysfile.h"

const struct tkf_os_clock tkf_os_clocks[] = {
    {"realtime", CLOCK_REALTIME},
    {"realtime-coarse", CLOCK_REALTIME_COARSE},
    {"monotonic", CLOCK_MONOTONIC},
    {"monotonic-coarse", CLOCK_MONOTONIC_COARSE},
    {"monotonic-raw", CLOCK_MONOTONIC_RAW},
    {"boottime", CLOCK_BOOTTIME},
    {"tai", CLOCK_TAI},
    {"process-cputime", CLOCK_PROCESS_CPUTIME_ID},
    {"thread-cputime", CLOCK_THREAD_CPUTIME_ID},
};
const unsigned tkf_os_nclocks = sizeof tkf_os_clocks / sizeof tkf_os_clocks[0];

uint64_t tkf_os_timer_slack_ns(void)
{
    long slack = syscall(SYS_prctl, PR_GET_TIMERSLACK);
    return slack > 0 ? (uint64_t)slack : 0;
}

size_t tkf_os_huge_page_bytes(const char **ret_reason)
{
    static const char folder[] = "/sys/kernel/mm/transparent_hugepage/";
    char path[96], text[TKF_SYSFILE_SIZE], reason[80];
    uint64_t bytes;
    snprintf(path, sizeof path, "%senabled", folder);
    if (tkf_sysfile_read("", path, text, reason, sizeof reason) != 0) {
        *ret_reason = "transparent huge pages are not in this kernel, or /sys is not mounted";
        return 0;
    }
    if (strstr(text, "[never]") != NULL) {
        *ret_reason = "transparent huge pages are switched off: "
                      "/sys/kernel/mm/transparent_hugepage/enabled";
        return 0;
    }
    snprintf(path, sizeof path, "%shpage_pmd_size", folder);
    if (tkf_sysfile_read("", path, text, reason, sizeof reason) != 0 ||
        tkf_sysfile_number(text, text + strlen(text), &bytes) != 0 || bytes == 0) {
        *ret_reason = "the size of a huge page is not known";
        return 0;
    }
    return (size_t)bytes;
}

void tkf_os_want_huge(void *memory, size_t bytes, bool wanted)
{
    madvise(memory, bytes, wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

const bool tkf_os_has_futex = true;

void tkf_os_futex_wait(uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

bool tkf_os_futex_wake(uint32_t *word)
{
    return syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) > 0;
}
