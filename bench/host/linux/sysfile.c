/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include <tickfloor/error.h>

#include "sysfile.h"

static int fail(int cause, const char *path, char *ret_reason, size_t size)
{
    switch (cause) {
    case ENOENT:
    case ENOTDIR:
        snprintf(ret_reason, size, "no such file: %s", path);
        return TKF_EUNSUPPORTED;
    case EACCES:
    case EPERM:
        snprintf(ret_reason, size, "no permission to read: %s", path);
        return TKF_EPERM;
    default:
        snprintf(ret_reason, size, "cannot be read: %s", path);
        return TKF_EIO;
    }
}

/** Join root and path. False when that is longer than any path can be. */
static bool join(const char *root, const char *path, char ret_full[PATH_MAX])
{
    int length = snprintf(ret_full, PATH_MAX, "%s%s", root, path);
    return length > 0 && length < PATH_MAX;
}

int tkf_sysfile_open(const char *root, const char *path, FILE **ret_file, char *ret_reason,
                     size_t size)
{
    char full[PATH_MAX];
    if (!join(root, path, full))
        return fail(ENAMETOOLONG, path, ret_reason, size);

    int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(errno, path, ret_reason, size);
    FILE *file = fdopen(fd, "r");
    if (file == NULL) {
        close(fd);
        return fail(ENOMEM, path, ret_reason, size);
    }
    *ret_file = file;
    return 0;
}

int tkf_sysfile_read(const char *root, const char *path, char ret_text[TKF_SYSFILE_SIZE],
                     char *ret_reason, size_t size)
{
    FILE *file;
    int error = tkf_sysfile_open(root, path, &file, ret_reason, size);
    if (error != 0)
        return error;

    char text[TKF_SYSFILE_SIZE];
    errno = 0;
    size_t length = fread(text, 1, sizeof(text), file);
    int cause = ferror(file) ? errno : 0;
    fclose(file);
    if (cause != 0)
        return fail(cause, path, ret_reason, size);
    if (length == sizeof(text)) {
        snprintf(ret_reason, size, "too long for a value: %s", path);
        return TKF_EFORMAT;
    }

    text[length] = '\0';
    length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
        length--;
    memcpy(ret_text, text, length);
    ret_text[length] = '\0';
    return 0;
}

bool tkf_sysfile_exists(const char *root, const char *path)
{
    char full[PATH_MAX];
    return join(root, path, full) && faccessat(AT_FDCWD, full, F_OK, 0) == 0;
}

int tkf_sysfile_number(const char *text, const char *end, uint64_t *ret_number)
{
    const uint64_t most = 1000000000000000;
    uint64_t number = 0;
    if (text == end)
        return TKF_EFORMAT;
    for (; text < end; text++) {
        if (*text < '0' || *text > '9')
            return TKF_EFORMAT;
        number = number * 10 + (uint64_t)(*text - '0');
        if (number > most)
            return TKF_EFORMAT;
    }
    *ret_number = number;
    return 0;
}
