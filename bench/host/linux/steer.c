/* SPDX-License-Identifier: MIT */
#include "host.h"

int tkf_steer_begin(const struct tkf_kind *kinds, unsigned nkinds, unsigned kind,
                    struct tkf_steer **ret_steer, const char **ret_how)
{
    (void)kinds, (void)nkinds, (void)kind, (void)ret_steer, (void)ret_how;
    return TKF_EUNSUPPORTED; /* Linux binds threads */
}

uint64_t tkf_steer_elsewhere(const struct tkf_steer *steer)
{
    (void)steer;
    return 0;
}

void tkf_steer_end(struct tkf_steer *steer)
{
    (void)steer;
}
