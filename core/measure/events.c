/* SPDX-License-Identifier: MIT */
#include "session.h"
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
