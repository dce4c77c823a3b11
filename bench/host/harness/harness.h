/* SPDX-License-Identifier: MIT */
/**
 * What frameworks' own loops cost on this machine: an empty benchmark is built and run in each, and its output read by the
 * reader that `tickfloor report` has for it.
 *
 * Nothing is installed. What a recipe needs is looked for on the PATH; what it makes lies in a temporary folder that is gone
 * afterwards. Context: hosted, one thread at a time.
 */
#ifndef TKF_LIVE_HARNESS_H
#define TKF_LIVE_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tickfloor/profile.h>

/* ---- recipes.c: how each is built and run ---- */

#define TKF_RECIPE_ROWS_MAX 3

/** A program and its arguments, ended by NULL; no shell is in between. */
typedef const char *const *tkf_words;

/** One way to an empty benchmark of one framework. */
struct tkf_recipe {
    const char
        *framework; /**< NULL ends the table; several ways to one stand together, the best first */
    const char *tool;    /**< the program that must be on the PATH */
    const char *package; /**< what brings all of it, for a person */
    bool fetches;        /**< gets a package from the network: only when it is asked for by name */
    bool bare;           /**< needs no source of ours */
    tkf_words probe;     /**< succeeds where the framework is there; NULL: the tool is enough */
    tkf_words version;   /**< its first line says it, run after the build; NULL */
    tkf_words build;     /**< NULL: nothing has to be */
    tkf_words run;
    const char
        *output; /**< the file that the run writes its results to; NULL: its standard output */
    const char *format; /**< the reader for them */
    struct {
        const char *name; /**< of an empty benchmark; NULL ends the list */
        const char *form; /**< as struct tkf_harness_floor's loop_form */
    } rows[TKF_RECIPE_ROWS_MAX];
    unsigned limit_s; /**< for all of it */
};

extern const struct tkf_recipe tkf_recipes[];

/* ---- command.c: running a program ---- */

struct tkf_command {
    tkf_words
        words; /**< words[0] is looked up on the PATH; with a slash in it, it lies in `folder` */
    const char *folder;   /**< where it runs */
    const char *output;   /**< a file for its standard output, from `folder`; NULL: the log */
    const char *log;      /**< a file for its standard error, from `folder`; written anew */
    uint64_t deadline_ns; /**< of tkf_clock_ns(): it and all that it started are killed then */
    void *ctx;
    bool (*cancelled)(void *ctx); /**< they are killed likewise; NULL: never */
};

enum tkf_command_end {
    TKF_COMMAND_DONE, /**< exit status 0 */
    TKF_COMMAND_FAILED, /**< another, or a signal, or it could not be started: the log ends with which */
    TKF_COMMAND_LATE,
    TKF_COMMAND_CANCELLED,
};

/** Run it in a process group of its own, with nothing to read, on the CPUs that the calling thread may use. */
enum tkf_command_end tkf_command_run(const struct tkf_command *command);

/** Whether a program of that name is on the PATH. Relative entries of it are passed over. */
bool tkf_command_exists(const char *name);

/* ---- measure.c ---- */

struct tkf_harness_request {
    const char *sources; /**< the folder that the recipes' sources lie in */
    const char
        *temporary; /**< where folders are made and logs of failures stay; NULL: TMPDIR, or /tmp */
    const char *const
        *only; /**< [nonly] names of frameworks; none: all that are found and fetch nothing */
    unsigned nonly;
    unsigned limit_s;             /**< for each framework; 0: what its recipe says */
    void *ctx;                    /**< passed to the two callbacks */
    bool (*cancelled)(void *ctx); /**< NULL: never */
    void (*progress)(void *ctx, double done, const char *what); /**< NULL: not wanted */
};

/** Whether a framework can be measured here. */
struct tkf_harness_found {
    const struct tkf_recipe *recipe; /**< the one that would be used */
    bool found;
    char reason[240]; /**< why not; "" when found */
    char next[240];
};

/**
 * Look for the toolchains of all frameworks.
 * @param ret_found  [max], in the order of the recipes.
 * @return how many were written; or TKF_ECANCELLED, TKF_EIO when there is no temporary folder.
 */
int tkf_harness_look(const struct tkf_harness_request *request, struct tkf_harness_found *ret_found,
                     unsigned max, struct tkf_input_error *ret_error);

/**
 * Measure frameworks on the first CPU of a profile, and add what they came to, or why not, to its `harnesses`.
 *
 * Each empty benchmark runs several times, each time between two short measurements of the core's cycle.
 *
 * Errors: TKF_EINVAL no framework of that name · TKF_ECANCELLED, with nothing added · TKF_EIO no temporary folder.
 * Cost:   seconds to minutes for each framework.
 */
int tkf_harness_measure(const struct tkf_harness_request *request, struct tkf_profile *profile,
                        struct tkf_input_error *ret_error);

#endif
