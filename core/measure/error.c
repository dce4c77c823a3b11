/* SPDX-License-Identifier: MIT */
#include <tickfloor/error.h>

const char *tkf_strerror(int error)
{
    static const char *const text[] = {
        [0] = "no error",
        [-TKF_EINVAL] = "an argument is out of its range",
        [-TKF_ETRAP] = "the instruction trapped",
        [-TKF_ESTUCK] = "the counter did not advance",
        [-TKF_EBACKWARD] = "the counter went back",
        [-TKF_EJUMP] = "the counter jumped",
        [-TKF_ENOSOURCE] = "no counter source passed its proof",
        [-TKF_EUNSUPPORTED] = "not supported here",
        [-TKF_EPERM] = "permission denied",
        [-TKF_ECANCELLED] = "cancelled",
        [-TKF_ENOISE] = "too few undisturbed windows",
        [-TKF_ENOMEM] = "out of memory",
        [-TKF_EIO] = "reading or writing failed",
        [-TKF_EFORMAT] = "not in the expected format",
        [-TKF_ENOCPU] = "no such CPU, or not one this process may use",
    };
    int n = (int)(sizeof text / sizeof text[0]);
    return error <= 0 && error > -n ? text[-error] : "an unknown error";
}
