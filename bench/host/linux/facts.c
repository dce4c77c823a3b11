/* SPDX-License-Identifier: MIT */
#include "../facts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#define MIDRS_MAX 4

/* What /proc/cpuinfo says. Numbers are -1, strings "" where it does not. */
struct cpuinfo {
    char vendor[32], model_name[96], microcode[32]; /* amd64, of the first CPU */
    int64_t family, model, stepping;
    bool has_flags, guest, lfence_rdtsc;
    uint64_t midrs[MIDRS_MAX]; /* arm64: each kind of core once, in the order of the CPUs */
    unsigned nmidrs;
};

/* ---- reading -------------------------------------------------------------------------------- */

static FILE *open_under(const char *root, const char *path)
{
    char *full = NULL;
    if (asprintf(&full, "%s%s", root, path) < 0)
        return NULL;
    FILE *file = fopen(full, "re");
    free(full);
    return file;
}

/* The first line of a file, or the first string of a device tree property; "" when there is none. */
static void read_line(const char *root, const char *path, char *ret_text, size_t size)
{
    ret_text[0] = '\0';
    FILE *file = open_under(root, path);
    if (file == NULL)
        return;
    if (fgets(ret_text, (int)size, file) == NULL)
        ret_text[0] = '\0';
    ret_text[strcspn(ret_text, "\n")] = '\0';
    fclose(file);
}

/* A whole number, decimal or 0x…; -1 when it is none. */
static int64_t number(const char *text)
{
    char *end;
    if (!isdigit((unsigned char)text[0]))
        return -1;
    unsigned long long value = strtoull(text, &end, 0);
    return *end == '\0' && value <= INT64_MAX ? (int64_t)value : -1;
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* ---- /proc/cpuinfo -------------------------------------------------------------------------- */

/* The value of "key : value", NULL when the line is of another key. */
static const char *value_of(const char *line, const char *key)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0)
        return NULL;
    line += length;
    line += strspn(line, " \t");
    if (*line != ':')
        return NULL;
    line++;
    return line + strspn(line, " \t");
}

static void add_midr(struct cpuinfo *cpuinfo, uint64_t midr)
{
    for (unsigned i = 0; i < cpuinfo->nmidrs; i++)
        if (cpuinfo->midrs[i] == midr)
            return;
    if (cpuinfo->nmidrs < MIDRS_MAX)
        cpuinfo->midrs[cpuinfo->nmidrs++] = midr;
}

/* The four numbers from which arm64's kernel prints MIDR_EL1; the fifth, architecture, is always 0xf. */
struct midr_fields {
    int64_t implementer, variant, part, revision;
};

static const struct midr_fields no_midr = {-1, -1, -1, -1};

static void end_of_cpu(struct cpuinfo *cpuinfo, struct midr_fields *fields)
{
    if (fields->implementer >= 0 && fields->implementer <= 0xff && fields->part >= 0 &&
        fields->part <= 0xfff && fields->variant >= 0 && fields->variant <= 0xf &&
        fields->revision >= 0 && fields->revision <= 0xf)
        add_midr(cpuinfo, (uint64_t)fields->implementer << 24 | (uint64_t)fields->variant << 20 |
                              UINT64_C(0xf) << 16 | (uint64_t)fields->part << 4 |
                              (uint64_t)fields->revision);
    *fields = no_midr;
}

static void take_line(const char *line, struct cpuinfo *cpuinfo, struct midr_fields *fields)
{
    const struct {
        const char *key;
        char *text;
        size_t size;
    } texts[] = {
        {"vendor_id", cpuinfo->vendor, sizeof(cpuinfo->vendor)},
        {"model name", cpuinfo->model_name, sizeof(cpuinfo->model_name)},
        {"microcode", cpuinfo->microcode, sizeof(cpuinfo->microcode)},
    };
    const struct {
        const char *key;
        int64_t *number;
    } numbers[] = {
        {"cpu family", &cpuinfo->family},    {"model", &cpuinfo->model},
        {"stepping", &cpuinfo->stepping},    {"CPU implementer", &fields->implementer},
        {"CPU variant", &fields->variant},   {"CPU part", &fields->part},
        {"CPU revision", &fields->revision},
    };
    const char *value;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if ((value = value_of(line, texts[i].key)))
            snprintf(texts[i].text, texts[i].size, "%s", value);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if ((value = value_of(line, numbers[i].key)))
            *numbers[i].number = number(value);
    if ((value = value_of(line, "flags"))) {
        cpuinfo->has_flags = true;
        cpuinfo->guest = has_word(value, "hypervisor");
        cpuinfo->lfence_rdtsc = has_word(value, "lfence_rdtsc");
    }
}

static void read_cpuinfo(const char *root, struct cpuinfo *ret_cpuinfo)
{
    *ret_cpuinfo = (struct cpuinfo){.family = -1, .model = -1, .stepping = -1};
    FILE *file = open_under(root, "/proc/cpuinfo");
    if (file == NULL)
        return;
    struct midr_fields fields = no_midr;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, file)) >= 0) {
        while (length > 0 && isspace((unsigned char)line[length - 1]))
            line[--length] = '\0';
        if (length > 0) {
            take_line(line, ret_cpuinfo, &fields);
            continue;
        }
        end_of_cpu(ret_cpuinfo, &fields);
        /* amd64's further CPUs say the same again, and a large machine prints a megabyte of it. */
        if (ret_cpuinfo->vendor[0])
            break;
    }
    end_of_cpu(ret_cpuinfo, &fields);
    free(line);
    fclose(file);
}

/* ---- facts ---------------------------------------------------------------------------------- */

static void amd64_facts(const struct cpuinfo *cpuinfo, struct tkf_machine *machine,
                        struct tkf_cpu_hints *hints)
{
    snprintf(machine->cpu, sizeof(machine->cpu), "%s", cpuinfo->model_name);
    snprintf(machine->microcode, sizeof(machine->microcode), "%s", cpuinfo->microcode);
    if (cpuinfo->family >= 0 && cpuinfo->model >= 0 && cpuinfo->stepping >= 0)
        snprintf(machine->cpu_id, sizeof(machine->cpu_id), "%" PRId64 "-%" PRId64 "-%" PRId64,
                 cpuinfo->family, cpuinfo->model, cpuinfo->stepping);
    /* Intel's LFENCE serialises by definition and has no flag; newer kernels print none for AMD either. */
    hints->lfence_serialises =
        cpuinfo->lfence_rdtsc || strcmp(cpuinfo->vendor, "GenuineIntel") == 0;

    const char *emulator = "";
    if (strcmp(cpuinfo->vendor, "VirtualApple") == 0)
        emulator = "Rosetta";
    else if (strncmp(cpuinfo->model_name, "QEMU TCG", 8) == 0)
        emulator = "QEMU TCG";
    else if (cpuinfo->nmidrs > 0) /* the kernel below runs on arm64 */
        emulator = "unnamed translator";
    snprintf(machine->emulator, sizeof(machine->emulator), "%s", emulator);
}

static void arm64_facts(const char *root, struct cpuinfo *cpuinfo, struct tkf_machine *machine,
                        struct tkf_cpu_hints *hints)
{
    if (cpuinfo->vendor[0]) { /* of x86: qemu-user passes on the file of the machine below */
        snprintf(machine->emulator, sizeof(machine->emulator), "QEMU user mode");
        return;
    }
    if (cpuinfo->nmidrs == 0) {
        char text[32];
        read_line(root, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", text,
                  sizeof(text));
        int64_t midr = number(text);
        if (midr > 0)
            add_midr(cpuinfo, (uint64_t)midr);
    }
    if (cpuinfo->nmidrs == 0)
        return;
    hints->midr = cpuinfo->midrs[0];
    size_t length = 0;
    for (unsigned i = 0; i < cpuinfo->nmidrs; i++)
        length += (size_t)snprintf(machine->cpu_id + length, sizeof(machine->cpu_id) - length,
                                   "%s0x%08" PRIx64, i ? "," : "", cpuinfo->midrs[i]);

    /* Implementer 0 is reserved for software: QEMU's own CPU is part 0x051, 'Q'. */
    if ((hints->midr >> 24 & 0xff) == 0)
        snprintf(machine->emulator, sizeof(machine->emulator), "%s",
                 (hints->midr >> 4 & 0xfff) == 0x051 ? "QEMU TCG" : "unnamed");
}

/*
 * Whose guest this is, by what the firmware was told to say; "" for a machine that it calls its own, NULL when it does
 * not tell. QEMU alone says nothing of emulation: KVM guests have its name too. Clouds that rent out guests and whole
 * machines under one name are left out, but for the one that marks the latter.
 */
static const char *dmi_hypervisor(const char *root)
{
    static const struct {
        const char *vendor, *product, *name;
    } guests[] = {
        {"QEMU", "KVM Virtual Machine", "KVM"},
        {"QEMU", NULL, "QEMU"},
        {"Amazon EC2", NULL, "Nitro"},
        {"Apple Inc.", "Apple Virtualization Generic Platform", "Apple Virtualization"},
        {"Microsoft Corporation", "Virtual Machine", "Hyper-V"},
        {"Parallels International GmbH.", NULL, "Parallels"},
        {"VMware, Inc.", NULL, "VMware"},
        {"Xen", NULL, "Xen"},
        {"innotek GmbH", NULL, "VirtualBox"},
    };
    char vendor[64], product[64];
    read_line(root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor));
    read_line(root, "/sys/class/dmi/id/product_name", product, sizeof(product));
    if (strcmp(vendor, "Amazon EC2") == 0 && strstr(product, ".metal"))
        return "";
    for (size_t i = 0; i < sizeof(guests) / sizeof(guests[0]); i++)
        if (strcmp(vendor, guests[i].vendor) == 0 &&
            (guests[i].product == NULL || strcmp(product, guests[i].product) == 0))
            return guests[i].name;
    return NULL;
}

/* The same by the kernel's own word or the device tree; NULL when they do not tell. */
static const char *kernel_hypervisor(const char *root)
{
    char text[64];
    read_line(root, "/sys/hypervisor/type", text, sizeof(text));
    if (strcmp(text, "xen") == 0)
        return "Xen";
    if (text[0])
        return "unnamed";
    read_line(root, "/sys/firmware/devicetree/base/hypervisor/compatible", text, sizeof(text));
    if (strncmp(text, "xen,", 4) == 0)
        return "Xen";
    if (strcmp(text, "linux,kvm") == 0)
        return "KVM";
    return text[0] ? "unnamed" : NULL;
}

/* The board that hypervisors and emulators invent for a guest. */
static bool is_virtual_board(const char *root)
{
    char text[64];
    read_line(root, "/sys/firmware/devicetree/base/compatible", text, sizeof(text));
    return strcmp(text, "linux,dummy-virt") == 0;
}

static void hypervisor_facts(const char *root, const struct cpuinfo *cpuinfo,
                             struct tkf_machine *machine)
{
    const char *name = kernel_hypervisor(root);
    if (name == NULL)
        name = dmi_hypervisor(root);
    if (name == NULL && is_virtual_board(root))
        name = "unnamed";
    if (name == NULL && cpuinfo->has_flags)
        name = cpuinfo->guest ? "unnamed" : "";
    machine->hypervisor_known = name != NULL;
    if (name)
        snprintf(machine->hypervisor, sizeof(machine->hypervisor), "%s", name);
}

void tkf_facts_of_os(const char *root, struct tkf_machine *machine, struct tkf_cpu_hints *hints)
{
    snprintf(machine->os, sizeof(machine->os), "linux");
    read_line(root, "/proc/sys/kernel/osrelease", machine->kernel, sizeof(machine->kernel));

    struct cpuinfo cpuinfo;
    read_cpuinfo(root, &cpuinfo);
    if (strcmp(machine->arch, "amd64") == 0) {
        amd64_facts(&cpuinfo, machine, hints);
    } else if (strcmp(machine->arch, "arm64") == 0) {
        arm64_facts(root, &cpuinfo, machine, hints);
        if (root[0] == '\0') {
            hints->hwcap = getauxval(AT_HWCAP);
            hints->hwcap2 = getauxval(AT_HWCAP2);
        }
    }
    hypervisor_facts(root, &cpuinfo, machine);
}

const char *tkf_facts_forbidden(void *ctx)
{
    (void)ctx;
    int mode = 0;
    if (prctl(PR_GET_TSC, &mode, 0, 0, 0) == 0 && mode == PR_TSC_SIGSEGV)
        return "the process forbids reading the time stamp counter (prctl PR_SET_TSC)";
    return NULL;
}
