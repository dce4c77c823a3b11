/* SPDX-License-Identifier: MIT */
#include "topology.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts.h"

/* Above any kernel's limit (Linux: 8192); it bounds what a list such as "0-4294967295" can cost. */
#define CPU_NUMBER_MAX 65535

struct tkf_topology {
    hwloc_topology_t hwloc;
    hwloc_bitmap_t usable;
    hwloc_bitmap_t bound; /* where the thread could run when this was loaded; NULL when not known */
    struct tkf_kind *kinds;
    unsigned nkinds;
    unsigned *cpus; /* those of all kinds, one after the other */
};

/* ---- kinds ---------------------------------------------------------------------------------- */

/* What hwloc knows of a kind under `name`, NULL if nothing. */
static const char *kind_info(hwloc_topology_t hwloc, unsigned kind, const char *name)
{
#if HWLOC_API_VERSION >= 0x00030000
    struct hwloc_infos_s *list = NULL;
    if (hwloc_cpukinds_get_info(hwloc, kind, NULL, NULL, &list, 0) != 0)
        return NULL;
    struct hwloc_info_s *infos = list->array;
    unsigned ninfos = list->count;
#else
    struct hwloc_info_s *infos = NULL;
    unsigned ninfos = 0;
    if (hwloc_cpukinds_get_info(hwloc, kind, NULL, NULL, &ninfos, &infos, 0) != 0)
        return NULL;
#endif
    for (unsigned i = 0; i < ninfos; i++)
        if (strcmp(infos[i].name, name) == 0)
            return infos[i].value;
    return NULL;
}

/* The CPUs of a kind and its rank, -1 where hwloc has none. */
static int kind_cpuset(hwloc_topology_t hwloc, unsigned kind, hwloc_bitmap_t ret_cpuset,
                       int *ret_efficiency)
{
#if HWLOC_API_VERSION >= 0x00030000
    return hwloc_cpukinds_get_info(hwloc, kind, ret_cpuset, ret_efficiency, NULL, 0);
#else
    return hwloc_cpukinds_get_info(hwloc, kind, ret_cpuset, ret_efficiency, NULL, NULL, 0);
#endif
}

/*
 * A kind is called by its core type, "IntelAtom", or on macOS by its core, "apple,icestorm". Where two have the same type
 * or none, as on arm64 Linux, what tells them apart follows: "capacity 446".
 */
static void kind_name(hwloc_topology_t hwloc, unsigned kind, unsigned nkinds, char *ret_name,
                      size_t size)
{
    const char *type = kind_info(hwloc, kind, "CoreType");
    const char *capacity = kind_info(hwloc, kind, "LinuxCapacity");
    const char *mhz = kind_info(hwloc, kind, "FrequencyMaxMHz");
    const char *darwin = kind_info(hwloc, kind, "DarwinCompatible");
    bool unique = type != NULL;
    for (unsigned i = 0; i < nkinds && unique; i++) {
        const char *other = kind_info(hwloc, i, "CoreType");
        unique = i == kind || other == NULL || strcmp(type, other) != 0;
    }
    const char *space = type ? " " : "";
    if (type == NULL)
        type = "";
    if (nkinds == 1)
        snprintf(ret_name, size, "%s", "");
    else if (type[0] == '\0' &&
             darwin) /* "apple,firestorm;ARM,v8": the core, then what it is compatible with */
        snprintf(ret_name, size, "%.*s", (int)strcspn(darwin, ";"), darwin);
    else if (!unique && capacity)
        snprintf(ret_name, size, "%s%scapacity %s", type, space, capacity);
    else if (!unique && mhz)
        snprintf(ret_name, size, "%s%s%s MHz", type, space, mhz);
    else
        snprintf(ret_name, size, "%s", type);
}

/*
 * Tell hwloc of the cores' names. It knows arm64's kinds by their speed, where the kernel tells that; two kinds of one
 * speed, or of none that is told, it takes for one. A kind that it knows gets the name in addition.
 */
static int register_cores(hwloc_topology_t hwloc, const char *root)
{
    enum { NAMES_MAX = 8 };
    char names[NAMES_MAX][32];
    hwloc_bitmap_t sets[NAMES_MAX] = {NULL};
    unsigned n = 0;
    int error = 0, cpu;
    hwloc_bitmap_foreach_begin(cpu, hwloc_topology_get_topology_cpuset(hwloc))
    {
        char name[32];
        tkf_facts_core(root, (unsigned)cpu, name, sizeof(name));
        unsigned i = 0;
        while (i < n && strcmp(names[i], name) != 0)
            i++;
        if (name[0] == '\0' || i == NAMES_MAX)
            continue;
        if (i == n) {
            memcpy(names[n], name, sizeof(name));
            sets[n++] = hwloc_bitmap_alloc();
        }
        if (sets[i] == NULL || hwloc_bitmap_set(sets[i], (unsigned)cpu) != 0)
            error = TKF_ENOMEM;
    }
    hwloc_bitmap_foreach_end();
    for (unsigned i = 0; i < n; i++) {
        struct hwloc_info_s info = {.name = (char *)"CoreType", .value = names[i]};
#if HWLOC_API_VERSION >= 0x00030000
        struct hwloc_infos_s infos = {.array = &info, .count = 1, .allocated = 1};
        if (error == 0 && n > 1 && hwloc_cpukinds_register(hwloc, sets[i], -1, &infos, 0) != 0)
#else
        if (error == 0 && n > 1 && hwloc_cpukinds_register(hwloc, sets[i], -1, 1, &info, 0) != 0)
#endif
            error = TKF_ENOMEM;
        hwloc_bitmap_free(sets[i]);
    }
    return error;
}

/* A number that hwloc knows of a kind, 0 if none. */
static unsigned kind_number(hwloc_topology_t hwloc, unsigned kind, const char *name)
{
    const char *text = kind_info(hwloc, kind, name);
    return text ? (unsigned)strtoul(text, NULL, 10) : 0;
}

/* The cores of which a set has a CPU; 0 where they were not looked for. */
static unsigned count_cores(const struct tkf_topology *topology, hwloc_const_bitmap_t set)
{
    unsigned count = 0;
    hwloc_obj_t core = NULL;
    while ((core = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_CORE, core)))
        count += hwloc_bitmap_intersects(core->cpuset, set) != 0;
    return count;
}

/* Append a kind made of `set`; its CPUs follow those of the kinds before it. */
static struct tkf_kind *append_kind(struct tkf_topology *topology, hwloc_const_bitmap_t set)
{
    struct tkf_kind *kind = &topology->kinds[topology->nkinds];
    unsigned *cpus = topology->cpus;
    if (topology->nkinds > 0)
        cpus += (kind[-1].cpus - topology->cpus) + kind[-1].ncpus;
    kind->cpus = cpus;
    for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu))
        cpus[kind->ncpus++] = (unsigned)cpu;
    kind->ncores = count_cores(topology, set);
    topology->nkinds++;
    return kind;
}

int tkf_topology_wrap(hwloc_topology_t hwloc, hwloc_const_bitmap_t usable,
                      struct tkf_topology **ret_topology)
{
    int known = hwloc_cpukinds_get_nr(hwloc, 0);
    unsigned nkinds = known > 0 ? (unsigned)known : 0;

    struct tkf_topology *topology = calloc(1, sizeof(*topology));
    hwloc_bitmap_t rest = hwloc_bitmap_dup(usable);
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int result = TKF_ENOMEM;
    if (topology == NULL || rest == NULL || set == NULL)
        goto out;
    topology->hwloc = hwloc; /* its owner only after success */
    topology->usable = hwloc_bitmap_dup(usable);
    topology->kinds = calloc(nkinds + 1, sizeof(*topology->kinds));
    topology->cpus = calloc((size_t)hwloc_bitmap_weight(usable), sizeof(*topology->cpus));
    if (topology->usable == NULL || topology->kinds == NULL || topology->cpus == NULL)
        goto out;

    /* hwloc sorts ascending by efficiency; all are -1 where it cannot rank them, and its order is kept. */
    int efficiency = -1;
    if (nkinds > 0)
        kind_cpuset(hwloc, 0, set, &efficiency);
    for (unsigned i = 0; i < nkinds; i++) {
        unsigned kind = efficiency < 0 ? i : nkinds - 1 - i;
        int ignored;
        if (kind_cpuset(hwloc, kind, set, &ignored) != 0)
            continue;
        hwloc_bitmap_and(set, set, rest);
        if (hwloc_bitmap_iszero(set))
            continue;
        struct tkf_kind *appended = append_kind(topology, set);
        kind_name(hwloc, kind, nkinds, appended->name, sizeof(appended->name));
        appended->max_mhz = kind_number(hwloc, kind, "FrequencyMaxMHz");
        appended->capacity = kind_number(hwloc, kind, "LinuxCapacity");
        hwloc_bitmap_andnot(rest, rest, set);
    }
    /* All CPUs where there are no kinds, or those that hwloc puts in none. */
    if (!hwloc_bitmap_iszero(rest))
        append_kind(topology, rest);

    *ret_topology = topology;
    topology = NULL;
    result = 0;
out:
    if (topology)
        topology->hwloc = NULL;
    tkf_topology_free(topology);
    hwloc_bitmap_free(rest);
    hwloc_bitmap_free(set);
    return result;
}

void tkf_topology_free(struct tkf_topology *topology)
{
    if (topology == NULL)
        return;
    if (topology->hwloc)
        hwloc_topology_destroy(topology->hwloc);
    hwloc_bitmap_free(topology->usable);
    hwloc_bitmap_free(topology->bound);
    free(topology->kinds);
    free(topology->cpus);
    free(topology);
}

/* ---- this machine --------------------------------------------------------------------------- */

/* The variable by which hwloc was told of another machine; NULL without. */
static const char *foreign_variable(void)
{
    static const char *const names[] = {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (getenv(names[i]))
            return names[i];
    return NULL;
}

/* Why the topology that was loaded is of some other machine. */
static void foreign_reason(char *ret_reason, size_t size)
{
    const char *name = foreign_variable();
    if (name)
        snprintf(ret_reason, size, "%s is set, so hwloc describes another machine; unset it", name);
    else
        snprintf(ret_reason, size, "hwloc describes another machine (HWLOC_* variables)");
}

/** What is loaded beside the CPUs. */
enum detail { DETAIL_CPUS, DETAIL_CORES, DETAIL_CACHES };

/*
 * Only CPUs and their kinds are wanted, and quickly: everything else that hwloc would look for is turned off. On a
 * two-CPU machine hwloc 2.9 then loads in 0.8 ms instead of 1.7 ms. Its x86 component, which visits every CPU in turn
 * by rebinding the calling thread, is left out; on Linux and macOS the kernel tells the same.
 */
static int configure(hwloc_topology_t hwloc, enum detail detail)
{
    unsigned long flags = 0;
#if HWLOC_API_VERSION >= 0x00020500
    flags |= HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING;
#endif
#if HWLOC_API_VERSION >= 0x00020800
    flags |= HWLOC_TOPOLOGY_FLAG_NO_DISTANCES | HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS;
#endif
    if (hwloc_topology_set_flags(hwloc, flags) != 0 ||
        hwloc_topology_set_all_types_filter(hwloc, HWLOC_TYPE_FILTER_KEEP_NONE) != 0 ||
        (detail == DETAIL_CACHES &&
         hwloc_topology_set_cache_types_filter(hwloc, HWLOC_TYPE_FILTER_KEEP_ALL) != 0))
        return -1;
    if (detail == DETAIL_CORES &&
        (hwloc_topology_set_type_filter(hwloc, HWLOC_OBJ_PACKAGE, HWLOC_TYPE_FILTER_KEEP_ALL) ||
         hwloc_topology_set_type_filter(hwloc, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL)))
        return -1;
    /* Fails where hwloc was built without it, on every other CPU: nothing is to be left out then. */
    hwloc_topology_set_components(hwloc, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    return 0;
}

/* Make hwloc read the machine below `root`, "" for this one. */
static int load_hwloc(const char *root, enum detail detail, hwloc_topology_t *ret_hwloc,
                      char *ret_reason, size_t size)
{
    hwloc_topology_t hwloc = NULL;
    int result = TKF_ENOMEM;
    if (hwloc_topology_init(&hwloc) != 0) {
        snprintf(ret_reason, size, "out of memory");
        return result;
    }
    /* Only the environment tells hwloc of a folder, and it would be held against everything loaded later. */
    const char *variable = root[0] ? foreign_variable() : NULL;
    if (variable) {
        snprintf(ret_reason, size, "%s is set beside the recorded machine; unset it", variable);
        result = TKF_EUNSUPPORTED;
        goto out;
    }
    if (root[0])
        setenv("HWLOC_FSROOT", root, 1);
    bool loaded = configure(hwloc, detail) == 0 && hwloc_topology_load(hwloc) == 0;
    int cause = errno;
    if (root[0])
        unsetenv("HWLOC_FSROOT");
    if (!loaded) {
        snprintf(ret_reason, size, "hwloc cannot read the topology: %s", strerror(cause));
        result = TKF_EIO;
        goto out;
    }
    if (!hwloc_topology_is_thissystem(hwloc) != (root[0] != '\0')) {
        if (root[0])
            snprintf(ret_reason, size, "this system's hwloc reads no recorded machines");
        else
            foreign_reason(ret_reason, size);
        result = TKF_EUNSUPPORTED;
        goto out;
    }
    result = register_cores(hwloc, root);
    if (result != 0) {
        snprintf(ret_reason, size, "out of memory");
        goto out;
    }
    *ret_hwloc = hwloc;
    hwloc = NULL;
out:
    if (hwloc)
        hwloc_topology_destroy(hwloc);
    return result;
}

/* Without its CPUs' folders hwloc would take those of the machine that it runs on. */
static bool has_cpus(const char *root)
{
    char path[4096];
    int length = snprintf(path, sizeof(path), "%s/sys/devices/system/cpu", root);
    DIR *folder = length < (int)sizeof(path) ? opendir(path) : NULL;
    bool found = false;
    const struct dirent *entry;
    while (folder && !found && (entry = readdir(folder))) {
        char below[sizeof(entry->d_name) + 16];
        snprintf(below, sizeof(below), "%s/topology", entry->d_name);
        found =
            strncmp(entry->d_name, "cpu", 3) == 0 && faccessat(dirfd(folder), below, F_OK, 0) == 0;
    }
    if (folder)
        closedir(folder);
    return found;
}

int tkf_topology_read(const char *root, struct tkf_topology **ret_topology, char *ret_reason,
                      size_t size)
{
    hwloc_topology_t hwloc;
    char list[1024];
    if (root[0] && !has_cpus(root)) {
        snprintf(ret_reason, size, "no such folders: /sys/devices/system/cpu/cpu*/topology");
        return TKF_EUNSUPPORTED;
    }
    int result = load_hwloc(root, DETAIL_CORES, &hwloc, ret_reason, size);
    if (result != 0)
        return result;
    hwloc_bitmap_t usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(hwloc));
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    tkf_facts_allowed(root, list, sizeof(list));
    if (usable && mask && list[0] && hwloc_bitmap_list_sscanf(mask, list) == 0)
        hwloc_bitmap_and(usable, usable, mask);
    if (usable && hwloc_bitmap_iszero(usable)) {
        snprintf(ret_reason, size, "hwloc finds none of the CPUs that the process may use (%s)",
                 list);
        result = TKF_EIO;
    } else if (usable == NULL || mask == NULL ||
               tkf_topology_wrap(hwloc, usable, ret_topology) != 0) {
        snprintf(ret_reason, size, "out of memory");
        result = TKF_ENOMEM;
    }
    if (result != 0)
        hwloc_topology_destroy(hwloc);
    hwloc_bitmap_free(usable);
    hwloc_bitmap_free(mask);
    return result;
}

int tkf_topology_load(struct tkf_topology **ret_topology, char *ret_reason, size_t size)
{
    hwloc_topology_t hwloc = NULL;
    hwloc_bitmap_t usable = NULL;
    hwloc_bitmap_t bound = hwloc_bitmap_alloc();
    int result = TKF_ENOMEM;
    if (bound == NULL) {
        snprintf(ret_reason, size, "out of memory");
        goto out;
    }
    result = load_hwloc("", DETAIL_CPUS, &hwloc, ret_reason, size);
    if (result != 0)
        goto out;

    /* A cpuset is among what hwloc allows; taskset is not, and shows only in the thread's own mask. */
    usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(hwloc));
    bool is_bound = hwloc_get_cpubind(hwloc, bound, HWLOC_CPUBIND_THREAD) == 0;
    if (usable && is_bound)
        hwloc_bitmap_and(usable, usable, bound);
    if (usable && hwloc_bitmap_iszero(usable)) {
        char mask[64];
        hwloc_bitmap_list_snprintf(mask, sizeof(mask), bound);
        snprintf(ret_reason, size,
                 "hwloc finds none of the CPUs that this process may use (%s); is /sys mounted?",
                 mask);
        result = TKF_EIO;
        goto out;
    }
    result = usable ? tkf_topology_wrap(hwloc, usable, ret_topology) : TKF_ENOMEM;
    if (result == 0) {
        hwloc = NULL;
        (*ret_topology)->bound = is_bound ? bound : NULL;
        bound = is_bound ? NULL : bound;
    } else {
        snprintf(ret_reason, size, "out of memory");
    }
out:
    if (hwloc)
        hwloc_topology_destroy(hwloc);
    hwloc_bitmap_free(usable);
    hwloc_bitmap_free(bound);
    return result;
}

const struct tkf_kind *tkf_topology_kinds(const struct tkf_topology *topology, unsigned *ret_nkinds)
{
    *ret_nkinds = topology->nkinds;
    return topology->kinds;
}

unsigned tkf_topology_count(const struct tkf_topology *topology, enum tkf_part part)
{
    static const hwloc_obj_type_t types[] = {
        [TKF_PART_PACKAGE] = HWLOC_OBJ_PACKAGE,
        [TKF_PART_NUMA_NODE] = HWLOC_OBJ_NUMANODE,
        [TKF_PART_CORE] = HWLOC_OBJ_CORE,
    };
    int count = hwloc_get_nbobjs_by_type(topology->hwloc, types[part]);
    return count > 0 ? (unsigned)count : 0;
}

bool tkf_topology_allows(const struct tkf_topology *topology, unsigned cpu)
{
    return hwloc_bitmap_isset(topology->usable, cpu);
}

void tkf_topology_describe(const struct tkf_topology *topology, char *ret_text, size_t size)
{
    hwloc_bitmap_list_snprintf(ret_text, size, topology->usable);
}

/* The first CPU of `of` that is not of `but`; -1 when there is none. `scratch` is overwritten. */
static int first_but(hwloc_const_bitmap_t of, hwloc_const_bitmap_t but, hwloc_bitmap_t scratch)
{
    return hwloc_bitmap_andnot(scratch, of, but) == 0 ? hwloc_bitmap_first(scratch) : -1;
}

unsigned tkf_topology_caches(const struct tkf_topology *topology, unsigned cpu,
                             struct tkf_cache ret_caches[TKF_CACHES_MAX], unsigned *ret_neighbour)
{
    hwloc_topology_t hwloc = NULL;
    hwloc_bitmap_t core = hwloc_bitmap_alloc(), scratch = hwloc_bitmap_alloc();
    unsigned ncaches = 0;
    int neighbour = -1;
    if (core == NULL || scratch == NULL || hwloc_bitmap_only(core, cpu) != 0)
        goto out;
    int sibling = -1;
    bool loaded = hwloc_topology_init(&hwloc) == 0 && configure(hwloc, DETAIL_CACHES) == 0 &&
                  hwloc_topology_load(hwloc) == 0;
    hwloc_obj_t at = loaded ? hwloc_get_pu_obj_by_os_index(hwloc, cpu) : NULL;
    for (; at != NULL; at = at->parent) {
        if (hwloc_obj_type_is_dcache(at->type) && at->attr->cache.size > 0 &&
            ncaches < TKF_CACHES_MAX)
            ret_caches[ncaches++] =
                (struct tkf_cache){.level = at->attr->cache.depth,
                                   .size_bytes = at->attr->cache.size,
                                   .line_bytes = at->attr->cache.linesize,
                                   .cpus = (unsigned)hwloc_bitmap_weight(at->cpuset)};
        hwloc_bitmap_and(scratch, at->cpuset, topology->usable);
        if (ncaches <= 1 && hwloc_obj_type_is_dcache(at->type)) {
            sibling = first_but(scratch, core, scratch);
            hwloc_bitmap_or(core, core,
                            at->cpuset); /* who shares the first cache shares the core */
        } else if (neighbour < 0) {
            neighbour = first_but(scratch, core, scratch);
        }
    }
    if (neighbour < 0)
        neighbour = sibling;
    if (neighbour < 0)
        neighbour = first_but(topology->usable, core, scratch);
out:
    if (hwloc != NULL)
        hwloc_topology_destroy(hwloc);
    hwloc_bitmap_free(core);
    hwloc_bitmap_free(scratch);
    *ret_neighbour = neighbour >= 0 ? (unsigned)neighbour : cpu;
    return ncaches;
}

/* ---- binding -------------------------------------------------------------------------------- */

static int bind_error(int error)
{
    switch (error) {
    case EPERM:
    case EACCES:
        return TKF_EPERM;
    case EINVAL: /* Linux: the CPU went offline, or a cpuset took it, since the topology was loaded */
        return TKF_ENOCPU;
    case ENOMEM:
        return TKF_ENOMEM;
    default: /* ENOSYS: no such call; EXDEV: cannot be enforced */
        return TKF_EUNSUPPORTED;
    }
}

/* True when the calling thread is bound to `one` alone and runs there. `seen` is scratch. */
static bool runs_on(hwloc_topology_t hwloc, hwloc_const_bitmap_t one, hwloc_bitmap_t seen)
{
    return hwloc_get_cpubind(hwloc, seen, HWLOC_CPUBIND_THREAD) == 0 &&
           hwloc_bitmap_isequal(seen, one) &&
           hwloc_get_last_cpu_location(hwloc, seen, HWLOC_CPUBIND_THREAD) == 0 &&
           hwloc_bitmap_isequal(seen, one);
}

int tkf_topology_pin(struct tkf_topology *topology, unsigned cpu)
{
    if (!tkf_topology_allows(topology, cpu))
        return TKF_ENOCPU;
    /* Without support for it, hwloc may report success and do nothing. */
    if (!hwloc_topology_get_support(topology->hwloc)->cpubind->set_thisthread_cpubind)
        return TKF_EUNSUPPORTED;

    hwloc_bitmap_t one = hwloc_bitmap_alloc();
    hwloc_bitmap_t seen = hwloc_bitmap_alloc();
    int result = TKF_ENOMEM;
    if (one == NULL || seen == NULL || hwloc_bitmap_only(one, cpu) != 0)
        goto out;
    if (hwloc_set_cpubind(topology->hwloc, one, HWLOC_CPUBIND_THREAD | HWLOC_CPUBIND_STRICT) != 0) {
        result = bind_error(errno);
        goto out;
    }
    sched_yield();
    result = runs_on(topology->hwloc, one, seen) ? 0 : TKF_EUNSUPPORTED;
out:
    hwloc_bitmap_free(one);
    hwloc_bitmap_free(seen);
    return result;
}

void tkf_topology_unpin(struct tkf_topology *topology)
{
    if (topology->bound)
        hwloc_set_cpubind(topology->hwloc, topology->bound, HWLOC_CPUBIND_THREAD);
}

/* ---- CPU lists ------------------------------------------------------------------------------ */

/* A piece of a list: [begin, end). */
struct span {
    const char *begin, *end;
};

static struct span trimmed(struct span span)
{
    static const char blanks[] = " \t\r\n";
    while (span.begin < span.end && strchr(blanks, *span.begin))
        span.begin++;
    while (span.begin < span.end && strchr(blanks, span.end[-1]))
        span.end--;
    return span;
}

/* For "%.*s": what a reason quotes of a piece, so that one line stays one line. */
static int shown(struct span span)
{
    const ptrdiff_t longest = 24;
    ptrdiff_t length = span.end - span.begin;
    return (int)(length < longest ? length : longest);
}

static int parse_number(struct span span, unsigned *ret_number, char *ret_reason, size_t size)
{
    unsigned number = 0;
    for (const char *at = span.begin; at < span.end; at++) {
        if (*at < '0' || *at > '9') {
            snprintf(ret_reason, size, "'%.*s' is not a CPU number", shown(span), span.begin);
            return TKF_EINVAL;
        }
        number = number * 10 + (unsigned)(*at - '0');
        if (number > CPU_NUMBER_MAX) {
            snprintf(ret_reason, size, "'%.*s' is too large for a CPU number (at most %d)",
                     shown(span), span.begin, CPU_NUMBER_MAX);
            return TKF_EINVAL;
        }
    }
    *ret_number = number;
    return 0;
}

/* "3" or "3-5" into `cpus`. */
static int parse_item(struct span item, hwloc_bitmap_t cpus, char *ret_reason, size_t size)
{
    const char *dash = memchr(item.begin, '-', (size_t)(item.end - item.begin));
    struct span first = {item.begin, dash ? dash : item.end};
    struct span last = {dash ? dash + 1 : item.begin, item.end};
    if (first.begin == first.end || last.begin == last.end) {
        snprintf(ret_reason, size, "'%.*s' has no %s", shown(item), item.begin,
                 first.begin == first.end ? "start" : "end");
        return TKF_EINVAL;
    }
    unsigned from, to;
    int result = parse_number(first, &from, ret_reason, size);
    if (result == 0)
        result = parse_number(last, &to, ret_reason, size);
    if (result != 0)
        return result;
    if (from > to) {
        snprintf(ret_reason, size, "'%.*s' runs backward", shown(item), item.begin);
        return TKF_EINVAL;
    }
    if (hwloc_bitmap_set_range(cpus, from, (int)to) != 0) {
        snprintf(ret_reason, size, "out of memory");
        return TKF_ENOMEM;
    }
    return 0;
}

static int parse_items(struct span list, hwloc_bitmap_t cpus, char *ret_reason, size_t size)
{
    if (list.begin == list.end) {
        snprintf(ret_reason, size, "empty CPU list");
        return TKF_EINVAL;
    }
    const char *at = list.begin;
    for (;;) {
        const char *comma = memchr(at, ',', (size_t)(list.end - at));
        struct span item = trimmed((struct span){at, comma ? comma : list.end});
        if (item.begin == item.end) {
            snprintf(ret_reason, size, "no CPU %s a comma in '%.*s'", comma ? "before" : "after",
                     shown(list), list.begin);
            return TKF_EINVAL;
        }
        int result = parse_item(item, cpus, ret_reason, size);
        if (result != 0 || comma == NULL)
            return result;
        at = comma + 1;
    }
}

int tkf_cpulist_parse(const char *text, unsigned *ret_cpus, unsigned max, unsigned *ret_ncpus,
                      char *ret_reason, size_t size)
{
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    if (cpus == NULL) {
        snprintf(ret_reason, size, "out of memory");
        return TKF_ENOMEM;
    }
    struct span list = trimmed((struct span){text, text + strlen(text)});
    int result = parse_items(list, cpus, ret_reason, size);
    if (result == 0 && (unsigned)hwloc_bitmap_weight(cpus) > max) {
        snprintf(ret_reason, size, "%d CPUs are more than the %u that fit",
                 hwloc_bitmap_weight(cpus), max);
        result = TKF_EINVAL;
    }
    if (result == 0) {
        unsigned ncpus = 0;
        for (int cpu = hwloc_bitmap_first(cpus); cpu >= 0; cpu = hwloc_bitmap_next(cpus, cpu))
            ret_cpus[ncpus++] = (unsigned)cpu;
        *ret_ncpus = ncpus;
    }
    hwloc_bitmap_free(cpus);
    return result;
}

void tkf_cpulist_print(const unsigned *cpus, unsigned ncpus, char *ret_text, size_t size)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (unsigned i = 0; set && i < ncpus; i++)
        hwloc_bitmap_set(set, cpus[i]);
    ret_text[0] = '\0';
    if (set)
        hwloc_bitmap_list_snprintf(ret_text, size, set);
    hwloc_bitmap_free(set);
}
