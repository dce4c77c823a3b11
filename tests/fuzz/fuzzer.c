/* SPDX-License-Identifier: MIT */
/**
 * A libFuzzer program of all targets: `fuzzer --targets` lists them, TICKFLOOR_FUZZ=TARGET fuzzer ARGUMENTS... fuzzes one, and
 * TICKFLOOR_FUZZ=TARGET fuzzer FILE... runs a target once for each file. fuzz.py runs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "targets.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    if (*argc == 2 && strcmp((*argv)[1], "--targets") == 0) {
        for (size_t i = 0; fuzz_target(i); i++)
            puts(fuzz_target(i));
        exit(0);
    }
    target = getenv("TICKFLOOR_FUZZ");
    if (!target || !fuzz_has_target(target)) {
        fprintf(stderr, "set TICKFLOOR_FUZZ to a target; %s --targets lists them\n", **argv);
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run(target, data, size);
    return 0;
}
