/* SPDX-License-Identifier: MIT */
/**
 * What is known of an arm64 CPU. It says almost nothing of itself below EL1: the identification
 * registers trap, so the environment reads them and passes them on as hints.
 */
#include "arch.h"
#include "midr.h"

/**
 * HWCAP2_ECV of Linux's uapi/asm/hwcap.h: ID_AA64MMFR0_EL1.ECV is at least 1, so CNTVCTSS_EL0
 * exists.
 */
#define HWCAP2_ECV (UINT64_C(1) << 19)

static void copy(char *to, unsigned size, const char *from)
{
    unsigned i = 0;
    for (; from[i] != '\0' && i + 1 < size; i++)
        to[i] = from[i];
    to[i] = '\0';
}

/**
 * The implementer codes of the Arm ARM, MIDR_EL1, and those that Linux knows besides; NULL for
 * others.
 */
static const char *implementer(uint64_t midr)
{
    static const struct {
        uint8_t code;
        const char *name;
    } known[] = {
        {0x41, "Arm"},       {0x42, "Broadcom"},  {0x43, "Cavium"},  {0x46, "Fujitsu"},
        {0x48, "HiSilicon"}, {0x4e, "NVIDIA"},    {0x50, "APM"},     {0x51, "Qualcomm"},
        {0x53, "Samsung"},   {0x56, "Marvell"},   {0x61, "Apple"},   {0x66, "Faraday"},
        {0x69, "Intel"},     {0x6d, "Microsoft"}, {0x70, "Phytium"}, {0xc0, "Ampere"},
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (known[i].code == (midr >> 24 & 0xff))
            return known[i].name;
    }
    return NULL;
}

void tkf_arch_identify(const struct tkf_cpu_hints *hints, struct tkf_cpu *ret_cpu)
{
    struct tkf_cpu *cpu = ret_cpu;
    cpu->midr = hints->midr;
    const char *vendor = implementer(hints->midr);
    if (vendor)
        copy(cpu->vendor, sizeof cpu->vendor, vendor);
    const char *name = hints->model_name ? hints->model_name : tkf_arm64_midr_name(hints->midr);
    if (name)
        copy(cpu->model_name, sizeof cpu->model_name, name);
    if (hints->emulator)
        copy(cpu->emulator, sizeof cpu->emulator, hints->emulator);

    /* The generic timer is part of the architecture: always there, at a constant rate, always on
     * (Arm ARM, "The Generic Timer"); and so is what ISB does. Whether EL0 may read it is for
     * the probe to find out. */
    cpu->has_counter = true;
    cpu->invariant = true;
    cpu->fence_known = true;
    cpu->has_ordered_read = hints->has_ecv || (hints->hwcap2 & HWCAP2_ECV);

    /* Last, as it may trap. It is a note that firmware left for software (Arm ARM, CNTFRQ_EL0),
     * and 0 where it left none. */
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    if (hz > 0)
        cpu->rates[cpu->nrates++] = (struct tkf_declared_rate){"cntfrq", (double)hz};
}
