/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

const char *tkf_change_name(enum tkf_change change)
{
    static const char *const names[TKF_CHANGES] = {
        [TKF_CHANGE_SAME] = "same",       [TKF_CHANGE_CLOSE] = "close",
        [TKF_CHANGE_BETTER] = "better",   [TKF_CHANGE_WORSE] = "worse",
        [TKF_CHANGE_DIFFERS] = "differs", [TKF_CHANGE_ONLY_A] = "only-a",
        [TKF_CHANGE_ONLY_B] = "only-b",
    };
    return names[change];
}

bool tkf_change_counts(enum tkf_change change)
{
    return change == TKF_CHANGE_BETTER || change == TKF_CHANGE_WORSE ||
           change == TKF_CHANGE_DIFFERS;
}

/* ---- the machines ---- */

static void put_difference(struct tkf_comparison *comparison, const char *what, const char *a,
                           const char *b)
{
    struct tkf_machine_difference *difference = &comparison->machine[comparison->nmachine];
    a = a && a[0] ? a : "unknown";
    b = b && b[0] ? b : "unknown";
    if (strcmp(a, b) == 0)
        return;
    difference->what = what;
    snprintf(difference->a, sizeof(difference->a), "%s", a);
    snprintf(difference->b, sizeof(difference->b), "%s", b);
    comparison->nmachine++;
}

static void put_count(struct tkf_comparison *comparison, const char *what, unsigned a, unsigned b)
{
    char texts[2][16] = {"", ""};
    if (a > 0)
        snprintf(texts[0], sizeof(texts[0]), "%u", a);
    if (b > 0)
        snprintf(texts[1], sizeof(texts[1]), "%u", b);
    put_difference(comparison, what, texts[0], texts[1]);
}

static const char *hypervisor_of(const struct tkf_machine *machine)
{
    return machine->hypervisor[0] || !machine->hypervisor_known ? machine->hypervisor : "none";
}

static const char *emulator_of(const struct tkf_machine *machine)
{
    return !machine->emulated ? "none" : machine->emulator[0] ? machine->emulator : "unnamed";
}

static void compare_machines(struct tkf_comparison *comparison)
{
    static const char *const trusts[] = {"verified", "declared", "conflict"};
    const struct tkf_profile *a = comparison->a, *b = comparison->b;
    const struct tkf_machine *x = &a->machine, *y = &b->machine;
    put_difference(comparison, "arch", x->arch, y->arch);
    put_difference(comparison, "cpu", x->cpu, y->cpu);
    put_difference(comparison, "cpu_id", x->cpu_id, y->cpu_id);
    put_difference(comparison, "microcode", x->microcode, y->microcode);
    put_difference(comparison, "os", x->os, y->os);
    put_difference(comparison, "kernel", x->kernel, y->kernel);
    put_difference(comparison, "hypervisor", hypervisor_of(x), hypervisor_of(y));
    put_difference(comparison, "emulator", emulator_of(x), emulator_of(y));
    put_count(comparison, "cpus", x->cpus, y->cpus);
    put_count(comparison, "kinds", x->kinds, y->kinds);
    put_difference(comparison, "counter", a->counter.name, b->counter.name);
    put_difference(comparison, "fence", a->counter.fence, b->counter.fence);
    put_difference(comparison, "unit", a->counter.unit, b->counter.unit);
    put_difference(comparison, "trust", trusts[a->counter.trust], trusts[b->counter.trust]);
    put_difference(comparison, "tool", a->tool, b->tool);
}

/* ---- the CPUs ---- */

/* Which CPU of B goes with each of A's; -1 none. */
static int match_cpus(const struct tkf_profile *a, const struct tkf_profile *b, int *match)
{
    bool *taken = calloc(b->ncpus + 1, sizeof(*taken));
    for (unsigned i = 0; i < a->ncpus; i++)
        match[i] = -1;
    if (!taken)
        return TKF_ENOMEM;
    for (unsigned i = 0; i < a->ncpus; i++) {
        unsigned order = tkf_cpu_order(a, i);
        for (unsigned k = 0; k < b->ncpus && match[i] < 0; k++) {
            if (strcmp(a->cpus[i].kind, b->cpus[k].kind) == 0 && order-- == 0) {
                match[i] = (int)k;
                taken[k] = true;
            }
        }
    }
    for (unsigned i = 0, k = 0; i < a->ncpus; i++) {
        while (k < b->ncpus && taken[k])
            k++;
        if (match[i] < 0 && k < b->ncpus)
            match[i] = (int)k++;
    }
    free(taken);
    return 0;
}

/* ---- the quantities ---- */

struct list {
    struct tkf_quantity *items;
    size_t count, size;
};

static int keep(void *ctx, const struct tkf_quantity *quantity)
{
    struct list *list = ctx;
    void *more = tkf_grow(list->items, list->count, &list->size, sizeof(list->items[0]));
    if (!more)
        return TKF_ENOMEM;
    list->items = more;
    list->items[list->count++] = *quantity;
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct tkf_quantity *x = a, *y = b;
    int order = (x->cpu > y->cpu) - (x->cpu < y->cpu);
    return order ? order : strcmp(x->name, y->name);
}

static bool below(const struct tkf_band *low, const struct tkf_band *high, double share,
                  double least)
{
    return low->hi + share * fabs(low->hi) + least < high->lo;
}

static enum tkf_change judge(const struct tkf_quantity *a, const struct tkf_quantity *b,
                             double tolerance_percent, bool *ret_overlap)
{
    double share = tolerance_percent / 100 * a->slack;
    *ret_overlap = !below(&a->value, &b->value, 0, 0) && !below(&b->value, &a->value, 0, 0);
    if (*ret_overlap)
        return TKF_CHANGE_SAME;
    bool grew = below(&a->value, &b->value, share, a->least);
    if (!grew && !below(&b->value, &a->value, share, a->least))
        return TKF_CHANGE_CLOSE;
    if (a->better == TKF_BETTER_NEITHER)
        return TKF_CHANGE_DIFFERS;
    return grew == (a->better == TKF_BETTER_HIGHER) ? TKF_CHANGE_BETTER : TKF_CHANGE_WORSE;
}

/* A unit that changed its name is another quantity. */
static bool comparable(const struct tkf_quantity *a, const struct tkf_quantity *b)
{
    return b && strcmp(a->unit, b->unit) == 0;
}

struct position {
    struct tkf_compared compared;
    size_t index;
};

static int by_group(const void *a, const void *b)
{
    const struct position *x = a, *y = b;
    const struct tkf_quantity *p =
        x->compared.change == TKF_CHANGE_ONLY_B ? &x->compared.b : &x->compared.a;
    const struct tkf_quantity *q =
        y->compared.change == TKF_CHANGE_ONLY_B ? &y->compared.b : &y->compared.a;
    if (p->group != q->group)
        return p->group < q->group ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Both lists as one, in the order of A; what only B has comes last in its group. */
static int join(const struct list *of_a, struct list *of_b, const int *match, size_t ncpus,
                struct tkf_comparison *comparison)
{
    size_t count = 0;
    int ret = TKF_ENOMEM;
    bool *used = calloc(of_b->count + 1, sizeof(*used));
    struct position *rows = malloc((of_a->count + of_b->count + 1) * sizeof(*rows));
    struct tkf_compared *compared = malloc((of_a->count + of_b->count + 1) * sizeof(*compared));
    if (!used || !rows || !compared)
        goto done;
    /* To be searched; where a name is there twice the first is taken, whichever that is. */
    if (of_b->count > 0)
        qsort(of_b->items, of_b->count, sizeof(of_b->items[0]), by_name);
    for (size_t i = 0; i < of_a->count; i++) {
        const struct tkf_quantity *a = &of_a->items[i], *b = NULL;
        struct tkf_quantity key = *a;
        if (a->cpu >= 0)
            key.cpu = (size_t)a->cpu < ncpus ? match[a->cpu] : -1;
        if (of_b->count > 0 && (a->cpu < 0 || key.cpu >= 0))
            b = bsearch(&key, of_b->items, of_b->count, sizeof(of_b->items[0]), by_name);
        struct tkf_compared *row = &rows[count].compared;
        *row = (struct tkf_compared){.a = *a, .change = TKF_CHANGE_ONLY_A, .ratio = NAN};
        if (comparable(a, b)) {
            used[b - of_b->items] = true;
            row->b = *b;
            row->change = judge(a, b, comparison->tolerance_percent, &row->overlap);
            row->ratio = a->value.mid != 0 ? b->value.mid / a->value.mid : NAN;
        }
        rows[count].index = count;
        count++;
    }
    for (size_t i = 0; i < of_b->count; i++) {
        if (used[i])
            continue;
        rows[count].compared =
            (struct tkf_compared){.b = of_b->items[i], .change = TKF_CHANGE_ONLY_B, .ratio = NAN};
        rows[count].index = count;
        count++;
    }
    if (count > 0)
        qsort(rows, count, sizeof(rows[0]), by_group);
    for (size_t i = 0; i < count; i++) {
        compared[i] = rows[i].compared;
        comparison->counts[compared[i].change]++;
    }
    comparison->quantities = compared;
    comparison->nquantities = count;
    compared = NULL;
    ret = 0;
done:
    free(compared);
    free(rows);
    free(used);
    return ret;
}

/* ---- what an operating system adds ---- */

static bool may_be_same(const char *a, const char *b)
{
    return a[0] == '\0' || b[0] == '\0' || strcmp(a, b) == 0;
}

static void find_os_adds(struct tkf_comparison *comparison)
{
    struct tkf_os_adds *os = &comparison->os;
    const struct tkf_machine *x = &comparison->a->machine, *y = &comparison->b->machine;
    bool a_is_firmware = strcmp(x->os, "uefi") == 0, b_is_firmware = strcmp(y->os, "uefi") == 0;
    if (a_is_firmware == b_is_firmware || comparison->a->ncpus == 0 || comparison->b->ncpus == 0)
        return;
    if (x->emulated || y->emulated) {
        bool firmware_is = (b_is_firmware ? y : x)->emulated;
        os->reason = firmware_is
                         ? "the firmware ran on an emulated CPU, so what differs means nothing"
                         : "the system ran on an emulated CPU, so what differs means nothing";
        os->next = firmware_is ? "boot the firmware image on the machine itself"
                               : "calibrate on the machine itself";
        return;
    }
    if (strcmp(x->arch, y->arch) != 0 || !may_be_same(x->cpu, y->cpu) ||
        !may_be_same(x->cpu_id, y->cpu_id) || !may_be_same(x->microcode, y->microcode)) {
        os->reason = "the machines are not the same";
        os->next = "make both profiles on one machine";
        return;
    }
    os->known = true;
    os->system_is_a = b_is_firmware;
    const struct tkf_profile *system = os->system_is_a ? comparison->a : comparison->b;
    const struct tkf_profile *bare = os->system_is_a ? comparison->b : comparison->a;
    const struct tkf_cpu_floor *under = &system->cpus[0].floor, *without = &bare->cpus[0].floor;
    os->read_ns = system->counter.read_ns.mid - bare->counter.read_ns.mid;
    os->floor_ns[0] = under->floor_ns.lo - without->floor_ns.lo;
    os->floor_ns[1] = under->floor_ns.mid - without->floor_ns.mid;
    os->floor_ns[2] = under->floor_ns.hi - without->floor_ns.hi;
    os->worst_gap_ns = under->worst_gap_ns - without->worst_gap_ns;
}

/* ---- the whole ---- */

int tkf_compare(const struct tkf_profile *a, const struct tkf_profile *b, double tolerance_percent,
                struct tkf_comparison *ret_comparison)
{
    struct list of_a = {0}, of_b = {0};
    struct tkf_comparison *comparison = calloc(1, sizeof(*comparison));
    int *match = malloc((a->ncpus + 1) * sizeof(*match));
    int ret = TKF_ENOMEM;
    if (!comparison || !match)
        goto done;
    comparison->a = a;
    comparison->b = b;
    comparison->tolerance_percent = tolerance_percent;
    ret = match_cpus(a, b, match);
    if (ret == 0)
        ret = tkf_quantities(a, keep, &of_a);
    if (ret == 0)
        ret = tkf_quantities(b, keep, &of_b);
    if (ret == 0)
        ret = join(&of_a, &of_b, match, a->ncpus, comparison);
    if (ret < 0)
        goto done;
    compare_machines(comparison);
    find_os_adds(comparison);
    *ret_comparison = *comparison;
done:
    free(match);
    free(comparison);
    free(of_a.items);
    free(of_b.items);
    return ret;
}

void tkf_comparison_free(struct tkf_comparison *comparison)
{
    free(comparison->quantities);
    comparison->quantities = NULL;
    comparison->nquantities = 0;
}
