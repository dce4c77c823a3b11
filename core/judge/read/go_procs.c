/* SPDX-License-Identifier: MIT */
/*
 * The -GOMAXPROCS that Go puts behind a name, unless it is 1. Names of sub-benchmarks may end in a number of their own, so that only
 * all names of a package tell: they share one suffix, or each comes with every one of a list (-cpu 1,2,4).
 */
#include <stdlib.h>
#include <string.h>

#include "../grow.h"
#include "go.h"

/* A name without a suffix ran with this many. */
#define NO_SUFFIX 1

#define LIST_MAX 32

/* The number that the name ends in after a hyphen; NO_SUFFIX when it does not end so. */
static unsigned suffix_of(const char *name)
{
    const char *hyphen = strrchr(name, '-');
    if (!hyphen || hyphen == name || strlen(hyphen) > 6 || hyphen[1] == '0' || hyphen[1] == '\0' ||
        hyphen[1 + strspn(hyphen + 1, "0123456789")] != '\0')
        return NO_SUFFIX;
    return (unsigned)strtoul(hyphen + 1, NULL, 10);
}

static void strip(struct tkf_sink *sink, struct tkf_result *result)
{
    const char *hyphen = strrchr(result->name, '-');
    result->name = tkf_sink_text(sink, result->name, (size_t)(hyphen - result->name));
}

/* ---- one suffix for all ---- */

static bool share_suffix(struct tkf_sink *sink, struct tkf_result *const *rows, size_t n)
{
    unsigned shared = suffix_of(rows[0]->name);
    for (size_t i = 0; i < n; i++) {
        if (suffix_of(rows[i]->name) != shared)
            return false;
    }
    for (size_t i = 0; i < n && shared != NO_SUFFIX; i++) {
        rows[i]->procs = shared;
        strip(sink, rows[i]);
    }
    return true;
}

/* ---- a list ---- */

struct list {
    unsigned procs[LIST_MAX];
    unsigned n; /* LIST_MAX + 1: more, and so none */
};

static bool is_listed(const struct list *list, unsigned procs)
{
    for (unsigned i = 0; i < list->n && i < LIST_MAX; i++) {
        if (list->procs[i] == procs)
            return true;
    }
    return false;
}

/* The suffixes of names that cannot have a number of their own; of all names where there is no such one. */
static struct list find_list(struct tkf_result *const *rows, size_t n, bool *ret_sure)
{
    struct list list = {.n = 0};
    *ret_sure = false;
    for (size_t i = 0; i < n; i++)
        *ret_sure = *ret_sure || !strchr(rows[i]->name, '/');
    for (size_t i = 0; i < n && list.n <= LIST_MAX; i++) {
        unsigned procs = suffix_of(rows[i]->name);
        if ((*ret_sure && strchr(rows[i]->name, '/')) || is_listed(&list, procs))
            continue;
        if (list.n < LIST_MAX)
            list.procs[list.n] = procs;
        list.n++;
    }
    return list;
}

static int by_name(const void *a, const void *b)
{
    const struct tkf_result *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* Whether the name of that length comes with each suffix of the list. */
static bool is_complete(struct tkf_result *const *sorted, size_t n, const struct list *list,
                        const char *name, size_t length, struct tkf_bytes *scratch)
{
    for (unsigned i = 0; i < list->n; i++) {
        char suffix[16] = "";
        if (list->procs[i] != NO_SUFFIX)
            snprintf(suffix, sizeof(suffix), "-%u", list->procs[i]);
        scratch->length = 0;
        if (!tkf_bytes_add(scratch, name, length) ||
            !tkf_bytes_add(scratch, suffix, strlen(suffix)))
            return false;
        struct tkf_result key = {.name = scratch->text}, *wanted = &key;
        if (!bsearch(&wanted, sorted, n, sizeof(*sorted), by_name))
            return false;
    }
    return true;
}

/* The number of a list that a row ran with; 0 when it is not known. */
static unsigned listed_procs(struct tkf_result *const *sorted, size_t n, const struct list *list,
                             const char *name, struct tkf_bytes *scratch)
{
    unsigned procs = suffix_of(name);
    size_t length = strlen(name);
    if (procs != NO_SUFFIX && is_listed(list, procs) &&
        is_complete(sorted, n, list, name, (size_t)(strrchr(name, '-') - name), scratch))
        return procs;
    if (is_listed(list, NO_SUFFIX) && is_complete(sorted, n, list, name, length, scratch))
        return NO_SUFFIX;
    return 0;
}

static void take_list(struct tkf_sink *sink, struct tkf_result **rows, size_t n)
{
    struct tkf_bytes scratch = {0};
    bool sure, all = true;
    struct list list = find_list(rows, n, &sure);
    /* Sub-benchmarks over sizes look the same, but there is none without a size. */
    if (list.n < 2 || list.n > LIST_MAX || (!sure && !is_listed(&list, NO_SUFFIX)))
        return;
    unsigned *procs = calloc(n, sizeof(*procs));
    if (!procs)
        return;
    qsort(rows, n, sizeof(*rows), by_name);
    for (size_t i = 0; i < n; i++) {
        procs[i] = listed_procs(rows, n, &list, rows[i]->name, &scratch);
        all = all && procs[i] > 0;
    }
    for (size_t i = 0; i < n && (sure || all); i++) {
        if (procs[i] == 0)
            continue;
        rows[i]->procs = procs[i];
        rows[i]->full_name = rows[i]->name;
        if (procs[i] != NO_SUFFIX)
            strip(sink, rows[i]);
    }
    free(procs);
    free(scratch.text);
}

/* ---- packages ---- */

static int by_group(const void *a, const void *b)
{
    const struct tkf_result *x = *(struct tkf_result *const *)a,
                            *y = *(struct tkf_result *const *)b;
    if (x->origin != y->origin)
        return (uintptr_t)x->origin < (uintptr_t)y->origin ? -1 : 1;
    return ((uintptr_t)x->group > (uintptr_t)y->group) -
           ((uintptr_t)x->group < (uintptr_t)y->group);
}

void tkf_go_strip_procs(struct tkf_sink *sink)
{
    size_t n = tkf_sink_rows(sink);
    struct tkf_result **rows = n > 0 ? malloc(n * sizeof(*rows)) : NULL;
    if (!rows)
        return;
    for (size_t i = 0; i < n; i++)
        rows[i] = tkf_sink_result(sink, i);
    qsort(rows, n, sizeof(*rows), by_group);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && by_group(&rows[from], &rows[to]) == 0;)
            to++;
        /* tickfloor's own harness prints Go's format, but no suffix. */
        if (strcmp(rows[from]->origin->framework, "tickfloor") != 0 &&
            !share_suffix(sink, rows + from, to - from))
            take_list(sink, rows + from, to - from);
    }
    free(rows);
}
