/* SPDX-License-Identifier: MIT */
/**
 * Error codes of libtickfloor.
 *
 * Every function that can fail returns 0 or one of these negative codes; its outputs, last and named ret_x, are
 * untouched on failure. An operating system's errno is not passed on: the code says what it means here.
 */
#ifndef TICKFLOOR_ERROR_H
#define TICKFLOOR_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum tkf_error {
    TKF_EINVAL = -1,       /**< an argument is out of its range */
    TKF_ETRAP = -2,        /**< an instruction trapped (SIGILL, SIGSEGV, an exception) */
    TKF_ESTUCK = -3,       /**< the counter did not advance */
    TKF_EBACKWARD = -4,    /**< the counter went back */
    TKF_EJUMP = -5,        /**< the counter jumped: its step cannot be told from its jumps */
    TKF_ENOSOURCE = -6,    /**< no counter source passed its proof */
    TKF_EUNSUPPORTED = -7, /**< the machine or the environment cannot do this */
    TKF_EPERM = -8,        /**< permission denied */
    TKF_ECANCELLED = -9,   /**< the caller asked to stop */
    TKF_ENOISE = -10,      /**< too few undisturbed windows to say anything */
    TKF_ENOMEM = -11,      /**< out of memory */
    TKF_EIO = -12,         /**< reading or writing failed */
    TKF_EFORMAT = -13,     /**< the input is not in the format it should be */
    TKF_ENOCPU = -14,      /**< no such CPU, or not one this process may use */
};

/** One clause of English for a code, without a full stop; never NULL. */
const char *tkf_strerror(int error);

#ifdef __cplusplus
}
#endif
#endif
