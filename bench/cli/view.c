/* SPDX-License-Identifier: MIT */
/** --html, --svg and --lstopo: an exploration, to look at. */
#include <string.h>

#include "cli.h"
#include "explore_view.h"
#include "topology_export.h"

int tkf_view_option(const char *name, const char *value, struct tkf_views *views)
{
    bool is_html = strcmp(name, "html") == 0, is_svg = strcmp(name, "svg") == 0;
    const char *refused = is_html || is_svg ? tkf_view_refused() : NULL;
    if (refused) {
        tkf_error(NULL, "--%s: %s", name, refused);
        return TKF_EXIT_USAGE;
    }
    if (value[0] == '\0') {
        tkf_error(is_svg ? "name a folder" : "name a file", "--%s: '' is no name", name);
        return TKF_EXIT_USAGE;
    }
    *(is_html ? &views->html : is_svg ? &views->svg : &views->lstopo) = value;
    return 0;
}

int tkf_views_write(const struct tkf_views *views, const struct tkf_profile *profile)
{
    const struct {
        const char *name, *path;
        int (*write)(const struct tkf_profile *profile, const char *path, char *ret_reason,
                     size_t size);
    } wanted[] = {
        {"html", views->html, tkf_write_explore_html},
        {"svg", views->svg, tkf_write_explore_svgs},
        {"lstopo", views->lstopo, tkf_topology_export},
    };
    int status = TKF_EXIT_OK;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char next[60], reason[160] = "";
        if (!wanted[i].path || wanted[i].write(profile, wanted[i].path, reason, sizeof reason) == 0)
            continue;
        snprintf(next, sizeof next, "name another with --%s", wanted[i].name);
        tkf_error(next, "cannot write %s: %s", wanted[i].path, reason);
        status = TKF_EXIT_MEASURE;
    }
    return status;
}
