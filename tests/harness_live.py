#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Measure one framework with its real toolchain: harness_live.py COMMAND FRAMEWORK.

Exit status 77, with the reason, where the toolchain is not installed or its packages cannot be fetched, and where the machine
is too busy for two runs to come out alike. No number decides, beyond being one.
"""

import json
import subprocess
import sys


def skip(reason):
    print(f"skipped: {reason}", file=sys.stderr)
    sys.exit(77)


def calibrate(command, *options):
    done = subprocess.run(
        [command, "calibrate", "--json", *options], capture_output=True, text=True, check=False
    )
    sys.stderr.write(done.stderr)
    return done, json.loads(done.stdout)


def main():
    command, framework = sys.argv[1:]
    _, here = calibrate(command, "--harness", "list")
    (found,) = [entry for entry in here["harnesses"] if entry["framework"] == framework]
    if not found["found"]:
        skip(f"{framework}: {found['reason']}; {found['next']}")

    done, profile = calibrate(command, "-q", "--no-save", "--harness", framework)
    entries = [entry for entry in profile["harnesses"] if entry["framework"] == framework]
    measured = [entry for entry in entries if entry["reason"] is None]
    reasons = [entry["reason"] for entry in entries if entry["reason"] is not None]
    assert entries, "nothing was stored"
    assert (done.returncode == 0) == (not reasons), done.returncode
    for entry in measured:
        print(framework, entry["version"], entry["loop_form"], entry["cycles"], entry["ns"])
        assert 0 <= entry["ns"]["lo"] <= entry["ns"]["mid"] <= entry["ns"]["hi"] < 1e9, entry
        assert 0 <= entry["cycles"]["lo"] < 1e10, entry
        assert entry["loop_form"] and entry["runs"] >= 2 and entry["timing"] != "unknown", entry
    disturbed = [reason for reason in reasons if "came out alike" in reason]
    assert len(disturbed) == len(reasons) or found["fetches"], reasons
    if not measured:
        skip(f"{framework}: {reasons[0]}")


main()
