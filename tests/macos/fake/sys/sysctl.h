/* SPDX-License-Identifier: MIT */
/** What bench/host/macos uses of sys/sysctl.h, which no system of today but BSD has. */
#ifndef SYS_SYSCTL_H
#define SYS_SYSCTL_H

#include <stddef.h>

int sysctlbyname(const char *name, void *old, size_t *old_size, void *new, size_t new_size);

#endif
