/* SPDX-License-Identifier: MIT */
/** The parts of the firmware image, on a firmware that the test makes up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

static int setup(void **unused)
{
    (void)unused;
    fake_firmware();
    return 0;
}

static int services_kept(void **unused)
{
    (void)unused;
    return fake.while_masked == 0 && fake.masked == 0 ? 0 : -1;
}

/* ---- format.c ---- */

static void assert_formats(const char *expected, const char *format, ...)
{
    char text[200] = "";
    struct tkf_uefi_text out = {text, sizeof text, 0};
    va_list arguments;
    va_start(arguments, format);
    tkf_uefi_text_vadd(&out, format, arguments);
    va_end(arguments);
    assert_string_equal(text, expected);
    assert_int_equal(out.used, strlen(expected));
}

static void formats_as_printf_does(void **unused)
{
    (void)unused;
    assert_formats("a 7 ff 0x001f %", "%s %u %x 0x%04x %%", "a", 7u, 255u, 31u);
    assert_formats("18446744073709551615", "%llu", UINT64_MAX);
    assert_formats("02:05", "%02u:%02u", 2u, 5u);
    assert_formats("1.50 0 2", "%.2f %.0f %.0f", 1.5, 0.2, 1.7);
    assert_formats("unknown unknown", "%g %.3f", (double)NAN, (double)INFINITY);
    static const double values[] = {0,        1,         -1,    0.5,        10,       99.99996,
                                    1e15,     123456.5,  1e-5,  0.00012,    1e-300,   1.2e308,
                                    2.5e20,   3.25e-7,   7e-10, 0.1,        2.6e9,    2596144000.1,
                                    99999994, 9999999.6, 1e16,  0.99999999, 33.333333};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (int digits = 1; digits <= 11; digits++) {
            char text[64];
            tkf_uefi_format(text, sizeof text, "%.*g", digits, values[i]);
            double wanted = values[i], got = strtod(text, NULL);
            if (fabs(got - wanted) > fabs(wanted) * 0.5001 * pow(10, 1 - digits))
                fail_msg("%.17g with %d digits is '%s'", wanted, digits, text);
            assert_true(strlen(text) <= 24);
        }
    }
}

static void what_does_not_fit_is_counted(void **unused)
{
    (void)unused;
    char text[6] = "";
    struct tkf_uefi_text out = {text, sizeof text, 0};
    tkf_uefi_text_add(&out, "%s", "a long text");
    assert_string_equal(text, "a lon");
    assert_int_equal(out.used, 11);
}

/* ---- json.c ---- */

/** The same but for the last digit of a rounding. */
static bool alike(const json_t *a, const json_t *b)
{
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_number(a) && json_is_number(b))
        return fabs(json_number_value(a) - json_number_value(b)) <=
               2e-7 * fabs(json_number_value(a));
    if (json_typeof(a) != json_typeof(b))
        return false;
    if (json_is_object(a)) {
        json_object_foreach((json_t *)a, key, value)
        {
            if (json_object_get(b, key) == NULL || !alike(value, json_object_get(b, key)))
                return false;
        }
        return json_object_size(a) == json_object_size(b);
    }
    if (json_is_array(a)) {
        json_array_foreach(a, i, value)
        {
            if (i >= json_array_size(b) || !alike(value, json_array_get(b, i)))
                return false;
        }
        return json_array_size(a) == json_array_size(b);
    }
    return json_equal(a, b);
}

static void writes_what_the_command_writes(void **unused)
{
    (void)unused;
    static const char *const names[] = {"amd64", "emulated", "hybrid"};
    static char text[1 << 17];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct tkf_profile profile;
        struct tkf_input_error error;
        char path[1024], *written = NULL;
        size_t size;
        snprintf(path, sizeof path, "%s/profiles/%s.json", TESTS_SOURCE_DIR, names[i]);
        FILE *in = fopen(path, "r"), *out = open_memstream(&written, &size);
        assert_non_null(in);
        assert_int_equal(tkf_profile_read(in, &profile, &error), 0);
        assert_int_equal(tkf_profile_write(&profile, out), 0);
        fclose(in);
        fclose(out);
        struct tkf_uefi_text ours = {text, sizeof text, 0};
        tkf_uefi_json_profile(&profile, &ours);
        assert_true(ours.used < sizeof text);
        json_t *wanted = json_loads(written, JSON_REJECT_DUPLICATES, NULL);
        json_t *got = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(got);
        assert_true(alike(wanted, got) && alike(got, wanted));
        json_decref(wanted);
        json_decref(got);
        free(written);
        tkf_profile_free(&profile);
    }
}

/* ---- console.c ---- */

static void a_console_that_fails(void **unused)
{
    (void)unused;
    tkf_uefi_print("%u\n", 1u);
    fake.console_fails = true;
    tkf_uefi_print("%u\n", 2u);
    tkf_uefi_system->con_out = NULL;
    tkf_uefi_print("%u\n", 3u);
    assert_string_equal(fake.printed, "1\n");
    assert_string_equal(fake.serial, "2\n3\n");

    fake_firmware();
    tkf_uefi_system->con_out = NULL;
    fake.no_serial = true;
    tkf_uefi_console_open();
    tkf_uefi_print("%u\n", 4u);
    fake.no_serial = false;
    fake.serial_fails = true; /* after what may be a second */
    tkf_uefi_print("%s\n", "many characters");
    assert_int_equal(fake.serial_writes, 1);
}

static void a_serial_port_beside_the_console(void **unused)
{
    (void)unused;
    fake.serial_unused = true;
    tkf_uefi_console_open();
    tkf_uefi_print("%u\n", 1u);
    assert_string_equal(fake.printed, "1\n");
    assert_string_equal(fake.serial, "1\n");

    fake_firmware(); /* its terminal is the console */
    tkf_uefi_console_open();
    tkf_uefi_print("%u\n", 2u);
    assert_string_equal(fake.printed, "2\n");
    assert_string_equal(fake.serial, "");
    assert_int_equal(fake.pools, 0);
}

static void waits_for_a_key_and_not_for_ever(void **unused)
{
    (void)unused;
    assert_false(tkf_uefi_wait_for_key(60));
    assert_true(fake.now_ns > 59e9 && fake.now_ns < 61e9);
    fake.key_after = 5;
    assert_true(tkf_uefi_wait_for_key(60));
    fake.key_stuck = true;
    assert_true(tkf_uefi_wait_for_key(60));
    tkf_uefi_system->con_in = NULL;
    assert_false(tkf_uefi_wait_for_key(60));
}

/* ---- config.c ---- */

static int parse(const char *text, struct tkf_uefi_config *config, struct tkf_input_error *error)
{
    char *copy = strdup(text);
    int ret = tkf_uefi_config_parse(copy, config, error);
    free(copy);
    return ret;
}

static void settings(void **unused)
{
    (void)unused;
    struct tkf_uefi_config c;
    struct tkf_input_error error;
    assert_int_equal(parse("", &c, &error), 0);
    assert_false(c.boot_cpu_only);
    assert_int_equal(c.seconds, 1);
    assert_int_equal(c.clock, TKF_UEFI_CLOCK_AUTO);
    assert_int_equal(c.then, TKF_UEFI_THEN_WAIT);
    assert_int_equal(
        parse(
            "# all of them\r\n\r\ncpus=boot\r\n  seconds =\t30 # half a minute\nclock = rtc\nthen = reboot",
            &c, &error),
        0);
    assert_true(c.boot_cpu_only);
    assert_int_equal(c.seconds, 30);
    assert_int_equal(c.clock, TKF_UEFI_CLOCK_RTC);
    assert_int_equal(c.then, TKF_UEFI_THEN_REBOOT);
}

static void nonsense_is_named(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        unsigned line;
        const char *says, *next;
    } rows[] = {
        {"\ncpu = all", 2, "'cpu = all' is no setting", "the settings are cpus"},
        {"cpus = 3", 1, "'cpus = 3' is no setting", "give all or boot"},
        {"seconds = 0", 1, "'seconds = 0' is no setting", "1 to 3600"},
        {"seconds = 99999999999999999999", 1, "'seconds = 99999999999999999999'", "1 to 3600"},
        {"seconds = -1", 1, "'seconds = -1'", "1 to 3600"},
        {"seconds =", 1, "'seconds = '", "1 to 3600"},
        {"clock = sun", 1, "'clock = sun'", "pm-timer"},
        {"then = dance", 1, "'then = dance'", "poweroff"},
        {"hello", 1, "'hello' is no setting", "write name = value"},
        {"\x01\xff = \x1b[2J", 1, "'?? = ?[2J'", "the settings are"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tkf_uefi_config c;
        struct tkf_input_error error = {.line = 0};
        assert_int_equal(parse(rows[i].text, &c, &error), TKF_EFORMAT);
        assert_int_equal(error.line, rows[i].line);
        if (strstr(error.text, rows[i].says) == NULL || strstr(error.next, rows[i].next) == NULL)
            fail_msg("'%s': %s; %s", rows[i].text, error.text, error.next);
    }
}

static void the_right_settings_beside_a_wrong_one_hold(void **unused)
{
    (void)unused;
    struct tkf_uefi_config c;
    struct tkf_input_error error;
    assert_int_equal(parse("cpus = 9\nthen = poweroff\nseconds = x", &c, &error), TKF_EFORMAT);
    assert_int_equal(error.line, 1);
    assert_int_equal(c.then, TKF_UEFI_THEN_POWEROFF);
    assert_int_equal(c.seconds, 1);
}

/* ---- volume.c ---- */

static int store(const char **ret_reason)
{
    tkf_uefi_volume_open(&fake);
    int error = tkf_uefi_volume_write((const uint16_t *)u"tickfloor.json", "12345", 5, ret_reason);
    tkf_uefi_volume_close();
    assert_int_equal(fake.open, 0);
    return error;
}

static void a_file_is_written_whole_or_not_at_all(void **unused)
{
    (void)unused;
    const char *reason = "";
    assert_int_equal(store(&reason), 0);
    assert_int_equal(store(&reason), 0); /* over the old one */
    assert_int_equal(fake.stored_size, 5);
    fake.cannot_remove = true;
    assert_int_equal(store(&reason), TKF_EIO);
    assert_string_equal(reason, "the file of an earlier run could not be replaced");
    fake.cannot_remove = false;

    fake.room = 3;
    assert_int_equal(store(&reason), TKF_EIO);
    assert_string_equal(reason, "the volume is full");
    assert_false(fake.stored_there);
    fake.write_fails = true;
    assert_int_equal(store(&reason), TKF_EIO);
    assert_false(fake.stored_there);
    fake.read_only = true;
    assert_int_equal(store(&reason), TKF_EIO);
    assert_string_equal(reason, "the volume is read-only");
    fake.no_volume = true;
    assert_int_equal(store(&reason), TKF_EUNSUPPORTED);
}

static void a_file_that_is_too_long(void **unused)
{
    (void)unused;
    char text[8];
    tkf_uefi_volume_open(&fake);
    assert_int_equal(tkf_uefi_volume_read((const uint16_t *)u"tickfloor.cfg", text, sizeof text),
                     TKF_EIO);
    fake.config = "1234567890";
    fake.config_size = 7;
    assert_int_equal(tkf_uefi_volume_read((const uint16_t *)u"tickfloor.cfg", text, sizeof text),
                     0);
    assert_string_equal(text, "1234567");
    fake.config_size = 8;
    assert_int_equal(tkf_uefi_volume_read((const uint16_t *)u"tickfloor.cfg", text, sizeof text),
                     TKF_EFORMAT);
}

/* ---- rtc.c ---- */

static struct tkf_counter gigahertz(void)
{
    struct tkf_counter c = {.hz = 1e9, .step_ticks = 1, .read_ticks = {200, 200, 200}};
    tkf_rate_add(&c, "declared", 1e9);
    return c;
}

static const char *check_rtc(struct tkf_counter *c)
{
    struct tkf_env env = fake_env();
    const char *reason = tkf_uefi_rtc_check(&env, c);
    for (unsigned i = 0; i < c->nrates; i++)
        c->rates[i].ppm_off = (c->rates[i].hz / c->hz - 1) * 1e6;
    return reason;
}

static void the_real_time_clock_agrees_or_not(void **unused)
{
    (void)unused;
    struct tkf_counter c = gigahertz();
    assert_null(check_rtc(&c));
    assert_int_equal(c.nrates, 3);
    assert_true(fabs(c.rates[1].ppm_off) < 10 && fabs(c.rates[2].ppm_off) < 10);
    assert_true(tkf_uefi_rtc_agrees(&c));

    fake_firmware();
    fake.rtc_ppm = 3000; /* the declared rate is wrong */
    c = gigahertz();
    assert_null(check_rtc(&c));
    assert_true(fabs(c.rates[1].ppm_off + 3000) < 20);
    assert_false(tkf_uefi_rtc_agrees(&c));

    fake_firmware();
    fake.rtc_later_ppm = 800; /* it changes its mind */
    c = gigahertz();
    assert_null(check_rtc(&c));
    assert_false(tkf_uefi_rtc_agrees(&c));
}

static void a_real_time_clock_that_does_not_work(void **unused)
{
    (void)unused;
    struct tkf_counter c = gigahertz();
    char stamp[32];
    fake.no_rtc = true;
    assert_string_equal(check_rtc(&c), "the firmware cannot read its real-time clock");
    tkf_uefi_rtc_stamp(stamp, sizeof stamp);
    assert_string_equal(stamp, "");

    fake_firmware();
    fake.rtc_stands = true;
    assert_string_equal(check_rtc(&c), "the real-time clock does not advance");
    assert_int_equal(c.nrates, 1);
}

static void the_time_is_utc(void **unused)
{
    (void)unused;
    static const struct {
        unsigned hour;
        int16_t zone;
        const char *stamp;
    } rows[] = {
        {7, 0x7ff, "2026-11-30T07:00:00Z"}, {7, 0, "2026-11-30T07:00:00Z"},
        {7, -60, "2026-11-30T06:00:00Z"},   {0, -60, "2026-11-29T23:00:00Z"},
        {18, 330, "2026-11-30T23:30:00Z"},  {23, 60, "2026-12-01T00:00:00Z"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char stamp[32];
        fake.hour = rows[i].hour;
        fake.time_zone = rows[i].zone;
        tkf_uefi_rtc_stamp(stamp, sizeof stamp);
        assert_string_equal(stamp, rows[i].stamp);
    }
}

static void edges_are_seen_sharply_or_not_used(void **unused)
{
    (void)unused;
    struct tkf_counter c = gigahertz();
    fake.stolen_every_ns = 3.7e6; /* a few of the edges fall into what was taken away */
    fake.stolen_ns = 1e6;
    assert_null(check_rtc(&c));
    assert_true(fabs(c.rates[1].ppm_off) < 300 && fabs(c.rates[2].ppm_off) < 300);

    fake_firmware();
    fake.poll_ns = 5e6;
    c = gigahertz();
    assert_non_null(strstr(check_rtc(&c), "could not be seen sharply"));
    assert_int_equal(c.nrates, 1);
}

/* ---- gaps.c ---- */

static void gaps(void **unused)
{
    (void)unused;
    struct tkf_counter c = gigahertz();
    struct tkf_env env = fake_env();
    struct tkf_uefi_gaps found;
    assert_int_equal(tkf_uefi_gaps_find(&env, &c, 1, &found), 0);
    assert_int_equal(found.count, 0);
    assert_true(found.seconds >= 1 && found.seconds < 1.11);

    fake.stolen_every_ns = 10e6;
    fake.stolen_ns = 70000;
    assert_int_equal(tkf_uefi_gaps_find(&env, &c, 2, &found), 0);
    assert_in_range(found.count, 195, 205);
    assert_true(fabs(found.worst_ns - 70000) < 500);
    assert_true(fabs(found.lost_share - 0.007) < 0.0005);
}

/* ---- acpi.c ---- */

static void tables_are_found(void **unused)
{
    (void)unused;
    struct {
        unsigned char bytes[256];
    } root = {{0}}, list = {{0}}, table = {{0}}, other = {{0}};
    const struct tkf_uefi_configuration_table entries[] = {{.table = &other},
                                                           {tkf_uefi_acpi_guid, &root}};
    uint64_t address;
    assert_null(tkf_uefi_acpi_table("FACP", 36)); /* no ACPI at all */
    tkf_uefi_system->tables = entries;
    tkf_uefi_system->ntables = 2;
    assert_null(tkf_uefi_acpi_table("FACP", 36)); /* no signature */
    memcpy(root.bytes, "RSD PTR ", 8);
    assert_null(tkf_uefi_acpi_table("FACP", 36)); /* no list */
    address = (uintptr_t)&list;
    memcpy(root.bytes + 24, &address, 8);
    memcpy(list.bytes, "XSDT", 4);
    list.bytes[4] = 36 + 16;
    address = (uintptr_t)&other;
    memcpy(list.bytes + 36, &address, 8);
    address = (uintptr_t)&table;
    memcpy(list.bytes + 44, &address, 8);
    memcpy(other.bytes, "APIC", 4);
    memcpy(table.bytes, "FACP", 4);
    table.bytes[4] = 116;
    assert_ptr_equal(tkf_uefi_acpi_table("FACP", 116), &table);
    assert_null(tkf_uefi_acpi_table("FACP", 117));
    assert_null(tkf_uefi_acpi_table("HPET", 36));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, services_kept)
    const struct CMUnitTest tests[] = {
        TEST(formats_as_printf_does),
        TEST(what_does_not_fit_is_counted),
        TEST(writes_what_the_command_writes),
        TEST(a_console_that_fails),
        TEST(a_serial_port_beside_the_console),
        TEST(waits_for_a_key_and_not_for_ever),
        TEST(settings),
        TEST(nonsense_is_named),
        TEST(the_right_settings_beside_a_wrong_one_hold),
        TEST(a_file_is_written_whole_or_not_at_all),
        TEST(a_file_that_is_too_long),
        TEST(the_real_time_clock_agrees_or_not),
        TEST(a_real_time_clock_that_does_not_work),
        TEST(the_time_is_utc),
        TEST(edges_are_seen_sharply_or_not_used),
        TEST(gaps),
        TEST(tables_are_found),
    };
    return cmocka_run_group_tests_name("firmware", tests, NULL, NULL);
}
