/* SPDX-License-Identifier: MIT */
/**
 * libtickfloor, all of it. Each header here can also be included alone.
 *
 *   bench.h     a benchmark harness for C and C++
 *   error.h     what went wrong
 *   now.h       read the CPU's counter, inline
 *   measure.h   measure the timing floor: counter, core cycle, empty loop; freestanding
 *   explore.h   what surrounds the floor: caches, calls, noise, clock rate
 *   profile.h   what was measured, kept: in memory and as JSON
 *   report.h    results of any benchmark framework, judged against the floor
 *   machine.h   a machine described without measuring
 *   calibrate.h the machine that the program runs on, measured in one call
 */
#ifndef TICKFLOOR_TICKFLOOR_H
#define TICKFLOOR_TICKFLOOR_H

#include <tickfloor/bench.h>
#include <tickfloor/calibrate.h>
#include <tickfloor/error.h>
#include <tickfloor/explore.h>
#include <tickfloor/machine.h>
#include <tickfloor/measure.h>
#include <tickfloor/now.h>
#include <tickfloor/profile.h>
#include <tickfloor/report.h>

#endif
