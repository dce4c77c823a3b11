/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <string.h>

#define WIDTH     80
#define INDENT    2
#define GAP       2
#define LEFT_MAX  26 /* a longer term has a line of its own */
#define TERM_SIZE 64

/**
 * Fill lines with the words of `text`, the first from `column` on, all from `indent`. Its newlines
 * are kept.
 */
static void print_wrapped(const char *text, int column, int indent)
{
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (length > 0) {
            if (column > indent && column + 1 + length > WIDTH) {
                putchar('\n');
                column = 0;
            }
            column += column > indent ? printf(" ") : printf("%*s", indent - column, "");
            column += printf("%.*s", length, text);
        }
        text += length;
        if (*text == '\n') {
            putchar('\n');
            column = 0;
        }
        if (*text)
            text++;
    }
    putchar('\n');
}

/** One line of a list: a term, and beside it, from column `left` on, what it means. */
static void print_entry(const char *term, const char *text, int left)
{
    int column = printf("%*s%s", INDENT, "", term);
    if (column + GAP > left) {
        putchar('\n');
        column = 0;
    }
    print_wrapped(text, column, left);
}

/** The column for the meanings beside terms of which the longest has this many bytes. */
static int left_for(size_t longest)
{
    int left = INDENT + (int)longest + GAP;
    return left < LEFT_MAX ? left : LEFT_MAX;
}

/** An option as the help spells it, "-o, --out FILE". */
static void spell(const struct tkf_option *option, char ret_term[TERM_SIZE])
{
    char letter[] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(ret_term, TERM_SIZE, "%s--%s%s%s%s", letter, option->negatable ? "[no-]" : "",
             option->name, option->argument ? " " : "", option->argument ? option->argument : "");
}

static size_t longest_option(const struct tkf_option *options, size_t longest)
{
    char term[TERM_SIZE];
    for (; options->name; options++) {
        spell(options, term);
        if (strlen(term) > longest)
            longest = strlen(term);
    }
    return longest;
}

static void print_options(const struct tkf_option *options, int left)
{
    char term[TERM_SIZE];
    for (; options->name; options++) {
        spell(options, term);
        print_entry(term, options->text, left);
    }
}

static void print_statuses(void)
{
    static const struct {
        enum tkf_exit status;
        const char *text;
    } statuses[] = {
        {TKF_EXIT_OK, "all clear"},
        {TKF_EXIT_FLAGGED, "something was flagged"},
        {TKF_EXIT_USAGE, "usage, or input that cannot be read"},
        {TKF_EXIT_MEASURE, "could not measure, or could not save or print the outcome"},
        {TKF_EXIT_SIGINT, "interrupted"},
        {TKF_EXIT_SIGTERM, "terminated"},
    };
    puts("\nExit status:");
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        char term[TERM_SIZE];
        snprintf(term, sizeof term, "%d", statuses[i].status);
        print_entry(term, statuses[i].text, left_for(strlen("130")));
    }
}

static void print_command_help(void)
{
    size_t longest = 0;
    for (const struct tkf_verb *verb = tkf_verbs; verb->name; verb++) {
        if (strlen(verb->name) > longest)
            longest = strlen(verb->name);
    }
    puts("Usage: tickfloor [COMMAND] [OPTION...] [OPERAND...]\n");
    print_wrapped(
        "Find out how fine this machine can measure time: its counter, its core cycle and its "
        "empty loop, below which no benchmark result means anything.",
        0, 0);
    puts("\nCommands (the first when none is named):");
    for (const struct tkf_verb *verb = tkf_verbs; verb->name; verb++)
        print_entry(verb->name, verb->text, left_for(longest));
    puts("\nOptions of every command:");
    print_options(tkf_common_options, left_for(longest_option(tkf_common_options, 0)));
    print_statuses();
    puts("\n'tickfloor help COMMAND' tells more of a command.");
}

void tkf_help_print(const struct tkf_verb *verb)
{
    if (!verb) {
        print_command_help();
        return;
    }
    printf("Usage: tickfloor %s\n\n", verb->usage);
    print_wrapped(verb->detail, 0, 0);
    puts("\nOptions:");
    int left = left_for(longest_option(tkf_common_options, longest_option(verb->options, 0)));
    print_options(verb->options, left);
    print_options(tkf_common_options, left);
    if (verb->more_help)
        verb->more_help();
    print_statuses();
}
