/* SPDX-License-Identifier: MIT */
#include <tickfloor/error.h>
