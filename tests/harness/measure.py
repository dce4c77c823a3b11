#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How well the harness measures here and now, and how the built-in benchmarks are judged. Not a test: timing decides it.

measure.py TICKFLOOR ADDS [--runs N]

Status: 0 every target is reached, 1 one is missed, 2 something could not be measured.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BODIES = ("Add0", "Add1", "Add2", "Add4")
DEAD = r"^(DeadAlloc/discarded|FoldPopcount/literal|Hoist/call|HoistSum/\d+)$"


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def own(program, cpu):
    """Cycles of each body; ns of the empty loop, and over another where that was compared; ns of a cycle."""
    document = json.loads(run([program, "--cpu", cpu, "--time", "0.2s", "--count", "3", "--json"]))
    cycle = document["floor"]["cycle_ns"]
    rows = {row["name"]: row for row in document["benchmarks"]}
    cycles = {name: min(r["ns"] for r in row["repetitions"]) / cycle for name, row in rows.items()}
    empty = rows["Add0"]
    # Where a neighbour slows it all the time: against a loop of one cycle that has the same neighbour.
    beside = empty["beside_empty"]
    ratio = beside["ratio"] if beside else None
    return cycles, min(r["fastest_ns"] for r in empty["repetitions"]), ratio, cycle


def gbench(folder, cpu):
    program = folder / "gbench"
    build = ["c++", "-O2", "-o", program, HERE / "adds.cc", "-lbenchmark", "-pthread"]
    built = subprocess.run(list(map(str, build)), capture_output=True)
    if built.returncode != 0:
        return None
    words = ["--benchmark_format=json", "--benchmark_min_time=0.2", "--benchmark_repetitions=3"]
    rows = json.loads(run(["taskset", "-c", cpu, program, *words]))["benchmarks"]
    return {
        body: min(row["cpu_time"] for row in rows if row["name"] == body and row["run_type"] == "iteration")
        for body in BODIES
    }


def go(folder, cpu):
    if shutil.which("go") is None:
        return None
    shutil.copy(HERE / "adds_test.go", folder)
    (folder / "go.mod").write_text("module adds\n")
    program = folder / "go.test"
    build = ["go", "test", "-c", "-o", program, "."]
    if subprocess.run(list(map(str, build)), cwd=folder, capture_output=True).returncode != 0:
        return None
    words = ["-test.bench", ".", "-test.benchtime", "0.2s", "-test.count", "3"]
    output = run(["taskset", "-c", cpu, program, *words])
    return {
        body: min(map(float, re.findall(rf"^Benchmark{body}\S*\s+\d+\s+([0-9.]+) ns/op", output, re.M)))
        for body in BODIES
    }


def bodies(adds, runs, cpu, folder):
    """The table, and the share of runs in which the empty loop is one cycle within 1 %."""
    results = [own(adds, cpu) for _ in range(runs)]
    cycle = statistics.median(cycle for _, _, _, cycle in results)
    empty = [ratio or fastest / cycle for _, fastest, ratio, _ in results]
    table = {"tickfloor": {b: statistics.median(c[b] for c, _, _, _ in results) for b in BODIES}}
    for name, peer in (("google-benchmark", gbench(folder, cpu)), ("Go", go(folder, cpu))):
        if peer is None:
            print(f"{name} is not installed: not measured")
        else:
            table[name] = {body: ns / cycle for body, ns in peer.items()}
    print("\ncycles of an iteration     empty   1 add  2 adds  4 adds")
    for name, cycles in table.items():
        print(f"{name:<24}" + "".join(f"{cycles[body]:8.3f}" for body in BODIES))
    reached = sum(abs(cycles - 1) <= 0.01 for cycles in empty)
    print(
        f"\nempty loop within 1 % of a cycle: {reached} of {runs} runs"
        f" (lowest {min(empty):.4f}, highest {max(empty):.4f})"
    )
    return reached == runs


def judged(tickfloor, runs, what):
    """In how many runs the dead rows were flagged and the honest ones were not."""
    wrong = {}
    good = 0
    for _ in range(runs):
        rows = json.loads(run([tickfloor, "bench", "--time", "100ms", "--json"]))["benchmarks"]
        bad = [
            f"{row['name']} {row['verdict']}"
            for row in rows
            if bool(re.match(DEAD, row["name"])) != (row["verdict"] not in FINE)
        ]
        good += not bad
        for text in bad:
            wrong[text] = wrong.get(text, 0) + 1
    print(f"dead rows flagged and honest rows not, {what}: {good} of {runs} runs")
    for text, count in sorted(wrong.items()):
        print(f"  wrong in {count}: {text}")
    return good == runs


FINE = ("ok", "near-floor", "undecided", None)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tickfloor")
    parser.add_argument("adds")
    parser.add_argument("--runs", type=int, default=50)
    arguments = parser.parse_args()
    cpu = max(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory() as folder:
        good = bodies(arguments.adds, max(arguments.runs // 5, 1), cpu, pathlib.Path(folder))
    good &= judged(arguments.tickfloor, arguments.runs, "alone")
    busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        good &= judged(arguments.tickfloor, arguments.runs, "beside a busy process")
    finally:
        busy.kill()
        busy.wait()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
