/* SPDX-License-Identifier: MIT */
/**
 * How long one dependent load takes out of working sets of 4 KiB to 4 times the last cache.
 *
 * Each line holds the address of another one, in a cycle in random order (ring.h): no load can begin before the one ahead of it
 * has ended, and no prefetcher knows where the next one goes.
 */
#include "latency.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"
#include "ring.h"
#include "timing.h"

#define SMALLEST_BYTES    4096
#define POINTS_PER_OCTAVE 4
#define MOST_BYTES        (UINT64_C(1) << 30)
#define LINE_BYTES        64 /* where the line is not known */
#define WINDOWS           120
#define ASK_EACH          (1 << 16) /* loads or lines between two questions whether to end */

/** Put lines into the cycle until there are so many. False when the part has to end. */
static bool grow(struct tkf_explorer *x, struct tkf_ring *ring, uint64_t lines)
{
    while (ring->lines < lines) {
        if (tkf_explore_ended(x))
            return false;
        uint64_t next = ring->lines + ASK_EACH;
        tkf_ring_grow(ring, next < lines ? next : lines);
    }
    return true;
}

/** Go along the cycle, so that the caches hold of it what they will. False when the part has to end. */
static bool warm(struct tkf_explorer *x, struct tkf_ring *ring, uint64_t loads)
{
    for (uint64_t done = 0; done < loads; done += ASK_EACH) {
        if (tkf_explore_ended(x))
            return false;
        tkf_work_chase(&ring->chase, ASK_EACH);
    }
    return true;
}

uint64_t tkf_explore_last_cache(const struct tkf_explore *out)
{
    return out->ncaches > 0 ? out->caches[out->ncaches - 1].size_bytes : 0;
}

uint64_t tkf_explore_budget(uint64_t wanted)
{
    uint64_t available = tkf_os_memory_available() / 4;
    uint64_t most = available > 0 && available < MOST_BYTES ? available : MOST_BYTES;
    return wanted < most ? wanted : most;
}

static uint64_t size_of_point(unsigned i, size_t line_bytes)
{
    double bytes = SMALLEST_BYTES * exp2((double)i / POINTS_PER_OCTAVE);
    return (uint64_t)(bytes / (double)line_bytes + 0.5) * line_bytes;
}

static size_t line_bytes(const struct tkf_explore *out)
{
    return out->ncaches > 0 && out->caches[0].line_bytes > 0 ? out->caches[0].line_bytes
                                                             : LINE_BYTES;
}

/** A core's own caches depend on the core alone. What others share with it they can only take away. */
static enum tkf_estimate estimate_for(const struct tkf_explore *out, uint64_t bytes)
{
    uint64_t own = 0;
    for (unsigned i = 0; i < out->ncaches && out->caches[i].cpus == out->caches[0].cpus; i++)
        own = out->caches[i].size_bytes;
    if (bytes <= own)
        return TKF_ESTIMATE_CORE;
    return bytes <= tkf_explore_last_cache(out) ? TKF_ESTIMATE_FASTEST : TKF_ESTIMATE_MEDIAN;
}

/** Each point, smallest first; of one that was measured before, the lower is kept. */
static void measure_curve(struct tkf_explorer *x, char *base, uint64_t most_bytes)
{
    struct tkf_explore *out = x->out;
    struct tkf_ring ring = tkf_ring_begin(base, line_bytes(out));
    double octaves = log2((double)most_bytes / SMALLEST_BYTES);
    uint64_t enough = tkf_explore_last_cache(out) / ring.line_bytes + ASK_EACH;
    for (unsigned i = 0; i < TKF_LATENCY_MAX; i++) {
        uint64_t bytes = size_of_point(i, ring.line_bytes), lines = bytes / ring.line_bytes;
        if (bytes > most_bytes || !grow(x, &ring, lines) ||
            !warm(x, &ring, lines < enough ? lines : enough))
            return;
        struct tkf_band ns =
            tkf_explore_time(x, tkf_work_chase, &ring.chase, estimate_for(out, bytes), WINDOWS);
        if (isnan(ns.mid))
            return;
        struct tkf_latency_point *point = &out->latency[i];
        if (i == out->nlatency)
            out->nlatency++;
        else if (ns.mid > point->ns.mid)
            continue; /* others can only have slowed it */
        *point = (struct tkf_latency_point){
            .bytes = bytes,
            .ns = ns,
            .cycles = {ns.lo / x->cycle_ns, ns.mid / x->cycle_ns, ns.hi / x->cycle_ns},
        };
        x->env.progress(x->env.ctx, 0.2 + 0.7 * i / POINTS_PER_OCTAVE / octaves,
                        "latency of caches and memory");
    }
}

/** The point nearest to a size on the curve's scale; NULL when none is within a factor of 1.5. */
static const struct tkf_latency_point *point_near(const struct tkf_explore *out, double bytes)
{
    const struct tkf_latency_point *best = NULL;
    double least = log2(1.5);
    for (unsigned i = 0; i < out->nlatency; i++) {
        double off = fabs(log2((double)out->latency[i].bytes / bytes));
        if (off < least) {
            least = off;
            best = &out->latency[i];
        }
    }
    return best;
}

static void add_load(struct tkf_explorer *x, const char *name, const char *from,
                     const struct tkf_latency_point *point, const char *otherwise)
{
    struct tkf_band unknown = {NAN, NAN, NAN};
    char text[sizeof x->out->steps[0].text];
    if (point != NULL)
        snprintf(text, sizeof text, "one dependent load out of %s: random lines of %.4g KiB%s",
                 from, (double)point->bytes / 1024, x->out->huge_pages ? " in huge pages" : "");
    else
        snprintf(text, sizeof text, "one dependent load out of %s", from);
    tkf_explore_add_ns(x, name, text, point != NULL ? point->ns : unknown, otherwise);
}

/**
 * A load out of a level: from twice of what the level before it can hold. Not from more: of a cache that other cores or
 * other machines share, no more than a part may be had.
 */
static void add_loads(struct tkf_explorer *x)
{
    const struct tkf_explore *out = x->out;
    unsigned most = 3;
    for (unsigned i = 0; i < out->ncaches; i++)
        most = out->caches[i].level > most ? out->caches[i].level : most;
    for (unsigned level = 1; level <= most; level++) {
        char name[16], from[16];
        snprintf(name, sizeof name, "load/L%u", level);
        snprintf(from, sizeof from, "L%u", level);
        const struct tkf_cache *cache = NULL;
        double before = 0;
        for (unsigned i = 0; i < out->ncaches && cache == NULL; i++) {
            if (out->caches[i].level == level)
                cache = &out->caches[i];
            else
                before = (double)out->caches[i].size_bytes;
        }
        if (cache == NULL) {
            add_load(x, name, from, NULL,
                     out->ncaches > 0 ? "this CPU has no such cache, as far as the system says"
                                      : "the system does not say what caches there are");
            continue;
        }
        double size = (double)cache->size_bytes;
        double bytes = 2 * before;
        if (bytes == 0 || bytes > size)
            bytes = before > 0 && before < size ? sqrt(before * size) : size / 2;
        add_load(x, name, from, point_near(out, bytes), "too little memory is free");
    }
    double beyond = TKF_BEYOND_LAST_CACHE * (double)tkf_explore_last_cache(out);
    add_load(x, "load/memory", "memory", beyond > 0 ? point_near(out, beyond / 1.2) : NULL,
             beyond > 0 ? "too little memory is free to be sure that no cache holds it"
                        : "the system does not say what caches there are");
}

int tkf_explore_latency(struct tkf_explorer *x)
{
    struct tkf_explore *out = x->out;
    uint64_t last = tkf_explore_last_cache(out);
    uint64_t bytes =
        tkf_explore_budget(last > 0 ? TKF_BEYOND_LAST_CACHE * last : TKF_NO_CACHE_BYTES);
    struct tkf_memory memory = {NULL, 0, NULL, 0};
    /* A limit may leave less than it promised. The curve ends earlier then, and what it does not reach has that reason. */
    while (bytes >= SMALLEST_BYTES && tkf_memory_map(bytes, &memory) != 0)
        bytes /= 2;
    uint64_t from_ns = x->env.clock_ns(x->env.ctx), now_ns = from_ns;
    /* Twice, where there is time for it: what disturbs lasts longer than the windows of one point. */
    for (unsigned pass = 0;
         memory.at != NULL && pass < 2 && now_ns + (now_ns - from_ns) <= x->end_ns; pass++) {
        bool partial = out->partial;
        measure_curve(x, memory.at, bytes);
        out->partial = pass == 0 ? out->partial : partial;
        now_ns = x->env.clock_ns(x->env.ctx);
    }
    uint64_t touched = out->nlatency > 0 ? out->latency[out->nlatency - 1].bytes : 0;
    out->huge_pages = touched > 0 && tkf_os_memory_huge(memory.at, touched);
    add_loads(x);
    tkf_memory_unmap(&memory);
    return 0;
}
