/* SPDX-License-Identifier: MIT */
#include "names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <tickfloor/error.h>

#include "grow.h"

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

/* The slot of a text: its own, or the free one where it belongs. */
static size_t slot_of(const struct tkf_names *names, const char *text, size_t length)
{
    size_t slot = hash_of(text, length) & (names->nslots - 1);
    for (; names->slots[slot] != 0; slot = (slot + 1) & (names->nslots - 1)) {
        const char *there = names->texts[names->slots[slot] - 1];
        if (strncmp(there, text, length) == 0 && there[length] == '\0')
            break;
    }
    return slot;
}

/* At most half of the slots are taken. */
static int make_room(struct tkf_names *names)
{
    if (2 * (names->count + 1) <= names->nslots)
        return 0;
    struct tkf_names larger = *names;
    larger.nslots = names->nslots > 0 ? 2 * names->nslots : 64;
    larger.slots = calloc(larger.nslots, sizeof(*larger.slots));
    if (!larger.slots)
        return TKF_ENOMEM;
    for (size_t i = 0; i < names->count; i++)
        larger.slots[slot_of(&larger, names->texts[i], strlen(names->texts[i]))] = (unsigned)i + 1;
    free(names->slots);
    *names = larger;
    return 0;
}

long tkf_names_add(struct tkf_names *names, const char *text, size_t length)
{
    if (make_room(names) < 0)
        return TKF_ENOMEM;
    size_t slot = slot_of(names, text, length);
    if (names->slots[slot] != 0)
        return (long)names->slots[slot] - 1;
    char **more = tkf_grow(names->texts, names->count, &names->size, sizeof(*more));
    if (!more)
        return TKF_ENOMEM;
    names->texts = more;
    char *copy = strndup(text, length);
    if (!copy)
        return TKF_ENOMEM;
    names->texts[names->count++] = copy;
    names->slots[slot] = (unsigned)names->count;
    return (long)names->count - 1;
}

void tkf_names_free(struct tkf_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->texts[i]);
    free(names->texts);
    free(names->slots);
    *names = (struct tkf_names){.texts = NULL};
}
