/* SPDX-License-Identifier: MIT */
#include "firmware.h"

#define KEYS_MAX 256
#define WIDTH    79

/** Returns false when the console did not take it. */
static bool print_on_console(const char *text)
{
    struct tkf_uefi_text_output *console = tkf_uefi_system->con_out;
    if (console == NULL)
        return false;
    uint16_t wide[128];
    while (*text != '\0') {
        unsigned n = 0;
        while (*text != '\0' && n + 3 < sizeof wide / sizeof wide[0]) {
            if (*text == '\n')
                wide[n++] = '\r';
            wide[n++] = (unsigned char)*text++;
        }
        wide[n] = '\0';
        if ((console->output_string(console, wide) & TKF_UEFI_ERROR_BIT) != 0)
            return false;
    }
    return true;
}

/* Where text goes beside the console, or in its place. A port that refused is not tried again: each byte may take a second. */
static struct tkf_uefi_serial *serial;
static bool serial_failed;

/** Whether a driver has the port: the terminal of the console. */
static bool is_driven(void *port)
{
    struct tkf_uefi_boot_services *boot = tkf_uefi_system->boot;
    struct tkf_uefi_use *uses;
    uint64_t n;
    if (boot->open_protocol_information(port, &tkf_uefi_serial_guid, &uses, &n) != TKF_UEFI_SUCCESS)
        return true;
    bool driven = false;
    for (uint64_t i = 0; i < n; i++)
        driven = driven || (uses[i].attributes & TKF_UEFI_USED_BY_DRIVER) != 0;
    boot->free_pool(uses);
    return driven;
}

void tkf_uefi_console_open(void)
{
    struct tkf_uefi_boot_services *boot = tkf_uefi_system->boot;
    void **ports;
    uint64_t n;
    serial = NULL;
    serial_failed = false;
    if (boot->locate_handle_buffer(TKF_UEFI_BY_PROTOCOL, &tkf_uefi_serial_guid, NULL, &n, &ports) !=
        TKF_UEFI_SUCCESS)
        return;
    for (uint64_t i = 0; i < n && serial == NULL; i++) {
        if (is_driven(ports[i]) || boot->handle_protocol(ports[i], &tkf_uefi_serial_guid,
                                                         (void **)&serial) != TKF_UEFI_SUCCESS)
            serial = NULL;
    }
    boot->free_pool(ports);
}

static void print_on_serial(const char *text)
{
    for (; *text != '\0' && !serial_failed; text++) {
        uint64_t size = *text == '\n' ? 2 : 1;
        serial_failed = serial->write(serial, &size, size == 2 ? "\r\n" : text) != TKF_UEFI_SUCCESS;
    }
}

void tkf_uefi_print_text(const char *text)
{
    if (!print_on_console(text) && serial == NULL &&
        tkf_uefi_system->boot->locate_protocol(&tkf_uefi_serial_guid, NULL, (void **)&serial) !=
            TKF_UEFI_SUCCESS)
        serial = NULL;
    if (serial != NULL)
        print_on_serial(text);
}

void tkf_uefi_print(const char *format, ...)
{
    char line[512];
    struct tkf_uefi_text text = {line, sizeof line, 0};
    va_list arguments;
    line[0] = '\0';
    va_start(arguments, format);
    tkf_uefi_text_vadd(&text, format, arguments);
    va_end(arguments);
    tkf_uefi_print_text(line);
}

void tkf_uefi_print_wrapped(const char *label, unsigned indent, const char *text)
{
    char line[WIDTH + 1];
    unsigned used = 0;
    while (*label != '\0')
        line[used++] = *label++;
    bool first = true;
    while (*text != '\0') {
        unsigned word = 0;
        while (text[word] != '\0' && text[word] != ' ' && word < WIDTH - indent)
            word++;
        if (!first && used + 1 + word > WIDTH) {
            line[used] = '\0';
            tkf_uefi_print("%s\n", line);
            used = 0;
            first = true;
        }
        if (!first)
            line[used++] = ' ';
        while (used < indent)
            line[used++] = ' ';
        for (unsigned i = 0; i < word; i++)
            line[used++] = text[i];
        first = false;
        text += word;
        while (*text == ' ')
            text++;
    }
    line[used] = '\0';
    tkf_uefi_print("%s\n", line);
}

void tkf_uefi_complain(const char *format, ...)
{
    static const char label[] = "tickfloor:";
    char line[512];
    struct tkf_uefi_text text = {line, sizeof line, 0};
    va_list arguments;
    line[0] = '\0';
    va_start(arguments, format);
    tkf_uefi_text_vadd(&text, format, arguments);
    va_end(arguments);
    tkf_uefi_print_wrapped(label, sizeof label, line);
}

bool tkf_uefi_wait_for_key(unsigned seconds)
{
    struct tkf_uefi_text_input *keyboard = tkf_uefi_system->con_in;
    struct tkf_uefi_key key;
    if (keyboard == NULL)
        return false;
    /* Pressed before the question; some keyboard that is stuck always has one. */
    for (unsigned i = 0; i < KEYS_MAX; i++) {
        if (keyboard->read_key(keyboard, &key) != TKF_UEFI_SUCCESS)
            break;
    }
    for (unsigned i = 0; i < 20 * seconds; i++) {
        if (keyboard->read_key(keyboard, &key) == TKF_UEFI_SUCCESS)
            return true;
        tkf_uefi_system->boot->stall(50000);
    }
    return false;
}
