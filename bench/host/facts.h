/* SPDX-License-Identifier: MIT */
/**
 * Inside facts.c: what each operating system's folder provides, and the door for tests.
 */
#ifndef TKF_HOST_FACTS_H
#define TKF_HOST_FACTS_H

#include "host.h"

/**
 * As tkf_facts_read(), as if built for `arch`, so that the recorded machines of every architecture can be read on any.
 * @param arch  "amd64", "arm64", "generic".
 */
void tkf_facts_read_as(const char *root, const char *arch, struct tkf_machine *ret_machine,
                       struct tkf_cpu_hints *ret_hints);

/** The architecture of a recorded machine, as tkf_facts_read_as() wants it; "unknown" where the record does not tell. */
const char *tkf_facts_arch(const char *root);

/**
 * What this operating system knows.
 * @param machine  zeroed but for arch, which decides what is looked for; filled as far as it is known. An emulator is
 *                 named in machine->emulator.
 * @param hints    zeroed; all but the strings is filled here.
 */
void tkf_facts_of_os(const char *root, struct tkf_machine *machine, struct tkf_cpu_hints *hints);

/**
 * The core of one CPU by its name, where the system tells kinds of core apart that hwloc may not: Linux on arm64, by
 * MIDR, and on hybrid amd64.
 * @param ret_name  [size]; "" where the system does not tell.
 */
void tkf_facts_core(const char *root, unsigned cpu, char *ret_name, size_t size);

/**
 * The CPUs that the process may use, by the recorded word of the kernel (Linux: /proc/self/status).
 * @param ret_list  [size]; "" where there is no such word.
 */
void tkf_facts_allowed(const char *root, char *ret_list, size_t size);

#endif
