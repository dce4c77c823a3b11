/* SPDX-License-Identifier: MIT */
/** What the macOS build uses of notify.h, which the headers that Zig brings do not hold. See notify(3). */
#ifndef NOTIFY_H
#define NOTIFY_H

#include <stdint.h>

#define NOTIFY_STATUS_OK 0

uint32_t notify_register_check(const char *name, int *out_token);
uint32_t notify_get_state(int token, uint64_t *state);
uint32_t notify_cancel(int token);

#endif
