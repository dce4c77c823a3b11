/* SPDX-License-Identifier: MIT */
/**
 * record: measure this machine quickly, and write all that the counter said as a trace for tests/replay.h.
 *
 *     meson compile -C build record && build/tests/record >tests/machines/NAME.trace
 *
 * A trace is text, one fact on a line, words separated by one space:
 *
 *     arch amd64                        the folder whose kernels were timed
 *     vendor NAME, model NAME, hypervisor NAME    what the CPU says of itself, for people
 *     source rdtsc                      the counter
 *     rate NAME HZ                      a rate that was declared for it; one line each
 *     moment TICKS CLOCK_NS             both clocks at one moment; two lines, far apart
 *     clock TICKS                       what a call of the clock costs
 *     reads TICKS[*COUNT]...            differences of neighbouring fenced readings, runs of equal ones counted
 *     cpu NUMBER                        a candidate: what follows ran on it
 *     windows KERNEL ITERS TICKS[*COUNT]...       durations of the windows of that many iterations, in order
 *
 * The windows that size others are left out, but for those of one iteration: a replay scales.
 */
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "host.h"

#define READS_MAX    6000
#define READS_LINE   200
#define MOMENTS_MAX  65536
#define MOMENT_TRIES 24 /* of which core/measure takes the tightest */
#define WINDOWS_MAX  65536
#define CPUS_MAX     4 /* candidates: more make the trace longer and show nothing more */

struct window {
    unsigned cpu, kernel;
    uint64_t iters, ticks;
};

struct moment {
    uint64_t ticks, clock_ns, width;
};

static struct window windows[WINDOWS_MAX];
static struct moment moments[MOMENTS_MAX];
static uint64_t reads[READS_MAX];
static unsigned nwindows, nmoments, nreads;

static unsigned bound_cpu;
static uint64_t single_read, clock_read; /* of the moment that may be under way; 0: none */

static uint64_t record_clock(void *ctx)
{
    if (clock_read != 0)
        single_read = 0; /* a second call: the clock itself is being timed */
    return clock_read = tkf_clock_ns(ctx);
}

static void record_run(void *ctx, const struct tkf_source *src, unsigned kernel, uint64_t iters,
                       uint64_t ret_ticks[2])
{
    (void)ctx;
    src->kernels[kernel](iters, ret_ticks);
    single_read = clock_read = 0;
    if (nwindows < WINDOWS_MAX)
        windows[nwindows++] =
            (struct window){bound_cpu, kernel, iters, ret_ticks[1] - ret_ticks[0]};
}

static void record_burst(void *ctx, const struct tkf_source *src, uint64_t *ret_ticks, uint64_t n)
{
    (void)ctx;
    src->burst(ret_ticks, n);
    for (uint64_t i = 1; i < n && nreads < READS_MAX; i++)
        reads[nreads++] = ret_ticks[i] - ret_ticks[i - 1];
    if (n == 1 && single_read != 0 && clock_read != 0 && nmoments < MOMENTS_MAX) {
        uint64_t width = ret_ticks[0] - single_read;
        moments[nmoments++] = (struct moment){single_read + width / 2, clock_read, width};
    }
    single_read = n == 1 ? ret_ticks[0] : 0;
    clock_read = 0;
}

static int record_pin(void *ctx, unsigned cpu)
{
    (void)ctx;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        return TKF_ENOCPU;
    bound_cpu = cpu;
    return 0;
}

/** The tightest of some moments. */
static struct moment tightest(unsigned from, unsigned to)
{
    struct moment best = moments[from];
    for (unsigned i = from; i < to; i++) {
        if (moments[i].width < best.width)
            best = moments[i];
    }
    return best;
}

static void write_runs(const uint64_t *values, unsigned n)
{
    for (unsigned i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && values[i + run] == values[i];)
            run++;
        printf(run > 1 ? " %" PRIu64 "*%u" : " %" PRIu64, values[i], run);
    }
    putchar('\n');
}

static void write_windows(unsigned cpu, unsigned kernel, uint64_t iters)
{
    static uint64_t ticks[WINDOWS_MAX];
    unsigned n = 0;
    for (unsigned i = 0; i < nwindows; i++) {
        if (windows[i].cpu == cpu && windows[i].kernel == kernel && windows[i].iters == iters)
            ticks[n++] = windows[i].ticks;
    }
    if (n == 0)
        return;
    printf("windows %s %" PRIu64, tkf_arch_kernels[kernel].name, iters);
    write_runs(ticks, n);
}

/** The number of iterations that the windows of a kernel settled on. */
static uint64_t settled_iters(unsigned kernel)
{
    uint64_t iters = 0;
    for (unsigned i = 0; i < nwindows; i++) {
        if (windows[i].kernel == kernel && windows[i].iters > 1)
            iters = windows[i].iters;
    }
    return iters;
}

static void write_trace(const struct tkf_cpu *cpu, const struct tkf_counter *declared,
                        double clock_ticks, const struct tkf_cpu_floor *f)
{
    printf("arch %s\nvendor %s\nmodel %s\nhypervisor %s\n", tkf_arch_name, cpu->vendor,
           cpu->model_name, cpu->hypervisor);
    printf("source %s\n", declared->name);
    for (unsigned i = 0; i < declared->nrates; i++)
        printf("rate %s %.3f\n", declared->rates[i].name, declared->rates[i].hz);
    struct moment ends[2] = {tightest(0, MOMENT_TRIES),
                             tightest(nmoments - MOMENT_TRIES, nmoments)};
    for (unsigned i = 0; i < 2; i++)
        printf("moment %" PRIu64 " %" PRIu64 "\n", ends[i].ticks, ends[i].clock_ns);
    printf("clock %.0f\n", clock_ticks);
    for (unsigned i = 0; i < nreads; i += READS_LINE) {
        printf("reads");
        write_runs(reads + i, nreads - i < READS_LINE ? nreads - i : READS_LINE);
    }
    for (unsigned c = 0; c < f->ncandidates; c++) {
        printf("cpu %u\n", f->candidates[c].cpu);
        for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
            write_windows(f->candidates[c].cpu, k, 1);
            write_windows(f->candidates[c].cpu, k, settled_iters(k));
        }
    }
}

int main(void)
{
    const struct tkf_env env = {
        .clock_ns = record_clock, .run = record_run, .burst = record_burst, .pin = record_pin};
    struct tkf_calibrate_options options;
    static struct tkf_scratch scratch;
    struct tkf_cpu_hints hints = {.lfence_serialises = true};
    struct tkf_cpu cpu;
    struct tkf_counter counter = {.source = NULL};
    struct tkf_cpu_floor found;
    unsigned cpus[CPUS_MAX], ncpus = 0;
    cpu_set_t allowed;

    tkf_calibrate_defaults(&options, true);
    sched_getaffinity(0, sizeof allowed, &allowed);
    for (unsigned i = 0; i < CPU_SETSIZE && ncpus < CPUS_MAX; i++) {
        if (CPU_ISSET(i, &allowed))
            cpus[ncpus++] = i;
    }
    int error = tkf_counter_probe(&env, &hints, NULL, &scratch, &cpu, &counter);
    struct tkf_counter declared = counter;
    if (error == 0)
        error = tkf_calibrate_cpu(&env, &options, &counter, cpus, ncpus, &scratch, &found);
    if (error != 0) {
        fprintf(stderr, "record: %s: try again on a quieter machine\n", tkf_strerror(error));
        return 1;
    }
    double clock_ns = 0;
    for (unsigned i = 0; i < found.ncosts; i++) {
        if (strcmp(found.costs[i].name, "clock") == 0)
            clock_ns = found.costs[i].ns.mid;
    }
    write_trace(&cpu, &declared, clock_ns * 1e-9 * counter.hz, &found);
    return 0;
}
