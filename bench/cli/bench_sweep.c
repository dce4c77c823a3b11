/* SPDX-License-Identifier: MIT */
/** `tickfloor bench --sweep`: copied values against heap pointers, size by size, and where the one overtakes the other. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench_verb.h"
#include "cli.h"

/* A size is measured so long in each of its three forms, in each pass; 25 sizes then take 10 s or so. */
#define FORM_TIME_NS 50e6

/* All sizes, then all of them again: the better of two is kept, as what disturbs the one rarely lasts until the other. */
#define PASSES 2

/* To fill a large size takes longer: so many operations. */
#define FORM_OPERATIONS_MIN 8
#define LARGE_BYTES         (4u << 20)

/* The allocation alone is short at any size; one in a window would be the reading of the counter. */
#define ALLOCATION_TIME_MIN_NS 1e6

#define CROSSINGS_MAX 8

#define TOUCHED_BYTES (32u << 20)

/* An allocation that costs so much more than at the size before is made in another way. */
#define METHOD_JUMP 1.5

/** One form at one size. */
struct form {
    struct tkf_band ns;
    double faults; /* pages that the system had to give, for each operation */
};

struct point {
    size_t bytes;
    struct form value, pointer, allocate;
};

/** Where one form overtakes the other: between lo and hi for sure, most likely at mid. */
struct crossing {
    double lo, mid, hi; /* bytes */
    bool
        to_pointer; /* from hi on the pointer is cheaper, up to lo the value; or the other way round */
};

struct sweep {
    struct point points[64];
    unsigned npoints;
    struct crossing crossings[CROSSINGS_MAX];
    unsigned ncrossings;
    double first_touch_ns, second_touch_ns; /* of one page */
    long page_bytes;
    char error[400];
};

static double faults_now(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_minflt;
}

static bool measure_form(const struct tkf_bench_entry *entry, unsigned index,
                         const struct tkf_bench_timer *timer, struct tkf_bench_limit limit,
                         struct sweep *sweep, struct form *ret)
{
    if (entry == &tkf_suite_allocate)
        limit = (struct tkf_bench_limit){.time_ns = fmax(limit.time_ns, ALLOCATION_TIME_MIN_NS)};
    else if (limit.iterations == 0 && tkf_suite_sizes[index].bytes >= LARGE_BYTES)
        limit = (struct tkf_bench_limit){.iterations = FORM_OPERATIONS_MIN};
    struct tkf_bench_repetition r;
    double before = faults_now();
    int error = tkf_bench_repeat(entry, index, timer, &limit, false, &r);
    double faults = faults_now() - before;
    if (error != 0)
        snprintf(sweep->error, sizeof sweep->error, "%s", r.error);
    else if (ret->ns.mid == 0 || r.ns < ret->ns.mid)
        *ret = (struct form){{r.ns_lo, r.ns, r.ns_hi}, faults / (double)r.iterations};
    tkf_bench_repetition_free(&r);
    return error == 0;
}

/** -1 the value is surely cheaper, 1 the pointer is, 0 the intervals overlap. */
static int cheaper(const struct point *p)
{
    if (p->value.ns.hi < p->pointer.ns.lo)
        return -1;
    return p->value.ns.lo > p->pointer.ns.hi;
}

static double log_ratio(const struct point *p)
{
    return log(p->value.ns.mid / p->pointer.ns.mid);
}

/** Where the ratio passes 1 between two points, which lie on different sides of it: on a line through the logarithms. */
static double passes_one(const struct point *points, unsigned first, unsigned last)
{
    unsigned i = first;
    while (i + 2 <= last && (log_ratio(&points[i]) < 0) == (log_ratio(&points[i + 1]) < 0))
        i++;
    double before = log_ratio(&points[i]), after = log_ratio(&points[i + 1]);
    double from = log((double)points[i].bytes), to = log((double)points[i + 1].bytes);
    return exp(from + (to - from) * before / (before - after));
}

/** From each size at which one form is surely cheaper to the next at which the other is. */
static void find_crossings(struct sweep *sweep)
{
    int sure = 0;
    unsigned sure_at = 0;
    for (unsigned i = 0; i < sweep->npoints; i++) {
        const struct point *points = sweep->points;
        int here = cheaper(&points[i]);
        if (here == 0)
            continue;
        if (sure != 0 && here != sure && sweep->ncrossings < CROSSINGS_MAX)
            sweep->crossings[sweep->ncrossings++] = (struct crossing){
                .lo = (double)points[sure_at].bytes,
                .mid = passes_one(points, sure_at, i),
                .hi = (double)points[i].bytes,
                .to_pointer = here > 0,
            };
        sure = here;
        sure_at = i;
    }
}

/** Touch each page of fresh memory, and each once more. */
static bool measure_touch(const struct tkf_bench_timer *timer, struct sweep *sweep)
{
    sweep->page_bytes = sysconf(_SC_PAGESIZE);
    size_t step = (size_t)sweep->page_bytes, pages = TOUCHED_BYTES / step;
    volatile unsigned char *memory =
        mmap(NULL, TOUCHED_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    uint64_t ticks[3];
    for (int pass = 0; pass < 2; pass++) {
        ticks[pass] = timer->now(timer->ctx);
        for (size_t i = 0; i < pages; i++)
            memory[i * step] = 1;
        ticks[pass + 1] = timer->now(timer->ctx);
    }
    sweep->first_touch_ns = (double)(ticks[1] - ticks[0]) * timer->tick_ns / (double)pages;
    sweep->second_touch_ns = (double)(ticks[2] - ticks[1]) * timer->tick_ns / (double)pages;
    munmap((void *)memory, TOUCHED_BYTES);
    return true;
}

static int run_sweep(const struct tkf_bench_timer *timer, const struct tkf_bench_options *options,
                     struct sweep *sweep)
{
    sweep->npoints = tkf_suite_nsizes;
    for (unsigned k = 0; k < PASSES * tkf_suite_nsizes; k++) {
        unsigned i = k % tkf_suite_nsizes;
        struct point *point = &sweep->points[i];
        tkf_progress((double)k / (PASSES * tkf_suite_nsizes), "sizes");
        if (tkf_interrupted(NULL))
            return tkf_exit_interrupted();
        point->bytes = tkf_suite_sizes[i].bytes;
        if (!measure_form(&tkf_suite_by_value, i, timer, options->limit, sweep, &point->value) ||
            !measure_form(&tkf_suite_by_pointer, i, timer, options->limit, sweep,
                          &point->pointer) ||
            !measure_form(&tkf_suite_allocate, i, timer, options->limit, sweep, &point->allocate))
            return TKF_EXIT_MEASURE;
    }
    find_crossings(sweep);
    if (!measure_touch(timer, sweep)) {
        snprintf(sweep->error, sizeof sweep->error, "no %u MB of fresh memory to touch",
                 TOUCHED_BYTES >> 20);
        return TKF_EXIT_MEASURE;
    }
    return TKF_EXIT_OK;
}

/* ---- for people --------------------------------------------------------------------------------------------------- */

static const char *size_text(double bytes, char ret_text[32])
{
    static const char *const units[] = {"B", "KB", "MB"};
    unsigned unit = 0;
    while (bytes >= 1024 && unit < 2) {
        bytes /= 1024;
        unit++;
    }
    snprintf(ret_text, 32, "%.3g %s", bytes, units[unit]);
    return ret_text;
}

/** Whether the system gave most of the pages anew for each operation; some, when the heap grew once, is no method. */
static bool comes_fresh(const struct point *p, long page_bytes)
{
    double pages = (double)p->bytes / (double)page_bytes;
    return p->pointer.faults > 0.5 * (pages > 1 ? pages : 1);
}

/** What the allocator does otherwise from point i on than before it; NULL when nothing. */
static const char *method_change(const struct sweep *sweep, unsigned i)
{
    const struct point *before = &sweep->points[i - 1], *here = before + 1;
    const struct point *after = i + 1 < sweep->npoints ? here + 1 : here;
    if (comes_fresh(here, sweep->page_bytes) && !comes_fresh(before, sweep->page_bytes))
        return "fresh memory from the system for each";
    double much = METHOD_JUMP * before->allocate.ns.hi;
    if (here->allocate.ns.lo > much && after->allocate.ns.lo > much)
        return "a slower way";
    return NULL;
}

static void print_table(const struct sweep *sweep)
{
    char size[32];
    puts("    size     by value ns    by pointer ns   value/pointer   allocation ns");
    for (unsigned i = 0; i < sweep->npoints; i++) {
        const struct point *p = &sweep->points[i];
        printf("%8s %15.4g %16.4g %15.3f %15.4g\n", size_text((double)p->bytes, size),
               p->value.ns.mid, p->pointer.ns.mid, p->value.ns.mid / p->pointer.ns.mid,
               p->allocate.ns.mid);
    }
}

static void print_findings(const struct sweep *sweep)
{
    char lo[32], mid[32], hi[32];
    putchar('\n');
    if (sweep->ncrossings == 0)
        puts(
            "crossover: none: neither form overtakes the other at a size where they can be told apart");
    for (unsigned i = 0; i < sweep->ncrossings; i++) {
        const struct crossing *c = &sweep->crossings[i];
        printf("crossover: at about %s by %s becomes cheaper: surely not yet at %s, surely at %s\n",
               size_text(c->mid, mid), c->to_pointer ? "pointer" : "value", size_text(c->lo, lo),
               size_text(c->hi, hi));
    }
    for (unsigned i = 1; i < sweep->npoints; i++) {
        const char *change = method_change(sweep, i);
        if (change != NULL)
            printf("allocator: at %s: %s (%.3g ns, before it %.3g ns)\n",
                   size_text((double)sweep->points[i].bytes, mid), change,
                   sweep->points[i].allocate.ns.mid, sweep->points[i - 1].allocate.ns.mid);
    }
    printf("first touch of a page of %ld B: %.3g ns; of one touched before: %.3g ns\n",
           sweep->page_bytes, sweep->first_touch_ns, sweep->second_touch_ns);
}

/* ---- for programs ------------------------------------------------------------------------------------------------- */

static json_t *form_json(const struct form *form)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "lo", form->ns.lo, "ns", form->ns.mid, "hi",
                     form->ns.hi, "faults_per_op", form->faults);
}

static int print_json(const struct sweep *sweep)
{
    json_t *points = json_array();
    for (unsigned i = 0; i < sweep->npoints; i++) {
        const struct point *p = &sweep->points[i];
        json_array_append_new(points, json_pack("{s:I, s:o, s:o, s:o}", "bytes",
                                                (json_int_t)p->bytes, "value", form_json(&p->value),
                                                "pointer", form_json(&p->pointer), "allocation",
                                                form_json(&p->allocate)));
    }
    json_t *crossings = json_array();
    for (unsigned i = 0; i < sweep->ncrossings; i++) {
        const struct crossing *c = &sweep->crossings[i];
        json_array_append_new(crossings, json_pack("{s:s, s:f, s:f, s:f}", "cheaper_above",
                                                   c->to_pointer ? "pointer" : "value", "lo_bytes",
                                                   c->lo, "bytes", c->mid, "hi_bytes", c->hi));
    }
    json_t *root = json_pack("{s:s, s:o, s:o, s:{s:I, s:f, s:f}}", "schema", "tickfloor.sweep/1",
                             "points", points, "crossovers", crossings, "touch", "page_bytes",
                             (json_int_t)sweep->page_bytes, "first_ns", sweep->first_touch_ns,
                             "again_ns", sweep->second_touch_ns);
    if (root == NULL) {
        tkf_error(NULL, "out of memory");
        return TKF_EXIT_MEASURE;
    }
    json_dumpf(root, stdout, JSON_INDENT(2));
    putchar('\n');
    json_decref(root);
    return TKF_EXIT_OK;
}

int tkf_bench_sweep(const struct tkf_bench_options *options)
{
    static struct sweep sweep; /* too large for a stack */
    static struct tkf_bench_session session; /* large: the stack may be small */
    int status = tkf_bench_open(options, stderr, &session);
    if (status != TKF_EXIT_OK)
        return status;
    struct tkf_bench_options mine = *options;
    if (mine.limit.iterations == 0)
        mine.limit.time_ns = mine.limit.time_ns < FORM_TIME_NS ? mine.limit.time_ns : FORM_TIME_NS;
    status = run_sweep(&session.timer, &mine, &sweep);
    tkf_progress_clear();
    tkf_profile_free(&session.profile);
    if (status != TKF_EXIT_OK) {
        if (sweep.error[0] != '\0')
            tkf_error(NULL, "%s", sweep.error);
        return status;
    }
    if (options->json)
        return print_json(&sweep);
    print_table(&sweep);
    print_findings(&sweep);
    return TKF_EXIT_OK;
}
