/* SPDX-License-Identifier: MIT */
/**
 * The outputs of `tickfloor report`: one writer, one file each. Text that comes from the input goes through clean.c, so that no
 * name can drive a terminal, break a table or make a file invalid.
 *
 * Writers write what they are given and keep nothing. One that takes a stream leaves its errors in it, for ferror().
 */
#ifndef TKF_WRITE_H
#define TKF_WRITE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <tickfloor/report.h>

#include "../compare.h"
#include "../fleet.h"

/** Where the profile came from. */
enum tkf_profile_source {
    TKF_PROFILE_NONE,
    TKF_PROFILE_GIVEN,      /**< named by the user */
    TKF_PROFILE_SAVED,      /**< of an earlier calibration */
    TKF_PROFILE_CALIBRATED, /**< measured for this report */
};

/** What is reported. */
struct tkf_report {
    const struct tkf_results *results; /**< judged */
    const struct tkf_profile *profile; /**< NULL: there was none */
    enum tkf_profile_source profile_source;
    const char *profile_text; /**< where it came from or why there is none, one clause */
    bool quiet;               /**< flagged results only */
};

/** How a table is to look. */
struct tkf_table_style {
    bool color;
    bool unicode;   /**< the stream takes UTF-8, and the locale is one of it */
    unsigned width; /**< columns */
    bool whole;     /**< names are not shortened: lines may be longer, as nobody sees them break */
};

void tkf_write_table(const struct tkf_report *report, const struct tkf_table_style *style,
                     FILE *out);

/** "schema": "tickfloor.report/1". One result a line. TKF_ENOMEM. */
int tkf_write_json(const struct tkf_report *report, FILE *out);

/** For a pull request: the flagged results, then all of them in a folded block. */
void tkf_write_markdown(const struct tkf_report *report, FILE *out);

/** Workflow commands of GitHub Actions: one ::warning for each flagged result, worst first. */
void tkf_write_github(const struct tkf_report *report, FILE *out);

/** SARIF 2.1.0: one result for each flagged one, one notification for each notice. TKF_ENOMEM. */
int tkf_write_sarif(const struct tkf_report *report, FILE *out);

/* ---- compare.c: the outputs of `tickfloor compare` --------------------------------------------------------------------- */

/** Which quantities are printed one by one; the others are counted. */
enum tkf_compare_rows {
    TKF_COMPARE_USUAL,   /**< counter, clock, floor and noise, and what differs of the rest */
    TKF_COMPARE_CHANGED, /**< what differs */
    TKF_COMPARE_ALL,
};

/** The files that were compared, as the user knows them. */
struct tkf_compare_names {
    const char *a, *b;
};

void tkf_write_compare(const struct tkf_comparison *comparison,
                       const struct tkf_compare_names *names, enum tkf_compare_rows rows,
                       const struct tkf_table_style *style, FILE *out);

/** "schema": "tickfloor.compare/1". One quantity a line. TKF_ENOMEM. */
int tkf_write_compare_json(const struct tkf_comparison *comparison,
                           const struct tkf_compare_names *names, FILE *out);

/* ---- fleet.c, openmetrics.c: the outputs of `tickfloor fleet` ---------------------------------------------------------- */

/** The models, what is usual for each, the odd ones, the bad ones. @param all  every quantity, machine and odd one. */
void tkf_write_fleet(const struct tkf_fleet *fleet, bool all, const struct tkf_table_style *style,
                     FILE *out);

/** "schema": "tickfloor.fleet/1". One machine a line. TKF_ENOMEM. */
int tkf_write_fleet_json(const struct tkf_fleet *fleet, FILE *out);

/**
 * Prometheus' text format 0.0.4, which is what its node exporter reads from files; its last line, "# EOF", makes it OpenMetrics
 * too. In base units: seconds, hertz, bytes, ratios.
 */
void tkf_write_openmetrics(const struct tkf_fleet *fleet, FILE *out);

/* ---- plot.c ---------------------------------------------------------------------------------------------------------- */

/** Why tkf_write_plot() cannot make a picture of that name (its end, or a build without cairo) and what to do; NULL when it can. */
const char *tkf_plot_refused(const char *path);

/**
 * Draw the results on a logarithmic axis of ns over the band of the floor: at most 60, the flagged ones first.
 * @param path        not a refused one; an existing file is replaced.
 * @param ret_reason  [size], on failure: one clause.
 * Errors: TKF_EIO the file cannot be written · TKF_ENOMEM.
 */
int tkf_write_plot(const struct tkf_report *report, const char *path, char *ret_reason,
                   size_t size);

/* ---- what the writers share: common.c -------------------------------------------------------------------------------- */

/** Whether a result is one to do something about. The empty benchmark that is the floor is none: it is as it should be. */
bool tkf_flagged(const struct tkf_result *result);

/** The verdict's name; "the floor" of the empty benchmark that the others are held against. */
const char *tkf_verdict_shown(const struct tkf_result *result);

/** The name, so that no other row has it, or what stands for one that is empty. */
const char *tkf_name_shown(const struct tkf_result *result);

/** What a result's time is, among the framework's statistics: "mean"; NULL when unknown. */
const char *tkf_statistic_text(enum tkf_statistic statistic);

struct tkf_verdict_text {
    const char *title; /**< a few words: "At the floor" */
    const char *text;  /**< what the verdict means, one sentence */
};
extern const struct tkf_verdict_text tkf_verdict_texts[TKF_VERDICT_COUNT];

struct tkf_counts {
    size_t total, flagged;
    size_t floors; /**< empty benchmarks that the others are held against */
    size_t of[TKF_VERDICT_COUNT];
};
struct tkf_counts tkf_count_verdicts(const struct tkf_results *results);

/** Whether the profile, or that there is none, has a part in this floor; if so its text belongs beside it. */
bool tkf_profile_matters(const struct tkf_report *report, const struct tkf_floor_used *floor);

/** "12 results: 1 impossible, 3 at-floor, 8 ok" */
void tkf_summary_text(const struct tkf_counts *counts, char *ret_text, size_t size);

struct tkf_number_shown {
    char text[32];
};

/** A time in the unit of its size, to four digits at most and not finer than the result itself is; "no time" for NAN. */
struct tkf_number_shown tkf_time_shown(double ns, double quantum_ns, bool unicode);

/** Cycles to three digits, or more where they are whole; "-" for NAN. */
struct tkf_number_shown tkf_cycles_shown(double cycles);

/** A value of a quantity in its unit, as short as a table needs it. */
struct tkf_number_shown tkf_quantity_shown(double value, const char *unit, bool unicode);

/** "0.27 – 0.54 ns"; "unknown" for NAN. */
struct tkf_number_shown tkf_band_shown(const struct tkf_band *ns, bool unicode);

/** Bytes of the part of an evidence's text that says what was seen; after it, by "; " or ". ", comes what it may mean. */
size_t tkf_seen_part(const char *text);

/** The full stop that a sentence lacks, or "". */
const char *tkf_full_stop(const char *text);

/* ---- clean.c --------------------------------------------------------------------------------------------------------- */

/** What may be shown of a text. Always shown as \xNN: bytes that are no UTF-8, control characters, what is invisible or turns the
 * direction of the text. */
enum tkf_charset {
    TKF_CHARSET_ASCII, /**< nothing beyond it either */
    TKF_CHARSET_TERMINAL, /**< nothing of which the locale does not know the width either, nor what combines */
    TKF_CHARSET_UTF8,
};

/** One character of a text, as it is shown. */
struct tkf_shown {
    char text[24];    /**< UTF-8, NUL-terminated */
    unsigned bytes;   /**< of the original that it stands for; 0 at the end */
    unsigned columns; /**< on a terminal */
};

struct tkf_shown tkf_show(const char *text, enum tkf_charset charset);

/** Columns that a text takes when it is shown. */
size_t tkf_shown_columns(const char *text, enum tkf_charset charset);

/**
 * Print a text in at most `columns` columns, 2 or more: one that is longer is shortened in its middle, by an ellipsis.
 * @param put  prints one shown character; NULL: as it is.
 * @return the columns taken.
 */
size_t tkf_put_shortened(FILE *out, const char *text, enum tkf_charset charset, size_t columns,
                         void (*put)(FILE *out, const char *shown));

/** Print a text with its control characters and the like as \xNN, and no wider than so many columns; padded to them. */
void tkf_put_cell(FILE *out, const char *text, enum tkf_charset charset, size_t columns);

/** The UTF-8 character at the beginning of a text. @return its bytes; 0 when there is none. */
size_t tkf_utf8(const char *text, uint32_t *ret_code);

/** A copy of a text that is UTF-8: U+FFFD for each byte that is not. To free(); NULL when out of memory. */
char *tkf_utf8_copy(const char *text);

/* ---- values.c -------------------------------------------------------------------------------------------------------- */

/** A string of a text that need not be UTF-8; null for NULL. NULL when out of memory. */
json_t *tkf_json_string(const char *text);

/** Print a value on one line, and release it. @return false when it is NULL, memory having run out. */
bool tkf_json_dump(FILE *out, json_t *value);

#endif
