/* SPDX-License-Identifier: MIT */
#include "session.h"
#include "stats.h"
#include "window.h"

/** Hardware events for one operation: the difference of two lengths, so that what surrounds the body cancels. */
static int count_events(struct tkf_session *s, unsigned kernel, double *ret_cycles,
                        double *ret_instructions)
{
    struct tkf_events at[3];
    uint64_t ticks[2], iters = s->iters[kernel];
    int error = s->env->events(s->env->ctx, &at[0]);
    if (error != 0)
        return error;
    for (unsigned i = 0; i < 2; i++) {
        tkf_window_run(s->env, s->src, kernel, iters * (i + 1), ticks);
        if ((error = s->env->events(s->env->ctx, &at[i + 1])) != 0)
            return error;
    }
    double ops = (double)iters * tkf_arch_kernels[kernel].ops;
    *ret_cycles =
        ((double)(at[2].cycles - at[1].cycles) - (double)(at[1].cycles - at[0].cycles)) / ops;
    *ret_instructions = ((double)(at[2].instructions - at[1].instructions) -
                         (double)(at[1].instructions - at[0].instructions)) /
                        ops;
    return 0;
}

void tkf_count_events(struct tkf_session *s, struct tkf_cpu_floor *f)
{
    f->events_error = TKF_EUNSUPPORTED;
    if (s->env->events == NULL)
        return;
    unsigned chain = 0, loop = 0;
    for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
        enum tkf_role role = tkf_arch_kernels[k].role;
        double cycles, instructions;
        if (role == TKF_ROLE_COST)
            continue;
        f->events_error = count_events(s, k, &cycles, &instructions);
        if (f->events_error != 0)
            return;
        if (role == TKF_ROLE_CHAIN && chain < f->nchains) {
            f->chains[chain++].event_cycles = cycles;
        } else if (role == TKF_ROLE_LOOP && loop < f->nloops) {
            f->loops[loop].event_cycles = cycles;
            f->loops[loop++].event_instructions = instructions;
        }
    }
}

/*
 * The lowest of several: whatever interrupts a window is counted too. Reading the counter costs some tens of cycles of the
 * window's 100 000 and more.
 */
void tkf_count_own_cycles(struct tkf_session *s, struct tkf_cpu_floor *f)
{
    enum { WINDOWS = 24 };
    const struct tkf_env *env = s->env;
    unsigned chain = tkf_arch_roles.chain_cycle;
    double ops = (double)s->iters[chain] * tkf_arch_kernels[chain].ops, lowest = tkf_nan();
    f->own_cycles = tkf_nan();
    f->core_clock_error = TKF_EUNSUPPORTED;
    if (env->core_clock == NULL)
        return;
    for (unsigned i = 0; i < WINDOWS; i++) {
        uint64_t before, after, ticks[2];
        f->core_clock_error = env->core_clock(env->ctx, &before);
        if (f->core_clock_error != 0)
            return;
        tkf_window_run(env, s->src, chain, s->iters[chain], ticks);
        f->core_clock_error = env->core_clock(env->ctx, &after);
        if (f->core_clock_error != 0)
            return;
        double cycles = (double)(after - before) / ops;
        if (!(cycles >= lowest))
            lowest = cycles;
    }
    f->own_cycles = lowest;
}
