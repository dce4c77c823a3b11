/* SPDX-License-Identifier: MIT */
/** The whole image, from efi_main() on, on a made-up firmware and a CPU whose counter can stand still. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "fake.h"

#include "kernel_table.h"

/* ---- a CPU that takes one cycle, 0.25 ns, for everything ---- */

static double stops_ns;

static uint64_t ticks_now(double work_ns)
{
    fake.now_ns += work_ns;
    return (uint64_t)(fake.now_ns < stops_ns ? fake.now_ns : stops_ns);
}

static void TKF_KERNEL_ABI burst(uint64_t *ret_ticks, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        ret_ticks[i] = ticks_now(200);
}

#define KERNEL(id, shape, role, offset, ops, text)                             \
    static void TKF_KERNEL_ABI run_##id(uint64_t iters, uint64_t ret_ticks[2]) \
    {                                                                          \
        ret_ticks[0] = ticks_now(200);                                         \
        ret_ticks[1] = ticks_now(200 + 0.25 * (double)iters * (ops));          \
    }
#define POINT(id, shape, role, offset, ops, text) run_##id,
TKF_KERNELS(KERNEL)
static tkf_kernel_fn *const kernels[] = {TKF_KERNELS(POINT)};

static const char *refuse_nothing(const struct tkf_cpu *cpu)
{
    (void)cpu;
    return NULL;
}

const char tkf_arch_name[] = "made-up";
const struct tkf_arch_roles tkf_arch_roles = {kernel_xor, kernel_add, kernel_fused};
const struct tkf_source tkf_arch_sources[] = {{.name = "made-up",
                                               .fence = "none",
                                               .is_cpu_counter = true,
                                               .refuse = refuse_nothing,
                                               .burst = burst,
                                               .kernels = kernels}};
const unsigned tkf_arch_nsources = 1;

void tkf_arch_identify(const struct tkf_cpu_hints *hints, struct tkf_cpu *ret_cpu)
{
    (void)hints;
    ret_cpu->has_counter = ret_cpu->invariant = ret_cpu->fence_known = true;
    ret_cpu->rates[ret_cpu->nrates++] = (struct tkf_declared_rate){"declared", 1e9};
}

/* ---- tests ---- */

static uint64_t boot(const char *config)
{
    fake.config = config;
    fake.config_size = strlen(config);
    return efi_main(&fake, tkf_uefi_system);
}

/** Where the card breaks its lines does not matter. */
static void assert_says(const char *text)
{
    static char flat[sizeof fake.printed];
    size_t n = 0;
    for (const char *at = fake.printed; *at != '\0'; at++) {
        bool blank = *at == ' ' || *at == '\n';
        if (!blank || (n > 0 && flat[n - 1] != ' '))
            flat[n++] = blank ? ' ' : *at;
    }
    flat[n] = '\0';
    if (strstr(flat, text) == NULL)
        fail_msg("does not say '%s': %s", text, flat);
}

/** How many lines were printed, none of them wider than 79 columns. */
static unsigned lines_that_fit(void)
{
    unsigned lines = 0, columns = 0;
    for (const char *at = fake.printed; *at != '\0'; at++) {
        columns = *at == '\n' ? 0 : columns + 1;
        lines += *at == '\n';
        assert_in_range(columns, 0, 79);
    }
    return lines;
}

static int setup(void **unused)
{
    (void)unused;
    fake_firmware();
    stops_ns = INFINITY;
    return 0;
}

static int services_kept(void **unused)
{
    (void)unused;
    return fake.while_masked == 0 && fake.masked == 0 && fake.watchdog_off && fake.open == 0 &&
                   fake.pools == 0
               ? 0
               : -1;
}

static void measures_and_powers_off(void **unused)
{
    (void)unused;
    assert_int_equal(boot("then = poweroff"), TKF_UEFI_SUCCESS);
    assert_says("cycle 0.25 ns, 4000 MHz empty loop 0.25 - 0.25 - 0.25 ns, 1 - 1 - 1 cycles");
    assert_says("made-up 1000 MHz, verified by the real-time clock");
    assert_says("saved as tickfloor.json");
    assert_says("0 above 2 us");
    assert_says("tickfloor: exit 0");
    assert_in_range(lines_that_fit(), 10, 24); /* of the 25 of a screen */
    assert_true(fake.was_reset && fake.reset_type == TKF_UEFI_RESET_SHUTDOWN);
    assert_true(fake.stored_there && fake.stored_size > 1000);
}

static void waits_for_a_key_by_itself(void **unused)
{
    (void)unused;
    fake.key_after = 100;
    assert_int_equal(efi_main(&fake, tkf_uefi_system), TKF_UEFI_SUCCESS);
    assert_says("press a key");
    assert_false(fake.was_reset);
}

static void reboots(void **unused)
{
    (void)unused;
    boot("then = reboot");
    assert_true(fake.was_reset && fake.reset_type == TKF_UEFI_RESET_COLD);
}

static void a_counter_that_does_not_advance(void **unused)
{
    (void)unused;
    stops_ns = 5;
    assert_int_equal(boot("then = exit"), TKF_UEFI_DEVICE_ERROR);
    assert_says("tickfloor: could not measure: ");
    assert_says("tickfloor: made-up: the counter did not advance");
    assert_says("tickfloor: exit 3");
    assert_false(fake.stored_there);
}

static void a_counter_that_stops(void **unused)
{
    (void)unused;
    /* While it is proved, held against the clock, measured with, and while gaps are looked for. */
    boot("then = exit");
    double whole_ns = fake.now_ns;
    for (double share = 0.001; share < 0.99; share += 0.09) {
        setup(NULL);
        stops_ns = share * whole_ns;
        assert_int_equal(boot("then = exit"), TKF_UEFI_DEVICE_ERROR);
        assert_says("tickfloor: could not measure: ");
        assert_says("tickfloor: exit 3");
    }
}

static void other_processors(void **unused)
{
    (void)unused;
    fake.others = 3;
    fake.dead = 2;
    assert_int_equal(boot("then = exit"), TKF_UEFI_SUCCESS);
    assert_says("made-up, UEFI 2.7, Fake 0x0, 4 CPUs");
    assert_says("CPU 1 cycle 0.25 ns");
    assert_says("CPU 0 cycle 0.25 ns");
    assert_says("CPU 3 cycle 0.25 ns");
    assert_says("processors that were not measured: 1;");

    setup(NULL);
    fake.others = 299;
    assert_int_equal(boot("then = exit"), TKF_UEFI_SUCCESS);
    assert_says("300 CPUs");
    assert_says("and 253 more in tickfloor.json");
    assert_says("processors that were not measured: 44;");

    setup(NULL);
    fake.others = 3;
    assert_int_equal(boot("cpus = boot\nthen = exit"), TKF_UEFI_SUCCESS);
    assert_null(strstr(fake.printed, "CPU 0"));
    assert_null(strstr(fake.printed, "not measured"));
}

static void no_real_time_clock(void **unused)
{
    (void)unused;
    fake.no_rtc = true;
    assert_int_equal(boot("then = exit"), TKF_UEFI_SUCCESS);
    assert_says("made-up 1000 MHz, declared, not verified");
    assert_says("not verified: the firmware cannot read its real-time clock");
    assert_false(fake.was_reset);
}

static void no_volume(void **unused)
{
    (void)unused;
    fake.no_volume = true;
    fake.key_after = 1000;
    assert_int_equal(efi_main(&fake, tkf_uefi_system), TKF_UEFI_SUCCESS);
    assert_says("-----BEGIN TICKFLOOR JSON----- { \"schema\"");
    assert_says("} -----END TICKFLOOR JSON----- ");
}

static void a_console_that_fails(void **unused)
{
    (void)unused;
    fake.console_fails = true;
    assert_int_equal(boot("then = exit"), TKF_UEFI_SUCCESS);
    assert_string_equal(fake.printed, "");
    assert_non_null(strstr(fake.serial, "tickfloor: exit 0"));
    assert_true(fake.stored_there);
}

static void settings_that_are_none(void **unused)
{
    (void)unused;
    static char long_text[5000];
    memset(long_text, '#', sizeof long_text - 1);
    assert_int_equal(boot("seconds = soon\nthen = poweroff"), TKF_UEFI_INVALID_PARAMETER);
    assert_says("tickfloor: tickfloor.cfg:1: 'seconds = soon' is no setting; give a whole number");
    assert_says("tickfloor: exit 2");
    assert_in_range(lines_that_fit(), 3, 8);
    assert_true(fake.was_reset);
    assert_int_equal(boot(long_text), TKF_UEFI_INVALID_PARAMETER);
    assert_says("longer than 4095 bytes");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, services_kept)
    const struct CMUnitTest tests[] = {
        TEST(measures_and_powers_off),
        TEST(waits_for_a_key_by_itself),
        TEST(reboots),
        TEST(a_counter_that_does_not_advance),
        TEST(a_counter_that_stops),
        TEST(other_processors),
        TEST(no_real_time_clock),
        TEST(no_volume),
        TEST(a_console_that_fails),
        TEST(settings_that_are_none),
    };
    return cmocka_run_group_tests_name("firmware main", tests, NULL, NULL);
}
