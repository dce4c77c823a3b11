/* SPDX-License-Identifier: MIT */
#include "firmware.h"

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

static void print_on_serial(const char *text)
{
    struct tkf_uefi_serial *serial;
    if (tkf_uefi_system->boot->locate_protocol(&tkf_uefi_serial_guid, NULL, (void **)&serial) !=
        TKF_UEFI_SUCCESS)
        return;
    for (; *text != '\0'; text++) {
        uint64_t size = *text == '\n' ? 2 : 1;
        serial->write(serial, &size, size == 2 ? "\r\n" : text);
    }
}

void tkf_uefi_print_text(const char *text)
{
    if (!print_on_console(text))
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

bool tkf_uefi_wait_for_key(unsigned seconds)
{
    struct tkf_uefi_text_input *keyboard = tkf_uefi_system->con_in;
    struct tkf_uefi_key key;
    if (keyboard == NULL)
        return false;
    while (keyboard->read_key(keyboard, &key) == TKF_UEFI_SUCCESS)
        continue; /* pressed before the question */
    for (unsigned i = 0; i < 20 * seconds; i++) {
        if (keyboard->read_key(keyboard, &key) == TKF_UEFI_SUCCESS)
            return true;
        tkf_uefi_system->boot->stall(50000);
    }
    return false;
}
