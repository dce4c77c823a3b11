/* SPDX-License-Identifier: MIT */
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tickfloor/error.h>

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

static int write_file(int fd, mode_t mode, int (*write)(const void *what, FILE *out),
                      const void *what)
{
    FILE *out = fdopen(fd, "w");
    if (!out) {
        int reason = errno;
        close(fd);
        errno = reason;
        return TKF_EIO;
    }
    int ret = write(what, out);
    if (ret == 0 && (fflush(out) != 0 || fchmod(fd, mode) != 0 || fsync(fd) != 0))
        ret = TKF_EIO;
    int reason = errno;
    if (fclose(out) != 0 && ret == 0)
        return TKF_EIO;
    errno = reason;
    return ret;
}

/* Opening a pipe that nobody reads would wait for ever; here it is ENXIO. */
static int write_special(const char *path, int (*write)(const void *what, FILE *out),
                         const void *what)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return TKF_EIO;
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    FILE *out = fdopen(fd, "w");
    if (!out) {
        close(fd);
        return TKF_EIO;
    }
    int ret = write(what, out);
    if (ret == 0 && fflush(out) != 0)
        ret = TKF_EIO;
    int reason = errno;
    fclose(out);
    errno = reason;
    return ret;
}

static int replace(const char *path, mode_t mode, int (*write)(const void *what, FILE *out),
                   const void *what)
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
    ret = fd >= 0 ? write_file(fd, mode, write, what) : TKF_EIO;
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

int tkf_save_whole(const char *path, mode_t mode, int (*write)(const void *what, FILE *out),
                   const void *what)
{
    struct stat there;
    if (stat(path, &there) != 0)
        return replace(path, mode, write, what);
    if (S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return TKF_EIO;
    }
    if (!S_ISREG(there.st_mode))
        return write_special(path, write, what);
    char *target = realpath(path, NULL); /* a link stays one */
    if (!target)
        return errno == ENOMEM ? TKF_ENOMEM : TKF_EIO;
    int ret = replace(target, mode, write, what);
    free(target);
    return ret;
}
