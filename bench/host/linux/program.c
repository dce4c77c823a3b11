/* SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "host.h"

bool tkf_program_path(char *ret_path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", ret_path, size);
    if (length <= 0 || (size_t)length >= size)
        return false;
    ret_path[length] = '\0';
    return true;
}
