/* SPDX-License-Identifier: MIT */
/**
 * What a reader of one format gets and gives.
 *
 * A reader recognises its format from the first bytes, then turns the input into rows. It never prints, never clamps, never
 * drops a line that looks like a result: what it cannot read becomes a notice. One file for each format family under
 * core/judge/read/, named as the format is; the table in readers.c lists them.
 */
#ifndef TKF_READER_H
#define TKF_READER_H

#include <jansson.h>
#include <string.h>

#include <tickfloor/report.h>

/* ---- input.c: bytes in, text out ---------------------------------------------------------------------------------- */

/**
 * The input, its encoding undone: a byte-order mark removed, UTF-16 turned into UTF-8, escape sequences (colours, erase line)
 * removed, CR LF and a lone CR (a progress line overwriting itself) ending a line. Bytes that are not UTF-8 pass through.
 */
struct tkf_input;

/** A line without its end. */
struct tkf_line {
    const char *text; /**< NUL-terminated after `length`, valid until the next call; may hold NUL bytes of the input */
    size_t length;
    unsigned number;  /**< 1-based, counting LF only */
    bool cut;         /**< the input ended within it */
};

/** The beginning, up to 64 KiB, decoded, without consuming it. */
const char *tkf_input_head(struct tkf_input *in, size_t *ret_length);

/** The next line; false at the end or on an I/O error. Lines over 16 MiB come cut, the rest of them is skipped with a notice. */
bool tkf_input_line(struct tkf_input *in, struct tkf_line *ret_line);

/** All that is left as one NUL-terminated buffer, escape sequences kept; owned by the input. NULL on an error (set in *in*). */
const char *tkf_input_all(struct tkf_input *in, size_t *ret_length);

/** The line of a byte offset in the buffer of tkf_input_all(), 1-based. */
unsigned tkf_input_line_of(struct tkf_input *in, size_t offset);

/* ---- sink.c: rows out ----------------------------------------------------------------------------------------------- */

struct tkf_sink;

/**
 * Begin an origin: rows from here on belong to it. Fields start as NAN and NULL but for file, format, framework and timing; the
 * reader may fill them until it begins the next one. Strings go through tkf_sink_text(). Never NULL: out of memory is kept in the
 * sink and ends the reading.
 */
struct tkf_origin *tkf_sink_origin(struct tkf_sink *sink, const char *framework, enum tkf_timing timing);

/** Go back to an origin that this input has begun: rows from here on belong to it. */
void tkf_sink_choose(struct tkf_sink *sink, struct tkf_origin *origin);

/** A row in the making: every double NAN, strings NULL but group and name "". */
struct tkf_result tkf_sink_row(struct tkf_sink *sink, unsigned line);

/**
 * Keep a row of the current origin; merged with an earlier one of the same group and name. group and name are copied; its samples and
 * metrics go over to the sink, and the row has none after.
 */
void tkf_sink_add(struct tkf_sink *sink, struct tkf_result *row);

/**
 * The line at hand is this format's own, though it gives no row: no other reader is asked. For formats
 * that have many such lines; there is no need to say it of a few.
 */
void tkf_sink_understood(struct tkf_sink *sink);

/** Keep bytes as a NUL-terminated string for as long as the results live, a NUL in them as '?'; equal strings are kept once. */
const char *tkf_sink_text(struct tkf_sink *sink, const char *text, size_t length);

/** Say of a line what could not be read or is worth knowing. printf-like. */
void tkf_sink_notice(struct tkf_sink *sink, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** As tkf_sink_notice(), of the framework's saying that the run failed. */
void tkf_sink_failure(struct tkf_sink *sink, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** How many results this input has given so far: rows, repetitions merged. */
size_t tkf_sink_rows(const struct tkf_sink *sink);

/** A result of the current origin, as far as it has come; strings are from tkf_sink_text(). NULL when there is none. */
const struct tkf_result *tkf_sink_find(struct tkf_sink *sink, const char *group, const char *name);

/**
 * A result of this input, for what only the whole of it decides; *index* is below tkf_sink_rows(). A reader that changes its name
 * (to one from tkf_sink_text()) adds no further rows.
 */
struct tkf_result *tkf_sink_result(struct tkf_sink *sink, size_t index);

/**
 * One of the values that a row was made from, into `samples`, counted in `repetitions`: for a reader that has them all. `ns` is
 * still the reader's to set. NAN is passed over.
 */
void tkf_row_sample(struct tkf_sink *sink, struct tkf_result *row, double ns);

/** Add to a row's metrics; *unit* is one from tkf_sink_text(), or lives as long. Those past TKF_METRICS_MAX are a notice. */
void tkf_row_metric(struct tkf_sink *sink, struct tkf_result *row, const char *unit, double value);

/* ---- the readers ------------------------------------------------------------------------------------------------------ */

struct tkf_reader {
    const char *name;  /**< as in --input-format: "go-text" */
    const char *text;  /**< what it is, a few words, for the help */
    const char *empty; /**< what to ask where there is no result in it; NULL: nothing of its own */
    /**
     * How sure it is that the input is its own, 0..100, from the first bytes (UTF-8, NUL-terminated). The surest reads; of two
     * equally sure the earlier in the table. 0 is "not mine".
     */
    int (*recognise)(const char *head, size_t length);
    /** Read all of it. 0; TKF_EFORMAT with *ret_error when it cannot be read at all (rows given so far stay); TKF_ENOMEM. */
    int (*read)(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error);
    /**
     * Read the directory that the framework writes; NULL when it writes none. Without rows it is not its own, and the next reader is
     * asked. As read().
     */
    int (*read_directory)(const char *path, struct tkf_sink *sink, struct tkf_input_error *ret_error);
};

extern const struct tkf_reader *const tkf_readers[]; /* ended by NULL */

/* ---- text.c: what many formats share ------------------------------------------------------------------------------------ */

/** A piece of text; not terminated. `text` may be NULL where the length is 0. */
struct tkf_slice {
    const char *text;
    size_t length;
};

/** The last `wanted` among so many bytes; NULL when there is none. memrchr(), which macOS lacks. */
const char *tkf_last_of(const char *text, char wanted, size_t bytes);

/** The next line of a text such as tkf_input_head() gives, without its end, advancing *rest; false at the end. */
bool tkf_slice_line(struct tkf_slice *rest, struct tkf_slice *ret_line);

/** The next field separated by blanks (space, tab, NBSP), advancing *rest; empty at the end. */
struct tkf_slice tkf_field(struct tkf_slice *rest);

/* Here, so that the length of a literal is known where they are called. */
static inline bool tkf_slice_starts(struct tkf_slice slice, const char *prefix)
{
    size_t length = strlen(prefix);
    return slice.length >= length && memcmp(slice.text, prefix, length) == 0;
}

static inline bool tkf_slice_is(struct tkf_slice slice, const char *text)
{
    return slice.length == strlen(text) && tkf_slice_starts(slice, text);
}

/** How numbers are written. */
enum tkf_number_style {
    TKF_NUMBER_POINT,  /**< 1,234.5 or 1234.5 or 1'234.5: a comma or apostrophe groups */
    TKF_NUMBER_COMMA,  /**< 1.234,5 or 1234,5: a comma is the decimal sign */
};

/**
 * A number that fills the whole slice. Locale does not matter. Accepts a sign (also U+2212), an exponent, inf and nan as the formats
 * spell them. @param ret_quantum  what one unit of its last digit is worth (0.01 for "1.25"); may be NULL.
 */
bool tkf_number(struct tkf_slice slice, enum tkf_number_style style, double *ret_value, double *ret_quantum);

/**
 * Ns in one unit of time: ps ns us ms s m min h and their long names, µ as U+00B5, U+03BC, u, and the mojibake that
 * PowerShell and code pages make of it. A following "/op", "/iter", "/call" ... is the caller's to remove.
 * @return false when it is no time.
 */
bool tkf_time_unit(struct tkf_slice unit, double *ret_ns);

/** Read one value with its unit glued or after blanks, "1.25 ns", "138.3µs", into ns, advancing *rest. */
bool tkf_time(struct tkf_slice *rest, enum tkf_number_style style, double *ret_ns, double *ret_quantum_ns);

/* ---- json.c --------------------------------------------------------------------------------------------------------------- */

/**
 * Parse all of the input as JSON, as frameworks write it: NaN, Infinity and -Infinity stand for numbers (as null and a notice),
 * text before the first bracket and after the last is skipped with a notice, and a document cut short is closed where it can be, with a
 * notice; what was whole is kept.
 * @return a new reference, NULL with *ret_error.
 */
json_t *tkf_json_load(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error);

/** Take one element of an array, which is freed after; *line* is that of its beginning, 0 where the document has no lines. */
typedef void tkf_json_take_element(void *ctx, json_t *element, unsigned line);

/**
 * As tkf_json_load(), but the elements of one array are parsed and given one at a time, so that no tree of all of them is built.
 *
 * @param key  the array's, a member of the document.
 * @return a new reference to the document without that array; where it has no such array all that is there. NULL with *ret_error.
 */
json_t *tkf_json_stream(struct tkf_input *in, struct tkf_sink *sink, const char *key,
                        tkf_json_take_element *take, void *ctx, struct tkf_input_error *ret_error);

/** A member that is a number, or a string that holds one; NAN otherwise. */
double tkf_json_number(const json_t *object, const char *key);

/** A member that is a string; NULL otherwise. Borrowed. */
const char *tkf_json_text(const json_t *object, const char *key);

/** The line on which the n-th (0-based) object with this key and string value begins, for messages; 0 when it cannot be told. */
unsigned tkf_json_line(struct tkf_input *in, const char *key, const char *value, unsigned nth);

#endif
