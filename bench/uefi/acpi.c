/* SPDX-License-Identifier: MIT */
/** Finding a table (ACPI 6.4, 5.2.5 to 5.2.8). Fields are unaligned, so they are copied byte by byte. */
#include "firmware.h"

#define HEADER_SIZE 36

static uint64_t little_endian(const unsigned char *at, unsigned size)
{
    uint64_t value = 0;
    while (size-- > 0)
        value = value << 8 | at[size];
    return value;
}

static bool begins_with(const unsigned char *at, const char *text)
{
    for (; *text != '\0'; at++, text++) {
        if (*at != (unsigned char)*text)
            return false;
    }
    return true;
}

static bool same_guid(const struct tkf_uefi_guid *a, const struct tkf_uefi_guid *b)
{
    const unsigned char *x = (const unsigned char *)a, *y = (const unsigned char *)b;
    for (unsigned i = 0; i < sizeof *a; i++) {
        if (x[i] != y[i])
            return false;
    }
    return true;
}

static const unsigned char *root_pointer(void)
{
    for (uint64_t i = 0; i < tkf_uefi_system->ntables; i++) {
        if (same_guid(&tkf_uefi_system->tables[i].guid, &tkf_uefi_acpi_guid))
            return tkf_uefi_system->tables[i].table;
    }
    return NULL;
}

const void *tkf_uefi_acpi_table(const char signature[4], size_t size)
{
    const unsigned char *root = root_pointer();
    if (root == NULL || !begins_with(root, "RSD PTR "))
        return NULL;
    const unsigned char *list = (const unsigned char *)(uintptr_t)little_endian(root + 24, 8);
    if (list == NULL || !begins_with(list, "XSDT"))
        return NULL;
    uint64_t length = little_endian(list + 4, 4);
    for (uint64_t at = HEADER_SIZE; at + 8 <= length; at += 8) {
        const unsigned char *table = (const unsigned char *)(uintptr_t)little_endian(list + at, 8);
        bool found = true;
        for (unsigned i = 0; i < 4; i++)
            found = found && table[i] == (unsigned char)signature[i];
        if (found)
            return little_endian(table + 4, 4) >= size ? table : NULL;
    }
    return NULL;
}
