/* SPDX-License-Identifier: MIT */
/** The kernel entered, and threads that wait for each other: system call, pipe, futex, switch, wake-up. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "explore/system.h"
#include "stats.h"

#define WAKES_MAX 400
#define WAKES_MIN 5
#define ASLEEP_NS 50000 /* the other CPU has nothing to do for so long before it is woken */

#define ONE_CPU  "it takes two CPUs, and this process may use one"
#define NO_FUTEX "this system has no futex"

/** Add a step of two threads; `reason` is NULL where it was measured. */
static void add(struct tkf_turns *turns, const char *name, const char *text, struct tkf_band cost,
                const char *reason)
{
    if (reason != NULL)
        tkf_explore_add(turns->x, name, text, "ns", cost, reason);
    else
        tkf_turn_add(turns, name, text, "ns", cost);
}

/* ---- one thread -------------------------------------------------------------------------------- */

/* getppid() asks the kernel each time; getpid() may be answered by the C library. */
static void call_system(void *arg, uint64_t n)
{
    (void)arg;
    for (uint64_t i = 0; i < n; i++)
        getppid();
}

/* ---- two threads, to and fro ------------------------------------------------------------------- */

/** The ball: a byte in one of two pipes, or a word that says whose turn it is. */
struct game {
    int there[2], back[2]; /* pipes: [0] to read from, [1] to write to */
    uint32_t turn;         /* 0 mine, 1 the partner's, 2 it is over */
};

static bool send_byte(int to)
{
    char byte = 0;
    return write(to, &byte, 1) == 1;
}

static bool receive_byte(int from)
{
    char byte;
    return read(from, &byte, 1) == 1;
}

static void write_and_read(void *arg, uint64_t n)
{
    const struct game *game = arg;
    for (uint64_t i = 0; i < n; i++) {
        send_byte(game->there[1]);
        receive_byte(game->there[0]);
    }
}

static void pipe_play(void *arg, uint64_t n)
{
    const struct game *game = arg;
    for (uint64_t i = 0; i < n; i++) {
        send_byte(game->there[1]);
        receive_byte(game->back[0]);
    }
}

/** Until the pipe is closed. */
static void pipe_answer(void *arg)
{
    const struct game *game = arg;
    while (receive_byte(game->there[0]) && send_byte(game->back[1]))
        ;
}

static void give_turn(struct game *game, uint32_t to)
{
    __atomic_store_n(&game->turn, to, __ATOMIC_RELEASE);
    tkf_os_futex_wake(&game->turn);
}

/** Sleep while the turn is `whose`; what it is then. */
static uint32_t await(struct game *game, uint32_t whose)
{
    uint32_t turn;
    while ((turn = __atomic_load_n(&game->turn, __ATOMIC_ACQUIRE)) == whose)
        tkf_os_futex_wait(&game->turn, whose);
    return turn;
}

static void futex_play(void *arg, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        give_turn(arg, 1);
        await(arg, 1);
    }
}

static void futex_answer(void *arg)
{
    while (await(arg, 0) == 1)
        give_turn(arg, 0);
}

static bool open_pipes(struct game *game)
{
    *game = (struct game){.there = {-1, -1}, .back = {-1, -1}};
    return pipe(game->there) == 0 && pipe(game->back) == 0;
}

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

static void close_pipes(struct game *game)
{
    for (int i = 0; i < 2; i++) {
        close_end(&game->there[i]);
        close_end(&game->back[i]);
    }
}

/** Round trips with a partner on `cpu`. @return their cost; NAN where there is a reason. */
static struct tkf_band explore_game(struct tkf_turns *turns, const char *name, unsigned cpu,
                                    bool by_pipe)
{
    struct tkf_explorer *x = turns->x;
    struct tkf_band cost = {tkf_nan(), tkf_nan(), tkf_nan()};
    uint64_t until_ns = tkf_turn(turns, 2);
    bool other = strstr(name, "other-cpu") != NULL;
    char text[160];
    snprintf(text, sizeof text, "there and back between a thread on CPU %u and one on CPU %u: %s",
             x->cpu, cpu,
             by_pipe ? "one byte through each of two pipes" : "FUTEX_WAKE and FUTEX_WAIT");

    struct game game = {.there = {-1, -1}, .back = {-1, -1}};
    struct tkf_partner partner;
    const char *reason = NULL;
    if (other && cpu == x->cpu)
        reason = ONE_CPU;
    else if (!by_pipe && !tkf_os_has_futex)
        reason = NO_FUTEX;
    else if (by_pipe && !open_pipes(&game))
        reason = "no pipe could be opened";
    if (reason == NULL) {
        int error =
            tkf_partner_start(&partner, x, cpu, by_pipe ? pipe_answer : futex_answer, &game);
        reason = error != 0 ? tkf_partner_reason(error) : NULL;
    }
    if (reason == NULL) {
        struct tkf_op op = {.run = by_pipe ? pipe_play : futex_play, .arg = &game};
        cost = tkf_op_cost(x, &op, until_ns);
        if (by_pipe)
            close_end(&game.there[1]);
        else
            give_turn(&game, 2);
        tkf_partner_join(&partner);
    }
    close_pipes(&game);
    add(turns, name, text, cost, reason);
    return cost;
}

static struct tkf_band explore_write_and_read(struct tkf_turns *turns)
{
    struct tkf_band cost = {tkf_nan(), tkf_nan(), tkf_nan()};
    uint64_t until_ns = tkf_turn(turns, 1);
    struct game game;
    bool opened = open_pipes(&game);
    if (opened) {
        struct tkf_op op = {.run = write_and_read, .arg = &game};
        cost = tkf_op_cost(turns->x, &op, until_ns);
    }
    close_pipes(&game);
    add(turns, "os/pipe-write-read", "one thread writes one byte into a pipe and reads it back",
        cost, opened ? NULL : "no pipe could be opened");
    return cost;
}

/** A round trip on one CPU is two writes, two reads and two switches. */
static void derive_switch(struct tkf_turns *turns, struct tkf_band trip, struct tkf_band pair)
{
    struct tkf_band cost = {trip.lo / 2 - pair.hi, trip.mid / 2 - pair.mid, trip.hi / 2 - pair.lo};
    const char *reason = NULL;
    if (tkf_is_nan(cost.mid))
        reason = "it takes os/pipe-round-trip and os/pipe-write-read, of which one has no value";
    else if (cost.lo <= 0)
        reason = "the round trip was not told from its writes and reads";
    add(turns, "os/context-switch",
        "from one thread to another on one CPU: half of os/pipe-round-trip, less os/pipe-write-read",
        cost, reason);
}

/* ---- two threads: one sleeps until it is woken ------------------------------------------------- */

struct alarm {
    const struct tkf_explorer *x;
    bool same_cpu;        /* the waker has to sleep for the sleeper to run */
    uint32_t call, reply; /* numbers of the call that was made, and of the one that was heard */
    uint64_t heard_ticks;
};

static void sleep_and_reply(void *arg)
{
    struct alarm *alarm = arg;
    uint32_t heard = 0;
    while (heard != UINT32_MAX) {
        tkf_os_futex_wait(&alarm->call, heard);
        uint64_t now = tkf_turn_now(alarm->x);
        uint32_t call = __atomic_load_n(&alarm->call, __ATOMIC_ACQUIRE);
        if (call == heard)
            continue;
        heard = call;
        alarm->heard_ticks = now;
        __atomic_store_n(&alarm->reply, heard, __ATOMIC_RELEASE);
        if (alarm->same_cpu)
            tkf_os_futex_wake(&alarm->reply);
    }
}

/** Long enough for the sleeper to be asleep, and what else it left behind to be done. */
static void let_it_sleep(const struct alarm *alarm)
{
    const struct tkf_explorer *x = alarm->x;
    if (alarm->same_cpu) {
        nanosleep(&(struct timespec){.tv_nsec = ASLEEP_NS}, NULL);
        return;
    }
    uint64_t until = tkf_turn_now(x) + (uint64_t)(ASLEEP_NS * 1e-9 * x->counter->hz);
    while (tkf_turn_now(x) < until)
        ;
}

static void wait_for_reply(struct alarm *alarm, uint32_t call)
{
    uint32_t reply;
    while ((reply = __atomic_load_n(&alarm->reply, __ATOMIC_ACQUIRE)) != call) {
        if (alarm->same_cpu)
            tkf_os_futex_wait(&alarm->reply, reply);
    }
}

/**
 * Wake a partner on `cpu` again and again.
 * @param ret_heard_ns  [WAKES_MAX] from before FUTEX_WAKE until the partner ran.
 * @param ret_paid_ns   [WAKES_MAX] what FUTEX_WAKE took.
 * @return how many, or a TKF_E code.
 */
static int wake_often(struct tkf_explorer *x, unsigned cpu, bool same_cpu, uint64_t until_ns,
                      double *ret_heard_ns, double *ret_paid_ns)
{
    struct alarm alarm = {.x = x, .same_cpu = same_cpu};
    struct tkf_partner partner;
    int error = tkf_partner_start(&partner, x, cpu, sleep_and_reply, &alarm);
    if (error != 0)
        return error;
    double read = x->counter->read_ticks.mid;
    int n = 0;
    uint32_t call = 0;
    while (n < WAKES_MAX && tkf_turn_goes_on(x, until_ns)) {
        let_it_sleep(&alarm);
        uint64_t from = tkf_turn_now(x);
        __atomic_store_n(&alarm.call, ++call, __ATOMIC_RELEASE);
        bool slept = tkf_os_futex_wake(&alarm.call);
        uint64_t paid = tkf_turn_now(x);
        wait_for_reply(&alarm, call);
        if (!slept)
            continue;
        ret_heard_ns[n] =
            tkf_ticks_to_ns(x->counter, (double)(int64_t)(alarm.heard_ticks - from) - read);
        ret_paid_ns[n++] = tkf_ticks_to_ns(x->counter, (double)(paid - from) - read);
    }
    __atomic_store_n(&alarm.call, UINT32_MAX, __ATOMIC_RELEASE);
    tkf_os_futex_wake(&alarm.call);
    tkf_partner_join(&partner);
    return n;
}

/**
 * Between two CPUs, whose counters may be apart: by as much as one direction comes out too long, the other does too short,
 * so the mean of both is right.
 */
static int wake_both_ways(struct tkf_explorer *x, unsigned cpu, uint64_t until_ns,
                          double *ret_heard_ns, double *ret_paid_ns)
{
    double heard_ns[WAKES_MAX], paid_ns[WAKES_MAX];
    uint64_t now_ns = x->env.clock_ns(x->env.ctx);
    uint64_t half_ns = now_ns + (until_ns > now_ns ? until_ns - now_ns : 0) / 2;
    int n = wake_often(x, cpu, false, half_ns, ret_heard_ns, ret_paid_ns);
    if (n < 0)
        return n;
    int m = x->env.pin(x->env.ctx, cpu);
    if (m == 0)
        m = wake_often(x, x->cpu, false, until_ns, heard_ns, paid_ns);
    int error = x->env.pin(x->env.ctx, x->cpu);
    if (m < 0 || error != 0)
        return m < 0 ? m : error;
    n = n < m ? n : m;
    for (int i = 0; i < n; i++) {
        ret_heard_ns[i] = (ret_heard_ns[i] + heard_ns[i]) / 2;
        ret_paid_ns[i] = (ret_paid_ns[i] + paid_ns[i]) / 2;
    }
    return n;
}

static void explore_wakes(struct tkf_turns *turns, const char *name, const char *paid_name,
                          unsigned cpu)
{
    struct tkf_explorer *x = turns->x;
    double heard_ns[WAKES_MAX], paid_ns[WAKES_MAX];
    bool other = paid_name != NULL;
    uint64_t until_ns = tkf_turn(turns, 2);
    char text[160], paid_text[160];
    snprintf(text, sizeof text,
             "from before FUTEX_WAKE on CPU %u until the thread that slept runs on CPU %u%s",
             x->cpu, cpu, other ? ", mean of both directions" : "");
    snprintf(paid_text, sizeof paid_text,
             "what FUTEX_WAKE takes on CPU %u when it wakes a thread on CPU %u", x->cpu, cpu);
    int n = 0;
    const char *reason = NULL;
    if (!tkf_os_has_futex)
        reason = NO_FUTEX;
    else if (other && cpu == x->cpu)
        reason = ONE_CPU;
    else if (other)
        n = wake_both_ways(x, cpu, until_ns, heard_ns, paid_ns);
    else
        n = wake_often(x, cpu, true, until_ns, heard_ns, paid_ns);
    if (n < 0)
        reason = tkf_partner_reason(n);
    unsigned enough = n >= WAKES_MIN ? (unsigned)n : 0;
    add(turns, name, text, tkf_explore_median(heard_ns, enough), reason);
    if (other)
        add(turns, paid_name, paid_text, tkf_explore_median(paid_ns, enough), reason);
}

void tkf_explore_waits(struct tkf_turns *turns)
{
    unsigned here = turns->x->cpu, there = turns->x->neighbour;
    struct tkf_op call = {.run = call_system};
    tkf_op_step(turns, "os/syscall", "getppid(), which asks the kernel each time", &call);
    struct tkf_band pair = explore_write_and_read(turns);
    struct tkf_band trip = explore_game(turns, "os/pipe-round-trip", here, true);
    derive_switch(turns, trip, pair);
    explore_game(turns, "os/pipe-round-trip/other-cpu", there, true);
    explore_game(turns, "os/futex-round-trip", here, false);
    explore_game(turns, "os/futex-round-trip/other-cpu", there, false);
    explore_wakes(turns, "os/wake-up", NULL, here);
    explore_wakes(turns, "os/wake-up/other-cpu", "os/futex-wake", there);
}
