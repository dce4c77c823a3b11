/* SPDX-License-Identifier: MIT */
/**
 * Inside topology.c, for its tests: kinds and binding over any hwloc topology, not only this machine's.
 */
#ifndef TKF_HOST_TOPOLOGY_H
#define TKF_HOST_TOPOLOGY_H

#include <hwloc.h>

#include "host.h"

/**
 * Sort the CPUs of a loaded hwloc topology into kinds.
 * @param hwloc         owned by *ret_topology on success, the caller's on failure.
 * @param usable        the CPUs to take, at least one; copied.
 * @param ret_topology  end it with tkf_topology_free().
 * Errors: TKF_ENOMEM.
 */
int tkf_topology_wrap(hwloc_topology_t hwloc, hwloc_const_bitmap_t usable,
                      struct tkf_topology **ret_topology);

#endif
