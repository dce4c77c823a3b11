/* SPDX-License-Identifier: MIT */
/** `tickfloor calibrate`: measure, print, save. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tickfloor/calibrate.h>

#include "cli.h"

struct arguments {
    struct tkf_calibrate_request request;
    const char *output;
    const char *harness; /* NULL: none */
    bool no_save, host;
};

static int set_cpus(void *target, const char *name, const char *value)
{
    (void)name;
    ((struct arguments *)target)->request.cpus = value;
    return 0;
}

static int set_source(void *target, const char *name, const char *value)
{
    (void)name;
    ((struct arguments *)target)->request.source = value;
    return 0;
}

static int set_quick(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->request.quick = true;
    return 0;
}

static int set_output(void *target, const char *name, const char *value)
{
    if (value[0] == '\0' || strcmp(value, "-") == 0) {
        tkf_error("name a file, or print the profile with --json",
                  "--%s: '%s' is not a file's name", name, value);
        return TKF_EXIT_USAGE;
    }
    ((struct arguments *)target)->output = value;
    return 0;
}

static int set_harness(void *target, const char *name, const char *value)
{
    (void)name;
    ((struct arguments *)target)->harness = value;
    return tkf_harness_check(value);
}

static int set_host(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->host = true;
    return 0;
}

static int set_no_save(void *target, const char *name, const char *value)
{
    (void)name, (void)value;
    ((struct arguments *)target)->no_save = true;
    return 0;
}

const struct tkf_option tkf_calibrate_cli_options[] = {
    {"cpus", 'c', "WHICH", false,
     "kinds (default: the quietest CPU of each kind), all, or a list such as 0,3-5", set_cpus},
    {"source", 0, "NAME", false,
     "read time from this source instead of the best that proves itself", set_source},
    {"quick", 'q', NULL, false,
     "a tenth of the time; on a quiet machine the same answers within 1 %", set_quick},
    {"harness", 0, "WHICH", false,
     "run empty benchmarks of frameworks too: names such as go,catch2; auto for all that are here; "
     "list to see which are",
     set_harness},
    {"output", 'o', "FILE", false, "save the profile in FILE instead of the state folder",
     set_output},
    {"host", 0, NULL, false,
     "keep the machine's name in the profile, for 'tickfloor fleet'; without it none is kept",
     set_host},
    {"no-save", 0, NULL, false, "do not save the profile", set_no_save},
    {NULL, 0, NULL, false, NULL, NULL},
};

static void progress(void *ctx, double done, const char *what)
{
    (void)ctx;
    tkf_progress(done, what);
}

static int exit_status_of(int error)
{
    switch (error) {
    case TKF_EINVAL:
    case TKF_ENOCPU:
        return TKF_EXIT_USAGE;
    default:
        return TKF_EXIT_MEASURE;
    }
}

/** Opening a pipe that nobody reads would wait for ever; here it is ENXIO. */
static int write_special(const struct tkf_profile *profile, const char *path)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return TKF_EIO;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    FILE *out = fdopen(fd, "w");
    if (!out) {
        close(fd);
        return TKF_EIO;
    }
    int error = tkf_profile_write(profile, out); /* flushed */
    int reason = errno;
    fclose(out);
    errno = reason;
    return error;
}

/** A file is replaced as a whole. What is none is written to: renamed over, /dev/null would be a file for everyone. */
static int save_as(const struct tkf_profile *profile, const char *path)
{
    struct stat there;
    if (stat(path, &there) != 0)
        return tkf_profile_save(profile, path);
    if (S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return TKF_EIO;
    }
    if (!S_ISREG(there.st_mode))
        return write_special(profile, path);
    char *target = realpath(path, NULL); /* a link stays one */
    if (target == NULL)
        return TKF_EIO;
    int error = tkf_profile_save(profile, target);
    free(target);
    return error;
}

/** What frameworks cost does not change with every calibration: what the profile before this one knew of them stays. */
static void keep_harnesses(struct tkf_profile *profile, const char *path)
{
    struct stat there;
    struct tkf_profile older;
    struct tkf_input_error ignored;
    char differences[40];
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode))
        return;
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return;
    if (tkf_profile_read(in, &older, &ignored) == 0) {
        if (tkf_profile_matches(&older, &profile->machine, differences, sizeof differences))
            tkf_profile_keep_harnesses(profile, &older);
        tkf_profile_free(&older);
    }
    fclose(in);
}

/** Save where asked, or in the state folder; a failure is said. */
static int save(struct tkf_profile *profile, const struct arguments *arguments, char **ret_path)
{
    static const char next[] =
        "name another file with --output, or leave saving out with --no-save";
    char *path = arguments->output != NULL ? strdup(arguments->output) : tkf_profile_path();
    if (path == NULL) {
        tkf_error(
            next,
            "nowhere to save the profile: neither XDG_STATE_HOME nor HOME is an absolute path");
        return TKF_EXIT_MEASURE;
    }
    keep_harnesses(profile, path);
    if (save_as(profile, path) != 0) {
        bool interrupted = errno == EINTR && tkf_interrupted(NULL);
        if (!interrupted)
            tkf_error(next, "cannot save the profile in %s: %s", path,
                      errno == ENXIO ? "nobody reads from it" : strerror(errno));
        free(path);
        return interrupted ? TKF_EXIT_SIGINT : TKF_EXIT_MEASURE;
    }
    *ret_path = path;
    return TKF_EXIT_OK;
}

int tkf_verb_calibrate(int argc, char **argv)
{
    struct arguments arguments = {.request = {.cancelled = tkf_interrupted, .progress = progress}};
    struct tkf_common common;
    int first;
    int status = tkf_options_parse(&tkf_verbs[0], argc, argv, &arguments, &common, &first);
    if (status >= 0)
        return status;
    if (first < argc) {
        tkf_error("see 'tickfloor calibrate --help'",
                  "calibrate takes no operand, but there is '%s'", argv[first]);
        return TKF_EXIT_USAGE;
    }
    if (arguments.no_save && arguments.output != NULL) {
        tkf_error("leave one of them out", "--no-save and --output contradict each other");
        return TKF_EXIT_USAGE;
    }

    if (arguments.harness != NULL && strcmp(arguments.harness, "list") == 0)
        return tkf_harness_print_list(&common);

    struct tkf_profile profile;
    struct tkf_input_error why;
    int error = tkf_calibrate_machine(&arguments.request, &profile, &why);
    tkf_progress_clear();
    if (error == TKF_ECANCELLED)
        return TKF_EXIT_SIGINT;
    if (error != 0) {
        tkf_error(why.next[0] != '\0' ? why.next : NULL, "%s", why.text);
        return exit_status_of(error);
    }

    if (arguments.host && gethostname(profile.machine.host, sizeof profile.machine.host - 1) != 0)
        profile.machine.host[0] = '\0'; /* too long for what a name in the network may be */
    char *path = NULL;
    int harness_status = TKF_EXIT_OK;
    if (arguments.harness != NULL)
        harness_status = tkf_harness_add(arguments.harness, &profile);
    status = TKF_EXIT_OK;
    if (!arguments.no_save && !tkf_interrupted(NULL))
        status = save(&profile, &arguments, &path);
    tkf_signals_release();
    if (tkf_interrupted(NULL)) { /* too late for the measurement to see it */
        status = TKF_EXIT_SIGINT;
    } else if (common.json) {
        int printed = tkf_print_profile(&profile);
        status = status != TKF_EXIT_OK ? status : printed;
    } else {
        struct tkf_style style = tkf_style_for(stdout, &common);
        tkf_card_print(stdout, &style, &profile);
        if (path != NULL)
            printf("%ssaved in %s%s\n", style.dim, path, style.reset);
    }
    free(path);
    tkf_profile_free(&profile);
    return status != TKF_EXIT_OK ? status : harness_status;
}
