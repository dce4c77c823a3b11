/* SPDX-License-Identifier: MIT */
#include "left.h"

/* Sorted by the format's name, one a line: here and in the table. */
extern const struct tkf_reader tkf_reader_asv_json;
extern const struct tkf_reader tkf_reader_asv_text;
extern const struct tkf_reader tkf_reader_bdn_csv;
extern const struct tkf_reader tkf_reader_bdn_json;
extern const struct tkf_reader tkf_reader_bdn_log;
extern const struct tkf_reader tkf_reader_bdn_md;
extern const struct tkf_reader tkf_reader_benchmarkjs_json;
extern const struct tkf_reader tkf_reader_benchmarkjs_text;
extern const struct tkf_reader tkf_reader_benchstat_csv;
extern const struct tkf_reader tkf_reader_benchstat_text;
extern const struct tkf_reader tkf_reader_bmf_json;
extern const struct tkf_reader tkf_reader_cargo_criterion_json;
extern const struct tkf_reader tkf_reader_catch2_console;
extern const struct tkf_reader tkf_reader_catch2_xml;
extern const struct tkf_reader tkf_reader_criterion_console;
extern const struct tkf_reader tkf_reader_criterion_csv;
extern const struct tkf_reader tkf_reader_criterion_estimates;
extern const struct tkf_reader tkf_reader_plain_csv;
extern const struct tkf_reader tkf_reader_divan_text;
extern const struct tkf_reader tkf_reader_gab_custom;
extern const struct tkf_reader tkf_reader_gab_data;
extern const struct tkf_reader tkf_reader_gbench_console;
extern const struct tkf_reader tkf_reader_gbench_csv;
extern const struct tkf_reader tkf_reader_gbench_json;
extern const struct tkf_reader tkf_reader_go_json;
extern const struct tkf_reader tkf_reader_go_text;
extern const struct tkf_reader tkf_reader_highway_text;
extern const struct tkf_reader tkf_reader_hyperfine_console;
extern const struct tkf_reader tkf_reader_hyperfine_csv;
extern const struct tkf_reader tkf_reader_hyperfine_json;
extern const struct tkf_reader tkf_reader_hyperfine_md;
extern const struct tkf_reader tkf_reader_jmh_csv;
extern const struct tkf_reader tkf_reader_jmh_json;
extern const struct tkf_reader tkf_reader_jmh_text;
extern const struct tkf_reader tkf_reader_julia_json;
extern const struct tkf_reader tkf_reader_julia_text;
extern const struct tkf_reader tkf_reader_libtest_json;
extern const struct tkf_reader tkf_reader_libtest_text;
extern const struct tkf_reader tkf_reader_mitata_json;
extern const struct tkf_reader tkf_reader_mitata_text;
extern const struct tkf_reader tkf_reader_nanobench_csv;
extern const struct tkf_reader tkf_reader_nanobench_json;
extern const struct tkf_reader tkf_reader_nanobench_md;
extern const struct tkf_reader tkf_reader_perf_csv;
extern const struct tkf_reader tkf_reader_perf_json;
extern const struct tkf_reader tkf_reader_perf_text;
extern const struct tkf_reader tkf_reader_phoronix_xml;
extern const struct tkf_reader tkf_reader_pyperf_json;
extern const struct tkf_reader tkf_reader_pytest_console;
extern const struct tkf_reader tkf_reader_pytest_json;
extern const struct tkf_reader tkf_reader_swift_json;
extern const struct tkf_reader tkf_reader_swift_text;
extern const struct tkf_reader tkf_reader_tinybench_json;
extern const struct tkf_reader tkf_reader_tinybench_text;
extern const struct tkf_reader tkf_reader_vitest_json;
extern const struct tkf_reader tkf_reader_vitest_text;
extern const struct tkf_reader tkf_reader_zbench_text;

/* clang-format off */
const struct tkf_reader *const tkf_readers[] = {
    &tkf_reader_asv_json,
    &tkf_reader_asv_text,
    &tkf_reader_bdn_csv,
    &tkf_reader_bdn_json,
    &tkf_reader_bdn_log,
    &tkf_reader_bdn_md,
    &tkf_reader_benchmarkjs_json,
    &tkf_reader_benchmarkjs_text,
    &tkf_reader_benchstat_csv,
    &tkf_reader_benchstat_text,
    &tkf_reader_bmf_json,
    &tkf_reader_cargo_criterion_json,
    &tkf_reader_catch2_console,
    &tkf_reader_catch2_xml,
    &tkf_reader_criterion_console,
    &tkf_reader_criterion_csv,
    &tkf_reader_criterion_estimates,
    &tkf_reader_plain_csv,
    &tkf_reader_divan_text,
    &tkf_reader_gab_custom,
    &tkf_reader_gab_data,
    &tkf_reader_gbench_console,
    &tkf_reader_gbench_csv,
    &tkf_reader_gbench_json,
    &tkf_reader_go_json,
    &tkf_reader_go_text,
    &tkf_reader_highway_text,
    &tkf_reader_hyperfine_console,
    &tkf_reader_hyperfine_csv,
    &tkf_reader_hyperfine_json,
    &tkf_reader_hyperfine_md,
    &tkf_reader_jmh_csv,
    &tkf_reader_jmh_json,
    &tkf_reader_jmh_text,
    &tkf_reader_julia_json,
    &tkf_reader_julia_text,
    &tkf_reader_libtest_json,
    &tkf_reader_libtest_text,
    &tkf_reader_mitata_json,
    &tkf_reader_mitata_text,
    &tkf_reader_nanobench_csv,
    &tkf_reader_nanobench_json,
    &tkf_reader_nanobench_md,
    &tkf_reader_perf_csv,
    &tkf_reader_perf_json,
    &tkf_reader_perf_text,
    &tkf_reader_phoronix_xml,
    &tkf_reader_pyperf_json,
    &tkf_reader_pytest_console,
    &tkf_reader_pytest_json,
    &tkf_reader_swift_json,
    &tkf_reader_swift_text,
    &tkf_reader_tinybench_json,
    &tkf_reader_tinybench_text,
    &tkf_reader_vitest_json,
    &tkf_reader_vitest_text,
    &tkf_reader_zbench_text,
    NULL,
};
/* clang-format on */

_Static_assert(sizeof(tkf_readers) / sizeof(tkf_readers[0]) <= TKF_READERS_MAX, "more readers");

const char *const *tkf_results_formats(void)
{
    static const char *names[TKF_READERS_MAX];
    for (size_t i = 0; tkf_readers[i]; i++)
        names[i] = tkf_readers[i]->name;
    return names;
}

const struct tkf_reader *tkf_readers_recognise(const char *head, size_t length, const bool *used,
                                               int least)
{
    const struct tkf_reader *surest = NULL;
    int most = least - 1;
    for (size_t i = 0; tkf_readers[i]; i++) {
        int sure = used && used[i] ? 0 : tkf_readers[i]->recognise(head, length);
        if (sure > most) {
            most = sure;
            surest = tkf_readers[i];
        }
    }
    return surest;
}

void tkf_readers_use(const struct tkf_reader *reader, bool *used)
{
    for (size_t i = 0; tkf_readers[i]; i++)
        used[i] = used[i] || tkf_readers[i] == reader;
}
