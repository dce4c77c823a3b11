/* SPDX-License-Identifier: MIT */
/** Interrupts and processors, through the firmware's services. */
#include "firmware.h"

const struct tkf_uefi_guid
    tkf_uefi_loaded_image_guid = {0x5b1b31a1,
                                  0x9562,
                                  0x11d2,
                                  {0x8e, 0x3f, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}},
    tkf_uefi_file_system_guid = {0x964e5b22,
                                 0x6459,
                                 0x11d2,
                                 {0x8e, 0x39, 0x00, 0xa0, 0xc9, 0x69, 0x72, 0x3b}},
    tkf_uefi_mp_services_guid = {0x3fdda605,
                                 0xa76e,
                                 0x4f46,
                                 {0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08}},
    tkf_uefi_serial_guid = {0xbb25cf6f,
                            0xf1d4,
                            0x11d2,
                            {0x9a, 0x0c, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0xfd}},
    tkf_uefi_acpi_guid = {
        0x8868e871, 0xe4f1, 0x11d3, {0xbc, 0x22, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81}};

/* Raising the level keeps the firmware's own timer and events out; where it masks no interrupts (U-Boot), the CPU does. */
struct tkf_uefi_quiet tkf_uefi_quiet_begin(void)
{
    struct tkf_uefi_quiet quiet = {.tpl =
                                       tkf_uefi_system->boot->raise_tpl(TKF_UEFI_TPL_HIGH_LEVEL)};
    quiet.state = tkf_uefi_cpu_mask();
    return quiet;
}

void tkf_uefi_quiet_end(struct tkf_uefi_quiet quiet)
{
    tkf_uefi_cpu_unmask(quiet.state);
    tkf_uefi_system->boot->restore_tpl(quiet.tpl);
}

static struct tkf_uefi_mp_services *mp_services(void)
{
    struct tkf_uefi_mp_services *mp;
    return tkf_uefi_system->boot->locate_protocol(&tkf_uefi_mp_services_guid, NULL, (void **)&mp) ==
                   TKF_UEFI_SUCCESS
               ? mp
               : NULL;
}

unsigned tkf_uefi_processors(unsigned *ret_numbers, unsigned max)
{
    struct tkf_uefi_mp_services *mp = mp_services();
    uint64_t all, enabled, own;
    ret_numbers[0] = 0;
    if (mp == NULL || mp->count(mp, &all, &enabled) != TKF_UEFI_SUCCESS ||
        mp->who_am_i(mp, &own) != TKF_UEFI_SUCCESS)
        return 1;
    unsigned n = 0;
    ret_numbers[n++] = (unsigned)own;
    for (uint64_t i = 0; i < all; i++) {
        struct tkf_uefi_processor processor = {.status = 0};
        bool usable =
            mp->info(mp, i, &processor) == TKF_UEFI_SUCCESS && (processor.status & 6) == 6;
        if (i == own || !usable)
            continue;
        if (n < max)
            ret_numbers[n] = (unsigned)i;
        n++;
    }
    return n;
}

int tkf_uefi_run_on(unsigned number, void (*fn)(void *arg), void *arg)
{
    struct tkf_uefi_mp_services *mp = mp_services();
    return mp != NULL &&
                   mp->start_one(mp, fn, number, NULL, 60000000, arg, NULL) == TKF_UEFI_SUCCESS
               ? 0
               : TKF_EUNSUPPORTED;
}
