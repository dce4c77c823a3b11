/* SPDX-License-Identifier: MIT */
/**
 * One CPU's floor: the core cycle, the empty loop in its shapes, and the small costs around it.
 *
 * Short windows, many of them. A long window lies on a shared CPU: it spans a scheduler's slice and reports half the clock.
 * Every window stands beside a window of the defining chain, whose speed is the core clock and nothing else: a loop's cost
 * is the ratio of the two, so a change of clock between them cancels, and a window whose chain was disturbed is not used.
 */
#include "rate.h"
#include "stats.h"
#include "window.h"

#define KERNELS_MAX        64
#define ROUNDS_MIN         40
#define OTHERS_EACH_ROUND  6
#define WINDOWS_EACH_ROUND 16 /* at most: with the chain between them */
#define WINDOWS_MIN        8
#define OPS_MAX            (UINT64_C(1) << 26) /* tens of ms: who needs more to fill a window has stopped */

#define CHAIN_WIDTH 0.002 /* the chain's windows spread by the counter's step and little else */
#define FAST_WIDTH  0.003 /* a loop's fastest state is as narrow */
#define STATE_WIDTH 1.03  /* what lies above the fastest state by more is another state */
#define DISTURBED \
    1.02 /* a chain window this much above the mode was interrupted, or another clock ruled */
#define GAP              4.5 /* no state costs a loop this much: something else ran in the window */
#define SLOW_SHARE_MIN   0.05 /* a slow state rarer than this does not widen the band */
#define SLOW_WINDOWS_MIN 8

struct session {
    const struct tkf_env *env;
    const struct tkf_calibrate_options *options;
    const struct tkf_source *src;
    struct tkf_counter *counter;
    struct tkf_scratch *scratch;
    double window_ticks;
    uint64_t iters[KERNELS_MAX];
    double once_ticks
        [KERNELS_MAX]; /* a window of one iteration: what a window costs beside its body */
    unsigned nwindows;
    unsigned others[KERNELS_MAX], nothers, next_other;
    unsigned leading[KERNELS_MAX], nleading;
};

void tkf_calibrate_defaults(struct tkf_calibrate_options *ret_options, bool quick)
{
    *ret_options = (struct tkf_calibrate_options){
        .window_ns = quick ? 30000 : 40000,
        .rounds = quick ? 100 : 500,
        .hunt_ns = quick ? 25000000 : 450000000,
        .rate_ns = quick ? 15000000 : 60000000,
        .limit_ns = quick ? 75000000 : 850000000,
    };
}

/* ---- windows ------------------------------------------------------------------------------------------------------ */

static double per_op_ticks(const struct session *s, unsigned kernel, double ticks)
{
    return (ticks - s->once_ticks[kernel]) / (double)(s->iters[kernel] - 1) /
           tkf_arch_kernels[kernel].ops;
}

static double time_op_ticks(struct session *s, unsigned kernel)
{
    return per_op_ticks(s, kernel,
                        (double)tkf_window_ticks(s->env, s->src, kernel, s->iters[kernel]));
}

static void record(struct session *s, unsigned kernel)
{
    if (s->nwindows == TKF_WINDOWS_MAX)
        return;
    s->scratch->kernel[s->nwindows] = (uint16_t)kernel;
    s->scratch->ticks[s->nwindows] = tkf_window_ticks(s->env, s->src, kernel, s->iters[kernel]);
    s->nwindows++;
}

/** Long enough that one step of the counter is under 0.1 % of a window, and much shorter than a scheduler's slice. */
static void size_window(struct session *s)
{
    double hz = tkf_rate_guess_hz(s->counter);
    s->window_ticks = 1000 * (double)s->counter->step_ticks;
    if (s->window_ticks < hz * 1e-9 * (double)s->options->window_ns)
        s->window_ticks = hz * 1e-9 * (double)s->options->window_ns;
    if (s->window_ticks > hz * 1e-9 * TKF_WINDOW_MAX_NS)
        s->window_ticks = hz * 1e-9 * TKF_WINDOW_MAX_NS;
}

/** How many iterations fill a window, and what a window of one iteration costs. */
static int size_kernel(struct session *s, unsigned kernel)
{
    double enough = s->window_ticks / 16;
    uint64_t iters = 16, shortest;
    for (;; iters *= 4) {
        shortest = UINT64_MAX;
        for (int i = 0; i < 3; i++) {
            uint64_t ticks = tkf_window_ticks(s->env, s->src, kernel, iters);
            if (ticks < shortest)
                shortest = ticks;
        }
        if ((double)shortest >= enough)
            break;
        if (iters * tkf_arch_kernels[kernel].ops >= OPS_MAX)
            return TKF_ESTUCK;
    }
    double fill = s->window_ticks / ((double)shortest / (double)iters);
    s->iters[kernel] = fill > 2 ? (uint64_t)fill : 2;

    double once[9];
    for (int i = 0; i < 9; i++)
        once[i] = (double)tkf_window_ticks(s->env, s->src, kernel, 1);
    tkf_sort(once, 9);
    s->once_ticks[kernel] = once[4];
    return 0;
}

static int size_all(struct session *s)
{
    size_window(s);
    for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
        int error = size_kernel(s, k);
        if (error != 0)
            return error;
    }
    return 0;
}

/** The aligned loops lead every round; everything else takes its turn. */
static void sort_kernels(struct session *s)
{
    for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
        const struct tkf_kernel *kernel = &tkf_arch_kernels[k];
        if (k == tkf_arch_roles.chain_cycle)
            continue;
        if (kernel->role == TKF_ROLE_LOOP && kernel->offset_bytes == 0)
            s->leading[s->nleading++] = k;
        else
            s->others[s->nothers++] = k;
    }
}

static void run_round(struct session *s)
{
    unsigned chain = tkf_arch_roles.chain_cycle;
    record(s, chain);
    for (unsigned i = 0; i < s->nleading; i++) {
        record(s, s->leading[i]);
        if (i % 2 == 1)
            record(s, chain);
    }
    for (unsigned i = 0; i < OTHERS_EACH_ROUND && s->nothers > 0; i++) {
        if (i % 2 == 1)
            record(s, chain);
        record(s, s->others[s->next_other]);
        s->next_other = (s->next_other + 1) % s->nothers;
    }
}

/* ---- the hunt for a quiet CPU --------------------------------------------------------------------------------------- */

#define PROBE_WINDOWS 16
#define UNUSABLE      1e9 /* cycles of a loop in a window that says nothing */

struct probe {
    double lowest;     /* of the fused loop's cycles */
    double fast_share; /* windows within STATE_WIDTH of the lowest seen on any candidate */
    bool steady;       /* its windows lie close together: a state of the CPU, not a passing one */
};

static struct probe probe_cpu(struct session *s, double *lowest_anywhere)
{
    double cycles[PROBE_WINDOWS];
    unsigned fused = tkf_arch_roles.loop_fused, chain = tkf_arch_roles.chain_cycle;
    for (unsigned i = 0; i < PROBE_WINDOWS; i++) {
        double before = time_op_ticks(s, chain);
        double loop = time_op_ticks(s, fused);
        double after = time_op_ticks(s, chain);
        double beside = before < after ? before : after;
        cycles[i] = loop > 0 && beside > 0 ? loop / beside : UNUSABLE;
    }
    tkf_sort(cycles, PROBE_WINDOWS);
    struct probe probe = {.lowest = cycles[PROBE_WINDOWS / 8]};
    if (probe.lowest < *lowest_anywhere)
        *lowest_anywhere = probe.lowest;
    for (unsigned i = 0; i < PROBE_WINDOWS; i++)
        probe.fast_share += cycles[i] <= *lowest_anywhere * STATE_WIDTH ? 1.0 / PROBE_WINDOWS : 0;
    probe.steady = tkf_quantile(cycles, PROBE_WINDOWS, 0.75) < probe.lowest * 1.01;
    return probe;
}

/** The hunt has lasted hunt_ns; or its windows alone must have, should the clock stand still. */
static bool hunted_enough(const struct session *s, uint64_t from_ns, unsigned nprobes)
{
    const struct tkf_calibrate_options *o = s->options;
    return s->env->clock_ns == NULL || s->env->clock_ns(s->env->ctx) - from_ns >= o->hunt_ns ||
           nprobes * 3.0 * PROBE_WINDOWS * (double)o->window_ns > 4 * (double)o->hunt_ns;
}

/**
 * Bind to the candidate whose fused loop runs at its fastest. A busy SMT sibling, which a guest cannot see, costs the loop
 * half its speed for seconds and the chain nothing: so look at each candidate, again and again for up to hunt_ns, until one
 * runs at one cycle, or steadily at whatever its loop costs.
 */
static int choose_cpu(struct session *s, const unsigned *candidates, unsigned ncandidates,
                      struct tkf_cpu_floor *f)
{
    const struct tkf_env *env = s->env;
    if (ncandidates == 0 || env->pin == NULL) {
        f->unpinned_reason =
            env->pin == NULL ? "this system cannot bind a thread to a CPU" : "no CPU was asked for";
        return size_all(s);
    }
    uint64_t from_ns = env->clock_ns != NULL ? env->clock_ns(env->ctx) : 0;
    double lowest_anywhere = UNUSABLE;
    unsigned bound = 0, chosen = 0, nprobes = 0;
    int error;

    for (unsigned pass = 0; f->ncandidates > 0 || pass == 0; pass++) {
        double best = -1;
        unsigned ntried =
            pass == 0 ? (ncandidates < TKF_CANDIDATES_MAX ? ncandidates : TKF_CANDIDATES_MAX)
                      : f->ncandidates;
        bool found = false;
        for (unsigned i = 0; i < ntried && !found; i++) {
            unsigned cpu = pass == 0 ? candidates[i] : f->candidates[i].cpu;
            if (env->pin(env->ctx, cpu) != 0)
                continue;
            bound = cpu;
            if (s->iters[0] == 0 && (error = size_all(s)) != 0)
                return error;
            double lowest_before = lowest_anywhere;
            struct probe probe = probe_cpu(s, &lowest_anywhere);
            nprobes++;
            if (lowest_anywhere * STATE_WIDTH < lowest_before) {
                /* What passed for the fastest until now was not. */
                for (unsigned k = 0; k < f->ncandidates; k++)
                    f->candidates[k].fast_share = 0;
                best = -1;
            }
            struct tkf_candidate *c =
                pass == 0 ? &f->candidates[f->ncandidates++] : &f->candidates[i];
            c->cpu = cpu;
            c->fast_share = (c->fast_share * pass + probe.fast_share) / (pass + 1);
            if (probe.fast_share > best) {
                best = probe.fast_share;
                chosen = cpu;
            }
            /* One cycle is as fast as a loop with a dependent counter gets; a steady loop that is slower may be all there is,
             * but only a long look tells it from a steady neighbour. */
            bool fastest =
                probe.lowest <= lowest_anywhere * STATE_WIDTH && probe.fast_share >= 0.75;
            found = pass > 0 && fastest && (lowest_anywhere < 1.05 || (probe.steady && pass > 50));
        }
        tkf_window_progress(env, 0.1, "looking for a quiet CPU");
        if (tkf_window_cancelled(env))
            return TKF_ECANCELLED;
        if (f->ncandidates == 0)
            return TKF_ENOCPU;
        bool settled = pass == 0 && best >= 0.75 && lowest_anywhere < 1.05;
        if (found || settled || hunted_enough(s, from_ns, nprobes))
            break;
    }
    if (bound != chosen && (error = env->pin(env->ctx, chosen)) != 0)
        return error;
    f->cpu = chosen;
    f->pinned = true;
    return 0;
}

/* ---- what the windows say --------------------------------------------------------------------------------------------- */

struct analysis {
    double *
        local_ticks; /* for each window: the chain's ticks for a link beside it, 0 where it was disturbed */
    unsigned disturbed;
};

/** An interval of ticks for each operation cannot be narrower than one step of the counter is in a window. */
static struct tkf_band widen(const struct session *s, unsigned kernel, struct tkf_band band,
                             double unit_ticks)
{
    double ops = (double)s->iters[kernel] * tkf_arch_kernels[kernel].ops;
    double half_step = 0.5 * (double)s->counter->step_ticks / ops / unit_ticks;
    return (struct tkf_band){band.lo - half_step, band.mid, band.hi + half_step};
}

/** The defining chain: its mode is the core cycle, whatever took time from some of its windows. */
static int find_cycle(struct session *s, struct tkf_cpu_floor *f)
{
    double *values = s->scratch->values;
    unsigned n = 0;
    for (unsigned w = 0; w < s->nwindows; w++) {
        double ticks = per_op_ticks(s, tkf_arch_roles.chain_cycle, (double)s->scratch->ticks[w]);
        if (s->scratch->kernel[w] == tkf_arch_roles.chain_cycle && ticks > 0)
            values[n++] = ticks;
    }
    tkf_sort(values, n);
    struct tkf_cluster usual = tkf_mode_cluster(values, n, CHAIN_WIDTH);
    if (usual.count < WINDOWS_MIN)
        return TKF_ENOISE;
    f->cycle_ticks =
        widen(s, tkf_arch_roles.chain_cycle, tkf_median_band(values + usual.first, usual.count), 1);
    f->cycle_ns = tkf_ticks_to_ns(s->counter, f->cycle_ticks.mid);
    f->core_hz = 1e9 / f->cycle_ns;

    double lost = 0, all = 0, worst = 0;
    for (unsigned i = 0; i < n; i++) {
        double excess = values[i] - f->cycle_ticks.mid;
        all += values[i];
        if (values[i] > DISTURBED * f->cycle_ticks.mid)
            lost += excess;
        if (excess > worst)
            worst = excess;
    }
    double ops = (double)s->iters[tkf_arch_roles.chain_cycle] *
                 tkf_arch_kernels[tkf_arch_roles.chain_cycle].ops;
    f->lost_share = lost / all;
    f->worst_gap_ns = tkf_ticks_to_ns(s->counter, worst * ops);
    return 0;
}

/** The chain before and the chain after each window, averaged when they agree; disturbed when neither is at the cycle. */
static void pair_windows(struct session *s, const struct tkf_cpu_floor *f, struct analysis *a)
{
    unsigned chain = tkf_arch_roles.chain_cycle;
    double limit = DISTURBED * f->cycle_ticks.mid;
    double before = 0;
    unsigned first = 0; /* the windows from here on still wait for the chain after them */
    for (unsigned w = 0; w <= s->nwindows; w++) {
        bool end = w == s->nwindows;
        if (!end && s->scratch->kernel[w] != chain)
            continue;
        double after = end ? 0 : per_op_ticks(s, chain, (double)s->scratch->ticks[w]);
        if (after > limit || after < f->cycle_ticks.mid / DISTURBED)
            after = 0;
        double local = before;
        if (before == 0 || (after != 0 && after < before * (1 - 2 * CHAIN_WIDTH)))
            local = after;
        else if (after != 0 && after <= before * (1 + 2 * CHAIN_WIDTH))
            local = 0.5 * (before + after);
        for (; first < w; first++) {
            a->local_ticks[first] = local;
            a->disturbed += local == 0;
        }
        if (!end) {
            a->local_ticks[first++] = after;
            a->disturbed += after == 0;
        }
        before = after;
    }
}

/** The undisturbed windows of one kernel, in core cycles for each operation, sorted. */
static unsigned gather_cycles(const struct session *s, const struct analysis *a, unsigned kernel,
                              double *ret_values)
{
    unsigned n = 0;
    for (unsigned w = 0; w < s->nwindows; w++) {
        double ticks = per_op_ticks(s, kernel, (double)s->scratch->ticks[w]);
        if (s->scratch->kernel[w] == kernel && a->local_ticks[w] > 0 && ticks > 0)
            ret_values[n++] = ticks / a->local_ticks[w];
    }
    tkf_sort(ret_values, n);
    return n;
}

/** The fastest state: the lowest cluster that enough windows share, and where it ends. */
static struct tkf_band fastest_state(const double *values, unsigned n, unsigned *ret_end)
{
    unsigned need = n / 32 > 4 ? n / 32 : 4;
    struct tkf_cluster fast = tkf_lowest_cluster(values, n, FAST_WIDTH, need);
    if (fast.count == 0) {
        /* No two windows agree: the lower half is all that can be said. */
        fast = (struct tkf_cluster){0, n / 2 > 0 ? n / 2 : n};
    }
    struct tkf_band band = tkf_median_band(values + fast.first, fast.count);
    unsigned end = fast.first + fast.count;
    while (end < n && values[end] <= band.mid * STATE_WIDTH)
        end++;
    *ret_end = end;
    return band;
}

/** What most windows say: a chain has no states, and its lowest windows are those that ran at a passing higher clock. */
static struct tkf_band usual_state(const double *values, unsigned n)
{
    struct tkf_cluster usual = tkf_mode_cluster(values, n, FAST_WIDTH);
    return tkf_median_band(values + usual.first, usual.count);
}

static struct tkf_state state_of(const double *values, unsigned n, unsigned of)
{
    struct tkf_state state = {.share = of > 0 ? (double)n / of : 0};
    if (n > 0)
        state.cycles = (struct tkf_band){tkf_quantile(values, n, 0.1), tkf_quantile(values, n, 0.5),
                                         tkf_quantile(values, n, 0.9)};
    return state;
}

static struct tkf_band to_ns(const struct tkf_cpu_floor *f, struct tkf_band cycles)
{
    return (struct tkf_band){cycles.lo * f->cycle_ns, cycles.mid * f->cycle_ns,
                             cycles.hi * f->cycle_ns};
}

static void fill_histogram(const double *values, unsigned n, double fastest,
                           struct tkf_cpu_floor *f)
{
    f->histogram_lo_cycles = 0.95 * fastest; /* the fastest state fills the first bin */
    f->histogram_bin_cycles = 0.1 * fastest;
    for (unsigned i = 0; i < n; i++) {
        double at = (values[i] - f->histogram_lo_cycles) / f->histogram_bin_cycles;
        if (at < 0)
            at = 0;
        f->histogram[at < TKF_HISTOGRAM_BINS ? (unsigned)at : TKF_HISTOGRAM_BINS - 1]++;
    }
}

static void analyse_kernel(struct session *s, const struct analysis *a, unsigned k,
                           struct tkf_cpu_floor *f)
{
    const struct tkf_kernel *kernel = &tkf_arch_kernels[k];
    double *values = s->scratch->values;
    unsigned n = gather_cycles(s, a, k, values), end = 0;
    struct tkf_band cycles = {tkf_nan(), tkf_nan(), tkf_nan()};
    if (n > 0 && kernel->role == TKF_ROLE_CHAIN)
        cycles = widen(s, k, usual_state(values, n), f->cycle_ticks.mid);
    else if (n > 0)
        cycles = widen(s, k, fastest_state(values, n, &end), f->cycle_ticks.mid);
    while (n > end && values[n - 1] > GAP * cycles.mid)
        n--;

    switch (kernel->role) {
    case TKF_ROLE_CHAIN:
        if (f->nchains == TKF_CHAINS_MAX)
            return;
        if (k == tkf_arch_roles.chain_check)
            f->chain_check = cycles.mid;
        f->chains[f->nchains++] = (struct tkf_chain){
            .name = kernel->name,
            .text = kernel->text,
            .cycles = k == tkf_arch_roles.chain_cycle ? (struct tkf_band){1, 1, 1} : cycles,
            .event_cycles = tkf_nan(),
        };
        return;
    case TKF_ROLE_LOOP:
        if (f->nloops == TKF_LOOPS_MAX)
            return;
        f->loops[f->nloops++] = (struct tkf_loop){
            .name = kernel->name,
            .shape = kernel->shape,
            .text = kernel->text,
            .offset_bytes = kernel->offset_bytes,
            .cycles = cycles,
            .ns = to_ns(f, cycles),
            .fast = state_of(values, end, n),
            .slow = state_of(values + end, n - end, n),
            .windows = n,
            .event_cycles = tkf_nan(),
            .event_instructions = tkf_nan(),
        };
        if (k == tkf_arch_roles.loop_fused && n > 0)
            fill_histogram(values, n, cycles.mid, f);
        return;
    case TKF_ROLE_COST:
        if (f->ncosts == TKF_COSTS_MAX)
            return;
        f->costs[f->ncosts++] = (struct tkf_cost){
            .name = kernel->name, .text = kernel->text, .cycles = cycles, .ns = to_ns(f, cycles)};
        return;
    }
}

/**
 * The band: the fastest loop, the middle of the aligned ones, and the slowest placement or state that is not rare.
 * The aligned fused loop has its windows: there is one at least.
 */
static void find_band(struct tkf_cpu_floor *f)
{
    double aligned[TKF_LOOPS_MAX];
    unsigned naligned = 0;
    struct tkf_band band = {1e9, tkf_nan(), 0};
    for (unsigned i = 0; i < f->nloops; i++) {
        const struct tkf_loop *loop = &f->loops[i];
        if (tkf_is_nan(loop->cycles.mid))
            continue;
        if (loop->cycles.mid < band.lo)
            band.lo = loop->cycles.mid;
        if (loop->cycles.mid > band.hi)
            band.hi = loop->cycles.mid;
        if (loop->offset_bytes != 0)
            continue;
        aligned[naligned++] = loop->cycles.mid;
        if (loop->slow.share >= SLOW_SHARE_MIN &&
            loop->slow.share * loop->windows >= SLOW_WINDOWS_MIN && loop->slow.cycles.mid > band.hi)
            band.hi = loop->slow.cycles.mid;
    }
    tkf_sort(aligned, naligned);
    band.mid = tkf_quantile(aligned, naligned, 0.5);
    f->floor_cycles = band;
    f->floor_ns = to_ns(f, band);
    f->suspect_below_ns = f->floor_ns.hi;
}

/** What one call of the environment's clock costs: people time with it. */
static void time_clock(struct session *s, struct tkf_cpu_floor *f)
{
    enum { CALLS = 200, SAMPLES = 24 };
    const struct tkf_env *env = s->env;
    if (env->clock_ns == NULL || f->ncosts == TKF_COSTS_MAX)
        return;
    double cycles[SAMPLES];
    unsigned n = 0;
    for (unsigned i = 0; i < SAMPLES; i++) {
        uint64_t from = tkf_window_now(env, s->src);
        for (unsigned k = 0; k < CALLS; k++)
            env->clock_ns(env->ctx);
        uint64_t to = tkf_window_now(env, s->src);
        if (to > from)
            cycles[n++] = (double)(to - from) / CALLS / f->cycle_ticks.mid;
    }
    if (n == 0)
        return;
    tkf_sort(cycles, n);
    struct tkf_cluster usual = tkf_mode_cluster(cycles, n, 0.02);
    struct tkf_band band = tkf_median_band(cycles + usual.first, usual.count);
    f->costs[f->ncosts++] = (struct tkf_cost){.name = "clock",
                                              .text = "a call of the system's clock",
                                              .cycles = band,
                                              .ns = to_ns(f, band)};
}

/** Hardware events for one operation: the difference of two lengths, so that what surrounds the body cancels. */
static int count_events(struct session *s, unsigned kernel, double *ret_cycles,
                        double *ret_instructions)
{
    struct tkf_events at[3];
    uint64_t ticks[2], iters = s->iters[kernel];
    int error = s->env->events(s->env->ctx, &at[0]);
    if (error != 0)
        return error;
    for (unsigned i = 0; i < 2; i++) {
        tkf_window_run(s->env, s->src, kernel, iters * (i + 1), ticks);
        if ((error = s->env->events(s->env->ctx, &at[i + 1])) != 0)
            return error;
    }
    double ops = (double)iters * tkf_arch_kernels[kernel].ops;
    *ret_cycles =
        ((double)(at[2].cycles - at[1].cycles) - (double)(at[1].cycles - at[0].cycles)) / ops;
    *ret_instructions = ((double)(at[2].instructions - at[1].instructions) -
                         (double)(at[1].instructions - at[0].instructions)) /
                        ops;
    return 0;
}

static void count_all_events(struct session *s, struct tkf_cpu_floor *f)
{
    f->events_error = TKF_EUNSUPPORTED;
    if (s->env->events == NULL)
        return;
    unsigned chain = 0, loop = 0;
    for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
        enum tkf_role role = tkf_arch_kernels[k].role;
        double cycles, instructions;
        if (role == TKF_ROLE_COST)
            continue;
        f->events_error = count_events(s, k, &cycles, &instructions);
        if (f->events_error != 0)
            return;
        if (role == TKF_ROLE_CHAIN && chain < f->nchains) {
            f->chains[chain++].event_cycles = cycles;
        } else if (role == TKF_ROLE_LOOP && loop < f->nloops) {
            f->loops[loop].event_cycles = cycles;
            f->loops[loop++].event_instructions = instructions;
        }
    }
}

/* ---- the whole ---------------------------------------------------------------------------------------------------------- */

/** Rounds until there are enough, the rate's two windows are long enough, and the fused loop was seen at its fastest. */
static int run_rounds(struct session *s, uint64_t from_ns, struct tkf_moment moments[3],
                      unsigned *ret_rounds)
{
    const struct tkf_env *env = s->env;
    const struct tkf_calibrate_options *o = s->options;
    unsigned rounds_max = TKF_WINDOWS_MAX / WINDOWS_EACH_ROUND, rounds = 0;
    bool clock = env->clock_ns != NULL, halfway = false;

    s->nwindows = 0;
    if (clock)
        moments[0] = tkf_moment_read(env, s->src);
    for (; rounds < rounds_max; rounds++) {
        uint64_t now_ns = clock ? env->clock_ns(env->ctx) : 0;
        bool enough = rounds >= o->rounds;
        bool late = clock && rounds >= ROUNDS_MIN && now_ns - from_ns >= o->limit_ns;
        if ((enough || late) && (!clock || (halfway && now_ns - moments[1].clock_ns >= o->rate_ns)))
            break;
        if (clock && !halfway &&
            (rounds == rounds_max / 2 ||
             (now_ns - moments[0].clock_ns >= o->rate_ns && (late || rounds >= o->rounds / 2)))) {
            moments[1] = tkf_moment_read(env, s->src);
            halfway = true;
        }
        if (tkf_window_cancelled(env))
            return TKF_ECANCELLED;
        if (rounds % 32 == 0)
            tkf_window_progress(env, 0.2 + 0.75 * rounds / ((double)rounds + o->rounds),
                                "measuring");
        run_round(s);
    }
    if (clock)
        moments[2] = tkf_moment_read(env, s->src);
    *ret_rounds = rounds;
    return 0;
}

int tkf_calibrate_cpu(const struct tkf_env *env, const struct tkf_calibrate_options *options,
                      struct tkf_counter *counter, const unsigned *candidates, unsigned ncandidates,
                      struct tkf_scratch *scratch, struct tkf_cpu_floor *ret_floor)
{
    if (env == NULL || options == NULL || counter == NULL || counter->source == NULL ||
        scratch == NULL || ret_floor == NULL || (ncandidates > 0 && candidates == NULL) ||
        options->window_ns == 0 || options->rounds == 0 || tkf_arch_nkernels > KERNELS_MAX)
        return TKF_EINVAL;

    struct session s = {.env = env,
                        .options = options,
                        .src = counter->source,
                        .counter = counter,
                        .scratch = scratch};
    struct tkf_cpu_floor f = {.chain_check = tkf_nan()};
    struct tkf_moment moments[3];
    uint64_t from_ns = env->clock_ns != NULL ? env->clock_ns(env->ctx) : 0;

    sort_kernels(&s);
    int error = choose_cpu(&s, candidates, ncandidates, &f);
    if (error == 0)
        error = run_rounds(&s, from_ns, moments, &f.rounds);
    if (error != 0)
        return error;

    struct tkf_counter settled = *counter;
    if (env->clock_ns == NULL || s.src->unit == TKF_UNIT_NS)
        tkf_rate_declare(&settled); /* a clock that counts ns would be held against itself */
    else
        tkf_rate_settle(&settled, moments);
    s.counter = &settled;

    if ((error = find_cycle(&s, &f)) != 0)
        return error;
    struct analysis a = {.local_ticks = scratch->more_values};
    pair_windows(&s, &f, &a);
    f.disturbed_share = (double)a.disturbed / s.nwindows;
    if (gather_cycles(&s, &a, tkf_arch_roles.loop_fused, scratch->values) < WINDOWS_MIN)
        return TKF_ENOISE;
    for (unsigned k = 0; k < tkf_arch_nkernels; k++)
        analyse_kernel(&s, &a, k, &f);
    find_band(&f);
    time_clock(&s, &f);
    count_all_events(&s, &f);
    tkf_window_progress(env, 1, "done");

    *counter = settled;
    *ret_floor = f;
    return 0;
}
