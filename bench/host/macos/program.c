/* SPDX-License-Identifier: MIT */
#include <mach-o/dyld.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

bool tkf_program_path(char *ret_path, size_t size)
{
    char path[4096];
    uint32_t length = sizeof(path);
    if (_NSGetExecutablePath(path, &length) != 0)
        return false;
    char *real = realpath(path, NULL);
    bool fits = real && strlen(real) < size;
    if (fits)
        strcpy(ret_path, real);
    free(real);
    return fits;
}
