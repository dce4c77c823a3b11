/* SPDX-License-Identifier: MIT */
/* `go test -json`: an event a line. The output comes in pieces, of several packages in turn. */
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "../grow.h"
#include "go.h"

/* One package's output. */
struct package {
    const char *name; /* kept once, so that equal ones are the same */
    struct package *next;
    struct tkf_go_run run;
    struct tkf_bytes line; /* without its end so far */
};

struct packages {
    void *tree; /* of tsearch(), by name */
    struct package *first;
    struct package *last; /* most events are of the same package as the one before */
};

static int compare_packages(const void *a, const void *b)
{
    const struct package *x = a, *y = b;
    return (x->name > y->name) - (x->name < y->name);
}

static struct package *find_package(struct packages *packages, struct tkf_sink *sink,
                                    const char *name)
{
    struct package key = {.name = tkf_sink_text(sink, name, strlen(name))};
    if (packages->last && packages->last->name == key.name)
        return packages->last;
    struct package **found = tfind(&key, &packages->tree, compare_packages);
    if (found)
        return packages->last = *found;
    struct package *package = malloc(sizeof(*package));
    if (!package)
        return NULL;
    *package = (struct package){
        .name = key.name, .next = packages->first, .run.pkg = *key.name ? key.name : NULL};
    if (!tsearch(package, &packages->tree, compare_packages)) {
        free(package);
        return NULL;
    }
    packages->first = package;
    return packages->last = package;
}

static void free_package(struct packages *packages, struct package *package)
{
    tdelete(package, &packages->tree, compare_packages);
    free(package->line.text);
    free(package);
}

static void give_line(struct tkf_go *go, struct package *package, unsigned number, bool cut)
{
    struct tkf_line line = {
        .text = package->line.text, .length = package->line.length, .number = number, .cut = cut};
    tkf_go_line(go, &package->run, &line);
    package->line.length = 0;
}

/* Output of a package: whole lines go on to Go's own, the rest waits. */
static bool take_output(struct tkf_go *go, struct package *package, const char *text, size_t length,
                        unsigned number)
{
    const char *end = text + length;
    while (text < end) {
        const char *lf = memchr(text, '\n', (size_t)(end - text));
        if (!tkf_bytes_add(&package->line, text, (size_t)((lf ? lf : end) - text)))
            return false;
        if (!lf)
            return true;
        give_line(go, package, number, false);
        text = lf + 1;
    }
    return true;
}

static bool take_event(struct tkf_go *go, struct packages *packages, const json_t *event,
                       unsigned number)
{
    const json_t *output = json_object_get(event, "Output");
    if (!json_is_string(output))
        return true;
    const char *name = tkf_json_text(event, "Package");
    struct package *package = find_package(packages, go->sink, name ? name : "");
    return package &&
           take_output(go, package, json_string_value(output), json_string_length(output), number);
}

static bool take_line(struct tkf_go *go, struct packages *packages, const struct tkf_line *line)
{
    if (line->length == 0 || *line->text != '{') {
        struct package *package = find_package(packages, go->sink, "");
        if (package)
            tkf_go_line(go, &package->run, line); /* a tool's own output between the events */
        return package;
    }
    json_error_t problem;
    json_t *event = json_loadb(line->text, line->length, JSON_ALLOW_NUL, &problem);
    if (!event) {
        tkf_sink_notice(go->sink, line->number, "%s: %s",
                        line->cut ? "the event is cut short" : "not an event of go test -json",
                        problem.text);
        return true;
    }
    tkf_sink_understood(go->sink);
    bool taken = take_event(go, packages, event, line->number);
    json_decref(event);
    return taken;
}

static int read_events(struct tkf_input *in, struct tkf_sink *sink,
                       struct tkf_input_error *ret_error)
{
    struct tkf_go go = {.sink = sink};
    struct packages packages = {0};
    struct tkf_line line = {0};
    bool taken = true;
    (void)ret_error;
    while (taken && tkf_input_line(in, &line))
        taken = take_line(&go, &packages, &line);
    for (struct package *package = packages.first, *next; package; package = next) {
        next = package->next;
        if (package->line.length > 0)
            give_line(&go, package, line.number, true);
        tkf_go_run_end(&go, &package->run);
        free_package(&packages, package);
    }
    tkf_go_strip_procs(sink);
    return taken ? 0 : TKF_ENOMEM;
}

static bool has(struct tkf_slice text, const char *what)
{
    return memmem(text.text, text.length, what, strlen(what));
}

/* The first line that is an object has an Action. */
static int recognise(const char *head, size_t length)
{
    struct tkf_slice rest = {.text = head, .length = length}, line;
    while (tkf_slice_line(&rest, &line)) {
        if (!tkf_slice_starts(line, "{"))
            continue;
        bool known =
            has(line, "\"Package\":") || has(line, "\"Output\":") || has(line, "\"ImportPath\":");
        return known && has(line, "\"Action\":") ? 95 : 0;
    }
    return 0;
}

const struct tkf_reader tkf_reader_go_json = {
    .name = "go-test2json",
    .text = "output of go test -json",
    .empty = "did it build, and was -bench given?",
    .recognise = recognise,
    .read = read_events,
};
