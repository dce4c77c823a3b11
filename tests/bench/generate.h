/* SPDX-License-Identifier: MIT */
/** Results of benchmarks that never ran, in any amount: the same from the same seed. */
#ifndef GENERATE_H
#define GENERATE_H

#include <stdint.h>
#include <stdio.h>

/** What `go test -bench . -benchmem -count 10` prints, at least *bytes* of it. */
void generate_go_text(FILE *out, uint64_t seed, uint64_t bytes);

/** What Google Benchmark writes as JSON, at least *bytes* of it. */
void generate_gbench_json(FILE *out, uint64_t seed, uint64_t bytes);

#endif
