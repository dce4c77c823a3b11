/* SPDX-License-Identifier: MIT */
#include "work.h"

/* The value is not known any more, and costs no instruction. */
#define HIDE(x) __asm__ volatile("" : "+r"(x))

#define TIMES_4(statement)  statement statement statement statement
#define TIMES_16(statement) TIMES_4(TIMES_4(statement))

/* Run the statement n times, so many at a time. */
#define REPEAT(n, statement)                               \
    for (uint64_t left = (n) / TKF_WORK_UNROLL; left > 0;  \
         left--) { /* HIDE keeps it from being unrolled */ \
        TIMES_16(statement)                                \
        HIDE(left);                                        \
    }

void tkf_work_divide(void *arg, uint64_t n)
{
    uint64_t *operands = arg;
    uint64_t dividend = operands[0], x = operands[1];
    HIDE(dividend);
    REPEAT(n, x = dividend / x; HIDE(x);)
    operands[1] = x;
}

void tkf_work_chase(void *arg, uint64_t n)
{
    struct tkf_work_chase *chase = arg;
    void **at = chase->at;
    REPEAT(n, at = *at; HIDE(at);)
    chase->at = at;
}

void tkf_work_forward(void *arg, uint64_t n)
{
    /* Two registers hold the address: where it is one, or the stack's, some cores keep the value in a register and never forward
     * a store at all. */
    volatile uint64_t *to = arg, *from = arg;
    uint64_t x = n;
    HIDE(to);
    HIDE(from);
    REPEAT(n, *to = x; x = *from; HIDE(x);)
}

void tkf_work_branch(void *arg, uint64_t n)
{
    /* Not a test for 0: after it the compiler would know the value, and write it anew for the next one. */
    int64_t value = *(int64_t *)arg;
    REPEAT(n, HIDE(value); if (value < 0) return;)
}

void tkf_work_random_branch(void *arg, uint64_t n)
{
    struct tkf_work_random *random = arg;
    uint64_t x = random->state, mask = random->mask, taken = 0;
    /* Marsaglia's xorshift: the numbers never repeat within anyone's patience, so nothing can learn them. The asm in the taken path
     * keeps the branch one: it cannot be done on both paths, and chosen from after. */
    REPEAT(
        n, x ^= x << 13; x ^= x >> 7; x ^= x << 17; if ((x & mask) != 0) {
            taken++;
            HIDE(taken);
        })
    random->state = x;
}

void tkf_work_atomic(void *arg, uint64_t n)
{
    uint64_t *sum = arg;
    REPEAT(n, __atomic_fetch_add(sum, 1, __ATOMIC_SEQ_CST);)
}
