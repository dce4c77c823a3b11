#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold tickfloor against its own targets of accuracy, time and memory.

Each round calibrates three times: as a user does, with --quick, and with a busy process bound to the
CPU that is measured. Every answer is compared with others of the same run, never with a
number from elsewhere. doc/accuracy.md says what each target means.

Exit status: 0 when every target is reached, 1 when one is missed, 2 when nothing could be measured.
"""

import argparse
import contextlib
import dataclasses
import os
import signal
import statistics
import subprocess
import sys

import calibration

SHARE = 0.99  # of the calibrations that have to read the fused loop right
FUSED_IDLE, FUSED_BUSY = 0.001, 0.005
AGREE = 0.005
QUICK_AGREE = 0.01
WALL_S, QUICK_WALL_S = 1.0, 0.1
PEAK_KIB = 16 * 1024
BUSY_S = 60  # longer than any calibration takes


@dataclasses.dataclass
class Round:
    """Three calibrations, one after the other; a string in place of one says why it failed."""

    full: object
    quick: object
    busy: object


@dataclasses.dataclass(frozen=True)
class Target:
    name: str
    reached: bool
    figure: str


@contextlib.contextmanager
def busy_process(cpu):
    """
    A process that never waits, bound to a CPU; gives the process group. It is killed on the way out, and
    if this process is killed instead, timeout(1) ends it.
    """
    burner = subprocess.Popen(
        ["timeout", str(BUSY_S), "taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"],
        start_new_session=True,
    )
    try:
        yield burner.pid
        if burner.poll() is not None:
            raise RuntimeError(f"the busy process on CPU {cpu} ended early")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(burner.pid, signal.SIGKILL)
        burner.wait()


def measure(tickfloor, runs):
    rounds, cpu = [], min(os.sched_getaffinity(0))
    for i in range(runs):
        calibration.show_progress(i, runs, "calibrating")
        full = tickfloor.calibrate()
        quick = tickfloor.calibrate("--quick")
        cpu = cpu if isinstance(full, str) else full.cpu
        with busy_process(cpu):
            busy = tickfloor.calibrate("--cpus", str(cpu))
        rounds.append(Round(full, quick, busy))
    calibration.show_progress(runs, runs, "calibrating")
    return rounds


def good(calibrations):
    return [c for c in calibrations if not isinstance(c, str)]


def per_cent(share):
    return f"{100 * share:.2f} %"


def describe_errors(errors, within, of):
    """errors: of each answer, how far it is off and whether tickfloor warned of a slow state."""
    off = [error for error, _ in errors]
    wrong = [warned for error, warned in errors if error > within]
    figure = f"{len(errors) - len(wrong)} of {of}"
    if off:
        figure += f", median off {per_cent(statistics.median(off))}, worst {per_cent(max(off))}"
    if wrong:
        figure += f", {sum(wrong)} of the {len(wrong)} beyond warned of a slow state"
    return figure


def judge_fused(name, calibrations, within):
    found = good(calibrations)
    errors = [(abs(c.fused_cycles - 1), c.slow_state) for c in found]
    right = sum(error <= within for error, _ in errors)
    figure = describe_errors(errors, within, len(calibrations))
    if found:
        lost = statistics.median(c.lost_share for c in found)
        figure += f"; others took {100 * lost:.0f} % of the CPU"
    return Target(name, right >= SHARE * len(calibrations), figure)


def judge_agreement(name, calibrations, field):
    values = [getattr(c, field) for c in good(calibrations)]
    if len(values) < len(calibrations):
        return Target(name, False, f"{len(calibrations) - len(values)} gave no answer")
    spread = max(values) / min(values) - 1
    middle = statistics.median(values)
    near = sum(abs(v / middle - 1) <= AGREE / 2 for v in values)
    figure = (
        f"highest over lowest {per_cent(spread)}; {near} of {len(values)} within "
        f"{per_cent(AGREE / 2)} of the median"
    )
    return Target(name, spread <= AGREE, figure)


def judge_most(name, calibrations, field, limit, unit, scale):
    values = [getattr(c, field) / scale for c in good(calibrations)]
    if len(values) < len(calibrations):
        return Target(name, False, f"{len(calibrations) - len(values)} gave no answer")
    right = sum(v <= limit / scale for v in values)
    figure = (
        f"{right} of {len(values)}, median {statistics.median(values):.3g} {unit}, "
        f"most {max(values):.3g} {unit}"
    )
    return Target(name, right == len(values), figure)


def judge_quick(name, rounds, field):
    """Quick over full of the same round."""
    errors = [
        (
            abs(getattr(r.quick, field) / getattr(r.full, field) - 1),
            r.quick.slow_state or r.full.slow_state,
        )
        for r in rounds
        if len(good([r.quick, r.full])) == 2
    ]
    right = sum(error <= QUICK_AGREE for error, _ in errors)
    return Target(name, right == len(rounds), describe_errors(errors, QUICK_AGREE, len(rounds)))


def judge(rounds):
    full = [r.full for r in rounds]
    quick = [r.quick for r in rounds]
    busy = [r.busy for r in rounds]
    return [
        judge_fused("fused loop is 1 cycle within 0.1 %, 99 of 100", full, FUSED_IDLE),
        judge_fused("the same within 0.5 %, CPU shared with a busy process", busy, FUSED_BUSY),
        judge_agreement("core cycle in ns agrees within 0.5 %", full, "cycle_ns"),
        judge_agreement("fastest loop in cycles agrees within 0.5 %", full, "lo_cycles"),
        judge_agreement("fastest loop in ns agrees within 0.5 %", full, "lo_ns"),
        judge_quick("--quick: the same core cycle within 1 %", rounds, "cycle_ns"),
        judge_quick("--quick: the same fastest loop within 1 %", rounds, "lo_ns"),
        judge_most("a calibration takes 1 s at most", full, "wall_s", WALL_S, "s", 1),
        judge_most("--quick takes 0.1 s at most", quick, "wall_s", QUICK_WALL_S, "s", 1),
        judge_most("peak memory below 16 MiB", full + quick, "peak_kib", PEAK_KIB, "MiB", 1024),
    ]


def print_failures(rounds):
    reasons = {c for r in rounds for c in (r.full, r.quick, r.busy) if isinstance(c, str)}
    for reason in sorted(reasons):
        print(f"a calibration failed: {reason}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("tickfloor")
    parser.add_argument("spawn")
    arguments = parser.parse_args()

    # A signal has to end the busy process too: as an exception it does.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    machine = calibration.describe_machine()
    tickfloor = calibration.Tickfloor(arguments.tickfloor, arguments.spawn)
    try:
        rounds = measure(tickfloor, arguments.runs)
    except (OSError, RuntimeError) as error:
        print(f"accuracy: {error}", file=sys.stderr)
        return 2
    print_failures(rounds)
    if not good([r.full for r in rounds]):
        return 2

    targets = judge(rounds)
    print(f"{machine}; rounds: {len(rounds)}\n")
    if arguments.markdown:
        rows = [(t.name, "reached" if t.reached else "missed", t.figure) for t in targets]
        calibration.print_table(("target", "", "measured"), rows, True)
    else:
        for target in targets:
            print(f"{'reached' if target.reached else 'MISSED '}  {target.name}: {target.figure}")
    return 0 if all(target.reached for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
