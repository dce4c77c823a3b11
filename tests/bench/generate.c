/* SPDX-License-Identifier: MIT */
#include "generate.h"

/* So many names, whatever the size. */
#define NAMES    20000
#define PACKAGES 200

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Ns, from a quarter to some hundred thousand, evenly over the magnitudes. */
static double random_ns(uint64_t *random)
{
    double ns = 0.25;
    for (uint64_t doublings = next_random(random) % 20; doublings > 0; doublings--)
        ns *= 2;
    return ns * (1 + (double)(next_random(random) % 1000) / 1000);
}

/* With four digits, as Go prints it. */
static int go_digits(double ns)
{
    return ns >= 999.95 ? 0 : ns >= 99.995 ? 1 : ns >= 9.9995 ? 2 : ns >= 0.99995 ? 3 : 4;
}

void generate_go_text(FILE *out, uint64_t seed, uint64_t bytes)
{
    uint64_t random = seed, written = 0;
    for (uint64_t name = 0; written < bytes; name = (name + 1) % NAMES) {
        if (name % (NAMES / PACKAGES) == 0)
            written += (uint64_t)fprintf(out,
                                         "goos: linux\ngoarch: amd64\npkg: example.org/m/p%d\n"
                                         "cpu: Some CPU @ 2.00GHz\n",
                                         (int)(name / (NAMES / PACKAGES)));
        double ns = random_ns(&random);
        for (unsigned repetition = 0; repetition < 10; repetition++) {
            double noisy = ns * (1 + (double)(next_random(&random) % 100) / 5000);
            written += (uint64_t)fprintf(
                out,
                "BenchmarkWork/kind=%d/size=%d-8 \t%8.0f\t%10.*f ns/op\t%8d B/op\t%8d allocs/op\n",
                (int)(name % 7), (int)name, 1e9 / noisy, go_digits(noisy), noisy, (int)(name % 512),
                (int)(name % 9));
        }
        if (name % (NAMES / PACKAGES) == NAMES / PACKAGES - 1)
            written += (uint64_t)fprintf(out, "PASS\nok  \texample.org/m\t12.345s\n");
    }
}

void generate_gbench_json(FILE *out, uint64_t seed, uint64_t bytes)
{
    uint64_t random = seed, written = 0;
    fprintf(
        out,
        "{\n  \"context\": {\n    \"date\": \"2026-01-01T00:00:00+00:00\",\n    \"num_cpus\": 8,\n"
        "    \"mhz_per_cpu\": 2000,\n    \"library_build_type\": \"release\"\n  },\n"
        "  \"benchmarks\": [");
    for (uint64_t name = 0; written < bytes; name = (name + 1) % NAMES) {
        double ns = random_ns(&random);
        written += (uint64_t)fprintf(
            out,
            "%s\n    {\n      \"name\": \"BM_Work/%d\",\n      \"family_index\": 0,\n"
            "      \"run_name\": \"BM_Work/%d\",\n      \"run_type\": \"iteration\",\n"
            "      \"repetitions\": 1,\n      \"threads\": 1,\n      \"iterations\": %.0f,\n"
            "      \"real_time\": %.16e,\n      \"cpu_time\": %.16e,\n      \"time_unit\": \"ns\"\n    }",
            written > 0 ? "," : "", (int)name, (int)name, 1e9 / ns, ns * 1.01, ns);
    }
    fprintf(out, "\n  ]\n}\n");
}
