/* SPDX-License-Identifier: MIT */
/**
 * The hunt for a quiet CPU.
 *
 * A busy SMT sibling costs an empty loop up to half its speed, for seconds, and a dependent chain next to nothing. A guest cannot
 * see the sibling: no counter, load or steal shows it. The loop itself does: so look at each candidate, again and again, until one
 * runs the loop at one cycle, or steadily at whatever it costs here.
 */
#include "session.h"
#include "stats.h"
#include "window.h"

#define PROBE_WINDOWS     16
#define UNUSABLE          1e9 /* cycles of a loop in a window that says nothing */
#define FAST_SHARE_ENOUGH 0.75

/* As fast as a loop gets whose counter depends on itself: one cycle, and a little for a short look. */
#define ONE_CYCLE 1.05

struct probe {
    double fast_share; /* windows within TKF_STATE_WIDTH of the fastest seen on any candidate */
    bool steady; /* its windows lie close together: the CPU's own speed, not a neighbour's mood */
};

static struct probe probe_cpu(struct tkf_session *s)
{
    double cycles[PROBE_WINDOWS];
    unsigned fused = tkf_arch_roles.loop_fused, chain = tkf_arch_roles.chain_cycle;
    s->nwindows = 0;
    for (unsigned i = 0; i < PROBE_WINDOWS; i++) {
        double before = tkf_session_record(s, chain);
        double loop = tkf_session_record(s, fused);
        double after = tkf_session_record(s, chain);
        double beside = before < after ? before : after;
        cycles[i] = loop > 0 && beside > 0 ? loop / beside : UNUSABLE;
    }
    tkf_sort(cycles, PROBE_WINDOWS);
    double lowest = cycles[PROBE_WINDOWS / 8];
    if (lowest < s->fastest_cycles)
        s->fastest_cycles = lowest;
    struct probe probe = {.steady = tkf_quantile(cycles, PROBE_WINDOWS, 0.75) < lowest * 1.01};
    for (unsigned i = 0; i < PROBE_WINDOWS; i++)
        probe.fast_share +=
            cycles[i] <= s->fastest_cycles * TKF_STATE_WIDTH ? 1.0 / PROBE_WINDOWS : 0;
    return probe;
}

/** The hunt has lasted long enough by the clock; or by its windows, should the clock stand still. */
static bool long_enough(const struct tkf_session *s, uint64_t ns, unsigned nprobes)
{
    double windows_ns = 3.0 * PROBE_WINDOWS * nprobes * (double)s->options->window_ns;
    return s->env->clock_ns == NULL || tkf_session_elapsed_ns(s) >= ns ||
           windows_ns > 4 * (double)ns;
}

/**
 * Bind to each candidate once; those that can be bound are the ones to hunt among.
 * @return 0 · TKF_ENOCPU none could be · TKF_EUNSUPPORTED this system binds no thread.
 */
static int find_bindable(struct tkf_session *s, const unsigned *candidates, unsigned ncandidates,
                         struct tkf_cpu_floor *f)
{
    int error = ncandidates > 0 && s->env->pin != NULL ? TKF_ENOCPU : TKF_EUNSUPPORTED;
    for (unsigned i = 0; error != TKF_EUNSUPPORTED && i < ncandidates; i++) {
        int failed = s->env->pin(s->env->ctx, candidates[i]);
        if (failed == TKF_EUNSUPPORTED)
            error = failed;
        else if (failed == 0 && f->ncandidates < TKF_CANDIDATES_MAX)
            f->candidates[f->ncandidates++].cpu = candidates[i];
    }
    return f->ncandidates > 0 ? 0 : error;
}

int tkf_hunt(struct tkf_session *s, const unsigned *candidates, unsigned ncandidates,
             uint64_t until_ns, struct tkf_cpu_floor *f)
{
    const struct tkf_env *env = s->env;
    int error = f->ncandidates == 0 ? find_bindable(s, candidates, ncandidates, f) : 0;
    if (error == TKF_EUNSUPPORTED) {
        f->unpinned_reason =
            ncandidates > 0 ? "this system cannot bind a thread to a CPU" : "no CPU was asked for";
        return s->iters[0] == 0 ? tkf_session_size(s) : 0;
    }
    if (error != 0)
        return error;

    unsigned bound = UINT32_MAX, chosen = f->candidates[0].cpu, nprobes = 0;
    bool found = false;
    for (unsigned pass = 0; !found; pass++) {
        double best = -1;
        bool best_steady = false;
        for (unsigned i = 0; i < f->ncandidates && !(found && pass > 0); i++) {
            struct tkf_candidate *c = &f->candidates[i];
            if (c->cpu != bound && (error = env->pin(env->ctx, c->cpu)) != 0)
                return error;
            bound = c->cpu;
            if (s->iters[0] == 0 && (error = tkf_session_size(s)) != 0)
                return error;
            double fastest_before = s->fastest_cycles;
            struct probe probe = probe_cpu(s);
            nprobes++;
            if (s->fastest_cycles * TKF_STATE_WIDTH < fastest_before) {
                /* What passed for the fastest until now was not. */
                for (unsigned k = 0; k < f->ncandidates; k++)
                    f->candidates[k].fast_share = 0;
                best = -1;
            }
            c->fast_share = (c->fast_share * c->probes + probe.fast_share) / (c->probes + 1);
            c->probes++;
            if (probe.fast_share > best) {
                best = probe.fast_share;
                best_steady = probe.steady;
                chosen = c->cpu;
            }
            found = best >= FAST_SHARE_ENOUGH && s->fastest_cycles < ONE_CYCLE;
        }
        tkf_window_progress(env, 0.1, "looking for a quiet CPU");
        if (tkf_window_cancelled(env))
            return TKF_ECANCELLED;
        /* A steady loop that is slower may be all there is; only a longer look tells it from a steady neighbour. */
        if (long_enough(s, until_ns, nprobes) ||
            (best_steady && long_enough(s, until_ns / 4, nprobes)))
            break;
    }
    if (bound != chosen && (error = env->pin(env->ctx, chosen)) != 0)
        return error;
    f->cpu = chosen;
    f->pinned = true;
    return 0;
}
