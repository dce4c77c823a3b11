/* SPDX-License-Identifier: MIT */
/** What recognising a format by the head of an input takes. */
#ifndef TKF_READ_HEAD_H
#define TKF_READ_HEAD_H

#include "slice.h"

/** Whether all of the words stand somewhere in the head. */
bool tkf_head_has(const char *head, const char *const *words);

/** Whether the first character that is no blank is this bracket. */
bool tkf_head_opens(const char *head, char bracket);

#endif
