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

typedef uint64_t tkf_uefi_status;

#define TKF_UEFI_ERROR_BIT         (UINT64_C(1) << 63)
#define TKF_UEFI_SUCCESS           UINT64_C(0)
#define TKF_UEFI_INVALID_PARAMETER (TKF_UEFI_ERROR_BIT | 2)
#define TKF_UEFI_UNSUPPORTED       (TKF_UEFI_ERROR_BIT | 3)
#define TKF_UEFI_NOT_READY         (TKF_UEFI_ERROR_BIT | 6)
#define TKF_UEFI_DEVICE_ERROR      (TKF_UEFI_ERROR_BIT | 7)
#define TKF_UEFI_WRITE_PROTECTED   (TKF_UEFI_ERROR_BIT | 8)
#define TKF_UEFI_VOLUME_FULL       (TKF_UEFI_ERROR_BIT | 11)
#define TKF_UEFI_NOT_FOUND         (TKF_UEFI_ERROR_BIT | 14)

#define TKF_UEFI_TPL_HIGH_LEVEL 31

struct tkf_uefi_guid {
    uint32_t a;
    uint16_t b, c;
    uint8_t d[8];
};

struct tkf_uefi_table_header {
    uint64_t signature;
    uint32_t revision, header_size, crc32, reserved;
};

/* ---- console (12.3, 12.4) ---- */

struct tkf_uefi_text_output {
    void *reset;
    tkf_uefi_status (*output_string)(struct tkf_uefi_text_output *self, const uint16_t *text);
    /* the rest is not used */
};

struct tkf_uefi_key {
    uint16_t scan_code, character;
};

struct tkf_uefi_text_input {
    void *reset;
    tkf_uefi_status (*read_key)(struct tkf_uefi_text_input *self, struct tkf_uefi_key *ret_key);
    void *wait_for_key;
};

/* 12.8 */
struct tkf_uefi_serial {
    uint32_t revision;
    void *reset, *set_attributes, *set_control, *get_control;
    tkf_uefi_status (*write)(struct tkf_uefi_serial *self, uint64_t *size, const void *bytes);
    /* the rest is not used */
};

/* ---- boot and runtime services (4.4, 4.5, 7, 8) ---- */

#define TKF_UEFI_USED_BY_DRIVER 0x10

/* Who has a protocol open (7.3.11). */
struct tkf_uefi_use {
    void *agent, *controller;
    uint32_t attributes, count;
};

enum { TKF_UEFI_BY_PROTOCOL = 2 }; /* how to search for handles */

struct tkf_uefi_boot_services {
    struct tkf_uefi_table_header header;
    uint64_t (*raise_tpl)(uint64_t tpl);
    void (*restore_tpl)(uint64_t tpl);
    void *allocate_pages, *free_pages, *get_memory_map;
    tkf_uefi_status (*allocate_pool)(uint32_t memory_type, uint64_t size, void **ret_memory);
    tkf_uefi_status (*free_pool)(void *memory);
    void *create_event, *set_timer, *wait_for_event, *signal_event, *close_event, *check_event;
    void *install_protocol, *reinstall_protocol, *uninstall_protocol;
    tkf_uefi_status (*handle_protocol)(void *handle, const struct tkf_uefi_guid *protocol,
                                       void **ret_interface);
    void *reserved, *register_protocol_notify, *locate_handle, *locate_device_path;
    void *install_configuration_table;
    void *load_image, *start_image, *exit, *unload_image, *exit_boot_services;
    void *get_next_monotonic_count;
    tkf_uefi_status (*stall)(uint64_t microseconds);
    tkf_uefi_status (*set_watchdog_timer)(uint64_t seconds, uint64_t code, uint64_t data_size,
                                          const uint16_t *data);
    void *connect_controller, *disconnect_controller;
    void *open_protocol, *close_protocol;
    tkf_uefi_status (*open_protocol_information)(void *handle, const struct tkf_uefi_guid *protocol,
                                                 struct tkf_uefi_use **ret_uses,
                                                 uint64_t *ret_count);
    void *protocols_per_handle;
    tkf_uefi_status (*locate_handle_buffer)(uint32_t how, const struct tkf_uefi_guid *protocol,
                                            void *key, uint64_t *ret_count, void ***ret_handles);
    tkf_uefi_status (*locate_protocol)(const struct tkf_uefi_guid *protocol, void *registration,
                                       void **ret_interface);
    /* the rest is not used */
};

enum { TKF_UEFI_LOADER_DATA = 2 }; /* a memory type: the image's own */

/* 8.3 */
struct tkf_uefi_time {
    uint16_t year;
    uint8_t month, day, hour, minute, second, pad1;
    uint32_t nanosecond;
    int16_t time_zone; /* minutes from UTC, or 0x7ff: local time, of where is not known */
    uint8_t daylight, pad2;
};

enum { TKF_UEFI_RESET_COLD = 0, TKF_UEFI_RESET_SHUTDOWN = 2 };

struct tkf_uefi_runtime_services {
    struct tkf_uefi_table_header header;
    tkf_uefi_status (*get_time)(struct tkf_uefi_time *ret_time, void *capabilities);
    void *set_time, *get_wakeup_time, *set_wakeup_time;
    void *set_virtual_address_map, *convert_pointer;
    void *get_variable, *get_next_variable_name, *set_variable;
    void *get_next_high_monotonic_count;
    void (*reset_system)(uint32_t type, tkf_uefi_status status, uint64_t data_size,
                         const void *data);
    /* the rest is not used */
};

struct tkf_uefi_configuration_table {
    struct tkf_uefi_guid guid;
    const void *table;
};

struct tkf_uefi_system_table {
    struct tkf_uefi_table_header header;
    const uint16_t *vendor;
    uint32_t vendor_revision;
    void *con_in_handle;
    struct tkf_uefi_text_input *con_in;
    void *con_out_handle;
    struct tkf_uefi_text_output *con_out;
    void *std_err_handle;
    struct tkf_uefi_text_output *std_err;
    struct tkf_uefi_runtime_services *runtime;
    struct tkf_uefi_boot_services *boot;
    uint64_t ntables;
    const struct tkf_uefi_configuration_table *tables;
};

/* ---- files (9.1, 13.4, 13.5) ---- */

struct tkf_uefi_loaded_image {
    uint32_t revision;
    void *parent;
    struct tkf_uefi_system_table *system_table;
    void *device;
    /* the rest is not used */
};

#define TKF_UEFI_FILE_READ   UINT64_C(1)
#define TKF_UEFI_FILE_WRITE  UINT64_C(2)
#define TKF_UEFI_FILE_CREATE (UINT64_C(1) << 63)

struct tkf_uefi_file {
    uint64_t revision;
    tkf_uefi_status (*open)(struct tkf_uefi_file *self, struct tkf_uefi_file **ret_file,
                            const uint16_t *name, uint64_t mode, uint64_t attributes);
    tkf_uefi_status (*close)(struct tkf_uefi_file *self);
    tkf_uefi_status (*remove)(struct tkf_uefi_file *self); /* closes it too */
    tkf_uefi_status (*read)(struct tkf_uefi_file *self, uint64_t *size, void *bytes);
    tkf_uefi_status (*write)(struct tkf_uefi_file *self, uint64_t *size, const void *bytes);
    void *get_position, *set_position, *get_info, *set_info;
    tkf_uefi_status (*flush)(struct tkf_uefi_file *self);
    /* the rest is not used */
};

struct tkf_uefi_file_system {
    uint64_t revision;
    tkf_uefi_status (*open_volume)(struct tkf_uefi_file_system *self,
                                   struct tkf_uefi_file **ret_root);
};

/* ---- processors (Platform Initialization 1.7, volume 2, 13.4) ---- */

struct tkf_uefi_processor {
    uint64_t id;
    uint32_t status; /* bit 0 the boot processor, bit 1 enabled, bit 2 healthy */
    uint32_t location[9];
};

struct tkf_uefi_mp_services {
    tkf_uefi_status (*count)(struct tkf_uefi_mp_services *self, uint64_t *ret_all,
                             uint64_t *ret_enabled);
    tkf_uefi_status (*info)(struct tkf_uefi_mp_services *self, uint64_t number,
                            struct tkf_uefi_processor *ret_processor);
    void *start_all;
    tkf_uefi_status (*start_one)(struct tkf_uefi_mp_services *self, void (*procedure)(void *),
                                 uint64_t number, void *event, uint64_t timeout_us, void *arg,
                                 uint8_t *ret_finished);
    void *switch_boot_processor, *enable;
    tkf_uefi_status (*who_am_i)(struct tkf_uefi_mp_services *self, uint64_t *ret_number);
};

extern const struct tkf_uefi_guid tkf_uefi_loaded_image_guid, tkf_uefi_file_system_guid,
    tkf_uefi_mp_services_guid, tkf_uefi_serial_guid, tkf_uefi_acpi_guid;

#endif
