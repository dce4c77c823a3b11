/* SPDX-License-Identifier: MIT */
/**
 * The little of a C library and of cmocka that the tests of core/measure need, so that they run in the firmware. It is
 * included before each of them, and the headers that they name are empty.
 */
#ifndef TKF_TESTS_HOSTED_H
#define TKF_TESTS_HOSTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware.h"

/* ---- C ---- */

#define NAN                  __builtin_nan("")
#define INFINITY             __builtin_inf()
#define M_LN2                0.693147180559945309
#define isnan(x)             __builtin_isnan(x)
#define isfinite(x)          __builtin_isfinite(x)
#define fabs(x)              __builtin_fabs(x)
#define fprintf(stream, ...) tkf_uefi_print(__VA_ARGS__)

double fmod(double x, double y);
double log(double x);
void qsort(void *values, size_t n, size_t size, int (*compare)(const void *, const void *));
void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memset(void *to, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);
int strcmp(const char *a, const char *b);
char *strstr(const char *text, const char *part);
_Noreturn void abort(void);

typedef uint64_t jmp_buf[32];
int setjmp(jmp_buf state) __attribute__((returns_twice));
_Noreturn void longjmp(jmp_buf state, int value);

/* ---- cmocka ---- */

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    int (*setup)(void **state);
};

#define cmocka_unit_test(f) \
    {                       \
#f, f, NULL         \
    }
#define cmocka_unit_test_setup(f, setup) \
    {                                    \
#f, f, setup                     \
    }
#define cmocka_run_group_tests_name(name, tests, setup, teardown) \
    run_tests(name, tests, sizeof(tests) / sizeof((tests)[0]))

/** Returns how many failed. */
int run_tests(const char *group, const struct CMUnitTest *tests, size_t n);
_Noreturn void failed(const char *file, unsigned line, const char *what);

_Noreturn void skip(void);

#define fail_msg(...)                (tkf_uefi_print(__VA_ARGS__), failed(__FILE__, __LINE__, ""))
#define assert_true(c)               ((c) ? (void)0 : failed(__FILE__, __LINE__, #c))
#define assert_false(c)              assert_true(!(c))
#define assert_null(p)               assert_true((p) == NULL)
#define assert_non_null(p)           assert_true((p) != NULL)
#define assert_int_equal(a, b)       assert_true((uint64_t)(a) == (uint64_t)(b))
#define assert_ptr_equal(a, b)       assert_true((const void *)(a) == (const void *)(b))
#define assert_ptr_not_equal(a, b)   assert_true((const void *)(a) != (const void *)(b))
#define assert_in_range(x, lo, hi)   assert_true((uint64_t)(x) >= (lo) && (uint64_t)(x) <= (hi))
#define assert_string_equal(a, b)    assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, n) assert_true(memcmp(a, b, n) == 0)

#endif
