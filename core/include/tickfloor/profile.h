/* SPDX-License-Identifier: MIT */
/**
 * A machine's profile: what was measured, on what, and how far it can be trusted; and its JSON form.
 *
 * The JSON is "schema": "tickfloor.profile/1"; doc/profile.schema.json describes each member. Unknown values are NAN
 * here and null there, with a reason beside them.
 *
 * Lifetime: a profile owns what its pointers point to, unless they point to constant strings of the library. End it
 * with tkf_profile_free(). Context: hosted, any thread; the structs alone are the firmware's too.
 */
#ifndef TICKFLOOR_PROFILE_H
#define TICKFLOOR_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#if __STDC_HOSTED__
#include <stdio.h>
#endif

#include <tickfloor/explore.h>
#include <tickfloor/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The machine that was measured. Empty strings are unknown. */
struct tkf_machine {
    char arch[16];   /**< "amd64", "arm64", ... */
    char os[32];     /**< "linux", "macos", "uefi" */
    char kernel[96]; /**< release, as uname -r prints it */
    char cpu[96];    /**< the CPU's model name */
    char cpu_id[64]; /**< family-model-stepping or MIDR: what tells two CPUs of one name apart */
    char microcode[32];
    char hypervisor[32]; /**< "" with hypervisor_known: none */
    bool hypervisor_known;
    bool emulated;
    char emulator[32];
    unsigned cpus;  /**< CPUs this process may use */
    unsigned kinds; /**< kinds of core among them; 0 when the machine does not say */
    char host[65];  /**< network name; "" unless asked for: it says whose machine it is */
};

/** How one readiness check came out. Unknown is an answer: a missing file is never "ok". */
enum tkf_check_status {
    TKF_CHECK_OK,
    TKF_CHECK_NOTE,    /**< worth knowing; does not move a floor by itself */
    TKF_CHECK_WARN,    /**< makes results worse or less comparable */
    TKF_CHECK_UNKNOWN, /**< the machine does not say */
};

/** One thing that makes a machine fit or unfit to benchmark. */
struct tkf_check {
    const char *code; /**< stable, for machines: "governor", "smt-sibling" */
    enum tkf_check_status status;
    char seen[120];   /**< what was found: "powersave", "no such file" */
    const char *cost; /**< what it costs a benchmark, one clause; NULL when status is OK */
    char next[160];   /**< the command or step that mends it; "" when there is none */
};

#define TKF_CHECKS_MAX 32

/** Something the reader of a profile must know. */
struct tkf_warning {
    char code[32];
    char text[240];
    char next[240]; /**< "" when nothing can be done */
};

#define TKF_WARNINGS_MAX 24

/** Whether hardware events could be counted. */
struct tkf_pmu_status {
    bool available;
    char how[32]; /**< "rdpmc", "mrs", "read", "thread_selfcounts", "proc_pid_rusage"; "" without */
    char reason[160]; /**< why not; "" when available */
    char next[160];
};

/** How a framework times: it decides which floor a number is held against. */
enum tkf_timing {
    TKF_TIMING_UNKNOWN,
    TKF_TIMING_BATCHED, /**< many operations between two clock reads, nothing taken off: the floor is its loop */
    TKF_TIMING_SUBTRACTED, /**< batched, and an overhead taken off: zero is an ordinary value, spread is the floor */
    TKF_TIMING_EACH_CALL, /**< every call between two clock reads: the floor is the clock */
    TKF_TIMING_PROCESS,   /**< whole processes: the floor is starting one */
};

/** What an empty benchmark of one framework came to on this machine, or why it could not be run. */
struct tkf_harness_floor {
    char framework[32]; /**< as struct tkf_origin names it: "go" */
    char version[64];   /**< of the framework or its runtime; "" unknown */
    char loop_form[24]; /**< as struct tkf_result names it: "b.N"; "" where none was run */
    enum tkf_timing timing;
    struct tkf_band
        ns; /**< one operation: the fastest that was seen, the usual run, the slowest; NAN */
    struct tkf_band
        cycles;        /**< the same in core cycles as they were just before and after each run */
    unsigned runs;     /**< that the bands rest on */
    char measured[32]; /**< RFC 3339, UTC */
    char how[240];     /**< the commands */
    char reason[240];  /**< why it was not measured; "" when it was */
    char next[240];    /**< what to do about that */
};

#define TKF_HARNESSES_MAX 32

/** The core cycle, held against the cycles that the core itself counts. */
struct tkf_cycle_check {
    char by[16];     /**< "rdpru"; "" where it was not measured */
    double cycles;   /**< of one link of the chain that defines a cycle: 1 when all is well; NAN */
    char reason[80]; /**< why not; "" when it was */
};

struct tkf_profile_cpu {
    struct tkf_cpu_floor floor;
    char kind[32];             /**< "performance", "IntelCore"; "" on a machine of one kind */
    char chosen[160];          /**< why this CPU among those of its kind, one sentence */
    struct tkf_pmu_status pmu; /**< on this CPU: kinds of core differ */
    struct tkf_cycle_check cycle_check;
};

struct tkf_profile {
    char created[32]; /**< RFC 3339, UTC */
    char tool[48];    /**< "tickfloor 0.1.0" */
    struct tkf_machine machine;
    struct tkf_counter counter;
    struct tkf_profile_cpu *cpus; /**< [ncpus] */
    unsigned ncpus;
    double suspect_below_ns;   /**< the largest of the CPUs' */
    struct tkf_pmu_status pmu; /**< on the first CPU */
    struct tkf_check checks[TKF_CHECKS_MAX];
    unsigned nchecks;
    struct tkf_warning warnings[TKF_WARNINGS_MAX];
    unsigned nwarnings;
    struct tkf_harness_floor harnesses[TKF_HARNESSES_MAX]; /**< frameworks that were run live */
    unsigned nharnesses;
    struct tkf_explore *explore; /**< what `tickfloor explore` added; NULL without */
    void *storage;               /**< what the strings of a profile that was read live in */
};

/** What was wrong with an input, for one line to the user. */
struct tkf_input_error {
    unsigned line;  /**< 1-based; 0 when no line is to blame */
    char text[200]; /**< cause, one clause */
    char next[160]; /**< next step */
};

#if __STDC_HOSTED__

/** Append a warning; text and next are copied, and cut at their size. More than TKF_WARNINGS_MAX are dropped. */
void tkf_profile_warn(struct tkf_profile *profile, const char *code, const char *text,
                      const char *next);

/**
 * Take over what was measured of frameworks from an older profile of the same machine, but for the loop forms that were measured
 * for the newer one.
 */
void tkf_profile_keep_harnesses(struct tkf_profile *profile, const struct tkf_profile *older);

/** Free what a profile owns. NULL is fine. The struct itself is the caller's. */
void tkf_profile_free(struct tkf_profile *profile);

/**
 * Write a profile as JSON, indented by two spaces, with a final newline.
 * Errors: TKF_EIO the stream failed · TKF_ENOMEM.
 */
int tkf_profile_write(const struct tkf_profile *profile, FILE *out);

/**
 * Read a profile from JSON.
 * @param in           the stream, from where it stands.
 * @param ret_profile  written only on success; end it with tkf_profile_free().
 * @param ret_error    written only on failure.
 * Errors: TKF_EFORMAT not JSON, truncated, another schema, a member missing or of the wrong type or range ·
 *         TKF_EIO reading failed · TKF_ENOMEM.
 */
int tkf_profile_read(FILE *in, struct tkf_profile *ret_profile, struct tkf_input_error *ret_error);

/**
 * Save a profile so that a reader sees the old one or the new one, whole: a temporary file in the same folder, fsync,
 * rename, fsync of the folder. Missing folders are made; a link to a file stays one. On failure the old file is untouched and no
 * temporary is left. What is no file, a device or a pipe, is written to; a pipe that nobody reads is ENXIO.
 * Errors: TKF_EIO, with errno set · TKF_ENOMEM.
 */
int tkf_profile_save(const struct tkf_profile *profile, const char *path);

/**
 * Why a profile should not be used for a machine: one clause for each difference that moves a floor (CPU, microcode,
 * kernel, hypervisor, arch), joined by "; ".
 * @param ret_text  [size]; "" when nothing differs.
 * @return true when they are of one machine as far as can be told.
 */
bool tkf_profile_matches(const struct tkf_profile *profile, const struct tkf_machine *machine,
                         char *ret_text, size_t size);

#endif

#ifdef __cplusplus
}
#endif
#endif
