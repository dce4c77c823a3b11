/* SPDX-License-Identifier: MIT */
/** The sources of time on arm64, best first. */
#include "kernel_table.h"

const char tkf_arch_name[] = "arm64";

const struct tkf_arch_roles tkf_arch_roles = {
    .chain_cycle = kernel_xor,
    .chain_check = kernel_add,
    .loop_fused = kernel_fused,
};

#define DECLARE_cntvctss(id, shape, role, offset, ops, text) tkf_kernel_fn tkf_arm64_cntvctss_##id;
#define DECLARE_cntvct(id, shape, role, offset, ops, text)   tkf_kernel_fn tkf_arm64_cntvct_##id;
#define DECLARE_clock(id, shape, role, offset, ops, text)    tkf_kernel_fn tkf_arm64_clock_##id;
#define POINT_cntvctss(id, shape, role, offset, ops, text)   tkf_arm64_cntvctss_##id,
#define POINT_cntvct(id, shape, role, offset, ops, text)     tkf_arm64_cntvct_##id,
#define POINT_clock(id, shape, role, offset, ops, text)      tkf_arm64_clock_##id,

TKF_KERNELS(DECLARE_cntvctss)
TKF_KERNELS(DECLARE_cntvct)
TKF_KERNELS(DECLARE_clock)
tkf_burst_fn tkf_arm64_cntvctss_burst, tkf_arm64_cntvct_burst, tkf_arm64_clock_burst;

static tkf_kernel_fn *const cntvctss_kernels[] = {TKF_KERNELS(POINT_cntvctss)};
static tkf_kernel_fn *const cntvct_kernels[] = {TKF_KERNELS(POINT_cntvct)};
static tkf_kernel_fn *const clock_kernels[] = {TKF_KERNELS(POINT_clock)};

static const char *refuse_cntvctss(const struct tkf_cpu *cpu)
{
    return cpu->has_ordered_read ? NULL : "the system does not report FEAT_ECV (HWCAP2_ECV)";
}

static const char *refuse_cntvct(const struct tkf_cpu *cpu)
{
    return cpu->has_counter ? NULL : "the CPU has no generic timer";
}

static const char *refuse_nothing(const struct tkf_cpu *cpu)
{
    (void)cpu;
    return NULL;
}

/* CNTVCTSS comes first: it is the same count as CNTVCT with one pipeline flush less for each
 * reading. */
const struct tkf_source tkf_arch_sources[] = {
    {
        .name = "cntvctss",
        .fence = "mrs cntvctss_el0;isb",
        .next = "use --source cntvct, which every arm64 CPU has",
        .trapped =
            "look for 'Trapping CNTVCT access' in the kernel's log: it works around an erratum of this "
            "timer, for good; or ask the hypervisor",
        .is_cpu_counter = true,
        .unit = TKF_UNIT_REF_TICK,
        .refuse = refuse_cntvctss,
        .burst = tkf_arm64_cntvctss_burst,
        .kernels = cntvctss_kernels,
    },
    {
        .name = "cntvct",
        .fence = "isb;mrs cntvct_el0;isb",
        .next = "allow it: prctl(PR_SET_TSC, PR_TSC_ENABLE) in the process that runs tickfloor",
        .trapped =
            "look for 'Trapping CNTVCT access' in the kernel's log: it works around an erratum of this "
            "timer, for good; or ask the hypervisor",
        .is_cpu_counter = true,
        .unit = TKF_UNIT_REF_TICK,
        .refuse = refuse_cntvct,
        .burst = tkf_arm64_cntvct_burst,
        .kernels = cntvct_kernels,
    },
    {
        .name = "os-clock",
        .fence = "a call of the system's clock",
        .unit = TKF_UNIT_NS,
        .refuse = refuse_nothing,
        .burst = tkf_arm64_clock_burst,
        .kernels = clock_kernels,
    },
};
const unsigned tkf_arch_nsources = sizeof tkf_arch_sources / sizeof tkf_arch_sources[0];
