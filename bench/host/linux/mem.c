/* SPDX-License-Identifier: MIT */
/**
 * Allocation counts by interposition: with --mem the program starts itself anew with a small library in LD_PRELOAD, which
 * counts and passes on. Without --mem nothing of it is in the process, so it costs nothing.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mem_counts.h"

#define MARK     "TICKFLOOR_MEM_RESTARTED"
#define OVERRIDE "TICKFLOOR_MEM_LIBRARY"

typedef void read_fn(struct tkf_mem_counts *ret_counts);

static read_fn *counts_of_process(void)
{
    return (read_fn *)dlsym(RTLD_DEFAULT, TKF_MEM_SYMBOL);
}

/** After a restart: close the library, and leave the environment as it was, so that what a benchmark starts is not counted. */
static void tidy(const char *mark)
{
    close(atoi(mark));
    unsetenv(MARK);
    const char *preload = getenv("LD_PRELOAD");
    const char *before = preload != NULL ? strchr(preload, ':') : NULL;
    char *kept = before != NULL ? strdup(before + 1) : NULL;
    if (kept != NULL)
        setenv("LD_PRELOAD", kept, 1);
    else
        unsetenv("LD_PRELOAD");
    free(kept);
}

/** A sanitizer, or an allocator that is linked in, comes before any library: its calls are not seen, and none would be reported. */
static bool counts_this_program(read_fn *read_counts)
{
    struct tkf_mem_counts before, after;
    read_counts(&before);
    void *block = malloc(1);
    tkf_keep(block);
    free(block);
    read_counts(&after);
    return after.mallocs > before.mallocs && after.frees > before.frees;
}

bool tkf_mem_available(void)
{
    read_fn *read_counts = counts_of_process();
    if (read_counts == NULL || !counts_this_program(read_counts))
        return false;
    const char *mark = getenv(MARK);
    if (mark != NULL)
        tidy(mark);
    return true;
}

void tkf_mem_read(struct tkf_mem_counts *ret_counts)
{
    static read_fn *read; /* written once, before a benchmark starts threads */
    if (read == NULL)
        read = counts_of_process();
    read(ret_counts);
}

static int fail(struct tkf_input_error *ret_error, int error, const char *what, const char *why,
                const char *next)
{
    *ret_error = (struct tkf_input_error){.line = 0};
    snprintf(ret_error->text, sizeof ret_error->text, "--mem: %.120s: %s", what, why);
    snprintf(ret_error->next, sizeof ret_error->next, "%s", next);
    return error;
}

int tkf_mem_restart(char *const argv[], struct tkf_input_error *ret_error)
{
    const char *library = getenv(OVERRIDE), *before = getenv("LD_PRELOAD");
    if (counts_of_process() != NULL)
        return fail(ret_error, TKF_EUNSUPPORTED, "allocations cannot be counted",
                    "this program has an allocator of its own",
                    "build it without sanitizers, and without an allocator that is linked in");
    if (getenv(MARK) != NULL)
        return fail(ret_error, TKF_EUNSUPPORTED, "allocations cannot be counted",
                    "this program takes no LD_PRELOAD",
                    "link it dynamically, and run it without privileges of its own");
    if (library == NULL)
        library = TKF_MEM_LIBRARY;
    int fd = open(library, O_RDONLY);
    if (fd < 0)
        return fail(ret_error, TKF_EIO, library, strerror(errno),
                    "install tickfloor whole, or name the library in " OVERRIDE);

    /* By descriptor: a path with a blank or a colon in it cannot be written in LD_PRELOAD. */
    char mark[16], *preload = NULL;
    snprintf(mark, sizeof mark, "%d", fd);
    int error = TKF_ENOMEM;
    if (asprintf(&preload, "/proc/self/fd/%d%s%s", fd, before != NULL ? ":" : "",
                 before != NULL ? before : "") >= 0 &&
        setenv("LD_PRELOAD", preload, 1) == 0 && setenv(MARK, mark, 1) == 0) {
        execv("/proc/self/exe", argv);
        error = TKF_EIO;
    }
    fail(ret_error, error, "cannot start this program again", strerror(errno),
         "see that /proc is mounted");
    free(preload);
    close(fd);
    return error;
}
