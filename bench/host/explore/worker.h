/* SPDX-License-Identifier: MIT */
/** A second thread on a CPU of its own. */
#ifndef TKF_EXPLORE_WORKER_H
#define TKF_EXPLORE_WORKER_H

#include <pthread.h>

#include "part.h"

struct tkf_worker {
    pthread_t thread;
    struct tkf_topology *topology;
    unsigned cpu;
    void (*run)(void *arg);
    void *arg;
    int state; /* 0 until the thread is bound or failed; 1, or the negative code */
};

/**
 * Run run(arg) in a thread that is bound to a CPU; returns when it is. What run() waits for must end also when the other side
 * does not come: a thread can be kept off its CPU for long.
 * @param ret_worker  stays where it is until tkf_worker_join(), which has to follow on success.
 * Errors: as tkf_topology_pin() · TKF_ENOMEM no thread could be made.
 */
int tkf_worker_start(struct tkf_explorer *x, unsigned cpu, void (*run)(void *arg), void *arg,
                     struct tkf_worker *ret_worker);
void tkf_worker_join(struct tkf_worker *worker);

#endif
