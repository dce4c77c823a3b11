/* SPDX-License-Identifier: MIT */
#include "../facts.h"
#include "system.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysctl.h>

/* A sysctl's string; "" when there is none. */
static void read_text(const char *name, char *ret_text, size_t size)
{
    if (sysctlbyname(name, ret_text, &size, NULL, 0) != 0)
        ret_text[0] = '\0';
}

bool tkf_sysctl_number(const char *name, uint64_t *ret_number)
{
    uint64_t number = 0; /* it may be of 4 or 8 bytes; the low ones come first on every Mac */
    size_t size = sizeof(number);
    if (sysctlbyname(name, &number, &size, NULL, 0) != 0)
        return false;
    *ret_number = number;
    return true;
}

static bool is_set(const char *name)
{
    uint64_t number;
    return tkf_sysctl_number(name, &number) && number != 0;
}

static void read_cpu_id(struct tkf_machine *machine)
{
    uint64_t family, model, stepping, microcode;
    if (tkf_sysctl_number("machdep.cpu.family", &family) &&
        tkf_sysctl_number("machdep.cpu.model", &model) &&
        tkf_sysctl_number("machdep.cpu.stepping", &stepping))
        snprintf(machine->cpu_id, sizeof(machine->cpu_id), "%llu-%llu-%llu",
                 (unsigned long long)family, (unsigned long long)model,
                 (unsigned long long)stepping);
    else if (tkf_sysctl_number("hw.cpufamily",
                               &family)) /* Apple's own number; MIDR is not published */
        snprintf(machine->cpu_id, sizeof(machine->cpu_id), "0x%08llx", (unsigned long long)family);
    if (tkf_sysctl_number("machdep.cpu.microcode_version", &microcode))
        snprintf(machine->microcode, sizeof(machine->microcode), "0x%llx",
                 (unsigned long long)microcode);
}

void tkf_facts_of_os(const char *root, struct tkf_machine *machine, struct tkf_cpu_hints *hints)
{
    if (root[0] != '\0') /* a recorded tree is a Linux machine's: nothing of it can be known here */
        return;
    snprintf(machine->os, sizeof(machine->os), "macos");
    read_text("kern.osrelease", machine->kernel, sizeof(machine->kernel));
    read_text("machdep.cpu.brand_string", machine->cpu, sizeof(machine->cpu));
    read_cpu_id(machine);

    uint64_t guest;
    machine->hypervisor_known = tkf_sysctl_number("kern.hv_vmm_present", &guest);
    if (machine->hypervisor_known && guest != 0)
        snprintf(machine->hypervisor, sizeof(machine->hypervisor), "unnamed");
    if (is_set("sysctl.proc_translated"))
        snprintf(machine->emulator, sizeof(machine->emulator), "Rosetta 2");

    char vendor[32];
    read_text("machdep.cpu.vendor", vendor, sizeof(vendor));
    hints->lfence_serialises = strcmp(vendor, "GenuineIntel") == 0;
    hints->has_ecv = is_set("hw.optional.arm.FEAT_ECV");
}

void tkf_facts_core(const char *root, unsigned cpu, char *ret_name, size_t size)
{
    (void)root, (void)cpu, (void)size; /* hwloc has it */
    ret_name[0] = '\0';
}

const char *tkf_facts_arch(const char *root)
{
    (void)root;
    return "unknown";
}

void tkf_facts_allowed(const char *root, char *ret_list, size_t size)
{
    (void)root, (void)size; /* no thread can be bound */
    ret_list[0] = '\0';
}

const char *tkf_facts_forbidden(void *ctx)
{
    (void)ctx;
    return NULL;
}
