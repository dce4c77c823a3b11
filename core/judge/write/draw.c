/* SPDX-License-Identifier: MIT */
#include "draw.h"

#include <stdlib.h>

#include "write.h"

#define COLUMNS_MAX 70

void tkf_draw_color(cairo_t *cairo, struct tkf_color color)
{
    cairo_set_source_rgb(cairo, color.red, color.green, color.blue);
}

void tkf_draw_font(cairo_t *cairo, double size, bool bold)
{
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(cairo, size);
}

double tkf_draw_text_width(cairo_t *cairo, const char *text)
{
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text, &extents);
    return extents.x_advance;
}

void tkf_draw_text(cairo_t *cairo, double x, double y, double align, const char *text)
{
    cairo_font_extents_t extents;
    cairo_font_extents(cairo, &extents);
    cairo_move_to(cairo, x - align * tkf_draw_text_width(cairo, text), y + extents.ascent * 0.36);
    cairo_show_text(cairo, text);
}

void tkf_draw_line(cairo_t *cairo, double x0, double y0, double x1, double y1)
{
    cairo_move_to(cairo, x0, y0);
    cairo_line_to(cairo, x1, y1);
    cairo_stroke(cairo);
}

char *tkf_draw_fit(cairo_t *cairo, const char *text, double width)
{
    size_t columns = tkf_shown_columns(text, TKF_CHARSET_UTF8);
    if (columns > COLUMNS_MAX)
        columns = COLUMNS_MAX;
    for (;; columns--) {
        char *fitted = NULL;
        size_t size;
        FILE *out = open_memstream(&fitted, &size);
        if (!out)
            return NULL;
        tkf_put_shortened(out, text, TKF_CHARSET_UTF8, columns, NULL);
        if (fclose(out) != 0) {
            free(fitted);
            return NULL;
        }
        if (columns < 4 || tkf_draw_text_width(cairo, fitted) <= width)
            return fitted;
        free(fitted);
    }
}

cairo_status_t tkf_draw_to_stream(void *closure, const unsigned char *data, unsigned length)
{
    return fwrite(data, 1, length, closure) == length ? CAIRO_STATUS_SUCCESS
                                                      : CAIRO_STATUS_WRITE_ERROR;
}
