/* SPDX-License-Identifier: MIT */
#include "scripted.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_TICK     1000003 /* no multiple of any step: the step is in the differences */
#define CLOCK_READ_NS  20
#define ONCE_CYCLES    15 /* of a window, beside its body */
#define LOOP_CODE_SIZE 8

static uint64_t random_bits(struct scripted *m)
{
    uint64_t z = m->seed += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double random_share(struct scripted *m)
{
    return (double)(random_bits(m) >> 11) * 0x1p-53;
}

/** Time passes while this thread does work_ns of work: more of it when others run in between. */
static void spend(struct scripted *m, double work_ns)
{
    if (m->gap_ns > 0) {
        double ours = m->gap_every_ns - m->gap_ns;
        double phase = fmod(m->now_ns, m->gap_every_ns);
        double left = ours - phase;
        if (left <= 0) {
            m->now_ns += m->gap_every_ns - phase;
            left = ours;
        }
        for (; work_ns > left; left = ours) {
            work_ns -= left;
            m->now_ns += left + m->gap_ns;
            if (m->gap_jitter_ns > 0)
                m->now_ns += m->gap_jitter_ns * random_share(m);
        }
    }
    m->now_ns += work_ns;
}

double scripted_hz(const struct scripted *m, const struct tkf_source *src)
{
    return src->unit == TKF_UNIT_NS ? 1e9 : m->counter_hz;
}

static uint64_t read_counter(struct scripted *m, const struct tkf_source *src)
{
    spend(m, m->read_ns * (1 + m->noise * random_share(m)));
    uint64_t steps = (uint64_t)(m->now_ns * 1e-9 * scripted_hz(m, src) / (double)m->step_ticks);
    uint64_t ticks = FIRST_TICK + steps * m->step_ticks;
    if (m->scale > 0) {
        steps = (uint64_t)(m->now_ns * 1e-9 * scripted_hz(m, src) / m->scale);
        ticks = FIRST_TICK + (uint64_t)((double)steps * m->scale);
    }
    m->readings++;
    if (m->faulty == NULL || strcmp(m->faulty, src->name) != 0)
        return ticks;
    switch (m->fault) {
    case SCRIPTED_STUCK:
        return FIRST_TICK;
    case SCRIPTED_BACK:
        return m->readings == m->fault_at ? ticks - 10000 : ticks;
    case SCRIPTED_JUMP:
        return m->readings < m->fault_at ? ticks : ticks + (uint64_t)(60 * scripted_hz(m, src));
    case SCRIPTED_SLIP:
        if (m->readings < m->fault_at)
            return ticks;
        return ticks + (uint64_t)(0.5e-3 * scripted_hz(m, src)) / m->step_ticks * m->step_ticks +
               m->step_ticks / 2;
    case SCRIPTED_TRAP:
        longjmp(m->trap, 1);
    case SCRIPTED_SOUND:
        break;
    }
    return ticks;
}

static double core_hz(const struct scripted *m)
{
    if (m->later_core_hz > 0 && m->now_ns >= m->later_from_ns)
        return m->later_core_hz;
    if (m->boost_share > 0 &&
        fmod(m->now_ns, m->boost_period_ns) < m->boost_share * m->boost_period_ns)
        return m->core_hz * m->boost_factor;
    return m->core_hz;
}

static bool is_slow(const struct scripted *m)
{
    if (m->slow_cpus >> m->cpu & 1)
        return true;
    if (m->slow_until_ns > 0 && m->now_ns > m->slow_until_ns)
        return false;
    return m->slow_share > 0 &&
           fmod(m->now_ns, m->slow_period_ns) < m->slow_share * m->slow_period_ns;
}

/** What an emulator's timings may look like: everything that arithmetic has to survive. */
static uint64_t garbage_ticks(struct scripted *m, uint64_t from, uint64_t iters)
{
    switch (random_bits(m) % 6) {
    case 0:
        return from;
    case 1:
        return from - 5000;
    case 2:
        return from + (iters == 1 ? 900000 : 10); /* a body that takes less than none */
    case 3:
        return from + random_bits(m) % 1000000;
    case 4:
        return from + 100000 + iters;
    default:
        return from + (UINT64_C(1) << 50);
    }
}

static void run(void *ctx, const struct tkf_source *src, unsigned kernel, uint64_t iters,
                uint64_t ret_ticks[2])
{
    struct scripted *m = ctx;
    ret_ticks[0] = read_counter(m, src);
    double cycles = (double)iters * tkf_arch_kernels[kernel].ops * m->cycles[kernel];
    if (tkf_arch_kernels[kernel].role != TKF_ROLE_CHAIN && is_slow(m))
        cycles *= m->slow_factor;
    cycles += ONCE_CYCLES;
    m->core_cycles += cycles;
    m->core_instructions += (double)iters * m->instructions[kernel] + ONCE_CYCLES;
    spend(m, cycles * 1e9 / core_hz(m) * (1 + m->noise * random_share(m)));
    ret_ticks[1] = read_counter(m, src);
    if (m->garbage > 0 && random_share(m) < m->garbage)
        ret_ticks[1] = garbage_ticks(m, ret_ticks[0], iters);
}

static void burst(void *ctx, const struct tkf_source *src, uint64_t *ret_ticks, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        ret_ticks[i] = read_counter(ctx, src);
}

static uint64_t clock_ns(void *ctx)
{
    struct scripted *m = ctx;
    spend(m, CLOCK_READ_NS);
    if (m->clock_stuck)
        return 5000000000;
    double before = m->now_ns, after = 0;
    if (m->later_clock_from_ns > 0 && m->now_ns > m->later_clock_from_ns) {
        before = m->later_clock_from_ns;
        after = m->now_ns - before;
    }
    return 5000000000 +
           (uint64_t)(before * (1 + m->clock_ppm * 1e-6) + after * (1 + m->later_clock_ppm * 1e-6));
}

static int guard(void *ctx, void (*fn)(void *arg), void *arg)
{
    struct scripted *m = ctx;
    if (m->guarded++ == 0 && m->identify_traps)
        return TKF_ETRAP;
    if (setjmp(m->trap) != 0)
        return TKF_ETRAP;
    fn(arg);
    return 0;
}

static const char *forbidden(void *ctx)
{
    struct scripted *m = ctx;
    return m->forbidden;
}

static int pin(void *ctx, unsigned cpu)
{
    struct scripted *m = ctx;
    if (m->unpinnable_cpus >> cpu & 1)
        return m->pin_error;
    m->cpu = cpu;
    return 0;
}

static int core_clock(void *ctx, uint64_t *ret_cycles)
{
    struct scripted *m = ctx;
    m->core_clock_asked++;
    if (m->core_clock_fails_from > 0 && m->core_clock_asked >= m->core_clock_fails_from)
        return TKF_ETRAP;
    *ret_cycles = (uint64_t)m->core_cycles;
    return 0;
}

static int events(void *ctx, struct tkf_events *ret_events)
{
    struct scripted *m = ctx;
    m->events_asked++;
    if (m->events_fail_from > 0 && m->events_asked >= m->events_fail_from)
        return m->events_error;
    ret_events->cycles = (uint64_t)m->core_cycles;
    ret_events->instructions = (uint64_t)m->core_instructions;
    return 0;
}

static bool cancelled(void *ctx)
{
    struct scripted *m = ctx;
    return ++m->cancel_asked == m->cancel_at;
}

static void progress(void *ctx, double done, const char *what)
{
    (void)ctx;
    if (!(done >= 0 && done <= 1) || what == NULL) {
        fprintf(stderr, "progress %g of \"%s\" is not within 0..1\n", done, what ? what : "NULL");
        abort();
    }
}

struct tkf_env scripted_env(struct scripted *machine)
{
    return (struct tkf_env){
        .ctx = machine,
        .clock_ns = clock_ns,
        .guard = guard,
        .forbidden = forbidden,
        .run = run,
        .burst = burst,
        .pin = pin,
        .events = events,
        .core_clock = core_clock,
        .cancelled = cancelled,
        .progress = progress,
    };
}

bool scripted_straddles(const struct tkf_kernel *kernel)
{
    return kernel->role == TKF_ROLE_LOOP && kernel->offset_bytes + LOOP_CODE_SIZE > 64;
}

struct scripted scripted_machine(void)
{
    struct scripted m = {
        .counter_hz = 2.6e9,
        .step_ticks = 26,
        .read_ns = 20,
        .core_hz = 3.7e9,
        .noise = 0.0005,
        .seed = 1,
        .slow_factor = 1.8,
        .slow_period_ns = 3.7e6,
        .pin_error = TKF_ENOCPU,
        .events_error = TKF_EPERM,
        .fault_at = 700,
    };
    for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
        const struct tkf_kernel *kernel = &tkf_arch_kernels[k];
        bool chain = kernel->role == TKF_ROLE_CHAIN;
        m.cycles[k] = scripted_straddles(kernel) ? 2 : kernel->role == TKF_ROLE_COST ? 5 : 1;
        m.instructions[k] = kernel->ops + (chain ? 2 : 1);
    }
    m.cycles[scripted_kernel("mul")] = 3;
    return m;
}

unsigned scripted_kernel(const char *name)
{
    for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
        if (strcmp(tkf_arch_kernels[k].name, name) == 0)
            return k;
    }
    fprintf(stderr, "%s has no kernel named %s\n", tkf_arch_name, name);
    abort();
}

const struct tkf_source *scripted_best_source(void)
{
    struct tkf_cpu cpu = {.family = 0};
    struct tkf_cpu_hints hints = {.hwcap = 0};
    tkf_arch_identify(&hints, &cpu);
    for (unsigned i = 0; i < tkf_arch_nsources; i++) {
        if (tkf_arch_sources[i].refuse(&cpu) == NULL)
            return &tkf_arch_sources[i];
    }
    fprintf(stderr, "%s refuses all its sources on this CPU\n", tkf_arch_name);
    abort();
}
