/* SPDX-License-Identifier: MIT */
/** Run a command to its end and look at what it said. */
#ifndef RUN_COMMAND_H
#define RUN_COMMAND_H

#include <stdbool.h>

struct run_command {
    const char *const *argv; /**< ended by NULL; argv[0] is the path of the executable */
    const char *const *env;  /**< its whole environment, ended by NULL; NULL: LC_ALL=C alone */
    unsigned closed;         /**< bit n: it starts with descriptor n closed, n in 0..2 */
    bool reader_gone;        /**< its stdout is a pipe that nobody reads any more */
    const char *in_path;     /**< its stdin is this file; NULL: /dev/null */
    const char *out_path;    /**< its stdout is this file; NULL: it is captured */
    unsigned deadline_ms;    /**< killed when it runs for longer; 0: 30 s */
};

struct run_result {
    int status;     /**< exit status; -N when signal N ended it */
    bool timed_out; /**< killed at the deadline */
    char *out;      /**< what it wrote to stdout, ended by NUL; "" where that was not captured */
    char *err;      /**< and to stderr */
};

/**
 * Run a command with default signal handling, and wait for its end.
 *
 * @param ret_result  written only on success; to run_result_free().
 * @return 0, or an errno when it could not be started.
 */
int run_command(const struct run_command *command, struct run_result *ret_result);

void run_result_free(struct run_result *result);

#endif
