/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "cli.h"

enum {
    WIDTH_MAX = 80,
    WIDTH_MIN = 40,
    LABEL_WIDTH = 12,
    CHECKS_SHOWN = 3, /* the rest is counted */
    CPUS_SHOWN = 4,
    SHAPES_SHOWN = 6,
};

/* The ADD chain must agree with the XOR chain this well for a cycle to be sound. */
#define CHAIN_TOLERANCE 0.005

/* Loops that differ by less than this are shown as alike. */
#define SAME 0.02

/* A card in the making: rows of items, wrapped. */
struct page {
    FILE *out;
    const struct tkf_style *style;
    unsigned width, indent, column;
    bool row_empty;
};

/* What goes before an item that is not the first of its row. */
enum joint {
    JOINT_DOT,   /* left out where the row is wrapped */
    JOINT_ARROW, /* a next step: kept */
};

static struct page page_for(FILE *out, const struct tkf_style *style)
{
    unsigned width = style->width > WIDTH_MAX ? WIDTH_MAX : style->width;
    return (struct page){
        .out = out,
        .style = style,
        .width = width < WIDTH_MIN ? WIDTH_MIN : width,
    };
}

/* ---- words, rows, items ---- */

/*
 * Copy text with a '?' for all that could drive a terminal or upset the columns: control
 * characters, marks that combine or turn the direction, bytes that are no character. All that the
 * card prints goes through here.
 */
static void clean(const struct page *page, const char *text, char *ret_text, size_t size)
{
    mbstate_t state = {0};
    size_t used = 0;
    while (*text != '\0' && used + MB_LEN_MAX < size) {
        wchar_t character;
        size_t length = 1;
        bool shown = *text >= ' ' && *text <= '~';
        if (!shown && page->style->unicode) {
            length = mbrtowc(&character, text, MB_LEN_MAX, &state);
            shown = length != (size_t)-1 && length != (size_t)-2 && wcwidth(character) == 1;
            if (length == (size_t)-1 || length == (size_t)-2) {
                length = 1;
                state = (mbstate_t){0};
            }
        }
        if (shown)
            memcpy(ret_text + used, text, length);
        else
            ret_text[used] = '?';
        used += shown ? length : 1;
        text += length;
    }
    ret_text[used] = '\0';
}

/* Columns of cleaned text: one for each character. */
static unsigned columns(const char *text)
{
    unsigned count = 0;
    for (; *text != '\0'; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

static void print(struct page *page, const char *text)
{
    fputs(text, page->out);
    page->column += columns(text);
}

static void wrap(struct page *page)
{
    fprintf(page->out, "\n%*s", (int)page->indent, "");
    page->column = page->indent;
}

/* Print text at the page's column, on as many lines as it needs. */
static void print_words(struct page *page, char *text)
{
    bool first = true;
    char *rest;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (!first && page->column + 1 + columns(word) > page->width)
            wrap(page);
        else if (!first)
            print(page, " ");
        print(page, word);
        first = false;
    }
}

/* Begin a row with its label, "" for none. */
static void begin_row(struct page *page, const char *label)
{
    page->indent = LABEL_WIDTH;
    page->row_empty = true;
    page->column = LABEL_WIDTH;
    fprintf(page->out, "%s%-*s%s", page->style->dim, LABEL_WIDTH, label, page->style->reset);
}

/* Begin a row that has a mark instead of a label. */
static void begin_remark(struct page *page, const char *color, const char *mark)
{
    page->indent = 4;
    page->row_empty = true;
    page->column = 4;
    fprintf(page->out, "  %s%s%s ", color, mark, page->style->reset);
}

static void begin_line(struct page *page)
{
    page->indent = 0;
    page->row_empty = true;
    page->column = 0;
}

static void end_row(struct page *page)
{
    fputc('\n', page->out);
}

/*
 * Add an item to the row; it goes on a line of its own when it would not fit on this one. An empty
 * one is left out.
 */
static void item(struct page *page, enum joint joint, const char *color, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void item(struct page *page, enum joint joint, const char *color, const char *format, ...)
{
    char raw[512], text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(raw, sizeof(raw), format, arguments);
    va_end(arguments);
    clean(page, raw, text, sizeof(text));
    if (text[0] == '\0')
        return;

    const char *arrow = page->style->unicode ? " → " : " -> ";
    const char *dot = page->style->unicode ? " · " : ", ";
    const char *between = joint == JOINT_ARROW ? arrow : dot;
    if (!page->row_empty && page->column + columns(between) + columns(text) <= page->width) {
        print(page, between);
    } else if (!page->row_empty) {
        wrap(page);
        if (joint == JOINT_ARROW)
            print(page, arrow + 1);
    }
    page->row_empty = false;
    fputs(color, page->out);
    if (page->column + columns(text) <= page->width)
        print(page, text);
    else
        print_words(page, text);
    fputs(*color ? page->style->reset : "", page->out);
}

/* ---- numbers, with the digits that are known ---- */

struct number {
    char text[40];
};

static struct number significant(double value, int digits)
{
    struct number number = {"unknown"};
    if (isfinite(value)) {
        /* The exponent after rounding: 0.9996 to three digits is 1.00. */
        snprintf(number.text, sizeof(number.text), "%.*e", digits - 1, value);
        int after = digits - 1 - atoi(strchr(number.text, 'e') + 1);
        after = after < 0 ? 0 : after > 12 ? 12 : after;
        snprintf(number.text, sizeof(number.text), "%.*f", after, value);
    }
    return number;
}

/* A value in the unit of its size: the step from one unit to the next is 1000. */
static struct number scaled(double value, int digits, const char *const units[], unsigned nunits)
{
    struct number number = {"unknown"};
    unsigned unit = 0;
    if (!isfinite(value))
        return number;
    /* What rounds to 1000 of one unit is 1 of the next. */
    while (unit + 1 < nunits && fabs(value) >= 999.5) {
        value /= 1000;
        unit++;
    }
    snprintf(number.text, sizeof(number.text), "%.30s %s", significant(value, digits).text,
             units[unit]);
    return number;
}

static struct number duration(const struct page *page, double ns)
{
    const char *const units[] = {"ns", page->style->unicode ? "µs" : "us", "ms", "s"};
    return scaled(ns, 3, units, 4);
}

static struct number frequency(double hz, int digits)
{
    static const char *const units[] = {"Hz", "kHz", "MHz", "GHz"};
    return scaled(hz, digits, units, 4);
}

/* A counter's rate, often round: "24 MHz", not "24.000 MHz". */
static struct number rate(double hz)
{
    struct number number = frequency(hz, 5);
    char *unit = strchr(number.text, ' ');
    if (unit && strchr(number.text, '.')) {
        char *end = unit;
        while (end[-1] == '0')
            end--;
        if (end[-1] == '.')
            end--;
        memmove(end, unit, strlen(unit) + 1);
    }
    return number;
}

static struct number cycles(double value)
{
    struct number number = {"unknown"};
    if (isfinite(value))
        snprintf(number.text, sizeof(number.text), "%.*f", fabs(value) < 100 ? 2 : 0, value);
    return number;
}

static struct number percent(double share)
{
    struct number number = {"unknown"};
    if (isfinite(share))
        snprintf(number.text, sizeof(number.text), "%.*f %%", share > 0 && share < 0.0995 ? 1 : 0,
                 share * 100);
    if (share > 0 && share < 0.0005)
        snprintf(number.text, sizeof(number.text), "<0.1 %%");
    return number;
}

static const char *dash(const struct page *page)
{
    return page->style->unicode ? "–" : "-";
}

static const char *plural(unsigned count)
{
    return count == 1 ? "" : "s";
}

/* ---- the rows ---- */

/* `when` is the date of a profile, or says what else this is. */
static void print_machine(struct page *page, const struct tkf_machine *machine, const char *tool,
                          const char *when)
{
    begin_line(page);
    item(page, JOINT_DOT, page->style->bold, "%s", tool);
    item(page, JOINT_DOT, page->style->dim, "%s", when);
    end_row(page);

    begin_line(page);
    item(page, JOINT_DOT, "", "%s", machine->cpu[0] ? machine->cpu : "unknown CPU");
    item(page, JOINT_DOT, "", "%s", machine->arch);
    item(page, JOINT_DOT, "", "%s%s%s", machine->os,
         machine->os[0] && machine->kernel[0] ? " " : "", machine->kernel);
    if (!machine->hypervisor_known)
        item(page, JOINT_DOT, "", "hypervisor unknown");
    else if (machine->hypervisor[0])
        item(page, JOINT_DOT, "", "under %s",
             strcmp(machine->hypervisor, "unnamed") == 0 ? "a hypervisor" : machine->hypervisor);
    if (machine->cpus > 0)
        item(page, JOINT_DOT, "", "%u CPU%s", machine->cpus, plural(machine->cpus));
    if (machine->kinds > 1)
        item(page, JOINT_DOT, "", "%u kinds of core", machine->kinds);
    end_row(page);

    if (machine->emulated) {
        begin_line(page);
        item(page, JOINT_DOT, page->style->red,
             "EMULATED by %s: these times are the emulator's, "
             "not a CPU's. No result is called impossible because of them.",
             machine->emulator[0] ? machine->emulator : "an emulator of unknown name");
        end_row(page);
    }
    end_row(page);
}

static void print_counter(struct page *page, const struct tkf_counter *counter)
{
    static const char *const trusts[] = {"verified", "declared, not checked", "CONFLICT"};
    const char *const colors[] = {page->style->green, "", page->style->red};

    begin_row(page, "counter");
    item(page, JOINT_DOT, "", "%s %s", counter->name, rate(counter->hz).text);
    item(page, JOINT_DOT, colors[counter->trust], "%s", trusts[counter->trust]);
    item(page, JOINT_DOT, "", "step %s (%llu tick%s)", duration(page, counter->step_ns).text,
         (unsigned long long)counter->step_ticks, counter->step_ticks == 1 ? "" : "s");
    item(page, JOINT_DOT, "", "read %s", duration(page, counter->read_ns.mid).text);
    end_row(page);

    /* A source that someone could make work. */
    for (unsigned i = 0; i < counter->nrejected; i++) {
        const struct tkf_rejected *rejected = &counter->rejected[i];
        if (rejected->error == 0 || !rejected->next)
            continue;
        begin_row(page, "");
        item(page, JOINT_DOT, "", "not %.40s: %s", rejected->source, rejected->reason);
        item(page, JOINT_ARROW, page->style->cyan, "%s", rejected->next);
        end_row(page);
    }

    if (counter->trust != TKF_TRUST_CONFLICT || counter->nrates == 0)
        return;
    begin_row(page, "");
    for (unsigned i = 0; i < counter->nrates; i++)
        item(page, JOINT_DOT, "", "%s %s (%+.0f ppm)", counter->rates[i].name,
             rate(counter->rates[i].hz).text, counter->rates[i].ppm_off);
    end_row(page);
}

static void print_clock(struct page *page, const struct tkf_profile_cpu *cpu)
{
    const struct tkf_cpu_floor *floor = &cpu->floor;
    const char *yellow = page->style->yellow;
    double off = fabs(floor->chain_check - 1);

    begin_row(page, "core clock");
    item(page, JOINT_DOT, "", "CPU %u%s%.31s%s at %s", floor->cpu, cpu->kind[0] ? " (" : "",
         cpu->kind, cpu->kind[0] ? ")" : "", frequency(floor->core_hz, 3).text);
    item(page, JOINT_DOT, "", "cycle %s", duration(page, floor->cycle_ns).text);
    if (isnan(off))
        item(page, JOINT_DOT, yellow, "no second chain to check it");
    else if (off > CHAIN_TOLERANCE)
        item(page, JOINT_DOT, yellow, "not sound: chains differ by %.1f %%", off * 100);
    else
        item(page, JOINT_DOT, "", "chains agree to %.2f %%", off > 0.0001 ? off * 100 : 0.01);
    if (cpu->cycle_check.by[0])
        item(page, JOINT_DOT, "", "%s counts %s for one", cpu->cycle_check.by,
             cycles(cpu->cycle_check.cycles).text);
    if (!floor->pinned)
        item(page, JOINT_DOT, yellow, "not bound to it: %s",
             floor->unpinned_reason ? floor->unpinned_reason : "reason unknown");
    end_row(page);
}

/* The loop that people mean by an empty loop: decrement and branch, aligned. */
static const struct tkf_loop *fused_loop(const struct tkf_cpu_floor *floor)
{
    const struct tkf_loop *found = NULL;
    for (unsigned i = 0; i < floor->nloops; i++) {
        const struct tkf_loop *loop = &floor->loops[i];
        if (loop->offset_bytes != 0)
            continue;
        if (strcmp(loop->shape, "fused") == 0)
            return loop;
        if (!found)
            found = loop;
    }
    return found;
}

static void print_events(struct page *page, const struct tkf_pmu_status *pmu,
                         const struct tkf_loop *loop)
{
    begin_row(page, "events");
    if (!pmu->available) {
        item(page, JOINT_DOT, page->style->dim, "none: %s",
             pmu->reason[0] ? pmu->reason : "reason unknown");
        end_row(page);
        return;
    }
    item(page, JOINT_DOT, "", "by %s", pmu->how);
    if (loop && isfinite(loop->event_cycles))
        item(page, JOINT_DOT, "", "the empty loop takes %s cycles, %s instructions",
             cycles(loop->event_cycles).text, cycles(loop->event_instructions).text);
    end_row(page);
}

static void print_noise(struct page *page, const struct tkf_cpu_floor *floor)
{
    begin_row(page, "noise");
    item(page, JOINT_DOT, "", "lost %s of the time", percent(floor->lost_share).text);
    item(page, JOINT_DOT, "", "worst %s", duration(page, floor->worst_gap_ns).text);
    item(page, JOINT_DOT, "", "%s of windows unusable", percent(floor->disturbed_share).text);
    end_row(page);
}

static void print_band(struct page *page, const struct tkf_cpu_floor *floor)
{
    const struct tkf_band *ns = &floor->floor_ns, *in_cycles = &floor->floor_cycles;
    const char *to = dash(page);

    begin_row(page, "empty loop");
    if (isnan(ns->mid))
        item(page, JOINT_DOT, page->style->yellow, "ns unknown");
    else
        item(page, JOINT_DOT, page->style->bold, "%s %s %s %s %s ns", significant(ns->lo, 3).text,
             to, significant(ns->mid, 3).text, to, significant(ns->hi, 3).text);
    if (isnan(in_cycles->mid))
        item(page, JOINT_DOT, page->style->yellow, "cycles unknown");
    else
        item(page, JOINT_DOT, "", "%s %s %s %s %s cycles", cycles(in_cycles->lo).text, to,
             cycles(in_cycles->mid).text, to, cycles(in_cycles->hi).text);
    item(page, JOINT_DOT, page->style->dim, "best to worst");
    end_row(page);
}

static void print_histogram(struct page *page, const struct tkf_cpu_floor *floor)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const marks[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    const char *const *bars = page->style->unicode ? blocks : marks;
    char text[TKF_HISTOGRAM_BINS * 4 + 1] = "";
    unsigned most = 0;

    for (unsigned i = 0; i < TKF_HISTOGRAM_BINS; i++)
        most = floor->histogram[i] > most ? floor->histogram[i] : most;
    if (most == 0 || !(floor->histogram_bin_cycles > 0))
        return;
    /* One window is seen as well as a thousand: rounded up. */
    for (unsigned i = 0; i < TKF_HISTOGRAM_BINS; i++)
        strcat(text, bars[((uint64_t)floor->histogram[i] * 8 + most - 1) / most]);
    begin_row(page, "");
    item(
        page, JOINT_DOT, "", "%s |%s| %s cycles", cycles(floor->histogram_lo_cycles).text, text,
        cycles(floor->histogram_lo_cycles + TKF_HISTOGRAM_BINS * floor->histogram_bin_cycles).text);
    end_row(page);
}

static void item_state(struct page *page, const char *name, const struct tkf_state *state)
{
    const struct tkf_band *band = &state->cycles;
    bool narrow = !(band->hi - band->lo > SAME * band->mid);
    item(page, JOINT_DOT, "", "%s %s%s%s cycles %s", name,
         cycles(narrow ? band->mid : band->lo).text, narrow ? "" : dash(page),
         narrow ? "" : cycles(band->hi).text, percent(state->share).text);
}

static void print_states(struct page *page, const struct tkf_loop *loop, bool emulated)
{
    if (!loop || (!(loop->fast.share > 0) && !(loop->slow.share > 0)))
        return;
    begin_row(page, "");
    if (!(loop->slow.share > 0)) {
        item(page, JOINT_DOT, page->style->green, "always fast");
        end_row(page);
        return;
    }
    if (loop->fast.share > 0)
        item_state(page, "fast", &loop->fast);
    item_state(page, "slow", &loop->slow);
    if (loop->fast.share >= loop->slow.share)
        item(page, JOINT_DOT, page->style->green, "mostly fast");
    else
        item(page, JOINT_DOT, page->style->yellow, "mostly slow%s",
             emulated ? "" : ": was its SMT sibling busy?");
    end_row(page);
}

static void print_suspect(struct page *page, const struct tkf_profile *profile)
{
    end_row(page);
    begin_line(page);
    if (isnan(profile->suspect_below_ns)) {
        item(page, JOINT_DOT, page->style->yellow, "suspect below: unknown");
    } else {
        item(page, JOINT_DOT, page->style->bold, "suspect below %s ns",
             significant(profile->suspect_below_ns, 3).text);
        item(page, JOINT_DOT, "", "such a result cannot be told from an empty loop");
    }
    end_row(page);
    end_row(page);
}

/* How the worst offset of a loop's shape compares with the aligned one. */
static void describe_worst(const struct tkf_cpu_floor *floor, const struct tkf_loop *aligned,
                           char *ret_text, size_t size)
{
    const struct tkf_loop *worst = NULL;
    for (unsigned i = 0; i < floor->nloops; i++) {
        const struct tkf_loop *loop = &floor->loops[i];
        if (loop->offset_bytes == 0 || strcmp(loop->shape, aligned->shape) != 0)
            continue;
        if (!worst || loop->cycles.mid > worst->cycles.mid)
            worst = loop;
    }
    if (!worst)
        snprintf(ret_text, size, "not measured");
    else if (worst->cycles.mid <= aligned->cycles.mid * (1 + SAME))
        snprintf(ret_text, size, "none");
    else
        snprintf(ret_text, size, "%s at byte %u", cycles(worst->cycles.mid).text,
                 worst->offset_bytes);
}

/* A table: each shape of loop, aligned and at its worst offset. `cpu` heads it, "" where there is one alone. */
static void print_loops(struct page *page, const struct tkf_cpu_floor *floor, const char *cpu)
{
    static const char row[] = "%-10.10s %7s %7s   %-16s %.20s";
    unsigned shown = 0;
    for (unsigned i = 0; i < floor->nloops && shown < SHAPES_SHOWN; i++) {
        const struct tkf_loop *loop = &floor->loops[i];
        char worst[80];
        if (loop->offset_bytes != 0)
            continue;
        if (shown++ == 0) {
            begin_row(page, "loops");
            item(page, JOINT_DOT, page->style->dim, row, cpu, "cycles", "ns", "worse offset",
                 "code");
            end_row(page);
        }
        describe_worst(floor, loop, worst, sizeof(worst));
        begin_row(page, "");
        item(page, JOINT_DOT, "", row, loop->shape, cycles(loop->cycles.mid).text,
             significant(loop->ns.mid, 3).text, worst, loop->text);
        end_row(page);
    }
}

static void print_costs(struct page *page, const struct tkf_cpu_floor *floor, const char *cpu)
{
    if (floor->ncosts == 0)
        return;
    begin_row(page, "costs");
    item(page, JOINT_DOT, page->style->dim, "%s", cpu);
    for (unsigned i = 0; i < floor->ncosts; i++) {
        const struct tkf_cost *cost = &floor->costs[i];
        char name[32];
        snprintf(name, sizeof(name), "%s", cost->name);
        for (char *at = name; *at != '\0'; at++)
            *at = *at == '_' ? ' ' : *at;
        item(page, JOINT_DOT, "", "%s %s", name, duration(page, cost->ns.mid).text);
    }
    end_row(page);
}

/* What an empty benchmark costs at its fastest in each framework that was run live, in cycles; that of processes in time. */
static void print_harnesses(struct page *page, const struct tkf_profile *profile)
{
    if (profile->nharnesses == 0)
        return;
    begin_row(page, "frameworks");
    for (unsigned i = 0; i < profile->nharnesses; i++) {
        const struct tkf_harness_floor *floor = &profile->harnesses[i];
        if (floor->reason[0])
            item(page, JOINT_DOT, page->style->yellow, "%s%s%s unknown", floor->framework,
                 floor->loop_form[0] ? " " : "", floor->loop_form);
        else
            item(page, JOINT_DOT, "", "%s %s %s", floor->framework, floor->loop_form,
                 floor->timing == TKF_TIMING_PROCESS ? duration(page, floor->ns.lo).text
                                                     : cycles(floor->cycles.lo).text);
    }
    item(page, JOINT_DOT, page->style->dim, "cycles of an empty benchmark");
    end_row(page);
}

static unsigned cpus_shown(const struct tkf_profile *profile)
{
    return profile->ncpus < CPUS_SHOWN ? profile->ncpus : CPUS_SHOWN;
}

static void print_other_cpus(struct page *page, const struct tkf_profile *profile)
{
    unsigned shown = cpus_shown(profile);
    for (unsigned i = 1; i < shown; i++) {
        end_row(page);
        print_clock(page, &profile->cpus[i]);
        print_events(page, &profile->cpus[i].pmu, fused_loop(&profile->cpus[i].floor));
        print_band(page, &profile->cpus[i].floor);
    }
    if (profile->ncpus > shown) {
        begin_row(page, "");
        item(page, JOINT_DOT, "", "and %u more CPUs: see --json", profile->ncpus - shown);
        end_row(page);
    }
}

/* What each CPU's loops and small things cost: they differ from kind to kind. */
static void print_tables(struct page *page, const struct tkf_profile *profile)
{
    for (unsigned i = 0; i < cpus_shown(profile); i++) {
        const struct tkf_cpu_floor *floor = &profile->cpus[i].floor;
        char cpu[24] = "";
        if (profile->ncpus > 1)
            snprintf(cpu, sizeof(cpu), "CPU %u", floor->cpu);
        print_loops(page, floor, cpu);
        print_costs(page, floor, cpu);
    }
}

/* `most` checks to mend are shown, the rest is counted. */
static void print_readiness(struct page *page, const struct tkf_check *checks, unsigned nchecks,
                            unsigned most)
{
    unsigned counts[TKF_CHECK_UNKNOWN + 1] = {0}, shown = 0;
    char unknown[400] = "";
    size_t used = 0;

    for (unsigned i = 0; i < nchecks; i++) {
        const struct tkf_check *check = &checks[i];
        if (check->status == TKF_CHECK_UNKNOWN && used < sizeof(unknown))
            used += (size_t)snprintf(unknown + used, sizeof(unknown) - used, "%s%.40s",
                                     counts[TKF_CHECK_UNKNOWN] ? ", " : "", check->code);
        counts[check->status]++;
    }
    if (nchecks == 0)
        return;
    end_row(page);
    begin_row(page, "readiness");
    if (counts[TKF_CHECK_WARN] > 0)
        item(page, JOINT_DOT, page->style->yellow, "%u to mend", counts[TKF_CHECK_WARN]);
    item(page, JOINT_DOT, counts[TKF_CHECK_OK] == nchecks ? page->style->green : "",
         "%u of %u fine", counts[TKF_CHECK_OK], nchecks);
    if (counts[TKF_CHECK_NOTE] > 0)
        item(page, JOINT_DOT, "", "%u note%s", counts[TKF_CHECK_NOTE],
             plural(counts[TKF_CHECK_NOTE]));
    if (counts[TKF_CHECK_UNKNOWN] > 0)
        item(page, JOINT_DOT, "", "%u unknown (%s)", counts[TKF_CHECK_UNKNOWN], unknown);
    end_row(page);

    for (unsigned i = 0; i < nchecks && shown < most; i++) {
        const struct tkf_check *check = &checks[i];
        if (check->status != TKF_CHECK_WARN)
            continue;
        shown++;
        begin_remark(page, page->style->yellow, "!");
        item(page, JOINT_DOT, "", "%.40s: %s%s%.200s", check->code, check->seen,
             check->cost ? "; " : "", check->cost ? check->cost : "");
        if (check->next[0])
            item(page, JOINT_ARROW, page->style->cyan, "%s", check->next);
        end_row(page);
    }
    if (counts[TKF_CHECK_WARN] > shown) {
        begin_remark(page, page->style->yellow, "!");
        item(page, JOINT_DOT, "", "and %u more to mend: see --json",
             counts[TKF_CHECK_WARN] - shown);
        end_row(page);
    }
}

static void print_remark(struct page *page, const char *text, const char *next)
{
    begin_remark(page, page->style->yellow, "!");
    item(page, JOINT_DOT, "", "%s", text);
    if (next[0])
        item(page, JOINT_ARROW, page->style->cyan, "%s", next);
    end_row(page);
}

static void print_warnings(struct page *page, const struct tkf_profile *profile)
{
    if (profile->nwarnings == 0)
        return;
    end_row(page);
    begin_row(page, "warnings");
    item(page, JOINT_DOT, page->style->yellow, "%u", profile->nwarnings);
    end_row(page);
    for (unsigned i = 0; i < profile->nwarnings; i++)
        print_remark(page, profile->warnings[i].text, profile->warnings[i].next);
}

void tkf_card_print(FILE *out, const struct tkf_style *style, const struct tkf_profile *profile)
{
    struct page page = page_for(out, style);

    print_machine(&page, &profile->machine, profile->tool, profile->created);
    print_counter(&page, &profile->counter);
    if (profile->ncpus > 0) {
        const struct tkf_profile_cpu *first = &profile->cpus[0];
        const struct tkf_loop *loop = fused_loop(&first->floor);
        print_clock(&page, first);
        print_events(&page, &first->pmu, loop);
        print_noise(&page, &first->floor);
        end_row(&page);
        print_band(&page, &first->floor);
        print_histogram(&page, &first->floor);
        print_states(&page, loop, profile->machine.emulated);
        print_other_cpus(&page, profile);
        print_suspect(&page, profile);
        print_tables(&page, profile);
        print_harnesses(&page, profile);
    }
    print_readiness(&page, profile->checks, profile->nchecks, CHECKS_SHOWN);
    print_warnings(&page, profile);
}

static void print_kinds(struct page *page, const struct tkf_description *description)
{
    begin_row(page, "topology");
    if (description->packages > 0)
        item(page, JOINT_DOT, "", "%u package%s", description->packages,
             plural(description->packages));
    if (description->numa_nodes > 0)
        item(page, JOINT_DOT, "", "%u NUMA node%s", description->numa_nodes,
             plural(description->numa_nodes));
    if (description->cores > 0)
        item(page, JOINT_DOT, "", "%u core%s", description->cores, plural(description->cores));
    if (description->nkinds == 0)
        item(page, JOINT_DOT, page->style->yellow, "CPUs unknown: %s", description->kinds_reason);
    end_row(page);

    for (unsigned i = 0; i < description->nkinds; i++) {
        const struct tkf_core_kind *kind = &description->kinds[i];
        begin_row(page, i == 0 ? "CPUs" : "");
        item(page, JOINT_DOT, page->style->bold, "%s%s%s", kind->name, kind->name[0] ? ": " : "",
             kind->cpus);
        if (kind->ncores > 0 && kind->ncores != kind->ncpus)
            item(page, JOINT_DOT, "", "threads of %u core%s", kind->ncores, plural(kind->ncores));
        if (kind->max_mhz > 0)
            item(page, JOINT_DOT, "", "up to %u MHz", kind->max_mhz);
        if (kind->capacity > 0)
            item(page, JOINT_DOT, "", "capacity %u of 1024", kind->capacity);
        item(page, JOINT_DOT, "", "%s%s", kind->pmu[0] ? "events by " : "no driver of events",
             kind->pmu);
        end_row(page);
    }
}

void tkf_card_machine(FILE *out, const struct tkf_style *style,
                      const struct tkf_description *description)
{
    struct page page = page_for(out, style);
    char when[300] = "described, not measured";
    if (description->root[0])
        snprintf(when, sizeof(when), "recorded in %s", description->root);
    print_machine(&page, &description->machine, description->tool, when);
    print_kinds(&page, description);
    print_readiness(&page, description->checks, description->nchecks, TKF_CHECKS_MAX);
}

void tkf_card_note(FILE *out, const struct tkf_style *style, const char *text, const char *next)
{
    struct page page = page_for(out, style);
    if (next) {
        print_remark(&page, text, next);
        return;
    }
    begin_line(&page);
    item(&page, JOINT_DOT, style->dim, "%s", text);
    end_row(&page);
}

void tkf_card_age(const char *created, time_t now, char *ret_text, size_t size)
{
    static const struct {
        long seconds;
        const char *name;
    } units[] = {
        {365L * 86400, "year"}, {30L * 86400, "month"}, {86400, "day"},
        {3600, "hour"},         {60, "minute"},
    };
    struct tm date = {0};
    const char *end = strptime(created, "%Y-%m-%dT%H:%M:%SZ", &date);
    if (!end || *end != '\0') {
        snprintf(ret_text, size, "at an unknown time");
        return;
    }
    double age = difftime(now, timegm(&date));
    if (age < -60) { /* clocks differ a little; that is no news */
        snprintf(ret_text, size, "in the future");
        return;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (age >= units[i].seconds) {
            unsigned count = (unsigned)(age / units[i].seconds);
            snprintf(ret_text, size, "%u %s%s ago", count, units[i].name, plural(count));
            return;
        }
    }
    snprintf(ret_text, size, "just now");
}
