/* SPDX-License-Identifier: MIT */
/*
 * Hardware events without hardware: what is asked of the kernel, what its refusals are told as, and the arithmetic.
 * The counting itself is tested in a guest: tests/guest/.
 */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "linux/pmu.h"

/* ---- arithmetic -------------------------------------------------------------------------------------------------- */

static void extend_keeps_the_sign(void **state)
{
    (void)state;
    assert_int_equal(tkf_pmu_extend(0, 48), 0);
    assert_int_equal(tkf_pmu_extend(5, 40), 5);
    assert_int_equal(tkf_pmu_extend(UINT64_C(0x7fffffffff), 40), INT64_C(0x7fffffffff));
    assert_int_equal(tkf_pmu_extend(UINT64_C(0x8000000000), 40), -INT64_C(0x8000000000));
    assert_int_equal(tkf_pmu_extend(UINT64_C(0xffffffffff), 40), -1);
    assert_int_equal(tkf_pmu_extend(UINT64_C(0x7fffffffffff), 48), INT64_C(0x7fffffffffff));
    assert_int_equal(tkf_pmu_extend(UINT64_C(0x800000000000), 48), -INT64_C(0x800000000000));
    assert_int_equal(tkf_pmu_extend(UINT64_C(0xfffffffffff0), 48), -16);
    assert_int_equal(tkf_pmu_extend(UINT64_C(0x80000000), 32), INT32_MIN);
    assert_int_equal(tkf_pmu_extend(UINT64_MAX, 64), -1);
    assert_int_equal(tkf_pmu_extend(UINT64_C(1) << 63, 64), INT64_MIN);
    assert_int_equal(tkf_pmu_extend(INT64_MAX, 64), INT64_MAX);
}

static void extend_drops_what_is_above_the_width(void **state)
{
    (void)state;
    assert_int_equal(tkf_pmu_extend(UINT64_C(0xabcd000000000007), 48), 7);
    assert_int_equal(tkf_pmu_extend(UINT64_C(0x1234ffffffffffff), 48), -1);
}

static void page_hz_is_ticks_in_a_second(void **state)
{
    (void)state;
    /* 2.5 GHz: 0.4 ns a tick. */
    assert_true(fabs(tkf_pmu_page_hz(429496730, 30) / 2.5e9 - 1) < 1e-8);
    /* A 24 MHz counter: 41.667 ns a tick. */
    assert_true(fabs(tkf_pmu_page_hz(699050667, 24) / 24e6 - 1) < 1e-8);
    assert_true(isnan(tkf_pmu_page_hz(0, 32)));
    assert_true(isnan(tkf_pmu_page_hz(1, 64)));
}

static void judge_refuses_what_did_not_run_all_the_time(void **state)
{
    (void)state;
    struct tkf_events events = {1, 2};
    const uint64_t shared[] = {2, 1000, 999, 30, 40}, never[] = {2, 0, 0, 0, 0};
    const uint64_t alone[] = {1, 1000, 1000, 30, 40}, whole[] = {2, 1000, 1000, 30, 40};
    assert_int_equal(tkf_pmu_judge(shared, &events), TKF_EUNSUPPORTED);
    assert_int_equal(tkf_pmu_judge(never, &events), TKF_EUNSUPPORTED);
    assert_int_equal(tkf_pmu_judge(alone, &events), TKF_EUNSUPPORTED);
    assert_int_equal(events.cycles, 1);
    assert_int_equal(events.instructions, 2);
    assert_int_equal(tkf_pmu_judge(whole, &events), 0);
    assert_int_equal(events.cycles, 30);
    assert_int_equal(events.instructions, 40);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void each_refusal_has_its_own_words(void **state)
{
    (void)state;
    static const struct {
        int error;
        const char *reason, *next;
    } expected[] = {
        {ENOENT, "virtual machine", "dependent chain"},
        {EINVAL, "does not accept", "newer kernel"},
        {EOPNOTSUPP, "user mode alone", "newer kernel"},
        {EACCES, "perf_event_paranoid is 3", "kernel.perf_event_paranoid=2"},
        {EPERM, "seccomp", "CAP_PERFMON"},
        {ENOSYS, "missing", "CONFIG_PERF_EVENTS"},
        {EBUSY, "profiler", "stop it"},
        {EMFILE, "this process", "ulimit -n"},
        {ENFILE, "the system", "fs.file-max"},
        {ENOMEM, "memory", "memory"},
        {TKF_ENOCPU, "does not run on the CPU", "bind it"},
        {TKF_EUNSUPPORTED, "other users hold them", "nmi_watchdog"},
        {TKF_ESTUCK, "do not advance", "dependent chain"},
        {EIO, "Input/output error", "dmesg"},
    };
    struct tkf_pmu_status status[sizeof(expected) / sizeof(expected[0])];
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        memset(&status[i], 0xff, sizeof(status[i]));
        tkf_pmu_explain(expected[i].error, 3, &status[i]);
        assert_false(status[i].available);
        assert_string_equal(status[i].how, "");
        assert_non_null(strstr(status[i].reason, expected[i].reason));
        assert_non_null(strstr(status[i].next, expected[i].next));
        /* Nothing was cut. */
        assert_true(strlen(status[i].reason) < sizeof(status[i].reason) - 1);
        assert_true(strlen(status[i].next) < sizeof(status[i].next) - 1);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(status[i].reason, status[j].reason);
    }
}

static void eacces_blames_paranoid_only_when_it_can_be(void **state)
{
    (void)state;
    struct tkf_pmu_status status;
    tkf_pmu_explain(EACCES, 2, &status); /* user mode is allowed at 2 */
    assert_non_null(strstr(status.reason, "security policy"));
    assert_null(strstr(status.next, "paranoid"));
    tkf_pmu_explain(EACCES, INT_MIN, &status); /* unknown */
    assert_null(strstr(status.reason, "paranoid is"));
    assert_non_null(strstr(status.next, "paranoid"));
}

static void a_build_without_libpfm_says_so(void **state)
{
    (void)state;
    struct tkf_pmu_status status;
    tkf_pmu_explain(ENOENT, 2, &status);
    struct tkf_pmu_event pair[2];
    if (tkf_pmu_named_missing[0] != '\0') {
        assert_int_equal(tkf_pmu_named(0, pair), TKF_EUNSUPPORTED);
        assert_non_null(strstr(status.reason, "without libpfm4"));
    } else {
        assert_null(strstr(status.reason, "libpfm4"));
    }
    tkf_pmu_explain(EPERM, 2, &status); /* no event would have been let through */
    assert_null(strstr(status.reason, "libpfm4"));
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

static unsigned count_files(void)
{
    unsigned n = 0;
    DIR *dir = opendir("/proc/self/fd");
    assert_non_null(dir);
    while (readdir(dir) != NULL)
        n++;
    closedir(dir);
    return n;
}

static void put(const char *root, const char *name, const char *text)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/%s", root, name);
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int make_root(void **state)
{
    char root[] = "/tmp/tkf-test-pmu-XXXXXX";
    if (mkdtemp(root) == NULL)
        return -1;
    *state = strdup(root);
    return *state == NULL;
}

static int remove_root(void **state)
{
    char command[PATH_MAX + 16];
    snprintf(command, sizeof(command), "rm -r '%s'", (char *)*state);
    free(*state);
    return system(command);
}

#define DEVICES "sys/bus/event_source/devices/"

static void find_takes_the_driver_of_the_cpu(void **state)
{
    const char *root = *state;
    put(root, DEVICES "cpu_core/cpus", "0-3,8-11\n");
    put(root, DEVICES "cpu_core/type", "4\n");
    put(root, DEVICES "cpu_atom/cpus", "4-7,16\n");
    put(root, DEVICES "cpu_atom/type", "10\n");
    put(root, DEVICES "uncore_imc_0/cpumask", "4\n");
    put(root, DEVICES "uncore_imc_0/type", "20\n");
    put(root, DEVICES "software/type", "1\n");

    struct tkf_pmu_device device;
    const unsigned files = count_files();
    tkf_pmu_find(root, 9, &device);
    assert_int_equal(count_files(), files);
    assert_int_equal(device.type, 4);
    assert_int_equal(device.devices, 2);
    assert_int_equal(device.user_config, 0);
    tkf_pmu_find(root, 4, &device);
    assert_int_equal(device.type, 10);
    tkf_pmu_find(root, 16, &device); /* the last of a list, and no range */
    assert_int_equal(device.type, 10);
    tkf_pmu_find(root, 12, &device);
    assert_int_equal(device.type, 0);
    assert_int_equal(device.devices, 2);
}

static void find_reads_how_to_ask_for_user_access(void **state)
{
    const char *root = *state;
    put(root, DEVICES "armv8_pmuv3_0/cpus", "0-3\n");
    put(root, DEVICES "armv8_pmuv3_0/type", "8\n");
    put(root, DEVICES "armv8_pmuv3_0/format/rdpmc", "config1:1\n");
    struct tkf_pmu_device device;
    tkf_pmu_find(root, 0, &device);
    assert_int_equal(device.type, 8);
    assert_int_equal(device.user_config, 2);
}

/* As a big.LITTLE board's drivers and Intel's have it. */
static void find_reads_the_drivers_own_events(void **state)
{
    const char *root = *state;
    put(root, DEVICES "armv8_cortex_a76/cpus", "4-7\n");
    put(root, DEVICES "armv8_cortex_a76/type", "9\n");
    put(root, DEVICES "armv8_cortex_a76/format/event", "config:0-15\n");
    put(root, DEVICES "armv8_cortex_a76/events/cpu_cycles", "event=0x0011\n");
    put(root, DEVICES "armv8_cortex_a76/events/inst_retired", "event=0x0008\n");
    put(root, DEVICES "cpu_atom/cpus", "0-3\n");
    put(root, DEVICES "cpu_atom/type", "10\n");
    put(root, DEVICES "cpu_atom/format/event", "config:0-7\n");
    put(root, DEVICES "cpu_atom/format/umask", "config:8-15\n");
    put(root, DEVICES "cpu_atom/events/cpu-cycles", "event=0x3c\n");
    put(root, DEVICES "cpu_atom/events/instructions", "event=0xc0,umask=0x01\n");

    struct tkf_pmu_device device;
    struct tkf_pmu_event pairs[TKF_PMU_PAIRS][2];
    tkf_pmu_find(root, 5, &device);
    assert_string_equal(device.name, "armv8_cortex_a76");
    assert_true(device.has_events);
    assert_int_equal(device.events[0].type, 9);
    assert_int_equal(device.events[0].config, 0x11);
    assert_int_equal(device.events[1].config, 0x08);
    tkf_pmu_find(root, 0, &device);
    assert_true(device.has_events);
    assert_int_equal(device.events[0].type, 10);
    assert_int_equal(device.events[0].config, 0x3c);
    assert_int_equal(device.events[1].config, 0x1c0);
    assert_true(tkf_pmu_plan(&device, pairs) >= 2);
    assert_int_equal(pairs[1][1].type, 10);
    assert_int_equal(pairs[1][1].config, 0x1c0);

    put(root, DEVICES "cpu_atom/events/instructions",
        "event=0xc0,ldlat=0x3\n"); /* a term it does not explain */
    tkf_pmu_find(root, 0, &device);
    assert_false(device.has_events);
    put(root, DEVICES "cpu_atom/events/instructions", "event\n");
    tkf_pmu_find(root, 0, &device);
    assert_false(device.has_events);
}

static void find_survives_what_is_not_there_or_not_sane(void **state)
{
    const char *root = *state;
    struct tkf_pmu_device device;
    tkf_pmu_find(root, 0, &device);
    assert_int_equal(device.type, 0);
    assert_int_equal(device.devices, 0);

    put(root, DEVICES "a/cpus", "");
    put(root, DEVICES "b/cpus", "0\n"); /* and no type */
    put(root, DEVICES "b/format/rdpmc", "config1:99\n");
    tkf_pmu_find(root, 0, &device);
    assert_int_equal(device.type, 0);
    assert_int_equal(device.user_config, 0);
}

static void plan_qualifies_events_with_the_driver(void **state)
{
    (void)state;
    struct tkf_pmu_event pairs[TKF_PMU_PAIRS][2];
    const struct tkf_pmu_device hybrid = {.type = 10, .devices = 2};
    assert_true(tkf_pmu_plan(&hybrid, pairs) >= 1);
    assert_int_equal(pairs[0][0].type, PERF_TYPE_HARDWARE);
    assert_int_equal(pairs[0][0].config, UINT64_C(10) << 32 | PERF_COUNT_HW_CPU_CYCLES);
    assert_int_equal(pairs[0][1].type, PERF_TYPE_HARDWARE);
    assert_int_equal(pairs[0][1].config, UINT64_C(10) << 32 | PERF_COUNT_HW_INSTRUCTIONS);
}

/* An event without its driver's type would count on some other kind of core, or silently nothing. */
static void plan_never_asks_a_hybrid_for_an_unqualified_event(void **state)
{
    (void)state;
    const struct tkf_pmu_device of_kind = {.type = 10, .devices = 2}, of_none = {.devices = 2};
    struct tkf_pmu_event pairs[TKF_PMU_PAIRS][2];
    unsigned n = tkf_pmu_plan(&of_kind, pairs);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < 2; j++)
            assert_true(pairs[i][j].type == 10 ||
                        (pairs[i][j].type == PERF_TYPE_HARDWARE && pairs[i][j].config >> 32 == 10));
    assert_int_equal(tkf_pmu_plan(&of_none, pairs), 0);
}

static void plan_asks_plainly_where_there_is_one_kind(void **state)
{
    (void)state;
    struct tkf_pmu_event pairs[TKF_PMU_PAIRS][2];
    const struct tkf_pmu_device plain = {0}, one = {.type = 8, .devices = 1};
    assert_true(tkf_pmu_plan(&plain, pairs) >= 1);
    assert_int_equal(pairs[0][0].type, PERF_TYPE_HARDWARE);
    assert_int_equal(pairs[0][0].config, PERF_COUNT_HW_CPU_CYCLES);
    assert_true(tkf_pmu_plan(&one, pairs) >= 2);
    assert_int_equal(pairs[0][0].config, UINT64_C(8) << 32 | PERF_COUNT_HW_CPU_CYCLES);
    assert_int_equal(pairs[1][1].config, PERF_COUNT_HW_INSTRUCTIONS);
}

/* What libpfm4 makes of the maker's names, on whatever CPU this is: it detects one once in a process, so in a child. */
enum { AS_EXPECTED, NOT_AS_EXPECTED, CPU_NOT_BUILT_IN };

static int name_events_of(const char *cpu, bool common, uint64_t cycles, uint64_t instructions)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("LIBPFM_FORCE_PMU", cpu, 1);
        struct tkf_pmu_event pairs[TKF_PMU_PAIRS][2];
        const struct tkf_pmu_device other = {.type = 10, .devices = 2};
        const struct tkf_pmu_device first = {.type = TKF_PMU_RAW, .devices = 2};
        if (tkf_pmu_named(0, pairs[0]) != 0)
            _exit(CPU_NOT_BUILT_IN);
        bool ok = pairs[0][0].type == PERF_TYPE_RAW && pairs[0][0].config == cycles &&
                  pairs[0][1].type == PERF_TYPE_RAW && pairs[0][1].config == instructions;
        /* The kind whose driver has that number gets its events; another one only those that all its maker's cores share. */
        ok = ok && tkf_pmu_plan(&first, pairs) == 2 && pairs[1][0].type == TKF_PMU_RAW &&
             pairs[1][0].config == cycles && pairs[1][1].config == instructions;
        ok = ok && tkf_pmu_plan(&other, pairs) == (common ? 2 : 1);
        ok = ok && (!common || (pairs[1][0].type == 10 && pairs[1][0].config == cycles &&
                                pairs[1][1].type == 10 && pairs[1][1].config == instructions));
        _exit(ok ? AS_EXPECTED : NOT_AS_EXPECTED);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void named_events_are_the_makers(void **state)
{
    (void)state;
    static const struct {
        const char *cpu;
        bool common;
        uint64_t cycles, instructions;
    } cpus[] = {
        {"skl", false, 0x3c, 0xc0},
        {"adl_glc", false, 0x3c, 0xc0},
        {"amd64_fam19h_zen4", false, 0x76, 0xc0},
        {"arm_ac57", true, 0x11, 0x08},
    };
    unsigned known = 0;
    for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
        const int r =
            name_events_of(cpus[i].cpu, cpus[i].common, cpus[i].cycles, cpus[i].instructions);
        assert_int_not_equal(r, NOT_AS_EXPECTED);
        known += r == AS_EXPECTED;
    }
    assert_int_equal(known > 0, tkf_pmu_named_missing[0] == '\0');
}

/* ---- this machine ------------------------------------------------------------------------------------------------ */

static void check_status(const struct tkf_pmu *pmu, const struct tkf_pmu_status *status)
{
    assert_int_equal(status->available, pmu != NULL);
    assert_int_equal(status->how[0] != '\0', pmu != NULL);
    assert_int_equal(status->reason[0] == '\0', pmu != NULL);
    assert_int_equal(status->next[0] == '\0', pmu != NULL);
}

static void open_always_answers_and_leaks_nothing(void **state)
{
    (void)state;
    const unsigned files = count_files();
    for (int i = 0; i < 3; i++) {
        struct tkf_pmu *pmu = (void *)-1;
        struct tkf_pmu_status status;
        memset(&status, 0xff, sizeof(status));
        tkf_pmu_open(0, &pmu, &status);
        check_status(pmu, &status);
        tkf_pmu_close(pmu);
        (void)tkf_pmu_counter_hz();
    }
    assert_int_equal(count_files(), files);
}

static void open_refuses_a_cpu_that_is_not_there(void **state)
{
    (void)state;
    struct tkf_pmu *pmu;
    struct tkf_pmu_status here, status;
    tkf_pmu_open(0, &pmu, &here);
    tkf_pmu_close(pmu);

    const unsigned cpus[] = {1u << 20, INT_MAX, UINT_MAX};
    for (size_t i = 0; i < 3; i++) {
        pmu = (void *)-1;
        tkf_pmu_open(cpus[i], &pmu, &status);
        assert_null(pmu);
        check_status(pmu, &status);
        /* Where the call itself is forbidden, no CPU is looked at. */
        assert_true(strstr(status.reason, "does not run on the CPU") != NULL ||
                    strcmp(status.reason, here.reason) == 0);
    }
    assert_non_null(strstr(status.reason, "does not run on the CPU"));
}

static void read_and_close_stand_null(void **state)
{
    (void)state;
    struct tkf_events events = {1, 2};
    tkf_pmu_close(NULL);
    assert_int_equal(tkf_pmu_read(NULL, &events), TKF_EINVAL);
    assert_int_equal(events.cycles, 1);
}

static void counter_hz_is_a_rate_or_unknown(void **state)
{
    (void)state;
    const double hz = tkf_pmu_counter_hz();
    assert_true(isnan(hz) || (hz > 1e6 && hz < 1e11));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(named_events_are_the_makers), /* first: before this process has detected */
        cmocka_unit_test(extend_keeps_the_sign),
        cmocka_unit_test(extend_drops_what_is_above_the_width),
        cmocka_unit_test(page_hz_is_ticks_in_a_second),
        cmocka_unit_test(judge_refuses_what_did_not_run_all_the_time),
        cmocka_unit_test(each_refusal_has_its_own_words),
        cmocka_unit_test(eacces_blames_paranoid_only_when_it_can_be),
        cmocka_unit_test(a_build_without_libpfm_says_so),
        cmocka_unit_test_setup_teardown(find_takes_the_driver_of_the_cpu, make_root, remove_root),
        cmocka_unit_test_setup_teardown(find_reads_how_to_ask_for_user_access, make_root,
                                        remove_root),
        cmocka_unit_test_setup_teardown(find_reads_the_drivers_own_events, make_root, remove_root),
        cmocka_unit_test_setup_teardown(find_survives_what_is_not_there_or_not_sane, make_root,
                                        remove_root),
        cmocka_unit_test(plan_qualifies_events_with_the_driver),
        cmocka_unit_test(plan_never_asks_a_hybrid_for_an_unqualified_event),
        cmocka_unit_test(plan_asks_plainly_where_there_is_one_kind),
        cmocka_unit_test(open_always_answers_and_leaks_nothing),
        cmocka_unit_test(open_refuses_a_cpu_that_is_not_there),
        cmocka_unit_test(read_and_close_stand_null),
        cmocka_unit_test(counter_hz_is_a_rate_or_unknown),
    };
    return cmocka_run_group_tests_name("pmu", tests, NULL, NULL);
}
