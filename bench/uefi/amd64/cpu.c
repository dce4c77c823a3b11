/* SPDX-License-Identifier: MIT */
/** amd64 in ring 0. A register that the CPU does not declare is never touched: the fault would end the firmware. */
#include "../firmware.h"

/* AMD APM vol. 2, MSR C001_1029, bit 1: LFENCE waits for all that came before it. */
#define MSR_DE_CFG       0xc0011029
#define LFENCE_SERIALISE (UINT64_C(1) << 1)

struct cpuid {
    uint32_t a, b, c, d;
};

static struct cpuid cpuid(uint32_t leaf)
{
    struct cpuid r;
    __asm__ volatile("cpuid" : "=a"(r.a), "=b"(r.b), "=c"(r.c), "=d"(r.d) : "0"(leaf), "2"(0));
    return r;
}

static uint64_t read_msr(uint32_t number)
{
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(number));
    return (uint64_t)high << 32 | low;
}

static void write_msr(uint32_t number, uint64_t value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "c"(number), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
}

/**
 * Whether LFENCE orders the counter's reads on an AMD CPU. Where nothing set the bit yet, this sets it, as an operating system
 * does. The register exists from family 10h on, 11h excepted; LFENCE of the families without it always serialises (linux:
 * arch/x86/kernel/cpu/amd.c). A hypervisor need not have the register, so a guest's is left alone.
 */
static bool amd_lfence_serialises(uint32_t family, bool guest)
{
    if (family < 0x10 || family == 0x11)
        return true;
    if (guest)
        return false; /* unless CPUID says so, which tkf_arch_identify() asks */
    uint64_t value = read_msr(MSR_DE_CFG);
    if ((value & LFENCE_SERIALISE) == 0)
        write_msr(MSR_DE_CFG, value | LFENCE_SERIALISE);
    return (read_msr(MSR_DE_CFG) & LFENCE_SERIALISE) != 0;
}

void tkf_uefi_cpu_prepare(struct tkf_cpu_hints *ret_hints)
{
    struct cpuid base = cpuid(0), one = cpuid(1);
    uint32_t extended = cpuid(0x80000000).a;
    uint32_t family = (one.a >> 8 & 15) == 15 ? 15 + (one.a >> 20 & 255) : one.a >> 8 & 15;
    bool amd = base.b == 0x68747541 /* Auth */ || base.b == 0x6f677948 /* Hygo */;
    bool always = extended >= 0x80000021 && (cpuid(0x80000021).a >> 2 & 1);
    *ret_hints = (struct tkf_cpu_hints){.lfence_serialises =
                                            !amd || always ||
                                            amd_lfence_serialises(family, (one.c >> 31 & 1) != 0)};
}

void tkf_uefi_cpu_facts(const struct tkf_cpu *cpu, struct tkf_machine *machine)
{
    tkf_uefi_format(machine->cpu_id, sizeof machine->cpu_id, "%u-%u-%u", cpu->family, cpu->model,
                    cpu->stepping);
    machine->hypervisor_known = true; /* CPUID 1, ECX bit 31, tells; its name need not */
    tkf_uefi_format(machine->hypervisor, sizeof machine->hypervisor, "%s", cpu->hypervisor);
    tkf_uefi_format(machine->emulator, sizeof machine->emulator, "%s", cpu->emulator);
}

uint64_t tkf_uefi_cpu_mask(void)
{
    uint64_t flags;
    __asm__ volatile("pushfq\n\tpopq %0\n\tcli" : "=r"(flags) : : "memory");
    return flags;
}

void tkf_uefi_cpu_unmask(uint64_t state)
{
    if ((state >> 9 & 1) != 0) /* RFLAGS.IF */
        __asm__ volatile("sti" : : : "memory");
}
