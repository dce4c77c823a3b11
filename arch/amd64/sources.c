/* SPDX-License-Identifier: MIT */
/** The sources of time on amd64, best first. */
#include "kernel_table.h"

const char tkf_arch_name[] = "amd64";

const struct tkf_arch_roles tkf_arch_roles = {
    .chain_cycle = kernel_xor,
    .chain_check = kernel_add,
    .loop_fused = kernel_fused,
};

#define DECLARE_rdtsc(id, shape, role, offset, ops, text)  tkf_kernel_fn tkf_amd64_rdtsc_##id;
#define DECLARE_rdtscp(id, shape, role, offset, ops, text) tkf_kernel_fn tkf_amd64_rdtscp_##id;
#define DECLARE_clock(id, shape, role, offset, ops, text)  tkf_kernel_fn tkf_amd64_clock_##id;
#define POINT_rdtsc(id, shape, role, offset, ops, text)    tkf_amd64_rdtsc_##id,
#define POINT_rdtscp(id, shape, role, offset, ops, text)   tkf_amd64_rdtscp_##id,
#define POINT_clock(id, shape, role, offset, ops, text)    tkf_amd64_clock_##id,

TKF_KERNELS(DECLARE_rdtsc)
TKF_KERNELS(DECLARE_rdtscp)
TKF_KERNELS(DECLARE_clock)
tkf_burst_fn tkf_amd64_rdtsc_burst, tkf_amd64_rdtscp_burst, tkf_amd64_clock_burst;

static tkf_kernel_fn *const rdtsc_kernels[] = {TKF_KERNELS(POINT_rdtsc)};
static tkf_kernel_fn *const rdtscp_kernels[] = {TKF_KERNELS(POINT_rdtscp)};
static tkf_kernel_fn *const clock_kernels[] = {TKF_KERNELS(POINT_clock)};

static const char *refuse_rdtsc(const struct tkf_cpu *cpu)
{
    return cpu->has_counter ? NULL : "the CPU has no time stamp counter (CPUID 1, EDX bit 4)";
}

static const char *refuse_rdtscp(const struct tkf_cpu *cpu)
{
    return cpu->has_ordered_read ? NULL : "the CPU has no RDTSCP (CPUID 80000001h, EDX bit 27)";
}

static const char *refuse_nothing(const struct tkf_cpu *cpu)
{
    (void)cpu;
    return NULL;
}

/* RDTSC between two LFENCEs comes first: both ends of a window are the same instructions, so their cost cancels, and it
 * runs on every CPU. RDTSCP is the second opinion, for `--source rdtscp`. */
const struct tkf_source tkf_arch_sources[] = {
    {
        .name = "rdtsc",
        .fence = "lfence;rdtsc;lfence",
        .next = "allow it: prctl(PR_SET_TSC, PR_TSC_ENABLE) in the process that starts tickfloor",
        .trapped =
            "ask the hypervisor: Xen emulates the TSC after a migration unless tsc_mode is native; "
            "gVisor's platform decides for its containers",
        .is_cpu_counter = true,
        .unit = TKF_UNIT_REF_TICK,
        .refuse = refuse_rdtsc,
        .burst = tkf_amd64_rdtsc_burst,
        .kernels = rdtsc_kernels,
    },
    {
        .name = "rdtscp",
        .fence = "rdtscp;lfence",
        .next = "allow it: prctl(PR_SET_TSC, PR_TSC_ENABLE) in the process that starts tickfloor",
        .trapped =
            "ask the hypervisor: Xen emulates the TSC after a migration unless tsc_mode is native; "
            "gVisor's platform decides for its containers",
        .is_cpu_counter = true,
        .unit = TKF_UNIT_REF_TICK,
        .refuse = refuse_rdtscp,
        .burst = tkf_amd64_rdtscp_burst,
        .kernels = rdtscp_kernels,
    },
    {
        .name = "os-clock",
        .fence = "a call of the system's clock",
        .unit = TKF_UNIT_NS,
        .refuse = refuse_nothing,
        .burst = tkf_amd64_clock_burst,
        .kernels = clock_kernels,
    },
};
const unsigned tkf_arch_nsources = sizeof tkf_arch_sources / sizeof tkf_arch_sources[0];
