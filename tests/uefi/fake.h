/* SPDX-License-Identifier: MIT */
/**
 * A firmware that the test makes up, behind the system table: what it prints, stores and lets fail are fields. The parts of the
 * image that touch the CPU's privileged state are stood in for.
 */
#ifndef TKF_FAKE_H
#define TKF_FAKE_H

#include "firmware.h"

extern struct fake {
    /* Console. */
    bool no_console, console_fails, no_serial, no_keyboard;
    bool serial_unused; /**< by any driver */
    bool serial_fails;
    unsigned serial_writes;
    unsigned key_after; /**< asked so often, the keyboard has a key; 0: never */
    bool key_stuck;     /**< it always has one */
    char printed[1 << 17], serial[1 << 17];
    size_t printed_size, serial_size;

    /* The volume. */
    bool no_volume, read_only, write_fails, cannot_remove;
    size_t room;        /**< bytes that a file can have */
    const char *config; /**< contents of tickfloor.cfg, NULL: there is none */
    size_t config_size;
    char stored[1 << 23]; /**< tickfloor.json */
    size_t stored_size;
    bool stored_there;

    int open;  /**< files that are open, the root included */
    int pools; /**< pieces of memory that are allocated */

    /* Processors besides the boot processor, which is number 1; 0: no MP services. */
    unsigned others;
    unsigned dead; /**< this one does not start; 1: all do */

    /* Time, ns; each reading of anything costs a little. */
    double now_ns, poll_ns;
    double stolen_every_ns, stolen_ns; /**< taken away from each such period */
    bool no_rtc, rtc_stands;
    int16_t time_zone; /**< minutes by which UTC is ahead */
    unsigned hour;
    double rtc_ppm, rtc_later_ppm; /**< fast by this much; and from the second second on */

    bool watchdog_off;
    int masked;       /**< how deep interrupts are masked now */
    int while_masked; /**< services that were called meanwhile: none is allowed */
    uint64_t reset_type;
    bool was_reset;
} fake;

/** Everything as it should be; returns the system table. */
struct tkf_uefi_system_table *fake_firmware(void);

/** An environment whose bursts read the fake's time at 1 GHz. */
struct tkf_env fake_env(void);

tkf_uefi_status efi_main(void *image, struct tkf_uefi_system_table *system);

#endif
