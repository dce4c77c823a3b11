/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"

static bool is_letter(char c)
{
    return isalpha((unsigned char)c);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- parameters ---- */

/* "batch=4096" of a name's pieces, which '/' separates; the value begins after = or :. */
static bool piece_has_key(const char *piece, const char *key, const char **ret_value)
{
    size_t length = strlen(key);
    if (strncmp(piece, key, length) != 0 || (piece[length] != '=' && piece[length] != ':'))
        return false;
    *ret_value = piece + length + 1;
    return true;
}

struct tkf_name_parts tkf_name_parts(const char *name)
{
    struct tkf_name_parts parts = {.batch = NAN};
    const char *value;
    for (const char *piece = strchr(name, '/'); piece; piece = strchr(piece, '/')) {
        piece++;
        if (piece_has_key(piece, "batch", &value) && is_digit(*value))
            parts.batch = strtod(value, NULL);
    }
    parts.parallel = strcasestr(name, "parallel") || strcasestr(name, "concurrent");
    return parts;
}

/* ---- sizes ---- */

/* Keys whose numbers are no size of the work. */
static const char *const other_keys[] = {
    "batch",   "cpu",  "cpus",   "iterations", "min_time", "min_warmup_time", "p",       "procs",
    "repeats", "seed", "shards", "thread",     "threads",  "version",         "workers",
};

/* The word in front of a number, without the '=' or ':' between them. */
static bool is_other_key(const char *name, const char *number)
{
    const char *end = number;
    if (end > name && (end[-1] == '=' || end[-1] == ':' || end[-1] == '_' || end[-1] == '-'))
        end--;
    const char *start = end;
    while (start > name && (is_letter(start[-1]) || start[-1] == '_'))
        start--;
    for (size_t i = 0; i < sizeof(other_keys) / sizeof(other_keys[0]); i++) {
        size_t length = strlen(other_keys[i]);
        if ((size_t)(end - start) == length && strncasecmp(start, other_keys[i], length) == 0)
            return true;
    }
    return false;
}

unsigned tkf_name_sizes(const char *name, struct tkf_name_size ret_sizes[TKF_NAME_SIZES_MAX])
{
    unsigned n = 0;
    for (const char *at = name; *at && n < TKF_NAME_SIZES_MAX;) {
        if (!is_digit(*at)) {
            at++;
            continue;
        }
        char *end;
        double value = (double)strtoull(at, &end, 10);
        bool own =
            at == name || !is_letter(at[-1]); /* "sum32" is a name, "sum/32" is one with a size */
        if (own && !is_letter(*end) && *end != '.' && value > 0 && !is_other_key(name, at))
            ret_sizes[n++] = (struct tkf_name_size){
                .start = (unsigned)(at - name), .length = (unsigned)(end - at), .value = value};
        at = end;
    }
    return n;
}

/* ---- the empty benchmark ---- */

/* What frameworks and habits put in front of a benchmark's own name. */
static const char *const prefixes[] = {"benchmark", "bench", "bm", "test", "b"};

static const char *const empty_words[] = {"empty",   "noop",     "nop",
                                          "nothing", "baseline", "overhead"};

static bool is_one_of(const char *word, size_t length, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strlen(words[i]) == length && strncasecmp(word, words[i], length) == 0)
            return true;
    }
    return false;
}

/*
 * The next word of a name in camel case, snake case or prose, advancing *rest; its length, 0 at the
 * end.
 */
static size_t next_word(const char **rest, const char **ret_word)
{
    const char *at = *rest;
    while (*at && !is_letter(*at))
        at++;
    const char *word = at;
    while (is_letter(*at) &&
           (at == word || !isupper((unsigned char)*at) || isupper((unsigned char)at[-1]))) {
        /* In "BMEmpty" the last capital belongs to the word that it begins. */
        if (at > word && isupper((unsigned char)*at) && islower((unsigned char)at[1]))
            break;
        at++;
    }
    *ret_word = word;
    *rest = at;
    return (size_t)(at - word);
}

static bool says_does_nothing(const char *name)
{
    const char *does = strcasestr(name, "does");
    return does &&
           (strncasecmp(does + 4, " nothing", 8) == 0 ||
            strncasecmp(does + 4, "_nothing", 8) == 0 || strncasecmp(does + 4, "nothing", 7) == 0);
}

/*
 * The word has to stand first, or alone after the last '/': "EmptyLoop" and "loop/empty" do
 * nothing, "ParseEmpty" parses.
 */
bool tkf_name_is_empty(const char *name)
{
    enum { PREFIXES = sizeof(prefixes) / sizeof(prefixes[0]) };
    enum { WORDS = sizeof(empty_words) / sizeof(empty_words[0]) };
    const char *rest = name, *word;
    size_t length = next_word(&rest, &word);
    while (length > 0 && is_one_of(word, length, prefixes, PREFIXES))
        length = next_word(&rest, &word);
    if (length > 0 && is_one_of(word, length, empty_words, WORDS))
        return true;
    const char *slash = strrchr(name, '/');
    if (slash && is_one_of(slash + 1, strlen(slash + 1), empty_words, WORDS))
        return true;
    return says_does_nothing(name);
}

bool tkf_name_is(const struct tkf_result *row, const char *name)
{
    size_t group = strlen(row->group);
    if (strcmp(row->name, name) == 0 || (row->full_name && strcmp(row->full_name, name) == 0))
        return true;
    return group > 0 && strncmp(name, row->group, group) == 0 && name[group] &&
           strchr("./:", name[group]) && strcmp(name + group + 1, row->name) == 0;
}
