/* SPDX-License-Identifier: MIT */
/** Steps through the text of a JSON document, for the lines that jansson does not keep. */
#ifndef TKF_JSON_SCAN_H
#define TKF_JSON_SCAN_H

/** From here to what is no white space, or the end. */
const char *tkf_json_skip_space(const char *at, const char *end);

/** From an opening quote to after the closing one, or the end. */
const char *tkf_json_skip_string(const char *at, const char *end);

#endif
