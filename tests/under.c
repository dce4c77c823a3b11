/* SPDX-License-Identifier: MIT */
/**
 * Run a command under conditions that a machine may have: under CONDITION... -- COMMAND [ARGUMENT...]
 *
 *     cpu=N            bound to CPU N
 *     cpuset=N         in a cgroup of its own that has CPU N alone
 *     no-perf=ERROR    a seccomp filter answers perf_event_open with EPERM or ENOSYS
 *     no-clock=ERROR   the same for clock_gettime; where the vDSO serves, nobody asks the kernel
 *     nofile=N as=N fsize=N stack=N    resource limits
 *     user=N           as user and group N
 *     small=FOLDER     16 KiB of disk at FOLDER
 *     read-only=FOLDER
 *     no-argv          without even an argv[0]
 *
 * 77, with the reason on stderr, where this machine cannot make a condition.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

static bool no_argv;
static char cgroup[100]; /* a folder to remove at the end; "" for none */

static bool limit(int resource, const char *value)
{
    rlim_t most = strtoul(value, NULL, 10);
    return setrlimit(resource, &(struct rlimit){most, most}) == 0;
}

static bool nofile(const char *value)
{
    return limit(RLIMIT_NOFILE, value);
}

static bool as(const char *value)
{
    return limit(RLIMIT_AS, value);
}

static bool fsize(const char *value)
{
    return limit(RLIMIT_FSIZE, value);
}

static bool cpu(const char *value)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(atoi(value), &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

static bool forbid(unsigned call, const char *value)
{
    int error = strcmp(value, "ENOSYS") == 0 ? ENOSYS : EPERM;
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool stack(const char *value)
{
    return limit(RLIMIT_STACK, value);
}

static bool no_perf(const char *value)
{
    return forbid(SYS_perf_event_open, value);
}

static bool no_clock(const char *value)
{
    return forbid(SYS_clock_gettime, value);
}

static bool user(const char *value)
{
    unsigned id = (unsigned)atoi(value);
    return setgroups(0, NULL) == 0 && setgid(id) == 0 && setuid(id) == 0;
}

/** What is mounted from now on is seen by this process and its children alone. */
static bool own_mounts(void)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static bool small(const char *folder)
{
    return own_mounts() && mount("none", folder, "tmpfs", 0, "size=16k") == 0;
}

static bool read_only(const char *folder)
{
    return own_mounts() && mount(folder, folder, NULL, MS_BIND, NULL) == 0 &&
           mount("none", folder, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) == 0;
}

static bool write_file(const char *folder, const char *name, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int reason = errno;
    if (fd >= 0)
        close(fd);
    errno = reason;
    return ok;
}

/** Below the root of v1's cpuset, or of v2 where the machine has handed that controller on: nothing outside is changed. */
static bool cpuset(const char *value)
{
    static const char v1[] = "/sys/fs/cgroup/cpuset", v2[] = "/sys/fs/cgroup";
    bool is_v1 = access(v1, F_OK) == 0;
    char folder[sizeof cgroup];
    snprintf(folder, sizeof folder, "%s/tickfloor-test-%d", is_v1 ? v1 : v2, getpid());
    if (mkdir(folder, 0700) != 0)
        return false;
    strcpy(cgroup, folder);
    return write_file(folder, "cpuset.cpus", value) &&
           (!is_v1 || write_file(folder, "cpuset.mems", "0")) &&
           write_file(folder, "cgroup.procs", "0");
}

static bool empty_argv(const char *value)
{
    (void)value;
    return no_argv = true;
}

static const struct {
    const char *name;
    bool (*make)(const char *value);
} conditions[] = {
    {"cpu", cpu},       {"cpuset", cpuset}, {"no-perf", no_perf},     {"no-clock", no_clock},
    {"nofile", nofile}, {"as", as},         {"fsize", fsize},         {"stack", stack},
    {"user", user},     {"small", small},   {"read-only", read_only}, {"no-argv", empty_argv},
};

static bool make(const char *condition)
{
    size_t length = strcspn(condition, "=");
    for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
        if (strncmp(conditions[i].name, condition, length) == 0 && !conditions[i].name[length])
            return conditions[i].make(condition + length + (condition[length] == '='));
    }
    errno = EINVAL;
    return false;
}

static void run(char **command)
{
    char *nothing[] = {NULL};
    execv(command[0], no_argv ? nothing : command);
    fprintf(stderr, "under: %s: %s\n", command[0], strerror(errno));
    _exit(126);
}

/** A cgroup can be removed only when nobody is in it any more, this process neither. */
static int run_in_cgroup(char **command)
{
    int state = 0;
    pid_t pid = fork();
    if (pid == 0)
        run(command);
    waitpid(pid, &state, 0);
    write_file(strstr(cgroup, "/cpuset/") ? "/sys/fs/cgroup/cpuset" : "/sys/fs/cgroup",
               "cgroup.procs", "0");
    rmdir(cgroup);
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

int main(int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (!make(argv[i])) {
            fprintf(stderr, "skipped: this machine cannot make '%s': %s\n", argv[i],
                    strerror(errno));
            if (cgroup[0])
                rmdir(cgroup);
            return 77;
        }
    }
    if (i + 1 >= argc)
        return 126;
    if (cgroup[0])
        return run_in_cgroup(argv + i + 1);
    run(argv + i + 1);
    return 126;
}
