#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The judges of accuracy.py miss what they should, peers.py finds the numbers: accuracy_test.py SPAWN."""

import contextlib
import dataclasses
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

import accuracy
import calibration
import peers

GOOD = calibration.Calibration(
    cpu=1,
    cycle_ns=0.25,
    fused_cycles=1.0005,
    lo_cycles=1.0,
    lo_ns=0.25,
    slow_state=False,
    lost_share=0.5,
    wall_s=0.05,
    peak_kib=5000,
)
SPAWN = None


def rounds_of(count, **changes):
    """Good rounds, of which the last has other calibrations: full, quick or busy."""
    rounds = [accuracy.Round(GOOD, GOOD, GOOD) for _ in range(count)]
    rounds[-1] = dataclasses.replace(rounds[-1], **changes)
    return rounds


def missed(rounds):
    return [t.name for t in accuracy.judge(rounds) if not t.reached]


def good_but(**changes):
    return dataclasses.replace(GOOD, **changes)


class JudgeTest(unittest.TestCase):
    def assert_missed(self, rounds, *starts):
        names = missed(rounds)
        self.assertEqual(len(names), len(starts), names)
        for name, start in zip(names, starts):
            self.assertTrue(name.startswith(start), name)

    def test_reached(self):
        self.assert_missed(rounds_of(100))

    def test_one_of_a_hundred_may_read_the_fused_loop_wrong_but_not_two(self):
        wrong = good_but(fused_cycles=0.998)
        self.assert_missed(rounds_of(100, full=wrong))
        self.assert_missed(rounds_of(50, full=wrong), "fused loop is 1 cycle")

    def test_busy_may_be_off_by_more_than_idle(self):
        self.assert_missed(rounds_of(1, busy=good_but(fused_cycles=1.004)))
        self.assert_missed(rounds_of(1, busy=good_but(fused_cycles=1.006)), "the same within 0.5")

    def test_every_calibration_has_to_agree(self):
        for field, start in (
            ("cycle_ns", "core cycle in ns"),
            ("lo_cycles", "fastest loop in cycles"),
            ("lo_ns", "fastest loop in ns"),
        ):
            value = getattr(GOOD, field)
            self.assert_missed(rounds_of(100, full=good_but(**{field: value * 1.004})))
            self.assert_missed(rounds_of(100, full=good_but(**{field: value * 1.006})), start)
            self.assert_missed(rounds_of(100, full=good_but(**{field: value / 1.006})), start)

    def test_quick_is_held_against_the_full_one_beside_it(self):
        self.assert_missed(
            rounds_of(100, quick=good_but(cycle_ns=0.253)), "--quick: the same core cycle"
        )
        self.assert_missed(
            rounds_of(100, quick=good_but(lo_ns=0.247)), "--quick: the same fastest loop"
        )
        both = good_but(cycle_ns=0.2508, lo_ns=0.2508)
        self.assert_missed(rounds_of(100, full=both, quick=both))

    def test_a_miss_says_whether_tickfloor_warned(self):
        slow = good_but(fused_cycles=1.6, lo_ns=0.4, slow_state=True)
        figures = [t.figure for t in accuracy.judge(rounds_of(10, quick=slow, busy=slow))]
        self.assertIn("1 of the 1 beyond warned", figures[1])
        self.assertIn("1 of the 1 beyond warned", figures[6])
        silent = good_but(fused_cycles=1.6)
        self.assertIn("0 of the 1", accuracy.judge(rounds_of(10, full=silent))[0].figure)

    def test_time_and_memory(self):
        self.assert_missed(rounds_of(100, full=good_but(wall_s=1.01)), "a calibration takes 1 s")
        self.assert_missed(rounds_of(100, quick=good_but(wall_s=0.11)), "--quick takes 0.1 s")
        self.assert_missed(rounds_of(100, quick=good_but(peak_kib=16385)), "peak memory")
        self.assert_missed(rounds_of(100, full=good_but(peak_kib=16385)), "peak memory")

    def test_a_failed_calibration_is_no_answer(self):
        self.assertEqual(len(missed(rounds_of(10, full="too noisy"))), 8)
        self.assertEqual(len(missed(rounds_of(10, quick="too noisy"))), 4)
        self.assertEqual(len(missed(rounds_of(10, busy="too noisy"))), 1)
        nothing = [accuracy.Round("a", "b", "c")] * 3
        self.assertEqual(len(missed(nothing)), len(accuracy.judge(nothing)))


class CalibrationTest(unittest.TestCase):
    COST = {"wall_s": 1.5, "peak_kib": 4000}

    @staticmethod
    def cpu(**changes):
        return {
            "cpu": 3,
            "cycle_ns": 0.25,
            "loops": [
                {"name": "compare", "cycles": {"mid": 1.5}},
                {"name": "fused", "cycles": {"mid": 1.001}},
            ],
            "floor": {"cycles": {"lo": 1.0}, "ns": {"lo": 0.251}},
            "noise": {"lost_share": None},
            **changes,
        }

    def test_reads_the_first_cpu_and_shares_the_time(self):
        profile = {"cpus": [self.cpu(), self.cpu(cpu=4)], "warnings": [{"code": "slow-state"}]}
        found = calibration.read_calibration(profile, self.COST)
        self.assertEqual(
            found, calibration.Calibration(3, 0.25, 1.001, 1.0, 0.251, True, 0, 0.75, 4000)
        )

    def test_unknown_is_no_answer(self):
        for change in ({"cycle_ns": None}, {"floor": {"cycles": None, "ns": None}}):
            found = calibration.read_calibration(
                {"cpus": [self.cpu(**change)], "warnings": []}, self.COST
            )
            self.assertIsInstance(found, str)

    def test_failure_says_why(self):
        found = calibration.Tickfloor("ls", SPAWN).calibrate("/no/such/file")
        self.assertIn("ls", found)

    def test_markdown_keeps_its_columns(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            calibration.print_table(("a", "b"), [("x|y", "z")], True)
        self.assertEqual(
            out.getvalue().splitlines(), ["| a | b |", "| --- | --- |", "| x\\|y | z |"]
        )


class SpawnTest(unittest.TestCase):
    @staticmethod
    def spawn(*command):
        done = subprocess.run([SPAWN, *command], capture_output=True, text=True)
        return done.returncode, done.stdout.splitlines()

    def test_adds_one_line_and_passes_the_status(self):
        status, lines = self.spawn("sh", "-c", "echo out; exit 3")
        self.assertEqual((status, len(lines), lines[0]), (3, 2, "out"))
        self.assertGreater(json.loads(lines[1])["wall_s"], 0)
        self.assertEqual(self.spawn("sh", "-c", "kill -TERM $$")[0], 128 + 15)
        self.assertEqual(self.spawn("/no/such/command")[0], 127)

    def test_memory_is_the_child_s(self):
        big = "b = bytearray(96 << 20); print(len(b))"
        _, small = self.spawn("true")
        _, large = self.spawn(sys.executable, "-c", big)
        # Far apart: a spawn that is built with a sanitizer is itself a large parent.
        self.assertLess(json.loads(small[-1])["peak_kib"], 48 << 10)
        self.assertGreater(json.loads(large[-1])["peak_kib"], 96 << 10)


@unittest.skipUnless(shutil.which("taskset"), "no taskset here")
class BusyTest(unittest.TestCase):
    @staticmethod
    def running(group):
        """How many processes of a group there are, dead ones that nobody waited for aside."""
        count = 0
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                state, _, of = path.read_text().rpartition(")")[2].split()[:3]
                count += int(of) == group and state not in "ZX"
        return count

    def wait_for_end(self, group):
        """A killed process still has to be scheduled once; the test's timeout is the limit."""
        while self.running(group) > 0:
            time.sleep(0.01)

    def test_the_busy_process_ends_with_its_block(self):
        with self.assertRaises(KeyError):
            with accuracy.busy_process(min(os.sched_getaffinity(0))) as group:
                self.assertGreater(self.running(group), 0)
                raise KeyError
        self.wait_for_end(group)

    def test_a_busy_process_that_is_not_there_is_no_measurement(self):
        with self.assertRaises(RuntimeError), accuracy.busy_process(1 << 20) as group:
            self.wait_for_end(group)


class PeersTest(unittest.TestCase):
    OUTPUT = {
        "google-benchmark": '{"benchmarks": [\n{"name": "Empty",\n"real_time": 9e-7,\n"cpu_time": 5.5e-07,\n'
        '"time_unit": "ns"},\n{"name": "EmptyKept",\n"cpu_time": 2.75e-01}]}',
        "Go testing": "cpu: AMD EPYC\nBenchmarkEmpty-2 \t1000000000\t         0.2925 ns/op\nPASS\n",
        "Catch2": '<mean value="0.270413" lowerBound="0.27" upperBound="0.28" ci="0.95"/>',
        "highway nanobenchmark": "TimerResolution: 52 ticks, 20.029300 ns\nMeasure: 1.3 ticks, 0.500733 ns\n",
    }
    EXPECTED = [5.5e-7, 0.275, 0.2925, 0.270413, 0.500733, 20.0293]

    def test_finds_each_number(self):
        found = [
            peers.read_ns(row.pattern, self.OUTPUT[peer.tool])
            for peer in peers.PEERS
            for row in peer.rows
        ]
        self.assertEqual(found, self.EXPECTED)

    def test_no_number_is_none(self):
        for output in ("", "Measure: it gave no result", "Measure: 1 ticks, inf ns"):
            self.assertIsNone(peers.read_ns(r"Measure: .*?, " + peers.NUMBER + " ns", output))
        self.assertEqual(peers.summarise([])[0], "no number")

    def test_error_is_in_cycles(self):
        readings = [peers.Reading(ns, 0.25) for ns in (0.25, 0.275, 25.25)]
        self.assertEqual(peers.summarise(readings), ("0.2750", "1.100", "+0.0 / +10.0 / +10000 %"))


if __name__ == "__main__":
    SPAWN = sys.argv.pop(1)
    unittest.main()
