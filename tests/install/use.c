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

    /* Reach hwloc and jansson, so that a static program needs what the library uses too. */
    struct tkf_calibrate_request request;
    memset(&request, 0, sizeof request);
    request.cpus = "none";
    struct tkf_profile profile;
    struct tkf_input_error why;
    int error = tkf_calibrate_machine(&request, &profile, &why);
    if (error != TKF_EINVAL) {
        fprintf(stderr, "tkf_calibrate_machine() of a CPU list that is none: %d\n", error);
        return 1;
    }
    FILE *in = tmpfile();
    if (!in) {
        perror("tmpfile");
        return 1;
    }
    fputs("{\"schema\": \"another/1\"}\n", in);
    rewind(in);
    error = tkf_profile_read(in, &profile, &why);
    fclose(in);
    if (error != TKF_EFORMAT) {
        fprintf(stderr, "tkf_profile_read() of another schema: %d\n", error);
        return 1;
    }
    printf("%s\n", tkf_strerror(error));
    return 0;
}
