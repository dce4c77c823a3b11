/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <hwloc.h>

#include "pmc.h"
#include "pmu.h"

/* The kernel writes a page's words behind the compiler's back, on the same CPU and under `lock`. */
typedef const volatile struct perf_event_mmap_page perf_page;

enum { CYCLES, INSTRUCTIONS, NEVENTS };

struct tkf_pmu {
    int fds[NEVENTS]; /* the group's leader first; -1 when not open */
    perf_page *pages[NEVENTS];
};

/* ---- which events ------------------------------------------------------------------------------------------------ */

/* Read the first line of a small file, without its end: hwloc overlooks a CPU that a newline follows. */
static bool read_line(const char *root, const char *device, const char *name, char *ret_line,
                      int size)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices/%s/%s", root, device, name);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool ok = fgets(ret_line, size, file) != NULL;
    fclose(file);
    if (ok)
        ret_line[strcspn(ret_line, "\n")] = '\0';
    return ok;
}

/* Where the driver puts a term of an event, "config:8-15": the first bit of it. */
static bool find_term(const char *root, const char *device, const char *term, unsigned *ret_bit)
{
    char name[64], line[64];
    snprintf(name, sizeof(name), "format/%s", term);
    return read_line(root, device, name, line, sizeof(line)) &&
           sscanf(line, "config:%u", ret_bit) == 1 && *ret_bit < 64;
}

/* An event by the driver's own word, "event=0x3c" or "event=0xc0,umask=0x01": Documentation/ABI/testing/sysfs-bus-event_source-devices-events. */
static bool find_event(const char *root, const char *device, const char *event,
                       uint64_t *ret_config)
{
    char name[64], line[128], *rest;
    uint64_t config = 0;
    snprintf(name, sizeof(name), "events/%s", event);
    if (!read_line(root, device, name, line, sizeof(line)))
        return false;
    for (char *term = strtok_r(line, ",", &rest); term; term = strtok_r(NULL, ",", &rest)) {
        char *equals = strchr(term, '='), *end;
        unsigned bit;
        if (equals == NULL)
            return false;
        *equals = '\0';
        uint64_t value = strtoull(equals + 1, &end, 0);
        if (*end != '\0' || end == equals + 1 || !find_term(root, device, term, &bit))
            return false;
        config |= value << bit;
    }
    *ret_config = config;
    return true;
}

static bool find_events(const char *root, const char *device, uint32_t type,
                        struct tkf_pmu_event ret_events[2])
{
    static const char *const names[][2] = {
        {"cpu-cycles", "instructions"}, {"cpu_cycles", "inst_retired"}, {"cycles", "instructions"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && type != 0; i++) {
        if (find_event(root, device, names[i][CYCLES], &ret_events[CYCLES].config) &&
            find_event(root, device, names[i][INSTRUCTIONS], &ret_events[INSTRUCTIONS].config)) {
            ret_events[CYCLES].type = ret_events[INSTRUCTIONS].type = type;
            return true;
        }
    }
    return false;
}

void tkf_pmu_find(const char *root, unsigned cpu, struct tkf_pmu_device *ret_device)
{
    struct tkf_pmu_device found = {0};
    char line[4096];
    snprintf(line, sizeof(line), "%s/sys/bus/event_source/devices", root);
    DIR *dir = opendir(line);
    hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
    const struct dirent *entry;
    while (dir != NULL && cpus != NULL && (entry = readdir(dir)) != NULL) {
        /* Only drivers of a core's own counters have this file; others say `cpumask`. */
        if (entry->d_name[0] == '.' || !read_line(root, entry->d_name, "cpus", line, sizeof(line)))
            continue;
        found.devices++;
        if (hwloc_bitmap_list_sscanf(cpus, line) != 0 || !hwloc_bitmap_isset(cpus, cpu))
            continue;
        snprintf(found.name, sizeof(found.name), "%.31s", entry->d_name);
        if (read_line(root, entry->d_name, "type", line, sizeof(line)))
            found.type = (uint32_t)strtoul(line, NULL, 10);
        unsigned bit;
        if (read_line(root, entry->d_name, "format/rdpmc", line, sizeof(line)) &&
            sscanf(line, "config1:%u", &bit) == 1 && bit < 64)
            found.user_config = UINT64_C(1) << bit;
        found.has_events = find_events(root, entry->d_name, found.type, found.events);
    }
    hwloc_bitmap_free(cpus);
    if (dir != NULL)
        closedir(dir);
    *ret_device = found;
}

void tkf_pmu_device(const char *root, unsigned cpu, char *ret_name, size_t size)
{
    struct tkf_pmu_device device;
    char type[32];
    tkf_pmu_find(root, cpu, &device);
    /* On a machine of one kind x86's driver does not say which CPUs it covers: all. */
    if (device.devices == 0 && read_line(root, "cpu", "type", type, sizeof(type)))
        snprintf(device.name, sizeof(device.name), "cpu");
    snprintf(ret_name, size, "%s", device.name);
}

static void generic_pair(uint32_t device_type, struct tkf_pmu_event ret_pair[2])
{
    const uint64_t device = (uint64_t)device_type << PERF_PMU_TYPE_SHIFT;
    ret_pair[CYCLES] =
        (struct tkf_pmu_event){PERF_TYPE_HARDWARE, device | PERF_COUNT_HW_CPU_CYCLES};
    ret_pair[INSTRUCTIONS] =
        (struct tkf_pmu_event){PERF_TYPE_HARDWARE, device | PERF_COUNT_HW_INSTRUCTIONS};
}

unsigned tkf_pmu_plan(const struct tkf_pmu_device *device,
                      struct tkf_pmu_event ret_pairs[TKF_PMU_PAIRS][2])
{
    unsigned n = 0;

    /* Without its driver's type a generic event goes to the first kind of core, and counts nothing on the others. */
    if (device->type != 0)
        generic_pair(device->type, ret_pairs[n++]);

    /* Before Linux 6.6 drivers for Arm refuse the type; where there is one driver it is not needed. */
    if (device->devices <= 1)
        generic_pair(0, ret_pairs[n++]);

    /* The driver's own names serve where it refuses the type, and know kinds that libpfm4 does not: Apple's. */
    if (device->has_events) {
        ret_pairs[n][CYCLES] = device->events[CYCLES];
        ret_pairs[n++][INSTRUCTIONS] = device->events[INSTRUCTIONS];
    }

    bool kind_known = device->devices == 0 || device->type != 0;
    if (kind_known && tkf_pmu_named(device->type, ret_pairs[n]) == 0)
        n++;
    return n;
}

/* ---- why not ------------------------------------------------------------------------------------------------------ */

struct refusal {
    int error;     /* an errno, or one of tickfloor's own codes */
    bool of_event; /* the kernel counts, but not this event: another one may do */
    const char *reason;
    const char *next;
};

static const struct refusal refusals[] = {
    {ENOENT, true, "this kernel offers no hardware cycle counter: usual in a virtual machine",
     "nothing to do: results stand on the dependent chain alone; on your own hypervisor, enable "
     "the guest's PMU"},
    {EINVAL, true, "the kernel's driver for this CPU does not accept the event",
     "a newer kernel may know this CPU; results stand on the dependent chain alone"},
    {EOPNOTSUPP, true, "the kernel's driver for this CPU cannot count user mode alone",
     "a newer kernel may; results stand on the dependent chain alone"},
    {EACCES, false, "the kernel does not let this user count hardware events",
     "sudo sysctl kernel.perf_event_paranoid=2 (or lower)"},
    {EPERM, false, "a seccomp filter or a security policy forbids perf_event_open",
     "in a container, add CAP_PERFMON or a seccomp profile that allows perf_event_open; elsewhere "
     "ask the administrator"},
    {ENOSYS, false, "perf_event_open is missing: hidden by a seccomp filter, or not in this kernel",
     "in a container, use a seccomp profile that allows perf_event_open; else a kernel with "
     "CONFIG_PERF_EVENTS"},
    {EBUSY, false, "another profiler has the counters to itself", "stop it and try again"},
    {EMFILE, false, "this process has too many files open", "raise the limit: ulimit -n 1024"},
    {ENFILE, false, "the system has too many files open", "raise the limit: sysctl fs.file-max"},
    {ENOMEM, false, "out of memory", "free some memory and try again"},
    {TKF_ENOCPU, false, "this thread does not run on the CPU that it asks to count on",
     "bind it to that CPU first; the CPU must exist and be online"},
    {TKF_EUNSUPPORTED, false, "the counters open but do not run: other users hold them",
     "stop other users of perf; sudo sysctl kernel.nmi_watchdog=0 frees a counter"},
    {TKF_ESTUCK, false, "the counters open but do not advance: usual in a virtual machine",
     "nothing to do: results stand on the dependent chain alone"},
};

static const struct refusal *find_refusal(int error)
{
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        if (refusals[i].error == error)
            return &refusals[i];
    return NULL;
}

void tkf_pmu_explain(int error, int paranoid, struct tkf_pmu_status *ret_status)
{
    *ret_status = (struct tkf_pmu_status){.available = false};

    /* Up to 2 anyone may count user mode: then it was something else that refused. */
    if (error == EACCES && paranoid != INT_MIN && paranoid <= 2)
        error = EPERM;

    const struct refusal *refusal = find_refusal(error);
    char *reason = ret_status->reason;
    const size_t size = sizeof(ret_status->reason);
    if (refusal == NULL)
        snprintf(reason, size, "perf_event_open failed: %s", strerror(error));
    else if (error == EACCES && paranoid != INT_MIN)
        snprintf(reason, size, "%s: kernel.perf_event_paranoid is %d", refusal->reason, paranoid);
    else
        snprintf(reason, size, "%s%s", refusal->reason,
                 refusal->of_event ? tkf_pmu_named_missing : "");
    snprintf(ret_status->next, sizeof(ret_status->next), "%s",
             refusal != NULL ? refusal->next : "look for it in the kernel's log: dmesg");
}

static int read_paranoid(void)
{
    int paranoid = INT_MIN;
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    if (file != NULL) {
        if (fscanf(file, "%d", &paranoid) != 1)
            paranoid = INT_MIN;
        fclose(file);
    }
    return paranoid;
}

/* ---- opening ------------------------------------------------------------------------------------------------------ */

static int perf_event_open(struct perf_event_attr *attr, int cpu, int group)
{
    attr->size = sizeof(*attr);
    attr->exclude_kernel = 1;
    attr->exclude_hv = 1;
    attr->exclude_guest =
        1; /* Apple's driver refused an event without it before it could tell guests apart */
    return (int)syscall(SYS_perf_event_open, attr, 0, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

static perf_page *map_page(int fd)
{
    void *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
    return page == MAP_FAILED ? NULL : page;
}

static void unmap_page(perf_page *page)
{
    if (page != NULL)
        munmap((void *)page, (size_t)sysconf(_SC_PAGESIZE));
}

static void close_events(struct tkf_pmu *pmu)
{
    for (int i = 0; i < NEVENTS; i++) {
        unmap_page(pmu->pages[i]);
        pmu->pages[i] = NULL;
        if (pmu->fds[i] >= 0)
            close(pmu->fds[i]);
        pmu->fds[i] = -1;
    }
}

/* Open one pair as a group, so that both count at the same time or neither does. Returns 0 or an errno. */
static int open_pair(struct tkf_pmu *pmu, const struct tkf_pmu_event pair[2], uint64_t user_config,
                     unsigned cpu)
{
    for (int i = 0; i < NEVENTS; i++) {
        struct perf_event_attr attr = {
            .type = pair[i].type,
            .config = pair[i].config,
            .config1 = user_config,
            .disabled = i == CYCLES,
            .read_format =
                PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        };
        pmu->fds[i] = perf_event_open(&attr, (int)cpu, i == CYCLES ? -1 : pmu->fds[CYCLES]);
        if (pmu->fds[i] < 0) {
            int error = errno;
            close_events(pmu);
            return error;
        }
        pmu->pages[i] = map_page(pmu->fds[i]);
    }
    if (ioctl(pmu->fds[CYCLES], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) != 0) {
        int error = errno;
        close_events(pmu);
        return error;
    }
    return 0;
}

/* Open the first pair that the kernel takes. Returns 0, or the errno that says most: the first one. */
static int open_events(struct tkf_pmu *pmu, unsigned cpu)
{
    struct tkf_pmu_device device;
    struct tkf_pmu_event pairs[TKF_PMU_PAIRS][2];
    tkf_pmu_find("", cpu, &device);
    const unsigned npairs = tkf_pmu_plan(&device, pairs);

    int first = 0;
    for (unsigned i = 0; i < npairs; i++) {
        int error = open_pair(pmu, pairs[i], device.user_config, cpu);
        if (error != 0 && device.user_config != 0)
            error = open_pair(pmu, pairs[i], 0, cpu);
        if (error == 0)
            return 0;
        if (first == 0)
            first = error;
        const struct refusal *refusal = find_refusal(error);
        if (refusal == NULL || !refusal->of_event)
            break;
    }
    return first != 0 ? first : ENOENT;
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

int64_t tkf_pmu_extend(uint64_t raw, unsigned width)
{
    const unsigned unused = 64 - width;
    return (int64_t)(raw << unused) >> unused;
}

/* Read a counter without the kernel; false when only the kernel can (linux/perf_event.h, struct perf_event_mmap_page). */
static bool read_page(perf_page *page, uint64_t *ret_count)
{
    if (page == NULL)
        return false;

    uint64_t count, raw;
    unsigned width;
    uint32_t lock;
    do {
        lock = page->lock;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        const uint32_t index = page->index;
        width = page->pmc_width;
        count = (uint64_t)page->offset;
        if (!page->cap_user_rdpmc || index == 0 || width < 1 || width > 64 ||
            page->time_running != page->time_enabled || !tkf_arch_pmc(index - 1, &raw))
            return false;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (page->lock != lock);

    *ret_count = count + (uint64_t)tkf_pmu_extend(raw, width);
    return true;
}

int tkf_pmu_judge(const uint64_t values[5], struct tkf_events *ret_events)
{
    const uint64_t n = values[0], enabled = values[1], running = values[2];
    if (n != NEVENTS || running == 0 || running < enabled)
        return TKF_EUNSUPPORTED;
    ret_events->cycles = values[3 + CYCLES];
    ret_events->instructions = values[3 + INSTRUCTIONS];
    return 0;
}

int tkf_pmu_read(struct tkf_pmu *pmu, struct tkf_events *ret_events)
{
    if (pmu == NULL || ret_events == NULL)
        return TKF_EINVAL;

    struct tkf_events events;
    if (read_page(pmu->pages[CYCLES], &events.cycles) &&
        read_page(pmu->pages[INSTRUCTIONS], &events.instructions)) {
        *ret_events = events;
        return 0;
    }

    uint64_t values[3 + NEVENTS];
    if (read(pmu->fds[CYCLES], values, sizeof(values)) != (ssize_t)sizeof(values))
        return TKF_EUNSUPPORTED;
    return tkf_pmu_judge(values, ret_events);
}

/* A hypervisor may offer counters that stand still, and a core of the wrong kind has counters that never run. */
static int prove(struct tkf_pmu *pmu)
{
    struct tkf_events before, after;
    int r = tkf_pmu_read(pmu, &before);
    if (r == 0)
        r = tkf_pmu_read(pmu, &after);
    if (r != 0)
        return r;
    if (after.cycles <= before.cycles || after.instructions <= before.instructions)
        return TKF_ESTUCK;
    return 0;
}

/* ---- the door ------------------------------------------------------------------------------------------------------- */

void tkf_pmu_open(unsigned cpu, struct tkf_pmu **ret_pmu, struct tkf_pmu_status *ret_status)
{
    *ret_pmu = NULL;
    if (cpu > INT_MAX) {
        tkf_pmu_explain(TKF_ENOCPU, INT_MIN, ret_status);
        return;
    }
    struct tkf_pmu *pmu = malloc(sizeof(*pmu));
    if (pmu == NULL) {
        tkf_pmu_explain(ENOMEM, INT_MIN, ret_status);
        return;
    }
    *pmu = (struct tkf_pmu){.fds = {-1, -1}};

    int error = open_events(pmu, cpu);
    if (error == 0)
        error = prove(pmu);
    if ((error == EINVAL || error == TKF_EUNSUPPORTED) && sched_getcpu() != (int)cpu)
        error = TKF_ENOCPU;
    if (error != 0) {
        tkf_pmu_close(pmu);
        tkf_pmu_explain(error, read_paranoid(), ret_status);
        return;
    }

    uint64_t count;
    const bool direct =
        read_page(pmu->pages[CYCLES], &count) && read_page(pmu->pages[INSTRUCTIONS], &count);
    *ret_status = (struct tkf_pmu_status){.available = true};
    snprintf(ret_status->how, sizeof(ret_status->how), "%s", direct ? TKF_PMC_NAME : "read");
    *ret_pmu = pmu;
}

void tkf_pmu_close(struct tkf_pmu *pmu)
{
    if (pmu == NULL)
        return;
    close_events(pmu);
    free(pmu);
}

double tkf_pmu_page_hz(uint32_t mult, unsigned shift)
{
    if (mult == 0 || shift >= 64)
        return NAN;
    return ldexp(1e9, (int)shift) / mult; /* ns = ticks * mult / 2^shift */
}

const char tkf_pmu_counter_rate[] = "perf-time-page";

double tkf_pmu_counter_hz(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .config = PERF_COUNT_SW_DUMMY,
    };
    const int fd = perf_event_open(&attr, -1, -1);
    if (fd < 0)
        return NAN;

    double hz = NAN;
    perf_page *page = map_page(fd);
    if (page != NULL) {
        uint32_t lock;
        do {
            lock = page->lock;
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
            hz = page->cap_user_time ? tkf_pmu_page_hz(page->time_mult, page->time_shift) : NAN;
            __atomic_signal_fence(__ATOMIC_SEQ_CST);
        } while (page->lock != lock);
    }
    unmap_page(page);
    close(fd);
    return hz;
}
