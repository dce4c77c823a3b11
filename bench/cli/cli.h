/* SPDX-License-Identifier: MIT */
/** What the verbs of the `tickfloor` command share. Only this folder prints. */
#ifndef TKF_CLI_H
#define TKF_CLI_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include <tickfloor/machine.h>

/** Exit status, the same for every verb. */
enum tkf_exit {
    TKF_EXIT_OK = 0,
    TKF_EXIT_FLAGGED = 1,   /**< something was flagged */
    TKF_EXIT_USAGE = 2,     /**< usage, or input that cannot be read */
    TKF_EXIT_MEASURE = 3,   /**< could not measure, or could not save what was measured */
    TKF_EXIT_SIGINT = 130,  /**< 128 and the signal's number, as a shell has it */
    TKF_EXIT_SIGTERM = 143,
};

/** How a verb ends that could not measure: a TKF_E code of tkf_calibrate_machine() or of tkf_explore_machine(). */
int tkf_exit_of(int error);

/* ---- options.c -------------------------------------------------------------------------------------------------- */

/** One option of a verb. */
struct tkf_option {
    const char *name;     /**< without the dashes; also accepted as --no-NAME where `negatable` */
    char letter;          /**< short form, 0 without */
    const char *argument; /**< its argument's name in the help, NULL for a flag */
    bool negatable;
    const char *text;     /**< what it does, one line */
    /**
     * Take the option. `name` is the long name in full, "no-NAME" where it was negated; `value` its argument, NULL for
     * a flag; it stays valid, being a part of argv. Returns 0, or an exit status after having said why.
     */
    int (*set)(void *target, const char *name, const char *value);
};

/** One verb. */
struct tkf_verb {
    const char *name;
    const char *usage;   /**< "calibrate [OPTION...]" */
    const char *text;    /**< one line, for the list of verbs */
    const char *detail;  /**< a paragraph or more, for its help */
    const struct tkf_option *options; /**< ended by a NULL name; the common ones are added by options.c */
    int (*run)(int argc, char **argv); /**< argv[0] is skipped, whatever it is */
    void (*more_help)(void); /**< prints what its help has after the options; NULL: nothing */
};

/** Options that every verb has: --json, --color WHEN, --help, --version. */
struct tkf_common {
    bool json;
    enum { TKF_COLOR_AUTO, TKF_COLOR_ALWAYS, TKF_COLOR_NEVER } color;
};

/**
 * Parse a verb's options, with getopt_long: options and operands in any order, "--" ends the options. Handles --help and
 * --version itself. An option that does not exist gets the nearest one suggested. Not for two threads at once.
 * @param target      passed to each option's set().
 * @param argv        is reordered.
 * @param ret_common  the common options.
 * @param ret_first   index in argv of the first operand; the operands follow it, in order.
 * @return -1 to go on; otherwise the exit status to end with.
 */
int tkf_options_parse(const struct tkf_verb *verb, int argc, char **argv, void *target, struct tkf_common *ret_common,
                      int *ret_first);

/**
 * The candidate nearest to `word` by edit distance, if it is near enough to be a typing mistake; else NULL.
 * @param candidates  ended by NULL; of equally near ones the first is taken.
 */
const char *tkf_nearest(const char *word, const char *const *candidates);

/**
 * Take an option's value that is a number from `least` to `most`; ret_number is in units of the option.
 * @param next  the next step where it is none.
 * @return 0, or an exit status after having said why.
 */
int tkf_take_number(const char *name, const char *value, double least, double most, const char *next,
                    double *ret_number);

/**
 * Take an option whose argument is words with commas between, or "none".
 * @param bits_of   what a word stands for; 0: it is none of them.
 * @param refuse    says that a word is none, and gives an exit status.
 * @param ret_bits  of all words together; written only on success.
 * @return 0, or an exit status after having said why.
 */
int tkf_option_words(const char *name, const char *value, unsigned (*bits_of)(const char *word),
                     int (*refuse)(const char *name, const char *word), unsigned *ret_bits);

/** The options that every verb has; ended by a NULL name. */
extern const struct tkf_option tkf_common_options[];

/* ---- verbs.c ---------------------------------------------------------------------------------------------------- */

/** The verbs, in the order of the help; ended by a NULL name. The first is the one that runs when none is named. */
extern const struct tkf_verb tkf_verbs[];

/** The verb of that name; NULL after having said that there is none, with the nearest one suggested. */
const struct tkf_verb *tkf_verb_find(const char *name);

/* ---- help.c ----------------------------------------------------------------------------------------------------- */

/** Print a verb's help on stdout, at most 80 columns wide; with NULL the help of the command as a whole. */
void tkf_help_print(const struct tkf_verb *verb);

/* ---- style.c -------------------------------------------------------------------------------------------------------- */

/** How to print for a person on one stream. */
struct tkf_style {
    bool color;   /**< after --color, NO_COLOR and whether the stream is a terminal */
    bool unicode; /**< the locale's character set is UTF-8 */
    unsigned width; /**< columns, 80 where unknown */
    const char *bold, *dim, *red, *yellow, *green, *cyan, *reset; /**< escape sequences, "" without colour */
};

/** The strings in it are constant. */
struct tkf_style tkf_style_for(FILE *stream, const struct tkf_common *common);

/** Whether the stream is a terminal that understands escape sequences, whatever the user wants of colour. */
bool tkf_terminal(FILE *stream);

/* ---- message.c ------------------------------------------------------------------------------------------------------ */

/**
 * One line on stderr: "tickfloor: CAUSE; NEXT". next may be NULL. Control characters, those that turn the direction of
 * the text and bytes that are not UTF-8 are shown as \xNN, never passed on: a name from a file cannot drive the terminal.
 */
void tkf_error(const char *next, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Progress on stderr, only when it is a terminal; each call overwrites the last. done in 0..1. */
void tkf_progress(double done, const char *what);
void tkf_progress_clear(void);

/** Print a profile as JSON on stdout. Returns an exit status; that stdout failed is left to tkf_finish(). */
int tkf_print_profile(const struct tkf_profile *profile);

/** The same for a machine. */
int tkf_print_description(const struct tkf_description *description);

/**
 * Flush and check stdout. main() does so with what a verb returns; a verb that must know sooner may do so itself. A
 * reader that went away (EPIPE) is not an error of ours: `status` is kept, silently. Any other failure is said, once,
 * and gives TKF_EXIT_MEASURE.
 */
int tkf_finish(int status);

/**
 * From main(): SIGINT and SIGTERM set a flag instead of ending the process, the first time; a second one ends it. One
 * that the parent had ignored stays so. A system call that waits returns EINTR. SIGPIPE and SIGXFSZ are ignored.
 */
void tkf_signals_install(void);

/**
 * For a verb that only prints from here on: SIGINT and SIGTERM end the process again, the first time, also where it waits
 * for the reader of its output.
 */
void tkf_signals_release(void);

/** TKF_EXIT_SIGTERM after SIGTERM, else TKF_EXIT_SIGINT: how a verb ends that tkf_interrupted() stopped. */
int tkf_exit_interrupted(void);

/** Whether SIGINT or SIGTERM came. ctx is not looked at: it is there for struct tkf_env's `cancelled`. */
bool tkf_interrupted(void *ctx);

/* ---- paths.c ---------------------------------------------------------------------------------------------------------- */

/**
 * Where the profile is kept: $XDG_STATE_HOME/tickfloor/profile.json, else ~/.local/state/tickfloor/profile.json.
 * @return the path, to free(); NULL when there is no home either.
 */
char *tkf_profile_path(void);

/* ---- input.c ---------------------------------------------------------------------------------------------------------- */

/** Open an input that the user named; "-" is stdin, which is not to be closed. NULL with errno. A pipe without a writer is empty. */
FILE *tkf_input_open(const char *path);

/** An input as the user is told of it. */
const char *tkf_input_name(const char *path);

/** Read the profile in an input. Returns 0, or an exit status after having said why. To tkf_profile_free(). */
int tkf_profile_load(const char *path, struct tkf_profile *ret_profile);

/* ---- save.c ----------------------------------------------------------------------------------------------------------- */

/** Take the value of --output. Returns 0, or an exit status after having said what is wrong with it. */
int tkf_save_option(const char *name, const char *value, const char **ret_output);

/** Say that --output and --no-save contradict each other. Returns an exit status. */
int tkf_save_contradiction(void);

/** What errno says of a file that could not be saved. */
const char *tkf_save_reason(void);

/**
 * Save a profile, together with what the one before it of the same machine knew of frameworks and, unless this one was
 * explored, of what surrounds the floor.
 * @param output    a file; NULL: in the state folder.
 * @param ret_path  where; to free(). Written on success only.
 * @return an exit status; a failure is said.
 */
int tkf_save(struct tkf_profile *profile, const char *output, char **ret_path);

/* ---- view.c: --html, --svg and --lstopo ---------------------------------------------------------------------------------- */

/** Where an exploration is drawn; NULL: not wanted. */
struct tkf_views {
    const char *html, *svg, *lstopo;
};

/** Take one of the options, by its name. Returns 0, or an exit status after having said why. */
int tkf_view_option(const char *name, const char *value, struct tkf_views *views);

/** Write what is wanted. Returns an exit status; each failure is said. */
int tkf_views_write(const struct tkf_views *views, const struct tkf_profile *profile);

/* ---- card.c ------------------------------------------------------------------------------------------------------------ */

/**
 * Print a profile for a person, at most 80 columns wide. What comes from the profile is cleaned: no
 * control character and no change of direction reaches a terminal. With style->unicode the locale
 * must be one of UTF-8.
 */
void tkf_card_print(FILE *out, const struct tkf_style *style, const struct tkf_profile *profile);

/** The same for a machine that was described and not measured: with every check that is to be mended. */
void tkf_card_machine(FILE *out, const struct tkf_style *style, const struct tkf_description *description);

/**
 * Print one remark as the card prints its warnings: "! TEXT -> NEXT", wrapped and cleaned. With NULL
 * for the next step the text stands alone: it is information, not a warning.
 */
void tkf_card_note(FILE *out, const struct tkf_style *style, const char *text, const char *next);

/**
 * How long ago that was: "3 days ago", "just now".
 * @param created   RFC 3339, UTC, as in a profile.
 * @param ret_text  [size]; "at an unknown time" when `created` is no such time, "in the future" when
 *                  it lies there.
 */
void tkf_card_age(const char *created, time_t now, char *ret_text, size_t size);

/* ---- explore_card.c ------------------------------------------------------------------------------------------------------ */

/** Print what was explored for a person, at most 80 columns wide, cleaned as the card is. profile->explore is there. */
void tkf_explore_print(FILE *out, const struct tkf_style *style, const struct tkf_profile *profile);

/* ---- harness.c: --harness of `tickfloor calibrate` ------------------------------------------------------------------------ */

/** Whether the option is what it may be: "auto", "list", or names of frameworks with commas between; a failure is said. */
int tkf_harness_check(const char *option);

/**
 * Measure the frameworks of a checked option and add them to the profile. One that could not be measured is said, and is a failure
 * where it was named. Returns an exit status.
 */
int tkf_harness_add(const char *option, struct tkf_profile *profile);

/** Print which frameworks can be measured here, and what the others lack. Returns an exit status. */
int tkf_harness_print_list(const struct tkf_common *common);

/* ---- the verbs ------------------------------------------------------------------------------------------------------------ */

int tkf_verb_bench(int argc, char **argv);
int tkf_verb_calibrate(int argc, char **argv);
int tkf_verb_compare(int argc, char **argv);
int tkf_verb_fleet(int argc, char **argv);
int tkf_verb_explore(int argc, char **argv);
int tkf_verb_report(int argc, char **argv);
int tkf_verb_show(int argc, char **argv);
extern const struct tkf_option tkf_bench_cli_options[];
extern const struct tkf_option tkf_calibrate_cli_options[];
extern const struct tkf_option tkf_compare_cli_options[];
extern const struct tkf_option tkf_fleet_cli_options[];
extern const struct tkf_option tkf_explore_cli_options[];
extern const struct tkf_option tkf_report_cli_options[];
extern const struct tkf_option tkf_show_cli_options[];
void tkf_report_help(void);

#endif
