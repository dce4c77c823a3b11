/* SPDX-License-Identifier: MIT */
/**
 * A benchmark harness for C and C++ that says so when it is fooled.
 *
 *     #include <tickfloor/bench.h>
 *
 *     TKF_BENCH(sort)
 *     {
 *         int *numbers = make_numbers(1000);  // not measured: the timer is not running yet
 *         while (tkf_loop(b)) {
 *             sort(numbers, 1000);            // measured
 *             tkf_keep(numbers);              // what it points to is used, as far as the compiler can know
 *         }
 *         free(numbers);                      // not measured: the timer has stopped
 *     }
 *
 *     TKF_BENCH_MAIN()
 *
 * Link with libtickfloor and run it: `./program --help` lists the options. It prints Go's benchmark format, so benchstat and
 * `tickfloor report` read it; rows that cannot be told from an empty loop are marked on lines that begin with "#".
 *
 * How it measures: tkf_loop() lets the body run in windows of about 100 us, each between two fenced readings of the counter
 * that tkf_counter_probe() chose; one repetition is as many windows as fill --time, and its ns is the median of the
 * windows. A window that was interrupted is one outlier among many. Nothing is subtracted: what is printed was measured, the
 * loop included. The loop itself is one decrement and one branch in a register, one core cycle on current CPUs.
 *
 * What it cannot do: keep the compiler from deleting a body whose result nobody uses, from computing a constant in advance,
 * from moving what does not change out of the loop. tkf_keep() and tkf_opaque() are for that; a row that was fooled is
 * marked, because its number is the loop's.
 *
 * Misuse is an error with a name and a place: the benchmark fails at once, the others run, the program ends with status 3.
 * Never a hang, and never a number that was not measured.
 *   - the loop was never reached, was left by break or return, or there is a second one, or one in two threads;
 *   - tkf_timer_stop() without a start after it, twice, or where the timer does not run;
 *   - tkf_timer_start() while the timer runs; tkf_timer_reset() in the loop, which would drop the time and keep the iterations;
 *   - in TKF_BENCH_N, a loop that the compiler deleted, or tkf_loop();
 *   - a metric that is no number, or under a name that the output gives a meaning of its own.
 * A benchmark that crashes the program, or ends it with exit(), is named on stderr; the rest does not run.
 *
 * Context: one thread runs benchmarks, one after the other; a body may start threads. Compilers: gcc and clang.
 * Lifetime: strings given to the harness are copied, except names in the registering macros, which are literals.
 */
#ifndef TICKFLOOR_BENCH_H
#define TICKFLOOR_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <type_traits>

extern "C" {
#endif

struct tkf_bench_run; /* the harness's own */

/** What a benchmark's function is given, as `b`. */
struct tkf_bench {
    uint64_t n;  /**< in TKF_BENCH_N: how often the loop has to run; elsewhere 0 */
    int64_t arg; /**< in TKF_BENCH_ARGS: the argument of this row; elsewhere 0 */
    struct tkf_bench_run *run;
};

/** A registered benchmark; the macros below write it. It stays where it is for as long as the program runs. */
struct tkf_bench_entry {
    const char *name, *file;
    unsigned line;
    void (*loop)(struct tkf_bench *b, size_t left); /**< NULL in TKF_BENCH_N */
    void (*ramp)(struct tkf_bench *b);              /**< NULL elsewhere */
    const int64_t *args;                            /**< [nargs]; with none it is one row */
    size_t nargs;
    struct tkf_bench_entry *next; /**< written by tkf_bench_register() */
};

/**
 * Add a benchmark; they run in the order in which they were added. The macros call it before main().
 *
 * A static library's object file is linked only when something in it is used, and a constructor is no use: link
 * a library of benchmarks whole (-Wl,--whole-archive, Meson's link_whole), or call this for what it exports.
 */
void tkf_bench_register(struct tkf_bench_entry *entry);

/**
 * Run what was registered, as the options say; prints on stdout, errors on stderr.
 * @return the program's exit status: 0 · 2 wrong usage · 3 a benchmark failed, or nothing could be measured.
 */
int tkf_bench_main(int argc, char **argv);

/** The program's main(). */
#define TKF_BENCH_MAIN()                   \
    int main(int argc, char **argv)        \
    {                                      \
        return tkf_bench_main(argc, argv); \
    }

/* ---- benchmarks --------------------------------------------------------------------------------------------------- */

#define TKF_BENCH_ENTRY_(id, name, loop, ramp, args, nargs)                     \
    __attribute__((constructor)) static void tkf_register_##id(void)            \
    {                                                                           \
        static struct tkf_bench_entry entry = {name, __FILE__, __LINE__, loop,  \
                                               ramp, args,     nargs,    NULL}; \
        tkf_bench_register(&entry);                                             \
    }

#define TKF_LOOP_PARAMETERS_ \
    struct tkf_bench *b __attribute__((unused)), size_t tkf_left_ __attribute__((unused))

/**
 * A benchmark: the function's body follows. It runs once for each repetition, and once more, for the verdict alone, where the row
 * takes less than four cycles and is not at the floor. It has one loop, while (tkf_loop(b)).
 */
#define TKF_BENCH(id) TKF_BENCH_NAMED(id, #id)

/** The same under another name, a string: "Sort/reversed" is a variant of Sort. A blank in it is printed as _. */
#define TKF_BENCH_NAMED(id, name)                            \
    static void tkf_body_##id(TKF_LOOP_PARAMETERS_);         \
    TKF_BENCH_ENTRY_(id, name, tkf_body_##id, NULL, NULL, 0) \
    static void tkf_body_##id(TKF_LOOP_PARAMETERS_)

/** One row for each argument, b->arg, which is an integer: TKF_BENCH_ARGS(Sort, 8, 64) gives Sort/8 and Sort/64. */
#define TKF_BENCH_ARGS(id, ...)                                      \
    static void tkf_body_##id(TKF_LOOP_PARAMETERS_);                 \
    static const int64_t tkf_args_##id[] = {__VA_ARGS__};            \
    TKF_BENCH_ENTRY_(id, #id, tkf_body_##id, NULL, tkf_args_##id,    \
                     sizeof tkf_args_##id / sizeof tkf_args_##id[0]) \
    static void tkf_body_##id(TKF_LOOP_PARAMETERS_)

/**
 * A benchmark in the older form, with a loop of its own: for (uint64_t i = 0; i < b->n; i++). The timer runs when the function
 * is called, so what lies before the loop has to end with tkf_timer_reset(). The function is called again and again with a
 * larger n, until one call fills --time; that call is the result, and one sample. Prefer TKF_BENCH.
 */
#define TKF_BENCH_N(id)                                     \
    static void tkf_body_##id(struct tkf_bench *b);         \
    TKF_BENCH_ENTRY_(id, #id, NULL, tkf_body_##id, NULL, 0) \
    static void tkf_body_##id(struct tkf_bench *b)

/**
 * Whether the body is to run once more. The first call starts the timer; the one that returns false stops it.
 *
 * The count lives in a variable of the benchmark's function, so that it can stay in a register: a function that is called from
 * there and has the loop itself begins with TKF_LOOP_HERE.
 *
 * Cost: one core cycle. The empty asm makes the count unknown to the compiler in every iteration: it can neither delete an
 * empty loop nor unroll it nor merge two iterations. It stands before the decrement, whose flags the branch then uses.
 * The slow path is expected to be rare but not said to be cold: gcc 12 would move it to another section, and jump twice for each iteration.
 */
#define tkf_loop(b)                                               \
    (__builtin_expect(__extension__({                             \
                          __asm__ volatile("" : "+r"(tkf_left_)); \
                          --tkf_left_ != 0;                       \
                      }),                                         \
                      1) ||                                       \
     (tkf_left_ = tkf_bench_next(b, __FILE__, __LINE__)) != 0 || (tkf_left_ = 1) == 0)

/** In a helper function that has the loop: declares what tkf_loop() counts with. */
#define TKF_LOOP_HERE size_t tkf_left_ = 1

/* ---- the timer ---------------------------------------------------------------------------------------------------- */

/**
 * Leave out a part of the body: tkf_timer_stop(b); fixture(); tkf_timer_start(b). A pair adds a little to each iteration that
 * has it, about the cost of one fenced reading; it is measured at the start of a run and printed ("a stop and start add
 * ..."). Allocations in between are not counted either.
 */
#define tkf_timer_stop(b)  tkf_bench_stop(b, __FILE__, __LINE__)
#define tkf_timer_start(b) tkf_bench_start(b, __FILE__, __LINE__)

/** In TKF_BENCH_N: forget the time so far; once, before the loop. In TKF_BENCH it is not needed and, in the loop, an error. */
#define tkf_timer_reset(b) tkf_bench_reset(b, __FILE__, __LINE__)

/* ---- what a row says besides its time ----------------------------------------------------------------------------- */

/** Bytes that one operation works on: the row gets MB/s (10^6). Call it at any time in the function. */
void tkf_set_bytes(struct tkf_bench *b, uint64_t bytes);

/**
 * A number of one's own for the row.
 * @param unit   as Go writes them: "probes/op"; 1 to 31 characters, no blanks, none of the format's own (ns/op, MB/s, B/op,
 *               allocs/op); copied; a second call for a unit replaces the first. Up to 8.
 * @param value  finite.
 */
void tkf_set_metric(struct tkf_bench *b, const char *unit, double value);

/* ---- between the benchmark and the compiler -------------------------------------------------------------------------
 *
 * tkf_keep(x)    Use x: the compiler has to compute it. Of a pointer also what it points to, as it is at this moment, and
 *                all else that is in memory and could be reached. A scalar costs a move to an integer register at most;
 *                other values are put into memory, in C as a copy: of a large struct, keep the address.
 * tkf_opaque(x)  x, of which the compiler knows no more than the type: no folding of a constant. A register's worth
 *                of move at most; a floating-point value passes through an integer register.
 * tkf_clobber()  All of memory may have been read and written: stores before it are made, loads after it are made again. Costs
 *                what those cost.
 *
 * In C, x is an expression that can be copied into a variable (of a bit-field, +s.x); an array is its address. In C++ an object is not copied; what it
 * points to is not looked at: keep text.data(), not only text.
 */
#define tkf_clobber() __asm__ volatile("" : : : "memory")

/*
 * A register of the integers for each scalar: "g" is always memory with clang 14, and "X", any place at all, lets gcc 12 take the
 * operand for an expression that it then never computes.
 */
#define TKF_KEEP_SCALAR_(x)  __asm__ volatile("" : : "r"(x))
#define TKF_KEEP_POINTER_(x) __asm__ volatile("" : : "r"(x) : "memory")
#define TKF_KEEP_MEMORY_(x)  __asm__ volatile("" : : "m"(x))
#define TKF_HIDE_SCALAR_(x)  __asm__ volatile("" : "+r"(x))
#define TKF_HIDE_MEMORY_(x)  __asm__ volatile("" : "+m"(x))

#ifndef __cplusplus
/* Types by gcc's and clang's numbers: integer, char, enum, bool, pointer; real. */
#define TKF_IS_POINTER_(x) (__builtin_classify_type(x) == 5)
#define TKF_IS_SCALAR_(x)                                                     \
    (((__builtin_classify_type(x) >= 1 && __builtin_classify_type(x) <= 5) || \
      __builtin_classify_type(x) == 8) &&                                     \
     sizeof(x) <= sizeof(uint64_t))

#define tkf_keep(x)                         \
    __extension__({                         \
        __auto_type tkf_kept_ = (x);        \
        if (TKF_IS_POINTER_(tkf_kept_))     \
            TKF_KEEP_POINTER_(tkf_kept_);   \
        else if (TKF_IS_SCALAR_(tkf_kept_)) \
            TKF_KEEP_SCALAR_(tkf_kept_);    \
        else                                \
            TKF_KEEP_MEMORY_(tkf_kept_);    \
    })
#define tkf_opaque(x)                      \
    __extension__({                        \
        __auto_type tkf_hidden_ = (x);     \
        if (TKF_IS_SCALAR_(tkf_hidden_))   \
            TKF_HIDE_SCALAR_(tkf_hidden_); \
        else                               \
            TKF_HIDE_MEMORY_(tkf_hidden_); \
        tkf_hidden_;                       \
    })
#endif

/* ---- what the macros call ------------------------------------------------------------------------------------------- */

size_t tkf_bench_next(struct tkf_bench *b, const char *file, unsigned line);
void tkf_bench_stop(struct tkf_bench *b, const char *file, unsigned line);
void tkf_bench_start(struct tkf_bench *b, const char *file, unsigned line);
void tkf_bench_reset(struct tkf_bench *b, const char *file, unsigned line);

#ifdef __cplusplus
}

/* In C++ by type, not by branch: gcc refuses a class in a register even where that is never compiled. */
template <class T> struct tkf_is_scalar_ {
    enum { value = std::is_scalar<T>::value && sizeof(T) <= sizeof(uint64_t) };
};

template <bool is_scalar, bool is_pointer> struct tkf_hands_ {
    template <class T> __attribute__((always_inline)) static void keep(T const &x)
    {
        TKF_KEEP_MEMORY_(x);
    }
    template <class T> __attribute__((always_inline)) static void hide(T &x)
    {
        TKF_HIDE_MEMORY_(x);
    }
};

template <> struct tkf_hands_<true, false> {
    template <class T> __attribute__((always_inline)) static void keep(T const &x)
    {
        TKF_KEEP_SCALAR_(x);
    }
    template <class T> __attribute__((always_inline)) static void hide(T &x)
    {
        TKF_HIDE_SCALAR_(x);
    }
};

template <> struct tkf_hands_<true, true> : tkf_hands_<true, false> {
    template <class T> __attribute__((always_inline)) static void keep(T const &x)
    {
        TKF_KEEP_POINTER_(x);
    }
};

template <class T> __attribute__((always_inline)) inline void tkf_keep(T const &x)
{
    tkf_hands_<tkf_is_scalar_<T>::value, std::is_pointer<T>::value>::keep(x);
}

template <class T> __attribute__((always_inline)) inline T tkf_opaque(T x)
{
    tkf_hands_<tkf_is_scalar_<T>::value, std::is_pointer<T>::value>::hide(x);
    return x;
}
#endif
#endif
