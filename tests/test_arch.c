/* SPDX-License-Identifier: MIT */
/** The chosen architecture: its tables hold together, and every kernel does what its row says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#if __has_include(<sys/auxv.h>)
#include <sys/auxv.h>
#endif

#include "arch.h"

/* The environment's clock, scripted: it counts its own calls, so that a test knows every reading
 * beforehand. */
static uint64_t clock_calls;

uint64_t TKF_KERNEL_ABI tkf_env_clock_ns(void)
{
    return ++clock_calls;
}

static struct tkf_cpu identify(void)
{
    struct tkf_cpu_hints hints = {0};
    struct tkf_cpu cpu = {0};
#if __has_include(<sys/auxv.h>)
    hints.hwcap2 = getauxval(AT_HWCAP2);
#endif
    tkf_arch_identify(&hints, &cpu);
    return cpu;
}

/** Whether this CPU has the source; says so when it does not, as its kernels then stay untested. */
static bool can_run(const struct tkf_source *source)
{
    struct tkf_cpu cpu = identify();
    const char *reason = source->refuse(&cpu);
    if (reason)
        fprintf(stderr, "not run: source %s: %s\n", source->name, reason);
    return !reason;
}

static void kernel_rows_are_sound(void **state)
{
    (void)state;
    assert_true(tkf_arch_nkernels > 0);
    for (unsigned i = 0; i < tkf_arch_nkernels; i++) {
        const struct tkf_kernel *kernel = &tkf_arch_kernels[i];
        assert_non_null(kernel->name);
        assert_non_null(kernel->shape);
        assert_true(kernel->text[0] != '\0');
        assert_true(kernel->ops > 0);
        assert_in_range(kernel->offset_bytes, 0, 63);

        char name[64];
        if (kernel->offset_bytes == 0)
            snprintf(name, sizeof name, "%s", kernel->shape);
        else
            snprintf(name, sizeof name, "%s_%u", kernel->shape, kernel->offset_bytes);
        assert_string_equal(kernel->name, name);
        if (kernel->role != TKF_ROLE_CHAIN)
            assert_int_equal(kernel->ops, 1);
        if (kernel->role != TKF_ROLE_LOOP)
            assert_int_equal(kernel->offset_bytes, 0);
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(kernel->name, tkf_arch_kernels[j].name);
    }
}

static void every_architecture_has_the_common_kernels(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum tkf_role role;
    } common[] = {
        {"xor", TKF_ROLE_CHAIN},          {"add", TKF_ROLE_CHAIN},
        {"mul", TKF_ROLE_CHAIN},          {"add_immediate", TKF_ROLE_CHAIN},
        {"fused", TKF_ROLE_LOOP},         {"compare", TKF_ROLE_LOOP},
        {"register", TKF_ROLE_LOOP},      {"call", TKF_ROLE_COST},
        {"call_indirect", TKF_ROLE_COST}, {"sink_register", TKF_ROLE_COST},
        {"sink_memory", TKF_ROLE_COST},   {"read_pair", TKF_ROLE_COST},
    };
    for (unsigned i = 0; i < sizeof common / sizeof common[0]; i++) {
        unsigned j = 0;
        while (j < tkf_arch_nkernels && strcmp(tkf_arch_kernels[j].name, common[i].name) != 0)
            j++;
        if (j == tkf_arch_nkernels)
            fail_msg("no kernel %s", common[i].name);
        assert_int_equal(tkf_arch_kernels[j].role, common[i].role);
    }
}

static void assert_role(unsigned index, const char *shape, enum tkf_role role)
{
    assert_true(index < tkf_arch_nkernels);
    assert_string_equal(tkf_arch_kernels[index].shape, shape);
    assert_int_equal(tkf_arch_kernels[index].role, role);
    assert_int_equal(tkf_arch_kernels[index].offset_bytes, 0);
}

static void roles_point_at_their_kernels(void **state)
{
    (void)state;
    assert_role(tkf_arch_roles.chain_cycle, "xor", TKF_ROLE_CHAIN);
    assert_role(tkf_arch_roles.chain_check, "add", TKF_ROLE_CHAIN);
    assert_role(tkf_arch_roles.loop_fused, "fused", TKF_ROLE_LOOP);
}

static void sources_are_complete(void **state)
{
    (void)state;
    assert_true(tkf_arch_nsources > 0);
    for (unsigned i = 0; i < tkf_arch_nsources; i++) {
        const struct tkf_source *source = &tkf_arch_sources[i];
        assert_non_null(source->refuse);
        assert_non_null(source->burst);
        assert_true(source->fence[0] != '\0');
        for (unsigned j = 0; j < i; j++)
            assert_string_not_equal(source->name, tkf_arch_sources[j].name);
        for (unsigned j = 0; j < tkf_arch_nkernels; j++) {
            assert_non_null(source->kernels[j]);
            for (unsigned k = 0; k < j; k++)
                assert_ptr_not_equal(source->kernels[j], source->kernels[k]);
        }
        assert_int_equal(source->unit, source->is_cpu_counter ? TKF_UNIT_REF_TICK : TKF_UNIT_NS);
        if (source->is_cpu_counter)
            assert_non_null(source->next);
    }
}

/* However little is known of the CPU, one source is left, and it is the last. */
static void the_last_source_is_never_refused(void **state)
{
    (void)state;
    const struct tkf_source *last = &tkf_arch_sources[tkf_arch_nsources - 1];
    struct tkf_cpu nothing = {0};
    assert_string_equal(last->name, "os-clock");
    assert_null(last->refuse(&nothing));
    for (unsigned i = 0; i + 1 < tkf_arch_nsources; i++)
        assert_non_null(tkf_arch_sources[i].refuse(&nothing));
}

#define GUARD UINT64_C(0xfeedfacecafebeef)

static void burst_fills_exactly_n_words(void **state)
{
    (void)state;
    for (unsigned i = 0; i < tkf_arch_nsources; i++) {
        const struct tkf_source *source = &tkf_arch_sources[i];
        if (!can_run(source))
            continue;
        for (unsigned n = 1; n <= 64; n++) {
            uint64_t ticks[66];
            for (unsigned j = 0; j < 66; j++)
                ticks[j] = GUARD;
            source->burst(ticks + 1, n);
            assert_true(ticks[0] == GUARD);
            for (unsigned j = 1; j <= n; j++) {
                assert_true(ticks[j] != GUARD);
                if (j > 1)
                    assert_true(ticks[j - 1] <= ticks[j]);
            }
            for (unsigned j = n + 1; j < 66; j++)
                assert_true(ticks[j] == GUARD);
        }
    }
}

static void every_kernel_runs(void **state)
{
    (void)state;
    static const uint64_t lengths[] = {1, 2, 1000};
    for (unsigned i = 0; i < tkf_arch_nsources; i++) {
        const struct tkf_source *source = &tkf_arch_sources[i];
        if (!can_run(source))
            continue;
        for (unsigned j = 0; j < tkf_arch_nkernels; j++) {
            for (unsigned k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
                uint64_t ticks[4] = {GUARD, GUARD, GUARD, GUARD};
                source->kernels[j](lengths[k], ticks + 1);
                assert_true(ticks[0] == GUARD && ticks[3] == GUARD);
                assert_true(ticks[1] != GUARD && ticks[2] != GUARD);
                assert_true(ticks[1] <= ticks[2]);
            }
        }
    }
}

/* The scripted clock sees how often it is read: that is the only outside trace of the iterations
 * a kernel ran. */
static void clock_kernels_read_as_often_as_they_say(void **state)
{
    (void)state;
    const struct tkf_source *source = &tkf_arch_sources[tkf_arch_nsources - 1];
    for (unsigned i = 0; i < tkf_arch_nkernels; i++) {
        bool pair = strcmp(tkf_arch_kernels[i].name, "read_pair") == 0;
        for (uint64_t iters = 1; iters <= 9; iters++) {
            uint64_t within = pair ? 2 * iters : 0;
            uint64_t ticks[2];
            clock_calls = 0;
            source->kernels[i](iters, ticks);
            assert_int_equal(clock_calls, within + 2);
            assert_int_equal(ticks[0], 1);
            assert_int_equal(ticks[1], within + 2);
        }
    }
}

static void identify_takes_only_what_it_is_told(void **state)
{
    (void)state;
    char endless[300];
    memset(endless, 'n', sizeof endless);
    endless[sizeof endless - 1] = '\0';
    struct tkf_cpu_hints hints = {.model_name = endless, .emulator = endless};
    struct tkf_cpu told = {0}, untold = {0};
    tkf_arch_identify(&hints, &told);
    tkf_arch_identify(&(struct tkf_cpu_hints){0}, &untold);

    assert_non_null(memchr(told.model_name, '\0', sizeof told.model_name));
    assert_non_null(memchr(told.emulator, '\0', sizeof told.emulator));
    assert_true(told.model_name[0] != '\0');
    assert_true(told.emulator[0] != '\0');
    assert_string_equal(told.hypervisor, untold.hypervisor);
    assert_int_equal(told.invariant, untold.invariant);
    assert_true(untold.nrates <= TKF_CPU_RATES_MAX);
    for (unsigned i = 0; i < untold.nrates; i++) {
        assert_non_null(untold.rates[i].name);
        assert_true(untold.rates[i].hz > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_rows_are_sound),
        cmocka_unit_test(every_architecture_has_the_common_kernels),
        cmocka_unit_test(roles_point_at_their_kernels),
        cmocka_unit_test(sources_are_complete),
        cmocka_unit_test(the_last_source_is_never_refused),
        cmocka_unit_test(burst_fills_exactly_n_words),
        cmocka_unit_test(every_kernel_runs),
        cmocka_unit_test(clock_kernels_read_as_often_as_they_say),
        cmocka_unit_test(identify_takes_only_what_it_is_told),
    };
    return cmocka_run_group_tests_name(tkf_arch_name, tests, NULL, NULL);
}
