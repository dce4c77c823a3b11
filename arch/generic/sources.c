/* SPDX-License-Identifier: MIT */
/** The one source of time on a CPU that tickfloor has no folder for. */
#include "kernel_table.h"

const char tkf_arch_name[] = "generic";

const struct tkf_arch_roles tkf_arch_roles = {
    .chain_cycle = kernel_xor,
    .chain_check = kernel_add,
    .loop_fused = kernel_fused,
};

#define DECLARE_clock(id, shape, role, offset, ops, text) tkf_kernel_fn tkf_generic_clock_##id;
#define POINT_clock(id, shape, role, offset, ops, text)   tkf_generic_clock_##id,

TKF_KERNELS(DECLARE_clock)
tkf_burst_fn tkf_generic_clock_burst;

static tkf_kernel_fn *const clock_kernels[] = {TKF_KERNELS(POINT_clock)};

static const char *refuse_nothing(const struct tkf_cpu *cpu)
{
    (void)cpu;
    return NULL;
}

const struct tkf_source tkf_arch_sources[] = {
    {
        .name = "os-clock",
        .fence = "a call of the system's clock",
        .unit = TKF_UNIT_NS,
        .refuse = refuse_nothing,
        .burst = tkf_generic_clock_burst,
        .kernels = clock_kernels,
    },
};
const unsigned tkf_arch_nsources = sizeof tkf_arch_sources / sizeof tkf_arch_sources[0];
