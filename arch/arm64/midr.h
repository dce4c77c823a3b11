/* SPDX-License-Identifier: MIT */
#ifndef TKF_ARM64_MIDR_H
#define TKF_ARM64_MIDR_H

#include <stdint.h>

/**
 * The name of a core by its main ID register: implementer and part decide, variant and revision do not.
 * @param midr  MIDR_EL1; 0 is unknown.
 * @return a constant string such as "Arm Cortex-A72", NULL for a core that is not in the table.
 */
const char *tkf_arm64_midr_name(uint64_t midr);

#endif
