/* SPDX-License-Identifier: MIT */
/** `tickfloor calibrate` on bad machines and with bad input. See run_with_command() for the arguments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <hwloc.h>
#include <tickfloor/calibrate.h>

#include "arch.h"
#include "tickfloor_run.h"

#define HOW_TO_LIST "; give kinds, all, or a list such as 0,3-5"
#define HOW_TO_SAVE "; name another file with --output, or leave saving out with --no-save"
#define MEASURE "-q", "--no-save", "--json"

/** Measure, which must succeed; to tkf_profile_free(). */
static struct tkf_profile measured(const struct call *row)
{
    struct run_result result = call(row);
    assert_string_equal(result.err, "");
    assert_int_equal(result.status, 0);
    struct tkf_profile profile = profile_of(result.out);
    run_result_free(&result);
    assert_true(profile.ncpus > 0);
    assert_true(profile.suspect_below_ns > 0);
    return profile;
}

static const struct tkf_warning *warning(const struct tkf_profile *profile, const char *code)
{
    for (unsigned i = 0; i < profile->nwarnings; i++)
        if (strcmp(profile->warnings[i].code, code) == 0)
            return &profile->warnings[i];
    return NULL;
}

/** The CPUs that this process may use. */
static unsigned allowed_cpus(unsigned *ret_first, unsigned *ret_last)
{
    cpu_set_t set;
    unsigned count = 0;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    for (unsigned i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, &set))
            continue;
        *ret_first = count++ == 0 ? i : *ret_first;
        *ret_last = i;
    }
    return count;
}

static void without_root(const char *what)
{
    if (geteuid() == 0)
        return;
    char reason[100];
    snprintf(reason, sizeof reason, "only root can make %s", what);
    skip_because(reason);
}

/* ---- which CPUs, which source ---------------------------------------------------------------- */

static void bad_cpu_lists(void **state)
{
    static const char *const rows[][2] = {
        {"", "empty CPU list" HOW_TO_LIST},
        {",", "no CPU before a comma in ','" HOW_TO_LIST},
        {"0,", "no CPU after a comma in '0,'" HOW_TO_LIST},
        {"5-3", "'5-3' runs backward" HOW_TO_LIST},
        {"0x0", "'0x0' is not a CPU number" HOW_TO_LIST},
        {"0\n1", "'0\\x0a1' is not a CPU number" HOW_TO_LIST},
        {"All", "'All' is not a CPU number" HOW_TO_LIST},
        {"0-99999", "'99999' is too large for a CPU number (at most 65535)" HOW_TO_LIST},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char err[300];
        snprintf(err, sizeof err, "--cpus: %s", rows[i][1]);
        call_expecting(&(struct call){.words = {MEASURE, "--cpus", rows[i][0]}}, 2, err);
    }
}

static void a_cpu_that_is_not_there(void **state)
{
    (void)state;
    struct run_result result = call(&(struct call){.words = {MEASURE, "--cpus", "65535"}});
    assert_int_equal(result.status, 2);
    assert_string_equal(result.out, "");
    assert_non_null(strstr(
        result.err, "tickfloor: --cpus: CPU 65535 is not one this process may use; it may use "));
    run_result_free(&result);
}

/** How a process is kept from CPU 0, and what it then is told. */
static void kept_off_a_cpu(const char *how)
{
    unsigned first = 0, last = 0;
    if (allowed_cpus(&first, &last) < 2)
        skip_because("there is one CPU alone");
    char condition[40], other[20], err[300];
    snprintf(condition, sizeof condition, "%s=%u", how, last);
    snprintf(other, sizeof other, "%u", first);
    struct tkf_profile profile = measured(&(struct call){.words = {MEASURE}, .under = {condition}});
    assert_int_equal(profile.ncpus, 1);
    assert_int_equal(profile.cpus[0].floor.cpu, last);
    assert_int_equal(profile.machine.cpus, 1);
    assert_string_equal(profile.cpus[0].chosen, "the only CPU to choose from");
    tkf_profile_free(&profile);
    snprintf(
        err, sizeof err,
        "--cpus: CPU %u is not one this process may use; it may use %u; choose among those, or "
        "widen the cpuset or the affinity mask",
        first, last);
    call_expecting(&(struct call){.words = {MEASURE, "--cpus", other}, .under = {condition}}, 2,
                   err);
}

static void bound_elsewhere(void **state)
{
    (void)state;
    kept_off_a_cpu("cpu");
}

static void in_a_cpuset(void **state)
{
    (void)state;
    without_root("a cpuset");
    kept_off_a_cpu("cpuset");
}

static void all_cpus(void **state)
{
    (void)state;
    struct tkf_profile profile = measured(&(struct call){.words = {MEASURE, "--cpus", "all"}});
    assert_int_equal(profile.ncpus, profile.machine.cpus);
    unsigned first, last;
    assert_int_equal(profile.ncpus, allowed_cpus(&first, &last));
    tkf_profile_free(&profile);
}

/** The machine's name is kept where it is asked for. */
static void its_name(void **state)
{
    (void)state;
    char host[65] = "";
    for (int asked = 0; asked < 2; asked++) {
        struct run_result result = call(&(struct call){.words = {MEASURE, asked ? "--host" : NULL}});
        assert_int_equal(result.status, 0);
        struct tkf_profile profile = profile_of(result.out);
        if (asked && gethostname(host, sizeof host - 1) != 0)
            host[0] = '\0';
        assert_string_equal(profile.machine.host, host);
        tkf_profile_free(&profile);
        run_result_free(&result);
    }
}

static void sources(void **state)
{
    (void)state;
    struct run_result result = call(&(struct call){.words = {MEASURE, "--source", "rdtsx\n"}});
    assert_int_equal(result.status, 2);
    assert_string_equal(result.out, "");
    char err[300] = "tickfloor: --source: no source is called 'rdtsx\\x0a'; there are ";
    for (unsigned i = 0; i < tkf_arch_nsources; i++)
        sprintf(err + strlen(err), "%s%s", i > 0 ? ", " : "", tkf_arch_sources[i].name);
    strcat(err, "; leave it out for the best one\n");
    assert_string_equal(result.err, err);
    run_result_free(&result);

    struct tkf_profile profile =
        measured(&(struct call){.words = {MEASURE, "--source", "os-clock"}});
    assert_string_equal(profile.counter.name, "os-clock");
    assert_string_equal(profile.counter.unit, "ns");
    tkf_profile_free(&profile);
    if (strcmp(tkf_arch_name, "amd64") != 0)
        skip_because("rdtscp is amd64's");
    result = call(&(struct call){.words = {MEASURE, "--source", "rdtscp"}});
    if (result.status == 0) {
        profile = profile_of(result.out);
        assert_string_equal(profile.counter.name, "rdtscp");
        tkf_profile_free(&profile);
    } else {
        assert_int_equal(result.status, 3);
        assert_non_null(strstr(result.err, "tickfloor: --source: rdtscp cannot be used: "));
    }
    run_result_free(&result);
}

static char no_tsc_link[80];

static void remove_no_tsc_link(void)
{
    unlink(no_tsc_link);
}

/** LD_PRELOAD for the library that forbids the counter: by a link, because the variable's list is split at blanks. */
static const char *preload_no_tsc(void)
{
    static char preload[120];
    if (!program.no_tsc[0] || program.emulator[0])
        skip_because("prctl(PR_SET_TSC) is of amd64 Linux");
    if (SANITIZED)
        skip_because("a sanitizer's library reads the system's clock, which dies of PR_SET_TSC");
    char *path = realpath(program.no_tsc, NULL);
    assert_non_null(path);
    if (no_tsc_link[0] == '\0') {
        snprintf(no_tsc_link, sizeof no_tsc_link, "%s.no_tsc.so", home);
        assert_int_equal(symlink(path, no_tsc_link), 0);
        atexit(remove_no_tsc_link);
    }
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", no_tsc_link);
    free(path);
    return preload;
}

/** Where reading the counter is forbidden, the system's clock does, though it usually reads that counter too. */
static void counter_forbidden(void **state)
{
    static const char reason[] =
        "the process forbids reading the time stamp counter (prctl PR_SET_TSC)";
    (void)state;
    const char *preload = preload_no_tsc();
    struct tkf_profile profile = measured(&(struct call){.words = {MEASURE}, .env = {preload}});
    assert_string_equal(profile.counter.name, "os-clock");
    assert_true(profile.counter.nrejected >= 2);
    assert_string_equal(profile.counter.rejected[0].source, "rdtsc");
    assert_string_equal(profile.counter.rejected[0].reason, reason);
    assert_string_equal(profile.counter.rejected[1].source, "rdtscp");
    assert_string_equal(profile.counter.rejected[1].reason, reason);
    const struct tkf_warning *refused = warning(&profile, "source-refused");
    assert_non_null(refused);
    assert_non_null(strstr(refused->text, "os-clock is used instead"));
    assert_non_null(strstr(refused->next, "PR_SET_TSC"));
    tkf_profile_free(&profile);

    char err[300];
    for (int p = 0; p < 2; p++) {
        const char *source = p ? "rdtscp" : "rdtsc";
        snprintf(err, sizeof err,
                 "--source: %s cannot be used: %s; leave it out for the best one that works",
                 source, reason);
        call_expecting(&(struct call){.words = {MEASURE, "--source", source}, .env = {preload}}, 3,
                       err);
    }
}

/** Without the kernel's clock the vDSO's serves. */
static void clock_forbidden(void **state)
{
    (void)state;
    if (program.emulator[0])
        skip_because("an emulator asks the kernel for its own sake");
    struct tkf_profile profile =
        measured(&(struct call){.words = {MEASURE}, .under = {"no-clock=EPERM"}});
    assert_string_not_equal(profile.counter.name, "");
    tkf_profile_free(&profile);
}

/* ---- the topology ---------------------------------------------------------------------------- */

static void another_topology(void **state)
{
    static const char *const names[] = {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE"};
    (void)state;
    hwloc_topology_t other;
    assert_int_equal(hwloc_topology_init(&other), 0);
    assert_int_equal(hwloc_topology_set_synthetic(other, "core:4 pu:2"), 0);
    assert_int_equal(hwloc_topology_load(other), 0);
    assert_int_equal(hwloc_topology_export_xml(other, in_home("other.xml"), 0), 0);
    hwloc_topology_destroy(other);

    for (int i = 0; i < 2; i++) {
        char variable[300], err[300];
        snprintf(variable, sizeof variable, "%s=%s", names[i],
                 i == 0 ? "core:4 pu:2" : in_home("other.xml"));
        snprintf(err, sizeof err,
                 "the CPUs of this machine cannot be told: %s is set, so hwloc describes another "
                 "machine; unset it",
                 names[i]);
        call_expecting(&(struct call){.words = {"-q"}, .env = {variable}}, 3, err);
        assert_int_not_equal(access(in_home(".local"), F_OK), 0);
        call_expecting(&(struct call){.words = {"--version"}, .env = {variable}}, 0, "");
        call_expecting(&(struct call){.words = {"--help"}, .env = {variable}}, 0, "");
    }
    write_contents(in_home("bad.xml"), "<x/>");
    char variable[300];
    snprintf(variable, sizeof variable, "HWLOC_XMLFILE=%s", in_home("bad.xml"));
    call_expecting(
        &(struct call){.words = {"-q"}, .env = {variable}}, 3,
        "the CPUs of this machine cannot be told: hwloc cannot read the topology: Invalid "
        "argument; unset the environment's HWLOC_ variables, and see that /sys is mounted");
}

static void one_kind_of_core(void **state)
{
    (void)state;
    hwloc_topology_t here;
    assert_int_equal(hwloc_topology_init(&here), 0);
    assert_int_equal(hwloc_topology_load(here), 0);
    int kinds = hwloc_cpukinds_get_nr(here, 0);
    hwloc_topology_destroy(here);
    if (kinds > 1)
        skip_because("this machine has several kinds of core");
    struct run_result result = call(&(struct call){.words = {MEASURE}});
    assert_non_null(strstr(result.out, "\"kinds\": null"));
    assert_non_null(strstr(result.out, "\"kind\": null"));
    run_result_free(&result);
}

/* ---- saving ---------------------------------------------------------------------------------- */

static const char kept[] = "the old one\n";

/** A folder with an old profile in it. */
static const char *old_profile(void)
{
    assert_int_equal(mkdir(in_home("d"), 0700), 0);
    const char *path = in_home("d/p.json");
    write_contents(path, kept);
    return path;
}

static void old_one_is_kept(const char *path)
{
    char *text = contents(path);
    assert_string_equal(text, kept);
    free(text);
    assert_int_equal(entries(in_home("d")), 1);
}

/** The card is printed, saving fails: 3, one line, the old profile whole and alone. */
static void cannot_save(const struct call *row, const char *path, const char *why)
{
    char err[500];
    snprintf(err, sizeof err, "tickfloor: cannot save the profile in %s: %s" HOW_TO_SAVE "\n", path,
             why);
    struct run_result result = call(row);
    assert_string_equal(result.err, err);
    assert_int_equal(result.status, 3);
    assert_non_null(strstr(result.out, "suspect below"));
    assert_null(strstr(result.out, "saved in"));
    run_result_free(&result);
}

static void a_file_size_limit(void **state)
{
    static const char *const limits[] = {"fsize=0", "fsize=1", "fsize=5000"};
    (void)state;
    const char *path = old_profile();
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        /* What it prints must not go to a file, which is limited too. */
        struct run_result result = call(&(struct call){
            .words = {"-q", "-o", path}, .under = {limits[i]}, .out_path = "/dev/null"});
        assert_int_equal(result.status, 3);
        run_result_free(&result);
        old_one_is_kept(path);
    }
}

static void a_full_disk(void **state)
{
    (void)state;
    without_root("a small disk");
    char condition[100];
    const char *path = in_home("p.json");
    write_contents(path, kept);
    assert_int_equal(mkdir(in_home("d"), 0700), 0);
    snprintf(condition, sizeof condition, "small=%s", in_home("d"));
    cannot_save(&(struct call){.words = {"-q", "-o", in_home("d/p.json")}, .under = {condition}},
                in_home("d/p.json"), "No space left on device");
}

static void a_read_only_disk(void **state)
{
    (void)state;
    without_root("a disk read-only");
    char condition[100];
    const char *path = old_profile();
    snprintf(condition, sizeof condition, "read-only=%s", in_home("d"));
    cannot_save(&(struct call){.words = {"-q", "-o", path}, .under = {condition}}, path,
                "Read-only file system");
    old_one_is_kept(path);
}

static void another_user(void **state)
{
    (void)state;
    without_root("itself another user");
    if (program.emulator[0])
        skip_because("another user may not see the emulator's libraries");
    const char *path = old_profile();
    cannot_save(&(struct call){.words = {"-q", "-o", path}, .under = {"user=65534"}}, path,
                "Permission denied");
    old_one_is_kept(path);
    struct tkf_profile profile =
        measured(&(struct call){.words = {MEASURE}, .under = {"user=65534"}});
    tkf_profile_free(&profile);
}

static void no_folder_to_save_in(void **state)
{
    (void)state;
    const char *path = old_profile(), *below = in_home("d/p.json/q/p.json");
    cannot_save(&(struct call){.words = {"-q", "-o", below}}, below, "Not a directory");
    old_one_is_kept(path);
    cannot_save(&(struct call){.words = {"-q", "-o", home}}, home, "Is a directory");
    /* The state folder is a file. */
    char variable[100], saved[200];
    snprintf(variable, sizeof variable, "XDG_STATE_HOME=%s", path);
    snprintf(saved, sizeof saved, "%s/tickfloor/profile.json", path);
    cannot_save(&(struct call){.words = {"-q"}, .env = {variable}}, saved, "Not a directory");
    old_one_is_kept(path);
}

static void no_home(void **state)
{
    static const char err[] =
        "nowhere to save the profile: neither XDG_STATE_HOME nor HOME is an absolute path" HOW_TO_SAVE;
    (void)state;
    call_expecting(&(struct call){.words = {"-q"}, .env = {"HOME="}}, 3, err);
    call_expecting(&(struct call){.words = {"-q"}, .env = {"HOME=a", "XDG_STATE_HOME=b"}}, 3, err);
    assert_int_equal(access("b", F_OK), -1);
    /* A relative XDG_STATE_HOME is as if not set. */
    call_expecting(&(struct call){.words = {"-q"}, .env = {"XDG_STATE_HOME=b"}}, 0, "");
    assert_int_equal(access(in_home(".local/state/tickfloor/profile.json"), R_OK), 0);
    assert_int_equal(access("b", F_OK), -1);
}

static void names_that_are_none(void **state)
{
    static const char how[] = "; name a file, or print the profile with --json";
    char err[200];
    (void)state;
    snprintf(err, sizeof err, "--output: '' is not a file's name%s", how);
    call_expecting(&(struct call){.words = {"-q", "--output", ""}}, 2, err);
    snprintf(err, sizeof err, "--output: '-' is not a file's name%s", how);
    call_expecting(&(struct call){.words = {"-q", "-o", "-"}}, 2, err);
    call_expecting(&(struct call){.words = {"-q", "-o", in_home("p.json"), "--no-save"}}, 2,
                   "--no-save and --output contradict each other; leave one of them out");
    call_expecting(
        &(struct call){.words = {"-q", "now"}}, 2,
        "calibrate takes no operand, but there is 'now'; see 'tickfloor calibrate --help'");
    assert_int_equal(entries(home), 0);
}

/** What is no regular file is written to, and is still what it was. */
static void special_files(void **state)
{
    (void)state;
    struct stat now;
    /* Not /dev/null itself where root could replace it: a device like it. */
    const char *null = "/dev/null";
    if (geteuid() == 0) {
        null = in_home("null");
        if (mknod(null, S_IFCHR | 0600, makedev(1, 3)) != 0 || open(null, O_WRONLY | O_CLOEXEC) < 0)
            skip_because("no device can be made here");
    }
    call_expecting(&(struct call){.words = {"-q", "-o", null}}, 0, "");
    assert_int_equal(stat(null, &now), 0);
    assert_true(S_ISCHR(now.st_mode));

    const char *pipe = in_home("pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    cannot_save(&(struct call){.words = {"-q", "-o", pipe}}, pipe, "nobody reads from it");
    int reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    assert_true(fcntl(reader, F_SETPIPE_SZ, 1 << 20) > 0);
    call_expecting(&(struct call){.words = {"-q", "-o", pipe}}, 0, "");
    static char text[1 << 20];
    assert_true(read(reader, text, sizeof text - 1) > 0);
    close(reader);
    struct tkf_profile profile = profile_of(text);
    tkf_profile_free(&profile);
    assert_int_equal(stat(pipe, &now), 0);
    assert_true(S_ISFIFO(now.st_mode));

    const char *path = old_profile(), *link = in_home("link");
    assert_int_equal(symlink(path, link), 0);
    call_expecting(&(struct call){.words = {"-q", "-o", link}}, 0, "");
    assert_int_equal(lstat(link, &now), 0);
    assert_true(S_ISLNK(now.st_mode));
    char *saved = contents(path);
    profile = profile_of(saved);
    tkf_profile_free(&profile);
    free(saved);
}

/* ---- streams --------------------------------------------------------------------------------- */

static void streams_that_fail(void **state)
{
    (void)state;
    call_expecting(&(struct call){.words = {MEASURE}, .closed = 1u << 1}, 3,
                   "cannot write to standard output: Bad file descriptor");
    call_expecting(&(struct call){.words = {MEASURE}, .reader_gone = true}, 0, "");
    call_expecting(&(struct call){.words = {MEASURE}, .closed = 7}, 3, "");
    struct run_result result = call(&(struct call){.words = {MEASURE}, .closed = 5});
    assert_int_equal(result.status, 0);
    struct tkf_profile profile = profile_of(result.out);
    tkf_profile_free(&profile);
    run_result_free(&result);
    if (access("/dev/full", W_OK) != 0)
        skip_because("no /dev/full here");
    static const char full[] = "cannot write to standard output: No space left on device";
    call_expecting(&(struct call){.words = {MEASURE}, .out_path = "/dev/full"}, 3, full);
    call_expecting(&(struct call){.words = {"-q"}, .out_path = "/dev/full"}, 3, full);
}

/** Start it with these as stdout and stderr. */
static pid_t start(const struct call *row, int out, int err)
{
    const char *const *argv = call_argv(row), *const *env = call_env(row);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
        dup2(open("/dev/null", O_RDONLY), 0);
        dup2(out, 1);
        dup2(err, 2);
        execve(argv[0], (char **)(uintptr_t)argv, (char **)(uintptr_t)env);
        _exit(126);
    }
    return pid;
}

/** The exit status; -N when signal N ended it. */
static int ended(pid_t pid)
{
    int state;
    assert_int_equal(waitpid(pid, &state, 0), pid);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
}

/** Wait until it is held up writing to `fd`, or has ended. */
static void until_it_writes(pid_t pid, int fd)
{
    char path[40], wanted[40];
    snprintf(path, sizeof path, "/proc/%d/syscall", pid);
    snprintf(wanted, sizeof wanted, "%d 0x%x ", SYS_write, fd);
    for (bool waits = false; !waits; poll(NULL, 0, 1)) {
        char *text = contents(path);
        assert_non_null(text);
        siginfo_t end = {.si_pid = 0};
        waitid(P_PID, (id_t)pid, &end, WEXITED | WNOHANG | WNOWAIT);
        waits = strncmp(text, wanted, strlen(wanted)) == 0 || end.si_pid == pid;
        free(text);
    }
}

static int full_pipe(int *ret_reader)
{
    static const char block[4096];
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    while (write(ends[1], block, sizeof block) > 0)
        ;
    fcntl(ends[1], F_SETFL, 0);
    *ret_reader = ends[0];
    return ends[1];
}

static void needs_linux_itself(void)
{
    if (access("/proc/self/syscall", R_OK) != 0 || program.emulator[0])
        skip_because("/proc does not tell here whether a command waits");
}

/** A reader that never reads, and then goes away; or somebody who does not want to wait any longer. */
static void a_full_pipe(void **state)
{
    static const int signals[] = {0, SIGINT, SIGTERM};
    (void)state;
    needs_linux_itself();
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        FILE *err = fopen(in_home("err"), "we");
        assert_non_null(err);
        int reader, writer = full_pipe(&reader);
        pid_t pid = start(&(struct call){.words = {MEASURE}}, writer, fileno(err));
        close(writer);
        until_it_writes(pid, STDOUT_FILENO);
        if (signals[i])
            kill(pid, signals[i]);
        else
            close(reader);
        assert_int_equal(ended(pid), -signals[i]); /* a shell's 128 + signal */
        if (signals[i])
            close(reader);
        fclose(err);
        char *text = contents(in_home("err"));
        assert_string_equal(text, "");
        free(text);
    }
}

/** Stopped in the middle of it, which its progress on a terminal tells: the terminal takes no more until the signal is there. */
static void interrupted(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM};
    (void)state;
    needs_linux_itself();
    const char *path = old_profile();
    for (size_t i = 0; i < 2; i++) {
        int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
            skip_because("no pseudo-terminal here");
        int terminal = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
        FILE *out = fopen(in_home("out"), "we");
        assert_true(terminal >= 0 && out);
        assert_int_equal(tcflow(terminal, TCOOFF), 0);
        pid_t pid = start(&(struct call){.words = {"-q", "-o", path}, .env = {"TERM=xterm"}},
                          fileno(out), terminal);
        until_it_writes(pid, STDERR_FILENO);
        kill(pid, signals[i]);
        assert_int_equal(tcflow(terminal, TCOON), 0);
        assert_int_equal(ended(pid), 128 + signals[i]);
        fclose(out);
        close(terminal);
        close(master);
        char *text = contents(in_home("out"));
        assert_string_equal(text, "");
        free(text);
        old_one_is_kept(path);
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

/** From where not even the program can be loaded to where all is well; between them there is one line, and no crash. */
static void little_memory(void **state)
{
    (void)state;
    if (SANITIZED)
        skip_because("a sanitizer takes more address space than any limit leaves");
    int status = -1;
    for (unsigned kib = 5000; status != 0; kib += 150) {
        if (kib > 200000)
            skip_because("no address space is small enough to be full and large enough to run in");
        char limit[40];
        snprintf(limit, sizeof limit, "as=%u", kib * 1024);
        struct run_result result = call(&(struct call){.words = {MEASURE}, .under = {limit}});
        status = result.status;
        if (status == 3) {
            assert_non_null(strstr(result.err, "memory"));
            assert_ptr_equal(strchr(result.err, '\n'), result.err + strlen(result.err) - 1);
        } else if (status != 0) {
            assert_int_equal(status, 127); /* the dynamic linker's */
        }
        run_result_free(&result);
    }
}

/** Every verb that measures or reads a profile: a profile is large, and such a limit may be the process's own. */
static void a_small_stack(void **state)
{
    static const char *const rows[][4] = {
        {"calibrate", "-q", "-o", "profile"},
        {"show", "profile"},
        {"show", "--machine"},
        {"compare", "profile", "profile"},
        {"report", "--profile", "profile", "results"},
        {"bench", "--time=1ms", "op"},
        {"bench", "--time=1ms", "--sweep"},
    };
    (void)state;
    if (SANITIZED || program.emulator[0])
        skip_because("a sanitizer and an emulator take more stack than the limit leaves");
    write_contents(in_home("results"), "BenchmarkX-2 \t 100 \t 12.5 ns/op\n");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct call row = {.under = {"stack=65536"}};
        for (size_t k = 0; k < 4 && rows[i][k]; k++) {
            bool is_path = strcmp(rows[i][k], "profile") == 0 || strcmp(rows[i][k], "results") == 0;
            row.words[k] = is_path ? in_home(rows[i][k]) : rows[i][k];
        }
        struct run_result result = call(&row);
        print_message("%s %s\n", rows[i][0], result.err);
        assert_int_equal(result.status, 0);
        run_result_free(&result);
    }
}

static void few_descriptors(void **state)
{
    (void)state;
    for (unsigned n = 4; n < 12; n++) {
        char limit[40];
        snprintf(limit, sizeof limit, "nofile=%u", n);
        struct run_result result = call(&(struct call){.words = {"-q"}, .under = {limit}});
        if (result.status != 127) { /* the dynamic linker's */
            assert_string_equal(result.err, "");
            assert_int_equal(result.status, 0);
        }
        run_result_free(&result);
    }
}

static void no_argv(void **state)
{
    (void)state;
    if (program.emulator[0])
        skip_because("an emulator needs its arguments");
    call_expecting(
        &(struct call){.under = {"no-argv"}, .env = {"HWLOC_SYNTHETIC=core:4 pu:2"}}, 3,
        "the CPUs of this machine cannot be told: HWLOC_SYNTHETIC is set, so hwloc describes "
        "another machine; unset it");
}

static void no_hardware_events(void **state)
{
    static const char *const rows[][2] = {
        {"no-perf=EPERM", "a seccomp filter or a security policy forbids perf_event_open"},
        {"no-perf=ENOSYS",
         "perf_event_open is missing: hidden by a seccomp filter, or not in this kernel"},
    };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct tkf_profile profile =
            measured(&(struct call){.words = {MEASURE}, .under = {rows[i][0]}});
        assert_false(profile.pmu.available);
        assert_string_equal(profile.pmu.reason, rows[i][1]);
        assert_string_not_equal(profile.pmu.next, "");
        tkf_profile_free(&profile);
    }
}

/* ---- the answer ------------------------------------------------------------------------------ */

static void matches_the_schema(void **state)
{
    static const char script[] =
        "import json, sys\n"
        "try:\n"
        "    import jsonschema\n"
        "    validator = jsonschema.Draft202012Validator\n"
        "except (ImportError, AttributeError):\n"
        "    sys.exit(77)\n"
        "validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))\n";
    (void)state;
    struct run_result result = call(&(struct call){.words = {MEASURE}});
    assert_int_equal(result.status, 0);
    write_contents(in_home("p.json"), result.out);
    run_result_free(&result);
    const char *const argv[] = {program.python,    "-c", script, program.schema,
                                in_home("p.json"), NULL};
    const char *const env[] = {"PATH=/usr/bin:/bin", NULL};
    assert_int_equal(run_command(&(struct run_command){.argv = argv, .env = env}, &result), 0);
    if (result.status == 77)
        skip_because("no python3-jsonschema 4 here");
    assert_string_equal(result.err, "");
    assert_int_equal(result.status, 0);
    run_result_free(&result);
}

/** A decimal comma must not get into the JSON or the card. The locale is made for the test, as few machines have one. */
static void a_locale_with_commas(void **state)
{
    (void)state;
    const char *const argv[] = {"/usr/bin/localedef",   "-i", "de_DE", "-f", "UTF-8",
                                in_home("de_DE.UTF-8"), NULL};
    struct run_result result;
    if (run_command(&(struct run_command){.argv = argv}, &result) != 0)
        skip_because("no localedef here");
    int status = result.status;
    run_result_free(&result);
    if (status > 1 || access(in_home("de_DE.UTF-8"), F_OK) != 0) /* 1: with warnings */
        skip_because("localedef cannot make a locale with a decimal comma here");
    char path[100];
    snprintf(path, sizeof path, "LOCPATH=%s", home);
    setenv("LOCPATH", home, 1);
    /* Without the sources of locales, which a minimal system lacks, localedef leaves half a one. */
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
        skip_because("localedef made no usable locale with a decimal comma here");
    assert_string_equal(localeconv()->decimal_point, ",");
    setlocale(LC_NUMERIC, "C");

    const struct call json = {.words = {MEASURE}, .env = {"LC_ALL=de_DE.UTF-8", path}};
    const struct call card = {.words = {"-q", "--no-save"}, .env = {"LC_ALL=de_DE.UTF-8", path}};
    struct tkf_profile profile = measured(&json);
    tkf_profile_free(&profile);
    result = call(&card);
    const char *number = strstr(result.out, "suspect below ");
    assert_non_null(number);
    number += strlen("suspect below ");
    assert_memory_equal(number + strspn(number, "0123456789."), " ns", 3);
    run_result_free(&result);
}

/** Whoever comes last wins, and a reader never sees half of one. */
static void several_at_once(void **state)
{
    enum { AT_ONCE = 4 };
    (void)state;
    const char *path = old_profile();
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pid_t pids[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++)
        pids[i] = start(&(struct call){.words = {"-q", "-o", path}}, null, 2);
    for (int i = 0; i < AT_ONCE; i++)
        assert_int_equal(ended(pids[i]), 0);
    close(null);
    char *text = contents(path);
    struct tkf_profile profile = profile_of(text);
    tkf_profile_free(&profile);
    free(text);
    assert_int_equal(entries(in_home("d")), 1);
}

static void emulated_or_not(void **state)
{
    (void)state;
    struct run_result result = call(&(struct call){.words = {MEASURE}});
    struct run_result card = call(&(struct call){.words = {"-q", "--no-save"}});
    struct tkf_profile profile = profile_of(result.out);
    bool emulated = profile.machine.emulated;
    if (program.emulator[0])
        assert_true(emulated);
    assert_int_equal(profile.machine.emulator[0] != '\0', emulated);
    assert_int_equal(warning(&profile, "emulated") != NULL, emulated);
    assert_int_equal(strstr(card.out, "EMULATED by ") != NULL, emulated);
    tkf_profile_free(&profile);
    run_result_free(&card);
    run_result_free(&result);
}

/* ---- the library's call ---------------------------------------------------------------------- */

static void gives_the_binding_back(void **state)
{
    (void)state;
    cpu_set_t before, after;
    struct tkf_calibrate_request request = {.quick = true};
    struct tkf_profile profile;
    struct tkf_input_error error;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(tkf_calibrate_machine(&request, &profile, &error), 0);
    tkf_profile_free(&profile);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(bad_cpu_lists, fresh_home),
        cmocka_unit_test_setup(a_cpu_that_is_not_there, fresh_home),
        cmocka_unit_test_setup(bound_elsewhere, fresh_home),
        cmocka_unit_test_setup(in_a_cpuset, fresh_home),
        cmocka_unit_test_setup(all_cpus, fresh_home),
        cmocka_unit_test_setup(its_name, fresh_home),
        cmocka_unit_test_setup(sources, fresh_home),
        cmocka_unit_test_setup(counter_forbidden, fresh_home),
        cmocka_unit_test_setup(clock_forbidden, fresh_home),
        cmocka_unit_test_setup(another_topology, fresh_home),
        cmocka_unit_test_setup(one_kind_of_core, fresh_home),
        cmocka_unit_test_setup(a_file_size_limit, fresh_home),
        cmocka_unit_test_setup(a_full_disk, fresh_home),
        cmocka_unit_test_setup(a_read_only_disk, fresh_home),
        cmocka_unit_test_setup(another_user, fresh_home),
        cmocka_unit_test_setup(no_folder_to_save_in, fresh_home),
        cmocka_unit_test_setup(no_home, fresh_home),
        cmocka_unit_test_setup(names_that_are_none, fresh_home),
        cmocka_unit_test_setup(special_files, fresh_home),
        cmocka_unit_test_setup(streams_that_fail, fresh_home),
        cmocka_unit_test_setup(a_full_pipe, fresh_home),
        cmocka_unit_test_setup(interrupted, fresh_home),
        cmocka_unit_test_setup(little_memory, fresh_home),
        cmocka_unit_test_setup(a_small_stack, fresh_home),
        cmocka_unit_test_setup(few_descriptors, fresh_home),
        cmocka_unit_test_setup(no_argv, fresh_home),
        cmocka_unit_test_setup(no_hardware_events, fresh_home),
        cmocka_unit_test_setup(matches_the_schema, fresh_home),
        cmocka_unit_test_setup(a_locale_with_commas, fresh_home),
        cmocka_unit_test_setup(several_at_once, fresh_home),
        cmocka_unit_test_setup(emulated_or_not, fresh_home),
        cmocka_unit_test_setup(gives_the_binding_back, fresh_home),
    };
    return run_with_command(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
