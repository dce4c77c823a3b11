/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../host.h"
#include "harness.h"

/* Who prints more than this prints no result. */
#define BYTES_MAX ((off_t)64 << 20)

#define POLL_NS 20000000

extern char **environ;

/* What a user's settings for daily work would change of the outcome, or make depend on the network. */
static const char *const settings[] = {
    "LC_ALL=C",
    "NO_COLOR=1",
    "GO111MODULE=on",
    "GOFLAGS=",
    "GOPROXY=off",
    "GOTOOLCHAIN=local",
    "GOWORK=off",
    "CARGO_TARGET_DIR=target",
    "CARGO_TERM_COLOR=never",
    "PYTEST_ADDOPTS=",
    "PYTHONDONTWRITEBYTECODE=1",
};
enum { NSETTINGS = sizeof(settings) / sizeof(settings[0]) };

static bool is_set_here(const char *variable)
{
    size_t length = strcspn(variable, "=") + 1;
    for (size_t i = 0; i < NSETTINGS; i++) {
        if (strncmp(settings[i], variable, length) == 0)
            return true;
    }
    return false;
}

/* To free(); the strings are not its own. */
static char **make_environment(void)
{
    size_t n = 0;
    for (char **variable = environ; *variable; variable++)
        n++;
    char **environment = calloc(n + NSETTINGS + 1, sizeof(*environment));
    if (!environment)
        return NULL;
    n = 0;
    for (char **variable = environ; *variable; variable++) {
        if (!is_set_here(*variable))
            environment[n++] = *variable;
    }
    for (size_t i = 0; i < NSETTINGS; i++)
        environment[n++] = (char *)(uintptr_t)settings[i];
    return environment;
}

/* Its own group, so that all that it starts can be killed, and so that a Ctrl-C at the terminal is ours alone to see. */
static int spawn(const struct tkf_command *command, pid_t *ret_pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    char **environment = make_environment();
    if (!environment)
        return ENOMEM;

    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addchdir_np(&files, command->folder);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, command->log,
                                     O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (command->output)
        posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, command->output,
                                         O_WRONLY | O_CREAT | O_TRUNC, 0600);
    else
        posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);

    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGTERM);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);

    int error = posix_spawnp(ret_pid, command->words[0], &files, &attributes,
                             (char *const *)(uintptr_t)command->words, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    free(environment);
    return error;
}

static void say_in_log(const struct tkf_command *command, const char *what, const char *detail,
                       int number)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", command->folder, command->log);
    FILE *log = fopen(path, "ae");
    if (!log)
        return;
    fprintf(log, "%s: %s", command->words[0], what);
    if (detail)
        fprintf(log, ": %s", detail);
    else
        fprintf(log, " %d", number);
    fputc('\n', log);
    fclose(log);
}

static bool floods(const struct tkf_command *command)
{
    const char *const names[] = {command->output, command->log};
    for (size_t i = 0; i < 2; i++) {
        char path[4096];
        struct stat file;
        if (!names[i])
            continue;
        snprintf(path, sizeof(path), "%s/%s", command->folder, names[i]);
        if (stat(path, &file) == 0 && file.st_size > BYTES_MAX)
            return true;
    }
    return false;
}

/* Until its end, or until there is a reason not to wait any longer; the child is not reaped. */
static enum tkf_command_end wait_for(const struct tkf_command *command, pid_t pid)
{
    for (;;) {
        siginfo_t info = {.si_pid = 0};
        int ret = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
        if (ret == 0 && info.si_pid == pid)
            return TKF_COMMAND_DONE;
        if (ret != 0 && errno != EINTR)
            return TKF_COMMAND_DONE; /* reaped by somebody else: waitpid() will fail too */
        if (command->cancelled && command->cancelled(command->ctx))
            return TKF_COMMAND_CANCELLED;
        if (tkf_clock_ns(NULL) >= command->deadline_ns)
            return TKF_COMMAND_LATE;
        if (floods(command))
            return TKF_COMMAND_FAILED;
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
}

enum tkf_command_end tkf_command_run(const struct tkf_command *command)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, before;
    pid_t pid, reaped;
    int status = 0;

    sigaction(SIGCHLD, &usual,
              &before); /* where it is ignored, the kernel forgets how a child ended */
    int error = spawn(command, &pid);
    if (error != 0) {
        sigaction(SIGCHLD, &before, NULL);
        say_in_log(command, "cannot be started", strerror(error), 0);
        return TKF_COMMAND_FAILED;
    }
    enum tkf_command_end end = wait_for(command, pid);
    kill(-pid, SIGKILL); /* before its number can be another's; what it left behind goes too */
    do
        reaped = waitpid(pid, &status, 0);
    while (reaped < 0 && errno == EINTR);
    sigaction(SIGCHLD, &before, NULL);

    if (end == TKF_COMMAND_FAILED) {
        say_in_log(command, "stopped", "it printed more than 64 MiB", 0);
    } else if (end == TKF_COMMAND_DONE && reaped < 0) {
        say_in_log(command, "how it ended is not known", strerror(errno), 0);
        end = TKF_COMMAND_FAILED;
    } else if (end == TKF_COMMAND_DONE && WIFSIGNALED(status)) {
        say_in_log(command, "ended by signal", NULL, WTERMSIG(status));
        end = TKF_COMMAND_FAILED;
    } else if (end == TKF_COMMAND_DONE && WEXITSTATUS(status) != 0) {
        say_in_log(command, "exit status", NULL, WEXITSTATUS(status));
        end = TKF_COMMAND_FAILED;
    }
    return end;
}

bool tkf_command_exists(const char *name)
{
    const char *entry = getenv("PATH");
    for (; entry && *entry; entry += strcspn(entry, ":"), entry += *entry == ':') {
        char path[4096];
        struct stat file;
        int length = (int)strcspn(entry, ":");
        if (*entry != '/' ||
            snprintf(path, sizeof(path), "%.*s/%s", length, entry, name) >= (int)sizeof(path))
            continue;
        if (stat(path, &file) == 0 && S_ISREG(file.st_mode) && access(path, X_OK) == 0)
            return true;
    }
    return false;
}
