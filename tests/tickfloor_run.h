/* SPDX-License-Identifier: MIT */
/** Run the built command in a home of its own, under conditions, and look at what it said. For test programs of cmocka. */
#ifndef TICKFLOOR_RUN_H
#define TICKFLOOR_RUN_H

#include <stdbool.h>

#include <tickfloor/profile.h>

#include "run_command.h"

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED 0
#endif

/** What the build passes to a test, in this order; then the words of an emulator that is needed to run the command. */
struct program {
    const char *tickfloor;
    const char *under;  /**< tests/under.c, "" where there is none */
    const char *no_tsc; /**< tests/no_tsc.c, "" where there is none */
    const char *python, *schema;
    char **emulator;
};
extern struct program program;

/** A folder of this test program's own; the command's HOME, with nothing in it before each test. */
extern char home[];

struct call {
    const char *words[8]; /**< after "tickfloor" */
    const char *under[4]; /**< conditions of tests/under.c */
    const char *env[6];   /**< added to LC_ALL=C and HOME, or in place of them */
    unsigned closed;
    bool reader_gone;
    const char *in_path, *out_path;
};

/** The words of a call as argv, and its environment; static, until the next call. */
const char *const *call_argv(const struct call *call);
const char *const *call_env(const struct call *call);

/** Run it; to run_result_free(). The test fails when it does not end or is killed, and is skipped when a condition cannot be made. */
struct run_result call(const struct call *call);

/** call(), and hold its status and whole stderr ("" or "tickfloor: ERR\n") against these. */
void call_expecting(const struct call *call, int status, const char *err);

/** The profile in a text, which must be one. To tkf_profile_free(). */
struct tkf_profile profile_of(const char *json);

/** A path in home. Static, for the last sixteen. */
const char *in_home(const char *name);

/** Everything in a file, NULL when there is none; to free(). */
char *contents(const char *path);
void write_contents(const char *path, const char *text);

/** How many entries a folder has. */
unsigned entries(const char *folder);

/** Leave a test that this machine cannot show, loudly: run_with_command() returns 77 then. */
void skip_because(const char *reason);

/** main() of a test program: take the arguments, make `home`, run, clean up. */
struct CMUnitTest;
int run_with_command(int argc, char **argv, const struct CMUnitTest *tests, size_t ntests);

/** Before each test: an empty home. */
int fresh_home(void **state);

#endif
