/* SPDX-License-Identifier: MIT */
#include "explore/system.h"

const struct tkf_os_clock tkf_os_clocks[] = {
    {"realtime", CLOCK_REALTIME},
    {"monotonic", CLOCK_MONOTONIC},
    {"monotonic-raw", CLOCK_MONOTONIC_RAW},
    {"monotonic-raw-approx", CLOCK_MONOTONIC_RAW_APPROX},
    {"uptime-raw", CLOCK_UPTIME_RAW},
    {"uptime-raw-approx", CLOCK_UPTIME_RAW_APPROX},
    {"process-cputime", CLOCK_PROCESS_CPUTIME_ID},
    {"thread-cputime", CLOCK_THREAD_CPUTIME_ID},
};
const unsigned tkf_os_nclocks = sizeof tkf_os_clocks / sizeof tkf_os_clocks[0];

uint64_t tkf_os_timer_slack_ns(void)
{
    return 0;
}

size_t tkf_os_huge_page_bytes(const char **ret_reason)
{
    *ret_reason = "this system gives no program huge pages";
    return 0;
}

void tkf_os_want_huge(void *memory, size_t bytes, bool wanted)
{
    (void)memory, (void)bytes, (void)wanted;
}

/* os_sync_wait_on_address() came with macOS 14.4, and what stands behind it is private. */
const bool tkf_os_has_futex = false;

void tkf_os_futex_wait(uint32_t *word, uint32_t value)
{
    (void)word, (void)value;
}

bool tkf_os_futex_wake(uint32_t *word)
{
    (void)word;
    return false;
}
