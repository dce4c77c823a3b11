/* SPDX-License-Identifier: MIT */
/* Compiled by machine_code.py with each compiler at each level, as C and as C++: what is left of these functions. */
#include <stdlib.h>
#include <string.h>

#include <tickfloor/bench.h>

#ifdef __cplusplus
#define EXPORT extern "C" __attribute__((used, noinline))
#else
#define EXPORT __attribute__((used, noinline))
#endif

struct pair {
    long a, b;
};
struct wide {
    long numbers[8];
};

/* Names say what must be there: see the table in machine_code.py. */

EXPORT void keep_multiply(long x, long y)
{
    tkf_keep(x * y);
}

EXPORT void drop_multiply(long x, long y)
{
    long product = x * y;
    (void)product;
}

EXPORT void keep_double(double x, double y)
{
    tkf_keep(x / y);
}

EXPORT void keep_float(float x, float y)
{
    tkf_keep(x / y);
}

EXPORT void keep_long_double(long double x, long double y)
{
    tkf_keep(x / y);
}

EXPORT void keep_char(char x, char y)
{
    tkf_keep((char)(x * y));
}

EXPORT void keep_bool(long x, long y)
{
    bool odd = (x * y) & 1;
    tkf_keep(odd);
}

EXPORT void keep_pair(long x, long y)
{
    struct pair pair = {x * y, x};
    tkf_keep(pair);
}

EXPORT void keep_wide(long x, long y)
{
    struct wide wide = {{x, y, x, y, x, y, x, x * y}};
    tkf_keep(wide);
}

EXPORT void keep_pointee(long x, long y)
{
    long product = x * y;
    tkf_keep(&product);
}

EXPORT void keep_array(long x, long y)
{
    long products[4] = {x, y, x, x * y};
    tkf_keep(products);
}

EXPORT void keep_allocation(void)
{
    void *block = malloc(64);
    tkf_keep(block);
    free(block);
}

EXPORT void drop_allocation(void)
{
    void *block = malloc(64);
    free(block);
}

EXPORT long opaque_multiply(void)
{
    return tkf_opaque(6L) * tkf_opaque(7L);
}

EXPORT long folded_multiply(void)
{
    long x = 6, y = 7;
    return x * y;
}

EXPORT double opaque_double(void)
{
    return tkf_opaque(6.0) / tkf_opaque(7.0);
}

EXPORT long opaque_pair(void)
{
    struct pair pair = {6, 7};
    pair = tkf_opaque(pair);
    return pair.a * pair.b;
}

EXPORT void opaque_each_time(struct tkf_bench *b, size_t tkf_left_)
{
    while (tkf_loop(b))
        tkf_keep(tkf_opaque(6L) * tkf_opaque(7L));
}

extern long shared_value;

EXPORT void clobber_stores(void)
{
    shared_value = 1111;
    tkf_clobber();
    shared_value = 2222;
}

EXPORT void merged_stores(void)
{
    shared_value = 1111;
    shared_value = 2222;
}

EXPORT void loop_empty(struct tkf_bench *b, size_t tkf_left_)
{
    while (tkf_loop(b)) {
    }
}

EXPORT void loop_clobber(struct tkf_bench *b, size_t tkf_left_)
{
    while (tkf_loop(b))
        tkf_clobber();
}

EXPORT void loop_keep(struct tkf_bench *b, size_t tkf_left_)
{
    while (tkf_loop(b))
        tkf_keep(42);
}
