/* SPDX-License-Identifier: MIT */
/*
 * Hardware events counted for real: runs as root in a guest whose counters are exact (QEMU, one instruction a virtual
 * nanosecond), started by scripts/guest-arm64.
 *
 * A loop of two instructions is run for n and for 2n iterations; the difference of the two counts holds the loop alone.
 */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

#define ITERS    UINT64_C(1000000)
#define NOBODY   65534
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define USER     "/proc/sys/kernel/perf_user_access"

static void set(const char *path, const char *value)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, value, strlen(value)), strlen(value));
    close(fd);
}

static void run_loop(uint64_t iters)
{
    __asm__ volatile("1:\n\tsubs %0, %0, #1\n\tb.ne 1b" : "+r"(iters) : : "cc");
}

static struct tkf_events count_loop(struct tkf_pmu *pmu, uint64_t iters)
{
    struct tkf_events before, after;
    assert_int_equal(tkf_pmu_read(pmu, &before), 0);
    run_loop(iters);
    assert_int_equal(tkf_pmu_read(pmu, &after), 0);
    return (struct tkf_events){after.cycles - before.cycles,
                               after.instructions - before.instructions};
}

static struct tkf_pmu *open_as(const char *how)
{
    struct tkf_pmu *pmu;
    struct tkf_pmu_status status;
    tkf_pmu_open(0, &pmu, &status);
    if (pmu == NULL)
        fail_msg("no counters: %s", status.reason);
    assert_true(status.available);
    assert_string_equal(status.how, how);
    assert_string_equal(status.reason, "");
    return pmu;
}

static void check_loop(const char *how)
{
    struct tkf_pmu *pmu = open_as(how);
    const struct tkf_events once = count_loop(pmu, ITERS), twice = count_loop(pmu, 2 * ITERS);
    tkf_pmu_close(pmu);

    const double instructions = (double)(twice.instructions - once.instructions) / ITERS;
    const double cycles = (double)(twice.cycles - once.cycles) / ITERS;
    print_message("%s: %.6f instructions and %.6f cycles an iteration\n", how, instructions,
                  cycles);
    assert_true(fabs(instructions - 2) < 0.002);
    /* QEMU counts a cycle for each virtual nanosecond, and the kernel's own work is not among them. */
    assert_true(fabs(cycles - 2) < 0.1);
}

static void counts_by_system_call(void **state)
{
    (void)state;
    set(USER, "0");
    check_loop("read");
}

static void counts_by_instruction(void **state)
{
    (void)state;
    set(USER, "1");
    check_loop("mrs");
    set(USER, "0");
}

/* What lies inside two readings by instruction cannot be more than what lies around them by system call. */
static void both_ways_agree(void **state)
{
    (void)state;
    set(USER, "0");
    struct tkf_pmu *outer = open_as("read");
    set(USER, "1");
    struct tkf_pmu *inner = open_as("mrs");
    struct tkf_events outer_before, inner_before, inner_after, outer_after;
    assert_int_equal(tkf_pmu_read(outer, &outer_before), 0);
    assert_int_equal(tkf_pmu_read(inner, &inner_before), 0);
    run_loop(ITERS);
    assert_int_equal(tkf_pmu_read(inner, &inner_after), 0);
    assert_int_equal(tkf_pmu_read(outer, &outer_after), 0);
    tkf_pmu_close(inner);
    tkf_pmu_close(outer);
    set(USER, "0");

    const uint64_t inside = inner_after.instructions - inner_before.instructions;
    const uint64_t around = outer_after.instructions - outer_before.instructions;
    assert_in_range(inside, 2 * ITERS, around);
    assert_in_range(around, inside, inside + 2000);
    /* The counter starts at a negative number, to which the kernel's offset was added. */
    assert_in_range(inner_before.instructions, 1, 100000);
}

/* A thread that left the CPU is not counted: unknown, not a smaller count. */
static void a_thread_that_moved_is_not_counted(void **state)
{
    (void)state;
    struct tkf_pmu *pmu = open_as("read");
    struct tkf_events events = {1, 2};
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(1, &cpus);
    assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
    run_loop(ITERS);
    assert_int_equal(tkf_pmu_read(pmu, &events), TKF_EUNSUPPORTED);
    assert_int_equal(events.cycles, 1);
    tkf_pmu_close(pmu);
    CPU_ZERO(&cpus);
    CPU_SET(0, &cpus);
    assert_int_equal(sched_setaffinity(0, sizeof(cpus), &cpus), 0);
}

static void close_gives_everything_back(void **state)
{
    (void)state;
    const int before = dup(0);
    close(before);
    for (int i = 0; i < 3; i++)
        tkf_pmu_close(open_as("read"));
    const int after = dup(0);
    close(after);
    assert_int_equal(after, before);

    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    char line[512];
    while (fgets(line, sizeof(line), maps) != NULL)
        assert_null(strstr(line, "perf_event"));
    fclose(maps);
}

static void an_offline_cpu_is_named(void **state)
{
    (void)state;
    set("/sys/devices/system/cpu/cpu1/online", "0");
    struct tkf_pmu *pmu;
    struct tkf_pmu_status status;
    tkf_pmu_open(1, &pmu, &status);
    set("/sys/devices/system/cpu/cpu1/online", "1");
    assert_null(pmu);
    assert_non_null(strstr(status.reason, "does not run on the CPU"));
    assert_non_null(strstr(status.next, "online"));
}

/* What tkf_pmu_open() answers to a user who is not root. */
static void open_as_nobody(const char *paranoid, struct tkf_pmu_status *ret_status)
{
    int ends[2];
    set(PARANOID, paranoid);
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct tkf_pmu *pmu;
        struct tkf_pmu_status status;
        if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
            _exit(1);
        tkf_pmu_open(0, &pmu, &status);
        tkf_pmu_close(pmu);
        _exit(write(ends[1], &status, sizeof(status)) != sizeof(status));
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], ret_status, sizeof(*ret_status)), sizeof(*ret_status));
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void a_user_is_told_of_paranoid(void **state)
{
    (void)state;
    struct tkf_pmu_status status;
    open_as_nobody("2", &status);
    assert_true(status.available);

    open_as_nobody("3", &status); /* Debian's own level: nothing at all */
    print_message("3: %s\n   %s\n", status.reason, status.next);
    assert_false(status.available);
    assert_non_null(strstr(status.reason, "kernel.perf_event_paranoid is 3"));
    assert_non_null(strstr(status.next, "kernel.perf_event_paranoid=2"));
}

static void the_page_gives_the_counters_rate(void **state)
{
    (void)state;
    uint64_t hz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    assert_true(fabs(tkf_pmu_counter_hz() / (double)hz - 1) < 1e-6);
}

int main(void)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(0, &cpus);
    if (sched_setaffinity(0, sizeof(cpus), &cpus) != 0) {
        perror("sched_setaffinity");
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_by_system_call),
        cmocka_unit_test(counts_by_instruction),
        cmocka_unit_test(both_ways_agree),
        cmocka_unit_test(a_thread_that_moved_is_not_counted),
        cmocka_unit_test(close_gives_everything_back),
        cmocka_unit_test(an_offline_cpu_is_named),
        cmocka_unit_test(a_user_is_told_of_paranoid),
        cmocka_unit_test(the_page_gives_the_counters_rate),
    };
    return cmocka_run_group_tests_name("pmu_guest", tests, NULL, NULL);
}
