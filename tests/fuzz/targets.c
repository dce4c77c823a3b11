/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/error.h>
#include <tickfloor/profile.h>
#include <tickfloor/report.h>

#include "targets.h"

static const char *const other_targets[] = {"any", "profile"};
#define OTHER_TARGETS (sizeof(other_targets) / sizeof(*other_targets))

const char *fuzz_target(size_t index)
{
    return index < OTHER_TARGETS ? other_targets[index]
                                 : tkf_results_formats()[index - OTHER_TARGETS];
}

bool fuzz_has_target(const char *name)
{
    for (size_t i = 0; fuzz_target(i); i++) {
        if (strcmp(fuzz_target(i), name) == 0)
            return true;
    }
    return false;
}

static void must(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static FILE *open_bytes(const void *data, size_t size)
{
    FILE *in = size > 0 ? fmemopen((void *)data, size, "rb") : fopen("/dev/null", "rb");
    must(in, "the input cannot be opened");
    return in;
}

static void check_row(const struct tkf_result *row)
{
    must(row->origin && row->origin->framework && row->origin->format, "a row has an origin");
    must(row->group && row->name, "a row has a name");
    must(row->repetitions >= 1 && row->nsamples <= TKF_SAMPLES_MAX, "a row has repetitions");
    must(row->nmetrics <= TKF_METRICS_MAX, "a row has no more metrics than fit");
    must(!(row->ns_lo > row->ns_hi) && !(row->min_ns > row->max_ns), "an interval is in order");
    must(!(row->quantum_ns < 0), "a digit is worth something");
    must(row->verdict < TKF_VERDICT_COUNT, "a row has a verdict");
    must(row->nevidence <= TKF_EVIDENCE_MAX, "a row has no more evidence than fits");
}

static void check_failure(int error, const struct tkf_input_error *why)
{
    must(error == TKF_EFORMAT, "an input is at fault, or nothing is");
    must(*why->text && *why->next, "a failure has a cause and a next step");
}

static void read_results(const char *format, const uint8_t *data, size_t size)
{
    struct tkf_results *results = tkf_results_new();
    struct tkf_input_error why = {0};
    must(results, "there is memory");
    FILE *in = open_bytes(data, size);
    int error = tkf_results_read(results, in, "input", format, NULL, &why);
    fclose(in);
    if (error < 0)
        check_failure(error, &why);
    must(tkf_results_judge(results, &(struct tkf_judge_options){0}) == 0, "what is read is judged");
    for (size_t i = 0; i < tkf_results_count(results); i++)
        check_row(tkf_results_get(results, i));
    for (size_t i = 0; i < tkf_results_notices(results); i++)
        must(*tkf_results_notice(results, i)->text, "a notice says something");
    tkf_results_free(results);
}

static void read_profile(const uint8_t *data, size_t size)
{
    struct tkf_profile profile, again;
    struct tkf_input_error why = {0};
    char *text = NULL;
    size_t length;
    FILE *in = open_bytes(data, size);
    int error = tkf_profile_read(in, &profile, &why);
    fclose(in);
    if (error < 0) {
        check_failure(error, &why);
        return;
    }
    FILE *out = open_memstream(&text, &length);
    must(out && tkf_profile_write(&profile, out) == 0, "what is read can be written");
    fclose(out);
    in = open_bytes(text, length);
    must(tkf_profile_read(in, &again, &why) == 0, "what is written can be read");
    fclose(in);
    free(text);
    tkf_profile_free(&again);
    tkf_profile_free(&profile);
}

void fuzz_run(const char *target, const uint8_t *data, size_t size)
{
    if (strcmp(target, "profile") == 0)
        read_profile(data, size);
    else
        read_results(strcmp(target, "any") == 0 ? NULL : target, data, size);
}
