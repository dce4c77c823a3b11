/* SPDX-License-Identifier: MIT */
/**
 * What the system counts of all that may take a CPU from the thread that runs on it; in linux/evidence.c and
 * macos/evidence.c.
 *
 * A source is one thing that is counted: context switches, an interrupt line, system management interrupts. Whoever reads
 * all sources before and after a gap knows which of them moved in between, and that is all that is known: a source
 * that moves as readily without a gap has nothing to do with it. noise.c sees to that.
 */
#ifndef TKF_EXPLORE_EVIDENCE_H
#define TKF_EXPLORE_EVIDENCE_H

#include <stdbool.h>
#include <stdint.h>

#define TKF_EVIDENCE_MAX 512

struct tkf_evidence;

/** A source. Those before the interrupts explain a gap alone; interrupts may do so together. */
struct tkf_evidence_source {
    char name[40];  /**< "context switch", "interrupt LOC" */
    bool interrupt; /**< one of the lines */
    bool
        time; /**< counts ns, of which there have to be as many as half of the gap; others count events */
};

/**
 * Find the sources for the calling thread, which is bound to `cpu`.
 * @param root           as for tkf_sysfile_open(): "" for this machine.
 * @param ret_nsources   how many there are, TKF_EVIDENCE_MAX at most; none is no error.
 * @return NULL without memory; end it with tkf_evidence_close().
 */
struct tkf_evidence *tkf_evidence_open(const char *root, unsigned cpu, unsigned *ret_nsources);
void tkf_evidence_close(struct tkf_evidence *evidence);

const struct tkf_evidence_source *tkf_evidence_source(const struct tkf_evidence *evidence,
                                                      unsigned source);

/**
 * Read the sources that take a system call each, [nsources]; the others are left as they are. Below 3 us.
 *
 * A system call may end in a switch to another thread, when an interrupt before it asked for one. So which comes
 * first is not the same on the two sides.
 * @param ahead  of a watch: the switches are read last. Behind it they are first, and time not charged that a later switch
 *               took is left as it is.
 */
void tkf_evidence_read_fast(struct tkf_evidence *evidence, bool ahead, uint64_t *ret_counts);

/**
 * Read the sources that take a file each, [nsources]; the others are left as they are. 50 us to some ms.
 * @return whether nothing disturbed it: an interrupt that came meanwhile would show in how long it took.
 */
bool tkf_evidence_read_slow(struct tkf_evidence *evidence, uint64_t *ret_counts);

#endif
