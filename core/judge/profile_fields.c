/* SPDX-License-Identifier: MIT */
#include "profile_fields.h"

#include <tickfloor/machine.h>

#define AT(type, member) .offset = offsetof(struct type, member)

#define TEXT(type, member, key)                                \
    {                                                          \
        .name = key, .kind = TKF_FIELD_TEXT, AT(type, member), \
        .size = sizeof(((struct type *)0)->member),            \
    }
#define TEXT_OR_NULL(type, member, key)                                          \
    {                                                                            \
        .name = key, .kind = TKF_FIELD_TEXT, AT(type, member), .nullable = true, \
        .size = sizeof(((struct type *)0)->member),                              \
    }
#define FIELD(type, member, key, ...)              \
    {                                              \
        .name = key, AT(type, member), __VA_ARGS__ \
    }
#define STRING(type, member, key)   FIELD(type, member, key, .kind = TKF_FIELD_STRING)
#define BOOL(type, member, key)     FIELD(type, member, key, .kind = TKF_FIELD_BOOL)
#define UNSIGNED(type, member, key) FIELD(type, member, key, .kind = TKF_FIELD_UNSIGNED)
#define BAND(type, member, key)     FIELD(type, member, key, .kind = TKF_FIELD_BAND)
#define COUNTS(type, member, key)                      \
    FIELD(type, member, key, .kind = TKF_FIELD_COUNTS, \
          .max = sizeof(((struct type *)0)->member) / sizeof(unsigned))
#define REAL(type, member, key, which) \
    FIELD(type, member, key, .kind = TKF_FIELD_REAL, .range = TKF_RANGE_##which)
/* A rate is compared with others at parts per billion. */
#define RATE(type, member, key) \
    FIELD(type, member, key, .kind = TKF_FIELD_REAL, .range = TKF_RANGE_POSITIVE, .digits = 11)
#define LIST_OF(type, member, count, key, table, later)                                      \
    FIELD(type, member, key, .kind = TKF_FIELD_LIST, .members = table, .optional = later,    \
          .size = sizeof(((struct type *)0)->member[0]),                                     \
          .max = sizeof(((struct type *)0)->member) / sizeof(((struct type *)0)->member[0]), \
          .count_offset = offsetof(struct type, count))
#define LIST(type, member, count, key, table) LIST_OF(type, member, count, key, table, false)
/* One that older profiles lack. */
#define LATER_LIST(type, member, count, key, table) LIST_OF(type, member, count, key, table, true)
#define END          \
    {                \
        .name = NULL \
    }

static const char *const unit_names[] = {"ref-tick", "core-cycle", "ns", NULL};
static const char *const trust_names[] = {"verified", "declared", "conflict", NULL};
static const char *const timing_names[] = {"unknown",   "batched", "subtracted",
                                           "each-call", "process", NULL};
static const char *const state_names[] = {"fast", "slow", NULL};
static const char *const status_names[] = {"ok", "note", "warn", "unknown", NULL};

static const struct tkf_field machine_fields[] = {
    TEXT(tkf_machine, arch, "arch"),
    TEXT(tkf_machine, os, "os"),
    TEXT_OR_NULL(tkf_machine, kernel, "kernel"),
    TEXT_OR_NULL(tkf_machine, cpu, "cpu"),
    TEXT_OR_NULL(tkf_machine, cpu_id, "cpu_id"),
    TEXT_OR_NULL(tkf_machine, microcode, "microcode"),
    {.name = "hypervisor", .kind = TKF_FIELD_HYPERVISOR},
    BOOL(tkf_machine, emulated, "emulated"),
    TEXT_OR_NULL(tkf_machine, emulator, "emulator"),
    FIELD(tkf_machine, cpus, "cpus", .kind = TKF_FIELD_UNSIGNED, .nullable = true),
    FIELD(tkf_machine, kinds, "kinds", .kind = TKF_FIELD_UNSIGNED, .nullable = true),
    FIELD(tkf_machine, host, "host", .kind = TKF_FIELD_TEXT, .nullable = true, .optional = true,
          .size = sizeof(((struct tkf_machine *)0)->host)),
    END,
};

static const struct tkf_field rate_fields[] = {
    TEXT(tkf_rate, name, "name"),
    RATE(tkf_rate, hz, "hz"),
    REAL(tkf_rate, ppm_off, "ppm_off", ANY),
    END,
};

static const struct tkf_field rejected_fields[] = {
    STRING(tkf_rejected, source, "source"),
    {.name = "usable", .kind = TKF_FIELD_USABLE, .optional = true},
    TEXT(tkf_rejected, reason, "reason"),
    FIELD(tkf_rejected, next, "next", .kind = TKF_FIELD_STRING, .nullable = true),
    END,
};

static const struct tkf_field counter_fields[] = {
    STRING(tkf_counter, name, "source"),
    FIELD(tkf_counter, unit, "unit", .kind = TKF_FIELD_NAME, .names = unit_names),
    RATE(tkf_counter, hz, "hz"),
    LIST(tkf_counter, rates, nrates, "hz_sources", rate_fields),
    FIELD(tkf_counter, step_ticks, "step_ticks", .kind = TKF_FIELD_UINT64,
          .range = TKF_RANGE_POSITIVE),
    REAL(tkf_counter, step_ns, "step_ns", POSITIVE),
    BAND(tkf_counter, read_ns, "read_ns"),
    BAND(tkf_counter, read_ticks, "read_ticks"),
    STRING(tkf_counter, fence, "fence"),
    FIELD(tkf_counter, trust, "trust", .kind = TKF_FIELD_ENUM, .names = trust_names),
    LIST(tkf_counter, rejected, nrejected, "rejected", rejected_fields),
    END,
};

static const struct tkf_field chain_fields[] = {
    STRING(tkf_chain, name, "name"),
    STRING(tkf_chain, text, "text"),
    BAND(tkf_chain, cycles, "cycles"),
    REAL(tkf_chain, event_cycles, "event_cycles", NONNEGATIVE),
    END,
};

/* The state lies first in struct tkf_named_state; its JSON is one object. */
_Static_assert(offsetof(struct tkf_named_state, state) == 0,
               "the state's members have its offsets");

const struct tkf_field tkf_state_fields[] = {
    FIELD(tkf_named_state, which, "name", .kind = TKF_FIELD_ENUM, .names = state_names),
    BAND(tkf_state, cycles, "cycles"),
    REAL(tkf_state, share, "share", SHARE),
    END,
};

static const struct tkf_field loop_fields[] = {
    STRING(tkf_loop, name, "name"),
    STRING(tkf_loop, shape, "shape"),
    STRING(tkf_loop, text, "text"),
    UNSIGNED(tkf_loop, offset_bytes, "offset_bytes"),
    BAND(tkf_loop, ns, "ns"),
    BAND(tkf_loop, cycles, "cycles"),
    {.name = "states", .kind = TKF_FIELD_STATES},
    UNSIGNED(tkf_loop, windows, "windows"),
    REAL(tkf_loop, event_cycles, "event_cycles", NONNEGATIVE),
    REAL(tkf_loop, event_instructions, "event_instructions", NONNEGATIVE),
    END,
};

static const struct tkf_field cost_fields[] = {
    STRING(tkf_cost, name, "name"),
    STRING(tkf_cost, text, "text"),
    BAND(tkf_cost, ns, "ns"),
    BAND(tkf_cost, cycles, "cycles"),
    END,
};

static const struct tkf_field floor_fields[] = {
    BAND(tkf_cpu_floor, floor_ns, "ns"),
    BAND(tkf_cpu_floor, floor_cycles, "cycles"),
    END,
};

static const struct tkf_field noise_fields[] = {
    REAL(tkf_cpu_floor, disturbed_share, "disturbed_share", SHARE),
    REAL(tkf_cpu_floor, lost_share, "lost_share", SHARE),
    REAL(tkf_cpu_floor, worst_gap_ns, "worst_gap_ns", NONNEGATIVE),
    END,
};

static const struct tkf_field histogram_fields[] = {
    REAL(tkf_cpu_floor, histogram_lo_cycles, "lo_cycles", NONNEGATIVE),
    REAL(tkf_cpu_floor, histogram_bin_cycles, "bin_cycles", NONNEGATIVE),
    COUNTS(tkf_cpu_floor, histogram, "counts"),
    END,
};

static const struct tkf_field candidate_fields[] = {
    UNSIGNED(tkf_candidate, cpu, "cpu"),
    REAL(tkf_candidate, fast_share, "fast_share", SHARE),
    END,
};

static const struct tkf_field pmu_fields[] = {
    BOOL(tkf_pmu_status, available, "available"),
    TEXT_OR_NULL(tkf_pmu_status, how, "how"),
    TEXT_OR_NULL(tkf_pmu_status, reason, "reason"),
    TEXT_OR_NULL(tkf_pmu_status, next, "next"),
    END,
};

static const struct tkf_field cycle_check_fields[] = {
    TEXT_OR_NULL(tkf_cycle_check, by, "by"),
    REAL(tkf_cycle_check, cycles, "cycles", NONNEGATIVE),
    TEXT_OR_NULL(tkf_cycle_check, reason, "reason"),
    END,
};

/* A CPU's floor lies inside struct tkf_profile_cpu; its JSON is one object. */
_Static_assert(offsetof(struct tkf_profile_cpu, floor) == 0,
               "the floor's members have its offsets");

static const struct tkf_field cpu_fields[] = {
    UNSIGNED(tkf_cpu_floor, cpu, "cpu"),
    TEXT_OR_NULL(tkf_profile_cpu, kind, "kind"),
    TEXT_OR_NULL(tkf_profile_cpu, chosen, "chosen"),
    BOOL(tkf_cpu_floor, pinned, "pinned"),
    FIELD(tkf_cpu_floor, unpinned_reason, "unpinned_reason", .kind = TKF_FIELD_STRING,
          .nullable = true),
    REAL(tkf_cpu_floor, cycle_ns, "cycle_ns", POSITIVE),
    REAL(tkf_cpu_floor, core_hz, "core_hz", POSITIVE),
    BAND(tkf_cpu_floor, cycle_ticks, "cycle_ticks"),
    REAL(tkf_cpu_floor, chain_check, "chain_check", NONNEGATIVE),
    LIST(tkf_cpu_floor, chains, nchains, "chains", chain_fields),
    LIST(tkf_cpu_floor, loops, nloops, "loops", loop_fields),
    LIST(tkf_cpu_floor, costs, ncosts, "costs", cost_fields),
    {.name = "floor", .kind = TKF_FIELD_OBJECT, .members = floor_fields},
    REAL(tkf_cpu_floor, suspect_below_ns, "suspect_below_ns", POSITIVE),
    {.name = "noise", .kind = TKF_FIELD_OBJECT, .members = noise_fields},
    UNSIGNED(tkf_cpu_floor, rounds, "rounds"),
    {.name = "histogram", .kind = TKF_FIELD_OBJECT, .members = histogram_fields},
    LIST(tkf_cpu_floor, candidates, ncandidates, "candidates", candidate_fields),
    FIELD(tkf_profile_cpu, pmu, "pmu", .kind = TKF_FIELD_OBJECT, .members = pmu_fields,
          .optional = true),
    FIELD(tkf_profile_cpu, cycle_check, "cycle_check", .kind = TKF_FIELD_OBJECT,
          .members = cycle_check_fields, .optional = true),
    END,
};

static const struct tkf_field check_fields[] = {
    STRING(tkf_check, code, "code"),
    FIELD(tkf_check, status, "status", .kind = TKF_FIELD_ENUM, .names = status_names),
    TEXT_OR_NULL(tkf_check, seen, "seen"),
    FIELD(tkf_check, cost, "cost", .kind = TKF_FIELD_STRING, .nullable = true),
    TEXT_OR_NULL(tkf_check, next, "next"),
    END,
};

static const struct tkf_field warning_fields[] = {
    TEXT(tkf_warning, code, "code"),
    TEXT(tkf_warning, text, "text"),
    TEXT_OR_NULL(tkf_warning, next, "next"),
    END,
};

static const struct tkf_field harness_fields[] = {
    TEXT(tkf_harness_floor, framework, "framework"),
    TEXT_OR_NULL(tkf_harness_floor, version, "version"),
    TEXT_OR_NULL(tkf_harness_floor, loop_form, "loop_form"),
    FIELD(tkf_harness_floor, timing, "timing", .kind = TKF_FIELD_ENUM, .names = timing_names),
    BAND(tkf_harness_floor, ns, "ns"),
    BAND(tkf_harness_floor, cycles, "cycles"),
    UNSIGNED(tkf_harness_floor, runs, "runs"),
    TEXT(tkf_harness_floor, measured, "measured"),
    TEXT_OR_NULL(tkf_harness_floor, how, "how"),
    TEXT_OR_NULL(tkf_harness_floor, reason, "reason"),
    TEXT_OR_NULL(tkf_harness_floor, next, "next"),
    END,
};

const char *const tkf_explore_part_names[TKF_EXPLORE_PARTS + 1] = {
    [TKF_EXPLORE_LADDER] = "ladder",       [TKF_EXPLORE_BANDWIDTH] = "bandwidth",
    [TKF_EXPLORE_SYSTEM] = "system",       [TKF_EXPLORE_PAIRS] = "pairs",
    [TKF_EXPLORE_FREQUENCY] = "frequency", [TKF_EXPLORE_NOISE] = "noise",
};

static const struct tkf_field step_fields[] = {
    TEXT(tkf_step, name, "name"),
    TEXT(tkf_step, text, "text"),
    TEXT(tkf_step, unit, "unit"),
    FIELD(tkf_step, value, "value", .kind = TKF_FIELD_BAND, .range = TKF_RANGE_ANY),
    BAND(tkf_step, cycles, "cycles"),
    TEXT_OR_NULL(tkf_step, reason, "reason"),
    END,
};

static const struct tkf_field cache_fields[] = {
    UNSIGNED(tkf_cache, level, "level"),
    FIELD(tkf_cache, size_bytes, "size_bytes", .kind = TKF_FIELD_UINT64),
    FIELD(tkf_cache, line_bytes, "line_bytes", .kind = TKF_FIELD_UNSIGNED, .nullable = true),
    UNSIGNED(tkf_cache, cpus, "cpus"),
    END,
};

static const struct tkf_field latency_fields[] = {
    FIELD(tkf_latency_point, bytes, "bytes", .kind = TKF_FIELD_UINT64),
    BAND(tkf_latency_point, ns, "ns"),
    BAND(tkf_latency_point, cycles, "cycles"),
    END,
};

static const struct tkf_field pair_fields[] = {
    UNSIGNED(tkf_cpu_pair, a, "a"),
    UNSIGNED(tkf_cpu_pair, b, "b"),
    BAND(tkf_cpu_pair, ns, "ns"),
    REAL(tkf_cpu_pair, offset_ns, "offset_ns", ANY),
    REAL(tkf_cpu_pair, offset_bound_ns, "offset_bound_ns", NONNEGATIVE),
    REAL(tkf_cpu_pair, drift_ppm, "drift_ppm", ANY),
    REAL(tkf_cpu_pair, drift_bound_ppm, "drift_bound_ppm", NONNEGATIVE),
    BOOL(tkf_cpu_pair, monotonic, "monotonic"),
    TEXT_OR_NULL(tkf_cpu_pair, reason, "reason"),
    END,
};

static const struct tkf_field cause_fields[] = {
    TEXT(tkf_gap_cause, name, "name"),
    FIELD(tkf_gap_cause, gaps, "gaps", .kind = TKF_FIELD_UINT64),
    REAL(tkf_gap_cause, ns, "ns", NONNEGATIVE),
    END,
};

static const struct tkf_field cpu_noise_fields[] = {
    UNSIGNED(tkf_cpu_noise, cpu, "cpu"),
    REAL(tkf_cpu_noise, seconds, "seconds", NONNEGATIVE),
    REAL(tkf_cpu_noise, threshold_ns, "threshold_ns", NONNEGATIVE),
    FIELD(tkf_cpu_noise, gaps, "gaps", .kind = TKF_FIELD_UINT64),
    REAL(tkf_cpu_noise, rate_hz, "rate_hz", NONNEGATIVE),
    REAL(tkf_cpu_noise, median_ns, "median_ns", NONNEGATIVE),
    REAL(tkf_cpu_noise, p99_ns, "p99_ns", NONNEGATIVE),
    REAL(tkf_cpu_noise, worst_ns, "worst_ns", NONNEGATIVE),
    REAL(tkf_cpu_noise, stolen_share, "stolen_share", SHARE),
    COUNTS(tkf_cpu_noise, histogram, "histogram"),
    LIST(tkf_cpu_noise, causes, ncauses, "causes", cause_fields),
    TEXT_OR_NULL(tkf_cpu_noise, reason, "reason"),
    END,
};

static const struct tkf_field ramp_fields[] = {
    REAL(tkf_ramp_point, at_ms, "at_ms", NONNEGATIVE),
    REAL(tkf_ramp_point, ghz, "ghz", POSITIVE),
    END,
};

static const struct tkf_field explore_fields[] = {
    TEXT(tkf_explore, created, "created"),
    REAL(tkf_explore, seconds, "seconds", NONNEGATIVE),
    BOOL(tkf_explore, partial, "partial"),
    FIELD(tkf_explore, parts, "parts", .kind = TKF_FIELD_FLAGS, .names = tkf_explore_part_names,
          .max = TKF_EXPLORE_PARTS),
    UNSIGNED(tkf_explore, cpu, "cpu"),
    LIST(tkf_explore, steps, nsteps, "steps", step_fields),
    LIST(tkf_explore, caches, ncaches, "caches", cache_fields),
    LIST(tkf_explore, latency, nlatency, "latency", latency_fields),
    BOOL(tkf_explore, huge_pages, "huge_pages"),
    LIST(tkf_explore, pairs, npairs, "pairs", pair_fields),
    LIST(tkf_explore, noise, nnoise, "noise", cpu_noise_fields),
    LIST(tkf_explore, ramp, nramp, "ramp", ramp_fields),
    END,
};

const struct tkf_field tkf_profile_fields[] = {
    TEXT(tkf_profile, created, "created"),
    TEXT(tkf_profile, tool, "tool"),
    FIELD(tkf_profile, machine, "machine", .kind = TKF_FIELD_OBJECT, .members = machine_fields),
    FIELD(tkf_profile, counter, "counter", .kind = TKF_FIELD_OBJECT, .members = counter_fields),
    {.name = "cpus", .kind = TKF_FIELD_CPUS, .members = cpu_fields},
    REAL(tkf_profile, suspect_below_ns, "suspect_below_ns", POSITIVE),
    FIELD(tkf_profile, pmu, "pmu", .kind = TKF_FIELD_OBJECT, .members = pmu_fields),
    LIST(tkf_profile, checks, nchecks, "readiness", check_fields),
    /* How noisy the machine was, where a reader looks first; the CPUs each have their own. */
    {.name = "noise", .kind = TKF_FIELD_CPUS_FIRST, .members = noise_fields},
    LIST(tkf_profile, warnings, nwarnings, "warnings", warning_fields),
    LATER_LIST(tkf_profile, harnesses, nharnesses, "harnesses", harness_fields),
    FIELD(tkf_profile, explore, "explore", .kind = TKF_FIELD_OWNED, .members = explore_fields,
          .size = sizeof(struct tkf_explore), .optional = true),
    END,
};

bool tkf_field_left_out(const struct tkf_field *field, const char *base)
{
    if (field->kind == TKF_FIELD_CPUS_FIRST)
        return ((const struct tkf_profile *)base)->ncpus == 0;
    if (field->kind == TKF_FIELD_TEXT)
        return field->optional && base[field->offset] == '\0';
    return field->kind == TKF_FIELD_OWNED && !*(const void *const *)(base + field->offset);
}
static const struct tkf_field kind_fields[] = {
    TEXT_OR_NULL(tkf_core_kind, name, "name"),
    TEXT(tkf_core_kind, cpus, "cpus"),
    UNSIGNED(tkf_core_kind, ncpus, "ncpus"),
    FIELD(tkf_core_kind, ncores, "ncores", .kind = TKF_FIELD_UNSIGNED, .nullable = true),
    FIELD(tkf_core_kind, max_mhz, "max_mhz", .kind = TKF_FIELD_UNSIGNED, .nullable = true),
    FIELD(tkf_core_kind, capacity, "capacity", .kind = TKF_FIELD_UNSIGNED, .nullable = true),
    TEXT_OR_NULL(tkf_core_kind, pmu, "pmu"),
    END,
};

const struct tkf_field tkf_description_fields[] = {
    TEXT(tkf_description, tool, "tool"),
    TEXT_OR_NULL(tkf_description, root, "root"),
    FIELD(tkf_description, machine, "machine", .kind = TKF_FIELD_OBJECT, .members = machine_fields),
    FIELD(tkf_description, packages, "packages", .kind = TKF_FIELD_UNSIGNED, .nullable = true),
    FIELD(tkf_description, numa_nodes, "numa_nodes", .kind = TKF_FIELD_UNSIGNED, .nullable = true),
    FIELD(tkf_description, cores, "cores", .kind = TKF_FIELD_UNSIGNED, .nullable = true),
    LIST(tkf_description, kinds, nkinds, "kinds", kind_fields),
    TEXT_OR_NULL(tkf_description, kinds_reason, "kinds_reason"),
    LIST(tkf_description, checks, nchecks, "readiness", check_fields),
    END,
};
