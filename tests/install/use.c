/* SPDX-License-Identifier: MIT */
/* A program of someone who has installed the library; compiled as C and as C++. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <tickfloor/tickfloor.h>

int main(void)
{
    uint64_t first = tkf_now(), second = tkf_now();
    if (second < first) {
        fprintf(stderr, "tkf_now() went back\n");
        return 1;
    }

    struct tkf_calibrate_options options;
    memset(&options, 0, sizeof options);
    tkf_calibrate_defaults(&options, true);
    if (options.rounds == 0) {
        fprintf(stderr, "tkf_calibrate_defaults() leaves no rounds\n");
        return 1;
    }

    /* Reaches jansson, so that a static program needs the library's own dependencies too. */
    FILE *in = tmpfile();
    if (!in) {
        perror("tmpfile");
        return 1;
    }
    fputs("{\"schema\": \"another/1\"}\n", in);
    rewind(in);
    struct tkf_profile profile;
    struct tkf_input_error why;
    int error = tkf_profile_read(in, &profile, &why);
    fclose(in);
    if (error != TKF_EFORMAT) {
        fprintf(stderr, "tkf_profile_read() of another schema: %d\n", error);
        return 1;
    }
    printf("%s\n", tkf_strerror(error));
    return 0;
}
