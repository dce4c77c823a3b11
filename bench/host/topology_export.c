/* SPDX-License-Identifier: MIT */
#include "topology_export.h"

#include <errno.h>
#include <hwloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Shares of stolen time, and how such a CPU looks: the text keeps its contrast. */
static const struct {
    double below;
    const char *style, *legend;
} looks[] = {
    {1e-4, "Background=#fde725;Text=#000000", "yellow: under 0.01 % of its time stolen"},
    {1e-3, "Background=#5ec962;Text=#000000", "green: under 0.1 %"},
    {1e-2, "Background=#21918c;Text=#ffffff", "teal: under 1 %"},
    {INFINITY, "Background=#440154;Text=#ffffff", "violet: 1 % and more"},
};
#define LOOKS (sizeof(looks) / sizeof(looks[0]))

static void add_number(hwloc_obj_t object, const char *name, double value)
{
    char text[32];
    if (!isfinite(value))
        return;
    snprintf(text, sizeof(text), "%.6g", value);
    hwloc_obj_add_info(object, name, text);
}

static void add_floor(hwloc_topology_t topology, const struct tkf_cpu_floor *floor)
{
    hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology, floor->cpu);
    if (!pu || !floor->pinned)
        return;
    add_number(pu, "TickfloorCycleNs", floor->cycle_ns);
    add_number(pu, "TickfloorFloorNs", floor->floor_ns.lo);
}

static void add_noise(hwloc_topology_t topology, const struct tkf_cpu_noise *noise)
{
    hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology, noise->cpu);
    if (!pu || noise->reason[0])
        return;
    add_number(pu, "TickfloorStolenShare", noise->stolen_share);
    add_number(pu, "TickfloorWorstGapNs", noise->worst_ns);
    add_number(pu, "TickfloorGapsPerSecond", noise->rate_hz);
    size_t look = 0;
    while (look + 1 < LOOKS && !(noise->stolen_share < looks[look].below))
        look++;
    hwloc_obj_add_info(pu, "lstopoStyle", looks[look].style);
}

static void add_all(hwloc_topology_t topology, const struct tkf_profile *profile)
{
    hwloc_obj_t root = hwloc_get_root_obj(topology);
    char text[120];
    hwloc_obj_add_info(root, "TickfloorTool", profile->tool);
    hwloc_obj_add_info(root, "TickfloorCreated", profile->created);
    for (unsigned i = 0; i < profile->ncpus; i++)
        add_floor(topology, &profile->cpus[i].floor);
    if (!profile->explore || profile->explore->nnoise == 0)
        return;
    for (unsigned i = 0; i < profile->explore->nnoise; i++)
        add_noise(topology, &profile->explore->noise[i]);
    snprintf(text, sizeof(text), "%s %s", profile->tool, profile->created);
    hwloc_obj_add_info(root, "lstopoLegend", text);
    for (size_t i = 0; i < LOOKS; i++)
        hwloc_obj_add_info(root, "lstopoLegend", looks[i].legend);
}

int tkf_topology_export(const struct tkf_profile *profile, const char *path, char *ret_reason,
                        size_t size)
{
    hwloc_topology_t topology;
    int ret = 0;
    if (hwloc_topology_init(&topology) != 0) {
        snprintf(ret_reason, size, "%s", tkf_strerror(TKF_ENOMEM));
        return TKF_ENOMEM;
    }
    if (hwloc_topology_load(topology) != 0) {
        snprintf(ret_reason, size, "hwloc cannot load the topology: %s", strerror(errno));
        ret = TKF_EIO;
        goto end;
    }
    if (!hwloc_topology_is_thissystem(topology)) {
        snprintf(ret_reason, size,
                 "hwloc's topology is not of this machine (HWLOC_XMLFILE, HWLOC_SYNTHETIC)");
        ret = TKF_EUNSUPPORTED;
        goto end;
    }
    add_all(topology, profile);
    if (hwloc_topology_export_xml(topology, path, 0) != 0) {
        snprintf(ret_reason, size, "%s", strerror(errno));
        ret = TKF_EIO;
    }
end:
    hwloc_topology_destroy(topology);
    return ret;
}
