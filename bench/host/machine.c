/* SPDX-License-Identifier: MIT */
#include <tickfloor/machine.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "facts.h"

struct identification {
    struct tkf_cpu_hints hints;
    struct tkf_cpu cpu;
};

static void identify(void *arg)
{
    struct identification *who = arg;
    tkf_arch_identify(&who->hints, &who->cpu);
}

void tkf_machine_read(struct tkf_machine *ret_machine)
{
    struct identification who = {.cpu = {.family = 0}};
    tkf_facts_read("", ret_machine, &who.hints);
    tkf_guard(NULL, identify, &who); /* what it had filled in before a trap stands */
    tkf_facts_add_cpu(ret_machine, &who.cpu);
}

static bool is_there(const char *root, const char *folder)
{
    char path[4096];
    struct stat there;
    int length = snprintf(path, sizeof path, "%s/%s", root, folder);
    return length < (int)sizeof path && stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

/* Also where the kinds are not known, the first CPU is what a check looks at. */
static unsigned add_kinds(const char *root, struct tkf_description *description)
{
    struct tkf_topology *topology;
    unsigned nkinds, first = 0;
    if (tkf_topology_read(root, &topology, description->kinds_reason,
                          sizeof description->kinds_reason) != 0)
        return first;
    const struct tkf_kind *kinds = tkf_topology_kinds(topology, &nkinds);
    first = kinds[0].cpus[0];
    for (unsigned k = 0; k < nkinds; k++)
        description->machine.cpus += kinds[k].ncpus;
    description->machine.kinds = nkinds > 1 || kinds[0].name[0] != '\0' ? nkinds : 0;
    description->packages = tkf_topology_count(topology, TKF_PART_PACKAGE);
    description->numa_nodes = tkf_topology_count(topology, TKF_PART_NUMA_NODE);
    description->cores = tkf_topology_count(topology, TKF_PART_CORE);
    description->nkinds = nkinds < TKF_CORE_KINDS_MAX ? nkinds : TKF_CORE_KINDS_MAX;
    for (unsigned k = 0; k < description->nkinds; k++) {
        struct tkf_core_kind *kind = &description->kinds[k];
        *kind = (struct tkf_core_kind){
            .ncpus = kinds[k].ncpus,
            .ncores = kinds[k].ncores,
            .max_mhz = kinds[k].max_mhz,
            .capacity = kinds[k].capacity,
        };
        snprintf(kind->name, sizeof kind->name, "%s", kinds[k].name);
        tkf_cpulist_print(kinds[k].cpus, kinds[k].ncpus, kind->cpus, sizeof kind->cpus);
        tkf_pmu_device(root, kinds[k].cpus[0], kind->pmu, sizeof kind->pmu);
    }
    tkf_topology_free(topology);
    return first;
}

int tkf_machine_describe(const char *root, struct tkf_description *ret_description,
                         struct tkf_input_error *ret_error)
{
    bool recorded = root != NULL && root[0] != '\0';
    if (recorded && !is_there(root, "proc") && !is_there(root, "sys")) {
        *ret_error = (struct tkf_input_error){.next = "name a folder that holds what was recorded "
                                                      "of a machine's /proc and /sys"};
        snprintf(ret_error->text, sizeof ret_error->text,
                 "no recorded machine in %.120s: neither proc nor sys is there", root);
        return TKF_EINVAL;
    }

    struct tkf_description *description = calloc(1, sizeof *description);
    if (description == NULL) {
        *ret_error = (struct tkf_input_error){.text = "out of memory",
                                              .next = "free some memory and try again"};
        return TKF_ENOMEM;
    }
    snprintf(description->tool, sizeof description->tool, "tickfloor " TKF_VERSION);
    if (recorded) {
        struct tkf_cpu_hints hints;
        snprintf(description->root, sizeof description->root, "%s", root);
        tkf_facts_read_as(root, tkf_facts_arch(root), &description->machine, &hints);
    } else {
        root = "";
        tkf_machine_read(&description->machine);
    }
    unsigned cpu = add_kinds(root, description);
    description->nchecks = tkf_readiness(root, &description->machine, cpu, description->checks);
    *ret_description = *description;
    free(description);
    return 0;
}
