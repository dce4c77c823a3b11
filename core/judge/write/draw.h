/* SPDX-License-Identifier: MIT */
/** What the pictures share: text, lines and colours with cairo. Lengths are points of the picture. */
#ifndef TKF_DRAW_H
#define TKF_DRAW_H

#include <cairo.h>
#include <stdbool.h>
#include <stdio.h>

struct tkf_color {
    double red, green, blue; /**< 0..1 */
};

void tkf_draw_color(cairo_t *cairo, struct tkf_color color);

void tkf_draw_font(cairo_t *cairo, double size, bool bold);

double tkf_draw_text_width(cairo_t *cairo, const char *text);

/** align: 0 begins at x, 0.5 is centred there, 1 ends there. y is the middle of the small letters. */
void tkf_draw_text(cairo_t *cairo, double x, double y, double align, const char *text);

void tkf_draw_line(cairo_t *cairo, double x0, double y0, double x1, double y1);

/** A text in so many columns as fit the width, cleaned; to free(). NULL when out of memory. */
char *tkf_draw_fit(cairo_t *cairo, const char *text, double width);

/** For a surface that writes to a stream: closure is the FILE. */
cairo_status_t tkf_draw_to_stream(void *closure, const unsigned char *data, unsigned length);

#endif
