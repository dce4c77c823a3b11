/* SPDX-License-Identifier: MIT */
#include "session.h"

#include "rate.h"
#include "stats.h"
#include "window.h"

/* Tens of ms: a counter that needs more operations to fill a window has stopped. */
#define OPS_MAX (UINT64_C(1) << 26)

double tkf_session_op_ticks(const struct tkf_session *s, unsigned kernel, double window_ticks)
{
    return (window_ticks - s->once_ticks[kernel]) / (double)(s->iters[kernel] - 1) /
           tkf_arch_kernels[kernel].ops;
}

double tkf_session_record(struct tkf_session *s, unsigned kernel)
{
    uint64_t ticks = tkf_window_ticks(s->env, s->src, kernel, s->iters[kernel]);
    if (s->nwindows < TKF_WINDOWS_MAX) {
        s->scratch->kernel[s->nwindows] = (uint16_t)kernel;
        s->scratch->ticks[s->nwindows++] = ticks;
    }
    return tkf_session_op_ticks(s, kernel, (double)ticks);
}

uint64_t tkf_session_elapsed_ns(const struct tkf_session *s)
{
    return s->env->clock_ns != NULL ? s->env->clock_ns(s->env->ctx) - s->from_ns : 0;
}

/** Long enough that one step of the counter is under 0.1 % of a window, and much shorter than a scheduler's slice. */
static void size_window(struct tkf_session *s)
{
    double hz = tkf_rate_guess_hz(s->counter);
    s->window_ticks = 1000 * (double)s->counter->step_ticks;
    if (s->window_ticks < hz * 1e-9 * (double)s->options->window_ns)
        s->window_ticks = hz * 1e-9 * (double)s->options->window_ns;
    if (s->window_ticks > hz * 1e-9 * TKF_WINDOW_MAX_NS)
        s->window_ticks = hz * 1e-9 * TKF_WINDOW_MAX_NS;
}

/** How many iterations fill a window, and what a window of one iteration costs. */
static int size_kernel(struct tkf_session *s, unsigned kernel)
{
    double enough = s->window_ticks / 16;
    uint64_t iters = 16, shortest;
    for (;; iters *= 4) {
        shortest = UINT64_MAX;
        for (int i = 0; i < 3; i++) {
            uint64_t ticks = tkf_window_ticks(s->env, s->src, kernel, iters);
            if (ticks < shortest)
                shortest = ticks;
        }
        if ((double)shortest >= enough)
            break;
        if (iters * tkf_arch_kernels[kernel].ops >= OPS_MAX)
            return TKF_ESTUCK;
    }
    double fill = s->window_ticks / ((double)shortest / (double)iters);
    s->iters[kernel] = fill > 2 ? (uint64_t)fill : 2;

    double once[9];
    for (int i = 0; i < 9; i++)
        once[i] = (double)tkf_window_ticks(s->env, s->src, kernel, 1);
    tkf_sort(once, 9);
    s->once_ticks[kernel] = once[4];
    return 0;
}

int tkf_session_size(struct tkf_session *s)
{
    size_window(s);
    for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
        int error = size_kernel(s, k);
        if (error != 0)
            return error;
    }
    return 0;
}
