/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "cli.h"

static char *join(const char *folder, const char *rest)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, rest) < 0 ? NULL : path;
}

/* The XDG base directory specification: a path that is not absolute is to be ignored. */
static const char *absolute_from(const char *variable)
{
    const char *value = getenv(variable);
    return value && value[0] == '/' ? value : NULL;
}

char *tkf_profile_path(void)
{
    const char *state = absolute_from("XDG_STATE_HOME");
    const char *home = absolute_from("HOME");

    if (state)
        return join(state, "tickfloor/profile.json");
    return home ? join(home, ".local/state/tickfloor/profile.json") : NULL;
}
