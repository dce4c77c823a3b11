/* SPDX-License-Identifier: MIT */
#include "hosted.h"

double fmod(double x, double y)
{
    double rest = x - y * (double)(uint64_t)(x / y); /* the tests ask for x >= 0 and x / y < 2^64 */
    if (rest < 0)
        rest += y;
    return rest < y ? rest : rest - y;
}

double log(double x)
{
    int exponent = 0;
    for (; x > 1.5; x /= 2)
        exponent++;
    for (; x < 0.75; x *= 2)
        exponent--;
    /* ln x = 2 artanh((x - 1) / (x + 1)), and |(x - 1) / (x + 1)| <= 1/5. */
    double z = (x - 1) / (x + 1), power = z, sum = 0;
    for (int i = 1; i < 27; i += 2, power *= z * z)
        sum += power / i;
    return exponent * M_LN2 + 2 * sum;
}

void qsort(void *values, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    char *base = values;
    for (size_t i = 1; i < n; i++) {
        for (size_t k = i; k > 0 && compare(base + (k - 1) * size, base + k * size) > 0; k--) {
            for (size_t b = 0; b < size; b++) {
                char swap = base[k * size + b];
                base[k * size + b] = base[(k - 1) * size + b];
                base[(k - 1) * size + b] = swap;
            }
        }
    }
}

int strcmp(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

char *strstr(const char *text, const char *part)
{
    for (; *text != '\0'; text++) {
        size_t n = 0;
        while (part[n] != '\0' && text[n] == part[n])
            n++;
        if (part[n] == '\0')
            return (char *)text;
    }
    return NULL;
}

/* How a test ends before its end. */
enum { FAILED = 1, SKIPPED = 2 };
static jmp_buf early_end;

_Noreturn void failed(const char *file, unsigned line, const char *what)
{
    tkf_uefi_print("%s:%u: %s\n", file, line, what);
    longjmp(early_end, FAILED);
}

_Noreturn void abort(void)
{
    longjmp(early_end, FAILED);
}

_Noreturn void skip(void)
{
    longjmp(early_end, SKIPPED);
}

int run_tests(const char *group, const struct CMUnitTest *tests, size_t n)
{
    volatile unsigned passed = 0, skipped = 0;
    for (volatile size_t i = 0; i < n; i++) {
        void *state = NULL;
        int how = setjmp(early_end);
        if (how != 0) {
            skipped += how == SKIPPED;
            tkf_uefi_print("%s: %s: %s\n", how == SKIPPED ? "skipped" : "FAILED", group,
                           tests[i].name);
            continue;
        }
        if (tests[i].setup != NULL)
            tests[i].setup(&state);
        tests[i].test(&state);
        passed++;
    }
    unsigned failures = (unsigned)n - passed - skipped;
    tkf_uefi_print("%s: %u passed, %u failed, %u skipped\n", group, passed, failures, skipped);
    return (int)failures;
}
