#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sum up test runs: summary.py DIR.

DIR holds, for each run NAME, NAME.json (Meson's testlog.json, empty when no test ran), an empty
NAME.failed when `meson test` itself said that something failed, NAME.broken when there was nothing
to run, with what failed instead, and NAME.skipped when it was not tried, with the reason.

Prints every failure and every skip with its reason, then "N passed, N failed, N skipped". Exit
status 0 only when something passed and nothing failed.
"""

import json
import pathlib
import re
import sys

PASSED = ("OK", "EXPECTEDFAIL")
SKIPPED = ("SKIP", "IGNORED")
CMOCKA = re.compile(r"\[[ A-Z]+\]|\d+ SKIPPED TEST")


def reason(test):
    """Why a test skipped itself: the last line on its stderr that is not cmocka's own report."""
    lines = [line.strip() for line in test.get("stderr", "").splitlines()]
    lines = [line for line in lines if line and not CMOCKA.match(line)]
    return lines[-1] if lines else "it gave no reason"


def summarise(directory):
    """Returns (passed, failures, skips); the last two are lists of lines for people."""
    passed, failures, skips = 0, [], []
    runs = sorted({path.stem for path in directory.iterdir()})
    for run in runs:
        broken = directory / (run + ".broken")
        if broken.exists():
            failures.append(f"{run}: {broken.read_text().strip()}")
            continue
        skipped = directory / (run + ".skipped")
        if skipped.exists():
            skips.append(f"{run}: {skipped.read_text().strip()}")
            continue
        failed_before = len(failures)
        log = directory / (run + ".json")
        tests = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        for test in tests:
            if test["result"] in PASSED:
                passed += 1
            elif test["result"] in SKIPPED:
                skips.append(f"{run}: {test['name']}: {reason(test)}")
            else:
                failures.append(f"{run}: {test['name']} ({test['result'].lower()})")
        if not tests:
            failures.append(f"{run}: no test ran")
        elif (directory / (run + ".failed")).exists() and len(failures) == failed_before:
            failures.append(f"{run}: meson test failed, though no test of it did")
    return passed, failures, skips


def main():
    passed, failures, skips = summarise(pathlib.Path(sys.argv[1]))
    for line in skips:
        print("SKIPPED", line)
    for line in failures:
        print("FAILED", line)
    print(f"{passed} passed, {len(failures)} failed, {len(skips)} skipped")
    return 0 if passed and not failures else 1


if __name__ == "__main__":
    sys.exit(main())
