/* SPDX-License-Identifier: MIT */
#include "host.h"
