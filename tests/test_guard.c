/* SPDX-License-Identifier: MIT */
/* What traps inside the guard ends there, and nothing else changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"

static const int trap_signals[] = {SIGILL, SIGSEGV, SIGBUS};

/* A page that cannot be touched, and one of a file that ends before it. */
static char *closed_page, *missing_page;

static void touch(void *arg)
{
    *(volatile char *)arg = 1;
}

/* One text that both architectures refuse: ud2 on x86, udf on arm64. */
static void illegal(void *arg)
{
    (void)arg;
    __asm__ volatile(".word 0x0b0f");
}

static void count(void *arg)
{
    ++*(int *)arg;
}

static void keeps_quiet_without_a_trap(void **state)
{
    (void)state;
    int counter = 0;
    assert_int_equal(tkf_guard(NULL, count, &counter), 0);
    assert_int_equal(tkf_guard(NULL, count, &counter), 0);
    assert_int_equal(counter, 2);
}

static void ends_a_trap(void **state)
{
    (void)state;
    /* Twice and more: a signal that stayed blocked, or a handler that was spent, would kill the second time. */
    for (int i = 0; i < 3; i++) {
        int counter = 0;
        assert_int_equal(tkf_guard(NULL, illegal, NULL), TKF_ETRAP);
        assert_int_equal(tkf_guard(NULL, touch, closed_page), TKF_ETRAP);
        assert_int_equal(tkf_guard(NULL, touch, missing_page), TKF_ETRAP);
        assert_int_equal(tkf_guard(NULL, count, &counter), 0);
        assert_int_equal(counter, 1);
    }
    sigset_t blocked;
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &blocked), 0);
    for (size_t i = 0; i < 3; i++)
        assert_false(sigismember(&blocked, trap_signals[i]));
}

static volatile sig_atomic_t old_calls;

/* Somebody else's handler: opens the page, so that the access succeeds when it is tried again. */
static void old_handler(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    if (info->si_addr == closed_page)
        old_calls++;
    mprotect(closed_page, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE);
}

static void close_page(void)
{
    assert_int_equal(mprotect(closed_page, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE), 0);
}

static void install(void (*handler)(int, siginfo_t *, void *), struct sigaction ret_saved[3])
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    sigemptyset(&action.sa_mask);
    if (handler) {
        action.sa_sigaction = handler;
        action.sa_flags = SA_SIGINFO;
    } else {
        action.sa_handler = SIG_DFL;
    }
    for (size_t i = 0; i < 3; i++)
        sigaction(trap_signals[i], &action, &ret_saved[i]);
}

static void restore(const struct sigaction saved[3])
{
    for (size_t i = 0; i < 3; i++)
        sigaction(trap_signals[i], &saved[i], NULL);
}

static void puts_old_handlers_back(void **state)
{
    (void)state;
    struct sigaction saved[3];
    install(old_handler, saved);
    int counter = 0;
    assert_int_equal(tkf_guard(NULL, count, &counter), 0);
    assert_int_equal(tkf_guard(NULL, illegal, NULL), TKF_ETRAP);
    for (size_t i = 0; i < 3; i++) {
        struct sigaction now;
        sigaction(trap_signals[i], NULL, &now);
        assert_ptr_equal(now.sa_sigaction, old_handler);
        assert_true(now.sa_flags & SA_SIGINFO);
    }
    old_calls = 0;
    touch(closed_page);
    assert_int_equal(old_calls, 1);
    close_page();
    restore(saved);
}

static void *touch_in_thread(void *arg)
{
    touch(arg);
    return NULL;
}

/* The guarded code waits while another thread traps. */
static void with_other_thread(void *arg)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, touch_in_thread, arg) == 0)
        pthread_join(thread, NULL);
}

static void with_other_thread_then_touch(void *arg)
{
    with_other_thread(arg);
    close_page();
    touch(arg);
}

static void leaves_other_threads_to_the_old_handler(void **state)
{
    (void)state;
    struct sigaction saved[3];
    install(old_handler, saved);
    old_calls = 0;
    assert_int_equal(tkf_guard(NULL, with_other_thread, closed_page), 0);
    assert_int_equal(old_calls, 1);
    /* And the guard is still up behind it. */
    close_page();
    assert_int_equal(tkf_guard(NULL, with_other_thread_then_touch, closed_page), TKF_ETRAP);
    assert_int_equal(old_calls, 2);
    restore(saved);
}

static void leaves_other_threads_to_their_death(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct sigaction saved[3];
        install(NULL, saved);
        _exit(tkf_guard(NULL, with_other_thread, closed_page) == 0 ? 1 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
}

static int make_pages(void **state)
{
    (void)state;
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    FILE *file = tmpfile(); /* empty: its first page lies behind its end */
    closed_page = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    missing_page =
        file ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0) : MAP_FAILED;
    if (file)
        fclose(file);
    return closed_page == MAP_FAILED || missing_page == MAP_FAILED;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_quiet_without_a_trap),
        cmocka_unit_test(ends_a_trap),
        cmocka_unit_test(puts_old_handlers_back),
        cmocka_unit_test(leaves_other_threads_to_the_old_handler),
        cmocka_unit_test(leaves_other_threads_to_their_death),
    };
    return cmocka_run_group_tests(tests, make_pages, NULL);
}
