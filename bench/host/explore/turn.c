/* SPDX-License-Identifier: MIT */
#include "explore/system.h"
#include "stats.h"
#include "window.h"

uint64_t tkf_turn(struct tkf_turns *turns, double weight)
{
    struct tkf_explorer *x = turns->x;
    uint64_t now_ns = x->env.clock_ns(x->env.ctx);
    double share = weight < turns->left ? weight / turns->left : 1;
    if (x->env.progress != NULL)
        x->env.progress(x->env.ctx, 1 - turns->left / turns->all, turns->what);
    turns->left -= weight;
    if (now_ns >= x->end_ns)
        return x->end_ns;
    return now_ns + (uint64_t)((double)(x->end_ns - now_ns) * share);
}

void tkf_turn_add(struct tkf_turns *turns, const char *name, const char *text, const char *unit,
                  struct tkf_band value)
{
    struct tkf_explorer *x = turns->x;
    const char *reason = NULL;
    if (tkf_is_nan(value.mid)) {
        reason = x->env.cancelled(x->env.ctx) ? "interrupted" : "the time was up";
        x->out->partial = true;
    }
    tkf_explore_add(x, name, text, unit, value, reason);
}

void tkf_op_step(struct tkf_turns *turns, const char *name, const char *text,
                 const struct tkf_op *op)
{
    uint64_t until_ns = tkf_turn(turns, 1);
    tkf_turn_add(turns, name, text, "ns", tkf_op_cost(turns->x, op, until_ns));
}

bool tkf_turn_goes_on(struct tkf_explorer *x, uint64_t until_ns)
{
    return !x->env.cancelled(x->env.ctx) && x->env.clock_ns(x->env.ctx) < until_ns;
}

uint64_t tkf_turn_now(const struct tkf_explorer *x)
{
    return tkf_window_now(&x->env, x->counter->source);
}
