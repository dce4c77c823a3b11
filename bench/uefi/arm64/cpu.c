/* SPDX-License-Identifier: MIT */
/** arm64 at EL1 or EL2, where UEFI runs. The identification registers exist on every CPU. */
#include "../firmware.h"

/* Arm ARM, ID_AA64MMFR0_EL1: CNTVCTSS_EL0 exists when ECV is 1 or more. */
#define ECV_SHIFT 60

void tkf_uefi_cpu_prepare(struct tkf_cpu_hints *ret_hints)
{
    uint64_t midr, mmfr0;
    __asm__ volatile("mrs %0, midr_el1" : "=r"(midr));
    __asm__ volatile("mrs %0, id_aa64mmfr0_el1" : "=r"(mmfr0));
    /* Implementer 0 is reserved for software: QEMU's own CPU is part 0x051, 'Q'. */
    bool software = (midr >> 24 & 0xff) == 0;
    const char *emulator = (midr >> 4 & 0xfff) == 0x051 ? "QEMU TCG" : "unnamed";
    *ret_hints = (struct tkf_cpu_hints){
        .midr = midr,
        .has_ecv = mmfr0 >> ECV_SHIFT != 0,
        .emulator = software ? emulator : NULL,
    };
}

void tkf_uefi_cpu_facts(const struct tkf_cpu *cpu, struct tkf_machine *machine)
{
    uint64_t level;
    __asm__ volatile("mrs %0, currentel" : "=r"(level));
    tkf_uefi_format(machine->cpu_id, sizeof machine->cpu_id, "0x%08llx",
                    (unsigned long long)cpu->midr);
    /* EL2 is the hypervisor's: at EL1 there may be one, and nothing tells. */
    machine->hypervisor_known = (level >> 2 & 3) == 2;
    tkf_uefi_format(machine->emulator, sizeof machine->emulator, "%s", cpu->emulator);
}

uint64_t tkf_uefi_cpu_mask(void)
{
    uint64_t daif;
    __asm__ volatile("mrs %0, daif\n\tmsr daifset, #3" : "=r"(daif) : : "memory");
    return daif;
}

void tkf_uefi_cpu_unmask(uint64_t state)
{
    __asm__ volatile("msr daif, %0" : : "r"(state) : "memory");
}
