/* SPDX-License-Identifier: MIT */
/**
 * Calibrate the machine that the program runs on: the one call behind `tickfloor calibrate`.
 *
 *     struct tkf_calibrate_request request = {.quick = true};
 *     struct tkf_profile profile;
 *     struct tkf_input_error error;
 *     if (tkf_calibrate_machine(&request, &profile, &error) == 0) {
 *         printf("suspect below %.2f ns\n", profile.suspect_below_ns);
 *         tkf_profile_free(&profile);
 *     }
 */
#ifndef TICKFLOOR_CALIBRATE_H
#define TICKFLOOR_CALIBRATE_H

#include <tickfloor/profile.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What to calibrate. Zero-initialised, it is what `tickfloor calibrate` does. */
struct tkf_calibrate_request {
    bool quick; /**< within 0.1 s instead of within 1 s for each CPU */
    const char *
        cpus; /**< "kinds" or NULL: one CPU of each kind, the quietest; "all"; or a list such as "0,3-5" */
    const char *source; /**< a counter source by name; NULL: the best that proves itself */
    void *ctx;          /**< passed to the two callbacks */
    bool (*cancelled)(void *ctx); /**< NULL: never */
    void (*progress)(void *ctx, double done,
                     const char *what); /**< NULL: not wanted; done is 0..1 */
};

/**
 * Measure the machine.
 *
 * @param ret_profile  written only on success; end it with tkf_profile_free().
 * @param ret_error    written only on failure: cause and next step.
 *
 * Errors:   TKF_EINVAL the CPU list is malformed, or no source has that name · TKF_ENOCPU a CPU that this process may not
 *           use · TKF_ENOSOURCE · TKF_EUNSUPPORTED the topology is not of this machine · TKF_ENOISE · TKF_ECANCELLED ·
 *           TKF_ENOMEM.
 * Context:  one thread at a time in a process: it catches SIGILL, SIGSEGV and SIGBUS while it proves a counter. The calling
 *           thread's affinity is as before when it returns.
 * Cost:     within 1 s for each CPU, 0.1 s with quick; about 1 MiB of heap.
 */
int tkf_calibrate_machine(const struct tkf_calibrate_request *request,
                          struct tkf_profile *ret_profile, struct tkf_input_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
