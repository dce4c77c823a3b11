/* SPDX-License-Identifier: MIT */
/** Saving a profile where the user wants it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

int tkf_save_option(const char *name, const char *value, const char **ret_output)
{
    if (value[0] == '\0' || strcmp(value, "-") == 0) {
        tkf_error("name a file, or print the profile with --json",
                  "--%s: '%s' is not a file's name", name, value);
        return TKF_EXIT_USAGE;
    }
    *ret_output = value;
    return 0;
}

int tkf_save_contradiction(void)
{
    tkf_error("leave one of them out", "--no-save and --output contradict each other");
    return TKF_EXIT_USAGE;
}

/**
 * What frameworks cost, and what surrounds the floor, does not change with every calibration: what the profile before this
 * one knew of it stays.
 */
static void keep_older(struct tkf_profile *profile, const char *path)
{
    struct stat there;
    static struct tkf_profile older; /* large: the stack may be small */
    struct tkf_input_error ignored;
    char differences[40];
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode))
        return;
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return;
    if (tkf_profile_read(in, &older, &ignored) == 0) {
        if (tkf_profile_matches(&older, &profile->machine, differences, sizeof differences)) {
            tkf_profile_keep_harnesses(profile, &older);
            if (profile->explore == NULL) {
                profile->explore = older.explore;
                older.explore = NULL;
            }
        }
        tkf_profile_free(&older);
    }
    fclose(in);
}

const char *tkf_save_reason(void)
{
    return errno == ENXIO ? "nobody reads from it" : strerror(errno);
}

int tkf_save(struct tkf_profile *profile, const char *output, char **ret_path)
{
    static const char next[] =
        "name another file with --output, or leave saving out with --no-save";
    char *path = output != NULL ? strdup(output) : tkf_profile_path();
    if (path == NULL) {
        tkf_error(
            next,
            "nowhere to save the profile: neither XDG_STATE_HOME nor HOME is an absolute path");
        return TKF_EXIT_MEASURE;
    }
    keep_older(profile, path);
    if (tkf_profile_save(profile, path) != 0) {
        bool interrupted = errno == EINTR && tkf_interrupted(NULL);
        if (!interrupted)
            tkf_error(next, "cannot save the profile in %s: %s", path, tkf_save_reason());
        free(path);
        return interrupted ? tkf_exit_interrupted() : TKF_EXIT_MEASURE;
    }
    *ret_path = path;
    return TKF_EXIT_OK;
}
