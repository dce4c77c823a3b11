/* SPDX-License-Identifier: MIT */
#include <tickfloor/machine.h>

#include "profile_json.h"

#define SCHEMA "tickfloor.machine/1"

int tkf_description_write(const struct tkf_description *description, FILE *out)
{
    json_t *root = json_pack("{s:s}", "schema", SCHEMA);
    json_t *members = tkf_fields_put(tkf_description_fields, (const char *)description);
    int ret = TKF_ENOMEM;
    if (root && members && json_object_update(root, members) == 0) {
        bool written = json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF &&
                       fflush(out) == 0;
        ret = written ? 0 : TKF_EIO;
    }
    json_decref(members);
    json_decref(root);
    return ret;
}
