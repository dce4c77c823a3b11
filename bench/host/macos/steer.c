/* SPDX-License-Identifier: MIT */
/*
 * macOS binds no thread. It takes a thread's quality of service for a wish: "background" keeps to the slowest cores,
 * "user interactive" prefers the fastest and is moved to others when those are busy. Where it ran, it tells afterwards:
 * thread_selfcounts() counts cycles for each performance level, and hw.perflevel0 is the fastest.
 */
#include <pthread.h>
#include <pthread/qos.h>
#include <stdio.h>
#include <stdlib.h>

#include "host.h"
#include "system.h"

#define LEVELS_MAX 8

/* A thread is moved when the scheduler next looks at it, and must then stay for longer than a window lasts. */
#define ARRIVE_NS 200000000
#define STAY_NS   2000000

struct tkf_steer {
    unsigned level, nlevels;
    qos_class_t before;
};

/* False where the system does not tell. */
static bool read_elsewhere(const struct tkf_steer *steer, uint64_t *ret_cycles)
{
    struct tkf_selfcounts counts[LEVELS_MAX];
    uint64_t cycles = 0;
    if (!tkf_selfcounts(TKF_THSC_CPI_PER_PERF_LEVEL, counts, steer->nlevels * sizeof(counts[0])))
        return false;
    for (unsigned level = 0; level < steer->nlevels; level++)
        cycles += level != steer->level ? counts[level].cycles : 0;
    *ret_cycles = cycles;
    return true;
}

uint64_t tkf_steer_elsewhere(const struct tkf_steer *steer)
{
    uint64_t cycles;
    return read_elsewhere(steer, &cycles) ? cycles : 0;
}

/* Whether the system's levels are the kinds that hwloc found: as many, and this one as large. */
static bool is_level(const struct tkf_kind *kinds, unsigned nkinds, unsigned kind)
{
    char name[40];
    uint64_t nlevels, ncpus;
    snprintf(name, sizeof(name), "hw.perflevel%u.logicalcpu", kind);
    return nkinds >= 2 && nkinds <= LEVELS_MAX && tkf_sysctl_number("hw.nperflevels", &nlevels) &&
           nlevels == nkinds && tkf_sysctl_number(name, &ncpus) && ncpus == kinds[kind].ncpus;
}

static bool arrives(const struct tkf_steer *steer)
{
    uint64_t begun_ns = tkf_clock_ns(NULL), looked_ns;
    do {
        uint64_t cycles = tkf_steer_elsewhere(steer);
        looked_ns = tkf_clock_ns(NULL);
        while (tkf_clock_ns(NULL) - looked_ns < STAY_NS)
            ; /* asleep, it would be nowhere */
        if (tkf_steer_elsewhere(steer) == cycles)
            return true;
    } while (looked_ns - begun_ns < ARRIVE_NS);
    return false;
}

int tkf_steer_begin(const struct tkf_kind *kinds, unsigned nkinds, unsigned kind,
                    struct tkf_steer **ret_steer, const char **ret_how)
{
    /* Nothing asks for cores between the fastest and the slowest. */
    if (!is_level(kinds, nkinds, kind) || (kind != 0 && kind != nkinds - 1))
        return TKF_EUNSUPPORTED;
    struct tkf_steer *steer = malloc(sizeof(*steer));
    if (steer == NULL)
        return TKF_ENOMEM;
    *steer = (struct tkf_steer){kind, nkinds, QOS_CLASS_DEFAULT};
    int priority;
    if (pthread_get_qos_class_np(pthread_self(), &steer->before, &priority) != 0 ||
        steer->before == QOS_CLASS_UNSPECIFIED) /* which cannot be asked for */
        steer->before = QOS_CLASS_DEFAULT;

    uint64_t cycles;
    bool is_told = read_elsewhere(steer, &cycles);
    qos_class_t wish = kind == 0 ? QOS_CLASS_USER_INTERACTIVE : QOS_CLASS_BACKGROUND;
    if (pthread_set_qos_class_self_np(wish, 0) != 0 || (is_told && !arrives(steer))) {
        tkf_steer_end(steer);
        return TKF_EUNSUPPORTED;
    }
    *ret_steer = steer;
    *ret_how = is_told ? "asked for by quality of service, and seen to stay there in each window"
                       : "asked for by quality of service; the system does not tell where it ran";
    return 0;
}

void tkf_steer_end(struct tkf_steer *steer)
{
    if (steer == NULL)
        return;
    pthread_set_qos_class_self_np(steer->before, 0);
    free(steer);
}
