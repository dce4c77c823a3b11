/* SPDX-License-Identifier: MIT */
/** One timed window, whoever runs it: the source's machine code, or the environment's script. */
#ifndef TKF_WINDOW_H
#define TKF_WINDOW_H

#include <tickfloor/measure.h>

#include "arch.h"

/** The longest window: much shorter than a scheduler's slice. */
#define TKF_WINDOW_MAX_NS 1e6

static inline void tkf_window_run(const struct tkf_env *env, const struct tkf_source *src,
                                  unsigned kernel, uint64_t iters, uint64_t ret_ticks[2])
{
    if (env->run != NULL)
        env->run(env->ctx, src, kernel, iters, ret_ticks);
    else
        src->kernels[kernel](iters, ret_ticks);
}

/** As tkf_window_run(), but the duration; 0 when the counter went back in between. */
static inline uint64_t tkf_window_ticks(const struct tkf_env *env, const struct tkf_source *src,
                                        unsigned kernel, uint64_t iters)
{
    uint64_t ticks[2];
    tkf_window_run(env, src, kernel, iters, ticks);
    return ticks[1] > ticks[0] ? ticks[1] - ticks[0] : 0;
}

static inline void tkf_window_burst(const struct tkf_env *env, const struct tkf_source *src,
                                    uint64_t *ret_ticks, uint64_t n)
{
    if (env->burst != NULL)
        env->burst(env->ctx, src, ret_ticks, n);
    else
        src->burst(ret_ticks, n);
}

static inline uint64_t tkf_window_now(const struct tkf_env *env, const struct tkf_source *src)
{
    uint64_t ticks;
    tkf_window_burst(env, src, &ticks, 1);
    return ticks;
}

static inline bool tkf_window_cancelled(const struct tkf_env *env)
{
    return env->cancelled != NULL && env->cancelled(env->ctx);
}

static inline void tkf_window_progress(const struct tkf_env *env, double done, const char *what)
{
    if (env->progress != NULL)
        env->progress(env->ctx, done, what);
}

#endif
