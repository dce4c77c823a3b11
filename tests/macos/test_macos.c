/* SPDX-License-Identifier: MIT */
/**
 * bench/host/macos on Macs that are made up: the functions of the system that it calls are here. What a Mac really
 * answers only a Mac can show; this shows what is made of the answers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <libproc.h>
#include <math.h>
#include <notify.h>
#include <pthread/qos.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysctl.h>

#include "facts.h"
#include "host.h"

#define ARRAY(a) (sizeof(a) / sizeof((a)[0]))

struct sysctl {
    const char *name;
    const char *text; /* NULL: a number */
    uint64_t number;
    size_t size;
};

/* ---- the system ------------------------------------------------------------------------------- */

static struct {
    const struct sysctl *sysctls;
    size_t nsysctls;
    bool has_selfcounts, has_rusage, has_notify;
    uint64_t thermal, low_power;
    uint64_t clock_ns;
    qos_class_t qos;
    unsigned level; /* on which the thread runs */
    unsigned lag;   /* looks at the counts before a wish takes effect */
    bool obeys;     /* a wish takes effect at all */
    uint64_t cycles[2];
} mac;

static void be(const struct sysctl *sysctls, size_t nsysctls)
{
    memset(&mac, 0, sizeof(mac));
    mac.sysctls = sysctls;
    mac.nsysctls = nsysctls;
    mac.has_selfcounts = mac.has_rusage = mac.has_notify = mac.obeys = true;
    mac.qos = QOS_CLASS_DEFAULT;
    mac.lag = 3;
}

static void run(void)
{
    if (mac.lag > 0)
        mac.lag--;
    else if (mac.obeys)
        mac.level = mac.qos == QOS_CLASS_BACKGROUND ? 1 : 0;
    mac.cycles[mac.level] += 1000;
}

int sysctlbyname(const char *name, void *old, size_t *old_size, void *new, size_t new_size)
{
    (void)new, (void)new_size;
    for (size_t i = 0; i < mac.nsysctls; i++) {
        const struct sysctl *s = &mac.sysctls[i];
        if (strcmp(s->name, name) != 0)
            continue;
        const void *value = s->text != NULL ? (const void *)s->text : &s->number;
        size_t size = s->text != NULL ? strlen(s->text) + 1 : s->size;
        if (size > *old_size)
            return -1;
        memcpy(old, value, size);
        *old_size = size;
        return 0;
    }
    return -1;
}

/* Found by name, as on macOS. */
int thread_selfcounts(uint32_t kind, uint64_t *counts, size_t size);
int thread_selfcounts(uint32_t kind, uint64_t *counts, size_t size)
{
    run();
    if (!mac.has_selfcounts)
        return -1;
    if (kind == 1) {
        assert_int_equal(size, 16);
        counts[1] = mac.cycles[0] + mac.cycles[1];
        counts[0] = 3 * counts[1];
        return 0;
    }
    assert_int_equal(kind, 2);
    assert_int_equal(size, 32);
    for (unsigned level = 0; level < 2; level++) {
        counts[2 * level + 1] = mac.cycles[level];
        counts[2 * level] = 3 * mac.cycles[level];
    }
    return 0;
}

int proc_pid_rusage(int pid, int flavor, rusage_info_t *buffer)
{
    (void)pid;
    assert_int_equal(flavor, RUSAGE_INFO_V4);
    run();
    *(struct rusage_info_v4 *)buffer = (struct rusage_info_v4){0};
    if (mac.has_rusage)
        *(struct rusage_info_v4 *)buffer = (struct rusage_info_v4){
            .ri_instructions = mac.cycles[0] * 2, .ri_cycles = mac.cycles[0]};
    return 0;
}

int pthread_set_qos_class_self_np(qos_class_t qos, int priority)
{
    assert_int_equal(priority, 0);
    assert_int_not_equal(qos, QOS_CLASS_UNSPECIFIED); /* EINVAL */
    mac.qos = qos;
    return 0;
}

int pthread_get_qos_class_np(pthread_t thread, qos_class_t *ret_qos, int *ret_priority)
{
    assert_true(pthread_equal(thread, pthread_self()));
    *ret_qos = mac.qos;
    *ret_priority = 0;
    return 0;
}

uint32_t notify_register_check(const char *name, int *token)
{
    *token = strcmp(name, "com.apple.system.lowpowermode") == 0 ? 2 : 1;
    if (*token == 1)
        assert_string_equal(name, "com.apple.system.thermalpressurelevel");
    return mac.has_notify ? NOTIFY_STATUS_OK : 1;
}

uint32_t notify_get_state(int token, uint64_t *state)
{
    *state = token == 1 ? mac.thermal : mac.low_power;
    return NOTIFY_STATUS_OK;
}

uint32_t notify_cancel(int token)
{
    (void)token;
    return NOTIFY_STATUS_OK;
}

uint64_t tkf_clock_ns(void *ctx)
{
    (void)ctx;
    return mac.clock_ns += 100000;
}

/* ---- Macs --------------------------------------------------------------------------------------- */

#define NUMBER(name, value)  \
    {                        \
        name, NULL, value, 4 \
    }
#define TEXT(name, value) \
    {                     \
        name, value, 0, 0 \
    }

static const struct sysctl m1[] = {
    TEXT("kern.osrelease", "22.6.0"),
    TEXT("machdep.cpu.brand_string", "Apple M1"),
    {"hw.cpufamily", NULL, 0x1b588bb3, 4},
    NUMBER("kern.hv_vmm_present", 0),
    NUMBER("sysctl.proc_translated", 0),
    NUMBER("hw.optional.arm.FEAT_ECV", 1),
    NUMBER("hw.logicalcpu", 8),
    NUMBER("hw.physicalcpu", 8),
    NUMBER("hw.nperflevels", 2),
    NUMBER("hw.perflevel0.logicalcpu", 4),
    NUMBER("hw.perflevel1.logicalcpu", 4),
};

static const struct sysctl intel[] = {
    TEXT("machdep.cpu.brand_string", "Intel(R) Core(TM) i9-9880H CPU @ 2.30GHz"),
    TEXT("machdep.cpu.vendor", "GenuineIntel"),
    NUMBER("machdep.cpu.family", 6),
    NUMBER("machdep.cpu.model", 158),
    NUMBER("machdep.cpu.stepping", 13),
    {"machdep.tsc.frequency", NULL, UINT64_C(2304000000), 8},
    NUMBER("hw.nperflevels", 1),
    NUMBER("hw.perflevel0.logicalcpu", 16),
    NUMBER("hw.logicalcpu", 16),
    NUMBER("hw.physicalcpu", 8),
};

static const struct sysctl rosetta[] = {
    TEXT("machdep.cpu.brand_string", "VirtualApple @ 2.50GHz"),
    NUMBER("sysctl.proc_translated", 1),
};

static const unsigned cpus[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const struct tkf_kind kinds[] = {
    {.name = "apple,firestorm", .cpus = &cpus[4], .ncpus = 4},
    {.name = "apple,icestorm", .cpus = &cpus[0], .ncpus = 4},
};

/* ---- facts ---------------------------------------------------------------------------------------- */

static struct tkf_machine facts(const struct sysctl *sysctls, size_t n,
                                struct tkf_cpu_hints *ret_hints)
{
    struct tkf_machine machine = {.cpus = 0};
    *ret_hints = (struct tkf_cpu_hints){.hwcap = 0};
    be(sysctls, n);
    tkf_facts_of_os("", &machine, ret_hints);
    assert_string_equal(machine.os, "macos");
    return machine;
}

static void facts_are_read(void **state)
{
    (void)state;
    struct tkf_cpu_hints hints;
    struct tkf_machine machine = facts(m1, ARRAY(m1), &hints);
    assert_string_equal(machine.cpu, "Apple M1");
    assert_string_equal(machine.kernel, "22.6.0");
    assert_string_equal(machine.cpu_id, "0x1b588bb3");
    assert_string_equal(machine.emulator, "");
    assert_true(machine.hypervisor_known);
    assert_string_equal(machine.hypervisor, "");
    assert_true(hints.has_ecv);
    assert_true(isnan(tkf_pmu_counter_hz()));

    machine = facts(intel, ARRAY(intel), &hints);
    assert_string_equal(machine.cpu_id, "6-158-13");
    assert_false(machine.hypervisor_known);
    assert_true(hints.lfence_serialises);
    assert_true(tkf_pmu_counter_hz() == 2304e6);

    machine = facts(rosetta, ARRAY(rosetta), &hints);
    assert_string_equal(machine.emulator, "Rosetta 2");
}

/* ---- events --------------------------------------------------------------------------------------- */

static void events_come_from_the_best_that_counts(void **state)
{
    (void)state;
    struct tkf_pmu *pmu;
    struct tkf_pmu_status status;
    struct tkf_events events;

    be(m1, ARRAY(m1));
    tkf_pmu_open(0, &pmu, &status);
    assert_true(status.available);
    assert_string_equal(status.how, "thread_selfcounts");
    assert_int_equal(tkf_pmu_read(pmu, &events), 0);
    assert_int_equal(events.instructions, 3 * events.cycles);
    mac.has_selfcounts = false;
    assert_int_equal(tkf_pmu_read(pmu, &events), TKF_EUNSUPPORTED);
    tkf_pmu_close(pmu);

    tkf_pmu_open(0, &pmu, &status);
    assert_string_equal(status.how, "proc_pid_rusage");
    assert_int_equal(tkf_pmu_read(pmu, &events), 0);
    assert_int_equal(events.instructions, 2 * events.cycles);
    tkf_pmu_close(pmu);

    mac.has_rusage = false; /* zeros: a virtual machine */
    tkf_pmu_open(0, &pmu, &status);
    assert_null(pmu);
    assert_false(status.available);
    assert_non_null(strstr(status.reason, "virtual machine"));
}

/* ---- steering --------------------------------------------------------------------------------------- */

static struct tkf_steer *steered(unsigned kind, qos_class_t qos)
{
    struct tkf_steer *steer = NULL;
    const char *how = NULL;
    assert_int_equal(tkf_steer_begin(kinds, 2, kind, &steer, &how), 0);
    assert_int_equal(mac.qos, qos);
    assert_int_equal(mac.level, kind);
    assert_non_null(strstr(how, "seen to stay"));
    return steer;
}

static void each_kind_is_had_by_quality_of_service(void **state)
{
    (void)state;
    be(m1, ARRAY(m1));
    mac.level = 1;
    struct tkf_steer *steer = steered(0, QOS_CLASS_USER_INTERACTIVE);
    tkf_steer_end(steer);
    assert_int_equal(mac.qos, QOS_CLASS_DEFAULT);

    mac.qos = QOS_CLASS_UNSPECIFIED;
    mac.lag = 3;
    steer = steered(1, QOS_CLASS_BACKGROUND);

    /* Who moves is seen, who stays is not. */
    uint64_t before = tkf_steer_elsewhere(steer);
    assert_int_equal(tkf_steer_elsewhere(steer), before);
    mac.level = 0;
    mac.lag = 1;
    run();
    assert_true(tkf_steer_elsewhere(steer) > before);
    tkf_steer_end(steer);
    assert_int_equal(mac.qos, QOS_CLASS_DEFAULT);
    tkf_steer_end(NULL);
}

static void steering_that_does_no_good_is_no_steering(void **state)
{
    (void)state;
    struct tkf_steer *steer;
    const char *how;
    be(m1, ARRAY(m1));
    mac.obeys = false;
    assert_int_equal(tkf_steer_begin(kinds, 2, 1, &steer, &how), TKF_EUNSUPPORTED);
    assert_int_equal(mac.qos, QOS_CLASS_DEFAULT);
    assert_in_range(mac.clock_ns, 200000000, 400000000); /* and it is not waited for forever */

    /* Kinds that are not the system's levels are not guessed at. */
    be(m1, ARRAY(m1));
    const struct tkf_kind others[] = {{.name = "P", .cpus = cpus, .ncpus = 6},
                                      {.name = "E", .cpus = &cpus[6], .ncpus = 2},
                                      {.name = "M", .cpus = cpus, .ncpus = 4}};
    assert_int_equal(tkf_steer_begin(others, 2, 0, &steer, &how), TKF_EUNSUPPORTED);
    assert_int_equal(tkf_steer_begin(others, 3, 2, &steer, &how), TKF_EUNSUPPORTED);
    assert_int_equal(tkf_steer_begin(kinds, 1, 0, &steer, &how), TKF_EUNSUPPORTED);
    be(intel, ARRAY(intel));
    assert_int_equal(tkf_steer_begin(&(struct tkf_kind){.name = "", .cpus = cpus, .ncpus = 16}, 1,
                                     0, &steer, &how),
                     TKF_EUNSUPPORTED);
    assert_int_equal(mac.qos, QOS_CLASS_DEFAULT);
}

static void without_counts_steering_is_not_seen(void **state)
{
    (void)state;
    struct tkf_steer *steer = NULL;
    const char *how = NULL;
    be(m1, ARRAY(m1));
    mac.has_selfcounts = false;
    assert_int_equal(tkf_steer_begin(kinds, 2, 1, &steer, &how), 0);
    assert_int_equal(mac.qos, QOS_CLASS_BACKGROUND);
    assert_non_null(strstr(how, "does not tell"));
    assert_int_equal(tkf_steer_elsewhere(steer), 0);
    tkf_steer_end(steer);
}

/* ---- readiness ---------------------------------------------------------------------------------------- */

static struct tkf_check check(const char *code)
{
    static const struct tkf_machine machine = {.os = "macos"};
    struct tkf_check found[TKF_CHECKS_MAX];
    unsigned n = tkf_readiness("", &machine, 0, found);
    for (unsigned i = 0; i < n; i++)
        if (strcmp(found[i].code, code) == 0)
            return found[i];
    fail_msg("no check %s", code);
    return found[0];
}

static void heat_and_low_power_are_told(void **state)
{
    (void)state;
    be(m1, ARRAY(m1));
    assert_int_equal(check("throttling").status, TKF_CHECK_OK);
    assert_int_equal(check("platform-profile").status, TKF_CHECK_OK);
    assert_int_equal(check("translation").status, TKF_CHECK_OK);
    assert_int_equal(check("smt-sibling").status, TKF_CHECK_OK);
    mac.thermal = 2;
    mac.low_power = 1;
    assert_int_equal(check("throttling").status, TKF_CHECK_WARN);
    assert_string_equal(check("throttling").seen, "thermal pressure heavy now");
    assert_int_equal(check("platform-profile").status, TKF_CHECK_WARN);
    assert_string_equal(check("platform-profile").seen, "low power mode on");
    mac.thermal = 20; /* not a level of macOS */
    assert_int_equal(check("throttling").status, TKF_CHECK_UNKNOWN);
    mac.has_notify = false;
    assert_int_equal(check("platform-profile").status, TKF_CHECK_UNKNOWN);

    be(rosetta, ARRAY(rosetta));
    assert_int_equal(check("translation").status, TKF_CHECK_WARN);
    assert_int_equal(check("hypervisor").status, TKF_CHECK_UNKNOWN);
    be(intel, ARRAY(intel));
    assert_string_equal(check("smt-sibling").seen, "16 CPUs on 8 cores");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_read),
        cmocka_unit_test(events_come_from_the_best_that_counts),
        cmocka_unit_test(each_kind_is_had_by_quality_of_service),
        cmocka_unit_test(steering_that_does_no_good_is_no_steering),
        cmocka_unit_test(without_counts_steering_is_not_seen),
        cmocka_unit_test(heat_and_low_power_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
