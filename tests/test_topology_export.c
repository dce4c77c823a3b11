/* SPDX-License-Identifier: MIT */
/** The machine for lstopo: what was measured is in the file that hwloc reads back, what was not is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <hwloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "topology_export.h"

static hwloc_topology_t read_back(const char *path)
{
    hwloc_topology_t topology;
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_xml(topology, path), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    return topology;
}

/* A CPU that this process may use: the first that hwloc finds. */
static unsigned some_cpu(void)
{
    hwloc_topology_t topology;
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    unsigned cpu = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0)->os_index;
    hwloc_topology_destroy(topology);
    return cpu;
}

static void what_was_measured_is_read_back(void **state)
{
    (void)state;
    char path[] = "/tmp/tickfloor-topology.XXXXXX", reason[120] = "";
    close(mkstemp(path));
    unsigned cpu = some_cpu();
    struct tkf_profile_cpu measured = {
        .floor = {.cpu = cpu, .pinned = true, .cycle_ns = 0.25, .floor_ns = {0.25, 0.25, 0.5}}};
    struct tkf_profile profile = {.tool = "tickfloor 0.1.0",
                                  .created = "2026-11-30T12:00:00Z",
                                  .cpus = &measured,
                                  .ncpus = 1,
                                  .explore = calloc(1, sizeof(struct tkf_explore))};
    assert_non_null(profile.explore);
    profile.explore->nnoise = 1;
    profile.explore->noise[0] =
        (struct tkf_cpu_noise){.cpu = cpu, .stolen_share = 0.02, .worst_ns = NAN, .rate_hz = 250};
    assert_int_equal(tkf_topology_export(&profile, path, reason, sizeof(reason)), 0);

    hwloc_topology_t topology = read_back(path);
    hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology, cpu);
    assert_string_equal(hwloc_obj_get_info_by_name(pu, "TickfloorCycleNs"), "0.25");
    assert_string_equal(hwloc_obj_get_info_by_name(pu, "TickfloorFloorNs"), "0.25");
    assert_string_equal(hwloc_obj_get_info_by_name(pu, "TickfloorStolenShare"), "0.02");
    assert_null(hwloc_obj_get_info_by_name(pu, "TickfloorWorstGapNs")); /* unknown is not 0 */
    assert_non_null(strstr(hwloc_obj_get_info_by_name(pu, "lstopoStyle"), "#440154"));
    assert_string_equal(
        hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "TickfloorCreated"),
        "2026-11-30T12:00:00Z");
    hwloc_topology_destroy(topology);

    /* One that was not watched has no colour. */
    strcpy(profile.explore->noise[0].reason, "it could not be bound");
    assert_int_equal(tkf_topology_export(&profile, path, reason, sizeof(reason)), 0);
    topology = read_back(path);
    pu = hwloc_get_pu_obj_by_os_index(topology, cpu);
    assert_null(hwloc_obj_get_info_by_name(pu, "lstopoStyle"));
    hwloc_topology_destroy(topology);
    free(profile.explore);
    unlink(path);
}

static void what_cannot_be_written_is_said(void **state)
{
    (void)state;
    char reason[120] = "";
    struct tkf_profile profile = {.tool = "tickfloor 0.1.0"};
    assert_int_equal(tkf_topology_export(&profile, "/nonexistent/x.xml", reason, sizeof(reason)),
                     TKF_EIO);
    assert_string_equal(reason, "No such file or directory");
    setenv("HWLOC_SYNTHETIC", "core:2 pu:1", 1);
    assert_int_equal(tkf_topology_export(&profile, "/nonexistent/x.xml", reason, sizeof(reason)),
                     TKF_EUNSUPPORTED);
    assert_non_null(strstr(reason, "HWLOC_SYNTHETIC"));
    unsetenv("HWLOC_SYNTHETIC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_measured_is_read_back),
        cmocka_unit_test(what_cannot_be_written_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
