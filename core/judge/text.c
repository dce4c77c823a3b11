/* SPDX-License-Identifier: MIT */
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#if __has_include(<xlocale.h>)
#include <xlocale.h> /* declares uselocale() where <locale.h> does not */
#endif

#include "reader.h"

/* ---- fields ---- */

/* Bytes of the blank that begins here: space, tab, U+00A0 (C2 A0), U+202F (E2 80 AF); else 0. */
static inline size_t blank_bytes(const char *at, const char *end)
{
    switch ((unsigned char)*at) {
    case ' ':
    case '\t':
        return 1;
    case 0xc2:
        return end - at >= 2 && (unsigned char)at[1] == 0xa0 ? 2 : 0;
    case 0xe2:
        return end - at >= 3 && memcmp(at + 1, "\x80\xaf", 2) == 0 ? 3 : 0;
    default:
        return 0;
    }
}

static void advance(struct tkf_slice *slice, size_t bytes)
{
    slice->text += bytes;
    slice->length -= bytes;
}

/* The bytes that a blank may begin with. */
static const bool may_be_blank[256] = {[' '] = true, ['\t'] = true, [0xc2] = true, [0xe2] = true};

static void skip_blanks(struct tkf_slice *slice)
{
    if (slice->length == 0)
        return; /* it may be nowhere */
    const char *at = slice->text, *end = at + slice->length;
    for (size_t bytes = 1; at < end && bytes > 0; at += bytes) {
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        bytes = at < end && may_be_blank[(unsigned char)*at] ? blank_bytes(at, end) : 0;
    }
    *slice = (struct tkf_slice){.text = at, .length = (size_t)(end - at)};
}

struct tkf_slice tkf_field(struct tkf_slice *rest)
{
    skip_blanks(rest);
    if (rest->length == 0)
        return *rest;
    const char *at = rest->text, *end = at + rest->length;
    for (; at < end; at++) {
        if (may_be_blank[(unsigned char)*at] && blank_bytes(at, end) > 0)
            break;
    }
    struct tkf_slice field = {.text = rest->text, .length = (size_t)(at - rest->text)};
    *rest = (struct tkf_slice){.text = at, .length = (size_t)(end - at)};
    return field;
}

const char *tkf_last_of(const char *text, char wanted, size_t bytes)
{
    while (bytes > 0)
        if (text[--bytes] == wanted)
            return text + bytes;
    return NULL;
}

bool tkf_slice_line(struct tkf_slice *rest, struct tkf_slice *ret_line)
{
    if (rest->length == 0)
        return false;
    const char *lf = memchr(rest->text, '\n', rest->length);
    size_t length = lf ? (size_t)(lf - rest->text) : rest->length;
    *ret_line = (struct tkf_slice){.text = rest->text, .length = length};
    advance(rest, lf ? length + 1 : length);
    return true;
}

/* ---- numbers ---- */

/* Doubles hold these exactly. */
static const double powers_of_10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

#define EXACT_POWER    22
#define EXACT_DIGITS   15
#define EXACT_MANTISSA ((uint64_t)1 << 53)

/* More digits than these change no double that is not made to be a tie. */
#define DIGITS_MAX 800

/* A decimal number in the making: mantissa * 10^exponent. */
struct decimal {
    bool negative;
    bool exact; /* the mantissa holds all digits */
    uint64_t mantissa;
    int exponent; /* of the last digit */
    unsigned ndigits;
    char digits[DIGITS_MAX + 1];
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void take_digit(struct decimal *decimal, char digit)
{
    if (decimal->ndigits < DIGITS_MAX)
        decimal->digits[decimal->ndigits] = digit;
    decimal->ndigits++;
    if (decimal->mantissa < EXACT_MANTISSA / 10)
        decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(digit - '0');
    else
        decimal->exact = false;
}

/* Digits, in groups of three when *separators* has what stands between them. False when the groups are wrong. */
static bool take_whole(struct tkf_slice *rest, const char *separators, struct decimal *decimal)
{
    unsigned group = 0; /* digits since the separator */
    char separator = '\0';
    for (; rest->length > 0; advance(rest, 1)) {
        char c = *rest->text;
        if (is_digit(c)) {
            take_digit(decimal, c);
            group++;
            continue;
        }
        if (c != separators[0] && c != separators[1])
            break;
        if (separator ? (c != separator || group != 3) : (group == 0 || group > 3))
            return false;
        separator = c;
        group = 0;
    }
    return !separator || group == 3;
}

static bool take_exponent(struct tkf_slice *rest, int *exponent)
{
    struct tkf_slice at = *rest;
    if (at.length == 0 || (*at.text != 'e' && *at.text != 'E'))
        return true;
    advance(&at, 1);
    bool negative = at.length > 0 && *at.text == '-';
    if (at.length > 0 && (*at.text == '-' || *at.text == '+'))
        advance(&at, 1);
    int value = 0;
    if (at.length == 0 || !is_digit(*at.text))
        return false;
    for (; at.length > 0 && is_digit(*at.text); advance(&at, 1))
        value = value < 100000 ? value * 10 + (*at.text - '0') : value;
    *exponent += negative ? -value : value;
    *rest = at;
    return true;
}

static bool take_sign(struct tkf_slice *rest)
{
    static const char minus[] = "\xe2\x88\x92"; /* U+2212 */
    char first = rest->length > 0 ? *rest->text : '\0';
    if (first == *minus && tkf_slice_starts(*rest, minus)) {
        advance(rest, sizeof(minus) - 1);
        return true;
    }
    if (first == '-' || first == '+')
        advance(rest, 1);
    return first == '-';
}

/* Too long for the exact way. The C locale reads it, whatever the program's is. */
static bool convert(struct decimal *decimal, double *ret_value)
{
    char text[DIGITS_MAX + 32];
    unsigned ndigits = decimal->ndigits < DIGITS_MAX ? decimal->ndigits : DIGITS_MAX;
    long exponent = decimal->exponent + (long)(decimal->ndigits - ndigits);
    decimal->digits[ndigits] = '\0';
    snprintf(text, sizeof(text), "%se%ld", decimal->digits, exponent);
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c_locale)
        return false;
    locale_t before = uselocale(c_locale);
    double value = strtod(text, NULL);
    uselocale(before);
    freelocale(c_locale);
    if (isinf(value))
        return false;
    *ret_value = value;
    return true;
}

static bool not_finite(struct tkf_slice slice, double *ret_value)
{
    static const struct {
        const char *text;
        double value;
    } names[] = {
        {"nan", NAN},
        {"inf", INFINITY},
        {"infinity", INFINITY},
        {"\xe2\x88\x9e", INFINITY}, /* U+221E */
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (slice.length == strlen(names[i].text) &&
            strncasecmp(slice.text, names[i].text, slice.length) == 0) {
            *ret_value = names[i].value;
            return true;
        }
    }
    return false;
}

static double power_of_10(int exponent)
{
    if (exponent >= 0 && exponent <= EXACT_POWER)
        return powers_of_10[exponent];
    if (exponent < 0 && exponent >= -EXACT_POWER)
        return 1 / powers_of_10[-exponent];
    return pow(10, exponent);
}

/* The number that the slice begins with, advancing it. */
static bool take_number(struct tkf_slice *rest, enum tkf_number_style style, double *ret_value,
                        double *ret_quantum)
{
    struct decimal decimal;
    struct tkf_slice at = *rest;
    const char *separators = style == TKF_NUMBER_POINT ? ",'" : ".'";
    char point = style == TKF_NUMBER_POINT ? '.' : ',';
    double value;

    decimal.negative = take_sign(&at);
    decimal.exact = true;
    decimal.mantissa = 0;
    decimal.exponent = 0;
    decimal.ndigits = 0;
    if (!take_whole(&at, separators, &decimal))
        return false;
    if (at.length > 0 && *at.text == point) {
        for (advance(&at, 1); at.length > 0 && is_digit(*at.text); advance(&at, 1)) {
            take_digit(&decimal, *at.text);
            decimal.exponent--;
        }
    }
    if (decimal.ndigits == 0 || !take_exponent(&at, &decimal.exponent))
        return false;

    if (decimal.exact && decimal.exponent >= -EXACT_POWER && decimal.exponent <= EXACT_POWER)
        value = decimal.exponent < 0 ? (double)decimal.mantissa / powers_of_10[-decimal.exponent]
                                     : (double)decimal.mantissa * powers_of_10[decimal.exponent];
    else if (!convert(&decimal, &value))
        return false;
    *rest = at;
    *ret_value = decimal.negative ? -value : value;
    if (ret_quantum)
        *ret_quantum = power_of_10(decimal.exponent);
    return true;
}

/* Digits and perhaps a point among them, few enough to be exact: nearly all numbers there are. */
static bool plain_number(struct tkf_slice slice, double *ret_value, double *ret_quantum)
{
    uint64_t mantissa = 0;
    size_t decimals = 0;
    if (slice.length == 0 || slice.length > EXACT_DIGITS || !is_digit(*slice.text))
        return false;
    const char *at = slice.text, *end = at + slice.length, *point = NULL;
    for (; at < end; at++) {
        if (is_digit(*at))
            mantissa = mantissa * 10 + (uint64_t)(*at - '0');
        else if (*at == '.' && !point)
            point = at;
        else
            return false;
    }
    if (point)
        decimals = (size_t)(end - point) - 1;
    *ret_value = (double)mantissa / powers_of_10[decimals];
    if (ret_quantum)
        *ret_quantum = 1 / powers_of_10[decimals];
    return true;
}

bool tkf_number(struct tkf_slice slice, enum tkf_number_style style, double *ret_value,
                double *ret_quantum)
{
    double value, quantum;
    struct tkf_slice rest = slice;
    if (style == TKF_NUMBER_POINT && plain_number(slice, ret_value, ret_quantum))
        return true;
    if (take_number(&rest, style, &value, &quantum)) {
        if (rest.length > 0)
            return false;
    } else {
        rest = slice;
        bool negative = take_sign(&rest);
        if (!not_finite(rest, &value))
            return false;
        value = negative ? -value : value;
        quantum = NAN;
    }
    *ret_value = value;
    if (ret_quantum)
        *ret_quantum = quantum;
    return true;
}

/* ---- times ---- */

static const struct {
    double ns;
    const char *names[12];
} units[] = {
    {1e-3, {"ps", "psec", "picosecond", "picoseconds"}},
    {1, {"ns", "nsec", "nsecs", "nanosec", "nanosecond", "nanoseconds", "nano", "nanos"}},
    {1e3, {"us", "usec", "usecs", "microsec", "microsecond", "microseconds", "micro", "micros"}},
    {1e6, {"ms", "msec", "msecs", "millisec", "millisecond", "milliseconds", "milli", "millis"}},
    {1e9, {"s", "sec", "secs", "second", "seconds"}},
    {60e9, {"m", "min", "mins", "minute", "minutes"}},
    {3600e9, {"h", "hr", "hour", "hours"}},
};

/*
 * How a micro sign arrives: U+00B5, U+03BC, Latin-1; then the UTF-8 of both read as Windows-1252 and as
 * code page 437, and what is left when a code page had none.
 */
static const char *const micros[] = {
    "\xc2\xb5",                 /* U+00B5 */
    "\xce\xbc",                 /* U+03BC */
    "\xb5",                     /* a single byte */
    "\xc3\x82\xc2\xb5",         /* C2 B5 as Windows-1252 */
    "\xc3\x8e\xc2\xbc",         /* CE BC as Windows-1252 */
    "\xe2\x94\xac\xe2\x95\xa1", /* C2 B5 as code page 437 */
    "\xe2\x94\xac\xc3\x81",     /* C2 B5 as code page 850 */
    "\xe2\x95\xac\xe2\x95\x9d", /* CE BC as code pages 437 and 850 */
    "\xef\xbf\xbd",             /* U+FFFD */
    "?",
};

static bool is_micros(struct tkf_slice unit)
{
    for (size_t i = 0; i < sizeof(micros) / sizeof(*micros); i++) {
        size_t length = strlen(micros[i]);
        if (unit.length == length + 1 && unit.text[length] == 's' &&
            tkf_slice_starts(unit, micros[i]))
            return true;
    }
    return false;
}

bool tkf_time_unit(struct tkf_slice unit, double *ret_ns)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        for (const char *const *name = units[i].names; *name; name++) {
            size_t length = strlen(*name);
            /* Of short ones the case matters: M is not a minute. */
            if (unit.length == length &&
                (length <= 2 ? memcmp(unit.text, *name, length)
                             : strncasecmp(unit.text, *name, length)) == 0) {
                *ret_ns = units[i].ns;
                return true;
            }
        }
    }
    if (!is_micros(unit))
        return false;
    *ret_ns = 1e3;
    return true;
}

bool tkf_time(struct tkf_slice *rest, enum tkf_number_style style, double *ret_ns,
              double *ret_quantum_ns)
{
    struct tkf_slice at = *rest;
    double value, quantum, unit_ns;
    skip_blanks(&at);
    if (!take_number(&at, style, &value, &quantum) || !tkf_time_unit(tkf_field(&at), &unit_ns))
        return false;
    *rest = at;
    *ret_ns = value * unit_ns;
    if (ret_quantum_ns)
        *ret_quantum_ns = quantum * unit_ns;
    return true;
}
