/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "hyperfine.h"
#include "keep.h"
#include "row.h"

void tkf_hyperfine_begin(struct tkf_hyperfine *file, struct tkf_sink *sink)
{
    *file = (struct tkf_hyperfine){.sink = sink, .counts = json_object()};
    tkf_sink_origin(sink, "hyperfine", TKF_TIMING_PROCESS);
}

void tkf_hyperfine_give(struct tkf_hyperfine *file, struct tkf_result *row)
{
    /* A time that prints as zero is below what the print can say: unknown. */
    if (row->quantum_ns > 0 && row->min_ns == 0)
        row->min_ns = NAN;
    const char *key = tkf_keepf(file->sink, "%s %s", row->group, row->name);
    json_int_t given = json_integer_value(json_object_get(file->counts, key));
    json_object_set_new_nocheck(file->counts, key, json_integer(given + 1));
    if (given > 0)
        row->group = tkf_keepf(file->sink, "%s#%d", row->group, (int)given + 1);
    tkf_row_give(file->sink, row);
}

void tkf_hyperfine_end(struct tkf_hyperfine *file)
{
    bool shell = false;
    size_t nrows = tkf_sink_rows(file->sink);
    for (size_t i = 0; i < nrows; i++) {
        const struct tkf_result *row = tkf_sink_result(file->sink, i);
        bool exact = row->quantum_ns == 0;
        shell = shell || (exact && (row->ns == 0 || row->min_ns == 0));
        shell = shell || (row->remark && strstr(row->remark, "shell startup time"));
    }
    for (size_t i = 0; shell && i < nrows; i++)
        tkf_sink_result(file->sink, i)->loop_form = "shell";
    json_decref(file->counts);
}
