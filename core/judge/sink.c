/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../measure/stats.h"
#include "grow.h"
#include "results.h"

#define CHUNK_BYTES ((size_t)256 << 10)

/* A file that is not what it seems would fill the memory with notices. */
#define NOTICES_MAX 200

/* ---- memory ---- */

struct tkf_chunk {
    struct tkf_chunk *next;
    max_align_t bytes[];
};

/* Bytes from the end of the newest chunk; large ones get their own, behind it. */
static char *take(struct tkf_results *results, size_t size)
{
    if (size <= results->chunk_left) {
        results->chunk_left -= size;
        return (char *)results->chunks->bytes + results->chunk_left;
    }
    bool large = size > CHUNK_BYTES / 4;
    struct tkf_chunk *chunk = malloc(sizeof(*chunk) + (large ? size : CHUNK_BYTES));
    if (!chunk)
        return NULL;
    if (large && results->chunks) {
        chunk->next = results->chunks->next;
        results->chunks->next = chunk;
        return (char *)chunk->bytes;
    }
    chunk->next = results->chunks;
    results->chunks = chunk;
    results->chunk_left = (large ? size : CHUNK_BYTES) - size;
    return (char *)chunk->bytes + results->chunk_left;
}

void *tkf_results_alloc(struct tkf_results *results, size_t size)
{
    results->chunk_left -= results->chunk_left % sizeof(max_align_t);
    size += -size % sizeof(max_align_t);
    void *memory = take(results, size);
    return memory ? memset(memory, 0, size) : NULL;
}

/* An array that is not in use. */
struct tkf_spare {
    struct tkf_spare *next;
};

/* All of an array's elements are so large: the lists of spare ones know no other size. */
#define ELEMENT_BYTES sizeof(struct tkf_sample)
_Static_assert(sizeof(struct tkf_metric) <= ELEMENT_BYTES, "a metric fits");
_Static_assert(sizeof(struct tkf_evidence) <= ELEMENT_BYTES, "a piece of evidence fits");

/* The smallest n for which *count* elements fit into 4^n. */
static unsigned array_size(unsigned count)
{
    unsigned size = 0;
    while (1u << 2 * size < count)
        size++;
    return size;
}

void tkf_results_recycle(struct tkf_results *results, void *array, unsigned count)
{
    struct tkf_spare *spare = array;
    if (!array)
        return;
    unsigned size = array_size(count);
    spare->next = results->spares[size];
    results->spares[size] = spare;
}

/* An array for *count* elements; NULL when out of memory. */
static void *take_array(struct tkf_results *results, unsigned count)
{
    unsigned size = array_size(count);
    struct tkf_spare *spare = results->spares[size];
    if (!spare)
        return tkf_results_alloc(results, ELEMENT_BYTES << 2 * size);
    results->spares[size] = spare->next;
    return spare;
}

void *tkf_results_grow(struct tkf_results *results, void *array, unsigned count)
{
    if (count > 0 && array_size(count) == array_size(count + 1))
        return array;
    void *larger = take_array(results, count + 1);
    if (!larger)
        return NULL;
    if (count > 0)
        memcpy(larger, array, count * ELEMENT_BYTES);
    tkf_results_recycle(results, array, count);
    return larger;
}

void tkf_results_clear(struct tkf_results *results)
{
    for (struct tkf_chunk *chunk = results->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(results->texts);
    free(results->rows);
    free(results->row_slots);
    free(results->notices);
}

/* ---- strings ---- */

struct tkf_text_slot {
    const char *text; /* NULL: empty */
    uint32_t hash;
    uint32_t length;
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint32_t hash_text(const char *text, size_t length)
{
    uint64_t hash = length, word;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        hash = mix(hash, word);
    }
    word = 0;
    memcpy(&word, text, length);
    hash = mix(mix(hash, word), 0);
    return (uint32_t)(hash >> 32);
}

static bool grow_texts(struct tkf_results *results)
{
    size_t size = results->texts_size > 0 ? results->texts_size * 2 : 1024;
    struct tkf_text_slot *slots = calloc(size, sizeof(*slots));
    if (!slots)
        return false;
    for (size_t i = 0; i < results->texts_size; i++) {
        if (!results->texts[i].text)
            continue;
        size_t at = results->texts[i].hash & (size - 1);
        while (slots[at].text)
            at = (at + 1) & (size - 1);
        slots[at] = results->texts[i];
    }
    free(results->texts);
    results->texts = slots;
    results->texts_size = size;
    return true;
}

const char *tkf_results_text(struct tkf_results *results, const char *text, size_t length)
{
    if (results->ntexts * 2 >= results->texts_size && !grow_texts(results))
        return NULL;
    if (length > UINT32_MAX)
        length = UINT32_MAX;
    uint32_t hash = hash_text(text, length);
    size_t at = hash & (results->texts_size - 1);
    for (; results->texts[at].text; at = (at + 1) & (results->texts_size - 1)) {
        const struct tkf_text_slot *slot = &results->texts[at];
        if (slot->hash == hash && slot->length == length && memcmp(slot->text, text, length) == 0)
            return slot->text;
    }
    char *copy = take(results, length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    results->texts[at] =
        (struct tkf_text_slot){.text = copy, .hash = hash, .length = (uint32_t)length};
    results->ntexts++;
    return copy;
}

/* A NUL would end it, and make one of two names. */
static const char *text_without_nul(struct tkf_results *results, const char *text, size_t length)
{
    char *copy = malloc(length);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < length; i++)
        copy[i] = text[i] ? text[i] : '?';
    const char *kept = tkf_results_text(results, copy, length);
    free(copy);
    return kept;
}

const char *tkf_sink_text(struct tkf_sink *sink, const char *text, size_t length)
{
    const struct tkf_slice last = sink->last_text;
    if (length == 0)
        text = ""; /* a slice of nothing may be nowhere */
    if (last.text && last.length == length && memcmp(last.text, text, length) == 0)
        return last.text;
    const char *kept = memchr(text, '\0', length) ? text_without_nul(sink->results, text, length)
                                                  : tkf_results_text(sink->results, text, length);
    if (!kept) {
        sink->out_of_memory = true;
        return "";
    }
    sink->last_text = (struct tkf_slice){.text = kept, .length = length};
    return kept;
}

/* ---- origins and notices ---- */

void tkf_sink_begin(struct tkf_sink *sink, struct tkf_results *results, const char *file,
                    const char *format)
{
    *sink = (struct tkf_sink){
        .results = results, .file = file, .format = format, .first_row = results->nrows};
}

struct tkf_origin *tkf_sink_origin(struct tkf_sink *sink, const char *framework,
                                   enum tkf_timing timing)
{
    struct tkf_origin *origin = tkf_results_alloc(sink->results, sizeof(*origin));
    if (!origin) {
        sink->out_of_memory = true;
        origin = &sink->spare;
    }
    *origin = (struct tkf_origin){
        .file = sink->file,
        .format = sink->format,
        .framework = tkf_sink_text(sink, framework, strlen(framework)),
        .timing = timing,
        .core_hz = NAN,
        .timer_step_ns = NAN,
        .own_floor_ns = NAN,
        .cpus = NAN,
    };
    sink->origin = origin;
    return origin;
}

void tkf_sink_choose(struct tkf_sink *sink, struct tkf_origin *origin)
{
    sink->origin = origin;
}

static void keep_notice(struct tkf_sink *sink, unsigned line, const char *text, bool failed)
{
    struct tkf_results *results = sink->results;
    const char *kept = tkf_sink_text(sink, text, strlen(text));
    struct tkf_notice *notices = tkf_grow(results->notices, results->nnotices,
                                          &results->notices_size, sizeof(*results->notices));
    if (!notices) {
        sink->out_of_memory = true;
        return;
    }
    results->notices = notices;
    results->notices[results->nnotices++] =
        (struct tkf_notice){.file = sink->file, .line = line, .text = kept, .failed = failed};
}

void tkf_sink_notice(struct tkf_sink *sink, unsigned line, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (sink->nnotices++ < NOTICES_MAX)
        keep_notice(sink, line, text, false);
}

void tkf_sink_failure(struct tkf_sink *sink, unsigned line, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    /* The first of them decides: that it is said does not hang on how much was said before. */
    if (sink->nfailures++ < NOTICES_MAX)
        keep_notice(sink, line, text, true);
}

/* ---- rows ---- */

struct tkf_result tkf_sink_row(struct tkf_sink *sink, unsigned line)
{
    return (struct tkf_result){
        .origin = sink->origin,
        .line = line,
        .group = "",
        .name = "",
        .ns = NAN,
        .ns_lo = NAN,
        .ns_hi = NAN,
        .quantum_ns = NAN,
        .repetitions = 1,
        .min_ns = NAN,
        .max_ns = NAN,
        .cpu_ns = NAN,
        .wall_ns = NAN,
        .manual_ns = NAN,
        .iterations = NAN,
        .total_ns = NAN,
        .threads = NAN,
        .procs = NAN,
        .batch = NAN,
        .bytes_per_second = NAN,
        .items_per_second = NAN,
        .allocs = NAN,
        .alloc_bytes = NAN,
        .instructions = NAN,
        .cycles = NAN,
        .exit_code = NAN,
        .verdict = TKF_VERDICT_UNDECIDED,
        .cycles_shown = NAN,
        .over_floor_ns = NAN,
    };
}

/* An even choice of all values ever offered: every stride-th, where the stride is the smallest power of 2 that leaves room. */
static void keep_sample(struct tkf_sink *sink, struct tkf_result *result, unsigned *nvalues,
                        struct tkf_sample sample)
{
    unsigned stride = 1;
    while (*nvalues / stride >= TKF_SAMPLES_MAX)
        stride *= 2;
    if (*nvalues % stride == 0) {
        if (result->nsamples == TKF_SAMPLES_MAX) { /* the stride has just doubled */
            for (unsigned i = 0; i < TKF_SAMPLES_MAX / 2; i++)
                result->samples[i] = result->samples[i * 2];
            result->nsamples = TKF_SAMPLES_MAX / 2; /* an array of the same size */
        }
        struct tkf_sample *samples =
            tkf_results_grow(sink->results, result->samples, result->nsamples);
        if (!samples) {
            sink->out_of_memory = true;
            return;
        }
        samples[result->nsamples++] = sample;
        result->samples = samples;
    }
    if (*nvalues < UINT_MAX)
        (*nvalues)++;
}

void tkf_row_sample(struct tkf_sink *sink, struct tkf_result *row, double ns)
{
    unsigned nvalues = row->nsamples > 0 ? row->repetitions : 0;
    if (isnan(ns))
        return;
    keep_sample(sink, row, &nvalues, (struct tkf_sample){ns, row->iterations});
    row->repetitions = nvalues;
}

void tkf_row_metric(struct tkf_sink *sink, struct tkf_result *row, const char *unit, double value)
{
    if (row->nmetrics == TKF_METRICS_MAX) {
        tkf_sink_notice(sink, row->line, "more than %d metrics: \"%.80s\" is left out",
                        TKF_METRICS_MAX, unit);
        return;
    }
    struct tkf_metric *metrics = tkf_results_grow(sink->results, row->metrics, row->nmetrics);
    if (!metrics) {
        sink->out_of_memory = true;
        return;
    }
    metrics[row->nmetrics++] = (struct tkf_metric){.unit = unit, .value = value};
    row->metrics = metrics;
}

/* What makes rows repetitions of one another. The strings are kept once, so that equal ones are the same. */
struct key {
    const struct tkf_origin *origin;
    const char *group, *name;
};

static struct key key_of(const struct tkf_result *result)
{
    return (struct key){.origin = result->origin, .group = result->group, .name = result->name};
}

static size_t row_slot(const struct tkf_results *results, const struct key *key)
{
    uint64_t hash =
        mix(mix(mix(0, (uintptr_t)key->origin), (uintptr_t)key->group), (uintptr_t)key->name);
    size_t at = (hash >> 16) & (results->row_slots_size - 1);
    for (; results->row_slots[at] > 0; at = (at + 1) & (results->row_slots_size - 1)) {
        const struct tkf_result *row = &results->rows[results->row_slots[at] - 1]->result;
        if (row->origin == key->origin && row->group == key->group && row->name == key->name)
            break;
    }
    return at;
}

static bool grow_row_slots(struct tkf_results *results)
{
    size_t size = results->row_slots_size > 0 ? results->row_slots_size * 2 : 1024;
    unsigned *slots = calloc(size, sizeof(*slots));
    if (!slots)
        return false;
    free(results->row_slots);
    results->row_slots = slots;
    results->row_slots_size = size;
    for (size_t i = 0; i < results->nrows; i++) {
        struct key key = key_of(&results->rows[i]->result);
        slots[row_slot(results, &key)] = (unsigned)i + 1;
    }
    return true;
}

/* The row of that origin, group and name; a new one has no origin yet. NULL when out of memory. */
static struct tkf_row *find_row(struct tkf_results *results, const struct key *key)
{
    if (results->nrows * 2 >= results->row_slots_size && !grow_row_slots(results))
        return NULL;
    size_t slot = row_slot(results, key);
    if (results->row_slots[slot] > 0)
        return results->rows[results->row_slots[slot] - 1];

    struct tkf_row *row = tkf_results_alloc(results, sizeof(*row));
    struct tkf_row **rows =
        tkf_grow(results->rows, results->nrows, &results->rows_size, sizeof(struct tkf_row *));
    if (rows)
        results->rows = rows;
    if (!row || !rows)
        return NULL;
    results->rows[results->nrows++] = row;
    results->row_slots[slot] = (unsigned)results->nrows;
    return row;
}

const struct tkf_result *tkf_sink_find(struct tkf_sink *sink, const char *group, const char *name)
{
    const struct tkf_results *results = sink->results;
    if (results->nrows == 0)
        return NULL;
    struct key key = {.origin = sink->origin, .group = group, .name = name};
    unsigned row = results->row_slots[row_slot(results, &key)];
    return row > 0 ? &results->rows[row - 1]->result : NULL;
}

static void lower(double *to, double from)
{
    if (from < *to || isnan(*to)) /* not fmin(), which costs a call for each row */
        *to = from;
}

static void raise(double *to, double from)
{
    if (from > *to || isnan(*to))
        *to = from;
}

static void fill_unknown(double *to, double from)
{
    if (isnan(*to))
        *to = from;
}

static void merge_metrics(struct tkf_sink *sink, struct tkf_result *to,
                          const struct tkf_result *from)
{
    for (unsigned i = 0; i < from->nmetrics; i++) {
        unsigned j = 0;
        while (j < to->nmetrics && strcmp(to->metrics[j].unit, from->metrics[i].unit) != 0)
            j++;
        if (j == to->nmetrics)
            tkf_row_metric(sink, to, from->metrics[i].unit, from->metrics[i].value);
    }
}

/* What the rows say beside their time: the worst of what is worst, the finest quantum, else the first that is known. */
static void merge(struct tkf_sink *sink, struct tkf_result *to, const struct tkf_result *from)
{
    if (!(from->iterations <= to->iterations)) {
        fill_unknown(&to->total_ns, from->total_ns);
        if (!isnan(from->iterations) && !isnan(from->total_ns))
            to->total_ns = from->total_ns;
    }
    raise(&to->iterations, from->iterations);
    if (isnan(to->ns)) {
        to->ns = from->ns;
        to->statistic = from->statistic;
    }
    to->repetitions += from->repetitions;
    lower(&to->ns_lo, from->ns_lo);
    raise(&to->ns_hi, from->ns_hi);
    lower(&to->quantum_ns, from->quantum_ns);
    raise(&to->exit_code, from->exit_code);
    to->time_missing = to->time_missing || from->time_missing;
    to->sentinel = to->sentinel || from->sentinel;
    to->failed = to->failed || from->failed;
    fill_unknown(&to->cpu_ns, from->cpu_ns);
    fill_unknown(&to->wall_ns, from->wall_ns);
    fill_unknown(&to->manual_ns, from->manual_ns);
    fill_unknown(&to->threads, from->threads);
    fill_unknown(&to->procs, from->procs);
    fill_unknown(&to->batch, from->batch);
    fill_unknown(&to->bytes_per_second, from->bytes_per_second);
    fill_unknown(&to->items_per_second, from->items_per_second);
    fill_unknown(&to->allocs, from->allocs);
    fill_unknown(&to->alloc_bytes, from->alloc_bytes);
    fill_unknown(&to->instructions, from->instructions);
    fill_unknown(&to->cycles, from->cycles);
    if (!to->loop_form)
        to->loop_form = from->loop_form;
    if (!to->remark)
        to->remark = from->remark;
    merge_metrics(sink, to, from);
}

static void begin_row(struct tkf_row *row, const struct key *key, const struct tkf_result *given)
{
    row->result = *given;
    row->result.origin = key->origin;
    row->result.group = key->group;
    row->result.name = key->name;
    row->nvalues = given->nsamples > 0 ? given->repetitions : 0;
    row->lowest_ns = row->highest_ns = NAN;
}

static bool same(const char *a, const char *b)
{
    return a == b || strcmp(a, b) == 0;
}

/* The row that *given* belongs to; NULL when out of memory. */
static struct tkf_row *row_of(struct tkf_sink *sink, const struct tkf_result *given,
                              struct key *ret_key)
{
    struct tkf_row *last = sink->last;
    if (last && last->result.origin == sink->origin && same(last->result.name, given->name) &&
        same(last->result.group, given->group))
        return last;
    ret_key->origin = sink->origin;
    ret_key->group = tkf_sink_text(sink, given->group, strlen(given->group));
    ret_key->name = tkf_sink_text(sink, given->name, strlen(given->name));
    return sink->out_of_memory ? NULL : find_row(sink->results, ret_key);
}

void tkf_sink_understood(struct tkf_sink *sink)
{
    sink->nadded++;
}

void tkf_sink_add(struct tkf_sink *sink, struct tkf_result *given)
{
    sink->nadded++;
    struct key key;
    struct tkf_row *row = row_of(sink, given, &key);
    if (!row) {
        sink->out_of_memory = true;
        return;
    }
    sink->last = row;

    if (!row->result.origin) {
        begin_row(row, &key, given);
    } else {
        merge(sink, &row->result, given);
        for (unsigned i = 0; i < given->nsamples; i++)
            keep_sample(sink, &row->result, &row->nvalues, given->samples[i]);
        tkf_results_recycle(sink->results, given->samples, given->nsamples);
        tkf_results_recycle(sink->results, given->metrics, given->nmetrics);
    }
    row->merged += given->repetitions > 0; /* 0: it only says more of the others */
    if (given->nsamples == 0 && !isnan(given->ns))
        keep_sample(sink, &row->result, &row->nvalues,
                    (struct tkf_sample){given->ns, given->iterations});
    given->samples = NULL;
    given->metrics = NULL;
    given->nsamples = given->nmetrics = 0;
    lower(&row->lowest_ns, isnan(given->min_ns) ? given->ns : given->min_ns);
    raise(&row->highest_ns, isnan(given->max_ns) ? given->ns : given->max_ns);
}

size_t tkf_sink_rows(const struct tkf_sink *sink)
{
    return sink->results->nrows - sink->first_row;
}

struct tkf_result *tkf_sink_result(struct tkf_sink *sink, size_t index)
{
    return &sink->results->rows[sink->first_row + index]->result;
}

/* An interval that ends before it begins, in a damaged file, is none. */
static void drop_inverted(double *lo, double *hi)
{
    if (*lo > *hi)
        *lo = *hi = NAN;
}

/* The repetitions' median and its interval, unless the file says better. */
static void summarise(struct tkf_row *row)
{
    struct tkf_result *result = &row->result;
    double sorted[TKF_SAMPLES_MAX];
    if (result->repetitions == 0)
        result->repetitions = 1; /* the row that it says more of did not come */
    if (row->merged > 1) {
        result->min_ns = row->lowest_ns;
        result->max_ns = row->highest_ns;
    }
    if (row->nvalues < 2)
        return;
    for (unsigned i = 0; i < result->nsamples; i++)
        sorted[i] = result->samples[i].ns;
    tkf_sort(sorted, result->nsamples);
    struct tkf_band band = tkf_median_band(sorted, result->nsamples);
    if (row->merged > 1) {
        result->ns = band.mid;
        result->statistic = TKF_STATISTIC_MEDIAN;
    }
    fill_unknown(&result->min_ns, sorted[0]);
    fill_unknown(&result->max_ns, sorted[result->nsamples - 1]);
    if (isnan(result->ns_lo) || isnan(result->ns_hi)) {
        result->ns_lo = band.lo;
        result->ns_hi = band.hi;
    }
}

void tkf_sink_end(struct tkf_sink *sink)
{
    struct tkf_results *results = sink->results;
    for (size_t i = sink->first_row; i < results->nrows; i++) {
        struct tkf_result *result = &results->rows[i]->result;
        summarise(results->rows[i]);
        drop_inverted(&result->ns_lo, &result->ns_hi);
        drop_inverted(&result->min_ns, &result->max_ns);
    }
    if (sink->nnotices > NOTICES_MAX) {
        char text[80];
        snprintf(text, sizeof(text), "%u more such lines", sink->nnotices - NOTICES_MAX);
        keep_notice(sink, 0, text, false);
    }
}
