/* SPDX-License-Identifier: MIT */
/** Steps through the text of a JSON document, for what jansson does not tell of it. */
#ifndef TKF_JSON_SCAN_H
#define TKF_JSON_SCAN_H

#include <stdbool.h>

/** From here to what is no white space, or the end. */
const char *tkf_json_skip_space(const char *at, const char *end);

/** From an opening quote to after the closing one, or the end. */
const char *tkf_json_skip_string(const char *at, const char *end);

/** From the first character of a value to after the last, by its brackets alone; or the end. */
const char *tkf_json_skip_value(const char *at, const char *end);

/** Whether there are no lines in it that could be told apart. */
bool tkf_json_is_one_line(const char *text, const char *end);

#endif
