/* SPDX-License-Identifier: MIT */
/** The card, plain: it has to fit on a screen of 80 columns and 25 lines, in ASCII. */
#include "firmware.h"

#include "arch.h"

#define WIDTH      79
#define CPUS_SHOWN 3

/** Print a line, broken between words where it is too long; what follows is indented. */
static void print_wrapped(const char *text, unsigned indent)
{
    char line[WIDTH + 2];
    unsigned used = 0;
    while (*text != '\0') {
        unsigned word = 0;
        while (text[word] != '\0' && text[word] != ' ' && word < WIDTH - indent)
            word++;
        if (used > indent && used + 1 + word > WIDTH) {
            line[used] = '\0';
            tkf_print("%s\n", line);
            for (used = 0; used < indent; used++)
                line[used] = ' ';
        } else if (used > 0 && line[used - 1] != ' ') {
            line[used++] = ' ';
        }
        for (unsigned i = 0; i < word; i++)
            line[used++] = text[i];
        text += word;
        while (*text == ' ') {
            /* Blanks that line a table up are kept, the one between words is the line's end. */
            if (text[1] == ' ' && used < WIDTH)
                line[used++] = ' ';
            text++;
        }
    }
    line[used] = '\0';
    tkf_print("%s\n", line);
}

static void row(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void row(const char *format, ...)
{
    char line[400];
    struct tkf_text text = {line, sizeof line, 0};
    va_list arguments;
    line[0] = '\0';
    va_start(arguments, format);
    tkf_text_vadd(&text, format, arguments);
    va_end(arguments);
    print_wrapped(line, 12);
}

static const char *trust_words(const struct tkf_counter *c)
{
    switch (c->trust) {
    case TKF_TRUST_VERIFIED:
        return "verified by";
    case TKF_TRUST_CONFLICT:
        return "CONFLICT with";
    case TKF_TRUST_DECLARED:
        break;
    }
    return "declared, not verified";
}

static void print_cpu(const struct tkf_cpu_floor *f)
{
    row("CPU %u       cycle %.4g ns, %.4g MHz; empty loop %.3g - %.3g - %.3g ns, "
        "%.3g - %.3g - %.3g cycles",
        f->cpu, f->cycle_ns, f->core_hz / 1e6, f->floor_ns.lo, f->floor_ns.mid, f->floor_ns.hi,
        f->floor_cycles.lo, f->floor_cycles.mid, f->floor_cycles.hi);
}

static void print_loops(const struct tkf_cpu_floor *f)
{
    for (unsigned i = 0; i < f->nloops; i++) {
        const struct tkf_loop *loop = &f->loops[i], *worst = loop;
        if (loop->offset_bytes != 0)
            continue;
        for (unsigned k = 0; k < f->nloops; k++) {
            if (tkf_same(f->loops[k].shape, loop->shape) &&
                f->loops[k].cycles.mid > worst->cycles.mid)
                worst = &f->loops[k];
        }
        row("            %s %.3g cycles, %.3g ns; worst %.3g cycles at offset %u (%s)", loop->name,
            loop->cycles.mid, loop->ns.mid, worst->cycles.mid, worst->offset_bytes, loop->text);
    }
}

static void print_costs(const struct tkf_cpu_floor *f)
{
    char line[400];
    struct tkf_text text = {line, sizeof line, 0};
    tkf_text_add(&text, "costs       ");
    for (unsigned i = 0; i < f->ncosts; i++)
        tkf_text_add(&text, "%s%s %.3g ns", i > 0 ? ", " : "", f->costs[i].name,
                     f->costs[i].ns.mid);
    print_wrapped(line, 12);
}

void tkf_card_print(const struct tkf_profile *profile, const char *clock,
                    const struct tkf_gaps *gaps)
{
    const struct tkf_machine *m = &profile->machine;
    const struct tkf_counter *c = &profile->counter;
    const struct tkf_cpu_floor *f = &profile->cpus[0].floor;
    bool declared = c->trust == TKF_TRUST_DECLARED;

    row("machine     %s; %s; %s; %u CPUs", m->cpu[0] != '\0' ? m->cpu : "unknown CPU", m->arch,
        m->kernel, m->cpus);
    if (m->emulated)
        row("            EMULATED by %s: these times are the emulator's, not a CPU's",
            m->emulator[0] != '\0' ? m->emulator : "what is not known");
    row("counter     %s %.7g MHz, %s %s; step %.3g ns (%llu ticks); read %.3g ns", c->name,
        c->hz / 1e6, trust_words(c), declared ? "" : clock, c->step_ns,
        (unsigned long long)c->step_ticks, c->read_ns.mid);
    for (unsigned i = 0; i < profile->ncpus && i < CPUS_SHOWN; i++)
        print_cpu(&profile->cpus[i].floor);
    if (profile->ncpus > CPUS_SHOWN)
        row("            and %u more in tickfloor.json", profile->ncpus - CPUS_SHOWN);
    print_loops(f);
    print_costs(f);
    row("gaps        interrupts masked for %.3g s: %u above %.3g us, worst %.4g us, %.3g %% of the time",
        gaps->seconds, gaps->count, gaps->limit_ns / 1e3, gaps->worst_ns / 1e3,
        gaps->lost_share * 100);
    row("suspect     below %.3g ns: such a result cannot be told from an empty loop",
        profile->suspect_below_ns);
    for (unsigned i = 0; i < profile->nwarnings; i++)
        print_wrapped(profile->warnings[i].text, 2);
}
