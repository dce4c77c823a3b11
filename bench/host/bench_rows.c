/* SPDX-License-Identifier: MIT */
/** Which benchmarks run, how often and for how long; a run from its beginning to its end. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tickfloor/calibrate.h>

#include "bench_run.h"
#include "host.h"

#define TIME_MAX_NS 3600e9

/* A machine that is busy for a moment is tried again. */
#define CALIBRATIONS_MAX 5

/* How near to a cycle is at the floor. A row above that, up to so many cycles, is looked at once more, for so long. */
#define FLOOR_WIDTH 1.02
#define LOOK_CYCLES 4
#define LOOK_NS     200e6

enum { STATUS_OK = 0, STATUS_USAGE = 2, STATUS_MEASURE = 3, STATUS_CANCELLED = 130 };

/* ---- options ------------------------------------------------------------------------------------------------------ */

void tkf_bench_defaults(struct tkf_bench_options *ret_options)
{
    *ret_options =
        (struct tkf_bench_options){.count = 1, .limit = {.time_ns = 1e9}, .program = "tickfloor"};
}

static int refuse(struct tkf_input_error *ret_error, const char *next, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(struct tkf_input_error *ret_error, const char *next, const char *format, ...)
{
    *ret_error = (struct tkf_input_error){.line = 0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ret_error->text, sizeof ret_error->text, format, arguments);
    va_end(arguments);
    snprintf(ret_error->next, sizeof ret_error->next, "%s", next);
    return TKF_EINVAL;
}

/** A whole number in digits only, within its range. */
static bool parse_integer(const char *text, size_t length, uint64_t least, uint64_t most,
                          uint64_t *ret_value)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++) {
        if (!isdigit((unsigned char)text[i]) || value > (UINT64_MAX - 9) / 10)
            return false;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    if (length == 0 || value < least || value > most)
        return false;
    *ret_value = value;
    return true;
}

/** "1s", "0.5s", "100ms", "20us", "50000x". */
static bool parse_limit(const char *text, struct tkf_bench_limit *ret_limit)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}, {"m", 60e9}};
    struct tkf_bench_limit limit = {.cancelled = ret_limit->cancelled};
    size_t digits = strspn(text, "0123456789.");
    const char *unit = text + digits;
    if (strcmp(unit, "x") == 0) {
        if (!parse_integer(text, digits, 1, UINT64_C(1000000000000), &limit.iterations))
            return false;
        *ret_limit = limit;
        return true;
    }
    char *end;
    double value = digits > 0 ? strtod(text, &end) : NAN;
    if (!(value > 0) || end != unit)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(unit, units[i].unit) == 0)
            limit.time_ns = value * units[i].ns;
    }
    if (!(limit.time_ns >= 1 && limit.time_ns <= TIME_MAX_NS))
        return false;
    *ret_limit = limit;
    return true;
}

static int take_shuffle(struct tkf_bench_options *options, const char *value,
                        struct tkf_input_error *ret_error)
{
    if (strcmp(value, "off") == 0) {
        options->shuffle = false;
        return 0;
    }
    if (strcmp(value, "on") == 0)
        options->seed = (uint64_t)time(NULL);
    else if (!parse_integer(value, strlen(value), 0, UINT64_MAX, &options->seed))
        return refuse(ret_error, "give on, off, or the seed that a run printed",
                      "--shuffle: '%.60s' is no order", value);
    options->shuffle = true;
    return 0;
}

static int take_filter(struct tkf_bench_options *options, const char *value,
                       struct tkf_input_error *ret_error)
{
    regex_t regex;
    int code = regcomp(&regex, value, REG_EXTENDED | REG_NOSUB);
    if (code != 0) {
        char why[80];
        regerror(code, &regex, why, sizeof why);
        return refuse(ret_error, "give an extended regular expression, as '^Copy/8'",
                      "--filter: '%.60s': %s", value, why);
    }
    regfree(&regex);
    options->filter = value;
    return 0;
}

int tkf_bench_option(struct tkf_bench_options *options, const char *name, const char *value,
                     struct tkf_input_error *ret_error)
{
    uint64_t number;
    if (strcmp(name, "count") == 0) {
        if (!parse_integer(value, strlen(value), 1, TKF_BENCH_COUNT_MAX, &number))
            return refuse(ret_error, "give a number of repetitions from 1 to 10000",
                          "--count: '%.60s' is no count", value);
        options->count = (unsigned)number;
    } else if (strcmp(name, "time") == 0) {
        if (!parse_limit(value, &options->limit))
            return refuse(
                ret_error,
                "give a time for each repetition, as 0.5s or 100ms, or a number of iterations, "
                "as 50000x",
                "--time: '%.60s' is neither a time nor a number of iterations", value);
    } else if (strcmp(name, "cpu") == 0) {
        if (!parse_integer(value, strlen(value), 0, 1 << 20, &number))
            return refuse(ret_error, "give the number of one CPU", "--cpu: '%.60s' is no CPU",
                          value);
        options->cpu = value;
    } else if (strcmp(name, "filter") == 0) {
        return take_filter(options, value, ret_error);
    } else if (strcmp(name, "shuffle") == 0) {
        return take_shuffle(options, value, ret_error);
    } else if (strcmp(name, "list") == 0) {
        options->list = true;
    } else if (strcmp(name, "mem") == 0) {
        options->mem = true;
    } else if (strcmp(name, "json") == 0) {
        options->json = true;
    }
    return 0;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

/** The name of one row of a benchmark; to free(), NULL when out of memory. */
static char *name_row(const struct tkf_bench_entry *entry, size_t arg)
{
    char *name = NULL;
    int length = entry->nargs > 0
                     ? asprintf(&name, "%s/%lld", entry->name, (long long)entry->args[arg])
                     : asprintf(&name, "%s", entry->name);
    if (length < 0)
        return NULL;
    for (char *c = name; *c != '\0'; c++) {
        if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c))
            *c = '_'; /* as Go does: a blank ends a name in its format */
    }
    return name;
}

/** The rows of the registered benchmarks that the filter takes; false when out of memory. */
static bool collect(struct tkf_bench_session *session)
{
    const char *filter = session->options->filter;
    size_t count = 0;
    for (const struct tkf_bench_entry *e = tkf_bench_entries(); e != NULL; e = e->next)
        count += e->nargs > 0 ? e->nargs : 1;
    session->rows = calloc(count + 1, sizeof *session->rows);
    regex_t regex;
    if (session->rows == NULL ||
        (filter != NULL && regcomp(&regex, filter, REG_EXTENDED | REG_NOSUB) != 0))
        return false;
    bool complete = true;
    for (const struct tkf_bench_entry *e = tkf_bench_entries(); e != NULL; e = e->next) {
        for (size_t i = 0; i < (e->nargs > 0 ? e->nargs : 1); i++) {
            char *name = name_row(e, i);
            complete &= name != NULL;
            if (name == NULL || (filter != NULL && regexec(&regex, name, 0, NULL, 0) != 0)) {
                free(name);
                continue;
            }
            session->rows[session->nrows++] = (struct tkf_bench_row){
                .entry = e, .name = name, .arg = e->nargs > 0 ? e->args[i] : 0};
        }
    }
    if (filter != NULL)
        regfree(&regex);
    return complete;
}

/** Rows of one family have the name before the slash in common, and lie together. */
static size_t family_end(const struct tkf_bench_session *session, size_t first)
{
    const char *name = session->rows[first].name;
    size_t length = strcspn(name, "/"), end = first + 1;
    while (end < session->nrows && strncmp(session->rows[end].name, name, length) == 0 &&
           strcspn(session->rows[end].name, "/") == length)
        end++;
    return end;
}

/** A step of the generator splitmix64: all that a shuffle needs. */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/** Fisher and Yates; families are judged together, so they move together. False when out of memory. */
static bool shuffle(struct tkf_bench_session *session)
{
    struct range {
        size_t first, end;
    } *families = malloc((session->nrows + 1) * sizeof *families);
    struct tkf_bench_row *rows = malloc((session->nrows + 1) * sizeof *rows);
    size_t nfamilies = 0, n = 0;
    if (families != NULL && rows != NULL) {
        for (size_t i = 0; i < session->nrows; i = families[nfamilies++].end)
            families[nfamilies] = (struct range){i, family_end(session, i)};
        uint64_t state = session->options->seed;
        for (size_t i = nfamilies; i > 1; i--) {
            size_t k = draw(&state) % i;
            struct range swap = families[i - 1];
            families[i - 1] = families[k];
            families[k] = swap;
        }
        for (size_t f = 0; f < nfamilies; f++) {
            for (size_t i = families[f].first; i < families[f].end; i++)
                rows[n++] = session->rows[i];
        }
        memcpy(session->rows, rows, n * sizeof *rows);
    }
    bool done = families != NULL && rows != NULL;
    free(families);
    free(rows);
    return done;
}

/* ---- the timer ---------------------------------------------------------------------------------------------------- */

static uint64_t read_counter(const void *ctx)
{
    const struct tkf_counter *counter = ctx;
    uint64_t ticks;
    counter->source->burst(&ticks, 1);
    return ticks;
}

/** The same machine code as that of an empty tkf_loop(), at the beginning of a line. */
static uint64_t run_empty(const void *ctx, uint64_t iterations)
{
    const struct tkf_counter *counter = ctx;
    uint64_t ticks[2];
    counter->source->kernels[tkf_arch_roles.loop_fused](iterations, ticks);
    return ticks[1] - ticks[0];
}

/** The machine's floor, and with it the counter that times the benchmarks. An exit status. */
static int calibrate(struct tkf_bench_session *session, FILE *err)
{
    struct tkf_calibrate_request request = {
        .quick = true,
        .cpus = session->options->cpu,
        .cancelled = session->options->limit.cancelled,
    };
    struct tkf_input_error why;
    int error = TKF_ENOISE;
    for (int i = 0; i < CALIBRATIONS_MAX && error == TKF_ENOISE; i++)
        error = tkf_calibrate_machine(&request, &session->profile, &why);
    if (error == TKF_ECANCELLED)
        return STATUS_CANCELLED;
    if (error != 0) {
        fprintf(err, "%s: %s%s%s\n", session->options->program, why.text,
                why.next[0] != '\0' ? "; " : "", why.next);
        return error == TKF_EINVAL || error == TKF_ENOCPU ? STATUS_USAGE : STATUS_MEASURE;
    }
    session->timer = (struct tkf_bench_timer){
        .now = read_counter,
        .empty = run_empty,
        .empty_ns = session->profile.cpus[0].floor.cycle_ns,
        .ctx = &session->profile.counter,
        .tick_ns = 1e9 / session->profile.counter.hz,
        .step_ns = session->profile.counter.step_ns,
    };
    session->bracket_ns = tkf_bench_bracket_ns(&session->timer);
    return STATUS_OK;
}

/** Bind this thread, and what threads it starts, to the CPU that was asked for. An exit status. */
static int bind_cpu(const struct tkf_bench_session *session, FILE *err)
{
    struct tkf_topology *topology;
    char reason[160];
    int error = tkf_topology_load(&topology, reason, sizeof reason);
    if (error == 0) {
        unsigned cpu = (unsigned)strtoul(session->options->cpu, NULL, 10);
        error = tkf_topology_pin(topology, cpu);
        snprintf(reason, sizeof reason, "%s", tkf_strerror(error));
        tkf_topology_free(topology);
    }
    if (error == 0)
        return STATUS_OK;
    fprintf(err, "%s: --cpu: cannot be bound to CPU %s: %s; name another, or leave it out\n",
            session->options->program, session->options->cpu, reason);
    return STATUS_USAGE;
}

static int open_timer(struct tkf_bench_session *session, FILE *err)
{
    int status = session->options->cpu != NULL ? bind_cpu(session, err) : STATUS_OK;
    return status == STATUS_OK ? calibrate(session, err) : status;
}

int tkf_bench_open(const struct tkf_bench_options *options, FILE *err,
                   struct tkf_bench_session *ret_session)
{
    memset(ret_session, 0, sizeof *ret_session);
    ret_session->options = options;
    return open_timer(ret_session, err);
}

/* ---- the run ------------------------------------------------------------------------------------------------------ */

static bool cancelled(const struct tkf_bench_session *session)
{
    return session->options->limit.cancelled != NULL && session->options->limit.cancelled(NULL);
}

static const char *volatile running;

const char *tkf_bench_running(void)
{
    return running;
}

/** One repetition of a row. */
static int repeat(const struct tkf_bench_session *session, const struct tkf_bench_row *row,
                  const struct tkf_bench_limit *limit, struct tkf_bench_repetition *ret)
{
    running = row->name;
    int error =
        tkf_bench_repeat(row->entry, row->arg, &session->timer, limit, session->options->mem, ret);
    running = NULL;
    return error;
}

/** All repetitions of a row, each printed as it is there. */
static void run_row(struct tkf_bench_session *session, struct tkf_bench_row *row, FILE *out,
                    FILE *err)
{
    const struct tkf_bench_options *options = session->options;
    row->repetitions = calloc(options->count, sizeof *row->repetitions);
    if (row->repetitions == NULL) {
        fprintf(err, "%s: out of memory; give a smaller --count\n", options->program);
        session->failed = true;
        return;
    }
    while (row->nrepetitions < options->count && !cancelled(session)) {
        struct tkf_bench_repetition *r = &row->repetitions[row->nrepetitions++];
        int error = repeat(session, row, &options->limit, r);
        if (error != 0) {
            session->failed = true;
            fflush(out);
            fprintf(err, "%s (in Benchmark%s)\n", r->error, row->name);
        }
        if (!options->json) {
            tkf_bench_print_repetition(session, row, r, out);
            fflush(out);
        }
        if (error != 0)
            return;
    }
}

/** The fastest of the row's repetitions; NAN when none went well. */
static double fastest_ns(const struct tkf_bench_row *row)
{
    double fastest = NAN;
    for (unsigned i = 0; i < row->nrepetitions; i++) {
        const struct tkf_bench_repetition *r = &row->repetitions[i];
        if (r->error[0] == '\0')
            fastest = fmin(fastest, r->fast_ns);
    }
    return fastest;
}

/**
 * A row of a few cycles that is not at the floor may be an empty loop beside a busy hardware thread. Look at it once more, in
 * turns with an empty loop, for the verdict alone.
 */
static void look_again(const struct tkf_bench_session *session, struct tkf_bench_row *row)
{
    /* Not the floor as measured: that may have met the same neighbour. */
    double cycle_ns = session->profile.cpus[0].floor.cycle_ns;
    struct tkf_bench_limit limit = session->options->limit;
    struct tkf_bench_repetition r;
    limit.time_ns = LOOK_NS;
    limit.beside_empty = true;
    row->fast_ns = fastest_ns(row);
    if (!(row->fast_ns > FLOOR_WIDTH * cycle_ns && row->fast_ns < LOOK_CYCLES * cycle_ns) ||
        cancelled(session))
        return;
    if (repeat(session, row, &limit, &r) == 0) {
        row->fast_ns = fmin(row->fast_ns, r.fast_ns);
        tkf_bench_beside(&r, &row->beside);
    }
    tkf_bench_repetition_free(&r);
}

/** A hint is given once. */
static bool is_new_hint(const struct tkf_bench_session *session, size_t row)
{
    size_t i = 0;
    while (i < row && session->rows[i].hint != session->rows[row].hint)
        i++;
    return i == row;
}

static void run_rows(struct tkf_bench_session *session, FILE *out, FILE *err)
{
    for (size_t first = 0, end; first < session->nrows && !cancelled(session); first = end) {
        end = family_end(session, first);
        for (size_t i = first; i < end && !cancelled(session); i++) {
            run_row(session, &session->rows[i], out, err);
            look_again(session, &session->rows[i]);
        }
        if (cancelled(session))
            break;
        /* All rows so far: what a row is worth shows beside others too. */
        tkf_bench_judge(session, session->rows, end);
        for (size_t i = first; i < end && !session->options->json; i++)
            tkf_bench_print_mark(&session->rows[i], is_new_hint(session, i), out);
    }
}

static int measure(struct tkf_bench_session *session, FILE *out, FILE *err)
{
    const struct tkf_bench_options *options = session->options;
    if (options->shuffle && !shuffle(session)) {
        fprintf(err, "%s: out of memory\n", options->program);
        return STATUS_MEASURE;
    }
    int status = open_timer(session, err);
    if (status != STATUS_OK)
        return status;
    if (!options->json)
        tkf_bench_print_head(session, out);
    run_rows(session, out, err);
    if (cancelled(session))
        return STATUS_CANCELLED;
    if (options->json && tkf_bench_print_json(session, out) != 0) {
        fprintf(err, "%s: the results cannot be printed as JSON: out of memory or no room\n",
                options->program);
        return STATUS_MEASURE;
    }
    return session->failed ? STATUS_MEASURE : STATUS_OK;
}

int tkf_bench_run(const struct tkf_bench_options *options, FILE *out, FILE *err)
{
    /* Too large for a small stack. */
    struct tkf_bench_session *session = calloc(1, sizeof *session);
    int status = STATUS_MEASURE;
    if (session == NULL) {
        fprintf(err, "%s: out of memory\n", options->program);
        return status;
    }
    session->options = options;
    if (!collect(session)) {
        fprintf(err, "%s: out of memory\n", options->program);
    } else if (session->nrows == 0) {
        fprintf(err, "%s: no benchmark matches '%s'; --list shows them all\n", options->program,
                options->filter != NULL ? options->filter : "");
        status = STATUS_USAGE;
    } else if (options->list) {
        for (size_t i = 0; i < session->nrows; i++)
            fprintf(out, "%s\n", session->rows[i].name);
        status = STATUS_OK;
    } else {
        status = measure(session, out, err);
    }
    for (size_t i = 0; i < session->nrows; i++) {
        for (unsigned k = 0; k < session->rows[i].nrepetitions; k++)
            tkf_bench_repetition_free(&session->rows[i].repetitions[k]);
        free(session->rows[i].repetitions);
        free(session->rows[i].name);
    }
    free(session->rows);
    tkf_profile_free(&session->profile);
    free(session);
    return status;
}
