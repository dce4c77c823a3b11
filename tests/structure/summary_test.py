#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The summary of scripts/test counts what happened, and takes nothing for success that is none."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import summary


class SummaryTest(unittest.TestCase):
    def summarise(self, files):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in files.items():
                pathlib.Path(directory, name).write_text(text)
            done = subprocess.run(
                [sys.executable, summary.__file__, directory], capture_output=True, text=True
            )
        return done.returncode, done.stdout.splitlines()

    @staticmethod
    def log(*results):
        tests = [
            {"name": f"t{i}", "result": result, "stderr": "noise\nno PMU\n"}
            for i, result in enumerate(results)
        ]
        return "".join(json.dumps(test) + "\n" for test in tests)

    def test_sums_over_runs(self):
        status, lines = self.summarise(
            {"gcc.json": self.log("OK", "OK", "SKIP"), "clang.json": self.log("OK")}
        )
        self.assertEqual(
            (status, lines), (0, ["SKIPPED gcc: t2: no PMU", "3 passed, 0 failed, 1 skipped"])
        )

    def test_failures(self):
        files = {
            "gcc.json": self.log("OK", "FAIL", "TIMEOUT", "ERROR", "INTERRUPT"),
            "gcc.failed": "",
        }
        status, lines = self.summarise(files)
        self.assertEqual((status, lines[-1]), (1, "1 passed, 4 failed, 0 skipped"))
        self.assertEqual(lines[0], "FAILED gcc: t1 (fail)")

    def test_build_failure(self):
        status, lines = self.summarise({"gcc.json": self.log("OK"), "clang.broken": "the build\n"})
        self.assertEqual(
            (status, lines), (1, ["FAILED clang: the build", "1 passed, 1 failed, 0 skipped"])
        )

    def test_reason_among_cmocka(self):
        stderr = "no prctl here\n[  PASSED  ] 3 test(s).\n[  SKIPPED ] x\n\n 1 SKIPPED TEST(S)\n"
        tests = ({"name": "a", "result": "SKIP", "stderr": stderr}, {"name": "b", "result": "SKIP"})
        status, lines = self.summarise({"gcc.json": "\n".join(map(json.dumps, tests))})
        self.assertEqual(lines[0], "SKIPPED gcc: a: no prctl here")
        self.assertEqual(lines[1], "SKIPPED gcc: b: it gave no reason")

    def test_run_not_tried(self):
        status, lines = self.summarise({"gcc.json": self.log("OK"), "arm64.skipped": "no apt\n"})
        self.assertEqual(
            (status, lines), (0, ["SKIPPED arm64: no apt", "1 passed, 0 failed, 1 skipped"])
        )

    def test_run_without_tests(self):
        for files in ({"fuzz.json": ""}, {"fuzz.failed": ""}):
            status, lines = self.summarise(files)
            self.assertEqual(
                (status, lines), (1, ["FAILED fuzz: no test ran", "0 passed, 1 failed, 0 skipped"])
            )

    def test_only_skips(self):
        status, lines = self.summarise({"gcc.json": self.log("SKIP")})
        self.assertEqual((status, lines[-1]), (1, "0 passed, 0 failed, 1 skipped"))

    def test_meson_itself_failed(self):
        status, lines = self.summarise({"gcc.json": self.log("OK"), "gcc.failed": ""})
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_nothing(self):
        self.assertEqual(self.summarise({}), (1, ["0 passed, 0 failed, 0 skipped"]))


if __name__ == "__main__":
    unittest.main()
