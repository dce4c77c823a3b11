/* SPDX-License-Identifier: MIT */
/**
 * Whose guest this system is, by files: of a hypervisor, of the product around one, of a container's engine.
 *
 * `root` is as for tkf_sysfile_open(). Context: hosted, any thread; no state.
 */
#ifndef TKF_GUEST_H
#define TKF_GUEST_H

#include <stdbool.h>
#include <stddef.h>

/**
 * The hypervisor, by the word of the kernel, the device tree or the firmware.
 * @return constant; "" for a machine that its firmware calls nobody's guest, NULL when nothing tells.
 */
const char *tkf_guest_hypervisor(const char *root);

/**
 * What runs the hypervisor, where that says more: "Firecracker", "Nitro". Two of one hypervisor differ in what they offer
 * a guest: a PMU, a table of the counter's rate.
 * @return constant; NULL when nothing tells.
 */
const char *tkf_guest_monitor(const char *root);

/** True when gVisor answers the system calls. */
bool tkf_guest_is_gvisor(const char *root);

/**
 * The container that this is in.
 * @param ret_text  [size] its engine and by what it was recognised; "" when nothing shows one.
 */
void tkf_guest_container(const char *root, char *ret_text, size_t size);

/**
 * The mode in which seccomp looks at this process's system calls, as the kernel's number.
 * @param ret_mode  [size] "0" none, "1" strict, "2" a filter; "" where the kernel does not say.
 */
void tkf_guest_seccomp(const char *root, char *ret_mode, size_t size);

#endif
