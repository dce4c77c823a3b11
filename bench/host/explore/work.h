/* SPDX-License-Identifier: MIT */
/**
 * The work that the ladder times: loops in C that the compiler can neither fold nor reorder. Each is the operation and,
 * once in TKF_WORK_UNROLL of them, a decrement and a branch; a test reads the machine code.
 */
#ifndef TKF_EXPLORE_WORK_H
#define TKF_EXPLORE_WORK_H

#include <stdbool.h>
#include <stdint.h>

#define TKF_WORK_UNROLL 16

/* All as tkf_work_fn of timing.h: arg, and n, a multiple of TKF_WORK_UNROLL. */

/** arg: uint64_t [2], dividend and divisor, neither 0 nor 1. x = dividend / x; of 64 bits. */
void tkf_work_divide(void *arg, uint64_t n);

/** arg: struct tkf_work_chase *. */
void tkf_work_chase(void *arg, uint64_t n);

struct tkf_work_chase {
    void **at; /**< where the next load is from; each place holds the address of the next one */
};

/** arg: uint64_t * to store to and to load from. */
void tkf_work_forward(void *arg, uint64_t n);

/** arg: int64_t *, not negative. A test and a branch that is not taken. */
void tkf_work_branch(void *arg, uint64_t n);

/** arg: struct tkf_work_random *. A new random number, and a branch on those of its bits that are in the mask. */
void tkf_work_random_branch(void *arg, uint64_t n);

struct tkf_work_random {
    uint64_t state; /**< not 0 */
    uint64_t mask;  /**< a bit: taken half of the time; 0: never */
};

/** arg: uint64_t * to add to, atomically. */
void tkf_work_atomic(void *arg, uint64_t n);

#endif
