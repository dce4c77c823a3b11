/* SPDX-License-Identifier: MIT */
/**
 * Bytes a second: L1 and memory, read, written and copied, by one core and by all at once.
 *
 * A copy counts each byte once, and so does a write, though memory moves a line that is written twice. One core is timed in
 * windows like everything else; with all of them, each counts what it has moved, and the sum of the counts is looked at again and
 * again while all of them run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "latency.h"
#include "memory.h"
#include "part.h"
#include "partner.h"
#include "stats.h"
#include "stream.h"
#include "timing.h"

#define WINDOWS    200
#define LOOKS      100                  /* at the sum of all cores */
#define LOOK_NS    2000000              /* from one to the next */
#define L1_BYTES   32768                /* where its size is not known: few are smaller */
#define PASS_BYTES ((size_t)1 << 16)    /* that a core moves before it counts them */
#define ANSWER_NS  UINT64_C(2000000000) /* that all threads have to come within */

enum way { READ, WRITE, COPY, WAYS };
static const char *const way_names[WAYS] = {"read", "write", "copy"};
static const char *const way_texts[WAYS] = {"read", "written with ordinary stores",
                                            "copied, each byte counted once"};

/** Memory that one core goes over, again and again. */
struct lane {
    const struct tkf_stream *stream;
    enum way way;
    char *at;
    size_t bytes;                 /* of it; a copy reads the first half and writes the second */
    size_t next;                  /* how far the last pass came */
    _Alignas(128) uint64_t moved; /* bytes, so far */
    bool touched, ready;
    const bool *stop;
    struct tkf_partner partner;
};

static void go_over(const struct lane *lane, size_t from, size_t bytes, uint64_t passes)
{
    char *at = lane->at + from;
    switch (lane->way) {
    case READ:
        lane->stream->read(at, bytes, passes);
        break;
    case WRITE:
        lane->stream->write(at, bytes, passes);
        break;
    default:
        lane->stream->copy(at + lane->bytes / 2, at, bytes, passes);
    }
}

/** Go on for so many bytes, a multiple of TKF_STREAM_BLOCK; from the beginning again where the memory ends. */
static void move(struct lane *lane, size_t bytes)
{
    size_t whole = lane->way == COPY ? lane->bytes / 2 : lane->bytes;
    while (bytes > 0) {
        size_t now = bytes < whole - lane->next ? bytes : whole - lane->next;
        uint64_t passes = now == whole ? bytes / whole : 1;
        go_over(lane, lane->next, now, passes);
        lane->next = (lane->next + now) % whole;
        bytes -= passes * now;
    }
}

/* ---- one core ---------------------------------------------------------------------------------------------------------- */

/** An operation is one TKF_STREAM_BLOCK. */
static void work(void *arg, uint64_t n)
{
    move(arg, n * TKF_STREAM_BLOCK);
}

static void add(struct tkf_explorer *x, const char *where, enum way way, const char *cores,
                const char *text, struct tkf_band gbs, const char *otherwise)
{
    char name[48];
    snprintf(name, sizeof name, "bandwidth/%s/%s%s", where, way_names[way], cores);
    if (isnan(gbs.mid))
        tkf_explore_add(x, name, text, "GB/s", gbs, tkf_explore_why(x, otherwise));
    else
        tkf_explore_add(x, name, text, "GB/s", gbs, NULL);
}

static void add_one_core(struct tkf_explorer *x, const char *where, const struct lane *like,
                         enum tkf_estimate estimate, const char *otherwise)
{
    for (enum way way = 0; way < WAYS; way++) {
        struct lane lane = *like;
        struct tkf_band ns = {NAN, NAN, NAN};
        char text[160];
        lane.way = way;
        snprintf(text, sizeof text, "%zu KiB %s by one core in %s registers", lane.bytes / 1024,
                 way_texts[way], lane.stream->name);
        if (lane.at != NULL)
            ns = tkf_explore_time(x, work, &lane, estimate, WINDOWS);
        struct tkf_band gbs = {TKF_STREAM_BLOCK / ns.hi, TKF_STREAM_BLOCK / ns.mid,
                               TKF_STREAM_BLOCK / ns.lo};
        add(x, where, way, "", text, gbs, otherwise);
    }
}

/* ---- all cores --------------------------------------------------------------------------------------------------------- */

static void run_lane(void *arg)
{
    struct lane *lane = arg;
    if (!lane->touched)
        memset(lane->at, 1, lane->bytes); /* by who uses it: so it lies near that core */
    lane->touched = true;
    __atomic_store_n(&lane->ready, true, __ATOMIC_RELEASE);
    while (!__atomic_load_n(lane->stop, __ATOMIC_RELAXED)) {
        move(lane, PASS_BYTES);
        __atomic_store_n(&lane->moved, lane->moved + PASS_BYTES, __ATOMIC_RELAXED);
    }
}

static void sleep_ns(long ns)
{
    nanosleep(&(struct timespec){0, ns}, NULL);
}

static uint64_t sum_moved(const struct lane *lanes, unsigned n)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += __atomic_load_n(&lanes[i].moved, __ATOMIC_RELAXED);
    return sum;
}

static bool all_ready(const struct lane *lanes, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!__atomic_load_n(&lanes[i].ready, __ATOMIC_ACQUIRE))
            return false;
    return true;
}

/** GB/s of all lanes together; NAN with a reason. */
static struct tkf_band time_all(struct tkf_explorer *x, struct lane *lanes, unsigned n,
                                const char **ret_otherwise)
{
    double samples[LOOKS];
    unsigned started = 0, nsamples = 0;
    bool stop = false;
    while (started < n) {
        struct lane *lane = &lanes[started];
        lane->stop = &stop;
        lane->ready = false;
        if (tkf_partner_start(&lane->partner, x, x->cpus[started], run_lane, lane) != 0)
            break;
        started++;
    }
    *ret_otherwise = "not every CPU could be given a thread";
    if (started == n) {
        *ret_otherwise = "not every CPU came to run its thread";
        uint64_t until_ns = x->env.clock_ns(x->env.ctx) + ANSWER_NS;
        while (!all_ready(lanes, n) && x->env.clock_ns(x->env.ctx) < until_ns &&
               !tkf_explore_ended(x))
            sleep_ns(1000000);
    }
    if (started == n && all_ready(lanes, n)) {
        while (nsamples < LOOKS && !tkf_explore_ended(x)) {
            uint64_t from = sum_moved(lanes, n), from_ns = x->env.clock_ns(x->env.ctx);
            sleep_ns(LOOK_NS);
            uint64_t to = sum_moved(lanes, n), to_ns = x->env.clock_ns(x->env.ctx);
            samples[nsamples++] = (double)(to - from) / (double)(to_ns - from_ns);
        }
    }
    __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < started; i++)
        tkf_partner_join(&lanes[i].partner);
    /* Whatever else runs takes from the sum. In the best quarter of the looks all of the cores were there. */
    unsigned best = nsamples / 4;
    tkf_sort(samples, nsamples);
    return tkf_explore_estimate(samples + nsamples - best, best, TKF_ESTIMATE_MEDIAN);
}

static void add_all_cores(struct tkf_explorer *x, const char *where, struct lane *lanes,
                          const char *otherwise)
{
    for (enum way way = 0; way < WAYS; way++) {
        struct tkf_band gbs = {NAN, NAN, NAN};
        const char *reason = otherwise;
        char text[160];
        for (unsigned i = 0; i < x->ncpus; i++) {
            lanes[i].way = way;
            lanes[i].next = 0;
        }
        snprintf(text, sizeof text, "%zu KiB %s by each of %u cores at once in %s registers",
                 lanes[0].bytes / 1024, way_texts[way], x->ncpus, lanes[0].stream->name);
        if (lanes[0].at != NULL && !tkf_explore_ended(x))
            gbs = time_all(x, lanes, x->ncpus, &reason);
        add(x, where, way, "/all", text, gbs, reason);
    }
}

/* ---- the part ---------------------------------------------------------------------------------------------------------- */

/** A power of two that fits into half of L1, so that a window is a whole number of passes. */
static size_t l1_bytes(const struct tkf_explore *out)
{
    uint64_t size =
        out->ncaches > 0 && out->caches[0].level == 1 ? out->caches[0].size_bytes : L1_BYTES;
    size_t bytes = 2 * TKF_STREAM_BLOCK;
    while (bytes * 4 <= size)
        bytes *= 2;
    return bytes;
}

/** What one core of all has to go over so that their last caches cannot hold it. */
static uint64_t share_bytes(const struct tkf_explorer *x)
{
    const struct tkf_explore *out = x->out;
    uint64_t last = tkf_explore_last_cache(out);
    if (last == 0)
        return TKF_NO_CACHE_BYTES / x->ncpus;
    unsigned sharers = out->caches[out->ncaches - 1].cpus;
    sharers = sharers < x->ncpus ? sharers : x->ncpus;
    return TKF_BEYOND_LAST_CACHE * last / (sharers > 0 ? sharers : 1);
}

int tkf_explore_bandwidth(struct tkf_explorer *x)
{
    static const char too_little[] = "too little memory is free to be sure that no cache holds it";
    uint64_t last = tkf_explore_last_cache(x->out), share = share_bytes(x);
    uint64_t alone = last > 0 ? TKF_BEYOND_LAST_CACHE * last : TKF_NO_CACHE_BYTES;
    uint64_t most = tkf_explore_budget(alone > share * x->ncpus ? alone : share * x->ncpus);
    const uint64_t round = ~(uint64_t)(2 * TKF_STREAM_BLOCK - 1); /* for both halves of a copy */
    struct lane like = {.stream = tkf_arch_stream(), .bytes = l1_bytes(x->out)};
    struct lane *lanes = aligned_alloc(_Alignof(struct lane), x->ncpus * sizeof *lanes);
    struct tkf_memory memory = {NULL, 0, NULL, 0};
    int error = lanes == NULL ? TKF_ENOMEM : tkf_memory_map(like.bytes * x->ncpus, &memory);
    if (error != 0)
        goto end;

    x->env.progress(x->env.ctx, 0, "bandwidth of L1");
    like.at = memory.at;
    memset(like.at, 1, like.bytes);
    add_one_core(x, "L1", &like, TKF_ESTIMATE_CORE, "");
    for (unsigned i = 0; i < x->ncpus; i++) {
        lanes[i] = like;
        lanes[i].at = memory.at + i * like.bytes;
    }
    add_all_cores(x, "L1", lanes, "");
    tkf_memory_unmap(&memory);

    x->env.progress(x->env.ctx, 0.3, "bandwidth of memory, one core");
    like.bytes = (alone < most ? alone : most) & round;
    /* Half of it would still be twice the last cache. */
    bool enough = like.bytes >= alone / 2 && tkf_memory_map(like.bytes, &memory) == 0;
    like.at = enough ? memory.at : NULL;
    if (like.at != NULL)
        memset(like.at, 1, like.bytes);
    add_one_core(x, "memory", &like, TKF_ESTIMATE_MEDIAN, too_little);
    tkf_memory_unmap(&memory);

    x->env.progress(x->env.ctx, 0.6, "bandwidth of memory, all cores");
    like.bytes = (share * x->ncpus <= most ? share : most / x->ncpus) & round;
    enough = like.bytes >= share / 2 && tkf_memory_map(like.bytes * x->ncpus, &memory) == 0;
    for (unsigned i = 0; i < x->ncpus; i++) {
        lanes[i] = like;
        lanes[i].at = enough ? memory.at + i * like.bytes : NULL;
    }
    add_all_cores(x, "memory", lanes, too_little);
    if (x->env.cancelled(x->env.ctx))
        error = TKF_ECANCELLED;

end:
    tkf_memory_unmap(&memory);
    free(lanes);
    return error;
}
