/* SPDX-License-Identifier: MIT */
#include "host.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

/* An unknown instruction raises SIGILL, a counter that Linux forbids SIGSEGV; macOS may say SIGBUS. */
static const int trap_signals[] = {SIGILL, SIGSEGV, SIGBUS};
#define NTRAPS (sizeof(trap_signals) / sizeof(trap_signals[0]))

/* What the handler reads: written before it is in place. */
static struct sigaction old_actions[NTRAPS];
static pthread_t guarded_thread;
static sigjmp_buf landing;

/* A trap of another thread, while the guard is up: what would have happened without it. */
static void pass_on(int signal, siginfo_t *info, void *context, const struct sigaction *old)
{
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(signal, info, context);
    } else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(signal);
    } else {
        sigaction(signal, old, NULL);
        raise(signal);
    }
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
    if (pthread_equal(pthread_self(), guarded_thread))
        siglongjmp(landing, 1);
    for (size_t i = 0; i < NTRAPS; i++)
        if (trap_signals[i] == signal)
            pass_on(signal, info, context, &old_actions[i]);
}

int tkf_guard(void *ctx, void (*fn)(void *arg), void *arg)
{
    (void)ctx;
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_trap;
    /* SA_NODEFER: the handler is left by a jump, and the signal must not stay blocked behind it. */
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);

    for (size_t i = 0; i < NTRAPS; i++)
        sigaction(trap_signals[i], NULL, &old_actions[i]);
    int result = TKF_ETRAP;
    guarded_thread = pthread_self();
    if (sigsetjmp(landing, 0) == 0) {
        for (size_t i = 0; i < NTRAPS; i++)
            sigaction(trap_signals[i], &action, NULL);
        fn(arg);
        result = 0;
    }
    for (size_t i = 0; i < NTRAPS; i++)
        sigaction(trap_signals[i], &old_actions[i], NULL);
    return result;
}
