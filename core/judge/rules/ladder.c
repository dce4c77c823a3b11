/* SPDX-License-Identifier: MIT */
/*
 * A suspect placed among what was explored of its machine: what it is less than. Latencies are of
 * things that wait for one another; in a loop such things may overlap, and the words say so.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../judge.h"

/* The rungs that a benchmark's reader has a feeling for. */
static const struct {
    const char *step, *text;
} rungs[] = {
    {"op/multiply", "one multiplication after another"},
    {"load/L1", "a load from L1 that waits for the one before"},
    {"call/direct", "a call"},
    {"store/forwarded", "a value stored and loaded again"},
    {"atomic/uncontended", "an atomic addition"},
    {"malloc/64B", "malloc and free of 64 bytes"},
    {"os/syscall", "a system call"},
};
#define RUNGS_SAID 3

/* What is beyond it needs no ladder. */
#define CYCLES_PLACED 10

/* A kernel that is wider than the one that was measured with gets more. */
#define RATE_MARGIN 2

static double step_value(const struct tkf_explore *explore, const char *name)
{
    const struct tkf_step *step = tkf_explore_step(explore, name);
    return step ? step->value.mid : NAN;
}

static void place(struct tkf_case *c)
{
    char text[300], time[TKF_TIME_SIZE], rung[TKF_TIME_SIZE];
    size_t length = 0;
    unsigned said = 0;
    for (size_t i = 0; i < sizeof(rungs) / sizeof(rungs[0]) && said < RUNGS_SAID; i++) {
        double ns = step_value(c->floor->explore, rungs[i].step);
        if (!(ns > 1.1 * c->mid) || length >= sizeof(text))
            continue;
        length +=
            (size_t)snprintf(text + length, sizeof(text) - length, "%s%s (%s)",
                             said > 0 ? ", than " : "", rungs[i].text, tkf_time_text(rung, ns));
        said++;
    }
    if (said > 0)
        tkf_say(c, "ladder", "%s, or %.3g of this machine's core cycles, is less than %s",
                tkf_time_text(time, c->mid), tkf_cycles(c->floor, c->mid), text);
}

/* Bytes a second beside what was measured here: no bound of physics, so that it is only said. */
static void hold_rate(struct tkf_case *c)
{
    enum { CACHES_OVER = 4 }; /* what is this much larger than the last cache does not lie in it */
    const struct tkf_explore *explore = c->floor->explore;
    double rate = c->row->bytes_per_second / 1e9, bytes = rate * c->row->ns;
    double nearest = step_value(explore, "bandwidth/L1/read");
    double memory = fmax(step_value(explore, "bandwidth/memory/read"),
                         step_value(explore, "bandwidth/memory/read/all"));
    bool large = explore->ncaches > 0 &&
                 bytes > CACHES_OVER * (double)explore->caches[explore->ncaches - 1].size_bytes;
    if (rate > RATE_MARGIN * nearest)
        tkf_say(c, "measured-rate",
                "%.4g GB/s, where this machine was measured to read %.3g GB/s out of its nearest "
                "cache; perhaps not every byte is touched",
                rate, nearest);
    else if (large && rate > RATE_MARGIN * memory)
        tkf_say(
            c, "measured-rate",
            "%.4g GB/s over more bytes than its caches hold, where this machine was measured to "
            "read %.3g GB/s out of its memory; either few of the bytes are touched, or the same "
            "ones again and again",
            rate, memory);
}

void tkf_place_on_ladder(struct tkf_case *c, enum tkf_verdict verdict)
{
    /* What threads share has no place of its own. Go's -8 says only how many there might be. */
    bool shared = c->row->threads > 1 || c->parallel;
    if (!c->floor->explore || c->timing != TKF_TIMING_BATCHED || shared)
        return;
    double cycles = tkf_cycles(c->floor, c->mid);
    if (verdict != TKF_VERDICT_OK && c->mid > 0 && cycles < CYCLES_PLACED)
        place(c);
    hold_rate(c);
}
