/* SPDX-License-Identifier: MIT */
#include "firmware.h"

static struct tkf_efi_file *root;

void tkf_volume_open(void *image)
{
    struct tkf_efi_boot_services *boot = tkf_efi_system->boot;
    struct tkf_efi_loaded_image *loaded;
    struct tkf_efi_file_system *files;
    root = NULL;
    if (boot->handle_protocol(image, &tkf_efi_loaded_image_guid, (void **)&loaded) !=
            TKF_EFI_SUCCESS ||
        loaded->device == NULL ||
        boot->handle_protocol(loaded->device, &tkf_efi_file_system_guid, (void **)&files) !=
            TKF_EFI_SUCCESS ||
        files->open_volume(files, &root) != TKF_EFI_SUCCESS)
        root = NULL;
}

int tkf_volume_read(const uint16_t *name, char *ret_text, size_t size)
{
    struct tkf_efi_file *file;
    uint64_t length = size;
    if (root == NULL)
        return TKF_EUNSUPPORTED;
    if (root->open(root, &file, name, TKF_EFI_FILE_READ, 0) != TKF_EFI_SUCCESS)
        return TKF_EIO;
    tkf_efi_status status = file->read(file, &length, ret_text);
    file->close(file);
    if (status != TKF_EFI_SUCCESS)
        return TKF_EIO;
    if (length >= size)
        return TKF_EFORMAT;
    ret_text[length] = '\0';
    return 0;
}

static const char *explain(tkf_efi_status status)
{
    switch (status) {
    case TKF_EFI_SUCCESS: /* of a write that took less than it was given */
    case TKF_EFI_VOLUME_FULL:
        return "the volume is full";
    case TKF_EFI_WRITE_PROTECTED:
        return "the volume is read-only";
    default:
        return "the firmware could not write to the volume";
    }
}

int tkf_volume_write(const uint16_t *name, const char *bytes, size_t size, const char **ret_reason)
{
    const uint64_t mode = TKF_EFI_FILE_CREATE | TKF_EFI_FILE_READ | TKF_EFI_FILE_WRITE;
    struct tkf_efi_file *file;
    if (root == NULL) {
        *ret_reason = "the image was started from no volume";
        return TKF_EUNSUPPORTED;
    }
    /* Opening does not shorten a file that is there. */
    if (root->open(root, &file, name, TKF_EFI_FILE_READ | TKF_EFI_FILE_WRITE, 0) == TKF_EFI_SUCCESS)
        file->remove(file);
    tkf_efi_status status = root->open(root, &file, name, mode, 0);
    if (status != TKF_EFI_SUCCESS) {
        *ret_reason = explain(status);
        return TKF_EIO;
    }
    uint64_t written = size;
    status = file->write(file, &written, bytes);
    if (status == TKF_EFI_SUCCESS && written == size)
        status = file->flush(file);
    if (status != TKF_EFI_SUCCESS || written != size) {
        file->remove(file);
        *ret_reason = explain(status);
        return TKF_EIO;
    }
    file->close(file);
    return 0;
}
