/* SPDX-License-Identifier: MIT */
/**
 * One CPU's floor: the core cycle, the empty loop in its shapes, and the small costs around it.
 *
 * Short windows, many of them. A long window lies on a shared CPU: it spans a scheduler's slice and reports half the clock.
 */
#include "rate.h"
#include "session.h"
#include "stats.h"
#include "window.h"

#define ROUNDS_MIN         40
#define ROUNDS_TRIAL       60 /* after so many with too few fast windows, another CPU is looked for */
#define FAST_ENOUGH        12 /* windows of the fused loop at its fastest that a calibration should hold */
#define OTHERS_EACH_ROUND  6
#define WINDOWS_EACH_ROUND 16 /* at most: with the chain between them */

/** Which kernel runs when: the aligned loops in every round, everything else in turn. */
struct schedule {
    unsigned leading[TKF_KERNELS_MAX], nleading;
    unsigned others[TKF_KERNELS_MAX], nothers, next_other;
    unsigned rounds;
    unsigned fast; /* rounds in which the fused loop ran at its fastest */
};

void tkf_calibrate_defaults(struct tkf_calibrate_options *ret_options, bool quick)
{
    *ret_options = (struct tkf_calibrate_options){
        .window_ns = quick ? 30000 : 40000,
        .rounds = quick ? 80 : 500,
        .hunt_ns = quick ? 25000000 : 400000000,
        .rate_ns = quick ? 15000000 : 60000000,
        .limit_ns = quick ? 60000000 : 700000000,
    };
}

static struct schedule make_schedule(void)
{
    struct schedule plan = {.nleading = 0};
    for (unsigned k = 0; k < tkf_arch_nkernels; k++) {
        const struct tkf_kernel *kernel = &tkf_arch_kernels[k];
        if (k == tkf_arch_roles.chain_cycle)
            continue;
        if (kernel->role == TKF_ROLE_LOOP && kernel->offset_bytes == 0)
            plan.leading[plan.nleading++] = k;
        else
            plan.others[plan.nothers++] = k;
    }
    return plan;
}

static void run_round(struct tkf_session *s, struct schedule *plan)
{
    unsigned chain = tkf_arch_roles.chain_cycle;
    double cycle_ticks = tkf_session_record(s, chain);
    for (unsigned i = 0; i < plan->nleading; i++) {
        double loop_ticks = tkf_session_record(s, plan->leading[i]);
        if (plan->leading[i] == tkf_arch_roles.loop_fused)
            plan->fast += loop_ticks <= cycle_ticks * s->fastest_cycles * TKF_STATE_WIDTH;
        if (i % 2 == 1)
            tkf_session_record(s, chain);
    }
    for (unsigned i = 0; i < OTHERS_EACH_ROUND && plan->nothers > 0; i++) {
        if (i % 2 == 1)
            tkf_session_record(s, chain);
        tkf_session_record(s, plan->others[plan->next_other]);
        plan->next_other = (plan->next_other + 1) % plan->nothers;
    }
    plan->rounds++;
}

/**
 * Rounds until there are enough, the fused loop was seen at its fastest, and the rate's two windows are long enough.
 * @return 0 · TKF_ECANCELLED · TKF_ENOISE: the loop has not been fast yet, and there is time to look for another CPU.
 */
static int run_rounds(struct tkf_session *s, bool may_move, struct tkf_moment moments[3],
                      unsigned *ret_rounds)
{
    const struct tkf_env *env = s->env;
    const struct tkf_calibrate_options *o = s->options;
    struct schedule plan = make_schedule();
    bool clock = env->clock_ns != NULL, halfway = false;

    s->nwindows = 0;
    if (clock)
        moments[0] = tkf_moment_read(env, s->src);
    while (s->nwindows + WINDOWS_EACH_ROUND <= TKF_WINDOWS_MAX) {
        uint64_t elapsed_ns = tkf_session_elapsed_ns(s), now_ns = s->from_ns + elapsed_ns;
        bool seen_fast = plan.fast >= FAST_ENOUGH;
        bool late = clock && plan.rounds >= ROUNDS_MIN && elapsed_ns >= o->limit_ns;
        bool enough = late || (plan.rounds >= o->rounds && (seen_fast || !clock));
        if (may_move && !seen_fast && plan.rounds > 0 && plan.rounds % ROUNDS_TRIAL == 0 && clock &&
            elapsed_ns < o->hunt_ns)
            return TKF_ENOISE;
        bool middle =
            (late || plan.rounds >= o->rounds / 2) && now_ns - moments[0].clock_ns >= o->rate_ns;
        if (clock && !halfway && (middle || s->nwindows >= TKF_WINDOWS_MAX / 2)) {
            moments[1] = tkf_moment_read(env, s->src);
            halfway = true;
        } else if (enough && (!clock || (halfway && now_ns - moments[1].clock_ns >= o->rate_ns))) {
            break;
        }
        if (tkf_window_cancelled(env))
            return TKF_ECANCELLED;
        if (plan.rounds % 32 == 0)
            tkf_window_progress(env, 0.2 + 0.75 * plan.rounds / ((double)plan.rounds + o->rounds),
                                "measuring");
        run_round(s, &plan);
    }
    if (clock)
        moments[2] = tkf_moment_read(env, s->src);
    *ret_rounds = plan.rounds;
    return 0;
}

int tkf_calibrate_cpu(const struct tkf_env *env, const struct tkf_calibrate_options *options,
                      struct tkf_counter *counter, const unsigned *candidates, unsigned ncandidates,
                      struct tkf_scratch *scratch, struct tkf_cpu_floor *ret_floor)
{
    if (env == NULL || options == NULL || counter == NULL || counter->source == NULL ||
        scratch == NULL || ret_floor == NULL || (ncandidates > 0 && candidates == NULL) ||
        options->window_ns == 0 || options->rounds == 0 || tkf_arch_nkernels > TKF_KERNELS_MAX)
        return TKF_EINVAL;

    struct tkf_session s = {
        .env = env,
        .options = options,
        .src = counter->source,
        .counter = counter,
        .scratch = scratch,
        .from_ns = env->clock_ns != NULL ? env->clock_ns(env->ctx) : 0,
        .fastest_cycles = 1e9,
    };
    struct tkf_cpu_floor f = {.chain_check = tkf_nan(), .own_cycles = tkf_nan()};
    struct tkf_moment moments[3];
    int error;

    do {
        error = tkf_hunt(&s, candidates, ncandidates, options->hunt_ns, &f);
        if (error != 0)
            return error;
        error = run_rounds(&s, f.ncandidates > 1, moments, &f.rounds);
    } while (error == TKF_ENOISE);
    if (error != 0)
        return error;

    struct tkf_counter settled = *counter;
    if (env->clock_ns == NULL || s.src->unit == TKF_UNIT_NS)
        tkf_rate_declare(&settled); /* a clock that counts ns would be held against itself */
    else
        tkf_rate_settle(&settled, moments);
    s.counter = &settled;

    if ((error = tkf_analyse(&s, &f)) != 0)
        return error;
    tkf_count_events(&s, &f);
    tkf_count_own_cycles(&s, &f);
    tkf_window_progress(env, 1, "done");

    *counter = settled;
    *ret_floor = f;
    return 0;
}
