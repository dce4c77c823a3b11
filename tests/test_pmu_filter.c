/* SPDX-License-Identifier: MIT */
/* perf_event_open refused by a seccomp filter, as in a container: each refusal is told from a machine without counters. */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "host.h"

/* Make the call fail with `error` in this process from now on. */
static bool forbid_perf(int error)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* Run fn in a child, which a filter does not outlive; its exit status. */
static int in_child(int (*fn)(int error, const char *expected), int error, const char *expected)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(fn(error, expected));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int filter_works(int error, const char *expected)
{
    (void)expected;
    return forbid_perf(error) ? 0 : 1;
}

static int open_is_refused(int error, const char *expected)
{
    if (!forbid_perf(error))
        return 1;
    struct tkf_pmu *pmu;
    struct tkf_pmu_status status;
    tkf_pmu_open(0, &pmu, &status);
    if (pmu == NULL && strstr(status.reason, expected) != NULL && isnan(tkf_pmu_counter_hz()))
        return 0;
    print_error("errno %d: \"%s\" has no \"%s\"\n", error, status.reason, expected);
    return 1;
}

static void open_names_what_refused(void **state)
{
    (void)state;
    assert_int_equal(in_child(open_is_refused, EPERM, "a seccomp filter or a security policy"), 0);
    assert_int_equal(in_child(open_is_refused, ENOSYS, "perf_event_open is missing"), 0);
    assert_int_equal(in_child(open_is_refused, EMFILE, "too many files open"), 0);
    assert_int_equal(in_child(open_is_refused, ENOENT, "no hardware cycle counter"), 0);
}

int main(void)
{
    if (in_child(filter_works, EPERM, NULL) != 0) {
        fprintf(stderr, "skipped: no seccomp filter can be set here\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(open_names_what_refused)};
    return cmocka_run_group_tests_name("pmu_filter", tests, NULL, NULL);
}
