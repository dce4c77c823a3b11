/* SPDX-License-Identifier: MIT */
/**
 * What tickfloor uses of UEFI, written from the specification (UEFI 2.10). Members that are not used keep their place
 * as `void *`.
 */
#ifndef TKF_UEFI_H
#define TKF_UEFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t tkf_efi_status;

#define TKF_EFI_ERROR_BIT         (UINT64_C(1) << 63)
#define TKF_EFI_SUCCESS           UINT64_C(0)
#define TKF_EFI_INVALID_PARAMETER (TKF_EFI_ERROR_BIT | 2)
#define TKF_EFI_UNSUPPORTED       (TKF_EFI_ERROR_BIT | 3)
#define TKF_EFI_DEVICE_ERROR      (TKF_EFI_ERROR_BIT | 7)
#define TKF_EFI_WRITE_PROTECTED   (TKF_EFI_ERROR_BIT | 8)
#define TKF_EFI_VOLUME_FULL       (TKF_EFI_ERROR_BIT | 11)
#define TKF_EFI_NOT_FOUND         (TKF_EFI_ERROR_BIT | 14)
#define TKF_EFI_TIMEOUT           (TKF_EFI_ERROR_BIT | 18)

#define TKF_EFI_TPL_HIGH_LEVEL 31

struct tkf_efi_guid {
    uint32_t a;
    uint16_t b, c;
    uint8_t d[8];
};

struct tkf_efi_table_header {
    uint64_t signature;
    uint32_t revision, header_size, crc32, reserved;
};

/* ---- console (12.3, 12.4) ---- */

struct tkf_efi_text_output {
    void *reset;
    tkf_efi_status (*output_string)(struct tkf_efi_text_output *self, const uint16_t *text);
    /* the rest is not used */
};

struct tkf_efi_key {
    uint16_t scan_code, character;
};

struct tkf_efi_text_input {
    void *reset;
    tkf_efi_status (*read_key)(struct tkf_efi_text_input *self, struct tkf_efi_key *ret_key);
    void *wait_for_key;
};

/* 12.8 */
struct tkf_efi_serial {
    uint32_t revision;
    void *reset, *set_attributes, *set_control, *get_control;
    tkf_efi_status (*write)(struct tkf_efi_serial *self, uint64_t *size, const void *bytes);
    /* the rest is not used */
};

/* ---- boot and runtime services (4.4, 4.5, 7, 8) ---- */

struct tkf_efi_boot_services {
    struct tkf_efi_table_header header;
    uint64_t (*raise_tpl)(uint64_t tpl);
    void (*restore_tpl)(uint64_t tpl);
    void *allocate_pages, *free_pages, *get_memory_map;
    tkf_efi_status (*allocate_pool)(uint32_t memory_type, uint64_t size, void **ret_memory);
    tkf_efi_status (*free_pool)(void *memory);
    void *create_event, *set_timer, *wait_for_event, *signal_event, *close_event, *check_event;
    void *install_protocol, *reinstall_protocol, *uninstall_protocol;
    tkf_efi_status (*handle_protocol)(void *handle, const struct tkf_efi_guid *protocol,
                                      void **ret_interface);
    void *reserved, *register_protocol_notify, *locate_handle, *locate_device_path;
    void *install_configuration_table;
    void *load_image, *start_image, *exit, *unload_image, *exit_boot_services;
    void *get_next_monotonic_count;
    tkf_efi_status (*stall)(uint64_t microseconds);
    tkf_efi_status (*set_watchdog_timer)(uint64_t seconds, uint64_t code, uint64_t data_size,
                                         const uint16_t *data);
    void *connect_controller, *disconnect_controller;
    void *open_protocol, *close_protocol, *open_protocol_information;
    void *protocols_per_handle, *locate_handle_buffer;
    tkf_efi_status (*locate_protocol)(const struct tkf_efi_guid *protocol, void *registration,
                                      void **ret_interface);
    /* the rest is not used */
};

enum { TKF_EFI_LOADER_DATA = 2 }; /* a memory type: the image's own */

/* 8.3 */
struct tkf_efi_time {
    uint16_t year;
    uint8_t month, day, hour, minute, second, pad1;
    uint32_t nanosecond;
    int16_t time_zone; /* minutes from UTC, or 0x7ff: local time, of where is not known */
    uint8_t daylight, pad2;
};

enum { TKF_EFI_RESET_COLD = 0, TKF_EFI_RESET_SHUTDOWN = 2 };

struct tkf_efi_runtime_services {
    struct tkf_efi_table_header header;
    tkf_efi_status (*get_time)(struct tkf_efi_time *ret_time, void *capabilities);
    void *set_time, *get_wakeup_time, *set_wakeup_time;
    void *set_virtual_address_map, *convert_pointer;
    void *get_variable, *get_next_variable_name, *set_variable;
    void *get_next_high_monotonic_count;
    void (*reset_system)(uint32_t type, tkf_efi_status status, uint64_t data_size,
                         const void *data);
    /* the rest is not used */
};

struct tkf_efi_configuration_table {
    struct tkf_efi_guid guid;
    const void *table;
};

struct tkf_efi_system_table {
    struct tkf_efi_table_header header;
    const uint16_t *vendor;
    uint32_t vendor_revision;
    void *con_in_handle;
    struct tkf_efi_text_input *con_in;
    void *con_out_handle;
    struct tkf_efi_text_output *con_out;
    void *std_err_handle;
    struct tkf_efi_text_output *std_err;
    struct tkf_efi_runtime_services *runtime;
    struct tkf_efi_boot_services *boot;
    uint64_t ntables;
    const struct tkf_efi_configuration_table *tables;
};

/* ---- files (9.1, 13.4, 13.5) ---- */

struct tkf_efi_loaded_image {
    uint32_t revision;
    void *parent;
    struct tkf_efi_system_table *system_table;
    void *device;
    /* the rest is not used */
};

#define TKF_EFI_FILE_READ   UINT64_C(1)
#define TKF_EFI_FILE_WRITE  UINT64_C(2)
#define TKF_EFI_FILE_CREATE (UINT64_C(1) << 63)

struct tkf_efi_file {
    uint64_t revision;
    tkf_efi_status (*open)(struct tkf_efi_file *self, struct tkf_efi_file **ret_file,
                           const uint16_t *name, uint64_t mode, uint64_t attributes);
    tkf_efi_status (*close)(struct tkf_efi_file *self);
    tkf_efi_status (*remove)(struct tkf_efi_file *self); /* closes it too */
    tkf_efi_status (*read)(struct tkf_efi_file *self, uint64_t *size, void *bytes);
    tkf_efi_status (*write)(struct tkf_efi_file *self, uint64_t *size, const void *bytes);
    void *get_position, *set_position, *get_info, *set_info;
    tkf_efi_status (*flush)(struct tkf_efi_file *self);
    /* the rest is not used */
};

struct tkf_efi_file_system {
    uint64_t revision;
    tkf_efi_status (*open_volume)(struct tkf_efi_file_system *self, struct tkf_efi_file **ret_root);
};

/* ---- processors (Platform Initialization 1.7, volume 2, 13.4) ---- */

struct tkf_efi_processor {
    uint64_t id;
    uint32_t status; /* bit 0 the boot processor, bit 1 enabled, bit 2 healthy */
    uint32_t location[9];
};

struct tkf_efi_mp_services {
    tkf_efi_status (*count)(struct tkf_efi_mp_services *self, uint64_t *ret_all,
                            uint64_t *ret_enabled);
    tkf_efi_status (*info)(struct tkf_efi_mp_services *self, uint64_t number,
                           struct tkf_efi_processor *ret_processor);
    void *start_all;
    tkf_efi_status (*start_one)(struct tkf_efi_mp_services *self, void (*procedure)(void *),
                                uint64_t number, void *event, uint64_t timeout_us, void *arg,
                                uint8_t *ret_finished);
    void *switch_boot_processor, *enable;
    tkf_efi_status (*who_am_i)(struct tkf_efi_mp_services *self, uint64_t *ret_number);
};

extern const struct tkf_efi_guid tkf_efi_loaded_image_guid, tkf_efi_file_system_guid,
    tkf_efi_mp_services_guid, tkf_efi_serial_guid, tkf_efi_acpi_guid;

#endif
