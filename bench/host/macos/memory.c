/* SPDX-License-Identifier: MIT */
#include <mach/mach.h>
#include <unistd.h>

#include "explore/memory.h"

bool tkf_os_memory_huge(const void *at, size_t bytes)
{
    (void)at, (void)bytes; /* no anonymous memory is in huge pages on Apple silicon */
    return false;
}

uint64_t tkf_os_memory_available(void)
{
    vm_statistics64_data_t statistics;
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    mach_port_t host = mach_host_self();
    kern_return_t failed =
        host_statistics64(host, HOST_VM_INFO64, (host_info64_t)&statistics, &count);
    mach_port_deallocate(mach_task_self(), host);
    if (failed != KERN_SUCCESS)
        return 0;
    uint64_t pages = (uint64_t)statistics.free_count + statistics.inactive_count;
    return pages * (uint64_t)getpagesize();
}
