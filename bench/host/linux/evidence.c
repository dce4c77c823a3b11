/* SPDX-License-Identifier: MIT */
/*
 * Sources: proc_interrupts(5), getrusage(2), clock_gettime(2), and the kernel's Documentation: admin-guide/cgroup-v2.rst,
 * cpu-freq/cpufreq-stats.rst.
 */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "cgroup.h"
#include "explore/evidence.h"
#include "host.h"
#include "sysfile.h"

/* Reading the interrupts for longer than that would be most of what is done: on a machine of hundreds of CPUs. */
#define INTERRUPTS_SLOW_NS 1000000

#define PIECES_MAX 1024

#define NONE (-1)

struct tkf_evidence {
    const char *root;
    struct tkf_evidence_source sources[TKF_EVIDENCE_MAX];
    unsigned nsources;
    int smi, throttled, switches, steal, frequency; /* their places in `sources`, or NONE */
    int smi_fd;
    FILE *transitions;
    FILE *interrupts;
    unsigned column;                   /* of this CPU */
    char labels[TKF_EVIDENCE_MAX][16]; /* of the lines, "LOC" */
    unsigned first_line, nlines;       /* their places in `sources` */
    char *text;                        /* [size] of /proc/interrupts */
    size_t size;
    size_t piece_bytes; /* of it, read at once */
    unsigned pieces;    /* of the last reading */
    double usual_ns[PIECES_MAX];
};

static int add(struct tkf_evidence *e, const char *name, bool interrupt, bool time)
{
    if (e->nsources == TKF_EVIDENCE_MAX)
        return NONE;
    struct tkf_evidence_source *source = &e->sources[e->nsources];
    *source = (struct tkf_evidence_source){.interrupt = interrupt, .time = time};
    snprintf(source->name, sizeof source->name, "%s", name);
    return (int)e->nsources++;
}

/* ---- single sources ----------------------------------------------------------------------------------------- */

/** System management interrupts, where the kernel's driver for model specific registers counts them. */
static int open_smi(const char *root)
{
    char type[TKF_SYSFILE_SIZE], event[TKF_SYSFILE_SIZE], reason[8];
    static const char device[] = "/sys/bus/event_source/devices/msr";
    char path[96];
    snprintf(path, sizeof path, "%s/type", device);
    if (tkf_sysfile_read(root, path, type, reason, sizeof reason) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/events/smi", device);
    if (tkf_sysfile_read(root, path, event, reason, sizeof reason) != 0 ||
        strncmp(event, "event=", 6) != 0)
        return -1;
    struct perf_event_attr attr = {
        .size = sizeof attr,
        .type = (uint32_t)strtoul(type, NULL, 10),
        .config = strtoul(event + 6, NULL, 0),
    };
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void read_number(int fd, uint64_t *ret_number)
{
    char text[32];
    ssize_t length = pread(fd, text, sizeof text - 1, 0);
    if (length > 0) {
        text[length] = '\0';
        *ret_number = strtoull(text, NULL, 10);
    }
}

/** The ticks of /proc/stat for one CPU: in interrupts, and stolen by a hypervisor. False where it does not say. */
static bool read_ticks(const char *root, unsigned cpu, uint64_t *ret_irq, uint64_t *ret_steal)
{
    FILE *file;
    char reason[8], line[256], name[16];
    if (tkf_sysfile_open(root, "/proc/stat", &file, reason, sizeof reason) != 0)
        return false;
    bool found = false;
    int length = snprintf(name, sizeof name, "cpu%u ", cpu);
    while (!found && fgets(line, sizeof line, file) != NULL) {
        unsigned long long irq, steal;
        found = strncmp(line, name, (size_t)length) == 0 &&
                sscanf(line + length, "%*u %*u %*u %*u %*u %llu %*u %llu", &irq, &steal) == 2;
        if (found)
            *ret_irq = irq, *ret_steal = steal;
    }
    fclose(file);
    return found;
}

/** Time of the clock in which this thread was not charged for running, ns since some moment. */
static uint64_t uncharged_ns(void)
{
    struct timespec charged;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &charged);
    return tkf_clock_ns(NULL) - ((uint64_t)charged.tv_sec * 1000000000 + (uint64_t)charged.tv_nsec);
}

static uint64_t count_switches(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (uint64_t)usage.ru_nvcsw + (uint64_t)usage.ru_nivcsw;
}

static void read_throttled(const char *root, uint64_t *ret_count)
{
    struct tkf_cgroup_quota quota;
    char reason[8];
    if (tkf_cgroup_quota(root, &quota, reason, sizeof reason) == 0 && quota.throttled_known)
        *ret_count = quota.throttled;
}

/* ---- /proc/interrupts ------------------------------------------------------------------------------------------ */

/**
 * A piece of a reading is over: whether it took no longer than it can without an interruption. Right after something else
 * ran, caches are cold, and the core's other thread may be busy now, so that is not the fastest that it ever took.
 */
static bool was_calm(struct tkf_evidence *e, unsigned piece, uint64_t *from_ns)
{
    uint64_t now_ns = tkf_clock_ns(NULL);
    double took_ns = (double)(now_ns - *from_ns), *usual_ns = &e->usual_ns[piece % PIECES_MAX];
    *from_ns = now_ns;
    if (*usual_ns == 0 || took_ns < *usual_ns)
        *usual_ns = took_ns;
    if (took_ns <= 1.6 * *usual_ns + 500)
        return true;
    *usual_ns *= 1.005; /* a lower clock rate may have come to stay */
    return false;
}

/**
 * Read it whole into e->text, which grows as needed, in pieces of about a line: the kernel makes no more than is asked for, so
 * that each piece is short enough for an interruption to show.
 * @param ret_calm  whether there was none.
 */
static bool slurp(struct tkf_evidence *e, bool *ret_calm)
{
    int fd = fileno(e->interrupts);
    size_t used = 0, piece_bytes = e->piece_bytes;
    bool calm = true;
    uint64_t from_ns = tkf_clock_ns(NULL);
    e->pieces = 0;
    if (lseek(fd, 0, SEEK_SET) != 0)
        return false;
    for (;;) {
        if (used + piece_bytes >= e->size) {
            size_t size = 2 * e->size + piece_bytes;
            char *text = realloc(e->text, size);
            if (text == NULL)
                return false;
            e->text = text;
            e->size = size;
        }
        ssize_t got = read(fd, e->text + used, piece_bytes);
        calm &= was_calm(e, e->pieces++, &from_ns);
        if (got <= 0) {
            e->text[used] = '\0';
            *ret_calm = calm;
            return got == 0;
        }
        used += (size_t)got;
    }
}

/** Which column of the head line is this CPU's; its numbers are of those that are online. */
static bool find_column(struct tkf_evidence *e, unsigned cpu)
{
    char name[16];
    snprintf(name, sizeof name, "CPU%u", cpu);
    const char *end = e->text + strcspn(e->text, "\n");
    const char *at = e->text;
    for (unsigned column = 0; at < end; column++) {
        at += strspn(at, " ");
        size_t length = strcspn(at, " \n");
        if (length == strlen(name) && strncmp(at, name, length) == 0) {
            e->column = column;
            return true;
        }
        at += length;
    }
    return false;
}

/**
 * One line: its label, this CPU's count, and what follows the counts. False for a line that is not counted by CPU.
 * @param line  up to its newline; not cut.
 */
static bool parse_line(const char *line, unsigned column, char ret_label[16], uint64_t *ret_count,
                       const char **ret_rest)
{
    line += strspn(line, " ");
    size_t length = strcspn(line, ":\n");
    if (line[length] != ':' || length == 0 || length > 15)
        return false;
    memcpy(ret_label, line, length);
    ret_label[length] = '\0';
    const char *at = line + length + 1;
    unsigned seen = 0;
    for (;; seen++) {
        at += strspn(at, " ");
        char *end;
        if (!isdigit((unsigned char)*at))
            break;
        uint64_t count = strtoull(at, &end, 10);
        if (*end != ' ' && *end != '\n' && *end != '\0')
            break;
        if (seen == column)
            *ret_count = count;
        at = end;
    }
    *ret_rest = at;
    return seen > column;
}

/** "interrupt LOC"; a numbered line by its device, which stands at its end behind two spaces. */
static void name_line(const char *label, const char *rest, char *ret_name, size_t size)
{
    int length = (int)strcspn(rest, "\n"), from = length;
    while (from >= 2 && strncmp(rest + from - 2, "  ", 2) != 0)
        from--;
    bool device = isdigit((unsigned char)label[0]) && from >= 2 && from < length;
    snprintf(ret_name, size, "interrupt %.*s", device ? length - from : (int)strlen(label),
             device ? rest + from : label);
}

static const char *next_line(const char *line)
{
    line += strcspn(line, "\n");
    return *line == '\n' ? line + 1 : NULL;
}

static void find_lines(struct tkf_evidence *e, unsigned cpu)
{
    char reason[8], label[16], name[40];
    e->first_line = e->nsources;
    if (tkf_sysfile_open(e->root, "/proc/interrupts", &e->interrupts, reason, sizeof reason) != 0)
        return;
    uint64_t fastest_ns = UINT64_MAX;
    bool calm;
    e->piece_bytes = 1 << 20;
    for (int i = 0; i < 3; i++) {
        uint64_t from_ns = tkf_clock_ns(NULL);
        if (!slurp(e, &calm))
            return;
        uint64_t took_ns = tkf_clock_ns(NULL) - from_ns;
        fastest_ns = took_ns < fastest_ns ? took_ns : fastest_ns;
    }
    if (fastest_ns > INTERRUPTS_SLOW_NS || !find_column(e, cpu))
        return;
    unsigned all = 0;
    for (const char *line = next_line(e->text); line != NULL; line = next_line(line)) {
        const char *rest;
        uint64_t count;
        all++;
        if (!parse_line(line, e->column, label, &count, &rest))
            continue;
        name_line(label, rest, name, sizeof name);
        if (add(e, name, true, false) == NONE)
            break;
        strcpy(e->labels[e->nlines++], label);
    }
    e->piece_bytes = strlen(e->text) / (all + 1) + 1;
    memset(e->usual_ns, 0, sizeof e->usual_ns);
}

/** A line that came or went since is passed over. @return whether nothing disturbed it. */
static bool read_lines(struct tkf_evidence *e, uint64_t *ret_counts)
{
    unsigned next = 0;
    bool calm;
    if (!slurp(e, &calm))
        return false;
    uint64_t from_ns = tkf_clock_ns(NULL);
    for (const char *line = next_line(e->text); line != NULL; line = next_line(line)) {
        const char *rest;
        char label[16];
        uint64_t count;
        if (!parse_line(line, e->column, label, &count, &rest))
            continue;
        unsigned at = next;
        while (at < e->nlines && strcmp(e->labels[at], label) != 0)
            at++;
        if (at == e->nlines)
            continue;
        ret_counts[e->first_line + at] = count;
        next = at + 1;
    }
    return was_calm(e, e->pieces, &from_ns) && calm;
}

/* ---- all of them -------------------------------------------------------------------------------------------------- */

struct tkf_evidence *tkf_evidence_open(const char *root, unsigned cpu, unsigned *ret_nsources)
{
    struct tkf_evidence *e = calloc(1, sizeof *e);
    if (e == NULL)
        return NULL;
    e->root = root;
    e->smi = e->throttled = e->steal = e->frequency = NONE;
    char reason[8], path[96];
    if ((e->smi_fd = open_smi(root)) >= 0)
        e->smi = add(e, "system management interrupt", false, false);

    struct tkf_cgroup_quota quota;
    if (tkf_cgroup_quota(root, &quota, reason, sizeof reason) == 0 && quota.limited &&
        quota.throttled_known)
        e->throttled = add(e, "throttled", false, false);
    e->switches = add(e, "context switch", false, false);

    /*
     * A thread is charged for neither stolen time nor, where the kernel accounts for it, that of interrupts. Where it does, time
     * not charged can be either, and is stolen only where no interrupt was counted: steal comes last then.
     */
    uint64_t irq = 0, steal = 0;
    bool stolen = read_ticks(root, cpu, &irq, &steal) && steal > 0;
    if (stolen && irq == 0)
        e->steal = add(e, "steal", false, true);

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/stats/total_trans", cpu);
    if (tkf_sysfile_open(root, path, &e->transitions, reason, sizeof reason) == 0)
        e->frequency = add(e, "frequency", false, false);
    find_lines(e, cpu);
    if (stolen && irq > 0)
        e->steal = add(e, "steal", false, true);
    *ret_nsources = e->nsources;
    return e;
}

void tkf_evidence_close(struct tkf_evidence *evidence)
{
    if (evidence == NULL)
        return;
    if (evidence->smi_fd >= 0)
        close(evidence->smi_fd);
    if (evidence->transitions != NULL)
        fclose(evidence->transitions);
    if (evidence->interrupts != NULL)
        fclose(evidence->interrupts);
    free(evidence->text);
    free(evidence);
}

const struct tkf_evidence_source *tkf_evidence_source(const struct tkf_evidence *evidence,
                                                      unsigned source)
{
    return &evidence->sources[source];
}

void tkf_evidence_read_fast(struct tkf_evidence *e, bool ahead, uint64_t *ret_counts)
{
    uint64_t first, last = count_switches(), uncharged, smi = 0;
    do {
        first = last;
        uncharged = e->steal != NONE ? uncharged_ns() : 0;
        if (e->smi != NONE && read(e->smi_fd, &smi, sizeof smi) < 0)
            smi = 0;
        last = count_switches();
    } while (ahead && last != first);
    ret_counts[e->switches] = first;
    if (e->smi != NONE)
        ret_counts[e->smi] = smi;
    if (e->steal != NONE && last == first)
        ret_counts[e->steal] = uncharged;
}

bool tkf_evidence_read_slow(struct tkf_evidence *e, uint64_t *ret_counts)
{
    if (e->frequency != NONE)
        read_number(fileno(e->transitions), &ret_counts[e->frequency]);
    if (e->throttled != NONE)
        read_throttled(e->root, &ret_counts[e->throttled]);
    return e->nlines == 0 || read_lines(e, ret_counts);
}
