/* SPDX-License-Identifier: MIT */
/** Text and numbers without a C library. */
#include "firmware.h"

#define DIGITS_MAX 17

bool tkf_uefi_same(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return *a == *b;
}

static void put(struct tkf_uefi_text *text, char c)
{
    if (text->used + 1 < text->size) {
        text->at[text->used] = c;
        text->at[text->used + 1] = '\0';
    }
    text->used++;
}

static void put_string(struct tkf_uefi_text *text, const char *string)
{
    while (*string != '\0')
        put(text, *string++);
}

static void put_whole(struct tkf_uefi_text *text, uint64_t value, unsigned base, unsigned width)
{
    char digits[20];
    unsigned n = 0;
    do {
        digits[n++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    for (; width > n; width--)
        put(text, '0');
    while (n > 0)
        put(text, digits[--n]);
}

/** The first `count` decimal digits of value > 0, rounded; returns the exponent of the first. */
static int decimal(double value, unsigned count, char *ret_digits)
{
    int exponent = 0;
    for (; value >= 10; value /= 10)
        exponent++;
    for (; value < 1; value *= 10)
        exponent--;
    double scale = 1;
    for (unsigned i = 1; i < count; i++)
        scale *= 10;
    uint64_t whole = (uint64_t)(value * scale + 0.5);
    if (whole >= (uint64_t)(scale * 10 + 0.5)) {
        whole /= 10;
        exponent++;
    }
    for (unsigned i = count; i-- > 0; whole /= 10)
        ret_digits[i] = (char)('0' + whole % 10);
    return exponent;
}

/** Up to `count` significant digits, no trailing zeros; with an exponent where plain notation would be long. */
static void put_general(struct tkf_uefi_text *text, double value, unsigned count)
{
    char digits[DIGITS_MAX];
    if (value == 0) {
        put(text, '0');
        return;
    }
    int exponent = decimal(value, count, digits);
    while (count > 1 && digits[count - 1] == '0')
        count--;
    bool plain = exponent >= -5 && exponent <= 15;
    int point = plain ? exponent : 0; /* digits before the point, less one */
    for (int i = point < 0 ? point : 0; i <= point || i < (int)count; i++) {
        if (i == point + 1 && point >= 0)
            put(text, '.');
        put(text, i >= 0 && i < (int)count ? digits[i] : '0');
        if (i == point && point < 0)
            put(text, '.');
    }
    if (!plain) {
        put(text, 'e');
        put(text, exponent < 0 ? '-' : '+');
        put_whole(text, (uint64_t)(exponent < 0 ? -exponent : exponent), 10, 1);
    }
}

static void put_fixed(struct tkf_uefi_text *text, double value, unsigned places)
{
    uint64_t scale = 1;
    for (unsigned i = 0; i < places; i++)
        scale *= 10;
    uint64_t whole = (uint64_t)(value * (double)scale + 0.5);
    put_whole(text, whole / scale, 10, 1);
    if (places > 0) {
        put(text, '.');
        put_whole(text, whole % scale, 10, places);
    }
}

static void put_real(struct tkf_uefi_text *text, double value, char how, unsigned precision)
{
    if (!(value - value == 0)) { /* NAN or infinite */
        put_string(text, "unknown");
        return;
    }
    if (value < 0) {
        put(text, '-');
        value = -value;
    }
    if (how == 'f' && value < 1e15)
        put_fixed(text, value, precision);
    else
        put_general(text, value, precision > 0 ? precision : 1);
}

static unsigned take_number(const char **at)
{
    unsigned n = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        n = n * 10 + (unsigned)(**at - '0');
    return n;
}

void tkf_uefi_text_vadd(struct tkf_uefi_text *text, const char *format, va_list arguments)
{
    for (const char *at = format; *at != '\0'; at++) {
        if (*at != '%') {
            put(text, *at);
            continue;
        }
        at++;
        unsigned width = take_number(&at), precision = 6;
        if (*at == '.') {
            at++;
            if (*at == '*') {
                at++;
                precision = va_arg(arguments, unsigned);
            } else {
                precision = take_number(&at);
            }
        }
        bool wide = at[0] == 'l' && at[1] == 'l';
        if (wide)
            at += 2;
        switch (*at) {
        case 's':
            put_string(text, va_arg(arguments, const char *));
            break;
        case 'u':
        case 'x':
            put_whole(text, wide ? va_arg(arguments, uint64_t) : va_arg(arguments, unsigned),
                      *at == 'u' ? 10 : 16, width);
            break;
        case 'f':
        case 'g':
            put_real(text, va_arg(arguments, double), *at, precision);
            break;
        default:
            put(text, *at);
        }
    }
}

void tkf_uefi_text_add(struct tkf_uefi_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tkf_uefi_text_vadd(text, format, arguments);
    va_end(arguments);
}

struct tkf_uefi_shown tkf_uefi_show_time(double ns)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    struct tkf_uefi_shown shown;
    unsigned unit = 0;
    if (ns - ns == 0) {
        for (; unit < 3 && ns >= 999.95; ns /= 1000)
            unit++;
        tkf_uefi_format(shown.text, sizeof shown.text, "%.4g %s", ns, units[unit]);
    } else {
        tkf_uefi_format(shown.text, sizeof shown.text, "unknown");
    }
    return shown;
}

void tkf_uefi_format(char *ret_text, size_t size, const char *format, ...)
{
    struct tkf_uefi_text text = {ret_text, size, 0};
    va_list arguments;
    ret_text[0] = '\0';
    va_start(arguments, format);
    tkf_uefi_text_vadd(&text, format, arguments);
    va_end(arguments);
}
