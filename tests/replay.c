/* SPDX-License-Identifier: MIT */
#include "replay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define START_TICKS 1000000000

/* ---- reading a trace ---------------------------------------------------------------------------------------------- */

/** "52 78*3": each value, the third COUNT times. Appends to the tape; false when a word is none of these. */
static bool parse_tape(char *words, struct replay_tape *tape)
{
    for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
        char *end;
        uint64_t value = strtoull(word, &end, 10);
        unsigned long count = *end == '*' ? strtoul(end + 1, &end, 10) : 1;
        if (end == word || *end != '\0' || count == 0 || count > 1000000)
            return false;
        uint64_t *values = realloc(tape->values, (tape->n + count) * sizeof *values);
        if (values == NULL)
            return false;
        tape->values = values;
        while (count-- > 0)
            tape->values[tape->n++] = value;
    }
    return tape->n > 0;
}

static bool parse_windows(struct replay *r, char *words)
{
    char name[32];
    uint64_t iters;
    int used = 0;
    if (r->ncpus == 0 || sscanf(words, "%31s %" SCNu64 " %n", name, &iters, &used) != 2 ||
        iters == 0)
        return false;
    for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
        struct replay_windows *w = &r->windows[k][r->ncpus - 1];
        if (strcmp(tkf_arch_kernels[k].name, name) != 0)
            continue;
        if (iters > 1)
            w->iters = iters;
        return parse_tape(words + used, iters > 1 ? &w->many : &w->once);
    }
    return true; /* a kernel that there no longer is */
}

/** One line into the replay; moments is [2][2], filled in order. False when the line is malformed. */
static bool parse_line(struct replay *r, char *line, uint64_t moments[2][2], unsigned *nmoments)
{
    char word[32];
    int used = 0;
    if (sscanf(line, "%31s %n", word, &used) != 1)
        return false;
    char *rest = line + used;
    if (strcmp(word, "arch") == 0)
        return sscanf(rest, "%31s", r->arch) == 1;
    if (strcmp(word, "source") == 0)
        return sscanf(rest, "%31s", r->source) == 1;
    if (strcmp(word, "vendor") == 0 || strcmp(word, "model") == 0 ||
        strcmp(word, "hypervisor") == 0)
        return true;
    if (strcmp(word, "rate") == 0)
        return r->nrates < TKF_RATES_MAX &&
               sscanf(rest, "%23s %lf", r->rates[r->nrates].name, &r->rates[r->nrates].hz) == 2 &&
               ++r->nrates > 0;
    if (strcmp(word, "moment") == 0)
        return *nmoments < 2 &&
               sscanf(rest, "%" SCNu64 " %" SCNu64, &moments[*nmoments][0],
                      &moments[*nmoments][1]) == 2 &&
               ++*nmoments > 0;
    if (strcmp(word, "clock") == 0)
        return sscanf(rest, "%" SCNu64, &r->clock_ticks) == 1;
    if (strcmp(word, "reads") == 0)
        return parse_tape(rest, &r->reads);
    if (strcmp(word, "cpu") == 0)
        return r->ncpus < REPLAY_CPUS && sscanf(rest, "%u", &r->cpus[r->ncpus]) == 1 &&
               ++r->ncpus > 0;
    if (strcmp(word, "windows") == 0)
        return parse_windows(r, rest);
    return false;
}

/** What a kernel's windows were on this CPU, or where it was not measured on it, on another. */
static struct replay_windows *windows_of(struct replay *r, unsigned kernel)
{
    struct replay_windows *here = r->windows[kernel];
    for (unsigned i = 0; i < r->ncpus; i++) {
        struct replay_windows *w = &here[(r->cpu + i) % r->ncpus];
        if (w->many.n > 0)
            return w;
    }
    return NULL;
}

static const struct replay_tape *once_of(const struct replay *r, unsigned kernel)
{
    for (unsigned i = 0; i < r->ncpus; i++) {
        if (r->windows[kernel][i].once.n > 0)
            return &r->windows[kernel][i].once;
    }
    return NULL;
}

static int check(struct replay *r, const char *path, uint64_t moments[2][2], unsigned nmoments)
{
    if (nmoments == 2 && moments[1][0] > moments[0][0] && moments[1][1] > moments[0][1])
        r->hz =
            (double)(moments[1][0] - moments[0][0]) * 1e9 / (double)(moments[1][1] - moments[0][1]);
    if (r->hz == 0 || r->reads.n == 0 || r->source[0] == '\0' || r->ncpus == 0) {
        fprintf(stderr, "%s: no source, two moments, reads and cpu: record it again\n", path);
        return TKF_EFORMAT;
    }
    for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
        if (windows_of(r, k) == NULL || once_of(r, k) == NULL) {
            fprintf(stderr, "%s: no windows of the kernel %s: record it again\n", path,
                    tkf_arch_kernels[k].name);
            return TKF_EFORMAT;
        }
    }
    return 0;
}

int replay_load(const char *path, struct replay *ret_replay)
{
    struct replay *r = ret_replay;
    *r = (struct replay){.now_ticks = START_TICKS};
    r->windows = calloc(tkf_arch_nkernels, sizeof *r->windows);
    FILE *file = fopen(path, "r");
    if (file == NULL || r->windows == NULL) {
        perror(path);
        if (file != NULL)
            fclose(file);
        return TKF_EIO;
    }
    uint64_t moments[2][2];
    unsigned nmoments = 0, number = 0;
    char *line = NULL;
    size_t size = 0;
    int error = 0;
    while (error == 0 && getline(&line, &size, file) >= 0) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        if (!parse_line(r, line, moments, &nmoments)) {
            fprintf(stderr, "%s:%u: not a line of a trace: record it again\n", path, number);
            error = TKF_EFORMAT;
        } else if (r->arch[0] != '\0' && strcmp(r->arch, tkf_arch_name) != 0) {
            fprintf(stderr, "%s: recorded on %s, this is %s\n", path, r->arch, tkf_arch_name);
            error = TKF_EUNSUPPORTED;
        }
    }
    free(line);
    fclose(file);
    return error != 0 ? error : check(r, path, moments, nmoments);
}

void replay_free(struct replay *r)
{
    for (unsigned k = 0; r->windows != NULL && k < tkf_arch_nkernels; k++) {
        for (unsigned i = 0; i < REPLAY_CPUS; i++) {
            free(r->windows[k][i].once.values);
            free(r->windows[k][i].many.values);
        }
    }
    free(r->windows);
    free(r->reads.values);
}

/* ---- answering from it -------------------------------------------------------------------------------------------- */

static uint64_t next(struct replay_tape *tape)
{
    uint64_t value = tape->values[tape->next];
    tape->next = (tape->next + 1) % tape->n;
    return value;
}

static void run(void *ctx, const struct tkf_source *src, unsigned kernel, uint64_t iters,
                uint64_t ret_ticks[2])
{
    (void)src;
    struct replay *r = ctx;
    struct replay_windows *w = windows_of(r, kernel);
    struct replay_tape *once = (struct replay_tape *)once_of(r, kernel);
    uint64_t ticks = next(iters == 1 ? once : &w->many);
    if (iters != 1 && iters != w->iters) {
        double body = ((double)ticks - (double)once->values[0]) / (double)(w->iters - 1);
        ticks = once->values[0] + (body > 0 ? (uint64_t)(body * (double)(iters - 1)) : 0);
    }
    ret_ticks[0] = r->now_ticks += next(&r->reads);
    ret_ticks[1] = r->now_ticks += ticks;
}

static void burst(void *ctx, const struct tkf_source *src, uint64_t *ret_ticks, uint64_t n)
{
    (void)src;
    struct replay *r = ctx;
    for (uint64_t i = 0; i < n; i++)
        ret_ticks[i] = r->now_ticks += next(&r->reads);
}

static uint64_t clock_ns(void *ctx)
{
    struct replay *r = ctx;
    r->now_ticks += r->clock_ticks;
    return (uint64_t)((double)r->now_ticks * 1e9 / r->hz);
}

static int pin(void *ctx, unsigned cpu)
{
    struct replay *r = ctx;
    for (unsigned i = 0; i < r->ncpus; i++) {
        if (r->cpus[i] == cpu) {
            r->cpu = i;
            return 0;
        }
    }
    return TKF_ENOCPU;
}

struct tkf_env replay_env(struct replay *replay)
{
    return (struct tkf_env){
        .ctx = replay, .clock_ns = clock_ns, .run = run, .burst = burst, .pin = pin};
}

int replay_probe(struct replay *r, struct tkf_scratch *scratch, struct tkf_counter *ret_counter)
{
    struct tkf_env env = replay_env(r);
    struct tkf_cpu_hints hints = {.hwcap = 0};
    struct tkf_cpu cpu;
    int error = tkf_counter_probe(&env, &hints, r->source, scratch, &cpu, ret_counter);
    if (error != 0)
        return error;
    ret_counter->nrates = 0;
    for (unsigned i = 0; i < r->nrates; i++)
        tkf_rate_add(ret_counter, r->rates[i].name, r->rates[i].hz);
    return 0;
}
