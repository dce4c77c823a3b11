/* SPDX-License-Identifier: MIT */
/*
 * Timer: a fixture that each iteration needs, and four ways to deal with it. The fixture fills 256 numbers, the operation that
 * is to be measured adds up 16 of them. A stop without a start, and a start without a stop, are refused by the harness.
 */
#include "suite.h"

#define NUMBERS 256
#define ADDED   16

static NOINLINE void fixture(uint64_t *numbers)
{
    for (uint64_t i = 0; i < NUMBERS; i++)
        numbers[i] = i * i;
    tkf_keep(numbers);
}

static NOINLINE uint64_t operation(const uint64_t *numbers)
{
    uint64_t sum = 1;
    for (unsigned i = 0; i < ADDED; i++)
        sum = sum * 3 + numbers[i];
    return sum;
}

/* Honest but not what was meant: the fixture is measured with the operation. */
TKF_BENCH_NAMED(Timer_setup_inside, "Timer/setup_inside")
{
    uint64_t numbers[NUMBERS];
    while (tkf_loop(b)) {
        fixture(numbers);
        tkf_keep(operation(numbers));
    }
}

/* The pair stands around the wrong part: the fixture is measured, and the operation is not. */
TKF_BENCH_NAMED(Timer_wrong_order, "Timer/wrong_order")
{
    uint64_t numbers[NUMBERS] = {0};
    while (tkf_loop(b)) {
        tkf_timer_stop(b);
        tkf_keep(operation(numbers));
        tkf_timer_start(b);
        fixture(numbers);
    }
}

/* Stop, fixture, start, operation: the operation, and what a stop and a start add. */
TKF_BENCH_NAMED(Timer_bracketed, "Timer/bracketed")
{
    uint64_t numbers[NUMBERS];
    while (tkf_loop(b)) {
        tkf_timer_stop(b);
        fixture(numbers);
        tkf_timer_start(b);
        tkf_keep(operation(numbers));
    }
}

/* What a stop and a start add by themselves. What is not well above this is better measured without them. */
TKF_BENCH_NAMED(Timer_pair, "Timer/pair")
{
    while (tkf_loop(b)) {
        tkf_timer_stop(b);
        tkf_timer_start(b);
    }
}
