/* SPDX-License-Identifier: MIT */
/**
 * Go's benchmark format (https://go.dev/design/14313-benchmark-format), and JSON.
 *
 * What is no result line, no "key: value" and no "Unit" line is ignored by that format: marks and remarks begin with "#".
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_run.h"

/** Go's precision: four significant digits, and no more than are worth printing. */
static void print_value(FILE *out, double value, const char *unit)
{
    static const struct {
        double from;
        int decimals;
    } steps[] = {{999.95, 0}, {99.995, 1}, {9.9995, 2}, {0.99995, 3}, {0.099995, 4}};
    double size = fabs(value);
    int decimals = size == 0 ? 0 : 7;
    for (size_t i = sizeof steps / sizeof steps[0]; i-- > 0;) {
        if (size >= steps[i].from)
            decimals = steps[i].decimals;
    }
    fprintf(out, "\t%10.*f %s", decimals, value, unit);
}

static uint64_t allocations(const struct tkf_mem_counts *mem)
{
    return mem->mallocs + mem->callocs + mem->reallocs + mem->aligned;
}

static double megabytes_per_second(const struct tkf_bench_repetition *r)
{
    return (double)r->bytes * 1e3 / r->ns;
}

void tkf_bench_print_head(const struct tkf_bench_session *session, FILE *out)
{
    const struct tkf_profile *profile = &session->profile;
    const struct tkf_cpu_floor *floor = &profile->cpus[0].floor;
    fprintf(out, "goos: %s\ngoarch: %s\n", profile->machine.os, profile->machine.arch);
    /* Readers of Go's format know from it that this is no Go program. */
    fprintf(out, "harness: tickfloor\n");
    if (session->options->pkg != NULL)
        fprintf(out, "pkg: %s\n", session->options->pkg);
    if (profile->machine.cpu[0] != '\0')
        fprintf(out, "cpu: %s\n", profile->machine.cpu);
    fprintf(out, "Unit ns/op better=lower\n");
    if (session->options->mem)
        fprintf(out, "Unit B/op better=lower\nUnit allocs/op better=lower\n");
    fprintf(out, "# timer: %s, one reading %.3g ns, step %.3g ns; a stop and start add %.3g ns\n",
            profile->counter.name, profile->counter.read_ns.mid, profile->counter.step_ns,
            session->bracket_ns);
    fprintf(out, "# floor: core cycle %.4g ns, suspect below %.3g ns\n", floor->cycle_ns,
            profile->suspect_below_ns);
    if (session->options->shuffle)
        fprintf(out, "# shuffle: %llu\n", (unsigned long long)session->options->seed);
}

void tkf_bench_print_repetition(const struct tkf_bench_session *session,
                                const struct tkf_bench_row *row,
                                const struct tkf_bench_repetition *r, FILE *out)
{
    if (r->error[0] != '\0') {
        fprintf(out, "--- FAIL: Benchmark%s\n    %s\n", row->name, r->error);
        return;
    }
    fprintf(out, "Benchmark%-30s\t%10llu", row->name, (unsigned long long)r->iterations);
    print_value(out, r->ns, "ns/op");
    if (r->bytes > 0)
        print_value(out, megabytes_per_second(r), "MB/s");
    for (unsigned i = 0; i < r->nmetrics; i++)
        print_value(out, r->metrics[i].value, r->metrics[i].unit);
    if (session->options->mem)
        fprintf(out, "\t%8llu B/op\t%8llu allocs/op",
                (unsigned long long)(r->mem.bytes / r->iterations),
                (unsigned long long)(allocations(&r->mem) / r->iterations));
    fputc('\n', out);
    if (r->brackets > 0)
        fprintf(out, "# Benchmark%s: its %.3g stops and starts an operation add about %.3g ns\n",
                row->name, (double)r->brackets / (double)r->iterations,
                (double)r->brackets / (double)r->iterations * session->bracket_ns);
}

void tkf_bench_print_mark(const struct tkf_bench_row *row, bool with_hint, FILE *out)
{
    if (row->verdict == NULL || strcmp(row->verdict, "ok") == 0)
        return;
    fprintf(out, "# Benchmark%s: %s: %.*s\n", row->name, row->verdict, row->first_evidence,
            row->evidence);
    if (with_hint && row->hint != NULL)
        fprintf(out, "# what to do: %s\n", row->hint);
}

/* ---- JSON --------------------------------------------------------------------------------------------------------- */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/** A name or a path of the program's need not be UTF-8, as JSON has to be. */
static json_t *text_json(const char *text)
{
    json_t *json = json_string(text);
    char *copy = json == NULL ? strdup(text) : NULL;
    if (copy == NULL)
        return json;
    for (char *c = copy; *c != '\0'; c++) {
        if ((unsigned char)*c >= 0x80)
            *c = '_';
    }
    json = json_string(copy);
    free(copy);
    return json;
}

static json_t *text_or_null(const char *text)
{
    return text != NULL && text[0] != '\0' ? text_json(text) : json_null();
}

static json_t *mem_json(const struct tkf_bench_repetition *r)
{
    double n = (double)r->iterations;
    return json_pack("{s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I}", "allocs_per_op",
                     (double)allocations(&r->mem) / n, "bytes_per_op", (double)r->mem.bytes / n,
                     "mallocs", (json_int_t)r->mem.mallocs, "callocs", (json_int_t)r->mem.callocs,
                     "reallocs", (json_int_t)r->mem.reallocs, "aligned_allocs",
                     (json_int_t)r->mem.aligned, "frees", (json_int_t)r->mem.frees, "bytes",
                     (json_int_t)r->mem.bytes);
}

static json_t *repetition_json(const struct tkf_bench_session *session,
                               const struct tkf_bench_repetition *r)
{
    if (r->error[0] != '\0')
        return json_pack("{s:o}", "error", text_json(r->error));
    json_t *samples = json_array(), *sizes = json_array(), *metrics = json_object();
    for (size_t i = 0; i < r->nsamples; i++) {
        json_array_append_new(samples, number(r->samples[i]));
        json_array_append_new(sizes, json_integer((json_int_t)r->sizes[i]));
    }
    for (unsigned i = 0; i < r->nmetrics; i++)
        json_object_set_new(metrics, r->metrics[i].unit, number(r->metrics[i].value));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:I, s:o, s:o, s:o}", "ns",
                     number(r->ns), "ns_lo", number(r->ns_lo), "ns_hi", number(r->ns_hi),
                     "fastest_ns", number(r->fast_ns), "mean_ns", number(r->mean_ns), "iterations",
                     (json_int_t)r->iterations, "samples", samples, "sample_iterations", sizes,
                     "brackets", (json_int_t)r->brackets, "megabytes_per_second",
                     r->bytes > 0 ? number(megabytes_per_second(r)) : json_null(), "metrics",
                     metrics, "memory", session->options->mem ? mem_json(r) : json_null());
}

static json_t *beside_json(const struct tkf_bench_beside *beside)
{
    if (beside->windows == 0)
        return json_null();
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:i}", "ns", beside->ns, "empty_ns",
                     beside->empty_ns, "ratio_lo", beside->ratio.lo, "ratio", beside->ratio.mid,
                     "ratio_hi", beside->ratio.hi, "windows", (int)beside->windows);
}

static json_t *row_json(const struct tkf_bench_session *session, const struct tkf_bench_row *row)
{
    json_t *repetitions = json_array();
    for (unsigned i = 0; i < row->nrepetitions; i++)
        json_array_append_new(repetitions, repetition_json(session, &row->repetitions[i]));
    return json_pack("{s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "name", text_json(row->name),
                     "file", text_json(row->entry->file), "line", (int)row->entry->line, "arg",
                     row->entry->nargs > 0 ? json_integer(row->arg) : json_null(), "verdict",
                     text_or_null(row->verdict), "evidence", text_or_null(row->evidence), "hint",
                     text_or_null(row->hint), "beside_empty", beside_json(&row->beside),
                     "repetitions", repetitions);
}

int tkf_bench_print_json(const struct tkf_bench_session *session, FILE *out)
{
    const struct tkf_profile *profile = &session->profile;
    const struct tkf_bench_options *options = session->options;
    json_t *rows = json_array();
    for (size_t i = 0; i < session->nrows; i++)
        json_array_append_new(rows, row_json(session, &session->rows[i]));
    json_t *root = json_pack(
        "{s:s, s:s, s:s, s:s, s:o, s:o, s:{s:s, s:o, s:o, s:o, s:o}, s:{s:o, s:o}, s:o, s:o}",
        "schema", "tickfloor.bench/1", "tool", "tickfloor " TKF_VERSION, "os", profile->machine.os,
        "arch", profile->machine.arch, "cpu", text_or_null(profile->machine.cpu), "pkg",
        text_or_null(options->pkg), "timer", "source", profile->counter.name, "hz",
        number(profile->counter.hz), "read_ns", number(profile->counter.read_ns.mid), "step_ns",
        number(profile->counter.step_ns), "bracket_ns", number(session->bracket_ns), "floor",
        "cycle_ns", number(profile->cpus[0].floor.cycle_ns), "suspect_below_ns",
        number(profile->suspect_below_ns), "shuffle_seed",
        options->shuffle ? json_integer((json_int_t)options->seed) : json_null(), "benchmarks",
        rows);
    if (root == NULL)
        return TKF_ENOMEM;
    int error = json_dumpf(root, out, JSON_INDENT(2)) != 0 || fputc('\n', out) == EOF ? TKF_EIO : 0;
    json_decref(root);
    return error;
}
