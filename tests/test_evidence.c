/* SPDX-License-Identifier: MIT */
/* What the system counts of all that may take a CPU, read from a made-up proc/ and sys/, and from this machine's. */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explore/evidence.h"
#include "host.h"

static char root[] = "/tmp/tickfloor-evidence-XXXXXX";

static void write_file(const char *path, const char *text)
{
    char full[256];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) != NULL ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

static unsigned nsources;
static uint64_t counts[TKF_EVIDENCE_MAX];

static int find(const struct tkf_evidence *evidence, const char *name)
{
    for (unsigned i = 0; i < nsources; i++) {
        if (strcmp(tkf_evidence_source(evidence, i)->name, name) == 0)
            return (int)i;
    }
    return -1;
}

/* CPU 1 is offline: the third CPU has the second column. */
static const char interrupts[] =
    "           CPU0       CPU2       \n"
    " 24:          1          5  IO-APIC   5-edge      ACPI:Ged\n"
    "131:          0       2273 PCI-MSIX-0000:00:01.0   3-edge      eth0-rx, eth0-tx\n"
    " 33:          7          9  no-double-space-behind\n"
    "NMI:          0          0   Non-maskable interrupts\n"
    "LOC:    2706785    4000000000   Local timer interrupts\n"
    "ERR:          0\n"
    "MIS:          0\n"
    "PIN:          0          0   Posted-interrupt notification event";

static void lines_are_named_and_counted(void **state)
{
    (void)state;
    write_file("/proc/interrupts", interrupts);
    struct tkf_evidence *evidence = tkf_evidence_open(root, 2, &nsources);
    assert_non_null(evidence);
    tkf_evidence_read_slow(evidence, counts);
    assert_int_equal(find(evidence, "context switch"), 0);
    assert_false(tkf_evidence_source(evidence, 0)->interrupt);
    assert_int_equal(counts[find(evidence, "interrupt ACPI:Ged")], 5);
    assert_int_equal(counts[find(evidence, "interrupt eth0-rx, eth0-tx")], 2273);
    assert_int_equal(counts[find(evidence, "interrupt 33")], 9);
    assert_int_equal(counts[find(evidence, "interrupt NMI")], 0);
    assert_true(counts[find(evidence, "interrupt LOC")] == UINT64_C(4000000000));
    assert_true(find(evidence, "interrupt PIN") > 0);
    assert_int_equal(find(evidence, "interrupt ERR"), -1); /* not counted by CPU */
    assert_int_equal(find(evidence, "steal"), -1);         /* no /proc/stat */
    assert_true(
        tkf_evidence_source(evidence, (unsigned)find(evidence, "interrupt LOC"))->interrupt);
    tkf_evidence_close(evidence);
}

static void a_line_that_came_or_went_is_passed_over(void **state)
{
    (void)state;
    write_file("/proc/interrupts", interrupts);
    struct tkf_evidence *evidence = tkf_evidence_open(root, 0, &nsources);
    assert_non_null(evidence);
    write_file("/proc/interrupts", "           CPU0       CPU2       \n"
                                   " 25:         99         99  IO-APIC   6-edge      new\n"
                                   "131:          4       2273 PCI-MSIX   3-edge      eth0\n"
                                   "LOC:         17          3   Local timer interrupts\n");
    counts[find(evidence, "interrupt ACPI:Ged")] = 1234;
    tkf_evidence_read_slow(evidence, counts);
    assert_int_equal(counts[find(evidence, "interrupt ACPI:Ged")], 1234);
    assert_int_equal(counts[find(evidence, "interrupt eth0-rx, eth0-tx")], 4);
    assert_int_equal(counts[find(evidence, "interrupt LOC")], 17);
    tkf_evidence_close(evidence);
}

static void a_cpu_without_a_column_has_no_lines(void **state)
{
    (void)state;
    write_file("/proc/interrupts", interrupts);
    struct tkf_evidence *evidence = tkf_evidence_open(root, 1, &nsources);
    assert_non_null(evidence);
    assert_int_equal(nsources, 1);
    tkf_evidence_close(evidence);
}

static void garbage_is_no_line(void **state)
{
    (void)state;
    write_file("/proc/interrupts",
               "CPU0\n:\n: 5\nABC\nTOOLONGALABELTOBEONE: 7\nX: y\nLOC: 12x\n\n");
    struct tkf_evidence *evidence = tkf_evidence_open(root, 0, &nsources);
    assert_non_null(evidence);
    assert_int_equal(nsources, 1);
    tkf_evidence_read_slow(evidence, counts);
    tkf_evidence_close(evidence);
    write_file("/proc/interrupts", "");
    evidence = tkf_evidence_open(root, 0, &nsources);
    assert_non_null(evidence);
    assert_int_equal(nsources, 1);
    tkf_evidence_close(evidence);
}

/* Stolen time comes before the interrupts, unless the kernel does not charge their time either. */
static void steal_is_where_there_is_any(void **state)
{
    (void)state;
    write_file("/proc/interrupts", interrupts);
    write_file("/proc/stat", "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 3 4 5 0 7 8 0 0\n"
                             "cpu2 1 2 3 4 5 6 7 8 0 0\ncpu20 1 2 3 4 5 6 7 0 0 0\n");
    struct tkf_evidence *evidence = tkf_evidence_open(root, 0, &nsources);
    int steal = find(evidence, "steal");
    assert_true(steal > 0 && steal < find(evidence, "interrupt LOC"));
    assert_true(tkf_evidence_source(evidence, (unsigned)steal)->time);
    tkf_evidence_close(evidence);

    evidence = tkf_evidence_open(root, 2, &nsources);
    assert_int_equal(find(evidence, "steal"), nsources - 1);
    tkf_evidence_close(evidence);

    evidence = tkf_evidence_open(root, 20, &nsources);
    assert_int_equal(find(evidence, "steal"), -1);
    tkf_evidence_close(evidence);
}

static void frequency_changes_and_throttling_are_counted(void **state)
{
    (void)state;
    write_file("/sys/devices/system/cpu/cpu0/cpufreq/stats/total_trans", "41\n");
    write_file("/proc/self/cgroup", "0::/mine\n");
    write_file("/proc/self/mountinfo", "1 1 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    write_file("/sys/fs/cgroup/mine/cgroup.procs", "");
    write_file("/sys/fs/cgroup/mine/cpu.max", "50000 100000\n");
    write_file("/sys/fs/cgroup/mine/cpu.stat", "nr_periods 10\nnr_throttled 3\n");
    struct tkf_evidence *evidence = tkf_evidence_open(root, 0, &nsources);
    int frequency = find(evidence, "frequency"), throttled = find(evidence, "throttled");
    assert_true(frequency >= 0 && throttled == 0); /* before the switch that it makes */
    tkf_evidence_read_slow(evidence, counts);
    assert_int_equal(counts[frequency], 41);
    assert_int_equal(counts[throttled], 3);
    write_file("/sys/devices/system/cpu/cpu0/cpufreq/stats/total_trans", "42\n");
    write_file("/sys/fs/cgroup/mine/cpu.stat", "nr_periods 11\nnr_throttled 4\n");
    tkf_evidence_read_slow(evidence, counts);
    assert_int_equal(counts[frequency], 42);
    assert_int_equal(counts[throttled], 4);
    tkf_evidence_close(evidence);
}

/* ---- this machine ----------------------------------------------------------------------------------------------- */

static void a_switch_is_counted(void **state)
{
    (void)state;
    struct tkf_evidence *evidence = tkf_evidence_open("", 0, &nsources);
    assert_non_null(evidence);
    int switches = find(evidence, "context switch");
    tkf_evidence_read_fast(evidence, true, counts);
    uint64_t before = counts[switches];
    usleep(1000);
    tkf_evidence_read_fast(evidence, false, counts);
    assert_true(counts[switches] > before);
    tkf_evidence_close(evidence);
}

/* A CPU that does nothing but this has its timer's interrupts, unless the kernel leaves it alone (nohz_full). */
static void an_interrupt_is_seen(void **state)
{
    (void)state;
    struct tkf_topology *topology;
    unsigned nkinds;
    char reason[160];
    assert_int_equal(tkf_topology_load(&topology, reason, sizeof reason), 0);
    unsigned cpu = tkf_topology_kinds(topology, &nkinds)[0].cpus[0];
    struct tkf_evidence *evidence = tkf_evidence_open("", cpu, &nsources);
    int bound = tkf_topology_pin(topology, cpu);
    assert_non_null(evidence);
    static uint64_t before[TKF_EVIDENCE_MAX];
    tkf_evidence_read_slow(evidence, before);
    bool lines = false, moved = false;
    for (uint64_t end = tkf_clock_ns(NULL) + UINT64_C(10000000000);
         bound == 0 && !moved && tkf_clock_ns(NULL) < end;) {
        tkf_evidence_read_slow(evidence, counts);
        for (unsigned i = 0; i < nsources; i++) {
            lines |= tkf_evidence_source(evidence, i)->interrupt;
            moved |= tkf_evidence_source(evidence, i)->interrupt && counts[i] != before[i];
        }
        if (!lines)
            break;
    }
    tkf_evidence_close(evidence);
    tkf_topology_unpin(topology);
    tkf_topology_free(topology);
    if (!lines || !moved) {
        fputs(lines ? "no interrupt in 10 s: CPU 0 is left alone, or the thread cannot be bound\n"
                    : "this kernel shows no interrupts of a CPU\n",
              stderr);
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_named_and_counted),
        cmocka_unit_test(a_line_that_came_or_went_is_passed_over),
        cmocka_unit_test(a_cpu_without_a_column_has_no_lines),
        cmocka_unit_test(garbage_is_no_line),
        cmocka_unit_test(steal_is_where_there_is_any),
        cmocka_unit_test(frequency_changes_and_throttling_are_counted),
        cmocka_unit_test(a_switch_is_counted),
        cmocka_unit_test(an_interrupt_is_seen),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
