/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Characters that move the cursor, end the line or turn the direction of the text. */
static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
           (c >= 0x2066 && c <= 0x2069);
}

/**
 * How many bytes at s are one character that may be shown as it is; 0 for none. Not mbrtowc(): in
 * the C locale, the usual one in containers and cron, it knows no character beyond ASCII.
 */
static size_t plain_bytes(const unsigned char *s)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t c;
    size_t n;
    if (s[0] < 0x80) {
        c = s[0];
        n = 1;
    } else if ((s[0] & 0xe0) == 0xc0) {
        c = s[0] & 0x1f;
        n = 2;
    } else if ((s[0] & 0xf0) == 0xe0) {
        c = s[0] & 0x0f;
        n = 3;
    } else if ((s[0] & 0xf8) == 0xf0) {
        c = s[0] & 0x07;
        n = 4;
    } else {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff) || is_control(c))
        return 0;
    return n;
}

static void put_shown(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        size_t n = plain_bytes(s);
        if (n > 0)
            fwrite(s, 1, n, out);
        else
            fprintf(out, "\\x%02x", *s);
        s += n > 0 ? n : 1;
    }
}

void tkf_error(const char *next, const char *format, ...)
{
    char *cause = NULL;
    char *line = NULL;
    size_t size;
    va_list args;

    tkf_progress_clear();
    va_start(args, format);
    if (vasprintf(&cause, format, args) < 0)
        cause = NULL;
    va_end(args);

    /* Put together first and written at once, so that lines of several processes do not mix. */
    FILE *out = open_memstream(&line, &size);
    if (!cause || !out) {
        fputs("tickfloor: out of memory\n", stderr);
        goto cleanup;
    }
    fputs("tickfloor: ", out);
    put_shown(out, cause);
    if (next) {
        fputs("; ", out);
        put_shown(out, next);
    }
    fputc('\n', out);

cleanup:
    if (out && fclose(out) == 0 && cause)
        fwrite(line, 1, size, stderr);
    free(line);
    free(cause);
}

int tkf_exit_of(int error)
{
    switch (error) {
    case TKF_EINVAL:
    case TKF_ENOCPU:
        return TKF_EXIT_USAGE;
    default:
        return TKF_EXIT_MEASURE;
    }
}

/* ---- progress -------------------------------------------------------------------------------- */

static char progress_shown[128]; /* the line that stands on the terminal, "" for none */

void tkf_progress(double done, const char *what)
{
    if (!tkf_terminal(stderr))
        return;
    char line[sizeof progress_shown];
    double percent = done > 0 ? (done < 1 ? done * 100 : 100) : 0;
    snprintf(line, sizeof line, "%3.0f %%  %s", percent, what);
    /* A line that wraps cannot be overwritten. */
    unsigned width = tkf_style_for(stderr, &(struct tkf_common){0}).width;
    if (width < sizeof line)
        line[width - 1] = '\0';
    if (strcmp(line, progress_shown) == 0)
        return;
    fprintf(stderr, "\r%s\033[K", line);
    memcpy(progress_shown, line, sizeof line);
}

void tkf_progress_clear(void)
{
    if (progress_shown[0])
        fputs("\r\033[K", stderr);
    progress_shown[0] = '\0';
}

/* ---- the end --------------------------------------------------------------------------------- */

static int stdout_error; /* errno of a write that failed before the end */

static int printed(int error)
{
    if (error == TKF_EIO)
        stdout_error = errno;
    if (error != TKF_ENOMEM)
        return TKF_EXIT_OK;
    tkf_error("free some memory and try again", "out of memory");
    return TKF_EXIT_MEASURE;
}

int tkf_print_profile(const struct tkf_profile *profile)
{
    return printed(tkf_profile_write(profile, stdout));
}

int tkf_print_description(const struct tkf_description *description)
{
    return printed(tkf_description_write(description, stdout));
}

int tkf_finish(int status)
{
    tkf_progress_clear();
    bool failed = ferror(stdout);
    int cause = stdout_error;
    if (fflush(stdout) != 0) {
        failed = true;
        cause = errno;
    }
    clearerr(stdout);
    if (!failed)
        return status;

    /* A write that failed earlier took its errno and its data with it; a pipe still tells that
     * nobody reads it. */
    struct pollfd reader = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (cause == 0 && poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR))
        cause = EPIPE;
    if (cause == EPIPE)
        return status;
    if (cause != 0)
        tkf_error(NULL, "cannot write to standard output: %s", strerror(cause));
    else
        tkf_error(NULL, "cannot write to standard output");
    return TKF_EXIT_MEASURE;
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t interrupted; /* the signal's number, 0 before one came */
static const int stops[] = {SIGINT, SIGTERM};

static void on_signal(int signal)
{
    interrupted = signal;
}

void tkf_signals_install(void)
{
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        struct sigaction action;
        if (sigaction(stops[i], NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            continue;
        /* Back to the default after the first one: whoever asks twice is not made to wait. */
        action = (struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESETHAND};
        sigaction(stops[i], &action, NULL);
    }
    /* These two end the process before it can tell or clean up; ignored, the write fails instead. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void tkf_signals_release(void)
{
    for (size_t i = 0; i < sizeof stops / sizeof stops[0]; i++) {
        struct sigaction action;
        if (sigaction(stops[i], NULL, &action) == 0 && action.sa_handler == on_signal)
            signal(stops[i], SIG_DFL);
    }
}

int tkf_exit_interrupted(void)
{
    return interrupted == SIGTERM ? TKF_EXIT_SIGTERM : TKF_EXIT_SIGINT;
}

bool tkf_interrupted(void *ctx)
{
    (void)ctx;
    return interrupted != 0;
}
