/* SPDX-License-Identifier: MIT */
/** What each framework's own loop costs, where it stops counting, and how long it measures. */
#ifndef TKF_HARNESS_H
#define TKF_HARNESS_H

#include <tickfloor/report.h>

#define TKF_HARNESS_FORMS_MAX 2

/** A loop form: what it costs when the body is empty, in core cycles. */
struct tkf_harness_form {
    const char *name; /**< NULL ends the list */
    double lo, hi;
    bool
        /**
         * moves with versions of the runtime: to put the number into proportion, not to judge by
         */
        rough;
};

struct tkf_harness {
    const char *framework;
    enum tkf_timing timing;
    struct tkf_harness_form forms[TKF_HARNESS_FORMS_MAX]; /**< cheapest first */
    /**
     * A form that results do not tell from the first; NULL. On some cores it costs the same; what it costs elsewhere at most.
     */
    const char *untold;
    double untold_most;
    double cap;          /**< most iterations that it does, NAN: no known limit */
    double benchtime_ns; /**< that it aims at unless told otherwise, NAN */
};

/** The entry for a framework that times in one way; NULL. */
const struct tkf_harness *tkf_harness_find(const char *framework, enum tkf_timing timing);

#endif
