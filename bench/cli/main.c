/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/**
 * Fill the standard streams that the parent closed, so that no file opened later becomes one of
 * them and gets our text. Each is opened in the direction in which it is not used: what is read or
 * printed fails, as on a closed one.
 */
static bool fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            return false;
    }
    return true;
}

static int dispatch(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (word && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0))
        word = "help"; /* "tickfloor --help show" too */
    else if (!word || (word[0] == '-' && word[1] != '\0'))
        return tkf_verbs[0].run(argc, argv);

    const struct tkf_verb *verb = tkf_verb_find(word);
    return verb ? verb->run(argc - 1, argv + 1) : TKF_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (!fill_standard_streams()) {
        tkf_error("make it readable and writable", "cannot open /dev/null");
        return TKF_EXIT_MEASURE;
    }
    setlocale(LC_CTYPE, ""); /* the character set alone: numbers are printed as in the C locale */
    setenv("HWLOC_HIDE_ERRORS", "2",
           0); /* hwloc prints some, as without /sys; ours tell what matters */
    tkf_signals_install();
    return tkf_finish(dispatch(argc, argv));
}
