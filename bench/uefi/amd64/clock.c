/* SPDX-License-Identifier: MIT */
/** The clocks of a PC that do not follow the TSC: the ACPI power management timer and the HPET. */
#include "../firmware.h"

#include "arch.h"

#define PM_TIMER_HZ 3579545 /* ACPI 6.4, 4.8.3.3 */

/* Fixed ACPI Description Table (ACPI 6.4, 5.2.9). */
enum {
    FADT_PM_TMR_BLK = 76,
    FADT_PM_TMR_LEN = 91,
    FADT_FLAGS = 112,
    FADT_X_PM_TMR_BLK = 208, /* a generic address: space, width, offset, size, address */
    FADT_SIZE = 116,
    FADT_X_SIZE = 220,
    TMR_VAL_EXT = 8, /* bit of the flags: 32 bits wide, otherwise 24 */
    SPACE_MEMORY = 0,
    SPACE_IO = 1,
};

/* HPET description table and registers (IA-PC HPET 1.0a, 3.2.4, 2.3). */
enum {
    HPET_ADDRESS = 44,
    HPET_SIZE = 56,
    HPET_CAPABILITIES = 0x00,  /* bits 63:32: femtoseconds of a tick; bit 13: 64 bits wide */
    HPET_CONFIGURATION = 0x10, /* bit 0: it runs */
    HPET_COUNTER = 0xf0,
};

/** The clock in use: extends a narrow count to 64 bits. */
static struct {
    uint64_t (*read)(void);
    uint64_t mask, last, ticks;
    uint64_t hz;
    uint16_t port;
    volatile char *memory;
} source;

static uint64_t field(const void *table, unsigned offset, unsigned size)
{
    const unsigned char *at = (const unsigned char *)table + offset;
    uint64_t value = 0;
    while (size-- > 0)
        value = value << 8 | at[size];
    return value;
}

static uint32_t read_memory(unsigned offset)
{
    return *(volatile const uint32_t *)(source.memory + offset);
}

static uint32_t read_port(void)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(source.port));
    return value;
}

static uint64_t read_hpet(void)
{
    return read_memory(HPET_COUNTER);
}

/* Some chipsets hand out a count that is half old and half new: believe one that lies between its neighbours (linux:
 * drivers/clocksource/acpi_pm.c tells of them). */
static uint64_t read_pm_timer(void)
{
    enum { CLOSE = 1000, TRIES = 8 };
    uint32_t before = read_port(), at = read_port();
    for (unsigned i = 0; i < TRIES; i++) {
        uint32_t after = read_port();
        if (((at - before) & source.mask) < CLOSE && ((after - at) & source.mask) < CLOSE)
            return at;
        before = at;
        at = after;
    }
    return at;
}

static bool find_pm_timer(void)
{
    const void *fadt = tkf_uefi_acpi_table("FACP", FADT_SIZE);
    if (fadt == NULL || field(fadt, FADT_PM_TMR_LEN, 1) != 4)
        return false;
    uint64_t port = field(fadt, FADT_PM_TMR_BLK, 4);
    if (tkf_uefi_acpi_table("FACP", FADT_X_SIZE) != NULL &&
        field(fadt, FADT_X_PM_TMR_BLK + 4, 8) != 0 && field(fadt, FADT_X_PM_TMR_BLK, 1) == SPACE_IO)
        port = field(fadt, FADT_X_PM_TMR_BLK + 4, 8);
    if (port == 0 || port > 0xfffc)
        return false;
    source.port = (uint16_t)port;
    source.read = read_pm_timer;
    source.hz = PM_TIMER_HZ;
    source.mask = (field(fadt, FADT_FLAGS, 4) >> TMR_VAL_EXT & 1) != 0 ? 0xffffffff : 0xffffff;
    return true;
}

static bool find_hpet(void)
{
    const void *table = tkf_uefi_acpi_table("HPET", HPET_SIZE);
    if (table == NULL || field(table, HPET_ADDRESS - 4, 1) != SPACE_MEMORY ||
        field(table, HPET_ADDRESS, 8) == 0)
        return false;
    source.memory = (volatile char *)(uintptr_t)field(table, HPET_ADDRESS, 8);
    uint32_t femtoseconds = read_memory(HPET_CAPABILITIES + 4);
    if (femtoseconds == 0 || femtoseconds > 100000000) /* the standard's limit is 100 ns */
        return false;
    /* Firmware that does not use it leaves it halted. Running it disturbs nobody: no timer of it is set up. */
    if ((read_memory(HPET_CONFIGURATION) & 1) == 0)
        *(volatile uint32_t *)(source.memory + HPET_CONFIGURATION) =
            read_memory(HPET_CONFIGURATION) | 1;
    source.read = read_hpet;
    source.hz = UINT64_C(1000000000000000) / femtoseconds;
    source.mask = 0xffffffff; /* the low half: reading both is not atomic */
    return true;
}

/** A clock that stands still is none. */
static bool advances(void)
{
    uint64_t first = source.read();
    for (unsigned i = 0; i < 100000; i++) {
        if (source.read() != first)
            return true;
    }
    return false;
}

const char *tkf_uefi_clock_open(enum tkf_uefi_clock_choice choice)
{
    bool any = choice == TKF_UEFI_CLOCK_AUTO;
    const char *name = NULL;
    if ((any || choice == TKF_UEFI_CLOCK_PM_TIMER) && find_pm_timer() && advances())
        name = "ACPI PM timer";
    else if ((any || choice == TKF_UEFI_CLOCK_HPET) && find_hpet() && advances())
        name = "HPET";
    if (name == NULL)
        source.read = NULL;
    else
        source.last = source.read();
    return name;
}

uint64_t tkf_uefi_clock_ns(void *ctx)
{
    (void)ctx;
    uint64_t now = source.read();
    source.ticks += (now - source.last) & source.mask;
    source.last = now;
    /* Whole seconds apart, so that the product does not overflow. */
    return source.ticks / source.hz * UINT64_C(1000000000) +
           source.ticks % source.hz * UINT64_C(1000000000) / source.hz;
}

uint64_t TKF_KERNEL_ABI tkf_env_clock_ns(void)
{
    return source.read != NULL ? tkf_uefi_clock_ns(NULL) : 0;
}
