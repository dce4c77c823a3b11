/* SPDX-License-Identifier: MIT */
/** The card, plain: it has to fit on a screen of 80 columns and 25 lines, in ASCII. */
#include "firmware.h"

#define LABEL      12
#define CPUS_SHOWN 3
#define SAME       1.02 /* costs that differ by less are alike */

static bool is_known(double value)
{
    return value - value == 0;
}

static void row(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void row(const char *label, const char *format, ...)
{
    char line[400];
    struct tkf_uefi_text text = {line, sizeof line, 0};
    va_list arguments;
    line[0] = '\0';
    va_start(arguments, format);
    tkf_uefi_text_vadd(&text, format, arguments);
    va_end(arguments);
    tkf_uefi_print_wrapped(label, LABEL, line);
}

static const char *trust_words(const struct tkf_counter *c)
{
    switch (c->trust) {
    case TKF_TRUST_VERIFIED:
        return "verified by the ";
    case TKF_TRUST_CONFLICT:
        return "in CONFLICT with the ";
    case TKF_TRUST_DECLARED:
        break;
    }
    return c->nrates > 0 ? "declared, not verified" : "of unknown rate";
}

static void print_cpu(const struct tkf_cpu_floor *f)
{
    char label[LABEL];
    tkf_uefi_format(label, sizeof label, "CPU %u", f->cpu);
    row(label, "cycle %.4g ns, %.4g MHz", f->cycle_ns, f->core_hz / 1e6);
    row("", "empty loop %.3g - %.3g - %.3g ns, %.3g - %.3g - %.3g cycles", f->floor_ns.lo,
        f->floor_ns.mid, f->floor_ns.hi, f->floor_cycles.lo, f->floor_cycles.mid,
        f->floor_cycles.hi);
}

static void print_loops(const struct tkf_cpu_floor *f)
{
    const char *label = "loops";
    for (unsigned i = 0; i < f->nloops; i++) {
        const struct tkf_loop *loop = &f->loops[i], *worst = loop;
        if (loop->offset_bytes != 0)
            continue;
        for (unsigned k = 0; k < f->nloops; k++) {
            if (tkf_uefi_same(f->loops[k].shape, loop->shape) &&
                f->loops[k].cycles.mid > worst->cycles.mid)
                worst = &f->loops[k];
        }
        if (worst->cycles.mid > SAME * loop->cycles.mid)
            row(label, "%s %.3g cycles, %.3g ns; at byte %u %.3g cycles", loop->name,
                loop->cycles.mid, loop->ns.mid, worst->offset_bytes, worst->cycles.mid);
        else
            row(label, "%s %.3g cycles, %.3g ns at every offset", loop->name, loop->cycles.mid,
                loop->ns.mid);
        label = "";
    }
}

static void print_costs(const struct tkf_cpu_floor *f)
{
    char line[400];
    struct tkf_uefi_text text = {line, sizeof line, 0};
    bool in_ns = is_known(f->cycle_ns);
    line[0] = '\0';
    for (unsigned i = 0; i < f->ncosts; i++)
        tkf_uefi_text_add(&text, "%s%s %.3g %s", i > 0 ? ", " : "", f->costs[i].name,
                          in_ns ? f->costs[i].ns.mid : f->costs[i].cycles.mid,
                          in_ns ? "ns" : "cycles");
    tkf_uefi_print_wrapped("costs", LABEL, line);
}

static void print_gaps(const struct tkf_uefi_gaps *gaps)
{
    if (!is_known(gaps->seconds)) {
        row("gaps", "%u with interrupts masked, %.3g %% of the time lost", gaps->count,
            gaps->lost_share * 100);
        return;
    }
    row("gaps", "interrupts masked for %.3g s: %u above %s", gaps->seconds, gaps->count,
        tkf_uefi_show_time(gaps->limit_ns).text);
    if (gaps->count > 0)
        row("", "worst %s, %.3g %% of the time lost", tkf_uefi_show_time(gaps->worst_ns).text,
            gaps->lost_share * 100);
}

void tkf_uefi_card_print(const struct tkf_profile *profile, const char *clock,
                         const struct tkf_uefi_gaps *gaps)
{
    const struct tkf_machine *m = &profile->machine;
    const struct tkf_counter *c = &profile->counter;
    const struct tkf_cpu_floor *f = &profile->cpus[0].floor;

    row("machine", "%s, %s, %s, %u CPU%s", m->cpu[0] != '\0' ? m->cpu : "unknown CPU", m->arch,
        m->kernel, m->cpus, m->cpus == 1 ? "" : "s");
    if (m->emulated)
        row("", "EMULATED by %s: these times are the emulator's, not a CPU's", m->emulator);
    row("counter", "%s %.7g MHz, %s%s", c->name, c->hz / 1e6, trust_words(c),
        c->trust == TKF_TRUST_DECLARED || clock == NULL ? "" : clock);
    row("", "step %.3g ns (%llu ticks), read %.3g ns", c->step_ns,
        (unsigned long long)c->step_ticks, c->read_ns.mid);
    for (unsigned i = 0; i < profile->ncpus && i < CPUS_SHOWN; i++)
        print_cpu(&profile->cpus[i].floor);
    if (profile->ncpus > CPUS_SHOWN)
        row("", "and %u more in tickfloor.json", profile->ncpus - CPUS_SHOWN);
    print_loops(f);
    print_costs(f);
    print_gaps(gaps);
    if (is_known(profile->suspect_below_ns))
        row("suspect", "below %.3g ns: such a result cannot be told from an empty loop",
            profile->suspect_below_ns);
    else
        row("suspect", "unknown in ns: below %.3g cycles", f->floor_cycles.hi);
    for (unsigned i = 0; i < profile->nwarnings; i++)
        tkf_uefi_print_wrapped("  !", 4, profile->warnings[i].text);
}
