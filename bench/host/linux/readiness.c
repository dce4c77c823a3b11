/* SPDX-License-Identifier: MIT */
/*
 * doc/readiness.md says what each check reads, what is good, and which traps there are.
 *
 * A check that finds no file answers "unknown" with the path; value() and number() see to that. Nothing read from a file
 * goes into a command that a user is told to run, unless it was parsed as a number or a CPU list.
 */
#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>

#include "cgroup.h"
#include "facts.h"
#include "guest.h"
#include "sysfile.h"

#define CPUS         "/sys/devices/system/cpu"
#define CLOCKSOURCES "/sys/devices/system/clocksource/clocksource0"
#define ARRAY(a)     (sizeof(a) / sizeof((a)[0]))

/** What every check looks at. */
struct view {
    const char *root;
    const struct tkf_machine *machine;
    unsigned cpu;
};

static bool is_virtual(const struct view *view)
{
    return view->machine->emulated || view->machine->hypervisor[0] != '\0';
}

static bool is_bare_metal(const struct view *view)
{
    return view->machine->hypervisor_known && !is_virtual(view);
}

/* ---- answers ---------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void
answer(struct tkf_check *check, enum tkf_check_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(check->seen, sizeof(check->seen), format, args);
    va_end(args);
    check->status = status;
}

__attribute__((format(printf, 2, 3))) static void advise(struct tkf_check *check,
                                                         const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(check->next, sizeof(check->next), format, args);
    va_end(args);
}

static void not_understood(struct tkf_check *check, const char *text)
{
    answer(check, TKF_CHECK_UNKNOWN, "not understood: \"%.60s\"", text);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/**
 * Read a value that cannot be empty. On failure the check's answer is "unknown" with the reason.
 * @param check  NULL when the value is only an addition.
 */
static int value(const struct view *view, struct tkf_check *check, const char *path,
                 char ret_text[TKF_SYSFILE_SIZE])
{
    char text[TKF_SYSFILE_SIZE], reason[sizeof(check->seen)];
    int error = tkf_sysfile_read(view->root, path, text, reason, sizeof(reason));
    if (error == 0 && text[0] == '\0') {
        snprintf(reason, sizeof(reason), "empty: %.100s", path);
        error = TKF_EFORMAT;
    }
    if (error == 0)
        strcpy(ret_text, text);
    else if (check != NULL)
        answer(check, TKF_CHECK_UNKNOWN, "%s", reason);
    return error;
}

static int number(const struct view *view, struct tkf_check *check, const char *path,
                  uint64_t *ret_number)
{
    char text[TKF_SYSFILE_SIZE];
    int error = value(view, check, path, text);
    if (error != 0)
        return error;
    error = tkf_sysfile_number(text, text + strlen(text), ret_number);
    if (error != 0 && check != NULL)
        not_understood(check, text);
    return error;
}

/** As value() and number(), below the measured CPU's folder. */
static int cpu_value(const struct view *view, struct tkf_check *check, const char *leaf,
                     char ret_text[TKF_SYSFILE_SIZE])
{
    char path[128];
    snprintf(path, sizeof(path), CPUS "/cpu%u/%s", view->cpu, leaf);
    return value(view, check, path, ret_text);
}

static int cpu_number(const struct view *view, struct tkf_check *check, const char *leaf,
                      uint64_t *ret_number)
{
    char path[128];
    snprintf(path, sizeof(path), CPUS "/cpu%u/%s", view->cpu, leaf);
    return number(view, check, path, ret_number);
}

/** Read a number off the front of *text, and step over it. */
static bool take_number(const char **text, uint64_t *ret_number)
{
    const char *end = *text + strspn(*text, "0123456789");
    if (tkf_sysfile_number(*text, end, ret_number) != 0)
        return false;
    *text = end;
    return true;
}

/** Read "1.38" off the front of *text as 138. By hand, because strtod() follows the program's locale. */
static bool take_hundredths(const char **text, uint64_t *ret_hundredths)
{
    const char *at = *text;
    uint64_t whole;
    if (!take_number(&at, &whole) || at[0] != '.' || !isdigit((unsigned char)at[1]) ||
        !isdigit((unsigned char)at[2]))
        return false;
    *ret_hundredths = whole * 100 + (uint64_t)(at[1] - '0') * 10 + (uint64_t)(at[2] - '0');
    *text = at + 3;
    return true;
}

/** Whether a CPU list such as "0-3,8" holds a CPU, and how many it holds. False when it is no such list. */
static bool scan_list(const char *text, unsigned cpu, bool *ret_holds, uint64_t *ret_count)
{
    bool holds = false;
    uint64_t count = 0;
    for (;;) {
        uint64_t first, last;
        if (!take_number(&text, &first))
            return false;
        last = first;
        if (*text == '-') {
            text++;
            if (!take_number(&text, &last) || last < first)
                return false;
        }
        holds = holds || (first <= cpu && cpu <= last);
        count += last - first + 1;
        if (*text == '\0')
            break;
        if (*text++ != ',')
            return false;
    }
    *ret_holds = holds;
    *ret_count = count;
    return true;
}

/* ---- the machine ------------------------------------------------------------------------------------------------ */

static void check_hypervisor(const struct view *view, struct tkf_check *check)
{
    char type[TKF_SYSFILE_SIZE];
    const char *name = view->machine->hypervisor, *monitor = tkf_guest_monitor(view->root);
    advise(check, "use a dedicated host or a bare-metal instance");
    if (view->machine->emulated) {
        answer(check, TKF_CHECK_WARN, "emulated by %s", view->machine->emulator);
        check->cost = "an emulator's time is not a CPU's: no cycle count and no floor is real";
        advise(check, "measure on the machine itself");
    } else if (strcmp(name, "unnamed") == 0 && monitor != NULL) {
        answer(check, TKF_CHECK_WARN, "that of %s", monitor);
    } else if (name[0] != '\0' && monitor != NULL && strcmp(name, monitor) != 0) {
        answer(check, TKF_CHECK_WARN, "%s, run by %s", name, monitor);
    } else if (name[0] != '\0') {
        answer(check, TKF_CHECK_WARN, "%s", name);
    } else if (value(view, NULL, "/sys/hypervisor/type", type) == 0) {
        answer(check, TKF_CHECK_WARN, "%.60s", type);
    } else if (view->machine->hypervisor_known) {
        answer(check, TKF_CHECK_OK, "none");
    } else {
        answer(check, TKF_CHECK_UNKNOWN, "this machine does not say whether it is virtual");
        advise(check, "systemd-detect-virt");
    }
}

static void check_container(const struct view *view, struct tkf_check *check)
{
    char container[80], group[TKF_SYSFILE_SIZE];
    tkf_guest_container(view->root, container, sizeof(container));
    if (tkf_guest_is_gvisor(view->root)) {
        answer(check, TKF_CHECK_WARN, "%s", container);
        check->cost = "gVisor answers the system calls itself: clocks and calls are dearer, and "
                      "there are no hardware events";
        advise(check, "run it on the host's own kernel: docker run --runtime=runc");
    } else if (container[0] != '\0') {
        answer(check, TKF_CHECK_NOTE, "%s", container);
        advise(check, "measure on the host too: only there every limit can be seen");
    } else if (value(view, check, "/proc/self/cgroup", group) == 0) {
        answer(check, TKF_CHECK_OK, "no sign of one");
    }
}

/** A charger that gives power, a charger that gives none, a battery of this machine (not of a mouse) that drains. */
struct supplies {
    bool online, offline, draining;
};

static void look_at_supply(const struct view *view, const char *name, struct supplies *supplies)
{
    char path[NAME_MAX + 64], text[TKF_SYSFILE_SIZE];
    uint64_t online;
    snprintf(path, sizeof(path), "/sys/class/power_supply/%s/scope", name);
    if (value(view, NULL, path, text) == 0 && strcmp(text, "Device") == 0)
        return;
    snprintf(path, sizeof(path), "/sys/class/power_supply/%s/type", name);
    if (value(view, NULL, path, text) != 0)
        return;
    if (strcmp(text, "Battery") == 0) {
        snprintf(path, sizeof(path), "/sys/class/power_supply/%s/status", name);
        if (value(view, NULL, path, text) == 0 && strcmp(text, "Discharging") == 0)
            supplies->draining = true;
        return;
    }
    if (strcmp(text, "Mains") != 0 && strcmp(text, "USB") != 0 && strcmp(text, "Wireless") != 0)
        return;
    snprintf(path, sizeof(path), "/sys/class/power_supply/%s/online", name);
    if (number(view, NULL, path, &online) == 0) {
        supplies->online = supplies->online || online != 0;
        supplies->offline = supplies->offline || online == 0;
    }
}

static DIR *open_folder(const struct view *view, struct tkf_check *check, const char *path)
{
    char full[PATH_MAX];
    int length = snprintf(full, sizeof(full), "%s%s", view->root, path);
    DIR *folder = length < (int)sizeof(full) ? opendir(full) : NULL;
    if (folder == NULL)
        answer(check, TKF_CHECK_UNKNOWN, "no such folder: %s", path);
    return folder;
}

static void check_power_source(const struct view *view, struct tkf_check *check)
{
    DIR *folder = open_folder(view, check, "/sys/class/power_supply");
    if (folder == NULL)
        return;
    struct supplies supplies = {.online = false};
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.')
            look_at_supply(view, entry->d_name, &supplies);
    }
    closedir(folder);

    if (supplies.online) {
        answer(check, TKF_CHECK_OK, "mains");
    } else if (supplies.draining || supplies.offline) {
        answer(check, TKF_CHECK_WARN, "battery");
        advise(check, "plug the machine in");
    } else {
        answer(check, TKF_CHECK_UNKNOWN, "no charger or battery is listed in %s",
               "/sys/class/power_supply");
    }
}

static void check_platform_profile(const struct view *view, struct tkf_check *check)
{
    static const char path[] = "/sys/firmware/acpi/platform_profile";
    char profile[TKF_SYSFILE_SIZE];
    if (value(view, check, path, profile) != 0)
        return;
    if (strcmp(profile, "performance") == 0 || strcmp(profile, "max-power") == 0) {
        answer(check, TKF_CHECK_OK, "%s", profile);
        return;
    }
    static const char *const slow[] = {"low-power", "quiet", "cool", "balanced",
                                       "balanced-performance"};
    for (unsigned i = 0; i < ARRAY(slow); i++) {
        if (strcmp(profile, slow[i]) == 0) {
            answer(check, TKF_CHECK_WARN, "%s", profile);
            advise(check, "echo performance | sudo tee %s", path);
            return;
        }
    }
    not_understood(check, profile);
}

/* ---- the clock of the core -------------------------------------------------------------------------------------- */

static void check_governor(const struct view *view, struct tkf_check *check)
{
    static const char *const moving[] = {"powersave", "schedutil", "ondemand", "conservative",
                                         "interactive"};
    char governor[TKF_SYSFILE_SIZE], driver[TKF_SYSFILE_SIZE];
    if (cpu_value(view, check, "cpufreq/scaling_governor", governor) != 0)
        return;
    if (cpu_value(view, NULL, "cpufreq/scaling_driver", driver) != 0)
        strcpy(driver, "driver unknown");

    if (strcmp(governor, "performance") == 0) {
        answer(check, TKF_CHECK_OK, "performance (%.40s)", driver);
        return;
    }
    if (strcmp(governor, "userspace") == 0) {
        answer(check, TKF_CHECK_NOTE, "userspace (%.40s)", driver);
        check->cost = "the clock is where somebody set it: right only if that is what you meant";
        return;
    }
    for (unsigned i = 0; i < ARRAY(moving); i++) {
        if (strcmp(governor, moving[i]) != 0)
            continue;
        answer(check, TKF_CHECK_WARN, "%s (%.40s)", governor, driver);
        advise(check, "echo performance | sudo tee " CPUS "/cpu*/cpufreq/scaling_governor");
        /* These two drivers choose the speed themselves; with any other, powersave means the lowest speed, always. */
        if (i == 0 && strcmp(driver, "intel_pstate") != 0 && strcmp(driver, "amd-pstate-epp") != 0)
            check->cost = "the clock stays at the lowest of the governor's limits";
        return;
    }
    not_understood(check, governor);
}

static void check_epp(const struct view *view, struct tkf_check *check)
{
    static const char *const names[] = {"balance_performance", "balance_power", "power", "default"};
    char text[TKF_SYSFILE_SIZE];
    uint64_t bias;
    int error = cpu_value(view, check, "cpufreq/energy_performance_preference", text);
    /* Intel CPUs have this older hint, 0 to 15, too; without hardware P-states it is the only one. */
    if (error == TKF_EUNSUPPORTED && cpu_number(view, NULL, "power/energy_perf_bias", &bias) == 0 &&
        bias <= 15) {
        answer(check, bias == 0 ? TKF_CHECK_OK : TKF_CHECK_WARN, "energy_perf_bias %u of 15",
               (unsigned)bias);
        advise(check, "echo 0 | sudo tee " CPUS "/cpu*/power/energy_perf_bias");
        return;
    }
    if (error != 0)
        return;
    if (strcmp(text, "performance") == 0 || strcmp(text, "0") == 0) {
        answer(check, TKF_CHECK_OK, "%s", text);
        return;
    }
    uint64_t raw;
    bool known = tkf_sysfile_number(text, text + strlen(text), &raw) == 0 && raw <= 255;
    for (unsigned i = 0; i < ARRAY(names); i++)
        known = known || strcmp(text, names[i]) == 0;
    if (!known) {
        not_understood(check, text);
        return;
    }
    answer(check, TKF_CHECK_WARN, "%s", text);
    advise(check,
           "echo performance | sudo tee " CPUS "/cpu*/cpufreq/energy_performance_preference");
}

/** Answer for one of the switches; `off` is the number that turns turbo off. */
static void answer_turbo(struct tkf_check *check, uint64_t number, uint64_t off, const char *path)
{
    if (number == off) {
        answer(check, TKF_CHECK_OK, "off (%s is %u)", path, (unsigned)number);
    } else if (number <= 1) {
        answer(check, TKF_CHECK_WARN, "on (%s is %u)", path, (unsigned)number);
        advise(check, "echo %u | sudo tee %s", (unsigned)off, path);
    } else {
        answer(check, TKF_CHECK_UNKNOWN, "neither 0 nor 1: %s", path);
    }
}

static void check_turbo(const struct view *view, struct tkf_check *check)
{
    static const char no_turbo[] = CPUS "/intel_pstate/no_turbo";
    static const char boost[] = CPUS "/cpufreq/boost";
    char own[128];
    uint64_t state;
    snprintf(own, sizeof(own), CPUS "/cpu%u/cpufreq/boost", view->cpu);

    int error = number(view, check, no_turbo, &state);
    if (error == 0) {
        answer_turbo(check, state, 1, no_turbo);
        return;
    }
    if (error != TKF_EUNSUPPORTED)
        return;
    /* Some drivers have a switch for each CPU beside the common one; either of them turns it off. */
    error = number(view, check, boost, &state);
    if (error == 0)
        answer_turbo(check, state, 0, boost);
    if (error != 0 && error != TKF_EUNSUPPORTED)
        return;
    if ((error != 0 || state != 0) && number(view, NULL, own, &state) == 0 &&
        (error != 0 || state == 0)) {
        advise(check, "%s", "");
        answer_turbo(check, state, 0, own);
    }
}

static void check_frequency_limits(const struct view *view, struct tkf_check *check)
{
    uint64_t lowest_khz, highest_khz, possible_khz;
    if (cpu_number(view, check, "cpufreq/scaling_min_freq", &lowest_khz) != 0 ||
        cpu_number(view, check, "cpufreq/scaling_max_freq", &highest_khz) != 0)
        return;
    if (lowest_khz > highest_khz || highest_khz == 0) {
        answer(check, TKF_CHECK_UNKNOWN, "not a range: %llu to %llu kHz",
               (unsigned long long)lowest_khz, (unsigned long long)highest_khz);
        return;
    }
    unsigned long long lowest = lowest_khz / 1000, highest = highest_khz / 1000;
    if (lowest_khz == highest_khz) {
        answer(check, TKF_CHECK_OK, "fixed at %llu MHz", highest);
    } else if (cpu_number(view, NULL, "cpufreq/cpuinfo_max_freq", &possible_khz) == 0 &&
               possible_khz > highest_khz) {
        answer(check, TKF_CHECK_WARN, "%llu to %llu MHz, of the %llu MHz that the CPU can", lowest,
               highest, (unsigned long long)possible_khz / 1000);
        check->cost = "results are slower than this CPU can be, and still move with the clock";
        advise(check, "echo %llu | sudo tee " CPUS "/cpu%u/cpufreq/scaling_max_freq",
               (unsigned long long)possible_khz, view->cpu);
    } else {
        answer(check, TKF_CHECK_NOTE, "%llu to %llu MHz", lowest, highest);
        advise(check, "echo %llu | sudo tee " CPUS "/cpu%u/cpufreq/scaling_min_freq",
               (unsigned long long)highest_khz, view->cpu);
    }
}

static void check_cstates(const struct view *view, struct tkf_check *check)
{
    char leaf[64], name[TKF_SYSFILE_SIZE], deepest[TKF_SYSFILE_SIZE] = "";
    uint64_t latency_us, disabled, deepest_us = 0;
    unsigned count = 0;
    if (cpu_value(view, check, "cpuidle/state0/name", name) != 0)
        return;
    /* The kernel has at most 10 states (CPUIDLE_STATE_MAX). */
    for (unsigned i = 0; i < 10; i++) {
        snprintf(leaf, sizeof(leaf), "cpuidle/state%u/name", i);
        if (cpu_value(view, NULL, leaf, name) != 0)
            break;
        snprintf(leaf, sizeof(leaf), "cpuidle/state%u/disable", i);
        if (cpu_number(view, check, leaf, &disabled) != 0)
            return;
        snprintf(leaf, sizeof(leaf), "cpuidle/state%u/latency", i);
        if (cpu_number(view, check, leaf, &latency_us) != 0)
            return;
        if (disabled != 0)
            continue;
        count++;
        if (latency_us >= deepest_us) {
            deepest_us = latency_us;
            strcpy(deepest, name);
        }
    }
    if (count == 0) {
        answer(check, TKF_CHECK_NOTE, "every idle state is switched off");
        return;
    }
    if (is_virtual(view)) {
        answer(check, TKF_CHECK_UNKNOWN,
               "the guest has %u, but the host decides how deep a core sleeps", count);
        return;
    }
    answer(check, TKF_CHECK_NOTE, "%u in use, the deepest %.40s takes %llu us to leave", count,
           deepest, (unsigned long long)deepest_us);
    if (deepest_us > 10)
        advise(check, "sudo cpupower idle-set -D 10; afterwards: sudo cpupower idle-set -E");
}

static void check_throttling(const struct view *view, struct tkf_check *check)
{
    uint64_t core, package;
    if (cpu_number(view, check, "thermal_throttle/core_throttle_count", &core) != 0 ||
        cpu_number(view, check, "thermal_throttle/package_throttle_count", &package) != 0)
        return;
    answer(check, core + package == 0 ? TKF_CHECK_OK : TKF_CHECK_WARN,
           "%llu of the core, %llu of the package, since boot", (unsigned long long)core,
           (unsigned long long)package);
    advise(check, "compare before and after a run: grep . " CPUS "/cpu%u/thermal_throttle/*_count",
           view->cpu);
}

/* ---- who else is on the core ------------------------------------------------------------------------------------ */

static void check_smt_sibling(const struct view *view, struct tkf_check *check)
{
    char list[TKF_SYSFILE_SIZE];
    bool holds;
    uint64_t count;
    if (cpu_value(view, check, "topology/thread_siblings_list", list) != 0)
        return;
    if (!scan_list(list, view->cpu, &holds, &count) || !holds) {
        not_understood(check, list);
    } else if (count > 1) {
        answer(check, TKF_CHECK_WARN, "CPUs %.40s share one core", list);
        advise(check, "keep the sibling idle, or: echo off | sudo tee " CPUS "/smt/control");
    } else if (is_virtual(view)) {
        answer(check, TKF_CHECK_UNKNOWN,
               "none shown, but a hypervisor hides whether another tenant shares the core");
    } else if (!is_bare_metal(view)) {
        answer(check, TKF_CHECK_UNKNOWN,
               "none shown, but a hypervisor, if there is one, would hide it");
    } else {
        answer(check, TKF_CHECK_OK, "none: CPU %u has its core to itself", view->cpu);
    }
}

/** Which CPUs this process may use, by a cpuset or an affinity mask, of those that are online. */
static void check_cpuset(const struct view *view, struct tkf_check *check)
{
    char online[TKF_SYSFILE_SIZE], allowed[TKF_SYSFILE_SIZE];
    bool holds;
    uint64_t all, ours;
    tkf_facts_allowed(view->root, allowed, sizeof(allowed));
    if (value(view, check, CPUS "/online", online) != 0)
        return;
    if (allowed[0] == '\0')
        answer(check, TKF_CHECK_UNKNOWN, "no Cpus_allowed_list in /proc/self/status");
    else if (!scan_list(online, view->cpu, &holds, &all))
        not_understood(check, online);
    else if (!scan_list(allowed, view->cpu, &holds, &ours))
        not_understood(check, allowed);
    else if (ours < all)
        answer(check, TKF_CHECK_NOTE, "may use %.40s of %.40s", allowed, online);
    else
        answer(check, TKF_CHECK_OK, "may use all of %.60s", online);
    advise(check,
           "widen it: docker run without --cpuset-cpus, systemd without AllowedCPUs, taskset");
}

static void check_isolation(const struct view *view, struct tkf_check *check)
{
    static const char path[] = CPUS "/isolated";
    char isolated[TKF_SYSFILE_SIZE], nohz[TKF_SYSFILE_SIZE];
    bool holds = false;
    uint64_t count;
    /* Not value(): an empty list is an answer here. */
    char reason[sizeof(check->seen)];
    if (tkf_sysfile_read(view->root, path, isolated, reason, sizeof(reason)) != 0) {
        answer(check, TKF_CHECK_UNKNOWN, "%s", reason);
        return;
    }
    if (isolated[0] != '\0' && !scan_list(isolated, view->cpu, &holds, &count)) {
        not_understood(check, isolated);
        return;
    }
    bool tickless = false;
    if (value(view, NULL, CPUS "/nohz_full", nohz) == 0 &&
        !scan_list(nohz, view->cpu, &tickless, &count))
        tickless = false;
    if (holds) {
        answer(check, TKF_CHECK_OK, "CPU %u is isolated%s", view->cpu,
               tickless ? ", without a periodic tick" : "");
        return;
    }
    answer(check, TKF_CHECK_NOTE, "CPU %u is not isolated; isolated: %.40s", view->cpu,
           isolated[0] != '\0' ? isolated : "none");
    if (isolated[0] != '\0')
        advise(check, "tickfloor calibrate --cpus %.60s", isolated);
    else
        advise(check, "boot with isolcpus=%u nohz_full=%u, or keep other work off it with taskset",
               view->cpu, view->cpu);
}

static void check_irq_affinity(const struct view *view, struct tkf_check *check)
{
    DIR *folder = open_folder(view, check, "/proc/irq");
    if (folder == NULL)
        return;
    unsigned all = 0, here = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char path[NAME_MAX + 64], list[TKF_SYSFILE_SIZE];
        bool holds;
        uint64_t count;
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        /* What is in effect, not smp_affinity: that one names every CPU that would be allowed. */
        snprintf(path, sizeof(path), "/proc/irq/%s/effective_affinity_list", entry->d_name);
        if (value(view, NULL, path, list) != 0 || !scan_list(list, view->cpu, &holds, &count))
            continue;
        all++;
        here += holds;
    }
    closedir(folder);

    if (all == 0) {
        answer(check, TKF_CHECK_UNKNOWN, "no readable effective_affinity_list in /proc/irq");
    } else if (here == 0) {
        answer(check, TKF_CHECK_OK, "none of %u interrupt lines goes to CPU %u", all, view->cpu);
    } else {
        answer(check, TKF_CHECK_NOTE, "%u of %u interrupt lines go to CPU %u", here, all,
               view->cpu);
        advise(check, "choose a CPU with few: grep . /proc/irq/*/effective_affinity_list");
    }
}

/** The CPU's line in /proc/stat: its steal time and the sum of all its times, in USER_HZ ticks. */
static bool parse_stat(const char *line, double *ret_steal, double *ret_total)
{
    double total = 0;
    uint64_t ticks = 0;
    /* user nice system idle iowait irq softirq steal; guest time, after them, is already in user. */
    for (unsigned i = 0; i < 8; i++) {
        line += strspn(line, " ");
        if (!take_number(&line, &ticks) || (*line != ' ' && *line != '\n'))
            return false;
        total += (double)ticks;
    }
    *ret_steal = (double)ticks;
    *ret_total = total;
    return total > 0;
}

static void check_steal(const struct view *view, struct tkf_check *check)
{
    char line[512], wanted[32], reason[sizeof(check->seen)];
    FILE *file;
    if (tkf_sysfile_open(view->root, "/proc/stat", &file, reason, sizeof(reason)) != 0) {
        answer(check, TKF_CHECK_UNKNOWN, "%s", reason);
        return;
    }
    snprintf(wanted, sizeof(wanted), "cpu%u ", view->cpu);
    bool found = false;
    double steal, total;
    while (!found && fgets(line, sizeof(line), file) != NULL)
        found = strncmp(line, wanted, strlen(wanted)) == 0;
    fclose(file);

    if (!found) {
        answer(check, TKF_CHECK_UNKNOWN, "no line for CPU %u in /proc/stat", view->cpu);
    } else if (!parse_stat(line + strlen(wanted), &steal, &total)) {
        not_understood(check, line);
    } else if (steal > 0) {
        unsigned hundredths = (unsigned)(steal * 10000 / total);
        answer(check, hundredths >= 10 ? TKF_CHECK_WARN : TKF_CHECK_NOTE,
               "%s%u.%02u %% of CPU %u's time since boot, not of this run",
               hundredths == 0 ? "under " : "", hundredths / 100,
               hundredths == 0 ? 1 : hundredths % 100, view->cpu);
        advise(check, "use a dedicated host or a bare-metal instance");
    } else if (is_bare_metal(view)) {
        answer(check, TKF_CHECK_OK, "none, and no hypervisor that could steal");
    } else {
        answer(check, TKF_CHECK_UNKNOWN, "none since boot, but a host need not report it");
    }
}

static void check_cgroup_quota(const struct view *view, struct tkf_check *check)
{
    struct tkf_cgroup_quota quota;
    char reason[sizeof(check->seen)], stopped[80] = "";
    if (tkf_cgroup_quota(view->root, &quota, reason, sizeof(reason)) != 0) {
        answer(check, TKF_CHECK_UNKNOWN, "%s", reason);
        return;
    }
    if (!quota.limited) {
        answer(check, TKF_CHECK_OK, "none up to the root cgroup%s",
               is_virtual(view) ? " of this guest" : "");
        return;
    }
    /* In whole hundredths, because printf()'s decimal point follows the locale. Limits below a hundredth are odd. */
    unsigned long long hundredths = (unsigned long long)(quota.cpus * 100 + 0.5);
    if (quota.throttled_known)
        snprintf(stopped, sizeof(stopped), "; stopped in %llu of %llu periods",
                 (unsigned long long)quota.throttled, (unsigned long long)quota.periods);
    answer(check, TKF_CHECK_WARN, "%llu.%02llu CPUs, set at %.40s%s", hundredths / 100,
           hundredths % 100, quota.group, stopped);
    advise(check, "lift the CPU limit: docker run without --cpus, Kubernetes without limits.cpu, "
                  "systemd without CPUQuota");
}

static void check_seccomp(const struct view *view, struct tkf_check *check)
{
    char mode[32];
    uint64_t number;
    tkf_guest_seccomp(view->root, mode, sizeof(mode));
    if (mode[0] == '\0') {
        answer(check, TKF_CHECK_UNKNOWN, "no Seccomp in /proc/self/status");
    } else if (tkf_sysfile_number(mode, mode + strlen(mode), &number) != 0 || number > 2) {
        not_understood(check, mode);
    } else if (number == 0) {
        answer(check, TKF_CHECK_OK, "no filter");
    } else {
        answer(check, TKF_CHECK_NOTE, "a filter looks at each system call");
        advise(check,
               "docker run --security-opt seccomp=unconfined; for events alone: --cap-add PERFMON");
    }
}

/** Find "some avg10=" of a PSI file, in hundredths of a per cent. */
static bool parse_pressure(const char *text, uint64_t *ret_hundredths)
{
    static const char name[] = "some avg10=";
    const char *at = strncmp(text, name, strlen(name)) == 0 ? text + strlen(name) : NULL;
    return at != NULL && take_hundredths(&at, ret_hundredths);
}

static void check_load(const struct view *view, struct tkf_check *check)
{
    char text[TKF_SYSFILE_SIZE], pressure_text[64] = "pressure unknown";
    uint64_t load, pressure = 0;
    if (value(view, check, "/proc/loadavg", text) != 0)
        return;
    const char *at = text;
    if (!take_hundredths(&at, &load) || *at != ' ') {
        not_understood(check, text);
        return;
    }
    if (value(view, NULL, "/proc/pressure/cpu", text) == 0 && parse_pressure(text, &pressure))
        snprintf(pressure_text, sizeof(pressure_text),
                 "tasks waited %llu.%02llu %% of the last 10 s", (unsigned long long)pressure / 100,
                 (unsigned long long)pressure % 100);

    /* 1.00: one CPU's worth of other work, or somebody waited for a CPU 1 % of the time. 0.10: not idle. */
    enum tkf_check_status status = TKF_CHECK_OK;
    if (load >= 100 || pressure >= 100)
        status = TKF_CHECK_WARN;
    else if (load >= 10)
        status = TKF_CHECK_NOTE;
    answer(check, status, "%llu.%02llu over 1 min, %s", (unsigned long long)load / 100,
           (unsigned long long)load % 100, pressure_text);
    advise(check, "stop what else runs: top -b -n 1 -o %%CPU | head -n 17");
}

/* ---- the kernel ------------------------------------------------------------------------------------------------- */

static void check_clocksource(const struct view *view, struct tkf_check *check)
{
    static const struct {
        const char *name;
        enum tkf_check_status status;
    } known[] = {
        {"tsc", TKF_CHECK_OK},
        {"arch_sys_counter", TKF_CHECK_OK},
        {"riscv_clocksource", TKF_CHECK_OK},
        {"timebase", TKF_CHECK_OK},
        {"kvm-clock", TKF_CHECK_NOTE},
        {"hyperv_clocksource_tsc_page", TKF_CHECK_NOTE},
        {"hyperv_clocksource_msr", TKF_CHECK_WARN},
        {"xen", TKF_CHECK_WARN},
        {"hpet", TKF_CHECK_WARN},
        {"acpi_pm", TKF_CHECK_WARN},
        {"jiffies", TKF_CHECK_WARN},
        {"refined-jiffies", TKF_CHECK_WARN},
    };
    char current[TKF_SYSFILE_SIZE], available[TKF_SYSFILE_SIZE];
    if (value(view, check, CLOCKSOURCES "/current_clocksource", current) != 0)
        return;
    unsigned i = 0;
    while (i < ARRAY(known) && strcmp(current, known[i].name) != 0)
        i++;
    if (i == ARRAY(known)) {
        not_understood(check, current);
        return;
    }
    answer(check, known[i].status, "%s", current);
    if (known[i].status == TKF_CHECK_NOTE)
        check->cost = "the host corrects this clock; reading it is some ns dearer than the TSC's";
    if (value(view, NULL, CLOCKSOURCES "/available_clocksource", available) == 0 &&
        (strncmp(available, "tsc", 3) == 0 || strstr(available, " tsc") != NULL))
        advise(check, "echo tsc | sudo tee " CLOCKSOURCES "/current_clocksource");
    else
        advise(check,
               "see why the kernel gave the TSC up: sudo dmesg | grep -iE 'tsc|clocksource'");
}

static void check_perf_permission(const struct view *view, struct tkf_check *check)
{
    static const char path[] = "/proc/sys/kernel/perf_event_paranoid";
    /* Each level forbids more to a user without CAP_PERFMON. */
    static const char *const meaning[] = {
        "0: everything but raw tracepoints",
        "1: own processes, the kernel's part included; no CPU-wide events",
        "2: own processes, their user-space part only",
        "3: no events at all without CAP_PERFMON (Debian's and Ubuntu's kernels)",
        "4: no events at all without CAP_PERFMON (Ubuntu's kernels)",
    };
    char text[TKF_SYSFILE_SIZE];
    uint64_t level;
    if (value(view, check, path, text) != 0)
        return;
    if (strcmp(text, "-1") == 0) {
        answer(check, TKF_CHECK_OK, "-1: everything");
    } else if (tkf_sysfile_number(text, text + strlen(text), &level) != 0 ||
               level >= ARRAY(meaning)) {
        not_understood(check, text);
    } else {
        answer(check, level <= 2 ? TKF_CHECK_OK : TKF_CHECK_WARN, "%s", meaning[level]);
        advise(check, "sudo sysctl kernel.perf_event_paranoid=2");
    }
}

static void check_nmi_watchdog(const struct view *view, struct tkf_check *check)
{
    uint64_t state;
    if (number(view, check, "/proc/sys/kernel/nmi_watchdog", &state) != 0)
        return;
    if (state > 1) {
        answer(check, TKF_CHECK_UNKNOWN, "neither 0 nor 1: /proc/sys/kernel/nmi_watchdog");
        return;
    }
    answer(check, state == 0 ? TKF_CHECK_OK : TKF_CHECK_NOTE, state == 0 ? "off" : "on");
    advise(check, "sudo sysctl kernel.nmi_watchdog=0");
}

static void check_aslr(const struct view *view, struct tkf_check *check)
{
    static const char *const meaning[] = {
        "0: every run has the same addresses",
        "1: stack, libraries and mappings move, the heap does not",
        "2: everything moves from run to run",
    };
    uint64_t level;
    if (number(view, check, "/proc/sys/kernel/randomize_va_space", &level) != 0)
        return;
    if (level >= ARRAY(meaning)) {
        answer(check, TKF_CHECK_UNKNOWN, "above 2: /proc/sys/kernel/randomize_va_space");
        return;
    }
    answer(check, TKF_CHECK_NOTE, "%s", meaning[level]);
    advise(check, "%s",
           level == 0 ? "know that one lucky or unlucky layout is all you see"
                      : "run several processes; or hold the layout: setarch -R COMMAND");
}

static void check_thp(const struct view *view, struct tkf_check *check)
{
    static const char path[] = "/sys/kernel/mm/transparent_hugepage/enabled";
    static const char *const choices[] = {"always", "madvise", "never"};
    char text[TKF_SYSFILE_SIZE];
    if (value(view, check, path, text) != 0)
        return;
    const char *open = strchr(text, '[');
    for (unsigned i = 0; open != NULL && i < ARRAY(choices); i++) {
        size_t length = strlen(choices[i]);
        if (strncmp(open + 1, choices[i], length) == 0 && open[1 + length] == ']') {
            answer(check, TKF_CHECK_NOTE, "%s", choices[i]);
            if (i == 0)
                advise(check, "echo madvise | sudo tee %s", path);
            return;
        }
    }
    not_understood(check, text);
}

static void check_mitigations(const struct view *view, struct tkf_check *check)
{
    static const char path[] = CPUS "/vulnerabilities";
    DIR *folder = open_folder(view, check, path);
    if (folder == NULL)
        return;
    unsigned mitigated = 0, vulnerable = 0, unaffected = 0, other = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char file[NAME_MAX + sizeof(path) + 1], text[TKF_SYSFILE_SIZE];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
        if (value(view, NULL, file, text) != 0)
            other++;
        else if (strncmp(text, "Not affected", strlen("Not affected")) == 0)
            unaffected++;
        else if (strstr(text, "Mitigation") != NULL)
            mitigated++;
        else if (strncmp(text, "Vulnerable", strlen("Vulnerable")) == 0)
            vulnerable++;
        else
            other++;
    }
    closedir(folder);
    if (mitigated + vulnerable + unaffected + other == 0) {
        answer(check, TKF_CHECK_UNKNOWN, "no files in %s", path);
        return;
    }
    answer(check, TKF_CHECK_NOTE, "%u mitigated, %u vulnerable, %u not affected, %u unclear",
           mitigated, vulnerable, unaffected, other);
    advise(check, "compare only with machines that say the same: grep . %s/*", path);
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *code;
    void (*run)(const struct view *view, struct tkf_check *check);
    bool host_knows; /**< in a virtual machine the answer lies with the host */
    const char *cost;
} checks[] = {
    {"hypervisor", check_hypervisor, false,
     "the host can stop or slow this CPU unseen, and hides its clock, siblings and events"},
    {"container", check_container, false,
     "its limits bind, but may not be visible from within; its host's load and kernel are shared"},
    {"power-source", check_power_source, true,
     "on battery the firmware and the system may hold the clock down"},
    {"platform-profile", check_platform_profile, true,
     "the firmware's power and fan limits decide how long the clock stays up"},
    {"governor", check_governor, true,
     "the clock rises and falls with the load: tens of per cent between runs"},
    {"epp", check_epp, true, "the CPU is told to save energy: its clock rises later, or less far"},
    {"turbo", check_turbo, true,
     "the clock depends on heat, power and how many cores are busy: often 10 to 50 % above base"},
    {"frequency-limits", check_frequency_limits, true,
     "the clock may move inside this range, and times in ns with it"},
    {"cstates", check_cstates, true,
     "a core that slept wakes late and cold: the first samples after a pause are slower"},
    {"throttling", check_throttling, true,
     "a CPU that is too hot lowers its clock in the middle of a run"},
    {"smt-sibling", check_smt_sibling, true,
     "a busy sibling takes a share of the core: a short loop may take twice as long"},
    {"cpuset", check_cpuset, false,
     "the CPUs left out are not measured, and what runs there takes turbo and cache away unseen"},
    {"isolation", check_isolation, false,
     "the scheduler may put other work on this CPU, and its tick interrupts it"},
    {"irq-affinity", check_irq_affinity, false,
     "each interrupt takes some us from whatever runs, and cools its caches"},
    {"steal", check_steal, true,
     "the host ran something else while this CPU's clock went on: gaps of ms in the results"},
    {"cgroup-quota", check_cgroup_quota, false,
     "once the quota is spent the process stands still up to the next period, mostly 100 ms"},
    {"seccomp", check_seccomp, false,
     "system calls are dearer; a container's default filter also forbids counting events"},
    {"load", check_load, false,
     "other work takes CPU time, cache and turbo away; how much changes from run to run"},
    {"clocksource", check_clocksource, false,
     "reading the clock enters the kernel: about 1 us, where the vDSO takes some 25 ns"},
    {"perf-permission", check_perf_permission, false,
     "no cycle and instruction counts to hold the times against, unless run as root"},
    {"nmi-watchdog", check_nmi_watchdog, false,
     "it may hold one hardware counter of each CPU, and interrupts it every few seconds"},
    {"aslr", check_aslr, false,
     "addresses decide on cache and predictor conflicts: some per cent between layouts"},
    {"thp", check_thp, false,
     "huge pages change TLB misses; when they come and go, memory-bound results move"},
    {"mitigations", check_mitigations, false,
     "they make system calls and context switches dearer, and leave a user-space loop alone"},
};

static_assert(ARRAY(checks) <= TKF_CHECKS_MAX, "a check would be lost");

/** Files may hold anything, and what they hold goes to terminals and into JSON. */
static void make_printable(char *text)
{
    for (; *text != '\0'; text++) {
        if (*text < ' ' || *text > '~')
            *text = *text == '\n' || *text == '\t' ? ' ' : '?';
    }
}

unsigned tkf_readiness(const char *root, const struct tkf_machine *machine, unsigned cpu,
                       struct tkf_check ret_checks[TKF_CHECKS_MAX])
{
    const struct view view = {.root = root, .machine = machine, .cpu = cpu};
    for (unsigned i = 0; i < ARRAY(checks); i++) {
        struct tkf_check *check = &ret_checks[i];
        *check = (struct tkf_check){
            .code = checks[i].code, .status = TKF_CHECK_UNKNOWN, .cost = checks[i].cost};
        checks[i].run(&view, check);
        if (check->status == TKF_CHECK_OK) {
            check->cost = NULL;
            check->next[0] = '\0';
        } else if (check->status == TKF_CHECK_UNKNOWN && checks[i].host_knows &&
                   is_virtual(&view)) {
            advise(check, "only the host can tell: use a dedicated host or a bare-metal instance");
        }
        make_printable(check->seen);
        make_printable(check->next);
    }
    return ARRAY(checks);
}
