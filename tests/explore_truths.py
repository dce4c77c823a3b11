#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What has to be true of an exploration on real hardware: explore_truths.py TICKFLOOR. Timing decides: for --benchmark alone."""

import json
import subprocess
import sys


def main():
    done = subprocess.run(
        [sys.argv[1], "explore", "--only", "ladder,bandwidth", "--time", "40", "--no-save", "--json"],
        capture_output=True, text=True,
    )
    if done.returncode != 0:
        sys.exit(done.stderr)
    profile = json.loads(done.stdout)
    if profile["machine"]["emulated"]:
        print("an emulator: its times are not a CPU's", file=sys.stderr)
        return 77
    explore = profile["explore"]
    steps = {step["name"]: step for step in explore["steps"]}

    def cycles(name):
        return steps[name]["cycles"]["mid"]

    def gbs(name):
        return steps[name]["value"]["mid"]

    curve = {point["bytes"]: point["ns"]["mid"] for point in explore["latency"]}
    sizes = sorted(curve)
    first = explore["caches"][0]["size_bytes"]
    within = [curve[b] for b in sizes if b <= first / 2]
    beyond = [curve[b] for b in sizes if first * 2 <= b <= first * 4]
    truths = {
        "an addition is one cycle": 0.98 < cycles("op/add") < 1.02,
        "a multiplication is 3 to 5 cycles": 2.9 < cycles("op/multiply") < 5.1,
        "a load out of L1 is 3 to 6 cycles": 2.9 < cycles("load/L1") < 6,
        "L1, L2, L3 and memory are in order": cycles("load/L1") < cycles("load/L2") < cycles("load/L3") < cycles("load/memory"),
        "a branch foreseen wrongly costs 5 to 40 cycles": 5 < cycles("branch/mispredicted") < 40,
        "a contended atomic is dearer": cycles("atomic/contended") > cycles("atomic/uncontended"),
        "the curve steps at the size of L1": max(within) * 1.5 < min(beyond),
        "L1 moves more than memory": gbs("bandwidth/L1/read") > 2 * gbs("bandwidth/memory/read"),
    }
    for text, true in truths.items():
        print(f"{'holds' if true else 'FAILS'}: {text}")
    return 0 if all(truths.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
