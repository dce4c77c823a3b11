/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include <tickfloor/profile.h>

#include "save.h"

/* Copy what fits, and end it before a character that does not fit as a whole. */
static void copy_text(char *to, size_t size, const char *from)
{
    size_t length = strlen(from);
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80)
            length--;
    }
    memcpy(to, from, length);
    to[length] = '\0';
}

void tkf_profile_warn(struct tkf_profile *profile, const char *code, const char *text,
                      const char *next)
{
    if (profile->nwarnings == TKF_WARNINGS_MAX)
        return;
    struct tkf_warning *warning = &profile->warnings[profile->nwarnings++];
    copy_text(warning->code, sizeof(warning->code), code);
    copy_text(warning->text, sizeof(warning->text), text);
    copy_text(warning->next, sizeof(warning->next), next ? next : "");
}

void tkf_profile_keep_harnesses(struct tkf_profile *profile, const struct tkf_profile *older)
{
    unsigned nnew = profile->nharnesses;
    for (unsigned i = 0; i < older->nharnesses && profile->nharnesses < TKF_HARNESSES_MAX; i++) {
        const struct tkf_harness_floor *then = &older->harnesses[i];
        bool again = then->reason[0] != '\0';
        for (unsigned k = 0; k < nnew && !again; k++) {
            const struct tkf_harness_floor *now = &profile->harnesses[k];
            again = now->reason[0] == '\0' && strcmp(now->framework, then->framework) == 0 &&
                    strcmp(now->loop_form, then->loop_form) == 0;
        }
        if (!again)
            profile->harnesses[profile->nharnesses++] = *then;
    }
}

void tkf_profile_free(struct tkf_profile *profile)
{
    if (!profile)
        return;
    free(profile->cpus);
    free(profile->explore);
    free(profile->storage);
    profile->cpus = NULL;
    profile->explore = NULL;
    profile->ncpus = 0;
    profile->storage = NULL;
}

static int write_profile(const void *profile, FILE *out)
{
    return tkf_profile_write(profile, out);
}

int tkf_profile_save(const struct tkf_profile *profile, const char *path)
{
    return tkf_save_whole(path, 0600, write_profile, profile);
}

/* ---- of this machine? ---- */

struct difference {
    const char *what;
    const char *then, *now; /* "" when unknown */
};

static const char *hypervisor_of(const struct tkf_machine *machine)
{
    if (!machine->hypervisor_known)
        return "";
    return machine->hypervisor[0] != '\0' ? machine->hypervisor : "none";
}

/* A hypervisor that hides its name may be any, but it is one. */
static bool may_be_same_hypervisor(const char *then, const char *now)
{
    bool unnamed = strcmp(then, "unnamed") == 0 || strcmp(now, "unnamed") == 0;
    return unnamed && strcmp(then, "none") != 0 && strcmp(now, "none") != 0;
}

bool tkf_profile_matches(const struct tkf_profile *profile, const struct tkf_machine *machine,
                         char *ret_text, size_t size)
{
    const struct tkf_machine *then = &profile->machine;
    struct difference differences[] = {
        {"architecture", then->arch, machine->arch},
        {"CPU", then->cpu, machine->cpu},
        {"CPU id", then->cpu_id, machine->cpu_id},
        {"microcode", then->microcode, machine->microcode},
        {"kernel", then->kernel, machine->kernel},
        {"hypervisor", hypervisor_of(then), hypervisor_of(machine)},
    };
    enum { COUNT = sizeof(differences) / sizeof(differences[0]) };
    char text[1024] = ""; /* longer than all six clauses at their longest */
    size_t used = 0;

    if (may_be_same_hypervisor(differences[COUNT - 1].then, differences[COUNT - 1].now))
        differences[COUNT - 1].now = differences[COUNT - 1].then;
    for (size_t i = 0; i < COUNT; i++) {
        const struct difference *d = &differences[i];
        if (d->then[0] == '\0' || d->now[0] == '\0' || strcmp(d->then, d->now) == 0)
            continue;
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s was %s, is %s",
                                 used > 0 ? "; " : "", d->what, d->then, d->now);
    }
    if (size > 0)
        copy_text(ret_text, size, text);
    return used == 0;
}
