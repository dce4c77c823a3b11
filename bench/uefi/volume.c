/* SPDX-License-Identifier: MIT */
#include "firmware.h"

static struct tkf_uefi_file *root;

void tkf_uefi_volume_open(void *image)
{
    struct tkf_uefi_boot_services *boot = tkf_uefi_system->boot;
    struct tkf_uefi_loaded_image *loaded;
    struct tkf_uefi_file_system *files;
    root = NULL;
    if (boot->handle_protocol(image, &tkf_uefi_loaded_image_guid, (void **)&loaded) !=
            TKF_UEFI_SUCCESS ||
        loaded->device == NULL ||
        boot->handle_protocol(loaded->device, &tkf_uefi_file_system_guid, (void **)&files) !=
            TKF_UEFI_SUCCESS ||
        files->open_volume(files, &root) != TKF_UEFI_SUCCESS)
        root = NULL;
}

void tkf_uefi_volume_close(void)
{
    if (root != NULL)
        root->close(root);
    root = NULL;
}

int tkf_uefi_volume_read(const uint16_t *name, char *ret_text, size_t size)
{
    struct tkf_uefi_file *file;
    uint64_t length = size;
    if (root == NULL)
        return TKF_EUNSUPPORTED;
    if (root->open(root, &file, name, TKF_UEFI_FILE_READ, 0) != TKF_UEFI_SUCCESS)
        return TKF_EIO;
    tkf_uefi_status status = file->read(file, &length, ret_text);
    file->close(file);
    if (status != TKF_UEFI_SUCCESS)
        return TKF_EIO;
    if (length >= size)
        return TKF_EFORMAT;
    ret_text[length] = '\0';
    return 0;
}

static const char *explain(tkf_uefi_status status)
{
    switch (status) {
    case TKF_UEFI_SUCCESS: /* of a write that took less than it was given */
    case TKF_UEFI_VOLUME_FULL:
        return "the volume is full";
    case TKF_UEFI_WRITE_PROTECTED:
        return "the volume is read-only";
    default:
        return "the firmware could not write to the volume";
    }
}

int tkf_uefi_volume_write(const uint16_t *name, const char *bytes, size_t size,
                          const char **ret_reason)
{
    const uint64_t mode = TKF_UEFI_FILE_CREATE | TKF_UEFI_FILE_READ | TKF_UEFI_FILE_WRITE;
    struct tkf_uefi_file *file;
    if (root == NULL) {
        *ret_reason = "the image was started from no volume";
        return TKF_EUNSUPPORTED;
    }
    /* Opening does not shorten a file that is there. That it could not be removed is a warning, no error. */
    if (root->open(root, &file, name, TKF_UEFI_FILE_READ | TKF_UEFI_FILE_WRITE, 0) ==
            TKF_UEFI_SUCCESS &&
        file->remove(file) != TKF_UEFI_SUCCESS) {
        *ret_reason = "the file of an earlier run could not be replaced";
        return TKF_EIO;
    }
    tkf_uefi_status status = root->open(root, &file, name, mode, 0);
    if (status != TKF_UEFI_SUCCESS) {
        *ret_reason = explain(status);
        return TKF_EIO;
    }
    uint64_t written = size;
    status = file->write(file, &written, bytes);
    if (status == TKF_UEFI_SUCCESS && written == size)
        status = file->flush(file);
    if (status != TKF_UEFI_SUCCESS || written != size) {
        file->remove(file);
        *ret_reason = explain(status);
        return TKF_EIO;
    }
    file->close(file);
    return 0;
}
