/* SPDX-License-Identifier: MIT */
/* The pictures of an exploration. Each is drawn for a ground, light or dark, and for a width: on a phone the text of a row lies
 * above its mark instead of beside it. Marks and lines carry the meaning, colour only repeats it; the scale of the heat map
 * (viridis: Smith and van der Walt, 2015) grows in lightness, so it survives grey paper and any eye. */
#include <cairo-svg.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "explore_view.h"
#include "write.h"

#define NARROW_BELOW 500.0
#define TEXT_SIZE    12.5
#define SMALL_SIZE   11.0
#define AXIS_HEIGHT  40.0
#define EDGE         4.0 /* nothing is drawn nearer to the picture's edge */
#define GAP          12.0

struct theme {
    struct tkf_color ground, ink, faint, grid, band, mark, line;
};

static const struct theme themes[] = {
    [TKF_THEME_LIGHT] = {{1.00, 1.00, 1.00},
                         {0.13, 0.13, 0.13},
                         {0.38, 0.38, 0.38},
                         {0.89, 0.89, 0.89},
                         {0.99, 0.89, 0.72},
                         {0.00, 0.45, 0.70},
                         {0.76, 0.33, 0.00}},
    [TKF_THEME_DARK] = {{0.086, 0.094, 0.110},
                        {0.91, 0.91, 0.91},
                        {0.66, 0.67, 0.69},
                        {0.20, 0.21, 0.23},
                        {0.36, 0.27, 0.10},
                        {0.42, 0.73, 0.95},
                        {0.96, 0.62, 0.25}},
};

struct tkf_canvas {
    cairo_t *cairo;
    const struct theme *theme;
    const struct tkf_profile *profile;
    const struct tkf_explore *explore;
    double width;
    bool narrow;
};

struct tkf_number_shown tkf_view_time(double ns)
{
    double quantum = ns > 0 && isfinite(ns) ? pow(10, floor(log10(ns)) - 2) : 0;
    return tkf_time_shown(ns, quantum, true);
}

/* ---- axes ---- */

/** Values on a line of the picture. */
struct axis {
    double lo, hi;   /* of what is shown: the values, or their logarithms */
    double from, to; /* points */
    double (*scale)(double);
};

static double identity(double value)
{
    return value;
}

static double position(const struct axis *axis, double value)
{
    double share = (axis->scale(value) - axis->lo) / (axis->hi - axis->lo);
    return axis->from + fmin(fmax(share, 0), 1) * (axis->to - axis->from);
}

/* From the power below the least to the power above the most; never empty. */
static struct axis powers_axis(double (*scale)(double), double least, double most, double from,
                               double to)
{
    struct axis axis = {.from = from, .to = to, .scale = scale};
    axis.lo = floor(scale(least) + 1e-9);
    axis.hi = fmax(ceil(scale(most) - 1e-9), axis.lo + 1);
    return axis;
}

static void grid_line(struct tkf_canvas *canvas, double x0, double y0, double x1, double y1)
{
    tkf_draw_color(canvas->cairo, canvas->theme->grid);
    cairo_set_line_width(canvas->cairo, 1);
    tkf_draw_line(canvas->cairo, x0, y0, x1, y1);
}

static void small_text(struct tkf_canvas *canvas, double x, double y, double align,
                       const char *text)
{
    tkf_draw_font(canvas->cairo, SMALL_SIZE, false);
    tkf_draw_color(canvas->cairo, canvas->theme->faint);
    tkf_draw_text(canvas->cairo, x, y, align, text);
}

/* Vertical lines at the powers, with their values below; what the axis is about under them. */
static void time_axis(struct tkf_canvas *canvas, const struct axis *axis, double top, double bottom,
                      const char *title)
{
    double decade = (axis->to - axis->from) / (axis->hi - axis->lo);
    int every = (int)ceil(48 / decade);
    for (int exponent = (int)axis->lo; exponent <= (int)axis->hi; exponent++) {
        double ns = pow(10, exponent), x = position(axis, ns);
        grid_line(canvas, x, top, x, bottom);
        if ((exponent - (int)axis->lo) % every == 0)
            small_text(canvas, x, bottom + 10, 0.5, tkf_time_shown(ns, ns, true).text);
    }
    small_text(canvas, (axis->from + axis->to) / 2, bottom + 26, 0.5, title);
}

static void bytes_shown(uint64_t bytes, char *ret_text, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;
    double value = (double)bytes;
    for (; value >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
        value /= 1024;
    snprintf(ret_text, size, "%.4g %s", value, units[unit]);
}

static void dot(struct tkf_canvas *canvas, double x, double y)
{
    tkf_draw_color(canvas->cairo, canvas->theme->mark);
    cairo_new_path(canvas->cairo);
    cairo_arc(canvas->cairo, x, y, 4, 0, 2 * M_PI);
    cairo_fill(canvas->cairo);
}

/* ---- steps, a row each ---- */

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool in_ns(const struct tkf_step *step)
{
    return strcmp(step->unit, "ns") == 0 && step->value.mid > 0 && isfinite(step->value.mid);
}

static bool is_sleep(const struct tkf_step *step)
{
    return in_ns(step) && starts(step->name, "sleep/");
}

/* How far a clock steps is no cost. */
static bool is_rung(const struct tkf_step *step)
{
    const char *end = strrchr(step->name, '/');
    return in_ns(step) && !is_sleep(step) && !(end && strcmp(end, "/step") == 0) &&
           !(end && strcmp(end, "/resolution") == 0);
}

static bool is_bandwidth(const struct tkf_step *step)
{
    return strcmp(step->unit, "GB/s") == 0 && step->value.mid > 0 && isfinite(step->value.mid);
}

static unsigned choose(const struct tkf_explore *explore, bool (*wanted)(const struct tkf_step *),
                       const struct tkf_step **ret_steps)
{
    unsigned count = 0;
    for (unsigned i = 0; i < explore->nsteps; i++)
        if (wanted(&explore->steps[i]))
            ret_steps[count++] = &explore->steps[i];
    return count;
}

static int by_value(const void *left, const void *right)
{
    double a = (*(const struct tkf_step *const *)left)->value.mid;
    double b = (*(const struct tkf_step *const *)right)->value.mid;
    return (a > b) - (a < b);
}

/** Where the rows of a picture lie. */
struct rows {
    double label_width, value_width; /* 0 on a phone, where they are above the mark */
    double top, height;
};

static void step_value_shown(const struct tkf_step *step, char *ret_text, size_t size)
{
    if (strcmp(step->unit, "ns") != 0)
        snprintf(ret_text, size, "%.3g %s", step->value.mid, step->unit);
    else if (isfinite(step->cycles.mid) && step->value.mid < 10e3)
        snprintf(ret_text, size, "%s · %s cycles", tkf_view_time(step->value.mid).text,
                 tkf_cycles_shown(step->cycles.mid).text);
    else
        snprintf(ret_text, size, "%s", tkf_view_time(step->value.mid).text);
}

static struct rows lay_rows(struct tkf_canvas *canvas, const struct tkf_step *const *steps,
                            unsigned nsteps)
{
    struct rows rows = {.top = EDGE, .height = canvas->narrow ? 34 : 20};
    tkf_draw_font(canvas->cairo, TEXT_SIZE, false);
    for (unsigned i = 0; i < nsteps && !canvas->narrow; i++) {
        char value[80];
        step_value_shown(steps[i], value, sizeof(value));
        rows.label_width =
            fmax(rows.label_width, tkf_draw_text_width(canvas->cairo, steps[i]->name));
        rows.value_width = fmax(rows.value_width, tkf_draw_text_width(canvas->cairo, value));
    }
    rows.label_width = fmin(rows.label_width, canvas->width * 0.35);
    return rows;
}

static double row_y(const struct rows *rows, unsigned index, bool narrow)
{
    return rows->top + index * rows->height + (narrow ? 26 : rows->height / 2);
}

static void row_text(struct tkf_canvas *canvas, const struct rows *rows, unsigned index,
                     const struct tkf_step *step)
{
    char value[80];
    step_value_shown(step, value, sizeof(value));
    double y = rows->top + index * rows->height + (canvas->narrow ? 10 : rows->height / 2);
    tkf_draw_font(canvas->cairo, TEXT_SIZE, false);
    double room = canvas->narrow ? canvas->width * 0.55 : rows->label_width;
    char *name = tkf_draw_fit(canvas->cairo, step->name, room);
    tkf_draw_color(canvas->cairo, canvas->theme->ink);
    if (canvas->narrow)
        tkf_draw_text(canvas->cairo, EDGE, y, 0, name ? name : "");
    else
        tkf_draw_text(canvas->cairo, EDGE + rows->label_width, y, 1, name ? name : "");
    free(name);
    tkf_draw_color(canvas->cairo, canvas->theme->faint);
    tkf_draw_text(canvas->cairo, canvas->width - EDGE, y, 1, value);
}

/* Between the labels and the values, with room for a mark and half an axis label. */
static void row_room(const struct tkf_canvas *canvas, const struct rows *rows, double *ret_from,
                     double *ret_to)
{
    *ret_from = EDGE + (canvas->narrow ? 14 : rows->label_width + GAP + 8);
    *ret_to = canvas->width - EDGE - (canvas->narrow ? 18 : rows->value_width + GAP + 18);
}

/* The empty loop's band and the cycle, behind the rows. */
static void draw_floor(struct tkf_canvas *canvas, const struct axis *axis, double top,
                       double bottom)
{
    if (canvas->profile->ncpus == 0)
        return;
    const struct tkf_band *floor = &canvas->profile->cpus[0].floor.floor_ns;
    if (!isfinite(floor->lo) || !(axis->scale(floor->hi) > axis->lo))
        return;
    double from = position(axis, floor->lo), to = fmax(position(axis, floor->hi), from + 3);
    tkf_draw_color(canvas->cairo, canvas->theme->band);
    cairo_rectangle(canvas->cairo, from, top, to - from, bottom - top);
    cairo_fill(canvas->cairo);
}

static void draw_interval(struct tkf_canvas *canvas, const struct axis *axis,
                          const struct tkf_band *band, double y)
{
    tkf_draw_color(canvas->cairo, canvas->theme->mark);
    cairo_set_line_width(canvas->cairo, 2);
    if (isfinite(band->lo) && isfinite(band->hi) && band->lo > 0)
        tkf_draw_line(canvas->cairo, position(axis, band->lo), y, position(axis, band->hi), y);
}

static double draw_times(struct tkf_canvas *canvas, bool (*wanted)(const struct tkf_step *),
                         bool sort, const char *title)
{
    const struct tkf_step *steps[TKF_STEPS_MAX];
    unsigned nsteps = choose(canvas->explore, wanted, steps);
    double least = INFINITY, most = 0, from, to;
    if (sort)
        qsort(steps, nsteps, sizeof(steps[0]), by_value);
    for (unsigned i = 0; i < nsteps; i++) {
        const struct tkf_band *value = &steps[i]->value;
        least = fmin(least, value->lo > 0 ? value->lo : value->mid);
        most = fmax(most, isfinite(value->hi) ? value->hi : value->mid);
    }
    struct rows rows = lay_rows(canvas, steps, nsteps);
    row_room(canvas, &rows, &from, &to);
    struct axis axis = powers_axis(log10, least, most, from, to);
    double bottom = rows.top + nsteps * rows.height + 4;
    draw_floor(canvas, &axis, rows.top, bottom);
    time_axis(canvas, &axis, rows.top, bottom, title);
    for (unsigned i = 0; i < nsteps; i++) {
        double y = row_y(&rows, i, canvas->narrow);
        row_text(canvas, &rows, i, steps[i]);
        draw_interval(canvas, &axis, &steps[i]->value, y);
        dot(canvas, position(&axis, steps[i]->value.mid), y);
    }
    return bottom + AXIS_HEIGHT;
}

static bool has_steps(const struct tkf_explore *explore, bool (*wanted)(const struct tkf_step *))
{
    for (unsigned i = 0; i < explore->nsteps; i++)
        if (wanted(&explore->steps[i]))
            return true;
    return false;
}

static bool has_ladder(const struct tkf_explore *explore)
{
    return has_steps(explore, is_rung);
}

static double draw_ladder(struct tkf_canvas *canvas)
{
    return draw_times(canvas, is_rung, true, "time of one, logarithmic");
}

static bool has_sleep(const struct tkf_explore *explore)
{
    return has_steps(explore, is_sleep);
}

static double draw_sleep(struct tkf_canvas *canvas)
{
    return draw_times(canvas, is_sleep, false, "slept beyond what was asked, logarithmic");
}

static bool has_bandwidth(const struct tkf_explore *explore)
{
    return has_steps(explore, is_bandwidth);
}

static double draw_bandwidth(struct tkf_canvas *canvas)
{
    const struct tkf_step *steps[TKF_STEPS_MAX];
    unsigned nsteps = choose(canvas->explore, is_bandwidth, steps);
    double most = 0, from, to;
    for (unsigned i = 0; i < nsteps; i++)
        most = fmax(most, steps[i]->value.mid);
    struct rows rows = lay_rows(canvas, steps, nsteps);
    row_room(canvas, &rows, &from, &to);
    struct axis axis = {0, most, from, to, identity};
    for (unsigned i = 0; i < nsteps; i++) {
        double x = position(&axis, steps[i]->value.mid), y = row_y(&rows, i, canvas->narrow);
        row_text(canvas, &rows, i, steps[i]);
        tkf_draw_color(canvas->cairo, canvas->theme->mark);
        cairo_rectangle(canvas->cairo, from, y - 5, fmax(x - from, 1), 10);
        cairo_fill(canvas->cairo);
    }
    return rows.top + nsteps * rows.height + EDGE;
}

/* ---- latency over the working set ---- */

static bool has_latency(const struct tkf_explore *explore)
{
    return explore->nlatency >= 2;
}

static void draw_caches(struct tkf_canvas *canvas, const struct axis *x_axis, double top,
                        double bottom)
{
    static const double dashes[] = {5, 4};
    double free_from = 0; /* labels do not overlap: one that would goes a line lower */
    for (unsigned i = 0; i < canvas->explore->ncaches; i++) {
        const struct tkf_cache *cache = &canvas->explore->caches[i];
        char size[24], text[48];
        bytes_shown(cache->size_bytes, size, sizeof(size));
        snprintf(text, sizeof(text), "L%u %s", cache->level, size);
        double x = position(x_axis, (double)cache->size_bytes);
        cairo_set_dash(canvas->cairo, dashes, 2, 0);
        cairo_set_line_width(canvas->cairo, 1.5);
        tkf_draw_color(canvas->cairo, canvas->theme->line);
        tkf_draw_line(canvas->cairo, x, top, x, bottom);
        cairo_set_dash(canvas->cairo, NULL, 0, 0);
        tkf_draw_font(canvas->cairo, SMALL_SIZE, false);
        double width = tkf_draw_text_width(canvas->cairo, text);
        double y = top + (x - width - 5 < free_from ? 22 : 8);
        tkf_draw_color(canvas->cairo, canvas->theme->line);
        tkf_draw_text(canvas->cairo, x - 5, y, 1, text);
        free_from = x;
    }
}

static void draw_curve(struct tkf_canvas *canvas, const struct axis *x_axis,
                       const struct axis *y_axis)
{
    const struct tkf_explore *explore = canvas->explore;
    cairo_t *cairo = canvas->cairo;
    tkf_draw_color(cairo, canvas->theme->mark);
    cairo_set_line_width(cairo, 2);
    cairo_new_path(cairo);
    for (unsigned i = 0; i < explore->nlatency; i++)
        cairo_line_to(cairo, position(x_axis, (double)explore->latency[i].bytes),
                      position(y_axis, explore->latency[i].ns.mid));
    cairo_stroke(cairo);
    for (unsigned i = 0; i < explore->nlatency; i++) {
        double x = position(x_axis, (double)explore->latency[i].bytes);
        const struct tkf_band *ns = &explore->latency[i].ns;
        cairo_set_line_width(cairo, 1.5);
        tkf_draw_line(cairo, x, position(y_axis, ns->lo), x, position(y_axis, ns->hi));
        cairo_arc(cairo, x, position(y_axis, ns->mid), 2.2, 0, 2 * M_PI);
        cairo_fill(cairo);
    }
}

/* 1, 2, 5 of each decade as far as they have room. */
static void latency_scale(struct tkf_canvas *canvas, const struct axis *axis, double left,
                          double right)
{
    static const double steps[] = {1, 2, 5};
    double decade = (axis->from - axis->to) / (axis->hi - axis->lo);
    for (double exponent = axis->lo; exponent <= axis->hi; exponent++) {
        for (unsigned i = 0; i < (decade > 90 ? 3 : 1); i++) {
            double ns = steps[i] * pow(10, exponent), y = position(axis, ns);
            if (log10(ns) > axis->hi + 1e-9)
                return;
            grid_line(canvas, left, y, right, y);
            small_text(canvas, left - 6, y, 1, tkf_time_shown(ns, ns, true).text);
        }
    }
}

static double draw_latency(struct tkf_canvas *canvas)
{
    const struct tkf_explore *explore = canvas->explore;
    double left = EDGE + 56, right = canvas->width - EDGE - 26, top = EDGE + 8;
    double bottom = top + (canvas->narrow ? 240 : 330), least = INFINITY, most = 0;
    for (unsigned i = 0; i < explore->nlatency; i++) {
        least = fmin(least, explore->latency[i].ns.lo);
        most = fmax(most, explore->latency[i].ns.hi);
    }
    const struct tkf_latency_point *first = explore->latency, *last = first + explore->nlatency - 1;
    struct axis x_axis = powers_axis(log2, (double)first->bytes, (double)last->bytes, left, right);
    struct axis y_axis = powers_axis(log10, least, most, bottom, top);
    latency_scale(canvas, &y_axis, left, right);
    int every = canvas->narrow ? 5 : 2;
    for (int exponent = (int)x_axis.lo; exponent <= (int)x_axis.hi; exponent += every) {
        char text[24];
        uint64_t bytes = UINT64_C(1) << exponent;
        double x = position(&x_axis, (double)bytes);
        bytes_shown(bytes, text, sizeof(text));
        grid_line(canvas, x, top, x, bottom);
        small_text(canvas, x, bottom + 12, 0.5, text);
    }
    small_text(canvas, (left + right) / 2, bottom + 28, 0.5, "working set, logarithmic");
    draw_caches(canvas, &x_axis, top, bottom);
    draw_curve(canvas, &x_axis, &y_axis);
    return bottom + AXIS_HEIGHT;
}

/* ---- CPUs among each other ---- */

static const struct tkf_color scale_stops[] = {
    {0.267, 0.004, 0.329}, {0.231, 0.322, 0.545}, {0.129, 0.569, 0.549},
    {0.369, 0.788, 0.384}, {0.993, 0.906, 0.144},
};

static struct tkf_color scale_color(double share)
{
    double at = fmin(fmax(share, 0), 1) * 4;
    unsigned below = (unsigned)fmin(at, 3);
    double part = at - below;
    const struct tkf_color *a = &scale_stops[below], *b = a + 1;
    return (struct tkf_color){a->red + part * (b->red - a->red),
                              a->green + part * (b->green - a->green),
                              a->blue + part * (b->blue - a->blue)};
}

static int by_number(const void *left, const void *right)
{
    unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;
    return (a > b) - (a < b);
}

static bool pair_known(const struct tkf_cpu_pair *pair)
{
    return pair->ns.mid > 0 && isfinite(pair->ns.mid);
}

static bool has_pairs(const struct tkf_explore *explore)
{
    for (unsigned i = 0; i < explore->npairs; i++)
        if (pair_known(&explore->pairs[i]))
            return true;
    return false;
}

/* The CPUs that take part, ascending. */
static unsigned pair_cpus(const struct tkf_explore *explore, unsigned *ret_cpus)
{
    unsigned count = 0, distinct = 0;
    for (unsigned i = 0; i < explore->npairs; i++) {
        ret_cpus[count++] = explore->pairs[i].a;
        ret_cpus[count++] = explore->pairs[i].b;
    }
    qsort(ret_cpus, count, sizeof(ret_cpus[0]), by_number);
    for (unsigned i = 0; i < count; i++)
        if (i == 0 || ret_cpus[i] != ret_cpus[i - 1])
            ret_cpus[distinct++] = ret_cpus[i];
    return distinct;
}

static unsigned index_of(const unsigned *cpus, unsigned ncpus, unsigned cpu)
{
    const unsigned *found = bsearch(&cpu, cpus, ncpus, sizeof(cpus[0]), by_number);
    return (unsigned)(found - cpus);
}

static void draw_cell(struct tkf_canvas *canvas, double x, double y, double cell, double share,
                      double ns)
{
    char text[16];
    tkf_draw_color(canvas->cairo, scale_color(share));
    cairo_rectangle(canvas->cairo, x, y, cell + 0.3, cell + 0.3); /* no seam is seen */
    cairo_fill(canvas->cairo);
    if (cell < 30)
        return;
    tkf_draw_font(canvas->cairo, SMALL_SIZE, false);
    tkf_draw_color(canvas->cairo,
                   share > 0.55 ? (struct tkf_color){0, 0, 0} : (struct tkf_color){1, 1, 1});
    snprintf(text, sizeof(text), ns < 99.5 ? "%.2g" : "%.3g", ns);
    tkf_draw_text(canvas->cairo, x + cell / 2, y + cell / 2, 0.5, text);
}

static void draw_scale(struct tkf_canvas *canvas, double x, double y, double width, double least,
                       double most)
{
    char text[48];
    enum { PIECES = 64 };
    for (unsigned i = 0; i < PIECES; i++) {
        tkf_draw_color(canvas->cairo, scale_color((i + 0.5) / PIECES));
        cairo_rectangle(canvas->cairo, x + i * width / PIECES, y, width / PIECES + 0.3, 10);
        cairo_fill(canvas->cairo);
    }
    small_text(canvas, x, y + 20, 0, tkf_view_time(least).text);
    snprintf(text, sizeof(text), "%s", tkf_view_time(most).text);
    small_text(canvas, x + width, y + 20, 1, text);
}

static double draw_pairs(struct tkf_canvas *canvas)
{
    const struct tkf_explore *explore = canvas->explore;
    unsigned cpus[2 * TKF_PAIRS_MAX], ncpus = pair_cpus(explore, cpus);
    double least = INFINITY, most = 0, left = EDGE + 38, top = EDGE + 20;
    double room = fmin(canvas->width - left - EDGE, canvas->narrow ? 400 : 620);
    double cell = fmin(room / ncpus, 44);
    unsigned every = (unsigned)ceil(20 / cell);
    char text[32];
    for (unsigned i = 0; i < explore->npairs; i++) {
        if (pair_known(&explore->pairs[i])) {
            least = fmin(least, explore->pairs[i].ns.mid);
            most = fmax(most, explore->pairs[i].ns.mid);
        }
    }
    tkf_draw_color(canvas->cairo, canvas->theme->grid);
    cairo_rectangle(canvas->cairo, left, top, cell * ncpus, cell * ncpus);
    cairo_fill(canvas->cairo);
    for (unsigned i = 0; i < explore->npairs; i++) {
        const struct tkf_cpu_pair *pair = &explore->pairs[i];
        if (!pair_known(pair))
            continue;
        double share = most > least ? log(pair->ns.mid / least) / log(most / least) : 0;
        unsigned a = index_of(cpus, ncpus, pair->a), b = index_of(cpus, ncpus, pair->b);
        draw_cell(canvas, left + a * cell, top + b * cell, cell, share, pair->ns.mid);
        draw_cell(canvas, left + b * cell, top + a * cell, cell, share, pair->ns.mid);
    }
    for (unsigned i = 0; i < ncpus; i += every) {
        snprintf(text, sizeof(text), "%u", cpus[i]);
        small_text(canvas, left + (i + 0.5) * cell, top - 8, 0.5, text);
        snprintf(text, sizeof(text), i == 0 ? "CPU %u" : "%u", cpus[i]);
        small_text(canvas, left - 6, top + (i + 0.5) * cell, 1, text);
    }
    double bottom = top + cell * ncpus + 14;
    if (most > least)
        draw_scale(canvas, left, bottom, fmin(220, canvas->width - left - EDGE), least, most);
    return bottom + (most > least ? 34 : 0);
}

/* ---- gaps ---- */

enum { NOISE_ROWS_MAX = 32 };

static bool has_noise(const struct tkf_explore *explore)
{
    for (unsigned i = 0; i < explore->nnoise; i++)
        if (explore->noise[i].gaps > 0)
            return true;
    return false;
}

static int by_stolen(const void *left, const void *right)
{
    const struct tkf_cpu_noise *a = *(const struct tkf_cpu_noise *const *)left;
    const struct tkf_cpu_noise *b = *(const struct tkf_cpu_noise *const *)right;
    return (a->stolen_share < b->stolen_share) - (a->stolen_share > b->stolen_share);
}

static int by_cpu(const void *left, const void *right)
{
    const struct tkf_cpu_noise *a = *(const struct tkf_cpu_noise *const *)left;
    const struct tkf_cpu_noise *b = *(const struct tkf_cpu_noise *const *)right;
    return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

/* Those that lost most, in the order of their numbers. */
static unsigned choose_noise(const struct tkf_explore *explore,
                             const struct tkf_cpu_noise **ret_rows)
{
    unsigned count = 0;
    for (unsigned i = 0; i < explore->nnoise; i++)
        if (explore->noise[i].gaps > 0)
            ret_rows[count++] = &explore->noise[i];
    qsort(ret_rows, count, sizeof(ret_rows[0]), by_stolen);
    unsigned shown = count < NOISE_ROWS_MAX ? count : NOISE_ROWS_MAX;
    qsort(ret_rows, shown, sizeof(ret_rows[0]), by_cpu);
    return shown;
}

static void noise_row(struct tkf_canvas *canvas, const struct tkf_cpu_noise *noise,
                      const struct axis *axis, double top, double height, double most)
{
    char text[120];
    double bottom = top + height;
    for (unsigned i = 0; i < TKF_GAP_BINS; i++) {
        if (noise->histogram[i] == 0)
            continue;
        double from = position(axis, pow(2, i)), to = position(axis, pow(2, i + 1));
        double share = log1p(noise->histogram[i]) / log1p(most);
        tkf_draw_color(canvas->cairo, canvas->theme->mark);
        cairo_rectangle(canvas->cairo, from + 0.5, bottom - share * (height - 22), to - from - 1,
                        share * (height - 22));
        cairo_fill(canvas->cairo);
    }
    grid_line(canvas, axis->from, bottom, axis->to, bottom);
    snprintf(text, sizeof(text),
             canvas->narrow ? "CPU %u: %.*f/s, worst %s, %.2g %%"
                            : "CPU %u: %.*f gaps a second, the worst %s, %.2g %% of the time",
             noise->cpu, noise->rate_hz < 99.5 ? 1 : 0, noise->rate_hz,
             tkf_view_time(noise->worst_ns).text, noise->stolen_share * 100);
    tkf_draw_font(canvas->cairo, canvas->narrow ? SMALL_SIZE : TEXT_SIZE, false);
    tkf_draw_color(canvas->cairo, canvas->theme->ink);
    tkf_draw_text(canvas->cairo, axis->from, top + 11, 0, text);
}

static double draw_noise(struct tkf_canvas *canvas)
{
    const struct tkf_cpu_noise *rows[TKF_NOISES_MAX];
    unsigned nrows = choose_noise(canvas->explore, rows), first = TKF_GAP_BINS, last = 0;
    double most = 1, top = EDGE, height = canvas->narrow ? 66 : 74;
    for (unsigned i = 0; i < nrows; i++) {
        for (unsigned bin = 0; bin < TKF_GAP_BINS; bin++) {
            if (rows[i]->histogram[bin] == 0)
                continue;
            first = bin < first ? bin : first;
            last = bin > last ? bin : last;
            most = fmax(most, rows[i]->histogram[bin]);
        }
    }
    struct axis axis =
        powers_axis(log10, pow(2, first), pow(2, last + 1.0), EDGE + 24, canvas->width - EDGE - 24);
    double bottom = top + nrows * height;
    time_axis(canvas, &axis, top + 16, bottom, "length of a gap; heights are logarithms of counts");
    for (unsigned i = 0; i < nrows; i++)
        noise_row(canvas, rows[i], &axis, top + i * height, height, most);
    return bottom + AXIS_HEIGHT;
}

/* ---- the clock rate ---- */

static bool has_ramp(const struct tkf_explore *explore)
{
    return explore->nramp >= 2;
}

static void clock_line(struct tkf_canvas *canvas, const struct axis *x_axis,
                       const struct axis *y_axis, const char *name, const char *text, double align)
{
    static const double dashes[] = {5, 4};
    const struct tkf_step *step = tkf_explore_step(canvas->explore, name);
    if (!step || !isfinite(step->value.mid))
        return;
    double y = position(y_axis, step->value.mid);
    cairo_set_dash(canvas->cairo, dashes, 2, 0);
    cairo_set_line_width(canvas->cairo, 1.5);
    tkf_draw_color(canvas->cairo, canvas->theme->line);
    tkf_draw_line(canvas->cairo, x_axis->from, y, x_axis->to, y);
    cairo_set_dash(canvas->cairo, NULL, 0, 0);
    tkf_draw_font(canvas->cairo, SMALL_SIZE, false);
    tkf_draw_text(canvas->cairo, x_axis->to, y + align * 9, 1, text);
}

static double draw_ramp(struct tkf_canvas *canvas)
{
    const struct tkf_explore *explore = canvas->explore;
    double left = EDGE + 58, right = canvas->width - EDGE - 24, top = EDGE + 8;
    double bottom = top + (canvas->narrow ? 170 : 220), least = INFINITY, most = 0;
    char text[32];
    for (unsigned i = 0; i < explore->nramp; i++) {
        least = fmin(least, explore->ramp[i].ghz);
        most = fmax(most, explore->ramp[i].ghz);
    }
    /* Half a GHz at least, so that what is steady looks steady. */
    double middle = (least + most) / 2, half = fmax((most - least) * 0.6, 0.25);
    struct axis y_axis = {fmax(middle - half, 0), middle + half, bottom, top, identity};
    struct axis x_axis = {0, explore->ramp[explore->nramp - 1].at_ms, left, right, identity};
    for (unsigned i = 0; i <= 4; i++) {
        double ghz = y_axis.lo + i * (y_axis.hi - y_axis.lo) / 4, y = position(&y_axis, ghz);
        double ms = x_axis.hi * i / 4, x = position(&x_axis, ms);
        grid_line(canvas, left, y, right, y);
        snprintf(text, sizeof(text), "%.2f GHz", ghz);
        small_text(canvas, left - 6, y, 1, text);
        snprintf(text, sizeof(text), "%.3g ms", ms);
        small_text(canvas, x, bottom + 10, 0.5, text);
    }
    small_text(canvas, (left + right) / 2, bottom + 26, 0.5, "since the core left idle");
    clock_line(canvas, &x_axis, &y_axis, "clock/core/one", "one core busy", -1);
    clock_line(canvas, &x_axis, &y_axis, "clock/core/all", "all busy", 1);
    tkf_draw_color(canvas->cairo, canvas->theme->mark);
    cairo_set_line_width(canvas->cairo, 1.5);
    cairo_new_path(canvas->cairo);
    for (unsigned i = 0; i < explore->nramp; i++)
        cairo_line_to(canvas->cairo, position(&x_axis, explore->ramp[i].at_ms),
                      position(&y_axis, explore->ramp[i].ghz));
    cairo_stroke(canvas->cairo);
    return bottom + AXIS_HEIGHT;
}

/* ---- all of them ---- */

const struct tkf_picture tkf_pictures[] = {
    {"ladder", "The ladder",
     "What small things cost here, cheapest first: each with its 95 % interval where that is wider than its "
     "mark. The shaded band is the empty loop: what lies in it cannot be told from nothing.",
     has_ladder, draw_ladder},
    {"latency", "Latency over the working set",
     "One load that has to wait for the one before it, out of a working set of that size. The curve "
     "climbs where the set outgrows a cache; the marks are the sizes that the machine states.",
     has_latency, draw_latency},
    {"bandwidth", "Bandwidth", "Bytes a second, one core and all of them; 1 GB is 10⁹ bytes.",
     has_bandwidth, draw_bandwidth},
    {"pairs", "From core to core",
     "Half of a cache line's round trip between two CPUs, ns. Blocks are cores that share something.",
     has_pairs, draw_pairs},
    {"noise", "Gaps",
     "What took time from a CPU that did nothing but read its counter: how often, by length.",
     has_noise, draw_noise},
    {"sleep", "Sleeping too long",
     "By how much a sleep of each length overran: the median, from 1 % to 99 %.", has_sleep,
     draw_sleep},
    {"ramp", "The core clock",
     "From idle to steady. A benchmark that starts before the clock is steady measures the ramp.",
     has_ramp, draw_ramp},
    {0},
};

static void draw_on(const struct tkf_picture *picture, struct tkf_canvas *canvas,
                    cairo_surface_t *surface, double *ret_height)
{
    canvas->cairo = cairo_create(surface);
    tkf_draw_color(canvas->cairo, canvas->theme->ground);
    cairo_paint(canvas->cairo);
    *ret_height = ceil(picture->draw(canvas));
    cairo_destroy(canvas->cairo);
}

int tkf_picture_write(const struct tkf_picture *picture, const struct tkf_profile *profile,
                      enum tkf_theme theme, double width, FILE *out, double *ret_height)
{
    struct tkf_canvas canvas = {
        .theme = &themes[theme],
        .profile = profile,
        .explore = profile->explore,
        .width = width,
        .narrow = width < NARROW_BELOW,
    };
    double height;
    /* How high it is is known when it is drawn: the first time on nothing. */
    cairo_surface_t *surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR, NULL);
    draw_on(picture, &canvas, surface, &height);
    cairo_surface_destroy(surface);

    surface = cairo_svg_surface_create_for_stream(tkf_draw_to_stream, out, width, height);
    draw_on(picture, &canvas, surface, &height);
    cairo_surface_finish(surface);
    cairo_status_t status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS)
        return status == CAIRO_STATUS_NO_MEMORY ? TKF_ENOMEM : TKF_EIO;
    if (ret_height)
        *ret_height = height;
    return 0;
}
