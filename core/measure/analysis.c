/* SPDX-License-Identifier: MIT */
/**
 * What the windows say.
 *
 * Every window stands beside windows of the defining chain, whose speed is the core clock and nothing else: a loop's cost is the
 * ratio of the two, so a change of clock between them cancels, and a window whose chain was disturbed is not used.
 */
#include "session.h"
#include "stats.h"
#include "window.h"

#define CHAIN_WIDTH      0.002 /* the chain's windows spread by the counter's step and little else */
#define CHAIN_NEED_MIN   8
#define LOOP_NEED_MIN    8
#define CLOCK_HOP        1.03 /* a core clock does not change by more for a moment */
#define FAST_NEED        4    /* windows that make a state */
#define CHAIN_NEAR       4 /* chain windows on each side that share a clock: about a millisecond */
#define FAST_WIDTH       0.003 /* a loop's fastest state is about as narrow */
#define DISTURBED        1.02  /* a chain window this much above its neighbours was interrupted */
#define GAP_MIN          1.05  /* a chain window longer than this lost time to something else */
#define GAP              4.5 /* no state costs a loop this much: something else ran in the window */
#define SLOW_SHARE_MIN   0.05 /* a slow state rarer than this does not widen the band */
#define SLOW_WINDOWS_MIN 8

/** The defining chain's windows in order, ticks for a link; not positive where the counter failed. */
static unsigned gather_chain(const struct tkf_session *s, double *ret_ticks)
{
    unsigned chain = tkf_arch_roles.chain_cycle, n = 0;
    for (unsigned w = 0; w < s->nwindows; w++) {
        if (s->scratch->kernel[w] == chain)
            ret_ticks[n++] = tkf_session_op_ticks(s, chain, (double)s->scratch->ticks[w]);
    }
    return n;
}

/** An interval of ticks for each operation cannot be narrower than one step of the counter is in a window. */
static struct tkf_band widen(const struct tkf_session *s, unsigned kernel, struct tkf_band band,
                             double unit_ticks)
{
    double ops = (double)s->iters[kernel] * tkf_arch_kernels[kernel].ops;
    double half_step = 0.5 * (double)s->counter->step_ticks / ops / unit_ticks;
    return (struct tkf_band){band.lo - half_step, band.mid, band.hi + half_step};
}

/**
 * What a chain costs, among its n sorted windows: where half of them agree. Where no half agrees, the lowest dense cluster: a
 * busy sibling that takes an ALU now and then slows even a dependent chain, by a per cent or several and never the same.
 */
static struct tkf_cluster chain_cluster(const double *sorted, unsigned n)
{
    struct tkf_cluster usual = tkf_mode_cluster(sorted, n, CHAIN_WIDTH);
    if (usual.count >= n / 2)
        return usual;
    unsigned need = n / 20 > CHAIN_NEED_MIN ? n / 20 : CHAIN_NEED_MIN;
    return tkf_lowest_cluster(sorted, n, CHAIN_WIDTH, need);
}

/** The core cycle, from the defining chain's windows; and what time they lost to others. */
static int find_cycle(struct tkf_session *s, struct tkf_cpu_floor *f)
{
    unsigned chain = tkf_arch_roles.chain_cycle;
    double *values = s->scratch->values;
    unsigned nall = gather_chain(s, values), n = 0;
    for (unsigned i = 0; i < nall; i++) {
        if (values[i] > 0)
            values[n++] = values[i];
    }
    tkf_sort(values, n);
    struct tkf_cluster usual = chain_cluster(values, n);
    if (usual.count < CHAIN_NEED_MIN)
        return TKF_ENOISE;
    f->cycle_ticks = widen(s, chain, tkf_midmean_band(values + usual.first, usual.count), 1);
    f->cycle_ns = tkf_ticks_to_ns(s->counter, f->cycle_ticks.mid);
    f->core_hz = 1e9 / f->cycle_ns;

    double lost = 0, all = 0;
    for (unsigned i = 0; i < n; i++) {
        all += values[i];
        if (values[i] > GAP_MIN * f->cycle_ticks.mid)
            lost += values[i] - f->cycle_ticks.mid;
    }
    double ops = (double)s->iters[chain] * tkf_arch_kernels[chain].ops;
    f->lost_share = lost / all;
    f->worst_gap_ns = tkf_ticks_to_ns(s->counter, (values[n - 1] - f->cycle_ticks.mid) * ops);
    return 0;
}

static double mean_of(const double *values, struct tkf_cluster cluster)
{
    double sum = 0;
    for (unsigned i = 0; i < cluster.count; i++)
        sum += values[cluster.first + i];
    return cluster.count > 0 ? sum / cluster.count : 0;
}

/**
 * The core clock around the j-th of n chain windows, ticks for a link; 0 when no window there is good.
 *
 * The clock hardly changes within a millisecond. So it is the usual one if a few windows near say so; else where most of them
 * agree, unless others are faster by more than a clock hops: then most of them were interrupted alike.
 */
static double local_cycle(const double *chain_ticks, unsigned n, unsigned j, double usual_ticks)
{
    double near[2 * CHAIN_NEAR + 1];
    unsigned from = j > CHAIN_NEAR ? j - CHAIN_NEAR : 0, count = 0;
    struct tkf_cluster usual = {0, 0};
    for (unsigned i = from; i < n && i <= j + CHAIN_NEAR; i++) {
        if (chain_ticks[i] > 0)
            near[count++] = chain_ticks[i];
    }
    tkf_sort(near, count);
    for (unsigned i = 0; i < count; i++) {
        usual.first += near[i] < usual_ticks * (1 - CHAIN_WIDTH);
        usual.count += near[i] >= usual_ticks * (1 - CHAIN_WIDTH) &&
                       near[i] <= usual_ticks * (1 + CHAIN_WIDTH);
    }
    if (usual.count >= 2)
        return mean_of(near, usual);
    struct tkf_cluster most = tkf_mode_cluster(near, count, CHAIN_WIDTH);
    struct tkf_cluster lowest = tkf_lowest_cluster(near, count, CHAIN_WIDTH, 2);
    bool interrupted = lowest.count > 0 && near[lowest.first] * CLOCK_HOP < near[most.first];
    return mean_of(near, interrupted ? lowest : most);
}

static bool undisturbed(double chain_ticks, double local_ticks)
{
    return chain_ticks > 0 && chain_ticks <= local_ticks * DISTURBED;
}

/**
 * The core clock beside each window, ticks for a link of the chain; 0 where the chain on both sides of the window was
 * disturbed. Returns how many are.
 */
static unsigned pair_windows(struct tkf_session *s, double usual_ticks, double *ret_local_ticks)
{
    double *chain_ticks = s->scratch->values;
    unsigned n = gather_chain(s, chain_ticks), passed = 0, disturbed = 0;
    for (unsigned w = 0; w < s->nwindows; w++) {
        passed += s->scratch->kernel[w] == tkf_arch_roles.chain_cycle;
        unsigned before = passed > 0 ? passed - 1 : 0, after = passed < n ? passed : n - 1;
        double local = local_cycle(chain_ticks, n, before, usual_ticks);
        bool good =
            undisturbed(chain_ticks[before], local) || undisturbed(chain_ticks[after], local);
        ret_local_ticks[w] = good ? local : 0;
        disturbed += !good;
    }
    return disturbed;
}

/** The undisturbed windows of one kernel, in core cycles for each operation, sorted. */
static unsigned gather_cycles(const struct tkf_session *s, const double *local_ticks,
                              unsigned kernel, double *ret_values)
{
    unsigned n = 0;
    for (unsigned w = 0; w < s->nwindows; w++) {
        double ticks = tkf_session_op_ticks(s, kernel, (double)s->scratch->ticks[w]);
        if (s->scratch->kernel[w] == kernel && local_ticks[w] > 0 && ticks > 0)
            ret_values[n++] = ticks / local_ticks[w];
    }
    tkf_sort(ret_values, n);
    return n;
}

/**
 * The fastest state: from the lowest place that a few windows share, as far as a state is wide, and there where most windows agree.
 * A few are enough to begin it: nothing makes a loop's window too short, only the clock taken beside it can be a little off.
 */
static struct tkf_band fastest_state(const double *values, unsigned n, unsigned *ret_end)
{
    struct tkf_cluster fast = tkf_lowest_cluster(values, n, FAST_WIDTH, FAST_NEED + n / 256);
    if (fast.count == 0) {
        /* No few windows agree: the lower half is all that can be said. */
        *ret_end = n;
        return tkf_midmean_band(values, n / 2 > 0 ? n / 2 : n);
    }
    unsigned end = fast.first;
    while (end < n && values[end] <= values[fast.first] * TKF_STATE_WIDTH)
        end++;
    const double *state = values + fast.first;
    struct tkf_cluster most = tkf_mode_cluster(state, end - fast.first, 2 * FAST_WIDTH);
    *ret_end = end;
    return tkf_midmean_band(state + most.first, most.count);
}

/** A chain has no states: its cost is taken as the cycle's is. */
static struct tkf_band usual_cost(const double *values, unsigned n)
{
    struct tkf_cluster usual = chain_cluster(values, n);
    return usual.count > 0 ? tkf_midmean_band(values + usual.first, usual.count)
                           : tkf_median_band(values, n);
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

static void analyse_kernel(struct tkf_session *s, const double *local_ticks, unsigned k,
                           struct tkf_cpu_floor *f)
{
    const struct tkf_kernel *kernel = &tkf_arch_kernels[k];
    double *values = s->scratch->values;
    unsigned n = gather_cycles(s, local_ticks, k, values), end = 0;
    struct tkf_band cycles = {tkf_nan(), tkf_nan(), tkf_nan()};
    if (n > 0 && kernel->role == TKF_ROLE_CHAIN)
        cycles = widen(s, k, usual_cost(values, n), f->cycle_ticks.mid);
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
static void time_clock(struct tkf_session *s, struct tkf_cpu_floor *f)
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

int tkf_analyse(struct tkf_session *s, struct tkf_cpu_floor *f)
{
    int error = find_cycle(s, f);
    if (error != 0)
        return error;
    double *local_ticks = s->scratch->more_values;
    f->disturbed_share = (double)pair_windows(s, f->cycle_ticks.mid, local_ticks) / s->nwindows;
    if (gather_cycles(s, local_ticks, tkf_arch_roles.loop_fused, s->scratch->values) <
        LOOP_NEED_MIN)
        return TKF_ENOISE;
    for (unsigned k = 0; k < tkf_arch_nkernels; k++)
        analyse_kernel(s, local_ticks, k, f);
    find_band(f);
    time_clock(s, f);
    return 0;
}
