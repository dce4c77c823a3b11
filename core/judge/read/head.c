/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "head.h"

bool tkf_head_has(const char *head, const char *const *words)
{
    for (; *words; words++) {
        if (!strstr(head, *words))
            return false;
    }
    return true;
}

bool tkf_head_opens(const char *head, char bracket)
{
    return head[strspn(head, " \t\r\n")] == bracket;
}
