/* SPDX-License-Identifier: MIT */
#include "firmware.h"

#define SECONDS_MAX 3600

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/** Cut blanks off both ends. */
static char *trim(char *text)
{
    while (is_space(*text))
        text++;
    char *end = text;
    for (char *at = text; *at != '\0'; at++) {
        if (!is_space(*at))
            end = at + 1;
    }
    *end = '\0';
    return text;
}

/** Cut text at the first `c`; what follows it, NULL when there is none. */
static char *cut(char *text, char c)
{
    for (; *text != '\0'; text++) {
        if (*text == c) {
            *text = '\0';
            return text + 1;
        }
    }
    return NULL;
}

/** The place of a word in a list that NULL ends, -1 when it is not there. */
static int find(const char *const *words, const char *word)
{
    for (int i = 0; words[i] != NULL; i++) {
        if (tkf_uefi_same(words[i], word))
            return i;
    }
    return -1;
}

static bool parse_seconds(const char *text, unsigned *ret_seconds)
{
    unsigned n = 0;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return false;
        n = n * 10 + (unsigned)(*text - '0');
        if (n > SECONDS_MAX)
            return false;
    }
    *ret_seconds = n;
    return n > 0;
}

/** The words of struct tkf_uefi_config's enums, in their order. */
static const char *const cpus_words[] = {"all", "boot", NULL};
static const char *const clock_words[] = {"auto", "pm-timer", "hpet", "rtc", "none", NULL};
static const char *const then_words[] = {"wait", "exit", "reboot", "poweroff", NULL};

/** Take one setting. NULL, or what may stand there. */
static const char *take(const char *name, const char *value, struct tkf_uefi_config *config)
{
    int which;
    if (tkf_uefi_same(name, "cpus")) {
        which = find(cpus_words, value);
        config->boot_cpu_only = which >= 0 ? which == 1 : config->boot_cpu_only;
        return which >= 0 ? NULL : "give all or boot";
    }
    if (tkf_uefi_same(name, "seconds"))
        return parse_seconds(value, &config->seconds) ? NULL : "give a whole number, 1 to 3600";
    if (tkf_uefi_same(name, "clock")) {
        which = find(clock_words, value);
        config->clock = which >= 0 ? (enum tkf_uefi_clock_choice)which : config->clock;
        return which >= 0 ? NULL : "give auto, pm-timer, hpet, rtc or none";
    }
    if (tkf_uefi_same(name, "then")) {
        which = find(then_words, value);
        config->then = which >= 0 ? (enum tkf_uefi_then)which : config->then;
        return which >= 0 ? NULL : "give wait, exit, reboot or poweroff";
    }
    return "the settings are cpus, seconds, clock and then";
}

/** A copy that can be printed: what is not ASCII is '?', and the rest of a long text is left out. */
static void printable(char ret_text[40], const char *text)
{
    unsigned n = 0;
    for (; text[n] != '\0' && n < 39; n++)
        ret_text[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
    ret_text[n] = '\0';
}

int tkf_uefi_config_parse(char *text, struct tkf_uefi_config *ret_config,
                          struct tkf_input_error *ret_error)
{
    int error = 0;
    *ret_config = (struct tkf_uefi_config){.seconds = 1};
    for (unsigned line = 1; text != NULL; line++) {
        char *rest = cut(text, '\n');
        cut(text, '#');
        char *value = cut(text, '=');
        char *name = trim(text);
        const char *next = NULL;
        if (value != NULL)
            next = take(name, value = trim(value), ret_config);
        else if (*name != '\0')
            next = "write name = value";
        if (next != NULL && error == 0) {
            char shown[40], shown_value[40];
            printable(shown, name);
            printable(shown_value, value != NULL ? value : "");
            error = TKF_EFORMAT;
            ret_error->line = line;
            tkf_uefi_format(ret_error->text, sizeof ret_error->text, "'%s%s%s' is no setting",
                            shown, value != NULL ? " = " : "", shown_value);
            tkf_uefi_format(ret_error->next, sizeof ret_error->next, "%s", next);
        }
        text = rest;
    }
    return error;
}
