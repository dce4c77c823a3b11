/* SPDX-License-Identifier: MIT */
/**
 * The operating system, as tickfloor needs it: which CPUs there are and may be used, binding to one, catching a trap,
 * the clock, hardware events, and whether the machine is fit to benchmark.
 *
 * One file for each concern; Linux and macOS each have a folder beside this file where the answers differ. Nothing here
 * prints.
 */
#ifndef TKF_HOST_H
#define TKF_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include <tickfloor/measure.h>
#include <tickfloor/profile.h>

#include "arch.h"

/* ---- topology.c: CPUs, kinds, binding; hwloc -------------------------------------------------------------------- */

struct tkf_topology;

/** A kind of core: the CPUs of it that this process may use, ascending. */
struct tkf_kind {
    char name[32];        /**< "" when the machine has one kind or does not say */
    const unsigned *cpus; /**< [ncpus] operating system numbers; owned by the topology */
    unsigned ncpus;
    unsigned ncores;   /**< of which these are CPUs; 0 where tkf_topology_load() did not look */
    unsigned max_mhz;  /**< as the system declares it; 0 where it does not */
    unsigned capacity; /**< work in a unit of time, of the largest core's 1024 (arm64 Linux); 0 unknown */
};

/**
 * Load this machine's topology.
 * @param ret_topology  end it with tkf_topology_free().
 * @param ret_reason    [size], written on failure: one clause.
 * Errors: TKF_EUNSUPPORTED the topology is not of this machine (HWLOC_XMLFILE, HWLOC_SYNTHETIC) · TKF_ENOMEM · TKF_EIO.
 */
int tkf_topology_load(struct tkf_topology **ret_topology, char *ret_reason, size_t size);

/**
 * The same to be described only: with cores, packages and NUMA nodes, and also of a recorded machine, on which nothing can
 * be bound. Sets an environment variable of hwloc's and removes it again: not while other threads use the environment.
 * @param root  as for tkf_facts_read().
 * Errors: as tkf_topology_load() · TKF_EUNSUPPORTED also where this system's hwloc reads no recorded machines.
 */
int tkf_topology_read(const char *root, struct tkf_topology **ret_topology, char *ret_reason,
                      size_t size);
void tkf_topology_free(struct tkf_topology *topology);

/** The kinds, fastest first; always at least one. */
const struct tkf_kind *tkf_topology_kinds(const struct tkf_topology *topology, unsigned *ret_nkinds);

/** What tkf_topology_read() counts. */
enum tkf_part { TKF_PART_PACKAGE, TKF_PART_NUMA_NODE, TKF_PART_CORE };

/** How many of them the machine has; 0 where it does not say, or where tkf_topology_load() did not look. */
unsigned tkf_topology_count(const struct tkf_topology *topology, enum tkf_part part);

/** True when this process may use the CPU. */
bool tkf_topology_allows(const struct tkf_topology *topology, unsigned cpu);

/** The CPUs that this process may use, as "0-3,5". */
void tkf_topology_describe(const struct tkf_topology *topology, char *ret_text, size_t size);

/**
 * The data and unified caches of one CPU, nearest first, and its nearest neighbour. Loads a topology with caches, which the
 * one above leaves out, because calibrating is the faster for it.
 * @param ret_caches     as far as the system says.
 * @param ret_neighbour  a CPU of another core that this process may use, behind the nearest cache that they share; of the
 *                       same core where there is no other; `cpu` itself when it is alone.
 * @return how many caches were written.
 */
unsigned tkf_topology_caches(const struct tkf_topology *topology, unsigned cpu,
                             struct tkf_cache ret_caches[TKF_CACHES_MAX], unsigned *ret_neighbour);

/** Bind the calling thread to one CPU, and verify where it runs. TKF_ENOCPU · TKF_EUNSUPPORTED · TKF_EPERM. */
int tkf_topology_pin(struct tkf_topology *topology, unsigned cpu);

/** Give the calling thread the binding back that it had at tkf_topology_load(), as far as that is known and still allowed. */
void tkf_topology_unpin(struct tkf_topology *topology);

/**
 * Parse a CPU list such as "0,3-5".
 * @param ret_cpus   [max], ascending, each once.
 * @param ret_reason [size], on failure: what is wrong and with which part.
 * Errors: TKF_EINVAL malformed, empty, a range that runs backward, more than max.
 */
int tkf_cpulist_parse(const char *text, unsigned *ret_cpus, unsigned max, unsigned *ret_ncpus, char *ret_reason,
                      size_t size);

/** The reverse: CPUs, ascending, as "0,3-5". Cut at its size. */
void tkf_cpulist_print(const unsigned *cpus, unsigned ncpus, char *ret_text, size_t size);

/* ---- steer.c, one for each operating system: a kind of core, where no CPU can be bound ------------------------------- */

struct tkf_steer;

/**
 * Ask the system to run the calling thread on one kind of core, and see that it does. For a system that binds no thread.
 * @param kinds      [nkinds], those of tkf_topology_kinds().
 * @param kind       the index of the one that is wanted.
 * @param ret_steer  end it with tkf_steer_end(), in the same thread.
 * @param ret_how    a clause: how it was asked, and whether the system tells where the thread runs. Constant.
 * Errors: TKF_EUNSUPPORTED nothing like it exists here, or the thread went elsewhere · TKF_ENOMEM.
 */
int tkf_steer_begin(const struct tkf_kind *kinds, unsigned nkinds, unsigned kind,
                    struct tkf_steer **ret_steer, const char **ret_how);

/** Cycles that the calling thread has spent on other kinds, ever; always 0 where the system does not tell. */
uint64_t tkf_steer_elsewhere(const struct tkf_steer *steer);

/** Ask for nothing any more. NULL is nothing. */
void tkf_steer_end(struct tkf_steer *steer);

/* ---- fail.c ------------------------------------------------------------------------------------------------------- */

/** Say why something could not be measured: the cause, printf-like, and the next step. @return `code`, for the caller to return. */
int tkf_host_fail(struct tkf_input_error *ret_error, int code, const char *next, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- guard.c: running what may trap ----------------------------------------------------------------------------- */

/** As struct tkf_env's guard: SIGILL, SIGSEGV and SIGBUS inside fn end it. Not re-entrant; one thread at a time. */
int tkf_guard(void *ctx, void (*fn)(void *arg), void *arg);

/* ---- clock.c, one for each operating system -------------------------------------------------------------------------- */

/**
 * CLOCK_MONOTONIC_RAW in ns, or CLOCK_MONOTONIC where a sandbox has no other; also where reading the CPU's counter is
 * forbidden. As struct tkf_env's clock_ns. 0 where no clock works.
 */
uint64_t tkf_clock_ns(void *ctx);

/** False where the system lets this process read no clock: a seccomp filter may. */
bool tkf_clock_works(void);

/* ---- program.c, one for each operating system ------------------------------------------------------------------------ */

/** Where the running program lies, links resolved, to find what was installed beside it. False when it cannot be told. */
bool tkf_program_path(char *ret_path, size_t size);

/* ---- facts.c: what the machine is ----------------------------------------------------------------------------------- */

/**
 * Where facts are read: `root` is "" for this machine, or a folder with a recorded proc/ and sys/ tree.
 * Fills ret_hints as far as the system knows; its strings live in ret_machine and in constant storage.
 *
 * Left to the caller: cpus and kinds, which are the topology's. On arm64 Linux cpu names every kind of core, and cpu_id
 * holds the MIDR of each. A hypervisor that does not say its name is "unnamed"; the CPU's own answer, where it has one, is
 * the better: tkf_facts_add_cpu().
 */
void tkf_facts_read(const char *root, struct tkf_machine *ret_machine, struct tkf_cpu_hints *ret_hints);

/** Take over what the CPU says of itself, from tkf_arch_identify(). */
void tkf_facts_add_cpu(struct tkf_machine *machine, const struct tkf_cpu *cpu);

/* ---- machine.c; the rest of it is <tickfloor/machine.h> ----------------------------------------------------------------- */

/** This machine as tkf_calibrate_machine() describes it, but for cpus and kinds: to be held against a profile. */
void tkf_machine_read(struct tkf_machine *ret_machine);

/** As struct tkf_env's forbidden: the operating system forbids reading the counter (Linux: PR_GET_TSC). */
const char *tkf_facts_forbidden(void *ctx);

/* ---- readiness.c ------------------------------------------------------------------------------------------------------ */

/**
 * What makes this machine unfit to benchmark: every check of doc/readiness.md, each with an answer.
 * @param root       as for tkf_facts_read().
 * @param cpu        the CPU that is measured.
 * @param ret_checks [TKF_CHECKS_MAX]
 * @return how many were written.
 */
unsigned tkf_readiness(const char *root, const struct tkf_machine *machine, unsigned cpu,
                       struct tkf_check ret_checks[TKF_CHECKS_MAX]);

/* ---- pmu.c: cycles and instructions of the calling thread --------------------------------------------------------------- */

struct tkf_pmu;

/**
 * Open cycle and instruction counters for the calling thread on the kind of core it is bound to.
 * @param ret_pmu     NULL when there are none; close it with tkf_pmu_close().
 * @param ret_status  always written: how, or why not and what to do.
 */
void tkf_pmu_open(unsigned cpu, struct tkf_pmu **ret_pmu, struct tkf_pmu_status *ret_status);
void tkf_pmu_close(struct tkf_pmu *pmu);

/** TKF_EUNSUPPORTED when a counter was not running all the time (multiplexed, or of another kind of core). */
int tkf_pmu_read(struct tkf_pmu *pmu, struct tkf_events *ret_events);

/** The kernel's driver of a CPU's hardware counters, "" where there is none. `root` as for tkf_facts_read(). */
void tkf_pmu_device(const char *root, unsigned cpu, char *ret_name, size_t size);

/**
 * The rate of the time counter that the kernel knows, Hz; NAN where it gives none. Linux: the perf page (cap_user_time);
 * macOS: a sysctl, on Intel.
 */
double tkf_pmu_counter_hz(void);

/** What that rate is called in a profile. */
extern const char tkf_pmu_counter_rate[];

#endif
