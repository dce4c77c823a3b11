/* SPDX-License-Identifier: MIT */
/** A CPU of a kind that tickfloor does not know: what the environment says, and nothing more. */
#include "arch.h"

static void copy(char *to, unsigned size, const char *from)
{
    unsigned i = 0;
    for (; from[i] != '\0' && i + 1 < size; i++)
        to[i] = from[i];
    to[i] = '\0';
}

void tkf_arch_identify(const struct tkf_cpu_hints *hints, struct tkf_cpu *ret_cpu)
{
    if (hints->model_name)
        copy(ret_cpu->model_name, sizeof ret_cpu->model_name, hints->model_name);
    if (hints->emulator)
        copy(ret_cpu->emulator, sizeof ret_cpu->emulator, hints->emulator);
}
