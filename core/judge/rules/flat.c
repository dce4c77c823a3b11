/* SPDX-License-Identifier: MIT */
/*
 * flat: a family of benchmarks over a size, whose time does not grow with it although work that was
 * done would have to.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../judge.h"

/* At least so many sizes, over such a range; less growth than this exponent is none. */
#define SIZES_NEEDED 3
#define RANGE_NEEDED 64.0
#define FLAT_SLOPE   0.1

/*
 * Constant time is right for a lookup, and a few ns of it look as flat as a sum that became a
 * closed form: only where work is stated that grows, and the time is within ten floors, is that
 * flat. Without it, what is within three floors is said to be one or the other.
 */
#define FLOORS_STATED   10.0
#define FLOORS_UNSTATED 3.0

/* A row as a member of a family: its name with one number left out. */
struct member {
    struct tkf_case *c;
    struct tkf_name_size size;
};

static int compare_keys(const struct member *x, const struct member *y)
{
    const struct tkf_result *a = x->c->row, *b = y->c->row;
    if (a->origin != b->origin)
        return (uintptr_t)a->origin > (uintptr_t)b->origin ? 1 : -1;
    if (a->group != b->group)
        return (uintptr_t)a->group > (uintptr_t)b->group ? 1 : -1;
    if (a->procs != b->procs && !(isnan(a->procs) && isnan(b->procs))) /* NAN comes first */
        return isnan(b->procs) || a->procs > b->procs ? 1 : -1;
    if (x->size.start != y->size.start)
        return x->size.start > y->size.start ? 1 : -1;
    int order = strncmp(a->name, b->name, x->size.start);
    return order != 0 ? order
                      : strcmp(a->name + x->size.start + x->size.length,
                               b->name + y->size.start + y->size.length);
}

static int by_key(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    int order = compare_keys(x, y);
    return order != 0 ? order : (x->size.value > y->size.value) - (x->size.value < y->size.value);
}

static double work_of(const struct tkf_case *c)
{
    return fmax(c->row->bytes_per_second, c->row->items_per_second) * c->row->ns /
           1e9; /* of one operation */
}

/* Whether members that are sorted by size are flat. */
static bool is_flat(const struct member *members, size_t n, bool *ret_stated)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, slowest = 0;
    const struct tkf_case *first = members[0].c, *last = members[n - 1].c;
    if (n < SIZES_NEEDED || !(members[n - 1].size.value >= RANGE_NEEDED * members[0].size.value))
        return false;
    for (size_t i = 0; i < n; i++) {
        double x = log(members[i].size.value), y = log(members[i].c->mid);
        sx += x, sy += y, sxx += x * x, sxy += x * y;
        slowest = fmax(slowest, members[i].c->mid);
    }
    double slope = (sxy - sx * sy / (double)n) / (sxx - sx * sx / (double)n);
    bool stated = work_of(last) >= RANGE_NEEDED / 2 * work_of(first);
    *ret_stated = stated;
    const struct tkf_floor *floor = first->floor;
    double floor_ns = isfinite(floor->plain_ns) ? floor->plain_ns : floor->cycle_max_ns;
    return slope < FLAT_SLOPE && slope > -FLAT_SLOPE &&
           slowest < (stated ? FLOORS_STATED : FLOORS_UNSTATED) * floor_ns;
}

/* A number that is the time of a fixed piece of work on one thread. */
static bool may_be_member(const struct tkf_case *c)
{
    return c->timing == TKF_TIMING_BATCHED && tkf_number_is_known(c) && c->row->ns > 0 &&
           !c->batch_known && !(c->row->threads > 1);
}

int tkf_flat_families(struct tkf_case *cases, size_t n)
{
    struct tkf_name_size sizes[TKF_NAME_SIZES_MAX];
    size_t count = 0;
    struct member *members = calloc(n > 0 ? n * TKF_NAME_SIZES_MAX : 1, sizeof(*members));
    if (!members)
        return TKF_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        unsigned nsizes = may_be_member(&cases[i]) ? tkf_name_sizes(cases[i].row->name, sizes) : 0;
        for (unsigned j = 0; j < nsizes; j++)
            members[count++] = (struct member){.c = &cases[i], .size = sizes[j]};
    }
    qsort(members, count, sizeof(*members), by_key);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && compare_keys(&members[from], &members[to]) == 0;)
            to++;
        bool stated;
        if (!is_flat(members + from, to - from, &stated))
            continue;
        for (size_t i = from; i < to; i++) {
            members[i].c->family = true;
            members[i].c->family_stated = stated;
            members[i].c->family_from = members[from].size.value;
            members[i].c->family_to = members[to - 1].size.value;
        }
    }
    free(members);
    return 0;
}

bool tkf_rule_flat(struct tkf_case *c)
{
    if (!c->family || !c->family_stated)
        return false;
    tkf_say(c, "flat-family",
            "from size %.0f to %.0f the time stays the same, though the work that is stated grows; "
            "the loop over the size became a formula, or was moved out, or does not depend on it",
            c->family_from, c->family_to);
    return true;
}
