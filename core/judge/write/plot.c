/* SPDX-License-Identifier: MIT */
/* Results on a logarithmic axis over the floor. It must be read in a README, on paper without colour, and by the colour-blind: hence a
 * white ground, a shape for each kind of verdict, and the palette of Okabe and Ito (jfly.uni-koeln.de/color). */
#include <cairo-svg.h>
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "write.h"

enum { ROWS_MAX = 60 };

/* Points of the picture. */
#define WIDTH         960.0
#define MARGIN        20.0
#define ROW_HEIGHT    20.0
#define HEAD_HEIGHT   58.0 /* title and what is below it */
#define AXIS_HEIGHT   44.0
#define LEGEND_HEIGHT 44.0
#define LABEL_MAX     330.0
#define VALUE_WIDTH   178.0 /* time and verdict, to the right */
#define GAP           18.0
#define BAND_LEAST    9.0 /* width of a floor that is a single value */
#define TEXT_SIZE     12.5
#define SMALL_SIZE    11.0
#define TITLE_SIZE    16.0
#define AXIS_LEAST    (-2.0) /* exponent of 10 */
#define PNG_SCALE     2.0 /* a picture that is scaled down looks better than one that is scaled up */

static const struct tkf_color ink = {0.13, 0.13, 0.13}, faint = {0.40, 0.40, 0.40},
                              grid = {0.88, 0.88, 0.88}, minor_grid = {0.95, 0.95, 0.95},
                              band_fill = {0.99, 0.89, 0.72}, cycle_line = {0.60, 0.38, 0.00};

enum shape { SHAPE_CROSS, SHAPE_SQUARE, SHAPE_DIAMOND, SHAPE_TRIANGLE, SHAPE_RING, SHAPE_DOT };

struct kind {
    enum shape shape;
    struct tkf_color color;
};

static const struct kind kinds[TKF_VERDICT_COUNT] = {
    [TKF_VERDICT_IMPOSSIBLE] = {SHAPE_CROSS, {0.84, 0.37, 0.00}},
    [TKF_VERDICT_AT_FLOOR] = {SHAPE_SQUARE, {0.84, 0.37, 0.00}},
    [TKF_VERDICT_CAPPED] = {SHAPE_DIAMOND, {0.80, 0.47, 0.65}},
    [TKF_VERDICT_FLAT] = {SHAPE_DIAMOND, {0.80, 0.47, 0.65}},
    [TKF_VERDICT_TIMER_LIMITED] = {SHAPE_DIAMOND, {0.80, 0.47, 0.65}},
    [TKF_VERDICT_WENT_QUIET] = {SHAPE_DIAMOND, {0.80, 0.47, 0.65}},
    [TKF_VERDICT_NEAR_FLOOR] = {SHAPE_TRIANGLE, {0.34, 0.71, 0.91}},
    [TKF_VERDICT_UNDECIDED] = {SHAPE_RING, {0.40, 0.40, 0.40}},
    [TKF_VERDICT_OK] = {SHAPE_DOT, {0.00, 0.45, 0.70}},
};

struct row {
    const struct tkf_result *result;
    const struct tkf_floor_used *floor;
    char *label;
};

struct plot {
    cairo_t *cairo;
    const struct tkf_report *report;
    struct row rows[ROWS_MAX];
    unsigned nrows;
    struct tkf_counts counts;
    double lo, hi;                   /* of the axis: exponents of 10 */
    double left, right, top, bottom; /* of the axis */
    double height;
};

/* ---- what is drawn ---- */

static bool many_groups(const struct tkf_results *results)
{
    for (size_t i = 1; i < tkf_results_count(results); i++) {
        if (strcmp(tkf_results_get(results, i)->group, tkf_results_get(results, 0)->group) != 0)
            return true;
    }
    return false;
}

/* The flagged ones first, then the others, each in their order. */
static void choose_rows(struct plot *plot)
{
    const struct tkf_results *results = plot->report->results;
    for (int flagged = 1; flagged >= (plot->report->quiet ? 1 : 0); flagged--) {
        for (size_t i = 0; i < plot->counts.total && plot->nrows < ROWS_MAX; i++) {
            const struct tkf_result *result = tkf_results_get(results, i);
            if (tkf_flagged(result) == (flagged == 1))
                plot->rows[plot->nrows++] =
                    (struct row){result, tkf_results_floor(results, result->origin), NULL};
        }
    }
}

static void widen(double value, double *lo, double *hi)
{
    if (!isfinite(value) || value <= 0)
        return;
    *lo = fmin(*lo, value);
    *hi = fmax(*hi, value);
}

/* Whole decades around all that is shown. */
static void choose_axis(struct plot *plot)
{
    double lo = INFINITY, hi = 0;
    for (unsigned i = 0; i < plot->nrows; i++) {
        const struct tkf_floor_used *floor = plot->rows[i].floor;
        widen(plot->rows[i].result->ns, &lo, &hi);
        if (!floor)
            continue;
        widen(floor->ns.lo, &lo, &hi);
        widen(floor->ns.hi, &lo, &hi);
        widen(floor->cycle_ns, &lo, &hi);
    }
    if (hi <= 0)
        lo = hi = 1;
    plot->lo = floor(log10(lo * 0.85));
    plot->hi = ceil(log10(hi * 1.1));
    /* What is less is no time, and would only squeeze all else. */
    plot->lo = fmax(plot->lo, AXIS_LEAST);
    plot->hi = fmax(plot->hi, plot->lo + 1);
}

static double x_of(const struct plot *plot, double ns)
{
    double exponent = ns > 0 ? log10(ns) : plot->lo;
    double share = (exponent - plot->lo) / (plot->hi - plot->lo);
    return plot->left + fmin(fmax(share, 0), 1) * (plot->right - plot->left);
}

static double y_of(const struct plot *plot, unsigned row)
{
    return plot->top + (row + 0.5) * ROW_HEIGHT;
}

/* ---- drawing ---- */

static void put_polygon(cairo_t *cairo, double x, double y, const double points[][2],
                        unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        cairo_line_to(cairo, x + points[i][0], y + points[i][1]);
    cairo_close_path(cairo);
    cairo_fill(cairo);
}

static void put_mark(cairo_t *cairo, double x, double y, const struct kind *kind)
{
    static const double diamond[][2] = {{0, -6.5}, {6.5, 0}, {0, 6.5}, {-6.5, 0}};
    static const double triangle[][2] = {{0, -6}, {6, 5}, {-6, 5}};
    tkf_draw_color(cairo, kind->color);
    cairo_new_path(cairo);
    switch (kind->shape) {
    case SHAPE_CROSS:
        cairo_set_line_width(cairo, 3);
        tkf_draw_line(cairo, x - 5, y - 5, x + 5, y + 5);
        tkf_draw_line(cairo, x - 5, y + 5, x + 5, y - 5);
        break;
    case SHAPE_SQUARE:
        cairo_rectangle(cairo, x - 5, y - 5, 10, 10);
        cairo_fill(cairo);
        break;
    case SHAPE_DIAMOND:
        put_polygon(cairo, x, y, diamond, 4);
        break;
    case SHAPE_TRIANGLE:
        put_polygon(cairo, x, y, triangle, 3);
        break;
    case SHAPE_RING:
        cairo_set_line_width(cairo, 2);
        cairo_arc(cairo, x, y, 4.5, 0, 2 * M_PI);
        cairo_stroke(cairo);
        break;
    case SHAPE_DOT:
        cairo_arc(cairo, x, y, 4.5, 0, 2 * M_PI);
        cairo_fill(cairo);
        break;
    }
}

static bool make_label(struct plot *plot, struct row *row, bool with_group)
{
    char *whole = NULL;
    const struct tkf_result *result = row->result;
    const char *slash =
        strrchr(result->group, '/'); /* a package's path is long, and its end tells most */
    const char *group = slash && slash[1] ? slash + 1 : result->group;
    if (asprintf(&whole, "%s%s%s", with_group ? group : "", with_group && group[0] ? " " : "",
                 tkf_name_shown(result)) < 0)
        return false;
    tkf_draw_font(plot->cairo, TEXT_SIZE, tkf_flagged(result));
    row->label = tkf_draw_fit(plot->cairo, whole, LABEL_MAX);
    free(whole);
    return row->label != NULL;
}

/* The labels, and with them where the axis is. */
static bool lay_out(struct plot *plot)
{
    double widest = 60;
    bool with_group = many_groups(plot->report->results);
    for (unsigned i = 0; i < plot->nrows; i++) {
        if (!make_label(plot, &plot->rows[i], with_group))
            return false;
        widest = fmax(widest, tkf_draw_text_width(plot->cairo, plot->rows[i].label));
    }
    plot->left = MARGIN + widest + GAP;
    plot->right = WIDTH - MARGIN - VALUE_WIDTH - GAP;
    return true;
}

static void draw_title(struct plot *plot)
{
    char text[300];
    cairo_t *cairo = plot->cairo;
    const struct tkf_floor_used *floor = plot->nrows > 0 ? plot->rows[0].floor : NULL;

    tkf_summary_text(&plot->counts, text, sizeof(text));
    tkf_draw_color(cairo, ink);
    tkf_draw_font(cairo, TITLE_SIZE, true);
    tkf_draw_text(cairo, MARGIN, MARGIN + 4, 0, text);

    bool one = floor != NULL, any = floor && isfinite(floor->ns.mid);
    for (unsigned i = 1; i < plot->nrows; i++) {
        const struct tkf_floor_used *other = plot->rows[i].floor;
        one = one && other && other->ns.lo == floor->ns.lo && other->ns.hi == floor->ns.hi;
        any = any || (other && isfinite(other->ns.mid));
    }
    if (one && isfinite(floor->ns.mid))
        snprintf(text, sizeof(text), "empty loop %s", tkf_band_shown(&floor->ns, true).text);
    else
        snprintf(text, sizeof(text), "%s",
                 any ? "each result over its own floor" : "no floor known: physical bounds only");
    if (one && isfinite(floor->cycle_ns))
        snprintf(text + strlen(text), sizeof(text) - strlen(text), " · one core cycle %.3f ns",
                 floor->cycle_ns);
    if (plot->report->profile && plot->report->profile->machine.cpu[0]) {
        char *cpu = tkf_draw_fit(cairo, plot->report->profile->machine.cpu, LABEL_MAX);
        snprintf(text + strlen(text), sizeof(text) - strlen(text), " · %s", cpu ? cpu : "");
        free(cpu);
    }
    tkf_draw_color(cairo, faint);
    tkf_draw_font(cairo, TEXT_SIZE, false);
    tkf_draw_text(cairo, MARGIN, MARGIN + 26, 0, text);
}

/* The band and the cycle behind each row, which are of its own origin. */
static void draw_floors(struct plot *plot)
{
    cairo_t *cairo = plot->cairo;
    tkf_draw_color(cairo, band_fill);
    for (unsigned i = 0; i < plot->nrows; i++) {
        const struct tkf_floor_used *floor = plot->rows[i].floor;
        if (!floor || !isfinite(floor->ns.lo) || !isfinite(floor->ns.hi))
            continue;
        double from = x_of(plot, floor->ns.lo), to = x_of(plot, floor->ns.hi);
        double width = fmax(to - from, BAND_LEAST);
        double seam = i + 1 < plot->nrows ? 0.5 : 0; /* none is seen between rows that overlap */
        cairo_rectangle(cairo, (from + to - width) / 2, plot->top + i * ROW_HEIGHT, width,
                        ROW_HEIGHT + seam);
        cairo_fill(cairo);
    }
}

static void draw_cycles(struct plot *plot)
{
    cairo_t *cairo = plot->cairo;
    static const double dashes[] = {4, 3};
    cairo_set_dash(cairo, dashes, 2, 0);
    cairo_set_line_width(cairo, 1.5);
    tkf_draw_color(cairo, cycle_line);
    for (unsigned i = 0; i < plot->nrows; i++) {
        const struct tkf_floor_used *floor = plot->rows[i].floor;
        double y = plot->top + i * ROW_HEIGHT;
        if (floor && isfinite(floor->cycle_ns))
            tkf_draw_line(cairo, x_of(plot, floor->cycle_ns), y, x_of(plot, floor->cycle_ns),
                          y + ROW_HEIGHT);
    }
    cairo_set_dash(cairo, NULL, 0, 0);
}

static void draw_grid(struct plot *plot)
{
    cairo_t *cairo = plot->cairo;
    double decade = (plot->right - plot->left) / (plot->hi - plot->lo);
    cairo_set_line_width(cairo, 1);
    for (double exponent = plot->lo; exponent <= plot->hi; exponent++) {
        for (int digit = 2; digit < 10 && exponent < plot->hi && decade > 60; digit++) {
            double x = x_of(plot, digit * pow(10, exponent));
            tkf_draw_color(cairo, minor_grid);
            tkf_draw_line(cairo, x, plot->top, x, plot->bottom);
        }
        tkf_draw_color(cairo, grid);
        tkf_draw_line(cairo, x_of(plot, pow(10, exponent)), plot->top,
                      x_of(plot, pow(10, exponent)), plot->bottom);
    }
}

static void draw_axis(struct plot *plot)
{
    cairo_t *cairo = plot->cairo;
    double decade = (plot->right - plot->left) / (plot->hi - plot->lo);
    int step = (int)ceil(62 / decade); /* labels that do not touch */
    tkf_draw_color(cairo, faint);
    tkf_draw_font(cairo, SMALL_SIZE, false);
    cairo_set_line_width(cairo, 1);
    tkf_draw_line(cairo, plot->left, plot->bottom, plot->right, plot->bottom);
    for (double exponent = plot->lo; exponent <= plot->hi; exponent++) {
        double ns = pow(10, exponent), x = x_of(plot, ns);
        tkf_draw_line(cairo, x, plot->bottom, x, plot->bottom + 5);
        if ((int)(exponent - plot->lo) % step == 0)
            tkf_draw_text(cairo, x, plot->bottom + 14, 0.5, tkf_time_shown(ns, ns, true).text);
        for (int digit = 2; digit < 10 && exponent < plot->hi && decade > 60; digit++) {
            x = x_of(plot, digit * ns);
            tkf_draw_line(cairo, x, plot->bottom, x, plot->bottom + 3);
            if (decade > 260 && (digit == 2 || digit == 5))
                tkf_draw_text(cairo, x, plot->bottom + 14, 0.5,
                              tkf_time_shown(digit * ns, ns, true).text);
        }
    }
    tkf_draw_text(cairo, (plot->left + plot->right) / 2, plot->bottom + 31, 0.5,
                  "time of one operation, logarithmic");
}

/* Beyond the axis, to its left: zero and what is less have no place on it. */
static void put_arrow(cairo_t *cairo, double x, double y, struct tkf_color color)
{
    static const double arrow[][2] = {{-9, 0}, {0, -5}, {0, 5}};
    tkf_draw_color(cairo, color);
    cairo_new_path(cairo);
    put_polygon(cairo, x, y, arrow, 3);
}

static bool is_off_axis(const struct plot *plot, const struct tkf_result *result)
{
    return isfinite(result->ns) && !(result->ns > 0 && log10(result->ns) >= plot->lo);
}

static bool any_off_axis(const struct plot *plot)
{
    bool any = false;
    for (unsigned i = 0; i < plot->nrows; i++)
        any = any || is_off_axis(plot, plot->rows[i].result);
    return any;
}

static void draw_interval(struct plot *plot, const struct tkf_result *result, double y)
{
    cairo_t *cairo = plot->cairo;
    if (!isfinite(result->ns_lo) || !isfinite(result->ns_hi) || !(result->ns > 0))
        return;
    double from = x_of(plot, result->ns_lo), to = x_of(plot, result->ns_hi);
    tkf_draw_color(cairo, faint);
    cairo_set_line_width(cairo, 1.5);
    tkf_draw_line(cairo, from, y, to, y);
}

static void draw_row(struct plot *plot, unsigned index)
{
    const struct row *row = &plot->rows[index];
    const struct tkf_result *result = row->result;
    const struct kind *kind = &kinds[result->verdict];
    bool flagged = tkf_flagged(result);
    cairo_t *cairo = plot->cairo;
    double y = y_of(plot, index);

    tkf_draw_color(cairo, ink);
    tkf_draw_font(cairo, TEXT_SIZE, flagged);
    tkf_draw_text(cairo, plot->left - GAP, y, 1, row->label);

    double x = plot->right + GAP;
    tkf_draw_font(cairo, TEXT_SIZE, flagged);
    tkf_draw_text(cairo, x + 78, y, 1, tkf_time_shown(result->ns, result->quantum_ns, true).text);
    tkf_draw_color(cairo, flagged ? ink : faint);
    tkf_draw_text(cairo, x + 90, y, 0, tkf_verdict_shown(result));

    draw_interval(plot, result, y);
    if (is_off_axis(plot, result))
        put_arrow(cairo, plot->left, y, kind->color);
    else if (isfinite(result->ns))
        put_mark(cairo, x_of(plot, result->ns), y, kind);
}

static void draw_legend(struct plot *plot)
{
    static const struct {
        enum tkf_verdict verdict;
        const char *text;
    } entries[] = {
        {TKF_VERDICT_IMPOSSIBLE, "impossible"},    {TKF_VERDICT_AT_FLOOR, "at the floor"},
        {TKF_VERDICT_CAPPED, "otherwise flagged"}, {TKF_VERDICT_NEAR_FLOOR, "near the floor"},
        {TKF_VERDICT_UNDECIDED, "undecided"},      {TKF_VERDICT_OK, "ok"},
    };
    cairo_t *cairo = plot->cairo;
    double x = MARGIN + 4, y = plot->bottom + AXIS_HEIGHT + LEGEND_HEIGHT / 2 - 6;

    tkf_draw_font(cairo, SMALL_SIZE, false);
    tkf_draw_color(cairo, band_fill);
    cairo_rectangle(cairo, x, y - 7, 22, 14);
    cairo_fill(cairo);
    tkf_draw_color(cairo, ink);
    tkf_draw_text(cairo, x + 29, y, 0, "empty loop");
    x += 29 + tkf_draw_text_width(cairo, "empty loop") + 22;
    static const double dashes[] = {4, 3};
    cairo_set_dash(cairo, dashes, 2, 0);
    cairo_set_line_width(cairo, 1.5);
    tkf_draw_color(cairo, cycle_line);
    tkf_draw_line(cairo, x, y - 8, x, y + 8);
    cairo_set_dash(cairo, NULL, 0, 0);
    tkf_draw_color(cairo, ink);
    tkf_draw_text(cairo, x + 8, y, 0, "one core cycle");
    x += 8 + tkf_draw_text_width(cairo, "one core cycle") + 26;
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        put_mark(cairo, x, y, &kinds[entries[i].verdict]);
        tkf_draw_color(cairo, ink);
        tkf_draw_text(cairo, x + 12, y, 0, entries[i].text);
        x += 12 + tkf_draw_text_width(cairo, entries[i].text) + 24;
    }
    if (any_off_axis(plot)) {
        put_arrow(cairo, x + 4, y, faint);
        tkf_draw_color(cairo, ink);
        tkf_draw_text(cairo, x + 12, y, 0, "beyond the axis");
    }
}

static void draw_left_out(struct plot *plot)
{
    char text[80];
    size_t wanted = plot->report->quiet ? plot->counts.flagged : plot->counts.total;
    if (wanted <= plot->nrows)
        return;
    snprintf(text, sizeof(text), "%zu more not shown", wanted - plot->nrows);
    tkf_draw_color(plot->cairo, faint);
    tkf_draw_font(plot->cairo, SMALL_SIZE, false);
    tkf_draw_text(plot->cairo, MARGIN, plot->bottom + 14, 0, text);
}

static void draw(struct plot *plot)
{
    tkf_draw_color(plot->cairo, (struct tkf_color){1, 1, 1});
    cairo_paint(plot->cairo);
    draw_title(plot);
    draw_floors(plot);
    draw_grid(plot);
    draw_cycles(plot);
    draw_axis(plot);
    for (unsigned i = 0; i < plot->nrows; i++)
        draw_row(plot, i);
    draw_left_out(plot);
    draw_legend(plot);
}

/* ---- the file ---- */

static bool ends_in(const char *path, const char *end)
{
    size_t length = strlen(path);
    return length > strlen(end) && strcasecmp(path + length - strlen(end), end) == 0;
}

const char *tkf_plot_refused(const char *path)
{
    return ends_in(path, ".svg") || ends_in(path, ".png")
               ? NULL
               : "a plot is an SVG or a PNG; name a file that ends in .svg or .png";
}

/* Draw into the stream; a status of cairo. */
static cairo_status_t draw_to(struct plot *plot, FILE *out, bool svg)
{
    plot->top = HEAD_HEIGHT + MARGIN;
    plot->bottom = plot->top + plot->nrows * ROW_HEIGHT;
    plot->height = plot->bottom + AXIS_HEIGHT + LEGEND_HEIGHT;
    cairo_surface_t *surface =
        svg ? cairo_svg_surface_create_for_stream(tkf_draw_to_stream, out, WIDTH, plot->height)
            : cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(WIDTH * PNG_SCALE),
                                         (int)(plot->height * PNG_SCALE));
    plot->cairo = cairo_create(surface);
    if (!svg)
        cairo_scale(plot->cairo, PNG_SCALE, PNG_SCALE);
    cairo_status_t status = lay_out(plot) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
    if (status == CAIRO_STATUS_SUCCESS)
        draw(plot);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_status(plot->cairo);
    if (status == CAIRO_STATUS_SUCCESS && !svg)
        status = cairo_surface_write_to_png_stream(surface, tkf_draw_to_stream, out);
    cairo_destroy(plot->cairo);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    for (unsigned i = 0; i < plot->nrows; i++)
        free(plot->rows[i].label);
    return status;
}

int tkf_write_plot(const struct tkf_report *report, const char *path, char *ret_reason, size_t size)
{
    struct plot plot = {.report = report, .counts = tkf_count_verdicts(report->results)};
    FILE *out = fopen(path, "wb");
    if (!out) {
        snprintf(ret_reason, size, "%s", strerror(errno));
        return TKF_EIO;
    }
    choose_rows(&plot);
    choose_axis(&plot);
    cairo_status_t status = draw_to(&plot, out, ends_in(path, ".svg"));
    bool closed = fclose(out) == 0;
    if (status == CAIRO_STATUS_SUCCESS && closed)
        return 0;
    snprintf(ret_reason, size, "%s",
             status == CAIRO_STATUS_SUCCESS ? strerror(errno) : cairo_status_to_string(status));
    return status == CAIRO_STATUS_NO_MEMORY ? TKF_ENOMEM : TKF_EIO;
}
