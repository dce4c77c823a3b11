/* SPDX-License-Identifier: MIT */
/* In place of explore_html.c and pictures.c where the build has no cairo. */
#include "explore_view.h"

#include <tickfloor/error.h>

const char *tkf_view_refused(void)
{
    return "this tickfloor was built without cairo, which draws; leave it out, or use a build that has it";
}

static int refuse(char *ret_reason, size_t size)
{
    snprintf(ret_reason, size, "%s", tkf_view_refused());
    return TKF_EUNSUPPORTED;
}

int tkf_write_explore_html(const struct tkf_profile *profile, const char *path, char *ret_reason,
                           size_t size)
{
    (void)profile, (void)path;
    return refuse(ret_reason, size);
}

int tkf_write_explore_svgs(const struct tkf_profile *profile, const char *folder, char *ret_reason,
                           size_t size)
{
    (void)profile, (void)folder;
    return refuse(ret_reason, size);
}
