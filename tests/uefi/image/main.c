/* SPDX-License-Identifier: MIT */
/** The tests of core/measure, in the firmware. Each file's main() has its own name here. */
#include "hosted.h"

struct tkf_uefi_system_table *tkf_uefi_system;

int test_stats_main(void);
int test_gaps_main(void);
int test_counter_main(void);
int test_floor_main(void);
tkf_uefi_status efi_main(void *image, struct tkf_uefi_system_table *system);

tkf_uefi_status efi_main(void *image, struct tkf_uefi_system_table *system)
{
    (void)image;
    tkf_uefi_system = system;
    system->boot->set_watchdog_timer(0, 0, 0, NULL);
    tkf_uefi_print("tickfloor " TKF_VERSION ": the tests of core/measure, in the firmware\n");
    int failures = test_stats_main() + test_gaps_main() + test_counter_main() + test_floor_main();
    tkf_uefi_print("tickfloor: exit %u\n", failures == 0 ? 0u : 1u);
    system->runtime->reset_system(TKF_UEFI_RESET_SHUTDOWN, TKF_UEFI_SUCCESS, 0, NULL);
    return TKF_UEFI_SUCCESS;
}
