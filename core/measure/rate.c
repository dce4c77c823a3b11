/* SPDX-License-Identifier: MIT */
#include "rate.h"

#include "stats.h"
#include "window.h"

/* Two windows of tens of milliseconds each agree to a few ppm when both clocks are sound; a declared rate is a crystal's nominal
 * value or a rounded one, good to hundreds of ppm. */
#define WINDOWS_AGREE_PPM 200
#define SOURCES_AGREE_PPM 1000

/* A fenced read takes 8 to 40 ns on the machines known. */
#define USUAL_READ_NS 20

static const char *const window_names[2] = {"os-clock window 1", "os-clock window 2"};

static void name_rate(struct tkf_rate *rate, const char *name)
{
    unsigned i = 0;
    for (; name[i] != '\0' && i + 1 < sizeof rate->name; i++)
        rate->name[i] = name[i];
    rate->name[i] = '\0';
}

static bool named(const struct tkf_rate *rate, const char *name)
{
    unsigned i = 0;
    while (name[i] != '\0' && rate->name[i] == name[i])
        i++;
    return rate->name[i] == name[i] || i + 1 == sizeof rate->name;
}

struct tkf_moment tkf_moment_read(const struct tkf_env *env, const struct tkf_source *src)
{
    struct tkf_moment best = {0, 0, UINT64_MAX};
    /* The first tries warm the clock's code and data; an interrupt makes one try wide, never all of them. */
    for (int i = 0; i < 24; i++) {
        uint64_t before = tkf_window_now(env, src);
        uint64_t clock_ns = env->clock_ns(env->ctx);
        uint64_t after = tkf_window_now(env, src);
        if (after >= before && after - before < best.uncertain_ticks)
            best = (struct tkf_moment){before + (after - before) / 2, clock_ns, after - before};
    }
    return best;
}

double tkf_moment_rate_hz(const struct tkf_moment *from, const struct tkf_moment *to)
{
    if (to->clock_ns <= from->clock_ns || to->ticks <= from->ticks)
        return tkf_nan();
    return (double)(to->ticks - from->ticks) * 1e9 / (double)(to->clock_ns - from->clock_ns);
}

double tkf_rate_guess_hz(const struct tkf_counter *counter)
{
    return tkf_is_nan(counter->hz) ? counter->read_ticks.mid * 1e9 / USUAL_READ_NS : counter->hz;
}

void tkf_rate_use(struct tkf_counter *counter, double hz)
{
    counter->hz = hz;
    for (unsigned i = 0; i < counter->nrates; i++)
        counter->rates[i].ppm_off = (counter->rates[i].hz / hz - 1) * 1e6;
    counter->step_ns = tkf_ticks_to_ns(counter, (double)counter->step_ticks);
    counter->read_ns = (struct tkf_band){
        tkf_ticks_to_ns(counter, counter->read_ticks.lo),
        tkf_ticks_to_ns(counter, counter->read_ticks.mid),
        tkf_ticks_to_ns(counter, counter->read_ticks.hi),
    };
}

static void put_rate(struct tkf_counter *counter, const char *name, double hz)
{
    unsigned i = 0;
    while (i < counter->nrates && !named(&counter->rates[i], name))
        i++;
    if (i == TKF_RATES_MAX)
        return;
    if (i == counter->nrates)
        counter->nrates++;
    name_rate(&counter->rates[i], name);
    counter->rates[i].hz = hz;
}

void tkf_rate_settle(struct tkf_counter *counter, const struct tkf_moment moments[3])
{
    double whole = tkf_moment_rate_hz(&moments[0], &moments[2]);
    double parts[2] = {tkf_moment_rate_hz(&moments[0], &moments[1]),
                       tkf_moment_rate_hz(&moments[1], &moments[2])};
    if (tkf_is_nan(parts[0]) || tkf_is_nan(parts[1])) {
        tkf_rate_declare(counter);
        counter->trust = TKF_TRUST_CONFLICT;
        return;
    }
    for (int i = 0; i < 2; i++)
        put_rate(counter, window_names[i], parts[i]);
    tkf_rate_use(counter, whole);

    double apart_ppm = (parts[1] / parts[0] - 1) * 1e6;
    counter->trust = TKF_TRUST_VERIFIED;
    if (apart_ppm > WINDOWS_AGREE_PPM || apart_ppm < -WINDOWS_AGREE_PPM)
        counter->trust = TKF_TRUST_CONFLICT;
    for (unsigned i = 0; i < counter->nrates; i++) {
        double off = counter->rates[i].ppm_off;
        if (off > SOURCES_AGREE_PPM || off < -SOURCES_AGREE_PPM)
            counter->trust = TKF_TRUST_CONFLICT;
    }
}

void tkf_rate_declare(struct tkf_counter *counter)
{
    tkf_rate_use(counter, counter->nrates > 0 ? counter->rates[0].hz : tkf_nan());
    counter->trust = TKF_TRUST_DECLARED;
}

void tkf_rate_add(struct tkf_counter *counter, const char *name, double hz)
{
    if (hz > 0)
        put_rate(counter, name, hz);
}

double tkf_ticks_to_ns(const struct tkf_counter *counter, double ticks)
{
    return ticks * 1e9 / counter->hz;
}
