/* SPDX-License-Identifier: MIT */
/** `tickfloor bench --explain NAME`: the comment above a benchmark, its source, its machine code. */
#include <stdio.h>
#include <string.h>

#include "bench_verb.h"
#include "cli.h"

/** A part of a source: whole lines. */
struct part {
    const char *from, *end;
};

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end != NULL ? end + 1 : line + strlen(line);
}

static const char *source_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    for (const struct tkf_suite_source *s = tkf_suite_sources; s->name != NULL; s++) {
        if (strcmp(s->name, name) == 0)
            return s->text;
    }
    return NULL;
}

/** The family's comment, below the licence; with its helpers it is what a case rests on. */
static struct part family_comment(const char *text)
{
    struct part part = {next_line(text), NULL};
    part.end = strstr(part.from, "*/\n");
    part.end = part.end != NULL ? part.end + 3 : part.from;
    return part;
}

/** From the comment above `line` to the brace in the first column. */
static struct part case_source(const char *text, unsigned line)
{
    struct part part = {text, NULL};
    const char *comment = text, *at = text;
    for (unsigned i = 1; i < line && *at != '\0'; i++) {
        if (strncmp(at, "/*", 2) == 0)
            comment = at;
        at = next_line(at);
    }
    part.from = comment;
    while (*at != '\0' && *at != '}')
        at = next_line(at);
    part.end = next_line(at);
    return part;
}

static void print_part(struct part part)
{
    fwrite(part.from, 1, (size_t)(part.end - part.from), stdout);
}

static const struct tkf_bench_entry *find(const char *name)
{
    const char *names[256] = {NULL};
    size_t n = 0;
    for (const struct tkf_bench_entry *e = tkf_bench_entries(); e != NULL; e = e->next) {
        if (strcmp(e->name, name) == 0)
            return e;
        if (n + 1 < sizeof names / sizeof names[0])
            names[n++] = e->name;
    }
    char next[200] = "'tickfloor bench --list' shows them all";
    const char *nearest = tkf_nearest(name, names);
    if (nearest != NULL)
        snprintf(next, sizeof next, "did you mean '%s'?", nearest);
    tkf_error(next, "no benchmark is called '%s'", name);
    return NULL;
}

int tkf_bench_explain(const char *name)
{
    if (strncmp(name, "Benchmark", strlen("Benchmark")) == 0)
        name += strlen("Benchmark"); /* as a result's line has it */
    const struct tkf_bench_entry *entry = find(name);
    if (entry == NULL)
        return TKF_EXIT_USAGE;
    const char *text = source_of(entry->file);
    if (text != NULL) {
        print_part(family_comment(text));
        putchar('\n');
        print_part(case_source(text, entry->line));
        putchar('\n');
    }
    if (tkf_can_disassemble)
        tkf_disassemble((const void *)entry->loop);
    else
        puts("Its machine code is not shown: this tickfloor was built without capstone.");
    return TKF_EXIT_OK;
}
