/* SPDX-License-Identifier: MIT */
/**
 * The three loops over memory for one width of register, with the compiler's own vectors; each folder's stream.c includes it.
 *
 * TKF_STREAM_LOOPS(suffix, width, constraint, attribute): width in bytes; the constraint that asm takes such a register by; an
 * attribute for each function, such as the CPU that it needs. An asm for each register keeps the compiler from leaving a load out,
 * or from making a call of memcpy() or memset() of the loop.
 */
#ifndef TKF_STREAM_LOOPS_H
#define TKF_STREAM_LOOPS_H

#include "stream.h"

#define TKF_STREAM_TIMES_16(move, constraint)                                                 \
    move(0, constraint) move(1, constraint) move(2, constraint) move(3, constraint)           \
        move(4, constraint) move(5, constraint) move(6, constraint) move(7, constraint)       \
            move(8, constraint) move(9, constraint) move(10, constraint) move(11, constraint) \
                move(12, constraint) move(13, constraint) move(14, constraint)                \
                    move(15, constraint)
#define TKF_STREAM_READ(i, constraint) \
    value = at[i];                     \
    __asm__ volatile("" : : constraint(value));
#define TKF_STREAM_WRITE(i, constraint) into[i] = value;
#define TKF_STREAM_COPY(i, constraint)            \
    value = at[i];                                \
    __asm__ volatile("" : "+" constraint(value)); \
    into[i] = value;

#define TKF_STREAM_LOOPS(suffix, width, constraint, attribute)                                     \
    typedef uint64_t vector_##suffix __attribute__((vector_size(width), may_alias));               \
    attribute static void read_##suffix(const void *from, size_t bytes, uint64_t passes)           \
    {                                                                                              \
        for (; passes > 0; passes--) {                                                             \
            const vector_##suffix *at = from, *end = at + bytes / (width);                         \
            for (; at != end; at += 16) {                                                          \
                vector_##suffix value;                                                             \
                TKF_STREAM_TIMES_16(TKF_STREAM_READ, constraint)                                   \
            }                                                                                      \
            __asm__ volatile("" : : : "memory");                                                   \
        }                                                                                          \
    }                                                                                              \
    attribute static void write_##suffix(void *to, size_t bytes, uint64_t passes)                  \
    {                                                                                              \
        vector_##suffix value = {0};                                                               \
        __asm__ volatile("" : "+" constraint(value));                                              \
        for (; passes > 0; passes--) {                                                             \
            vector_##suffix *into = to, *end = into + bytes / (width);                             \
            for (; into != end; into += 16) {                                                      \
                TKF_STREAM_TIMES_16(TKF_STREAM_WRITE, constraint)                                  \
                __asm__ volatile("" : : "r"(into) : "memory");                                     \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    attribute static void copy_##suffix(void *to, const void *from, size_t bytes, uint64_t passes) \
    {                                                                                              \
        for (; passes > 0; passes--) {                                                             \
            const vector_##suffix *at = from, *end = at + bytes / (width);                         \
            vector_##suffix *into = to, value;                                                     \
            for (; at != end; at += 16, into += 16) {                                              \
                TKF_STREAM_TIMES_16(TKF_STREAM_COPY, constraint)                                   \
            }                                                                                      \
            __asm__ volatile("" : : "r"(to) : "memory");                                           \
        }                                                                                          \
    }

/** The row of such loops. */
#define TKF_STREAM_ROW(suffix, text)                                                        \
    {                                                                                       \
        .name = text, .read = read_##suffix, .write = write_##suffix, .copy = copy_##suffix \
    }

#endif
