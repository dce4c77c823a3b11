/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tickfloor/profile.h>

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

/* ---- saving ---- */

/* Make the folders that a path leads through; what is there already is left as it is. */
static int make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int ret = mkdir(path, 0700); /* as the XDG base directory specification asks */
        *slash = '/';
        if (ret != 0 && errno != EEXIST)
            return TKF_EIO;
    }
    return 0;
}

/*
 * The new name outlives a power cut once the folder is on the disk. Where the file system cannot do
 * that, the file is whole all the same.
 */
static void sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

static int write_file(const struct tkf_profile *profile, int fd)
{
    FILE *out = fdopen(fd, "w");
    if (!out) {
        int reason = errno;
        close(fd);
        errno = reason;
        return TKF_EIO;
    }
    int ret = tkf_profile_write(profile, out);
    if (ret == 0 && fsync(fd) != 0)
        ret = TKF_EIO;
    int reason = errno;
    if (fclose(out) != 0 && ret == 0)
        return TKF_EIO;
    errno = reason;
    return ret;
}

int tkf_profile_save(const struct tkf_profile *profile, const char *path)
{
    static const char suffix[] = ".XXXXXX";
    char *folder = strdup(path);
    char *temporary = malloc(strlen(path) + sizeof(suffix));
    int ret = TKF_ENOMEM;
    int fd;

    if (!folder || !temporary)
        goto done;
    ret = make_folders(folder);
    if (ret < 0)
        goto done;
    strcpy(temporary, path);
    strcat(temporary, suffix);
    fd = mkostemp(temporary, O_CLOEXEC); /* exclusive, for the owner only */
    ret = fd >= 0 ? write_file(profile, fd) : TKF_EIO;
    if (ret == 0 && rename(temporary, path) != 0)
        ret = TKF_EIO;
    if (ret == 0) {
        char *slash = strrchr(folder, '/');
        if (slash)
            slash[slash == folder] = '\0';
        sync_folder(slash ? folder : ".");
    } else if (fd >= 0) {
        int reason = errno;
        unlink(temporary);
        errno = reason;
    }
done:
    free(temporary);
    free(folder);
    return ret;
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
