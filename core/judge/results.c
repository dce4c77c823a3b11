/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input.h"
#include "left.h"
#include "refuse.h"
#include "results.h"

struct tkf_results *tkf_results_new(void)
{
    return calloc(1, sizeof(struct tkf_results));
}

void tkf_results_free(struct tkf_results *results)
{
    if (results) {
        tkf_judge_clear(results);
        tkf_results_clear(results);
    }
    free(results);
}

size_t tkf_results_count(const struct tkf_results *results)
{
    return results->nrows;
}

const struct tkf_result *tkf_results_get(const struct tkf_results *results, size_t index)
{
    return index < results->nrows ? &results->rows[index]->result : NULL;
}

size_t tkf_results_notices(const struct tkf_results *results)
{
    return results->nnotices;
}

const struct tkf_notice *tkf_results_notice(const struct tkf_results *results, size_t index)
{
    return index < results->nnotices ? &results->notices[index] : NULL;
}

static const struct tkf_reader *find_reader(const char *name)
{
    for (size_t i = 0; tkf_readers[i]; i++) {
        if (strcmp(tkf_readers[i]->name, name) == 0)
            return tkf_readers[i];
    }
    return NULL;
}

static bool blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (!strchr(" \t\r\n", text[i]) || text[i] == '\0')
            return false;
    }
    return true;
}

static int choose(struct tkf_input *in, const char *format, const struct tkf_reader **ret_reader,
                  struct tkf_input_error *ret_error)
{
    size_t length;
    const char *head;

    const struct tkf_reader *reader = NULL;
    if (format) {
        reader = find_reader(format);
        if (!reader) {
            tkf_refuse(ret_error, 0, "give one of those that --help lists",
                       "no input format \"%.60s\"", format);
            return TKF_EINVAL;
        }
    } else {
        head = tkf_input_head(in, &length);
        if (in->error)
            return 0; /* the caller says it */
        if (in->is_gzip && !tkf_gunzip_works()) {
            tkf_refuse(ret_error, 0, "gzip -dc FILE | tickfloor report",
                       "compressed with gzip, and this tickfloor was built without zlib");
            return TKF_EFORMAT;
        }
        if (blank(head, length)) {
            tkf_refuse(ret_error, 0, "give the output of a benchmark run", "empty");
            return TKF_EFORMAT;
        }
        reader = tkf_readers_recognise(head, length, NULL, 1);
        while (!reader && tkf_input_skip_head(in)) { /* a log, so far */
            head = tkf_input_head(in, &length);
            reader = tkf_readers_recognise(head, length, NULL, 1);
        }
        if (!reader) {
            tkf_refuse(ret_error, 0,
                       "name the format with --input-format, or give a benchmark's output",
                       "not the output of a benchmark framework known here");
            return TKF_EFORMAT;
        }
    }
    *ret_reader = reader;
    return 0;
}

/* What went wrong with the streams and the memory outweighs what a reader says. */
static int streams_error(const struct tkf_input *in, const struct tkf_sink *sink,
                         struct tkf_input_error *ret_error)
{
    if (in->error == TKF_EIO) {
        tkf_refuse(ret_error, 0, "check the file or the program that writes it",
                   "reading failed: %s", strerror(in->reason));
        return TKF_EIO;
    }
    if (in->error == TKF_ENOMEM || sink->out_of_memory)
        return tkf_refuse_memory(ret_error);
    if (in->tee_reason) {
        tkf_refuse(ret_error, 0, "check where the copy of the input goes",
                   "writing the copy of the input failed: %s", strerror(in->tee_reason));
        return TKF_EIO;
    }
    return 0;
}

static int read_stream(struct tkf_input *in, struct tkf_sink *sink, const char *format,
                       const struct tkf_reader **ret_reader, struct tkf_input_error *ret_error)
{
    const struct tkf_reader *reader;
    struct tkf_input_error error = {0};

    int ret = choose(in, format, &reader, ret_error);
    if (ret < 0 || in->error)
        return ret;
    *ret_reader = reader;
    sink->format = reader->name;
    ret = reader->read(in, sink, &error);
    if (in->left && !in->whole) /* else there may be another document */
        tkf_readers_use(reader, in->left->used);
    if (ret == TKF_ENOMEM)
        return tkf_refuse_memory(ret_error);
    if (ret < 0) {
        *ret_error = error;
        return ret;
    }
    return 0;
}

/* ---- what is left for other readers ---- */

/* Let a reader have what is left, and keep in *ret_left what it leaves. How many results there are. */
static size_t read_pass(struct tkf_results *results, const char *file,
                        const struct tkf_reader *reader, struct tkf_left *left,
                        struct tkf_left *ret_left)
{
    struct tkf_input input;
    struct tkf_sink sink;
    struct tkf_input_error error = {0};
    const size_t before = results->nnotices;

    size_t length = left->text.length - left->begin;
    FILE *in = fmemopen(left->text.text + left->begin, length, "r");
    if (!in) {
        left->out_of_memory = true;
        return 0;
    }
    tkf_sink_begin(&sink, results, file, reader->name);
    tkf_input_begin(&input, in, NULL, &sink);
    input.line = left->first - 1;
    input.left = ret_left;
    int ret = reader->read(&input, &sink, &error);
    size_t rows = tkf_sink_rows(&sink);
    if (rows == 0)
        results->nnotices = before; /* it was not that format's */
    if (ret == TKF_EFORMAT && rows > 0)
        tkf_sink_notice(&sink, error.line, "%s", error.text);
    for (size_t i = 0; i < rows; i++)
        tkf_left_taken(ret_left, tkf_sink_result(&sink, i)->line);
    tkf_left_sort_taken(ret_left);
    if (!input.whole || rows == 0)
        tkf_readers_use(reader, ret_left->used);
    tkf_sink_end(&sink);
    ret_left->out_of_memory |= input.error == TKF_ENOMEM || sink.out_of_memory || ret == TKF_ENOMEM;
    tkf_input_end(&input);
    fclose(in);
    return rows;
}

static void say_left(struct tkf_results *results, const char *file, const struct tkf_left *left)
{
    struct tkf_sink sink;
    tkf_sink_begin(&sink, results, file, NULL);
    for (unsigned i = 0; i < left->nskipped; i++)
        tkf_sink_notice(&sink, left->skipped[i].line, "%s", left->skipped[i].text);
    if (left->full > 0)
        tkf_sink_notice(&sink, left->full,
                        "the results of another format go on here and are not read: give each "
                        "format as a file of its own");
}

/* Take back what was said of lines that turned out to be another format's, of the notices in [from, to). */
static void take_back(struct tkf_results *results, size_t from, size_t to,
                      const struct tkf_left *left)
{
    size_t kept = from;
    for (size_t i = from; i < results->nnotices; i++) {
        bool answered = i < to && !results->notices[i].failed && tkf_left_answers(left, results->notices[i].line);
        if (!answered)
            results->notices[kept++] = results->notices[i];
    }
    if (kept < results->nnotices)
        results->nnotices = kept;
}

/*
 * Let other readers have the lines that gave nothing, one after another. How many results there are.
 * The notices of the file begin at *first_notice*.
 */
static size_t read_left(struct tkf_results *results, const char *file, struct tkf_left *left,
                        size_t first_notice)
{
    size_t all = 0;
    const struct tkf_reader *reader;
    while (!left->out_of_memory && (reader = tkf_left_reader(left))) {
        struct tkf_left more = {.follows = true};
        size_t notices = results->nnotices;
        memcpy(more.used, left->used, sizeof(more.used));
        size_t rows = read_pass(results, file, reader, left, &more);
        left->out_of_memory |= more.out_of_memory;
        if (rows == 0) {
            tkf_readers_use(reader, left->used);
            tkf_left_free(&more);
            continue;
        }
        all += rows;
        take_back(results, first_notice, notices, &more);
        tkf_left_free(left);
        *left = more;
    }
    say_left(results, file, left);
    return all;
}

int tkf_results_read(struct tkf_results *results, FILE *in, const char *name, const char *format,
                     FILE *tee, struct tkf_input_error *ret_error)
{
    struct tkf_input input;
    struct tkf_sink sink;
    struct tkf_left left = {.out_of_memory = false};
    const struct tkf_reader *reader = NULL;

    const char *file = tkf_results_text(results, name, strlen(name));
    if (!file)
        return tkf_refuse_memory(ret_error);
    const size_t notices = results->nnotices;
    tkf_sink_begin(&sink, results, file, NULL);
    tkf_input_begin(&input, in, tee, &sink);
    input.left = format ? NULL : &left;
    int ret = read_stream(&input, &sink, format, &reader, ret_error);
    if (tee)
        tkf_input_drain(&input); /* whoever reads the copy is promised all of it */
    tkf_sink_end(&sink);
    int worse = streams_error(&input, &sink, ret_error);
    tkf_input_end(&input);
    if (tkf_sink_rows(&sink) + read_left(results, file, &left, notices) == 0 && ret == 0 && reader)
        ret = tkf_refuse(ret_error, 0,
                         reader->empty ? reader->empty : "check that the run had benchmarks in it",
                         "no benchmark results in this %s", reader->text);
    if (left.out_of_memory)
        worse = tkf_refuse_memory(ret_error);
    tkf_left_free(&left);
    return worse < 0 ? worse : ret;
}

/* Ask each reader that knows of directories whether this is one of its own. */
static int read_directory(struct tkf_results *results, const char *path, const char *format,
                          struct tkf_input_error *ret_error)
{
    const char *file = tkf_results_text(results, path, strlen(path));
    if (!file)
        return tkf_refuse_memory(ret_error);
    for (size_t i = 0; tkf_readers[i]; i++) {
        const struct tkf_reader *reader = tkf_readers[i];
        if (!reader->read_directory || (format && strcmp(format, reader->name) != 0))
            continue;
        struct tkf_sink sink;
        struct tkf_input_error error = {0};
        tkf_sink_begin(&sink, results, file, reader->name);
        int ret = reader->read_directory(path, &sink, &error);
        bool any = tkf_sink_rows(&sink) > 0;
        tkf_sink_end(&sink);
        if (sink.out_of_memory)
            return tkf_refuse_memory(ret_error);
        if (ret < 0)
            *ret_error = error;
        if (ret < 0 || any)
            return ret;
    }
    tkf_refuse(ret_error, 0, "give the result files in it",
               "a directory without results known here");
    return TKF_EFORMAT;
}

int tkf_results_read_path(struct tkf_results *results, const char *path, const char *format,
                          struct tkf_input_error *ret_error)
{
    struct stat status;

    if (format && !find_reader(format)) {
        tkf_refuse(ret_error, 0, "give one of those that --help lists", "no input format \"%.60s\"",
                   format);
        return TKF_EINVAL;
    }
    FILE *in = fopen(path, "rb");
    if (!in || fstat(fileno(in), &status) < 0) {
        tkf_refuse(ret_error, 0, "check the path", "cannot be opened: %s", strerror(errno));
        if (in)
            fclose(in);
        return TKF_EIO;
    }
    int ret = S_ISDIR(status.st_mode)
                  ? read_directory(results, path, format, ret_error)
                  : tkf_results_read(results, in, path, format, NULL, ret_error);
    fclose(in);
    return ret;
}
