/* SPDX-License-Identifier: MIT */
/** Profiles that a user names. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

FILE *tkf_input_open(const char *path)
{
    if (strcmp(path, "-") == 0)
        return stdin;
    /* Opening a pipe that nobody writes to would wait for ever; reading it ends at once. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    FILE *in = fdopen(fd, "r");
    if (!in)
        close(fd);
    return in;
}

const char *tkf_input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

int tkf_profile_load(const char *path, struct tkf_profile *ret_profile)
{
    const char *name = tkf_input_name(path);
    struct tkf_input_error error;

    FILE *in = tkf_input_open(path);
    if (!in) {
        tkf_error("run tickfloor calibrate, which makes one", "cannot read the profile %s: %s",
                  path, strerror(errno));
        return TKF_EXIT_USAGE;
    }
    int ret = tkf_profile_read(in, ret_profile, &error);
    if (in != stdin)
        fclose(in);
    if (ret == 0)
        return 0;
    if (tkf_interrupted(NULL))
        return tkf_exit_interrupted();
    if (ret == TKF_ENOMEM) {
        tkf_error(error.next, "%s", error.text);
        return TKF_EXIT_MEASURE;
    }
    if (error.line > 0)
        tkf_error(error.next, "%s:%u: %s", name, error.line, error.text);
    else
        tkf_error(error.next, "%s: %s", name, error.text);
    return TKF_EXIT_USAGE;
}
