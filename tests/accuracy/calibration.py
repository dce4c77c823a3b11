# SPDX-License-Identifier: MIT
"""Run `tickfloor calibrate` and keep what it answered; print tables. Shared by accuracy.py and peers.py."""

import dataclasses
import json
import os
import platform
import subprocess
import sys


@dataclasses.dataclass(frozen=True)
class Calibration:
    """What one run answered. Cycles are core cycles; memory is the whole process's peak."""

    cpu: int
    cycle_ns: float
    fused_cycles: float
    lo_cycles: float
    lo_ns: float
    slow_state: bool  # it warned that the CPU, or its other hardware thread, was busy
    lost_share: float  # of the time, to what else ran on the CPU
    wall_s: float  # for each CPU that it measured
    peak_kib: int


class Tickfloor:
    """The command, run through spawn, which adds what it took."""

    def __init__(self, command, spawn):
        self.command = command
        self.spawn = spawn

    def calibrate(self, *options):
        """Returns a Calibration, or why there is none, as a string."""
        done = subprocess.run(
            [self.spawn, self.command, "calibrate", "--json", "--no-save", *options],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            return done.stderr.strip() or f"{self.command} ended with status {done.returncode}"
        profile, _, cost = done.stdout.rstrip().rpartition("\n")
        return read_calibration(json.loads(profile), json.loads(cost))


def read_calibration(profile, cost):
    """The first CPU's answers of a profile, and what spawn says that the run took."""
    cpu = profile["cpus"][0]
    fused = next(loop for loop in cpu["loops"] if loop["name"] == "fused")
    cycles, ns = cpu["floor"]["cycles"], cpu["floor"]["ns"]
    if None in (cpu["cycle_ns"], fused["cycles"], cycles, ns) or None in (cycles["lo"], ns["lo"]):
        return "the profile holds no core cycle or no floor"
    return Calibration(
        cpu=cpu["cpu"],
        cycle_ns=cpu["cycle_ns"],
        fused_cycles=fused["cycles"]["mid"],
        lo_cycles=cycles["lo"],
        lo_ns=ns["lo"],
        slow_state=any(warning["code"] == "slow-state" for warning in profile["warnings"]),
        lost_share=cpu["noise"]["lost_share"] or 0,
        wall_s=cost["wall_s"] / len(profile["cpus"]),
        peak_kib=cost["peak_kib"],
    )


def describe_machine():
    """One line for people: which machine, and how busy it is."""
    model = "an unnamed CPU"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return (
        f"{model}, {os.cpu_count()} CPUs, {platform.system()} {platform.release()}, "
        f"load {os.getloadavg()[0]:.1f}"
    )


def print_table(head, rows, markdown):
    """Rows of strings: in Markdown, or aligned in columns."""
    if markdown:
        print("| " + " | ".join(head) + " |")
        print("| " + " | ".join("---" for _ in head) + " |")
        for row in rows:
            print("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |")
        return
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def show_progress(done, of, what):
    """On a terminal only; the line is rewritten, and cleared when done."""
    if sys.stderr.isatty():
        text = f"{what} {done}/{of}" if done < of else ""
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
