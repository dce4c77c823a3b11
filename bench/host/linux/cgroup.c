/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <string.h>

#include <tickfloor/error.h>

#include "cgroup.h"
#include "sysfile.h"

/** Where one hierarchy is, and where this process is in it. */
struct place {
    bool v1;
    char group[PATH_MAX]; /**< as /proc/self/cgroup names it */
    char top[PATH_MAX];   /**< the mount point */
    char dir[PATH_MAX];   /**< this process's cgroup: top and what follows it */
};

/** True when a list separated by commas holds a word. */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

/** Undo mountinfo's escapes: a space is written as \040. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *at = text; *at != '\0'; to++) {
        if (at[0] == '\\' && at[1] >= '0' && at[1] <= '3' && at[2] >= '0' && at[2] <= '7' &&
            at[3] >= '0' && at[3] <= '7') {
            *to = (char)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
            at += 4;
        } else {
            *to = *at++;
        }
    }
    *to = '\0';
}

/** The cgroup that holds the cpu controller; in a hybrid setup that is version 1, though version 2 is there too. */
static int find_group(const char *root, struct place *place, char *ret_reason, size_t size)
{
    FILE *file;
    int error = tkf_sysfile_open(root, "/proc/self/cgroup", &file, ret_reason, size);
    if (error != 0)
        return error;

    bool found = false;
    char line[PATH_MAX + 256];
    while (!place->v1 && fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
        if (group == NULL || group[1] != '/' || strlen(group + 1) >= sizeof(place->group))
            continue;
        *controllers++ = '\0';
        *group++ = '\0';
        bool v1 = has_word(controllers, "cpu");
        if (v1 || strcmp(line, "0") == 0) {
            strcpy(place->group, group);
            place->v1 = v1;
            found = true;
        }
    }
    fclose(file);
    if (!found) {
        snprintf(ret_reason, size, "no cgroup with a cpu controller in /proc/self/cgroup");
        return TKF_EUNSUPPORTED;
    }
    return 0;
}

/**
 * The part of a cgroup's path below what a mount shows of the tree; NULL when the mount does not show that cgroup.
 * A container's mount may begin at its own cgroup, and a namespace names what is outside of it by "/..".
 */
static const char *below(const char *group, const char *shown)
{
    size_t length = strcmp(shown, "/") == 0 ? 0 : strlen(shown);
    if (strncmp(group, shown, length) != 0 || (group[length] != '/' && group[length] != '\0') ||
        strstr(group, "/..") != NULL)
        return NULL;
    return strcmp(group + length, "/") == 0 ? "" : group + length;
}

/** True when a line of mountinfo mounts the hierarchy; writes where, and what of the tree it shows. Cuts the line up. */
static bool parse_mount(char *line, bool v1, const char **ret_shown, const char **ret_top)
{
    char *fields[5], *save = NULL;
    for (unsigned i = 0; i < 5; i++) {
        fields[i] = strtok_r(i == 0 ? line : NULL, " \n", &save);
        if (fields[i] == NULL)
            return false;
    }
    char *field;
    do
        field = strtok_r(NULL, " \n", &save);
    while (field != NULL && strcmp(field, "-") != 0);

    const char *type = strtok_r(NULL, " \n", &save);
    const char *source = strtok_r(NULL, " \n", &save);
    const char *options = strtok_r(NULL, " \n", &save);
    if (type == NULL || source == NULL || options == NULL)
        return false;
    if (v1 ? strcmp(type, "cgroup") != 0 || !has_word(options, "cpu")
           : strcmp(type, "cgroup2") != 0)
        return false;
    unescape(fields[3]);
    unescape(fields[4]);
    *ret_shown = fields[3];
    *ret_top = fields[4];
    return true;
}

static int find_mount(const char *root, struct place *place, char *ret_reason, size_t size)
{
    FILE *file;
    int error = tkf_sysfile_open(root, "/proc/self/mountinfo", &file, ret_reason, size);
    if (error != 0)
        return error;

    bool mounted = false, found = false;
    char line[2 * PATH_MAX];
    while (!found && fgets(line, sizeof(line), file) != NULL) {
        const char *shown, *top;
        if (!parse_mount(line, place->v1, &shown, &top))
            continue;
        mounted = true;
        const char *rest = below(place->group, shown);
        if (rest == NULL || strlen(top) + strlen(rest) >= sizeof(place->dir))
            continue;
        strcpy(place->top, top);
        snprintf(place->dir, sizeof(place->dir), "%s%s", top, rest);
        found = true;
    }
    fclose(file);
    if (!found) {
        snprintf(ret_reason, size,
                 mounted ? "this process's cgroup lies outside of what is mounted here"
                         : "the cgroup tree is not mounted here");
        return TKF_EUNSUPPORTED;
    }
    return 0;
}

/** Read a file of one cgroup. */
static int read_at(const char *root, const char *dir, const char *name,
                   char ret_text[TKF_SYSFILE_SIZE], char *ret_reason, size_t size)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return tkf_sysfile_read(root, path, ret_text, ret_reason, size);
}

static bool exists_at(const char *root, const char *dir, const char *name)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return tkf_sysfile_exists(root, path);
}

static int malformed(const char *dir, const char *name, char *ret_reason, size_t size)
{
    snprintf(ret_reason, size, "not a CPU limit: %s/%s", dir, name);
    return TKF_EFORMAT;
}

/** The limit set at one level, in CPUs: 0 means none, since the kernel takes no limit of 0. */
static int read_limit(const char *root, const struct place *place, double *ret_cpus,
                      char *ret_reason, size_t size)
{
    const char *name = place->v1 ? "cpu.cfs_quota_us" : "cpu.max";
    char text[TKF_SYSFILE_SIZE], other[TKF_SYSFILE_SIZE];
    const char *period_text;
    int error = read_at(root, place->dir, name, text, ret_reason, size);
    if (error != 0)
        return error;
    if (place->v1) {
        error = read_at(root, place->dir, "cpu.cfs_period_us", other, ret_reason, size);
        if (error != 0)
            return error;
        period_text = other;
    } else {
        char *space = strchr(text, ' ');
        if (space == NULL)
            return malformed(place->dir, name, ret_reason, size);
        *space = '\0';
        period_text = space + 1;
    }

    uint64_t quota = 0, period;
    bool none = strcmp(text, place->v1 ? "-1" : "max") == 0;
    if (!none && (tkf_sysfile_number(text, text + strlen(text), &quota) != 0 || quota == 0))
        return malformed(place->dir, name, ret_reason, size);
    if (tkf_sysfile_number(period_text, period_text + strlen(period_text), &period) != 0 ||
        period == 0)
        return malformed(place->dir, place->v1 ? "cpu.cfs_period_us" : name, ret_reason, size);
    *ret_cpus = none ? 0 : (double)quota / (double)period;
    return 0;
}

/** A number that stands behind a name in cpu.stat. */
static bool find_stat(const char *text, const char *name, uint64_t *ret_number)
{
    size_t length = strlen(name);
    for (const char *at = text; at != NULL; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (strncmp(at, name, length) == 0 && at[length] == ' ') {
            at += length + 1;
            return tkf_sysfile_number(at, at + strcspn(at, "\n"), ret_number) == 0;
        }
    }
    return false;
}

static void describe(const char *root, const struct place *place, double cpus,
                     struct tkf_cgroup_quota *quota)
{
    char stat[TKF_SYSFILE_SIZE], reason[8];
    const char *group = place->dir + strlen(place->top);
    size_t length = strlen(group);
    if (length >= sizeof(quota->group))
        group += length - sizeof(quota->group) + 1;
    quota->limited = true;
    quota->cpus = cpus;
    strcpy(quota->group, length == 0 ? "/" : group);
    quota->throttled_known =
        read_at(root, place->dir, "cpu.stat", stat, reason, sizeof(reason)) == 0 &&
        find_stat(stat, "nr_periods", &quota->periods) &&
        find_stat(stat, "nr_throttled", &quota->throttled);
}

/** True at the root of the whole tree, false at the root of a namespace, by the files that only one of them has. */
static bool is_true_root(const char *root, const struct place *place)
{
    if (place->v1)
        return exists_at(root, place->top, "release_agent");
    return exists_at(root, place->top, "cgroup.controllers") &&
           !exists_at(root, place->top, "cgroup.type");
}

int tkf_cgroup_quota(const char *root, struct tkf_cgroup_quota *ret_quota, char *ret_reason,
                     size_t size)
{
    struct place place = {.v1 = false};
    int error = find_group(root, &place, ret_reason, size);
    if (error == 0)
        error = find_mount(root, &place, ret_reason, size);
    if (error != 0)
        return error;
    if (!exists_at(root, place.dir, "cgroup.procs")) {
        snprintf(ret_reason, size, "no such cgroup: %s", place.dir);
        return TKF_EUNSUPPORTED;
    }

    struct tkf_cgroup_quota quota = {.limited = false};
    for (;;) {
        double cpus = 0;
        error = read_limit(root, &place, &cpus, ret_reason, size);
        /* In version 2 the root has no such file, nor has a level where the controller is not enabled. */
        if (error != 0 && (place.v1 || error != TKF_EUNSUPPORTED))
            return error;
        if (cpus > 0 && (!quota.limited || cpus < quota.cpus))
            describe(root, &place, cpus, &quota);
        if (strlen(place.dir) <= strlen(place.top))
            break;
        *strrchr(place.dir, '/') = '\0';
    }
    if (!quota.limited && !is_true_root(root, &place)) {
        snprintf(ret_reason, size,
                 "none that can be seen; one set outside of this container is hidden");
        return TKF_EUNSUPPORTED;
    }
    *ret_quota = quota;
    return 0;
}
