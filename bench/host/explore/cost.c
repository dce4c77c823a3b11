/* SPDX-License-Identifier: MIT */
#include "explore/system.h"
#include "stats.h"

#define WINDOW_NS   20000 /* mostly fits between two interruptions */
#define SAMPLES_MIN 3
#define SAMPLES_MAX 401
#define OPS_MAX     (1u << 20)

static uint64_t window_ticks(const struct tkf_explorer *x, const struct tkf_op *op, unsigned n)
{
    if (op->prepare != NULL)
        op->prepare(op->arg);
    uint64_t from = tkf_turn_now(x);
    op->run(op->arg, n);
    uint64_t to = tkf_turn_now(x);
    return to > from ? to - from : 0;
}

/** How many operations fill a window. The counter's own step has to vanish in it. */
static unsigned size_window(struct tkf_explorer *x, const struct tkf_op *op, uint64_t until_ns)
{
    double enough = WINDOW_NS * 1e-9 * x->counter->hz;
    if (enough < 100 * (double)x->counter->step_ticks)
        enough = 100 * (double)x->counter->step_ticks;
    unsigned most = op->most > 0 ? op->most / 2 : OPS_MAX;
    unsigned n = op->least > 0 ? op->least : 1;
    while (n < most && tkf_turn_goes_on(x, until_ns)) {
        uint64_t shortest = window_ticks(x, op, n);
        for (int i = 0; i < 2; i++) {
            uint64_t again = window_ticks(x, op, n);
            shortest = again < shortest ? again : shortest;
        }
        if ((double)shortest * 2 > enough)
            break;
        n = 2 * n < most ? 2 * n : most;
    }
    return n;
}

struct tkf_band tkf_op_cost(struct tkf_explorer *x, const struct tkf_op *op, uint64_t until_ns)
{
    double samples[SAMPLES_MAX];
    unsigned n = size_window(x, op, until_ns), nsamples = 0;
    while (nsamples < SAMPLES_MAX && tkf_turn_goes_on(x, until_ns)) {
        double one = (double)window_ticks(x, op, n), two = (double)window_ticks(x, op, 2 * n);
        samples[nsamples++] = tkf_ticks_to_ns(x->counter, two - one) / n;
    }
    return tkf_explore_median(samples, nsamples < SAMPLES_MIN ? 0 : nsamples);
}

void tkf_op_step(struct tkf_turns *turns, const char *name, const char *text,
                 const struct tkf_op *op)
{
    uint64_t until_ns = tkf_turn(turns, 1);
    tkf_turn_add(turns, name, text, "ns", tkf_op_cost(turns->x, op, until_ns));
}
