/* SPDX-License-Identifier: MIT */
/** The counter's rate: ticks for each second, from an independent clock. */
#ifndef TKF_RATE_H
#define TKF_RATE_H

#include <tickfloor/measure.h>

/** One moment, on both clocks. */
struct tkf_moment {
    uint64_t ticks;
    uint64_t clock_ns;
    uint64_t uncertain_ticks; /**< the two readings lie within this of one another */
};

/** Read both clocks at one moment, as tightly as a few tries allow. Needs env->clock_ns. */
struct tkf_moment tkf_moment_read(const struct tkf_env *env, const struct tkf_source *src);

/** Hz between two moments; NAN when either clock stood still or went back. */
double tkf_moment_rate_hz(const struct tkf_moment *from, const struct tkf_moment *to);

/** The rate in use, or where there is none one good to a factor of a few: enough to size a window with. */
double tkf_rate_guess_hz(const struct tkf_counter *counter);

/** Set hz and each rate's ppm_off. */
void tkf_rate_use(struct tkf_counter *counter, double hz);

/**
 * Judge the rate by three moments, which bound two windows, and write hz, rates, trust and the ns of step and read.
 * The two windows replace those of an earlier call; declared rates stay.
 */
void tkf_rate_settle(struct tkf_counter *counter, const struct tkf_moment moments[3]);

/** The same where no independent clock exists: the first declared rate, unchecked. */
void tkf_rate_declare(struct tkf_counter *counter);

#endif
