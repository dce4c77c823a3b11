/* SPDX-License-Identifier: MIT */
/** arm64 has no second clock that can be read while interrupts are masked: only the real-time clock, by service. */
#include "../firmware.h"

#include "arch.h"

const char *tkf_uefi_clock_open(enum tkf_uefi_clock_choice choice)
{
    (void)choice;
    return NULL;
}

uint64_t tkf_uefi_clock_ns(void *ctx)
{
    (void)ctx;
    return 0;
}

uint64_t TKF_KERNEL_ABI tkf_env_clock_ns(void)
{
    return 0;
}
