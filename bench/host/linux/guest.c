/* SPDX-License-Identifier: MIT */
#include "guest.h"

#include <string.h>

#include "sysfile.h"

/* The first line of a file, or the first string of a device tree property; "" when there is none. */
static void read_line(const char *root, const char *path, char ret_text[TKF_SYSFILE_SIZE])
{
    char reason[8];
    if (tkf_sysfile_read(root, path, ret_text, reason, sizeof(reason)) != 0)
        ret_text[0] = '\0';
    ret_text[strcspn(ret_text, "\n")] = '\0';
}

/* ---- hypervisors ------------------------------------------------------------------------------ */

/*
 * By what the firmware was told to say. QEMU alone says nothing of emulation: KVM guests have its name too. Clouds that
 * rent out guests and whole machines under one name are left out, but for the one that marks the latter.
 */
static const char *dmi_name(const char *root)
{
    static const struct {
        const char *vendor, *product, *name;
    } guests[] = {
        {"QEMU", "KVM Virtual Machine", "KVM"},
        {"QEMU", NULL, "QEMU"},
        {"Amazon EC2", NULL, "Nitro"},
        {"Apple Inc.", "Apple Virtualization Generic Platform", "Apple Virtualization"},
        {"Microsoft Corporation", "Virtual Machine", "Hyper-V"},
        {"Parallels International GmbH.", NULL, "Parallels"},
        {"VMware, Inc.", NULL, "VMware"},
        {"Xen", NULL, "Xen"},
        {"innotek GmbH", NULL, "VirtualBox"},
    };
    char vendor[TKF_SYSFILE_SIZE], product[TKF_SYSFILE_SIZE];
    read_line(root, "/sys/class/dmi/id/sys_vendor", vendor);
    read_line(root, "/sys/class/dmi/id/product_name", product);
    if (strcmp(vendor, "Amazon EC2") == 0 && strstr(product, ".metal"))
        return "";
    for (size_t i = 0; i < sizeof(guests) / sizeof(guests[0]); i++)
        if (strcmp(vendor, guests[i].vendor) == 0 &&
            (guests[i].product == NULL || strcmp(product, guests[i].product) == 0))
            return guests[i].name;
    return NULL;
}

/*
 * By who signed the firmware's tables: bytes 10 to 15 of each (ACPI specification, "System Description Table Header").
 * Only root may read them.
 */
static const char *acpi_name(const char *root)
{
    static const struct {
        char signer[7];
        const char *name;
    } known[] = {{"FIRECK", "Firecracker"}, {"CLOUDH", "Cloud Hypervisor"}};
    char reason[8], table[16];
    FILE *file;
    if (tkf_sysfile_open(root, "/sys/firmware/acpi/tables/DSDT", &file, reason, sizeof(reason)) !=
        0)
        return NULL;
    size_t length = fread(table, 1, sizeof(table), file);
    fclose(file);
    for (size_t i = 0; length == sizeof(table) && i < sizeof(known) / sizeof(known[0]); i++)
        if (memcmp(table + 10, known[i].signer, 6) == 0)
            return known[i].name;
    return NULL;
}

/* By the kernel's own word or the device tree. */
static const char *kernel_name(const char *root)
{
    char text[TKF_SYSFILE_SIZE];
    read_line(root, "/sys/hypervisor/type", text);
    if (strcmp(text, "xen") == 0)
        return "Xen";
    if (text[0])
        return "unnamed";
    read_line(root, "/sys/firmware/devicetree/base/hypervisor/compatible", text);
    if (strncmp(text, "xen,", 4) == 0)
        return "Xen";
    if (strcmp(text, "linux,kvm") == 0)
        return "KVM";
    return text[0] ? "unnamed" : NULL;
}

/* The board that hypervisors and emulators invent for a guest. */
static bool is_virtual_board(const char *root)
{
    char text[TKF_SYSFILE_SIZE];
    read_line(root, "/sys/firmware/devicetree/base/compatible", text);
    return strcmp(text, "linux,dummy-virt") == 0;
}

const char *tkf_guest_hypervisor(const char *root)
{
    const char *name = kernel_name(root);
    if (name == NULL)
        name = dmi_name(root);
    if (name == NULL && is_virtual_board(root))
        name = "unnamed";
    return name;
}

const char *tkf_guest_monitor(const char *root)
{
    const char *name = acpi_name(root);
    if (name == NULL)
        name = dmi_name(root);
    return name != NULL && name[0] != '\0' ? name : NULL;
}

/* ---- containers ------------------------------------------------------------------------------- */

/* Its kernel calls itself by a version that it never changed; since 2025 its release ends in its name. */
bool tkf_guest_is_gvisor(const char *root)
{
    char version[TKF_SYSFILE_SIZE];
    read_line(root, "/proc/version", version);
    return strstr(version, "-gvisor ") || strstr(version, "#1 SMP Sun Jan 10 15:06:54 PST 2016");
}

/* What the first process was started with: "lxc", "systemd-nspawn", "podman". Mostly readable only to its owner. */
static bool name_of_init(const char *root, char *ret_text, size_t size)
{
    static const char key[] = "container=";
    char reason[8], environment[4096];
    FILE *file;
    if (tkf_sysfile_open(root, "/proc/1/environ", &file, reason, sizeof(reason)) != 0)
        return false;
    size_t length = fread(environment, 1, sizeof(environment) - 1, file);
    fclose(file);
    environment[length] = '\0';
    for (const char *at = environment; at < environment + length; at += strlen(at) + 1) {
        if (strncmp(at, key, strlen(key)) == 0 && at[strlen(key)] != '\0') {
            snprintf(ret_text, size, "%.40s, by the environment of process 1", at + strlen(key));
            return true;
        }
    }
    return false;
}

/* The engines name the groups that they make; a namespace may hide it. */
static bool name_of_cgroup(const char *root, char *ret_text, size_t size)
{
    static const char *const parts[][2] = {
        {"/kubepods", "Kubernetes"}, {"/docker", "Docker"}, {"/libpod", "Podman"},
        {"/crio-", "CRI-O"},         {"/lxc", "LXC"},       {"/garden/", "Garden"},
    };
    char text[TKF_SYSFILE_SIZE], reason[8];
    if (tkf_sysfile_read(root, "/proc/self/cgroup", text, reason, sizeof(reason)) != 0)
        return false;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (strstr(text, parts[i][0])) {
            snprintf(ret_text, size, "%s, by /proc/self/cgroup", parts[i][1]);
            return true;
        }
    }
    return false;
}

void tkf_guest_container(const char *root, char *ret_text, size_t size)
{
    static const char *const marks[][2] = {
        {"/var/run/secrets/kubernetes.io", "Kubernetes"},
        {"/run/.containerenv", "Podman"},
        {"/.dockerenv", "Docker"},
    };
    char text[TKF_SYSFILE_SIZE];
    ret_text[0] = '\0';
    if (tkf_guest_is_gvisor(root)) {
        snprintf(ret_text, size, "gVisor, by /proc/version");
        return;
    }
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        if (tkf_sysfile_exists(root, marks[i][0])) {
            snprintf(ret_text, size, "%s, by %s", marks[i][1], marks[i][0]);
            return;
        }
    }
    read_line(root, "/run/systemd/container", text);
    if (text[0])
        snprintf(ret_text, size, "%.40s, by /run/systemd/container", text);
    else if (!name_of_init(root, ret_text, size))
        name_of_cgroup(root, ret_text, size);
}
