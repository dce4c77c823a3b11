/* SPDX-License-Identifier: MIT */
/* What the reader of a profile is told, of machines that are not here: a counter that traps, cycles that disagree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "arch.h"
#include "warnings.h"

/* A sound machine of the built architecture: 3 GHz, a counter of 1 GHz that is read in 20 ns. */
static struct tkf_profile_cpu cpus[1];
static struct tkf_profile profile;
static struct tkf_cpu cpu;

static int sound(void **state)
{
    (void)state;
    unsigned source = 0;
    while (source + 1 < tkf_arch_nsources && !tkf_arch_sources[source].is_cpu_counter)
        source++;
    cpus[0] = (struct tkf_profile_cpu){
        .floor =
            {
                .pinned = true,
                .cycle_ns = 1 / 3.0,
                .chain_check = 1,
                .chains = {{.name = tkf_arch_kernels[tkf_arch_roles.chain_cycle].name,
                            .event_cycles = NAN}},
                .nchains = 1,
            },
        .cycle_check = {.cycles = NAN},
    };
    profile = (struct tkf_profile){
        .counter =
            {
                .source = &tkf_arch_sources[source],
                .name = tkf_arch_sources[source].name,
                .trust = TKF_TRUST_VERIFIED,
                .hz = 1e9,
                .read_ns = {20, 20, 20},
            },
        .cpus = cpus,
        .ncpus = 1,
    };
    cpu = (struct tkf_cpu){.invariant = true, .fence_known = true};
    return 0;
}

static const struct tkf_warning *find(const char *code)
{
    profile.nwarnings = 0;
    tkf_warnings_add(&profile, &cpu, false);
    for (unsigned i = 0; i < profile.nwarnings; i++) {
        assert_string_not_equal(profile.warnings[i].next, "");
        assert_true(strlen(profile.warnings[i].text) < sizeof profile.warnings[i].text - 1);
        assert_true(strlen(profile.warnings[i].next) < sizeof profile.warnings[i].next - 1);
        if (strcmp(profile.warnings[i].code, code) == 0)
            return &profile.warnings[i];
    }
    return NULL;
}

static void nothing_of_a_sound_machine(void **state)
{
    (void)state;
    assert_null(find("any"));
    assert_int_equal(profile.nwarnings, 0);
    cpus[0].cycle_check = (struct tkf_cycle_check){.by = "rdpru", .cycles = 1.003};
    cpus[0].floor.chains[0].event_cycles = 66 / 64.0;
    find("any");
    assert_int_equal(profile.nwarnings, 0);
}

/* A kernel that works around an erratum, Xen, gVisor: no name is needed, the cost tells. */
static void a_counter_that_traps(void **state)
{
    (void)state;
    if (profile.counter.source->trapped == NULL)
        skip(); /* an architecture without a counter of its own */
    profile.counter.read_ns.mid = 80;
    assert_null(find("counter-trapped"));
    profile.counter.read_ns.mid = 400;
    const struct tkf_warning *warning = find("counter-trapped");
    assert_non_null(warning);
    assert_non_null(
        strstr(warning->text, "400 ns, 1200 core cycles: each read traps, by what it costs"));
    assert_string_equal(warning->next, profile.counter.source->trapped);
    profile.machine.emulated = true; /* which is said already */
    assert_null(find("counter-trapped"));

    profile.machine.emulated = false;
    profile.counter.read_ns.mid = 20;
    cpu.counter_emulated = true;
    warning = find("counter-trapped");
    assert_non_null(warning);
    assert_non_null(strstr(warning->text, "as the hypervisor itself says"));
}

static void a_cycle_that_is_none(void **state)
{
    (void)state;
    cpus[0].cycle_check = (struct tkf_cycle_check){.by = "rdpru", .cycles = 0.2};
    const struct tkf_warning *warning = find("cycle-disagrees");
    assert_non_null(warning);
    assert_non_null(strstr(warning->text, "the core itself counts 0.200 (rdpru)"));
    cpus[0].cycle_check = (struct tkf_cycle_check){.cycles = NAN};
    assert_null(find("cycle-disagrees"));
    cpus[0].floor.chains[0].event_cycles = 2;
    cpus[0].pmu = (struct tkf_pmu_status){.available = true, .how = "rdpmc"};
    warning = find("cycle-disagrees");
    assert_non_null(warning);
    assert_non_null(strstr(warning->text, "the hardware events count 2.000 (rdpmc)"));
}

/* CNTFRQ or a leaf of CPUID that firmware filled in wrong, where the kernel knows better. */
static void a_declared_rate_that_is_wrong(void **state)
{
    (void)state;
    profile.counter.trust = TKF_TRUST_CONFLICT;
    profile.counter.nrates = 4;
    profile.counter.rates[0] = (struct tkf_rate){"cntfrq", 1.2e9, 200000};
    profile.counter.rates[1] = (struct tkf_rate){"perf-time-page", 1e9, 0};
    profile.counter.rates[2] = (struct tkf_rate){"os-clock window 1", 1e9, 1};
    profile.counter.rates[3] = (struct tkf_rate){"os-clock window 2", 1e9, -1};
    const struct tkf_warning *warning = find("rate-conflict");
    assert_non_null(warning);
    assert_non_null(
        strstr(warning->text, "the rate that cntfrq declares is wrong, by +200000 ppm"));
    profile.counter.rates[3].ppm_off = 5000; /* the measured ones disagree too */
    warning = find("rate-conflict");
    assert_non_null(strstr(warning->text, "the sources of the counter's rate disagree"));
    profile.counter.rates[3].ppm_off = 0;
    profile.counter.rates[1].ppm_off = 5000;
    warning = find("rate-conflict");
    assert_non_null(strstr(warning->text, "the sources of the counter's rate disagree"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(nothing_of_a_sound_machine, sound),
        cmocka_unit_test_setup(a_counter_that_traps, sound),
        cmocka_unit_test_setup(a_cycle_that_is_none, sound),
        cmocka_unit_test_setup(a_declared_rate_that_is_wrong, sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
