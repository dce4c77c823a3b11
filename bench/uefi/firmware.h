/* SPDX-License-Identifier: MIT */
/**
 * The firmware image: core/measure with no operating system below it.
 *
 * One boot processor runs everything; the others run measure_cpu() only. While interrupts are masked no service of the
 * firmware may be called, the console and the file system included (UEFI 7.1).
 */
#ifndef TKF_FIRMWARE_H
#define TKF_FIRMWARE_H

#include <stdarg.h>

#include <tickfloor/measure.h>
#include <tickfloor/profile.h>

#include "uefi.h"

/** Set by efi_main() before anything else. */
extern struct tkf_uefi_system_table *tkf_uefi_system;

/* ---- format.c: text and numbers ---------------------------------------------------------------------------------- */

/** Text under construction; what does not fit is counted in `used` all the same, as snprintf() does. */
struct tkf_uefi_text {
    char *at; /**< [size], ended by a zero byte when size > 0 */
    size_t size, used;
};

/**
 * Append, as printf() would: %s, %u, %llu, %x, %llx with a width and 0, %f and %g with a precision (or .*), %%. %g knows no trailing zeros.
 * A number that is not finite is "unknown".
 */
void tkf_uefi_text_add(struct tkf_uefi_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tkf_uefi_text_vadd(struct tkf_uefi_text *text, const char *format, va_list arguments);

/** The same into an array of its own. */
void tkf_uefi_format(char *ret_text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct tkf_uefi_shown {
    char text[24];
};

/** A time with the unit that suits it: "64.12 ms"; "unknown" when it is not finite. */
struct tkf_uefi_shown tkf_uefi_show_time(double ns);

bool tkf_uefi_same(const char *a, const char *b);

/* ---- console.c ------------------------------------------------------------------------------------------------------ */

/** Find a serial port that is no part of the console: what is printed goes there too. */
void tkf_uefi_console_open(void);

/** Print on the console; on the first serial port where the console fails or is missing. */
void tkf_uefi_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tkf_uefi_print_text(const char *text);

/** Print text on lines of at most 79 columns, the first beginning with a label, all others indented as far. */
void tkf_uefi_print_wrapped(const char *label, unsigned indent, const char *text);

/** Print what went wrong, after "tickfloor:", broken into lines. */
void tkf_uefi_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Wait for a key. False after so many seconds without one, or when there is no keyboard. */
bool tkf_uefi_wait_for_key(unsigned seconds);

/* ---- volume.c: files on the volume that the image was started from ---------------------------------------------------- */

/** Find the volume. Without one, reading and writing fail with TKF_EUNSUPPORTED. */
void tkf_uefi_volume_open(void *image);
void tkf_uefi_volume_close(void);

/**
 * Read a small file as text.
 * @param ret_text  [size], ended by a zero byte.
 * Errors: TKF_EUNSUPPORTED no volume · TKF_EFORMAT longer than size - 1 · TKF_EIO no such file, or it cannot be read.
 */
int tkf_uefi_volume_read(const uint16_t *name, char *ret_text, size_t size);

/**
 * Write a file, whole or not at all.
 * @param ret_reason  a constant string, written on failure: one clause.
 * Errors: TKF_EUNSUPPORTED no volume · TKF_EIO.
 */
int tkf_uefi_volume_write(const uint16_t *name, const char *bytes, size_t size,
                          const char **ret_reason);

/* ---- config.c: tickfloor.cfg ------------------------------------------------------------------------------------------- */

enum tkf_uefi_then {
    TKF_UEFI_THEN_WAIT, /**< for a key, a minute at most, then exit */
    TKF_UEFI_THEN_EXIT,
    TKF_UEFI_THEN_REBOOT,
    TKF_UEFI_THEN_POWEROFF,
};

enum tkf_uefi_clock_choice {
    TKF_UEFI_CLOCK_AUTO,
    TKF_UEFI_CLOCK_PM_TIMER,
    TKF_UEFI_CLOCK_HPET,
    TKF_UEFI_CLOCK_RTC,
    TKF_UEFI_CLOCK_NONE,
};

struct tkf_uefi_config {
    bool boot_cpu_only;
    unsigned seconds; /**< how long to look for gaps */
    enum tkf_uefi_clock_choice clock;
    enum tkf_uefi_then then;
};

/**
 * Read settings, one `name = value` a line; `#` starts a comment. What is wrong is left at its default.
 * @param text        changed on the way.
 * @param ret_config  filled with the defaults first.
 * @param ret_error   the first mistake.
 * Errors: TKF_EFORMAT.
 */
int tkf_uefi_config_parse(char *text, struct tkf_uefi_config *ret_config,
                          struct tkf_input_error *ret_error);

/* ---- acpi.c ------------------------------------------------------------------------------------------------------------ */

/** The ACPI table of a signature, at least `size` bytes long; NULL when the firmware has none. */
const void *tkf_uefi_acpi_table(const char signature[4], size_t size);

/* ---- cpu.c, one for each architecture ------------------------------------------------------------------------------------ */

/** Prepare the CPU that this runs on, as far as it declares what is touched, and say what is known of it. */
void tkf_uefi_cpu_prepare(struct tkf_cpu_hints *ret_hints);

/** Fill cpu_id, hypervisor and emulator. */
void tkf_uefi_cpu_facts(const struct tkf_cpu *cpu, struct tkf_machine *machine);

/** Mask interrupts on this CPU; give the result back to tkf_uefi_cpu_unmask(). */
uint64_t tkf_uefi_cpu_mask(void);
void tkf_uefi_cpu_unmask(uint64_t state);

/**
 * Find a clock that is independent of the counter and can be read with interrupts masked.
 * @return its name for people, NULL when there is none: then tkf_uefi_clock_ns() is not to be called.
 */
const char *tkf_uefi_clock_open(enum tkf_uefi_clock_choice choice);

/** ns, monotonic as long as it is read once in two seconds. As struct tkf_env's clock_ns. */
uint64_t tkf_uefi_clock_ns(void *ctx);

/* ---- rtc.c ---------------------------------------------------------------------------------------------------------------- */

/** The time as RFC 3339; in UTC, as the firmware says or else assumed. "" when the firmware does not know it. */
void tkf_uefi_rtc_stamp(char *ret_text, size_t size);

/**
 * Hold the counter's declared rate against two seconds of the real-time clock: adds two rates to counter->rates.
 * @return NULL, or why not, one clause.
 * Cost: 3 s; a few more where something takes the CPU away.
 */
const char *tkf_uefi_rtc_check(const struct tkf_env *env, struct tkf_counter *counter);

/** Whether the rates of tkf_uefi_rtc_check() agree with one another and with the declared ones. */
bool tkf_uefi_rtc_agrees(const struct tkf_counter *counter);

/* ---- gaps.c ---------------------------------------------------------------------------------------------------------------- */

/** What time went missing while nothing but the counter was read, with interrupts masked. */
struct tkf_uefi_gaps {
    double seconds;
    double limit_ns; /**< what is longer is a gap */
    unsigned count;
    double worst_ns, lost_share;
};

/** Look for so many seconds. 0, or TKF_ESTUCK: the counter stopped. */
int tkf_uefi_gaps_find(const struct tkf_env *env, const struct tkf_counter *counter,
                       unsigned seconds, struct tkf_uefi_gaps *ret_gaps);

/* ---- machine.c: interrupts masked, the processors ------------------------------------------------------------------------------ */

/** Mask interrupts on the boot processor, the firmware's timer included. */
struct tkf_uefi_quiet {
    uint64_t tpl, state;
};
struct tkf_uefi_quiet tkf_uefi_quiet_begin(void);
void tkf_uefi_quiet_end(struct tkf_uefi_quiet quiet);

/**
 * How many processors there are to measure, 1 where the firmware cannot start the others.
 * @param ret_numbers  [max], the boot processor first: as many as fit.
 */
unsigned tkf_uefi_processors(unsigned *ret_numbers, unsigned max);

/** Run fn(arg) on another processor, a minute at most, on the 32 KiB of stack that EDK II gives it. 0 or TKF_EUNSUPPORTED. */
int tkf_uefi_run_on(unsigned number, void (*fn)(void *arg), void *arg);

/* ---- json.c, card.c ------------------------------------------------------------------------------------------------------------ */

/** Write a profile's JSON, with the members of core/judge/profile_fields.h. */
void tkf_uefi_json_profile(const struct tkf_profile *profile, struct tkf_uefi_text *text);

/** Print the card: at most 79 columns, and 24 lines for one CPU. */
void tkf_uefi_card_print(const struct tkf_profile *profile, const char *clock,
                         const struct tkf_uefi_gaps *gaps);

#endif
