/* SPDX-License-Identifier: MIT */
/**
 * What is done with an input that may be anything: the fuzzer makes them up, test_regressions runs those that once did harm.
 *
 * The targets are named as the formats are, and "any" and "profile". A target ends the process when something that holds for
 * every input does not; what else goes wrong is the sanitizers' to tell.
 */
#ifndef FUZZ_TARGETS_H
#define FUZZ_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** The name at an index; NULL past the last. */
const char *fuzz_target(size_t index);

/** Whether there is a target of that name. */
bool fuzz_has_target(const char *name);

/**
 * Read the bytes as results of the format of that name and judge them; as whatever format they are taken for when it is "any"; as a
 * machine's profile, and back from what is written of it, when it is "profile".
 */
void fuzz_run(const char *target, const uint8_t *data, size_t size);

#endif
