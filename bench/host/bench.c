/* SPDX-License-Identifier: MIT */
/** One repetition: the loop's windows, the timer, and what is done wrong with them. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench_run.h"
#include "stats.h"

/* A window: long against its two readings and the counter's step, short against a scheduler's slice. */
#define WINDOW_NS    100e3
#define WINDOW_STEPS 1000

/* A benchmark that spends its time outside the timer ends all the same, and so does one whose body takes so long that it was
 * no interruption. */
#define WALL_FACTOR 4
#define SLOW_NS     1e9

/* Windows of a repetition with a fixed number of iterations. */
#define FIXED_WINDOWS 64

/* The fastest state: the lowest place where one window in so many lies within this, relative. */
#define FAST_SHARE 100
#define FAST_MIN   3
#define FAST_WIDTH 0.01

/* In TKF_BENCH_N: from so many iterations on, less than this for each is no loop. Ten times faster than any CPU's. */
#define LOOP_SURE    1000000
#define LOOP_GONE_NS 0.01
#define RAMP_FACTOR  100
#define RAMP_MAX     UINT64_C(1000000000000)

#define ONE_LOOP "a benchmark has one, in one thread; put the other into a benchmark of its own"

enum phase {
    SETUP, /* before the loop: the timer does not run */
    RUNNING,
    STOPPED, /* in the loop, by tkf_timer_stop() */
    ENDED,
};

struct tkf_bench_run {
    const struct tkf_bench_entry *entry;
    const struct tkf_bench_timer *timer;
    const struct tkf_bench_limit *limit;
    struct tkf_bench_repetition *result;
    bool count_mem;
    enum phase phase;
    bool sized; /* the next window has its size: what it takes is a sample */
    bool was_reset;
    uint64_t window_iterations;
    uint64_t window_ticks;     /* of the window, as far as the timer was stopped in it */
    uint64_t started_ticks;    /* when the timer last started */
    uint64_t entered_ticks;    /* when the loop was entered: wall time */
    double sampled_ns;         /* the time of the samples so far */
    struct tkf_mem_counts mem; /* when the timer last started */
    const char *loop_file;
    unsigned loop_line;
};

static struct tkf_bench_entry *first_entry, **last_entry = &first_entry;

void tkf_bench_register(struct tkf_bench_entry *entry)
{
    entry->next = NULL;
    *last_entry = entry;
    last_entry = &entry->next;
}

struct tkf_bench_entry *tkf_bench_entries(void)
{
    return first_entry;
}

/* ---- misuse ------------------------------------------------------------------------------------------------------- */

/** Keep the first error, and end the loop at its next look. */
static void fail(struct tkf_bench_run *run, const char *file, unsigned line, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

static void fail(struct tkf_bench_run *run, const char *file, unsigned line, const char *format,
                 ...)
{
    run->phase = ENDED;
    if (run->result->error[0] != '\0')
        return;
    char text[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(run->result->error, sizeof run->result->error, "%s:%u: %s", file, line, text);
}

/* ---- the timer ---------------------------------------------------------------------------------------------------- */

static uint64_t now(const struct tkf_bench_run *run)
{
    return run->timer->now(run->timer->ctx);
}

/** The reading is the last thing that is done. */
static void start_timer(struct tkf_bench_run *run)
{
    run->phase = RUNNING;
    if (run->count_mem)
        tkf_mem_read(&run->mem);
    run->started_ticks = now(run);
}

/** `ticks` was read first of all. */
static void stop_timer(struct tkf_bench_run *run, uint64_t ticks)
{
    run->window_ticks += ticks - run->started_ticks;
    if (!run->count_mem)
        return;
    struct tkf_mem_counts counts, *sum = &run->result->mem;
    tkf_mem_read(&counts);
    sum->mallocs += counts.mallocs - run->mem.mallocs;
    sum->callocs += counts.callocs - run->mem.callocs;
    sum->reallocs += counts.reallocs - run->mem.reallocs;
    sum->aligned += counts.aligned - run->mem.aligned;
    sum->frees += counts.frees - run->mem.frees;
    sum->bytes += counts.bytes - run->mem.bytes;
}

void tkf_bench_stop(struct tkf_bench *b, const char *file, unsigned line)
{
    struct tkf_bench_run *run = b->run;
    uint64_t ticks = now(run);
    switch (run->phase) {
    case RUNNING:
        stop_timer(run, ticks);
        run->phase = STOPPED;
        run->result->brackets++;
        break;
    case SETUP:
        fail(run, file, line,
             "tkf_timer_stop() before the loop, where the timer does not run yet; leave it out: "
             "what lies before the loop is not measured");
        break;
    case STOPPED:
        fail(run, file, line,
             "tkf_timer_stop() without a start since the last stop; start the timer again with "
             "tkf_timer_start() where the measured part begins");
        break;
    case ENDED:
        fail(run, file, line,
             "tkf_timer_stop() after the loop, where the timer has stopped; leave it out: what "
             "lies after the loop is not measured");
        break;
    }
}

void tkf_bench_start(struct tkf_bench *b, const char *file, unsigned line)
{
    struct tkf_bench_run *run = b->run;
    switch (run->phase) {
    case STOPPED:
        start_timer(run);
        break;
    case RUNNING:
        fail(run, file, line,
             "tkf_timer_start() while the timer runs; stop it first: tkf_timer_stop(), then the "
             "fixture, then tkf_timer_start()");
        break;
    case SETUP:
    case ENDED:
        fail(run, file, line,
             "tkf_timer_start() outside the loop; leave it out: the loop starts and stops the "
             "timer itself");
        break;
    }
}

void tkf_bench_reset(struct tkf_bench *b, const char *file, unsigned line)
{
    struct tkf_bench_run *run = b->run;
    if (run->phase == SETUP)
        return; /* harmless: nothing has been measured */
    if (run->phase == ENDED || run->entry->loop != NULL) {
        fail(run, file, line,
             "tkf_timer_reset() in or after the loop would drop the time and keep the iterations; "
             "leave it out, or leave a fixture out with tkf_timer_stop() and tkf_timer_start()");
        return;
    }
    if (run->was_reset) {
        fail(run, file, line,
             "tkf_timer_reset() twice in one call would drop the time and keep the iterations; "
             "reset once, before the loop");
        return;
    }
    run->was_reset = true;
    run->window_ticks = 0;
    run->result->brackets = 0;
    memset(&run->result->mem, 0, sizeof run->result->mem);
    if (run->phase == RUNNING)
        start_timer(run);
}

/* ---- windows ------------------------------------------------------------------------------------------------------ */

static double window_wanted_ns(const struct tkf_bench_run *run)
{
    double steps = WINDOW_STEPS * run->timer->step_ns;
    return steps > WINDOW_NS ? steps : WINDOW_NS;
}

/** A window of the empty loop: ns of one iteration. */
static double run_empty(const struct tkf_bench_run *run)
{
    const struct tkf_bench_timer *timer = run->timer;
    double iterations = window_wanted_ns(run) / timer->empty_ns;
    return (double)timer->empty(timer->ctx, (uint64_t)iterations) * timer->tick_ns / iterations;
}

static bool keep_sample(struct tkf_bench_run *run, double ns)
{
    struct tkf_bench_repetition *result = run->result;
    if (result->nsamples == result->capacity) {
        size_t capacity = result->capacity > 0 ? 2 * result->capacity : 256;
        double *samples = realloc(result->samples, capacity * sizeof *samples);
        if (samples != NULL)
            result->samples = samples;
        uint64_t *sizes = realloc(result->sizes, capacity * sizeof *sizes);
        if (sizes != NULL)
            result->sizes = sizes;
        double *empty =
            run->limit->beside_empty ? realloc(result->empty, capacity * sizeof *empty) : NULL;
        if (empty != NULL)
            result->empty = empty;
        if (samples == NULL || sizes == NULL || (run->limit->beside_empty && empty == NULL))
            return false;
        result->capacity = capacity;
    }
    if (result->empty != NULL)
        result->empty[result->nsamples] = run_empty(run);
    result->samples[result->nsamples] = ns / (double)run->window_iterations;
    result->sizes[result->nsamples++] = run->window_iterations;
    return true;
}

/** How many iterations fill a window, from what this one took; never much more at once than it is sure of. */
static uint64_t grown(uint64_t iterations, double took_ns, double wanted_ns, double factor)
{
    double scale = took_ns > 0 ? wanted_ns / took_ns : factor;
    if (scale > factor)
        scale = factor;
    uint64_t more = (uint64_t)((double)iterations * scale);
    return more > iterations ? more : iterations + 1;
}

/** Whether it is time to end, whatever was measured: of all the time that passed this much was inside the timer. */
static bool is_late(const struct tkf_bench_run *run, double wall_ns, double inside_ns)
{
    double most_ns = WALL_FACTOR * run->limit->time_ns;
    return wall_ns - inside_ns >= most_ns || wall_ns >= fmax(most_ns, SLOW_NS);
}

/** The next window with a fixed number of iterations: one at first, so that misuse shows; 0 at the end. */
static uint64_t next_fixed(struct tkf_bench_run *run)
{
    uint64_t left = run->limit->iterations - run->result->iterations;
    uint64_t window = (run->limit->iterations - 1) / FIXED_WINDOWS;
    if (window == 0)
        window = 1;
    return left < window ? left : window;
}

static bool cancelled(const struct tkf_bench_run *run)
{
    return run->limit->cancelled != NULL && run->limit->cancelled(NULL);
}

/**
 * The next window's iterations; 0 when the repetition is complete. Keeps what was a sample.
 *
 * A window may have been interrupted, and be too short for all its length. So the size goes on growing while windows are short, and
 * what was sampled at a smaller size is dropped; and only samples count towards the time to fill.
 */
static uint64_t next_window(struct tkf_bench_run *run, double ns, double wall_ns)
{
    const struct tkf_bench_limit *limit = run->limit;
    struct tkf_bench_repetition *result = run->result;
    uint64_t next;
    bool is_sample, last;
    if (limit->iterations > 0) {
        next = next_fixed(run);
        last = next == 0;
        /* The first window, of one iteration, is a sample only where the others are of one too. */
        is_sample = result->iterations > 1 || limit->iterations <= FIXED_WINDOWS;
    } else {
        double wanted_ns = window_wanted_ns(run);
        bool is_short = ns < wanted_ns / 2;
        if (is_short) {
            result->nsamples = 0;
            run->sampled_ns = 0;
            run->sized = false;
        }
        next = is_short ? grown(run->window_iterations, ns, wanted_ns, RAMP_FACTOR)
                        : run->window_iterations;
        is_sample = run->sized;
        run->sized = !is_short;
        run->sampled_ns += is_sample ? ns : 0;
        last = run->sampled_ns >= limit->time_ns || is_late(run, wall_ns, result->total_ns);
    }
    last |= cancelled(run);
    /* The first window of all is cold: it counts only where there is no other. */
    if ((is_sample || (last && result->nsamples == 0)) && !keep_sample(run, ns)) {
        fail(run, run->loop_file, run->loop_line, "out of memory; take a shorter --time");
        return 0;
    }
    return last ? 0 : next;
}

size_t tkf_bench_next(struct tkf_bench *b, const char *file, unsigned line)
{
    struct tkf_bench_run *run = b->run;
    uint64_t ticks = now(run), next;
    if (run->entry->loop == NULL) {
        fail(run, file, line,
             "tkf_loop() in TKF_BENCH_N, which has a loop of its own; write TKF_BENCH, or a loop "
             "over b->n");
        return 0;
    }
    switch (run->phase) {
    case SETUP:
        run->loop_file = file;
        run->loop_line = line;
        run->entered_ticks = ticks;
        next = 1;
        break;
    case RUNNING: {
        if (line != run->loop_line) {
            fail(run, file, line, "a second loop, before the one at line %u ended; " ONE_LOOP,
                 run->loop_line);
            return 0;
        }
        stop_timer(run, ticks);
        double ns = (double)run->window_ticks * run->timer->tick_ns;
        run->result->iterations += run->window_iterations;
        run->result->total_ns += ns;
        double wall_ns = (double)(ticks - run->entered_ticks) * run->timer->tick_ns;
        next = next_window(run, ns, wall_ns);
        break;
    }
    case STOPPED:
        fail(run, file, line,
             "the body ended with the timer stopped; start it again with tkf_timer_start() where "
             "the measured part begins");
        return 0;
    case ENDED:
        /* After an earlier error this is only the loop ending. */
        fail(run, file, line, "a second loop; " ONE_LOOP);
        return 0;
    default:
        return 0;
    }
    if (next == 0) {
        run->phase = ENDED;
        return 0;
    }
    if (next > SIZE_MAX)
        next = SIZE_MAX;
    run->window_iterations = next;
    run->window_ticks = 0;
    start_timer(run);
    return next;
}

/* ---- the repetition ------------------------------------------------------------------------------------------------- */

static void run_loop(struct tkf_bench_run *run, struct tkf_bench *b)
{
    const struct tkf_bench_entry *entry = run->entry;
    entry->loop(b, 1);
    if (run->phase == SETUP)
        fail(run, entry->file, entry->line,
             "the loop was never reached; write while (tkf_loop(b)), or TKF_BENCH_N for a loop "
             "over b->n");
    else if (run->phase != ENDED)
        fail(run, run->loop_file, run->loop_line,
             "the loop was left by break or return; let it end by itself");
}

/** One call with n iterations. False when it went wrong. */
static bool call_ramp(struct tkf_bench_run *run, struct tkf_bench *b, uint64_t n, double *ret_ns)
{
    struct tkf_bench_repetition *result = run->result;
    const struct tkf_bench_entry *entry = run->entry;
    b->n = n;
    run->window_ticks = 0;
    run->was_reset = false;
    result->brackets = 0;
    memset(&result->mem, 0, sizeof result->mem);
    start_timer(run);
    entry->ramp(b);
    uint64_t ticks = now(run);
    if (run->phase == STOPPED) {
        fail(run, entry->file, entry->line,
             "the function ended with the timer stopped; start it again with tkf_timer_start(), or "
             "use TKF_BENCH, where what lies after the loop is not measured");
    } else if (run->phase == RUNNING) {
        stop_timer(run, ticks);
    }
    double ns = (double)run->window_ticks * run->timer->tick_ns;
    if (result->error[0] == '\0' && n >= LOOP_SURE && ns < LOOP_GONE_NS * (double)n)
        fail(run, entry->file, entry->line,
             "no loop ran: %.0f iterations took %.3g ns; the compiler deleted it, or it does not "
             "run to b->n",
             (double)n, ns);
    *ret_ns = ns;
    return result->error[0] == '\0';
}

static void run_ramp(struct tkf_bench_run *run, struct tkf_bench *b)
{
    struct tkf_bench_repetition *result = run->result;
    const struct tkf_bench_limit *limit = run->limit;
    /* Beside an empty loop a call is a window, and there are many. */
    double wanted_ns = limit->beside_empty ? window_wanted_ns(run) : limit->time_ns;
    uint64_t n = limit->iterations > 0 ? limit->iterations : 1;
    bool enough = false;
    while (!enough) {
        uint64_t from = now(run);
        double ns;
        if (!call_ramp(run, b, n, &ns))
            return;
        double wall_ns = (double)(now(run) - from) * run->timer->tick_ns;
        enough = n >= RAMP_MAX || is_late(run, wall_ns, ns) || cancelled(run);
        if (limit->iterations == 0 && ns < wanted_ns && !enough) {
            n = grown(n, ns, 1.2 * wanted_ns, RAMP_FACTOR);
            if (n > RAMP_MAX)
                n = RAMP_MAX;
            continue;
        }
        run->window_iterations = n;
        result->iterations += n;
        result->total_ns += ns;
        run->sampled_ns += ns;
        if (!keep_sample(run, ns)) {
            fail(run, run->entry->file, run->entry->line, "out of memory");
            return;
        }
        enough |= !limit->beside_empty || run->sampled_ns >= limit->time_ns;
    }
}

/** Median, interval, fastest state and mean from the samples. False when out of memory. */
static bool summarise(struct tkf_bench_repetition *result)
{
    double *sorted = malloc(result->nsamples * sizeof *sorted);
    if (sorted == NULL)
        return false;
    memcpy(sorted, result->samples, result->nsamples * sizeof *sorted);
    tkf_sort(sorted, (unsigned)result->nsamples);
    struct tkf_band band = tkf_median_band(sorted, (unsigned)result->nsamples);
    unsigned n = (unsigned)result->nsamples, need = n / FAST_SHARE + 1;
    if (need < FAST_MIN && n >= FAST_MIN)
        need = FAST_MIN;
    struct tkf_cluster fast = tkf_lowest_cluster(sorted, n, FAST_WIDTH, need);
    /* None where all samples lie apart: then no state can be told from another. */
    result->fast_ns =
        fast.count > 0 ? tkf_quantile(sorted + fast.first, fast.count, 0.5) : band.mid;
    free(sorted);
    result->ns = band.mid;
    result->ns_lo = band.lo;
    result->ns_hi = band.hi;
    result->mean_ns = result->total_ns / (double)result->iterations;
    return true;
}

int tkf_bench_repeat(const struct tkf_bench_entry *entry, int64_t arg,
                     const struct tkf_bench_timer *timer, const struct tkf_bench_limit *limit,
                     bool count_mem, struct tkf_bench_repetition *ret)
{
    *ret = (struct tkf_bench_repetition){.ns = NAN, .ns_lo = NAN, .ns_hi = NAN, .mean_ns = NAN};
    struct tkf_bench_run run = {
        .entry = entry,
        .timer = timer,
        .limit = limit,
        .result = ret,
        .count_mem = count_mem,
    };
    struct tkf_bench b = {.arg = arg, .run = &run};
    if (entry->loop != NULL)
        run_loop(&run, &b);
    else
        run_ramp(&run, &b);
    if (ret->error[0] == '\0' && !summarise(ret))
        fail(&run, entry->file, entry->line, "out of memory");
    return ret->error[0] == '\0' ? 0 : TKF_EINVAL;
}

void tkf_bench_repetition_free(struct tkf_bench_repetition *repetition)
{
    free(repetition->samples);
    free(repetition->sizes);
    free(repetition->empty);
    repetition->samples = repetition->empty = NULL;
    repetition->sizes = NULL;
}

void tkf_set_bytes(struct tkf_bench *b, uint64_t bytes)
{
    b->run->result->bytes = bytes;
}

/** A name of its own for the row, that the format can carry and does not give a meaning. */
static bool is_unit(const char *unit)
{
    static const char *const taken[] = {"ns/op", "sec/op", "MB/s", "B/s", "B/op", "allocs/op"};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (strcmp(unit, taken[i]) == 0)
            return false;
    }
    for (const char *c = unit; *c != '\0'; c++) {
        if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c))
            return false;
    }
    return unit[0] != '\0' && strlen(unit) < sizeof((struct tkf_bench_metric *)0)->unit;
}

void tkf_set_metric(struct tkf_bench *b, const char *unit, double value)
{
    struct tkf_bench_run *run = b->run;
    struct tkf_bench_repetition *result = run->result;
    const struct tkf_bench_entry *entry = run->entry;
    unsigned i = 0;
    if (unit == NULL || !is_unit(unit)) {
        fail(run, entry->file, entry->line,
             "'%.40s' is no unit of one's own; name it in 1 to %zu characters without blanks, as "
             "probes/op",
             unit != NULL ? unit : "", sizeof result->metrics[0].unit - 1);
        return;
    }
    if (!isfinite(value)) {
        fail(run, entry->file, entry->line,
             "%s is set to what is no number; see what it is divided by", unit);
        return;
    }
    while (i < result->nmetrics && strcmp(result->metrics[i].unit, unit) != 0)
        i++;
    if (i == TKF_BENCH_METRICS_MAX) {
        fail(run, entry->file, entry->line, "more than %d metrics; leave out '%s'",
             TKF_BENCH_METRICS_MAX, unit);
        return;
    }
    if (i == result->nmetrics)
        result->nmetrics++;
    snprintf(result->metrics[i].unit, sizeof result->metrics[i].unit, "%s", unit);
    result->metrics[i].value = value;
}

/* ---- what the timer costs --------------------------------------------------------------------------------------------- */

static void bracket(struct tkf_bench *b, size_t tkf_left_)
{
    while (tkf_loop(b)) {
        tkf_timer_stop(b);
        tkf_timer_start(b);
    }
}

double tkf_bench_bracket_ns(const struct tkf_bench_timer *timer)
{
    static const struct tkf_bench_entry entry = {
        .name = "bracket", .file = __FILE__, .line = __LINE__, .loop = bracket};
    struct tkf_bench_repetition result;
    double ns = NAN;
    if (tkf_bench_repeat(&entry, 0, timer, &(struct tkf_bench_limit){.time_ns = 3e6}, false,
                         &result) == 0)
        ns = result.ns;
    tkf_bench_repetition_free(&result);
    return ns;
}
