/* SPDX-License-Identifier: MIT */
/**
 * spawn COMMAND [ARGUMENT...]: run it, then print one line of JSON, how long it took and its peak memory.
 *
 * Not in Python: a child's peak begins with what its parent held when it forked, and Python holds more than tickfloor.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: spawn COMMAND [ARGUMENT...]\n");
        return 2;
    }
    double from_s = now_s();
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[1], argv + 1);
        fprintf(stderr, "spawn: cannot run %s: %s\n", argv[1], strerror(errno));
        _exit(127);
    }
    int status;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
        fprintf(stderr, "spawn: %s\n", strerror(errno));
        return 127;
    }
    /* Linux counts in KiB, see getrusage(2). */
    printf("{\"wall_s\": %.6f, \"peak_kib\": %ld}\n", now_s() - from_s, usage.ru_maxrss);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
