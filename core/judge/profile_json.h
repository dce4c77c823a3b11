/* SPDX-License-Identifier: MIT */
/** JSON from the tables of profile_fields.h. */
#ifndef TKF_PROFILE_JSON_H
#define TKF_PROFILE_JSON_H

#include <jansson.h>

#include "profile_fields.h"

/**
 * A struct as a JSON object.
 * @return NULL when memory ran out: setting a member to a value that could not be made fails.
 */
json_t *tkf_fields_put(const struct tkf_field *fields, const char *base);

#endif
