/* SPDX-License-Identifier: MIT */
/**
 * A simulated machine behind struct tkf_env: what it is, what disturbs it and how it fails are fields, time is virtual
 * and noise is seeded, so that a whole calibration is the same on every machine and every time.
 *
 * It takes the built architecture's tables of kernels and sources, and executes none of their machine code. Begin with
 * scripted_machine(), change fields, take scripted_env(), and set members of that to NULL for what the machine lacks.
 */
#ifndef TKF_SCRIPTED_H
#define TKF_SCRIPTED_H

#include <setjmp.h>

#include <tickfloor/measure.h>

#include "arch.h"

#define SCRIPTED_KERNELS 64

/** What is wrong with the source `faulty`. */
enum scripted_fault {
    SCRIPTED_SOUND,
    SCRIPTED_STUCK, /**< its first value, for ever */
    SCRIPTED_BACK,  /**< reading number fault_at lies before the one before it */
    SCRIPTED_JUMP,  /**< reading number fault_at, and all after it, lie a minute later */
    SCRIPTED_SLIP, /**< from reading number fault_at on it lies half a millisecond and half a step later */
    SCRIPTED_TRAP, /**< reading it traps */
};

struct scripted {
    /* The counter. A source that counts ns does so at 1 GHz whatever counter_hz is; see scripted_hz(). */
    double counter_hz;
    uint64_t step_ticks;
    double
        scale; /**< ticks for one tick of the slower counter that this one is made from; 0: it is its own */
    double read_ns; /**< one fenced reading */

    /* The core. */
    double core_hz;
    double later_core_hz, later_from_ns; /**< its clock from that moment on; 0: the same */
    double boost_factor, boost_share,
        boost_period_ns;                   /**< its clock in that share of each period */
    double cycles[SCRIPTED_KERNELS];       /**< core cycles for one operation */
    double instructions[SCRIPTED_KERNELS]; /**< for one iteration */
    double noise;                          /**< a window is longer by up to this share of itself */
    uint64_t seed;

    /* Others. */
    double gap_ns, gap_every_ns; /**< taken away from each such period */
    double gap_jitter_ns;        /**< and up to this much more */
    double slow_factor, slow_share,
        slow_period_ns;       /**< loops in that share of each period; chains stay */
    double slow_until_ns;     /**< when that ends; 0: never */
    uint64_t slow_cpus;       /**< bit n: on CPU n loops are always slow */
    uint64_t unpinnable_cpus; /**< bit n: binding to CPU n fails with pin_error */
    int pin_error;

    /* The clock. */
    double clock_ppm;                            /**< fast by this much */
    double later_clock_ppm, later_clock_from_ns; /**< and from that moment on by this much */
    bool clock_stuck;

    /* Failures. */
    enum scripted_fault fault;
    const char *faulty; /**< a source's name */
    unsigned fault_at;
    bool identify_traps;
    double garbage; /**< share of windows whose duration means nothing: 0, negative, equal, huge */
    const char *forbidden; /**< the reason, NULL when the counter may be read */
    int events_error;
    unsigned events_fail_from; /**< the call, from 1 on, at which events begin to fail; 0: never */
    unsigned core_clock_fails_from; /**< the same of the core's own count */
    unsigned cancel_at; /**< the question, from 1 on, that is answered with "stop"; 0: never */

    /* What happened. */
    double now_ns;
    unsigned cpu, cancel_asked, events_asked, core_clock_asked, guarded, readings;
    double core_cycles, core_instructions;
    jmp_buf trap;
};

/** A quiet 2.6 GHz reference counter that steps by 26, over a 3.7 GHz core with one cycle for each loop, two where it straddles. */
struct scripted scripted_machine(void);

/** Every member is filled; the machine must outlive it. */
struct tkf_env scripted_env(struct scripted *machine);

/** The true rate of a source. */
double scripted_hz(const struct scripted *machine, const struct tkf_source *src);

/** The index of a kernel; fails the test when the architecture has none of that name. */
unsigned scripted_kernel(const char *name);

/** True where a loop of the architecture crosses its 64-byte line on this machine. */
bool scripted_straddles(const struct tkf_kernel *kernel);

/** The source that a sound machine uses. */
const struct tkf_source *scripted_best_source(void);

#endif
