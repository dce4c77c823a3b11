/* SPDX-License-Identifier: MIT */
/** What an amd64 CPU says of itself: CPUID. Nothing here traps, in any ring. */
#include "arch.h"

struct cpuid {
    uint32_t a, b, c, d;
};

static struct cpuid cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid r;
    __asm__ volatile("cpuid"
                     : "=a"(r.a), "=b"(r.b), "=c"(r.c), "=d"(r.d)
                     : "0"(leaf), "2"(subleaf));
    return r;
}

/** Append the bytes of n registers, as CPUID spells names, to a string of size bytes; stops at a zero byte. */
static void spell(char *text, unsigned size, const uint32_t *registers, unsigned n)
{
    unsigned length = 0;
    while (length < size && text[length] != '\0')
        length++;
    for (unsigned i = 0; i < 4 * n && length + 1 < size; i++) {
        char c = (char)(registers[i / 4] >> (8 * (i % 4)));
        if (c == '\0')
            break;
        if (c == ' ' && (length == 0 || text[length - 1] == ' '))
            continue; /* old Intel CPUs pad their names in front */
        text[length++] = c;
    }
    text[length] = '\0';
}

static void trim(char *text)
{
    unsigned length = 0;
    while (text[length] != '\0')
        length++;
    while (length > 0 && text[length - 1] == ' ')
        text[--length] = '\0';
}

static void copy(char *to, unsigned size, const char *from)
{
    unsigned i = 0;
    for (; from[i] != '\0' && i + 1 < size; i++)
        to[i] = from[i];
    to[i] = '\0';
}

static bool same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return *a == *b;
}

static void declare_rate(struct tkf_cpu *cpu, const char *name, double hz)
{
    if (hz > 0 && cpu->nrates < TKF_CPU_RATES_MAX)
        cpu->rates[cpu->nrates++] = (struct tkf_declared_rate){name, hz};
}

/** The leaves of the hypervisor itself: KVM and Xen may offer Hyper-V's interface before their own. */
static uint32_t hypervisor_leaves(void)
{
    char first[16] = "";
    struct cpuid top = cpuid(0x40000000, 0);
    spell(first, sizeof first, (uint32_t[]){top.b, top.c, top.d}, 3);
    uint32_t second = 0x40000100, most = cpuid(second, 0).a;
    bool has_second = same(first, "Microsoft Hv") && most >= second && most <= second + 0xff;
    return has_second ? second : 0x40000000;
}

static void identify_hypervisor(struct tkf_cpu *cpu)
{
    uint32_t leaves = hypervisor_leaves();
    struct cpuid top = cpuid(leaves, 0);
    spell(cpu->hypervisor, sizeof cpu->hypervisor, (uint32_t[]){top.b, top.c, top.d}, 3);
    trim(cpu->hypervisor);

    static const struct {
        const char *signature, *name;
        bool emulates;
    } known[] = {
        {"KVMKVMKVM", "KVM", false},           {"Microsoft Hv", "Hyper-V", false},
        {"VMwareVMware", "VMware", false},     {"XenVMMXenVMM", "Xen", false},
        {"VBoxVBoxVBox", "VirtualBox", false}, {"bhyve bhyve", "bhyve", false},
        {"ACRNACRNACRN", "ACRN", false},       {"prl hyperv", "Parallels", false},
        {"TCGTCGTCGTCG", "QEMU TCG", true},    {"FEXIFEXIEMU", "FEX-Emu", true},
        {"VirtualApple", "Rosetta", true},
    };
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (same(cpu->hypervisor, known[i].signature)) {
            copy(cpu->hypervisor, sizeof cpu->hypervisor, known[i].name);
            if (known[i].emulates)
                copy(cpu->emulator, sizeof cpu->emulator, known[i].name);
        }
    }
    if (cpu->hypervisor[0] == '\0')
        copy(cpu->hypervisor, sizeof cpu->hypervisor, "unnamed");

    /* What Xen does to the counter (xen: public/arch-x86/cpuid.h, leaf 4): EAX bit 0 it emulates it, ECX its rate in kHz. */
    if (same(cpu->hypervisor, "Xen") && top.a >= leaves + 3) {
        struct cpuid time = cpuid(leaves + 3, 0);
        cpu->counter_emulated = time.a & 1;
        declare_rate(cpu, "xen-cpuid", time.c * 1e3);
    }

    /* VMware's convention, also followed by KVM where the VMM fills it in: the TSC's rate in kHz. */
    if (top.a >= leaves + 0x10 && top.a < 0x40010000)
        declare_rate(cpu, "cpuid-40000010h", cpuid(leaves + 0x10, 0).a * 1e3);
}

void tkf_arch_identify(const struct tkf_cpu_hints *hints, struct tkf_cpu *ret_cpu)
{
    struct tkf_cpu *cpu = ret_cpu;
    struct cpuid base = cpuid(0, 0);
    spell(cpu->vendor, sizeof cpu->vendor, (uint32_t[]){base.b, base.d, base.c}, 3);

    struct cpuid one = cpuid(1, 0);
    cpu->stepping = one.a & 15;
    cpu->model = one.a >> 4 & 15;
    cpu->family = one.a >> 8 & 15;
    if (cpu->family == 6 || cpu->family == 15)
        cpu->model |= (one.a >> 16 & 15) << 4;
    if (cpu->family == 15)
        cpu->family += one.a >> 20 & 255;
    cpu->has_counter = one.d >> 4 & 1;

    uint32_t extended = cpuid(0x80000000, 0).a;
    if (extended >= 0x80000001)
        cpu->has_ordered_read = cpuid(0x80000001, 0).d >> 27 & 1;
    for (uint32_t leaf = 0x80000002; leaf <= 0x80000004 && leaf <= extended; leaf++) {
        struct cpuid r = cpuid(leaf, 0);
        spell(cpu->model_name, sizeof cpu->model_name, (uint32_t[]){r.a, r.b, r.c, r.d}, 4);
    }
    trim(cpu->model_name);
    if (cpu->model_name[0] == '\0' && hints->model_name)
        copy(cpu->model_name, sizeof cpu->model_name, hints->model_name);
    if (extended >= 0x80000007)
        cpu->invariant = cpuid(0x80000007, 0).d >> 8 & 1;

    if (extended >= 0x80000008) /* RDPRU: AMD APM vol. 3, CPUID 8000_0008h EBX bit 4 */
        cpu->has_core_clock = cpuid(0x80000008, 0).b >> 4 & 1;

    /*
     * LFENCE orders RDTSC on every Intel CPU (and its licensees). On AMD and Hygon it does so when it is dispatch-serialising:
     * always where CPUID 80000021h EAX bit 2 says so, by an MSR that the operating system sets elsewhere.
     */
    bool amd = same(cpu->vendor, "AuthenticAMD") || same(cpu->vendor, "HygonGenuine");
    bool always = extended >= 0x80000021 && (cpuid(0x80000021, 0).a >> 2 & 1);
    cpu->fence_known = !amd || always || hints->lfence_serialises;

    /*
     * Crystal clock times ratio. Only Intel fills these in: the ratio may stand without a crystal frequency, and then leaf 16h
     * gives the marketing frequency, good to a few tenths of a per cent (linux: arch/x86/kernel/tsc.c has the story).
     */
    if (base.a >= 0x15) {
        struct cpuid r = cpuid(0x15, 0);
        if (r.a != 0 && r.b != 0 && r.c != 0)
            declare_rate(cpu, "cpuid-15h", (double)r.c * r.b / r.a);
    }
    if (base.a >= 0x16)
        declare_rate(cpu, "cpuid-16h", (cpuid(0x16, 0).a & 0xffff) * 1e6);

    if (one.c >> 31 & 1)
        identify_hypervisor(cpu);
    if (cpu->emulator[0] == '\0' && hints->emulator)
        copy(cpu->emulator, sizeof cpu->emulator, hints->emulator);
}
