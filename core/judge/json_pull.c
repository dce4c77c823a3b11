/* SPDX-License-Identifier: MIT */
#include "json_pull.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reader.h"

enum {
    DEPTH_MAX = 64,      /* of what is passed over; what is read is as deep as its reader */
    EXACT_DIGITS = 15,   /* integers of so many digits are exact as a double */
    EXACT_POWER = 22,    /* and so are powers of ten up to this: one rounding, the right one */
    INTEGER_DIGITS = 18, /* and any of so many fit an int64_t */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- what is wrong ---- */

static bool fail_end(struct tkf_pull *pull)
{
    snprintf(pull->problem, sizeof(pull->problem), "it ends in the middle");
    pull->truncated = true;
    return false;
}

bool tkf_pull_fail(struct tkf_pull *pull, const char *problem)
{
    if (pull->at == pull->end)
        return fail_end(pull);
    int near = 0;
    while (near < 20 && pull->at + near < pull->end && !strchr(" \t\r\n", pull->at[near]))
        near++;
    snprintf(pull->problem, sizeof(pull->problem), "%s near '%.*s'", problem, near ? near : 1,
             pull->at);
    return false;
}

/* ---- blanks ---- */

void tkf_pull_blanks(struct tkf_pull *pull)
{
    char *at = pull->at, *end = pull->end;
    for (; at < end; at++) {
        if (*at == '\n')
            pull->line++;
        else if (*at != ' ' && *at != '\t' && *at != '\r')
            break;
    }
    pull->at = at;
}

enum tkf_pull_type tkf_pull_peek(struct tkf_pull *pull)
{
    tkf_pull_blanks(pull);
    if (pull->at == pull->end)
        return TKF_PULL_NONE;
    switch (*pull->at) {
    case '{':
        return TKF_PULL_OBJECT;
    case '[':
        return TKF_PULL_LIST;
    case '"':
        return TKF_PULL_STRING;
    case 't':
    case 'f':
        return TKF_PULL_BOOL;
    case 'n':
        return TKF_PULL_NULL;
    default:
        return *pull->at == '-' || is_digit(*pull->at) ? TKF_PULL_NUMBER : TKF_PULL_NONE;
    }
}

/* ---- strings ---- */

static int hex_value(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The code unit of \uXXXX at `at`; -1 when it is none. */
static int code_unit(const char *at, const char *end)
{
    int unit = 0;
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        int digit = hex_value(at[i]);
        if (digit < 0)
            return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

static char *put_utf8(char *to, uint32_t code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    return to;
}

/* The escape at pull->at, written to *to when that is not NULL; both are advanced. */
static bool take_escape(struct tkf_pull *pull, char **to)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    char *at = pull->at;
    if (pull->end - at < 2)
        return pull->at = pull->end, fail_end(pull);
    const char *letter = at[1] ? strchr(letters, at[1]) : NULL;
    if (letter) {
        if (to)
            *(*to)++ = meanings[letter - letters];
        pull->at += 2;
        return true;
    }
    if (at[1] == 'u' && pull->end - at < 6)
        return pull->at = pull->end, fail_end(pull);
    int unit = code_unit(at, pull->end);
    if (unit < 0)
        return tkf_pull_fail(pull, "invalid escape");
    if (unit == 0)
        return tkf_pull_fail(pull, "a NUL in a string");
    pull->at += 6;
    if (unit >= 0xd800 && unit < 0xe000) {
        int low = code_unit(pull->at, pull->end);
        if (unit >= 0xdc00 || low < 0xdc00 || low >= 0xe000)
            return pull->at = at, tkf_pull_fail(pull, "half of a surrogate pair");
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        pull->at += 6;
    }
    if (to)
        *to = put_utf8(*to, (uint32_t)unit);
    return true;
}

/* Bytes of the UTF-8 sequence at `at`, which is not ASCII; 0 when it is none (RFC 3629, section 4). */
static size_t utf8_bytes(const char *at, const char *end)
{
    const unsigned char *s = (const unsigned char *)at;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || (size_t)(end - at) < length)
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    }
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

/* From the opening quote to behind the closing one; `to`: where the decoded text goes, NULL for nowhere. */
static bool take_string(struct tkf_pull *pull, char **to)
{
    for (pull->at++; pull->at < pull->end;) {
        unsigned char c = (unsigned char)*pull->at;
        if (c == '"') {
            pull->at++;
            return true;
        }
        size_t bytes = 1;
        if (c == '\\') {
            if (!take_escape(pull, to))
                return false;
            continue;
        }
        if (c < 0x20)
            return tkf_pull_fail(pull, "a control character in a string");
        if (c >= 0x80) {
            bytes = utf8_bytes(pull->at, pull->end);
            if (bytes == 0)
                return tkf_pull_fail(pull, "no UTF-8");
        }
        if (to && *to != pull->at)
            memmove(*to, pull->at, bytes);
        if (to)
            *to += bytes;
        pull->at += bytes;
    }
    return fail_end(pull);
}

bool tkf_pull_string(struct tkf_pull *pull, const char **ret_text, size_t *ret_length)
{
    char *text = pull->at + 1, *to = text;
    if (!take_string(pull, &to))
        return false;
    *to = '\0'; /* at the latest in place of the closing quote */
    *ret_text = text;
    *ret_length = (size_t)(to - text);
    return true;
}

/* ---- numbers ---- */

/* Behind the digits at `at`. */
static char *digits(char *at, const char *end, uint64_t *mantissa)
{
    for (; at < end && is_digit(*at); at++)
        *mantissa = *mantissa * 10 + (uint64_t)(*at - '0'); /* may overflow: then it is not used */
    return at;
}

bool tkf_pull_number(struct tkf_pull *pull, struct tkf_pull_number *ret_number)
{
    static const double powers_of_10[EXACT_POWER + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    };
    char *at = pull->at, *end = pull->end, *start = at;
    bool negative = *at == '-', plain = true;
    uint64_t mantissa = 0, exponent_digits = 0;
    at += negative;
    char *whole = at;
    at = digits(at, end, &mantissa);
    if (at == whole || (*whole == '0' && at - whole > 1))
        return pull->at = at == end ? end : start, tkf_pull_fail(pull, "invalid number");
    size_t ndigits = (size_t)(at - whole), ndecimals = 0;
    if (at < end && *at == '.') {
        char *decimals = ++at;
        at = digits(at, end, &mantissa);
        ndecimals = (size_t)(at - decimals);
        if (ndecimals == 0)
            return pull->at = at == end ? end : start, tkf_pull_fail(pull, "invalid number");
        plain = false;
    }
    bool has_exponent = at < end && (*at == 'e' || *at == 'E');
    if (has_exponent) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        char *exponent = at;
        at = digits(at, end, &exponent_digits);
        if (at == exponent)
            return pull->at = at == end ? end : start, tkf_pull_fail(pull, "invalid number");
        plain = false;
    }
    pull->at = start;
    if (plain && ndigits > INTEGER_DIGITS)
        return tkf_pull_fail(pull, "too large an integer");
    struct tkf_slice slice = {.text = start, .length = (size_t)(at - start)};
    double value;
    if (!has_exponent && ndigits + ndecimals <= EXACT_DIGITS) {
        value = (double)mantissa / powers_of_10[ndecimals];
        value = negative ? -value : value;
    } else if (!tkf_number(slice, TKF_NUMBER_POINT, &value, NULL) || !isfinite(value)) {
        return tkf_pull_fail(pull, "too large a number");
    }
    pull->at = at;
    ret_number->value = value;
    ret_number->whole = plain;
    ret_number->integer = negative ? -(int64_t)mantissa : (int64_t)mantissa;
    return true;
}

/* ---- words ---- */

static bool take_word(struct tkf_pull *pull, const char *word)
{
    size_t length = strlen(word), left = (size_t)(pull->end - pull->at);
    if (left < length && memcmp(pull->at, word, left) == 0)
        return pull->at = pull->end, fail_end(pull);
    if (left < length || memcmp(pull->at, word, length) != 0)
        return tkf_pull_fail(pull, "a value expected");
    pull->at += length;
    return true;
}

bool tkf_pull_bool(struct tkf_pull *pull, bool *ret_value)
{
    *ret_value = *pull->at == 't';
    return take_word(pull, *ret_value ? "true" : "false");
}

bool tkf_pull_null(struct tkf_pull *pull)
{
    return take_word(pull, "null");
}

/* ---- objects and lists ---- */

/* A key up to behind its colon. */
static bool take_key(struct tkf_pull *pull, const char **ret_key)
{
    size_t length;
    if (tkf_pull_peek(pull) != TKF_PULL_STRING)
        return tkf_pull_fail(pull, "a member's name expected");
    if (ret_key ? !tkf_pull_string(pull, ret_key, &length) : !take_string(pull, NULL))
        return false;
    tkf_pull_blanks(pull);
    if (pull->at == pull->end || *pull->at != ':')
        return tkf_pull_fail(pull, "':' expected");
    pull->at++;
    return true;
}

/* Behind a bracket or a value: true when an entry follows, up to its value. */
static bool take_joint(struct tkf_pull *pull, bool first, char closer, const char **ret_key)
{
    tkf_pull_blanks(pull);
    if (pull->at == pull->end)
        return fail_end(pull);
    if (*pull->at == closer) {
        pull->at++;
        return false;
    }
    if (!first && *pull->at != ',')
        return tkf_pull_fail(pull, closer == '}' ? "',' or '}' expected" : "',' or ']' expected");
    pull->at += !first;
    return closer == ']' || take_key(pull, ret_key);
}

bool tkf_pull_next(struct tkf_pull *pull, bool first, const char **ret_key)
{
    pull->at += first;
    return take_joint(pull, first, ret_key ? '}' : ']', ret_key);
}

/* A value that is neither an object nor a list. */
static bool skip_scalar(struct tkf_pull *pull, enum tkf_pull_type type)
{
    struct tkf_pull_number number;
    bool value;
    switch (type) {
    case TKF_PULL_STRING:
        return take_string(pull, NULL);
    case TKF_PULL_NUMBER:
        return tkf_pull_number(pull, &number);
    case TKF_PULL_BOOL:
        return tkf_pull_bool(pull, &value);
    case TKF_PULL_NULL:
        return tkf_pull_null(pull);
    default:
        return tkf_pull_fail(pull, "a value expected");
    }
}

bool tkf_pull_skip(struct tkf_pull *pull)
{
    char closers[DEPTH_MAX];
    unsigned depth = 0;
    bool first = false;
    do {
        enum tkf_pull_type type = tkf_pull_peek(pull);
        if (type == TKF_PULL_OBJECT || type == TKF_PULL_LIST) {
            if (depth == DEPTH_MAX)
                return tkf_pull_fail(pull, "nested too deeply");
            closers[depth++] = type == TKF_PULL_OBJECT ? '}' : ']';
            pull->at++;
            first = true;
        } else if (!skip_scalar(pull, type)) {
            return false;
        }
        while (depth > 0 && !take_joint(pull, first, closers[depth - 1], NULL)) {
            if (pull->problem[0])
                return false;
            depth--;
            first = false;
        }
        first = false;
    } while (depth > 0);
    return true;
}
