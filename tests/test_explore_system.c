/* SPDX-License-Identifier: MIT */
/* What the system costs, the core clock and the noise on this machine: everything has a value or a reason, however it is cut short. */
#include <stdarg.h>
#include <stddef.h>

#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tickfloor/calibrate.h>

#include "explore/part.h"
#include "explore/system.h"

static struct tkf_profile profile;
static struct tkf_topology *topology;
static struct tkf_explore out;
static unsigned cancel_after; /* questions; 0: never */
static unsigned asked;
static unsigned looked_after; /* at the clock, once it had been said to stop */
static unsigned cpus[4096], ncpus;

static int pin(void *ctx, unsigned cpu)
{
    (void)ctx;
    return tkf_topology_pin(topology, cpu);
}

static bool cancelled(void *ctx)
{
    (void)ctx;
    asked++;
    return cancel_after > 0 && asked > cancel_after;
}

static uint64_t clock_ns(void *ctx)
{
    looked_after += cancel_after > 0 && asked > cancel_after;
    return tkf_clock_ns(ctx);
}

static struct tkf_explorer explorer(double seconds)
{
    memset(&out, 0, sizeof out);
    cancel_after = asked = looked_after = 0;
    struct tkf_explorer x = {
        .env = {.clock_ns = clock_ns,
                .guard = tkf_guard,
                .forbidden = tkf_facts_forbidden,
                .pin = pin,
                .cancelled = cancelled},
        .topology = topology,
        .counter = &profile.counter,
        .cpu = profile.cpus[0].floor.cpu,
        .cycle_ns = profile.cpus[0].floor.cycle_ns,
        .cpus = cpus,
        .ncpus = ncpus,
        .end_ns = tkf_clock_ns(NULL) + (uint64_t)(seconds * 1e9),
        .out = &out,
    };
    x.neighbour = x.cpu;
    for (unsigned i = 0; i < ncpus && x.neighbour == x.cpu; i++)
        x.neighbour = cpus[i];
    tkf_topology_pin(topology, x.cpu);
    return x;
}

static int load(void **state)
{
    (void)state;
    struct tkf_calibrate_request request = {.quick = true};
    struct tkf_input_error error;
    char reason[160];
    unsigned nkinds;
    if (tkf_calibrate_machine(&request, &profile, &error) != 0) {
        fprintf(stderr, "%s\n", error.text);
        return -1;
    }
    if (tkf_topology_load(&topology, reason, sizeof reason) != 0)
        return -1;
    const struct tkf_kind *kinds = tkf_topology_kinds(topology, &nkinds);
    for (ncpus = 0; ncpus < kinds[0].ncpus && ncpus < 4096; ncpus++)
        cpus[ncpus] = kinds[0].cpus[ncpus];
    return 0;
}

static int unload(void **state)
{
    (void)state;
    tkf_topology_free(topology);
    tkf_profile_free(&profile);
    return 0;
}

/** Every step has a name of its own, a text, a unit, and a value in order or a reason. */
static void check_steps(void)
{
    for (unsigned i = 0; i < out.nsteps; i++) {
        const struct tkf_step *s = &out.steps[i];
        assert_string_not_equal(s->name, "");
        assert_string_not_equal(s->text, "");
        assert_true(strcmp(s->unit, "ns") == 0 || strcmp(s->unit, "GHz") == 0);
        if (s->reason[0] != '\0') {
            assert_true(isnan(s->value.lo) && isnan(s->value.mid) && isnan(s->value.hi));
        } else if (!(s->value.lo <= s->value.mid && s->value.mid <= s->value.hi)) {
            fail_msg("%s: %g %g %g", s->name, s->value.lo, s->value.mid, s->value.hi);
        }
        assert_true(strlen(s->text) < sizeof s->text - 1); /* not cut */
        for (unsigned k = 0; k < i; k++)
            assert_string_not_equal(s->name, out.steps[k].name);
    }
}

static const struct tkf_step *step(const char *name)
{
    for (unsigned i = 0; i < out.nsteps; i++) {
        if (strcmp(out.steps[i].name, name) == 0)
            return &out.steps[i];
    }
    fprintf(stderr, "no step %s\n", name);
    abort();
}

static const char *const names[] = {
    "malloc/64B",
    "page/first-touch",
    "page/first-touch/huge",
    "os/syscall",
    "os/pipe-write-read",
    "os/pipe-round-trip",
    "os/pipe-round-trip/other-cpu",
    "os/context-switch",
    "os/futex-round-trip",
    "os/futex-round-trip/other-cpu",
    "os/wake-up",
    "os/wake-up/other-cpu",
    "os/futex-wake",
    "clock/realtime/resolution",
    "clock/monotonic/step",
    "clock/monotonic/cost",
    "clock/thread-cputime/cost",
    "counter/fenced",
    "counter/bare",
    "sleep/1us",
    "sleep/10us",
    "sleep/100us",
    "sleep/1ms",
    "sleep/10ms",
};
#define NNAMES (sizeof names / sizeof names[0])

static void check_names(void)
{
    check_steps();
    for (unsigned i = 0; i < NNAMES; i++)
        step(names[i]);
    assert_int_equal(out.nsteps, 13 + 3 * tkf_os_nclocks + 2 + 5);
}

static void every_step_has_a_value_or_a_reason(void **state)
{
    (void)state;
    struct tkf_explorer x = explorer(2);
    assert_int_equal(tkf_explore_system(&x), 0);
    check_names();
    /* What needs one thread and no right can always be had. */
    static const char *const always[] = {"malloc/64B", "page/first-touch", "os/syscall",
                                         "counter/fenced", "clock/realtime/resolution"};
    for (unsigned i = 0; i < sizeof always / sizeof always[0]; i++) {
        const struct tkf_step *s = step(always[i]);
        if (s->reason[0] != '\0')
            assert_string_equal(s->reason, "the time was up");
        else
            assert_true(s->value.mid > 0);
    }
}

/** The core does not work while a clock stands still or the thread sleeps: cycles would say nothing. */
static void cycles_where_the_core_works(void **state)
{
    (void)state;
    struct tkf_explorer x = explorer(2);
    assert_int_equal(tkf_explore_system(&x), 0);
    for (unsigned i = 0; i < out.nsteps; i++) {
        const struct tkf_step *s = &out.steps[i];
        bool idle = strncmp(s->name, "sleep/", 6) == 0 || strstr(s->name, "/resolution") != NULL ||
                    strstr(s->name, "/step") != NULL;
        assert_true(isnan(s->cycles.mid) == (idle || isnan(s->value.mid)));
    }
}

static void the_clock_has_a_ramp(void **state)
{
    (void)state;
    struct tkf_explorer x = explorer(3);
    assert_int_equal(tkf_explore_frequency(&x), 0);
    check_steps();
    assert_int_equal(out.nsteps, 2);
    step("clock/core/one"), step("clock/core/all");
    assert_true(out.nramp <= TKF_RAMP_MAX);
    for (unsigned i = 0; i < out.nramp; i++) {
        assert_true(out.ramp[i].ghz > 0 && out.ramp[i].at_ms >= 0);
    }
    assert_true(out.nramp > 0 || out.partial);
}

static void a_time_that_is_up_gives_reasons(void **state)
{
    (void)state;
    struct tkf_explorer x = explorer(0);
    assert_int_equal(tkf_explore_system(&x), 0);
    check_names();
    for (unsigned i = 0; i < out.nsteps; i++) {
        if (strstr(out.steps[i].name, "resolution") == NULL)
            assert_string_not_equal(out.steps[i].reason, "");
    }
    assert_true(out.partial);

    x = explorer(0);
    assert_int_equal(tkf_explore_frequency(&x), 0);
    check_steps();
    assert_int_equal(out.nsteps, 2);
    assert_int_equal(out.nramp, 0);
    assert_true(out.partial);

    x = explorer(0);
    assert_int_equal(tkf_explore_noise(&x), 0);
    assert_int_equal(out.nnoise, ncpus < TKF_NOISES_MAX ? ncpus : TKF_NOISES_MAX);
    for (unsigned i = 0; i < out.nnoise; i++)
        assert_string_equal(out.noise[i].reason, "the time was up");
    assert_true(out.partial);
}

static void whoever_stops_it_is_obeyed(void **state)
{
    (void)state;
    static int (*const parts[])(struct tkf_explorer *) = {tkf_explore_system, tkf_explore_frequency,
                                                          tkf_explore_noise};
    for (unsigned part = 0; part < 3; part++) {
        for (unsigned after = 1; after < 20000; after *= 12) {
            struct tkf_explorer x = explorer(20);
            cancel_after = after;
            int error = parts[part](&x);
            /* A machine so slow that it was not asked so often has ended by itself. */
            assert_true(error == TKF_ECANCELLED || (error == 0 && asked <= after));
            /* Once or a few times in each step; a step that went on would look before each of its samples. */
            assert_true(looked_after < 500);
            check_steps();
        }
    }
}

static void one_cpu_says_what_needs_two(void **state)
{
    (void)state;
    struct tkf_explorer x = explorer(0.5);
    x.cpus = &x.cpu;
    x.ncpus = 1;
    x.neighbour = x.cpu;
    assert_int_equal(tkf_explore_system(&x), 0);
    check_names();
    static const char *const two[] = {"os/pipe-round-trip/other-cpu",
                                      "os/futex-round-trip/other-cpu", "os/wake-up/other-cpu",
                                      "os/futex-wake"};
    for (unsigned i = 0; i < 4; i++)
        assert_true(strstr(step(two[i])->reason, "two CPUs") != NULL ||
                    strstr(step(two[i])->reason, "futex") != NULL);
    x = explorer(0.5);
    x.cpus = &x.cpu;
    x.ncpus = 1;
    assert_int_equal(tkf_explore_frequency(&x), 0);
    assert_non_null(strstr(step("clock/core/all")->reason, "one CPU"));
}

/* ---- where things are missing: in a child, which may spoil its own world ------------------------------------------ */

/** @return the child's exit status: 0 when it came to its end with everything in order. */
static int in_child(void (*fn)(void))
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        fn();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void need(bool condition)
{
    if (!condition)
        _exit(1);
}

static void explore_everything(double seconds)
{
    struct tkf_explorer x = explorer(seconds);
    struct tkf_explore first;
    need(tkf_explore_system(&x) == 0);
    need(out.nsteps == 13 + 3 * tkf_os_nclocks + 2 + 5);
    x.end_ns = tkf_clock_ns(NULL) + (uint64_t)(seconds * 1e9);
    need(tkf_explore_frequency(&x) == 0);
    x.end_ns = tkf_clock_ns(NULL) + (uint64_t)(seconds * 1e9);
    need(tkf_explore_noise(&x) == 0);
    memcpy(&first, &out, sizeof first);
    for (unsigned i = 0; i < first.nsteps; i++)
        need(first.steps[i].reason[0] != '\0' || first.steps[i].value.mid > -INFINITY);
    need(first.nnoise == ncpus);
}

static void without_files(void)
{
    struct rlimit none = {3, 3};
    need(setrlimit(RLIMIT_NOFILE, &none) == 0);
    explore_everything(0.3);
    need(strstr(step("os/pipe-round-trip")->reason, "no pipe") != NULL);
    need(step("os/context-switch")->reason[0] != '\0');
}

static void no_file_to_open(void **state)
{
    (void)state;
    assert_int_equal(in_child(without_files), 0);
}

#ifdef CLONE_NEWNS
#include <sys/mount.h>

static void without_proc(void)
{
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "/sys", "tmpfs", 0, NULL) != 0 ||
        mount("none", "/proc", "tmpfs", 0, NULL) != 0)
        _exit(77);
    explore_everything(0.3);
    need(strstr(step("page/first-touch/huge")->reason, "/sys") != NULL);
    for (unsigned i = 0; i < out.nnoise; i++) {
        for (unsigned k = 0; k < out.noise[i].ncauses; k++)
            need(strncmp(out.noise[i].causes[k].name, "interrupt", 9) != 0);
    }
}

static void no_proc_no_sys(void **state)
{
    (void)state;
    int status = in_child(without_proc);
    if (status == 77) {
        fputs("this user cannot hide /proc and /sys from a process\n", stderr);
        skip();
    }
    assert_int_equal(status, 0);
}
#endif

/* ---- an injected cause ----------------------------------------------------------------------------------------------- */

static int competing; /* atomic */

static void *compete(void *arg)
{
    const unsigned *cpu = arg;
    tkf_topology_pin(topology, *cpu);
    while (__atomic_load_n(&competing, __ATOMIC_RELAXED))
        ;
    return NULL;
}

/* Another thread wants the same CPU: sooner or later it gets it, and then that is a context switch. */
static void a_competitor_is_found_out(void **state)
{
    (void)state;
    struct tkf_explorer x = explorer(0.5);
    if (x.env.pin(NULL, x.cpu) != 0) {
        fputs("this system does not bind threads to a CPU\n", stderr);
        skip();
    }
    pthread_t thread;
    bool found = false;
    int error = 0;
    competing = 1;
    assert_int_equal(pthread_create(&thread, NULL, compete, &x.cpu), 0);
    for (unsigned i = 0; i < 60 && error == 0 && !found; i++) {
        x = explorer(0.5);
        x.cpus = &x.cpu;
        x.ncpus = 1;
        error = tkf_explore_noise(&x);
        for (unsigned k = 0; k < out.noise[0].ncauses; k++)
            found |= strcmp(out.noise[0].causes[k].name, "context switch") == 0;
    }
    __atomic_store_n(&competing, 0, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    assert_int_equal(error, 0);
    assert_true(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_has_a_value_or_a_reason),
        cmocka_unit_test(cycles_where_the_core_works),
        cmocka_unit_test(the_clock_has_a_ramp),
        cmocka_unit_test(a_time_that_is_up_gives_reasons),
        cmocka_unit_test(whoever_stops_it_is_obeyed),
        cmocka_unit_test(one_cpu_says_what_needs_two),
        cmocka_unit_test(no_file_to_open),
#ifdef CLONE_NEWNS
        cmocka_unit_test(no_proc_no_sys),
#endif
        cmocka_unit_test(a_competitor_is_found_out),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
