/* SPDX-License-Identifier: MIT */
/* Fields, numbers and times, as the frameworks write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>

#include "reader.h"

static struct tkf_slice slice(const char *text)
{
    return (struct tkf_slice){.text = text, .length = strlen(text)};
}

static void test_fields(void **state)
{
    static const char *const expected[] = {"a",         "b\xc3\xa9",    "c", "d",
                                           "e\xc2\xb5", "\xe2\x94\x82", "f", ""};
    struct tkf_slice rest = slice("  a b\xc3\xa9\t\tc\xc2\xa0 d \xe2\x80\xaf"
                                  "e\xc2\xb5 \xe2\x94\x82 f ");
    (void)state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
        struct tkf_slice field = tkf_field(&rest);
        if (!tkf_slice_is(field, expected[i]))
            fail_msg("field %zu is \"%.*s\"", i, (int)field.length, field.text);
    }
    /* Half of a blank at the end is none. */
    rest = slice("x\xc2");
    assert_int_equal(tkf_field(&rest).length, 2);
    assert_true(tkf_slice_starts(slice("abc"), "ab"));
    assert_false(tkf_slice_starts(slice("a"), "ab"));
    assert_false(tkf_slice_is(slice("abc"), "ab"));
}

/* ---- numbers ---- */

static const struct {
    const char *text;
    enum tkf_number_style style;
    double value, quantum;
} numbers[] = {
    {"0", TKF_NUMBER_POINT, 0, 1},
    {"1.25", TKF_NUMBER_POINT, 1.25, 0.01},
    {"0.0000000", TKF_NUMBER_POINT, 0, 1e-7},
    {"5.", TKF_NUMBER_POINT, 5, 1},
    {".5", TKF_NUMBER_POINT, .5, .1},
    {"1e3", TKF_NUMBER_POINT, 1000, 1000},
    {"1.5e-3", TKF_NUMBER_POINT, 1.5e-3, 1e-4},
    {"-2.5", TKF_NUMBER_POINT, -2.5, .1},
    {"+2.5E+1", TKF_NUMBER_POINT, 25, 1},
    {"\xe2\x88\x92"
     "3",
     TKF_NUMBER_POINT, -3, 1}, /* U+2212 */
    {"1,234.5", TKF_NUMBER_POINT, 1234.5, .1},
    {"1'967", TKF_NUMBER_POINT, 1967, 1},
    {"12,345,678", TKF_NUMBER_POINT, 12345678, 1},
    {"1,25", TKF_NUMBER_COMMA, 1.25, .01},
    {"1.234,5", TKF_NUMBER_COMMA, 1234.5, .1},
    {"123456789012345678901234567890", TKF_NUMBER_POINT, 123456789012345678901234567890., 1},
    {"0.1000000000000000055511151231257827021181583404541015625", TKF_NUMBER_POINT, 0.1, 1e-55},
    {"2.2250738585072014e-308", TKF_NUMBER_POINT, 2.2250738585072014e-308, 0},
    {"1e-400", TKF_NUMBER_POINT, 0, 0},
    {"9007199254740993", TKF_NUMBER_POINT, 9007199254740992., 1}, /* a tie, to even */
    {"inf", TKF_NUMBER_POINT, INFINITY, NAN},
    {"-Infinity", TKF_NUMBER_POINT, -INFINITY, NAN},
    {"\xe2\x88\x9e", TKF_NUMBER_POINT, INFINITY, NAN}, /* U+221E */
    {"NaN", TKF_NUMBER_POINT, NAN, NAN},
};

static const char *const no_numbers[] = {
    "",          "-",    ".",         "e5",      "1e", "1e+", "1.2.3", "1,23",  "1,2345",
    "12,34,567", ",123", "1'234,567", "0x10",    "1 ", " 1",  "1a",    "1e400", "-1e999999999",
    "--1",       "na",   "1,234,56",  "1234,567"};

static bool equal(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b || fabs(a - b) < 1e-12 * fabs(b);
}

static void check_numbers(void)
{
    double value, quantum;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        if (!tkf_number(slice(numbers[i].text), numbers[i].style, &value, &quantum))
            fail_msg("%s is no number", numbers[i].text);
        bool same = isnan(value) ? isnan(numbers[i].value) : value == numbers[i].value;
        if (!same || !equal(quantum, numbers[i].quantum))
            fail_msg("%s is %.17g, by %g", numbers[i].text, value, quantum);
    }
    for (size_t i = 0; i < sizeof(no_numbers) / sizeof(*no_numbers); i++) {
        value = 42;
        if (tkf_number(slice(no_numbers[i]), TKF_NUMBER_POINT, &value, NULL) || value != 42)
            fail_msg("\"%s\" is a number", no_numbers[i]);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    check_numbers();
}

/* A locale with a decimal comma changes nothing. */
static void test_locale(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    const char *set = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !set; i++)
        set = setlocale(LC_NUMERIC, names[i]);
    if (!set) {
        fprintf(stderr, "no locale with a decimal comma is installed: not tested\n");
        skip();
    }
    check_numbers();
    setlocale(LC_NUMERIC, "C");
}

/* Whatever printf writes comes back, bit for bit. */
static void test_round_trip(void **state)
{
    uint64_t random = 1;
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        char text[64];
        double value, expected;
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = random ^ random >> 31;
        if (i % 2 == 0) {
            expected = (double)(bits % 1000000000) / 1e4;
            snprintf(text, sizeof(text), "%.*f", (int)(bits % 8), expected);
        } else {
            memcpy(&expected, &bits, sizeof(expected));
            if (!isfinite(expected))
                continue;
            snprintf(text, sizeof(text), "%.*e", (int)(bits % 20), expected);
        }
        expected = strtod(text, NULL);
        if (isinf(expected))
            continue;
        if (!tkf_number(slice(text), TKF_NUMBER_POINT, &value, NULL) || value != expected)
            fail_msg("%s is %.17g", text, value);
    }
}

/* ---- times ---- */

static void test_units(void **state)
{
    static const struct {
        const char *text;
        double ns;
    } units[] = {
        {"ps", 1e-3},
        {"ns", 1},
        {"us", 1e3},
        {"ms", 1e6},
        {"s", 1e9},
        {"m", 60e9},
        {"min", 60e9},
        {"h", 3600e9},
        {"sec", 1e9},
        {"Seconds", 1e9},
        {"nanoseconds", 1},
        {"microseconds", 1e3},
        {"\xc2\xb5s", 1e3},
        {"\xce\xbcs", 1e3}, /* U+00B5, U+03BC */
        {"\xb5s", 1e3},
        {"?s", 1e3},
        {"\xc3\x82\xc2\xb5s", 1e3},         /* as Windows-1252 */
        {"\xe2\x94\xac\xe2\x95\xa1s", 1e3}, /* as code page 437 */
        {"\xef\xbf\xbds", 1e3},
    };
    static const char *const none[] = {"",     "x",  "M",        "S", "nss", "n",
                                       "s/op", "MB", "\xc2\xb5", "?", "%"};
    double ns;
    (void)state;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        if (!tkf_time_unit(slice(units[i].text), &ns) || ns != units[i].ns)
            fail_msg("%s", units[i].text);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
        if (tkf_time_unit(slice(none[i]), &ns))
            fail_msg("\"%s\" is a unit", none[i]);
    }
}

static void test_times(void **state)
{
    struct tkf_slice rest = slice(" 1.25 ns 138.3\xc2\xb5s 1e3ns 2,500.5 ms end");
    double ns, quantum;
    (void)state;
    assert_true(tkf_time(&rest, TKF_NUMBER_POINT, &ns, &quantum));
    assert_true(ns == 1.25 && equal(quantum, .01));
    assert_true(tkf_time(&rest, TKF_NUMBER_POINT, &ns, &quantum));
    assert_true(equal(ns, 138300) && equal(quantum, 100));
    assert_true(tkf_time(&rest, TKF_NUMBER_POINT, &ns, NULL));
    assert_true(ns == 1000);
    assert_true(tkf_time(&rest, TKF_NUMBER_POINT, &ns, NULL));
    assert_true(ns == 2500.5e6);
    assert_false(tkf_time(&rest, TKF_NUMBER_POINT, &ns, NULL));
    assert_true(tkf_slice_is(rest, " end")); /* where it was */
    rest = slice("1,5 s");
    assert_true(tkf_time(&rest, TKF_NUMBER_COMMA, &ns, NULL));
    assert_true(ns == 1.5e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_locale), cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_units),  cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
