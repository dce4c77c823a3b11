/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../measure/stats.h"
#include "judge.h"

/*
 * Whoever else uses the core, or the other half of it, makes an empty loop slower, up to this many
 * times in what was measured.
 */
#define SLOWEST 4.0

/* Empty benchmarks of one form read alike to this factor; the next form begins above it. */
#define SAME_FORM 1.5

/* ---- whose machine ---- */

/* Whether two names of a CPU say the same: systems and frameworks trim them in their own ways. */
static bool same_words(const char *a, const char *b)
{
    for (;;) {
        while (isspace((unsigned char)*a))
            a++;
        while (isspace((unsigned char)*b))
            b++;
        if (*a == '\0' || *b == '\0')
            return *a == *b;
        if (*a++ != *b++)
            return false;
    }
}

bool tkf_origin_is_of(const struct tkf_origin *origin, const char *cpu, double cpus,
                      const char *host)
{
    if (origin->cpu)
        return cpu[0] && same_words(origin->cpu, cpu);
    bool same_host =
        origin->host && host && strcmp(origin->host, host) == 0 && strcmp(host, "localhost") != 0;
    return same_host && !(origin->cpus < cpus) && !(origin->cpus > cpus);
}

static const struct tkf_profile *applicable(const struct tkf_origin *origin,
                                            const struct tkf_judge_options *options)
{
    const struct tkf_profile *profile = options->profile;
    if (!profile || profile->ncpus == 0)
        return NULL;
    bool is_its =
        options->profile_applies ||
        tkf_origin_is_of(origin, profile->machine.cpu, profile->machine.cpus, options->host);
    return is_its ? profile : NULL;
}

/* The shortest cycle of the machine's CPUs: nothing says which kind of core ran the benchmark. */
static double cycle_of(const struct tkf_profile *profile)
{
    double cycle_ns = NAN;
    for (unsigned i = 0; i < profile->ncpus; i++)
        cycle_ns = fmin(cycle_ns, profile->cpus[i].floor.cycle_ns);
    return cycle_ns;
}

static double slowest_cycle_of(const struct tkf_profile *profile)
{
    double cycle_ns = NAN;
    for (unsigned i = 0; i < profile->ncpus; i++)
        cycle_ns = fmax(cycle_ns, profile->cpus[i].floor.cycle_ns);
    return cycle_ns;
}

/*
 * Where a loop lies and who shares its core make the same loop cost more, a whole cycle mostly. The
 * CPU on which the difference was largest counts.
 */
static double find_slower_by(const struct tkf_profile *profile)
{
    double most_ns = 0;
    for (unsigned i = 0; i < profile->ncpus; i++) {
        const struct tkf_band *ns = &profile->cpus[i].floor.floor_ns;
        most_ns = fmax(most_ns, ns->hi - ns->lo);
    }
    return most_ns;
}

/* ---- what the profile knows of the framework ---- */

static const struct tkf_harness_floor *
find_live(const struct tkf_profile *profile, const struct tkf_harness *harness, const char *form)
{
    for (unsigned i = 0; i < profile->nharnesses; i++) {
        const struct tkf_harness_floor *live = &profile->harnesses[i];
        if (live->timing == harness->timing && strcmp(live->framework, harness->framework) == 0 &&
            strcmp(live->loop_form, form) == 0 && isfinite(live->cycles.mid))
            return live;
    }
    return NULL;
}

/* A measured form as one of the table's. */
static void take_live(struct tkf_harness_form *form, const struct tkf_harness_floor *live)
{
    form->lo = live->cycles.lo;
    form->hi = fmin(live->cycles.mid, (1 + TKF_FLOOR_TOLERANCE) * live->cycles.lo);
    form->rough = false;
}

/* The form that results do not tell from the first, where it costs more here. */
static void take_untold(struct tkf_floor *floor, const struct tkf_profile *profile)
{
    const char *name = floor->harness->untold;
    const struct tkf_harness_floor *live =
        profile && name ? find_live(profile, floor->harness, name) : NULL;
    if (live && live->cycles.lo > SAME_FORM * floor->known[0].hi) {
        floor->untold.name = name;
        take_live(&floor->untold, live);
    }
}

/*
 * The table's numbers, replaced by those that were measured on this machine. The usual run holds the moments too in which other work
 * slowed the machine; the results had others, so that no more than the tolerance of it counts.
 */
static void take_known(struct tkf_floor *floor, const struct tkf_profile *profile)
{
    if (!floor->harness)
        return;
    memcpy(floor->known, floor->harness->forms, sizeof(floor->known));
    for (unsigned i = 0; profile && i < TKF_HARNESS_FORMS_MAX && floor->known[i].name; i++) {
        struct tkf_harness_form *form = &floor->known[i];
        const struct tkf_harness_floor *live = find_live(profile, floor->harness, form->name);
        if (!live)
            continue;
        take_live(form, live);
        floor->live = true;
    }
    take_untold(floor, profile);
}

/* ---- empty benchmarks in the same file ---- */

struct empty {
    double low, mid;
    struct tkf_result *row;
    /* one benchmark is of one form; PUT_ASIDE looked like one of it, and is not empty */
    enum { FREE, TAKEN, PUT_ASIDE } state;
};

struct empties {
    struct empty *list;
    size_t n;
};

static bool is_named(const struct tkf_result *row, const char *floor_bench)
{
    return floor_bench ? tkf_name_is(row, floor_bench) : tkf_name_is_empty(row->name);
}

bool tkf_may_be_floor(const struct tkf_result *row)
{
    return isfinite(row->ns) && row->ns >= 0 && !row->failed && !row->sentinel &&
           !(row->threads > 1) && !(row->batch > 1) && isnan(tkf_name_parts(row->name).batch) &&
           !(row->exit_code > 0);
}

static int by_low(const void *a, const void *b)
{
    const struct empty *x = a, *y = b;
    return x->low != y->low ? (x->low > y->low) - (x->low < y->low)
                            : (x->mid > y->mid) - (x->mid < y->mid);
}

static int find_empties(struct tkf_row *const *rows, size_t nrows, const char *floor_bench,
                        struct empties *ret)
{
    struct empties found = {.list = calloc(nrows > 0 ? nrows : 1, sizeof(*found.list))};
    if (!found.list)
        return TKF_ENOMEM;
    for (size_t i = 0; i < nrows; i++) {
        struct tkf_result *row = &rows[i]->result;
        row->is_floor = false;
        if (!tkf_may_be_floor(row) || !is_named(row, floor_bench))
            continue;
        bool no_low = row->origin->timing == TKF_TIMING_PROCESS && isnan(row->min_ns);
        found.list[found.n++] = (struct empty){
            .low = no_low ? 0 : tkf_lowest_ns(row), /* it may have been anything */
            .mid = row->ns,
            .row = row,
        };
    }
    qsort(found.list, found.n, sizeof(*found.list), by_low);
    *ret = found;
    return 0;
}

/*
 * What an empty benchmark of a form may cost: a name alone makes none, so what is out of this range
 * is no floor.
 */
struct range {
    double lo, hi;
};

static struct range range_of(const struct tkf_floor *floor, const struct tkf_harness_form *form,
                             const struct tkf_harness_form *next)
{
    struct range range = {TKF_CYCLE_SHARE * form->lo * floor->cycle_min_ns,
                          SLOWEST * form->hi * floor->cycle_max_ns};
    if (form->lo == 0) /* what was taken off varies by far more than what is left */
        range.hi = INFINITY;
    if (form == floor->known && floor->harness->untold)
        range.hi = fmax(range.hi, (1 + TKF_FLOOR_TOLERANCE) * floor->harness->untold_most *
                                      floor->cycle_max_ns);
    if (next && next->name)
        range.hi = fmin(range.hi, TKF_CYCLE_SHARE * next->lo * floor->cycle_min_ns);
    return range;
}

/* Where the framework's loop is not known. */
static struct range range_of_timing(const struct tkf_floor *floor, enum tkf_timing timing)
{
    switch (timing) {
    case TKF_TIMING_EACH_CALL:
        return (struct range){5, 1000};
    case TKF_TIMING_PROCESS:
        return (struct range){0, 5e6};
    case TKF_TIMING_SUBTRACTED:
        return (struct range){0, SLOWEST * floor->cycle_max_ns};
    default:
        return (struct range){TKF_CYCLE_SHARE * floor->cycle_min_ns, SLOWEST * floor->cycle_max_ns};
    }
}

/*
 * The cheapest empty benchmarks in a range, as one form; what is left over next to nothing varies
 * freely.
 */
static size_t form_from(struct empties *empties, struct range range, struct tkf_form_floor *form,
                        const char **ret_name)
{
    double mids[64];
    unsigned n = 0;
    for (size_t i = 0; i < empties->n && n < 64; i++) {
        struct empty *empty = &empties->list[i];
        if (empty->state != FREE || !(empty->mid >= range.lo && empty->low <= range.hi))
            continue;
        if (n > 0 && range.lo > 0 && empty->low > SAME_FORM * form->low)
            break;
        if (n == 0) {
            form->low = empty->low;
            form->mid_most = empty->mid;
            *ret_name = empty->row->name;
        }
        empty->state = TAKEN;
        form->low_most = empty->low;
        form->mid_most = fmax(form->mid_most, empty->mid);
        mids[n++] = empty->mid;
    }
    if (n > 0) {
        tkf_sort(mids, n);
        form->mid = tkf_quantile(mids, n, 0.5);
        form->measured = true;
    }
    return n;
}

/* Those that were taken since are not empty. */
static void put_aside(struct empties *empties, size_t n, double low)
{
    for (size_t i = 0; i < empties->n && n > 0; i++) {
        if (empties->list[i].state == TAKEN && empties->list[i].low >= low) {
            empties->list[i].state = PUT_ASIDE;
            n--;
        }
    }
}

static const char *say_empties(struct tkf_results *results, size_t n, const char *name)
{
    char text[200];
    if (n == 1)
        snprintf(text, sizeof(text), "the empty benchmark \"%.100s\" in the same file", name);
    else
        snprintf(text, sizeof(text),
                 "%zu empty benchmarks in the same file, the cheapest \"%.100s\"", n, name);
    return tkf_results_text(results, text, strlen(text));
}

/* A name alone makes no floor: that one which calls itself empty is none is to be known. */
static const char *say_rejected(struct tkf_results *results, const struct empties *empties,
                                const struct tkf_floor *floor)
{
    const char *floor_text = floor->used.text;
    bool is_time = empties->list[0].mid >= TKF_CYCLE_SHARE * floor->cycle_min_ns;
    char text[400], ns[TKF_TIME_SIZE];
    if (!floor_text)
        return NULL;
    snprintf(text, sizeof(text),
             "%s; \"%.100s\" calls itself empty and is not taken for it: %s is %s", floor_text,
             empties->list[0].row->name, tkf_time_text(ns, empties->list[0].mid),
             is_time ? "more than such a loop takes, or others of the run beat it"
                     : "no time of a loop");
    return tkf_results_text(results, text, strlen(text));
}

/* How the table's floor was got, and what had to be assumed. */
static const char *say_table(struct tkf_results *results, const struct tkf_floor *floor)
{
    char text[240];
    const char *how =
        floor->live ? "this framework's empty benchmark, as the machine's profile measured it"
                    : "what this framework's empty loop costs in cycles of the machine's profile";
    const char *untold = floor->harness->untold;
    if (!untold)
        return how;
    snprintf(text, sizeof(text), "%s; results do not say whether they ran %s or %s, %s", how,
             floor->known[0].name, untold,
             floor->untold.name ? "of which the first is assumed"
                                : "which is taken to cost the same");
    return tkf_results_text(results, text, strlen(text));
}

static struct tkf_form_floor *add_form(struct tkf_floor *floor, const char *name)
{
    struct tkf_form_floor *form = &floor->forms[floor->nforms++];
    *form = (struct tkf_form_floor){.name = name};
    return form;
}

/* The profile's loops take one cycle where they are fast: they stand for forms that do. */
static double slower_by_of(const struct tkf_floor *floor, const struct tkf_harness_form *form)
{
    return fabs(form->lo - 1) <= TKF_FLOOR_TOLERANCE ? floor->slower_by_ns : 0;
}

/*
 * A lone benchmark that calls itself empty, costs more than an empty loop does even where it is slow,
 * and is beaten by others of its run, is not empty: it parses an empty string.
 */
static bool is_beaten(const struct tkf_floor *floor, const struct tkf_form_floor *form,
                      double fastest_ns, double slower_by_ns)
{
    double least_ns = TKF_CYCLE_SHARE * fastest_ns, beaten_ns = form->low / SAME_FORM;
    double slow_ns = (1 + TKF_FLOOR_TOLERANCE) * (fastest_ns + slower_by_ns);
    if (form->low <= fmax(SAME_FORM * fastest_ns, slow_ns))
        return false;
    for (size_t i = 0; i < floor->nsorted && floor->sorted_ns[i] < beaten_ns; i++) {
        if (floor->sorted_ns[i] >= least_ns)
            return true;
    }
    return false;
}

/* A form as the table has it, *slower* times. */
static struct tkf_form_floor form_of_table(const struct tkf_floor *floor,
                                           const struct tkf_harness_form *form, double slower)
{
    double low = form->lo * floor->cycle_min_ns * slower;
    double most = form->hi * floor->cycle_min_ns * slower;
    return (struct tkf_form_floor){
        .name = form->name,
        .low = low,
        .low_most = most,
        .mid = (low + most) / 2,
        .mid_most = most,
        .slow = most + slower_by_of(floor, form),
        .rough = form->rough,
    };
}

/*
 * The forms of a known harness: measured where the file has an empty benchmark of it, else from the
 * table. Where the machine was slow while the empty benchmarks ran, other rows of the same run may
 * have met it at its fastest: that form is there a second time then.
 */
static size_t forms_of_harness(struct tkf_floor *floor, struct empties *empties, bool table,
                               const char **ret_name)
{
    const struct tkf_harness_form *forms = floor->known;
    bool batched = floor->origin->timing == TKF_TIMING_BATCHED;
    size_t measured = 0;
    double slower = 1;
    for (unsigned i = 0; i < TKF_HARNESS_FORMS_MAX && forms[i].name; i++) {
        const struct tkf_harness_form *next = i + 1 < TKF_HARNESS_FORMS_MAX ? &forms[i + 1] : NULL;
        struct tkf_form_floor form = {.name = forms[i].name};
        double fastest = forms[i].lo * floor->cycle_min_ns;
        double least = i > 0 ? TKF_CYCLE_SHARE * fastest : 0; /* below lies another form */
        double slower_by = slower_by_of(floor, &forms[i]);
        const char *name;
        size_t n = form_from(empties, range_of(floor, &forms[i], next), &form, &name);
        /* so many cycles are only those of the form that is not told */
        bool far = form.low > SLOWEST * forms[i].hi * floor->cycle_max_ns;
        if ((n == 1 || (n > 1 && far)) && batched && is_beaten(floor, &form, fastest, slower_by)) {
            put_aside(empties, n, form.low);
            n = 0;
            form = (struct tkf_form_floor){.name = forms[i].name};
        }
        if (n > 0) {
            if (measured == 0)
                *ret_name = name;
            measured += n;
            form.slow = fmax(form.mid_most, fastest + slower_by);
            if (form.low > SAME_FORM * fastest && table && batched) {
                floor->forms[floor->nforms] = form_of_table(floor, &forms[i], 1);
                floor->forms[floor->nforms++].least = least;
                least = form.mid / SAME_FORM;
            }
            slower = fastest > 0 ? form.low / fastest : 1;
        } else if (table) {
            form = form_of_table(floor, &forms[i], slower);
        } else {
            continue;
        }
        form.least = least;
        floor->forms[floor->nforms++] = form;
    }
    return measured;
}

/* ---- what holds for all of an origin's rows ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int sort_values(struct tkf_row *const *rows, size_t nrows, struct tkf_floor *floor)
{
    floor->sorted_ns = calloc(nrows > 0 ? nrows : 1, sizeof(*floor->sorted_ns));
    if (!floor->sorted_ns)
        return TKF_ENOMEM;
    for (size_t i = 0; i < nrows; i++) {
        if (isfinite(rows[i]->result.ns))
            floor->sorted_ns[floor->nsorted++] = rows[i]->result.ns;
    }
    qsort(floor->sorted_ns, floor->nsorted, sizeof(*floor->sorted_ns), by_value);
    return 0;
}

/*
 * What the framework aimed at in this run: the usual total of those rows that did not run into its
 * cap. With too few of them, what it aims at by default.
 */
static double find_benchtime(struct tkf_row *const *rows, size_t nrows,
                             const struct tkf_floor *floor)
{
    double totals[256];
    unsigned n = 0;
    size_t stride = nrows / 256 + 1;
    double cap = floor->harness ? floor->harness->cap : NAN;
    for (size_t i = 0; i < nrows; i += stride) {
        const struct tkf_result *row = &rows[i]->result;
        double total_ns = isfinite(row->total_ns) ? row->total_ns : row->iterations * row->ns;
        if (isfinite(total_ns) && total_ns > 0 && !(row->iterations >= cap) && row->iterations > 1)
            totals[n++] = total_ns;
    }
    if (n < 3)
        return floor->harness ? floor->harness->benchtime_ns : NAN;
    tkf_sort(totals, n);
    return tkf_quantile(totals, n, 0.5);
}

/* Of a core at 0.8 GHz, as slow as the governors of today let one idle. */
#define SLOWEST_CYCLE_NS 1.25

/*
 * The step of which all values are multiples, where there is one that is far coarser than the
 * digits that were printed: what a clock left of them. NAN without.
 */
static double find_quantum(struct tkf_row *const *rows, size_t nrows, const struct tkf_floor *floor)
{
    enum { ROWS_NEEDED = 6, STEPS_NEEDED = 3, STEPS_LOOKED_AT = 40, DIGITS = 20 };
    double printed = NAN, step = NAN, last = 0;
    for (size_t i = 0; i < nrows; i++)
        printed = fmax(printed, rows[i]->result.quantum_ns);
    if (!(printed > 0))
        return NAN;
    for (size_t i = 0; i < floor->nsorted; i++) {
        double difference = floor->sorted_ns[i] - last;
        if (difference > 2 * printed)
            step = fmin(step, difference);
        last = floor->sorted_ns[i];
    }
    if (!(step >= DIGITS * printed))
        return NAN;
    /* What one core does over and over comes in whole cycles of its clock: no work of a timer's. */
    if (floor->origin->timing == TKF_TIMING_BATCHED && step < SLOWEST_CYCLE_NS)
        return NAN;
    unsigned n = 0;
    bool seen[STEPS_LOOKED_AT + 1] = {false};
    for (size_t i = 0; i < floor->nsorted && floor->sorted_ns[i] <= STEPS_LOOKED_AT * step; i++) {
        double steps = round(floor->sorted_ns[i] / step);
        if (steps < 0)
            continue; /* the harness took more off than there was */
        if (fabs(floor->sorted_ns[i] - steps * step) > printed * (steps + 1))
            return NAN;
        seen[(unsigned)steps] = true;
        n++;
    }
    unsigned distinct = 0;
    for (unsigned i = 0; i <= STEPS_LOOKED_AT; i++)
        distinct += seen[i];
    return n >= ROWS_NEEDED && distinct >= STEPS_NEEDED ? step : NAN;
}

/* ---- choosing ---- */

static void begin(struct tkf_floor *floor, const struct tkf_origin *origin,
                  const struct tkf_profile *profile)
{
    double cycle_ns = profile ? cycle_of(profile) : NAN;
    *floor = (struct tkf_floor){
        .origin = origin,
        .harness = tkf_harness_find(origin->framework, origin->timing),
        .explore = profile ? profile->explore : NULL,
        .cycle_min_ns = isfinite(cycle_ns) ? cycle_ns : 1e9 / TKF_CORE_HZ_MAX,
        .cycle_max_ns = isfinite(cycle_ns) ? slowest_cycle_of(profile) : 1e9 / TKF_CORE_HZ_MIN,
        .slower_by_ns = profile ? find_slower_by(profile) : 0,
        .plain_ns = NAN,
        .trusted = !profile ||
                   (!profile->machine.emulated && profile->counter.trust != TKF_TRUST_CONFLICT),
        .used = {.source = TKF_FLOOR_PHYSICAL,
                 .ns = {NAN, NAN, NAN},
                 .cycle_ns = cycle_ns,
                 .text =
                     profile
                         ? "the machine's cycle only: no empty loop is known for this framework"
                         : "physical bounds only: neither an empty benchmark in the file that was "
                           "timed alike nor a profile of its machine"},
    };
}

/* The machine's own empty loop, for a framework whose loop is not known. */
static void use_profile(struct tkf_floor *floor, const struct tkf_profile *profile)
{
    struct tkf_form_floor *form = add_form(floor, "loop");
    const struct tkf_band *ns = &profile->cpus[0].floor.floor_ns;
    *form = (struct tkf_form_floor){
        .name = "loop",
        .low = ns->lo,
        .low_most = ns->mid,
        .mid = ns->mid,
        .mid_most = ns->mid,
        .slow = fmax(ns->mid, ns->lo + floor->slower_by_ns),
    };
    floor->used.source = TKF_FLOOR_PROFILE;
    floor->used.text = "the empty loop of the machine's profile";
}

static void use_own(struct tkf_floor *floor, double ns)
{
    struct tkf_form_floor *form = add_form(floor, "own");
    *form = (struct tkf_form_floor){
        .name = "own", .low = ns, .low_most = ns, .mid = ns, .mid_most = ns};
    floor->used.source = TKF_FLOOR_SAME_FILE;
    floor->used.text = "the empty call that the framework measured itself, in the same file";
}

/* ---- a reading that benchmarks share ---- */

/* So many benchmarks that have nothing to do with each other, within so much of one another. */
#define SHARED_BY     4
#define SHARED_WITHIN 1.04

struct reading {
    double ns;
    const char *name; /* up to the first '/': the members of a family share their code */
    size_t length;
};

static int by_reading(const void *a, const void *b)
{
    double x = ((const struct reading *)a)->ns, y = ((const struct reading *)b)->ns;
    return (x > y) - (x < y);
}

static bool same_family(const struct reading *a, const struct reading *b)
{
    return a->length == b->length && strncmp(a->name, b->name, a->length) == 0;
}

/* How many families there are among n readings. */
static size_t count_families(const struct reading *readings, size_t n)
{
    size_t families = 0;
    for (size_t i = 0; i < n && families < SHARED_BY; i++) {
        size_t j = 0;
        while (j < i && !same_family(&readings[i], &readings[j]))
            j++;
        families += j == i;
    }
    return families;
}

/*
 * Readings of one thread's loop that take less than two cycles of any CPU there is. Two of a core's
 * whole cycles are more, so that those which many share took one: the loop's own.
 */
static size_t find_readings(struct tkf_row *const *rows, size_t nrows, struct reading *readings)
{
    size_t n = 0;
    for (size_t i = 0; i < nrows; i++) {
        const struct tkf_result *row = &rows[i]->result;
        bool stated = row->bytes_per_second > 0 || row->items_per_second > 0;
        if (tkf_may_be_floor(row) && !stated && !tkf_name_parts(row->name).parallel &&
            row->ns >= TKF_CYCLE_SHARE * 1e9 / TKF_CORE_HZ_MAX && row->ns < 2e9 / TKF_CORE_HZ_MAX)
            readings[n++] = (struct reading){
                .ns = row->ns, .name = row->name, .length = strcspn(row->name, "/")};
    }
    qsort(readings, n, sizeof(*readings), by_reading);
    return n;
}

/*
 * Where the machine is not known: the fastest reading that many benchmarks share is what the loop
 * takes there. 0, or TKF_ENOMEM.
 */
static int use_shared(struct tkf_results *results, struct tkf_row *const *rows, size_t nrows,
                      struct tkf_floor *floor)
{
    char text[160];
    size_t to = 0;
    struct reading *readings = calloc(nrows > 0 ? nrows : 1, sizeof(*readings));
    if (!readings)
        return TKF_ENOMEM;
    size_t n = find_readings(rows, nrows, readings);
    for (size_t from = 0; from < n; from++) {
        while (to < n && readings[to].ns <= SHARED_WITHIN * readings[from].ns)
            to++;
        if (count_families(readings + from, to - from) < SHARED_BY)
            continue;
        double low = readings[from].ns, most = readings[to - 1].ns;
        *add_form(floor, "shared") = (struct tkf_form_floor){
            .name = "shared",
            .low = low,
            .low_most = most,
            .mid = readings[(from + to) / 2].ns,
            .mid_most = most,
            .slow = most,
        };
        snprintf(text, sizeof(text),
                 "what %zu benchmarks of the file read alike, less than two cycles of any CPU: the "
                 "loop's own",
                 to - from);
        floor->used.source = TKF_FLOOR_SAME_FILE;
        floor->used.text = tkf_results_text(results, text, strlen(text));
        break;
    }
    free(readings);
    return 0;
}

/* Whether the framework's loop, compiled, takes one cycle: then many results may show it. */
static bool is_one_cycle(const struct tkf_floor *floor)
{
    bool one = false;
    for (unsigned i = 0; floor->harness && i < TKF_HARNESS_FORMS_MAX; i++) {
        const struct tkf_harness_form *form = &floor->harness->forms[i];
        one = one || (form->name && fabs(form->lo - 1) <= TKF_FLOOR_TOLERANCE);
    }
    return one && floor->origin->timing == TKF_TIMING_BATCHED;
}

/*
 * The form that people are shown: the dearest that was measured here, else the first that is a loop
 * of whole cycles, else any.
 */
static void show_form(struct tkf_floor *floor)
{
    const struct tkf_form_floor *measured = NULL, *whole = NULL, *any = NULL;
    for (unsigned i = floor->nforms; i > 0; i--) {
        const struct tkf_form_floor *form = &floor->forms[i - 1];
        if (form->rough)
            continue;
        any = form;
        if (form->mid_most >= TKF_CYCLE_SHARE * floor->cycle_min_ns)
            whole = form;
        if (form->measured && !measured)
            measured = form;
    }
    const struct tkf_form_floor *shown = measured ? measured : whole ? whole : any;
    if (!shown)
        return;
    floor->plain_ns = shown->mid_most;
    floor->used.ns = (struct tkf_band){shown->low, shown->mid, fmax(shown->mid_most, shown->slow)};
}

static void choose(struct tkf_results *results, const struct tkf_profile *profile,
                   const struct tkf_judge_options *options, struct empties *empties,
                   struct tkf_floor *floor)
{
    const struct tkf_origin *origin = floor->origin;
    const char *name = NULL;
    size_t measured = 0;

    if (options->floor_bench && empties->n > 0) { /* whoever names it knows */
        measured = form_from(empties, (struct range){-INFINITY, INFINITY}, add_form(floor, "named"),
                             &name);
    } else if (floor->harness) {
        measured = forms_of_harness(floor, empties, profile != NULL, &name);
    } else {
        struct tkf_form_floor form = {.name = "empty"};
        measured = form_from(empties, range_of_timing(floor, origin->timing), &form, &name);
        if (measured > 0)
            floor->forms[floor->nforms++] = form;
    }

    if (measured > 0) {
        floor->used.source = TKF_FLOOR_SAME_FILE;
        floor->used.text = say_empties(results, measured, name);
    } else if (isfinite(origin->own_floor_ns)) {
        floor->nforms = 0;
        use_own(floor, origin->own_floor_ns);
    } else if (floor->nforms > 0) {
        floor->used.source = TKF_FLOOR_HARNESS;
        floor->used.text = say_table(results, floor);
    } else if (profile && origin->timing == TKF_TIMING_BATCHED &&
               isfinite(profile->cpus[0].floor.floor_ns.mid)) {
        use_profile(floor, profile);
    }
}

static bool takes_empty(const struct tkf_floor *floor)
{
    bool any = false;
    for (unsigned i = 0; i < floor->nforms; i++)
        any = any || floor->forms[i].measured;
    return any;
}

int tkf_floor_choose(struct tkf_results *results, const struct tkf_origin *origin,
                     struct tkf_row *const *rows, size_t nrows,
                     const struct tkf_judge_options *options, struct tkf_floor *ret_floor)
{
    const struct tkf_profile *profile = applicable(origin, options);
    struct empties empties;
    struct tkf_floor floor;

    begin(&floor, origin, profile);
    take_known(&floor, profile);
    int ret = sort_values(rows, nrows, &floor);
    if (ret < 0)
        return ret;
    floor.benchtime_ns = find_benchtime(rows, nrows, &floor);
    floor.quantum_ns = find_quantum(rows, nrows, &floor);
    ret = find_empties(rows, nrows, options->floor_bench, &empties);
    if (ret < 0) {
        free(floor.sorted_ns);
        return ret;
    }
    choose(results, profile, options, &empties, &floor);
    if (floor.nforms == 0 && is_one_cycle(&floor))
        ret = use_shared(results, rows, nrows, &floor);
    if (empties.n > 0 && !takes_empty(&floor))
        floor.used.text = say_rejected(results, &empties, &floor);
    show_form(&floor);
    for (size_t i = 0; i < empties.n; i++)
        empties.list[i].row->is_floor = empties.list[i].state == TAKEN;
    free(empties.list);
    if (ret < 0 || !floor.used.text) {
        free(floor.sorted_ns);
        return TKF_ENOMEM;
    }
    *ret_floor = floor;
    return 0;
}

/* ---- asking it ---- */

/*
 * Like is held against like: the fastest value against the empty benchmarks' fastest, the usual one
 * against their usual. What is faster than they were is at the floor too: another moment made them
 * slower. Processes start at times that vary far more than a loop's, so that only the share counts.
 */
static bool reaches(const struct tkf_form_floor *form, const struct tkf_case *c,
                    bool *ret_by_fastest)
{
    double half = isnan(c->row->quantum_ns) ? 0 : c->row->quantum_ns * c->batch / 2;
    double tolerance = TKF_FLOOR_TOLERANCE * form->low_most;
    if (c->timing != TKF_TIMING_PROCESS)
        tolerance = fmin(tolerance, TKF_FLOOR_TOLERANCE * c->floor->cycle_max_ns);
    bool by_usual = c->mid - half <= form->mid_most;
    *ret_by_fastest = !by_usual;
    return c->mid >= form->least && (by_usual || c->low - half <= form->low_most + tolerance);
}

const struct tkf_form_floor *tkf_floor_form(const struct tkf_case *c, bool *ret_by_fastest)
{
    for (unsigned i = 0; i < c->floor->nforms; i++) {
        const struct tkf_form_floor *form = &c->floor->forms[i];
        if (!form->rough && reaches(form, c, ret_by_fastest))
            return form;
    }
    return NULL;
}

bool tkf_floor_may_be_slow(const struct tkf_case *c, const struct tkf_form_floor *form,
                           bool *ret_by_fastest)
{
    double half = isnan(c->row->quantum_ns) ? 0 : c->row->quantum_ns * c->batch / 2;
    *ret_by_fastest = !(c->mid - half <= form->slow);
    return !form->rough && !tkf_work_is_seen(c) && c->low - half <= form->slow &&
           c->mid > form->mid_most && form->slow > form->mid_most;
}

const struct tkf_form_floor *tkf_floor_nearest(const struct tkf_case *c)
{
    const struct tkf_form_floor *nearest = NULL;
    for (unsigned i = 0; i < c->floor->nforms; i++) {
        const struct tkf_form_floor *form = &c->floor->forms[i];
        if (!nearest || form->low <= c->mid * (1 + TKF_FLOOR_TOLERANCE))
            nearest = form;
    }
    return nearest;
}
