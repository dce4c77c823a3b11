/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input.h"
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

/* The surest; NULL when none knows it. */
static const struct tkf_reader *recognise(const char *head, size_t length)
{
    const struct tkf_reader *surest = NULL;
    int most = 0;
    for (size_t i = 0; tkf_readers[i]; i++) {
        int sure = tkf_readers[i]->recognise(head, length);
        if (sure > most) {
            most = sure;
            surest = tkf_readers[i];
        }
    }
    return surest;
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
        reader = recognise(head, length);
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
                       struct tkf_input_error *ret_error)
{
    const struct tkf_reader *reader;
    struct tkf_input_error error = {0};

    int ret = choose(in, format, &reader, ret_error);
    if (ret < 0 || in->error)
        return ret;
    sink->format = reader->name;
    ret = reader->read(in, sink, &error);
    if (ret == TKF_ENOMEM)
        return tkf_refuse_memory(ret_error);
    if (ret < 0) {
        *ret_error = error;
        return ret;
    }
    if (tkf_sink_rows(sink) == 0) {
        tkf_refuse(ret_error, 0, "check that the run had benchmarks in it",
                   "no benchmark results in this %s", reader->text);
        return TKF_EFORMAT;
    }
    return 0;
}

int tkf_results_read(struct tkf_results *results, FILE *in, const char *name, const char *format,
                     FILE *tee, struct tkf_input_error *ret_error)
{
    struct tkf_input input;
    struct tkf_sink sink;

    const char *file = tkf_results_text(results, name, strlen(name));
    if (!file)
        return tkf_refuse_memory(ret_error);
    tkf_sink_begin(&sink, results, file, NULL);
    tkf_input_begin(&input, in, tee, &sink);
    int ret = read_stream(&input, &sink, format, ret_error);
    if (tee)
        tkf_input_drain(&input); /* whoever reads the copy is promised all of it */
    tkf_sink_end(&sink);
    int worse = streams_error(&input, &sink, ret_error);
    tkf_input_end(&input);
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
