/* SPDX-License-Identifier: MIT */
/**
 * The kernels keep the calling convention: what a callee must preserve survives, and so does what
 * it keeps across the clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arch.h"

/* Both of registers_ARCH.S, which also defines a clock that counts up and destroys every
 * register it may. */

/**
 * Call function(a, b) with known values in the registers it must preserve; how many of them
 * changed.
 */
uint64_t tkf_test_changed_registers(void (*function)(void), uint64_t a, uint64_t b);
extern uint64_t tkf_test_clock_calls;

static void kernels_preserve_registers(void **state)
{
    (void)state;
    struct tkf_cpu cpu = {0};
    tkf_arch_identify(&(struct tkf_cpu_hints){0}, &cpu);
    for (unsigned i = 0; i < tkf_arch_nsources; i++) {
        const struct tkf_source *source = &tkf_arch_sources[i];
        if (source->refuse(&cpu))
            continue;
        uint64_t ticks[3];
        for (unsigned j = 0; j < tkf_arch_nkernels; j++) {
            assert_int_equal(
                tkf_test_changed_registers((void (*)(void))source->kernels[j], 3, (uintptr_t)ticks),
                0);
        }
        assert_int_equal(
            tkf_test_changed_registers((void (*)(void))source->burst, (uintptr_t)ticks, 3), 0);
    }
}

/* A count that the clock destroyed would show in the number of readings, a pointer in where they
 * went. */
static void a_destructive_clock_changes_nothing(void **state)
{
    (void)state;
    const struct tkf_source *source = &tkf_arch_sources[tkf_arch_nsources - 1];
    assert_string_equal(source->name, "os-clock");
    for (unsigned i = 0; i < tkf_arch_nkernels; i++) {
        uint64_t ticks[2] = {0, 0};
        tkf_test_clock_calls = 0;
        source->kernels[i](5, ticks);
        assert_int_equal(ticks[0], 1);
        assert_int_equal(ticks[1], tkf_test_clock_calls);
    }
    uint64_t ticks[5] = {0};
    tkf_test_clock_calls = 0;
    source->burst(ticks, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(ticks[i], i + 1);
    assert_int_equal(tkf_test_clock_calls, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_preserve_registers),
        cmocka_unit_test(a_destructive_clock_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
