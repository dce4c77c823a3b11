/* SPDX-License-Identifier: MIT */
#ifndef TKF_KERNELS_H
#define TKF_KERNELS_H
#define TKF_KERNEL_ABI
#endif
