/* SPDX-License-Identifier: MIT */

#include "table.h"

/**
 * What the readers of BenchmarkDotNet's texts share: its environment block, its tables, its hints.
 *
 * Rows are gathered, as hints on them come after them.
 */
#ifndef TKF_READ_BDN_H
#define TKF_READ_BDN_H

/** What tells one benchmark of a run from another. */
struct tkf_bdn_key {
    const char *method; /**< "Type.Method", or "Method" where no type is printed */
    const char *params; /**< "N: 500, Text: abc"; "" */
    const char *job;    /**< ".NET 8.0"; "" for the default one */
};

struct tkf_bdn_row {
    struct tkf_bdn_key key;
    struct tkf_result result;
};

struct tkf_bdn_line {
    unsigned number;
    char *text;
};

/** Zero it but for the sink and timer_step_ns = cpus = NAN; end it with tkf_bdn_end(). */
struct tkf_bdn {
    struct tkf_sink *sink;
    struct tkf_bdn_row *row;
    size_t count, capacity;
    json_t *remarks; /**< by the text of a row's key: null, or what a hint says of it */

    /* the environment block */
    const char *version, *os, *cpu, *arch;
    double timer_step_ns, cpus;
    bool cpu_next;    /**< the next line names the CPU */
    bool no_overhead; /**< EvaluateOverhead=False: nothing was taken off */

    /* a table while it is gathered: how its numbers are written is only known from all of them */
    struct tkf_bdn_line *line;
    size_t nlines, lines_capacity;
    char separator; /**< of CSV; 0 for pipes */
    struct tkf_csv csv;

    const char *hint; /**< the kind of the hints that follow: "ZeroMeasurement" */
};

/** Keep a row; NULL when out of memory, which loses it with a notice. */
struct tkf_bdn_row *tkf_bdn_add(struct tkf_bdn *bdn, unsigned line, const struct tkf_bdn_key *key);

/** "Type.Method: Job(Runtime=...) [N=500]". @return false when it is not that. */
bool tkf_bdn_display(struct tkf_sink *sink, struct tkf_slice text, struct tkf_bdn_key *ret_key);

/** Whether an environment block begins here. */
bool tkf_bdn_is_env(struct tkf_slice text);

/** Any line: take from it what belongs to an environment block. */
void tkf_bdn_env(struct tkf_bdn *bdn, struct tkf_slice text);

/** Whether cells are the header of a table of results; a CSV one when separator is not 0. */
bool tkf_bdn_is_header(struct tkf_bdn *bdn, struct tkf_slice text, char separator);

/** Gather a line of the table, its header first. */
void tkf_bdn_table_add(struct tkf_bdn *bdn, unsigned line, struct tkf_slice text);

/** The table has ended: make rows of it. */
void tkf_bdn_table_end(struct tkf_bdn *bdn);

/** Any line: a hint becomes the remark of its row. */
void tkf_bdn_hint(struct tkf_bdn *bdn, struct tkf_slice text);

/** A line of markdown or console: all of the above. */
void tkf_bdn_line(struct tkf_bdn *bdn, unsigned line, struct tkf_slice text);

/** How the numbers of one or more cells are written. */
struct tkf_bdn_votes {
    unsigned point, comma;
};
void tkf_bdn_vote(struct tkf_bdn_votes *votes, struct tkf_slice cell);

/**
 * A time with its unit, or a number in *unit_ns* (NAN when none is known).
 * @return false when it is none.
 */
bool tkf_bdn_time(struct tkf_slice cell, enum tkf_number_style style, double unit_ns,
                  double *ret_ns, double *ret_quantum);

/** Give the rows to the sink under an origin of their own. */
void tkf_bdn_flush(struct tkf_bdn *bdn);

/** tkf_bdn_flush(), and free all. */
void tkf_bdn_end(struct tkf_bdn *bdn);

#endif
