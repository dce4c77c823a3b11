/* SPDX-License-Identifier: MIT */
#include "worker.h"

#include <sched.h>

static void *begin(void *arg)
{
    struct tkf_worker *worker = arg;
    int error = tkf_topology_pin(worker->topology, worker->cpu);
    __atomic_store_n(&worker->state, error != 0 ? error : 1, __ATOMIC_RELEASE);
    if (error == 0)
        worker->run(worker->arg);
    return NULL;
}

int tkf_worker_start(struct tkf_explorer *x, unsigned cpu, void (*run)(void *arg), void *arg,
                     struct tkf_worker *ret_worker)
{
    *ret_worker = (struct tkf_worker){
        .topology = x->topology, .cpu = cpu, .run = run, .arg = arg, .state = 0};
    if (pthread_create(&ret_worker->thread, NULL, begin, ret_worker) != 0)
        return TKF_ENOMEM;
    int state;
    while ((state = __atomic_load_n(&ret_worker->state, __ATOMIC_ACQUIRE)) == 0)
        sched_yield();
    if (state > 0)
        return 0;
    pthread_join(ret_worker->thread, NULL);
    return state;
}

void tkf_worker_join(struct tkf_worker *worker)
{
    pthread_join(worker->thread, NULL);
}
