/* SPDX-License-Identifier: MIT */
/**
 * Turns a folder's TKF_KERNELS list into the tables that arch.h declares. Each folder's sources.c includes it once.
 *
 * TKF_DECLARE_SOURCE(arch, source) declares the kernels of one source and gathers them in source##_kernels.
 */
#ifndef TKF_KERNEL_TABLE_H
#define TKF_KERNEL_TABLE_H

#include "arch.h"

#define TKF_KERNEL_ROW(id, shape_, role_, offset_, ops_, text_) \
    {.name = #id,                                               \
     .shape = shape_,                                           \
     .role = TKF_ROLE_##role_,                                  \
     .offset_bytes = offset_,                                   \
     .ops = ops_,                                               \
     .text = text_},
#define TKF_KERNEL_INDEX(id, shape_, role_, offset_, ops_, text_) kernel_##id,

enum { TKF_KERNELS(TKF_KERNEL_INDEX) kernel_count };

const struct tkf_kernel tkf_arch_kernels[] = {TKF_KERNELS(TKF_KERNEL_ROW)};
const unsigned tkf_arch_nkernels = kernel_count;

#endif
