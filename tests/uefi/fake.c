/* SPDX-License-Identifier: MIT */
#include "fake.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arch.h"

struct fake fake;

static void called(void)
{
    fake.while_masked += fake.masked > 0;
}

/* ---- console ---- */

static void append(char *to, size_t size, size_t *used, char c)
{
    if (*used + 1 < size && c != '\r')
        to[(*used)++] = c;
}

static uint64_t output_string(struct tkf_uefi_text_output *self, const uint16_t *text)
{
    (void)self;
    called();
    if (fake.console_fails)
        return TKF_UEFI_DEVICE_ERROR;
    while (*text != 0)
        append(fake.printed, sizeof fake.printed, &fake.printed_size, (char)*text++);
    return TKF_UEFI_SUCCESS;
}

static uint64_t read_key(struct tkf_uefi_text_input *self, struct tkf_uefi_key *ret_key)
{
    (void)self;
    (void)ret_key;
    called();
    if (fake.key_stuck)
        return TKF_UEFI_SUCCESS;
    return fake.key_after > 0 && --fake.key_after == 0 ? TKF_UEFI_SUCCESS : TKF_UEFI_NOT_READY;
}

static uint64_t serial_write(struct tkf_uefi_serial *self, uint64_t *size, const void *bytes)
{
    (void)self;
    called();
    fake.serial_writes++;
    if (fake.serial_fails)
        return TKF_UEFI_DEVICE_ERROR;
    for (uint64_t i = 0; i < *size; i++)
        append(fake.serial, sizeof fake.serial, &fake.serial_size, ((const char *)bytes)[i]);
    return TKF_UEFI_SUCCESS;
}

static struct tkf_uefi_text_output console = {.output_string = output_string};
static struct tkf_uefi_text_input keyboard = {.read_key = read_key};
static struct tkf_uefi_serial serial = {.write = serial_write};

/* ---- the volume: two files, told apart by the last letters of their names ---- */

static struct tkf_uefi_file root, config_file, json_file;

static uint64_t file_open(struct tkf_uefi_file *self, struct tkf_uefi_file **ret_file,
                          const uint16_t *name, uint64_t mode, uint64_t attributes)
{
    (void)self;
    (void)attributes;
    called();
    bool config = name[10] == 'c';
    if (config && fake.config == NULL)
        return TKF_UEFI_NOT_FOUND;
    if ((mode & TKF_UEFI_FILE_WRITE) != 0 && fake.read_only)
        return TKF_UEFI_WRITE_PROTECTED;
    if (!config && (mode & TKF_UEFI_FILE_CREATE) == 0 && !fake.stored_there)
        return TKF_UEFI_NOT_FOUND;
    if (!config)
        fake.stored_there = true;
    *ret_file = config ? &config_file : &json_file;
    fake.open++;
    return TKF_UEFI_SUCCESS;
}

static uint64_t file_close(struct tkf_uefi_file *self)
{
    (void)self;
    called();
    fake.open--;
    return TKF_UEFI_SUCCESS;
}

static uint64_t file_flush(struct tkf_uefi_file *self)
{
    (void)self;
    called();
    return TKF_UEFI_SUCCESS;
}

static uint64_t file_remove(struct tkf_uefi_file *self)
{
    (void)self;
    called();
    fake.open--;
    if (fake.cannot_remove)
        return 2; /* EFI_WARN_DELETE_FAILURE: closed and still there */
    fake.stored_there = false;
    fake.stored_size = 0;
    return TKF_UEFI_SUCCESS;
}

static uint64_t file_read(struct tkf_uefi_file *self, uint64_t *size, void *bytes)
{
    (void)self;
    called();
    if (*size > fake.config_size)
        *size = fake.config_size;
    memcpy(bytes, fake.config, *size);
    return TKF_UEFI_SUCCESS;
}

static uint64_t file_write(struct tkf_uefi_file *self, uint64_t *size, const void *bytes)
{
    (void)self;
    called();
    if (fake.write_fails)
        return TKF_UEFI_DEVICE_ERROR;
    /* As some firmware does: what fits is written, and that is called a success. */
    if (*size > fake.room)
        *size = fake.room;
    memcpy(fake.stored, bytes, *size);
    fake.stored_size = *size;
    return TKF_UEFI_SUCCESS;
}

#define FILE_SERVICES                                                                     \
    {                                                                                     \
        .open = file_open, .close = file_close, .remove = file_remove, .read = file_read, \
        .write = file_write, .flush = file_flush                                          \
    }
static struct tkf_uefi_file root = FILE_SERVICES, config_file = FILE_SERVICES,
                            json_file = FILE_SERVICES;

static uint64_t open_volume(struct tkf_uefi_file_system *self, struct tkf_uefi_file **ret_root)
{
    (void)self;
    *ret_root = &root;
    fake.open++;
    return TKF_UEFI_SUCCESS;
}

static struct tkf_uefi_file_system files = {.open_volume = open_volume};
static struct tkf_uefi_loaded_image loaded = {.device = &loaded};

/* ---- services ---- */

static uint64_t handle_protocol(void *handle, const struct tkf_uefi_guid *guid, void **ret)
{
    (void)handle;
    called();
    if (memcmp(guid, &tkf_uefi_loaded_image_guid, sizeof *guid) == 0)
        *ret = &loaded;
    else if (memcmp(guid, &tkf_uefi_file_system_guid, sizeof *guid) == 0 && !fake.no_volume)
        *ret = &files;
    else if (memcmp(guid, &tkf_uefi_serial_guid, sizeof *guid) == 0)
        *ret = &serial;
    else
        return TKF_UEFI_UNSUPPORTED;
    return TKF_UEFI_SUCCESS;
}

static uint64_t locate_handle_buffer(uint32_t how, const struct tkf_uefi_guid *guid, void *key,
                                     uint64_t *ret_count, void ***ret_handles)
{
    static void *ports[] = {&serial};
    (void)key;
    called();
    if (how != TKF_UEFI_BY_PROTOCOL || fake.no_serial ||
        memcmp(guid, &tkf_uefi_serial_guid, sizeof *guid) != 0)
        return TKF_UEFI_NOT_FOUND;
    *ret_count = 1;
    *ret_handles = memcpy(malloc(sizeof ports), ports, sizeof ports);
    fake.pools++;
    return TKF_UEFI_SUCCESS;
}

static uint64_t open_protocol_information(void *handle, const struct tkf_uefi_guid *guid,
                                          struct tkf_uefi_use **ret_uses, uint64_t *ret_count)
{
    (void)handle;
    (void)guid;
    called();
    *ret_uses = calloc(2, sizeof **ret_uses);
    (*ret_uses)[1].attributes = fake.serial_unused ? 1 : TKF_UEFI_USED_BY_DRIVER;
    *ret_count = 2;
    fake.pools++;
    return TKF_UEFI_SUCCESS;
}

/* ---- processors: numbers 0 to others, 1 is the boot processor ---- */

static uint64_t mp_count(struct tkf_uefi_mp_services *self, uint64_t *ret_all,
                         uint64_t *ret_enabled)
{
    (void)self;
    called();
    *ret_all = *ret_enabled = fake.others + 1;
    return TKF_UEFI_SUCCESS;
}

static uint64_t mp_info(struct tkf_uefi_mp_services *self, uint64_t number,
                        struct tkf_uefi_processor *ret_processor)
{
    (void)self;
    called();
    *ret_processor = (struct tkf_uefi_processor){.id = number, .status = number == 1 ? 7 : 6};
    return TKF_UEFI_SUCCESS;
}

static uint64_t mp_start_one(struct tkf_uefi_mp_services *self, void (*procedure)(void *),
                             uint64_t number, void *event, uint64_t timeout_us, void *arg,
                             uint8_t *ret_finished)
{
    (void)self;
    called();
    if (event != NULL || ret_finished != NULL || timeout_us == 0 || number == 1)
        return TKF_UEFI_INVALID_PARAMETER;
    if (number == fake.dead)
        return TKF_UEFI_NOT_READY;
    fake.masked++; /* of the services none may be called there */
    procedure(arg);
    fake.masked--;
    return TKF_UEFI_SUCCESS;
}

static uint64_t mp_who_am_i(struct tkf_uefi_mp_services *self, uint64_t *ret_number)
{
    (void)self;
    called();
    *ret_number = 1;
    return TKF_UEFI_SUCCESS;
}

static struct tkf_uefi_mp_services processors = {
    .count = mp_count, .info = mp_info, .start_one = mp_start_one, .who_am_i = mp_who_am_i};

static uint64_t locate_protocol(const struct tkf_uefi_guid *guid, void *registration, void **ret)
{
    (void)registration;
    called();
    if (memcmp(guid, &tkf_uefi_serial_guid, sizeof *guid) == 0 && !fake.no_serial)
        *ret = &serial;
    else if (memcmp(guid, &tkf_uefi_mp_services_guid, sizeof *guid) == 0 && fake.others > 0)
        *ret = &processors;
    else
        return TKF_UEFI_NOT_FOUND;
    return TKF_UEFI_SUCCESS;
}

static uint64_t raise_tpl(uint64_t tpl)
{
    fake.masked++;
    return tpl == TKF_UEFI_TPL_HIGH_LEVEL ? 4 : 99;
}

static void restore_tpl(uint64_t tpl)
{
    fake.masked -= tpl == 4;
}

static uint64_t allocate_pool(uint32_t type, uint64_t size, void **ret)
{
    (void)type;
    called();
    *ret = malloc(size);
    fake.pools++;
    return TKF_UEFI_SUCCESS;
}

static uint64_t free_pool(void *memory)
{
    called();
    free(memory);
    fake.pools--;
    return TKF_UEFI_SUCCESS;
}

static uint64_t stall(uint64_t microseconds)
{
    called();
    fake.now_ns += (double)microseconds * 1e3;
    return TKF_UEFI_SUCCESS;
}

static uint64_t set_watchdog(uint64_t seconds, uint64_t code, uint64_t size, const uint16_t *data)
{
    (void)code;
    (void)size;
    (void)data;
    fake.watchdog_off = seconds == 0;
    return TKF_UEFI_SUCCESS;
}

static void pass(double ns)
{
    double from = fake.now_ns;
    fake.now_ns += ns;
    if (fake.stolen_every_ns > 0 &&
        floor(from / fake.stolen_every_ns) != floor(fake.now_ns / fake.stolen_every_ns))
        fake.now_ns += fake.stolen_ns;
}

static uint64_t get_time(struct tkf_uefi_time *ret, void *capabilities)
{
    (void)capabilities;
    called();
    pass(fake.poll_ns);
    if (fake.no_rtc)
        return TKF_UEFI_DEVICE_ERROR;
    double s = fake.rtc_stands ? 0 : fake.now_ns * 1e-9 * (1 + fake.rtc_ppm * 1e-6);
    if (s > 2)
        s += (s - 2) * fake.rtc_later_ppm * 1e-6;
    *ret = (struct tkf_uefi_time){.year = 2026,
                                  .month = 11,
                                  .day = 30,
                                  .hour = (uint8_t)fake.hour,
                                  .time_zone = fake.time_zone,
                                  .minute = (uint8_t)((unsigned)s / 60 % 60),
                                  .second = (uint8_t)((unsigned)s % 60)};
    return TKF_UEFI_SUCCESS;
}

static void reset_system(uint32_t type, uint64_t status, uint64_t size, const void *data)
{
    (void)status;
    (void)size;
    (void)data;
    fake.was_reset = true;
    fake.reset_type = type;
}

struct tkf_uefi_system_table *fake_firmware(void)
{
    static struct tkf_uefi_boot_services boot = {
        .raise_tpl = raise_tpl,
        .restore_tpl = restore_tpl,
        .allocate_pool = allocate_pool,
        .free_pool = free_pool,
        .handle_protocol = handle_protocol,
        .stall = stall,
        .set_watchdog_timer = set_watchdog,
        .locate_protocol = locate_protocol,
        .locate_handle_buffer = locate_handle_buffer,
        .open_protocol_information = open_protocol_information,
    };
    static struct tkf_uefi_runtime_services runtime = {.get_time = get_time,
                                                       .reset_system = reset_system};
    static struct tkf_uefi_system_table system;
    memset(&fake, 0, sizeof fake);
    fake.room = sizeof fake.stored;
    fake.poll_ns = 2000;
    fake.dead = 1;
    fake.hour = 7;
    fake.time_zone = 0x7ff;
    system = (struct tkf_uefi_system_table){.header.revision = 2 << 16 | 70,
                                            .vendor = (const uint16_t *)u"Fake",
                                            .con_in = &keyboard,
                                            .con_out = &console,
                                            .runtime = &runtime,
                                            .boot = &boot};
    tkf_uefi_system = &system;
    return &system;
}

static void burst(void *ctx, const struct tkf_source *src, uint64_t *ret_ticks, uint64_t n)
{
    (void)ctx;
    (void)src;
    for (uint64_t i = 0; i < n; i++) {
        pass(200);
        ret_ticks[i] = (uint64_t)fake.now_ns;
    }
}

struct tkf_env fake_env(void)
{
    return (struct tkf_env){.burst = burst};
}

/* ---- what takes ring 0, or EL1 ---- */

void tkf_uefi_cpu_prepare(struct tkf_cpu_hints *ret_hints)
{
    *ret_hints = (struct tkf_cpu_hints){.lfence_serialises = true};
}

void tkf_uefi_cpu_facts(const struct tkf_cpu *cpu, struct tkf_machine *machine)
{
    (void)cpu;
    tkf_uefi_format(machine->cpu_id, sizeof machine->cpu_id, "fake");
}

uint64_t tkf_uefi_cpu_mask(void)
{
    fake.masked++;
    return 1;
}

void tkf_uefi_cpu_unmask(uint64_t state)
{
    fake.masked -= (int)state;
}

const char *tkf_uefi_clock_open(enum tkf_uefi_clock_choice choice)
{
    (void)choice;
    return NULL;
}

uint64_t tkf_uefi_clock_ns(void *ctx)
{
    (void)ctx;
    return 0;
}
