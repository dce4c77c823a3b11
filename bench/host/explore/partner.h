/* SPDX-License-Identifier: MIT */
/** A second thread, on a CPU of its own. */
#ifndef TKF_EXPLORE_PARTNER_H
#define TKF_EXPLORE_PARTNER_H

#include <pthread.h>

#include "explore/part.h"

struct tkf_partner {
    struct tkf_topology *topology;
    unsigned cpu;
    void (*work)(void *arg);
    void *arg;
    pthread_t thread;
    int state; /* atomic: 0 starting, 1 at work, negative a TKF_E code */
};

/**
 * Start a thread that binds itself to `cpu` and then does work(arg); it is at work when this returns.
 * Errors: TKF_ENOMEM no thread could be started · those of tkf_topology_pin().
 */
int tkf_partner_start(struct tkf_partner *partner, struct tkf_explorer *x, unsigned cpu,
                      void (*work)(void *arg), void *arg);
void tkf_partner_join(struct tkf_partner *partner);

/** Why a partner could not be had, one clause. */
const char *tkf_partner_reason(int error);

#endif
