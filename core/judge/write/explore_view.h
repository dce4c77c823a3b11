/* SPDX-License-Identifier: MIT */
/**
 * An exploration, to look at: pictures, and a page that holds them all. Text that comes from the profile is cleaned.
 */
#ifndef TKF_EXPLORE_VIEW_H
#define TKF_EXPLORE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <tickfloor/profile.h>

#include "write.h"

/** Why nothing can be drawn (a build without cairo) and what to do; NULL when it can. */
const char *tkf_view_refused(void);

/**
 * Write one page of HTML that needs nothing else: for light and dark, for a phone and a desk, for paper.
 * @param profile     one with an exploration; parts that were not measured are left out.
 * @param path        an existing file is replaced.
 * @param ret_reason  [size], on failure: one clause.
 * Errors: TKF_EIO the file cannot be written · TKF_ENOMEM · TKF_EUNSUPPORTED tkf_view_refused() says why.
 */
int tkf_write_explore_html(const struct tkf_profile *profile, const char *path, char *ret_reason,
                           size_t size);

/**
 * Write each picture that there is data for into a folder, which is made if need be: NAME.svg, for a white ground.
 * Errors: as tkf_write_explore_html().
 */
int tkf_write_explore_svgs(const struct tkf_profile *profile, const char *folder, char *ret_reason,
                           size_t size);

/* ---- pictures.c ------------------------------------------------------------------------------------------------------- */

/** A ground to draw on. */
enum tkf_theme { TKF_THEME_LIGHT, TKF_THEME_DARK };

struct tkf_canvas; /* pictures.c's own */

/** One picture of an exploration. */
struct tkf_picture {
    const char *name;  /**< of its file, without the end */
    const char *title; /**< a few words */
    const char *text;  /**< what is to be seen in it, a sentence or two */
    bool (*has)(const struct tkf_explore *explore); /**< whether there is data for it */
    double (*draw)(struct tkf_canvas *canvas);      /**< returns the height */
};

/** The pictures, in the order in which they are shown; ended by a NULL name. */
extern const struct tkf_picture tkf_pictures[];

/**
 * Draw one picture as SVG.
 * @param width  points; below 500 it is drawn for a phone.
 * @param ret_height  points; may be NULL.
 * Errors: TKF_EIO · TKF_ENOMEM.
 */
int tkf_picture_write(const struct tkf_picture *picture, const struct tkf_profile *profile,
                      enum tkf_theme theme, double width, FILE *out, double *ret_height);

/** A time to three digits. */
struct tkf_number_shown tkf_view_time(double ns);

#endif
