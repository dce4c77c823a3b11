/* SPDX-License-Identifier: MIT */
#include "run_command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEADLINE_MS 30000

/** Everything in a file, ended by NUL; NULL when out of memory. */
static char *read_all(FILE *file)
{
    char *text = NULL;
    size_t size;
    FILE *copy = open_memstream(&text, &size);
    if (!copy)
        return NULL;
    char part[4096];
    size_t n;
    rewind(file);
    while ((n = fread(part, 1, sizeof part, file)) > 0)
        fwrite(part, 1, n, copy);
    if (fclose(copy) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/** A file for one stream, which the command gets only by the name of the stream. */
static FILE *capture_file(void)
{
    FILE *file = tmpfile();
    if (file)
        fcntl(fileno(file), F_SETFD, FD_CLOEXEC);
    return file;
}

/** A descriptor to write to a pipe that nobody reads; -1 when there is none. */
static int broken_pipe(void)
{
    int ends[2];
    if (pipe(ends) != 0)
        return -1;
    close(ends[0]);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return ends[1];
}

static int spawn(const struct run_command *command, int out, int err, pid_t *ret_pid)
{
    static const char *const plain_env[] = {"LC_ALL=C", NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t signals, none;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, command->in_path ? command->in_path : "/dev/null",
                                     O_RDONLY, 0);
    if (command->out_path)
        posix_spawn_file_actions_addopen(&files, 1, command->out_path, O_WRONLY | O_CREAT, 0600);
    else
        posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawn_file_actions_adddup2(&files, err, 2);
    for (int fd = 0; fd <= 2; fd++) {
        if (command->closed & 1u << fd)
            posix_spawn_file_actions_addclose(&files, fd);
    }

    /* A test that runs in the background of a shell has some of them ignored, and would pass that
     * on. */
    sigemptyset(&none);
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    const char *const *env = command->env ? command->env : plain_env;
    int error = posix_spawn(ret_pid, command->argv[0], &files, &attributes,
                            (char *const *)(uintptr_t)command->argv, (char *const *)(uintptr_t)env);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/** Wait for a process to end, and end it at the deadline. Returns what waitpid() says of it. */
static int wait_for(pid_t pid, unsigned deadline_ms, bool *ret_timed_out)
{
    struct timespec start, now;
    int state = SIGKILL; /* should waitpid() fail, that is no success */
    bool timed_out = false;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (waitpid(pid, &state, timed_out ? 0 : WNOHANG) == 0) {
        poll(NULL, 0, 2);
        clock_gettime(CLOCK_MONOTONIC, &now);
        timed_out = (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 >
                    (long)deadline_ms;
        if (timed_out)
            kill(pid, SIGKILL);
    }
    *ret_timed_out = timed_out;
    return state;
}

int run_command(const struct run_command *command, struct run_result *ret_result)
{
    FILE *out = capture_file(), *err = capture_file();
    int pipe_end = command->reader_gone ? broken_pipe() : -1;
    struct run_result result = {0};
    int error = 0;

    if (!out || !err || (command->reader_gone && pipe_end < 0)) {
        error = errno;
        goto cleanup;
    }
    pid_t pid;
    error = spawn(command, command->reader_gone ? pipe_end : fileno(out), fileno(err), &pid);
    if (error)
        goto cleanup;
    int state =
        wait_for(pid, command->deadline_ms ? command->deadline_ms : DEADLINE_MS, &result.timed_out);
    result.status = WIFSIGNALED(state) ? -WTERMSIG(state) : WEXITSTATUS(state);
    result.out = read_all(out);
    result.err = read_all(err);
    if (!result.out || !result.err) {
        run_result_free(&result);
        error = ENOMEM;
        goto cleanup;
    }
    *ret_result = result;

cleanup:
    if (pipe_end >= 0)
        close(pipe_end);
    if (err)
        fclose(err);
    if (out)
        fclose(out);
    return error;
}

void run_result_free(struct run_result *result)
{
    free(result->out);
    free(result->err);
}
