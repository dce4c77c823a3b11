/* SPDX-License-Identifier: MIT */
#include <sched.h>

#include "explore/partner.h"

static void *begin(void *arg)
{
    struct tkf_partner *partner = arg;
    int error = tkf_topology_pin(partner->topology, partner->cpu);
    __atomic_store_n(&partner->state, error != 0 ? error : 1, __ATOMIC_RELEASE);
    if (error == 0)
        partner->work(partner->arg);
    return NULL;
}

int tkf_partner_start(struct tkf_partner *partner, struct tkf_explorer *x, unsigned cpu,
                      void (*work)(void *arg), void *arg)
{
    *partner = (struct tkf_partner){.topology = x->topology, .cpu = cpu, .work = work, .arg = arg};
    if (pthread_create(&partner->thread, NULL, begin, partner) != 0)
        return TKF_ENOMEM;
    int state;
    while ((state = __atomic_load_n(&partner->state, __ATOMIC_ACQUIRE)) == 0)
        sched_yield();
    if (state < 0)
        pthread_join(partner->thread, NULL);
    return state < 0 ? state : 0;
}

void tkf_partner_join(struct tkf_partner *partner)
{
    pthread_join(partner->thread, NULL);
}

const char *tkf_partner_reason(int error)
{
    switch (error) {
    case TKF_EUNSUPPORTED:
        return "the system does not bind threads to a CPU";
    case TKF_ENOMEM:
        return "a second thread could not be started";
    default:
        return "a second thread could not be bound to the CPU";
    }
}
