#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What other tools say of an empty loop, beside the true core cycle, on one CPU in one run.

Each peer runs between two `tickfloor calibrate --quick`; the mean of their two core cycles is what its
number is held against. A peer runs as its manual says, with no option that changes how it
measures.

Exit status: 0 when all ran, 2 when one could not be built or run, or tickfloor could not measure.
"""

import argparse
import dataclasses
import math
import pathlib
import re
import shlex
import statistics
import subprocess
import sys
import typing

import calibration

SOURCES = pathlib.Path("tests/peers")  # from the root of the tree, as the commands are shown
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NUMBER = r"([-+.\w]+)"
A_TIME = "a time; not that it is the loop's own"


@dataclasses.dataclass(frozen=True)
class Row:
    """One number that a tool prints, in ns: the first group of pattern."""

    what: str
    pattern: str
    tells: str


@dataclasses.dataclass(frozen=True)
class Peer:
    """{out} in a command is the folder of what is built."""

    tool: str
    package: str
    build: str
    run: str
    rows: typing.Tuple[Row, ...]


PEERS = (
    Peer(
        tool="google-benchmark",
        package="libbenchmark-dev",
        build=f"c++ -O2 -o {{out}}/gbench_empty {SOURCES}/gbench_empty.cc -lbenchmark -pthread",
        run="{out}/gbench_empty --benchmark_format=json",
        rows=(
            Row(
                "`for (auto _ : state) {}`, CPU time",
                r'"name": "Empty",[^}]*"cpu_time": ' + NUMBER,
                '"0.000 ns", like any time; not that the loop was deleted',
            ),
            Row(
                "the same with DoNotOptimize, CPU time",
                r'"name": "EmptyKept",[^}]*"cpu_time": ' + NUMBER,
                A_TIME,
            ),
        ),
    ),
    Peer(
        tool="Go testing",
        package="golang-go",
        build=f"go test -c -o {{out}}/empty.test {SOURCES}/empty_test.go",
        run="{out}/empty.test -test.bench=.",
        rows=(
            Row(
                "`for i := 0; i < b.N; i++ {}`",
                r"BenchmarkEmpty\S*\s+\d+\s+" + NUMBER + r" ns/op",
                A_TIME,
            ),
        ),
    ),
    Peer(
        tool="Catch2",
        package="catch2",
        build=f"c++ -O2 -o {{out}}/catch2_empty {SOURCES}/catch2_empty.cc",
        run="{out}/catch2_empty --reporter xml",
        rows=(
            Row(
                "`BENCHMARK { return 1; }`, mean",
                r'<mean value="' + NUMBER + '"',
                "a time with its interval; not that it is the loop's own",
            ),
        ),
    ),
    Peer(
        tool="highway nanobenchmark",
        package="libhwy-dev",
        build=f"c++ -O2 -o {{out}}/hwy_empty {SOURCES}/hwy_empty.cc -lhwy",
        run="{out}/hwy_empty",
        rows=(
            Row(
                "Measure of a function that returns its argument",
                r"Measure: .*?, " + NUMBER + " ns",
                "a time with its variability; not that it is the loop's own",
            ),
            Row(
                "TimerResolution, two timer calls back to back",
                r"TimerResolution: .*?, " + NUMBER + " ns",
                "what it cannot time without repeating; not what a loop costs",
            ),
        ),
    ),
)


@dataclasses.dataclass(frozen=True)
class Reading:
    ns: float
    cycle_ns: float


def read_ns(pattern, output):
    """The number that a tool printed, or None when it printed none."""
    match = re.search(pattern, output, re.DOTALL)
    try:
        ns = float(match[1]) if match else math.nan
    except ValueError:
        ns = math.nan
    return ns if math.isfinite(ns) else None


def run(command, out):
    """A command's standard output; ends the program when it fails."""
    words = [word.format(out=out) for word in shlex.split(command)]
    try:
        done = subprocess.run(
            words, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
    except OSError as error:
        fail(f"cannot run {words[0]}: {error.strerror}")
    if done.returncode != 0:
        fail(f"{shlex.join(words)} failed:\n{done.stderr}{done.stdout}")
    return done.stdout


def fail(text):
    print(f"peers: {text}", file=sys.stderr)
    sys.exit(2)


def cycle_now(tickfloor, *options):
    found = tickfloor.calibrate("--quick", *options)
    if isinstance(found, str):
        fail(found)
    return found


def measure(tickfloor, out, rounds):
    """Returns tickfloor's own readings, and those of each Row of PEERS that gave a number."""
    cpu = str(cycle_now(tickfloor).cpu)
    own, readings = [], {row: [] for peer in PEERS for row in peer.rows}
    for i in range(rounds):
        before = cycle_now(tickfloor, "--cpus", cpu)
        for j, peer in enumerate(PEERS):
            calibration.show_progress(len(PEERS) * i + j, len(PEERS) * rounds, "peers")
            output = run(f"taskset -c {cpu} {peer.run}", out)
            after = cycle_now(tickfloor, "--cpus", cpu)
            cycle_ns = (before.cycle_ns + after.cycle_ns) / 2
            own.append(Reading(before.fused_cycles * before.cycle_ns, cycle_ns))
            for row in peer.rows:
                ns = read_ns(row.pattern, output)
                if ns is not None:
                    readings[row].append(Reading(ns, cycle_ns))
            before = after
    calibration.show_progress(1, 1, "peers")
    return own, readings


def version_of(package):
    """As Debian numbers it, without what Debian adds; empty where there is no Debian."""
    try:
        done = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True
        )
    except OSError:
        return ""
    match = re.match(r"(?:\d+:)?([\d.]+)", done.stdout)
    return " " + match[1] if match else ""


def summarise(readings):
    """Three cells: ns and core cycles, the median, and the error's lowest, median and highest."""
    if not readings:
        return "no number", "", ""
    cycles = [r.ns / r.cycle_ns for r in readings]
    errors = [100 * (c - 1) for c in cycles]
    three = (min(errors), statistics.median(errors), max(errors))
    return (
        f"{statistics.median(r.ns for r in readings):.4f}",
        f"{statistics.median(cycles):.3f}",
        " / ".join(f"{error:+.{1 if abs(error) < 1000 else 0}f}" for error in three) + " %",
    )


def print_results(own, readings, markdown):
    error = "error: lowest / median / highest"
    head = ("tool", "its empty loop", "ns", "core cycles", error, "tells its user")
    tells = "that it is one cycle, the band of such loops, and below which a result is suspect"
    rows = [("tickfloor --quick", "fused: `dec; jnz`", *summarise(own), tells)]
    for peer in PEERS:
        tool = peer.tool + version_of(peer.package)
        for row in peer.rows:
            rows.append((tool, row.what, *summarise(readings[row]), row.tells))
    calibration.print_table(head, rows, markdown)

    print("\nBuilt and run, each bound to that CPU with `taskset -c`:\n")
    for peer in PEERS:
        for command in (peer.build, peer.run):
            print("    " + command.format(out="OUT"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("tickfloor", type=pathlib.Path)
    parser.add_argument("spawn", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path, help="the folder for what is built")
    arguments = parser.parse_args()

    out = arguments.out.resolve()
    for peer in PEERS:
        run(peer.build, out)
    machine = calibration.describe_machine()
    tickfloor = calibration.Tickfloor(arguments.tickfloor.resolve(), arguments.spawn.resolve())
    own, readings = measure(tickfloor, out, arguments.rounds)
    print(f"{machine}; rounds: {arguments.rounds}\n")
    print_results(own, readings, arguments.markdown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
