/* SPDX-License-Identifier: MIT */
/**
 * Allocation counts by interposition: with --mem the program starts itself anew with a small library in LD_PRELOAD, which
 * counts and passes on. Without --mem nothing of it is in the process, so it costs nothing.
 */
#include <dlfcn.h>
#include <errno.h>
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

bool tkf_mem_available(void)
{
    return counts_of_process() != NULL;
}

void tkf_mem_read(struct tkf_mem_counts *ret_counts)
{
    static read_fn *read; /* written once, before a benchmark starts threads */
    if (read == NULL)
        read = counts_of_process();
    read(ret_counts);
}

int tkf_mem_restart(char *const argv[], struct tkf_input_error *ret_error)
{
    const char *library = getenv(OVERRIDE);
    const char *before = getenv("LD_PRELOAD");
    char *preload = NULL;
    int error = TKF_EIO;
    *ret_error = (struct tkf_input_error){.line = 0};

    if (library == NULL)
        library = TKF_MEM_LIBRARY;
    if (getenv(MARK) != NULL) {
        error = TKF_EUNSUPPORTED;
        snprintf(ret_error->text, sizeof ret_error->text,
                 "--mem: allocations cannot be counted: this program takes no LD_PRELOAD");
        snprintf(ret_error->next, sizeof ret_error->next,
                 "link it dynamically, and run it without privileges of its own");
    } else if (access(library, R_OK) != 0) {
        snprintf(ret_error->text, sizeof ret_error->text, "--mem: cannot read %.120s: %s", library,
                 strerror(errno));
        snprintf(ret_error->next, sizeof ret_error->next,
                 "install tickfloor whole, or name the library in " OVERRIDE);
    } else if (asprintf(&preload, "%s%s%s", library, before != NULL ? ":" : "",
                        before != NULL ? before : "") >= 0 &&
               setenv("LD_PRELOAD", preload, 1) == 0 && setenv(MARK, "1", 1) == 0) {
        execv("/proc/self/exe", argv);
        snprintf(ret_error->text, sizeof ret_error->text,
                 "--mem: cannot start this program again: %s", strerror(errno));
        snprintf(ret_error->next, sizeof ret_error->next, "see that /proc is mounted");
    } else {
        snprintf(ret_error->text, sizeof ret_error->text, "--mem: out of memory");
    }
    free(preload);
    return error;
}
