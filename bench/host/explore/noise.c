/* SPDX-License-Identifier: MIT */
/**
 * What takes time from each CPU, and what it is.
 *
 * A thread bound to the CPU does nothing but read its counter. A step longer than reads alone make is a gap: something else
 * had the CPU. One CPU is watched after the other, because that is how a benchmark runs: alone, and with other CPUs for
 * the system to do its work on. A watcher on each at once would push that work under the watchers and then report it.
 *
 * Causes are told from what the system counts (evidence.h), read after each gap and before the next watch. A
 * count can move without having to do with the gap: while it is being read, or just before or after. Two things keep that
 * apart. A reading that took longer than it should was interrupted itself, and says nothing of interrupts. And how often an
 * interrupt is counted all the same is measured: a watch without a gap ends after SLICE_NS and is read in the same
 * way. A line that chance moves in more than a few of its gaps is not believed. What no source explains stays "unknown".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/evidence.h"
#include "explore/system.h"
#include "gaps.h"
#include "stats.h"

#define GAP_NS         500 /* an interrupt takes longer, a read that nothing disturbs does not */
#define SLICE_NS       1000000
#define CPU_NS         50000000 /* watched for less, a CPU says nothing */
#define GAPS_MAX       65536
#define READINGS_MAX   5
#define MOVED_MAX      6 /* sources that moved in one gap; more are not told apart */
#define CAUSES_WORKING 128

/* Of the gaps in which an interrupt was counted, as many may have it by chance. */
#define CHANCE_MAX 0.15

struct gap {
    double ns;
    unsigned nmoved;
    uint16_t moved[MOVED_MAX]; /* sources, in their order */
};

struct watch {
    struct tkf_explorer *x;
    struct tkf_evidence *evidence;
    unsigned nsources;
    uint64_t before[TKF_EVIDENCE_MAX], after[TKF_EVIDENCE_MAX];
    unsigned quiet; /* watches without a gap */
    unsigned moved_quiet[TKF_EVIDENCE_MAX], moved_gaps[TKF_EVIDENCE_MAX];
    uint64_t watched_ticks;
    struct gap gaps[GAPS_MAX];
    unsigned ngaps;
    double lengths[GAPS_MAX];
    struct tkf_gap_cause causes[CAUSES_WORKING];
    unsigned ncauses;
};

/* ---- watching ------------------------------------------------------------------------------------------------ */

/** Whether a source moved in a gap of that length. */
static bool has_moved(const struct watch *w, unsigned source, double gap_ns)
{
    int64_t moved = (int64_t)(w->after[source] - w->before[source]);
    if (tkf_evidence_source(w->evidence, source)->time)
        return (double)moved >= gap_ns / 2;
    return moved != 0;
}

static void keep_gap(struct watch *w, double ns, bool calm)
{
    struct gap *gap = &w->gaps[w->ngaps++];
    *gap = (struct gap){.ns = ns};
    for (unsigned s = 0; s < w->nsources && gap->nmoved < MOVED_MAX; s++) {
        if (has_moved(w, s, ns) && (calm || !tkf_evidence_source(w->evidence, s)->interrupt)) {
            gap->moved[gap->nmoved++] = (uint16_t)s;
            w->moved_gaps[s]++;
        }
    }
}

static void watch(struct watch *w, uint64_t gap_ticks, uint64_t until_ns)
{
    const struct tkf_explorer *x = w->x;
    const struct tkf_source *src = x->counter->source;
    uint64_t slice_ticks = (uint64_t)(SLICE_NS * 1e-9 * x->counter->hz);
    bool calm = false;
    while (w->ngaps < GAPS_MAX && tkf_turn_goes_on(w->x, until_ns)) {
        for (int tries = 0; !calm && tries < READINGS_MAX; tries++)
            calm = tkf_evidence_read_slow(w->evidence, w->before);
        tkf_evidence_read_fast(w->evidence, true, w->before);
        memcpy(w->after, w->before, w->nsources * sizeof *w->before);
        uint64_t from = tkf_turn_now(x), last = from;
        uint64_t gap = tkf_gap_next(&x->env, src, gap_ticks, from + slice_ticks, &last);
        bool was_calm = calm;
        tkf_evidence_read_fast(w->evidence, false, w->after);
        calm = tkf_evidence_read_slow(w->evidence, w->after);
        w->watched_ticks += last - from;
        if (gap > 0) {
            keep_gap(w, tkf_ticks_to_ns(x->counter, (double)gap), was_calm && calm);
        } else if (was_calm && calm) {
            w->quiet++;
            for (unsigned s = 0; s < w->nsources; s++)
                w->moved_quiet[s] += has_moved(w, s, GAP_NS);
        }
        memcpy(w->before, w->after, w->nsources * sizeof *w->before);
    }
}

/* ---- causes ----------------------------------------------------------------------------------------------------- */

/**
 * A source that tells something: chance, as seen where there was no gap, makes it move in few of the gaps in which it moved.
 * A switch is counted within a microsecond of the gap on either side, so chance has no room.
 */
static bool is_believed(const struct watch *w, unsigned source)
{
    if (!tkf_evidence_source(w->evidence, source)->interrupt)
        return true;
    double by_chance = (double)w->moved_quiet[source] / w->quiet * w->ngaps;
    return w->quiet > 0 && by_chance <= CHANCE_MAX * w->moved_gaps[source];
}

/** The cause of a gap: the first source that moved, or all interrupts that did. */
static void name_cause(const struct watch *w, const struct gap *gap, char ret_name[48])
{
    size_t used = 0;
    for (unsigned i = 0; i < gap->nmoved; i++) {
        const struct tkf_evidence_source *source = tkf_evidence_source(w->evidence, gap->moved[i]);
        if (!is_believed(w, gap->moved[i]) || (used > 0 && !source->interrupt))
            continue;
        const char *name = used == 0 ? source->name : source->name + strlen("interrupt");
        int n = snprintf(ret_name + used, 48 - used, "%s%s", used > 0 ? "," : "", name);
        used += n > 0 ? (size_t)n : 0;
        if (!source->interrupt || used >= 47)
            return;
    }
    if (used == 0)
        snprintf(ret_name, 48, "unknown");
}

/** Lay time to a cause of `max` at most; the last takes all that comes after them. */
static void lay_to(struct tkf_gap_cause *causes, unsigned *ncauses, unsigned max, const char *name,
                   uint64_t gaps, double ns)
{
    unsigned i = 0;
    while (i < *ncauses && strcmp(causes[i].name, name) != 0)
        i++;
    if (i >= max - 1) {
        i = max - 1;
        name = "others";
    }
    if (i == *ncauses) {
        causes[i] = (struct tkf_gap_cause){.gaps = 0};
        snprintf(causes[i].name, sizeof causes[i].name, "%s", name);
        (*ncauses)++;
    }
    causes[i].gaps += gaps;
    causes[i].ns += ns;
}

static int longer(const void *a, const void *b)
{
    double x = ((const struct tkf_gap_cause *)a)->ns, y = ((const struct tkf_gap_cause *)b)->ns;
    return (x < y) - (x > y);
}

static void find_causes(struct watch *w, struct tkf_cpu_noise *noise)
{
    char name[48];
    for (unsigned i = 0; i < w->ngaps; i++) {
        name_cause(w, &w->gaps[i], name);
        lay_to(w->causes, &w->ncauses, CAUSES_WORKING, name, 1, w->gaps[i].ns);
    }
    qsort(w->causes, w->ncauses, sizeof *w->causes, longer);
    for (unsigned i = 0; i < w->ncauses; i++)
        lay_to(noise->causes, &noise->ncauses, TKF_CAUSES_MAX, w->causes[i].name, w->causes[i].gaps,
               w->causes[i].ns);
    qsort(noise->causes, noise->ncauses, sizeof *noise->causes, longer);
}

/* ---- one CPU, and all --------------------------------------------------------------------------------------------- */

static void summarise(struct watch *w, struct tkf_cpu_noise *noise)
{
    double stolen_ns = 0;
    for (unsigned i = 0; i < w->ngaps; i++) {
        unsigned bin = 0;
        while (bin < TKF_GAP_BINS - 1 && w->gaps[i].ns >= (double)(UINT64_C(2) << bin))
            bin++;
        noise->histogram[bin]++;
        w->lengths[i] = w->gaps[i].ns;
        stolen_ns += w->gaps[i].ns;
    }
    noise->seconds = (double)w->watched_ticks / w->x->counter->hz;
    noise->gaps = w->ngaps;
    noise->rate_hz = w->ngaps / noise->seconds;
    noise->stolen_share = stolen_ns / 1e9 / noise->seconds;
    if (w->ngaps > 0) {
        tkf_sort(w->lengths, w->ngaps);
        noise->median_ns = tkf_quantile(w->lengths, w->ngaps, 0.5);
        noise->p99_ns = tkf_quantile(w->lengths, w->ngaps, 0.99);
        noise->worst_ns = w->lengths[w->ngaps - 1];
    }
    find_causes(w, noise);
}

/** The reason of a CPU that was not watched because the part had to end. */
static void say_why(struct tkf_explorer *x, struct tkf_cpu_noise *noise)
{
    bool stopped = x->env.cancelled(x->env.ctx);
    snprintf(noise->reason, sizeof noise->reason, "%s",
             stopped ? "interrupted" : "the time was up");
    x->out->partial = true;
}

/** Watch the CPU that the thread is bound to. */
static int watch_cpu(struct tkf_explorer *x, uint64_t until_ns, struct tkf_cpu_noise *noise)
{
    struct watch *w = calloc(1, sizeof *w);
    if (w == NULL)
        return TKF_ENOMEM;
    w->x = x;
    w->evidence = tkf_evidence_open("", noise->cpu, &w->nsources);
    int error = w->evidence == NULL ? TKF_ENOMEM : 0;
    if (error == 0) {
        uint64_t gap_ticks = tkf_gap_threshold_ticks(&x->env, x->counter, GAP_NS);
        noise->threshold_ns = tkf_ticks_to_ns(x->counter, (double)gap_ticks);
        watch(w, gap_ticks, until_ns);
        if (w->watched_ticks > 0)
            summarise(w, noise);
        else
            say_why(x, noise);
    }
    tkf_evidence_close(w->evidence);
    free(w);
    return error;
}

int tkf_explore_noise(struct tkf_explorer *x)
{
    double nan = tkf_nan();
    unsigned n = x->ncpus < TKF_NOISES_MAX ? x->ncpus : TKF_NOISES_MAX;
    struct tkf_turns turns = {.x = x, .what = "what disturbs", .all = n, .left = n};
    for (unsigned i = 0; i < n; i++) {
        struct tkf_cpu_noise *noise = &x->out->noise[x->out->nnoise++];
        *noise = (struct tkf_cpu_noise){
            .cpu = x->cpus[i],
            .seconds = 0,
            .threshold_ns = nan,
            .rate_hz = nan,
            .median_ns = nan,
            .p99_ns = nan,
            .worst_ns = nan,
            .stolen_share = nan,
        };
        uint64_t until_ns = tkf_turn(&turns, 1), now_ns = x->env.clock_ns(x->env.ctx);
        if (until_ns < now_ns + CPU_NS)
            until_ns = now_ns + CPU_NS < x->end_ns ? now_ns + CPU_NS : x->end_ns;
        if (tkf_explore_ended(x)) {
            say_why(x, noise);
            continue;
        }
        /* Where nothing is bound, the one CPU that was calibrated stands for wherever the thread runs. */
        int error = x->env.pin(x->env.ctx, noise->cpu);
        if (error != 0 && !(error == TKF_EUNSUPPORTED && noise->cpu == x->cpu)) {
            snprintf(noise->reason, sizeof noise->reason, "the thread could not be bound to it: %s",
                     tkf_strerror(error));
            continue;
        }
        if ((error = watch_cpu(x, until_ns, noise)) != 0)
            return error;
    }
    return x->env.cancelled(x->env.ctx) ? TKF_ECANCELLED : 0;
}
