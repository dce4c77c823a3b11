/* SPDX-License-Identifier: MIT */
#include <mach/mach.h>
#include <sys/mman.h>
#include <unistd.h>

#include <tickfloor/error.h>

#include "../explore/pages.h"

/* macOS gives a process no huge pages of anonymous memory on Apple silicon; its pages have 16 KiB there. */
int tkf_pages_map(size_t bytes, struct tkf_pages *ret_pages)
{
    char *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (mapping == MAP_FAILED)
        return TKF_ENOMEM;
    *ret_pages = (struct tkf_pages){mapping, bytes, mapping, bytes};
    return 0;
}

void tkf_pages_unmap(struct tkf_pages *pages)
{
    if (pages->mapping != NULL)
        munmap(pages->mapping, pages->mapping_bytes);
    *pages = (struct tkf_pages){NULL, 0, NULL, 0};
}

bool tkf_pages_huge(const struct tkf_pages *pages)
{
    (void)pages;
    return false;
}

uint64_t tkf_pages_available(void)
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
