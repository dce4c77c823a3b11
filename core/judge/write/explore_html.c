/* SPDX-License-Identifier: MIT */
/* One page, nothing fetched. Each picture is there four times, for light and dark, phone and desk, and <picture> chooses: an SVG
 * of cairo's has no style that the page could reach. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "explore_view.h"
#include "write.h"

#define WIDE        920.0
#define NARROW      350.0
#define PAIRS_SHOWN 64

static const char style[] =
    ":root{color-scheme:light dark;--ground:#fff;--page:#f5f5f3;--ink:#212121;--faint:#5f5f5f;--line:#dcdcd8;"
    "--warn:#a03c00}\n"
    "@media(prefers-color-scheme:dark){:root{--ground:#16181c;--page:#0e0f12;--ink:#e8e8e8;--faint:#a9abb0;"
    "--line:#33363b;--warn:#f5a04a}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}\n"
    "main{max-width:60rem;margin:0 auto;padding:1rem}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0 .25rem}h2{font-size:1.1rem;margin:0 0 .25rem}\n"
    "p{margin:.25rem 0 .75rem}.faint,figcaption,th,small{color:var(--faint)}\n"
    "section,figure{background:var(--ground);border:1px solid var(--line);border-radius:.5rem;padding:1rem;"
    "margin:1rem 0;overflow-wrap:anywhere}\n"
    "figure img{display:block;width:100%;height:auto;margin-top:.5rem}\n"
    "dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.75rem;margin:1rem 0}\n"
    "dl div{background:var(--ground);border:1px solid var(--line);border-radius:.5rem;padding:.5rem .75rem}\n"
    "dt{color:var(--faint);font-size:.8rem}dd{margin:0;font-size:1.25rem;font-variant-numeric:tabular-nums}\n"
    ".scroll{overflow-x:auto}\n"
    "table{border-collapse:collapse;width:100%;font-size:.85rem;font-variant-numeric:tabular-nums}\n"
    "th,td{text-align:left;vertical-align:top;padding:.3rem .75rem .3rem 0;border-bottom:1px solid var(--line)}\n"
    "th{font-weight:normal}.n{text-align:right;white-space:nowrap}.warn{color:var(--warn)}\n"
    "code{font-size:.85em}summary{cursor:pointer}\n"
    "@media print{body{background:#fff}section,figure{break-inside:avoid}}\n";

/* ---- text ---- */

static void put(FILE *out, const char *text)
{
    for (;;) {
        struct tkf_shown shown = tkf_show(text, TKF_CHARSET_UTF8);
        if (shown.bytes == 0)
            return;
        for (const char *at = shown.text; *at; at++) {
            const char *entity = *at == '&'   ? "&amp;"
                                 : *at == '<' ? "&lt;"
                                 : *at == '>' ? "&gt;"
                                 : *at == '"' ? "&quot;"
                                              : NULL;
            if (entity)
                fputs(entity, out);
            else
                fputc(*at, out);
        }
        text += shown.bytes;
    }
}

static void put_cell(FILE *out, const char *class, const char *text)
{
    fprintf(out, "<td%s%s%s>", class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
    put(out, text);
    fputs("</td>", out);
}

static void value_shown(const char *unit, double value, char *ret_text, size_t size)
{
    if (!isfinite(value))
        snprintf(ret_text, size, "–");
    else if (strcmp(unit, "ns") == 0)
        snprintf(ret_text, size, "%s", tkf_view_time(value).text);
    else
        snprintf(ret_text, size, "%.4g %s", value, unit);
}

/* ---- the parts of the page ---- */

static void put_tile(FILE *out, const char *name, const char *unit, double value)
{
    char text[48];
    if (!isfinite(value))
        return;
    value_shown(unit, value, text, sizeof(text));
    fprintf(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, text);
}

static double step_value(const struct tkf_explore *explore, const char *name)
{
    const struct tkf_step *step = tkf_explore_step(explore, name);
    return step ? step->value.mid : NAN;
}

static double worst_gap(const struct tkf_explore *explore)
{
    double worst = NAN;
    for (unsigned i = 0; i < explore->nnoise; i++)
        worst = fmax(worst, explore->noise[i].worst_ns); /* fmax() passes over NAN */
    return worst;
}

static void put_tiles(FILE *out, const struct tkf_profile *profile)
{
    const struct tkf_explore *explore = profile->explore;
    fputs("<dl>\n", out);
    if (profile->ncpus > 0) {
        put_tile(out, "core clock", "GHz", profile->cpus[0].floor.core_hz / 1e9);
        put_tile(out, "core cycle", "ns", profile->cpus[0].floor.cycle_ns);
        put_tile(out, "empty loop", "ns", profile->cpus[0].floor.floor_ns.lo);
    }
    put_tile(out, "suspect below", "ns", profile->suspect_below_ns);
    put_tile(out, "L1 load", "ns", step_value(explore, "load/L1"));
    put_tile(out, "memory load", "ns", step_value(explore, "load/memory"));
    put_tile(out, "system call", "ns", step_value(explore, "os/syscall"));
    put_tile(out, "worst gap", "ns", worst_gap(explore));
    fputs("</dl>\n", out);
}

static void put_head(FILE *out, const struct tkf_profile *profile)
{
    const struct tkf_machine *machine = &profile->machine;
    fputs("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          out);
    put(out, machine->cpu[0] ? machine->cpu : machine->arch);
    fprintf(out, " · tickfloor explore</title>\n<style>\n%s</style>\n<main>\n<h1>", style);
    put(out, machine->cpu[0] ? machine->cpu : "A CPU without a name");
    fputs("</h1>\n<p class=\"faint\">", out);
    put(out, machine->arch);
    fputs(" · ", out);
    put(out, machine->os);
    fputs(" ", out);
    put(out, machine->kernel);
    if (machine->hypervisor[0]) {
        fputs(" · under ", out);
        put(out, machine->hypervisor);
    }
    fprintf(out, " · %u CPU%s · explored on CPU %u, ", machine->cpus, machine->cpus == 1 ? "" : "s",
            profile->explore->cpu);
    put(out, profile->explore->created);
    fputs(" · ", out);
    put(out, profile->tool);
    fputs("</p>\n", out);
    if (machine->emulated)
        fputs("<p class=\"warn\">An emulator ran this: its times are fiction.</p>\n", out);
    if (profile->explore->partial)
        fputs("<p class=\"warn\">Partial: it was interrupted, or its time was up, before all was "
              "measured.</p>\n",
              out);
}

static void put_base64(FILE *out, const unsigned char *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        unsigned bits = (unsigned)data[i] << 16;
        bits |= i + 1 < size ? (unsigned)data[i + 1] << 8 : 0;
        bits |= i + 2 < size ? data[i + 2] : 0;
        fputc(digits[bits >> 18], out);
        fputc(digits[bits >> 12 & 63], out);
        fputc(i + 1 < size ? digits[bits >> 6 & 63] : '=', out);
        fputc(i + 2 < size ? digits[bits & 63] : '=', out);
    }
}

/* The data: URI of one picture. */
static int put_picture(FILE *out, const struct tkf_picture *picture,
                       const struct tkf_profile *profile, enum tkf_theme theme, double width,
                       double *ret_height)
{
    char *svg = NULL;
    size_t size;
    FILE *memory = open_memstream(&svg, &size);
    if (!memory)
        return TKF_ENOMEM;
    int ret = tkf_picture_write(picture, profile, theme, width, memory, ret_height);
    if (fclose(memory) != 0 && ret == 0)
        ret = TKF_ENOMEM;
    if (ret == 0) {
        fputs("data:image/svg+xml;base64,", out);
        put_base64(out, (unsigned char *)svg, size);
    }
    free(svg);
    return ret;
}

static int put_figure(FILE *out, const struct tkf_picture *picture,
                      const struct tkf_profile *profile)
{
    static const struct {
        const char *media;
        enum tkf_theme theme;
        double width;
    } sources[] = {
        {"(prefers-color-scheme:dark) and (max-width:600px)", TKF_THEME_DARK, NARROW},
        {"(prefers-color-scheme:dark)", TKF_THEME_DARK, WIDE},
        {"(max-width:600px)", TKF_THEME_LIGHT, NARROW},
    };
    double height;
    int ret = 0;
    fprintf(out, "<figure id=\"%s\">\n<h2>%s</h2>\n<figcaption>%s</figcaption>\n<picture>\n",
            picture->name, picture->title, picture->text);
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]) && ret == 0; i++) {
        fprintf(out, "<source media=\"%s\" srcset=\"", sources[i].media);
        ret = put_picture(out, picture, profile, sources[i].theme, sources[i].width, &height);
        fprintf(out, "\" width=\"%.0f\" height=\"%.0f\">\n", sources[i].width, height);
    }
    if (ret != 0)
        return ret;
    fputs("<img src=\"", out);
    ret = put_picture(out, picture, profile, TKF_THEME_LIGHT, WIDE, &height);
    fprintf(out,
            "\" width=\"%.0f\" height=\"%.0f\" alt=\"%s. The numbers are in the tables below.\">\n"
            "</picture>\n</figure>\n",
            WIDE, height, picture->title);
    return ret;
}

static void put_steps(FILE *out, const struct tkf_explore *explore)
{
    char value[48], lo[48], hi[48], interval[100];
    if (explore->nsteps == 0)
        return;
    fputs(
        "<section>\n<h2>All steps</h2>\n<div class=\"scroll\"><table>\n<tr><th>step<th "
        "class=\"n\">value<th class=\"n\">interval<th class=\"n\">cycles<th>what was measured</tr>\n",
        out);
    for (unsigned i = 0; i < explore->nsteps; i++) {
        const struct tkf_step *step = &explore->steps[i];
        fputs("<tr>", out);
        put_cell(out, NULL, step->name);
        value_shown(step->unit, step->value.mid, value, sizeof(value));
        value_shown(step->unit, step->value.lo, lo, sizeof(lo));
        value_shown(step->unit, step->value.hi, hi, sizeof(hi));
        snprintf(interval, sizeof(interval), "%s to %s", lo, hi);
        put_cell(out, "n", value);
        put_cell(out, "n", isfinite(step->value.mid) ? interval : "");
        put_cell(out, "n",
                 isfinite(step->cycles.mid) ? tkf_cycles_shown(step->cycles.mid).text : "");
        put_cell(out, step->reason[0] ? "warn" : NULL, step->reason[0] ? step->reason : step->text);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n</section>\n", out);
}

static void put_noise(FILE *out, const struct tkf_explore *explore)
{
    char text[120];
    if (explore->nnoise == 0)
        return;
    fputs(
        "<section>\n<h2>Gaps and their causes</h2>\n<div class=\"scroll\"><table>\n<tr><th>CPU<th "
        "class=\"n\">watched<th class=\"n\">gaps a second<th class=\"n\">median<th "
        "class=\"n\">99 %<th class=\"n\">worst<th class=\"n\">of the time<th>causes</tr>\n",
        out);
    for (unsigned i = 0; i < explore->nnoise; i++) {
        const struct tkf_cpu_noise *noise = &explore->noise[i];
        fprintf(out, "<tr><td>%u</td>", noise->cpu);
        if (noise->reason[0]) {
            fputs("<td colspan=\"7\" class=\"warn\">", out);
            put(out, noise->reason);
            fputs("</td></tr>\n", out);
            continue;
        }
        fprintf(out, "<td class=\"n\">%.3g s</td><td class=\"n\">%.3g</td>", noise->seconds,
                noise->rate_hz);
        const double times[] = {noise->median_ns, noise->p99_ns, noise->worst_ns};
        for (unsigned j = 0; j < 3; j++) {
            value_shown("ns", times[j], text, sizeof(text));
            put_cell(out, "n", text);
        }
        fprintf(out, "<td class=\"n\">%.2g %%</td><td>", noise->stolen_share * 100);
        for (unsigned j = 0; j < noise->ncauses; j++) {
            const struct tkf_gap_cause *cause = &noise->causes[j];
            snprintf(text, sizeof(text), ": %llu, %s", (unsigned long long)cause->gaps,
                     tkf_view_time(cause->ns).text);
            fputs(j > 0 ? "; " : "", out);
            put(out, cause->name);
            put(out, text);
        }
        fputs("</td></tr>\n", out);
    }
    fputs("</table></div>\n</section>\n", out);
}

static void put_counters(FILE *out, const struct tkf_explore *explore)
{
    if (explore->npairs == 0)
        return;
    fputs(
        "<section>\n<h2>Counters of two CPUs</h2>\n<div class=\"scroll\"><table>\n<tr><th>CPUs<th "
        "class=\"n\">line, one way<th class=\"n\">offset<th class=\"n\">drift<th>after a "
        "migration</tr>\n",
        out);
    for (unsigned i = 0; i < explore->npairs && i < PAIRS_SHOWN; i++) {
        const struct tkf_cpu_pair *pair = &explore->pairs[i];
        char ns[48];
        fprintf(out, "<tr><td>%u – %u</td>", pair->a, pair->b);
        if (pair->reason[0]) {
            fputs("<td colspan=\"4\" class=\"warn\">", out);
            put(out, pair->reason);
            fputs("</td></tr>\n", out);
            continue;
        }
        value_shown("ns", pair->ns.mid, ns, sizeof(ns));
        put_cell(out, "n", ns);
        fprintf(out, "<td class=\"n\">%.1f ± %.1f ns</td><td class=\"n\">%.3g ± %.2g ppm</td>",
                pair->offset_ns, pair->offset_bound_ns, pair->drift_ppm, pair->drift_bound_ppm);
        put_cell(out, pair->monotonic ? NULL : "warn",
                 pair->monotonic ? "never went back" : "went back");
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
    if (explore->npairs > PAIRS_SHOWN)
        fprintf(out, "<p class=\"faint\">%u more are in the profile.</p>\n",
                explore->npairs - PAIRS_SHOWN);
    fputs("</section>\n", out);
}

static void put_readiness(FILE *out, const struct tkf_profile *profile)
{
    static const char *const statuses[] = {"ok", "note", "mend", "unknown"};
    if (profile->nchecks == 0)
        return;
    fputs("<section>\n<h2>Readiness</h2>\n<div class=\"scroll\"><table>\n"
          "<tr><th>check<th><th>found<th>what it costs, and what to do</tr>\n",
          out);
    for (unsigned i = 0; i < profile->nchecks; i++) {
        const struct tkf_check *check = &profile->checks[i];
        bool warn = check->status == TKF_CHECK_WARN;
        fputs("<tr>", out);
        put_cell(out, NULL, check->code);
        put_cell(out, warn ? "warn" : NULL, statuses[check->status]);
        put_cell(out, NULL, check->seen);
        fputs("<td>", out);
        put(out, check->cost ? check->cost : "");
        if (check->next[0]) {
            fputs(" → <code>", out);
            put(out, check->next);
            fputs("</code>", out);
        }
        fputs("</td></tr>\n", out);
    }
    fputs("</table></div>\n</section>\n", out);
}

static void put_warnings(FILE *out, const struct tkf_profile *profile)
{
    if (profile->nwarnings == 0)
        return;
    fputs("<section>\n<h2>To know</h2>\n<ul>\n", out);
    for (unsigned i = 0; i < profile->nwarnings; i++) {
        const struct tkf_warning *warning = &profile->warnings[i];
        fputs("<li>", out);
        put(out, warning->text);
        if (warning->next[0]) {
            fputs(" → ", out);
            put(out, warning->next);
        }
        fputs("</li>\n", out);
    }
    fputs("</ul>\n</section>\n", out);
}

static int put_page(FILE *out, const struct tkf_profile *profile)
{
    put_head(out, profile);
    put_tiles(out, profile);
    put_warnings(out, profile);
    for (const struct tkf_picture *picture = tkf_pictures; picture->name; picture++) {
        if (!picture->has(profile->explore))
            continue;
        int ret = put_figure(out, picture, profile);
        if (ret != 0)
            return ret;
    }
    put_steps(out, profile->explore);
    put_noise(out, profile->explore);
    put_counters(out, profile->explore);
    put_readiness(out, profile);
    fputs("</main>\n</html>\n", out);
    return 0;
}

/* ---- files ---- */

/* Close what was written; on failure say why. */
static int finish(FILE *out, int ret, char *ret_reason, size_t size)
{
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        ret = ret == TKF_ENOMEM ? ret : TKF_EIO;
    if (ret != 0)
        snprintf(ret_reason, size, "%s", ret == TKF_EIO ? strerror(errno) : tkf_strerror(ret));
    return ret;
}

const char *tkf_view_refused(void)
{
    return NULL;
}

int tkf_write_explore_html(const struct tkf_profile *profile, const char *path, char *ret_reason,
                           size_t size)
{
    FILE *out = fopen(path, "wb");
    if (!out) {
        snprintf(ret_reason, size, "%s", strerror(errno));
        return TKF_EIO;
    }
    return finish(out, put_page(out, profile), ret_reason, size);
}

int tkf_write_explore_svgs(const struct tkf_profile *profile, const char *folder, char *ret_reason,
                           size_t size)
{
    int ret = 0;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        snprintf(ret_reason, size, "%s", strerror(errno));
        return TKF_EIO;
    }
    for (const struct tkf_picture *picture = tkf_pictures; picture->name && ret == 0; picture++) {
        char *path;
        if (!picture->has(profile->explore))
            continue;
        if (asprintf(&path, "%s/%s.svg", folder, picture->name) < 0) {
            snprintf(ret_reason, size, "%s", tkf_strerror(TKF_ENOMEM));
            return TKF_ENOMEM;
        }
        FILE *out = fopen(path, "wb");
        free(path);
        if (!out) {
            snprintf(ret_reason, size, "%s", strerror(errno));
            return TKF_EIO;
        }
        ret = finish(out, tkf_picture_write(picture, profile, TKF_THEME_LIGHT, WIDE, out, NULL),
                     ret_reason, size);
    }
    return ret;
}
