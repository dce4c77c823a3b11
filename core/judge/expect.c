/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "refuse.h"

/* A core does no more than so many operations of any kind in a cycle. */
#define OPS_A_CYCLE 8

enum relation {
    AT_LEAST,
    AT_MOST,
    ABOVE,
    BELOW,
    EQUAL,
    WORK, /* "=": the amount of work, and no comparison */
};

/* Longer ones first: "<" begins "<=". */
static const struct {
    const char *text;
    enum relation relation;
} relations[] = {
    {">=", AT_LEAST}, {"<=", AT_MOST}, {"==", EQUAL}, {">", ABOVE}, {"<", BELOW}, {"=", WORK},
};

static const struct {
    const char *name;
    size_t offset;
} metrics[] = {
    {"allocs", offsetof(struct tkf_result, allocs)},
    {"bytes", offsetof(struct tkf_result, alloc_bytes)},
    {"ns", offsetof(struct tkf_result, ns)},
};

static const struct {
    const char *name;
    double a_cycle;
} works[] = {{"ops", OPS_A_CYCLE}, {"bytes", TKF_BYTES_A_CYCLE}};

struct expectation {
    unsigned line;
    char *pattern; /* of one line: that of the expectations before it is the same string */
    char *text;    /* as written */
    enum relation relation;
    size_t offset; /* of a comparison */
    double value;  /* what to compare with; of work, cycles that it takes at least */
};

struct tkf_expect {
    struct expectation *list;
    size_t n;
};

/* What stands left of the relation; false when nothing of that name can be compared, or is work. */
static bool take_name(const char *word, size_t length, struct expectation *expectation,
                      double *ret_a_cycle)
{
    size_t n = expectation->relation == WORK ? sizeof(works) / sizeof(works[0])
                                             : sizeof(metrics) / sizeof(metrics[0]);
    for (size_t i = 0; i < n; i++) {
        const char *name = expectation->relation == WORK ? works[i].name : metrics[i].name;
        if (strlen(name) != length || strncmp(name, word, length) != 0)
            continue;
        if (expectation->relation == WORK)
            *ret_a_cycle = works[i].a_cycle;
        else
            expectation->offset = metrics[i].offset;
        return true;
    }
    return false;
}

static int parse(const char *word, unsigned line, struct expectation *expectation,
                 struct tkf_input_error *ret_error)
{
    static const char next[] = "write allocs>=1, bytes<=64, ns>=5, ops=1000 or bytes=65536";
    double a_cycle = 1, value;
    size_t length = strcspn(word, "<>="), i = 0;
    enum { RELATIONS = sizeof(relations) / sizeof(relations[0]) };
    while (i < RELATIONS &&
           strncmp(word + length, relations[i].text, strlen(relations[i].text)) != 0)
        i++;
    if (i == RELATIONS)
        return tkf_refuse(ret_error, line, next, "\"%.80s\" is no expectation", word);
    expectation->relation = relations[i].relation;
    if (!take_name(word, length, expectation, &a_cycle))
        return tkf_refuse(ret_error, line, next,
                          "\"%.*s\" is nothing that can be expected with \"%s\"",
                          (int)(length < 60 ? length : 60), word, relations[i].text);
    const char *digits = word + length + strlen(relations[i].text);
    struct tkf_slice number = {.text = digits, .length = strlen(digits)};
    if (!tkf_number(number, TKF_NUMBER_POINT, &value, NULL) || !isfinite(value) || value < 0)
        return tkf_refuse(ret_error, line, "write a number, 0 or more",
                          "\"%.60s\" is no number to expect", digits);
    expectation->value = value / a_cycle;
    return 0;
}

static int add(struct tkf_expect *expect, const char *pattern, const char *word, unsigned line,
               struct tkf_input_error *ret_error)
{
    struct expectation expectation = {0};
    int ret = parse(word, line, &expectation, ret_error);
    if (ret < 0)
        return ret;
    struct expectation *list = realloc(expect->list, (expect->n + 1) * sizeof(*list));
    if (!list)
        return TKF_ENOMEM;
    expect->list = list;
    expectation.line = line;
    expectation.pattern = strdup(pattern);
    expectation.text = strdup(word);
    expect->list[expect->n++] = expectation;
    return expectation.pattern && expectation.text ? 0 : TKF_ENOMEM;
}

static int parse_line(struct tkf_expect *expect, char *text, unsigned line,
                      struct tkf_input_error *ret_error)
{
    static const char blanks[] = " \t\r\n";
    char *rest = NULL;
    char *pattern = strtok_r(text, blanks, &rest);
    if (!pattern || pattern[0] == '#')
        return 0;
    char *word = strtok_r(NULL, blanks, &rest);
    if (!word)
        return tkf_refuse(ret_error, line, "write what must hold of it, as allocs>=1",
                          "nothing is expected of \"%.80s\"", pattern);
    int ret = 0;
    for (; word && ret == 0; word = strtok_r(NULL, blanks, &rest))
        ret = add(expect, pattern, word, line, ret_error);
    return ret;
}

int tkf_expect_read(FILE *in, struct tkf_expect **ret_expect, struct tkf_input_error *ret_error)
{
    char *text = NULL;
    size_t size = 0;
    unsigned line = 0;
    struct tkf_expect *expect = calloc(1, sizeof(*expect));
    int ret = expect ? 0 : TKF_ENOMEM;
    while (ret == 0 && getline(&text, &size, in) >= 0)
        ret = parse_line(expect, text, ++line, ret_error);
    if (ret == 0 && ferror(in)) {
        tkf_refuse(ret_error, 0, "check the file", "reading failed: %s", strerror(errno));
        ret = TKF_EIO;
    }
    if (ret == TKF_ENOMEM)
        tkf_refuse_memory(ret_error);
    free(text);
    if (ret < 0)
        tkf_expect_free(expect);
    else
        *ret_expect = expect;
    return ret;
}

void tkf_expect_free(struct tkf_expect *expect)
{
    if (!expect)
        return;
    for (size_t i = 0; i < expect->n; i++) {
        free(expect->list[i].pattern);
        free(expect->list[i].text);
    }
    free(expect->list);
    free(expect);
}

const char *tkf_expect_pattern(const struct tkf_expect *expect, size_t index, unsigned *ret_line)
{
    if (!expect || index >= expect->n)
        return NULL;
    *ret_line = expect->list[index].line;
    return expect->list[index].pattern;
}

bool tkf_expect_is_met(const struct tkf_expect *expect, size_t index,
                       const struct tkf_results *results)
{
    const struct expectation *expectation = &expect->list[index];
    for (size_t i = 0; i < results->nrows; i++) {
        if (fnmatch(expectation->pattern, results->rows[i]->result.name, 0) == 0)
            return true;
    }
    return false;
}

/* An unknown quantity breaks nothing. */
static bool holds(const struct expectation *expectation, const struct tkf_result *row)
{
    double value = *(const double *)((const char *)row + expectation->offset);
    switch (expectation->relation) {
    case AT_LEAST:
        return !(value < expectation->value);
    case AT_MOST:
        return !(value > expectation->value);
    case ABOVE:
        return !(value <= expectation->value);
    case BELOW:
        return !(value >= expectation->value);
    case EQUAL:
        return !(value < expectation->value || value > expectation->value);
    default:
        return true;
    }
}

void tkf_expect_check(struct tkf_case *c)
{
    const struct tkf_expect *expect = c->options->expect;
    for (size_t i = 0; expect && i < expect->n; i++) {
        const struct expectation *expectation = &expect->list[i];
        if (fnmatch(expectation->pattern, c->row->name, 0) != 0)
            continue;
        if (expectation->relation == WORK)
            c->expects_ns =
                fmax(c->expects_ns, expectation->value * TKF_CYCLE_SHARE * c->floor->cycle_min_ns);
        else if (!c->broken && !holds(expectation, c->row))
            c->broken = tkf_results_text(c->results, expectation->text, strlen(expectation->text));
    }
}
