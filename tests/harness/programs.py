#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of benchmarks, and `tickfloor bench`, as their users run them.

programs.py TICKFLOOR PROGRAM MEM_PROGRAM OWN_MALLOC_PROGRAM MEM_LIBRARY("" without)
"""

import json
import os
import re
import signal
import subprocess
import sys
import unittest

TICKFLOOR, PROGRAM, MEM_PROGRAM, OWN_MALLOC_PROGRAM, MEM_LIBRARY = sys.argv[1:]
ENVIRONMENT = {**os.environ, "TICKFLOOR_MEM_LIBRARY": MEM_LIBRARY, "LC_ALL": "C"}

# As Go's benchmark format has them: a name, iterations, and pairs of value and unit.
RESULT = re.compile(r"Benchmark\S+\s+[1-9][0-9]*(\s+[0-9.]+ \S+)+$")
CONFIGURATION = re.compile(r"[a-z]\S*: .+$")
UNIT = re.compile(r"Unit \S+( \S+=\S+)+$")

VERDICTS = """impossible at-floor capped flat timer-limited went-quiet near-floor undecided ok""".split()

SUITE = """DeadAlloc/discarded DeadAlloc/noinline DeadAlloc/sink DeadAlloc/kept FoldPopcount/literal
FoldPopcount/opaque Hoist/call Hoist/opaque HoistSum/8 HoistSum/64 HoistSum/512 HoistSum/4096
Timer/setup_inside Timer/wrong_order Timer/bracketed Timer/pair SinkPlace/inside SinkPlace/after
Copy/80B/value Copy/80B/pointer Copy/8KB/value Copy/8KB/pointer Copy/8MB/value Copy/8MB/pointer
Op/add Op/mul Op/load Op/atomic_load Op/lock Op/clock Op/syscall""".split()


def run(*words, status=0, environment=None):
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=60, env={**ENVIRONMENT, **(environment or {})}
    )
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def names(output):
    return re.findall(r"^Benchmark(\S+)", output, re.M)


class Format(unittest.TestCase):
    def check(self, output):
        """Every line is one that Go's format knows, or one that it ignores and that begins with #."""
        for line in output.splitlines():
            if line.startswith("Benchmark"):
                self.assertRegex(line, RESULT)
            elif line.startswith("Unit"):
                self.assertRegex(line, UNIT)
            elif not line.startswith(("# ", "--- FAIL: Benchmark", "    ")):
                self.assertRegex(line, CONFIGURATION)

    def test_program(self):
        output, errors = run(PROGRAM, "--time", "2ms", "--count", "3", "Sum|Empty|Older|Library")
        self.check(output)
        self.assertEqual(errors, "")
        self.assertRegex(output, r"\Agoos: \w+\ngoarch: \w+\nharness: tickfloor\npkg: \S+\n")
        rows = ["Library", "Library/string", "Sum/100", "Sum/1000", "Empty", "Older"]
        self.assertEqual(sorted(names(output)), sorted(rows * 3))
        self.assertRegex(output, r"BenchmarkSum/100 .* ns/op.* MB/s\t +100.0 terms/op")

    def test_suite(self):
        output, errors = run(TICKFLOOR, "bench", "--time", "1ms")
        self.check(output)
        self.assertEqual(errors, "")
        self.assertEqual(names(output), SUITE)

    def test_report_reads_it(self):
        """Whatever it says of the rows: that depends on the machine."""
        output, _ = run(TICKFLOOR, "bench", "--time", "1ms", "--count", "2")
        command = [TICKFLOOR, "report", "--json"]
        done = subprocess.run(command, input=output, capture_output=True, text=True, env=ENVIRONMENT)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        results = json.loads(done.stdout)["results"]
        self.assertEqual([row["name"] for row in results], ["Benchmark" + name for name in SUITE])
        self.assertEqual({row["repetitions"] for row in results}, {2})
        self.assertEqual({row["framework"] for row in results}, {"tickfloor"})

    def test_floor_of_the_same_run(self):
        output, _ = run(TICKFLOOR, "bench", "--time", "1x", "Op/add")
        self.assertRegex(output, r"# timer: \S+, one reading [0-9.]+ ns, step ")
        self.assertRegex(output, r"# floor: core cycle [0-9.]+ ns, suspect below [0-9.]+ ns")

    def test_json(self):
        output, _ = run(PROGRAM, "--time", "5ms", "--count", "2", "--json", "^(Sum|BadStop)", status=3)
        document = json.loads(output)
        self.assertEqual(document["schema"], "tickfloor.bench/1")
        self.assertGreater(document["timer"]["hz"], 1e6)
        rows = {row["name"]: row for row in document["benchmarks"]}
        self.assertEqual(list(rows), ["Sum/100", "Sum/1000", "BadStop"])
        row = rows["Sum/100"]
        self.assertEqual(row["arg"], 100)
        self.assertIn(row["verdict"], VERDICTS)
        self.assertIsNone(rows["BadStop"]["verdict"])
        self.assertEqual(len(row["repetitions"]), 2)
        for repetition in row["repetitions"]:
            samples = sorted(repetition["samples"])
            self.assertEqual(len(samples), len(repetition["sample_iterations"]))
            middle = samples[(len(samples) - 1) // 2], samples[len(samples) // 2]
            self.assertAlmostEqual(repetition["ns"], sum(middle) / 2)
            self.assertLessEqual(repetition["ns_lo"], repetition["ns"])
            self.assertGreaterEqual(repetition["ns_hi"], repetition["ns"])
            self.assertEqual(repetition["metrics"], {"terms/op": 100})
            self.assertIsNone(repetition["memory"])
        self.assertEqual(len(rows["BadStop"]["repetitions"]), 1)
        self.assertIn("program.cc:", rows["BadStop"]["repetitions"][0]["error"])


class Choice(unittest.TestCase):
    def test_list(self):
        self.assertEqual(run(TICKFLOOR, "bench", "--list")[0].split(), SUITE)
        self.assertEqual(run(TICKFLOOR, "bench", "--list", "Copy/8MB")[0].split(), SUITE[22:24])
        self.assertEqual(run(PROGRAM, "--list", "with")[0], "a_name/with_blanks\n")
        listed = run(PROGRAM, "--list", "--filter", "^Sum/1000$")[0]
        self.assertEqual(listed, "Sum/1000\n")

    def test_fixed_iterations(self):
        output, _ = run(TICKFLOOR, "bench", "-t", "321x", "Op/(add|clock)")
        self.assertEqual(re.findall(r"^Benchmark\S+\s+(\d+)", output, re.M), ["321", "321"])

    def test_shuffle(self):
        def order(seed):
            return names(run(TICKFLOOR, "bench", "-t", "1x", "--shuffle", seed, "^[^C]")[0])

        first = order("11")
        self.assertEqual(first, order("11"))
        self.assertNotEqual(first, order("12"))
        self.assertEqual(sorted(first), sorted(name for name in SUITE if not name.startswith("C")))
        # Families stay together, in their order: they are judged together.
        at = first.index("HoistSum/8")
        self.assertEqual(first[at : at + 4], SUITE[8:12])

    def test_errors(self):
        for words, says in (
            (["bench", "nosuch"], "tickfloor: no benchmark matches 'nosuch'; --list"),
            (["bench", "("], "tickfloor: --filter: '('"),
            (["bench", "a", "b"], "tickfloor: unexpected operand 'b'"),
            (["bench", "--filter", "a", "b"], "tickfloor: there is a pattern 'b', and --filter"),
            (["bench", "--time", "soon"], "tickfloor: --time: 'soon'"),
            (["bench", "--cpu", "99999", "Op/add"], "tickfloor: --cpu: cannot be bound to CPU 99999"),
            (["bench", "--explain", "DeadAlloc/discard"], "did you mean 'DeadAlloc/discarded'?"),
            (["bench", "--sweep", "--list"], "tickfloor: --sweep goes with no pattern"),
        ):
            with self.subTest(words=words):
                output, errors = run(TICKFLOOR, *words, status=2)
                self.assertEqual(output, "")
                self.assertIn(says, errors)
                self.assertEqual(errors.count("\n"), 1)
        output, errors = run(PROGRAM, "Sum", "more", status=2)
        self.assertIn("unexpected 'more'", errors)
        self.assertIn("--shuffle WHICH", run(PROGRAM, "--help")[0])

    def test_misuse(self):
        """Named at once, with the place; the others run."""
        output, errors = run(PROGRAM, "--time", "1ms", "Bad|Empty", status=3)
        self.assertEqual(names(output), ["Empty"])
        self.assertRegex(errors, r"program.cc:\d+: 'ns/op' is no unit of one's own")
        self.assertIn("--- FAIL: BenchmarkBadReturn\n", output)
        self.assertIn("--- FAIL: BenchmarkBadStop\n", output)
        self.assertRegex(errors, r"program.cc:\d+: the loop was left by break or return")
        self.assertRegex(errors, r"program.cc:\d+: the body ended with the timer stopped")


    def test_the_end_of_the_program(self):
        """A benchmark that ends it is named, and it does not end as if all were well."""
        for name, status, says in (
            ("EndsByFault", -signal.SIGSEGV, "crashed the program"),
            ("EndsByException", -signal.SIGABRT, "aborted the program"),
            ("EndsByExit", 3, "ended the program with exit()"),
        ):
            if status == -signal.SIGSEGV and not MEM_LIBRARY:
                continue  # a sanitizer has a handler of its own, which says more
            with self.subTest(name=name):
                output, errors = run(PROGRAM, "--time", "1ms", f"Empty|{name}", status=status)
                self.assertEqual(names(output), ["Empty"])
                self.assertIn(f"bench_program: Benchmark{name} {says}; ", errors)
        output, errors = run(PROGRAM, "--time", "1x", "EndsOnlyAChild")
        self.assertEqual((names(output), errors), (["EndsOnlyAChild"], ""))

    def test_names(self):
        """They may begin in a small letter and be long: they are judged like any other."""
        output, _ = run(PROGRAM, "--time", "5ms", "--json", "lower_case")
        (row,) = json.loads(output)["benchmarks"]
        self.assertEqual(len(row["name"]), 166)
        self.assertIn(row["verdict"], VERDICTS)

    def test_one_line_for_a_wrong_option(self):
        for words, says in (
            (["--bogus"], "'--bogus' is no option"),
            (["--list", "-xyz"], "'-x' is no option"),
            (["--help=3"], "'--help=3' is no option"),
            (["--cpu"], "'--cpu' needs a value"),
        ):
            output, errors = run(PROGRAM, *words, status=2)
            self.assertEqual(errors, f"bench_program: {says}; see 'bench_program --help'\n")


class Explain(unittest.TestCase):
    def test_every_case(self):
        for name in SUITE:
            output, _ = run(TICKFLOOR, "bench", "--explain", name)
            family = name.split("/")[0].replace("HoistSum", "Hoist")
            self.assertTrue(output.startswith(f"/*\n * {family}:"), output)
            self.assertIn(f'"{name}")\n{{\n', output)
            self.assertIn("*/\nTKF_BENCH_NAMED(", output)
            self.assertRegex(output, r"\n}\n\nIts machine code")
            if "a bar marks loops" in output:
                self.assertRegex(output, r"\n  \| +[0-9a-f]+  \w+")
        self.assertEqual(
            run(TICKFLOOR, "bench", "-e", "BenchmarkOp/add"), run(TICKFLOOR, "bench", "-e", "Op/add")
        )


class Sweep(unittest.TestCase):
    def test_json(self):
        document = json.loads(run(TICKFLOOR, "bench", "--sweep", "--json", "--time", "2x")[0])
        self.assertEqual(document["schema"], "tickfloor.sweep/1")
        sizes = [point["bytes"] for point in document["points"]]
        self.assertEqual(sizes, sorted(sizes))
        self.assertEqual((sizes[0], sizes[-1]), (8, 64 << 20))
        for crossover in document["crossovers"]:
            self.assertLessEqual(crossover["lo_bytes"], crossover["bytes"])
            self.assertLessEqual(crossover["bytes"], crossover["hi_bytes"])
        self.assertGreater(document["touch"]["first_ns"], 0)


@unittest.skipUnless(MEM_LIBRARY, "allocations are not counted in this build")
class Memory(unittest.TestCase):
    def rows(self, *words):
        document = json.loads(run(MEM_PROGRAM, "--mem", "--json", *words)[0])
        return {row["name"]: row["repetitions"][0] for row in document["benchmarks"]}

    def test_exact_from_several_threads(self):
        threads, rounds, iterations = 4, 250, 10
        memory = self.rows("--time", "10x", "Threads")["Threads"]["memory"]
        each = threads * rounds * iterations
        self.assertEqual(
            {name: count / each for name, count in memory.items() if not name.endswith("_per_op")},
            {"mallocs": 3, "callocs": 1, "reallocs": 2, "aligned_allocs": 4, "frees": 8, "bytes": 506},
        )
        self.assertEqual(memory["allocs_per_op"], 10 * threads * rounds)
        self.assertEqual(memory["bytes_per_op"], 506 * threads * rounds)

    def test_fraction(self):
        """One in four prints 0 as Go does, and B/op betrays it; JSON has the fraction."""
        memory = self.rows("--time", "4000x", "EveryFourth")["EveryFourth"]["memory"]
        self.assertEqual((memory["allocs_per_op"], memory["bytes_per_op"]), (0.25, 12))
        output, _ = run(MEM_PROGRAM, "--mem", "--time", "4000x", "EveryFourth")
        self.assertRegex(output, r"\t +12 B/op\t +0 allocs/op\n")

    def test_not_its_own(self):
        """What is allocated outside the loop, and by the harness for its samples, does not count."""
        memory = self.rows("--time", "100ms", "None")["None"]["memory"]
        self.assertEqual((memory["mallocs"], memory["reallocs"], memory["frees"]), (0, 0, 0))

    def test_suite(self):
        output, _ = run(TICKFLOOR, "bench", "--mem", "-t", "1000x", "DeadAlloc")
        counts = dict(re.findall(r"^Benchmark(\S+).*?([0-9]+ B/op\t +[0-9]+) allocs/op", output, re.M))
        counts = {name: tuple(map(int, re.findall(r"\d+", text))) for name, text in counts.items()}
        self.assertEqual(
            counts,
            {
                "DeadAlloc/discarded": (0, 0),
                "DeadAlloc/noinline": (64, 1),
                "DeadAlloc/sink": (64, 1),
                "DeadAlloc/kept": (0, 0),
            },
        )

    def test_leaves_the_environment(self):
        """What a benchmark starts is not counted, and does not miss the library."""
        output, errors = run(MEM_PROGRAM, "--mem", "--time", "1x", "Environment")
        self.assertEqual((re.findall("LD_PRELOAD.*|TICKFLOOR_MEM_RES.*", output), errors), ([], ""))
        kept = {"LD_PRELOAD": MEM_LIBRARY + "-none"}
        output, _ = run(MEM_PROGRAM, "--mem", "--time", "1x", "Environment", environment=kept)
        self.assertIn(f"LD_PRELOAD={MEM_LIBRARY}-none\n", output)

    def test_allocator_of_its_own(self):
        """Calls that are not seen are not said to be none."""
        _, errors = run(OWN_MALLOC_PROGRAM, "--mem", status=3)
        self.assertIn("--mem: allocations cannot be counted: this program has an allocator of its", errors)
        self.assertEqual(errors.count("\n"), 1)
        run(OWN_MALLOC_PROGRAM, "--time", "1x")

    def test_no_library(self):
        missing = {"TICKFLOOR_MEM_LIBRARY": "/nonexistent/library.so"}
        _, errors = run(MEM_PROGRAM, "--mem", status=3, environment=missing)
        self.assertIn("--mem: /nonexistent/library.so: No such file or directory; install", errors)
        # Without --mem nobody looks for it.
        run(MEM_PROGRAM, "--time", "1x", "None", environment=missing)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
