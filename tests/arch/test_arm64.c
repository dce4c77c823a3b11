/* SPDX-License-Identifier: MIT */
/** What only arm64 has: names by MIDR, and CNTVCTSS on CPUs that lack it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "arch.h"

uint64_t tkf_env_clock_ns(void)
{
    return 0;
}

static struct tkf_cpu identify(struct tkf_cpu_hints hints)
{
    struct tkf_cpu cpu = {0};
    tkf_arch_identify(&hints, &cpu);
    return cpu;
}

static void vendor_is_the_implementer_or_unknown(void **state)
{
    (void)state;
    struct tkf_cpu neoverse_n1 = identify((struct tkf_cpu_hints){.midr = 0x413fd0c1});
    assert_string_equal(neoverse_n1.vendor, "Arm");
    assert_int_equal(neoverse_n1.midr, 0x413fd0c1);
    assert_string_equal(identify((struct tkf_cpu_hints){.midr = 0x611f0220}).vendor, "Apple");
    assert_string_equal(identify((struct tkf_cpu_hints){.midr = 0xc00fac30}).vendor, "Ampere");
    assert_string_equal(identify((struct tkf_cpu_hints){.midr = 0x990f0000}).vendor, "");
    assert_string_equal(identify((struct tkf_cpu_hints){.midr = 0}).vendor, "");
}

static void ordered_read_needs_the_systems_word(void **state)
{
    (void)state;
    assert_false(identify((struct tkf_cpu_hints){0}).has_ordered_read);
    assert_false(identify((struct tkf_cpu_hints){.hwcap2 = ~(UINT64_C(1) << 19)}).has_ordered_read);
    assert_false(identify((struct tkf_cpu_hints){.hwcap = UINT64_C(1) << 19}).has_ordered_read);
    assert_true(identify((struct tkf_cpu_hints){.hwcap2 = UINT64_C(1) << 19}).has_ordered_read);
    assert_true(identify((struct tkf_cpu_hints){.has_ecv = true}).has_ordered_read);
}

static void the_timer_is_architected(void **state)
{
    (void)state;
    struct tkf_cpu cpu = identify((struct tkf_cpu_hints){0});
    assert_true(cpu.has_counter && cpu.invariant && cpu.fence_known);
    uint64_t hz;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    assert_int_equal(cpu.nrates, hz > 0 ? 1 : 0);
    if (hz > 0) {
        assert_string_equal(cpu.rates[0].name, "cntfrq");
        assert_true(cpu.rates[0].hz == (double)hz);
    }
}

/* `mrs xN, CNTVCTSS_EL0`, with N in the low five bits. */
#define MRS_CNTVCTSS UINT32_C(0xd53be0c0)

static unsigned emulated;

/* Stands in for FEAT_ECV: does the read from CNTVCT and goes on behind the instruction. Any
 * other one ends the test. */
static void emulate_cntvctss(int signal_number, siginfo_t *info, void *context)
{
    (void)info;
    mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
    uint32_t instruction = *(const uint32_t *)machine->pc;
    if ((instruction & ~UINT32_C(31)) != MRS_CNTVCTSS) {
        signal(signal_number, SIG_DFL);
        return;
    }
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks));
    machine->regs[instruction & 31] = ticks;
    machine->pc += 4;
    emulated++;
}

static void cntvctss_kernels_run(void **state)
{
    (void)state;
    const struct tkf_source *source = &tkf_arch_sources[0];
    assert_string_equal(source->name, "cntvctss");

    struct sigaction action = {.sa_sigaction = emulate_cntvctss, .sa_flags = SA_SIGINFO}, before;
    assert_int_equal(sigaction(SIGILL, &action, &before), 0);
    for (unsigned i = 0; i < tkf_arch_nkernels; i++) {
        bool pair = strcmp(tkf_arch_kernels[i].name, "read_pair") == 0;
        uint64_t low, high, ticks[2];
        emulated = 0;
        __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(low));
        source->kernels[i](10, ticks);
        __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(high));
        assert_true(low <= ticks[0] && ticks[0] <= ticks[1] && ticks[1] <= high);
        if (emulated > 0)
            assert_int_equal(emulated, pair ? 22 : 2);
    }
    uint64_t burst[9] = {0};
    source->burst(burst, 8);
    for (unsigned i = 1; i < 8; i++)
        assert_true(burst[i - 1] <= burst[i] && burst[i] > 0);
    assert_true(burst[8] == 0);
    assert_int_equal(sigaction(SIGILL, &before, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vendor_is_the_implementer_or_unknown),
        cmocka_unit_test(ordered_read_needs_the_systems_word),
        cmocka_unit_test(the_timer_is_architected),
        cmocka_unit_test(cntvctss_kernels_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
