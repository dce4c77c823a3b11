/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define WIDTH_UNKNOWN 80
#define WIDTH_MAX     10000 /* beyond it COLUMNS is a mistake, not a terminal */

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && value[0];
}

static unsigned width_of(FILE *stream)
{
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;

    const char *columns = getenv("COLUMNS");
    char *end = NULL;
    long width = columns ? strtol(columns, &end, 10) : 0;
    if (width > 0 && width <= WIDTH_MAX && *end == '\0')
        return (unsigned)width;
    return WIDTH_UNKNOWN;
}

bool tkf_terminal(FILE *stream)
{
    return isatty(fileno(stream)) && is_set("TERM") && strcmp(getenv("TERM"), "dumb") != 0;
}

struct tkf_style tkf_style_for(FILE *stream, const struct tkf_common *common)
{
    bool color = common->color == TKF_COLOR_ALWAYS;
    if (common->color == TKF_COLOR_AUTO)
        color = tkf_terminal(stream) && !is_set("NO_COLOR"); /* https://no-color.org */

    return (struct tkf_style){
        .color = color,
        .unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
        .width = width_of(stream),
        .bold = color ? "\033[1m" : "",
        .dim = color ? "\033[2m" : "",
        .red = color ? "\033[31m" : "",
        .yellow = color ? "\033[33m" : "",
        .green = color ? "\033[32m" : "",
        .cyan = color ? "\033[36m" : "",
        .reset = color ? "\033[0m" : "",
    };
}
