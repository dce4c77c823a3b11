/* SPDX-License-Identifier: MIT */
/*
 * The first and only process of a guest: runs /program with the arguments in /arguments (each ended by a NUL), says how
 * it ended on a line that scripts/guest-arm64 looks for, and switches the guest off.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void mount_at(const char *type, const char *where)
{
    mkdir(where, 0755);
    if (mount(type, where, type, 0, NULL) != 0)
        perror(where);
}

/* The program's argv, from /arguments; the guest ends before it needs to be freed. */
static char **read_arguments(void)
{
    static char text[65536];
    static char *argv[1024] = {"/program"};
    FILE *file = fopen("/arguments", "r");
    const size_t size = file != NULL ? fread(text, 1, sizeof(text) - 1, file) : 0;
    size_t n = 1;
    for (char *argument = text; argument < text + size && n < 1023; n++) {
        argv[n] = argument;
        argument += strlen(argument) + 1;
    }
    return argv;
}

int main(void)
{
    mount_at("devtmpfs", "/dev");
    mount_at("proc", "/proc");
    mount_at("sysfs", "/sys");
    mount_at("tmpfs", "/tmp");

    puts("guest: start");
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        execv("/program", read_arguments());
        perror("/program");
        _exit(127);
    }
    int status = 127 << 8;
    waitpid(child, &status, 0);
    printf("\nguest: exit %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    fflush(stdout);
    sleep(1); /* the serial port drains */
    reboot(RB_POWER_OFF);
    return EXIT_FAILURE;
}
