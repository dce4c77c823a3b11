/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <assert.h>
#include <ctype.h>
#include <getopt.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS_MAX 48
#define NAME_SIZE   32

/* ---- the nearest word ------------------------------------------------------------------------ */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/**
 * Edit distance with insertions, deletions, substitutions and swaps of neighbours, one each, upper
 * and lower case being alike: Damerau-Levenshtein in its restricted form, in which no part is
 * edited twice.
 */
static size_t distance(const char *a, const char *b)
{
    size_t m = strlen(b);
    size_t rows[3][m + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++)
        row[j] = j;

    for (size_t i = 1; a[i - 1]; i++) {
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            row[j] = least(least(last[j], row[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]))
                row[j] = least(row[j], before[j - 2] + 1);
        }
    }
    return row[m];
}

const char *tkf_nearest(const char *word, const char *const *candidates)
{
    const char *nearest = NULL;
    size_t length = strlen(word), smallest = SIZE_MAX;
    for (; *candidates; candidates++) {
        size_t other = strlen(*candidates);
        size_t longer = length > other ? length : other;
        /* One mistake in three letters: more, and it is another word. Two lengths that differ by
         * more need no look. */
        if (longer - least(length, other) > longer / 3)
            continue;
        size_t d = distance(word, *candidates);
        if (d <= longer / 3 && d < smallest) {
            smallest = d;
            nearest = *candidates;
        }
    }
    return nearest;
}

/* ---- the common options ---------------------------------------------------------------------- */

static int set_json(void *target, const char *name, const char *value)
{
    (void)name;
    (void)value;
    ((struct tkf_common *)target)->json = true;
    return 0;
}

static int set_color(void *target, const char *name, const char *value)
{
    static const char *const values[] = {
        [TKF_COLOR_AUTO] = "auto",
        [TKF_COLOR_ALWAYS] = "always",
        [TKF_COLOR_NEVER] = "never",
        NULL,
    };
    for (int i = 0; values[i]; i++) {
        if (strcmp(value, values[i]) == 0) {
            ((struct tkf_common *)target)->color = i;
            return 0;
        }
    }
    tkf_error("use auto, always or never", "'--%s' does not know '%s'", name, value);
    return TKF_EXIT_USAGE;
}

enum { COMMON_JSON, COMMON_COLOR, COMMON_HELP, COMMON_VERSION };

const struct tkf_option tkf_common_options[] = {
    [COMMON_JSON] = {.name = "json", .text = "print JSON", .set = set_json},
    [COMMON_COLOR] =
        {.name = "color",
         .argument = "WHEN",
         .text = "use colour: auto (on a terminal, unless NO_COLOR is set), always or never",
         .set = set_color},
    [COMMON_HELP] = {.name = "help", .letter = 'h', .text = "print this help"},
    [COMMON_VERSION] = {.name = "version", .letter = 'V', .text = "print the version"},
    {0},
};

/* ---- parsing --------------------------------------------------------------------------------- */

/** What getopt_long() needs, and the way back from what it returns. */
struct table {
    const struct tkf_option *options[OPTIONS_MAX];
    char negated[OPTIONS_MAX][NAME_SIZE];
    unsigned count;
    struct option longs[2 * OPTIONS_MAX + 2];
    unsigned nlongs;
    char letters[2 * OPTIONS_MAX + 2];
};

/** A long option's value: this + twice its index, + 1 when negated. Beyond any letter. */
#define LONG_BASE 256

static void add_long(struct table *table, const char *name, int has_arg, int value)
{
    table->longs[table->nlongs++] = (struct option){.name = name, .has_arg = has_arg, .val = value};
}

static void add_options(struct table *table, const struct tkf_option *option)
{
    for (; option->name; option++) {
        assert(table->count < OPTIONS_MAX && strlen(option->name) + sizeof "no-" <= NAME_SIZE);
        unsigned index = table->count++;
        int value = LONG_BASE + 2 * (int)index;
        table->options[index] = option;
        add_long(table, option->name, option->argument ? required_argument : no_argument, value);
        if (option->negatable) {
            snprintf(table->negated[index], NAME_SIZE, "no-%s", option->name);
            add_long(table, table->negated[index], no_argument, value + 1);
        }
        if (option == &tkf_common_options[COMMON_COLOR])
            add_long(table, "colour", required_argument, value);
        if (option->letter) {
            size_t end = strlen(table->letters);
            table->letters[end] = option->letter;
            table->letters[end + 1] = option->argument ? ':' : '\0';
        }
    }
}

/** The option that getopt_long() returned or complains of, and its name in full; NULL for none. */
static const struct tkf_option *option_of(const struct table *table, int value,
                                          const char **ret_name)
{
    for (unsigned i = 0; i < table->count; i++) {
        const struct tkf_option *option = table->options[i];
        int number = LONG_BASE + 2 * (int)i;
        if (value == number + 1)
            *ret_name = table->negated[i];
        else if (value == number || (option->letter && value == option->letter))
            *ret_name = option->name;
        else
            continue;
        return option;
    }
    return NULL;
}

/** `dashes` and `word` are the option as it was written, `meant` what a long one may resemble. */
static void say_unknown(const struct tkf_verb *verb, const struct table *table, const char *dashes,
                        const char *word, const char *meant)
{
    const char *names[2 * OPTIONS_MAX + 2] = {0};
    for (unsigned i = 0; i < table->nlongs; i++)
        names[i] = table->longs[i].name;
    const char *nearest = tkf_nearest(meant, names);

    char next[160];
    if (nearest)
        snprintf(next, sizeof next, "did you mean '--%s'? see 'tickfloor %s --help'", nearest,
                 verb->name);
    else
        snprintf(next, sizeof next, "see 'tickfloor %s --help'", verb->name);
    tkf_error(next, "unknown option '%s%s'", dashes, word);
}

/** Say that a long option is cut so short that it can be two. False where it cannot. */
static bool say_ambiguous(const struct table *table, const char *name)
{
    const struct option *first = NULL;
    for (const struct option *o = table->longs; o->name; o++) {
        if (strncmp(o->name, name, strlen(name)) != 0)
            continue;
        if (!first) {
            first = o;
        } else if (o->val != first->val) {
            char next[160];
            snprintf(next, sizeof next, "did you mean '--%s' or '--%s'?", first->name, o->name);
            tkf_error(next, "option '--%s' is ambiguous", name);
            return true;
        }
    }
    return false;
}

/** Say what getopt_long() did not like. It returned `code`; its optopt and optind tell the rest. */
static void refuse(const struct tkf_verb *verb, const struct table *table, int code, int argc,
                   char **argv)
{
    const char *name;
    const struct tkf_option *option = option_of(table, optopt, &name);
    const char *word = argv[optind - 1];

    if (option) {
        char next[160];
        snprintf(next, sizeof next, "see 'tickfloor %s --help'", verb->name);
        if (code == ':')
            tkf_error(next, "option '--%s' needs an argument, %s", name, option->argument);
        else
            tkf_error(next, "option '--%s' takes no argument", name);
    } else if (optopt != 0) {
        /* In a word of letters optind is past it only when its last one was bad. The whole word
         * counts: "-version" was meant as "--version". */
        if ((word[0] != '-' || word[strlen(word) - 1] != (char)optopt) && optind < argc)
            word = argv[optind];
        say_unknown(verb, table, "-", (char[]){(char)optopt, '\0'}, word + 1);
    } else {
        char *cut = strndup(word + 2, strcspn(word + 2, "="));
        if (!cut)
            tkf_error(NULL, "out of memory");
        else if (cut[0] == '\0' || !say_ambiguous(table, cut))
            say_unknown(verb, table, "--", cut, cut);
        free(cut);
    }
}

int tkf_options_parse(const struct tkf_verb *verb, int argc, char **argv, void *target,
                      struct tkf_common *ret_common, int *ret_first)
{
    struct tkf_common common = {0};
    /* The colon has getopt_long() tell a missing argument from an unknown option. */
    struct table table = {.letters = ":"};
    add_options(&table, verb->options);
    add_options(&table, tkf_common_options);

    opterr = 0;
    optind = 0; /* start afresh, also getopt_long()'s own state */
    int code;
    while ((code = getopt_long(argc, argv, table.letters, table.longs, NULL)) != -1) {
        const char *name;
        const struct tkf_option *option = option_of(&table, code, &name);
        if (!option) {
            refuse(verb, &table, code, argc, argv);
            return TKF_EXIT_USAGE;
        }
        if (option == &tkf_common_options[COMMON_HELP]) {
            tkf_help_print(verb);
            return TKF_EXIT_OK;
        }
        if (option == &tkf_common_options[COMMON_VERSION]) {
            puts("tickfloor " TKF_VERSION);
            return TKF_EXIT_OK;
        }
        bool is_common = option->set == set_json || option->set == set_color;
        int status = option->set(is_common ? &common : target, name, optarg);
        if (status != 0)
            return status;
    }
    *ret_common = common;
    *ret_first = optind;
    return -1;
}

int tkf_take_number(const char *name, const char *value, double least, double most,
                    const char *next, double *ret_number)
{
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end != '\0' || !(number >= least && number <= most)) {
        tkf_error(next, "--%s: '%s' is no number that it takes", name, value);
        return TKF_EXIT_USAGE;
    }
    *ret_number = number;
    return 0;
}

int tkf_option_words(const char *name, const char *value, unsigned (*bits_of)(const char *word),
                     int (*refuse)(const char *name, const char *word), unsigned *ret_bits)
{
    char *words = strdup(value), *rest;
    unsigned bits = 0;
    int status = 0;
    if (!words) {
        tkf_error(NULL, "out of memory");
        return TKF_EXIT_MEASURE;
    }
    bool none = strcmp(value, "none") == 0;
    if (value[0] == '\0')
        status = refuse(name, value);
    for (char *word = strtok_r(words, ",", &rest); word && !none && status == 0;
         word = strtok_r(NULL, ",", &rest)) {
        unsigned more = bits_of(word);
        bits |= more;
        if (more == 0)
            status = refuse(name, word);
    }
    free(words);
    if (status == 0)
        *ret_bits = bits;
    return status;
}
