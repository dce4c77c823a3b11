/* SPDX-License-Identifier: MIT */
/* tkf_readiness() on Linux, over trees that are written from the tables below into a temporary folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"

#define CPUS     "/sys/devices/system/cpu"
#define CPU0     CPUS "/cpu0"
#define SOURCES  "/sys/devices/system/clocksource/clocksource0"
#define ARRAY(a) (sizeof(a) / sizeof((a)[0]))

#define OK      TKF_CHECK_OK
#define NOTE    TKF_CHECK_NOTE
#define WARN    TKF_CHECK_WARN
#define UNKNOWN TKF_CHECK_UNKNOWN

/* ---- trees ------------------------------------------------------------------------------------------------------ */

struct file {
    const char *path, *text;
    const char
        *code; /* the check that cannot be OK without it; NULL when the file is only an addition */
};

/* A server in a lab, tuned as doc/readiness.md says: nothing to warn of. */
static const struct file lab[] = {
    {"/proc/self/status", "Seccomp:\t0\nCpus_allowed_list:\t0-3\n", "cpuset"},
    {CPUS "/online", "0-3\n", "cpuset"},
    {"/sys/class/power_supply/AC/type", "Mains\n", "power-source"},
    {"/sys/class/power_supply/AC/online", "1\n", "power-source"},
    {"/sys/firmware/acpi/platform_profile", "performance\n", "platform-profile"},
    {CPU0 "/cpufreq/scaling_driver", "intel_pstate\n", NULL},
    {CPU0 "/cpufreq/scaling_governor", "performance\n", "governor"},
    {CPU0 "/cpufreq/energy_performance_preference", "performance\n", "epp"},
    {CPUS "/intel_pstate/no_turbo", "1\n", "turbo"},
    {CPU0 "/cpufreq/scaling_min_freq", "2600000\n", "frequency-limits"},
    {CPU0 "/cpufreq/scaling_max_freq", "2600000\n", "frequency-limits"},
    {CPU0 "/cpufreq/cpuinfo_max_freq", "2600000\n", NULL},
    {CPU0 "/cpuidle/state0/name", "POLL\n", "cstates"},
    {CPU0 "/cpuidle/state0/latency", "0\n", "cstates"},
    {CPU0 "/cpuidle/state0/disable", "0\n", "cstates"},
    {CPU0 "/cpuidle/state1/name", "C1\n", NULL},
    {CPU0 "/cpuidle/state1/latency", "2\n", NULL},
    {CPU0 "/cpuidle/state1/disable", "0\n", NULL},
    {CPU0 "/cpuidle/state2/name", "C6\n", NULL},
    {CPU0 "/cpuidle/state2/latency", "133\n", NULL},
    {CPU0 "/cpuidle/state2/disable", "1\n", NULL},
    {CPU0 "/thermal_throttle/core_throttle_count", "0\n", "throttling"},
    {CPU0 "/thermal_throttle/package_throttle_count", "0\n", "throttling"},
    {CPU0 "/topology/thread_siblings_list", "0\n", "smt-sibling"},
    {CPUS "/isolated", "0,2-3\n", "isolation"},
    {CPUS "/nohz_full", "0,2-3\n", NULL},
    {"/proc/irq/default_smp_affinity", "f\n", NULL},
    {"/proc/irq/9/effective_affinity_list", "1\n", "irq-affinity"},
    {"/proc/stat", "cpu  10 0 10 180 0 0 0 0 0 0\ncpu0 10 0 10 180 0 0 0 0 0 0\nintr 1\n", "steal"},
    {"/proc/self/cgroup", "0::/lab.slice/run.scope\n", "cgroup-quota"},
    {"/proc/self/mountinfo",
     "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
     "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n",
     "cgroup-quota"},
    {"/sys/fs/cgroup/cgroup.controllers", "cpuset cpu io memory pids\n", NULL},
    {"/sys/fs/cgroup/lab.slice/cpu.max", "max 100000\n", NULL},
    {"/sys/fs/cgroup/lab.slice/run.scope/cgroup.procs", "1\n", NULL},
    {"/proc/loadavg", "0.03 0.05 0.01 1/93 6259\n", "load"},
    {"/proc/pressure/cpu",
     "some avg10=0.04 avg60=0.01 avg300=0.00 total=1\n"
     "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
     NULL},
    {SOURCES "/current_clocksource", "tsc\n", "clocksource"},
    {SOURCES "/available_clocksource", "tsc hpet acpi_pm \n", NULL},
    {"/proc/sys/kernel/perf_event_paranoid", "1\n", "perf-permission"},
    {"/proc/sys/kernel/nmi_watchdog", "0\n", "nmi-watchdog"},
    {"/proc/sys/kernel/randomize_va_space", "2\n", "aslr"},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n", "thp"},
    {CPUS "/vulnerabilities/meltdown", "Not affected\n", NULL},
    {CPUS "/vulnerabilities/spectre_v1", "Mitigation: usercopy/swapgs barriers\n", NULL},
    {CPUS "/vulnerabilities/itlb_multihit", "KVM: Mitigation: VMX disabled\n", NULL},
    {CPUS "/vulnerabilities/spec_store_bypass", "Vulnerable\n", NULL},
};

/* An Intel laptop as it comes, on battery. */
static const struct file laptop[] = {
    {"/sys/class/power_supply/AC/type", "Mains\n", NULL},
    {"/sys/class/power_supply/AC/online", "0\n", NULL},
    {"/sys/class/power_supply/BAT0/type", "Battery\n", NULL},
    {"/sys/class/power_supply/BAT0/status", "Discharging\n", NULL},
    {"/sys/firmware/acpi/platform_profile", "balanced\n", NULL},
    {CPU0 "/cpufreq/scaling_driver", "intel_pstate\n", NULL},
    {CPU0 "/cpufreq/scaling_governor", "powersave\n", NULL},
    {CPU0 "/cpufreq/energy_performance_preference", "balance_power\n", NULL},
    {CPUS "/intel_pstate/no_turbo", "0\n", NULL},
    {CPU0 "/cpufreq/scaling_min_freq", "400000\n", NULL},
    {CPU0 "/cpufreq/scaling_max_freq", "4700000\n", NULL},
    {CPU0 "/cpufreq/cpuinfo_max_freq", "4700000\n", NULL},
    {CPU0 "/cpuidle/state0/name", "POLL\n", NULL},
    {CPU0 "/cpuidle/state0/latency", "0\n", NULL},
    {CPU0 "/cpuidle/state0/disable", "0\n", NULL},
    {CPU0 "/cpuidle/state1/name", "C10_ACPI\n", NULL},
    {CPU0 "/cpuidle/state1/latency", "1034\n", NULL},
    {CPU0 "/cpuidle/state1/disable", "0\n", NULL},
    {CPU0 "/thermal_throttle/core_throttle_count", "12\n", NULL},
    {CPU0 "/thermal_throttle/package_throttle_count", "340\n", NULL},
    {CPU0 "/topology/thread_siblings_list", "0,4\n", NULL},
    {CPUS "/isolated", "\n", NULL},
    {"/proc/irq/9/effective_affinity_list", "0\n", NULL},
    {"/proc/irq/16/effective_affinity_list", "2\n", NULL},
    {"/proc/stat", "cpu  40 0 10 180 0 0 0 0 0 0\ncpu0 10 0 10 180 0 0 0 0 0 0\n", NULL},
    {"/proc/self/cgroup", "0::/user.slice\n", NULL},
    {"/proc/self/mountinfo", "30 22 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", NULL},
    {"/sys/fs/cgroup/cgroup.controllers", "cpu\n", NULL},
    {"/sys/fs/cgroup/user.slice/cgroup.procs", "1\n", NULL},
    {"/proc/loadavg", "1.52 0.98 0.61 3/1204 6259\n", NULL},
    {SOURCES "/current_clocksource", "hpet\n", NULL},
    {SOURCES "/available_clocksource", "hpet acpi_pm \n", NULL},
    {"/proc/sys/kernel/perf_event_paranoid", "4\n", NULL},
    {"/proc/sys/kernel/nmi_watchdog", "1\n", NULL},
    {"/proc/sys/kernel/randomize_va_space", "2\n", NULL},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n", NULL},
};

/* A small cloud guest: no cpufreq, no thermal files, nothing below power_supply, and a quiet steal column. */
static const struct file guest[] = {
    {CPU0 "/cpuidle/state0/name", "POLL\n", NULL},
    {CPU0 "/cpuidle/state0/latency", "0\n", NULL},
    {CPU0 "/cpuidle/state0/disable", "0\n", NULL},
    {CPU0 "/topology/thread_siblings_list", "0\n", NULL},
    {CPUS "/smt/control", "notsupported\n", NULL},
    {CPUS "/isolated", "\n", NULL},
    {"/proc/stat", "cpu0 10 0 10 180 0 0 0 0 0 0\n", NULL},
    {"/proc/loadavg", "0.00 0.00 0.00 1/93 6259\n", NULL},
    {SOURCES "/current_clocksource", "kvm-clock\n", NULL},
    {SOURCES "/available_clocksource", "kvm-clock tsc acpi_pm \n", NULL},
    {"/proc/sys/kernel/perf_event_paranoid", "2\n", NULL},
};

static const struct tkf_machine bare = {.hypervisor_known = true};
static const struct tkf_machine kvm = {.hypervisor_known = true, .hypervisor = "KVM"};
static const struct tkf_machine silent = {.hypervisor_known = false};
static const struct tkf_machine emulated = {.emulated = true, .emulator = "QEMU TCG"};

static char root[64];

static void below_root(const char *path, char *ret_full, size_t size)
{
    int length = snprintf(ret_full, size, "%s%s", root, path);
    assert_in_range(length, 1, size - 1);
}

static void make_folders(char *full)
{
    for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        mkdir(full, 0755);
        *at = '/';
    }
}

static void plant_bytes(const char *path, const void *bytes, size_t size)
{
    char full[512];
    below_root(path, full, sizeof(full));
    make_folders(full);
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void plant(const char *path, const char *text)
{
    plant_bytes(path, text, strlen(text));
}

static void plant_all(const struct file *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        plant(files[i].path, files[i].text);
}

static void uproot(const char *path)
{
    char full[512];
    below_root(path, full, sizeof(full));
    assert_int_equal(remove(full), 0);
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
    (void)stat;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int setup(void **state)
{
    (void)state;
    strcpy(root, "/tmp/tkf-readiness-XXXXXX");
    return mkdtemp(root) != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

static struct tkf_check checks[TKF_CHECKS_MAX];
static unsigned nchecks;

/* Whatever is in the files, these hold. */
static void assert_well_formed(void)
{
    assert_in_range(nchecks, 1, TKF_CHECKS_MAX);
    for (unsigned i = 0; i < nchecks; i++) {
        const struct tkf_check *check = &checks[i];
        assert_non_null(check->code);
        assert_in_range(check->status, OK, UNKNOWN);
        assert_in_range(strlen(check->seen), 1, sizeof(check->seen) - 1);
        /* A command that was cut short must not be pasted. */
        assert_in_range(strlen(check->next), 0, sizeof(check->next) - 2);
        for (const char *at = check->seen; *at != '\0'; at++)
            assert_in_range(*at, ' ', '~');
        for (const char *at = check->next; *at != '\0'; at++)
            assert_in_range(*at, ' ', '~');
        if (check->status == OK) {
            assert_null(check->cost);
            assert_string_equal(check->next, "");
        } else {
            assert_non_null(check->cost);
        }
    }
}

static void ask(const struct tkf_machine *machine, unsigned cpu)
{
    memset(checks, 0x5a, sizeof(checks));
    nchecks = tkf_readiness(root, machine, cpu, checks);
    assert_well_formed();
}

static const struct tkf_check *find(const char *code)
{
    for (unsigned i = 0; i < nchecks; i++) {
        if (strcmp(checks[i].code, code) == 0)
            return &checks[i];
    }
    fail_msg("no check has the code %s", code);
    return NULL;
}

static void expect(const char *code, enum tkf_check_status status, const char *seen,
                   const char *next)
{
    const struct tkf_check *check = find(code);
    if (check->status != status || strstr(check->seen, seen) == NULL ||
        strstr(check->next, next) == NULL)
        fail_msg("%s: status %d, seen \"%s\", next \"%s\"; expected %d, \"%s\", \"%s\"", code,
                 check->status, check->seen, check->next, status, seen, next);
}

/* ---- machines --------------------------------------------------------------------------------------------------- */

static void test_lab_server(void **state)
{
    (void)state;
    static const char *const reported[] = {"cstates", "aslr", "thp", "mitigations"};
    plant_all(lab, ARRAY(lab));
    ask(&bare, 0);
    for (unsigned i = 0; i < nchecks; i++) {
        enum tkf_check_status status = OK;
        for (unsigned j = 0; j < ARRAY(reported); j++) {
            if (strcmp(checks[i].code, reported[j]) == 0)
                status = NOTE;
        }
        expect(checks[i].code, status, "", "");
    }
    expect("governor", OK, "performance (intel_pstate)", "");
    expect("frequency-limits", OK, "fixed at 2600 MHz", "");
    expect("cstates", NOTE, "2 in use, the deepest C1 takes 2 us", "");
    expect("isolation", OK, "without a periodic tick", "");
    expect("mitigations", NOTE, "2 mitigated, 1 vulnerable, 1 not affected, 0 unclear", "");
}

static void test_laptop(void **state)
{
    (void)state;
    plant_all(laptop, ARRAY(laptop));
    ask(&bare, 0);
    expect("hypervisor", OK, "none", "");
    expect("power-source", WARN, "battery", "plug");
    expect("platform-profile", WARN, "balanced", "echo performance | sudo tee /sys/firmware");
    expect("governor", WARN, "powersave (intel_pstate)", "cpu*/cpufreq/scaling_governor");
    assert_non_null(strstr(find("governor")->cost, "rises and falls"));
    expect("epp", WARN, "balance_power", "energy_performance_preference");
    expect("turbo", WARN, "on (", "echo 1 | sudo tee " CPUS "/intel_pstate/no_turbo");
    expect("frequency-limits", NOTE, "400 to 4700 MHz", "echo 4700000 | sudo tee " CPU0 "/cpufreq");
    expect("cstates", NOTE, "C10_ACPI takes 1034 us", "cpupower idle-set -D 10");
    expect("throttling", WARN, "12 of the core, 340 of the package", "cpu0/thermal_throttle");
    expect("smt-sibling", WARN, "CPUs 0,4 share one core", "echo off | sudo tee");
    expect("isolation", NOTE, "isolated: none", "isolcpus=0");
    expect("irq-affinity", NOTE, "1 of 2 interrupt lines go to CPU 0", "/proc/irq");
    expect("steal", OK, "none", "");
    expect("cgroup-quota", OK, "none up to the root cgroup", "");
    expect("load", WARN, "1.52 over 1 min, pressure unknown", "top");
    expect("clocksource", WARN, "hpet", "dmesg");
    expect("perf-permission", WARN, "4: no events", "perf_event_paranoid=2");
    expect("nmi-watchdog", NOTE, "on", "nmi_watchdog=0");
    expect("thp", NOTE, "always", "echo madvise");
    expect("mitigations", UNKNOWN, "no such folder", "");
}

static void test_guest(void **state)
{
    (void)state;
    static const char *const hidden[] = {
        "power-source",     "platform-profile", "governor",   "epp",         "turbo",
        "frequency-limits", "cstates",          "throttling", "smt-sibling", "steal"};
    plant_all(guest, ARRAY(guest));
    ask(&kvm, 0);
    expect("hypervisor", WARN, "KVM", "bare-metal");
    for (unsigned i = 0; i < ARRAY(hidden); i++)
        expect(hidden[i], UNKNOWN, "", "bare-metal instance");
    expect("smt-sibling", UNKNOWN, "a hypervisor hides whether another tenant shares the core", "");
    expect("steal", UNKNOWN, "a host need not report it", "");
    expect("clocksource", NOTE, "kvm-clock", "echo tsc | sudo tee");
    expect("perf-permission", OK, "2: own processes", "");

    /* What nobody calls virtual is not taken for bare metal. */
    ask(&silent, 0);
    expect("hypervisor", UNKNOWN, "does not say", "systemd-detect-virt");
    expect("smt-sibling", UNKNOWN, "would hide it", "");
    expect("steal", UNKNOWN, "need not report", "");
    plant("/sys/hypervisor/type", "xen\n");
    ask(&silent, 0);
    expect("hypervisor", WARN, "xen", "bare-metal");

    ask(&emulated, 0);
    expect("hypervisor", WARN, "emulated by QEMU TCG", "the machine itself");
}

static void test_steal_share(void **state)
{
    (void)state;
    plant("/proc/stat", "cpu  9 9 9 9 9 9 9 9 9 9\ncpu1 0 0 0 10 0 0 0 9 0 0\n"
                        "cpu10 40000 0 20000 939000 0 0 0 1000 0 0\n");
    ask(&kvm, 10);
    expect("steal", WARN, "0.10 % of CPU 10's time since boot, not of this run", "bare-metal");
    ask(&kvm, 1);
    expect("steal", WARN, "47.36 %", "");
    ask(&kvm, 2);
    expect("steal", UNKNOWN, "no line for CPU 2", "");
    plant("/proc/stat", "cpu0 0 0 0 1000000 0 0 0 1 0 0\n");
    ask(&kvm, 0);
    expect("steal", NOTE, "under 0.01 %", "");
    plant("/proc/stat", "cpu0 1 2 3 4 5 6 7\n"); /* a kernel without a steal column */
    ask(&bare, 0);
    expect("steal", UNKNOWN, "not understood", "");
}

/* ---- cgroups ---------------------------------------------------------------------------------------------------- */

#define V2_MOUNT "30 22 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup rw\n"
#define CG       "/sys/fs/cgroup"

static void test_quota_v2_ancestor(void **state)
{
    (void)state;
    plant("/proc/self/cgroup", "0::/pods/pod7/main\n");
    plant("/proc/self/mountinfo", V2_MOUNT);
    plant(CG "/cgroup.controllers", "cpu\n");
    plant(CG "/pods/cpu.max", "400000 100000\n");
    plant(CG "/pods/pod7/cpu.max", "150000 100000\n");
    plant(CG "/pods/pod7/cpu.stat", "usage_usec 9\nnr_periods 4567\nnr_throttled 123\n"
                                    "throttled_usec 8\n");
    plant(CG "/pods/pod7/main/cpu.max", "max 100000\n");
    plant(CG "/pods/pod7/main/cgroup.procs", "1\n");
    ask(&bare, 0);
    expect("cgroup-quota", WARN, "1.50 CPUs, set at /pods/pod7; stopped in 123 of 4567 periods",
           "--cpus");
    uproot(CG "/pods/pod7/cpu.stat");
    plant(CG "/pods/pod7/main/cpu.max", "5000 100000\n");
    ask(&bare, 0);
    expect("cgroup-quota", WARN, "0.05 CPUs, set at /pods/pod7/main", "");
    assert_null(strstr(find("cgroup-quota")->seen, "stopped"));
}

static void test_quota_v2_namespace(void **state)
{
    (void)state;
    /* Inside a container the namespace's root looks like "/", but it has the files of an inner cgroup. */
    plant("/proc/self/cgroup", "0::/\n");
    plant("/proc/self/mountinfo", V2_MOUNT);
    plant(CG "/cgroup.controllers", "cpu\n");
    plant(CG "/cgroup.type", "domain\n");
    plant(CG "/cgroup.procs", "1\n");
    plant(CG "/cpu.max", "max 100000\n");
    ask(&bare, 0);
    expect("cgroup-quota", UNKNOWN, "outside of this container is hidden", "");
    plant(CG "/cpu.max", "50000 100000\n");
    ask(&bare, 0);
    expect("cgroup-quota", WARN, "0.50 CPUs, set at /", "");

    static const char *const bad[] = {
        "max",     "",          "50000",       "0 100000",
        "50000 0", "-1 100000", "many 100000", "9999999999999999999999 1",
        "1 1 1"};
    for (unsigned i = 0; i < ARRAY(bad); i++) {
        plant(CG "/cpu.max", bad[i]);
        ask(&bare, 0);
        expect("cgroup-quota", UNKNOWN, "not a CPU limit: " CG "/cpu.max", "");
    }

    plant("/proc/self/cgroup", "0::/../other\n");
    ask(&bare, 0);
    expect("cgroup-quota", UNKNOWN, "outside of what is mounted", "");
    plant("/proc/self/cgroup", "0::/gone\n");
    ask(&bare, 0);
    expect("cgroup-quota", UNKNOWN, "no such cgroup: " CG "/gone", "");
    plant("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    ask(&bare, 0);
    expect("cgroup-quota", UNKNOWN, "not mounted", "");
}

static void test_quota_v1(void **state)
{
    (void)state;
    /* Version 1 holds the cpu controller, version 2 is mounted beside it; the mount begins at the container's cgroup. */
    plant("/proc/self/cgroup", "5:memory:/docker/ab\n4:cpuset:/\n3:cpu,cpuacct:/docker/ab/in\n"
                               "0::/docker/ab\n");
    plant("/proc/self/mountinfo",
          "33 22 0:33 /docker/ab /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
          "34 22 0:34 /docker/a /srv/other rw - cgroup cgroup rw,cpu,cpuacct\n"
          "35 22 0:34 /docker/ab /srv/my\\040cpu rw master:9 - cgroup cgroup rw,cpu,cpuacct\n"
          "36 22 0:36 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    plant("/srv/my cpu/cpu.cfs_quota_us", "200000\n");
    plant("/srv/my cpu/cpu.cfs_period_us", "100000\n");
    plant("/srv/my cpu/cpu.stat", "nr_periods 10\nnr_throttled 4\nthrottled_time 99\n");
    plant("/srv/my cpu/in/cpu.cfs_quota_us", "-1\n");
    plant("/srv/my cpu/in/cpu.cfs_period_us", "100000\n");
    plant("/srv/my cpu/in/cgroup.procs", "1\n");
    ask(&bare, 0);
    expect("cgroup-quota", WARN, "2.00 CPUs, set at /; stopped in 4 of 10 periods", "");

    plant("/srv/my cpu/cpu.cfs_quota_us", "-1\n");
    ask(&bare, 0);
    expect("cgroup-quota", UNKNOWN, "hidden", "");
    plant("/srv/my cpu/release_agent", "\n");
    ask(&kvm, 0);
    expect("cgroup-quota", OK, "none up to the root cgroup of this guest", "");
    uproot("/srv/my cpu/in/cpu.cfs_quota_us");
    ask(&bare, 0);
    expect("cgroup-quota", UNKNOWN, "no such file: /srv/my cpu/in/cpu.cfs_quota_us", "");
}

static void test_quota_strange_paths(void **state)
{
    (void)state;
    char text[6000];
    memset(text, 'x', sizeof(text));
    memcpy(text, "0::/", 4);
    plant_bytes("/proc/self/cgroup", text, sizeof(text));
    plant("/proc/self/mountinfo", V2_MOUNT);
    ask(&bare, 0);
    expect("cgroup-quota", UNKNOWN, "no cgroup", "");

    /* A long name is cut at its front, where it says least; escape sequences do not reach a terminal. */
    plant("/proc/self/cgroup",
          "0::/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/\033[31m\n");
    plant(CG "/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/\033[31m/cpu.max",
          "1000 1000\n");
    plant(CG "/0123456789/0123456789/0123456789/0123456789/0123456789/0123456789/\033[31m/"
             "cgroup.procs",
          "");
    ask(&bare, 0);
    expect("cgroup-quota", WARN, "1.00 CPUs", "");
    static const char *const bad[] = {"", "\n", ":\n", "::\n", "0::\n", "0:cpu\n", "0::relative\n"};
    for (unsigned i = 0; i < ARRAY(bad); i++) {
        plant("/proc/self/cgroup", bad[i]);
        ask(&bare, 0);
        expect("cgroup-quota", UNKNOWN, "no cgroup", "");
    }
}

/* ---- one file at a time ----------------------------------------------------------------------------------------- */

/* Each is laid over the lab server, alone. */
static const struct {
    const char *path, *text, *code;
    enum tkf_check_status status;
    const char *seen, *next;
} variants[] = {
    {CPU0 "/cpufreq/scaling_governor", "schedutil\n", "governor", WARN, "schedutil", "tee"},
    {CPU0 "/cpufreq/scaling_governor", "userspace\n", "governor", NOTE, "userspace", ""},
    {CPU0 "/cpufreq/scaling_governor", "warp\n", "governor", UNKNOWN, "\"warp\"", ""},
    {CPU0 "/cpufreq/scaling_governor", " \n", "governor", UNKNOWN, "empty: " CPU0 "/cpufreq", ""},
    {CPU0 "/cpufreq/energy_performance_preference", "balance_performance", "epp", WARN, "", "tee"},
    {CPU0 "/cpufreq/energy_performance_preference", "0", "epp", OK, "0", ""},
    {CPU0 "/cpufreq/energy_performance_preference", "128", "epp", WARN, "128", "tee"},
    {CPU0 "/cpufreq/energy_performance_preference", "256", "epp", UNKNOWN, "256", ""},
    {CPUS "/intel_pstate/no_turbo", "2", "turbo", UNKNOWN, "neither 0 nor 1", ""},
    {CPU0 "/cpufreq/scaling_min_freq", "800000", "frequency-limits", NOTE, "800 to 2600", "tee"},
    {CPU0 "/cpufreq/scaling_min_freq", "9000000", "frequency-limits", UNKNOWN, "not a range", ""},
    {CPU0 "/cpuidle/state0/disable", "1", "cstates", NOTE, "1 in use", ""},
    {CPU0 "/thermal_throttle/core_throttle_count", "1", "throttling", WARN, "1 of the core", ""},
    {CPU0 "/topology/thread_siblings_list", "0-3", "smt-sibling", WARN, "0-3", "smt/control"},
    {CPU0 "/topology/thread_siblings_list", "4", "smt-sibling", UNKNOWN, "\"4\"", ""},
    {CPU0 "/topology/thread_siblings_list", "3-0", "smt-sibling", UNKNOWN, "\"3-0\"", ""},
    {CPU0 "/topology/thread_siblings_list", "0,3-1", "smt-sibling", UNKNOWN, "\"0,3-1\"", ""},
    {CPU0 "/topology/thread_siblings_list", "0,", "smt-sibling", UNKNOWN, "\"0,\"", ""},
    {CPU0 "/topology/thread_siblings_list", "0-999999999999999", "smt-sibling", WARN, "0-99", ""},
    {CPUS "/isolated", "2-3,7", "isolation", NOTE, "2-3,7", "tickfloor calibrate --cpus 2-3,7"},
    {CPUS "/isolated", "$(reboot)", "isolation", UNKNOWN, "not understood", ""},
    {CPUS "/nohz_full", "(null)", "isolation", OK, "is isolated", ""},
    {"/proc/irq/9/effective_affinity_list", "0-1", "irq-affinity", NOTE, "1 of 1", ""},
    {"/proc/loadavg", "0.10 0 0 1/9 9\n", "load", NOTE, "0.10", "top"},
    {"/proc/loadavg", "1.00 0 0 1/9 9\n", "load", WARN, "1.00", "top"},
    {"/proc/loadavg", "0 0 0\n", "load", UNKNOWN, "not understood", ""},
    {"/proc/pressure/cpu", "some avg10=1.00 a", "load", WARN, "waited 1.00 %", "top"},
    {"/proc/pressure/cpu", "full avg10=9.00 a", "load", OK, "pressure unknown", ""},
    {SOURCES "/current_clocksource", "acpi_pm", "clocksource", WARN, "acpi_pm", "echo tsc"},
    {SOURCES "/current_clocksource", "xen", "clocksource", WARN, "xen", "echo tsc"},
    {SOURCES "/current_clocksource", "arch_sys_counter", "clocksource", OK, "arch_sys", ""},
    {SOURCES "/current_clocksource", "sundial", "clocksource", UNKNOWN, "sundial", ""},
    {"/proc/sys/kernel/perf_event_paranoid", "-1", "perf-permission", OK, "-1: every", ""},
    {"/proc/sys/kernel/perf_event_paranoid", "0", "perf-permission", OK, "0: ", ""},
    {"/proc/sys/kernel/perf_event_paranoid", "3", "perf-permission", WARN, "Debian", "sysctl"},
    {"/proc/sys/kernel/perf_event_paranoid", "5", "perf-permission", UNKNOWN, "\"5\"", ""},
    {"/proc/sys/kernel/perf_event_paranoid", "-2", "perf-permission", UNKNOWN, "\"-2\"", ""},
    {"/proc/sys/kernel/nmi_watchdog", "2", "nmi-watchdog", UNKNOWN, "neither 0 nor 1", ""},
    {"/proc/sys/kernel/randomize_va_space", "0", "aslr", NOTE, "same addresses", "unlucky"},
    {"/proc/sys/kernel/randomize_va_space", "3", "aslr", UNKNOWN, "above 2", ""},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "always never", "thp", UNKNOWN, "not und", ""},
    {"/sys/class/power_supply/AC/online", "0", "power-source", WARN, "battery", "plug"},
    {"/sys/firmware/acpi/platform_profile", "low-power", "platform-profile", WARN, "low", "tee"},
    {"/sys/firmware/acpi/platform_profile", "custom", "platform-profile", UNKNOWN, "custom", ""},
};

static void test_variants(void **state)
{
    (void)state;
    plant_all(lab, ARRAY(lab));
    for (unsigned i = 0; i < ARRAY(variants); i++) {
        plant(variants[i].path, variants[i].text);
        ask(&bare, 0);
        expect(variants[i].code, variants[i].status, variants[i].seen, variants[i].next);
        for (unsigned j = 0; j < ARRAY(lab); j++) {
            if (strcmp(lab[j].path, variants[i].path) == 0)
                plant(lab[j].path, lab[j].text);
        }
    }
}

/* AMD's and older drivers' switch, for all CPUs or for one, and a cap below what the CPU can. */
static void test_other_drivers(void **state)
{
    (void)state;
    plant_all(lab, ARRAY(lab));
    uproot(CPUS "/intel_pstate/no_turbo");
    uproot(CPU0 "/cpufreq/energy_performance_preference");
    plant(CPU0 "/cpufreq/scaling_driver", "acpi-cpufreq\n");
    plant(CPU0 "/cpufreq/scaling_governor", "powersave\n");
    plant(CPUS "/cpufreq/boost", "1\n");
    plant(CPU0 "/cpufreq/scaling_min_freq", "400000\n");
    plant(CPU0 "/cpufreq/cpuinfo_max_freq", "3700000\n");
    plant(CPU0 "/power/energy_perf_bias", "6\n");
    ask(&bare, 0);
    expect("turbo", WARN, "on", "echo 0 | sudo tee " CPUS "/cpufreq/boost");
    expect("governor", WARN, "powersave (acpi-cpufreq)", "tee");
    assert_non_null(strstr(find("governor")->cost, "lowest"));
    expect("frequency-limits", WARN, "400 to 2600 MHz, of the 3700 MHz", "echo 3700000");
    expect("epp", WARN, "energy_perf_bias 6 of 15", "echo 0");

    plant(CPU0 "/cpufreq/boost", "1\n");
    ask(&bare, 0);
    expect("turbo", WARN, "on", "echo 0 | sudo tee " CPUS "/cpufreq/boost");
    plant(CPU0 "/cpufreq/boost", "0\n");
    plant(CPU0 "/power/energy_perf_bias", "0\n");
    ask(&bare, 0);
    expect("turbo", OK, "off (" CPU0 "/cpufreq/boost is 0)", "");
    expect("epp", OK, "energy_perf_bias 0", "");
    plant(CPUS "/cpufreq/boost", "0\n");
    plant(CPU0 "/cpufreq/boost", "1\n");
    plant(CPU0 "/power/energy_perf_bias", "77\n");
    ask(&bare, 0);
    expect("turbo", OK, "off (" CPUS "/cpufreq/boost is 0)", "");
    expect("epp", UNKNOWN, "no such file", "");
    uproot(CPUS "/cpufreq/boost");
    ask(&bare, 0);
    expect("turbo", WARN, "on", "echo 0 | sudo tee " CPU0 "/cpufreq/boost");
}

static void test_batteries(void **state)
{
    (void)state;
    plant("/sys/class/power_supply/mouse/type", "Battery\n");
    plant("/sys/class/power_supply/mouse/scope", "Device\n");
    plant("/sys/class/power_supply/mouse/status", "Discharging\n");
    ask(&bare, 0);
    expect("power-source", UNKNOWN, "no charger or battery", "");
    plant("/sys/class/power_supply/BAT1/type", "Battery\n");
    plant("/sys/class/power_supply/BAT1/status", "Discharging\n");
    ask(&bare, 0);
    expect("power-source", WARN, "battery", "");
    plant("/sys/class/power_supply/usbc/type", "USB\n");
    plant("/sys/class/power_supply/usbc/online", "1\n");
    ask(&bare, 0);
    expect("power-source", OK, "mains", "");
}

static void test_containers(void **state)
{
    (void)state;
    plant("/proc/self/cgroup", "0::/\n");
    ask(&bare, 0);
    expect("container", OK, "no sign of one", "");
    plant("/proc/self/cgroup", "3:cpu:/kubepods/burstable/pod7\n0::/\n");
    ask(&bare, 0);
    expect("container", NOTE, "Kubernetes, by /proc/self/cgroup", "on the host too");
    plant_bytes("/proc/1/environ", "A=1\0container=lxc\0B=2", 21);
    ask(&bare, 0);
    expect("container", NOTE, "lxc, by the environment of process 1", "");
    plant("/run/systemd/container", "systemd-nspawn\n");
    ask(&bare, 0);
    expect("container", NOTE, "systemd-nspawn, by /run/systemd/container", "");
    plant("/.dockerenv", "");
    ask(&bare, 0);
    expect("container", NOTE, "Docker, by /.dockerenv", "");
    plant("/run/.containerenv", "");
    ask(&bare, 0);
    expect("container", NOTE, "Podman, by /run/.containerenv", "");
    plant("/proc/version", "Linux version 4.19.0-gvisor #1 SMP\n");
    ask(&bare, 0);
    expect("container", WARN, "gVisor", "runc");
    assert_non_null(strstr(find("container")->cost, "no hardware events"));
}

static void test_what_a_container_forbids(void **state)
{
    (void)state;
    plant(CPUS "/online", "0-7\n");
    plant("/proc/self/status", "Seccomp:\t2\nCpus_allowed_list:\t2-3\n");
    ask(&bare, 2);
    expect("cpuset", NOTE, "may use 2-3 of 0-7", "--cpuset-cpus");
    expect("seccomp", NOTE, "a filter", "seccomp=unconfined");
    plant("/proc/self/status", "Seccomp:\t7\nCpus_allowed_list:\tx\n");
    ask(&bare, 2);
    expect("cpuset", UNKNOWN, "not understood", "");
    expect("seccomp", UNKNOWN, "not understood", "");
}

static void test_monitors(void **state)
{
    (void)state;
    plant_bytes("/sys/firmware/acpi/tables/DSDT", "DSDT\1\2\3\4\2\5FIRECKxx", 18);
    ask(&kvm, 0);
    expect("hypervisor", WARN, "KVM, run by Firecracker", "bare-metal");
    ask(&bare, 0);
    expect("hypervisor", OK, "none", "");
    plant_bytes("/sys/firmware/acpi/tables/DSDT", "DSDT\1\2\3\4\2\5FIRE", 14);
    ask(&kvm, 0);
    expect("hypervisor", WARN, "KVM", "");
    assert_null(strstr(find("hypervisor")->seen, "Firecracker"));
    plant("/sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
    ask(&kvm, 0);
    expect("hypervisor", WARN, "KVM, run by Nitro", "bare-metal");
}

/* ---- nothing, and nonsense -------------------------------------------------------------------------------------- */

static void test_empty_tree(void **state)
{
    (void)state;
    ask(&silent, 0);
    for (unsigned i = 0; i < nchecks; i++)
        expect(checks[i].code, UNKNOWN, "", "");
    expect("governor", UNKNOWN, "no such file: " CPU0 "/cpufreq/scaling_governor", "");
    ask(&kvm, 4095);
    for (unsigned i = 0; i < nchecks; i++)
        assert_int_not_equal(checks[i].status, OK);
    /* The CPU itself may say that there is no hypervisor; nothing else follows from that. */
    ask(&bare, 0);
    for (unsigned i = 0; i < nchecks; i++)
        expect(checks[i].code, strcmp(checks[i].code, "hypervisor") == 0 ? OK : UNKNOWN, "", "");
}

static void test_each_file_missing(void **state)
{
    (void)state;
    plant_all(lab, ARRAY(lab));
    for (unsigned i = 0; i < ARRAY(lab); i++) {
        uproot(lab[i].path);
        ask(&bare, 0);
        if (lab[i].code != NULL)
            expect(lab[i].code, UNKNOWN, "", "");
        plant(lab[i].path, lab[i].text);
    }
}

static void make_folder(const char *path)
{
    char full[512];
    uproot(path);
    below_root(path, full, sizeof(full));
    assert_int_equal(mkdir(full, 0755), 0);
}

static void make_fifo(const char *path)
{
    char full[512];
    uproot(path);
    below_root(path, full, sizeof(full));
    assert_int_equal(mkfifo(full, 0644), 0);
}

static void make_empty(const char *path)
{
    plant(path, "");
}

static void make_binary(const char *path)
{
    char bytes[300];
    for (unsigned i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(i * 37 + 129);
    plant_bytes(path, bytes, sizeof(bytes));
}

static void make_zeros(const char *path)
{
    static const char bytes[64];
    plant_bytes(path, bytes, sizeof(bytes));
}

static void make_huge(const char *path)
{
    static char bytes[1 << 20];
    memset(bytes, '7', sizeof(bytes));
    plant_bytes(path, bytes, sizeof(bytes));
}

static void make_line_of_percents(const char *path)
{
    plant(path, "%s%n%s%n%x cpu0 [ ] 0-,-1 \xff\xfe\n");
}

static void test_each_file_malformed(void **state)
{
    (void)state;
    static void (*const spoil[])(const char *path) = {
        make_folder,           make_fifo, make_empty, make_binary, make_zeros, make_huge,
        make_line_of_percents,
    };
    plant_all(lab, ARRAY(lab));
    for (unsigned i = 0; i < ARRAY(lab); i++) {
        for (unsigned j = 0; j < ARRAY(spoil); j++) {
            spoil[j](lab[i].path);
            ask(&bare, 0);
            if (lab[i].code != NULL && find(lab[i].code)->status == OK)
                fail_msg("%s: ok without a sound %s (kind %u)", lab[i].code, lab[i].path, j);
            uproot(lab[i].path);
            plant(lab[i].path, lab[i].text);
        }
    }
}

static void test_folder_in_place_of_a_file(void **state)
{
    (void)state;
    plant_all(lab, ARRAY(lab));
    make_folder(CPUS "/isolated");
    make_folder(CPU0 "/cpufreq/scaling_governor");
    ask(&bare, 0);
    expect("isolation", UNKNOWN, "cannot be read: " CPUS "/isolated", "");
    expect("governor", UNKNOWN, "cannot be read: " CPU0 "/cpufreq/scaling_governor", "");
}

static void test_no_final_newline(void **state)
{
    (void)state;
    struct tkf_check before[TKF_CHECKS_MAX];
    plant_all(lab, ARRAY(lab));
    ask(&bare, 0);
    memcpy(before, checks, sizeof(before));
    for (unsigned i = 0; i < ARRAY(lab); i++)
        plant_bytes(lab[i].path, lab[i].text, strlen(lab[i].text) - 1);
    ask(&bare, 0);
    for (unsigned i = 0; i < nchecks; i++)
        expect(before[i].code, before[i].status, before[i].seen, before[i].next);
}

static void test_no_permission(void **state)
{
    (void)state;
    char full[512];
    plant_all(lab, ARRAY(lab));
    below_root(CPU0 "/cpufreq/scaling_governor", full, sizeof(full));
    assert_int_equal(chmod(full, 0), 0);
    assert_int_equal(chmod(root, 0755), 0);
    /* root may read anything, so ask as nobody. */
    bool was_root = geteuid() == 0;
    if (was_root && seteuid(65534) != 0) {
        fprintf(stderr, "skipped: root here cannot become another user\n");
        skip();
    }
    ask(&bare, 0);
    if (was_root)
        assert_int_equal(seteuid(0), 0);
    expect("governor", UNKNOWN, "no permission to read: " CPU0 "/cpufreq/scaling_governor", "");
}

/* ---- the manual ------------------------------------------------------------------------------------------------- */

static const char *manual_path;

static void test_manual_names_each_code(void **state)
{
    (void)state;
    static char manual[1 << 16];
    FILE *file = fopen(manual_path, "r");
    assert_non_null(file);
    size_t length = fread(manual, 1, sizeof(manual) - 1, file);
    fclose(file);
    manual[length] = '\0';
    ask(&silent, 0);
    for (unsigned i = 0; i < nchecks; i++) {
        char row[64];
        snprintf(row, sizeof(row), "\n| `%s` |", checks[i].code);
        if (strstr(manual, row) == NULL)
            fail_msg("%s has no row for %s", manual_path, checks[i].code);
    }
}

#define IN_A_TREE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        IN_A_TREE(test_lab_server),
        IN_A_TREE(test_laptop),
        IN_A_TREE(test_guest),
        IN_A_TREE(test_steal_share),
        IN_A_TREE(test_quota_v2_ancestor),
        IN_A_TREE(test_quota_v2_namespace),
        IN_A_TREE(test_quota_v1),
        IN_A_TREE(test_quota_strange_paths),
        IN_A_TREE(test_variants),
        IN_A_TREE(test_other_drivers),
        IN_A_TREE(test_batteries),
        IN_A_TREE(test_containers),
        IN_A_TREE(test_what_a_container_forbids),
        IN_A_TREE(test_monitors),
        IN_A_TREE(test_empty_tree),
        IN_A_TREE(test_each_file_missing),
        IN_A_TREE(test_each_file_malformed),
        IN_A_TREE(test_folder_in_place_of_a_file),
        IN_A_TREE(test_no_final_newline),
        IN_A_TREE(test_no_permission),
        IN_A_TREE(test_manual_names_each_code),
    };
    if (argc != 2) {
        fprintf(stderr, "usage: %s doc/readiness.md\n", argv[0]);
        return 2;
    }
    manual_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
