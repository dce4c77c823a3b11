/* SPDX-License-Identifier: MIT */
/* The clock is CLOCK_MONOTONIC_RAW in ns, under both of its names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

#include "host.h"

static uint64_t raw_ns(void)
{
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC_RAW, &now), 0);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void is_the_raw_clock(void **state)
{
    (void)state;
    uint64_t first = raw_ns();
    uint64_t second = tkf_clock_ns(NULL);
    uint64_t third = tkf_env_clock_ns();
    uint64_t fourth = raw_ns();
    assert_true(first <= second && second <= third && third <= fourth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_the_raw_clock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
