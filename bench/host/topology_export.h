/* SPDX-License-Identifier: MIT */
/** The machine as hwloc draws it, with what was measured on it. */
#ifndef TKF_TOPOLOGY_EXPORT_H
#define TKF_TOPOLOGY_EXPORT_H

#include <stddef.h>

#include <tickfloor/profile.h>

/**
 * Write hwloc's XML of this machine, in which each CPU that was measured has info attributes (TickfloorCycleNs,
 * TickfloorFloorNs, TickfloorStolenShare, TickfloorWorstGapNs, TickfloorGapsPerSecond) and a colour for lstopo: the darker, the
 * more of its time was stolen. `lstopo -i FILE` shows it.
 *
 * @param profile     of this machine.
 * @param path        an existing file is replaced.
 * @param ret_reason  [size], on failure: one clause.
 * Errors: TKF_EIO the file cannot be written · TKF_ENOMEM · TKF_EUNSUPPORTED the topology is not of this machine.
 */
int tkf_topology_export(const struct tkf_profile *profile, const char *path, char *ret_reason,
                        size_t size);

#endif
