/* SPDX-License-Identifier: MIT */
#include "../facts.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include <hwloc.h>

#include "arm64/midr.h"
#include "guest.h"
#include "sysfile.h"

#define CORES_MAX 4

/* Implementer and part, without variant and revision. */
#define MIDR_CORE UINT64_C(0xff00fff0)

/* A kind of core of arm64. */
struct core {
    uint64_t midr;
    unsigned cpu; /* the first of them */
};

/* What /proc/cpuinfo says. Numbers are -1, strings "" where it does not. */
struct cpuinfo {
    char vendor[32], model_name[96], microcode[32]; /* amd64, of the first CPU */
    int64_t family, model, stepping;
    bool has_flags, guest, lfence_rdtsc;
    struct core cores[CORES_MAX]; /* arm64: each kind once, in the order of the CPUs */
    unsigned ncores;
};

/* ---- reading -------------------------------------------------------------------------------- */

static FILE *open_under(const char *root, const char *path)
{
    FILE *file;
    char reason[8];
    return tkf_sysfile_open(root, path, &file, reason, sizeof(reason)) == 0 ? file : NULL;
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

static void add_core(struct cpuinfo *cpuinfo, uint64_t midr, unsigned cpu)
{
    for (unsigned i = 0; i < cpuinfo->ncores; i++)
        if (cpuinfo->cores[i].midr == midr)
            return;
    if (cpuinfo->ncores < CORES_MAX)
        cpuinfo->cores[cpuinfo->ncores++] = (struct core){midr, cpu};
}

/* The CPU's number, and the four from which arm64's kernel prints MIDR_EL1; the fifth, architecture, is always 0xf. */
struct midr_fields {
    int64_t cpu, implementer, variant, part, revision;
};

static const struct midr_fields no_midr = {-1, -1, -1, -1, -1};

static void end_of_cpu(struct cpuinfo *cpuinfo, struct midr_fields *fields)
{
    if (fields->implementer >= 0 && fields->implementer <= 0xff && fields->part >= 0 &&
        fields->part <= 0xfff && fields->variant >= 0 && fields->variant <= 0xf &&
        fields->revision >= 0 && fields->revision <= 0xf)
        add_core(cpuinfo,
                 (uint64_t)fields->implementer << 24 | (uint64_t)fields->variant << 20 |
                     UINT64_C(0xf) << 16 | (uint64_t)fields->part << 4 | (uint64_t)fields->revision,
                 fields->cpu >= 0 && fields->cpu <= UINT16_MAX ? (unsigned)fields->cpu : 0);
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
        {"CPU revision", &fields->revision}, {"processor", &fields->cpu},
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
    else if (cpuinfo->ncores > 0) /* the kernel below runs on arm64 */
        emulator = "unnamed translator";
    snprintf(machine->emulator, sizeof(machine->emulator), "%s", emulator);
}

/* MIDR_EL1 of one CPU; 0 where the system does not tell: everywhere but on arm64 since Linux 4.7. */
static uint64_t midr_of(const char *root, unsigned cpu)
{
    char path[96], text[32];
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", cpu);
    read_line(root, path, text, sizeof(text));
    int64_t midr = number(text);
    return midr > 0 ? (uint64_t)midr : 0;
}

static void name_core(uint64_t midr, char *ret_name, size_t size)
{
    const char *name = tkf_arm64_midr_name(midr);
    if (name)
        snprintf(ret_name, size, "%s", name);
    else
        snprintf(ret_name, size, "unnamed 0x%08" PRIx64, midr);
}

/*
 * Intel's hybrid CPUs: each kind has a driver of its own for its hardware counters. The names are those that hwloc gives
 * them where it may ask each CPU itself, by CPUID 1Ah.
 */
static void name_hybrid_core(const char *root, unsigned cpu, char *ret_name, size_t size)
{
    static const char *const kinds[][2] = {
        {"cpu_core", "IntelCore"}, {"cpu_atom", "IntelAtom"}, {"cpu_lowpower", "IntelLowPower"}};
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    for (size_t i = 0; cpus && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        char path[96], list[1024];
        snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/cpus", kinds[i][0]);
        read_line(root, path, list, sizeof(list));
        if (list[0] && hwloc_bitmap_list_sscanf(cpus, list) == 0 && hwloc_bitmap_isset(cpus, cpu))
            snprintf(ret_name, size, "%s", kinds[i][1]);
    }
    hwloc_bitmap_free(cpus);
}

void tkf_facts_core(const char *root, unsigned cpu, char *ret_name, size_t size)
{
    uint64_t midr = midr_of(root, cpu);
    ret_name[0] = '\0';
    if (midr != 0)
        name_core(midr, ret_name, size);
    else
        name_hybrid_core(root, cpu, ret_name, size);
}

/* How much of the largest core's work a core does in a unit of time, of 1024; 0 when the kernel does not say. */
static int64_t capacity_of(const char *root, unsigned cpu)
{
    char path[64], text[32];
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpu_capacity", cpu);
    read_line(root, path, text, sizeof(text));
    int64_t capacity = number(text);
    return capacity > 0 ? capacity : 0;
}

/* The machine is called by all its kinds of core, the largest first: "Arm Cortex-A76 + Arm Cortex-A55". */
static void name_cores(const char *root, const struct cpuinfo *cpuinfo, struct tkf_machine *machine)
{
    struct core cores[CORES_MAX];
    unsigned n = 0, nnamed = 0;
    for (unsigned i = 0; i < cpuinfo->ncores; i++) {
        unsigned at = n++;
        for (; at > 0 &&
               capacity_of(root, cores[at - 1].cpu) < capacity_of(root, cpuinfo->cores[i].cpu);
             at--)
            cores[at] = cores[at - 1];
        cores[at] = cpuinfo->cores[i];
        nnamed += tkf_arm64_midr_name(cores[at].midr) != NULL;
    }
    size_t length = 0;
    for (unsigned i = 0; i < n && nnamed > 0 && length < sizeof(machine->cpu); i++) {
        char name[48];
        bool again = false; /* another revision of the same core */
        for (unsigned k = 0; k < i; k++)
            again = again || ((cores[k].midr ^ cores[i].midr) & MIDR_CORE) == 0;
        if (again)
            continue;
        name_core(cores[i].midr, name, sizeof(name));
        length += (size_t)snprintf(machine->cpu + length, sizeof(machine->cpu) - length, "%s%s",
                                   length ? " + " : "", name);
    }
}

static void arm64_facts(const char *root, struct cpuinfo *cpuinfo, struct tkf_machine *machine,
                        struct tkf_cpu_hints *hints)
{
    if (cpuinfo->vendor[0]) { /* of x86: qemu-user passes on the file of the machine below */
        snprintf(machine->emulator, sizeof(machine->emulator), "QEMU user mode");
        return;
    }
    uint64_t midr = cpuinfo->ncores == 0 ? midr_of(root, 0) : 0;
    if (midr != 0)
        add_core(cpuinfo, midr, 0);
    if (cpuinfo->ncores == 0)
        return;
    hints->midr = cpuinfo->cores[0].midr;
    size_t length = 0;
    for (unsigned i = 0; i < cpuinfo->ncores; i++)
        length += (size_t)snprintf(machine->cpu_id + length, sizeof(machine->cpu_id) - length,
                                   "%s0x%08" PRIx64, i ? "," : "", cpuinfo->cores[i].midr);
    name_cores(root, cpuinfo, machine);

    /* Implementer 0 is reserved for software: QEMU's own CPU is part 0x051, 'Q'. */
    if ((hints->midr >> 24 & 0xff) == 0)
        snprintf(machine->emulator, sizeof(machine->emulator), "%s",
                 (hints->midr >> 4 & 0xfff) == 0x051 ? "QEMU TCG" : "unnamed");
}

const char *tkf_facts_arch(const char *root)
{
    char arch[32]; /* since Linux 6.1 */
    read_line(root, "/proc/sys/kernel/arch", arch, sizeof(arch));
    if (strcmp(arch, "x86_64") == 0)
        return "amd64";
    if (strcmp(arch, "aarch64") == 0)
        return "arm64";
    struct cpuinfo cpuinfo;
    read_cpuinfo(root, &cpuinfo);
    if (cpuinfo.vendor[0])
        return "amd64";
    return cpuinfo.ncores > 0 || midr_of(root, 0) != 0 ? "arm64" : "unknown";
}

/* A value of /proc/self/status, "" where it has none of that name. */
static void read_status(const char *root, const char *key, char *ret_value, size_t size)
{
    ret_value[0] = '\0';
    FILE *file = open_under(root, "/proc/self/status");
    if (file == NULL)
        return;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) >= 0) {
        const char *value = value_of(line, key);
        if (value)
            snprintf(ret_value, size, "%.*s", (int)strcspn(value, "\n"), value);
    }
    free(line);
    fclose(file);
}

void tkf_facts_allowed(const char *root, char *ret_list, size_t size)
{
    read_status(root, "Cpus_allowed_list", ret_list, size);
}

void tkf_guest_seccomp(const char *root, char *ret_mode, size_t size)
{
    read_status(root, "Seccomp", ret_mode, size);
}

static void hypervisor_facts(const char *root, const struct cpuinfo *cpuinfo,
                             struct tkf_machine *machine)
{
    const char *name = tkf_guest_hypervisor(root);
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
