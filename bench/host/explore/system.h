/* SPDX-License-Identifier: MIT */
/**
 * What the files behind tkf_explore_system(), _frequency() and _noise() share: a turn at the part's time;
 * and what each operating system answers, in linux/explore.c and macos/explore.c.
 */
#ifndef TKF_EXPLORE_SYSTEM_H
#define TKF_EXPLORE_SYSTEM_H

#include <time.h>

#include "explore/part.h"
#include "explore/partner.h"
#include "explore/timing.h"

/* ---- turn.c: the part's time, shared out ----------------------------------------------------------------------------------- */

/** The steps of a part, which take turns: each gets its weight's share of what the ones before it left over. */
struct tkf_turns {
    struct tkf_explorer *x;
    const char *what; /**< that is measured, for the progress */
    double all, left; /**< weights */
};

/** The next step begins. @return the env.clock_ns time until which it may collect samples; it is not after x->end_ns. */
uint64_t tkf_turn(struct tkf_turns *turns, double weight);

/** Add a step; where the value is NAN, with the reason that time or the user ended it. */
void tkf_turn_add(struct tkf_turns *turns, const char *name, const char *text, const char *unit,
                  struct tkf_band value);

/** In its turn: what an operation costs. */
void tkf_op_step(struct tkf_turns *turns, const char *name, const char *text,
                 const struct tkf_op *op);

/** Whether a step that collects samples until `until_ns` goes on. */
bool tkf_turn_goes_on(struct tkf_explorer *x, uint64_t until_ns);

/** The counter, now, fenced. */
uint64_t tkf_turn_now(const struct tkf_explorer *x);

/* ---- the groups of steps --------------------------------------------------------------------------------------------------- */

void tkf_explore_clocks(struct tkf_turns *turns);
void tkf_explore_pages(struct tkf_turns *turns);
void tkf_explore_waits(struct tkf_turns *turns);
void tkf_explore_sleeps(struct tkf_turns *turns);
/** The turns' weights in each group, together; of the clocks, each one's and the counter's. */
#define TKF_CLOCK_WEIGHT   4
#define TKF_COUNTER_WEIGHT 2
#define TKF_PAGES_WEIGHT   3
#define TKF_WAITS_WEIGHT   14
#define TKF_SLEEPS_WEIGHT  33

/* ---- the operating system: linux/explore.c, macos/explore.c -------------------------------------------------------------------- */

struct tkf_os_clock {
    const char *name; /**< "monotonic" */
    clockid_t id;
};
extern const struct tkf_os_clock tkf_os_clocks[];
extern const unsigned tkf_os_nclocks;

/** By how much the system may put off the calling thread's timers, ns; 0 where it does not say. */
uint64_t tkf_os_timer_slack_ns(void);

/** A huge page's size; 0 where the system gives none, with the reason, one clause. */
size_t tkf_os_huge_page_bytes(const char **ret_reason);

/** Ask for huge pages in a mapping, or for none. */
void tkf_os_want_huge(void *memory, size_t bytes, bool wanted);

/** True when this system has futexes. */
extern const bool tkf_os_has_futex;

/** Sleep until woken, if *word still is `value`; may return early. */
void tkf_os_futex_wait(uint32_t *word, uint32_t value);

/** Wake one thread that sleeps on the word. @return whether there was one. */
bool tkf_os_futex_wake(uint32_t *word);

#endif
