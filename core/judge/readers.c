/* SPDX-License-Identifier: MIT */
#include "reader.h"

/* Sorted by name, one a line: here and in the table. */

const struct tkf_reader *const tkf_readers[] = {
    NULL,
};

#define READERS_MAX (sizeof(tkf_readers) / sizeof(tkf_readers[0]))

const char *const *tkf_results_formats(void)
{
    static const char *names[READERS_MAX];
    for (size_t i = 0; tkf_readers[i]; i++)
        names[i] = tkf_readers[i]->name;
    return names;
}
