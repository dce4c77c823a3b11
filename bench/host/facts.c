/* SPDX-License-Identifier: MIT */
#include "facts.h"

#include <stdio.h>
#include <string.h>

static const char *or_null(const char *text)
{
    return text[0] ? text : NULL;
}

void tkf_facts_read_as(const char *root, const char *arch, struct tkf_machine *ret_machine,
                       struct tkf_cpu_hints *ret_hints)
{
    memset(ret_machine, 0, sizeof(*ret_machine));
    memset(ret_hints, 0, sizeof(*ret_hints));
    snprintf(ret_machine->arch, sizeof(ret_machine->arch), "%s", arch);
    tkf_facts_of_os(root, ret_machine, ret_hints);
    ret_machine->emulated = ret_machine->emulator[0] != '\0';
    ret_hints->model_name = or_null(ret_machine->cpu);
    ret_hints->emulator = or_null(ret_machine->emulator);
}

void tkf_facts_read(const char *root, struct tkf_machine *ret_machine,
                    struct tkf_cpu_hints *ret_hints)
{
    tkf_facts_read_as(root, tkf_arch_name, ret_machine, ret_hints);
}

void tkf_facts_add_cpu(struct tkf_machine *machine, const struct tkf_cpu *cpu)
{
    if (machine->cpu[0] == '\0')
        snprintf(machine->cpu, sizeof(machine->cpu), "%s", cpu->model_name);
    if (cpu->hypervisor[0] != '\0') {
        snprintf(machine->hypervisor, sizeof(machine->hypervisor), "%s", cpu->hypervisor);
        machine->hypervisor_known = true;
    }
    if (cpu->emulator[0] != '\0') {
        machine->emulated = true;
        snprintf(machine->emulator, sizeof(machine->emulator), "%s", cpu->emulator);
    }
}
