/* SPDX-License-Identifier: MIT */
/** Inside calibrate.c: what the reader of a profile must know. */
#ifndef TKF_HOST_WARNINGS_H
#define TKF_HOST_WARNINGS_H

#include <tickfloor/profile.h>

/**
 * Add the warnings to a profile that is complete but for them.
 * @param cpu     what the CPU says of itself.
 * @param forced  the user chose the source of time.
 */
void tkf_warnings_add(struct tkf_profile *profile, const struct tkf_cpu *cpu, bool forced);

#endif
