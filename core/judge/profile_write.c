/* SPDX-License-Identifier: MIT */
#include <tickfloor/profile.h>
