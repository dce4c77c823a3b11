/* SPDX-License-Identifier: MIT */
/* In place of plot.c where the build has no cairo. */
#include "write.h"

const char *tkf_plot_refused(const char *path)
{
    (void)path;
    return "this tickfloor was built without cairo, which draws; leave it out, or use a build that has it";
}

int tkf_write_plot(const struct tkf_report *report, const char *path, char *ret_reason, size_t size)
{
    (void)report;
    snprintf(ret_reason, size, "%s", tkf_plot_refused(path));
    return TKF_EUNSUPPORTED;
}
