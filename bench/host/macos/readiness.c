/* SPDX-License-Identifier: MIT */
/*
 * What macOS tells an ordinary process. Most of what Linux keeps in files the system decides for itself here and does
 * not tell; those checks stay in the list and answer "unknown", with the command that shows it to a person.
 */
#include <assert.h>
#include <notify.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "system.h"

#define ARRAY(a) (sizeof(a) / sizeof((a)[0]))

/* The state of a notification: how the system's daemons publish a number. False when there is none. */
static bool read_state(const char *name, uint64_t *ret_state)
{
    int token;
    if (notify_register_check(name, &token) != NOTIFY_STATUS_OK)
        return false;
    uint32_t status = notify_get_state(token, ret_state);
    notify_cancel(token);
    return status == NOTIFY_STATUS_OK;
}

static void check_hypervisor(const struct tkf_machine *machine, struct tkf_check *check)
{
    uint64_t present;
    if (machine->hypervisor[0] != '\0') {
        check->status = TKF_CHECK_WARN;
        snprintf(check->seen, sizeof(check->seen), "%s", machine->hypervisor);
    } else if (!tkf_sysctl_number("kern.hv_vmm_present", &present)) {
        snprintf(check->seen, sizeof(check->seen), "no such sysctl: kern.hv_vmm_present");
    } else {
        check->status = present != 0 ? TKF_CHECK_WARN : TKF_CHECK_OK;
        snprintf(check->seen, sizeof(check->seen), present != 0 ? "some hypervisor" : "none");
    }
}

static void check_translation(const struct tkf_machine *machine, struct tkf_check *check)
{
    (void)machine;
    uint64_t translated;
    if (!tkf_sysctl_number("sysctl.proc_translated", &translated)) {
        snprintf(check->seen, sizeof(check->seen), "no such sysctl: sysctl.proc_translated");
        return;
    }
    check->status = translated != 0 ? TKF_CHECK_WARN : TKF_CHECK_OK;
    snprintf(check->seen, sizeof(check->seen), translated != 0 ? "translated by Rosetta" : "none");
}

static void check_throttling(const struct tkf_machine *machine, struct tkf_check *check)
{
    /* The levels of macOS in OSThermalNotification.h; other Apple systems number them in tens. */
    static const char *const levels[] = {"nominal", "moderate", "heavy", "trapping", "sleeping"};
    (void)machine;
    uint64_t level;
    if (!read_state("com.apple.system.thermalpressurelevel", &level) || level >= ARRAY(levels)) {
        snprintf(check->seen, sizeof(check->seen), "no thermal pressure level");
        return;
    }
    check->status = level == 0 ? TKF_CHECK_OK : TKF_CHECK_WARN;
    snprintf(check->seen, sizeof(check->seen), "thermal pressure %s now", levels[level]);
}

static void check_low_power(const struct tkf_machine *machine, struct tkf_check *check)
{
    (void)machine;
    uint64_t low;
    if (!read_state("com.apple.system.lowpowermode", &low)) {
        snprintf(check->seen, sizeof(check->seen), "no low power notification");
        return;
    }
    check->status = low != 0 ? TKF_CHECK_WARN : TKF_CHECK_OK;
    snprintf(check->seen, sizeof(check->seen), "low power mode %s", low != 0 ? "on" : "off");
}

static void check_smt_sibling(const struct tkf_machine *machine, struct tkf_check *check)
{
    (void)machine;
    uint64_t logical, physical, present;
    if (!tkf_sysctl_number("hw.logicalcpu", &logical) ||
        !tkf_sysctl_number("hw.physicalcpu", &physical)) {
        snprintf(check->seen, sizeof(check->seen), "no such sysctl: hw.logicalcpu, hw.physicalcpu");
    } else if (logical > physical) {
        check->status = TKF_CHECK_WARN;
        snprintf(check->seen, sizeof(check->seen), "%u CPUs on %u cores", (unsigned)logical,
                 (unsigned)physical);
    } else if (!tkf_sysctl_number("kern.hv_vmm_present", &present) || present != 0) {
        snprintf(check->seen, sizeof(check->seen),
                 "none shown, but a hypervisor hides whether another guest shares the core");
    } else {
        check->status = TKF_CHECK_OK;
        snprintf(check->seen, sizeof(check->seen), "none: %u CPUs on %u cores", (unsigned)logical,
                 (unsigned)physical);
    }
}

static void check_isolation(const struct tkf_machine *machine, struct tkf_check *check)
{
    (void)machine;
    check->status = TKF_CHECK_NOTE;
    snprintf(check->seen, sizeof(check->seen), "no thread can be bound to a CPU here");
}

static void check_load(const struct tkf_machine *machine, struct tkf_check *check)
{
    (void)machine;
    double load;
    if (getloadavg(&load, 1) != 1) {
        snprintf(check->seen, sizeof(check->seen), "no load average");
        return;
    }
    /* The same bounds as on Linux. In hundredths, because printf()'s decimal point follows the locale. */
    unsigned hundredths = (unsigned)(load * 100 + 0.5);
    check->status = TKF_CHECK_OK;
    if (hundredths >= 100)
        check->status = TKF_CHECK_WARN;
    else if (hundredths >= 10)
        check->status = TKF_CHECK_NOTE;
    snprintf(check->seen, sizeof(check->seen), "%u.%02u over 1 min", hundredths / 100,
             hundredths % 100);
}

static const struct {
    const char *code;
    void (*run)(const struct tkf_machine *machine, struct tkf_check *check); /**< NULL: not told */
    const char *cost, *next;
} checks[] = {
    {"hypervisor", check_hypervisor,
     "the host can stop or slow this CPU unseen, and hides its clock, siblings and events",
     "measure on the machine itself"},
    {"translation", check_translation,
     "translated code runs other instructions than those that were compiled: no cycle count is real",
     "on Apple silicon: build and run for arm64"},
    {"power-source", NULL, "on battery the system may hold the clock down", "pmset -g batt"},
    {"platform-profile", check_low_power,
     "in low power mode the clock stays well below its highest", "sudo pmset -a lowpowermode 0"},
    {"governor", NULL, "the system sets the clock by load and by the thread's quality of service",
     "sudo powermetrics -s cpu_power -n 1"},
    {"throttling", check_throttling,
     "a CPU that is too hot lowers its clock in the middle of a run",
     "let the machine cool down, then measure again"},
    {"smt-sibling", check_smt_sibling,
     "a busy sibling takes a share of the core: a short loop may take twice as long",
     "keep the machine idle while it measures"},
    {"isolation", check_isolation,
     "the system may move a thread to another CPU, and another kind of core, in a run",
     "keep the machine idle while it measures"},
    {"load", check_load,
     "other work takes CPU time, cache and turbo away; how much changes from run to run",
     "stop what else runs: top -l 1 -o cpu -n 10"},
};

static_assert(ARRAY(checks) <= TKF_CHECKS_MAX, "a check would be lost");

unsigned tkf_readiness(const char *root, const struct tkf_machine *machine, unsigned cpu,
                       struct tkf_check ret_checks[TKF_CHECKS_MAX])
{
    (void)cpu;
    for (unsigned i = 0; i < ARRAY(checks); i++) {
        struct tkf_check *check = &ret_checks[i];
        *check = (struct tkf_check){
            .code = checks[i].code, .status = TKF_CHECK_UNKNOWN, .cost = checks[i].cost};
        if (root[0] != '\0')
            snprintf(check->seen, sizeof(check->seen), "a recorded tree does not hold it");
        else if (checks[i].run == NULL)
            snprintf(check->seen, sizeof(check->seen), "macOS does not tell a program");
        else
            checks[i].run(machine, check);
        if (check->status == TKF_CHECK_OK)
            check->cost = NULL;
        else
            snprintf(check->next, sizeof(check->next), "%s", checks[i].next);
    }
    return ARRAY(checks);
}
