/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../grow.h"
#include "bdn.h"
#include "keep.h"
#include "table.h"

/* ---- rows ---- */

static const char *name_of(struct tkf_sink *sink, const struct tkf_bdn_key *key)
{
    return tkf_keepf(sink, "%s%s%s%s%s%s%s", key->method, *key->params ? "(" : "", key->params,
                     *key->params ? ")" : "", *key->job ? " [" : "", key->job,
                     *key->job ? "]" : "");
}

static const char *last_part(const char *method)
{
    const char *dot = strrchr(method, '.');
    return dot ? dot + 1 : method;
}

/* What rows and the hints on them have in common; to free(). NULL when out of memory. */
static char *key_text(const char *method, const char *params, const char *job)
{
    char *text;
    return asprintf(&text, "%s\n%s\n%s", last_part(method), params, job) < 0 ? NULL : text;
}

static void expect_remark(struct tkf_bdn *bdn, const struct tkf_bdn_key *key)
{
    char *text = key_text(key->method, key->params, key->job);
    if (!bdn->remarks)
        bdn->remarks = json_object();
    if (text && !json_object_get(bdn->remarks, text))
        json_object_set_new_nocheck(bdn->remarks, text, json_null());
    free(text);
}

static const char *take_remark(const struct tkf_bdn *bdn, const struct tkf_bdn_key *key)
{
    char *text = key_text(key->method, key->params, key->job);
    const char *remark = text ? json_string_value(json_object_get(bdn->remarks, text)) : NULL;
    free(text);
    return tkf_keep_string(bdn->sink, remark);
}

struct tkf_bdn_row *tkf_bdn_add(struct tkf_bdn *bdn, unsigned line, const struct tkf_bdn_key *key)
{
    struct tkf_bdn_row *row = tkf_grow(bdn->row, bdn->count, &bdn->capacity, sizeof(*row));
    if (!row) {
        tkf_sink_notice(bdn->sink, line, "out of memory: %s is lost", key->method);
        return NULL;
    }
    bdn->row = row;
    row += bdn->count++;
    row->key = *key;
    row->result = tkf_sink_row(bdn->sink, line);
    row->result.name = name_of(bdn->sink, key);
    row->result.statistic = TKF_STATISTIC_MEAN;
    expect_remark(bdn, key);
    return row;
}

void tkf_bdn_flush(struct tkf_bdn *bdn)
{
    if (bdn->count > 0) {
        struct tkf_origin *origin =
            tkf_sink_origin(bdn->sink, "benchmarkdotnet",
                            bdn->no_overhead ? TKF_TIMING_BATCHED : TKF_TIMING_SUBTRACTED);
        origin->version = bdn->version;
        origin->os = bdn->os;
        origin->cpu = bdn->cpu;
        origin->arch = bdn->arch;
        origin->cpus = bdn->cpus;
        origin->timer_step_ns = bdn->timer_step_ns;
    }
    for (size_t i = 0; i < bdn->count; i++) {
        struct tkf_result *result = &bdn->row[i].result;
        result->sentinel = !bdn->no_overhead && result->ns == 0;
        if (!result->remark)
            result->remark = take_remark(bdn, &bdn->row[i].key);
        tkf_sink_add(bdn->sink, result);
    }
    bdn->count = 0;
    json_decref(bdn->remarks);
    bdn->remarks = NULL;
}

void tkf_bdn_end(struct tkf_bdn *bdn)
{
    tkf_bdn_table_end(bdn);
    tkf_bdn_flush(bdn);
    tkf_csv_free(&bdn->csv);
    free(bdn->line);
    free(bdn->row);
}

/* ---- names ---- */

static struct tkf_slice between(const char *from, const char *to)
{
    return (struct tkf_slice){from, (size_t)(to - from)};
}

/* "N=500, Text=abc" as "N: 500, Text: abc", which is how full names have it. */
static const char *params_of(struct tkf_sink *sink, struct tkf_slice text)
{
    struct tkf_builder params = {0};
    while (text.length > 0) {
        const char *comma = tkf_slice_find(text, ", ");
        struct tkf_slice one = comma ? tkf_slice_until(text, comma) : text;
        const char *equals = tkf_slice_find(one, "=");
        struct tkf_slice key = equals ? tkf_slice_until(one, equals) : one;
        struct tkf_slice value =
            equals ? tkf_slice_from(one, equals + 1) : (struct tkf_slice){"", 0};
        tkf_build(&params, "%s%.*s%s%.*s", params.out ? ", " : "", (int)key.length, key.text,
                  equals ? ": " : "", (int)value.length, value.text);
        text = comma ? tkf_slice_from(text, comma + 2) : (struct tkf_slice){"", 0};
    }
    return tkf_built(&params, sink);
}

static const char *job_of(struct tkf_sink *sink, struct tkf_slice job)
{
    job = tkf_trim(job);
    bool is_default =
        tkf_slice_is(job, "DefaultJob") || tkf_slice_is(job, "Default") || tkf_slice_is(job, "-");
    return is_default ? "" : tkf_keep(sink, job);
}

bool tkf_bdn_display(struct tkf_sink *sink, struct tkf_slice text, struct tkf_bdn_key *ret_key)
{
    text = tkf_trim(text);
    const char *colon = tkf_slice_find(text, ": ");
    if (!colon)
        return false;
    struct tkf_slice method = tkf_slice_until(text, colon);
    struct tkf_slice job = tkf_slice_from(text, colon + 2);
    struct tkf_slice params = {"", 0};
    const char *open = tkf_slice_find(job, " [");
    if (open && text.text[text.length - 1] == ']') {
        params = between(open + 2, text.text + text.length - 1);
        job = tkf_slice_until(job, open);
    }
    const char *settings = tkf_slice_find(job, "(");
    if (settings)
        job = tkf_slice_until(job, settings);
    ret_key->method = tkf_keep(sink, tkf_trim(method));
    ret_key->params = params_of(sink, params);
    ret_key->job = job_of(sink, job);
    return true;
}

/* ---- the environment block ---- */

static const char caption[] = "BenchmarkDotNet";

/* "BenchmarkDotNet v0.13.10, Windows 11 (...)", until 2022 "BenchmarkDotNet=v0.13.2, OS=Windows 10
 * (...)". */
bool tkf_bdn_is_env(struct tkf_slice text)
{
    return tkf_slice_starts(text, caption) && text.length > strlen(caption) + 2 &&
           strchr(" =", text.text[strlen(caption)]) && text.text[strlen(caption) + 1] == 'v' &&
           tkf_slice_find(text, ", ");
}

static struct tkf_slice after(struct tkf_slice text, const char *prefix)
{
    return tkf_slice_starts(text, prefix) ? tkf_slice_from(text, text.text + strlen(prefix)) : text;
}

static struct tkf_slice before(struct tkf_slice text, const char *what)
{
    const char *at = tkf_slice_find(text, what);
    return at ? tkf_slice_until(text, at) : text;
}

/* "Intel Core i7-1255U, 1 CPU, 12 logical and 10 physical cores", once "Processor=...,
 * ProcessorCount=8". */
static void read_cpu(struct tkf_bdn *bdn, struct tkf_slice text)
{
    static const char old_count[] = "ProcessorCount=", logical[] = " logical";
    text = after(text, "Processor=");
    bdn->cpu = tkf_keep(bdn->sink, before(before(text, ", 1 CPU"), ", ProcessorCount"));
    const char *count = tkf_slice_find(text, old_count), *end = tkf_slice_find(text, logical);
    struct tkf_slice number = {"", 0};
    if (count) {
        number = tkf_slice_from(text, count + strlen(old_count));
    } else if (end) {
        const char *start = tkf_slice_last(tkf_slice_until(text, end), ' ');
        number = start ? between(start + 1, end) : number;
    }
    if (!tkf_number(number, TKF_NUMBER_POINT, &bdn->cpus, NULL))
        bdn->cpus = NAN;
}

void tkf_bdn_env(struct tkf_bdn *bdn, struct tkf_slice text)
{
    static const char resolution[] = "Resolution";
    if (tkf_bdn_is_env(text)) {
        struct tkf_slice rest = tkf_slice_from(text, text.text + strlen(caption) + 2);
        const char *comma = tkf_slice_find(rest, ", ");
        bdn->version = tkf_keep(bdn->sink, tkf_slice_until(rest, comma));
        bdn->os = tkf_keep(bdn->sink, after(tkf_slice_from(rest, comma + 2), "OS="));
        bdn->cpu = bdn->arch = NULL;
        bdn->timer_step_ns = bdn->cpus = NAN;
        bdn->no_overhead = false;
        bdn->cpu_next = true;
        return;
    }
    if (bdn->cpu_next)
        read_cpu(bdn, text);
    bdn->cpu_next = false;
    if (tkf_slice_starts(text, "Frequency") && tkf_slice_find(text, resolution)) {
        struct tkf_slice value =
            tkf_slice_from(text, tkf_slice_find(text, resolution) + strlen(resolution));
        if (value.length > 0) /* ":" or "=" */
            value = tkf_slice_from(value, value.text + 1);
        struct tkf_bdn_votes votes = {0};
        value = tkf_trim(before(value, ", T"));
        tkf_bdn_vote(&votes, value);
        tkf_bdn_time(value, votes.comma ? TKF_NUMBER_COMMA : TKF_NUMBER_POINT, NAN,
                     &bdn->timer_step_ns, NULL);
    } else if (tkf_slice_starts(text, "[Host]") && tkf_slice_find(text, "), ")) {
        struct tkf_slice arch = tkf_slice_from(text, tkf_slice_find(text, "), ") + 3);
        bdn->arch = tkf_keep(bdn->sink, tkf_field(&arch));
    } else if (tkf_slice_find(text, "EvaluateOverhead=False")) {
        bdn->no_overhead = true;
    }
}

/* ---- numbers of any culture ---- */

/* Digits and separators of a number, without the blanks that group thousands; the rest behind them.
 */
static struct tkf_slice squeeze(struct tkf_slice cell, char *buffer, size_t size)
{
    static const char *const blanks[] = {"\xc2\xa0", "\xe2\x80\xaf"};
    size_t length = 0;
    while (cell.length > 0 && length < size) {
        size_t skip = 0;
        for (size_t i = 0; i < 2; i++) {
            size_t bytes = strlen(blanks[i]);
            if (tkf_slice_starts(cell, blanks[i]) && cell.length > bytes &&
                cell.text[bytes] >= '0' && cell.text[bytes] <= '9')
                skip = bytes;
        }
        if (skip == 0)
            buffer[length++] = *cell.text;
        cell = tkf_slice_from(cell, cell.text + (skip ? skip : 1));
    }
    return (struct tkf_slice){buffer, length};
}

void tkf_bdn_vote(struct tkf_bdn_votes *votes, struct tkf_slice cell)
{
    unsigned points = 0, commas = 0, digits_after = 0, digits_before = 0;
    char last = 0;
    size_t i = 0;
    for (; i < cell.length && strchr("0123456789.,", cell.text[i]) && cell.text[i]; i++) {
        if (cell.text[i] == '.' || cell.text[i] == ',') {
            points += cell.text[i] == '.';
            commas += cell.text[i] == ',';
            last = cell.text[i];
            digits_after = 0;
        } else {
            digits_after++;
            digits_before += last == 0;
        }
    }
    if (last == 0)
        return;
    bool decimal; /* whether the last one is the decimal sign */
    if (points > 0 && commas > 0)
        decimal = true;
    else if (points + commas > 1)
        decimal = false;
    else if (digits_after != 3 || digits_before > 3 || cell.text[0] == '0')
        decimal = true;
    else
        return; /* 1,234 is either */
    if ((last == '.') == decimal)
        votes->point++;
    else
        votes->comma++;
}

bool tkf_bdn_time(struct tkf_slice cell, enum tkf_number_style style, double unit_ns,
                  double *ret_ns, double *ret_quantum)
{
    char buffer[128];
    double value, quantum;
    struct tkf_slice text = squeeze(cell, buffer, sizeof(buffer)), rest = text;
    if (tkf_time(&rest, style, &value, &quantum)) {
        unit_ns = 1;
    } else if (isnan(unit_ns) || !tkf_number(text, style, &value, &quantum)) {
        return false;
    }
    *ret_ns = value * unit_ns;
    if (ret_quantum)
        *ret_quantum = quantum * unit_ns;
    return true;
}

/* ---- tables ---- */

enum column {
    NAMESPACE,
    TYPE,
    METHOD,
    JOB,
    OVERHEAD,
    MEAN,
    ERROR,
    MEDIAN,
    MIN,
    MAX,
    ALLOCATED,
    COLUMNS
};

static const char *const titles[COLUMNS] = {
    [NAMESPACE] = "Namespace",
    [TYPE] = "Type",
    [METHOD] = "Method",
    [JOB] = "Job",
    [OVERHEAD] = "EvaluateOverhead",
    [MEAN] = "Mean",
    [ERROR] = "Error",
    [MEDIAN] = "Median",
    [MIN] = "Min",
    [MAX] = "Max",
    [ALLOCATED] = "Allocated",
};

/* Columns that tell a job; CSV has them all. What else stands before the statistics is a parameter.
 */
static const char *const job_titles[] = {
    "AnalyzeLaunchVariance",
    "EvaluateOverhead",
    "MaxAbsoluteError",
    "MaxRelativeError",
    "MinInvokeCount",
    "MinIterationTime",
    "OutlierMode",
    "RemoveOutliers",
    "Affinity",
    "EnvironmentVariables",
    "Jit",
    "LargeAddressAware",
    "Platform",
    "PowerPlanMode",
    "Runtime",
    "AllowVeryLargeObjects",
    "Concurrent",
    "CpuGroups",
    "Force",
    "HeapAffinitizeMask",
    "HeapCount",
    "NoAffinitize",
    "RetainVm",
    "Server",
    "Arguments",
    "BuildConfiguration",
    "Clock",
    "EngineFactory",
    "NuGetReferences",
    "NugetReferences",
    "Toolchain",
    "IsMutator",
    "IsBaseline",
    "InvocationCount",
    "IterationCount",
    "IterationTime",
    "LaunchCount",
    "MaxIterationCount",
    "MaxWarmupIterationCount",
    "MemoryRandomization",
    "MinIterationCount",
    "MinWarmupIterationCount",
    "RunStrategy",
    "TargetCount",
    "UnrollFactor",
    "WarmupCount",
    "Id",
};

/* Columns that tell nothing apart. */
static const char *const idle_titles[] = {"Categories", "Baseline", "LogicalGroup", "Rank"};

/* Statistics that may come first, so that no parameter does after them. */
static const char *const statistic_titles[] = {"Mean",   "Error", "StdErr", "StdDev",
                                               "Median", "Min",   "Max"};

struct columns {
    size_t at[COLUMNS];      /* SIZE_MAX: not there */
    double unit_ns[COLUMNS]; /* in the title: "Mean [ns]"; NAN */
    size_t first_statistic;
    size_t count;
    const char **title; /* [count] */
};

static bool is_one_of(struct tkf_slice text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (tkf_slice_is(text, names[i]))
            return true;
    }
    return false;
}

#define IS_ONE_OF(text, names) is_one_of(text, names, sizeof(names) / sizeof(*(names)))

static struct tkf_slice strip_bold(struct tkf_slice cell)
{
    while (cell.length >= 2 && cell.text[0] == '*' && cell.text[cell.length - 1] == '*')
        cell = (struct tkf_slice){cell.text + 1, cell.length - 2};
    return tkf_trim(cell);
}

/* False when out of memory. */
static bool split(struct tkf_bdn *bdn, struct tkf_slice text)
{
    if (!bdn->separator)
        tkf_csv_split_bars(&bdn->csv, text);
    else if (!tkf_csv_split(&bdn->csv, text.text, text.length, bdn->separator))
        return false;
    for (unsigned i = 0; i < bdn->csv.ncells; i++)
        bdn->csv.cells[i] = strip_bold(bdn->csv.cells[i]);
    return true;
}

static void read_titles(const struct tkf_csv *csv, struct columns *columns)
{
    columns->count = columns->first_statistic = csv->ncells;
    for (int column = 0; column < COLUMNS; column++) {
        columns->at[column] = SIZE_MAX;
        columns->unit_ns[column] = NAN;
    }
    for (size_t i = csv->ncells; i-- > 0;) {
        struct tkf_slice title = before(csv->cells[i], " ["), unit = {"", 0};
        const char *open = tkf_slice_find(csv->cells[i], " [");
        if (open)
            unit = before(tkf_slice_from(csv->cells[i], open + 2), "]");
        if (IS_ONE_OF(title, statistic_titles))
            columns->first_statistic = i;
        for (int column = 0; column < COLUMNS; column++) {
            if (!tkf_slice_is(title, titles[column]))
                continue;
            columns->at[column] = i;
            if (!tkf_time_unit(unit, &columns->unit_ns[column]))
                columns->unit_ns[column] = NAN;
        }
    }
}

bool tkf_bdn_is_header(struct tkf_bdn *bdn, struct tkf_slice text, char separator)
{
    struct columns columns;
    if (!tkf_slice_find(text, titles[METHOD]))
        return false;
    bdn->separator = separator;
    if (!split(bdn, text))
        return false;
    read_titles(&bdn->csv, &columns);
    return columns.at[METHOD] < columns.first_statistic &&
           (columns.at[MEAN] != SIZE_MAX || columns.at[MEDIAN] != SIZE_MAX);
}

void tkf_bdn_table_add(struct tkf_bdn *bdn, unsigned line, struct tkf_slice text)
{
    struct tkf_bdn_line *lines =
        tkf_grow(bdn->line, bdn->nlines, &bdn->lines_capacity, sizeof(*lines));
    if (lines)
        bdn->line = lines;
    char *copy = lines ? strndup(text.text, text.length) : NULL;
    if (copy)
        bdn->line[bdn->nlines++] = (struct tkf_bdn_line){line, copy};
    else
        tkf_sink_notice(bdn->sink, line, "out of memory: this line is lost");
}

static struct tkf_slice cell(const struct tkf_bdn *bdn, const struct columns *columns,
                             enum column column)
{
    return tkf_csv_cell(&bdn->csv, columns->at[column]);
}

/* Markdown has what is special to it in generic types escaped. */
static const char *method_text(struct tkf_sink *sink, struct tkf_slice text)
{
    static const char *const escapes[][2] = {
        {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}, {"&#39;", "'"}, {"\\|", "|"}};
    struct tkf_builder kept = {0};
    while (text.length > 0) {
        const char *what = NULL;
        size_t length = 1;
        for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes) && !what; i++) {
            if (tkf_slice_starts(text, escapes[i][0])) {
                what = escapes[i][1];
                length = strlen(escapes[i][0]);
            }
        }
        tkf_build(&kept, "%.*s", 1, what ? what : text.text);
        text = tkf_slice_from(text, text.text + length);
    }
    return tkf_built(&kept, sink);
}

static struct tkf_bdn_key row_key(struct tkf_bdn *bdn, const struct columns *columns)
{
    struct tkf_sink *sink = bdn->sink;
    struct tkf_bdn_key key;
    key.method = method_text(sink, cell(bdn, columns, METHOD));
    for (int column = TYPE; column >= NAMESPACE; column--) {
        struct tkf_slice outer = cell(bdn, columns, column);
        if (outer.length > 0)
            key.method = tkf_keepf(sink, "%.*s.%s", (int)outer.length, outer.text, key.method);
    }
    bool has_job = columns->at[JOB] != SIZE_MAX;
    struct tkf_builder params = {0}, job = {0};
    for (size_t i = 0; i < columns->first_statistic && i < bdn->csv.ncells; i++) {
        struct tkf_slice title = tkf_slice_of(columns->title[i]), value = bdn->csv.cells[i];
        if (i == columns->at[METHOD] || i == columns->at[TYPE] || i == columns->at[NAMESPACE] ||
            i == columns->at[JOB] || IS_ONE_OF(title, idle_titles))
            continue;
        bool of_job = IS_ONE_OF(title, job_titles);
        if (of_job && has_job)
            continue;
        struct tkf_builder *text = of_job ? &job : &params;
        tkf_build(text, "%s%s%s%.*s", text->out ? ", " : "", columns->title[i], of_job ? "=" : ": ",
                  (int)value.length, value.text);
    }
    key.params = tkf_built(&params, sink);
    key.job = has_job ? job_of(sink, cell(bdn, columns, JOB)) : tkf_built(&job, sink);
    return key;
}

/* "584 B", "1.2 KB" of 1024; "-" is none. */
static double read_bytes(struct tkf_slice text, enum tkf_number_style style)
{
    static const char prefixes[] = "KMGT";
    double value;
    if (tkf_slice_is(text, "-"))
        return 0;
    struct tkf_slice number = tkf_field(&text), unit = tkf_field(&text);
    if (!tkf_number(number, style, &value, NULL))
        return NAN;
    const char *prefix =
        unit.length == 2 ? memchr(prefixes, unit.text[0], sizeof(prefixes) - 1) : NULL;
    return prefix ? value * pow(1024, (double)(prefix - prefixes + 1)) : value;
}

static void read_row(struct tkf_bdn *bdn, unsigned line, const struct columns *columns,
                     enum tkf_number_style style)
{
    enum column main_column = columns->at[MEAN] != SIZE_MAX ? MEAN : MEDIAN;
    struct tkf_slice value = cell(bdn, columns, main_column);
    struct tkf_bdn_key key = row_key(bdn, columns);
    double ns, quantum, error;
    bool failed = tkf_slice_is(value, "NA") || tkf_slice_is(value, "-") || tkf_slice_is(value, "?");
    if (!failed && !tkf_bdn_time(value, style, columns->unit_ns[main_column], &ns, &quantum)) {
        tkf_sink_notice(bdn->sink, line, "no time can be read of %s", key.method);
        return;
    }
    struct tkf_bdn_row *row = tkf_bdn_add(bdn, line, &key);
    if (!row)
        return;
    struct tkf_result *result = &row->result;
    result->failed = failed;
    if (failed) {
        result->remark = "no result (NA)";
        return;
    }
    result->ns = ns;
    result->quantum_ns = quantum;
    result->statistic = main_column == MEAN ? TKF_STATISTIC_MEAN : TKF_STATISTIC_MEDIAN;
    if (main_column == MEAN &&
        tkf_bdn_time(cell(bdn, columns, ERROR), style, columns->unit_ns[ERROR], &error, NULL)) {
        result->ns_lo = ns - error;
        result->ns_hi = ns + error;
    }
    tkf_bdn_time(cell(bdn, columns, MIN), style, columns->unit_ns[MIN], &result->min_ns, NULL);
    tkf_bdn_time(cell(bdn, columns, MAX), style, columns->unit_ns[MAX], &result->max_ns, NULL);
    result->alloc_bytes = read_bytes(cell(bdn, columns, ALLOCATED), style);
    if (tkf_slice_is(cell(bdn, columns, OVERHEAD), "False"))
        bdn->no_overhead = true;
}

static bool is_empty(const struct tkf_csv *csv)
{
    for (size_t i = 0; i < csv->ncells; i++) {
        if (csv->cells[i].length > 0)
            return false;
    }
    return true;
}

static enum tkf_number_style table_style(struct tkf_bdn *bdn, const struct columns *columns)
{
    static const enum column voters[] = {MEAN, ERROR, MEDIAN, MIN, MAX};
    struct tkf_bdn_votes votes = {0};
    for (size_t i = 1; i < bdn->nlines; i++) {
        if (!split(bdn, tkf_slice_of(bdn->line[i].text)))
            continue;
        for (size_t j = 0; j < sizeof(voters) / sizeof(*voters); j++)
            tkf_bdn_vote(&votes, cell(bdn, columns, voters[j]));
    }
    if (votes.point == votes.comma)
        return bdn->separator == ';' ? TKF_NUMBER_COMMA : TKF_NUMBER_POINT;
    return votes.comma > votes.point ? TKF_NUMBER_COMMA : TKF_NUMBER_POINT;
}

static void read_table(struct tkf_bdn *bdn)
{
    struct columns columns;
    if (!split(bdn, tkf_slice_of(bdn->line[0].text)))
        return;
    read_titles(&bdn->csv, &columns);
    const char **title = calloc(columns.count, sizeof(*title));
    if (!title)
        return;
    columns.title = title;
    for (size_t i = 0; i < columns.count; i++)
        title[i] = tkf_keep(bdn->sink, before(bdn->csv.cells[i], " ["));
    enum tkf_number_style style = table_style(bdn, &columns);
    for (size_t i = 1; i < bdn->nlines; i++) {
        if (split(bdn, tkf_slice_of(bdn->line[i].text)) && !is_empty(&bdn->csv))
            read_row(bdn, bdn->line[i].number, &columns, style);
    }
    free(title);
}

void tkf_bdn_table_end(struct tkf_bdn *bdn)
{
    if (bdn->nlines > 0)
        read_table(bdn);
    for (size_t i = 0; i < bdn->nlines; i++)
        free(bdn->line[i].text);
    bdn->nlines = 0;
}

/* ---- hints ---- */

/* Set the remark of the rows of that key, when there are any. A measurement of nothing is the worst of them. */
static bool remark_on(struct tkf_bdn *bdn, const char *method, const char *params, const char *job,
                      const char *remark)
{
    static const char worst[] = "ZeroMeasurement";
    char *key = key_text(method, params, job);
    const json_t *before = key ? json_object_get(bdn->remarks, key) : NULL;
    if (json_is_null(before) || (before && strcmp(bdn->hint, worst) == 0))
        json_object_set_new_nocheck(bdn->remarks, key, json_string_nocheck(remark));
    free(key);
    return before;
}

void tkf_bdn_hint(struct tkf_bdn *bdn, struct tkf_slice text)
{
    static const char arrow[] = " -> ";
    static const char *const kinds[] = {"ZeroMeasurement", "MinIterationTime",
                                        "MultimodalDistribution"};
    struct tkf_bdn_key key;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (tkf_slice_is(text, kinds[i])) {
            bdn->hint = kinds[i];
            return;
        }
    }
    const char *at = tkf_slice_find(text, arrow);
    if (!at && text.length > 0)
        bdn->hint = NULL; /* another kind, or the end of the hints */
    if (!bdn->hint || !at || !tkf_bdn_display(bdn->sink, tkf_slice_until(text, at), &key))
        return;
    struct tkf_slice message = tkf_trim(tkf_slice_from(text, at + strlen(arrow)));
    const char *remark =
        tkf_keepf(bdn->sink, "%s: %.*s", bdn->hint, (int)message.length, message.text);
    if (remark_on(bdn, key.method, key.params, key.job, remark))
        return;
    /* A table shows neither parameters nor jobs that all of its rows share. */
    if (*key.params)
        remark_on(bdn, key.method, "", key.job, remark);
    if (*key.job)
        remark_on(bdn, key.method, key.params, "", remark);
    if (*key.params && *key.job)
        remark_on(bdn, key.method, "", "", remark);
}

/* ---- a line of markdown or console ---- */

/* `|---|---:|`, `|===`. */
static bool is_rule(struct tkf_slice text)
{
    for (size_t i = 0; i < text.length; i++) {
        if (!text.text[i] || !strchr("|-:= +", text.text[i]))
            return false;
    }
    return tkf_slice_find(text, "-") || tkf_slice_find(text, "=");
}

void tkf_bdn_line(struct tkf_bdn *bdn, unsigned line, struct tkf_slice text)
{
    text = tkf_trim(text);
    if (tkf_slice_starts(text, "//") && bdn->nlines == 0)
        text = tkf_trim(tkf_slice_from(text, text.text + 2)); /* pasted into a source file */
    bool pipe = text.length > 0 && memchr(text.text, '|', text.length);
    if (bdn->nlines > 0 && pipe) {
        if (!is_rule(text))
            tkf_bdn_table_add(bdn, line, text);
        return;
    }
    tkf_bdn_table_end(bdn);
    if (pipe && tkf_bdn_is_header(bdn, text, 0)) {
        tkf_bdn_table_add(bdn, line, text);
        return;
    }
    if (tkf_bdn_is_env(text))
        tkf_bdn_flush(bdn);
    tkf_bdn_env(bdn, text);
    tkf_bdn_hint(bdn, text);
}
