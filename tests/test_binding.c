/* SPDX-License-Identifier: MIT */
/* Linux: which CPUs may be used and where a bound thread runs, by the kernel's own word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "host.h"

static cpu_set_t before;
static bool skipped;

static struct tkf_topology *loaded(void)
{
    struct tkf_topology *topology;
    char reason[160];
    if (tkf_topology_load(&topology, reason, sizeof(reason)) != 0)
        fail_msg("%s", reason);
    return topology;
}

static int save_mask(void **state)
{
    (void)state;
    return sched_getaffinity(0, sizeof(before), &before);
}

static int restore_mask(void **state)
{
    (void)state;
    return sched_setaffinity(0, sizeof(before), &before);
}

static void assert_mask(const cpu_set_t *expected)
{
    cpu_set_t now;
    assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
    assert_true(CPU_EQUAL(&now, expected));
}

static void all_that_the_mask_holds(void **state)
{
    (void)state;
    struct tkf_topology *topology = loaded();
    assert_mask(&before); /* loading binds nothing */
    unsigned nkinds, ncpus = 0;
    const struct tkf_kind *kinds = tkf_topology_kinds(topology, &nkinds);
    assert_true(nkinds >= 1);
    for (unsigned i = 0; i < nkinds; i++) {
        for (unsigned j = 0; j < kinds[i].ncpus; j++) {
            assert_true(CPU_ISSET(kinds[i].cpus[j], &before));
            assert_true(j == 0 || kinds[i].cpus[j] > kinds[i].cpus[j - 1]);
        }
        ncpus += kinds[i].ncpus;
    }
    assert_int_equal(ncpus, CPU_COUNT(&before));
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
        assert_int_equal(tkf_topology_allows(topology, cpu), CPU_ISSET(cpu, &before) != 0);
    tkf_topology_free(topology);
}

static void pins_to_each(void **state)
{
    (void)state;
    struct tkf_topology *topology = loaded();
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &before)) {
            assert_int_equal(tkf_topology_pin(topology, cpu), TKF_ENOCPU);
            continue;
        }
        assert_int_equal(tkf_topology_pin(topology, cpu), 0);
        assert_int_equal(sched_getcpu(), cpu);
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        assert_mask(&one);
    }
    tkf_topology_free(topology);
}

/* As under taskset: the mask leaves out the lowest CPU. */
static void honours_the_mask(void **state)
{
    (void)state;
    if (CPU_COUNT(&before) < 2) {
        fprintf(stderr, "SKIP honours_the_mask: this process may use one CPU only\n");
        skipped = true;
        skip();
    }
    cpu_set_t fewer = before;
    unsigned lowest = 0;
    while (!CPU_ISSET(lowest, &fewer))
        lowest++;
    CPU_CLR(lowest, &fewer);
    assert_int_equal(sched_setaffinity(0, sizeof(fewer), &fewer), 0);
    struct tkf_topology *topology = loaded();
    assert_false(tkf_topology_allows(topology, lowest));
    assert_int_equal(tkf_topology_pin(topology, lowest), TKF_ENOCPU);
    assert_mask(&fewer);
    tkf_topology_free(topology);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_that_the_mask_holds, save_mask, restore_mask),
        cmocka_unit_test_setup_teardown(pins_to_each, save_mask, restore_mask),
        cmocka_unit_test_setup_teardown(honours_the_mask, save_mask, restore_mask),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed == 0 && skipped ? 77 : failed;
}
