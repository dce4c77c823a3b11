/* SPDX-License-Identifier: MIT */
#include "cli.h"
