/* SPDX-License-Identifier: MIT */
/* Criterion's estimates.json: times in ns without a name, so the benchmark.json beside it is read
 * too, and sample.json for the samples. target/criterion as a whole is read through its benchmarks'
 * folders `new`, else `base`, else another saved baseline; `change` holds relative numbers under
 * the same file name. Criterion 0.2 wrote other names of keys and a bare pair of arrays. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <tickfloor/error.h>

#include "head.h"
#include "json_walk.h"
#include "keep.h"

static const char estimates_name[] = "estimates.json";

/* Benchmarks lie some three folders deep. */
#define DEPTH_MAX 32

static const json_t *estimate(const json_t *estimates, const char *key, const char *old_key)
{
    const json_t *found = json_object_get(estimates, key);
    return found ? found : json_object_get(estimates, old_key);
}

/* A file beside the estimates: its JSON, or NULL. *path* ends in "estimates.json", what stands
 * before is kept. */
static json_t *load_beside(const char *path, const char *name)
{
    size_t length = strlen(path), tail = strlen(estimates_name);
    if (length < tail || strcmp(path + length - tail, estimates_name) != 0)
        return NULL;
    char *beside = NULL;
    if (asprintf(&beside, "%.*s%s", (int)(length - tail), path, name) < 0)
        return NULL;
    struct stat stat_of;
    json_t *json = NULL;
    if (stat(beside, &stat_of) == 0 && S_ISREG(stat_of.st_mode))
        json = json_load_file(beside, 0, NULL);
    free(beside);
    return json;
}

static struct tkf_slice last_part(struct tkf_slice path)
{
    const char *slash = tkf_slice_last(path, '/');
    return slash ? tkf_slice_from(path, slash + 1) : path;
}

static struct tkf_slice parent(struct tkf_slice path)
{
    const char *slash = tkf_slice_last(path, '/');
    return tkf_slice_until(path, slash ? slash : path.text);
}

/* A name where there is no benchmark.json: the folder above `new`, or of a renamed file its own. */
static const char *name_from_path(struct tkf_sink *sink, const char *path)
{
    struct tkf_slice file = tkf_slice_of(path), name = last_part(file);
    if (tkf_slice_is(name, estimates_name))
        name = last_part(parent(parent(file)));
    return tkf_keep(sink, name);
}

static void add_throughput(struct tkf_result *row, const json_t *throughput)
{
    double per_second = 1e9 / row->ns;
    double bytes = tkf_json_number(throughput, "Bytes");
    if (isnan(bytes))
        bytes = tkf_json_number(throughput, "BytesDecimal");
    if (isnan(bytes))
        bytes = tkf_json_number(throughput, "Bits") / 8;
    row->bytes_per_second = bytes * per_second;
    row->items_per_second = tkf_json_number(throughput, "Elements") * per_second;
}

static void add_samples(struct tkf_sink *sink, struct tkf_result *row, const json_t *sample)
{
    bool old = json_is_array(sample);
    double *iters = NULL, *times = NULL;
    size_t count = tkf_json_numbers(
        old ? json_array_get(sample, 0) : json_object_get(sample, "iters"), &iters);
    size_t ntimes = tkf_json_numbers(
        old ? json_array_get(sample, 1) : json_object_get(sample, "times"), &times);
    if (count == ntimes)
        tkf_row_samples(sink, row, iters, times, count);
    free(iters);
    free(times);
}

/* Fill a row from one file's estimates. *path* is where it is, if anywhere. @return NULL, or why it
 * is none. */
static const char *fill_row(struct tkf_sink *sink, struct tkf_result *row, const json_t *estimates,
                            const char *path)
{
    const json_t *mean = estimate(estimates, "mean", "Mean");
    const json_t *slope = estimate(estimates, "slope", "Slope");
    if (!estimate(estimates, "std_dev", "StdDev") && mean)
        return "these are relative changes, not times";
    bool has_slope = json_is_object(slope);
    const json_t *value = has_slope ? slope : mean;
    row->ns = tkf_json_number(value, "point_estimate");
    if (isnan(row->ns))
        return "there is neither a slope nor a mean in it";
    const json_t *interval = json_object_get(value, "confidence_interval");
    row->ns_lo = tkf_json_number(interval, "lower_bound");
    row->ns_hi = tkf_json_number(interval, "upper_bound");
    row->quantum_ns = 0;
    row->statistic = has_slope ? TKF_STATISTIC_SLOPE : TKF_STATISTIC_MEAN;
    row->batch = 1;

    json_t *benchmark = load_beside(path, "benchmark.json"),
           *sample = load_beside(path, "sample.json");
    const char *id = tkf_json_text(benchmark, "full_id");
    row->name = id ? tkf_sink_text(sink, id, strlen(id)) : name_from_path(sink, path);
    add_throughput(row, json_object_get(benchmark, "throughput"));
    add_samples(sink, row, sample);
    json_decref(benchmark);
    json_decref(sample);
    return NULL;
}

/* What lies beside the estimates: a sample has no name and its benchmark no time. */
static bool is_sample(const char *head)
{
    if (strncmp(head, "[[", 2) == 0) /* of 0.2: two arrays of numbers, and nothing else */
        return head[2] >= '0' && head[2] <= '9';
    return tkf_head_opens(head, '{') && tkf_head_has(head, TKF_WORDS("\"iters\"", "\"times\"")) &&
           !strstr(head, "\"name\"");
}

static bool is_benchmark(const char *head)
{
    return tkf_head_has(head, TKF_WORDS("\"group_id\"", "\"full_id\"", "\"directory_name\""));
}

static int recognise(const char *head, size_t length)
{
    (void)length;
    if (is_sample(head) || is_benchmark(head))
        return 60; /* the message says what to give instead */
    if (!tkf_head_opens(head, '{') || !strstr(head, "\"point_estimate\""))
        return 0;
    return strstr(head, "\"confidence_interval\"") ? 95 : 0;
}

static void give_error(struct tkf_input_error *error, const char *text, const char *next)
{
    *error = (struct tkf_input_error){0};
    snprintf(error->text, sizeof(error->text), "%s", text);
    snprintf(error->next, sizeof(error->next), "%s", next);
}

static int read_file(struct tkf_input *in, struct tkf_sink *sink, struct tkf_input_error *ret_error)
{
    size_t length;
    const char *head = tkf_input_head(in, &length);
    if (is_sample(head) || is_benchmark(head)) {
        give_error(ret_error,
                   is_sample(head) ? "Criterion's samples alone, without a name"
                                   : "what Criterion knows of a benchmark, without its times",
                   "give the estimates.json beside it, or the folder target/criterion");
        return TKF_EFORMAT;
    }
    json_t *estimates = tkf_json_load(in, sink, ret_error);
    if (!estimates)
        return TKF_EFORMAT;
    struct tkf_origin *origin = tkf_sink_origin(sink, "criterion", TKF_TIMING_BATCHED);
    struct tkf_result row = tkf_sink_row(sink, 0);
    const char *why = fill_row(sink, &row, estimates, origin->file);
    if (!why)
        tkf_sink_add(sink, &row);
    else
        give_error(ret_error, why, "give the estimates.json of the folder `new`");
    json_decref(estimates);
    return why ? TKF_EFORMAT : 0;
}

/* ---- a tree ---- */

static bool has_estimates(const char *folder)
{
    char path[PATH_MAX];
    struct stat stat_of;
    int length = snprintf(path, sizeof(path), "%s/%s", folder, estimates_name);
    return length > 0 && (size_t)length < sizeof(path) && stat(path, &stat_of) == 0 &&
           S_ISREG(stat_of.st_mode);
}

static void add_folder(struct tkf_sink *sink, const char *folder)
{
    char path[PATH_MAX];
    json_error_t error;
    snprintf(path, sizeof(path), "%s/%s", folder, estimates_name);
    json_t *estimates = json_load_file(path, 0, &error);
    if (!estimates) {
        tkf_sink_notice(sink, 0, "%s:%d: %s", path, error.line, error.text);
        return;
    }
    struct tkf_result row = tkf_sink_row(sink, 0);
    const char *why = fill_row(sink, &row, estimates, path);
    if (!why)
        tkf_sink_add(sink, &row);
    else
        tkf_sink_notice(sink, 0, "%s: %s", path, why);
    json_decref(estimates);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* How a saved set of estimates ranks among those of one benchmark; 0 is none. */
static int rank(const char *name)
{
    if (!strcmp(name, "new"))
        return 3;
    if (!strcmp(name, "base"))
        return 2;
    return strcmp(name, "change") ? 1 : 0;
}

static void walk(struct tkf_sink *sink, const char *folder, unsigned depth)
{
    struct dirent **entries;
    int count = depth < DEPTH_MAX ? scandir(folder, &entries, is_visible, alphasort) : -1;
    if (count < 0) {
        tkf_sink_notice(sink, 0, "%s: %s", folder,
                        depth < DEPTH_MAX ? strerror(errno) : "too many folders deep");
        return;
    }
    char best[PATH_MAX] = "";
    int best_rank = 0;
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];
        struct stat stat_of;
        int length = snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
        if (length >= (int)sizeof(path)) {
            tkf_sink_notice(sink, 0, "%s/%s: %s", folder, entries[i]->d_name,
                            strerror(ENAMETOOLONG));
        } else if (lstat(path, &stat_of) != 0 || !S_ISDIR(stat_of.st_mode)) {
            /* a file, or a link that may lead in a circle */
        } else if (!has_estimates(path)) {
            walk(sink, path, depth + 1);
        } else if (rank(entries[i]->d_name) > best_rank) {
            best_rank = rank(entries[i]->d_name);
            memcpy(best, path, (size_t)length + 1);
        }
        free(entries[i]);
    }
    free(entries);
    if (best_rank > 0)
        add_folder(sink, best);
}

static int read_directory(const char *path, struct tkf_sink *sink,
                          struct tkf_input_error *ret_error)
{
    (void)ret_error; /* what cannot be read is a notice */
    tkf_sink_origin(sink, "criterion", TKF_TIMING_BATCHED);
    if (has_estimates(path))
        add_folder(sink, path);
    else
        walk(sink, path, 0);
    return 0;
}

const struct tkf_reader tkf_reader_criterion_estimates = {
    .name = "criterion-estimates",
    .text = "Criterion estimates.json, or the folder target/criterion",
    .recognise = recognise,
    .read = read_file,
    .read_directory = read_directory,
};
