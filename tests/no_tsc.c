/* SPDX-License-Identifier: MIT */
/**
 * Preloaded, it forbids the time stamp counter. That must wait for the start of the program: glibc's dynamic linker reads the
 * counter itself, so with prctl() before exec every program dies before its main().
 */
#include <sys/prctl.h>

__attribute__((constructor)) static void forbid(void)
{
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
}
